//! Equivalence of executors, slices and kinds of queueing, in random scenarios.

#[path = "support/random/mod.rs"]
mod random;
mod support;

use penstock_engine::blueprint::{Blueprint, FastPaths, FlowGroup, FlowPlan, PortPlan, Ties, WatchPlan};
use penstock_engine::changes::PlanChangeError;
use penstock_engine::injection::{Arrival, Marking};
use penstock_engine::observations::{LinkCounters, PageTimes, TraceEvent, TraceRow, TraceSubject, TrafficPart};
use penstock_engine::{Executor, Observations, Sim};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::packet::{Body, Ecn};
use penstock_model::rng::Key;
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Time};
use proptest::prelude::*;
use random::case;
use std::collections::BTreeMap;
use std::sync::Arc;
use support::{source, transport};

fn sim(blueprint: &Blueprint) -> Sim {
    Sim::new(blueprint.clone()).expect("random scenarios are sound")
}

/// Runs in stretches of `budgets` events, up to the instants of `ends` one after the other and then to the end. Of three stretches to
/// such instants, one runs on a single core.
fn in_budgets(mut sim: Sim, budgets: &[u64], ends: &[u64]) -> Observations {
    let mut budgets = budgets.iter().cycle();
    for (i, end) in ends.iter().enumerate() {
        sim.use_cores(i % 3 != 1);
        sim.run_events(Time::from_ps(*end), *budgets.next().expect("some budgets"));
    }
    let mut stretches = 0;
    // Budgets of nothing are no progress.
    while !sim.run_events(Time::NEVER, budgets.next().expect("some budgets") + u64::from(stretches % 50 == 49)) {
        stretches += 1;
    }
    sim.finish()
}

/// Everything that can be observed is the same; the first differences are shown.
fn same(a: &Observations, b: &Observations) -> Result<(), TestCaseError> {
    let rows = a.trace.iter().zip(&b.trace).position(|(a, b)| a != b).unwrap_or(a.trace.len().min(b.trace.len()));
    prop_assert_eq!(a.trace.get(rows), b.trace.get(rows), "row {} of the traces", rows);
    for (link, (a, b)) in a.links.iter().zip(&b.links).enumerate() {
        prop_assert_eq!(a, b, "link {}", link);
    }
    prop_assert_eq!(&a.flows, &b.flows);
    prop_assert_eq!(&a.samples, &b.samples);
    prop_assert_eq!(&a.meter_samples, &b.meter_samples);
    prop_assert_eq!(a.digest, b.digest, "digests");
    prop_assert!(a == b, "everything else");
    Ok(())
}

/// Returns whether an open-loop source sends the flow's packets, numbered one by one.
fn is_open(blueprint: &Blueprint, flow: u32) -> bool {
    let group = &blueprint.groups[blueprint.flows[flow as usize].group as usize];
    group.calls.is_none() && matches!(group.transport, TransportPlan::Udp(_))
}

/// Whether the flow's source sent a packet; switches send, too: source quenches, with numbers of their own.
fn is_sent_by_source(blueprint: &Blueprint, row: &TraceRow) -> bool {
    row.event == TraceEvent::Send && row.place == blueprint.flows[row.flow() as usize].from.0
}

/// What each open-loop flow has lost of the packets that it sent in the window, by the trace; `None` for others, and where a
/// switch sent quenches.
fn lost_by_trace(blueprint: &Blueprint, seen: &Observations) -> Vec<Option<u64>> {
    let mut lost: Vec<Option<u64>> = (0..blueprint.flows.len() as u32).map(|flow| is_open(blueprint, flow).then_some(0)).collect();
    let mut sent = BTreeMap::new();
    for row in seen.trace.iter().filter(|row| row.event == TraceEvent::Send) {
        if is_sent_by_source(blueprint, row) {
            sent.insert((row.flow(), row.sequence()), row.time);
        } else {
            lost[row.flow() as usize] = None;
        }
    }
    for row in seen.trace.iter().filter(|row| matches!(row.event, TraceEvent::Drop(_))) {
        if let Some(lost) = &mut lost[row.flow() as usize] {
            *lost += u64::from(seen.from <= sent[&(row.flow(), row.sequence())] && row.time <= seen.to);
        }
    }
    lost
}

