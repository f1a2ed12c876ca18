//! Links: limits in time, overheads, ways back, several in one entry, and rates from files.

mod common;
use common::{changed, lines, sound, ways, LINK};
use penstock_engine::{Cancel, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::parameters::Limit;
use penstock_model::units::Bytes;
use penstock_scenario::{load, load_with, Mistake, ReadOptions, ValidScenario};
use std::fs;
use std::path::{Path, PathBuf};

/// One packet of 1000 bytes each 10 ms from `a` to `b`, over a link of 10 Mbit/s and 5 ms with these keys.
fn page(link: &str) -> String {
    format!(
        r#"duration = "1 s"
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "5 ms"
{link}
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = {{ rate = "800 kbit/s", packet = "1000 bytes", phase = "zero" }}
"#
    )
}

fn limits(scenario: &ValidScenario) -> Vec<Vec<Limit>> {
    let of_link = |link: &penstock_engine::blueprint::LinkPlan| {
        link.port.queues.iter().map(|queue| queue.discipline.limit().expect("it has one")).collect()
    };
    scenario.blueprint(None, 0).links.iter().map(of_link).collect()
}

fn bytes(bytes: u64) -> Limit {
    Limit::Bytes(Bytes::new(bytes))
}

/// The value of the only metric of this name, of its only statistic.
fn value(scenario: &ValidScenario, name: &str) -> f64 {
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    scenario.metrics(&seen).iter().find(|metric| metric.name == name).expect("measured").value
}

fn max_delay(link: &str) -> f64 {
    value(&sound(&format!("{}[[measure]]\nmetric = \"delay\"\nof = \"f\"\ntake = [\"max\"]\n", page(link)), &[]), "delay")
}

#[test]
fn a_limit_in_time_is_what_the_link_sends_in_it() {
    // 10 Mbit/s are 1.25 bytes in a microsecond.
    assert_eq!(limits(&sound(&page("queue.tail-drop = { limit = \"100 ms\" }"), &[])), [[bytes(125_000)]]);
    let red = "queue.red = { limit = \"10 ms\", min-threshold = \"0 s\", max-threshold = \"4 ms\", max-probability = 0.1 }";
    assert_eq!(limits(&sound(&page(red), &[])), [[bytes(12_500)]]);
    let classes = "scheduler.drr = {}\nqueue.codel = { limit = \"1 ms\" }\nclass.ef = { quantum = \"1 kB\", queue.tail-drop = { limit = \"2 ms\" } }\n\
                   class.default.quantum = \"1 kB\"";
    let of_ef = "[[flows]]\nname = \"voice\"\nclass = \"ef\"\nfrom = \"a\"\nto = \"b\"\nsource.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n";
    assert_eq!(limits(&sound(&(page(classes) + of_ef), &[]))[0], [bytes(1250), bytes(2500)]);
    let list = "queue.red-n = { limit = \"9 ms\", min-thresholds = [\"1 ms\", \"0 s\"], max-thresholds = [\"8 ms\", \"4 ms\"], max-probabilities = [0.1, 0.2] }";
    assert_eq!(limits(&sound(&page(list), &[])), [[bytes(11_250)]]);
    let marking = "queue.step-marking = { limit = \"60 packets\", threshold = \"21333 us\" }";
    assert_eq!(limits(&sound(&page(marking), &[])), [[Limit::Packets(60)]]);
    // The first rate counts, even if another follows, and so does the rate of a setting.
    let changed = "queue.tail-drop = { limit = \"100 ms\" }\nrate-changes = [{ at = \"0.5 s\", rate = \"1 Mbit/s\" }]";
    assert_eq!(limits(&sound(&page(changed), &[("a-b.rate", "1 Mbit/s")])), [[bytes(12_500)]]);
    // Cells, where queues count cells: 10 Mbit/s / 424 bit x 1 ms.
    let cells = "cells = true\nqueue.epd = { limit = \"1 ms\", threshold = \"0.5 ms\" }";
    assert_eq!(limits(&sound(&page(cells), &[])), [[Limit::Packets(23)]]);
}

#[test]
fn a_time_is_a_limit_at_links_alone() {
    let wrong = |text: &str| lines(load(text, "t.toml", &[]));
    let switch = page("").replace("b = {}", "b = { buffer.pool = { size = \"5 ms\" } }");
    assert_eq!(
        wrong(&switch),
        ["t.toml:4: nodes.b.buffer.pool.size: '5 ms' is a time, which is a queue length at a link only; write \"60 packets\" or \"64 KiB\""]
    );
    assert_eq!(
        wrong(&page("queue.tail-drop = { limit = \"1 ns\" }")),
        ["t.toml:10: links[0].queue.tail-drop.limit: a size must be above zero, or \"60 packets\""]
    );
    // Another mistake of the link is the only one.
    let rate = page("queue.tail-drop = { limit = \"1 ms\" }").replace("10 Mbit/s", "10 Mbt/s");
    assert_eq!(wrong(&rate).len(), 1, "{:?}", wrong(&rate));
}

#[test]
fn packets_take_their_overhead_on_the_wire() {
    let alone = |on_wire: f64| on_wire * 8.0 / 10e6 + 0.005;
    for (keys, on_wire) in [
        ("", 1000.0),
        ("overhead = \"24 bytes\"", 1024.0),
        ("overhead = \"38 bytes\"\nmin-frame = \"84 bytes\"", 1038.0),
        ("min-frame = \"1600 bytes\"", 1600.0),
        // 1000 + 10 + 8 bytes are 21.2 payloads of 48.
        ("overhead = \"10 bytes\"\nframing = \"atm\"", 22.0 * 53.0),
    ] {
        // Precomputed, event by event and behind a change of rate.
        for port in
            ["", "scheduler.drr = {}\nclass.default.quantum = \"1500 bytes\"", "rate-changes = [{ at = \"0.9 s\", rate = \"20 Mbit/s\" }]"]
        {
            let delay = max_delay(&format!("{keys}\n{port}"));
            assert!((delay - alone(on_wire)).abs() < 1e-12, "{keys} {port}: {delay}");
        }
    }
    // The queue counts packets without the overhead, and the reverse link has it too.
    let both = sound(&page("both-ways = true\noverhead = \"38 bytes\"\nqueue.tail-drop = { limit = \"5000 bytes\" }"), &[]);
    let framings: Vec<u32> = both.blueprint(None, 0).links.iter().map(|link| link.framing.overhead).collect();
    assert_eq!(framings, [38, 38]);
}

#[test]
fn a_link_carries_what_its_overhead_leaves() {
    // 10 x 1000 / 1038 Mbit/s of the 20 Mbit/s offered arrive; the wire is never idle.
    let text = page("overhead = \"38 bytes\"").replace("800 kbit/s", "20 Mbit/s").replace("duration", "warm-up = \"0.5 s\"\nduration");
    let measured =
        format!("{text}[[measure]]\nmetric = \"throughput\"\nof = \"a-b\"\n[[measure]]\nmetric = \"utilisation\"\nof = \"a-b\"\n");
    let scenario = sound(&measured, &[]);
    let throughput = value(&scenario, "throughput");
    // A packet more or less in half a second is 16 kbit/s.
    assert!((throughput - 10e6 * 1000.0 / 1038.0).abs() < 16_000.0, "{throughput}");
    assert!((value(&scenario, "utilisation") - 1.0).abs() < 0.002);
}

#[test]
fn overheads_without_effect_are_refused() {
    let wrong = |keys: &str| lines(load(&page(keys), "t.toml", &[])).join("\n");
    assert_eq!(
        wrong("cells = true\noverhead = \"8 bytes\""),
        "t.toml:11: links[0].overhead: has no effect with cells = true, whose cells have 53 bytes; leave one of them out"
    );
    assert_eq!(
        wrong("framing = \"atm\"\nmin-frame = \"84 bytes\""),
        "t.toml:11: links[0].min-frame: has no effect with framing = \"atm\", which pads to whole cells; leave it out"
    );
    assert_eq!(wrong("overhead = \"1 MB\""), "t.toml:10: links[0].overhead: 1000000 bytes are more than any link adds; at most 65536");
}

#[test]
fn the_way_back_has_a_port_of_its_own() {
    let back =
        "both-ways = true\nqueue.tail-drop = { limit = \"9 packets\" }\nback = { rate = \"1 Mbit/s\", queue.codel = { limit = \"8 ms\" } }";
    let scenario = sound(&page(back), &[]);
    assert_eq!(limits(&scenario), [[Limit::Packets(9)], [bytes(1000)]]);
    let links = scenario.blueprint(None, 0).links;
    assert_eq!(
        links.iter().map(|link| (link.path.as_str(), link.rate.as_bps())).collect::<Vec<_>>(),
        [("a-b", 10_000_000), ("b-a", 1_000_000)]
    );
    // A setting names it as a link.
    let both = page("both-ways = true");
    let set = sound(&both, &[("b-a.queue.tail-drop.limit", "3 packets"), ("links.b-a.rate", "2 Mbit/s")]);
    assert_eq!(limits(&set), [[Limit::Packets(1000)], [Limit::Packets(3)]]);
    assert_eq!(set.blueprint(None, 0).links[1].rate.as_bps(), 2_000_000);
    let named = sound(&page("both-ways = true\nback.name = \"home\""), &[("home.queue.tail-drop.limit", "4 packets")]);
    assert_eq!(limits(&named)[1], [Limit::Packets(4)]);
    assert_eq!(named.blueprint(None, 0).links[1].path, "home");
}

#[test]
fn mistakes_of_a_way_back_say_where() {
    let wrong = |keys: &str| lines(load(&page(keys), "t.toml", &[])).join("\n");
    assert_eq!(
        wrong("back.queue.tail-drop = {}"),
        "t.toml:10: links[0].back: has no effect without a way back; write both-ways = true, or leave it out"
    );
    assert!(wrong("both-ways = true\nback.delay = \"1 ms\"").starts_with("t.toml:11: links[0].back.delay: unknown key 'delay'"));
    assert!(wrong("both-ways = true\nback.queue.tail-dorp = {}").contains("links[0].back.queue: unknown discipline 'tail-dorp'"));
    assert_eq!(
        wrong("both-ways = true\nback = { rate = \"1 Mbit/s\", shaper.token-bucket = { rate = \"2 Mbit/s\", burst = \"3 kB\" } }"),
        "t.toml:11: links[0].back.shaper.token-bucket.rate: 2 Mbit/s is above the rate of the link, 1 Mbit/s, so it would delay nothing; leave it out"
    );
}

#[test]
fn one_entry_links_lists_of_nodes() {
    let text = r#"duration = "1 s"
[nodes]
hosts = { count = 2 }
a = {}
b = {}
c = {}
[[links]]
name = "access"
from = ["hosts", "a"]
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
name = "core"
from = ["b", "c"]
to = ["c", "b"]
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "hosts"
to = "c"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"#;
    let scenario =
        sound(&format!("{text}[[measure]]\nmetric = \"offered\"\nof = \"core\"\n"), &[("core.queue.tail-drop.limit", "7 packets")]);
    let blueprint = scenario.blueprint(None, 0);
    let paths: Vec<&str> = blueprint.links.iter().map(|link| link.path.as_str()).collect();
    let access = ["access[0]", "access[1]", "access[2]"];
    assert_eq!(paths[..3], access);
    assert_eq!(paths[3..], ["access-back[0]", "access-back[1]", "access-back[2]", "core[0]", "core[1]"]);
    let end = |node: penstock_model::id::NodeId| blueprint.nodes[node.index()].as_str();
    let ends: Vec<(&str, &str)> = blueprint.links.iter().map(|link| (end(link.from), end(link.to))).collect();
    assert_eq!(ends[..3], [("hosts[0]", "b"), ("hosts[1]", "b"), ("a", "b")]);
    assert_eq!(ends[6..], [("b", "c"), ("c", "b")]);
    assert_eq!(limits(&scenario)[6..], [[Limit::Packets(7)], [Limit::Packets(7)]]);
    // Both links of the core together: 50 packets a second of each of two flows, within a packet of each.
    assert!((value(&scenario, "offered") - 100.0).abs() <= 2.0);
    assert_eq!(ways(&scenario).len(), 2);
    let wrong = |old: &str, new: &str| lines(load(&text.replace(old, new), "t.toml", &[])).join("\n");
    assert_eq!(
        wrong("name = \"core\"\n", ""),
        "t.toml:14: links[1].name: is missing: links between lists of nodes need one, as in name = \"core\""
    );
    assert_eq!(wrong("[\"c\", \"b\"]", "[\"c\", \"c\"]"), "t.toml:17: links[1].to: links 'c' to itself");
    assert!(wrong("[\"b\", \"c\"]", "[\"b\", \"d\"]").starts_with("t.toml:16: links[1].from: unknown node 'd'"));
    assert!(wrong("[\"b\", \"c\"]", "[\"b\", 3]").starts_with("t.toml:16: links[1].from: 3 is not the name of a node"));
    assert!(wrong("[\"b\", \"c\"]", "[]").starts_with("t.toml:16: links[1].from: the list is empty"));
}

/// An empty folder of this test, with a file.
fn folder(name: &str, file: &str, content: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("links").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(file), content).expect("written");
    folder
}

