//! The exact text of every mistake at the top, in the network and in its ports.

mod common;
use common::{added, changed, class_schedulers, names, refused, sound, LINK, TOP};
use penstock_engine::Sim;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::scheduler::SchedulerPlan;

#[test]
fn settings_of_the_whole() {
    refused(TOP, "", r#"t.toml:1: duration: is missing and has no default; write duration = "10 s""#);
    refused(r#""10 s""#, "5", r#"t.toml:1: duration: 5 has no unit; write "5 s""#);
    refused(r#""10 s""#, r#""5""#, r#"t.toml:1: duration: 5 has no unit; write "5 s" (units: s, ms, us, ns, ps, min)"#);
    refused(r#""10 s""#, r#""0 s""#, "t.toml:1: duration: a run must last longer than 0 s");
    refused(r#""10 s""#, r#""18000000 s""#, "t.toml:1: duration: 18000000 s is longer than any run; at most 200 days");
    added(TOP, r#"warm-up = "10 s""#, "t.toml:2: warm-up: 10 s is not before the end at 10 s, so nothing would be counted");
    added(TOP, r#"warmup = "1 s""#, "t.toml:2: warmup: unknown key 'warmup'; did you mean 'warm-up'? (description, duration, warm-up, seed, ties, routing, use, nodes, links, flows, calls, transfers, ...)");
    added(TOP, "seed = -1", "t.toml:2: seed: -1 is not a seed; a whole number, 0 or more");
    added(TOP, r#"ties = "randon""#, "t.toml:2: ties: 'randon' is not one of scenario, random; did you mean 'random'?");
    added(TOP, "description = 3", "t.toml:2: description: 3 is not a text; write it in quotes");
    refused("[[links]]", "[links]", "t.toml:6: links: is a list of tables; write [[links]]");
}

#[test]
fn what_is_not_toml() {
    refused("duration =", "duration", "t.toml:1: this is not TOML: key with no value, expected `=`");
    added(TOP, r#"duration = "10 s""#, "t.toml:2: this is not TOML: duplicate key");
    added(TOP, "seed = 99999999999999999999", "t.toml:2: 99999999999999999999 is too large; whole numbers go up to 9223372036854775807");
    refused(r#""10 s""#, r#""10 s"#, r#"t.toml:1: this is not TOML: invalid basic string, expected `"`"#);
}

#[test]
fn nodes() {
    refused(
        r#"[nodes]
a = {}
b = {}
hosts = { count = 4 }
"#,
        "",
        "t.toml:1: there are no [nodes]; write [nodes] and a line such as r1 = {} for each",
    );
    refused(
        "hosts =",
        "\"gro\u{308}sse\" =",
        "t.toml:5: nodes.gro\u{308}sse: 'gro\u{308}sse' cannot be a name, since it has an accent as a character of its own, U+0308; \
         write a letter with its accent as one character (Unicode NFC)",
    );
    refused("hosts =", r#""my hosts" ="#, "t.toml:5: nodes.my hosts: 'my hosts' cannot be a name; use letters, digits, '-' and '_'");
    refused("count = 4", "count = 0", "t.toml:5: nodes.hosts.count: 0 is out of range; a whole number, at least 1");
    refused("count = 4", "count = 17_000_000", "t.toml:2: nodes: 17000002 nodes are more than the 16000000 that fit");
    refused(
        "count = 4",
        "size = 4",
        "t.toml:5: nodes.hosts.size: unknown key 'size' (one of count, latency, cell-switch, real, buffer, pause, source-quench, congestion-point, reaction-point)",
    );
    refused("a = {}", "a = 1", "t.toml:3: nodes.a: 1 is not a table; write { key = value }");
}

#[test]
fn links() {
    refused(
        r#"[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
"#,
        "",
        "t.toml:1: there are no [[links]]; write [[links]] with from, to, rate and delay for each",
    );
    refused(
        r#"to = "b"
rate"#,
        r#"to = "host"
rate"#,
        "t.toml:8: links[0].to: unknown node 'host'; did you mean 'hosts'? (a, b, hosts)",
    );
    refused(
        r#"to = "b"
rate"#,
        r#"to = "b[0]"
rate"#,
        "t.toml:8: links[0].to: 'b' is a single node; write 'b'",
    );
    refused(
        r#"to = "b"
rate"#,
        r#"to = "hosts[4]"
rate"#,
        "t.toml:8: links[0].to: 'hosts' has no member '4'; its members are hosts[0] to hosts[3]",
    );
    for members in ["2-4", "2-1", "1-", "-1", "0-1-2", "0..1"] {
        refused(
            r#"to = "b"
rate"#,
            &format!("to = \"hosts[{members}]\"\nrate"),
            &format!("t.toml:8: links[0].to: 'hosts' has no member '{members}'; its members are hosts[0] to hosts[3]"),
        );
    }
    refused(
        r#"to = "b"
rate"#,
        r#"to = "a"
rate"#,
        "t.toml:8: links[0].to: links 'a' to itself",
    );
    refused(
        r#"hosts = { count = 4 }
[[links]]
from = "a"
to = "b""#,
        r#"hosts = { count = 4 }
r = { count = 3 }
[[links]]
from = "hosts"
to = "r""#,
        "t.toml:9: links[0].to: 'hosts' has 4 nodes and 'r' has 3; one must be the other's size or a multiple of it",
    );
    refused(r#""1 Mbit/s""#, r#""0 bit/s""#, "t.toml:9: links[0].rate: a rate must be above zero");
    refused(r#""1 ms""#, r#""61 min""#, "t.toml:10: links[0].delay: 3660 s is longer than any link; at most one hour");
    refused(
        r#"rate = "1 Mbit/s"
"#,
        "",
        r#"t.toml:6: links[0].rate: is missing and has no default; write rate = "1.5 Mbit/s""#,
    );
    added(LINK, r#"name = "a.b""#, "t.toml:11: links[0].name: 'a.b' cannot be a name; use letters, digits, '-' and '_'");
    added(LINK, r#"name = "hosts""#, "t.toml:6: links[0].name: 'hosts' is the name of a node too; give one of them another name");
    refused(
        "[[flows]]",
        r#"[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]"#,
        r#"t.toml:11: links[1]: a second link called 'a-b'; give it a name of its own with name = "...""#,
    );
    // The links of an entry have names of their own, `hosts[0]-a` and so on, next to that of the entry.
    refused(
        "[[flows]]",
        r#"[[links]]
from = "hosts"
to = "a"
rate = "1 Mbit/s"
delay = "1 ms"
[[links]]
name = "hosts-a"
from = "b"
to = "a"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]"#,
        r#"t.toml:16: links[2]: a second link called 'hosts-a'; give it a name of its own with name = "...""#,
    );
    refused(
        r#"delay = "1 ms"
[[flows]]"#,
        r#"delay = "1 ms"
both-ways = true
[[links]]
from = "b"
to = "a"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]"#,
        r#"t.toml:12: links[1]: a second link called 'b-a' (both-ways adds the way back); give it a name of its own with name = "...""#,
    );
    added(LINK, r#"both-ways = "yes""#, "t.toml:11: links[0].both-ways: 'yes' is neither true nor false");
}

#[test]
fn rate_changes() {
    added(
        LINK,
        r#"rate-changes = [ { at = "2 s", down = true }, { at = "1 s", rate = "1 Mbit/s" } ]"#,
        "t.toml:11: links[0].rate-changes[1].at: 1 s is not after 2 s; write changes in the order of time, from after 0 s",
    );
    added(
        LINK,
        r#"rate-changes = [ { at = "2 s" } ]"#,
        r#"t.toml:11: links[0].rate-changes[0]: has neither rate nor down; write rate = "5 Mbit/s" or down = true"#,
    );
    added(
        LINK,
        r#"rate-changes = [ { at = "2 s", down = true, rate = "1 Mbit/s" } ]"#,
        r#"t.toml:11: links[0].rate-changes[0]: has both rate and down; write rate = "5 Mbit/s" or down = true"#,
    );
    added(LINK, r#"rate-changes = "1 s""#, "t.toml:11: links[0].rate-changes: is a list of tables; write rate-changes = [{ ... }, ...]");
    added(
        LINK,
        r#"rate-changes = [ { at = "2 s", donw = true } ]"#,
        r#"t.toml:11: links[0].rate-changes[0]: has neither rate nor down; write rate = "5 Mbit/s" or down = true
t.toml:11: links[0].rate-changes[0].donw: unknown key 'donw'; did you mean 'down'? (at, rate, down)"#,
    );
}

#[test]
fn outages() {
    added(
        LINK,
        r#"outages = [ { at = "2 s", duration = "1 s" }, { at = "3 s", duration = "0 s" } ]"#,
        "t.toml:11: links[0].outages[1].duration: is zero, so that the outage has no effect; leave it out",
    );
    added(
        LINK,
        r#"outages = [ { at = "2 s", duration = "1 s" }, { at = "3 s", duration = "1 s" } ]"#,
        "t.toml:11: links[0].outages[1].at: 3 s is not after 3 s; outages must ascend without touching, and start after 0 s",
    );
    added(LINK, r#"outages = "1 s""#, "t.toml:11: links[0].outages: is a list of tables; write outages = [{ ... }, ...]");
    added(
        LINK,
        r#"outages = { mean-up = "10 s", mean-down = "1 us" }"#,
        "t.toml:11: links[0].outages.mean-down: 1 us is too short; at least 10 us",
    );
    added(
        LINK,
        r#"outages = { mean-up = "-10 s", mean-down = "1 s" }"#,
        "t.toml:11: links[0].outages.mean-up: '-10 s' is negative; a quantity here is zero or more",
    );
}

#[test]
fn aggregation() {
    added(
        LINK,
        r#"aggregation = { overhead = "2 s", max-packets = 0, max-airtime = "0 s" }"#,
        "t.toml:11: links[0].aggregation.max-packets: 0 is out of range; a whole number, at least 1",
    );
    added(
        LINK,
        r#"aggregation = { overhead = "2 s", max-airtime = "0 s" }"#,
        "t.toml:11: links[0].aggregation.overhead: 2 s is longer than any access to a channel; at most 1 s
t.toml:11: links[0].aggregation.max-airtime: is zero, so that each packet would be sent alone; for that write max-packets = 1",
    );
    added(LINK, "aggregation = {}", r#"t.toml:11: links[0].aggregation.overhead: is missing and has no default; write overhead = "30 ms""#);
}

#[test]
fn rate_changes_after_the_end_have_no_effect() {
    let changes =
        r#"rate-changes = [ { at = "2 s", rate = "50 kbit/s" }, { at = "4 s", down = true }, { at = "5 s", rate = "1 Mbit/s" } ]"#;
    let text = changed(LINK, &format!("{LINK}\n{changes}"));
    let warnings = |duration: &str| {
        let scenario = sound(&text, &[("duration", duration)]);
        scenario.warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(warnings("5.1 s"), [""; 0]);
    assert_eq!(warnings("5 s"), ["t.toml:11: links[0].rate-changes[2].at: 5 s is not before the end at 5 s, so it has no effect"]);
    let later = ["[1].at: 4 s", "[2].at: 5 s"]
        .map(|at| format!("t.toml:11: links[0].rate-changes{at} is not before the end at 3 s, so it has no effect"));
    assert_eq!(warnings("3 s"), later);
    // The run equals the run without them; a queue has built up at its end.
    let seen = |text: &str| Sim::new(sound(text, &[("duration", "3 s")]).blueprint(None, 0)).expect("a sound blueprint").run();
    let first = changed(LINK, &format!("{LINK}\nrate-changes = [ {{ at = \"2 s\", rate = \"50 kbit/s\" }} ]"));
    assert!(seen(&text) == seen(&first));
    assert!(seen(&text).links[0].waits < seen(&text).links[0].offered_packets[0]);
}

#[test]
fn parameter_changes() {
    let wrong = |changes: &str, told: &str| added(LINK, &format!("queue.codel = {{}}\nparameter-changes = [ {changes} ]"), told);
    wrong(
        r#"{ at = "2 s", parameter = "queue.codel.limit", value = "7 packets" }"#,
        "t.toml:12: links[0].parameter-changes[0].parameter: queue: 'limit' cannot be changed during a run; one of target, interval",
    );
    wrong(
        r#"{ at = "2 s", parameter = "queue.codel.interval", value = "5 ms" }"#,
        "t.toml:12: links[0].queue.codel.interval: must be above target; RFC 8289 s4.5 has the target at 5 to 10 % of it \
         (from 2 s on, by parameter-changes[0])",
    );
    // A key that stays wrong is reported once, at the change that makes it so.
    wrong(
        r#"{ at = "1 s", parameter = "queue.codel.target", value = "6 ms" }, { at = "2 s", parameter = "queue.codel.target", value = "150 ms" },
           { at = "2 s", parameter = "queue.codel.interval", value = "120 ms" }, { at = "3 s", parameter = "queue.codel.target", value = "7 s" }"#,
        "t.toml:13: links[0].queue.codel.interval: must be above target; RFC 8289 s4.5 has the target at 5 to 10 % of it \
         (from 2 s on, by parameter-changes[1] and parameter-changes[2])",
    );
    wrong(
        r#"{ at = "2 s", parameter = "class.gold.queue.codel.target", value = "5 ms" }"#,
        "t.toml:12: links[0].parameter-changes[0].parameter: 'class.gold.queue.codel.target' is not written, since this link has no 'class'",
    );
    wrong(
        r#"{ at = "2 s", parameter = "rate", value = "5 Mbit/s" }"#,
        "t.toml:12: links[0].parameter-changes[0].parameter: 'rate' is not the path of a parameter that can change; write queue.NAME.KEY, \
         scheduler.NAME.KEY, policer.NAME.KEY, marker.NAME.KEY, shaper.NAME.KEY, class.CLASS.KEY or class.CLASS.queue.NAME.KEY",
    );
    wrong(
        r#"{ at = "2 s", parameter = "queue.codel.target", value = "1 ms" }, { at = "1 s", parameter = "queue.codel.target", value = "2 ms" }"#,
        "t.toml:12: links[0].parameter-changes[1].at: 1 s is too early; write changes in the order of time, from after 0 s",
    );
}

#[test]
fn parameter_changes_of_schedulers_and_shapers() {
    let port = "scheduler.wrr = { weighs = \"bytes\" }\nclass.default.weight = 3\nshaper.token-bucket = { rate = \"100 kbit/s\", burst = \"3 kB\" }";
    let wrong = |change: &str, told: &str| {
        added(LINK, &format!("{port}\nparameter-changes = [ {{ at = \"2 s\", {change} }} ]"), told);
    };
    let place = "t.toml:14: links[0].parameter-changes[0].parameter";
    wrong(
        r#"parameter = "class.defualt.weight", value = 2"#,
        &format!("{place}: 'class.defualt.weight' is not written, since 'class' has no 'defualt'; did you mean 'default'?"),
    );
    wrong(
        r#"parameter = "scheduler.wrr.weighs", value = "packets""#,
        &format!("{place}: scheduler: 'weighs' cannot be changed during a run; one of quantum"),
    );
    wrong(
        r#"parameter = "shapre.token-bucket.rate", value = "9 kbit/s""#,
        &format!(
            "{place}: 'shapre.token-bucket.rate' is not the path of a parameter that can change; did you mean 'shaper'? write queue.NAME.KEY, \
             scheduler.NAME.KEY, policer.NAME.KEY, marker.NAME.KEY, shaper.NAME.KEY, class.CLASS.KEY or class.CLASS.queue.NAME.KEY"
        ),
    );
    wrong(
        r#"parameter = "class.default.weight", value = 0"#,
        "t.toml:14: links[0].class.default.weight: 0 would never be served; a whole number, 1 to 10000 (from 2 s on, by parameter-changes[0])",
    );
    wrong(
        r#"parameter = "shaper.token-bucket.start", value = "empty""#,
        &format!("{place}: shaper: 'start' cannot be changed during a run; one of rate, burst"),
    );
}

#[test]
fn parameters_that_change_together_are_checked_together() {
    let change = |key: &str, value: &str| format!(r#"{{ at = "2 s", parameter = "queue.codel.{key}", value = "{value}" }}"#);
    let changes = |all: &[String]| format!("{LINK}\nqueue.codel = {{}}\nparameter-changes = [ {} ]", all.join(", "));
    let text = changed(LINK, &changes(&[change("interval", "2 s"), change("target", "200 ms")]));
    let blueprint = sound(&text, &[]).blueprint(None, 0);
    let [(at, port)] = &blueprint.links[0].port_changes[..] else { panic!("one change of both: {:?}", blueprint.links[0].port_changes) };
    assert_eq!(at.as_seconds(), 2.0);
    assert!(format!("{:?}", port.queues[0].discipline).contains("target: Duration(200000000000)"), "{:?}", port.queues[0].discipline);
}

#[test]
fn queues_markers_and_impairments() {
    let disciplines = names(DisciplinePlan::NAMES);
    added(
        LINK,
        "queue.tail-dorp = {}",
        &format!("t.toml:11: links[0].queue: unknown discipline 'tail-dorp'; did you mean 'tail-drop'? ({disciplines})"),
    );
    added(
        LINK,
        "queue.fq-codel = {}",
        &format!("t.toml:11: links[0].queue: 'fq-codel' is a scheduler, written scheduler.fq-codel = {{ ... }}, and this is for a discipline, one of {disciplines}"),
    );
    added(
        LINK,
        "scheduler = \"red\"",
        &format!(
            "t.toml:11: links[0].scheduler: 'red' is a discipline, written queue.red = {{ ... }}, and this is for a scheduler, one of {}",
            names(SchedulerPlan::NAMES)
        ),
    );
    added(
        LINK,
        r#"queue.tail-drop = {}
queue.red = {}"#,
        "t.toml:12: links[0].queue: names two disciplines, 'tail-drop' and 'red'; keep one",
    );
    added(LINK, "queue = {}", &format!("t.toml:11: links[0].queue: names no discipline; one of {disciplines}"));
    added(LINK, r#"queue = "red""#, "t.toml:11: links[0].queue: 'red' is not a table; write queue.red = { ... }");
    added(
        LINK,
        "queue.tail-drop = { limit = 20 }",
        r#"t.toml:11: links[0].queue.tail-drop.limit: 20 has no unit; write "20 packets" or "20 KiB""#,
    );
    added(
        LINK,
        r#"queue.red = { limit = "20 packets", min-threshold = "5 packets" }"#,
        r#"t.toml:11: links[0].queue.red.max-threshold: is missing and has no default; write max-threshold = "60 packets"
t.toml:11: links[0].queue.red.max-probability: is missing and has no default; write max-probability = 0.5"#,
    );
    added(
        LINK,
        r#"queue.tail-drop = { limits = "20 packets" }"#,
        "t.toml:11: links[0].queue.tail-drop.limits: unknown key 'limits'; did you mean 'limit'? (limit, counts)",
    );
    added(
        LINK,
        r#"queue.tail-drop = { counts = "wating" }"#,
        "t.toml:11: links[0].queue.tail-drop.counts: 'wating' is not one of waiting, in-system; did you mean 'waiting'?",
    );
    added(
        LINK,
        r#"queue.red = { limit = "60 packets", min-threshold = "40 packets", max-threshold = "20 packets", max-probability = 0.1 }"#,
        "t.toml:11: links[0].queue.red.max-threshold: must be above min-threshold",
    );
    added(
        LINK,
        "queue.red = { limit = \"60 kB\", min-threshold = \"20 packets\", max-threshold = \"40 kB\", max-probability = 0.1 }",
        "t.toml:11: links[0].queue.red.min-threshold: must be in packets if limit is, otherwise in bytes or as a time",
    );
    added(
        LINK,
        "queue.red-n = { limit = \"60 kB\", min-thresholds = [\"20 kB\"], max-thresholds = [\"0 packets\"], max-probabilities = [0.1] }",
        "t.toml:11: links[0].queue.red-n.max-thresholds: item 0: a queue size must be above zero",
    );
    added(
        LINK,
        "queue.red-n = { limit = \"60 kB\", min-thresholds = [\"0 bytes\"], max-thresholds = [\"40 packets\"], max-probabilities = [0.1] }",
        "t.toml:11: links[0].queue.red-n.max-thresholds: item 0: must be in packets if limit is, otherwise in bytes or as a time",
    );
    for queue in [
        "red = { limit = \"60 kB\", min-threshold = \"0 bytes\", max-threshold = \"40 kB\", max-probability = 0.1 }",
        "red-n = { limit = \"60 packets\", min-thresholds = [\"0 packets\"], max-thresholds = [\"40 packets\"], max-probabilities = [0.1] }",
    ] {
        sound(&changed(LINK, &format!("{LINK}\nqueue.{queue}")), &[]);
    }
    added(LINK, r#"marker.at = "departure""#, &format!("t.toml:11: links[0].marker: names no meter; one of {}", names(MeterPlan::NAMES)));
    added(
        LINK,
        r#"marker = { at = "departed", token-bucket = { rate = "1 Mbit/s", burst = "4 kB" } }"#,
        "t.toml:11: links[0].marker.at: 'departed' is not one of arrival, departure; did you mean 'departure'?",
    );
    added(
        LINK,
        "impairment.los = { probability = 0.1 }",
        &format!("t.toml:11: links[0].impairment: unknown impairment 'los'; did you mean 'loss'? ({})", names(ImpairmentPlan::NAMES)),
    );
}

#[test]
fn classes_and_schedulers() {
    added(
        LINK,
        "class.ef.queue.tail-drop = {}",
        &format!("t.toml:11: links[0].class: has no effect with one queue; write a scheduler ({}) or leave it out", class_schedulers()),
    );
    added(
        LINK,
        r#"scheduler.priority = { order = ["default", "default"] }"#,
        "t.toml:11: links[0].scheduler.priority.order: names class 'default' twice",
    );
    added(LINK, r#"scheduler.priority = { order = ["default", "ef"] }"#, "t.toml:11: links[0].scheduler.priority.order: names class 'ef', but no flow of that class passes here (those that do: default); leave it out");
    refused(
        r#"delay = "1 ms"
[[flows]]"#,
        r#"delay = "1 ms"
scheduler.priority = { order = ["default"] }
[[flows]]
name = "g"
class = "ef"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
[[flows]]"#,
        "t.toml:11: links[0].scheduler.priority.order: class 'ef' of flows 'g' passes here and is not named",
    );
    added(
        LINK,
        r#"scheduler.priority = { order = ["default"] }
class.defalt.queue.tail-drop = {}"#,
        "t.toml:12: links[0].class.defalt: unknown class 'defalt'; did you mean 'default'? (default)",
    );
    added(
        LINK,
        r#"scheduler.priority = { order = ["default"] }
class.default = {}"#,
        "t.toml:12: links[0].class.default: is empty; write queue.tail-drop = { ... } or leave the class out",
    );
    added(
        LINK,
        r#"scheduler.priority = { order = ["default"] }
queue.tail-drop = {}
class.default.queue.tail-drop = {}"#,
        "t.toml:12: links[0].queue: has no effect: every class of the scheduler has a queue of its own; leave it out",
    );
}

#[test]
fn circles_without_delay() {
    refused(
        r#"delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "b"
"#,
        r#"delay = "0 s"
both-ways = true
[[flows]]
name = "g"
from = "b"
to = "a"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
[[flows]]
name = "f"
from = "a"
to = "b"
"#,
        "t.toml:6: links: the links b-a, a-b form a circle without any delay; give at least one of them a delay above 0 s",
    );
}
