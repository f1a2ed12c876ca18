//! Nodes whose ports share a buffer, and PAUSE, by hand-worked numbers.

mod support;

use penstock_engine::observations::{LinkCounters, TraceEvent};
use penstock_engine::series::{Sampling, SeriesPlan, SeriesSubject};
use penstock_engine::Observations;
use penstock_engine::{blueprint::Blueprint, blueprint::SourceQuenchPlan, Executor, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::{FlowId, LinkId, NodeId, RouteId};
use penstock_model::units::{Duration, Time};
use support::{discipline, impairment, source, transport, Net};

/// A host `a`, a switch `s` and two hosts `c` and `d` behind it, over links of 1 Mbit/s: 1000 bytes take 8 ms. From `a` they
/// take 8 us.
struct Star {
    net: Net,
    s: NodeId,
    /// The links to c and d.
    out: [LinkId; 2],
    /// The ways from a.
    ways: [RouteId; 2],
}

fn large() -> penstock_model::discipline::DisciplinePlan {
    discipline("tail-drop", "limit = 100000 packets")
}

fn star(end: &str) -> Star {
    let mut net = Net::new(end, 1);
    let [a, s, c, d] = ["a", "s", "c", "d"].map(|name| net.node(name));
    let up = net.link(a, s, "1 Gbit/s", "0 s", large());
    let out = [net.link(s, c, "1 Mbit/s", "0 s", large()), net.link(s, d, "1 Mbit/s", "0 s", large())];
    let ways = out.map(|link| net.route(&[up, link]));
    Star { net, s, out, ways }
}

fn dropped(counters: &LinkCounters) -> u64 {
    counters.dropped_packets[DropCause::Buffer as usize].iter().sum()
}

/// What the two links have sent, and what the buffer refused for them.
fn fates(star: &Star) -> [(u64, u64); 2] {
    let seen = star.net.run();
    star.out.map(|link| (seen.links[link.index()].sent_packets, dropped(&seen.links[link.index()])))
}

#[test]
fn a_port_that_fills_the_pool_leaves_nothing_for_another() {
    let mut star = star("1 s");
    star.net.share(star.s, "pool", "size = 3 packets");
    let [to_c, to_d] = star.ways;
    // They arrive from 8 us on: three fit, the one in transmission included.
    star.net.burst("0 s", 5, 1000, to_c);
    // Full; the first has left at 8.008 ms; full again, with two for c and one for d.
    for at in ["5 ms", "9 ms", "9.5 ms"] {
        star.net.packet(at, 1000, to_d);
    }
    assert_eq!(fates(&star), [(3, 2), (1, 2)]);
}

/// What can be read of one port must not be ahead of the time, so all ports of the switch decide at departure; numbers stay.
#[test]
fn reading_the_state_of_an_impairment_at_one_port_changes_nothing() {
    let seen = |is_read: bool| {
        let mut star = star("1 s");
        star.net.share(star.s, "pool", "size = 3 packets");
        star.net.port(star.out[0]).impairments = vec![impairment("gilbert-elliott", "good-to-bad = 0.5; bad-to-good = 0.5")];
        let [to_c, to_d] = star.ways;
        star.net.burst("0 s", 5, 1000, to_c);
        for at in ["5 ms", "9 ms", "9.5 ms"] {
            star.net.packet(at, 1000, to_d);
        }
        if is_read {
            let of = SeriesSubject::Link(star.out[0]);
            let sampling = Sampling::Every(Duration::from_ms(1));
            let plan = SeriesPlan { of, what: vec![(None, "queue")], sampling, from: Time::ZERO, until: star.net.0.end };
            star.net.0.watch.series.push(plan);
        }
        star.net.run()
    };
    let (read, unread) = (seen(true), seen(false));
    assert_eq!((read.digest, &read.links, &read.flows), (unread.digest, &unread.links, &unread.flows));
}

#[test]
fn what_leaves_at_the_instant_of_an_arrival_has_left() {
    let mut star = star("1 s");
    star.net.share(star.s, "pool", "size = 1000 bytes");
    let [to_c, to_d] = star.ways;
    // On the wire to c from 8 us to 8.008 ms; the second and the third arrive just before, and at that instant.
    star.net.packet("0 s", 1000, to_c);
    star.net.packet("7.999 ms", 1000, to_d);
    assert_eq!(fates(&star), [(1, 0), (0, 1)]);
    star.net.packet("8 ms", 1000, to_d);
    assert_eq!(fates(&star), [(1, 0), (1, 1)]);
}

#[test]
fn flows_that_begin_at_the_switch_share_its_buffer() {
    let mut star = star("1 s");
    star.net.share(star.s, "pool", "size = 2 packets");
    let [to_c, to_d] = star.out.map(|link| star.net.route(&[link]));
    star.net.burst("0 s", 3, 1000, to_c);
    star.net.packet("1 ms", 1000, to_d);
    star.net.packet("8 ms", 1000, to_d);
    assert_eq!(fates(&star), [(2, 1), (1, 1)]);
}

#[test]
fn a_share_is_kept_for_its_port() {
    let mut star = star("1 s");
    star.net.share(star.s, "static-shares", "size = 5 packets");
    let shared = star.net.0.switches[0].buffer.as_mut().expect("a buffer");
    shared.shares = vec![(star.out[1], penstock_model::parameters::Limit::Packets(3))];
    star.net.burst("0 s", 4, 1000, star.ways[0]);
    star.net.burst("1 ms", 4, 1000, star.ways[1]);
    assert_eq!(fates(&star), [(2, 2), (3, 1)]);
}

#[test]
fn the_queues_own_limit_holds_beside_the_buffer() {
    let mut star = star("1 s");
    star.net.share(star.s, "pool", "size = 10 packets");
    star.net.port(star.out[0]).queues[0].discipline = discipline("tail-drop", "limit = 2 packets");
    star.net.burst("0 s", 5, 1000, star.ways[0]);
    star.net.burst("1 ms", 8, 1000, star.ways[1]);
    let seen = star.net.run();
    // One is in service and two wait. Packets refused by tail drop hold no memory, so seven of eight fit too.
    let [to_c, to_d] = star.out.map(|link| &seen.links[link.index()]);
    assert_eq!((to_c.sent_packets, to_c.dropped_packets[DropCause::Overflow as usize][0], dropped(to_c)), (3, 2, 0));
    assert_eq!((to_d.sent_packets, dropped(to_d)), (7, 1));
}

#[test]
fn overloaded_ports_come_to_hold_alpha_b_over_one_plus_n_alpha() {
    let mut star = star("2 s");
    star.net.share(star.s, "dynamic-threshold", "size = 90 packets; alpha = 1");
    for (i, way) in star.ways.into_iter().enumerate() {
        let cbr = source("cbr", "rate = 2 Mbit/s; packet = 1000 bytes");
        let group = star.net.group(&format!("g{i}"), cbr, transport("udp", ""), ("0 s", "1 ms"));
        star.net.flow(group, way, way);
        star.net.sample(star.out[i], "9 ms");
    }
    let seen = star.net.run();
    // 1 * 90 / (1 + 2) = 30 each, of which one is in transmission; one has just left, or is about to come.
    for samples in &seen.samples {
        assert!(samples[100..].iter().all(|waiting| (28..=29).contains(waiting)), "{:?}", &samples[100..]);
    }
    assert_eq!(seen.links[star.out[0].index()].dropped_packets[DropCause::Overflow as usize], [0; 4]);
}

/// `h` (behind `r`, if there is one) feeds a switch `s`, which feeds `c` ten times more slowly. 1000 bytes take 8 ms to `s`,
/// and its messages 1 ms back.
fn line(routed: bool, end: &str) -> (Net, RouteId, [LinkId; 2]) {
    let mut net = Net::new(end, 1);
    let (h, s, c) = (net.node("h"), net.node("s"), net.node("c"));
    let out = net.link(s, c, "100 kbit/s", "0 s", large());
    let feeder = if routed { net.node("r") } else { h };
    let into = net.link(feeder, s, "1 Mbit/s", "1 ms", large());
    net.link(s, feeder, "1 Mbit/s", "1 ms", large());
    let route = if routed {
        let first = net.link(h, feeder, "1 Gbit/s", "0 s", large());
        net.route(&[first, into, out])
    } else {
        net.route(&[into, out])
    };
    net.share(s, "pool", "size = 1 MB");
    (net, route, [into, out])
}

/// When packets were accepted at a link's port, in microseconds.
fn accepted(net: &Net, seen: &Observations, link: LinkId) -> Vec<u64> {
    let place = net.0.nodes.len() as u32 + link.0;
    let rows = seen.trace.iter().filter(|row| row.place == place && row.event == TraceEvent::Accept);
    rows.map(|row| row.time.as_ps() / 1_000_000).collect()
}

/// Messages arrive in time under every executor, and however the processes are divided among cores.
fn executors_agree(net: &Net, digest: u64) {
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        assert_eq!(Sim::new(net.0.clone()).expect("sound").with_executor(executor).run().digest, digest, "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound");
        assert_eq!(divided.run().digest, digest, "{cores} cores");
    }
}

