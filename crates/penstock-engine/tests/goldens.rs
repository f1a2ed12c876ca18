//! Small scenarios with every number that they gave, for builds to be compared with one another.
//!
//! A change of a digest or of a count is a change of behaviour: it must be meant, and be explained where it is committed.

mod support;

use penstock_engine::blueprint::{MarkAt, MarkerPlan, QueuePlan};
use penstock_engine::Observations;
use support::{discipline, impairment, meter, one_link, scheduler, source, transport, Dumbbell, Net};

/// What a run gave: packets sent by all flows, received, dropped at all links, packet-hops, digest.
type Golden = (u64, u64, u64, u64, u64);

fn numbers(seen: &Observations) -> Golden {
    let sum = |count: fn(&penstock_engine::observations::FlowCounters) -> u64| seen.flows.iter().map(count).sum();
    let dropped = seen.links.iter().flat_map(|link| link.dropped_packets.iter().flatten()).sum();
    (sum(|flow| flow.sent.packets), sum(|flow| flow.received.packets), dropped, seen.packet_hops, seen.digest)
}

/// The same scenario as a TOML page, for the layers above:
/// nodes a and b; link a-b of 1 Mbit/s, 10 ms, tail drop of 5 packets; flows "cbr", three from a to b,
/// cbr of 400 kbit/s, 500 bytes, spacing-jitter 10 %, over udp; 10 s; seed 1.
fn three_cbr() -> Net {
    let (mut net, route, _) = one_link("10 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", "limit = 5 packets"));
    let traffic = source("cbr", "rate = 400 kbit/s; packet = 500 bytes; spacing-jitter = 0.1");
    let group = net.group("cbr", traffic, transport("udp", ""), ("0 s", "0 s"));
    (0..3).for_each(|_| net.flow(group, route, route));
    net
}

fn poisson_red() -> Net {
    let red = "limit = 60 packets; min-threshold = 5 packets; max-threshold = 15 packets; max-probability = 0.1";
    let (mut net, route, link) = one_link("20 s", 2, "1 Mbit/s", "10 ms", discipline("red", red));
    let traffic = source("poisson", "rate = 300 kbit/s; packet = exponential 500 bytes");
    let group = net.group("poisson", traffic, transport("udp", ""), ("0 s", "1 s"));
    (0..4).for_each(|_| net.flow(group, route, route));
    net.port(link).impairments = vec![impairment("loss", "probability = 0.01"), impairment("delay", "added = uniform [0 ms, 30 ms]")];
    net
}

fn coloured_priority() -> Net {
    let red_n = "limit = 60 packets; min-thresholds = [10 packets, 5 packets]; max-thresholds = [30 packets, 15 packets]; \
                 max-probabilities = [0.05, 0.2]";
    let (mut net, route, link) = one_link("20 s", 3, "1.5 Mbit/s", "5 ms", discipline("red-n", red_n));
    net.0.classes = vec!["ef".to_owned(), "af".to_owned()];
    net.marker(link, MarkerPlan { meter: meter("token-bucket", "rate = 500 kbit/s; burst = 8 kB"), at: MarkAt::Arrival });
    let port = net.port(link);
    port.scheduler = scheduler("priority", "order = [ef, af]");
    port.queues = vec![
        QueuePlan { name: "ef".to_owned(), discipline: discipline("tail-drop", "limit = 10 packets") },
        QueuePlan { name: "af".to_owned(), discipline: discipline("red-n", red_n) },
    ];
    port.queue_of_class = vec![0, 1];
    let udp = || transport("udp", "");
    let ef = net.group("ef", source("cbr", "rate = 64 kbit/s; packet = 160 bytes"), udp(), ("0 s", "0 s"));
    let af =
        net.group("af", source("poisson", "rate = 800 kbit/s; packet = mix [160 bytes @ 0.5, 1500 bytes @ 0.5]"), udp(), ("0 s", "0 s"));
    net.0.groups[af as usize].class = 1;
    [ef, ef, ef, af, af].into_iter().for_each(|group| net.flow(group, route, route));
    net
}

fn tcp(variant: &str) -> Net {
    let red = "limit = 60 packets; min-threshold = 10 packets; max-threshold = 30 packets; max-probability = 1/30";
    Dumbbell {
        sides: 3,
        flows: 6,
        access: ("10 Mbit/s", "1 ms"),
        bottleneck: ("1.5 Mbit/s", "20 ms", discipline("red", red)),
        tcp: &format!("variant = {variant}; packet = 576 bytes"),
        starts: "1 s",
        end: "20 s",
    }
    .net(4)
}

/// Two senders whose rates follow the telemetry of the port that they share.
fn hpcc() -> Net {
    let mut net = Net::new("20 ms", 5);
    let [s, c] = ["s", "c"].map(|name| net.node(name));
    let queue = || discipline("tail-drop", "limit = 1000 packets");
    let (out, back) = (net.link(s, c, "100 Mbit/s", "10 us", queue()), net.link(c, s, "100 Mbit/s", "10 us", queue()));
    let settings = "packet = 1000 bytes; rate-control = hpcc { base-rtt = 300 us }";
    let group = net.group("bulk", source("ftp", ""), transport("roce", settings), ("0 s", "1 ms"));
    for name in ["h0", "h1"] {
        let h = net.node(name);
        let (up, down) = (net.link(h, s, "100 Mbit/s", "10 us", queue()), net.link(s, h, "100 Mbit/s", "10 us", queue()));
        let (forward, backward) = (net.route(&[up, out]), net.route(&[back, down]));
        net.flow(group, forward, backward);
    }
    net
}

#[test]
fn goldens() {
    let runs: [(&str, Net, Golden); 8] = [
        // name, scenario, (sent, received, dropped, packet-hops, digest)
        ("three-cbr", three_cbr(), (2994, 2497, 490, 2497, 0x9151_1b39_507e_b4be)),
        ("poisson-red", poisson_red(), (5922, 4750, 1158, 4750, 0xa190_b917_e4a3_c4da)),
        ("coloured-priority", coloured_priority(), (7869, 7253, 588, 7253, 0x9496_1aac_84a5_f7ed)),
        ("tahoe", tcp("tahoe"), (6715, 6466, 215, 39067, 0xfac9_fc54_27bd_80f8)),
        ("reno", tcp("reno"), (6683, 6352, 292, 38463, 0x4b16_acf7_a6a9_8bc9)),
        ("new-reno", tcp("new-reno"), (6751, 6466, 253, 39102, 0x9603_e28d_4d29_923b)),
        ("sack", tcp("sack"), (6930, 6456, 434, 39233, 0xfa93_273e_e097_ad44)),
        ("hpcc", hpcc(), (237, 235, 0, 941, 0x3cd3_94c4_ac89_10c7)),
    ];
    let line = |name: &str, (sent, received, dropped, hops, digest): Golden| {
        format!("{name}: {sent}, {received}, {dropped}, {hops}, {digest:#018x}\n")
    };
    let (mut seen, mut golden) = (String::new(), String::new());
    for (name, net, expected) in runs {
        seen += &line(name, numbers(&net.run()));
        golden += &line(name, expected);
    }
    assert_eq!(seen, golden, "\nseen:\n{seen}");
}