/// Of each flow, by the trace: retransmissions sent in the window that were dropped in it, and segments of TCP that were sent a third
/// time or later in it.
fn retransmissions_by_trace(blueprint: &Blueprint, seen: &Observations) -> Vec<(u64, u64)> {
    let mut counts = vec![(0, 0); blueprint.flows.len()];
    let mut sent: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for row in &seen.trace {
        let TraceSubject::Packet(packet) = row.subject else { continue };
        let (lost, repeated) = &mut counts[row.flow() as usize];
        if matches!(row.event, TraceEvent::Drop(_)) {
            *lost += u64::from(packet.body.is_retransmission() && packet.created >= seen.from && row.time <= seen.to);
        } else if let (true, Body::Segment { seq, .. }) = (is_sent_by_source(blueprint, row), packet.body) {
            let times = sent.entry((row.flow(), seq)).or_default();
            *times += 1;
            *repeated += u64::from(*times > 2 && row.time >= seen.from);
        }
    }
    counts
}

proptest! {
    #![proptest_config(support::cases(400))]

    #[test]
    fn a_run_repeats_itself(case in case()) {
        let blueprint = case.blueprint();
        same(&sim(&blueprint).run(), &sim(&blueprint).run())?;
    }

    #[test]
    fn executors_agree(case in case()) {
        let blueprint = case.blueprint();
        let plain = sim(&blueprint).with_executor(Executor::Plain).run();
        same(&plain, &sim(&blueprint).with_executor(Executor::Horizon).run())?;
        same(&plain, &sim(&blueprint).with_executor(Executor::Sweeps).run())?;
        same(&plain, &sim(&blueprint).with_executor(Executor::Windows).run())?;
    }

    #[test]
    fn cores_agree(case in case(), cut in any::<u64>()) {
        let blueprint = case.blueprint();
        let one = sim(&blueprint).run();
        for cores in 2..=4 {
            // Anywhere: through feedback, shortest delays, and the ends of calls.
            let anywhere = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % cores) as u32;
            for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
                let several = Sim::with_partition(blueprint.clone(), &anywhere).expect("random scenarios are sound");
                same(&one, &several.with_executor(executor).run_shards_in_turn().run())?;
            }
            same(&one, &Sim::with_cores(blueprint.clone(), cores as usize).expect("random scenarios are sound").run_shards_in_turn().run())?;
        }
    }

    #[test]
    fn several_cores_in_slices_are_the_run(case in case(), mut cuts in prop::collection::vec(0u64..220_000_000_000, 1..30)) {
        let blueprint = case.blueprint();
        cuts.sort_unstable();
        let mut sliced = Sim::with_partition(blueprint.clone(), &|process| process as u32 % 2).expect("random scenarios are sound").run_shards_in_turn();
        cuts.into_iter().for_each(|cut| sliced.run_until(Time::from_ps(cut)));
        same(&sim(&blueprint).run(), &sliced.run())?;
    }

    #[test]
    fn a_run_in_slices_is_the_run(case in case(), mut cuts in prop::collection::vec(0u64..220_000_000_000, 1..30)) {
        let blueprint = case.blueprint();
        cuts.sort_unstable();
        let mut sliced = sim(&blueprint);
        cuts.into_iter().for_each(|cut| sliced.run_until(Time::from_ps(cut)));
        same(&sim(&blueprint).run(), &sliced.run())?;
    }

    #[test]
    fn a_run_with_budgets_of_events_is_the_run(case in case(), budgets in prop::collection::vec(0u64..400, 1..20), cut in any::<u64>()) {
        let blueprint = case.blueprint();
        let whole = sim(&blueprint).run();
        for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            same(&whole, &in_budgets(sim(&blueprint).with_executor(executor), &budgets, &[]))?;
            let shard_of = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % 3) as u32;
            let several = Sim::with_partition(blueprint.clone(), &shard_of).expect("random scenarios are sound").with_executor(executor).run_shards_in_turn();
            same(&whole, &in_budgets(several, &budgets, &[]))?;
        }
    }

    /// Also where the end of a stretch comes before that of the last one, and cores are used in turn with one.
    #[test]
    fn stretches_of_any_kind_are_the_run(
        case in case(),
        budgets in prop::collection::vec(1u64..400, 1..20),
        ends in prop::collection::vec(0u64..220_000_000_000, 1..9),
    ) {
        let blueprint = case.blueprint();
        let several = Sim::with_partition(blueprint.clone(), &|process| process as u32 % 2).expect("random scenarios are sound").run_shards_in_turn();
        same(&sim(&blueprint).run(), &in_budgets(several, &budgets, &ends))?;
        same(&sim(&blueprint).run(), &in_budgets(sim(&blueprint), &budgets, &ends))?;
    }

    #[test]
    fn departures_known_on_arrival_are_those_of_service(case in case()) {
        let blueprint = Blueprint { trace: false, ..case.blueprint() };
        let mut served = blueprint.clone();
        served.links.iter_mut().for_each(|link| Arc::make_mut(&mut link.port).force_event_driven = true);
        same(&sim(&blueprint).run(), &sim(&served).run())?;
    }

    /// In windows hot ports are not visited, however the run is cut.
    #[test]
    fn untraced_windows_are_the_run(
        case in case(),
        budgets in prop::collection::vec(1u64..400, 1..9),
        ends in prop::collection::vec(0u64..220_000_000_000, 0..9),
    ) {
        let bare = Blueprint { watch: WatchPlan::default(), ties: Ties::Scenario, ..case.bare_blueprint() };
        for blueprint in [Blueprint { trace: false, ..case.blueprint() }, Blueprint { trace: false, ..bare }] {
            let plain = sim(&blueprint).with_executor(Executor::Plain).run();
            same(&plain, &sim(&blueprint).with_executor(Executor::Windows).run())?;
            let several = Sim::with_partition(blueprint, &|process| process as u32 % 2).expect("random scenarios are sound");
            let several = several.with_executor(Executor::Windows).run_shards_in_turn();
            same(&plain, &in_budgets(several, &budgets, &ends))?;
        }
    }

    /// A run and its clone, which is made anywhere, go on to the same end, in whatever order.
    #[test]
    fn a_clone_goes_on_as_the_run_does(case in case(), budget in 1u64..400, end in 0u64..220_000_000_000) {
        for executor in [Executor::Plain, Executor::Sweeps, Executor::Windows] {
            for blueprint in [case.blueprint(), Blueprint { trace: false, watch: WatchPlan::default(), ..case.bare_blueprint() }] {
                let whole = sim(&blueprint).with_executor(executor).run();
                let mut run = Sim::with_partition(blueprint, &|process| process as u32 % 2).expect("random scenarios are sound");
                run = run.with_executor(executor).run_shards_in_turn();
                run.run_events(Time::from_ps(end), budget);
                let clone = run.clone();
                same(&whole, &run.run())?;
                same(&whole, &clone.run())?;
            }
        }
    }

    /// Changes of ports and flows between slices of a run give the results of a blueprint that has them from the start.
    #[test]
    fn changes_from_outside_are_those_of_the_blueprint(case in case(), cut in 0u64..41_000_000_000, seed in any::<u64>()) {
        let blueprint = case.blueprint();
        let mut without = blueprint.clone();
        for link in &mut without.links {
            let changes = std::mem::take(&mut link.port_changes);
            if changes.iter().any(|(_, port)| port.shaper != link.port.shaper || port.marker != link.port.marker) {
                Arc::make_mut(&mut link.port).force_event_driven = true;
            }
        }
        without.groups.iter_mut().for_each(|group| group.transport_changes.clear());
        let whole = sim(&blueprint).run();
        let shard_of = |process: usize| (Key::root(seed, 0).hash([process as u64, 0]) % 3) as u32;
        for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            let several = Sim::with_partition(without.clone(), &shard_of).expect("random scenarios are sound").run_shards_in_turn();
            for run in [sim(&without), several] {
                let mut run = run.with_executor(executor);
                run.run_until(Time::from_ps(cut));
                for (link, plan) in (0..).map(LinkId).zip(&blueprint.links) {
                    for (at, port) in &plan.port_changes {
                        let answer = run.change_port(link, *at, PortPlan::clone(port));
                        prop_assert!(matches!(answer, Ok(()) | Err(PlanChangeError::NoLink(_))), "{:?}", answer);
                    }
                }
                for (flow, plan) in (0..).map(FlowId).zip(&blueprint.flows) {
                    for (at, transport) in &blueprint.groups[plan.group as usize].transport_changes {
                        prop_assert_eq!(run.change_flow(flow, *at, TransportPlan::clone(transport)), Ok(()));
                    }
                }
                same(&whole, &run.run())?;
            }
        }
    }

    /// Packets injected between slices of a run give the same results as packets of a list.
    #[test]
    fn injected_packets_are_those_of_a_list(
        case in case(),
        packets in prop::collection::vec((0u64..200_000_000_000, 40u64..1500, 0u64..30_000_000_000), 1..30),
        budget in 1u64..400,
        several in any::<bool>(),
    ) {
        let mut packets: Vec<_> = [(0, 40, 0), (0, 1500, 0)].into_iter().chain(packets).collect();
        packets.sort_by_key(|(at, ..)| *at);
        let with_list = |packets: &[(u64, u64, u64)]| {
            let mut blueprint = case.blueprint();
            let words = |item: &dyn Fn(&(u64, u64, u64)) -> String| packets.iter().map(item).collect::<Vec<_>>().join(", ");
            let (at, sizes) = (words(&|(at, ..)| format!("{at} ps")), words(&|(_, size, _)| format!("{size} bytes")));
            let list = source("packets", &format!("at = [{at}]; sizes = [{sizes}]"));
            let transport = transport("udp", "");
            let (start, stop) = ((Time::ZERO, Time::ZERO), Time::NEVER);
            let changes = Vec::new();
            let model = FlowGroup { calls: None, interval: None, transfers: None, rates: None, transport_changes: changes, ..blueprint.groups[0].clone() };
            blueprint.groups.push(FlowGroup { name: "list".to_owned(), source: list, transport, start, stop, ..model });
            let group = blueprint.groups.len() as u32 - 1;
            let flow = FlowPlan { group, member: 0, ..blueprint.flows[0] };
            blueprint.flows.push(FlowPlan { backward: flow.forward, ..flow });
            blueprint
        };
        let whole = sim(&with_list(&packets)).run();
        let flow = FlowId(with_list(&packets[..2]).flows.len() as u32 - 1);
        for executor in [Executor::Plain, Executor::Sweeps, Executor::Windows] {
            let mut run = Sim::with_partition(with_list(&packets[..2]), &|process| process as u32 % 2).expect("random scenarios are sound");
            run = run.with_executor(executor).run_shards_in_turn();
            run.use_cores(several);
            for (at, size, lead) in &packets[2..] {
                if at.saturating_sub(*lead) > 0 {
                    run.run_events(Time::from_ps(at - lead - 1), budget);
                }
                run.inject(flow, Time::from_ps(*at), *size as u32).expect("it is in time");
            }
            same(&whole, &run.run())?;
        }
    }

    /// Each fast path may be switched off alone, and all of them together.
    #[test]
    fn fast_paths_change_nothing(case in case()) {
        let all = FastPaths::default();
        let variants = [
            FastPaths::NONE,
            FastPaths { tail_drop_fifo: false, ..all },
            FastPaths { batches: false, ..all },
            FastPaths { event_driven_loop: false, ..all },
            FastPaths { bare: false, ..all },
        ];
        let untraced = |blueprint| Blueprint { trace: false, ..blueprint };
        for blueprint in [untraced(case.blueprint()), Blueprint { watch: WatchPlan::default(), ..untraced(case.bare_blueprint()) }] {
            let fast = sim(&blueprint).run();
            for fast_paths in variants {
                same(&fast, &sim(&Blueprint { fast_paths, ..blueprint.clone() }).run())?;
            }
        }
    }

    /// Visits may end before all is handled that is due.
    #[test]
    fn visits_that_end_early_are_the_run(case in case(), most in prop_oneof![1u64..8, 8u64..200], budgets in prop::collection::vec(1u64..400, 1..9)) {
        let bare = |case: &random::Case| Blueprint { watch: WatchPlan::default(), trace: false, ..case.bare_blueprint() };
        let datagrams = bare(&case.clone().with_datagrams_only());
        for blueprint in [case.blueprint(), bare(&case), Blueprint { ties: Ties::Scenario, ..bare(&case) }, datagrams] {
            let whole = sim(&blueprint).run();
            let short = Blueprint { max_visit_events: most, ..blueprint };
            for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
                same(&whole, &sim(&short).with_executor(executor).run())?;
            }
            same(&whole, &in_budgets(sim(&short), &budgets, &[]))?;
            let several = Sim::with_partition(short, &|process| process as u32 % 2).expect("random scenarios are sound").run_shards_in_turn();
            same(&whole, &in_budgets(several, &budgets, &[]))?;
        }
    }

    /// The rows of a trace taken during a run are complete up to the instant at which it stops.
    #[test]
    fn a_trace_taken_in_parts_is_the_whole(
        case in case(),
        budgets in proptest::collection::vec(1..3_000u64, 1..5),
        executor in prop_oneof![Just(Executor::Plain), Just(Executor::Horizon), Just(Executor::Sweeps), Just(Executor::Windows)],
    ) {
        let blueprint = Blueprint { trace: true, ..case.blueprint() };
        let whole = sim(&blueprint).run().trace;
        let several = Sim::with_partition(blueprint.clone(), &|process| process as u32 % 2).expect("random scenarios are sound");
        for mut run in [sim(&blueprint).with_executor(executor), several.run_shards_in_turn()] {
            let mut rows = Vec::new();
            let mut budgets = budgets.iter().cycle();
            while !run.run_events(Time::NEVER, *budgets.next().expect("some budgets")) {
                run.take_trace(|_| true, &mut rows);
            }
            let parts = rows.len();
            rows.extend(run.finish().trace);
            let first = rows.iter().zip(&whole).position(|(a, b)| a != b).unwrap_or(rows.len().min(whole.len()));
            prop_assert_eq!(rows.get(first), whole.get(first), "row {} of {}, {} of them in parts", first, whole.len(), parts);
        }
    }

    /// Untraced datagrams, and ports that only queue, have loops of their own.
    #[test]
    fn tracing_changes_nothing_else(case in case()) {
        let traced = sim(&Blueprint { trace: true, ..case.blueprint() }).run();
        prop_assert!(traced.packet_hops == 0 || !traced.trace.is_empty());
        let untraced = sim(&Blueprint { trace: false, ..case.blueprint() }).run();
        same(&Observations { trace: Vec::new(), ..traced }, &untraced)?;
    }

    /// Hosts with datagrams alone have loops of their own, too, which traced packets do not take.
    #[test]
    fn tracing_datagrams_changes_nothing_else(case in case()) {
        let datagrams = Blueprint { watch: WatchPlan::default(), ..case.with_datagrams_only().bare_blueprint() };
        let traced = sim(&Blueprint { trace: true, ..datagrams.clone() }).run();
        let untraced = sim(&Blueprint { trace: false, ..datagrams.clone() }).run();
        same(&Observations { trace: Vec::new(), ..traced }, &untraced)?;
        same(&untraced, &sim(&Blueprint { trace: false, ..datagrams }).with_executor(Executor::Plain).run())?;
    }

    /// A source numbers its packets from zero, by whatever path it is called.
    #[test]
    fn sources_number_their_packets(case in case()) {
        let blueprint = Blueprint { trace: true, ..case.blueprint() };
        let mut next = vec![0; blueprint.flows.len()];
        for row in sim(&blueprint).run().trace.iter().filter(|row| is_open(&blueprint, row.flow()) && is_sent_by_source(&blueprint, row)) {
            prop_assert_eq!(row.sequence(), next[row.flow() as usize], "flow {}", row.flow());
            next[row.flow() as usize] += 1;
        }
    }

    /// Whatever drops a packet, and at whatever port: its flow has lost it, if both lie in the window.
    #[test]
    fn losses_of_flows_are_those_of_the_trace(case in case()) {
        let blueprint = Blueprint { trace: true, ..case.blueprint() };
        let seen = sim(&blueprint).run();
        for (flow, (counters, lost)) in seen.flows.iter().zip(lost_by_trace(&blueprint, &seen)).enumerate() {
            let copies = seen.trace.iter().any(|row| row.event == TraceEvent::Duplicate && row.flow() as usize == flow);
            prop_assert!(copies || counters.lost_packets <= counters.sent.packets, "flow {}", flow);
            if let Some(lost) = lost {
                prop_assert_eq!(counters.lost_packets, lost, "flow {}", flow);
            }
        }
    }

    #[test]
    fn lost_and_repeated_retransmissions_are_those_of_the_trace(case in case()) {
        let blueprint = Blueprint { trace: true, ..case.blueprint() };
        let seen = sim(&blueprint).run();
        let counts = retransmissions_by_trace(&blueprint, &seen);
        for (flow, counters) in seen.flows.iter().enumerate() {
            prop_assert_eq!(counters.lost_retransmissions, counts[flow].0, "flow {}", flow);
        }
        for (flow, repeated) in &seen.repeated_retransmissions {
            prop_assert_eq!(*repeated, counts[flow.index()].1, "flow {}", flow.0);
        }
    }

    /// So do ports in service mode that do nothing else to a packet; nor do they without recording.
    #[test]
    fn tracing_bare_ports_changes_nothing_else(case in case()) {
        let bare = Blueprint { watch: WatchPlan::default(), ..case.bare_blueprint() };
        let traced = sim(&Blueprint { trace: true, ..bare.clone() }).run();
        let untraced = sim(&Blueprint { trace: false, ..bare }).run();
        same(&Observations { trace: Vec::new(), ..traced }, &untraced)?;
    }

    #[test]
    fn watching_changes_nothing_else(case in case()) {
        let blueprint = case.blueprint();
        let seen = sim(&blueprint).run();
        let unwatched = sim(&Blueprint { watch: WatchPlan::default(), ..blueprint }).run();
        prop_assert!(unwatched.timings.is_empty() && unwatched.ports.is_empty() && unwatched.completions.is_empty());
        prop_assert!(unwatched.unfinished.is_empty());
        let pages = unwatched.pages.clone();
        let bare = |pages: Vec<(FlowId, PageTimes)>| {
            pages.into_iter().map(|(flow, times)| (flow, PageTimes { distribution: None, ..times })).collect::<Vec<_>>()
        };
        prop_assert_eq!(bare(seen.pages.clone()), pages.clone());
        same(&Observations { timings: Vec::new(), ports: Vec::new(), completions: Vec::new(), unfinished: Vec::new(), repeated_retransmissions: Vec::new(), pages, ..seen }, &unwatched)?;
    }

    #[test]
    fn classes_add_up_to_the_link(case in case()) {
        let seen = sim(&case.blueprint()).run();
        for (link, port) in seen.ports.iter().filter(|(_, port)| !port.waits.is_empty()) {
            let whole = &seen.links[link.index()];
            let class = |class| &port.parts[&TrafficPart::Class(class as u8)];
            let sum = |count: fn(&LinkCounters) -> u128| (0..port.waits.len()).map(|number| count(class(number))).sum::<u128>();
            let counts: [fn(&LinkCounters) -> u128; 6] = [
                |link| link.offered_packets.iter().map(|count| u128::from(*count)).sum(),
                |link| link.dropped_packets.iter().flatten().map(|count| u128::from(*count)).sum(),
                |link| u128::from(link.sent_bytes),
                |link| u128::from(link.marked_packets),
                |link| link.waiting_byte_ps,
                |link| link.wait_sum_ps,
            ];
            for (i, count) in counts.into_iter().enumerate() {
                prop_assert_eq!(sum(count), count(whole), "count {} of link {}", i, link.index());
            }
            for (number, waits) in port.waits.iter().enumerate() {
                prop_assert_eq!(waits.sum_ps(), class(number).wait_sum_ps);
                prop_assert_eq!(waits.count(), class(number).waits);
            }
        }
    }

    /// Of a transmission at an edge of the window only the part inside counts, however its port finds departures, and whatever
    /// happens to the rate while it lasts.
    #[test]
    fn no_link_is_busy_for_longer_than_is_counted(case in case(), force in any::<bool>()) {
        let mut blueprint = case.blueprint();
        blueprint.links.iter_mut().for_each(|link| Arc::make_mut(&mut link.port).force_event_driven = force);
        let seen = sim(&blueprint).run();
        for (link, counters) in seen.links.iter().enumerate() {
            prop_assert!(counters.busy <= seen.to.since(seen.from), "link {}: {}", link, counters.busy);
        }
    }

    #[test]
    fn no_packet_appears_or_vanishes(case in case(), force in any::<bool>()) {
        let mut blueprint = Blueprint { trace: true, ..case.blueprint() };
        blueprint.links.iter_mut().for_each(|link| Arc::make_mut(&mut link.port).force_event_driven = force);
        let mut run = sim(&blueprint);
        run.run_until(run.end());
        let under_way = run.packets_under_way();
        let seen = run.finish();
        let count = |wanted: fn(&TraceEvent) -> bool| seen.trace.iter().filter(|row| wanted(&row.event)).count() as u64;
        let sent = count(|event| *event == TraceEvent::Send);
        let received = count(|event| *event == TraceEvent::Receive);
        let lost = count(|event| matches!(event, TraceEvent::Drop(_)));
        let copies = count(|event| *event == TraceEvent::Duplicate);
        prop_assert_eq!(sent + copies, received + lost + under_way);
    }
}

