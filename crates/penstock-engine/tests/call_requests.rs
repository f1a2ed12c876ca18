//! Requests for calls that travel as packets.

mod support;

use penstock_engine::blueprint::CallsPlan;
use penstock_model::call::counts::CallCounts;
use penstock_model::call::ArrivalPlan;
use penstock_model::edge::AdmissionPlan;
use std::sync::Arc;
use support::{discipline, endless_calls, parameters, source, transport, Net, Settings};

/// About 100 requests in 1 s reach b, which admits nine calls that never end; packets of other calls pass b towards c.
#[test]
fn a_request_is_answered_where_packets_pass() {
    let mut net = Net::new("1 s", 1);
    let [a, b, c] = ["a", "b", "c"].map(|name| net.node(name));
    let mut link = |from, to| net.link(from, to, "10 Mbit/s", "1 ms", discipline("tail-drop", "limit = 1000 packets"));
    let (there, on, back) = (link(a, b), link(b, c), link(b, a));
    let requests = CallsPlan {
        arrivals: Some(ArrivalPlan::Poisson(parameters("interval = 10 ms"))),
        admission: AdmissionPlan::read("count", &mut Settings::new("limit = 9")),
        request_packet: Some(100),
        ..endless_calls()
    };
    let passing = CallsPlan { initial: CallCounts::same(3), ..endless_calls() };
    let (to_b, to_c, to_a) = (net.route(&[there]), net.route(&[there, on]), net.route(&[back]));
    for (name, calls, forward, backward) in [("asking", requests, to_b, to_a), ("passing", passing, to_c, to_c)] {
        let voice = source("cbr", "rate = 64 kbit/s; packet = 160 bytes");
        let group = net.group(name, voice, transport("udp", ""), ("0 s", "0 s"));
        net.0.groups[group as usize].calls = Some(Arc::new(calls));
        net.flow(group, forward, backward);
    }
    let seen = net.run();
    assert_eq!(seen.calls[0].1.admitted, 9);
    assert!(seen.calls[0].1.blocked > 50, "{} blocked", seen.calls[0].1.blocked);
}
