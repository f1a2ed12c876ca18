//! The exact text of every mistake about calls and PCN meters.

mod common;
use common::{added, changed, metrics_of, refused, sound, FLOW, LINK};
use penstock_model::source::SourcePlan;
use penstock_scenario::{load, Mistake};

const CALLS: &str = r#"[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 10 }
"#;

/// Fails unless the base with these calls (they begin in line 16) is refused with exactly these lines.
#[track_caller]
fn calls(old: &str, new: &str, expected: &str) {
    assert!(CALLS.contains(old), "{old:?} is not in the calls");
    added(FLOW, &CALLS.replacen(old, new, 1), expected);
}

/// The same with a line at the end.
#[track_caller]
fn also(line: &str, expected: &str) {
    added(FLOW, &format!("{CALLS}{line}"), expected);
}

const ARRIVALS: &str = "arrivals.poisson = { interval = \"1 s\" }";

#[test]
fn what_calls_need() {
    calls(
        "initial = { calls = 10 }\n",
        "",
        "t.toml:16: calls[0]: there would be no calls; write arrivals.poisson = { interval = \"1 s\" } or initial = { calls = 100 }",
    );
    calls(
        "initial = { calls = 10 }",
        ARRIVALS,
        "t.toml:16: calls[0].holding: is missing: calls that arrive would never end; write holding.exponential = { mean = \"60 s\" }",
    );
    calls("\"v\"", "\"f\"", "t.toml:17: calls[0].name: a second group called 'f'; give it a name of its own");
    calls("\"v\"", "\"a-b\"", "t.toml:16: calls[0].name: 'a-b' is the name of a link too; give one of them another name");
    calls("from = \"a\"", "from = \"A\"", "t.toml:18: calls[0].from: unknown node 'A'; did you mean 'a'? (a, b, hosts)");
    calls("from = \"a\"\n", "", "t.toml:16: calls[0].from: is missing and has no default; write from = \"name of a node\"");
    calls("to = \"b\"", "to = \"a\"", "t.toml:19: calls[0].to: aggregate 0 would begin and end at 'a'");
    calls("calls = 10", "calls = 0", "t.toml:21: calls[0].initial.calls: 0 is out of range; a whole number, at least 1");
    calls("calls = 10", "calls = [0]", "t.toml:21: calls[0].initial.calls: there would be no calls in any aggregate; leave it out");
    calls("calls = 10", "calls = [1, -2]", "t.toml:21: calls[0].initial.calls: item 1: -2 is out of range; a whole number, at least 0");
    calls(
        "calls = 10 }",
        "calls = [1, 2] }\nsurge = { at = \"1 s\", calls = [1, 2, 3] }",
        "t.toml:21: calls[0].initial.calls: has 2 numbers for 1 aggregates; write one for each, or one number for all\n\
         t.toml:22: calls[0].surge.calls: has 3 numbers for 1 aggregates; write one for each, or one number for all",
    );
    calls("calls = 10", "calls = [20_000_000]", "t.toml:21: calls[0].initial: 20000000 calls are more than the 16000000 that fit");
    calls("calls = 10", "calls = 20_000_000", "t.toml:21: calls[0].initial: 20000000 calls are more than the 16000000 that fit");
    calls("{ calls = 10 }", "10", "t.toml:21: calls[0].initial: 10 is not a table; write { key = value }");
    calls(
        "calls = 10",
        "calls = 10, spread = \"10 s\"",
        "t.toml:21: calls[0].initial.spread: 10 s from the start at 0 s reaches the stop at 10 s; write a shorter one",
    );
}

#[test]
fn what_calls_send() {
    let sources = SourcePlan::of_calls().join(", ");
    calls(
        "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n",
        "",
        &format!("t.toml:16: calls[0].source: is missing and has no default; one of {sources}"),
    );
    calls(
        "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }",
        "source.ftp = {}",
        &format!("t.toml:20: calls[0].source: 'ftp' sends as fast as it can, but a call has a rate of its own; one of {sources}"),
    );
    calls(
        "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }",
        "source.packets = { at = [\"0 s\"], sizes = [\"1 kB\"] }",
        &format!("t.toml:20: calls[0].source: 'packets' stops after its last packet, but a call has a rate of its own; one of {sources}"),
    );
    also(
        "transport.tcp = {}",
        "t.toml:22: calls[0].transport: tcp cannot carry calls, which send at their own times whatever the network does; leave it out (udp)",
    );
}

