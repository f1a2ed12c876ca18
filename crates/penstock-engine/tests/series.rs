//! Time series in random scenarios: the same however the run is made, and what counters and traces say of the same run.

#[path = "support/random/mod.rs"]
#[allow(dead_code, reason = "the tests of executors use the rest")]
mod random;
mod support;

use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::{LinkCounters, TraceEvent, TraceSubject};
use penstock_engine::series::{Sampling, SeriesPlan, SeriesRow, SeriesSubject};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::buffer::BufferPlan;
use penstock_model::discipline::DisciplinePlan;
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::meter::MeterPlan;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::probe::Variable;
use penstock_model::rng::Key;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::tcp::Sender;
use penstock_model::units::{Duration, Time};
use proptest::prelude::*;
use random::case;
use std::collections::BTreeMap;
use std::sync::Arc;
use support::{discipline, one_link, pcn_meter, time, Net};

/// The names of all variables of ports, flows and what they have.
fn names() -> Vec<&'static str> {
    use penstock_engine::state::{CALLS, PORT, RECEIVING, SENDING};
    let kinds = [
        DisciplinePlan::ENTRIES,
        SchedulerPlan::ENTRIES,
        MeterPlan::ENTRIES,
        PcnMeterPlan::ENTRIES,
        CongestionControlPlan::ENTRIES,
        BufferPlan::ENTRIES,
        CongestionPointPlan::ENTRIES,
        ReactionPointPlan::ENTRIES,
    ];
    let of_components = kinds.into_iter().flatten().flat_map(|entry| entry.state);
    let all = [PORT, SENDING, RECEIVING, CALLS, Sender::STATE].into_iter().flatten().chain(of_components);
    let mut names: Vec<&str> = all.map(|variable: &Variable| variable.name).collect();
    names.extend(["fill", "tokens"]);
    names.sort_unstable();
    names.dedup();
    names
}

/// The blueprint with all variables of everything read at intervals and on change.
fn observed(blueprint: &Blueprint) -> Blueprint {
    let links = (0..blueprint.links.len() as u32).map(|link| SeriesSubject::Link(LinkId(link)));
    let ends = (0..blueprint.flows.len() as u32).map(FlowId).flat_map(|flow| [SeriesSubject::Sender(flow), SeriesSubject::Receiver(flow)]);
    let nodes = (0..blueprint.nodes.len() as u32).map(|node| SeriesSubject::Node(NodeId(node)));
    let what: Vec<_> = names().into_iter().map(|name| (None, name)).collect();
    let every = Duration::from_ms(7);
    let plan = |of, sampling, from| SeriesPlan { of, what: what.clone(), sampling, from, until: blueprint.end };
    let plans = links.chain(ends).chain(nodes).flat_map(|of| {
        let late = Time::ZERO + Duration::from_ms(30);
        [plan(of, Sampling::Every(every), Time::ZERO), plan(of, Sampling::OnChange, Time::ZERO), plan(of, Sampling::OnChange, late)]
    });
    let mut observed = Blueprint { warm_up: Time::ZERO, ..blueprint.clone() };
    observed.watch.series = plans.collect();
    observed
}

/// Returns the series of a run in stretches of `budget` events, and the other observations.
fn run(mut sim: Sim, budget: u64) -> (Vec<SeriesRow>, Observations) {
    let mut rows = Vec::new();
    loop {
        let is_complete = sim.run_events(Time::NEVER, budget);
        sim.take_series(&mut rows);
        if is_complete {
            return (rows, sim.finish());
        }
    }
}

fn sim(blueprint: &Blueprint) -> Sim {
    Sim::new(blueprint.clone()).expect("random scenarios are sound")
}

fn same(a: &[SeriesRow], b: &[SeriesRow]) -> Result<(), TestCaseError> {
    let first = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    prop_assert_eq!(a.get(first), b.get(first), "row {}", first);
    Ok(())
}

/// The values of a variable in the series that is read on change from the beginning, by plan.
fn on_change<'r>(rows: &'r [SeriesRow], plan: usize, name: &'static str) -> impl Iterator<Item = &'r SeriesRow> {
    rows.iter().filter(move |row| row.plan as usize == plan && row.variable.name == name && row.component.name.is_empty())
}

/// Returns the integral over time of a variable read on change, in its unit times picoseconds.
fn integral(rows: &[SeriesRow], plan: usize, name: &'static str, end: Time) -> u128 {
    let values: Vec<(Time, u128)> = on_change(rows, plan, name).map(|row| (row.time, row.value as u128)).collect();
    let ends = values.iter().skip(1).map(|(time, _)| *time).chain([end]);
    values.iter().zip(ends).map(|((from, value), to)| value * u128::from(to.since(*from).as_ps())).sum()
}

