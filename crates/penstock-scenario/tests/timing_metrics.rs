//! Delays, their variation, waits by class and EF's error terms: from the scenario to the numbers.

mod common;
use common::sound;
use penstock_engine::Sim;
use penstock_scenario::ValidScenario;

/// Five voice packets of 1 ms, 10 ms apart, whose delays are 2, 5, 2, 3.5 and 2 ms: `other` sends 500 bytes at 9 ms and 250
/// bytes at 29.5 ms. Both share one queue.
const DISTURBED: &str = r#"duration = "45 ms"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "voice"
from = "a"
to = "b"
class = "ef"
source.cbr = { rate = "100 kbit/s", packet = "125 bytes", phase = "zero" }
[[flows]]
name = "long"
from = "a"
to = "b"
start = "9 ms"
stop = "10 ms"
source.cbr = { rate = "1 kbit/s", packet = "500 bytes", phase = "zero" }
[[flows]]
name = "short"
from = "a"
to = "b"
start = "29.5 ms"
stop = "30 ms"
source.cbr = { rate = "1 kbit/s", packet = "250 bytes", phase = "zero" }
"#;

/// `name label=value ... number unit`, one line for each; numbers with four digits, as quantiles are known to 0.4 %.
fn numbers(scenario: &ValidScenario) -> Vec<String> {
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let line = |metric: penstock_scenario::MetricValue| {
        let labels: String = metric.labels.iter().map(|(key, value)| format!("{key}={value} ")).collect();
        format!("{} {labels}{:.4} {}", metric.name, metric.value * if metric.unit == "s" { 1e3 } else { 1.0 }, metric.unit)
    };
    scenario.metrics(&seen).into_iter().map(line).collect()
}

/// Compares with lines in milliseconds; a value after `~` is a quantile, exact to 0.4 %.
#[track_caller]
fn check(text: &str, measure: &str, expected: &[&str]) {
    let found = numbers(&sound(&format!("{text}[[measure]]\n{measure}\n"), &[]));
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        let Some((before, rest)) = expected.split_once('~') else {
            assert_eq!(found, expected);
            continue;
        };
        let (value, after) = rest.split_at(rest.find(' ').expect("a unit"));
        let number = found.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let number: f64 = number.unwrap_or_else(|| panic!("{found} is not {expected}")).parse().expect("a number");
        let value: f64 = value.parse().expect("a number");
        assert!((number - value).abs() <= value.abs() / 256.0 + 1e-4, "{found} is not {expected}");
    }
}

#[test]
fn delays_have_quantiles() {
    check(
        DISTURBED,
        "metric = \"delay\"\nof = \"voice\"\nquantiles = [0.5, 0.8, 1]",
        &[
            "delay of=voice statistic=mean 2.9000 s",
            "delay of=voice statistic=max 5.0000 s",
            "delay of=voice quantile=0.5 ~2 s",
            "delay of=voice quantile=0.8 ~3.5 s",
            "delay of=voice quantile=1 ~5 s",
        ],
    );
    check(
        DISTURBED,
        "metric = \"delay\"\nof = \"voice\"\nper = \"flow\"\ntake = [\"mean\"]\nquantiles = [0.99]\nunit = \"packet-time\"",
        &[
            "delay of=voice flow=voice[0] statistic=mean 0.2900 packet times",
            "delay of=voice flow=voice[0] quantile=0.99 ~0.5 packet times",
        ],
    );
}