#[test]
fn a_paused_port_completes_its_packet_and_waits() {
    for routed in [false, true] {
        let (mut net, route, [_, out]) = line(routed, "1 s");
        net.pause("1500 bytes", "1500 bytes");
        net.0.trace = true;
        net.burst("0 s", 5, 1000, route);
        // The second arrives at 17 ms: 2000 bytes are held, and the frame, which takes 512 us, is there at 18.512 ms. The third has
        // begun at 16 ms and arrives at 25 ms. The second leaves at 169 ms; with the frame at 170.512 ms the fourth begins, and
        // arrives at 179.512 ms; again 2000 bytes are held, at 181.024 ms the fifth is in transmission since 178.512 ms.
        let first = if routed { 8 } else { 0 };
        let expected = [9_000, 17_000, 25_000, 179_512, 187_512].map(|at: u64| at + first);
        let seen = net.run();
        assert_eq!(accepted(&net, &seen, out), expected, "routed: {routed}");
        executors_agree(&net, seen.digest);
    }
}

#[test]
fn with_headroom_nothing_is_lost() {
    // 300 kbit/s into 100 kbit/s. Behind xoff come the packet that exceeds it, 2.512 ms of 1 Mbit/s (314 bytes) and a packet that
    // had begun: 3000 + 1000 + 314 + 1000 bytes at most.
    let losses = |size: &str, pauses: bool| {
        let (mut net, route, [into, out]) = line(false, "3 s");
        net.0.switches.clear();
        net.share(NodeId(1), "pool", &format!("size = {size}"));
        if pauses {
            net.pause("3 kB", "2 kB");
        }
        let group = net.group("cbr", source("cbr", "rate = 300 kbit/s; packet = 1000 bytes"), transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
        let seen = net.run();
        let [into, out] = [into, out].map(|link| &seen.links[link.index()]);
        // The slow link is never idle: xon leaves 160 ms of work, and the first packet takes 9 ms to come.
        assert_eq!(out.sent_packets, 37, "{size}");
        assert_eq!(out.offered_packets[0], into.sent_packets, "{size}");
        dropped(out)
    };
    assert_eq!(losses("5314 bytes", true), 0);
    assert!(losses("3500 bytes", true) > 0);
    assert!(losses("5314 bytes", false) > 50);
}

#[test]
fn switches_that_contradict_themselves_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Blueprint)| {
        let (mut net, _, _) = line(false, "1 s");
        net.pause("3 kB", "2 kB");
        change(&mut net.0);
        Sim::new(net.0).err().expect("refused").to_string()
    };
    let pause = |xon: &str| {
        let xon = support::size(xon);
        refused(&|it| it.switches[0].pause.as_mut().expect("pause").xon = xon)
    };
    assert_eq!(pause("3001 bytes"), "node 's': pause has an xon above its xoff; give it at most xoff");
    let without_ports = "node 'c' is to be a switch, but no link begins there";
    assert_eq!(refused(&|it| it.switches[0].node = NodeId(2)), without_ports);
    // The third link is the way back.
    let without_route = "the pause messages of 's' to 'h' have no route; add a link back";
    assert_eq!(refused(&|it| it.links.truncate(2)), without_route);
    // A frame of no bytes takes no time.
    let at_once = |it: &mut Blueprint| {
        it.links[2].delay = Duration::ZERO;
        it.switches[0].pause.as_mut().expect("pause").frame = Default::default();
    };
    assert!(refused(&at_once).starts_with("the pause messages of 's' to 'h' would take no time; give the link back a delay"));
    let too_much = penstock_model::parameters::Limit::Packets(2);
    let static_shares = |it: &mut Blueprint| {
        let buffer = support::shared_buffer("static-shares", "size = 1 packet");
        it.switches[0].buffer = Some(penstock_engine::blueprint::SharedBufferPlan { shares: vec![(LinkId(0), too_much)], ..buffer });
    };
    let beyond = "node 's': the shares are more than the shared buffer, or of ports of other nodes";
    assert_eq!(refused(&static_shares), beyond);
}

