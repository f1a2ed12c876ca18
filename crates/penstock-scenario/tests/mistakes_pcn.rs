//! Meters, marks and schemes that do not fit each other: mistakes, and warnings about valid scenarios.

mod common;
use common::{changed, LINK};
use penstock_scenario::{load, Mistake};

/// Aggregates with calls that arrive; admission and termination follow after it.
const CALLS: &str = r#"[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
arrivals.poisson = { interval = "1 s" }
holding.fixed = { time = "3 s" }
"#;

const STM: &str = "pcn.single-threshold = { admissible-rate = \"400 kbit/s\", supportable-rate = \"800 kbit/s\" }";
const FRACTIONAL: &str = "pcn.fractional = { admissible-rate = \"400 kbit/s\", supportable-rate = \"800 kbit/s\" }";
const QUEUE: &str = "pcn.virtual-queue = { admissible-rate = \"400 kbit/s\" }";
const PRE_EMPTION: &str = "pcn.pre-emption = { supportable-rate = \"800 kbit/s\" }";
const THRESHOLD: &str = "pcn.threshold = { rate = \"400 kbit/s\", size = \"20 ms\", threshold = \"10 ms\" }";
const EXCESS: &str = "pcn.excess = { rate = \"800 kbit/s\", size = \"5 ms\" }";
const ONE_IN_THREE: &str = "pcn.excess = { rate = \"800 kbit/s\", size = \"5 ms\", mark-every = 3 }";

/// The messages about `text`: mistakes, or the warnings of a sound scenario with `warning: ` before each.
fn said_of(text: &str) -> String {
    let lines: Vec<String> = match load(text, "t.toml", &[]) {
        Ok(scenario) => scenario.warnings().iter().map(|warning| format!("warning: {warning}")).collect(),
        Err(mistakes) => mistakes.iter().map(Mistake::to_string).collect(),
    };
    lines.join("\n")
}

/// The messages about a link with these meters and about calls with this line.
fn said(meters: &[&str], line: &str) -> String {
    said_of(&(changed(LINK, &format!("{LINK}\n{}", meters.join("\n"))) + CALLS + line + "\n"))
}

/// The same without places and paths.
fn said_briefly(meters: &[&str], line: &str) -> String {
    let said = said(meters, line);
    let is_warning = if said.starts_with("warning: ") { "warning: " } else { "" };
    said.split_once(" 'v', ").map_or(said.clone(), |(_, rest)| format!("{is_warning}{rest}"))
}

#[test]
fn schemes_and_the_meters_they_are_made_for() {
    for (meters, edges) in [
        (&[STM][..], "admission.cle = { threshold = 0.1 }\ntermination.single-threshold = {}"),
        (&[FRACTIONAL], "admission.cle = { threshold = 0.1 }\ntermination.single-threshold = {}"),
        (&[QUEUE, PRE_EMPTION], "admission.cle = { threshold = 0.5 }\ntermination.cl = {}"),
        (&[EXCESS], "admission.cle = { threshold = 0.5 }\ntermination.sm = {}"),
        (&[THRESHOLD, EXCESS], "admission.rfc-6661 = {}\ntermination.rfc-6661 = {}"),
        (&[EXCESS], "admission.rfc-6662 = {}\ntermination.rfc-6662 = {}"),
        (&[THRESHOLD, ONE_IN_THREE], "admission.cle = { threshold = 0.05 }\ntermination.marked-flow = {}"),
        (&[PRE_EMPTION], "termination.marked-flow = {}"),
        (&[STM], "admission.count = { limit = 3 }"),
    ] {
        assert_eq!(said(meters, edges), "", "{meters:?} {edges}");
    }
}