#[test]
fn what_has_no_effect() {
    also(
        "admission.count = { limit = 3 }",
        "t.toml:22: calls[0].admission: has no effect: initial calls do not ask, and there are no arrivals; leave it out",
    );
    also(
        "signalling = { processing = \"1 ms\" }",
        "t.toml:22: calls[0].signalling: has no effect: without admission and termination nothing is signalled; leave it out",
    );
    also("route-back = [\"b\", \"a\"]", "t.toml:22: calls[0].route-back: unknown key 'route-back'; did you mean 'route'? (name, from, to, count, class, precedence, start, stop, route, source, transport, arrivals, ...)");
    added(LINK, "pcn-at = \"offered\"", "t.toml:11: links[0].pcn-at: has no effect without a PCN meter; write pcn or leave it out");
}

#[test]
fn meters_on_the_way() {
    let line = |key: &str| {
        format!(
            "t.toml:22: calls[0].{key}: no link on the routes of 'v' has a PCN meter, so nothing is ever marked; write pcn on one of them"
        )
    };
    also("termination.single-threshold = {}", &line("termination"));
    let cle = format!("{ARRIVALS}\nadmission.cle = {{ threshold = 0.01 }}");
    also(&cle, &line("admission").replace(":22:", ":23:"));
    sound(&format!("{}{CALLS}{ARRIVALS}\nadmission.count = {{ limit = 3 }}\n", common::BASE), &[]);
}

#[test]
fn signals_take_time() {
    let text = changed(LINK, "delay = \"0 s\"") + CALLS + ARRIVALS + "\nadmission.count = { limit = 3 }\n";
    let mistakes = load(&text, "t.toml", &[]).expect_err("no delay");
    let expected = "t.toml:16: calls[0]: signals between ingress and egress would take no time; give a link on the way a delay, or signalling a processing time";
    assert_eq!(mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>(), [expected]);
    sound(&format!("{text}signalling = {{ processing = \"1 us\" }}\n"), &[]);
}

#[test]
fn rates_of_meters() {
    added(
        LINK,
        "pcn.threshold = { rate = \"2 Mbit/s\", size = \"20 ms\", threshold = \"10 ms\" }",
        "t.toml:11: links[0].pcn.threshold.rate: 2 Mbit/s is above the rate of the link, 1 Mbit/s, so it would never be reached",
    );
    let faster = "rate-changes = [ { at = \"1 s\", rate = \"2 Mbit/s\" } ]\n";
    sound(
        &changed(LINK, &format!("{LINK}\n{faster}pcn.threshold = {{ rate = \"2 Mbit/s\", size = \"20 ms\", threshold = \"10 ms\" }}")),
        &[],
    );
    added(
        LINK,
        "pcn.virtual-queue = { admissible-rate = \"500 kbit/s\" }\npcn.pre-emption = { supportable-rate = \"400 kbit/s\" }",
        "t.toml:11: links[0].pcn.virtual-queue.admissible-rate: 500 kbit/s is above the supportable-rate of pre-emption, 400 kbit/s; calls would end before others are refused",
    );
    added(
        LINK,
        "pcn.single-threshold = { admissible-rate = \"500 kbit/s\", supportable-rate = \"400 kbit/s\" }",
        "t.toml:11: links[0].pcn.single-threshold.admissible-rate: 500 kbit/s is above supportable-rate, 400 kbit/s",
    );
    added(LINK, "pcn.thresholt = {}", "t.toml:11: links[0].pcn: unknown PCN meter 'thresholt'; did you mean 'threshold'? (single-threshold, fractional, virtual-queue, pre-emption, threshold, excess)");
    added(
        LINK,
        "pcn-at = \"ofered\"",
        "t.toml:11: links[0].pcn-at: 'ofered' is not one of accepted, offered, departure; did you mean 'offered'?",
    );
}