proptest! {
    // Threads that have to share a core wait long for each other, so there are few of these.
    #![proptest_config(support::cases(4))]

    #[test]
    fn threads_agree(case in case(), cut in any::<u64>()) {
        let blueprint = case.blueprint();
        let one = sim(&blueprint).run();
        for cores in 2..=4 {
            let anywhere = |process: usize| (Key::root(cut, 0).hash([process as u64, 0]) % cores) as u32;
            let several = Sim::with_partition(blueprint.clone(), &anywhere).expect("random scenarios are sound");
            same(&one, &several.run())?;
        }
    }
}

#[test]
fn every_component_is_in_random_networks() {
    assert_eq!(random::coverage::missing(2_000), [].into());
}

#[test]
fn every_changeable_parameter_changes_in_random_networks() {
    assert_eq!(random::coverage::unchangeable(), []);
}

proptest! {
    // Fewer cases, since each has nine runs.
    #![proptest_config(support::cases(80))]

    /// Packets from outside with ECN codepoints and precedences of their own: known before the run, or added between its slices.
    #[test]
    fn arrivals_with_their_own_codepoints_are_equal_for_all_executors(
        case in case(),
        packets in prop::collection::vec((0u64..200_000_000_000, 40u32..1500, 0usize..4, 0u8..4, 0u64..30_000_000_000), 1..40),
        budget in 1u64..400,
        several in any::<bool>(),
    ) {
        let mut packets = packets;
        packets.sort_by_key(|(at, ..)| *at);
        let mut blueprint = case.blueprint();
        let model = blueprint.groups[0].clone();
        let (source, transport) = (SourcePlan::from_outside(Bytes::new(40), Bytes::new(1500)), transport("udp", ""));
        let (start, stop) = ((Time::ZERO, Time::ZERO), Time::NEVER);
        blueprint.groups.push(FlowGroup {
            name: "outside".to_owned(), source, transport, start, stop,
            calls: None, interval: None, transfers: None, rates: None, transport_changes: Vec::new(), ..model
        });
        let plan = FlowPlan { group: blueprint.groups.len() as u32 - 1, member: 0, ..blueprint.flows[0] };
        blueprint.flows.push(FlowPlan { backward: plan.forward, ..plan });
        let flow = FlowId(blueprint.flows.len() as u32 - 1);
        let arrivals: Vec<(Arrival, u64)> = packets.iter().map(|(at, size, ecn, precedence, lead)| {
            let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][*ecn];
            let marking = Some(Marking { ecn, precedence: *precedence });
            (Arrival { at: Time::from_ps(*at), flow, size: *size, marking }, at.saturating_sub(*lead))
        }).collect();
        let known = Blueprint { arrivals: arrivals.iter().map(|(arrival, _)| *arrival).collect(), ..blueprint.clone() };
        let whole = sim(&known).run();
        for executor in [Executor::Plain, Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            same(&whole, &sim(&known).with_executor(executor).run())?;
            let mut run = Sim::with_partition(blueprint.clone(), &|process| process as u32 % 2).expect("random scenarios are sound");
            run = run.with_executor(executor).run_shards_in_turn();
            run.use_cores(several);
            for (arrival, before) in &arrivals {
                if *before > 0 {
                    run.run_events(Time::from_ps(before - 1), budget);
                }
                run.add_arrival(arrival).expect("it is in time");
            }
            same(&whole, &run.run())?;
        }
    }
}