fn with_file(name: &str, file: &str, content: &[u8], more: &str) -> Result<ValidScenario, Vec<Mistake>> {
    let text = page(&format!("rate-changes = {{ file = \"{file}\" }}\n{more}"));
    let files = ReadOptions { folder: Some(folder(name, file, content)), parquet: None, ..ReadOptions::default() };
    load_with(&Cancel::default(), &text, "t.toml", &[], files)
}

#[test]
fn rates_of_a_file_are_those_of_a_list() {
    let of_file = with_file("rates", "rates.csv", b"time,rate\n0.2,1e6\n0.3,0\n0.5,4000000\n", "").expect("sound");
    let listed = sound(
        &page("rate-changes = [{ at = \"0.2 s\", rate = \"1 Mbit/s\" }, { at = \"0.3 s\", down = true }, { at = \"0.5 s\", rate = \"4 Mbit/s\" }]"),
        &[],
    );
    let digest = |scenario: &ValidScenario| Sim::new(scenario.blueprint(None, 0)).expect("sound").run().digest;
    assert_eq!(digest(&of_file), digest(&listed));
    assert_ne!(digest(&of_file), digest(&sound(&page(""), &[])));
    // The file is part of a run's identity; entries without effect are reported.
    assert!(of_file.canonical().contains("rates.csv"));
    let late = with_file("late", "rates.csv", b"time,rate\n0.2,1e6\n1,2e6\n3,2e6\n", "").expect("sound");
    assert!(late.warnings()[0].to_string().contains("2 of 3 changes are not before the end at 1 s"), "{:?}", late.warnings());
}