/// What has left since the last arrival is not held, however the series is read.
#[test]
fn memory_of_known_departures_is_free_when_it_is_read() {
    let mut net = Net::new("30 ms", 1);
    let [h, s, c] = ["h", "s", "c"].map(|name| net.node(name));
    let queue = || discipline("tail-drop", "limit = 9 packets");
    let (into, out) = (net.link(h, s, "1 Gbit/s", "0 s", queue()), net.link(s, c, "1 Mbit/s", "0 s", queue()));
    let route = net.route(&[into, out]);
    net.share(s, "pool", "size = 1 MB");
    // They arrive after 8 and 16 us and leave 8 and 16 ms later.
    net.burst("0 s", 2, 1000, route);
    let (from, until) = (time("5 ms"), net.0.end);
    let plan = |sampling| SeriesPlan { of: SeriesSubject::Node(s), what: vec![(None, "held")], sampling, from, until };
    net.0.watch.series = [Sampling::Every(Duration::from_ms(5)), Sampling::OnRequest].map(plan).to_vec();
    let mut sim = sim(&net.0);
    let (mut requested, mut rows) = (Vec::new(), Vec::new());
    for at in ["6 ms", "12 ms", "18 ms"] {
        sim.run_events(time(at), u64::MAX);
        sim.read_series(&mut requested);
    }
    sim.run_events(Time::NEVER, u64::MAX);
    sim.take_series(&mut rows);
    let values = |rows: &[SeriesRow]| rows.iter().map(|row| row.value as u64).collect::<Vec<u64>>();
    assert_eq!(values(&requested), [2, 1, 0]);
    assert_eq!(values(&rows), [2, 1, 1, 0, 0, 0]);
}

/// What a series each 10 ms from 10 ms on says of a port of 1 Mbit/s.
fn of_port(event_driven: bool, queue: DisciplinePlan, name: &'static str) -> Vec<f64> {
    let (mut net, route, link) = one_link("30 ms", 1, "1 Mbit/s", "0 s", queue);
    net.port(link).force_event_driven = event_driven;
    for at in ["0 s", "21 ms"] {
        net.packet(at, 1000, route);
    }
    let sampling = Sampling::Every(Duration::from_ms(10));
    let plan = SeriesPlan { of: SeriesSubject::Link(link), what: vec![(None, name)], sampling, from: Time::ZERO, until: net.0.end };
    net.0.watch.series = vec![plan];
    run(sim(&net.0), u64::MAX).0.iter().filter(|row| row.time > Time::ZERO).map(|row| row.value).collect()
}

/// A packet takes 8 ms, from 0 and from 21 ms on.
#[test]
fn rates_are_those_since_the_last_instant() {
    let queue = || discipline("tail-drop", "limit = 9 packets");
    assert_eq!(of_port(false, queue(), "utilisation"), [0.8, 0.0, 0.8]);
    assert_eq!(of_port(false, queue(), "throughput"), [800e3, 0.0, 800e3]);
}

/// A bucket of 8000 bits, full at the beginning, loses 4000 at 1 ms and gains 1000 in each ms. Events of the other port, at 3 and
/// 4 ms, are no change.
#[test]
fn a_series_on_change_is_read_when_its_own_port_changes() {
    let mut net = Net::new("30 ms", 1);
    let [h, c, d] = ["h", "c", "d"].map(|name| net.node(name));
    let [watched, other] = [c, d].map(|to| net.link(h, to, "1 Mbit/s", "0 s", discipline("tail-drop", "limit = 9 packets")));
    net.port(watched).pcn = vec![pcn_meter("threshold", "rate = 1 Mbit/s; size = 8 ms; threshold = 4 ms")];
    for (at, bytes, link) in [("1 ms", 500, watched), ("3 ms", 125, other)] {
        let route = net.route(&[link]);
        net.packet(at, bytes, route);
    }
    let (of, what, until) = (SeriesSubject::Link(watched), vec![(None, "fill")], net.0.end);
    net.0.watch.series = vec![SeriesPlan { of, what, sampling: Sampling::OnChange, from: Time::ZERO, until }];
    let rows = run(sim(&net.0), u64::MAX).0;
    let read: Vec<(u64, f64)> = rows.iter().map(|row| (row.time.as_ps() / 1_000_000_000, row.value)).collect();
    assert_eq!(read, [(0, 8000.0), (1, 4000.0), (5, 8000.0)]);
}

