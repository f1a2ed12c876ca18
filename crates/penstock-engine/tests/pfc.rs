//! Pause frames on the wire, their quanta, and priority flow control, by hand-worked numbers; deadlocks.

mod support;

use penstock_engine::blueprint::{PausePlan, QueuePlan};
use penstock_engine::observations::{PausedIngress, PausedTime};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::units::Duration;
use support::{discipline, scheduler, size, source, transport, Net};

fn large() -> penstock_model::discipline::DisciplinePlan {
    discipline("tail-drop", "limit = 100000 packets")
}

/// The same under every executor, and however the processes are divided among cores.
fn run(net: &Net) -> Observations {
    let seen = net.run();
    for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
        let other = Sim::new(net.0.clone()).expect("sound").with_executor(executor).run();
        assert_eq!((other.digest, &other.links, &other.deadlock), (seen.digest, &seen.links, &seen.deadlock), "{executor:?}");
    }
    for cores in [2, 3] {
        let divided = Sim::with_partition(net.0.clone(), &|process| process as u32 % cores).expect("sound").run();
        assert_eq!((divided.digest, &divided.links), (seen.digest, &seen.links), "{cores} cores");
    }
    seen
}

/// `h` feeds the switch `s` over 1 Mbit/s and 1 ms, which feeds `c` over 100 kbit/s: 1000 bytes take 8 and 80 ms, a frame of 64 bytes
/// 512 us. Links: s-c, h-s, s-h.
fn line(end: &str) -> (Net, RouteId) {
    let mut net = Net::new(end, 1);
    let (h, s, c) = (net.node("h"), net.node("s"), net.node("c"));
    let out = net.link(s, c, "100 kbit/s", "0 s", large());
    let into = net.link(h, s, "1 Mbit/s", "1 ms", large());
    net.link(s, h, "1 Mbit/s", "1 ms", large());
    let route = net.route(&[into, out]);
    net.share(s, "pool", "size = 1 MB");
    (net, route)
}

fn pause_of(net: &mut Net) -> &mut PausePlan {
    net.0.switches[0].pause.as_mut().expect("pause")
}

fn us(us: u64) -> Duration {
    Duration::from_us(us)
}

#[test]
fn a_pause_frame_takes_the_wire_and_waits_for_what_is_on_it() {
    let (mut net, route) = line("100 ms");
    net.pause("500 bytes", "500 bytes");
    net.burst("0 s", 1, 1000, route);
    // The packet arrives at 9 ms. One of 125 bytes, of 1 ms, leaves for h at 8.5 ms: the frame takes the wire from 9.5 ms on.
    let back = net.route(&[LinkId(2)]);
    net.packet("8.5 ms", 125, back);
    let seen = run(&net);
    let pauses = seen.links[2].pauses.as_ref().expect("frames");
    assert_eq!((pauses.frames, pauses.resumes), (1, 1));
    assert_eq!(seen.links[2].busy, us(1000 + 2 * 512));
    // From 9.5 + 0.512 + 1 ms to 89 + 0.512 + 1 ms, as the packet leaves s at 89 ms.
    let paused = &seen.links[1].pauses.as_ref().expect("paused").paused;
    assert_eq!(*paused, [PausedTime { class: None, time: us(90_512 - 11_012) }]);
}

#[test]
fn packets_wait_for_pause_frames() {
    let (mut net, route) = line("100 ms");
    net.pause("500 bytes", "500 bytes");
    net.burst("0 s", 1, 1000, route);
    let back = net.route(&[LinkId(2)]);
    // It arrives as the frame has begun, at 9 ms, and waits for 412 us.
    net.packet("9.1 ms", 125, back);
    let seen = run(&net);
    assert_eq!(seen.links[2].wait_sum_ps, u128::from(us(412).as_ps()));
}

#[test]
fn a_pause_expires_with_its_quanta_and_is_prolonged_before() {
    let (mut net, route) = line("1 s");
    net.pause("500 bytes", "500 bytes");
    // 512 bit at 1 Mbit/s are 512 us; 20 of them 10.24 ms, so it is prolonged each 5.12 ms.
    pause_of(&mut net).quanta = 20;
    net.burst("0 s", 2, 1000, route);
    let seen = run(&net);
    // From 9 ms, when the first arrives, until the second has left at 169 ms: 160 / 5.12 = 31.25.
    let pauses = seen.links[2].pauses.as_ref().expect("frames");
    assert_eq!((pauses.frames, pauses.resumes), (32, 1));
    assert_eq!(seen.links[1].pauses.as_ref().expect("paused").paused, [PausedTime { class: None, time: us(160_000) }]);
    // A frame that comes once the pause is over: on the wire back for 4.096 ms, a quantum is 8 bytes' worth too short.
    pause_of(&mut net).quanta = 1;
    pause_of(&mut net).frame = size("512 bytes");
    let paused = run(&net).links[1].pauses.as_ref().expect("paused").paused[0].time;
    assert!(paused < us(100_000), "{paused:?}");
}

#[test]
fn a_pause_ends_as_what_is_held_falls_to_xon() {
    let (mut net, route) = line("300 ms");
    net.pause("2 kB", "1 kB");
    net.burst("0 s", 3, 1000, route);
    // Arrivals at 9, 17 and 25 ms, when 3000 bytes are held; 2000 from 89 ms on, and 1000 from 169 ms on. Each frame takes 0.512 + 1 ms.
    let paused = run(&net).links[1].pauses.as_ref().expect("paused").paused[0].time;
    assert_eq!(paused, us(169_000 - 25_000));
    pause_of(&mut net).xon = size("999 bytes");
    let paused = run(&net).links[1].pauses.as_ref().expect("paused").paused[0].time;
    assert_eq!(paused, us(249_000 - 25_000));
}

