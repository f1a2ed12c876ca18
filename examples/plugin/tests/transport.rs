//! The plug-in's transport, by numbers worked by hand.
//!
//! Nodes `a` and `b` have links of 10 Mbit/s and 10 ms. A data packet of 1000 bytes takes 0.8 ms, an acknowledgement of 40 bytes 0.032 ms:
//! a packet sent at t arrives at t + 10.8 ms and is acknowledged at t + 20.832 ms.

use example_plugin::plugin;
use penstock_engine::observations::{Completion, Observations, TraceEvent};
use penstock_engine::series::{ComponentName, Sampling, SeriesPlan, SeriesSubject};
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::id::FlowId;
use penstock_model::registry::{Plugin, Registry, RegistryError, INTERFACE};
use penstock_model::transport::Transports;
use penstock_model::units::{Duration, Time};
use penstock_scenario::{catalogue, json_schema, load_with, report, ColumnKind, ReadOptions, TraceRun, ValidScenario};
use std::collections::BTreeSet;

fn load(link: &str, flow: &str, rest: &str) -> Result<ValidScenario, String> {
    let text = format!(
        r#"
        duration = "1 s"
        nodes.a = {{}}
        nodes.b = {{}}
        links = [
            {{ name = "there", from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", {link} }},
            {{ name = "back", from = "b", to = "a", rate = "10 Mbit/s", delay = "10 ms" }},
        ]
        flows = [{{ name = "f", from = "a", to = "b", {flow} }}]
        {rest}
        "#
    );
    let mut registry = Registry::default();
    registry.load(plugin()).expect("sound");
    let options = ReadOptions { registry, ..ReadOptions::default() };
    load_with(&Cancel::default(), &text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes))
}

fn run(link: &str, flow: &str, rest: &str) -> Observations {
    let scenario = load(link, flow, rest).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    Sim::new(scenario.blueprint(None, 0)).expect("sound").run()
}

fn greedy(window: u32) -> Observations {
    run("", &format!("source.ftp = {{}}, transport.go-back-n = {{ window = {window} }}"), "")
}

/// 16 packets.
const TRANSFER: &str = r#"source.ftp = { size = "15360 bytes" }, transport.go-back-n = { window = 8 }"#;
const COMPLETION: &str = "measure = [{ metric = \"completion-time\", of = \"f\", take = [\"mean\"] }]";

/// One packet each 20.832 ms: the 49th leaves at 999.936 ms.
#[test]
fn stop_and_wait_sends_a_packet_in_each_round_trip() {
    let seen = greedy(1);
    let flow = &seen.flows[0];
    assert_eq!((flow.sent.packets, flow.received.packets, flow.goodput_bytes), (49, 48, 48 * 960));
    assert_eq!((flow.sent.bytes, flow.received.bytes), (49_000, 48_000));
    assert_eq!(flow.received.delay_max, Duration::from_us(10_800));
    assert_eq!((flow.sent.retransmissions, flow.sent.timeouts), (0, 0));
}

/// Eight packets in each round trip take 6.4 ms of it.
#[test]
fn a_window_below_the_round_trip_limits_the_rate() {
    let seen = greedy(8);
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].received.packets), (385, 384));
}

/// 40 packets take 32 ms, longer than the round trip: one arrives each 0.8 ms from 10.8 ms on.
#[test]
fn a_larger_window_fills_the_link() {
    let seen = greedy(40);
    assert_eq!(seen.flows[0].received.packets, 1 + (1_000_000 - 10_800) / 800);
    // Of 40 packets at most 27 are on the wires and at the receiver.
    assert_eq!(seen.flows[0].goodput_bytes, seen.flows[0].received.packets * 960);
}

/// The last of eight packets of the second round leaves at 20.832 + 7 * 0.8 ms.
#[test]
fn a_transfer_is_complete_when_all_is_acknowledged() {
    let seen = run("", TRANSFER, COMPLETION);
    let completion = Completion { time: Duration::from_us(47_264), bytes: 15_360 };
    assert_eq!(seen.completions, [(FlowId(0), completion)]);
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].goodput_bytes), (16, 15_360));
}

