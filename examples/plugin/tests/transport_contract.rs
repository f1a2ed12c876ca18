//! Transports of plug-ins in networks with losses, marks and other traffic: one outcome under all executors, and breaches of the contract.

use example_plugin::plugin;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::{Observations, TraceRow};
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::packet::{Body, Ecn};
use penstock_model::parameters::{Check, Count};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::rng::{Key, Stream};
use penstock_model::site::Site;
use penstock_model::transport::custom::{AckPacket, DataPacket, TransportEnds, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::transport::Transports;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load_with, report, ReadOptions, ValidScenario};

penstock_model::parameters! {
    /// Datagrams at a rate that follows reports of the receiver; with a breach of the contract for tests.
    pub struct Parameters {
        /// Which mistake it makes: 1 to 5, or none.
        breach: Count = "9";
    }
}
impl Check for Parameters {}

const HEADER: u64 = 28;
const LARGEST: u64 = 500;

/// Paced; each report without new marks raises the rate, others lower it.
#[derive(Clone)]
struct Paced {
    breach: u32,
    rate: Rate,
    left: u64,
    seq: u32,
    marked: u32,
    next_send: Time,
    phases: Stream,
}

penstock_model::state! {
    impl Paced, |it, _now| {
        /// The rate.
        "rate", "bit/s", is it.rate.as_bps() as f64;
    }
}

impl TransportSender for Paced {
    fn on_data(&mut self, now: Time, bytes: Option<u64>) {
        self.left = bytes.unwrap_or(u64::MAX);
        self.next_send = now + Duration::from_us(1 + self.phases.below(5_000));
    }

    fn on_stop(&mut self, _: Time) {
        self.left = 0;
    }

    fn on_ack(&mut self, _: Time, ack: &AckPacket, _: Time) {
        let [received, marked, ..] = ack.words;
        assert!(received > 0 && marked <= received && ack.ecn == Ecn::NotEct);
        let is_congested = std::mem::replace(&mut self.marked, marked) < marked;
        let rate = self.rate.as_bps();
        self.rate = Rate::from_bps(if is_congested { (rate / 8 * 7).max(64_000) } else { rate + 50_000 });
    }

    fn deadline(&self) -> Time {
        match self.breach {
            1 => Time::ZERO,
            _ if self.left == 0 => Time::NEVER,
            _ => self.next_send,
        }
    }

    fn next_packet(&mut self, now: Time) -> Option<DataPacket> {
        if self.left == 0 || self.next_send > now {
            return None;
        }
        let payload = self.left.min(LARGEST - HEADER);
        let size = if self.breach == 2 { 501 } else { payload + HEADER };
        if self.breach != 3 {
            self.left = if self.left == u64::MAX { u64::MAX } else { self.left - payload };
            self.next_send = now + self.rate.transmission_time(Bytes::new(size));
        }
        self.seq += 1;
        Some(DataPacket { seq: self.seq - 1, size: size as u32, ecn: Ecn::Ect0, ..DataPacket::default() })
    }

    fn is_finished(&self) -> bool {
        self.left == 0
    }
}

/// Reports each 10 ms while packets come.
#[derive(Clone, Default)]
struct Reporter {
    breach: u32,
    received: u32,
    marked: u32,
    reported: u32,
    delivered: u64,
    next_report: Option<Time>,
    is_due: bool,
}

const INTERVAL: Duration = Duration::from_ms(10);

impl TransportReceiver for Reporter {
    fn on_packet(&mut self, now: Time, packet: &DataPacket, sent: Time) {
        assert!(sent < now);
        self.received += 1;
        self.marked += u32::from(packet.ecn == Ecn::Ce);
        self.delivered += u64::from(packet.size) - HEADER;
        if self.breach == 4 && self.received == 2 {
            self.delivered = 0;
        }
        self.next_report.get_or_insert(now + INTERVAL);
    }