#[test]
fn delays_and_rates_of_links() {
    refused(
        "\"1 ms\"",
        "{ uniform = [\"2 ms\", \"1 ms\"] }",
        "t.toml:10: links[0].delay: runs from 2 ms down to 1 ms; write the shorter delay first",
    );
    refused(
        "\"1 ms\"",
        "{ uniform = [\"2 ms\"] }",
        "t.toml:10: links[0].delay: write delay = \"30 ms\" or delay = { uniform = [\"1 ms\", \"100 ms\"] }",
    );
    refused(
        "\"1 ms\"",
        "{ uniform = [\"2 ms\", \"3\"] }",
        "t.toml:10: links[0].delay: 3 has no unit; write \"3 ms\" (units: s, ms, us, ns, ps, min)",
    );
    refused(
        "\"1 ms\"",
        "{ uniform = [\"1 s\", \"61 min\"] }",
        "t.toml:10: links[0].delay: 3660 s is longer than any link; at most one hour",
    );
    refused(
        "delay = \"1 ms\"\n",
        "",
        "t.toml:6: links[0].delay: is missing and has no default; write delay = \"30 ms\" or { uniform = [\"1 ms\", \"100 ms\"] }",
    );
    refused("\"1 Mbit/s\"", "\"infinite\"", "t.toml:9: links[0].rate: 'infinite' is not a quantity; write a number and a unit such as \"1.5 Mbit/s\" (units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, cells/s, kcells/s)");
}

#[test]
fn measurements_of_calls() {
    let measure = |lines: &str, expected: &str| also(&format!("[[measure]]\n{lines}"), expected);
    measure(
        "metric = \"calls\"\nof = \"f\"",
        &format!(
            "t.toml:24: measure[0].of: 'calls' applies to calls, but 'f' is a group of flows; metrics for it: {}",
            metrics_of("flows")
        ),
    );
    measure(
        "metric = \"retransmissions\"\nof = \"v\"",
        &format!(
            "t.toml:24: measure[0].of: 'retransmissions' applies to flows, but 'v' is a group of calls; metrics for it: {}",
            metrics_of("calls")
        ),
    );
    measure("metric = \"delay\"\nof = \"vv\"", "t.toml:24: measure[0].of: unknown group of flows or calls 'vv'; did you mean 'v'? (f, v)");
    measure("metric = \"signal-rate\"\nof = \"v\"", "t.toml:24: measure[0].of: the requests of 'v' are not packets; write signalling = { packet = \"160 bytes\" } there, or leave it out");
    measure(
        "metric = \"throughput\"\nof = \"f\"\ninterval = \"1 s\"",
        "t.toml:25: measure[0].interval: only calls are measured per interval, and 'f' is something else; leave it out",
    );
    measure(
        "metric = \"goodput\"\nof = \"v\"\ninterval = \"1 s\"",
        "t.toml:25: measure[0].interval: has no effect: only metric = \"throughput\" and \"time-to-fairness\" are measured per interval; leave it out",
    );
    measure("metric = \"throughput\"\nof = \"v\"\ninterval = \"0 s\"", "t.toml:25: measure[0].interval: an interval must be above zero");
    measure(
        "metric = \"throughput\"\nof = \"v\"\ninterval = \"11 s\"",
        "t.toml:25: measure[0].interval: 11 s is longer than the run, so no interval would be complete",
    );
    measure(
        "metric = \"throughput\"\nof = \"v\"\ninterval = \"1 us\"",
        "t.toml:25: measure[0].interval: 1 us makes 10000000 intervals; at most 100000",
    );
    measure(
        "metric = \"throughput\"\nof = \"v\"\ninterval = \"1 s\"\n[[measure]]\nmetric = \"throughput\"\nof = \"v\"\ninterval = \"2 s\"",
        "t.toml:29: measure[1].interval: another measurement counts 'v' per 1 s; a group has one interval",
    );
    measure(
        "metric = \"termination-time\"\nof = \"v\"",
        "t.toml:22: measure[0].below: is missing: give the rate below which the load must fall, as in below = \"128 Mbit/s\"",
    );
    measure(
        "metric = \"calls\"\nof = \"v\"\nbelow = \"1 Mbit/s\"",
        "t.toml:25: measure[0].below: has no effect: only metric = \"termination-time\" uses it; leave it out",
    );
    measure(
        "metric = \"termination-time\"\nof = \"v\"\nbelow = \"1 Mbit/s\"",
        "t.toml:25: measure[0].below: the initial calls make 640 kbit/s, which is below 1 Mbit/s from the start",
    );
    also(
        &format!("{ARRIVALS}\n[[measure]]\nmetric = \"termination-time\"\nof = \"v\"\nbelow = \"100 kbit/s\""),
        "t.toml:25: measure[0].of: 'v' has calls that arrive or end without termination, so terminations do not determine how many are live",
    );
}
