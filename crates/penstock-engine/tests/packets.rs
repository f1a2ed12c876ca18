//! Packets from a list arrive when a calculation by hand says so, and no others come.

mod support;

use penstock_engine::injection::InjectionError;
use penstock_engine::observations::TraceEvent;
use penstock_engine::Sim;
use penstock_model::id::FlowId;
use support::{discipline, one_link, source, time, transport};

#[test]
fn packets_of_a_list_leave_at_their_times_and_arrive_as_calculated() {
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", ""));
    let list = source("packets", "at = [0 s, 0 s, 3 ms, 30 ms]; sizes = [1000 bytes, 500 bytes, 250 bytes, 125 bytes]");
    // The times count from the flow's start.
    let group = net.group("list", list, transport("udp", ""), ("5 ms", "5 ms"));
    net.flow(group, route, route);
    net.0.trace = true;
    let seen = net.run();
    let times = |event: TraceEvent| -> Vec<(f64, u32)> {
        let rows = seen.trace.iter().filter(|row| row.event == event);
        rows.map(|row| ((row.time.as_seconds() * 1e6).round() / 1e3, row.size())).collect()
    };
    assert_eq!(times(TraceEvent::Send), [(5.0, 1000), (5.0, 500), (8.0, 250), (35.0, 125)]);
    // 8, 4, 2 and 1 ms on the wire, one after another until 19 ms; the last finds the wire free.
    assert_eq!(times(TraceEvent::Receive), [(23.0, 1000), (27.0, 500), (29.0, 250), (46.0, 125)]);
    assert_eq!((seen.flows[0].sent_packets, seen.flows[0].sent_bytes, seen.flows[0].received_packets), (4, 1875, 4));
}

#[test]
fn a_list_ends_with_its_flow() {
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", ""));
    let list = source("packets", "at = [0 s, 20 ms, 40 ms]; sizes = [1000 bytes]");
    let group = net.group("list", list, transport("udp", ""), ("0 s", "0 s"));
    net.0.groups[group as usize].stop = time("20 ms");
    net.flow(group, route, route);
    assert_eq!(net.run().flows[0].sent_packets, 2);
}

#[test]
fn a_packet_from_outside_is_refused_where_it_would_change_the_past_or_break_a_promise() {
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", ""));
    let list = source("packets", "at = [0 s, 20 ms]; sizes = [1000 bytes, 200 bytes]");
    let listed = net.group("list", list, transport("udp", ""), ("0 s", "0 s"));
    let steady = net.group("cbr", source("cbr", "rate = 1 kbit/s; packet = 800 bytes"), transport("udp", ""), ("0 s", "0 s"));
    net.flow(listed, route, route);
    net.flow(steady, route, route);
    net.0.groups[0].stop = time("300 ms");
    let mut sim = Sim::new(net.0).expect("a sound blueprint");
    let told = |refused: Result<(), InjectionError>| refused.expect_err("it is refused").to_string();
    sim.run_until(time("10 ms"));
    assert_eq!(sim.inject(FlowId(0), time("20 ms"), 500), Ok(()));
    sim.run_until(time("30 ms"));
    assert_eq!(told(sim.inject(FlowId(0), time("30 ms"), 500)), "a packet at 30 ms: it must leave from 30000000001 ps to 1 s");
    assert_eq!(told(sim.inject(FlowId(0), time("301 ms"), 500)), "a packet at 301 ms: it must leave from 30000000001 ps to 300 ms");
    assert_eq!(sim.inject(FlowId(0), time("300 ms"), 1000), Ok(()));
    assert_eq!(told(sim.inject(FlowId(0), time("40 ms"), 500)), "a packet at 40 ms: it must leave from 300 ms to 300 ms");
    for size in [199, 1001] {
        let refused = format!("a packet of {size} bytes: the flow's list has packets of 200 to 1000 bytes");
        assert_eq!(told(sim.inject(FlowId(0), time("300 ms"), size)), refused);
    }
    let no_list = "takes no packets from outside; its source must be 'packets', carried by 'udp'";
    assert_eq!(told(sim.inject(FlowId(1), time("300 ms"), 800)), format!("flow 1 {no_list}"));
    assert_eq!(told(sim.inject(FlowId(2), time("300 ms"), 800)), format!("flow 2 {no_list}"));
    let seen = sim.run();
    assert_eq!((seen.flows[0].sent_packets, seen.flows[0].sent_bytes, seen.flows[0].received_packets), (4, 2700, 4));
}
