//! Builds the sending end of an aggregate.

use super::{CallsIngress, Sending};
use crate::api::blueprint::CallsPlan;
use crate::api::cancel::Cancel;
use crate::api::observations::CallCounters;
use crate::endpoints::calls::departures::Departures;
use crate::endpoints::calls::ingress_delay::IngressDelay;
use crate::endpoints::emitter::Emitter;
use crate::endpoints::packet_template::PacketTemplate;
use crate::kernel::journal::Measurement;
use crate::kernel::message::Peer;
use penstock_model::edge::{only_answers, EdgeContext, Ingress};
use penstock_model::rng::Key;
use penstock_model::site::Site;
use penstock_model::source::{AnySource, Source, SourcePlan};
use penstock_model::units::{Duration, Time};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// What an aggregate is built from.
#[derive(Clone)]
pub struct CallsSetup {
    /// The common fields of its packets.
    pub template: PacketTemplate,
    /// The place of its node in traces.
    pub place: u32,
    /// Its number within the group.
    pub member: u32,
    /// The plan of the group.
    pub plan: Arc<CallsPlan>,
    /// The source of each call.
    pub source: Arc<SourcePlan>,
    /// The aggregate.
    pub site: Site,
    /// When it begins.
    pub start: Time,
    /// The last instant at which it sends.
    pub stop: Time,
    /// The other edge.
    pub egress: Peer,
    /// More packets may arrive there than are sent, so how many it needs tells nothing.
    pub may_be_copied: bool,
    /// When counting is on.
    pub measured: Measurement,
    /// Orders simultaneous emissions at random.
    pub ties: Option<Key>,
    /// Once this is set, what becomes of calls is of no use: very many may begin at one instant.
    pub cancel: Cancel,
}

impl CallsIngress {
    /// An aggregate with its initial calls.
    pub fn new(setup: CallsSetup) -> CallsIngress {
        let plan = Arc::clone(&setup.plan);
        let initial = plan.initial.of(setup.member);
        let context = EdgeContext { site: setup.site.clone(), call_rate: plan.call_rate, initial };
        let (key, start) = (setup.site.key, setup.start);
        let source = AnySource::new(&setup.source, &setup.site);
        let mut built = CallsIngress {
            sending: Sending {
                departures: Departures::new(setup.template, setup.place, setup.measured),
                ingress_meters: plan.termination.is_some(),
                next_change: Time::NEVER,
                next_delayed: Time::NEVER,
                stop: setup.stop,
                calls: Vec::new(),
                emitter: Emitter::new(setup.ties),
            },
            least_spacing: source.map_or(Duration::ZERO, |source| source.least_spacing()),
            ingress: Ingress::new(&plan.admission, &plan.termination, &context),
            arrivals: key.child("arrivals").stream(),
            picks: key.child("terminated").stream(),
            next_arrival: Time::NEVER,
            arriving: 0,
            free: Vec::new(),
            live: Vec::new(),
            delayed: plan.delay.as_ref().map(|delay| Box::new(IngressDelay::new(delay, key))),
            next_surge: plan.surge.as_ref().map_or(Time::NEVER, |surge| surge.at),
            endings: BinaryHeap::new(),
            next_ending: Time::NEVER,
            next_call: 0,
            egress_only_answers: only_answers(&plan.admission, &plan.termination),
            open_requests: 0,
            counters: CallCounters::default(),
            live_since: Time::ZERO,
            setup,
        };
        built.begin_batch(initial, plan.initial_spread, "initial", start);
        built.draw_arrival(start);
        built.update_next_change();
        built
    }
}
