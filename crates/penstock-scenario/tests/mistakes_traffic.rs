//! The exact text of every mistake in flows, routes and measurements.

mod common;
use common::{added, changed, lines, metrics, metrics_of, names, refused, FLOW};
use penstock_model::source::SourcePlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::recovery::RecoveryPlan;
use penstock_scenario::load;

/// The first members of both ends are different nodes, later ones may not be.
#[test]
fn a_later_flow_from_a_node_to_itself() {
    for (from, to, meets) in [("n[2-3]", "n[0-3]", true), ("n[0-3]", "n[2-3]", true), ("n[0-3]", "n[1-2]", false)] {
        let text = format!(
            r#"duration = "1 s"
nodes.n.count = 4
flows = [{{ name = "f", from = "{from}", to = "{to}", source.cbr = {{ rate = "64 kbit/s", packet = "160 bytes" }} }}]
links = [{{ from = "n[0]", to = "n[0]", rate = "1 Mbit/s", delay = "1 ms", queue.tail-drop = {{ limit = "9 packets" }} }}]
"#
        );
        let flow = ["t.toml:3: flows[0].to: flow 2 would begin and end at 'n[2]'"];
        let expected = [&flow[..usize::from(meets)], &["t.toml:4: links[0].to: links 'n[0]' to itself"]].concat();
        assert_eq!(lines(load(&text, "t.toml", &[])), expected, "from {from} to {to}");
    }
}