    fn next_ack(&mut self, _: Time) -> Option<AckPacket> {
        let words = [self.received, self.marked, 0, 0];
        (std::mem::take(&mut self.is_due) || self.breach == 5).then(|| AckPacket { next: self.received, words, ..AckPacket::default() })
    }

    fn delivered(&self) -> u64 {
        self.delivered
    }

    fn deadline(&self) -> Time {
        self.next_report.unwrap_or(Time::NEVER)
    }

    fn on_deadline(&mut self, now: Time) {
        self.is_due = self.received > self.reported;
        self.next_report = self.is_due.then(|| now + INTERVAL);
        self.reported = self.received;
    }
}

fn build(parameters: &Parameters, site: &Site) -> Result<TransportEnds, String> {
    let (bytes, breach) = (Bytes::new, parameters.breach.0);
    let facts = TransportFacts::new(bytes(LARGEST), bytes(HEADER), bytes(64))?.down_to(bytes(HEADER + 1))?.with_ecn(true);
    let sender = Paced {
        breach,
        rate: Rate::from_bps(site.rate.as_bps() / 4),
        left: 0,
        seq: 0,
        marked: 0,
        next_send: Time::NEVER,
        phases: site.key.child("phases").stream(),
    };
    Ok(TransportEnds { facts, sender: Box::new(sender), receiver: Box::new(Reporter { breach, ..Reporter::default() }) })
}

fn load(text: &str) -> Result<ValidScenario, String> {
    let mut registry = Registry::default();
    registry.load(plugin()).expect("sound");
    let paced = Plugin::new("paced", INTERFACE, None).add::<Transports, Parameters>("paced", Paced::STATE, build);
    registry.load(paced).expect("sound");
    let options = ReadOptions { registry, ..ReadOptions::default() };
    load_with(&Cancel::default(), text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes))
}

fn sound(text: &str) -> ValidScenario {
    load(text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn sim(blueprint: &Blueprint) -> Sim {
    Sim::new(blueprint.clone()).expect("sound")
}

/// A dumbbell of four hosts on each side, with choices by `draw`.
fn network(draw: &mut Stream) -> String {
    let mut one_of = |choices: &[&str]| choices[draw.below(choices.len() as u64) as usize].to_owned();
    let rate = one_of(&["1 Mbit/s", "3 Mbit/s", "10 Mbit/s", "100 Mbit/s"]);
    let delay = one_of(&["1 ps", "30 us", "1 ms", "7 ms"]);
    let queue = one_of(&["tail-drop = { limit = \"9 packets\" }", "step-marking = { limit = \"40 packets\", threshold = \"4 packets\" }"]);
    let impairment = one_of(&[
        "",
        ", impairment.loss = { probability = 0.02 }",
        ", impairment.duplication = { probability = 0.05, copy-delay = \"1 ms\" }",
    ]);
    let window = one_of(&["1", "8", "64"]);
    let source = one_of(&["ftp = {}", "ftp = { size = \"20 kB\" }", "http = { page = \"9 kB\", objects = 0, think = \"30 ms\" }"]);
    let ties = one_of(&["scenario", "random"]);
    let ends = |i: u32| format!("from = \"l[{i}]\", to = \"r[{i}]\"");
    let [a, b, c, d] = [0, 1, 2, 3].map(ends);
    format!(
        r#"
        duration = "400 ms"
        warm-up = "50 ms"
        ties = "{ties}"
        nodes = {{ l = {{ count = 4 }}, s = {{}}, t = {{}}, r = {{ count = 4 }} }}
        links = [
            {{ from = "l", to = "s", rate = "20 Mbit/s", delay = "{delay}", both-ways = true }},
            {{ from = "s", to = "t", rate = "{rate}", delay = "1 ms", both-ways = true, queue.{queue}{impairment} }},
            {{ from = "t", to = "r", rate = "20 Mbit/s", delay = "{delay}", both-ways = true }},
        ]
        flows = [
            {{ name = "n", {a}, count = 2, source.{source}, transport.go-back-n = {{ window = {window}, timeout = "37 ms" }} }},
            {{ name = "back", from = "r[3]", to = "l[0]", source.ftp = {{}}, transport.go-back-n = {{}}, stop = "180 ms" }},
            {{ name = "paced", {b}, source.{source}, transport.paced = {{}} }},
            {{ name = "tcp", {c}, source.ftp = {{}}, transport.tcp = {{}} }},
            {{ name = "udp", {d}, source.poisson = {{ rate = "300 kbit/s", packet = "300 bytes" }} }},
        ]
        "#
    )
}

/// Runs in slices, under each executor and in several shards.
fn assert_all_executors_agree(blueprint: &Blueprint, cut: u64) -> Observations {
    let plain = sim(blueprint).with_executor(Executor::Plain).run();
    for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        assert_eq!(plain, sim(blueprint).with_executor(executor).run(), "{executor:?}");
        for cores in 2..=3 {
            let shard_of = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % cores) as u32;
            let shards = Sim::with_partition(blueprint.clone(), &shard_of).expect("sound").with_executor(executor);
            let mut shards = shards.run_shards_in_turn();
            (1..20).for_each(|slice| shards.run_until(Time::from_ps(slice * (19_000_000_000 + cut))));
            assert_eq!(plain, shards.run(), "{executor:?} in {cores} shards");
        }
    }
    plain
}

