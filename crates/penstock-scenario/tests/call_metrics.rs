//! Metrics of calls from counts made by hand.

mod common;
use common::{changed, sound, FLOW, LINK};
use penstock_engine::observations::{CallCounters, FlowCounters, LinkCounters, Observations, ReceivedCounts};
use penstock_engine::Sim;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};
use penstock_scenario::ValidScenario;

const SECOND: u128 = 1_000_000_000_000;

/// Calls of 64 kbit/s in two aggregates, with 10 initial calls each.
const CALLS: &str = r#"[[calls]]
name = "v"
from = "a"
to = "b"
count = 2
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 10 }
"#;

const ADMITTED: &str =
    "arrivals.poisson = { interval = \"1 s\" }\nadmission.count = { limit = 20 }\nsignalling = { packet = \"100 bytes\" }\n";

/// A flow and the two aggregates; counting from 5 s to 15 s.
fn scenario(calls: &str, measure: &str) -> ValidScenario {
    let text = changed(LINK, &format!("{LINK}\npcn.threshold = {{ rate = \"500 kbit/s\", size = \"20 ms\", threshold = \"10 ms\" }}"));
    let text = text.replace("duration = \"10 s\"", "duration = \"15 s\"\nwarm-up = \"5 s\"");
    sound(&format!("{text}{calls}[[measure]]\n{measure}\n"), &[])
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn seen() -> Observations {
    let flow = |bytes| FlowCounters {
        received: ReceivedCounts { packets: bytes / 100, bytes, marked: bytes / 400, ..ReceivedCounts::default() },
        ..FlowCounters::default()
    };
    let calls = |scale: u64, terminations: &[(u64, u32, u32)]| CallCounters {
        offered: 10 * scale,
        admitted: 6 * scale,
        blocked: 3 * scale * scale,
        live_ps: 80 * u128::from(scale) * SECOND,
        live_at_end: 9,
        terminations: terminations.iter().map(|(seconds, cut, left)| (at(*seconds), *cut, *left)).collect(),
    };
    Observations {
        from: at(5),
        to: at(15),
        flows: vec![flow(0), flow(400), flow(1200)],
        links: vec![LinkCounters::default()],
        calls: vec![(FlowId(1), calls(1, &[(4, 3, 7), (9, 2, 5)])), (FlowId(2), calls(2, &[(6, 4, 6), (9, 1, 5)]))],
        intervals: vec![(FlowId(1), Duration::from_secs(4), vec![100, 200]), (FlowId(2), Duration::from_secs(4), vec![0, 300, 400, 500])],
        ..Observations::default()
    }
}

#[track_caller]
fn check(calls: &str, measure: &str, expected: &[&str]) {
    let line = |metric: penstock_scenario::MetricValue| {
        let labels: String = metric.labels.iter().map(|(key, value)| format!("{key}={value} ")).collect();
        format!("{} {labels}{} {}", metric.name, metric.value, metric.unit)
    };
    let metrics = scenario(&format!("{CALLS}{calls}"), measure).metrics(&seen());
    assert_eq!(metrics.into_iter().map(line).collect::<Vec<_>>(), expected);
}

#[test]
fn calls_are_flows_too() {
    check(
        "",
        "metric = \"throughput\"\nof = [\"f\", \"v\"]",
        &["throughput of=f statistic=sum 0 bit/s", "throughput of=v statistic=sum 1280 bit/s"],
    );
    check("", "metric = \"fairness\"\nof = \"v\"", &["fairness of=v 0.8 1"]);
    check("", "metric = \"marking-ratio\"\nof = \"v\"", &["marking-ratio of=v statistic=mean 0.25 1"]);
}

#[test]
fn calls_by_what_became_of_them() {
    // The three calls terminated at 4 s ended before counting began.
    let expected = [
        "calls of=v statistic=sum what=offered 30 calls",
        "calls of=v statistic=sum what=admitted 18 calls",
        "calls of=v statistic=sum what=blocked 15 calls",
        "calls of=v statistic=sum what=terminated 7 calls",
        "calls of=v statistic=sum what=live 24 calls",
    ];
    check("", "metric = \"calls\"\nof = \"v\"", &expected);
    let live = "metric = \"calls\"\nof = \"v\"\nper = \"flow\"";
    let metrics = scenario(CALLS, live).metrics(&seen());
    assert_eq!((metrics.len(), metrics[4].value, metrics[9].value), (10, 8.0, 16.0));
}

#[test]
fn blocking_is_over_all_calls() {
    // 3 of 9 and 12 of 24.
    let each = ["blocking of=v flow=v[0] 0.3333333333333333 1", "blocking of=v flow=v[1] 0.5 1"];
    check(ADMITTED, "metric = \"blocking\"\nof = \"v\"\nper = \"flow\"", &each);
    let all = ["blocking of=v statistic=mean 0.45454545454545453 1", "blocking of=v statistic=max 0.5 1"];
    check(ADMITTED, "metric = \"blocking\"\nof = \"v\"\ntake = [\"mean\", \"max\"]", &all);
}

#[test]
fn requests_of_refused_calls_have_a_rate() {
    // 15 calls of 800 bits in ten seconds.
    check(ADMITTED, "metric = \"signal-rate\"\nof = \"v\"", &["signal-rate of=v statistic=sum 1200 bit/s"]);
}

#[test]
fn complete_intervals_count_from_the_beginning() {
    let measure = "metric = \"throughput\"\nof = \"v\"\ninterval = \"4 s\"\ntake = [\"sum\", \"min\"]";
    let expected = [
        "throughput of=v statistic=sum until=4 s 200 bit/s",
        "throughput of=v statistic=sum until=8 s 1000 bit/s",
        "throughput of=v statistic=sum until=12 s 800 bit/s",
        "throughput of=v statistic=min until=4 s 0 bit/s",
        "throughput of=v statistic=min until=8 s 400 bit/s",
        "throughput of=v statistic=min until=12 s 0 bit/s",
    ];
    check("", measure, &expected);
    let blueprint = scenario(CALLS, measure).blueprint(None, 0);
    assert_eq!(blueprint.groups.iter().map(|group| group.interval).collect::<Vec<_>>(), [None, Some(Duration::from_secs(4))]);
}

#[test]
fn the_ends_of_intervals_are_in_seconds() {
    let labels = |every: &str| {
        let measure = format!("metric = \"throughput\"\nof = \"v\"\ninterval = \"{every}\"");
        let until =
            |metric: penstock_scenario::MetricValue| metric.labels.into_iter().find(|(key, _)| *key == "until").expect("an interval").1;
        scenario(CALLS, &measure).metrics(&seen()).into_iter().map(until).collect::<Vec<String>>()
    };
    assert_eq!(labels("500 ms")[..4], ["0.5 s", "1 s", "1.5 s", "2 s"]);
    assert_eq!(labels("750 us")[1333], "1.0005 s");
    assert_eq!(labels("1000000001 ps")[..2], ["0.001000000001 s", "0.002000000002 s"]);
    assert_eq!(labels("10 s"), ["10 s"]);
}

#[test]
fn termination_ends_when_the_load_is_below() {
    // 20 calls; 17 are left at 4 s, 13 at 6 s, and 10 after the cuts of both aggregates at 9 s.
    let measure = |below: u64| format!("metric = \"termination-time\"\nof = \"v\"\nbelow = \"{below} kbit/s\"");
    let expected = |first: &str, start: &str| {
        [format!("termination-time of=v from=first-termination {first} s"), format!("termination-time of=v from=start {start} s")]
    };
    // 12 calls in the first aggregate and 8 in the second are also 20.
    let other = CALLS.replace("calls = 10", "calls = [12, 8]");
    let each: Vec<f64> = scenario(&other, &measure(13 * 64)).metrics(&seen()).iter().map(|metric| metric.value).collect();
    assert_eq!(each, [5.0, 9.0]);
    // 25 calls begin; 22 of them are left at 4 s, 18 at 6 s and 15 at 9 s.
    let more = CALLS.replace("calls = 10", "calls = [15, 10]");
    let each: Vec<f64> = scenario(&more, &measure(16 * 64)).metrics(&seen()).iter().map(|metric| metric.value).collect();
    assert_eq!(each, [5.0, 9.0]);
    let start = "start = { uniform = [\"0 s\", \"1 s\"] }\n";
    for (below, first, since_start) in [(14 * 64, "2", "5"), (13 * 64, "5", "8"), (10 * 64 + 1, "5", "8"), (10 * 64, "NaN", "NaN")] {
        check(start, &measure(below), &expected(first, since_start).each_ref().map(String::as_str));
    }
}

#[test]
fn the_usual_measures_of_calls() {
    let names = |calls: &str| {
        let text = changed(FLOW, &format!("{FLOW}\n{CALLS}{calls}"));
        sound(&text, &[]).metrics(&seen()).into_iter().map(|metric| metric.name).collect::<Vec<_>>()
    };
    assert_eq!(names("")[10..], ["calls", "calls", "calls", "calls", "calls", "fairness"]);
    assert_eq!(names(ADMITTED)[10..], ["calls", "calls", "calls", "calls", "calls", "blocking", "fairness"]);
}

#[test]
fn initial_calls_count_towards_the_limit() {
    // Two aggregates of ten initial calls that never end, and many requests.
    for (scope, admitted) in [("node", 25 - 20), ("aggregate", 2 * (25 - 10))] {
        let calls = CALLS.replace("count = 2", "count = 2\nholding.infinite = {}\narrivals.poisson = { interval = \"50 ms\" }");
        let calls = format!("{calls}admission.count = {{ limit = 25, scope = \"{scope}\" }}\n");
        let text = changed(FLOW, &format!("{FLOW}\n{calls}"));
        let seen = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("sound").run();
        assert_eq!(seen.calls.iter().map(|(_, calls)| calls.admitted).sum::<u64>(), admitted, "{scope}");
        assert_eq!(seen.calls.iter().map(|(_, calls)| calls.live_at_end).sum::<u64>(), 20 + admitted, "{scope}");
    }
}

#[test]
fn initial_calls_that_end_make_room() {
    // Ten initial calls and twenty requests per second, for calls of one second each.
    let calls = CALLS.replace("count = 2", "holding.fixed = { time = \"1 s\" }\narrivals.poisson = { interval = \"50 ms\" }");
    let text = changed(FLOW, &format!("{FLOW}\n{calls}admission.count = {{ limit = 10 }}\n"));
    let seen = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("sound").run();
    let calls = &seen.calls[0].1;
    // Never more than ten; from 1 s on 9.24 on average, and therefore 9.24 per second (Erlang's formula at 20 erlang).
    assert!(calls.live_ps <= 10 * 10 * SECOND, "{}", calls.live_ps);
    assert!((75..=90).contains(&calls.admitted), "{}", calls.admitted);
}

#[test]
fn initial_calls_begin_spread_out() {
    // A hundred calls of 50 packets a second that begin within 1 s. In 2 s, a call that begins at s sends 50 (2 - s) packets: 75 on
    // average, with a variance of 2500 / 12. Four standard errors of the sum are 577 packets.
    let calls = CALLS.replace("count = 2\n", "").replace("{ calls = 10 }", "{ calls = 100, spread = \"1 s\" }");
    let text = changed(FLOW, &format!("{FLOW}\n{calls}")).replace("duration = \"10 s\"", "duration = \"2 s\"");
    let seen = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("sound").run();
    let sent = seen.flows[1].sent.packets as f64;
    assert!((sent - 7500.0).abs() < 577.0, "{sent}");
}

#[test]
fn what_is_blocked_during_the_warm_up_does_not_count() {
    // The ten initial calls never end, so that every other call is blocked; one request may be in flight at each end of the window.
    let calls = CALLS.replace("count = 2", "holding.infinite = {}\narrivals.poisson = { interval = \"50 ms\" }");
    let text = changed(FLOW, &format!("{FLOW}\n{calls}admission.count = {{ limit = 10 }}\n"));
    let text = text.replace("duration = \"10 s\"", "duration = \"10 s\"\nwarm-up = \"5 s\"");
    let seen = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("sound").run();
    let calls = &seen.calls[0].1;
    assert!(calls.offered > 50 && calls.admitted == 0 && calls.offered.abs_diff(calls.blocked) <= 1, "{calls:?}");
}
