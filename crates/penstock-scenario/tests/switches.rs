//! Nodes whose ports share a buffer: reading, mistakes and measurements.

mod common;
use common::{lines, names, sound};
use penstock_engine::Sim;
use penstock_model::buffer::BufferPlan;
use penstock_model::id::{LinkId, NodeId};
use penstock_scenario::load;

const STAR: &str = r#"duration = "1 s"
[nodes]
a = {}
s = { buffer.pool = { size = "3 kB" } }
c = {}
d = {}
[[links]]
from = "a"
to = "s"
rate = "1 Gbit/s"
delay = "1 us"
both-ways = true
[[links]]
from = "s"
to = "c"
rate = "1 Mbit/s"
delay = "0 s"
[[links]]
from = "s"
to = "d"
rate = "1 Mbit/s"
delay = "0 s"
[[flows]]
name = "f"
from = "a"
to = "c"
source.cbr = { rate = "2 Mbit/s", packet = "1000 bytes" }
[[flows]]
name = "g"
from = "a"
to = "d"
source.cbr = { rate = "2 Mbit/s", packet = "1000 bytes" }
[[measure]]
metric = "drops"
of = ["s-c", "a-s"]
by = ["cause"]
"#;

const POOL: &str = r#"buffer.pool = { size = "3 kB" }"#;

fn with(node: &str) -> String {
    STAR.replacen(POOL, node, 1)
}

#[track_caller]
fn refused(node: &str, expected: &[&str]) {
    assert_eq!(lines(load(&with(node), "t.toml", &[])), expected);
}

