//! Random streams belong to components: what is added elsewhere changes no draws of others.

mod support;

use penstock_engine::Observations;
use penstock_model::id::NodeId;
use support::{discipline, impairment, source, transport, Net};

/// A random source over a lossy RED link `name`.
fn add(net: &mut Net, name: &str) {
    let (a, b) = (net.node(&format!("{name}-from")), net.node(&format!("{name}-to")));
    flows_between(net, name, a, b);
}

fn flows_between(net: &mut Net, name: &str, a: NodeId, b: NodeId) {
    let red = "limit = 30 packets; min-threshold = 2 packets; max-threshold = 9 packets; max-probability = 0.2; weight = 0.1";
    let link = net.link(a, b, "1 Mbit/s", "1 ms", discipline("red", red));
    net.port(link).impairments = vec![impairment("loss", "probability = 0.1")];
    let route = net.route(&[link]);
    let traffic = source("poisson", "rate = 400 kbit/s; packet = exponential 500 bytes");
    let group = net.group(name, traffic, transport("udp", ""), ("0 s", "1 s"));
    (0..2).for_each(|_| net.flow(group, route, route));
}

/// All counts of the flows from `flow` on and of their link.
fn of(seen: &Observations, flow: usize, link: usize) -> String {
    format!("{:?} {:?}", &seen.flows[flow..flow + 2], seen.links[link])
}

fn alone(seed: u64, replication: u64) -> Observations {
    let mut net = Net::new("20 s", seed);
    net.0.replication = replication;
    add(&mut net, "first");
    net.run()
}

#[test]
fn components_added_before_or_behind_change_nothing() {
    let alone = of(&alone(1, 0), 0, 0);
    let mut behind = Net::new("20 s", 1);
    add(&mut behind, "first");
    add(&mut behind, "second");
    assert_eq!(of(&behind.run(), 0, 0), alone);
    let mut before = Net::new("20 s", 1);
    add(&mut before, "second");
    add(&mut before, "first");
    let seen = before.run();
    assert_eq!(of(&seen, 2, 1), alone);
    assert_ne!(of(&seen, 0, 0), alone, "the other has draws of its own");
}

#[test]
fn members_added_to_a_group_leave_the_others_alone() {
    let sent = |members: usize| {
        let mut net = Net::new("20 s", 1);
        add(&mut net, "first");
        let flow = net.0.flows[0];
        (2..members).for_each(|member| net.0.flows.push(penstock_engine::blueprint::FlowPlan { member: member as u32, ..flow }));
        net.run().flows.iter().map(|flow| (flow.sent.packets, flow.sent.bytes)).collect::<Vec<_>>()
    };
    let (two, five) = (sent(2), sent(5));
    assert_eq!(two, five[..2]);
    assert!((1..5).all(|i| !five[..i].contains(&five[i])));
}

#[test]
fn flows_that_share_hosts_keep_their_draws() {
    let mut net = Net::new("20 s", 1);
    add(&mut net, "first");
    let (a, b) = (net.0.links[0].from, net.0.links[0].to);
    flows_between(&mut net, "second", a, b);
    net.0.links[1].path = "other".to_owned();
    assert_eq!(of(&net.run(), 0, 0), of(&alone(1, 0), 0, 0));
}

#[test]
fn seeds_and_replications_are_different_runs() {
    let runs = [(1, 0), (1, 1), (2, 0), (1 << 32 | 1, 0), (u64::MAX, 0), (1, u64::MAX), (0, 1)];
    let digests = runs.map(|(seed, replication)| alone(seed, replication).digest);
    assert!((1..runs.len()).all(|i| !digests[..i].contains(&digests[i])), "{digests:x?}");
    assert_eq!(digests[4], alone(u64::MAX, 0).digest);
}