/// Returns a network as [`line`], with two classes in separate queues. One of them is paused.
fn two_classes(end: &str) -> (Net, RouteId) {
    let (mut net, route) = line(end);
    net.0.classes = ["lossless", "lossy"].map(str::to_owned).to_vec();
    for link in 0..3 {
        let port = net.port(LinkId(link));
        port.scheduler = scheduler("drr", "");
        port.queues = ["lossless", "lossy"].map(|name| QueuePlan { name: name.to_owned(), discipline: large() }).to_vec();
        port.queue_of_class = vec![0, 1];
    }
    net.pause("2500 bytes", "1 kB");
    pause_of(&mut net).classes = Some(vec![0]);
    (net, route)
}

#[test]
fn only_the_class_that_exceeds_its_threshold_is_paused() {
    let (mut net, route) = two_classes("400 ms");
    for (class, name) in (0..).zip(["lossless", "lossy"]) {
        let cbr = source("cbr", "rate = 400 kbit/s; packet = 1000 bytes");
        let group = net.group(name, cbr, transport("udp", ""), ("0 s", "0 s"));
        net.0.groups[group as usize].class = class;
        net.flow(group, route, route);
    }
    let seen = run(&net);
    let paused = &seen.links[1].pauses.as_ref().expect("paused").paused;
    assert_eq!((paused.len(), paused[0].class), (1, Some(0)));
    assert!(paused[0].time > us(250_000), "{paused:?}");
    // The other one gets to the switch, one in 20 ms; of the first a few, as s sends only five packets in all.
    assert!(seen.flows[1].sent.packets == 20 && seen.flows[1].received.packets >= 1, "{:?}", seen.flows[1]);
    assert!(seen.links[1].sent_packets < 20 + 10, "{}", seen.links[1].sent_packets);
    assert!(seen.links[1].sent_packets >= 20 + 3, "{}", seen.links[1].sent_packets);
}

#[test]
fn headroom_takes_what_comes_after_the_pause_and_no_more() {
    let drops = |headroom: &str| {
        let (mut net, route) = line("3 s");
        net.0.switches.clear();
        net.share(NodeId(1), "pool", "size = 3 kB");
        net.pause("2 kB", "1 kB");
        pause_of(&mut net).headroom = Some(size(headroom));
        let cbr = source("cbr", "rate = 1 Mbit/s; packet = 1000 bytes");
        let group = net.group("cbr", cbr, transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
        let seen = run(&net);
        [DropCause::Buffer, DropCause::Headroom].map(|cause| seen.links[0].dropped_packets[cause as usize].iter().sum::<u64>())
    };
    // At the third packet, the packet in flight arrives 8 ms later. 2.512 ms after the decision, in the middle of this packet, the port
    // stops.
    assert_eq!(drops("1 kB"), [0, 0]);
    // What it does not take finds no room in the pool either.
    let [buffer, headroom] = drops("999 bytes");
    assert!(buffer == 0 && headroom > 0, "{headroom}");
}

/// A ring of three switches, each with a host; each host sends to the one two switches on.
fn ring(pauses: bool) -> (Net, Vec<LinkId>) {
    let mut net = Net::new("2 s", 1);
    let hosts: Vec<NodeId> = (0..3).map(|i| net.node(&format!("h{i}"))).collect();
    let switches: Vec<NodeId> = (0..3).map(|i| net.node(&format!("s{i}"))).collect();
    let mut both = |from, to| [net.link(from, to, "1 Mbit/s", "1 ms", large()), net.link(to, from, "1 Mbit/s", "1 ms", large())];
    let ends: Vec<[LinkId; 2]> = (0..3).map(|i| both(hosts[i], switches[i])).collect();
    let around: Vec<LinkId> = (0..3).map(|i| both(switches[i], switches[(i + 1) % 3])[0]).collect();
    for &switch in &switches {
        net.share(switch, "pool", "size = 100 kB");
        if pauses {
            net.pause("3 kB", "2 kB");
        }
    }
    for i in 0..3 {
        let route = net.route(&[ends[i][0], around[i], around[(i + 1) % 3], ends[(i + 2) % 3][1]]);
        let cbr = source("cbr", "rate = 900 kbit/s; packet = 1000 bytes");
        let group = net.group(&format!("g{i}"), cbr, transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
    }
    (net, around)
}

#[test]
fn a_ring_of_switches_deadlocks_and_the_circle_is_told() {
    let (net, around) = ring(true);
    let seen = run(&net);
    let circle: Vec<PausedIngress> = around.iter().map(|link| PausedIngress { link: *link, class: None }).collect();
    assert_eq!(seen.deadlock, circle);
    // Nothing moves any more: what arrives in the second half of the run is what arrived in the first.
    let half = |net: &Net| {
        let mut net = net.0.clone();
        net.end = penstock_model::units::Time::ZERO + Duration::from_ms(1000);
        Sim::new(net).expect("sound").run()
    };
    let received = |seen: &Observations| seen.flows.iter().map(|flow| flow.received.packets).collect::<Vec<_>>();
    assert_eq!(received(&half(&net)), received(&seen));
    // Without PAUSE, what there is no room for is lost, and the rest moves.
    let (net, _) = ring(false);
    let seen = run(&net);
    assert_eq!(seen.deadlock, []);
    assert!(received(&half(&net)) < received(&seen));
}
