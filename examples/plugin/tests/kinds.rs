//! A component of each open kind that the crate itself does not have, as small as can be, in runs.

use penstock_engine::observations::Observations;
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::buffer::{Buffer, BufferContext, Buffers, Occupancies};
use penstock_model::conditioner::{Policer, Policers};
use penstock_model::discipline::DropCause;
use penstock_model::meter::{Meter, Meters};
use penstock_model::packet::Packet;
use penstock_model::parameters::{Check, Count, Limit};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use penstock_model::source::{Emission, OpenLoop, Source, SourceFacts, Sources};
use penstock_model::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, CongestionControls, Timeout, Window};
use penstock_model::transport::rate_control::{RateContext, RateControl, RateControls};
use penstock_model::transport::recovery::{Flight, Recoveries, Recovery};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load_with, report, ReadOptions};

penstock_model::parameters! {
    /// A number, whatever it means.
    pub struct Parameters {
        /// The number.
        number: Count = "2";
    }
}
impl Check for Parameters {}

/// One type for all kinds: a number and a counter.
#[derive(Clone, Debug)]
struct Tiny {
    number: u32,
    count: u32,
}

penstock_model::state! {
    impl Tiny, |_it, _now| {}
}

impl Tiny {
    fn new(parameters: &Parameters) -> Tiny {
        Tiny { number: parameters.number.0, count: 0 }
    }

    /// Every `number`-th time.
    fn is_due(&mut self) -> bool {
        self.count += 1;
        self.count.is_multiple_of(self.number)
    }
}

impl Meter for Tiny {
    fn colour(&mut self, _: Time, _: &Packet) -> u8 {
        u8::from(self.is_due())
    }
}

impl Policer for Tiny {
    fn passes(&mut self, _: Time, _: &Packet) -> bool {
        !self.is_due()
    }
}

impl Buffer for Tiny {
    fn has_room(&self, port: usize, _: u32, held: &Occupancies) -> bool {
        held.of_port(port).packets < u64::from(self.number)
    }

    fn size(&self) -> Limit {
        Limit::Packets(1000)
    }
}

impl OpenLoop for Parameters {
    fn mean_rate(&self) -> Rate {
        Rate::from_bps(4_000_000 / u64::from(self.number.0))
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        vec![Bytes::new(500)]
    }
}

impl Source for Tiny {
    fn first(&mut self, _: &mut Stream) -> Emission {
        Emission { after: Duration::ZERO, size: 500 }
    }

    fn next(&mut self, _: &mut Stream) -> Emission {
        Emission { after: Duration::from_ms(u64::from(self.number)), size: 500 }
    }
}

impl CongestionControl for Tiny {
    fn on_ack(&mut self, _: &Acknowledgement, window: &mut Window) {
        window.size = f64::from(self.number);
    }

    fn on_congestion(&mut self, _: &Congestion, window: &mut Window) {
        window.threshold = f64::from(self.number);
    }

    fn on_timeout(&mut self, _: &Timeout, window: &mut Window) {
        window.threshold = f64::from(self.number);
    }
}

impl Recovery for Tiny {
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}

#[derive(Clone)]
struct Share(Rate);

penstock_model::state! {
    impl Share, |_it, _now| {}
}

impl RateControl for Share {
    fn rate(&mut self, _: Time) -> Rate {
        self.0
    }
}

fn source(parameters: &Parameters, _: &Site) -> Result<(SourceFacts, Box<dyn Source + Send>), String> {
    Ok((SourceFacts::of(parameters), Box::new(Tiny::new(parameters))))
}

fn share(parameters: &Parameters, context: &RateContext) -> Result<Box<dyn RateControl + Send>, String> {
    Ok(Box::new(Share(Rate::from_bps(context.site.rate.as_bps() / u64::from(parameters.number.0)))))
}

