//! Ports take new parameters at the instants and with the effect that a calculation by hand says, and keep their state.

mod support;

use penstock_engine::blueprint::{LinkPlan, MarkAt, MarkerPlan, PortPlan};
use penstock_engine::observations::TraceEvent;
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::{FlowId, LinkId};
use std::sync::Arc;
use support::{discipline, meter, one_link, policer, scheduler, shaper, source, time, transport, Net};

/// Why a change of what happens at departures is refused where they are computed on arrival.
const PRECOMPUTED: &str = "departures from this port are computed on arrival; set force_event_driven in the port's plan";

/// A packet of 1000 bytes each 10 ms from 0 to 1 s, both included, into a link of 10 Mbit/s.
fn net(queue: &str, settings: &str) -> Net {
    let (mut net, route, _) = one_link("1 s", 1, "10 Mbit/s", "1 ms", discipline(queue, settings));
    let cbr = source("cbr", "rate = 800 kbit/s; packet = 1000 bytes; phase = zero");
    let group = net.group("f", cbr, transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net
}

fn port(link: &LinkPlan, change: impl FnOnce(&mut PortPlan)) -> Arc<PortPlan> {
    let mut port = PortPlan::clone(&link.port);
    change(&mut port);
    Arc::new(port)
}

fn policed(settings: &str) -> impl Fn(&mut PortPlan) + '_ {
    |port| (port.policers, port.policer_of_class) = (vec![policer("token-bucket", settings)], vec![Some(0)])
}

fn dropped(seen: &Observations, cause: DropCause) -> u64 {
    seen.links.iter().map(|link| link.dropped_packets[cause as usize].iter().sum::<u64>()).sum()
}

/// Runs with all executors; they agree.
fn run(net: &Net) -> Observations {
    let run = |executor| Sim::new(net.0.clone()).expect("sound").with_executor(executor).run();
    let seen = run(Executor::Plain);
    [Executor::Horizon, Executor::Sweeps, Executor::Windows].iter().for_each(|executor| assert_eq!(seen, run(*executor)));
    seen
}

#[test]
fn a_policer_goes_by_its_new_rate() {
    let mut net = net("tail-drop", "");
    let link = &mut net.0.links[0];
    link.port = port(link, policed("rate = 800 kbit/s; burst = 1000 bytes"));
    assert_eq!(dropped(&run(&net), DropCause::Policed), 0, "a bucket of one packet is full again after 10 ms");
    // The packet at 500 ms precedes the change and empties the bucket; then those at 510, 530, ..., 990 ms find half a packet.
    let link = &mut net.0.links[0];
    link.port_changes = vec![(time("500 ms"), port(link, policed("rate = 400 kbit/s; burst = 1000 bytes")))];
    assert_eq!(dropped(&run(&net), DropCause::Policed), 25);
    // And back: ten have been dropped by 705 ms, when 250 bytes are there; that at 710 ms finds 750, and all later ones 1000.
    let link = &mut net.0.links[0];
    let back = Arc::clone(&link.port);
    link.port_changes.push((time("705 ms"), back));
    assert_eq!(dropped(&run(&net), DropCause::Policed), 11);
}

#[test]
fn a_discipline_keeps_its_state() {
    const RED: &str = "limit = 20 packets; min-threshold = 0 packets; max-threshold = 8 packets; max-probability = 0.2; weight = 0.5";
    let overloaded = |force: bool| {
        let mut net = net("red", RED);
        let link = &mut net.0.links[0];
        link.rate = "700 kbit/s".parse().expect("a rate");
        link.port = port(link, |port| port.force_event_driven = force);
        net
    };
    for force in [false, true] {
        let mut net = overloaded(force);
        let as_it_was = run(&net);
        assert!(dropped(&as_it_was, DropCause::Early) > 0);
        let link = &mut net.0.links[0];
        link.port_changes = vec![(time("300 ms"), Arc::clone(&link.port))];
        let changed = run(&net);
        assert_eq!((changed.digest, &changed.links), (as_it_was.digest, &as_it_was.links), "the same parameters change nothing");
        let link = &mut net.0.links[0];
        let more = RED.replace("0.2", "1");
        link.port_changes = vec![(time("300 ms"), port(link, |port| port.queues[0].discipline = discipline("red", &more)))];
        assert!(dropped(&run(&net), DropCause::Early) > dropped(&as_it_was, DropCause::Early));
    }
}