#[test]
fn marks_that_nobody_sets() {
    assert_eq!(
        said(&[QUEUE, STM], "termination.cl = {}"),
        "t.toml:25: calls[0].termination.cl: on the routes of 'v', nothing sets excess-traffic marks, the only ones that it looks at; write pcn.excess or pcn.pre-emption"
    );
    let excess = "nothing sets excess-traffic marks, the only ones that it looks at; write pcn.excess or pcn.pre-emption";
    assert_eq!(said_briefly(&[THRESHOLD], "termination.rfc-6661 = {}"), excess);
    assert_eq!(said_briefly(&[THRESHOLD], "termination.rfc-6662 = {}"), excess);
    assert_eq!(said_briefly(&[THRESHOLD], "termination.marked-flow = {}"), excess);
    assert_eq!(said_briefly(&[STM], "admission.cle = { threshold = 0.1, marks = \"excess\" }"), excess);
    assert_eq!(
        said_briefly(&[EXCESS], "admission.cle = { threshold = 0.1, marks = \"threshold\" }"),
        "nothing sets threshold marks, the only ones that it looks at; write pcn.threshold or leave marks out"
    );
}

#[test]
fn marks_that_say_something_else() {
    for (meters, edges, expected) in [
        (
            &[THRESHOLD][..],
            "termination.single-threshold = {}",
            "'threshold' marks every packet above its rate, so calls would end down to that rate; it is made for pcn.single-threshold or pcn.fractional",
        ),
        (
            &[PRE_EMPTION],
            "termination.single-threshold = {}",
            "'pre-emption' marks only what exceeds its rate, so that long runs of marked packets are rare; it is made for pcn.single-threshold or pcn.fractional",
        ),
        (
            &[PRE_EMPTION],
            "admission.cle = { threshold = 0.1 }",
            "only pre-emption marks, so calls would be admitted up to the supportable rate; write pcn.virtual-queue too",
        ),
        (
            &[EXCESS],
            "admission.rfc-6661 = {}",
            "nothing sets threshold marks, by which RFC 6661 admits: calls would be refused only once 'excess' marks; write pcn.threshold too",
        ),
        (
            &[STM],
            "admission.rfc-6662 = {}",
            "nothing sets excess-traffic marks, by which RFC 6662 admits ('single-threshold' does not); write pcn.excess instead",
        ),
        (
            &[QUEUE, PRE_EMPTION],
            "termination.cl = { marks = \"any\" }",
            "'virtual-queue' sets threshold marks, which do not say how much exceeds the rate, so that all calls may end; write marks = \"excess\"",
        ),
        (
            &[THRESHOLD, EXCESS],
            "termination.sm = {}",
            "'threshold' sets threshold marks, which do not say how much exceeds the rate, so that all calls may end; write pcn.excess alone",
        ),
        (
            &[PRE_EMPTION],
            "termination.rfc-6662 = {}",
            "pre-emption marks above the supportable rate, and u times that would stay; write pcn.excess at the admissible rate",
        ),
    ] {
        assert_eq!(said_briefly(meters, edges), format!("warning: {expected}"), "{meters:?} {edges}");
    }
}

#[test]
fn excess_that_is_not_marked_misleads_whoever_measures() {
    let late = "warning: mark-every above 1 leaves excess unmarked, so that the marked share is too low and calls are admitted late; leave mark-every out";
    for edges in
        ["admission.rfc-6662 = {}", "admission.cle = { threshold = 0.05 }", "admission.cle = { threshold = 0.05, marks = \"excess\" }"]
    {
        assert_eq!(said_briefly(&[ONE_IN_THREE], edges), late, "{edges}");
    }
    let few = "warning: mark-every above 1 leaves excess unmarked, which is measured as sustainable, so that too few calls may end; leave mark-every out";
    for edges in ["termination.cl = {}", "termination.sm = {}", "termination.rfc-6661 = {}", "termination.rfc-6662 = {}"] {
        assert_eq!(said_briefly(&[ONE_IN_THREE], edges), few, "{edges}");
    }
    // Threshold marks still give the load.
    assert_eq!(said_briefly(&[THRESHOLD, ONE_IN_THREE], "admission.rfc-6661 = {}"), "");
    assert_eq!(said_briefly(&[THRESHOLD, ONE_IN_THREE], "admission.cle = { threshold = 0.05, marks = \"excess\" }"), late);
    assert_eq!(said_briefly(&[THRESHOLD, ONE_IN_THREE], "termination.rfc-6661 = {}"), few);
}

