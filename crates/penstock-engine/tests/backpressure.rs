//! Connections that wait for their host's own port: by hand-worked instants, and under random loads.

#[allow(dead_code)] // each test file uses its part
#[path = "support/random/mod.rs"]
mod random;
mod support;

use penstock_engine::blueprint::{Blueprint, CongestionPointsPlan, FlowPlan, QueuePlan, SwitchPlan};
use penstock_engine::observations::{TraceEvent, TraceSubject};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::{DisciplinePlan, DropCause, Hooks};
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::packet::{Body, Packet};
use penstock_model::parameters::Limit;
use penstock_model::transport::TransportPlan;
use proptest::prelude::*;
use random::case;
use support::{discipline, parameters, scheduler, size, source, time, transport, Net};

fn queue(limit: &str) -> DisciplinePlan {
    discipline("tail-drop", &format!("limit = {limit}"))
}

/// The same under every executor, and however the processes are divided among cores.
fn run(net: &Net) -> Observations {
    let seen = net.run();
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        let other = Sim::new(net.0.clone()).expect("sound").with_executor(executor).run();
        assert_eq!((other.digest, &other.links, &other.flows), (seen.digest, &seen.links, &seen.flows), "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound").run();
        assert_eq!((divided.digest, &divided.links), (seen.digest, &seen.links), "{cores} cores");
    }
    seen
}

fn drops(seen: &Observations, link: LinkId) -> u64 {
    seen.links[link.index()].dropped_packets.iter().flatten().sum()
}

/// Goodput of a flow in bit/s over a run, whose length is given in seconds.
fn goodput(seen: &Observations, flow: usize, seconds: f64) -> f64 {
    seen.flows[flow].goodput_bytes as f64 * 8.0 / seconds
}

/// Hosts with so many flows each, all of which send to one receiver through a switch; the links into the switch and the one behind it.
struct Star {
    net: Net,
    up: Vec<LinkId>,
    out: LinkId,
}

/// Links of these rates; adapters with queues of `limit`.
fn star(end: &str, (up, out): (&str, &str), limit: &str, flows: &[(u32, &str, &str)]) -> Star {
    let mut net = Net::new(end, 1);
    let [s, d] = ["s", "d"].map(|name| net.node(name));
    let (out, back) = (net.link(s, d, out, "1 us", queue("100000 packets")), net.link(d, s, out, "1 us", queue("1000 packets")));
    let mut ups = Vec::new();
    for (i, (count, carrier, settings)) in flows.iter().enumerate() {
        let h = net.node(&format!("h{i}"));
        let (there, here) = (net.link(h, s, up, "1 us", queue(limit)), net.link(s, h, up, "1 us", queue("1000 packets")));
        let (forward, backward) = (net.route(&[there, out]), net.route(&[back, here]));
        let group = net.group(&format!("g{i}"), source("ftp", ""), transport(carrier, settings), ("0 s", "0 s"));
        (0..*count).for_each(|_| net.flow(group, forward, backward));
        ups.push(there);
    }
    Star { net, up: ups, out }
}

#[test]
fn a_paused_sender_holds_its_packets_back() {
    let Star { mut net, up, out } = star("10 ms", ("10 Gbit/s", "10 Gbit/s"), "1000 packets", &[(1, "roce", "rate-control = fixed"); 2]);
    net.share(NodeId(0), "pool", "size = 2 MB");
    net.pause("50 kB", "40 kB");
    net.0.switches[0].pause.as_mut().expect("pause").headroom = Some(size("50 kB"));
    let seen = run(&net);
    assert_eq!([up[0], up[1], out].map(|link| drops(&seen, link)), [0; 3]);
    for flow in 0..2 {
        // Half of 10 Gbit/s, of which 1024 of 1086 bytes are payload.
        let expected = 5e9 * 1024.0 / 1086.0;
        assert!((goodput(&seen, flow, 0.01) / expected - 1.0).abs() < 0.01, "{}", goodput(&seen, flow, 0.01));
        assert_eq!(seen.flows[flow].sent.retransmissions, 0);
    }
}

#[test]
fn connections_share_their_adapter() {
    let Star { net, up, out } = star("20 ms", ("10 Gbit/s", "100 Gbit/s"), "1000 packets", &[(4, "roce", "")]);
    let seen = run(&net);
    assert_eq!((drops(&seen, up[0]), drops(&seen, out)), (0, 0));
    let rates: Vec<f64> = (0..4).map(|flow| goodput(&seen, flow, 0.02)).collect();
    let sum: f64 = rates.iter().sum();
    assert!(sum > 0.99 * 1e10 * 1024.0 / 1086.0, "{sum}");
    assert!(rates.iter().all(|rate| (rate / (sum / 4.0) - 1.0).abs() < 0.01), "{rates:?}");
}

