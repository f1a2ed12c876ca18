//! A component of each open kind that the crate itself does not have, as small as can be, in runs.

use penstock_engine::observations::{ClassCounters, Observations};
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::buffer::{Buffer, BufferContext, Buffers, Occupancies};
use penstock_model::conditioner::{Policer, Policers, Shaper, Shapers};
use penstock_model::discipline::{Discipline, Disciplines, DropCause, Eviction, Hooks, Occupancy, Verdict};
use penstock_model::meter::{Meter, Meters};
use penstock_model::packet::Packet;
use penstock_model::parameters::{own, Check, Count, Limit};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::rng::Stream;
use penstock_model::scheduler::QueueState;
use penstock_model::site::Site;
use penstock_model::source::{Emission, OpenLoop, Source, SourceFacts, Sources};
use penstock_model::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, CongestionControls, Timeout, Window};
use penstock_model::transport::rate_control::{RateContext, RateControl, RateControls};
use penstock_model::transport::recovery::{Flight, Recoveries, Recovery};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load_with, report, ReadOptions, ValidScenario};
use std::any::Any;

penstock_model::parameters! {
    /// A number, whatever it means.
    pub struct Parameters {
        /// The number.
        number: Count = "2", changeable;
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

#[derive(Clone)]
struct Spaced {
    spacing: Duration,
    last: Option<Time>,
}

penstock_model::state! {
    impl Spaced, |it, now| {
        /// How long ago the last packet began.
        "gap", "s", maybe it.last.map(|last| now.since(last).as_seconds());
    }
}

impl Meter for Tiny {
    fn colour(&mut self, _: Time, _: &Packet) -> u8 {
        u8::from(self.is_due())
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

impl Policer for Tiny {
    fn passes(&mut self, _: Time, _: &Packet) -> bool {
        !self.is_due()
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

/// All queues of a port hold `number` packets together, and the longest one makes room.
impl Discipline for Tiny {
    fn make_room(&mut self, _: Time, _: &Packet, own: usize, queues: &[QueueState]) -> Option<Eviction> {
        self.count = queues.iter().map(|queue| queue.packets).sum();
        let longest = (0..queues.len()).max_by_key(|queue| queues[*queue].packets)?;
        let is_unfair = self.count >= self.number && queues[longest].packets > queues[own].packets;
        is_unfair.then(|| Eviction { queue: longest, position: queues[longest].packets - 1, cause: DropCause::Overflow })
    }

    fn on_arrival(&mut self, _: Time, _: &Packet, _: &Occupancy) -> Verdict {
        if self.count < self.number {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }

    fn hooks(&self) -> Hooks {
        Hooks::ROOM
    }
}

/// Lets packets begin `number` ms apart.
impl Shaper for Spaced {
    fn ready(&self, now: Time, _: Bytes) -> Time {
        self.last.map_or(now, |last| now.max(last + self.spacing))
    }

    fn on_start(&mut self, now: Time, _: Bytes) {
        self.last = Some(now);
    }

    fn burst(&self) -> Option<Bytes> {
        Some(Bytes::new(1500))
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.spacing = Duration::from_ms(u64::from(own::<Parameters>(parameters).number.0));
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

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

impl Recovery for Tiny {
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        flight.go_back(window);
    }
}

#[derive(Clone)]
struct Share {
    line: Rate,
    number: u32,
}

penstock_model::state! {
    impl Share, |_it, _now| {}
}

impl RateControl for Share {
    fn rate(&mut self, _: Time) -> Rate {
        Rate::from_bps(self.line.as_bps() / u64::from(self.number))
    }

    fn change(&mut self, _: Time, parameters: &dyn Any) {
        self.number = own::<Parameters>(parameters).number.0;
    }
}

fn source(parameters: &Parameters, _: &Site) -> Result<(SourceFacts, Box<dyn Source + Send>), String> {
    Ok((SourceFacts::of(parameters), Box::new(Tiny::new(parameters))))
}

fn share(parameters: &Parameters, context: &RateContext) -> Result<Box<dyn RateControl + Send>, String> {
    Ok(Box::new(Share { line: context.site.rate, number: parameters.number.0 }))
}

fn spaced(parameters: &Parameters, _: &Site) -> Result<Box<dyn Shaper + Send>, String> {
    match parameters.number.0 {
        1001.. => Err("packets are at most a second apart; write number = 1000 or less".to_owned()),
        ms => Ok(Box::new(Spaced { spacing: Duration::from_ms(u64::from(ms)), last: None })),
    }
}

fn registry() -> Registry {
    let plugin = Plugin::new("tiny", INTERFACE, None)
        .add::<Meters, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Policers, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Disciplines, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Shapers, Parameters>("spaced", Spaced::STATE, spaced)
        .add::<Buffers, Parameters>("tiny", Tiny::STATE, |it, _: &BufferContext<'_>| Ok(Box::new(Tiny::new(it))))
        .add::<Sources, Parameters>("tiny", &[], source)
        .add::<CongestionControls, Parameters>("tiny", Tiny::STATE, |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<Recoveries, Parameters>("tiny", &[], |it, _| Ok(Box::new(Tiny::new(it))))
        .add::<RateControls, Parameters>("tiny", Share::STATE, share);
    let mut registry = Registry::default();
    registry.load(plugin).expect("sound");
    registry
}

/// Reads two links of 10 Mbit/s with settings of nodes, the second link and the flow.
fn load(node: &str, link: &str, flow: &str) -> Result<ValidScenario, String> {
    load_flows(node, link, &format!(r#"{{ name = "f", from = "a", to = "b", {flow} }}"#))
}

fn load_flows(node: &str, link: &str, flows: &str) -> Result<ValidScenario, String> {
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
        flows = [{flows}]
        measure = [{{ metric = "drops", of = "s-b", by = ["class"] }}]
        "#
    );
    let options = ReadOptions { registry: registry(), ..ReadOptions::default() };
    load_with(&Cancel::default(), &text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes))
}

/// Runs [`load`]; both executors must agree.
fn run(node: &str, link: &str, flow: &str) -> Observations {
    run_scenario(&load(node, link, flow).expect("sound"))
}

fn run_scenario(scenario: &ValidScenario) -> Observations {
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
fn a_shaper_spaces_packets() {
    // Twenty packets at 10 ms, 30 ms apart instead of 0.4: the last begins 19 spacings later; each then takes 0.4 ms and 1 ms, and 1.4 before.
    let burst = r#"source.packets = { at = ["10 ms"], sizes = ["500 bytes"] }, count = 20"#;
    // Departures known on arrival, and found event by event.
    for queue in ["tail-drop = {}", "codel = { interval = \"10 s\" }"] {
        let link = format!("shaper.spaced = {{ number = 30 }}, queue.{queue}");
        let seen = run("", &link, burst);
        let longest = seen.flows.iter().map(|flow| flow.delay_max).max().expect("twenty flows");
        assert_eq!(seen.links.iter().map(|link| link.waits).max(), Some(20), "{queue}");
        assert!(longest > Duration::from_ms(19 * 30), "{queue}: {longest}");
        assert!(longest < Duration::from_ms(19 * 30 + 12), "{queue}: {longest}");
    }
}

#[test]
fn what_a_shaper_cannot_be_is_refused_at_its_place() {
    let mistakes = |link: &str, packet: u32| {
        let flow = format!(r#"source.cbr = {{ rate = "400 kbit/s", packet = "{packet} bytes" }}"#);
        load("", link, &flow).expect_err("a mistake")
    };
    let failed = mistakes("shaper.spaced = { number = 1001 }", 500);
    assert!(
        failed.contains("links[1].shaper.spaced: the factory of shaper 'spaced' failed: packets are at most a second apart"),
        "{failed}"
    );
    let large = mistakes("shaper.spaced = { number = 3 }", 1501);
    assert!(large.contains("shaper.spaced.burst: 1500 bytes are less than") && large.contains("1501 bytes"), "{large}");
    let unknown = mistakes("shaper.space = { number = 3 }", 500);
    assert!(unknown.contains("unknown shaper 'space'; did you mean 'spaced'?"), "{unknown}");
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
fn a_discipline_drops_from_the_longest_queue() {
    // The first of ten packets is in service for ever, 6 wait and 3 are refused. Then the other class takes the places of 3 of the 6, until
    // both have as many and its fourth packet is refused.
    let burst = |name: &str, at: &str, count: u32| {
        format!(
            r#"{{ name = "{name}", from = "a", to = "b", class = "{name}", source.packets = {{ at = ["{at}"], sizes = ["500 bytes"] }}, count = {count} }}"#
        )
    };
    let link = r#"rate-changes = [{ at = "1 us", rate = "1 bit/s" }], scheduler.wrr = {}, class.x = { weight = 1 }, class.y = { weight = 1 },
        queue.tiny = { number = 6 }"#;
    let seen = run_scenario(&load_flows("", link, &[burst("x", "1 ms", 10), burst("y", "20 ms", 4)].join(", ")).expect("sound"));
    let [(_, narrow)] = &seen.ports[..] else { panic!("one link is measured") };
    let counts =
        |class: &ClassCounters| (class.counters.offered_packets[0], class.counters.dropped_packets[DropCause::Overflow as usize][0]);
    assert_eq!(narrow.classes.iter().map(counts).collect::<Vec<_>>(), [(10, 3 + 3), (4, 1)]);
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

/// `number` of the component at this path becomes this from `at` on.
fn change(at: &str, path: &str, number: u32) -> String {
    format!(r#"parameter-changes = [{{ at = "{at}", parameter = "{path}.number", value = {number} }}]"#)
}

#[test]
fn policers_and_meters_change() {
    // Of 51 packets by 505 ms every second or fourth; then each of the other 49; one leaves at the end.
    let link = format!("policer.tiny = {{ number = 2 }}, {}", change("505 ms", "policer.tiny", 1));
    let seen = run("", &link, CBR);
    let dropped: u64 = seen.links.iter().map(|link| link.dropped_packets[DropCause::Policed as usize].iter().sum::<u64>()).sum();
    assert_eq!((seen.flows[0].sent_packets, dropped), (101, 25 + 49));
    let link = format!("marker.tiny = {{ number = 4 }}, {}", change("505 ms", "marker.tiny", 1));
    assert_eq!(run("", &link, CBR).links.iter().map(|link| link.offered_packets[1]).sum::<u64>(), 12 + 49);
}

#[test]
fn a_shaper_that_changes_lets_go_what_waits() {
    // Packets begin at 11.4, 41.4 and 71.4 ms. At 100 ms the fourth may begin at once, and all others by 150 ms.
    let burst = r#"source.packets = { at = ["10 ms"], sizes = ["500 bytes"] }, count = 20"#;
    for queue in ["tail-drop = {}", "codel = { interval = \"10 s\" }"] {
        let link = format!("shaper.spaced = {{ number = 30 }}, queue.{queue}, {}", change("100 ms", "shaper.spaced", 3));
        let longest = run("", &link, burst).flows.iter().map(|flow| flow.delay_max).max().expect("twenty flows");
        assert_eq!(longest, Duration::from_us(100_000 + 16 * 3_000 + 1_400 - 10_000), "{queue}");
    }
}

#[test]
fn congestion_and_rate_controls_change() {
    let sent = |control: &str, number: u32, more: &str| {
        let flow = format!("source.ftp = {{}}, transport.{control} = {{ number = {number} }}, {more}");
        run("", "", &flow).flows[0].sent_packets as f64
    };
    for (control, from, to, factor) in [("tcp.congestion-control.tiny", 1, 2, 2.0), ("roce.rate-control.tiny", 4, 8, 0.5)] {
        let more = change("500 ms", &format!("transport.{control}"), to);
        let (whole, half) = (sent(control, from, ""), sent(control, from, &more));
        // As much in the first half, and twice or half as much in the second.
        assert!((half / whole - (1.0 + factor) / 2.0).abs() < 0.05, "{control}: {half} of {whole}");
    }
}