#[test]
fn flows() {
    refused(
        r#"[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"#,
        "",
        "t.toml:1: there are no [[flows]] and no [[calls]], so nothing would happen; write [[flows]] with name, from, to and source",
    );
    let sources = names(SourcePlan::NAMES);
    refused(FLOW, "", &format!("t.toml:11: flows[0].source: is missing and has no default; one of {sources}"));
    refused(
        FLOW,
        "source.ftp = {}",
        "t.toml:11: flows[0].transport: is missing: source 'ftp' sends as fast as its transport allows; write transport.tcp = {}",
    );
    refused(FLOW, r#"source.ftp = {}
transport.udp = {}"#, "t.toml:16: flows[0].transport: udp would carry source 'ftp' without any limit, as it sends as fast as its transport allows; write transport.tcp = {}");
    added(FLOW, "transport.tcp = {}", "t.toml:16: flows[0].transport: tcp cannot carry source 'cbr', which sends at its own times whatever the network does; leave transport out (udp) or write source.ftp = {}");
    refused(
        r#"to = "b"
source"#,
        r#"to = "a"
source"#,
        "t.toml:14: flows[0].to: flow 0 would begin and end at 'a'",
    );
    added(FLOW, r#"start = "10 s""#, "t.toml:16: flows[0].start: 10 s is not before the end at 10 s, so it would never send");
    added(
        FLOW,
        r#"start = { uniform = ["2 s", "1 s"] }"#,
        "t.toml:16: flows[0].start: runs from 2 s back to 1 s; write the earlier instant first",
    );
    added(
        FLOW,
        r#"start = { normal = ["2 s", "1 s"] }"#,
        r#"t.toml:16: flows[0].start: write start = "0 s" or start = { uniform = ["0 s", "1 s"] }"#,
    );
    added(FLOW, r#"stop = "11 s""#, "t.toml:16: flows[0].stop: 11 s is after the end at 10 s, so it has no effect; leave it out");
    added(
        FLOW,
        r#"start = "2 s"
stop = "2 s""#,
        "t.toml:17: flows[0].stop: 2 s is not after the start at 2 s, so it would never send",
    );
    added(FLOW, "precedence = 4", "t.toml:16: flows[0].precedence: 4 is not a precedence; 0 (the best protected), 1, 2 or 3");
    added(FLOW, "count = 20_000_000", "t.toml:11: flows: 20000000 flows are more than the 16000000 that fit");
    refused(
        "[[flows]]",
        r#"[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
[[flows]]"#,
        "t.toml:17: flows[1].name: a second group called 'f'; give it a name of its own",
    );
    refused(r#"name = "f""#, r#"name = "a-b""#, "t.toml:11: flows[0].name: 'a-b' is the name of a link too; give one of them another name");
}

#[test]
fn routes() {
    refused(
        r#"from = "a"
to = "b"
source"#,
        r#"from = "b"
to = "a"
source"#,
        "t.toml:11: flows[0]: no route from 'b' to 'a': links run one way; add both-ways = true or a link on the way",
    );
    refused(
        FLOW,
        r#"source.ftp = {}
transport.tcp = {}"#,
        "t.toml:11: flows[0]: no route from 'b' to 'a' for acknowledgements: links run one way; add both-ways = true or a link on the way",
    );
    added(FLOW, r#"route = ["a", "hosts[0]", "b"]"#, "t.toml:16: flows[0].route: there is no link from 'a' to 'hosts[0]'");
    added(FLOW, r#"route = ["b", "a"]"#, "t.toml:16: flows[0].route: begins at 'b', but the flow begins at 'a'");
    added(FLOW, r#"route = ["a", "b", "hosts[0]"]"#, "t.toml:16: flows[0].route: ends at 'hosts[0]', but the flow ends at 'b'");
    added(FLOW, r#"route = ["a", "b", "a", "b"]"#, "t.toml:16: flows[0].route: passes 'a' twice");
    added(FLOW, r#"route = ["a"]"#, "t.toml:16: flows[0].route: has fewer than two nodes; write both ends and the nodes between them");
    added(FLOW, r#"route = ["a", "c", "b"]"#, "t.toml:16: flows[0].route[1]: unknown node 'c' (one of a, b, hosts)");
    added(FLOW, r#"route-back = ["b", "a"]"#, "t.toml:16: flows[0].route-back: has no effect: udp sends nothing back; leave it out");
}

#[test]
fn shifts() {
    added(FLOW, "shift = 1", "t.toml:16: flows[0].shift: 'b' has 1 members; a shift must be less than that");
}

#[test]
fn measures() {
    added(
        FLOW,
        r#"[[measure]]
metric = "thruput"
of = "f""#,
        &format!("t.toml:17: measure[0].metric: 'thruput' is not one of {}; did you mean 'throughput'?", metrics(|_| true)),
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "delay"
of = "ff""#,
        "t.toml:18: measure[0].of: unknown group of flows 'ff'; did you mean 'f'? (f)",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "offered"
of = "f""#,
        &format!(
            "t.toml:18: measure[0].of: 'offered' applies to links, but 'f' is a group of flows; metrics for it: {}",
            metrics_of("flows")
        ),
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "delay"
of = "a-b""#,
        &format!("t.toml:18: measure[0].of: 'delay' applies to flows, but 'a-b' is a link; metrics for it: {}", metrics_of("links")),
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "repeated-retransmissions"
of = "f""#,
        "t.toml:18: measure[0].of: 'repeated-retransmissions' applies to tcp, but 'f' is carried by another transport",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "retransmissions"
of = "f""#,
        "t.toml:18: measure[0].of: 'retransmissions' applies to tcp, but 'f' is carried by udp",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "drops"
of = "a-b"
sample = "1 ms""#,
        r#"t.toml:19: measure[0].sample: has no effect: only "queue" and "meter-state" are sampled; leave it out"#,
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = "a-b"
sample = "0 s""#,
        "t.toml:19: measure[0].sample: an interval must be above zero",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = "a-b"
sample = "1 ps""#,
        "t.toml:19: measure[0].sample: must be at least 10 ns",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "meter-state"
of = "a-b"
sample = "1 ms""#,
        "t.toml:18: measure[0].of: 'a-b' has neither a marker nor PCN meters; write marker or pcn on that link, or leave it out",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "meter-state"
of = "a-b""#,
        r#"t.toml:16: measure[0].sample: is missing: give the sampling interval, as in sample = "10 ms""#,
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = "a-b"
sample = "1 min""#,
        "t.toml:19: measure[0].sample: 60 s is longer than the measurement period, so no sample would be taken",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "throughput"
of = "a-b"
per = "flow""#,
        r#"t.toml:19: measure[0].per: 'a-b' has no flows; write per = "link""#,
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "throughput"
of = "f"
per = "flow"
take = ["max"]"#,
        r#"t.toml:20: measure[0].take: has no effect with per = "flow", where every member is a number of its own; leave it out"#,
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "delay"
of = "f"
take = ["sum"]"#,
        "t.toml:19: measure[0].take: 'sum' does not apply to 'delay'; one of mean, max",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "fairness"
of = "f"
take = ["mean"]"#,
        "t.toml:19: measure[0].take: has no effect: 'fairness' is one number over all that `of` names; leave it out",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "fairness"
of = "f"
per = "flow""#,
        "t.toml:19: measure[0].per: fairness is one number over all that `of` names; leave it out",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = "a-b"
by = ["cause"]"#,
        "t.toml:19: measure[0].by: 'cause' does not apply to 'queue', which is split by class, circuit",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "goodput"
of = "f"
by = ["class"]"#,
        "t.toml:19: measure[0].by: has no effect: 'goodput' is not split; leave it out",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "offered"
of = "a-b"
by = ["cause"]"#,
        "t.toml:19: measure[0].by: 'cause' does not apply to 'offered', which is split by precedence, class, ingress",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue""#,
        r#"t.toml:16: measure[0].of: is missing and has no default; write of = "tcp" or ["tcp", "udp"]"#,
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = []"#,
        "t.toml:18: measure[0].of: the list is empty",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "queue"
of = "a-b"
sampel = "1 s""#,
        "t.toml:19: measure[0].sampel: unknown key 'sampel'; did you mean 'sample'? (metric, of, per, take, quantiles, unit, sample, by, sizes, interval, tolerance, between, ...)",
    );
    added(
        FLOW,
        r#"[[measure]]
metric = "delay"
of = ["f", "f"]"#,
        "t.toml:18: measure[0].of: names 'f' twice",
    );
}

#[test]
fn whole_numbers_with_a_point() {
    added(FLOW, "count = 2.0", "t.toml:16: flows[0].count: 2.0 is out of range; a whole number, at least 1");
}

#[test]
fn measures_whose_numbers_would_have_the_same_labels() {
    let differs = |key: &str, line: u32| {
        format!("t.toml:{line}: measure[1].{key}: differs from that of an earlier measurement whose numbers have the same labels; keep one of the two")
    };
    let measure =
        |first: &str, second: &str, expected: &str| added(FLOW, &format!("[[measure]]\n{first}\n[[measure]]\n{second}"), expected);
    let queue = "metric = \"queue\"\nof = \"a-b\"";
    measure(&format!("{queue}\nsample = \"1 ms\""), &format!("{queue}\nsample = \"2 ms\""), &differs("sample", 23));
    let error = "metric = \"ef-error\"\nof = \"a-b\"\nclasses = [\"default\"]";
    measure(&format!("{error}\nrate = \"64 kbit/s\""), &format!("{error}\nrate = \"1 Mbit/s\""), &differs("rate", 25));
    let fair = "metric = \"time-to-fairness\"\nof = \"f\"";
    measure(fair, &format!("{fair}\ntolerance = 0.5"), &differs("tolerance", 22));
    let second = format!("{FLOW}\n[[flows]]\nname = \"g\"\nfrom = \"a\"\nto = \"b\"\n{FLOW}\n[[measure]]\n");
    let of_class = "metric = \"throughput\"\nper = \"class\"\nof = ";
    refused(FLOW, &format!("{second}{of_class}[\"f\"]\n[[measure]]\n{of_class}[\"f\", \"g\"]"), &differs("of", 28));
    let fairness = "metric = \"fairness\"\nof = [\"f\", \"g\"]";
    refused(FLOW, &format!("{second}{fairness}\n[[measure]]\n{fairness}\nbetween = \"groups\""), &differs("between", 27));
    // Equal numbers, and numbers with other labels.
    let text = |measures: &str| load(&changed(FLOW, &format!("{second}{measures}")), "t.toml", &[]);
    assert!(text(&format!("{queue}\n[[measure]]\n{queue}\nsample = \"2 ms\"")).is_ok());
    assert!(text(&format!("{of_class}[\"f\", \"g\"]\n[[measure]]\n{of_class}[\"g\", \"f\"]")).is_ok());
    assert!(text(&format!("{fair}\n[[measure]]\nmetric = \"time-to-fairness\"\nof = \"g\"\ntolerance = 0.5")).is_ok());
}

#[test]
fn measures_of_spans() {
    let measure = |lines: &str, expected: &str| added(FLOW, &format!("[[measure]]\n{lines}"), expected);
    measure(
        "metric = \"loss\"\nof = \"f\"\nquantiles = [0.5]",
        &format!(
            "t.toml:19: measure[0].quantiles: has no effect: only {} have them; leave it out",
            metrics(|metric| metric["quantiles"] == true)
        ),
    );
    measure(
        "metric = \"delay\"\nof = \"f\"\nquantiles = [0.5, 1.5]",
        "t.toml:19: measure[0].quantiles: item 1: 1.5 is out of range; between 0 and 1",
    );
    measure(
        "metric = \"wait\"\nof = \"a-b\"\nunit = \"packet-time\"",
        "t.toml:19: measure[0].unit: has no effect: 'wait' has one unit only; leave it out",
    );
    measure(
        "metric = \"jitter\"\nof = \"f\"\nper = \"class\"\nunit = \"packet-time\"",
        "t.toml:20: measure[0].unit: groups of one class may have other packet times; leave it out or measure per group",
    );
    measure("metric = \"wait\"\nof = \"a-b\"\nper = \"class\"", "t.toml:19: measure[0].per: 'a-b' is a link; write by = [\"class\"]");
    measure(
        "metric = \"throughput\"\nof = \"f\"\nby = [\"class\"]",
        "t.toml:19: measure[0].by: 'f' is not a link; write per = \"class\" or leave it out",
    );
    measure(
        "metric = \"page-time\"\nof = \"f\"",
        "t.toml:18: measure[0].of: 'page-time' applies to source http, but 'f' has another source",
    );
    measure(
        "metric = \"completion-time\"\nof = \"f\"",
        "t.toml:18: measure[0].of: 'completion-time' applies to source ftp with a size, but 'f' has another source",
    );
    measure(
        "metric = \"slowdown\"\nof = \"f\"",
        "t.toml:18: measure[0].of: 'slowdown' applies to source ftp with a size, but 'f' has another source",
    );
    measure("metric = \"timeouts\"\nof = \"f\"", "t.toml:18: measure[0].of: 'timeouts' applies to tcp, but 'f' is carried by udp");
    measure(
        "metric = \"delay\"\nof = \"f\"\nsizes = [\"1 kB\"]",
        "t.toml:19: measure[0].sizes: has no effect: only completion-time, slowdown and transfers are reported by size; leave it out",
    );
    measure(
        "metric = \"completion-time\"\nof = \"f\"\nsizes = [\"1 kB\", \"1000 bytes\"]",
        "t.toml:19: measure[0].sizes: item 1 is not above the previous one; write them in ascending order",
    );
    refused(
        FLOW,
        "source.poisson = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n[[measure]]\nmetric = \"jitter\"\nof = \"f\"\nunit = \"packet-time\"",
        "t.toml:19: measure[0].unit: 'f' has no packet time: only cbr flows keep a spacing; leave it out",
    );
}

#[test]
fn measures_of_expedited_traffic() {
    let measure =
        |lines: &str, expected: &str| added(FLOW, &format!("[[measure]]\nmetric = \"ef-error\"\nof = \"a-b\"\n{lines}"), expected);
    measure(
        "classes = [\"default\"]",
        "t.toml:16: measure[0].rate: is missing: give the rate of the ideal server, as in rate = \"450 kbit/s\"",
    );
    measure("rate = \"1 Mbit/s\"", "t.toml:16: measure[0].classes: is missing: name the classes, as in classes = [\"ef\"]");
    measure("rate = \"1 Mbit/s\"\nclasses = [\"ef\"]", "t.toml:20: measure[0].classes: unknown class 'ef' (one of default)");
    added(
        FLOW,
        "[[measure]]\nmetric = \"wait\"\nof = \"a-b\"\nrate = \"1 Mbit/s\"",
        "t.toml:19: measure[0].rate: has no effect: only metric = \"ef-error\" uses it; leave it out",
    );
    added(
        FLOW,
        "[[measure]]\nmetric = \"ef-error\"\nof = \"f\"\nrate = \"1 Mbit/s\"\nclasses = [\"default\"]",
        &format!(
            "t.toml:18: measure[0].of: 'ef-error' applies to links, but 'f' is a group of flows; metrics for it: {}",
            metrics_of("flows")
        ),
    );
}

/// `FLOW` with a transfer over this TCP.
fn tcp_refused(tcp: &str, expected: &str) {
    refused(FLOW, &format!("source.ftp = {{}}\ntransport.tcp = {tcp}"), expected);
}

#[test]
fn parameter_changes_of_flows() {
    let wrong = |transport: &str, change: &str, told: &str| {
        refused(FLOW, &format!("{transport}\nparameter-changes = [ {{ at = \"1 s\", {change} }} ]"), told);
    };
    let cubic = "source.ftp = {}\ntransport.tcp = { congestion-control.cubic = {} }";
    let place = "t.toml:17: flows[0].parameter-changes[0].parameter";
    wrong(
        cubic,
        r#"parameter = "transport.tcp.congestion-control.cubic.hystart", value = true"#,
        &format!("{place}: transport: 'hystart' cannot be changed during a run; one of c, beta"),
    );
    wrong(
        cubic,
        r#"parameter = "transport.tcp.congestion-control.cubic.beta", value = 1.5"#,
        "t.toml:17: flows[0].transport.tcp.congestion-control.cubic.beta: 1.5 is out of range; between 0 and 1 (from 1 s on, by parameter-changes[0])",
    );
    wrong(
        cubic,
        r#"parameter = "transport.tcp.congestion-control.cubik.beta", value = 0.5"#,
        &format!(
            "{place}: 'transport.tcp.congestion-control.cubik.beta' is not written, since 'transport.tcp.congestion-control' has no 'cubik'; \
             did you mean 'cubic'?"
        ),
    );
    wrong(
        "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }",
        r#"parameter = "transport.tcp.congestion-control.cubic.beta", value = 0.5"#,
        "t.toml:16: flows[0].parameter-changes[0].parameter: 'transport.tcp.congestion-control.cubic.beta' is not written, since this flow has no 'transport'",
    );
}

#[test]
fn congestion_controls_and_recoveries() {
    let controls = names(CongestionControlPlan::NAMES);
    tcp_refused(
        r#"{ variant = "sack", recovery.reno = {} }"#,
        "t.toml:16: flows[0].transport.tcp.variant: 'sack' repairs losses by recovery.sack, but recovery.reno is given; keep one",
    );
    tcp_refused(
        r#"{ variant = "sack", congestion-control.cubic = {} }"#,
        "t.toml:16: flows[0].transport.tcp.variant: 'sack' has congestion-control.reno, but congestion-control.cubic is given; write recovery.sack = {} in its place",
    );
    tcp_refused(
        r#"{ partial-ack-timer = "every", recovery = "new-reno" }"#,
        "t.toml:16: flows[0].transport.tcp.partial-ack-timer: has no effect with recovery, which has one of its own; write recovery.new-reno = { partial-ack-timer = ... }",
    );
    tcp_refused(
        r#"{ congestion-control.reno = { beta = 0.5 } }"#,
        "t.toml:16: flows[0].transport.tcp.congestion-control.reno.beta: unknown key 'beta' (one of halving, byte-counting-limit, arithmetic, acks-per-increase, increase, decrease, ecn-decrease)",
    );
    tcp_refused(r#"{ congestion-control.cubic = { partial-ack-timer = "every" } }"#, "t.toml:16: flows[0].transport.tcp.congestion-control.cubic.partial-ack-timer: unknown key 'partial-ack-timer' (one of c, beta, fast-convergence, ecn-beta, hystart, hystart-algorithm, byte-counting-limit, reno-friendly, arithmetic, tick)");
    tcp_refused(
        r#"{ congestion-control.cubics = {} }"#,
        &format!(
            "t.toml:16: flows[0].transport.tcp.congestion-control: unknown congestion control 'cubics'; did you mean 'cubic'? ({controls})"
        ),
    );
    tcp_refused(
        r#"{ congestion-control.sack = {} }"#,
        &format!("t.toml:16: flows[0].transport.tcp.congestion-control: 'sack' is a recovery, written recovery.sack = {{ ... }}, and this is for a congestion control, one of {controls}"),
    );
    tcp_refused(
        r#"{ recovery.cubic = {} }"#,
        &format!(
            "t.toml:16: flows[0].transport.tcp.recovery: 'cubic' is a congestion control, written congestion-control.cubic = {{ ... }}, and this is for a recovery, one of {}",
            names(RecoveryPlan::NAMES)
        ),
    );
    tcp_refused(
        r#"{ congestion-control.cubic = { beta = 1 } }"#,
        "t.toml:16: flows[0].transport.tcp.congestion-control.cubic.beta: 1 is out of range; above 0 and below 1",
    );
    tcp_refused(r#"{ ecn = "ect-0" }"#, "t.toml:16: flows[0].transport.tcp.ecn: 'ect-0' is neither true nor false");
    added(
        FLOW,
        r#"transport.udp = { congestion-control.cubic = {} }"#,
        "t.toml:16: flows[0].transport.udp.congestion-control: unknown key 'congestion-control' (one of header, ecn)",
    );
    added(FLOW, r#"transport.udp = { ecn = true }"#, "t.toml:16: flows[0].transport.udp.ecn: true is not one of not-ect, ect-0, ect-1");
}

#[test]
fn series_on_change() {
    added(
        FLOW,
        "[[series]]\nof = \"f\"\nwhat = \"goodput\"\non = \"change\"",
        "t.toml:18: series[0].what: 'goodput' describes the time between two samples, so it has no value on change; write every = \"100 ms\" instead of on = \"change\", or leave 'goodput' out",
    );
}
