//! ATM: exact figures of cells, frames and circuits.

mod common;
use common::{lines, sound};
use penstock_engine::blueprint::Blueprint;
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_scenario::{load, MetricValue, ValidScenario};

/// Two hosts on each side of two cell switches, with links of 149.76 Mbit/s.
fn network(queue: &str, rest: &str) -> String {
    let link = |from: &str, to: &str, more: &str| {
        format!(
            "[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"149.76 Mbit/s\"\ndelay = \"1 ms\"\nboth-ways = true\ncells = true\n{more}\n"
        )
    };
    let nodes = "[nodes]\na = { count = 2 }\ns1 = { cell-switch = true }\ns2 = { cell-switch = true }\nb = { count = 2 }\n";
    let links = [link("a", "s1", "queue.tail-drop = { limit = \"5000 cells\" }"), link("s1", "s2", queue), link("s2", "b", "")].concat();
    format!("duration = \"2 s\"\nwarm-up = \"500 ms\"\n{nodes}{links}{rest}\n")
}

fn tcp(from: &str, to: &str, packet: u64) -> String {
    let transport = format!("{{ packet = \"{packet} bytes\", header = \"40 bytes\", max-window = \"4000 packets\", variant = \"sack\" }}");
    format!("[[flows]]\nname = \"tcp\"\nfrom = \"{from}\"\nto = \"{to}\"\nsource.ftp = {{}}\ntransport.tcp = {transport}\n")
}

fn run(blueprint: &Blueprint) -> Observations {
    Sim::new(blueprint.clone()).expect("sound").run()
}

/// A connection without loss takes all cells of the link: C / (53 n) segments a second, n = ceil((MSS + 56) / 48).
#[test]
fn one_connection_reaches_the_throughput_of_its_segment_size() {
    for (segment, cells) in [(512, 12.0), (536, 13.0), (1024, 23.0), (1460, 32.0), (9140, 192.0), (9180, 193.0)] {
        // More than the 2,200 cells of a round trip, and less than what the sender's own queue has room for.
        let window = format!("\"{} packets\"", 2900 / cells as u32);
        let text = network("", &tcp("a[0]", "b[0]", segment + 40)).replace("\"4000 packets\"", &window);
        let seen = run(&sound(&text, &[]).blueprint(None, 0));
        let per_second = 149_760_000.0 / (8.0 * 53.0 * cells);
        let received = (seen.flows[0].goodput_bytes / segment) as f64;
        // The window begins and ends within a packet.
        assert!((received - 1.5 * per_second).abs() <= 1.0, "{segment}: {received} segments in 1.5 s, {per_second} a second");
    }
}

/// Its smallest packet is an acknowledgement of 66 bytes.
#[test]
fn roce_passes_cell_links() {
    let roce = r#"{ rate-control = "fixed", packet = "1000 bytes", header = "40 bytes", timeout = "20 ms" }"#;
    let ends = "name = \"roce\"\nfrom = \"a[0]\"\nto = \"b[0]\"\nstart = \"600 ms\"";
    let text = network("", &format!("[[flows]]\n{ends}\nsource.ftp = {{ size = \"96 kB\" }}\ntransport.roce = {roce}\n"));
    let seen = run(&sound(&text, &[]).blueprint(None, 0));
    assert_eq!((seen.flows[0].goodput_bytes, seen.flows[0].sent.retransmissions), (96_000, 0));
}

/// Every packet that was sent has been received, is lost, or is in flight, whatever happens to its cells.
#[test]
fn packets_are_lost_once() {
    for queue in [
        "tail-drop = { limit = \"150 cells\" }",
        "ppd = { limit = \"150 cells\" }",
        "epd = { limit = \"150 cells\", threshold = \"100 cells\" }",
    ] {
        let text = network(&format!("queue.{queue}"), &tcp("a", "b", 1064)).replace("warm-up = \"500 ms\"", "");
        let text = text.replace("source.ftp = {}", "source.ftp = { size = \"2 MB\" }");
        let scenario = sound(&text, &[("duration", "60 s")]);
        let seen = run(&scenario.blueprint(None, 0));
        for flow in &seen.flows {
            assert!(flow.lost_packets > 0, "{queue} loses something");
            assert_eq!(flow.sent.packets, flow.received.packets + flow.lost_packets, "{queue}");
            assert_eq!(flow.goodput_bytes.div_ceil(1024), 2_000_000_u64.div_ceil(1024), "{queue}");
        }
    }
}

