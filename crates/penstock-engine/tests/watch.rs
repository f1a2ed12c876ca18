//! Records beyond the counters, against numbers worked by hand and queueing theory.

mod support;

use penstock_engine::blueprint::{EfPlan, FlowWatch, LinkWatch, QueuePlan};
use penstock_engine::observations::EfErrors;
use penstock_engine::Observations;
use penstock_model::id::LinkId;
use penstock_model::units::Duration;
use support::statistics::{agrees, interval, replicate};
use support::{discipline, impairment, one_link, scheduler, source, time, transport, Net};

fn large() -> penstock_model::discipline::DisciplinePlan {
    discipline("tail-drop", "limit = 1000000 packets")
}

const EVERYTHING: FlowWatch = FlowWatch {
    delays: true,
    variation: true,
    rtp_jitter: true,
    pages: true,
    completion: true,
    repeated_retransmissions: true,
    frames: true,
    bins: Some(Duration::from_ms(10)),
};

/// Five packets of 1 ms, 10 ms apart; others make the second wait 3 ms and the fourth 1.5 ms. Packet number `lost` of each flow is
/// lost on the wire.
fn disturbed(lost: Option<u32>) -> Observations {
    let (mut net, route, link) = one_link("45 ms", 1, "1 Mbit/s", "1 ms", large());
    let traffic = source("cbr", "rate = 100 kbit/s; packet = 125 bytes; phase = zero");
    let target = net.group("target", traffic, transport("udp", ""), ("0 s", "0 s"));
    net.flow(target, route, route);
    net.packet("9 ms", 500, route);
    net.packet("29.5 ms", 250, route);
    net.0.watch.groups = [(target, EVERYTHING)].into();
    net.port(link).impairments.extend(lost.map(|lost| impairment("drop-list", &format!("drop = [{lost}]; of = flow"))));
    net.run()
}

#[test]
fn delays_and_their_differences_by_hand() {
    let seen = disturbed(None);
    let [(flow, timings)] = &seen.timings[..] else { panic!("one flow is watched") };
    assert_eq!(flow.index(), 0);
    // 2, 5, 2, 3.5 and 2 ms.
    let delays = timings.delays.as_ref().expect("watched");
    let us = Duration::from_us;
    assert_eq!((delays.count(), delays.sum_ps(), delays.max()), (5, 14_500_000_000, Some(us(5000))));
    let near = |found: Option<Duration>, exact: u64| {
        found.is_some_and(|found| found.as_ps().abs_diff(us(exact).as_ps()) * 256 <= us(exact).as_ps())
    };
    assert!(near(delays.quantile(0.6), 2000) && near(delays.quantile(0.8), 3500));
    // +3, -3, +1.5 and -1.5 ms.
    let variation = timings.variation.as_ref().expect("watched");
    let jitter = variation.magnitudes();
    assert_eq!((jitter.count(), jitter.sum_ps(), jitter.max()), (4, 9_000_000_000, Some(us(3000))));
    assert!(near(jitter.quantile(0.5), 1500) && near(jitter.quantile(0.9), 3000));
    assert_eq!((variation.mean(), variation.min(), variation.max()), (0.0, -0.003, 0.003));
    // J of 3/16 ms after the first difference, then 93/256, 1779/4096 and 32829/65536.
    let rtp = timings.rtp_jitter.expect("watched");
    assert_eq!(rtp.updates(), 4);
    assert!(rtp.value().as_ps().abs_diff(500_930_786) <= 4, "{:?}", rtp.value());
    assert!(rtp.sum_ps().abs_diff(187_500_000 + 363_281_250 + 434_326_172 + 500_930_786) <= 10);
}

#[test]
fn there_is_no_difference_across_a_lost_packet() {
    // The third of 2, 5, 2, 3.5 and 2 ms is lost: +3 and -1.5 ms are left of consecutive packets [RFC3393 s2.2].
    let seen = disturbed(Some(3));
    let timings = &seen.timings[0].1;
    assert_eq!(timings.delays.as_ref().expect("watched").count(), 4);
    let variation = timings.variation.as_ref().expect("watched");
    assert_eq!((variation.count(), variation.magnitudes().sum_ps()), (2, 4_500_000_000));
    assert_eq!((variation.mean(), variation.min(), variation.max()), (0.00075, -0.0015, 0.003));
    // RTP's jitter is about what arrives [RFC3550 s6.4.1]: J of 3/16 ms, then (15 J + 1.5)/16 twice.
    let rtp = timings.rtp_jitter.expect("watched");
    assert_eq!(rtp.updates(), 3);
    assert!(rtp.value().as_ps().abs_diff(346_435_546) <= 3, "{:?}", rtp.value());
}