#[test]
fn delivery_times_pass_packets() {
    // Opportunities at 3, 12, 12, 40 ms and so on from 40 ms: 43, 52, 52, 80 and so on. Packets of 1000 bytes at 0, 10, 20, 30, 40
    // ms. The first uses 1000 of the 1500 bytes at 3 ms. The packet of 10 ms uses those at 12 ms. The packets of 20 and 30 ms share
    // the 1500 bytes at 40 ms; the 500 bytes left of the second pass at 43 ms, together with the packet of 40 ms.
    let measure = "[[measure]]\nmetric = \"delay\"\nof = \"f\"\ntake = [\"max\", \"mean\"]\n";
    let text = page("rate-changes = { file = \"cell.trace\" }").replace("\"1 s\"", "\"49 ms\"") + measure;
    let folder = folder("deliveries", "cell.trace", b"# made by hand\n3\n12\n12\n\n40\n");
    for port in ["", "scheduler.drr = {}\nclass.default.quantum = \"1500 bytes\"\n"] {
        let text = text.replace("[[flows]]", &format!("{port}[[flows]]"));
        let files = ReadOptions { folder: Some(folder.clone()), parquet: None, ..ReadOptions::default() };
        let scenario = load_with(&Cancel::default(), &text, "t.toml", &[], files).expect("sound");
        let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
        let delays: Vec<f64> = scenario.metrics(&seen).iter().map(|metric| metric.value * 1e3).collect();
        // Delays 3, 2, 20, 13 and 3 ms, and 5 ms of propagation; 49 ms is after the last arrival.
        assert!((delays[0] - 25.0).abs() < 1e-9 && (delays[1] - (41.0 / 5.0 + 5.0)).abs() < 1e-9, "{port}: {delays:?}");
    }
}

