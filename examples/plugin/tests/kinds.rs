//! A component of each open kind that the crate itself does not have, in runs.

mod tiny;

use penstock_engine::observations::{LinkCounters, Observations};
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::registry::Registry;
use penstock_model::units::{Duration, Time};
use penstock_scenario::{load_with, report, ReadOptions, ValidScenario};

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.load(tiny::plugin()).expect("sound");
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
    assert_eq!(dropped, seen.flows[0].sent.packets / 2);
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
        let longest = seen.flows.iter().map(|flow| flow.received.delay_max).max().expect("twenty flows");
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
    let counts = |class: &LinkCounters| (class.offered_packets[0], class.dropped_packets[DropCause::Overflow as usize][0]);
    assert_eq!(narrow.parts.values().map(counts).collect::<Vec<_>>(), [(10, 3 + 3), (4, 1)]);
}

#[test]
fn a_source_sends_at_its_times() {
    // From 0 to 1000 ms, both included.
    assert_eq!(run("", "", "source.tiny = { number = 5 }").flows[0].sent.packets, 201);
}

#[test]
fn a_congestion_control_sets_the_window() {
    // Two segments in each round trip instead of one; the first flight, of the initial window, is larger.
    let flow = |number: u32| format!(r#"source.ftp = {{}}, transport.tcp = {{ congestion-control.tiny = {{ number = {number} }} }}"#);
    let sent = |number| run("", "", &flow(number)).flows[0].sent.packets as f64;
    assert!((sent(2) / sent(1) - 2.0).abs() < 0.1, "{} and {}", sent(2), sent(1));
}

#[test]
fn a_window_below_one_segment_is_less_than_one_in_a_round_trip() {
    // A round trip takes 4 ms, twice 1.2 ms for 1500 bytes, and twice 0.032 ms for the acknowledgement: 6.464 ms. The first segment
    // leaves at 0 and the second when it is acknowledged. Segments of a quarter of one are paced at 1.2 times the window in each round
    // trip, 21.547 ms apart, and take 4.4 ms: 46 of them arrive within a second.
    let tcp =
        r#"{ congestion-control.part = { number = 4 }, pacing = true, initial-window = "1 packet", packet = "1500 bytes", syn = false }"#;
    let seen = run("", "", &format!("source.ftp = {{}}, transport.tcp = {tcp}"));
    assert_eq!(seen.flows[0].received.packets, 1 + 46);
}

#[test]
fn a_recovery_goes_back() {
    let lossy = r#"impairment.drop-list = { drop = [50] }"#;
    let seen = run("", lossy, r#"source.ftp = {}, transport.tcp = { recovery = "tiny" }"#);
    assert!(seen.flows[0].sent.retransmissions >= 1 && seen.flows[0].sent.timeouts == 0, "{:?}", seen.flows[0]);
}

#[test]
fn a_rate_control_sets_the_rate() {
    let flow = r#"source.ftp = {}, transport.roce = { rate-control.tiny = { number = 4 } }"#;
    let seen = run("", "", flow);
    let rate = seen.flows[0].sent.bytes as f64 * 8.0;
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
    assert_eq!((seen.flows[0].sent.packets, dropped), (101, 25 + 49));
    let link = format!("marker.tiny = {{ number = 4 }}, {}", change("505 ms", "marker.tiny", 1));
    assert_eq!(run("", &link, CBR).links.iter().map(|link| link.offered_packets[1]).sum::<u64>(), 12 + 49);
}

#[test]
fn a_shaper_that_changes_lets_go_what_waits() {
    // Packets begin at 11.4, 41.4 and 71.4 ms. At 100 ms the fourth may begin at once, and all others by 150 ms.
    let burst = r#"source.packets = { at = ["10 ms"], sizes = ["500 bytes"] }, count = 20"#;
    for queue in ["tail-drop = {}", "codel = { interval = \"10 s\" }"] {
        let link = format!("shaper.spaced = {{ number = 30 }}, queue.{queue}, {}", change("100 ms", "shaper.spaced", 3));
        let longest = run("", &link, burst).flows.iter().map(|flow| flow.received.delay_max).max().expect("twenty flows");
        assert_eq!(longest, Duration::from_us(100_000 + 16 * 3_000 + 1_400 - 10_000), "{queue}");
    }
}

#[test]
fn congestion_and_rate_controls_change() {
    let sent = |control: &str, number: u32, more: &str| {
        let flow = format!("source.ftp = {{}}, transport.{control} = {{ number = {number} }}, {more}");
        run("", "", &flow).flows[0].sent.packets as f64
    };
    for (control, from, to, factor) in [("tcp.congestion-control.tiny", 1, 2, 2.0), ("roce.rate-control.tiny", 4, 8, 0.5)] {
        let more = change("500 ms", &format!("transport.{control}"), to);
        let (whole, half) = (sent(control, from, ""), sent(control, from, &more));
        // As much in the first half, and twice or half as much in the second.
        assert!((half / whole - (1.0 + factor) / 2.0).abs() < 0.05, "{control}: {half} of {whole}");
    }
}
