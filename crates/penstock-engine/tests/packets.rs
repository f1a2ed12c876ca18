//! Packets from a list arrive when a calculation by hand says so, and no others come.

mod support;

use penstock_engine::injection::{Arrival, InjectionError, Marking};
use penstock_engine::observations::TraceEvent;
use penstock_engine::Sim;
use penstock_model::id::FlowId;
use penstock_model::packet::Ecn;
use penstock_model::source::SourcePlan;
use penstock_model::units::Bytes;
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
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].sent.bytes, seen.flows[0].received.packets), (4, 1875, 4));
}

#[test]
fn a_list_ends_with_its_flow() {
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", ""));
    let list = source("packets", "at = [0 s, 20 ms, 40 ms]; sizes = [1000 bytes]");
    let group = net.group("list", list, transport("udp", ""), ("0 s", "0 s"));
    net.0.groups[group as usize].stop = time("20 ms");
    net.flow(group, route, route);
    assert_eq!(net.run().flows[0].sent.packets, 2);
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
    assert_eq!((seen.flows[0].sent.packets, seen.flows[0].sent.bytes, seen.flows[0].received.packets), (4, 2700, 4));
}

/// A flow that sends only packets from outside, over a queue that marks every capable packet behind one that waits.
fn marking_net() -> support::Net {
    let step = discipline("step-marking", "limit = 10 packets; threshold = 0 packets");
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "10 ms", step);
    let list = source("packets", "at = [0 s, 0 s]; sizes = [100 bytes, 1000 bytes]");
    let group = net.group("outside", list, transport("udp", ""), ("0 s", "0 s"));
    net.0.groups[group as usize].source = SourcePlan::from_outside(Bytes::new(100), Bytes::new(1000));
    net.flow(group, route, route);
    net.0.trace = true;
    net
}

/// Five packets in 5 ms, each 8 ms on the wire, so that all but the first wait.
fn marked_arrivals() -> Vec<Arrival> {
    let marking = |(ecn, precedence)| Some(Marking { ecn, precedence });
    let markings = [(Ecn::Ect0, 0), (Ecn::NotEct, 1), (Ecn::Ect1, 2), (Ecn::Ect0, 3)].map(marking);
    let at = |i: usize| time(&format!("{} ms", i + 1));
    let arrival = |(i, marking)| Arrival { at: at(i), flow: FlowId(0), size: 1000, marking };
    markings.into_iter().chain([None]).enumerate().map(arrival).collect()
}

#[test]
fn packets_from_outside_keep_their_codepoints_and_precedences() {
    let mut net = marking_net();
    net.0.arrivals = marked_arrivals().into();
    let seen = net.run();
    let received = seen.trace.iter().filter(|row| row.event == TraceEvent::Receive).filter_map(|row| row.packet());
    let fields: Vec<(Ecn, u8)> = received.map(|packet| (packet.ecn, packet.precedence)).collect();
    // The first one finds the wire free, the second none that waits; the last one has the flow's own fields.
    assert_eq!(fields, [(Ecn::Ect0, 0), (Ecn::NotEct, 1), (Ecn::Ce, 2), (Ecn::Ce, 3), (Ecn::NotEct, 0)]);
}

#[test]
fn arrivals_in_slices_give_the_digest_of_those_known_before() {
    let mut known = marking_net();
    known.0.arrivals = marked_arrivals().into();
    let mut sim = Sim::new(marking_net().0).expect("a sound blueprint");
    for (i, arrival) in marked_arrivals().iter().enumerate() {
        sim.add_arrival(arrival).expect("it is in time");
        sim.run_until(time(&format!("{} us", 1000 * (i + 1))));
    }
    assert_eq!(sim.run().digest, known.run().digest);
}

#[test]
fn a_blueprint_with_arrivals_that_do_not_fit_is_refused() {
    let refused = |change: &dyn Fn(&mut Arrival)| {
        let (mut net, mut arrivals) = (marking_net(), marked_arrivals());
        change(&mut arrivals[2]);
        net.0.arrivals = arrivals.into();
        Sim::new(net.0).map(drop).expect_err("it is refused").to_string()
    };
    let precedence = refused(&|arrival| arrival.marking = Some(Marking { ecn: Ecn::NotEct, precedence: 4 }));
    assert_eq!(precedence, "arrival 2: a packet of drop precedence 4; 0 to 3");
    assert_eq!(refused(&|arrival| arrival.size = 99), "arrival 2: a packet of 99 bytes: the flow's list has packets of 100 to 1000 bytes");
    assert!(refused(&|arrival| arrival.at = time("1 ms")).starts_with("arrival 2: a packet at 1 ms"));
    assert!(refused(&|arrival| arrival.flow = FlowId(1)).starts_with("arrival 2: flow 1 takes no packets"));
}