#[test]
fn mistakes_of_such_files_say_their_line() {
    let wrong = |name: &str, file: &str, content: &[u8]| {
        let mistakes = lines(with_file(name, file, content, ""));
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        mistakes[0].strip_prefix("t.toml:10: links[0].rate-changes.file: ").unwrap_or_else(|| panic!("{mistakes:?}")).to_owned()
    };
    assert_eq!(wrong("w1", "d.txt", b"1\n2\n1\n"), "d.txt:3: 1 ms is before 2 ms, the time before it; times must ascend");
    assert_eq!(
        wrong("w2", "d.txt", b"1\n2.5\n"),
        "d.txt:2: '2.5' is not a delivery time in whole milliseconds (a table of rates ends with .csv)"
    );
    assert_eq!(wrong("w3", "d.txt", b"\n"), "d.txt: has no delivery times");
    assert_eq!(wrong("w4", "d.txt", b"0\n0\n"), "d.txt: ends at 0 ms; the list repeats from its last time, which must be above zero");
    assert_eq!(wrong("w5", "d.txt", b"\xff\n"), "d.txt: is not text; delivery times are whole milliseconds, one a line");
    assert_eq!(wrong("w6", "r.csv", b"time,rate\n1,5\n1,6\n"), "r.csv:3: 1 s is not after 1 s, the time before it; times must ascend");
    assert_eq!(wrong("w7", "r.csv", b"time,rate\n1,-5\n"), "r.csv:2: the rate is not a number of bit/s between 0 and 1e14");
    assert_eq!(wrong("w8", "r.csv", b"time,rate\n"), "r.csv: has no rates");
    let missing = lines(load(&page("rate-changes = { file = \"none.txt\" }"), "t.toml", &[]));
    assert!(missing[0].contains("links[0].rate-changes.file: none.txt: there is no such file"), "{missing:?}");
}

