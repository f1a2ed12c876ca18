//! The benchmark workloads without the scenario layer, for profilers: `workloads NAME [SCALE [FLOWS]]`.
//!
//! SCALE shortens the simulated time (1 is full length); FLOWS replaces the number of flows, to see what one costs.
//! `penstock bench` is the public form.

#[path = "../tests/support/mod.rs"]
mod support;

use penstock_engine::blueprint::QueuePlan;
use support::{class, discipline, one_link, scheduler, source, transport, Dumbbell, Net};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "cbr".to_owned());
    let scale: f64 = arguments.next().map_or(1.0, |text| text.parse().expect("a number"));
    let flows = arguments.next().map(|text| text.parse::<usize>().expect("a number"));
    let end = |seconds: f64| format!("{} ms", (seconds * scale * 1000.0) as u64);
    let net = match name.as_str() {
        "cbr" => cbr(&end(60.0), flows.unwrap_or(1000)),
        "parking-lot" => parking_lot(&end(20.0), flows.unwrap_or(500)),
        "tcp-bulk" => Dumbbell {
            sides: 40,
            flows: flows.unwrap_or(40),
            access: ("40 Gbit/s", "10 us"),
            bottleneck: ("10 Gbit/s", "480 us", discipline("tail-drop", "limit = 833 packets")),
            tcp: "max-window = 256 packets; min-rto = 200 ms",
            starts: "100 ms",
            end: &end(2.0),
        }
        .net(1),
        "tcp-many" => Dumbbell {
            sides: 40,
            flows: flows.unwrap_or(1000),
            access: ("10 Gbit/s", "500 us"),
            bottleneck: ("1 Gbit/s", "24 ms", discipline("tail-drop", "limit = 4166 packets")),
            tcp: "max-window = 256 packets; min-rto = 200 ms",
            starts: "1 s",
            end: &end(10.0),
        }
        .net(1),
        "one-class-priority" => one_class(&end(2.0), ("priority", "order = [default]"), ("tail-drop", "limit = 100 packets")),
        "one-class-codel" => one_class(&end(2.0), ("fifo", ""), ("codel", "limit = 100 packets")),
        "one-class-fq-codel" => one_class(&end(2.0), ("fq-codel", ""), ("codel", "limit = 100 packets")),
        other => match other.strip_prefix("schedulers-").and_then(|name| SCHEDULERS.iter().find(|(known, ..)| *known == name)) {
            Some(scheduler) => schedulers(scheduler, &end(2.0), flows.unwrap_or(100)),
            None => panic!("no workload '{other}'; cbr, parking-lot, tcp-bulk, tcp-many, schedulers-fifo and so on"),
        },
    };
    let seen = net.run();
    let received: u64 = seen.flows.iter().map(|flow| flow.received.packets).sum();
    println!("{name}: {} packet-hops, {received} received, digest {:016x}", seen.packet_hops, seen.digest);
}

fn voice(net: &mut Net, name: &str) -> u32 {
    net.group(name, source("cbr", "rate = 64 kbit/s; packet = 160 bytes"), transport("udp", ""), ("0 s", "0 s"))
}

fn cbr(end: &str, flows: usize) -> Net {
    let (mut net, route, _) = one_link(end, 1, "128 Mbit/s", "10 ms", discipline("tail-drop", "limit = 1000 packets"));
    let group = voice(&mut net, "cbr");
    (0..flows).for_each(|_| net.flow(group, route, route));
    net
}

/// A hundred periodic flows of one class offer 1.2 times what the link carries.
fn one_class(end: &str, (name, settings): (&str, &str), queue: (&str, &str)) -> Net {
    let (mut net, route, link) = one_link(end, 1, "1 Gbit/s", "10 ms", discipline(queue.0, queue.1));
    net.port(link).scheduler = scheduler(name, settings);
    for bytes in [160, 1500] {
        let traffic = source("cbr", &format!("rate = 12 Mbit/s; packet = {bytes} bytes"));
        let group = net.group(&format!("of{bytes}"), traffic, transport("udp", ""), ("0 s", "0 s"));
        (0..50).for_each(|_| net.flow(group, route, route));
    }
    net
}

/// As many flows along all links as there are across each.
fn parking_lot(end: &str, flows: usize) -> Net {
    let mut net = Net::new(end, 1);
    let nodes: Vec<_> = (0..6).map(|i| net.node(&format!("n{i}"))).collect();
    let links: Vec<_> = nodes
        .windows(2)
        .map(|pair| net.link(pair[0], pair[1], "128 Mbit/s", "1 ms", discipline("tail-drop", "limit = 1000 packets")))
        .collect();
    let long = net.route(&links);
    let group = voice(&mut net, "long");
    (0..flows).for_each(|_| net.flow(group, long, long));
    for (i, link) in links.iter().enumerate() {
        let route = net.route(&[*link]);
        let group = voice(&mut net, &format!("cross{i}"));
        (0..flows).for_each(|_| net.flow(group, route, route));
    }
    net
}

/// The schedulers to measure: name, component, settings, and the settings of each of the eight classes.
const SCHEDULERS: [(&str, &str, &str, &str); 8] = [
    ("fifo", "fifo", "", ""),
    ("priority", "priority", "order = [a, b, c, d, e, f, g, h]", ""),
    ("wrr", "wrr", "", "weight = 1"),
    ("wrr-bytes", "wrr", "weighs = bytes", "weight = 1"),
    ("drr", "drr", "", "quantum = 1500 bytes"),
    ("scfq", "scfq", "", "weight = 1"),
    ("wf2q-plus", "wf2q-plus", "", "weight = 1"),
    ("cbq", "cbq", "", "share = 0.125"),
];

/// Eight classes of periodic flows, half of 160 and half of 1500 bytes, offer 1.2 times what the link carries.
fn schedulers((_, name, settings, said): &(&str, &str, &str, &str), end: &str, flows: usize) -> Net {
    const CLASSES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let fifo = *name == "fifo";
    let (mut net, route, link) = one_link(end, 1, "1 Gbit/s", "10 ms", discipline("tail-drop", "limit = 800 packets"));
    let port = net.port(link);
    port.queue_of_class = (0..8).map(|class| if fifo { 0 } else { class }).collect();
    if !fifo {
        port.scheduler = scheduler(name, settings);
        let queue = |class: &str| QueuePlan { name: class.to_owned(), discipline: discipline("tail-drop", "limit = 100 packets") };
        port.queues = CLASSES.map(queue).into();
        port.classes = vec![class(said); 8];
    }
    net.0.classes = CLASSES.map(str::to_owned).into();
    for (number, name) in CLASSES.iter().enumerate() {
        for bytes in [160, 1500] {
            let rate = 1_200_000_000 / 8 / flows;
            let traffic = source("cbr", &format!("rate = {rate} bit/s; packet = {bytes} bytes"));
            let group = net.group(&format!("{name}{bytes}"), traffic, transport("udp", ""), ("0 s", "0 s"));
            net.0.groups[group as usize].class = number as u8;
            (0..flows / 2).for_each(|_| net.flow(group, route, route));
        }
    }
    net
}