#[test]
fn aggregates_that_pass_no_meter() {
    // Two of the four ingresses have a metered way.
    let link =
        |from: &str, meter: &str| format!("[[links]]\nfrom = \"{from}\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n{meter}\n");
    let network = |second: &str| {
        let links: String = (0..4).map(|i| link(&format!("hosts[{i}]"), if i < 2 { STM } else { second })).collect();
        let calls = CALLS.replace("from = \"a\"", "from = \"hosts\"");
        said_of(&format!("{}{links}{calls}admission.cle = {{ threshold = 0.1 }}\ntermination.single-threshold = {{}}\n", common::BASE))
    };
    assert_eq!(network(STM), "");
    assert_eq!(
        network(""),
        "warning: t.toml:47: calls[0].admission: no link on the route of v[2] and of another aggregate has a PCN meter, so none of those calls is ever refused\n\
         warning: t.toml:48: calls[0].termination: no link on the route of v[2] and of another aggregate has a PCN meter, so none of those calls is ever terminated"
    );
    assert_eq!(
        network(EXCESS),
        "warning: t.toml:48: calls[0].termination.single-threshold: on the route of v[2] and of another aggregate, 'excess' marks only what exceeds its rate, so that long runs of marked packets are rare; it is made for pcn.single-threshold or pcn.fractional"
    );
}

#[test]
fn a_level_above_what_a_meter_marks_is_doubted() {
    let bound = |share: &str, threshold: &str| {
        format!("warning: t.toml:24: calls[0].admission.cle.threshold: {threshold} is above {share}, the share that is marked on a-b at its admissible rate (1/N x admissible rate / supportable rate), so calls would be admitted beyond that rate")
    };
    let cle = |threshold: &str| format!("admission.cle = {{ threshold = {threshold} }}");
    // A third of one half, and a third.
    assert_eq!(said(&[STM], &cle("0.1666")), "");
    assert_eq!(said(&[STM], &cle("0.17")), bound("0.1667", "0.17"));
    assert_eq!(said(&[FRACTIONAL], &cle("0.33")), "");
    assert_eq!(said(&[FRACTIONAL], &cle("0.34")), bound("0.3333", "0.34"));
    let all = STM.replace(" }", ", counted = \"arrivals\" }");
    assert_eq!(said(&[&all], &cle("0.33")), "");
    assert_eq!(said(&[&all], &cle("0.34")), bound("0.3333", "0.34"));
    // Over two links the smaller bound counts: a third of 400/800, and of 300/900.
    let second = "[[links]]\nfrom = \"b\"\nto = \"hosts[0]\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\npcn.single-threshold = { admissible-rate = \"300 kbit/s\", supportable-rate = \"900 kbit/s\" }\n";
    let calls = CALLS.replace("to = \"b\"", "to = \"hosts[0]\"");
    let text = changed(LINK, &format!("{LINK}\n{STM}")) + second + &calls + &cle("0.12") + "\n";
    assert_eq!(
        said_of(&text),
        "warning: t.toml:30: calls[0].admission.cle.threshold: 0.12 is above 0.1111, the share that is marked on b-hosts[0] at its admissible rate (1/N x admissible rate / supportable rate), so calls would be admitted beyond that rate"
    );
}

#[test]
fn rates_out_of_order_in_one_meter_and_in_two() {
    let two = |meters: [&str; 2]| said(&meters, "").replace("t.toml:11: links[0].pcn.", "").replace("t.toml:12: links[0].pcn.", "");
    let slow = |meter: &str| meter.replace("800 kbit/s", "300 kbit/s");
    let order = "400 kbit/s is above the supportable-rate of pre-emption, 300 kbit/s; calls would end before others are refused";
    assert_eq!(two([QUEUE, &slow(PRE_EMPTION)]), format!("virtual-queue.admissible-rate: {order}"));
    assert_eq!(two([&slow(PRE_EMPTION), QUEUE]), format!("virtual-queue.admissible-rate: {order}"));
    assert_eq!(
        two([THRESHOLD, &slow(EXCESS)]),
        "threshold.rate: 400 kbit/s is above the rate of excess, 300 kbit/s; calls would end before others are refused"
    );
    assert_eq!(
        two([QUEUE, &STM.replace("400 kbit/s", "200 kbit/s").replace("800 kbit/s", "300 kbit/s")]),
        "virtual-queue.admissible-rate: 400 kbit/s is above the supportable-rate of single-threshold, 300 kbit/s; calls would end before others are refused"
    );
    for meter in [STM, FRACTIONAL] {
        let line = said(&[&slow(meter)], "");
        assert!(line.ends_with(".admissible-rate: 400 kbit/s is above supportable-rate, 300 kbit/s"), "{line}");
    }
    // Equal rates are in order.
    assert_eq!(said(&[QUEUE, &PRE_EMPTION.replace("800 kbit/s", "400 kbit/s")], ""), "");
}