#[test]
fn the_discipline_of_an_event_driven_port_is_read() {
    let queue = || discipline("red", "limit = 9 packets; min-threshold = 1 packets; max-threshold = 3 packets; max-probability = 0.1");
    let known = of_port(false, queue(), "average");
    assert_eq!(known.len(), 3);
    assert_eq!(of_port(true, queue(), "average"), known);
}

proptest! {
    #![proptest_config(support::cases(24))]

    #[test]
    fn series_do_not_depend_on_how_a_run_is_made(case in case(), budget in 1u64..400, cut in any::<u64>(), most in 1u64..100) {
        let blueprint = observed(&case.blueprint());
        let (rows, seen) = run(sim(&blueprint).with_executor(Executor::Plain), u64::MAX);
        let without = sim(&Blueprint { warm_up: Time::ZERO, ..case.blueprint() }).run();
        prop_assert!(seen == without, "observing changes nothing");
        for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            same(&rows, &run(sim(&blueprint).with_executor(executor), budget).0)?;
        }
        let shard_of = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % 3) as u32;
        let several = Sim::with_partition(blueprint.clone(), &shard_of).expect("random scenarios are sound").run_shards_in_turn();
        same(&rows, &run(several, budget).0)?;
        same(&rows, &run(sim(&Blueprint { max_visit_events: most, ..blueprint.clone() }), budget).0)?;
    }

    /// Values asked for between slices of a run equal those read at intervals, on any executor.
    #[test]
    fn series_on_request_are_those_at_intervals(case in case(), cut in any::<u64>()) {
        let with = |sampling| {
            let mut blueprint = observed(&case.blueprint());
            blueprint.watch.series.retain(|plan| matches!(plan.sampling, Sampling::Every(_)));
            blueprint.watch.series.iter_mut().for_each(|plan| plan.sampling = sampling);
            blueprint
        };
        let every = Duration::from_ms(7);
        let (mut rows, seen) = run(sim(&with(Sampling::Every(every))), u64::MAX);
        rows.sort_by_key(|row| (row.time, row.plan));
        let shard_of = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % 3) as u32;
        let blueprint = with(Sampling::OnRequest);
        let several = Sim::with_partition(blueprint.clone(), &shard_of).expect("random scenarios are sound").run_shards_in_turn();
        let of = |executor| sim(&blueprint).with_executor(executor);
        for mut asked in [of(Executor::Plain), of(Executor::Horizon), of(Executor::Windows), several] {
            let (mut read, mut at) = (Vec::new(), Time::ZERO);
            while at <= blueprint.end {
                asked.run_until(at);
                asked.read_series(&mut read);
                at += every;
            }
            same(&rows, &read)?;
            prop_assert_eq!(seen.digest, asked.run().digest);
        }
    }

    /// Departures that are known on arrival count from their own instants on.
    #[test]
    fn departures_known_on_arrival_are_read_as_those_of_service(case in case()) {
        let blueprint = observed(&case.blueprint());
        let mut served = blueprint.clone();
        served.links.iter_mut().for_each(|link| Arc::make_mut(&mut link.port).force_event_driven = true);
        same(&run(sim(&blueprint), u64::MAX).0, &run(sim(&served), u64::MAX).0)?;
    }

    #[test]
    fn series_agree_with_counters(case in case()) {
        let blueprint = observed(&case.blueprint());
        let (rows, seen) = run(sim(&blueprint), u64::MAX);
        for (link, counters) in seen.links.iter().enumerate() {
            let plan = 3 * link + 1;
            if on_change(&rows, plan, "queue").next().is_none() {
                let unused = LinkCounters { causes: counters.causes, ..LinkCounters::default() };
                prop_assert_eq!(counters, &unused, "no route uses it");
                continue;
            }
            prop_assert_eq!(integral(&rows, plan, "queue", seen.to), counters.waiting_packet_ps, "packets at link {}", link);
            prop_assert_eq!(integral(&rows, plan, "queue-bytes", seen.to), counters.waiting_byte_ps, "bytes at link {}", link);
            let last = |name| on_change(&rows, plan, name).last().map(|row| row.value as u64);
            prop_assert_eq!(last("sent"), Some(counters.sent_packets), "link {}", link);
            prop_assert_eq!(last("drops"), Some(counters.dropped_packets.iter().flatten().sum::<u64>()), "link {}", link);
            prop_assert_eq!(last("marks"), Some(counters.marked_packets), "link {}", link);
        }
        for (flow, counters) in seen.flows.iter().enumerate() {
            let (sender, receiver) = (3 * (seen.links.len() + 2 * flow) + 1, 3 * (seen.links.len() + 2 * flow + 1) + 1);
            let last = |plan, name| on_change(&rows, plan, name).last().map(|row| row.value as u64);
            prop_assert_eq!(last(sender, "sent"), Some(counters.sent.packets), "flow {}", flow);
            prop_assert_eq!(last(sender, "retransmissions"), Some(counters.sent.retransmissions), "flow {}", flow);
            prop_assert_eq!(last(receiver, "received"), Some(counters.received.packets), "flow {}", flow);
            prop_assert_eq!(last(receiver, "marked"), Some(counters.received.marked), "flow {}", flow);
        }
    }

    /// The values of a window read on change agree with the trace, after the last change of each instant.
    #[test]
    fn series_of_windows_agree_with_traces(case in case()) {
        let blueprint = Blueprint { trace: true, ..observed(&case.blueprint()) };
        let (rows, seen) = run(sim(&blueprint), u64::MAX);
        let mut traced: BTreeMap<u32, BTreeMap<Time, f64>> = BTreeMap::new();
        for row in seen.trace.iter().filter(|row| row.event == TraceEvent::Window) {
            if let TraceSubject::Window { flow, window, .. } = row.subject {
                traced.entry(flow).or_default().insert(row.time, window);
            }
        }
        for (flow, windows) in traced {
            let plan = 3 * (blueprint.links.len() + 2 * flow as usize) + 1;
            let start = *windows.keys().next().expect("a window");
            let read: Vec<(Time, f64)> = on_change(&rows, plan, "cwnd").map(|row| (row.time, row.value)).filter(|(time, _)| *time > start).collect();
            let mut last = windows[&start];
            let changes = windows.into_iter().skip(1).filter(|(_, window)| std::mem::replace(&mut last, *window) != *window);
            prop_assert_eq!(read, changes.collect::<Vec<_>>(), "flow {}", flow);
        }
    }

    /// What all ports of a switch hold together is the sum of what each holds, and calls are those that came less those that went.
    #[test]
    fn sums_agree_with_their_parts(case in case()) {
        let blueprint = observed(&case.blueprint());
        let (rows, seen) = run(sim(&blueprint), u64::MAX);
        let (links, flows) = (blueprint.links.len(), blueprint.flows.len());
        let at = |plan: usize, name: &'static str| -> BTreeMap<Time, f64> {
            rows.iter().filter(|row| row.plan as usize == plan && row.variable.name == name).map(|row| (row.time, row.value)).collect()
        };
        for switch in blueprint.switches.iter().filter(|switch| switch.buffer.is_some()) {
            for (whole, part) in [("held", "port-held"), ("held-bytes", "port-held-bytes")] {
                let of_node = at(3 * (links + 2 * flows + switch.node.index()), whole);
                let own = (0..links).filter(|link| blueprint.links[*link].from == switch.node);
                let mut sum: BTreeMap<Time, f64> = of_node.keys().map(|time| (*time, 0.0)).collect();
                own.flat_map(|link| at(3 * link, part)).for_each(|(time, value)| *sum.entry(time).or_insert(f64::NAN) += value);
                prop_assert_eq!(of_node, sum, "{}", whole);
            }
        }
        for (flow, counters) in &seen.calls {
            let last = |name| at(3 * (links + 2 * flow.index()) + 1, name).into_values().last();
            prop_assert_eq!(last("calls"), Some(counters.live_at_end as f64));
            prop_assert_eq!(last("offered"), Some(counters.offered as f64));
            prop_assert_eq!(last("admitted"), Some(counters.admitted as f64));
            prop_assert_eq!(last("blocked"), Some(counters.blocked as f64));
        }
    }

    /// A value read at an interval equals the last value read on change.
    #[test]
    fn intervals_agree_with_changes(case in case()) {
        let blueprint = observed(&case.blueprint());
        let (rows, _) = run(sim(&blueprint), u64::MAX);
        for link in 0..blueprint.links.len() {
            for name in ["queue", "queue-bytes", "sent", "drops", "marks"] {
                let changes: Vec<&SeriesRow> = on_change(&rows, 3 * link + 1, name).collect();
                for row in on_change(&rows, 3 * link, name) {
                    let last = changes.iter().take_while(|change| change.time <= row.time).last();
                    prop_assert_eq!(Some(row.value), last.map(|last| last.value), "{} of link {} at {}", name, link, row.time);
                }
            }
        }
    }
}
