//! Packets that take time to their ingress, and calls that begin together later: small runs, counted by hand.

mod common;
use common::{added, sound, BASE, FLOW};
use penstock_engine::observations::Observations;
use penstock_engine::Sim;
use penstock_scenario::ValidScenario;

/// One call that sends at 0, 20, 40, 60 and 80 ms and ends at 90 ms.
const CALL: &str = r#"[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes", phase = "zero" }
holding.fixed = { time = "90 ms" }
initial = { calls = 1, spread = "1 ps" }
"#;

fn scenario(lines: &str) -> ValidScenario {
    let (before, _) = BASE.split_once("[[flows]]").expect("the base has flows");
    sound(&format!("{before}{CALL}{lines}\n"), &[])
}

fn seen(lines: &str) -> Observations {
    Sim::new(scenario(lines).blueprint(None, 0)).expect("validated").run()
}

fn sent(lines: &str) -> u64 {
    seen(lines).flows[0].sent.packets
}

#[test]
fn packets_under_way_outlive_their_call_or_not() {
    assert_eq!(sent(""), 5);
    assert_eq!(sent("delay = { added = \"30 ms\" }"), 5);
    // The packets of 0, 20 and 40 ms pass the delay before the call ends at 90 ms. The packet of 60 ms does so only with the shorter
    // delay.
    assert_eq!(sent("delay = { added = \"31 ms\", at-end = \"lost\" }"), 3);
    assert_eq!(sent("delay = { added = \"29 ms\", at-end = \"lost\" }"), 4);
}

#[test]
fn random_delays_change_the_order_unless_it_is_kept() {
    let lines = |kept: bool| format!("delay = {{ added = {{ uniform = [\"0 ms\", \"50 ms\"] }}, keep-order = {kept} }}");
    let (free, kept) = (seen(&lines(false)), seen(&lines(true)));
    assert_eq!((free.flows[0].received.packets, kept.flows[0].received.packets), (5, 5));
    assert_ne!(free.digest, kept.digest);
}

#[test]
fn a_surge_begins_in_the_same_aggregate() {
    // 20 ms spacing and 90 ms each: five packets a call, in one aggregate.
    let seen = seen("surge = { at = \"1 s\", calls = 3, spread = \"1 ps\" }");
    assert_eq!((seen.flows.len(), seen.flows[0].sent.packets, seen.calls[0].1.live_at_end), (1, 20, 0));
    // 90 ms of one call and 90 ms of three.
    assert_eq!(seen.calls[0].1.live_ps, 360_000_000_000);
}

#[test]
fn what_surges_and_delays_need() {
    let calls = |line: &str, expected: &str| {
        let own = CALL.replace("holding.fixed = { time = \"90 ms\" }\n", "");
        added(FLOW, &format!("{own}{line}"), expected);
    };
    calls(
        "surge = { at = \"10 s\", calls = 3 }",
        "t.toml:22: calls[0].surge.at: 10 s and the spread of 20 ms must lie between the start at 0 s and the stop at 10 s",
    );
    calls(
        "delay = { added = \"5 ms\", keep-order = true }",
        "t.toml:22: calls[0].delay.keep-order: has no effect with a fixed delay, which keeps the order anyway; leave it out",
    );
}