/// Classes 0 and 1 over one link of 1 Mbit/s, with or without priority for class 0.
fn two_classes(priority: bool) -> (Net, penstock_model::id::RouteId) {
    let (mut net, route, link) = one_link("50 ms", 1, "1 Mbit/s", "1 ms", large());
    net.0.classes = vec!["voice".to_owned(), "video".to_owned()];
    let port = net.port(link);
    port.queue_of_class = vec![0, 0];
    if priority {
        port.scheduler = scheduler("priority", "order = [voice, video]");
        port.queues = ["voice", "video"].map(|name| QueuePlan { name: name.to_owned(), discipline: large() }).into();
        port.queue_of_class = vec![0, 1];
    }
    (net, route)
}

/// The errors of an aggregate of `classes` at a rate, of packets given by (us, bytes, class).
fn errors(priority: bool, packets: &[(u32, u32, u8)], classes: &[u8], rate: &str) -> EfErrors {
    let (mut net, route) = two_classes(priority);
    for (us, bytes, class) in packets {
        net.packet(&format!("{us} us"), *bytes, route);
        net.0.groups.last_mut().expect("just added").class = *class;
    }
    let expedited = vec![EfPlan { classes: classes.to_vec(), rate: rate.parse().expect("a rate") }];
    net.0.watch.links = [(LinkId(0), LinkWatch { expedited, ..LinkWatch::default() })].into();
    net.run().ports[0].1.expedited[0]
}

fn both(ps: i64) -> EfErrors {
    EfErrors { aggregate_ps: Some(ps), packet_ps: Some(ps) }
}

const MS: i64 = 1_000_000_000;

#[test]
fn expedited_packets_behind_others_by_hand() {
    // A packet of 4 ms of the other class goes first. The aggregate's packets take 1 ms, 2 ms at its rate: they leave at
    // 5, 6 and 21 ms; their targets are 1 + 2, max(2, min(5, 3)) + 2 and max(20, min(6, 5)) + 2 ms.
    let packets = [(0, 500, 1), (1000, 125, 0), (2000, 125, 0), (20_000, 125, 0)];
    assert_eq!(errors(false, &packets, &[0], "500 kbit/s"), both(2 * MS));
    assert_eq!(errors(true, &packets, &[0], "500 kbit/s"), both(2 * MS));
    // The last alone is early.
    assert_eq!(errors(true, &packets[3..], &[0], "500 kbit/s"), both(-MS));
    assert_eq!(errors(true, &packets[..1], &[0], "500 kbit/s"), EfErrors::default());
    // At the rate of the link, priority has to wait for one of the others' packets: it began 1 us before.
    assert_eq!(errors(true, &[(0, 500, 1), (1, 125, 0)], &[0], "1 Mbit/s"), both(4 * MS - MS / 1000));
}

#[test]
fn an_aggregate_of_two_classes_may_leave_in_another_order() {
    // Video at 0 and (4 ms long) at 0.1 ms, voice at 0.5 ms; they leave at 1, 6 and 2 ms. By rank every target is met:
    // 1, then voice with 0.1 + ... = 2, then 6. By packet the second one has target 5 and leaves at 6.
    let packets = [(0, 125, 1), (100, 500, 1), (500, 125, 0)];
    let found = errors(true, &packets, &[0, 1], "1 Mbit/s");
    assert_eq!(found, EfErrors { aggregate_ps: Some(0), packet_ps: Some(MS) });
}

#[test]
fn priority_keeps_to_its_error_term() {
    // RFC 3246's example: with R = C the error is at most the transmission of the largest other packet, here 8 ms.
    let (mut net, route) = two_classes(true);
    net.0.end = time("60 s");
    for (name, class, traffic) in
        [("voice", 0, "rate = 300 kbit/s; packet = 160 bytes"), ("video", 1, "rate = 650 kbit/s; packet = 1000 bytes")]
    {
        let group = net.group(name, source("poisson", traffic), transport("udp", ""), ("0 s", "0 s"));
        net.0.groups[group as usize].class = class;
        net.flow(group, route, route);
    }
    let expedited = vec![EfPlan { classes: vec![0], rate: "1 Mbit/s".parse().expect("a rate") }];
    net.0.watch.links = [(LinkId(0), LinkWatch { expedited, ..LinkWatch::default() })].into();
    let worst = net.run().ports[0].1.expedited[0];
    // Some 14,000 packets arrive at random, two thirds of them into a transmission of 8 ms: one comes close to its start.
    assert!((7 * MS + MS / 2..=8 * MS).contains(&worst.aggregate_ps.expect("packets")), "{worst:?}");
    assert_eq!(worst.aggregate_ps, worst.packet_ps);
}