#[test]
fn differences_of_delays() {
    // +3, -3, +1.5 and -1.5 ms.
    check(
        DISTURBED,
        "metric = \"jitter\"\nof = \"voice\"\nquantiles = [0.5, 0.9]",
        &[
            "jitter of=voice statistic=mean 2.2500 s",
            "jitter of=voice statistic=max 3.0000 s",
            "jitter of=voice quantile=0.5 ~1.5 s",
            "jitter of=voice quantile=0.9 ~3 s",
        ],
    );
    // A packet time is 10 ms.
    check(
        DISTURBED,
        "metric = \"jitter\"\nof = \"voice\"\ntake = [\"max\"]\nquantiles = [0.5]\nunit = \"packet-time\"",
        &["jitter of=voice statistic=max 0.3000 packet times", "jitter of=voice quantile=0.5 ~0.15 packet times"],
    );
    check(
        DISTURBED,
        "metric = \"ipdv\"\nof = \"voice\"\nquantiles = [0.5]",
        &[
            "ipdv of=voice statistic=mean 0.0000 s",
            "ipdv of=voice statistic=min -3.0000 s",
            "ipdv of=voice statistic=max 3.0000 s",
            "ipdv of=voice quantile=0.5 ~-1.5 s",
        ],
    );
    // The mean of 3/16, 93/256, 1779/4096 and 32829/65536 ms.
    check(
        DISTURBED,
        "metric = \"rtp-jitter\"\nof = \"voice\"",
        &["rtp-jitter of=voice statistic=mean 0.3715 s", "rtp-jitter of=voice statistic=max 0.5009 s"],
    );
    // One packet makes no difference.
    check(
        DISTURBED,
        "metric = \"jitter\"\nof = \"long\"\nquantiles = [0.5]",
        &["jitter of=long statistic=mean NaN s", "jitter of=long statistic=max NaN s", "jitter of=long quantile=0.5 NaN s"],
    );
}

#[test]
fn flows_of_a_class_are_taken_together() {
    // Delays of 5 and 3 ms.
    check(
        DISTURBED,
        "metric = \"delay\"\nof = [\"voice\", \"long\", \"short\"]\nper = \"class\"\nquantiles = [0.5]",
        &[
            "delay class=ef statistic=mean 2.9000 s",
            "delay class=ef statistic=max 5.0000 s",
            "delay class=ef quantile=0.5 ~2 s",
            "delay class=default statistic=mean 4.0000 s",
            "delay class=default statistic=max 5.0000 s",
            "delay class=default quantile=0.5 ~3 s",
        ],
    );
    // 750 bytes in 45 ms.
    check(
        DISTURBED,
        "metric = \"throughput\"\nof = [\"long\", \"short\"]\nper = \"class\"\ntake = [\"sum\", \"max\"]",
        &["throughput class=default statistic=sum 133333.3333 bit/s", "throughput class=default statistic=max 88888.8889 bit/s"],
    );
}

#[test]
fn a_link_is_split_by_class() {
    // Voice waits 0, 3, 0, 1.5 and 0 ms, the others not at all.
    check(
        DISTURBED,
        "metric = \"wait\"\nof = \"a-b\"\nby = [\"class\"]\nquantiles = [0.8]",
        &[
            "wait of=a-b class=ef statistic=mean 0.9000 s",
            "wait of=a-b class=ef quantile=0.8 ~1.5 s",
            "wait of=a-b class=default statistic=mean 0.0000 s",
            "wait of=a-b class=default quantile=0.8 0.0000 s",
        ],
    );
    check(
        DISTURBED,
        "metric = \"wait\"\nof = \"a-b\"\nper = \"link\"\nquantiles = [0.86]",
        &["wait of=a-b link=a-b 0.6429 s", "wait of=a-b link=a-b quantile=0.86 ~3 s"],
    );
    // The extremes are over packets, not over the mean of the link; the rows of a single link differ in their statistic.
    check(
        DISTURBED,
        "metric = \"wait\"\nof = \"a-b\"\ntake = [\"max\", \"mean\", \"min\"]",
        &["wait of=a-b statistic=max 3.0000 s", "wait of=a-b statistic=mean 0.6429 s", "wait of=a-b statistic=min 0.0000 s"],
    );
    check(DISTURBED, "metric = \"wait\"\nof = \"a-b\"\nper = \"link\"\ntake = [\"max\"]", &["wait of=a-b link=a-b statistic=max 3.0000 s"]);
    check(
        DISTURBED,
        "metric = \"wait\"\nof = \"a-b\"\nby = [\"class\"]\ntake = [\"max\"]",
        &["wait of=a-b class=ef statistic=max 3.0000 s", "wait of=a-b class=default statistic=max 0.0000 s"],
    );
    // One packet may wait next to the one in service, so the burst at 30 ms displaces the voice packet.
    let small = DISTURBED.replace("delay = \"1 ms\"", "delay = \"1 ms\"\nqueue.tail-drop = { limit = \"1 packet\" }")
        + "[[flows]]\nname = \"burst\"\nfrom = \"a\"\nto = \"b\"\nstart = \"29.6 ms\"\nstop = \"29.7 ms\"\nsource.cbr = { rate = \"1 kbit/s\", packet = \"250 bytes\", phase = \"zero\" }\n";
    check(
        &small,
        "metric = \"loss\"\nof = \"a-b\"\nby = [\"class\"]",
        &["loss of=a-b class=ef statistic=mean 0.2000 1", "loss of=a-b class=default statistic=mean 0.0000 1"],
    );
    let drops = numbers(&sound(&format!("{small}[[measure]]\nmetric = \"drops\"\nof = \"a-b\"\nby = [\"class\", \"cause\"]\n"), &[]));
    assert_eq!(drops[0], "drops of=a-b class=ef statistic=sum cause=overflow 1.0000 packets");
    assert!(drops[1..].iter().all(|row| row.ends_with(" 0.0000 packets")), "{drops:?}");
}