#[test]
fn a_node_with_a_buffer_is_a_switch() {
    let scenario = sound(
        &with(r#"buffer.static-shares = { size = "1 MB", shares = { s-c = "700 kB" } }, pause = { xoff = "9 kB", xon = "4 kB" }"#),
        &[],
    );
    let blueprint = scenario.blueprint(None, 0);
    let [switch] = &blueprint.switches[..] else { panic!("one switch") };
    assert_eq!(switch.node, NodeId(3));
    let buffer = switch.buffer.as_ref().expect("a buffer");
    let shares: Vec<(LinkId, u64)> = buffer.shares.iter().map(|(link, share)| (*link, penstock_model::buffer::amount(*share))).collect();
    assert_eq!((buffer.policy.name(), shares), ("static-shares", vec![(LinkId(2), 700_000)]));
    assert_eq!(switch.pause.as_ref().map(|pause| (pause.xoff.get(), pause.xon.get())), Some((9_000, 4_000)));
    assert!(sound(&with(""), &[]).blueprint(None, 0).switches.is_empty());
}

#[test]
fn drops_by_the_buffer_have_a_row_where_one_is_shared() {
    let drops = |text: &str| {
        let scenario = sound(text, &[]);
        let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
        let rows = scenario.metrics(&seen).into_iter();
        rows.map(|metric| (metric.labels.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(" "), metric.value))
            .collect::<Vec<_>>()
    };
    let shared = drops(STAR);
    // 250 packets a second arrive for each of two ports, which send 125: the buffer refuses the others, the queues none.
    let of = |name: &str| {
        let (link, cause) = name.split_once(' ').expect("two words");
        shared.iter().find(|(labels, _)| labels.starts_with(link) && labels.ends_with(cause)).map(|(_, value)| *value)
    };
    assert!(of("s-c buffer").is_some_and(|drops| (120.0..128.0).contains(&drops)), "{shared:?}");
    assert_eq!(of("s-c overflow"), Some(0.0));
    assert_eq!(of("a-s buffer"), None);
    assert_eq!(of("a-s policed"), Some(0.0));
    assert!(drops(&with("")).iter().all(|(labels, _)| !labels.ends_with("buffer")));
}

#[test]
fn mistakes_of_buffers() {
    let path = "t.toml:4: nodes.s.buffer";
    refused("buffer = 3", &[&format!("{path}: 3 is not a table; write buffer.static-shares = {{ ... }}")]);
    refused(
        r#"buffer.pol = { size = "1 MB" }"#,
        &[&format!("{path}: unknown buffer policy 'pol'; did you mean 'pool'? ({})", names(BufferPlan::NAMES))],
    );
    refused(
        r#"buffer.pool = { size = "1 MB" }, buffer.static-shares = { size = "1 MB" }"#,
        &[&format!("{path}: names two buffer policies, 'pool' and 'static-shares'; keep one")],
    );
    refused(r#"buffer.pool = { size = "0 bytes" }"#, &[&format!("{path}.pool.size: a size must be above zero, or \"60 packets\"")]);
    refused(
        r#"buffer.dynamic-threshold = { size = "1 MB", alpha = 0 }"#,
        &[&format!("{path}.dynamic-threshold.alpha: 0 is out of range; above 0")],
    );
    let shares = |shares: &str| format!(r#"buffer.static-shares = {{ size = "1 MB", shares = {{ {shares} }} }}"#);
    let refused_shares = |text: &str, expected: &str| refused(&shares(text), &[&format!("{path}.static-shares.shares: {expected}")]);
    refused_shares(r#"s-c = "800 kB", s-d = "300 kB""#, "add up to 1100000 bytes, more than the shared buffer of 1000000 bytes");
    refused_shares(r#"s-e = "8 kB""#, "unknown link from this node 's-e'; did you mean 's-a'? (s-a, s-c, s-d)");
    refused_shares(r#"s-c = "0 kB""#, "the share of 's-c': a size must be above zero, or \"60 packets\"");
    refused_shares(r#"s-c = "1 MB""#, "leave nothing for the unnamed ports; name all ports, or reduce the shares");
    refused_shares(r#"s-c = "9 packets""#, "the share of 's-c' must be in packets if size is, and in bytes if size is");
}

#[test]
fn minimum_allocations_of_all_ports_fit_the_buffer() {
    // Three ports: to a, c and d.
    refused(
        r#"buffer.minimum-allocation = { size = "3 kB", minimum = "1001 bytes" }"#,
        &["t.toml:4: nodes.s.buffer.minimum-allocation.minimum: 3 ports take 3003, more than the shared buffer of 3000"],
    );
    sound(&with(r#"buffer.minimum-allocation = { size = "3 kB", minimum = "1 kB" }"#), &[]);
}

#[test]
fn mistakes_of_pause() {
    refused(
        r#"pause = { xoff = "3 kB", xon = "4 kB" }"#,
        &["t.toml:4: nodes.s.pause.xon: 4000 bytes is above xoff, 3000 bytes; ports would be resumed before they are paused"],
    );
    let pause = r#"pause = { xoff = "3 kB", xon = "2 kB" }"#;
    let one_way = with(pause).replacen("both-ways = true\n", "", 1);
    assert_eq!(
        lines(load(&one_way, "t.toml", &[])),
        ["t.toml:4: nodes.s.pause: its messages to 'a' have no route, since no link leads from 's' back; write both-ways = true for the \
          link 'a-s', or add one from 's' to 'a'"]
    );
    // A frame takes time even if its way takes none.
    sound(&with(pause).replacen("1 us", "0 s", 1), &[]);
    refused(
        r#"pause = { xoff = "3 kB", xon = "2 kB", quanta = 65536, frame = "1539 bytes" }"#,
        &[
            "t.toml:4: nodes.s.pause.quanta: 65536 do not fit a pause frame; at most 65535",
            "t.toml:4: nodes.s.pause.frame: 1539 bytes is larger than any pause frame; at most 1538 bytes",
        ],
    );
    refused(
        r#"pause = { xoff = "3 kB", xon = "2 kB", classes = ["default", "defualt"] }"#,
        &["t.toml:4: nodes.s.pause.classes: unknown class of flows 'defualt'; did you mean 'default'? (default)"],
    );
}

#[test]
fn headroom_must_suffice_for_what_comes_after_a_pause() {
    // At 1 Gbit/s and 1 us there and back, with packets of 1000 bytes: 8 us for one on the wire back, 0.512 us for the frame and 2 us
    // on the way, 10.512 us or 1314 bytes, and two packets.
    let pause = |headroom: &str| with(&format!(r#"pause = {{ xoff = "3 kB", xon = "2 kB", headroom = "{headroom}" }}"#));
    assert_eq!(
        lines(load(&pause("3313 bytes"), "t.toml", &[])),
        ["t.toml:4: nodes.s.pause.headroom: 3313 bytes are too little for the packets that may still arrive over the link 'a-s' once it is paused; \
          write at least 3314 bytes"]
    );
    sound(&pause("3314 bytes"), &[]);
    // 8.512 us twice are 33.25 times 512 bits.
    let quanta = |quanta| pause("4 kB").replacen("xon", &format!("quanta = {quanta}, xon"), 1);
    assert_eq!(
        lines(load(&quanta(33), "t.toml", &[])),
        ["t.toml:4: nodes.s.pause.quanta: 33 would let a pause end before it is prolonged; write at least 34, or leave headroom out"]
    );
    sound(&quanta(34), &[]);
}

#[test]
fn pauses_are_measured() {
    let text = with(r#"buffer.pool = { size = "30 kB" }, pause = { xoff = "3 kB", xon = "2 kB", headroom = "4 kB" }"#)
        + r#"[[measure]]
metric = "pauses"
of = ["s-a"]
[[measure]]
metric = "paused-time"
of = ["a-s", "s-c"]
by = ["class"]
[[measure]]
metric = "deadlocked"
of = ["a-s"]
"#;
    let scenario = sound(&text, &[]);
    let rows = scenario.metrics(&Sim::new(scenario.blueprint(None, 0)).expect("sound").run());
    let values = |name: &str| rows.iter().filter(|row| row.name == name).map(|row| row.value).collect::<Vec<_>>();
    assert!(values("pauses")[0] > 10.0, "{rows:?}");
    // 2 Mbit/s to ports of 1 Mbit/s: the packets that wait at a fill s again as soon as a may send. No node pauses s.
    let paused = values("paused-time");
    assert!(paused.len() == 2 && paused[0] > 0.5 && paused[0] < 1.0 && paused[1] == 0.0, "{paused:?}");
    assert_eq!(values("deadlocked"), [0.0]);
    let drops = rows.iter().filter(|row| row.name == "drops" && row.labels.iter().any(|(_, value)| value == "headroom"));
    assert_eq!(drops.map(|row| row.value).collect::<Vec<_>>(), [0.0]);
}

#[test]
fn a_deadlock_is_told_whether_it_is_asked_for_or_not() {
    let mut text = String::from("duration = \"1 s\"\n[nodes]\n");
    for i in 0..5 {
        text += &format!("h{i} = {{}}\ns{i} = {{ pause = {{ xoff = \"3 kB\", xon = \"2 kB\", classes = [\"bulk\"] }} }}\n");
    }
    for (i, next) in (0..5).map(|i| (i, (i + 1) % 5)) {
        for (from, to) in [(format!("h{i}"), format!("s{i}")), (format!("s{i}"), format!("s{next}"))] {
            text += &format!("[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nboth-ways = true\n");
        }
    }
    // Each host sends to the next but one of the ring.
    for (i, to) in (0..5).map(|i| (i, (i + 2) % 5)) {
        text += &format!(
            "[[flows]]\nname = \"f{i}\"\nfrom = \"h{i}\"\nto = \"h{to}\"\nclass = \"bulk\"\n\
             source.cbr = {{ rate = \"900 kbit/s\", packet = \"1000 bytes\" }}\n"
        );
    }
    let scenario = sound(&text, &[]);
    let rows = scenario.metrics(&Sim::new(scenario.blueprint(None, 0)).expect("sound").run());
    let told = rows.iter().find(|row| row.labels.iter().any(|(key, _)| key == "circle")).expect("a deadlock");
    assert_eq!(
        (told.name, told.value, told.labels[0].1.as_str()),
        ("deadlocked", 5.0, "s0-s1 bulk, s1-s2 bulk, s2-s3 bulk, s3-s4 bulk, s4-s0 bulk")
    );
}

#[test]
fn a_node_without_links_out_has_no_ports_to_share() {
    let text = STAR.replacen("c = {}", r#"c = { buffer.pool = { size = "1 MB" } }"#, 1);
    assert_eq!(
        lines(load(&text, "t.toml", &[])),
        ["t.toml:5: nodes.c.buffer: no link begins at 'c', so it has no ports for it; leave it out, or add a link from 'c'"]
    );
}

/// Mistakes of several nodes are reported together, wherever they are.
#[test]
fn mistakes_of_several_nodes_are_reported_together() {
    let text = with(r#"pause = { xoff = "0 kB", xon = "1 byte" }"#).replacen("d = {}", r#"d = { buffer.pool = {} }"#, 1);
    assert_eq!(
        lines(load(&text, "t.toml", &[])),
        [
            "t.toml:4: nodes.s.pause.xoff: a size must be above zero",
            "t.toml:6: nodes.d.buffer.pool.size: is missing and has no default; write size = \"60 packets\"",
        ]
    );
}

#[test]
fn source_quenches_have_a_way_back() {
    let quench = r#"source-quench = { interval = "10 ms" }"#;
    let blueprint = sound(&with(quench), &[]).blueprint(None, 0);
    let plan = blueprint.switches[0].source_quench.as_ref().expect("a quench");
    let told: Vec<(u32, Vec<LinkId>)> = plan.routes.iter().map(|(flow, _, way)| (flow.0, blueprint.routes[way.index()].to_vec())).collect();
    assert_eq!((plan.packet.get(), told), (56, vec![(0, vec![LinkId(1)]), (1, vec![LinkId(1)])]));
    let one_way = with(quench).replacen("both-ways = true\n", "", 1);
    assert_eq!(
        lines(load(&one_way, "t.toml", &[])),
        ["t.toml:4: nodes.s.source-quench: no route from 's' to 'a' for its quenches: links run one way; add both-ways = true or a link \
          on the way"]
    );
    refused(
        r#"source-quench = { interval = "10 ms", packet = "9 kB" }"#,
        &["t.toml:4: nodes.s.source-quench.packet: 9000 bytes is larger than any quench; at most 576 bytes"],
    );
}

#[test]
fn congestion_points_and_reaction_points_need_each_other() {
    let point = "congestion-point.bcn = {}";
    refused(
        point,
        &["t.toml:4: nodes.s.congestion-point: sends congestion messages to sources, but no node has a reaction-point; add \
           reaction-point.bcn = {} to the nodes where flows begin"],
    );
    refused(
        "reaction-point.bcn = {}",
        &["t.toml:4: nodes.s.reaction-point: has no effect, since no node has a congestion-point; add congestion-point.bcn = {} to a \
           switch, or leave it out"],
    );
    refused(
        "congestion-point.qcn = {}, reaction-point.bcn = {}",
        &[
            "t.toml:4: nodes.s.congestion-point: sends congestion messages to sources, but no node has its reaction-point; add \
             reaction-point.qcn = {} to the nodes where flows begin",
            "t.toml:4: nodes.s.reaction-point: has no effect, since no node has its congestion-point; add congestion-point.bcn = {} to a \
             switch, or leave it out",
        ],
    );
    refused(
        "congestion-point.bcn = {}, reaction-point.bcn = { decrease-gain = \"1/64\" }",
        &["t.toml:4: nodes.s.reaction-point.bcn.decrease-gain: 0.015625 takes rates to zero or below, since feedback reaches -80; it \
           must be below 0.0125, or floor be given"],
    );
    refused(
        "congestion-point.bcn = { probability = 0.1, interval = \"1 kB\" }",
        &["t.toml:4: nodes.s.congestion-point.bcn.interval: cannot be combined with probability; keep one of them"],
    );
}

#[test]
fn messages_go_to_sources_and_receivers() {
    let with_point = with("congestion-point.bcn = {}, reaction-point.bcn = {}");
    let blueprint = sound(&with_point, &[]).blueprint(None, 0);
    let plan = blueprint.switches[0].congestion_points.as_ref().expect("points");
    let told: Vec<(u32, bool, Vec<LinkId>)> =
        plan.routes.iter().map(|(flow, back, way)| (flow.0, *back, blueprint.routes[way.index()].to_vec())).collect();
    // These flows have no acknowledgements.
    assert_eq!(told, vec![(0, false, vec![LinkId(1)]), (1, false, vec![LinkId(1)])]);
}

/// Two hosts and the switch itself overload a port; the drops of each are counted by the limit that refused them.
#[test]
fn drops_are_told_by_ingress() {
    let text = r#"duration = "4 s"
[nodes]
hosts = { count = 2 }
s = { buffer.pool = { size = "4 kB" } }
z = {}
[[links]]
from = "hosts"
to = "s"
rate = "1 Gbit/s"
delay = "1 ms"
[[links]]
from = "s"
to = "z"
rate = "80 kbit/s"
delay = "1 ms"
queue.tail-drop = { limit = "3 packets" }
[[flows]]
name = "quick"
from = "hosts[0]"
to = "z"
source.cbr = { rate = "800 kbit/s", packet = "1000 bytes" }
[[flows]]
name = "slow"
from = "hosts[1]"
to = "z"
source.cbr = { rate = "8 kbit/s", packet = "1000 bytes" }
[[flows]]
name = "own"
from = "s"
to = "z"
source.cbr = { rate = "80 kbit/s", packet = "1000 bytes" }
[[measure]]
metric = "offered"
of = "s-z"
by = ["ingress"]
[[measure]]
metric = "drops"
of = "s-z"
by = ["ingress", "cause"]
[[measure]]
metric = "drops"
of = "s-z"
by = ["cause"]
"#;
    let scenario = load(text, "t.toml", &[]).expect("sound");
    let found = scenario.metrics(&Sim::new(scenario.blueprint(None, 0)).expect("sound").run());
    let value = |metric: &str, ingress: Option<&str>, cause: Option<&str>| {
        let label = |labels: &[(String, String)], key: &str| labels.iter().find(|(name, _)| name == key).map(|(_, text)| text.clone());
        let of = |labels: &[(String, String)]| (label(labels, "ingress"), label(labels, "cause"));
        let wanted = (ingress.map(str::to_owned), cause.map(str::to_owned));
        let matching: Vec<f64> = found.iter().filter(|it| it.name == metric && of(&it.labels) == wanted).map(|it| it.value).collect();
        assert_eq!(matching.len(), 1, "{metric} {ingress:?} {cause:?}: {found:?}");
        matching[0]
    };
    // 100, 1 and 10 packets a second for four seconds, the first of each at once; packets of hosts arrive 1 ms and 8 us later.
    let ingresses = ["hosts[0]-s", "hosts[1]-s", "here"];
    for (ingress, offered) in ingresses.into_iter().zip([400.0, 4.0, 40.0]) {
        assert_eq!(value("offered", Some(ingress), None), offered, "{ingress}");
    }
    for cause in ["buffer", "overflow", "early"] {
        let each = ingresses.map(|ingress| value("drops", Some(ingress), Some(cause)));
        assert_eq!(each.iter().sum::<f64>(), value("drops", None, Some(cause)), "{cause}");
    }
    // Ten packets a second leave, and four fit, including the one in transmission. Both limits are equal here, and the buffer is
    // asked first.
    assert!(value("drops", Some("hosts[0]-s"), Some("buffer")) > 300.0);
    assert_eq!(value("drops", Some("hosts[0]-s"), Some("overflow")), 0.0);
    let both = text.replace("by = [\"ingress\"]", "by = [\"ingress\", \"class\"]");
    assert_eq!(lines(load(&both, "t.toml", &[])), ["t.toml:35: measure[0].by: 'class' and 'ingress' are not split at once; measure twice"]);
}