/// Where source quenches were sent and received, and when, in microseconds.
fn quenches(seen: &Observations, event: TraceEvent) -> Vec<(u32, u64)> {
    let rows = seen.trace.iter().filter(|row| row.event == event && row.size() == 56);
    rows.map(|row| (row.place, row.time.as_ps() / 1_000_000)).collect()
}

#[test]
fn a_drop_sends_a_source_quench_back() {
    let (mut net, route, [_, out]) = line(false, "1 s");
    let back = net.route(&[LinkId(2)]);
    net.0.switches.clear();
    net.share(NodeId(1), "pool", "size = 2 packets");
    net.0.trace = true;
    net.burst("0 s", 6, 1000, route);
    let routes = (0..6).map(|flow| (FlowId(flow), false, back)).collect();
    let quench = SourceQuenchPlan { interval: "10 ms".parse().expect("a time"), packet: support::size("56 bytes"), routes };
    net.0.switches[0].source_quench = Some(quench);
    let seen = net.run();
    // Arrivals at 9, 17, 25, 33, 41 and 49 ms; the first leaves at 89 ms, so four are dropped. At most one quench in 10 ms: at
    // 25, 41 ms. It takes 448 us on 1 Mbit/s and 1 ms.
    assert_eq!(dropped(&seen.links[out.index()]), 4);
    assert_eq!(quenches(&seen, TraceEvent::Send), [(1, 25_000), (1, 41_000)]);
    assert_eq!(quenches(&seen, TraceEvent::Receive), [(0, 26_448), (0, 42_448)]);
    assert_eq!(seen.links[2].sent_packets, 2);
    // A way that does not lead there is refused.
    net.0.switches[0].source_quench.as_mut().expect("quench").routes[0].2 = route;
    let error = Sim::new(net.0.clone()).err().expect("refused");
    assert_eq!(error.to_string(), "the source quenches of 's' for flow 0 have no route; add a link back");
}