#[test]
fn executors_agree() {
    let (mut draw, mut retransmissions, mut marks, mut delivered) = (Key::root(7, 0).stream(), 0, 0, [0; 4]);
    for case in 0..10 {
        let mut blueprint = sound(&network(&mut draw)).blueprint(None, case);
        blueprint.trace = case % 3 == 0;
        let seen = assert_all_executors_agree(&blueprint, case);
        retransmissions += seen.flows[..2].iter().map(|flow| flow.sent.retransmissions).sum::<u64>();
        marks += seen.flows[3].received.marked;
        delivered.iter_mut().zip(&seen.flows).for_each(|(sum, flow)| *sum += flow.goodput_bytes);
    }
    assert!(retransmissions > 100 && marks > 50, "{retransmissions} and {marks}");
    assert!(delivered.iter().all(|bytes| *bytes > 100_000), "{delivered:?}");
}

/// A clone goes on as the run does, ends of connections included.
#[test]
fn a_clone_goes_on_as_the_run_does() {
    let mut draw = Key::root(8, 0).stream();
    for case in 0..6 {
        let blueprint = sound(&network(&mut draw)).blueprint(None, case);
        let mut run = sim(&blueprint);
        run.run_until(Time::from_ps(150_000_000_000));
        let clone = run.clone();
        assert_eq!(run.run(), clone.run());
    }
}

/// 47 packets of 500 bytes and one of 344 in the 22,500 bytes of a transfer: it has no more to send at 2.5 Mbit/s after 47 * 1.6 ms.
#[test]
fn small_packets_end_a_transfer() {
    let text = r#"
        duration = "1 s"
        nodes = { a = {}, b = {} }
        links = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", both-ways = true, queue.tail-drop = {} }]
        flows = [{ name = "f", from = "a", to = "b", source.ftp = { size = "22500 bytes" }, transport.paced = {} }]
    "#;
    let seen = sim(&sound(text).blueprint(None, 0)).run();
    let flow = &seen.flows[0];
    assert_eq!((flow.sent.packets, flow.sent.bytes, flow.goodput_bytes), (48, 22_500 + 48 * 28, 22_500));
}