/// Flows of 100 and 1200 kbit/s into 1 Mbit/s. Only the second has losses; it begins after the change, so its queue is new then.
#[test]
fn queues_of_later_flows_have_the_new_parameters() {
    const PATIENT: &str = "target = 400 ms; interval = 500 ms";
    const STRICT: &str = "target = 1 ms; interval = 10 ms";
    let losses = |settings: &str, changed: Option<&str>| {
        let (mut net, route, link) = one_link("3 s", 1, "1 Mbit/s", "1 ms", discipline("codel", settings));
        net.port(link).scheduler = scheduler("fq-codel", "");
        for (name, start, rate) in [("early", "0 s", "100 kbit/s"), ("late", "1 s", "1200 kbit/s")] {
            let cbr = source("cbr", &format!("rate = {rate}; packet = 1000 bytes; phase = zero"));
            let group = net.group(name, cbr, transport("udp", ""), (start, start));
            net.flow(group, route, route);
        }
        let link = &mut net.0.links[0];
        let with = |settings| port(link, |port| port.queues[0].discipline = discipline("codel", settings));
        link.port_changes = changed.map(|settings| (time("500 ms"), with(settings))).into_iter().collect();
        dropped(&run(&net), DropCause::Early)
    };
    let [patient, strict] = [losses(PATIENT, None), losses(STRICT, None)];
    assert!(strict > patient, "{strict} {patient}");
    assert_eq!(losses(PATIENT, Some(STRICT)), strict);
}

#[test]
fn what_cannot_change_is_refused() {
    let mut net = net("codel", "");
    let link = &net.0.links[0];
    let told = |net: &Net, to: Arc<PortPlan>| {
        let mut sim = Sim::new(net.0.clone()).expect("sound");
        sim.change_port(LinkId(0), time("1 ms"), PortPlan::clone(&to)).expect_err("refused").to_string()
    };
    let with = |name: &'static str, settings: &'static str| port(link, |port| port.queues[0].discipline = discipline(name, settings));
    let limit = "queue: 'limit' cannot be changed during a run; one of target, interval";
    assert_eq!(told(&net, with("codel", "limit = 7 packets")), limit);
    assert_eq!(told(&net, with("pie", "")), "queue: 'codel' cannot become 'pie' during a run; change parameters of 'codel'");
    let other = "only parameters of components can be changed during a run";
    assert_eq!(told(&net, port(link, policed("rate = 1 Mbit/s; burst = 3 kB"))), other);
    let mut sim = Sim::new(net.0.clone()).expect("sound");
    sim.run_until(time("10 ms"));
    let sound = PortPlan::clone(&with("codel", "target = 1 ms"));
    let mut at = |link, at| sim.change_port(LinkId(link), time(at), sound.clone()).map_err(|error| error.to_string());
    assert_eq!(at(0, "10 ms"), Err("a change at 10 ms: it must be from 10000000001 ps to 1 s".to_owned()));
    assert_eq!(at(0, "1001 ms"), Err("a change at 1001 ms: it must be from 10000000001 ps to 1 s".to_owned()));
    assert_eq!(at(99, "20 ms"), Err("link 99 does not exist or is not used by any flow".to_owned()));
    assert_eq!(at(0, "20 ms"), Ok(()));
    let to = with("codel", "limit = 7 packets");
    net.0.links[0].port_changes = vec![(time("5 ms"), to)];
    let error = Sim::new(net.0).err().expect("refused").to_string();
    assert!(error.ends_with(&format!("cannot change: {limit}")), "{error}");
}

#[test]
fn a_shaper_keeps_its_tokens() {
    // A packet each 20 ms, which 1000 bytes of tokens take, until the change at 515 ms finds 750 bytes of them: the next one leaves at
    // 517.5 ms, and then one each 10 ms. 26 and 49 of them arrive, 1.8 ms later, by 1 s.
    let shaped = |rate: &str| Some(shaper("token-bucket", &format!("rate = {rate}; burst = 1000 bytes")));
    for (force, shared) in [(false, false), (true, false), (true, true)] {
        let mut net = net("tail-drop", "");
        if shared {
            net.share(net.0.links[0].from, "pool", "size = 1000 packets");
        }
        let link = &mut net.0.links[0];
        link.port = port(link, |port| (port.shaper, port.force_event_driven) = (shaped("400 kbit/s"), force));
        let faster = port(link, |port| port.shaper = shaped("800 kbit/s"));
        let mut sim = Sim::new(net.0.clone()).expect("sound");
        sim.run_until(time("300 ms"));
        match sim.change_port(LinkId(0), time("515 ms"), PortPlan::clone(&faster)) {
            Ok(()) => assert_eq!((force, sim.run().flows[0].received.packets), (true, 75)),
            Err(error) => assert_eq!((force, error.to_string().as_str()), (false, PRECOMPUTED)),
        }
        net.0.links[0].port_changes = vec![(time("515 ms"), faster)];
        assert_eq!(run(&net).flows[0].received.packets, 75);
    }
}

