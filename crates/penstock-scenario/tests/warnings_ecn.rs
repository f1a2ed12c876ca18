//! Warnings about ECN-capable transports over queues that never mark.

mod common;
use common::{FLOW, LINK};

/// The warnings about a scenario with the transport `transport` over the queue `queue`.
fn warnings(transport: &str, queue: &str) -> Vec<String> {
    let (source, more) = if transport.starts_with("udp") { (FLOW, "") } else { ("source.ftp = {}", "both-ways = true\n") };
    let text = common::changed(FLOW, &format!("{source}\ntransport.{transport}")).replacen(LINK, &format!("{LINK}\n{more}{queue}"), 1);
    common::sound(&text, &[]).warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn ecn_capable_transports_over_queues_that_never_mark() {
    const NONE: &str = "has no effect: no queue on the way marks; \
        write ecn = true at a queue that can (red, adaptive-red, red-n, codel, pie, pi2, cobalt), choose one that always does (red-marking, step-marking), or leave it out";
    let red = |ecn| {
        let thresholds = r#"min-threshold = "20 packets", max-threshold = "40 packets", max-probability = 0.1"#;
        format!(r#"queue.red = {{ limit = "60 packets", {thresholds}, ecn = {ecn} }}"#)
    };
    for (transport, line, capable) in [
        ("tcp = { ecn = true }", 13, "tcp"),
        (r#"tcp = { ecn = true, congestion-control = "dctcp" }"#, 13, "tcp"),
        (r#"udp = { ecn = "ect-0" }"#, 12, "udp"),
        (r#"udp = { ecn = "ect-1" }"#, 12, "udp"),
    ] {
        for queue in [r#"queue.tail-drop = { limit = "60 packets" }"#, &red(false)] {
            let expected = format!("t.toml:{line}: flows[0].transport.{capable}.ecn: {NONE}");
            assert_eq!(warnings(transport, queue), [expected], "{transport}, {queue}");
        }
        for queue in [&red(true), r#"queue.codel = { ecn = true }"#, r#"queue.step-marking = { threshold = "20 packets" }"#] {
            assert_eq!(warnings(transport, queue), [""; 0], "{transport}, {queue}");
        }
    }
    for transport in ["tcp = {}", "udp = {}", r#"udp = { ecn = "not-ect" }"#] {
        assert_eq!(warnings(transport, r#"queue.tail-drop = { limit = "60 packets" }"#), [""; 0], "{transport}");
    }
}

#[test]
fn a_rate_control_that_needs_marks_over_queues_that_never_mark() {
    let drops = r#"queue.tail-drop = { limit = "60 packets" }"#;
    let expected =
        "t.toml:13: flows[0].transport.roce.rate-control.dcqcn: has no effect: no queue on the way marks; write ecn = true at a \
                    queue that can (red, adaptive-red, red-n, codel, pie, pi2, cobalt), choose one that always does (red-marking, step-marking), or write \
                    rate-control = \"fixed\"";
    assert_eq!(warnings("roce = {}", drops), [expected]);
    assert_eq!(warnings("roce = {}", "queue.red-marking = {}"), [""; 0]);
    assert_eq!(warnings(r#"roce = { rate-control = "fixed" }"#, drops), [""; 0]);
}

#[test]
fn a_receiver_without_the_feedback_that_the_control_needs() {
    let codel = "queue.codel = { ecn = true }";
    let told = |control: &str, echo: &str| {
        let transport = format!(r#"tcp = {{ ecn = true, congestion-control = "{control}", ecn-echo = "{echo}" }}"#);
        warnings(&transport, codel)
    };
    let place = "t.toml:13: flows[0].transport.tcp.ecn-echo: the receiver has no";
    let falls_back = "so congestion-control.prague falls back to congestion-control.reno";
    assert_eq!(told("prague", "rfc-3168"), [format!("{place} AccECN, {falls_back} with ECT(0)")]);
    assert_eq!(told("prague", "rfc-8257"), [format!("{place} AccECN, {falls_back} with ECT(0)")]);
    assert_eq!(told("prague", "none"), [format!("{place} ECN, {falls_back} without ECN")]);
    assert_eq!(told("dctcp", "none"), [format!("{place} ECN, so congestion-control.dctcp gets no marks")]);
    for (control, echo) in [("prague", "accecn"), ("dctcp", "rfc-3168"), ("cubic", "none"), ("cubic", "accecn")] {
        assert_eq!(told(control, echo), [""; 0], "{control}, {echo}");
    }
}

/// One link that marks on the route of one member is enough; the route back does not count.
#[test]
fn one_marking_queue_on_the_way_of_a_member_is_enough() {
    let text = |there: &str, back: &str| {
        format!(
            r#"duration = "10 s"
[nodes]
hosts = {{ count = 2 }}
r = {{}}
sink = {{}}
[[links]]
from = "hosts"
to = "r"
rate = "1 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "sink"
rate = "1 Mbit/s"
delay = "1 ms"
{there}
[[links]]
from = "sink"
to = "r"
rate = "1 Mbit/s"
delay = "1 ms"
{back}
[[flows]]
name = "f"
from = "hosts"
to = "sink"
count = 2
source.ftp = {{}}
transport.tcp.ecn = true
"#
        )
    };
    let count = |there, back| common::sound(&text(there, back), &[]).warnings().len();
    let codel = "queue.codel = { ecn = true }";
    assert_eq!((count("", ""), count(codel, ""), count("", codel)), (1, 0, 1));
}