/// The fifth packet, number 4, is lost. The acknowledgement of number 3 restarts the timer at 23.232 ms; at 123.232 ms the sender goes back
/// and sends 4 to 11 again. 15 leaves when 7 has been acknowledged, at 146.464 ms.
#[test]
fn a_lost_packet_is_sent_again_when_the_timer_expires() {
    let seen = run("impairment.drop-list = { drop = [5] }", TRANSFER, COMPLETION);
    let flow = &seen.flows[0];
    assert_eq!((flow.sent.packets, flow.received.packets, flow.sent.retransmissions, flow.sent.timeouts), (24, 23, 8, 1));
    assert_eq!(flow.goodput_bytes, 15_360);
    assert_eq!(seen.completions[0].1.time, Duration::from_us(167_296));
}

/// In the same run: what the application gets counts once, and the metrics of a scenario say so.
#[test]
fn metrics_see_it_as_any_connection() {
    let measure = |name: &str| format!("{{ metric = \"{name}\", of = \"f\", take = [\"sum\"] }}");
    let names = ["goodput", "sent", "retransmissions", "timeouts", "lost-retransmissions"];
    let list = names.map(measure).join(", ");
    let scenario = load("impairment.drop-list = { drop = [5] }", TRANSFER, &format!("measure = [{list}]")).expect("sound");
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let values: Vec<String> = scenario.metrics(&seen).iter().map(|value| format!("{} {}", value.name, value.value)).collect();
    assert_eq!(values, ["goodput 122880", "sent 192000", "retransmissions 8", "timeouts 1", "lost-retransmissions 0"]);
}

#[test]
fn after_the_end_of_its_application_a_sender_repeats_what_is_lost() {
    // Numbers 0 to 7 are out, and all are sent again: the receiver accepts nothing before 0.
    let seen = run("impairment.drop-list = { drop = [1] }", r#"source.ftp = {}, transport.go-back-n = {}, stop = "10 ms""#, "");
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].sent.retransmissions), (16, 8));
    assert_eq!(seen.flows[0].goodput_bytes, 8 * 960);
}

/// Ten packets: the last leaves at 20.832 + 0.8 ms and is acknowledged 20.832 ms later. Seven pages end by 42.464 + 6 * 142.464 ms.
#[test]
fn a_web_user_asks_for_pages() {
    let flow = r#"source.http = { page = "9600 bytes", objects = 0, think = "100 ms" }, transport.go-back-n = {}"#;
    let scenario = load("", flow, "measure = [{ metric = \"page-time\", of = \"f\", take = [\"mean\", \"max\"] }]").expect("sound");
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    assert_eq!(seen.flows[0].goodput_bytes, 7 * 9600);
    assert!(scenario.metrics(&seen).iter().all(|value| value.value == 0.042464), "{:?}", scenario.metrics(&seen));
}

#[test]
fn its_state_is_a_series() {
    let scenario = load("", TRANSFER, "").expect("sound");
    let mut blueprint = scenario.blueprint(None, 0);
    let of = ComponentName { kind: "transport", name: "go-back-n" };
    blueprint.watch.series.push(SeriesPlan {
        of: SeriesSubject::Sender(FlowId(0)),
        what: vec![(Some(of), "flight")],
        sampling: Sampling::OnChange,
        from: Time::ZERO,
        until: Time::from_ps(1_000_000_000_000),
    });
    let mut sim = Sim::new(blueprint).expect("sound");
    sim.run_until(Time::from_ps(1_000_000_000_000));
    let mut rows = Vec::new();
    sim.take_series(&mut rows);
    let values: Vec<(u64, f64)> = rows.iter().map(|row| (row.time.as_ps() / 1_000_000, row.value)).collect();
    // The second window is out at 26.432 ms, and eight acknowledgements come from 41.664 ms on.
    let last = (0..8).map(|i| (41_664 + 800 * i, f64::from(7 - i as u32)));
    assert_eq!(values, [(0, 8.0)].into_iter().chain(last).collect::<Vec<_>>());
}

#[test]
fn traces_show_its_packets() {
    let scenario = load("", TRANSFER, "").expect("sound");
    let mut blueprint = scenario.blueprint(None, 0);
    blueprint.trace = true;
    let trace = Sim::new(blueprint).expect("sound").run().trace;
    let sent = |place: u32| trace.iter().filter(move |row| row.event == TraceEvent::Send && row.place == place);
    assert!(sent(0).map(|row| row.sequence()).eq(0..16));
    assert!(sent(1).map(|row| (row.sequence(), row.size())).eq((1..17).map(|next| (next, 40))));
}

