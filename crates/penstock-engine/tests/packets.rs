//! Packets from a list arrive when a calculation by hand says so, and no others come.

mod support;

use penstock_engine::observations::TraceEvent;
use support::{discipline, one_link, source, transport};

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
    net.0.groups[group as usize].stop = support::time("20 ms");
    net.flow(group, route, route);
    assert_eq!(net.run().flows[0].sent_packets, 2);
}
