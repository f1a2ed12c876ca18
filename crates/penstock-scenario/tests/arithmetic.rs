//! Extreme quantities of every kind at once: nothing overflows in a build with overflow checks, and roundings are reported.

mod common;
use common::{changed, lines, sound, FLOW, LINK, TOP};
use penstock_engine::Sim;
use penstock_scenario::{load, Mistake};

/// Runs a scenario to its end, or for two million events; returns the number of delivered bytes.
fn delivered(text: &str) -> u64 {
    let mut sim = Sim::new(sound(text, &[]).blueprint(None, 0)).expect("sound");
    sim.run_events(sim.end(), 2_000_000);
    sim.finish().flows.iter().map(|flow| flow.received.bytes).sum()
}

/// The longest run, in whole seconds.
const LONGEST: &str = "duration = \"17280000 s\"";

#[test]
fn slow_links_and_large_packets_take_longer_than_a_run_can_last() {
    // 65,535 bytes at 1 bit/s take six days, and a thousand of them more than a run may have.
    let slow = changed("rate = \"1 Mbit/s\"", "rate = \"1 bit/s\"").replacen(TOP, LONGEST, 1);
    let slow = slow.replacen(FLOW, "source.cbr = { rate = \"1 bit/s\", packet = \"65535 bytes\" }\ncount = 40", 1);
    let received = delivered(&slow);
    assert!(received > 0 && received <= 17_280_000 / 8, "{received} bytes");
    for queue in ["queue.tail-drop = { limit = \"1000000 packets\" }", "queue.codel = {}", "scheduler.fq-codel = {}"] {
        assert!(delivered(&slow.replacen(LINK, &format!("delay = \"3600 s\"\n{queue}"), 1)) > 0, "{queue}");
    }
}

#[test]
fn the_smallest_and_the_largest_of_everything_run() {
    let meters = [
        "marker.tcm = { committed-rate = \"100 Tbit/s\", committed-burst = \"1000000000 GB\" }",
        "marker.tcm = { committed-rate = \"1 bit/s\", committed-burst = \"1 byte\" }",
        "shaper.token-bucket = { rate = \"1 bit/s\", burst = \"1000000000 GB\" }",
        "pcn.threshold = { rate = \"1 bit/s\", size = \"17280000 s\", threshold = \"1 s\" }",
        "queue.red = { limit = \"1000000000 GB\", min-threshold = \"1 byte\", max-threshold = \"999999999 GB\", max-probability = 0.1 }",
        "queue.step-marking = { limit = \"1000000000 GB\", threshold = \"72000 s\" }",
        "scheduler.fq-codel = { quantum = \"1 byte\" }",
        "rate-changes = [ { at = \"1 ps\", rate = \"1 bit/s\" }, { at = \"2 ps\", rate = \"100 Tbit/s\" } ]",
    ];
    for meter in meters {
        let text = changed("rate = \"1 Mbit/s\"", "rate = \"100 Tbit/s\"").replacen(LINK, &format!("delay = \"3600 s\"\n{meter}"), 1);
        for (duration, rate) in [("17280000 s", "1 bit/s"), ("7200 s", "1 kbit/s")] {
            let text = text.replacen(TOP, &format!("duration = \"{duration}\""), 1).replacen("64 kbit/s", rate, 1);
            assert!(delivered(&text) > 0, "{meter} {duration}");
        }
    }
}

#[test]
fn shares_of_a_buffer_are_added_up_without_wrapping() {
    let shares: Vec<String> = (0..20).map(|i| format!("a-n{i} = \"999999999 GB\"")).collect();
    let nodes: String = (0..20).map(|i| format!("n{i} = {{}}\n")).collect();
    let links: String =
        (0..20).map(|i| format!("[[links]]\nfrom = \"a\"\nto = \"n{i}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n")).collect();
    let buffer = format!("a = {{ buffer.static-shares = {{ size = \"1000000000 GB\", shares = {{ {} }} }} }}", shares.join(", "));
    let text = changed("a = {}\n", &format!("{buffer}\n{nodes}")) + &links;
    let refused = lines(load(&text, "t.toml", &[]));
    assert!(refused[0].contains("add up to 18446744073709551615 bytes, more than the shared buffer"), "{refused:?}");
}

fn warnings(text: &str) -> Vec<String> {
    sound(text, &[]).warnings().iter().map(Mistake::to_string).collect()
}

#[test]
fn links_that_round_short_transmissions_are_warned_of_once() {
    let fast = |rate: &str, packet: &str| changed("1 Mbit/s", rate).replacen("160 bytes", packet, 1);
    // 512 bits at 90 Tbit/s: 5.689 ps, and 6 are 5.5 % more.
    let message =
        "t.toml:6: links[0].rate: at 90000 Gbit/s the 64 bytes of a packet of 'f' take 5.69 ps, which counts as 6 ps: an error of \
                   5.5 %, since times are whole picoseconds";
    assert_eq!(warnings(&fast("90 Tbit/s", "64 bytes")), [message]);
    // Exact, or no shorter than 100 ps: 1,500 bytes at 90 Tbit/s take 133 ps, 80 bits at 10 Tbit/s 8 ps.
    for (rate, packet) in [("90 Tbit/s", "1500 bytes"), ("10 Tbit/s", "10 bytes"), ("unlimited", "64 bytes"), ("1 Mbit/s", "1 bytes")] {
        assert_eq!(warnings(&fast(rate, packet)), [""; 0], "{rate} {packet}");
    }
    // Sizes that have no law to be known from.
    assert_eq!(
        warnings(&fast("90 Tbit/s", "1 byte").replacen("packet = \"1 byte\"", "packet = { exponential = { mean = \"64 bytes\" } }", 1)),
        [""; 0]
    );
    // Of several packets, the one with the largest error is reported; a later rate counts; every link is checked.
    let more = format!("{LINK}\nrate-changes = [ {{ at = \"1 s\", rate = \"30 Tbit/s\" }} ]\nboth-ways = true");
    let tcp = FLOW.to_owned() + "\n[[flows]]\nname = \"g\"\nfrom = \"a\"\nto = \"b\"\nsource.ftp = {}\ntransport.tcp = {}";
    let both = warnings(&fast("20 Tbit/s", "64 bytes").replacen(LINK, &more, 1).replacen(
        &FLOW.replace("160 bytes", "64 bytes"),
        &tcp.replace("160 bytes", "1 byte"),
        1,
    ));
    assert_eq!(both.len(), 1, "acknowledgements of 40 bytes take 16 ps at 20 Tbit/s exactly: {both:?}");
    assert!(
        both[0].contains("at 30000 Gbit/s the 1 bytes of a packet of 'f' take 0.27 ps, which counts as 0 s: an error of 100.0 %"),
        "{both:?}"
    );
}