#[test]
fn the_port_asks_in_turn_for_one_packet_each() {
    // Packets of 1000 bytes at 8 Mbit/s take 1 ms. Three connections at that rate, and a queue of one packet.
    let settings = "packet = 1000 bytes; rate-control = fixed; timeout = 1 s";
    let Star { mut net, up, .. } = star("12 ms", ("8 Mbit/s", "8 Gbit/s"), "1 packet", &[(3, "roce", settings)]);
    net.0.trace = true;
    let seen = run(&net);
    let place = (net.0.nodes.len() + up[0].index()) as u32;
    let sent: Vec<(u64, u32)> = seen
        .trace
        .iter()
        .filter(|row| row.place == place && row.event == TraceEvent::Transmit)
        .map(|row| (row.time.as_ps() / 1_000_000_000, row.flow()))
        .collect();
    let expected: Vec<(u64, u32)> = (0..sent.len() as u64).map(|ms| (ms, (ms % 3) as u32)).collect();
    assert_eq!(sent, expected);
    assert!(sent.len() >= 12);
}

#[test]
fn tcp_waits_or_drops_as_it_is_told() {
    let tcp = |local_queue: &str| {
        let settings = format!("min-rto = 10 ms; initial-rto = 100 ms; local-queue = {local_queue}");
        let Star { net, up, .. } = star("500 ms", ("100 Mbit/s", "10 Gbit/s"), "20 packets", &[(3, "tcp", &settings)]);
        let seen = run(&net);
        let sum: f64 = (0..3).map(|flow| goodput(&seen, flow, 0.5)).sum();
        (drops(&seen, up[0]), seen.flows.iter().map(|flow| flow.sent.retransmissions).sum::<u64>(), sum)
    };
    let (lost, again, _) = tcp("drop");
    assert!(lost > 0 && again > 0);
    let (lost, again, sum) = tcp("backpressure");
    assert_eq!((lost, again), (0, 0));
    assert!(sum > 0.99 * 100e6 * 1460.0 / 1500.0, "{sum}");
}

