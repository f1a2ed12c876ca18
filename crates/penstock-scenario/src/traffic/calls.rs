//! The keys of `[[calls]]`: groups of aggregates of calls.

use crate::network::nodes::{Nodes, MAX_ENTITIES};
use crate::read::section::{NoParameters, Section};
use crate::read::values::{Name, NodeName, Precedence, RunTime, Start};
use crate::traffic::group::{EdgeLocations, GroupDraft, GroupEndpoints, MemberKeys, Members};
use penstock_engine::blueprint::{CallsPlan, FlowGroup, SurgePlan};
use penstock_model::call::counts::CallCounts;
use penstock_model::call::delay::DelayPlan;
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::edge::{self, AdmissionPlan, TerminationPlan};
use penstock_model::parameters::{Check, ClassName, Count, Parameters, Reading};
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use std::sync::Arc;

penstock_model::parameters! {
    /// A group of like aggregates of calls.
    ///
    /// Aggregate i runs from the i-th member of `from`, its ingress, to the i-th of `to`, its egress; members of a
    /// smaller group are repeated in turn. Its calls come and go; each sends packets of its own, as `source` says. The
    /// aggregates of a group are independent of each other. Routes are chosen as for flows.
    pub struct CallKeys {
        /// The name in results.
        name: Name;
        /// The node or group where calls begin, a member such as `edges[3]`, or members in a row such as `edges[0-3]`.
        from: NodeName;
        /// Where they end.
        to: NodeName;
        /// Number of aggregates; the size of the larger of the two groups if left out.
        count: Option<Count>;
        /// The traffic class of their packets; schedulers tell classes apart.
        class: ClassName = "default";
        /// The drop precedence that their packets begin with; 0 is the best protected.
        precedence: Precedence = "0";
        /// When the initial calls begin and others may arrive; with `uniform`, each aggregate draws its own instant.
        start: Start = "0 s";
        /// When calls stop sending and no more arrive; the end of the run if left out.
        stop: Option<RunTime>;
        /// The nodes or groups on the way, both ends included; aggregate i passes the i-th member of a group.
        route: Option<Vec<NodeName>>;
    }
}
impl Check for CallKeys {}

penstock_model::parameters! {
    /// Calls that exist from the start, without admission control.
    pub struct InitialKeys {
        /// Number of calls in each aggregate; a list gives each aggregate its own number.
        calls: CallCounts;
        /// Each begins at an instant drawn uniformly from this span after the start.
        spread: Duration = "20 ms";
    }
}
impl Check for InitialKeys {}

penstock_model::parameters! {
    /// Calls that begin together later, without admission control, as when traffic is rerouted after a failure.
    pub struct SurgeKeys {
        /// When the calls begin.
        at: RunTime;
        /// Number of calls in each aggregate; a list gives each aggregate its own number.
        calls: CallCounts;
        /// Each begins at an instant drawn uniformly from this span after `at`.
        spread: Duration = "20 ms";
    }
}
impl Check for SurgeKeys {}

penstock_model::parameters! {
    /// How ingress and egress signal to each other. Signals take the propagation delays of the route and wait in no queue.
    pub struct SignallingKeys {
        /// Processing time that is added to the propagation of every signal.
        processing: Duration = "0 s";
        /// The size of a packet that carries each request to the egress through the queues; without it, requests bypass them, as
        /// other signals do.
        packet: Option<Bytes>;
    }
}
impl Check for SignallingKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.processing > Duration::from_secs(3600) {
            mistake("processing", format!("{} is longer than any signal takes; at most one hour", self.processing));
        }
        if self.packet.is_some_and(|packet| packet.get() > u64::from(u16::MAX)) {
            mistake("packet", format!("{} are more than a packet holds; at most {} bytes", self.packet.expect("given"), u16::MAX));
        }
    }
}