/// EPD drops whole frames: no cell is wasted.
#[test]
fn early_discard_wastes_no_cells() {
    let text = network("queue.epd = { limit = \"1000 cells\", threshold = \"600 cells\" }", &tcp("a", "b", 1064));
    let scenario = sound(&text, &[]);
    let seen = run(&scenario.blueprint(None, 0));
    let bottleneck = scenario.blueprint(None, 0).links.iter().position(|link| link.path == "s1-s2").expect("there");
    let dropped = |cause: DropCause| seen.links[bottleneck].dropped_packets[cause as usize].iter().sum::<u64>();
    assert!(dropped(DropCause::Early) > 0);
    assert_eq!((dropped(DropCause::Overflow), dropped(DropCause::Partial)), (0, 0));
}

/// Observations do not depend on the executor.
#[test]
fn executors_agree_on_cells() {
    let text = network("queue.epd = { limit = \"300 cells\", threshold = \"200 cells\" }", &tcp("a", "b", 552));
    let blueprint = sound(&text, &[("duration", "900 ms")]).blueprint(None, 0);
    let of = |executor| Sim::new(blueprint.clone()).expect("sound").with_executor(executor).run();
    let plain = of(Executor::Plain);
    for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        let other = of(executor);
        assert_eq!((plain.digest, &plain.flows, &plain.links), (other.digest, &other.flows, &other.links), "{executor:?}");
    }
}

/// Mistakes about cells name what is wrong.
#[test]
fn what_cells_cannot_be_is_refused() {
    let refused = |text: String, expected: &[&str]| {
        let found = lines(load(&text, "t.toml", &[]));
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found:?} does not say {expected:?}");
        }
    };
    let flows = tcp("a", "b", 552);
    let circuit = |more: &str| format!("{flows}[[circuits]]\nname = \"vc\"\n{more}\n");
    let plain = |rest: &str| network("", rest);
    refused(plain(&circuit("flows = \"tcp\"")), &["the circuit 'vc' is without a route: its flows do not all pass the same cell links"]);
    refused(plain(&circuit("flows = \"tpc\"")), &["did you mean 'tcp'?"]);
    let one = |more: &str| plain(&format!("{}[[circuits]]\nname = \"vc\"\nflows = \"tcp\"\n{more}\n", tcp("a[0]", "b[0]", 552)));
    refused(one("mcr = \"400 kcells/s\""), &["promised 400000 cells/s together, more than its 353207 cells/s"; 3]);
    refused(one("max-frame = \"500 bytes\""), &["'tcp' has packets of 552 bytes, larger than 500 bytes"]);
    refused(plain(&tcp("a[0]", "s2", 552)), &["'s2' is a cell switch, where no packet begins or ends"]);
    refused(network("queue.epd = { limit = \"10 cells\", threshold = \"11 cells\" }", &flows), &["11 cells are above limit, 10 cells"]);
    refused(network("queue.epd = { limit = \"10 kB\", threshold = \"1 kB\" }", &flows), &["must be in cells", "must be in cells"]);
    let packets = |queue: &str| network(queue, &flows).replace("cells = true", "cells = false").replace("cell-switch = true", "");
    refused(packets("queue.ppd = { limit = \"10 cells\" }"), &["ppd drops frames by circuit, and this link has none"]);
    let mixed = network("", &flows).replacen("cells = true", "cells = false", 1);
    refused(mixed, &["the cell switch 's1' forwards cells alone"]);
    let small = flows.replace("source.ftp = {}", "source.cbr = { rate = \"1 Mbit/s\", packet = \"30 bytes\" }");
    let small = small.lines().filter(|line| !line.starts_with("transport")).collect::<Vec<_>>().join("\n");
    refused(plain(&small), &["has packets of 30 bytes on a cell link; frames have two cells or more"]);
    let named = |queue: &str| network(queue, &circuit("flows = \"tcp\"").replace("\"a\"", "\"a[0]\"").replace("\"b\"", "\"b[0]\""));
    refused(named("queue.circuit-thresholds = { limit = \"10 cells\", thresholds = { vd = \"5 cells\" } }"), &["did you mean 'vc'?"]);
    refused(
        named("queue.dfba = { limit = \"9 cells\", low = \"1 cells\", high = \"8 cells\", z = { tcp = 1 } }"),
        &["unknown circuit 'tcp'"],
    );
    let buffer = network("", &flows).replace("a = { count = 2 }", "a = { count = 2, buffer.pool = { size = \"1 MB\" } }");
    refused(buffer, &["has a buffer, which does not work with cells"]);
    let waiting = flows.replace("tcp = {", "tcp = { local-queue = \"backpressure\",");
    refused(plain(&waiting), &["local-queue: has no effect: the hosts are ends of AAL5, such as 'a[0]'"]);
    let sampled = "[[measure]]\nmetric = \"meter-state\"\nof = \"s1-s2\"\nsample = \"10 ms\"\n";
    let metered = network("marker.f-gcra = { burst = \"200 cells\" }", &format!("{flows}{sampled}"));
    refused(metered, &["the marker of 's1-s2' has a state for each circuit, which series show: write [[series]] with of = \"s1-s2\""]);
}