#[test]
fn what_cannot_wait_still_finds_room() {
    let Star { mut net, up, out } = star("20 ms", ("1 Gbit/s", "10 Gbit/s"), "20 packets", &[(2, "roce", "rate-control = fixed")]);
    let route = net.route(&[up[0], out]);
    let group = net.group("voice", source("cbr", "rate = 100 Mbit/s; packet = 500 bytes"), transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    let seen = run(&net);
    assert_eq!(drops(&seen, up[0]), 0);
    let waiting = seen.links[up[0].index()].wait_sum_ps / u128::from(seen.links[up[0].index()].waits.max(1));
    // Seventeen packets of 1086 bytes wait at most, at 1 Gbit/s.
    assert!(waiting < 18 * 8_688_000, "{waiting}");
}

#[test]
fn only_connections_of_a_paused_class_wait() {
    let mut star = star("10 ms", ("10 Gbit/s", "10 Gbit/s"), "100 packets", &[(2, "roce", "rate-control = fixed"); 2]);
    let net = &mut star.net;
    net.0.classes = ["lossless", "lossy"].map(str::to_owned).to_vec();
    for link in 0..net.0.links.len() as u32 {
        let port = net.port(LinkId(link));
        port.scheduler = scheduler("drr", "");
        let limit = port.queues[0].discipline.clone();
        port.queues = ["lossless", "lossy"].map(|name| QueuePlan { name: name.to_owned(), discipline: limit.clone() }).to_vec();
        port.queue_of_class = vec![0, 1];
    }
    // Another class of the first host goes to a place of its own, which is never paused.
    let [s, e] = [NodeId(0), net.node("e")];
    let (there, back) =
        (net.link(s, e, "10 Gbit/s", "1 us", queue("1000 packets")), net.link(e, s, "10 Gbit/s", "1 us", queue("1000 packets")));
    for link in [there, back] {
        net.port(link).queue_of_class = vec![0, 0];
    }
    let here = LinkId(star.up[0].0 + 1);
    let (forward, backward) = (net.route(&[star.up[0], there]), net.route(&[back, here]));
    let fixed = transport("roce", "rate-control = fixed { rate = 1 Gbit/s }");
    let group = net.group("other", source("ftp", ""), fixed, ("0 s", "0 s"));
    net.0.groups[group as usize].class = 1;
    net.flow(group, forward, backward);
    net.share(s, "pool", "size = 2 MB");
    net.pause("50 kB", "40 kB");
    let pause = net.0.switches[0].pause.as_mut().expect("pause");
    (pause.headroom, pause.classes) = (Some(size("50 kB")), Some(vec![0]));
    let seen = run(&star.net);
    assert_eq!([star.up[0], star.up[1], star.out].map(|link| drops(&seen, link)), [0; 3]);
    let (paused, other) = (goodput(&seen, 0, 0.01) + goodput(&seen, 1, 0.01), goodput(&seen, 4, 0.01));
    assert!((other / (1e9 * 1024.0 / 1086.0) - 1.0).abs() < 0.01, "{other}");
    assert!(paused > 4.5e9, "{paused}");
}

#[test]
fn a_rate_limiter_before_the_port_loses_nothing_of_them() {
    let settings = "rate-control = fixed";
    let Star { mut net, up, .. } = star("20 ms", ("10 Gbit/s", "10 Gbit/s"), "100 packets", &[(2, "roce", settings); 3]);
    let mut routes = Vec::new();
    for flow in 0..net.0.flows.len() {
        let here = LinkId(up[flow / 2].0 + 1);
        routes.push((FlowId(flow as u32), false, net.route(&[here])));
    }
    let point = CongestionPointPlan::Qcn(parameters(""));
    let points = CongestionPointsPlan { point, routes };
    net.0.switches.push(SwitchPlan { congestion_points: Some(points), ..SwitchPlan::new(NodeId(0)) });
    for (host, sharing) in (2..5).zip(["station", "flow", "flow"]) {
        let reaction_point = Some(ReactionPointPlan::Qcn(parameters(&format!("limit = 5 packets; shared-by = {sharing}"))));
        net.0.switches.push(SwitchPlan { reaction_point, ..SwitchPlan::new(NodeId(host)) });
    }
    let seen = run(&net);
    assert!(seen.links[0].busy.as_seconds() > 0.01, "{:?}", seen.links[0].busy);
    for link in up {
        assert_eq!(drops(&seen, link), 0, "{:?}", seen.links[link.index()]);
    }
}

/// A random load of a star: rate of the links and of the one behind the switch, the limits of adapters, connections by host.
#[derive(Clone, Debug)]
struct Load {
    rates: (usize, usize),
    limit: usize,
    hosts: Vec<(u32, usize)>,
    crossing: bool,
    spread: bool,
    seed: u64,
}

const LINE: [&str; 3] = ["1 Gbit/s", "10 Gbit/s", "40 Gbit/s"];
const ADAPTER: [&str; 5] = ["1000 packets", "100 packets", "40 packets", "50 kB", "1 MB"];
const CARRIERS: [(&str, &str); 5] = [
    ("roce", "rate-control = fixed"),
    ("roce", "rate-control = fixed; ack-every = 32"),
    ("roce", "rate-control = fixed { rate = 300 Mbit/s }; packet = 4 kB"),
    ("roce", "max-outstanding = 200; rate-control = fixed"),
    ("tcp", "local-queue = backpressure; min-rto = 10 ms; initial-rto = 100 ms; recovery = sack"),
];

fn load() -> impl Strategy<Value = Load> {
    let hosts = prop::collection::vec((1u32..6, 0..CARRIERS.len()), 1..6);
    let shape = (0..LINE.len(), 0..LINE.len(), 0..ADAPTER.len());
    (shape, hosts, any::<bool>(), any::<bool>(), any::<u64>()).prop_map(|((up, out, limit), hosts, crossing, spread, seed)| Load {
        rates: (up, out),
        limit,
        hosts,
        crossing,
        spread,
        seed,
    })
}

impl Load {
    /// The network with adapters of this limit; what its adapters are.
    fn net(&self, limit: &str) -> (Net, Vec<LinkId>) {
        let flows: Vec<(u32, &str, &str)> =
            self.hosts.iter().map(|(count, carrier)| (*count, CARRIERS[*carrier].0, CARRIERS[*carrier].1)).collect();
        let Star { mut net, up, .. } = star("4 ms", (LINE[self.rates.0], LINE[self.rates.1]), limit, &flows);
        net.0.seed = self.seed;
        if self.crossing {
            // As much the other way round: what hosts answer shares their ports with what they send. Not of TCP, which acknowledges each
            // segment: acknowledgements take 3 % of the wire, and more or less of them leave in time behind a long queue.
            let is_roce = |flow: &FlowPlan, net: &Net| matches!(net.0.groups[flow.group as usize].transport, TransportPlan::Roce(_));
            let flows: Vec<FlowPlan> = net.0.flows.iter().filter(|flow| is_roce(flow, &net)).cloned().collect();
            for flow in flows {
                let group = net.0.groups[flow.group as usize].clone();
                net.0.groups.push(group);
                net.flow(net.0.groups.len() as u32 - 1, flow.backward, flow.forward);
            }
        }
        let start = (time("0 s"), time(if self.spread { "200 us" } else { "0 s" }));
        net.0.groups.iter_mut().for_each(|group| group.start = start);
        let ends: Vec<NodeId> = net.0.links.iter().filter(|link| link.to == NodeId(0)).map(|link| link.from).collect();
        let adapters = (0..).map(LinkId).zip(&net.0.links).filter(|(_, link)| ends.contains(&link.from)).map(|(id, _)| id).collect();
        for link in &up {
            net.port(*link).queues[0].discipline = queue(limit);
        }
        net.share(NodeId(0), "pool", "size = 40 MB");
        net.pause("60 kB", "40 kB");
        net.0.switches[0].pause.as_mut().expect("pause").headroom = Some(size("500 kB"));
        (net, adapters)
    }
}

proptest! {
    #![proptest_config(support::cases(60))]

    /// With PFC adapters lose nothing, and a short queue costs nothing: as much arrives as behind an unlimited one.
    #[test]
    fn no_load_loses_packets_at_adapters(load in load()) {
        let (net, adapters) = load.net(ADAPTER[load.limit]);
        let seen = net.run();
        for link in &adapters {
            prop_assert_eq!(drops(&seen, *link), 0, "link {}", link.0);
        }
        let unlimited = load.net("4000000 packets").0.run();
        let sum = |seen: &Observations| seen.flows.iter().map(|flow| flow.goodput_bytes).sum::<u64>() as f64;
        let (here, there) = (sum(&seen), sum(&unlimited));
        // Two packets of 4 kB may be on their way at the end here, and there yet.
        prop_assert!(here > 0.99 * there - 8192.0, "{} of {}", here, there);
    }

    /// In any network, a packet of a connection that waits finds room in its host's own port, unless it fits no empty queue.
    #[test]
    fn what_waits_finds_room(case in case()) {
        let blueprint = Blueprint { trace: true, ..case.blueprint() };
        let seen = Sim::new(blueprint.clone()).expect("random scenarios are sound").run();
        for row in &seen.trace {
            let (TraceEvent::Drop(cause), TraceSubject::Packet(packet)) = (row.event, row.subject) else { continue };
            if [DropCause::Overflow, DropCause::Buffer, DropCause::Headroom, DropCause::Limiter].contains(&cause) {
                prop_assert!(!should_have_waited(&blueprint, row.place, &packet), "{:?} at {} for {:?}", packet, row.place, cause);
            }
        }
    }
}

/// Whether a packet, which was dropped at a place, is one that waits there: at its origin, in a queue that would hold it.
fn should_have_waited(blueprint: &Blueprint, place: u32, packet: &Packet) -> bool {
    let flow = &blueprint.flows[packet.flow.index()];
    let Some(link) = (place as usize).checked_sub(blueprint.nodes.len()).map(|link| &blueprint.links[link]) else { return false };
    if matches!(packet.body, Body::SourceQuench { .. } | Body::CongestionNotification { .. }) {
        return false;
    }
    let origin = if packet.body.is_from_receiver() { flow.to } else { flow.from };
    // Queues of flows, and disciplines that evict, drop what waits when others arrive.
    let evicts = |queue: &QueuePlan| queue.discipline.hooks().has(Hooks::EVICTION);
    let is_kept = link.port.scheduler.facts().own_queues.is_none() && !link.port.queues.iter().any(evicts);
    let fits = |limit: Limit| match limit {
        Limit::Packets(_) => true,
        Limit::Bytes(bytes) => u64::from(packet.size) <= bytes.get(),
    };
    let waits = blueprint.groups[flow.group as usize].transport.waits_for_port();
    let buffer = blueprint.switches.iter().find(|switch| switch.node == link.from).and_then(|switch| switch.buffer.as_ref());
    waits
        && is_kept
        && buffer.is_none()
        && link.from == origin
        // A discipline without a limit of its own may refuse packets for other reasons, which nobody can wait for.
        && link.port.queues.iter().all(|queue| queue.discipline.limit().is_some_and(fits))
}