#[test]
fn ef_is_compared_with_its_rate() {
    // Voice of 125 bytes at 500 kbit/s: 2 ms each. It leaves at 1, 14, 21, 32.5 and 41 ms; its targets are 2, 12, 22, 32
    // and 42 ms.
    check(
        DISTURBED,
        "metric = \"ef-error\"\nof = \"a-b\"\nclasses = [\"ef\"]\nrate = \"500 kbit/s\"",
        &["ef-error of=a-b statistic=max error=a 2.0000 s", "ef-error of=a-b statistic=max error=p 2.0000 s"],
    );
    check(
        DISTURBED,
        "metric = \"ef-error\"\nof = \"a-b\"\nper = \"link\"\nclasses = [\"ef\"]\nrate = \"200 kbit/s\"",
        &["ef-error of=a-b link=a-b error=a -1.0000 s", "ef-error of=a-b link=a-b error=p -1.0000 s"],
    );
}

#[test]
fn pages_have_times() {
    // As in the engine's test: two segments of 1.04 ms, 20 ms there and back, 0.04 ms for the acknowledgement.
    let text = r#"duration = "5 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
both-ways = true
[[flows]]
name = "web"
from = "a"
to = "b"
count = 2
transport.tcp = { packet = "1040 bytes", header = "40 bytes", initial-window = "2 packets", syn = false }
source.http = { page = "2 kB", objects = 0, think = "1 s" }
"#;
    // The second user's first page waits for the first user's, 24.2 ms in all; then they are 2.08 ms apart.
    check(
        text,
        "metric = \"page-time\"\nof = \"web\"\nper = \"flow\"",
        &[
            "page-time of=web flow=web[0] statistic=mean 22.1200 s",
            "page-time of=web flow=web[0] statistic=max 22.1200 s",
            "page-time of=web flow=web[1] statistic=mean 22.5360 s",
            "page-time of=web flow=web[1] statistic=max 24.2000 s",
        ],
    );
    check(
        text,
        "metric = \"page-time\"\nof = \"web\"\ntake = [\"mean\"]\nquantiles = [0.9, 0.91]",
        &["page-time of=web statistic=mean 22.3280 s", "page-time of=web quantile=0.9 ~22.12 s", "page-time of=web quantile=0.91 ~24.2 s"],
    );
}