/// The numbers of `[[measure]]` by the label `key`.
fn split(scenario: &ValidScenario, metric: &str, key: &str) -> Vec<(String, f64)> {
    let found = scenario.metrics(&run(&scenario.blueprint(None, 0)));
    let label = |metric: &MetricValue| metric.labels.iter().find(|(name, _)| name == key).map(|(_, text)| text.clone());
    found.iter().filter(|it| it.name == metric).filter_map(|it| Some((label(it)?, it.value))).collect()
}

fn measure(metric: &str, of: &str, by: &str) -> String {
    format!("[[measure]]\nmetric = \"{metric}\"\nof = \"{of}\"\nby = {by}\n")
}

/// A cell takes 1 ms. Every 100 ms two frames of 3 cells begin at once and wait 0 + 1 + 2 and 3 + 4 + 5 ms; one of 5 cells begins 1 ms
/// later and waits 5 + 6 + 7 + 8 + 9 ms.
#[test]
fn the_cells_that_wait_are_told_by_circuit() {
    let link = |from: &str, to: &str, rate: &str| {
        format!("[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"1 ms\"\ncells = true\n")
    };
    let flow = |name: &str, to: &str, start: &str, bits: u64, bytes: u64| {
        let source = format!("source.cbr = {{ rate = \"{bits} bit/s\", packet = \"{bytes} bytes\", phase = \"zero\" }}");
        format!("[[flows]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"{to}\"\nstart = \"{start}\"\n{source}\n")
    };
    let text = [
        "duration = \"1 s\"\n[nodes]\na = {}\ns = { cell-switch = true }\nb = { count = 2 }\nc = {}\n".to_owned(),
        link("a", "s", "424 kbit/s"),
        link("s", "b", "1 Mbit/s"),
        link("s", "c", "1 Mbit/s"),
        flow("two", "b", "0 s", 8000, 100),
        flow("one", "c", "1 ms", 16_000, 200),
        "[[circuits]]\nname = \"vc\"\nflows = \"one\"\n".to_owned(),
    ]
    .concat();
    let of = |metric: &str, cell: f64| {
        let found = split(&sound(&(text.clone() + &measure(metric, "a-s", "[\"circuit\"]")), &[]), metric, "circuit");
        let expected = [("vc", 0.35), ("two[0]", 0.03), ("two[1]", 0.12)];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((name, value), (circuit, waiting)) in found.iter().zip(expected) {
            assert!(name == circuit && (value - waiting * cell).abs() < 1e-9, "{found:?}");
        }
    };
    of("queue", 1.0);
    of("queue-bytes", 53.0);
    // Each of the two links to b has cells of one circuit only.
    let each = text.clone() + &measure("queue", "s-b", "[\"circuit\"]") + "per = \"link\"\n";
    assert_eq!(
        split(&sound(&each, &[]), "queue", "circuit").iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["two[0]", "two[1]"]
    );
    let both = text.clone() + &measure("queue", "a-s", "[\"circuit\", \"class\"]");
    assert!(lines(load(&both, "t.toml", &[]))[0].ends_with("'class' and 'circuit' are not split at once; measure twice"));
    let packets =
        (text + &measure("queue", "a-s", "[\"circuit\"]")).replace("cells = true", "").replace("s = { cell-switch = true }", "s = {}");
    let found = lines(load(&packets, "t.toml", &[]));
    assert!(found.len() == 1 && found[0].contains("by: 'a-s' has no circuits: it carries packets"), "{found:?}");
}