#[test]
fn a_flow_takes_only_what_can_change() {
    let (mut net, forward, link) = one_link("1 s", 1, "10 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "10 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let backward = net.route(&[back]);
    let tcp = |settings: &str| transport("tcp", settings);
    let group = net.group("f", source("ftp", ""), tcp("congestion-control = cubic"), ("0 s", "0 s"));
    net.flow(group, forward, backward);
    let mut sim = Sim::new(net.0.clone()).expect("sound");
    let mut told = |flow, at, to| sim.change_flow(FlowId(flow), time(at), to).map_err(|error| error.to_string());
    let refused = |why: &str| Err(why.to_owned());
    assert_eq!(told(0, "2 ms", tcp("congestion-control = cubic { beta = 0.5 }")), Ok(()));
    let one_of = "transport: 'hystart' cannot be changed during a run; one of c, beta";
    assert_eq!(told(0, "2 ms", tcp("congestion-control = cubic { hystart = true }")), refused(one_of));
    let one_of = "transport: 'min-rto' cannot be changed during a run; one of congestion-control";
    assert_eq!(told(0, "2 ms", tcp("congestion-control = cubic; min-rto = 900 ms")), refused(one_of));
    let other = "transport: 'cubic' cannot become 'vegas' during a run; change parameters of 'cubic'";
    assert_eq!(told(0, "2 ms", tcp("congestion-control = vegas")), refused(other));
    assert_eq!(told(7, "2 ms", tcp("congestion-control = cubic")), refused("flow 7 does not exist"));
    assert_eq!(told(0, "2 s", tcp("congestion-control = cubic")), refused("a change at 2 s: it must be from 0 s to 1 s"));
    net.0.groups[0].transport_changes = vec![(time("5 ms"), Arc::new(tcp("congestion-control = vegas")))];
    let error = Sim::new(net.0).err().expect("refused").to_string();
    assert_eq!(error, format!("flows 'f' cannot change: {other}"));
}

#[test]
fn a_marker_at_departures_colours_what_waits_by_its_new_rate() {
    // Five packets at once into a link of 1 Mbit/s leave 8 ms apart. A bucket of one packet colours the first two green at 1 Mbit/s; at
    // 1 kbit/s from 10 ms on, the other three are red, although they arrived before.
    let marker = |rate: &str| {
        Some(MarkerPlan { meter: meter("token-bucket", &format!("rate = {rate}; burst = 1000 bytes")), at: MarkAt::Departure })
    };
    let (mut net, route, _) = one_link("1 s", 1, "1 Mbit/s", "1 ms", discipline("tail-drop", ""));
    let burst = source("packets", "at = [0 s, 0 s, 0 s, 0 s, 0 s]; sizes = [1000 bytes]");
    let group = net.group("f", burst, transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.0.trace = true;
    let link = &mut net.0.links[0];
    link.port = port(link, |port| port.marker = marker("1 Mbit/s"));
    let slower = port(link, |port| port.marker = marker("1 kbit/s"));
    let precomputed = Sim::new(net.0.clone()).expect("sound").change_port(LinkId(0), time("10 ms"), PortPlan::clone(&slower));
    assert_eq!(precomputed.expect_err("refused").to_string(), PRECOMPUTED);
    net.0.links[0].port_changes = vec![(time("10 ms"), slower)];
    let received = run(&net).trace.into_iter().filter(|row| row.event == TraceEvent::Receive);
    let colours: Vec<u8> = received.filter_map(|row| row.packet().map(|packet| packet.precedence)).collect();
    assert_eq!(colours, [0, 0, 1, 1, 1]);
}
