//! The order of what happens at one instant.

mod support;

use penstock_engine::blueprint::Ties;
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Observations, Sim};
use penstock_model::id::{LinkId, RouteId};
use support::{discipline, one_link, source, time, transport, Net};

/// `hosts` hosts, each with a link to r, all alike, and a port r-s with this queue; the access links in the given order.
fn star(end: &str, seed: u64, links: &[usize], limit: &str) -> (Net, Vec<RouteId>) {
    let mut net = Net::new(end, seed);
    let (r, s) = (net.node("r"), net.node("s"));
    let hosts: Vec<_> = (0..links.len()).map(|i| net.node(&format!("h{i}"))).collect();
    let mut access = vec![LinkId(0); links.len()];
    for &host in links {
        access[host] = net.link(hosts[host], r, "10 Mbit/s", "1 ms", discipline("tail-drop", ""));
    }
    let out = net.link(r, s, "1 Mbit/s", "1 ms", discipline("tail-drop", &format!("limit = {limit}")));
    let routes = access.into_iter().map(|link| net.route(&[link, out])).collect();
    (net, routes)
}

/// The flows in the order in which they were received.
fn received(seen: &Observations) -> Vec<u32> {
    seen.trace.iter().filter(|row| row.event == TraceEvent::Receive).map(|row| row.flow()).collect()
}

fn traced(net: &mut Net, ties: Ties) -> Vec<u32> {
    (net.0.trace, net.0.ties) = (true, ties);
    received(&net.run())
}

#[test]
fn arrivals_go_by_the_links_position() {
    for (links, order) in [([0, 1, 2], [2, 1, 0]), ([2, 0, 1], [0, 2, 1])] {
        let (mut net, routes) = star("1 s", 1, &links, "9 packets");
        // The flows are numbered from the last host to the first: their numbers do not matter.
        for route in routes.iter().rev() {
            net.packet("0 ms", 125, *route);
        }
        assert_eq!(traced(&mut net, Ties::Scenario), order);
    }
}

#[test]
fn packets_of_one_sender_keep_its_order() {
    let (mut net, routes) = star("1 s", 1, &[0, 1], "9 packets");
    for route in routes.iter().rev() {
        net.burst("0 ms", 2, 125, *route);
    }
    // Two at once on each access link come a transmission apart; each pair meets the other's.
    assert_eq!(traced(&mut net, Ties::Scenario), [2, 0, 3, 1]);
}