#[test]
fn an_outage_holds_packets_back() {
    // A packet each 10 ms takes 0.8 ms. The one of 200 ms waits for 40 ms; the packets of 210 to 240 ms come behind it.
    let link = "outages = [{ at = \"200 ms\", duration = \"40 ms\" }]";
    assert!((max_delay(link) - 45.8e-3).abs() < 1e-9, "{}", max_delay(link));
    // After an outage, the rate is the same as without the outage: the first packet then takes 8 ms.
    let changes = "rate-changes = [{ at = \"210 ms\", rate = \"1 Mbit/s\" }, { at = \"300 ms\", rate = \"10 Mbit/s\" }]\n";
    assert!((max_delay(&format!("{changes}{link}")) - 53e-3).abs() < 1e-9);
}

#[test]
fn random_outages_are_drawn_for_each_run_and_link() {
    let outages = "outages = { mean-up = \"50 ms\", mean-down = \"10 ms\" }";
    let of = |replication: u64, link: &str| {
        let scenario = sound(&page(&format!("{outages}\nboth-ways = true\nback = {{ {outages} }}")), &[]);
        let links = scenario.blueprint(None, replication).links;
        links.into_iter().find(|plan| plan.path == link).expect("there is one").rate_changes
    };
    assert!(of(0, "a-b").len() > 10);
    assert_eq!(of(0, "a-b"), of(0, "a-b"));
    assert_ne!(of(0, "a-b"), of(1, "a-b"));
    assert_ne!(of(0, "a-b"), of(0, "b-a"));
    // Another rate does not move any of the outages.
    let faster = sound(&page(outages), &[("a-b.rate", "20 Mbit/s")]);
    let times =
        |changes: &[(penstock_model::units::Time, penstock_model::units::Rate)]| changes.iter().map(|(at, _)| *at).collect::<Vec<_>>();
    assert_eq!(times(&faster.blueprint(None, 0).links[0].rate_changes), times(&of(0, "a-b")));
}