/// Rows of traces name them, and captures have them as UDP.
#[test]
fn files_show_its_packets() {
    let scenario = load("", TRANSFER, "").expect("sound");
    let run = || {
        let filter = scenario.trace_filter(&[]).expect("all");
        TraceRun::new(&scenario, (1, 0), (Executor::default(), 1), filter, &Cancel::default()).expect("sound")
    };
    let mut rows = run();
    let place = rows.columns().iter().position(|column| column.name == "packet").expect("a column");
    let ColumnKind::Word(words) = rows.columns()[place].kind.clone() else { panic!("words") };
    let batch = rows.next_batch(10_000).expect("goes on").expect("rows");
    let named: BTreeSet<&str> = batch.values[place].iter().filter_map(|word| words.get(*word as usize)).map(String::as_str).collect();
    assert_eq!(named, BTreeSet::from(["transport-acknowledgement", "transport-data"]));
    let parts = run().next_captures(&scenario, usize::MAX).expect("goes on");
    assert_eq!(parts.iter().map(|part| (part.link.as_str(), part.packets)).collect::<Vec<_>>(), [("there", 16), ("back", 16)]);
    for (part, size) in parts.iter().zip([1000, 40]) {
        // Enhanced packet blocks, of type 6: 28 bytes, then the frame, whose IP header has the protocol in its tenth byte.
        let (mut at, mut protocols) = (0, Vec::new());
        while at < part.bytes.len() {
            let word = |i: usize| u32::from_le_bytes(part.bytes[i..i + 4].try_into().expect("a word"));
            if word(at) == 6 {
                protocols.push((part.bytes[at + 28 + 14 + 9], word(at + 24)));
            }
            at += word(at + 4) as usize;
        }
        assert_eq!(protocols, vec![(17, 14 + size); 16]);
    }
}

#[test]
fn mistakes_are_told_at_their_place() {
    let wrong = |flow: &str| load("", flow, "").expect_err("a mistake");
    let error = wrong(r#"source.ftp = {}, transport.go-back-n = { header = "1000 bytes" }"#);
    assert!(
        error.contains("flows[0].transport.go-back-n: the factory of transport 'go-back-n' failed: packets of 1000 bytes have no room"),
        "{error}"
    );
    let error = wrong(r#"source.ftp = {}, transport.go-back-n = { timeout = "0 s" }"#);
    assert!(error.contains("transport.go-back-n.timeout: must be above 0 s"), "{error}");
    let error = wrong(r#"source.ftp = {}, transport.go-back-m = {}"#);
    assert!(error.contains("unknown transport 'go-back-m'; did you mean 'go-back-n'?"), "{error}");
    let error = wrong(r#"source.cbr = { rate = "64 kbit/s", packet = "200 bytes" }, transport.go-back-n = {}"#);
    assert!(error.contains("go-back-n cannot carry source 'cbr', which sends at its own times"), "{error}");
    let error =
        load("", r#"source.ftp = {}, transport.go-back-n = {}"#, "measure = [{ metric = \"repeated-retransmissions\", of = \"f\" }]");
    assert!(error.expect_err("of TCP alone").contains("repeated-retransmissions"));
}

#[test]
fn calls_have_no_use_for_it() {
    let calls = r#"calls = [{ name = "c", from = "a", to = "b", transport.go-back-n = {} }]"#;
    let error = load("", TRANSFER, calls).expect_err("calls send datagrams");
    assert!(error.contains("go-back-n"), "{error}");
}

#[test]
fn its_name_is_taken_once() {
    let again = |name| {
        Plugin::new("again", INTERFACE, None).add::<Transports, example_plugin::go_back_n::Parameters>(name, &[], |parameters, _| {
            example_plugin::go_back_n::build(parameters)
        })
    };
    let mut registry = Registry::default();
    registry.load(plugin()).expect("sound");
    for name in ["go-back-n", "tcp"] {
        let error = registry.load(again(name)).expect_err("taken");
        assert_eq!(error, RegistryError::TwoOfOneName { plugin: "again".to_owned(), kind: "transport", name });
    }
}

#[test]
fn it_is_listed_with_its_parameters_and_state() {
    let mut registry = Registry::default();
    registry.load(plugin()).expect("sound");
    let all = catalogue(&registry);
    let entry = all["components"]["transport"].as_array().expect("a list").last().expect("some");
    assert_eq!((&entry["name"], &entry["state"][0]["name"]), (&"go-back-n".into(), &"flight".into()));
    assert_eq!(json_schema(&registry)["$defs"]["transport.go-back-n"]["properties"]["window"]["default"], 8);
}