/// Frames of AAL5 carry its packets, acknowledgements included.
#[test]
fn cells_carry_it() {
    let link = |from: &str, to: &str| {
        format!("{{ from = \"{from}\", to = \"{to}\", rate = \"10 Mbit/s\", delay = \"1 ms\", both-ways = true, cells = true }}")
    };
    let text = format!(
        r#"
        duration = "500 ms"
        nodes = {{ a = {{}}, s = {{ cell-switch = true }}, b = {{}} }}
        links = [{}, {}]
        flows = [
            {{ name = "n", from = "a", to = "b", source.ftp = {{ size = "96 kB" }}, transport.go-back-n = {{ ack = "60 bytes" }} }},
            {{ name = "back", from = "b", to = "a", source.ftp = {{}}, transport.go-back-n = {{ ack = "60 bytes", window = 3 }} }},
        ]
        "#,
        link("a", "s"),
        link("s", "b"),
    );
    let seen = assert_all_executors_agree(&sound(&text).blueprint(None, 0), 1);
    assert_eq!((seen.flows[0].goodput_bytes, seen.flows[0].sent.retransmissions), (96_000, 0));
    // As of TCP: a frame has two cells or more.
    let error = load(&text.replace("60 bytes", "30 bytes")).map(|_| ()).expect_err("one cell");
    assert!(error.contains("has packets of 30 bytes on a cell link"), "{error}");
}

/// Rate limiters of BCN hold its packets back and tag them, and a congestion point reads the tags.
#[test]
fn rate_limiters_tag_its_packets() {
    let text = r#"
        duration = "20 ms"
        nodes.stations = { count = 4, reaction-point.bcn = { floor = "8 Mbit/s" } }
        nodes.core = { congestion-point.bcn = { equilibrium = 16 } }
        nodes.server = {}
        links = [
            { from = "stations", to = "core", rate = "1 Gbit/s", delay = "1.5 us", both-ways = true },
            { from = "core", to = "server", rate = "1 Gbit/s", delay = "0.5 us", both-ways = true, queue.tail-drop = { limit = "300 packets" } },
        ]
        flows = [
            { name = "bulk", from = "stations", to = "server", count = 4, source.ftp = {}, transport.go-back-n = { window = 64, timeout = "5 ms" } },
        ]
    "#;
    let mut blueprint = sound(text).blueprint(None, 0);
    blueprint.trace = true;
    let seen = assert_all_executors_agree(&blueprint, 3);
    let tagged = |row: &&TraceRow| row.packet().is_some_and(|packet| matches!(packet.body, Body::TaggedTransportData { .. }));
    assert!(seen.trace.iter().filter(tagged).count() > 100);
    let received: u64 = seen.flows.iter().map(|flow| flow.received.packets).sum();
    assert!(received > 2000, "{received} of 2500 that the link carries");
}

/// Without a queue that marks, ECN has no effect: a warning at the transport.
#[test]
fn ecn_without_marks_is_told() {
    let text = r#"
        duration = "1 s"
        nodes = { a = {}, b = {} }
        links = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", both-ways = true }]
        flows = [{ name = "f", from = "a", to = "b", source.ftp = {}, transport.paced = {} }]
    "#;
    let scenario = sound(text);
    let warnings: Vec<String> = scenario.warnings().iter().map(ToString::to_string).collect();
    assert!(warnings[0].contains("flows[0].transport.paced: is ECN-capable, and no queue on the way marks"), "{warnings:?}");
}

/// What the run says of a plug-in that makes this mistake.
fn breach(number: u32) -> String {
    let text = format!(
        r#"
        duration = "1 s"
        nodes = {{ a = {{}}, b = {{}} }}
        links = [{{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", both-ways = true }}]
        flows = [{{ name = "f", from = "a", to = "b", source.ftp = {{}}, transport.paced = {{ breach = {number} }} }}]
        "#
    );
    let run = sim(&sound(&text).blueprint(None, 0));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.run())).expect_err("a breach");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn breaches_of_the_contract_end_the_run_with_a_message() {
    let said = |number: u32, what: &str| {
        let message = breach(number);
        assert_eq!(message, format!("transport 'paced' {what}"));
    };
    said(2, "sends a packet of 501 bytes; its facts say 29 bytes to 500 bytes");
    said(3, "sends more than 1048576 packets at one instant: it never returns None");
    said(4, "takes delivered bytes back");
    said(5, "sends more than 1048576 packets at one instant: it never returns None");
    assert!(breach(1).contains("that is not later than the present time"), "{}", breach(1));
}