#[test]
fn aggregates_share_the_cost_of_an_access() {
    // 1000 bytes take 0.8 ms. A single packet takes 20 ms more; meanwhile come two, which share the next aggregate.
    let alone = "aggregation = { overhead = \"20 ms\", max-packets = 1 }";
    let together = "aggregation = { overhead = \"20 ms\" }";
    assert!(max_delay(together) < 50e-3, "{}", max_delay(together));
    // One at a time, 48 of 100 packets leave in the second, and the last of them has waited for about 0.5 s.
    assert!(max_delay(alone) > 400e-3, "{}", max_delay(alone));
}

#[test]
fn outages_and_aggregates_do_not_go_with_delivery_times_and_cells() {
    for (key, value) in [("outages", "{ mean-up = \"1 s\", mean-down = \"1 s\" }"), ("aggregation", "{ overhead = \"1 ms\" }")] {
        let mistakes = lines(with_file(key, "d.txt", b"1\n2\n", &format!("{key} = {value}")));
        let told = format!("links[0].{key}: does not go with a file of delivery times, which says when the link delivers; leave it out");
        assert!(mistakes.len() == 1 && mistakes[0].ends_with(&told), "{mistakes:?}");
    }
    let cells = lines(load(&page("cells = true\naggregation = { overhead = \"1 ms\" }"), "t.toml", &[]));
    assert!(
        cells.iter().any(|line| line.ends_with("cells: does not go with aggregation, which sends packets; leave one of them out")),
        "{cells:?}"
    );
}

#[test]
fn a_queue_without_a_limit_is_limited_by_the_shared_buffer() {
    let text = |node: &str, limit: &str| {
        let queue = format!("{LINK}\nqueue.step-marking = {{ limit = \"{limit}\", threshold = \"5 packets\" }}");
        changed(LINK, &queue).replace("a = {}", &format!("a = {{ {node} }}")).replace("64 kbit/s", "2 Mbit/s")
    };
    let causes = [DropCause::Overflow, DropCause::Buffer];
    let dropped = |text: &str| {
        let seen = Sim::new(load(text, "t.toml", &[]).expect("sound").blueprint(None, 0)).expect("sound").run();
        causes.map(|cause| seen.links[0].dropped_packets[cause as usize].iter().sum::<u64>())
    };
    let buffer = "buffer.pool = { size = \"20 packets\" }";
    let [overflow, refused] = dropped(&text(buffer, "none"));
    // Half of the 2 Mbit/s is sent, for 10 s in packets of 160 bytes, and 20 packets are held in the end.
    assert!(overflow == 0 && refused.abs_diff(7812 - 20) <= 2, "{overflow} and {refused}");
    assert_eq!(dropped(&text("", "none")), [0, 0]);
    // The packets that may wait bound the estimate of memory: 20 of the buffer, 7812 of the limit, or all that do not leave.
    let memory = |text: &str| load(text, "t.toml", &[]).expect("sound").memory();
    let [of_buffer, of_limit, of_excess] = [text(buffer, "none"), text("", "9000 packets"), text("", "none")].map(|text| memory(&text));
    assert!(of_buffer < of_limit && of_limit == of_excess, "{of_buffer}, {of_limit}, {of_excess}");
}