#[test]
fn transfers_have_completion_times() {
    // Two segments of 1.04 ms, 20 ms there and back, 0.04 ms for the acknowledgement: 22.12 ms. The segments of the second flow wait
    // 2.08 ms for the first flow's. A SYN and its answer take 20 + 2 x 0.04 ms before that.
    let text = |more: &str| {
        let tcp = r#"packet = "1040 bytes", header = "40 bytes""#;
        format!(
            r#"duration = "5 s"
{more}
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
both-ways = true
[[flows]]
name = "short"
from = "a"
to = "b"
count = 2
transport.tcp = {{ {tcp}, initial-window = "2 packets", syn = false }}
source.ftp = {{ size = "2 kB" }}
[[flows]]
name = "syn"
from = "a"
to = "b"
start = "1 s"
transport.tcp = {{ {tcp}, initial-window = "2 packets" }}
source.ftp = {{ size = "2 kB" }}
[[flows]]
name = "stopped"
from = "a"
to = "b"
start = "2 s"
stop = "2.01 s"
transport.tcp = {{ {tcp}, initial-window = "1 packet", syn = false }}
source.ftp = {{ size = "2 kB" }}
"#
        )
    };
    // Each completion time comes with the counts of its transfers; transfers complete in the warm-up do not count as arrived.
    let with = |rows: &[&str], of: &str, [arrived, finished]: [u32; 2]| {
        let counts = [("arrived", arrived), ("finished", finished), ("unfinished", arrived - finished)];
        let counts = counts.map(|(what, count)| format!("transfers of={of} statistic=sum what={what} {count}.0000 transfers"));
        rows.iter().map(|row| (*row).to_owned()).chain(counts).collect::<Vec<String>>()
    };
    let check_with = |text: &str, measure: &str, rows: &[&str], of: &str, counts: [u32; 2]| {
        let expected = with(rows, of, counts);
        check(text, measure, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    };
    let all = "metric = \"completion-time\"\nof = \"short\"\ntake = [\"mean\", \"min\", \"max\"]\nquantiles = [0.5, 0.51]";
    let expected = [
        "completion-time of=short statistic=mean 23.1600 s",
        "completion-time of=short statistic=min 22.1200 s",
        "completion-time of=short statistic=max 24.2000 s",
        "completion-time of=short quantile=0.5 ~22.12 s",
        "completion-time of=short quantile=0.51 ~24.2 s",
    ];
    check_with(&text(""), all, &expected, "short", [2, 2]);
    let mean = |of: &str| format!("metric = \"completion-time\"\nof = \"{of}\"\ntake = [\"mean\"]");
    check_with(&text(""), &mean("syn"), &["completion-time of=syn statistic=mean 42.2000 s"], "syn", [1, 1]);
    // Transfers completed in the warm-up, or withdrawn before their end, do not count.
    check_with(&text("warm-up = \"100 ms\""), &mean("short"), &["completion-time of=short statistic=mean NaN s"], "short", [0, 0]);
    check_with(&text(""), &mean("stopped"), &["completion-time of=stopped statistic=mean NaN s"], "stopped", [1, 0]);
    // Alone a transfer takes 22.12 ms, with a SYN 42.2 ms. A transfer that waits for another is slowed down; one alone is not.
    let slow = "metric = \"slowdown\"\nof = \"short\"\ntake = [\"mean\", \"min\", \"max\"]\nquantiles = [0.5, 0.51]";
    let expected = [
        "slowdown of=short statistic=mean 1.0470 1", // (1 + 24.2 / 22.12) / 2
        "slowdown of=short statistic=min 1.0000 1",
        "slowdown of=short statistic=max 1.0940 1",
        "slowdown of=short quantile=0.5 1.0000 1",
        "slowdown of=short quantile=0.51 1.0940 1",
    ];
    check_with(&text(""), slow, &expected, "short", [2, 2]);
    let slowest = "metric = \"slowdown\"\nof = \"syn\"\ntake = [\"max\"]";
    check_with(&text(""), slowest, &["slowdown of=syn statistic=max 1.0000 1"], "syn", [1, 1]);
    check_with(
        &text("warm-up = \"100 ms\""),
        "metric = \"slowdown\"\nof = \"short\"\nquantiles = [0.5]",
        &["slowdown of=short statistic=mean NaN 1", "slowdown of=short statistic=max NaN 1", "slowdown of=short quantile=0.5 NaN 1"],
        "short",
        [0, 0],
    );
    // Counts that are written are not measured twice; single flows have counts of their own.
    let each = "metric = \"transfers\"\nof = [\"stopped\", \"short\"]\nper = \"flow\"";
    let expected = [
        "transfers of=stopped flow=stopped[0] what=arrived 1.0000 transfers",
        "transfers of=stopped flow=stopped[0] what=finished 0.0000 transfers",
        "transfers of=stopped flow=stopped[0] what=unfinished 1.0000 transfers",
        "transfers of=short flow=short[0] what=arrived 1.0000 transfers",
        "transfers of=short flow=short[0] what=finished 1.0000 transfers",
        "transfers of=short flow=short[0] what=unfinished 0.0000 transfers",
        "transfers of=short flow=short[1] what=arrived 1.0000 transfers",
        "transfers of=short flow=short[1] what=finished 1.0000 transfers",
        "transfers of=short flow=short[1] what=unfinished 0.0000 transfers",
    ];
    check(&text(""), each, &expected);
    let by_class = "metric = \"transfers\"\nof = [\"syn\", \"short\", \"stopped\"]\nper = \"class\"";
    let expected = ["arrived 4", "finished 3", "unfinished 1"];
    let expected = expected.map(|row| format!("transfers class=default statistic=sum what={row}.0000 transfers"));
    check(&text(""), by_class, &expected.each_ref().map(String::as_str));
    let twice = format!("metric = \"transfers\"\nof = \"short\"\n[[measure]]\n{}\n[[measure]]\n{slow}", mean("short"));
    let rows = numbers(&sound(&format!("{}[[measure]]\n{twice}\n", text("")), &[]));
    assert_eq!(rows.iter().filter(|row| row.starts_with("transfers")).count(), 3, "{rows:#?}");
    // A transfer that is open at the end is unfinished.
    let cut = text("").replace("stop = \"2.01 s\"\n", "").replace("duration = \"5 s\"", "duration = \"2.01 s\"");
    check_with(&cut, &mean("stopped"), &["completion-time of=stopped statistic=mean NaN s"], "stopped", [1, 0]);
    // Without any [[measure]], only groups of transfers with a size have these counts.
    let rows = numbers(&sound(&text(""), &[]));
    assert_eq!(rows.iter().filter(|row| row.starts_with("transfers")).count(), 9, "{rows:#?}");
}

#[test]
fn transfers_are_told_by_size() {
    // At 8 Mbit/s, without SYN, each alone: one segment of 1.04 ms takes 21.08 ms, two 22.12, four 24.2. The window of two packets
    // makes the four take a round trip more, less the second packet's transmission: 2 segments, then 21.08 + 2 x 1.04 later.
    let text = r#"duration = "5 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
both-ways = true
[[transfers]]
name = "jobs"
file = "jobs.csv"
transport.tcp = { packet = "1040 bytes", header = "40 bytes", initial-window = "2 packets", syn = false }
"#;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("timing-metrics");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("jobs.csv"), "start,from,to,bytes\n0,a,b,4000\n1,a,b,1000\n2,a,b,2000\n").expect("written");
    let measured = |measure: &str| {
        let files =
            penstock_scenario::ReadOptions { folder: Some(folder.clone()), parquet: None, ..penstock_scenario::ReadOptions::default() };
        let stop = penstock_engine::Cancel::default();
        let text = format!("{text}[[measure]]\n{measure}\nof = \"jobs\"\n");
        numbers(&penstock_scenario::load_with(&stop, &text, "t.toml", &[], files).expect("sound"))
    };
    let by_size = measured("metric = \"completion-time\"\nsizes = [\"1 kB\", \"2 kB\", \"3 kB\"]\ntake = [\"mean\"]");
    let expected = [
        "completion-time of=jobs size=up to 1000 bytes statistic=mean 21.0800 s",
        "completion-time of=jobs size=1000 bytes to 2000 bytes statistic=mean 22.1200 s",
        "completion-time of=jobs size=2000 bytes to 3000 bytes statistic=mean NaN s",
        // The first acknowledgement is back after 21.08 ms and lets two more segments go.
        "completion-time of=jobs size=above 3000 bytes statistic=mean 43.2000 s",
    ];
    assert_eq!(by_size[..4], expected);
    let counts = |size: &str, all: u32| {
        let rows = [("arrived", all), ("finished", all), ("unfinished", 0)];
        rows.map(|(what, count)| format!("transfers of=jobs size={size} statistic=sum what={what} {count}.0000 transfers"))
    };
    let middle = [("up to 1000 bytes", 1), ("1000 bytes to 2000 bytes", 1), ("2000 bytes to 3000 bytes", 0), ("above 3000 bytes", 1)];
    assert_eq!(by_size[4..], middle.map(|(size, all)| counts(size, all)).concat());
    let slowed = measured("metric = \"slowdown\"\nsizes = [\"2 kB\"]\ntake = [\"max\"]");
    // 43.2 / 24.2
    assert_eq!(
        slowed[..2],
        ["slowdown of=jobs size=up to 2000 bytes statistic=max 1.0000 1", "slowdown of=jobs size=above 2000 bytes statistic=max 1.7851 1"]
    );
}

#[test]
fn a_roce_transfer_is_slowed_by_what_it_sends_again() {
    // Ten packets of 1 ms over 1 ms; the third is lost. By hand 17.066 ms (`tests/roce.rs` of the engine). Alone: 2 ms for the
    // first, 9 ms for the others, 1.066 ms for the acknowledgement.
    let text = r#"duration = "100 ms"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
both-ways = true
rate = "8 Mbit/s"
delay = "1 ms"
queue.tail-drop = { limit = "1000 packets" }
impairment.drop-list = { drop = [3] }
[[flows]]
name = "bulk"
from = "a"
to = "b"
transport.roce = { packet = "1000 bytes", ack-every = 4, timeout = "1 s", rate-control = "fixed" }
source.ftp = { size = "9380 bytes" }
"#;
    let measure = "metric = \"slowdown\"\nof = \"bulk\"\ntake = [\"max\"]";
    let rows = numbers(&sound(&format!("{text}[[measure]]\n{measure}\n"), &[]));
    assert_eq!(rows[0], "slowdown of=bulk statistic=max 1.4144 1");
}

#[test]
fn lost_acknowledgements_mean_timeouts() {
    // Every acknowledgement is lost, so that the timer expires: after 1 s [RFC6298 s2.1], then after 2 and 4 s.
    let text = r#"duration = "7.5 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
[[links]]
from = "b"
to = "a"
rate = "8 Mbit/s"
delay = "10 ms"
impairment.loss = { probability = 1 }
[[flows]]
name = "f"
from = "a"
to = "b"
transport.tcp = { syn = false }
source.ftp = {}
"#;
    check(text, "metric = \"timeouts\"\nof = \"f\"", &["timeouts of=f statistic=sum 3.0000 timeouts"]);
    let warm = text.replace("duration", "warm-up = \"2 s\"\nduration");
    check(&warm, "metric = \"timeouts\"\nof = \"f\"\nper = \"flow\"", &["timeouts of=f flow=f[0] 2.0000 timeouts"]);
}

/// Two links in a row, the first with this impairment; five packets of 1 ms on each, 10 ms apart.
fn impaired(impairment: &str) -> String {
    format!(
        r#"duration = "200 ms"
[nodes]
a = {{}}
b = {{}}
c = {{}}
[[links]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
impairment.{impairment}
[[links]]
from = "b"
to = "c"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "c"
stop = "45 ms"
source.cbr = {{ rate = "100 kbit/s", packet = "125 bytes", phase = "zero" }}
"#
    )
}

#[test]
fn copies_fill_the_queues_behind_and_are_received() {
    let text = impaired("duplication = { probability = 1 }");
    check(&text, "metric = \"offered\"\nof = \"a-b\"", &["offered of=a-b statistic=sum 5.0000 packets"]);
    check(&text, "metric = \"offered\"\nof = \"b-c\"", &["offered of=b-c statistic=sum 10.0000 packets"]);
    // Each takes 4 ms, and its copy waits 1 ms for it.
    check(&text, "metric = \"delay\"\nof = \"f\"", &["delay of=f statistic=mean 4.5000 s", "delay of=f statistic=max 5.0000 s"]);
    check(&text, "metric = \"throughput\"\nof = \"f\"", &["throughput of=f statistic=sum 50000.0000 bit/s"]);
    check(&text, "metric = \"sent\"\nof = \"f\"", &["sent of=f statistic=sum 25000.0000 bit/s"]);
    let late = impaired("duplication = { probability = 1, copy-delay = \"3 ms\" }");
    check(&late, "metric = \"delay\"\nof = \"f\"", &["delay of=f statistic=mean 5.5000 s", "delay of=f statistic=max 7.0000 s"]);
}

#[test]
fn packets_that_are_held_back_are_late_by_just_that() {
    let all = impaired("reordering = { probability = 1, delay = \"25 ms\" }");
    check(&all, "metric = \"delay\"\nof = \"f\"", &["delay of=f statistic=mean 29.0000 s", "delay of=f statistic=max 29.0000 s"]);
    let none = impaired("reordering = { probability = 0, delay = \"25 ms\" }");
    check(&none, "metric = \"delay\"\nof = \"f\"", &["delay of=f statistic=mean 4.0000 s", "delay of=f statistic=max 4.0000 s"]);
    // Packets behind the ones held back overtake them: pairs that are no longer in order have no jitter.
    let some = impaired("reordering = { probability = 0.5, delay = \"25 ms\" }");
    let found = numbers(&sound(&format!("{some}[[measure]]\nmetric = \"delay\"\nof = \"f\"\n"), &[]));
    assert_eq!(found[1], "delay of=f statistic=max 29.0000 s");
    assert_ne!(found[0], "delay of=f statistic=mean 29.0000 s");
}

#[test]
fn time_to_fairness_is_when_it_lasts() {
    let text = |interval: &str, more: &str| {
        let second = common::BASE.split("[[flows]]").nth(1).expect("a flow").replace("\"f\"", "\"g\"");
        let measure = format!("[[measure]]\nmetric = \"time-to-fairness\"\nof = [\"f\", \"g\"]\ninterval = \"{interval}\"\n{more}");
        format!("{}\n[[flows]]{second}start = \"3200 ms\"\n{measure}", common::BASE)
    };
    let value = |text: &str, warm_up: &str| {
        let scenario = sound(&format!("warm-up = \"{warm_up}\"\n{text}"), &[]);
        scenario.metrics(&Sim::new(scenario.blueprint(None, 0)).expect("sound").run())[0].value
    };
    // 50 packets each second of either flow, the second from 3.2 s on: equal from the bin that begins at 4 s on, counted from the end
    // of the warm-up. With 30 % they are fair from 3 s on: 40 and 50 packets are within 30 % of 45.
    assert_eq!(value(&text("1 s", ""), "0 s"), 4.0);
    assert_eq!(value(&text("1 s", ""), "1500 ms"), 2.5);
    assert_eq!(value(&text("1 s", "tolerance = 0.3"), "0 s"), 3.0);
    // Bins of 30 ms have one or two packets, which are never equal for long.
    assert!(value(&text("30 ms", ""), "0 s").is_nan());
    let refused = |more: &str| common::lines(penstock_scenario::load(&text("20 s", more), "t.toml", &[]));
    assert_eq!(refused(""), ["t.toml:26: measure[0].interval: 20 s is longer than the measurement period, so no bin would be complete"]);
}

#[test]
fn groups_are_compared_by_their_sums() {
    let text = |metric: &str, more: &str| {
        let second = common::BASE.split("[[flows]]").nth(1).expect("a flow").replace("\"f\"", "\"g\"");
        let measure = format!("[[measure]]\nmetric = \"{metric}\"\nof = [\"f\", \"g\"]\nbetween = \"groups\"\n{more}");
        format!("{}\n[[flows]]{second}count = 3\n{measure}", common::BASE)
    };
    let value = |text: &str| {
        let scenario = sound(text, &[]);
        scenario.metrics(&Sim::new(scenario.blueprint(None, 0)).expect("sound").run())[0].value
    };
    // One flow against three of the same rate: (1 + 3)^2 / (2 (1 + 9)), and each 50 % from the mean of both.
    assert!((value(&text("fairness", "")) - 0.8).abs() < 1e-9);
    assert!(value(&text("time-to-fairness", "interval = \"1 s\"\ntolerance = 0.49")).is_nan());
    assert_eq!(value(&text("time-to-fairness", "interval = \"1 s\"\ntolerance = 0.51")), 0.0);
    let refused = |from: &str, to: &str| {
        let text = text("fairness", "").replace(from, to);
        common::lines(penstock_scenario::load(&text, "t.toml", &[]))
    };
    assert_eq!(
        refused("[\"f\", \"g\"]", "\"f\""),
        ["t.toml:26: measure[0].between: needs at least two groups in of; with one, compare \"flows\""]
    );
    assert_eq!(
        refused("\"fairness\"", "\"loss\""),
        ["t.toml:26: measure[0].between: has no effect: only metric = \"fairness\" and \"time-to-fairness\" compare; leave it out"]
    );
}