#[test]
fn thresholds_out_of_order() {
    let with = |meter: &str, more: &str| said(&[&meter.replace(" }", &format!(", {more} }}"))], "");
    for (meter, more, expected) in [
        (STM, "switch-threshold = \"20 ms\"", "single-threshold.switch-threshold: 20 ms is not below switch-size, 20 ms"),
        // 400 kbit/s bring 1000 bytes in 20 ms, and 800 kbit/s bring 1000 in 10 ms.
        (STM, "switch-threshold = \"1 kB\"", "single-threshold.switch-threshold: 1000 bytes is not below switch-size, 20 ms"),
        (STM, "marking-size = \"8 ms\"", "single-threshold.marking-threshold: 8 ms is not below marking-size, 8 ms"),
        (FRACTIONAL, "fractional-size = \"10 ms\"", "fractional.fractional-threshold: 10 ms is not below fractional-size, 10 ms"),
        (FRACTIONAL, "marking-threshold = \"1 kB\"", "fractional.marking-threshold: 1000 bytes is not below marking-size, 10 ms"),
        (QUEUE, "min-threshold = \"16 ms\"", "virtual-queue.max-threshold: 15 ms is below min-threshold, 16 ms"),
        (
            QUEUE,
            "upper-limit = \"14 ms\"",
            "virtual-queue.upper-limit: 14 ms is below max-threshold, 15 ms, which the queue then never reaches",
        ),
    ] {
        assert_eq!(with(meter, more), format!("t.toml:11: links[0].pcn.{expected}"));
    }
    let threshold = THRESHOLD.replace("threshold = \"10 ms\"", "threshold = \"30 ms\"");
    assert_eq!(said(&[&threshold], ""), "t.toml:11: links[0].pcn.threshold.threshold: 30 ms is not below size, 20 ms");
}

#[test]
fn shares_outside_of_nought_to_one() {
    for (edge, key) in [
        ("admission.cle", "threshold"),
        ("admission.rfc-6661", "cle-limit"),
        ("admission.rfc-6662", "cle-limit"),
        ("termination.single-threshold", "extra"),
        ("termination.cl", "trigger-margin"),
        ("termination.cl", "cut-margin"),
        ("termination.rfc-6662", "cle-limit"),
    ] {
        for (value, shown) in [("1.5", "1.5"), ("-0.1", "-0.1"), ("\"150 %\"", "1.5")] {
            let line = said(&[THRESHOLD, EXCESS], &format!("{edge} = {{ {key} = {value} }}"));
            assert_eq!(line, format!("t.toml:25: calls[0].{edge}.{key}: {shown} is out of range; between 0 and 1"));
        }
    }
}

#[test]
fn aggregates_without_an_ingress() {
    let calls = |old: &str, new: &str| said_of(&(common::BASE.to_owned() + &CALLS.replace(old, new)));
    assert_eq!(calls("from = \"a\"\n", ""), "t.toml:16: calls[0].from: is missing and has no default; write from = \"name of a node\"");
    assert_eq!(calls("from = \"a\"", "from = \"ingress\""), "t.toml:18: calls[0].from: unknown node 'ingress' (one of a, b, hosts)");
    assert_eq!(
        calls("from = \"a\"", "from = \"hosts\""),
        "t.toml:16: calls[0]: no route from 'hosts[0]' to 'b': links run one way; add both-ways = true or a link on the way"
    );
}
