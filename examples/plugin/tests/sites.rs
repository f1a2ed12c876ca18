//! A component of each open kind that notes its place, all in one run.

use penstock_engine::{Cancel, Sim};
use penstock_model::buffer::{Buffer, Buffers, Occupancies};
use penstock_model::conditioner::{Policer, Policers};
use penstock_model::discipline::{Discipline, Disciplines, Occupancy, Verdict};
use penstock_model::impairment::{Fate, Impairment, Impairments};
use penstock_model::meter::{Meter, Meters};
use penstock_model::packet::Packet;
use penstock_model::parameters::{Check, Limit};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::rng::{Key, Stream};
use penstock_model::site::Site;
use penstock_model::source::{Emission, OpenLoop, Source, SourceFacts, Sources};
use penstock_model::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, CongestionControls, Timeout, Window};
use penstock_model::transport::custom::{AckPacket, DataPacket, TransportEnds, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::transport::rate_control::{RateControl, RateControls};
use penstock_model::transport::recovery::{Flight, Recoveries, Recovery};
use penstock_model::transport::Transports;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load_with, report, ReadOptions};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

penstock_model::parameters! {
    /// Nothing to say.
    pub struct Parameters {}
}
impl Check for Parameters {}

/// One type for all kinds, which does nothing.
#[derive(Clone, Debug)]
struct Idle;

penstock_model::state! {
    impl Idle, |_it, _now| {}
}

impl Discipline for Idle {
    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        Verdict::Accept
    }
}

impl Impairment for Idle {
    fn on_departure(&mut self, _: Time, _: &Packet) -> Fate {
        Fate::Delayed(Duration::ZERO)
    }

    fn reorders(&self) -> bool {
        false
    }
}

impl Meter for Idle {
    fn colour(&mut self, _: Time, packet: &Packet) -> u8 {
        packet.precedence
    }
}

impl Policer for Idle {
    fn passes(&mut self, _: Time, _: &Packet) -> bool {
        true
    }
}

impl Buffer for Idle {
    fn has_room(&self, _: usize, _: u32, _: &Occupancies) -> bool {
        true
    }

    fn size(&self) -> Limit {
        Limit::Packets(1000)
    }
}

impl OpenLoop for Parameters {
    fn mean_rate(&self) -> Rate {
        Rate::from_bps(40_000)
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        vec![Bytes::new(500)]
    }
}

impl Source for Idle {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        self.next(stream)
    }

    fn next(&mut self, _: &mut Stream) -> Emission {
        Emission { after: Duration::from_ms(100), size: 500 }
    }
}

impl CongestionControl for Idle {
    fn on_ack(&mut self, _: &Acknowledgement, _: &mut Window) {}

    fn on_congestion(&mut self, _: &Congestion, _: &mut Window) {}

    fn on_timeout(&mut self, _: &Timeout, _: &mut Window) {}
}

impl Recovery for Idle {
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}

impl RateControl for Idle {
    fn rate(&mut self, _: Time) -> Rate {
        Rate::from_bps(1_000_000)
    }
}

/// A connection without timers that sends nothing.
impl TransportSender for Idle {
    fn on_data(&mut self, _: Time, _: Option<u64>) {}

    fn on_stop(&mut self, _: Time) {}

    fn on_ack(&mut self, _: Time, _: &AckPacket, _: Time) {}

    fn next_packet(&mut self, _: Time) -> Option<DataPacket> {
        None
    }

    fn is_finished(&self) -> bool {
        false
    }
}

impl TransportReceiver for Idle {
    fn on_packet(&mut self, _: Time, _: &DataPacket, _: Time) {}

    fn next_ack(&mut self, _: Time) -> Option<AckPacket> {
        None
    }

    fn delivered(&self) -> u64 {
        0
    }
}

fn ends() -> TransportEnds {
    let facts = TransportFacts::new(Bytes::new(1000), Bytes::new(40), Bytes::new(40)).expect("sound");
    TransportEnds { facts, sender: Box::new(Idle), receiver: Box::new(Idle) }
}

