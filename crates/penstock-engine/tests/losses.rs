//! Losses of flows: what becomes of the packets that were sent while counting.

#[path = "support/by_hand.rs"]
mod by_hand;
mod support;

use by_hand::link;
use penstock_engine::observations::FlowCounters;
use support::{discipline, impairment, one_link, source, time, transport, Net};

/// What each flow sent and lost.
fn sent_and_lost(net: &Net) -> Vec<(u64, u64)> {
    net.run().flows.iter().map(|flow| (flow.sent.packets, flow.lost_packets)).collect()
}

#[test]
fn a_loss_counts_if_its_packet_was_sent_while_counting() {
    for force_event_driven in [false, true] {
        let (mut net, route, id) = link("9 packets");
        net.port(id).force_event_driven = force_event_driven;
        net.port(id).impairments = vec![impairment("loss", "probability = 1")];
        // Each is lost a millisecond later: sent before and lost in the window, both in it (also at its very edges), and
        // sent in it and lost behind it.
        ["0 ms", "1 ms", "9 ms", "10 ms"].into_iter().for_each(|at| net.burst(at, 1, 125, route));
        (net.0.warm_up, net.0.end) = (time("1 ms"), time("10 ms"));
        assert_eq!(sent_and_lost(&net), [(0, 0), (1, 1), (1, 1), (1, 0)], "{force_event_driven}");
    }
}

#[test]
fn what_waits_or_is_under_way_at_the_end_is_not_lost() {
    for force_event_driven in [false, true] {
        let (mut net, route, id) = link("40 packets");
        net.port(id).force_event_driven = force_event_driven;
        // One is in service and 40 wait; 9 find no room. Ten have arrived by the end.
        net.burst("0 ms", 50, 125, route);
        net.0.end = time("20 ms");
        let seen = net.run();
        let sum = |count: fn(&FlowCounters) -> u64| seen.flows.iter().map(count).sum::<u64>();
        assert_eq!((sum(|it| it.sent.packets), sum(|it| it.received.packets), sum(|it| it.lost_packets)), (50, 10, 9));
    }
}

#[test]
fn losses_add_up_over_the_links_of_a_route() {
    let mut net = Net::new("1 s", 1);
    let nodes: Vec<_> = (0..3).map(|i| net.node(&format!("n{i}"))).collect();
    let port = |limit: &str| discipline("tail-drop", &format!("limit = {limit}"));
    let links = [
        net.link(nodes[0], nodes[1], "10 Mbit/s", "1 ms", port("7 packets")),
        net.link(nodes[1], nodes[2], "1 Mbit/s", "1 ms", port("2 packets")),
    ];
    let route = net.route(&links);
    let group = net.group("cbr", source("cbr", "rate = 1 Gbit/s; packet = 125 bytes; phase = zero"), transport("udp", ""), ("0 s", "0 s"));
    net.0.groups[group as usize].stop = time("9 us");
    net.flow(group, route, route);
    // Ten within ten microseconds: one in service and seven waiting, so that two are dropped. The eight arrive at the second
    // port within .7 ms, in which it has sent none: one in service and two waiting, so that five are dropped.
    let seen = net.run();
    let dropped = |link: usize| seen.links[link].dropped_packets.iter().flatten().sum::<u64>();
    assert_eq!([dropped(0), dropped(1)], [2, 5]);
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].lost_packets, seen.flows[0].received.packets), (10, 7, 3));
}

#[test]
fn lost_acknowledgements_are_no_losses_of_the_flow() {
    let (mut net, route, id) = one_link("60 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", "limit = 100000 packets"));
    let (a, b) = (net.0.links[id.index()].from, net.0.links[id.index()].to);
    let back = net.link(b, a, "1 Mbit/s", "10 ms", discipline("tail-drop", "limit = 100000 packets"));
    net.port(back).impairments = vec![impairment("loss", "probability = 0.3")];
    let way_back = net.route(&[back]);
    let group = net.group("bulk", source("ftp", ""), transport("tcp", "syn = false"), ("0 s", "0 s"));
    net.flow(group, route, way_back);
    let lossy = |net: &mut Net, probability: &str| {
        net.port(id).impairments = vec![impairment("loss", &format!("probability = {probability}"))];
        net.run()
    };
    let seen = lossy(&mut net, "0");
    assert!(seen.links[back.index()].dropped_packets.iter().flatten().sum::<u64>() > 20);
    assert_eq!(seen.flows[0].lost_packets, 0);
    // Of the data, every loss: nothing else goes this way.
    let seen = lossy(&mut net, "0.05");
    let dropped: u64 = seen.links[id.index()].dropped_packets.iter().flatten().sum();
    assert!(dropped > 5);
    assert_eq!(seen.flows[0].lost_packets, dropped);
}