/// The same where the queue has no room, not the buffer: one packet is in transmission and one waits.
#[test]
fn a_drop_by_the_queue_sends_a_source_quench_too() {
    let (mut net, route, [_, out]) = line(false, "1 s");
    let back = net.route(&[LinkId(2)]);
    net.port(out).queues[0].discipline = discipline("tail-drop", "limit = 1 packets");
    net.0.trace = true;
    net.burst("0 s", 6, 1000, route);
    let routes = (0..6).map(|flow| (FlowId(flow), false, back)).collect();
    let quench = SourceQuenchPlan { interval: "10 ms".parse().expect("a time"), packet: support::size("56 bytes"), routes };
    net.0.switches[0].source_quench = Some(quench);
    let seen = net.run();
    assert_eq!(seen.links[out.index()].dropped_packets[DropCause::Overflow as usize][0], 4);
    assert_eq!(quenches(&seen, TraceEvent::Send), [(1, 25_000), (1, 41_000)]);
}

#[test]
fn a_transfer_hears_source_quenches() {
    let losses = |quenches: bool| {
        let (mut net, route, [_, out]) = line(false, "60 s");
        let back = net.route(&[LinkId(2)]);
        let answers = net.link(NodeId(2), NodeId(1), "1 Mbit/s", "1 ms", large());
        let backward = net.route(&[answers, LinkId(2)]);
        net.0.switches.clear();
        net.share(NodeId(1), "pool", "size = 10 packets");
        let tcp = transport("tcp", "variant = new-reno; packet = 1000 bytes; max-window = 64 kB");
        let group = net.group("ftp", source("ftp", ""), tcp, ("0 s", "0 s"));
        net.flow(group, route, backward);
        if quenches {
            let interval = "100 ms".parse().expect("a time");
            let plan = SourceQuenchPlan { interval, packet: support::size("56 bytes"), routes: vec![(FlowId(0), false, back)] };
            net.0.switches[0].source_quench = Some(plan);
        }
        let seen = net.run();
        assert!(seen.links[out.index()].sent_packets > 300, "{quenches}");
        dropped(&seen.links[out.index()])
    };
    // Whether they pay is another question: the threshold stays, so the window grows quickly into the next loss.
    assert_ne!(losses(true), losses(false));
}