/// Little's law without chance: 40 cells fill the queue at once, and from then on a frame of two cells comes every 2 ms, in which two
/// cells are sent. It finds 39 cells waiting and half a cell in transmission, so its cells wait 39.5 and 40.5 ms. Flows `a` and `c`
/// have every fourth frame, so 80 ms of waiting in 8 ms; `b` has every second, twice as much. Shares of the queue equal shares of the
/// output.
#[test]
fn throughput_shares_of_a_fifo_equal_buffer_shares() {
    let flow = |name: &str, start: &str, bits: u64, bytes: u64| {
        let source = format!("source.cbr = {{ rate = \"{bits} bit/s\", packet = \"{bytes} bytes\", phase = \"zero\" }}");
        format!("[[flows]]\nname = \"{name}\"\nclass = \"{name}\"\nfrom = \"h\"\nto = \"t\"\nstart = \"{start}\"\n{source}\n")
    };
    let link = |from: &str, to: &str, rate: &str| {
        format!("[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"1 ms\"\ncells = true\n")
    };
    let text = [
        "duration = \"496250 us\"\nwarm-up = \"96250 us\"\n[nodes]\nh = {}\ns = { cell-switch = true }\nt = {}\n".to_owned(),
        link("h", "s", "424 kbit/s"),
        link("s", "t", "10 Mbit/s"),
        flow("fill", "0 s", 1, 40 * 48 - 16),
        flow("a", "500 us", 80_000, 80),
        flow("b", "2500 us", 160_000, 80),
        flow("c", "4500 us", 80_000, 80),
        measure("queue", "h-s", "[\"circuit\"]"),
        measure("throughput", "h-s", "[\"class\"]"),
    ]
    .concat();
    let scenario = sound(&text, &[]);
    let (held, sent) = (split(&scenario, "queue", "circuit"), split(&scenario, "throughput", "class"));
    for (name, cells, bits) in [("fill", 0.0, 0.0), ("a", 10.0, 106_000.0), ("b", 20.0, 212_000.0), ("c", 10.0, 106_000.0)] {
        let of = |all: &[(String, f64)]| all.iter().find(|(own, _)| own == name).expect("there").1;
        assert_eq!((of(&held), of(&sent)), (cells, bits), "{name}: mean number of cells, and bit/s");
    }
}

/// A FIFO queue that is always full serves circuits in proportion to their shares of the queue.
#[test]
fn shares_of_a_fifo_link_are_those_of_its_queue() {
    let flow = |i: usize, rate: u64| {
        let source = format!("source.poisson = {{ rate = \"{rate} Mbit/s\", packet = \"464 bytes\" }}");
        format!("[[flows]]\nname = \"f{i}\"\nclass = \"c{i}\"\nfrom = \"a[{i}]\"\nto = \"b[{i}]\"\n{source}\n")
    };
    let asked = measure("queue", "s1-s2", "[\"circuit\"]") + &measure("queue", "s1-s2", "[\"class\"]");
    let text = network(
        "queue.tail-drop = { limit = \"2000 cells\" }",
        &(flow(0, 50) + &flow(1, 100) + &asked + &measure("throughput", "s1-s2", "[\"class\"]")),
    );
    let scenario = sound(&text, &[]);
    let values = |metric, key| split(&scenario, metric, key).into_iter().map(|(_, value)| value).collect::<Vec<f64>>();
    let (circuits, classes, sent) = (values("queue", "circuit"), values("queue", "class"), values("throughput", "class"));
    assert_eq!((circuits.len(), &circuits), (2, &classes), "each circuit is a class of its own");
    let share = |of: &[f64]| of[0] / of.iter().sum::<f64>();
    assert!(circuits.iter().sum::<f64>() > 1950.0, "the queue is full: {circuits:?}");
    // With more than 1,950 of 2,000 cells on average, mean waits differ by less than 50 of 2,000.
    assert!((share(&circuits) / share(&sent) - 1.0).abs() < 0.025, "{circuits:?} against {sent:?}");
    assert!(share(&sent) < 0.4, "the shares differ: {sent:?}");
}
