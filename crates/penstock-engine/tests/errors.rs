//! Every way in which a blueprint can contradict itself.

mod support;

use penstock_engine::blueprint::RouteSet;
use penstock_engine::Sim;
use penstock_model::id::{LinkId, NodeId, RouteId};
use support::{above, class, discipline, one_link, scheduler, source, transport, Net};

/// What is wrong with a network, as it is checked alone and as it is found by building it.
fn refused(net: &Net) -> String {
    let error = Sim::check(&net.0).expect_err("a contradiction");
    assert_eq!(Sim::new(net.0.clone()).err(), Some(error.clone()));
    error.to_string()
}

/// Nodes a, b and c; links a-b, b-c, c-a and b-a of these delays; one UDP flow along the first.
fn triangle(delays: [&str; 4]) -> Net {
    let mut net = Net::new("1 s", 1);
    let [a, b, c] = ["a", "b", "c"].map(|name| net.node(name));
    let ends = [(a, b), (b, c), (c, a), (b, a)];
    for ((from, to), delay) in ends.into_iter().zip(delays) {
        net.link(from, to, "1 Mbit/s", delay, discipline("tail-drop", ""));
    }
    net
}

fn links(net: &Net, numbers: &[u32]) -> Vec<penstock_model::id::LinkId> {
    assert!(numbers.iter().all(|number| (*number as usize) < net.0.links.len()));
    numbers.iter().copied().map(penstock_model::id::LinkId).collect()
}

fn udp(net: &mut Net, numbers: &[u32]) {
    let route = links(net, numbers);
    let route = net.route(&route);
    net.packet("0 s", 125, route);
}

#[test]
fn a_circle_without_delay() {
    let mut net = triangle(["0 s"; 4]);
    [&[0, 1][..], &[1, 2], &[2, 0]].into_iter().for_each(|route| udp(&mut net, route));
    let error = refused(&net);
    assert_eq!(error, "the links c-a, a-b, b-c form a circle without any delay; give at least one of them a delay above 0 s");
    // One picosecond breaks it; and so do routes that do not close it.
    let mut net = triangle(["0 s", "0 s", "1 ps", "0 s"]);
    [&[0, 1][..], &[1, 2], &[2, 0]].into_iter().for_each(|route| udp(&mut net, route));
    assert!(Sim::new(net.0).is_ok());
    let mut net = triangle(["0 s"; 4]);
    udp(&mut net, &[0, 1]);
    assert!(Sim::new(net.0).is_ok());
}

#[test]
fn a_circle_between_two_hosts() {
    let mut net = triangle(["0 s"; 4]);
    udp(&mut net, &[0]);
    udp(&mut net, &[3]);
    assert!(refused(&net).contains("form a circle without any delay"));
}

#[test]
fn a_broken_route() {
    let mut net = triangle(["1 ms"; 4]);
    udp(&mut net, &[0]);
    udp(&mut net, &[0, 2]);
    assert_eq!(refused(&net), "route 1 is empty or has links that do not meet");
    net.0.routes = RouteSet::default();
    [&[LinkId(0)][..], &[]].into_iter().for_each(|route| {
        net.0.routes.push(route);
    });
    assert_eq!(refused(&net), "route 1 is empty or has links that do not meet");
}

#[test]
fn a_misrouted_flow() {
    let mut net = triangle(["1 ms"; 4]);
    udp(&mut net, &[0, 1]);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        (net.0.flows[0].from, net.0.flows[0].to) = (NodeId(from), NodeId(to));
        assert_eq!(refused(&net), "the route of flow 0 does not lead between its ends");
    }
}

#[test]
fn acknowledgements_that_do_not_come_home() {
    let mut net = triangle(["1 ms"; 4]);
    let [there, back, elsewhere] = [&[0][..], &[3], &[1]].map(|numbers| {
        let route = links(&net, numbers);
        net.route(&route)
    });
    let group = net.group("bulk", source("ftp", ""), transport("tcp", ""), ("0 s", "0 s"));
    net.flow(group, there, back);
    assert!(Sim::new(net.0.clone()).is_ok());
    for wrong in [there, elsewhere] {
        net.0.flows[0].backward = wrong;
        assert_eq!(refused(&net), "the route of flow 0 does not lead between its ends");
    }
    // UDP sends nothing back.
    net.0.groups[0].transport = transport("udp", "");
    net.0.groups[0].source = source("cbr", "rate = 1 Mbit/s; packet = 125 bytes");
    assert!(Sim::new(net.0).is_ok());
}

#[test]
fn sources_and_transports_that_do_not_match() {
    for (name, settings, carrier) in [("ftp", "", "udp"), ("cbr", "rate = 1 Mbit/s; packet = 125 bytes", "tcp")] {
        let (mut net, route, link) = one_link("1 s", 1, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
        let (from, to) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
        let back = net.link(to, from, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
        let back: RouteId = net.route(&[back]);
        let group = net.group("odd", source(name, settings), transport(carrier, ""), ("0 s", "0 s"));
        net.flow(group, route, back);
        assert_eq!(refused(&net), "flows 'odd': this source cannot be carried by this transport");
    }
}

#[test]
fn a_link_to_itself() {
    let mut net = triangle(["1 ms"; 4]);
    udp(&mut net, &[0]);
    let a = net.0.links[0].from;
    net.link(a, a, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    assert_eq!(refused(&net), "the link a-a ends where it begins");
}

#[test]
fn flow_queues_in_a_tree() {
    let (mut net, route, link) = one_link("1 s", 1, "1 Mbit/s", "1 ms", discipline("codel", ""));
    net.packet("0 s", 125, route);
    let tree = |net: &mut Net, root: &str, below: &str| {
        let port = net.port(link);
        port.scheduler = scheduler(root, "");
        port.classes = vec![above("weight = 1", scheduler(below, ""), vec![class("weight = 1")])];
    };
    let message = "the link a-b has a scheduler that makes its own queues in a tree; give it to the link itself, without classes";
    for (root, below) in [("wrr", "fq-codel"), ("fq-codel", "wrr")] {
        tree(&mut net, root, below);
        assert_eq!(refused(&net), message, "{below} below {root}");
    }
    tree(&mut net, "wrr", "wrr");
    assert!(Sim::new(net.0.clone()).is_ok());
    net.port(link).scheduler = scheduler("fq-codel", "");
    net.port(link).classes.clear();
    assert!(Sim::new(net.0).is_ok());
}

#[test]
fn samples_without_an_interval() {
    let mut net = triangle(["1 ms"; 4]);
    udp(&mut net, &[0]);
    net.sample(penstock_model::id::LinkId(0), "1 ps");
    net.sample(penstock_model::id::LinkId(0), "0 s");
    assert_eq!(refused(&net), "sample plan 1 has an interval of 0 s; give it one above 0 s");
}