#[test]
fn quantiles_of_waits_follow_m_d_1() {
    // P(W > 1), P(W > 2) and P(W > 5) at load 0.8, service 1 ms [Erlang 1909]; see queues.rs.
    let runs = replicate(|seed| {
        let (mut net, route, link) = one_link("110 s", seed, "1 Mbit/s", "1 ms", large());
        let group = net.group("poisson", source("poisson", "rate = 800 kbit/s; packet = 125 bytes"), transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
        net.0.warm_up = time("10 s");
        net.0.watch.links = [(link, LinkWatch { classes: true, ..LinkWatch::default() })].into();
        net.run()
    });
    for (ms, above) in [(1.0, 0.55489), (2.0, 0.36548), (5.0, 0.1005)] {
        let quantile = |seen: &Observations| seen.ports[0].1.waits[0].quantile(1.0 - above).expect("waits").as_seconds() * 1e3;
        agrees(&format!("quantile {}", 1.0 - above), ms, interval(&runs, quantile), 0.05);
    }
}

#[test]
fn quantiles_of_delays_follow_m_m_1() {
    // The time in the system is exponential of mean 1 ms / (1 - 0.8) = 5 ms; the link adds 1 ms. Sizes are whole bytes of a
    // mean of 1250.
    let runs = replicate(|seed| {
        let (mut net, route, _) = one_link("110 s", seed, "10 Mbit/s", "1 ms", large());
        let traffic = source("poisson", "rate = 8 Mbit/s; packet = exponential 1250 bytes");
        let group = net.group("poisson", traffic, transport("udp", ""), ("0 s", "0 s"));
        net.flow(group, route, route);
        net.0.warm_up = time("10 s");
        net.0.watch.groups = [(group, FlowWatch { delays: true, ..FlowWatch::default() })].into();
        net.run()
    });
    // Rare values have larger errors.
    for (quantile, resolution) in [(0.1, 0.05), (0.5, 0.05), (0.9, 0.05), (0.99, 0.08)] {
        let expected = 1.0 - 5.0 * f64::ln(1.0 - quantile);
        let found = |seen: &Observations| {
            let delays = seen.timings[0].1.delays.as_ref().expect("watched");
            delays.quantile(quantile).expect("packets").as_seconds() * 1e3
        };
        agrees(&format!("quantile {quantile}"), expected, interval(&runs, found), resolution);
    }
}

#[test]
fn a_user_asks_for_the_next_page_after_thinking() {
    // Two segments of 1040 bytes, 1.04 ms each, 10 ms there and back and 0.04 ms for the acknowledgement: 22.12 ms. The
    // next page begins 1 s later: ten in ten seconds, the last at 9.199 s.
    let mut net = Net::new("10 s", 1);
    let (a, b) = (net.node("a"), net.node("b"));
    let there = net.link(a, b, "8 Mbit/s", "10 ms", large());
    let back = net.link(b, a, "8 Mbit/s", "10 ms", large());
    let (there, back) = (net.route(&[there]), net.route(&[back]));
    let pages = source("http", "page = 2 kB; objects = 0; think = 1 s");
    let tcp = transport("tcp", "packet = 1040 bytes; header = 40 bytes; initial-window = 2 packets; syn = false");
    let group = net.group("web", pages, tcp, ("0 s", "0 s"));
    net.flow(group, there, back);
    net.0.watch.groups = [(group, FlowWatch { pages: true, ..FlowWatch::default() })].into();
    let seen = net.run();
    let times = &seen.pages[0].1;
    assert_eq!((times.count, times.sum_ps, times.max), (10, 221_200_000_000, Duration::from_us(22_120)));
    assert_eq!(times.distribution.as_ref().map(|all| all.count()), Some(10));
    assert_eq!(seen.flows[0].received.packets, 20);
    // A user who stops at 4.5 s has asked for five; one who stops while the fifth is under way has seen four.
    let stopped = |at: &str| {
        let mut net = Net(net.0.clone());
        net.0.groups[0].stop = time(at);
        net.run().pages[0].1.count
    };
    assert_eq!((stopped("4.5 s"), stopped("4.1 s")), (5, 4));
}