/// The place of each component that was built, by kind and name.
type Sites = Arc<Mutex<BTreeMap<(&'static str, String), Site>>>;

/// Notes a component's place, unless it is only on trial.
fn note(sites: &Sites, kind: &'static str, site: &Site) {
    if !site.name.is_empty() {
        sites.lock().expect("no test panics here").insert((kind, site.name.to_string()), site.clone());
    }
}

/// A factory that notes the place of what it builds; `$site` is where the context of the kind has it.
macro_rules! noting {
    ($sites:ident, $kind:literal, |$context:ident| $site:expr, $component:expr) => {{
        let sites = Arc::clone($sites);
        move |_, $context| {
            note(&sites, $kind, $site);
            Ok($component)
        }
    }};
}

fn plugin(sites: &Sites) -> Plugin {
    let source = || (SourceFacts::of(&Parameters {}), Box::new(Idle) as Box<dyn Source + Send>);
    Plugin::new("idle", INTERFACE, None)
        .add::<Disciplines, Parameters>("idle", Idle::STATE, noting!(sites, "discipline", |it| &it.site, Box::new(Idle)))
        .add::<Impairments, Parameters>("idle", Idle::STATE, noting!(sites, "impairment", |it| it, Box::new(Idle)))
        .add::<Meters, Parameters>("idle", Idle::STATE, noting!(sites, "meter", |it| it, Box::new(Idle)))
        .add::<Policers, Parameters>("idle", Idle::STATE, noting!(sites, "policer", |it| it, Box::new(Idle)))
        .add::<Buffers, Parameters>("idle", Idle::STATE, noting!(sites, "buffer", |it| &it.site, Box::new(Idle)))
        .add::<Sources, Parameters>("idle", &[], noting!(sites, "source", |it| it, source()))
        .add::<CongestionControls, Parameters>("idle", Idle::STATE, noting!(sites, "congestion control", |it| &it.site, Box::new(Idle)))
        .add::<Recoveries, Parameters>("idle", &[], noting!(sites, "recovery", |it| it, Box::new(Idle)))
        .add::<Transports, Parameters>("idle", Idle::STATE, noting!(sites, "transport", |it| it, ends()))
        .add::<RateControls, Parameters>("idle", Idle::STATE, noting!(sites, "rate control", |it| &it.site, Box::new(Idle)))
}

const SCENARIO: &str = r#"
duration = "1 s"
seed = 7
nodes.a = {}
nodes.s = { buffer.idle = {} }
nodes.b = {}
links = [
    { from = "a", to = "s", rate = "10 Mbit/s", delay = "1 ms", both-ways = true },
    { from = "s", to = "b", rate = "2 Mbit/s", delay = "1 ms", both-ways = true, policer.idle = {}, marker.idle = {}, impairment.idle = {},
      scheduler.priority = { order = ["gold", "default"] }, class.gold.queue.idle = {}, class.default.queue.idle = {} },
]
flows = [
    { name = "datagrams", from = "a", to = "b", count = 2, class = "gold", source.idle = {} },
    { name = "files", from = "a", to = "b", source.ftp = {}, transport.tcp = { congestion-control.idle = {}, recovery.idle = {} } },
    { name = "messages", from = "a", to = "b", source.ftp = {}, transport.roce = { rate-control.idle = {} } },
    { name = "own", from = "a", to = "b", source.ftp = {}, transport.idle = {} },
]
"#;

#[test]
fn every_component_is_told_its_place() {
    let (sites, mut registry) = (Sites::default(), Registry::default());
    registry.load(plugin(&sites)).expect("sound");
    let options = ReadOptions { registry, ..ReadOptions::default() };
    let scenario = load_with(&Cancel::default(), SCENARIO, "t.toml", &[], options).map_err(|mistakes| report(&mistakes)).expect("sound");
    Sim::new(scenario.blueprint(None, 0)).expect("sound").run();

    let sites = sites.lock().expect("the run is over");
    let key = Key::root(7, 0);
    let (link, host) = (|name| key.child("links").child(name), key.child("nodes").child("s").child("buffer"));
    let flow = |name: &str, member| key.child("flows").child(name).nth(member);
    let (first, second) = (10_000_000, 2_000_000);
    let expected = [
        ("discipline", "s-b.gold", second, link("s-b").child("gold")),
        ("discipline", "s-b.default", second, link("s-b").child("default")),
        ("impairment", "s-b", second, link("s-b").child("impairment").nth(0)),
        ("meter", "s-b", second, link("s-b").child("marker")),
        ("policer", "s-b", second, link("s-b").child("policer").nth(0)),
        ("buffer", "s", first + second, host),
        ("source", "datagrams[0]", first, flow("datagrams", 0).child("source")),
        ("source", "datagrams[1]", first, flow("datagrams", 1).child("source")),
        ("congestion control", "files[0]", first, flow("files", 0).child("congestion-control")),
        ("recovery", "files[0]", first, flow("files", 0).child("recovery")),
        ("transport", "own[0]", first, flow("own", 0).child("transport")),
        ("rate control", "messages[0]", first, flow("messages", 0).child("rate-control")),
    ];
    for (kind, name, rate, key) in expected {
        let site = sites.get(&(kind, name.to_owned())).unwrap_or_else(|| panic!("no {kind} at {name}: {sites:?}"));
        assert_eq!((site.rate, site.key), (Rate::from_bps(rate), key), "{kind} at {name}");
    }
    let both_ways =
        |(kind, name): &&(&str, String)| !name.starts_with("b-s") || !["discipline", "impairment", "meter", "policer"].contains(kind);
    assert_eq!(sites.keys().filter(both_ways).count(), expected.len(), "{sites:?}");
}