fn registry() -> Registry {
    let plugin = Plugin::new("tiny", INTERFACE, None)
        .add::<Meters, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Policers, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Buffers, Parameters>("tiny", Tiny::STATE, |it, _: &BufferContext<'_>| Ok(Box::new(Tiny::new(it))))
        .add::<Sources, Parameters>("tiny", &[], source)
        .add::<CongestionControls, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Recoveries, Parameters>("tiny", &[], |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<RateControls, Parameters>("tiny", Share::STATE, share);
    let mut registry = Registry::default();
    registry.load(plugin).expect("sound");
    registry
}

/// Runs two links of 10 Mbit/s with what is written for nodes, the second link and the flow; both executors must agree.
fn run(node: &str, link: &str, flow: &str) -> Observations {
    let text = format!(
        r#"
        duration = "1 s"
        nodes.a = {{}}
        nodes.s = {{ {node} }}
        nodes.b = {{}}
        links = [
            {{ from = "a", to = "s", rate = "10 Mbit/s", delay = "1 ms", both-ways = true }},
            {{ from = "s", to = "b", rate = "10 Mbit/s", delay = "1 ms", both-ways = true, {link} }},
        ]
        flows = [{{ name = "f", from = "a", to = "b", {flow} }}]
        "#
    );
    let options = ReadOptions { registry: registry(), ..ReadOptions::default() };
    let scenario = load_with(&Cancel::default(), &text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes)).expect("sound");
    let run = |executor| Sim::new(scenario.blueprint(None, 0)).expect("sound").with_executor(executor).run();
    let (seen, plain) = (run(Executor::default()), run(Executor::Plain));
    assert_eq!(seen.digest, plain.digest);
    // A copy of all components goes on as they do.
    let mut half = Sim::new(scenario.blueprint(None, 0)).expect("sound");
    half.run_until(Time::ZERO + Duration::from_ms(500));
    let copy = half.clone();
    assert_eq!([half.run().digest, copy.run().digest], [seen.digest; 2]);
    seen
}

/// 100 packets of 500 bytes, one each 10 ms from the beginning.
const CBR: &str = r#"source.cbr = { rate = "400 kbit/s", packet = "500 bytes", phase = "zero" }"#;

#[test]
fn a_policer_drops_every_second_packet() {
    let seen = run("", "policer.tiny = { number = 2 }", CBR);
    let dropped: u64 = seen.links.iter().map(|link| link.dropped_packets[DropCause::Policed as usize].iter().sum::<u64>()).sum();
    assert_eq!(dropped, seen.flows[0].sent_packets / 2);
}

#[test]
fn a_meter_colours_every_fourth_packet() {
    let seen = run("", "marker.tiny = { number = 4 }", CBR);
    let yellow: u64 = seen.links.iter().map(|link| link.offered_packets[1]).sum();
    assert_eq!(yellow, 25);
}

#[test]
fn a_buffer_holds_what_it_says() {
    // Nine of ten packets that come at once find three packets there.
    let burst = r#"source.packets = { at = ["1 ms"], sizes = ["500 bytes"] }, count = 10"#;
    let seen = run("buffer.tiny = { number = 3 }", r#"rate-changes = [{ at = "1 us", rate = "1 kbit/s" }]"#, burst);
    let refused: u64 = seen.links.iter().map(|link| link.dropped_packets[DropCause::Buffer as usize].iter().sum::<u64>()).sum();
    assert_eq!(refused, 7);
}

#[test]
fn a_source_sends_at_its_times() {
    // From 0 to 1000 ms, both included.
    assert_eq!(run("", "", "source.tiny = { number = 5 }").flows[0].sent_packets, 201);
}

#[test]
fn a_congestion_control_sets_the_window() {
    // Two segments in each round trip instead of one; the first flight, of the initial window, is larger.
    let flow = |number: u32| format!(r#"source.ftp = {{}}, transport.tcp = {{ congestion-control.tiny = {{ number = {number} }} }}"#);
    let sent = |number| run("", "", &flow(number)).flows[0].sent_packets as f64;
    assert!((sent(2) / sent(1) - 2.0).abs() < 0.1, "{} and {}", sent(2), sent(1));
}

#[test]
fn a_recovery_goes_back() {
    let lossy = r#"impairment.drop-list = { drop = [50] }"#;
    let seen = run("", lossy, r#"source.ftp = {}, transport.tcp = { recovery = "tiny" }"#);
    assert!(seen.flows[0].retransmitted_packets >= 1 && seen.flows[0].timeouts == 0, "{:?}", seen.flows[0]);
}

#[test]
fn a_rate_control_sets_the_rate() {
    let flow = r#"source.ftp = {}, transport.roce = { rate-control.tiny = { number = 4 } }"#;
    let seen = run("", "", flow);
    let rate = seen.flows[0].sent_bytes as f64 * 8.0;
    assert!((rate / 2.5e6 - 1.0).abs() < 0.02, "{rate} bit/s of a quarter of 10 Mbit/s");
}