/// Reads one `[[calls]]`.
pub(crate) fn read(section: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Option<GroupDraft> {
    let keys = CallKeys::read(section);
    let source = source(section);
    let transport = transport(section);
    let parts = Parts::read(section);
    let ends = GroupEndpoints::read(section, nodes);
    let keys = keys?;
    let keys_of_members =
        MemberKeys { count: keys.count, start: keys.start, stop: keys.stop.map(|stop| stop.0), route: keys.route.as_deref() };
    let members = Members::read(section, nodes, ends, &keys_of_members, duration, "aggregate");
    let (behaviour, holding) = parts.resolve(section)?;
    behaviour.check_effects(section);
    let (members, source, transport, holding) = (members?, source?, transport?, holding?);
    behaviour.check_lists(section, members.count)?;
    behaviour.check_initial(section, &keys, &members);
    behaviour.check_surge(section, &keys, &members);
    let edges = behaviour.locations(section);
    let calls = behaviour.plan(holding, source.mean_rate()?);
    let plan = FlowGroup {
        name: keys.name.0,
        source,
        transport,
        transport_changes: Vec::new(),
        class: 0,
        precedence: keys.precedence.0,
        start: (keys.start.0, keys.start.1),
        stop: members.stop,
        calls: Some(Arc::new(calls)),
        interval: None,
        transfers: None,
        rates: None,
        rate_requests: None,
    };
    let (path, location) = (section.path.clone(), section.location);
    let Members { from, to, count, route, .. } = members;
    Some(GroupDraft { plan, class: keys.class.0, path, location, from, to, count, route, route_back: None, edges, pairs: None, draw: None })
}

/// The components and tables of `[[calls]]` other than source and transport, as read.
struct Parts {
    arrivals: Reading<ArrivalPlan>,
    holding: Reading<HoldingPlan>,
    initial: Reading<InitialKeys>,
    surge: Reading<SurgeKeys>,
    delay: Reading<DelayPlan>,
    admission: Reading<AdmissionPlan>,
    termination: Reading<TerminationPlan>,
    signalling: Reading<SignallingKeys>,
}

impl Parts {
    fn read(section: &mut Section<'_>) -> Parts {
        Parts {
            arrivals: section.one_of::<ArrivalPlan>("arrivals", "law of arrivals", &[]),
            holding: section.one_of::<HoldingPlan>("holding", "law of holding times", &[]),
            initial: table(section, "initial", InitialKeys::read),
            surge: table(section, "surge", SurgeKeys::read),
            delay: table(section, "delay", DelayPlan::read),
            admission: section.one_of::<AdmissionPlan>("admission", "admission", &[]),
            termination: section.one_of::<TerminationPlan>("termination", "termination", &[]),
            signalling: table(section, "signalling", SignallingKeys::read),
        }
    }

    /// The behaviour of the calls, and the law of their holding times; `None` after a mistake.
    fn resolve(self, section: &Section<'_>) -> Option<(Behaviour, Option<HoldingPlan>)> {
        // The arrival process `none` brings no calls; it is for studies in which arrivals vary.
        let arrivals = optional(self.arrivals)?.filter(ArrivalPlan::brings_calls);
        let initial = optional(self.initial)?;
        let (surge, delay) = (optional(self.surge)?, optional(self.delay)?);
        if arrivals.is_none() && initial.is_none() {
            section.report("", "there would be no calls; write arrivals.poisson = { interval = \"1 s\" } or initial = { calls = 100 }");
            return None;
        }
        let holding = holding(section, self.holding, initial.is_some());
        let (admission, termination, signalling) = (optional(self.admission)?, optional(self.termination)?, optional(self.signalling)?);
        Some((Behaviour { arrivals, initial, surge, delay, admission, termination, signalling }, holding))
    }
}

/// Arrivals, delays and control of calls.
struct Behaviour {
    arrivals: Option<ArrivalPlan>,
    initial: Option<InitialKeys>,
    surge: Option<SurgeKeys>,
    delay: Option<DelayPlan>,
    admission: Option<AdmissionPlan>,
    termination: Option<TerminationPlan>,
    signalling: Option<SignallingKeys>,
}

impl Behaviour {
    /// Reports keys without effect, and admission and termination that do not fit each other.
    fn check_effects(&self, section: &Section<'_>) {
        if self.admission.is_some() && self.arrivals.is_none() {
            section.report("admission", "has no effect: initial calls do not ask, and there are no arrivals; leave it out");
        }
        let is_controlled = self.admission.is_some() || self.termination.is_some();
        if self.signalling.is_some() && !is_controlled {
            section.report("signalling", "has no effect: without admission and termination nothing is signalled; leave it out");
        }
        if let Some(message) = edge::mistake(&self.admission, &self.termination) {
            section.report("termination", message);
        }
        let asks = self.admission.as_ref().is_some_and(AdmissionPlan::asks);
        if self.signalling.as_ref().is_some_and(|keys| keys.packet.is_some()) && is_controlled && !asks {
            let message = "has no effect: the ingress asks the egress only with admission by cle or count; leave it out";
            report_below(section, "signalling", "packet", message.to_owned());
        }
    }

    /// Reports lists of calls that do not have one number for each of `count` aggregates; `None` if there are any.
    fn check_lists(&self, section: &Section<'_>, count: usize) -> Option<()> {
        let lists = [("initial", self.initial.as_ref().map(|it| &it.calls)), ("surge", self.surge.as_ref().map(|it| &it.calls))];
        let listed = lists.iter().filter_map(|(part, calls)| Some((*part, (*calls)?.listed()?)));
        let wrong: Vec<(&str, usize)> = listed.filter(|(_, listed)| *listed != count).collect();
        for (part, listed) in &wrong {
            let message = format!("has {listed} numbers for {count} aggregates; write one for each, or one number for all");
            report_below(section, part, "calls", message);
        }
        wrong.is_empty().then_some(())
    }

    fn check_initial(&self, section: &Section<'_>, keys: &CallKeys, members: &Members) {
        let Some(initial) = &self.initial else { return };
        let total = initial.calls.total(members.count) + self.surge.as_ref().map_or(0, |surge| surge.calls.total(members.count));
        if total > MAX_ENTITIES as u64 {
            section.report("initial", format!("{total} calls are more than the {MAX_ENTITIES} that fit"));
        }
        if keys.start.1 + initial.spread >= members.stop {
            let message =
                format!("{} from the start at {} reaches the stop at {}; write a shorter one", initial.spread, keys.start.1, members.stop);
            report_below(section, "initial", "spread", message);
        }
    }

    fn check_surge(&self, section: &Section<'_>, keys: &CallKeys, members: &Members) {
        let Some(surge) = &self.surge else { return };
        let begin = Time::ZERO + surge.at.0;
        if begin <= keys.start.1 || begin + surge.spread >= members.stop {
            let message = format!(
                "{} and the spread of {} must lie between the start at {} and the stop at {}",
                surge.at.0, surge.spread, keys.start.1, members.stop
            );
            report_below(section, "surge", "at", message);
        }
    }

    /// Locations of admission and termination, for messages of the checks against the links.
    fn locations(&self, section: &Section<'_>) -> EdgeLocations {
        let threshold_key = |plan: &AdmissionPlan| plan.threshold().map_or("", |(key, _)| key);
        EdgeLocations {
            admission: section.location_of("admission"),
            threshold: self
                .admission
                .as_ref()
                .map_or(section.location, |plan| section.location_below(&["admission", plan.name(), threshold_key(plan)])),
            termination: section.location_of("termination"),
        }
    }

    fn plan(self, holding: HoldingPlan, call_rate: Rate) -> CallsPlan {
        let signalling = self.signalling.unwrap_or(SignallingKeys { processing: Duration::ZERO, packet: None });
        CallsPlan {
            arrivals: self.arrivals,
            holding,
            initial_spread: self.initial.as_ref().map_or(Duration::ZERO, |initial| initial.spread),
            initial: self.initial.map_or(CallCounts::same(0), |initial| initial.calls),
            surge: self.surge.map(|surge| SurgePlan { at: Time::ZERO + surge.at.0, calls: surge.calls, spread: surge.spread }),
            delay: self.delay,
            admission: self.admission,
            termination: self.termination,
            processing: signalling.processing,
            request_packet: signalling.packet.map(|packet| packet.get() as u32),
            call_rate,
        }
    }
}

/// Reports a mistake in `key` of the table under `part`.
fn report_below(section: &Section<'_>, part: &str, key: &str, message: String) {
    section.mistakes.add(section.location_below(&[part, key]), &section.join(&format!("{part}.{key}")), message);
}

/// The source of each call; `None` after a mistake.
fn source(section: &mut Section<'_>) -> Option<SourcePlan> {
    // A greedy source and a list have no rate of their own, so that there is nothing to admit or to terminate.
    let names = SourcePlan::of_calls();
    match section.one_of::<SourcePlan>("source", "source", &[]) {
        Reading::Absent => section.report("source", format!("is missing and has no default; one of {}", names.join(", "))),
        Reading::Given(source) if source.is_greedy() => {
            let (name, names) = (source.name(), names.join(", "));
            section.report("source", format!("'{name}' sends as fast as it can, but a call has a rate of its own; one of {names}"));
        }
        Reading::Given(source) if !names.contains(&source.name()) => {
            let (name, names) = (source.name(), names.join(", "));
            section.report("source", format!("'{name}' stops after its last packet, but a call has a rate of its own; one of {names}"));
        }
        Reading::Given(source) => return Some(source),
        Reading::Broken => {}
    }
    None
}

/// The transport of calls; `None` after a mistake.
fn transport(section: &mut Section<'_>) -> Option<TransportPlan> {
    match section.one_of::<TransportPlan>("transport", "transport", &[]) {
        Reading::Absent => TransportPlan::read("udp", &mut NoParameters),
        Reading::Given(transport) if transport.has_return_traffic() => {
            let name = transport.name();
            let message = format!("{name} cannot carry calls, which send at their own times whatever the network does; leave it out (udp)");
            section.report("transport", message);
            None
        }
        Reading::Given(transport) => Some(transport),
        Reading::Broken => None,
    }
}

/// The law of holding times; `None` after a mistake.
fn holding(section: &Section<'_>, holding: Reading<HoldingPlan>, has_initial: bool) -> Option<HoldingPlan> {
    match holding {
        Reading::Given(holding) => Some(holding),
        Reading::Broken => None,
        Reading::Absent if has_initial => HoldingPlan::read("infinite", &mut NoParameters),
        Reading::Absent => {
            section.report("holding", "is missing: calls that arrive would never end; write holding.exponential = { mean = \"60 s\" }");
            None
        }
    }
}

/// The keys of the table under `key`.
fn table<T>(
    section: &mut Section<'_>,
    key: &'static str,
    read: fn(&mut dyn penstock_model::parameters::Reader) -> Option<T>,
) -> Reading<T> {
    if !section.has(key) {
        section.entry(key);
        return Reading::Absent;
    }
    let Some(mut table) = section.table(key) else { return Reading::Broken };
    let keys = read(&mut table);
    table.finish();
    keys.map_or(Reading::Broken, Reading::Given)
}

/// A part that may be left out; `None` after a mistake.
fn optional<T>(part: Reading<T>) -> Option<Option<T>> {
    match part {
        Reading::Absent => Some(None),
        Reading::Given(part) => Some(Some(part)),
        Reading::Broken => None,
    }
}