#[test]
fn sources_and_timers_of_a_host_go_by_flow() {
    let (mut net, route, link) = one_link("40 ms", 1, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let back = net.route(&[back]);
    net.packet("5 ms", 125, route);
    let group = net.group("bulk", source("ftp", "size = 1 B"), transport("tcp", "syn = false"), ("5 ms", "5 ms"));
    net.flow(group, route, back);
    net.packet("5 ms", 125, route);
    net.0.trace = true;
    let sent: Vec<u32> = net.run().trace.iter().filter(|row| row.event == TraceEvent::Send).map(|row| row.flow()).collect();
    // The last one is the acknowledgement.
    assert_eq!(sent, [0, 1, 2, 1]);
    let mut sim = Sim::new(net.0).expect("a sound blueprint");
    sim.run_until(time("5 ms"));
    assert_eq!(sim.events(), 3, "one each");
}

/// As above, where another packet was sent in the same visit.
#[test]
fn a_source_waits_for_the_timers_of_its_instant() {
    let (mut net, route, link) = one_link("40 ms", 1, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let back = net.route(&[back]);
    let group = net.group("bulk", source("ftp", "size = 1 B"), transport("tcp", "syn = false"), ("5 ms", "5 ms"));
    net.flow(group, route, back);
    let cbr = net.group("cbr", source("cbr", "rate = 1 Mbit/s; packet = 125 bytes; phase = zero"), transport("udp", ""), ("4 ms", "4 ms"));
    net.0.groups[cbr as usize].stop = time("5 ms");
    net.flow(cbr, route, route);
    net.0.trace = true;
    let sent: Vec<u32> = net.run().trace.iter().filter(|row| row.event == TraceEvent::Send).map(|row| row.flow()).collect();
    // At 4 ms, both at 5 ms, and the acknowledgement.
    assert_eq!(sent, [1, 0, 1, 0]);
}

#[test]
fn random_ties_differ_repeat_and_follow_the_seed() {
    let order = |seed, ties| {
        let (mut net, routes) = star("1 s", seed, &[0, 1, 2, 3, 4, 5, 6, 7], "9 packets");
        for route in routes {
            net.packet("0 ms", 125, route);
        }
        traced(&mut net, ties)
    };
    assert!((1..9).all(|seed| order(seed, Ties::Scenario) == [0, 1, 2, 3, 4, 5, 6, 7]));
    let random: Vec<Vec<u32>> = (1..9).map(|seed| order(seed, Ties::Random)).collect();
    assert_eq!(random, (1..9).map(|seed| order(seed, Ties::Random)).collect::<Vec<_>>());
    // Eight orders of eight: any two are equal with probability 1/40320.
    assert!((1..8).all(|i| !random[..i].contains(&random[i])));
    for mut order in random {
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[test]
fn random_ties_order_a_host_s_sources_too() {
    let order = |seed| {
        let (mut net, route, _) = one_link("1 s", seed, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
        net.burst("0 ms", 8, 125, route);
        traced(&mut net, Ties::Random)
    };
    assert_ne!(order(1), order(2));
    assert_eq!(order(1), order(1));
}

#[test]
fn synchronised_sources_share_losses_only_if_ties_are_random() {
    // Ten hosts send a packet each at every 10 ms, and six find room (one on the wire, five waiting).
    let received = |ties| {
        let (mut net, routes) = star("10 s", 1, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "5 packets");
        let traffic = source("cbr", "rate = 100 kbit/s; packet = 125 bytes; phase = zero");
        let group = net.group("cbr", traffic, transport("udp", ""), ("0 s", "0 s"));
        routes.iter().for_each(|route| net.flow(group, *route, *route));
        net.0.ties = ties;
        net.run().flows.iter().map(|flow| flow.received.packets).collect::<Vec<u64>>()
    };
    let fixed = received(Ties::Scenario);
    assert_eq!(fixed, [1000, 1000, 1000, 1000, 1000, 1000, 0, 0, 0, 0]);
    // Each gets through with probability .6: 600 with a standard deviation of sqrt(1000 x .6 x .4) = 15.5, four of them.
    let random = received(Ties::Random);
    assert!(random.iter().all(|packets| packets.abs_diff(600) < 62), "{random:?}");
    assert_eq!(random.iter().sum::<u64>(), 6000);
}

#[test]
fn an_arrival_as_far_ahead_as_a_process_may_run_keeps_its_place() {
    // x hears from r, over a wire of 1 ms after a transmission of no time, and from b. While x takes b's first packet at
    // 2 ms, r has one to send that will arrive together with b's second, at 3 ms, and before it, by the links' position.
    let mut net = Net::new("1 s", 1);
    let [x, a, b, r] = ["x", "a", "b", "r"].map(|name| net.node(name));
    let plain = || discipline("tail-drop", "");
    let at_once = net.link(r, x, "90000 Tbit/s", "1 ms", plain());
    let from_b = net.link(b, x, "1 Mbit/s", "1 ms", plain());
    let from_a = net.link(a, r, "1 Mbit/s", "1 ms", plain());
    let (direct, over_r) = (net.route(&[from_b]), net.route(&[from_a, at_once]));
    net.burst("0 ms", 2, 125, direct);
    net.packet("0 ms", 125, over_r);
    assert_eq!(traced(&mut net, Ties::Scenario), [0, 2, 1]);
}
