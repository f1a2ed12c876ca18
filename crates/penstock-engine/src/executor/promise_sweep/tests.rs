//! The order of sweeps, and how far each process runs in them.

use super::*;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

/// Nothing is known of what a process sends to another one.
fn unknown(_: usize, _: usize) -> Time {
    Time::ZERO
}

/// The sweep over channels with these delays in milliseconds, and the processes' next events.
fn sweep(channels: &[(u32, u32, u64)], next: &[u64]) -> (PromiseSweep, DeferredSet) {
    let latencies: Latencies = channels.iter().map(|&(from, to, delay)| ((from, to), ms(delay))).collect();
    let mut due = DeferredSet::new(next.len());
    next.iter().enumerate().for_each(|(process, next)| due.set(process, at(*next)));
    (PromiseSweep::new(next.len(), &latencies), due)
}

/// The process of the current stop has been visited, and its next event is due at `next`.
fn visited(sweep: &mut PromiseSweep, due: &mut DeferredSet, process: usize, next: u64) {
    due.set(process, at(next));
    visited_for(sweep, next, Duration::ZERO);
}

/// The same; its next visit covers `longest`.
fn visited_for(sweep: &mut PromiseSweep, next: u64, longest: Duration) {
    let stop = &mut sweep.stops[sweep.current];
    stop.visit = longest;
    let eot = EarliestOutput { of_all: stop.eot, of_requests: Time::ZERO, differs_by_receiver: stop.differs_by_receiver };
    // Neither few events nor many, so that the next visit keeps its length.
    sweep.visited(at(next), eot, 1_000);
}

#[test]
fn senders_come_before_receivers() {
    let latencies: Latencies = [(3, 1), (1, 0), (0, 2), (3, 2)].map(|channel| (channel, ms(1))).into();
    let order = depth_first_order(4, &latencies);
    let position = |process: u32| order.iter().position(|other| *other == process);
    assert!(latencies.keys().all(|(from, to)| position(*from) < position(*to)));
}

#[test]
fn in_a_star_only_the_hub_sends_against_the_order() {
    let channels: Vec<(u32, u32, u64)> = (0..8).filter(|leaf| *leaf != 3).flat_map(|leaf| [(leaf, 3, 1), (3, leaf, 1)]).collect();
    let (sweep, _) = sweep(&channels, &[0; 8]);
    assert_eq!(sweep.back_senders.iter().map(|stop| sweep.stops[*stop as usize].process).collect::<Vec<_>>(), [3]);
}

#[test]
fn a_chain_is_handled_from_end_to_end_in_one_sweep() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 2, 3)], &[10, 1_000, 1_000]);
    sweep.begin(Duration::FOREVER, at(25), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(25))));
    // It sends something that arrives at 12.
    due.set(1, at(12));
    visited(&mut sweep, &mut due, 0, 200);
    // No earlier event than at 25 is left in process 0, which takes 2 ms to reach process 1.
    assert_eq!(sweep.next(&due, unknown), Some((1, at(25))));
    due.set(2, at(15));
    visited(&mut sweep, &mut due, 1, 300);
    assert_eq!(sweep.next(&due, unknown), Some((2, at(25))));
    visited(&mut sweep, &mut due, 2, 300);
    assert_eq!(sweep.next(&due, unknown), None);
}

#[test]
fn a_loop_bounds_each_process_by_what_the_other_may_still_send() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 0, 3)], &[10, 11]);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    // What process 1 sends at 11 or later arrives at 14 or later.
    assert_eq!(sweep.next(&due, unknown), Some((0, at(14).before())));
    visited(&mut sweep, &mut due, 0, 20);
    // Process 0 may receive something at 14 and answer at once.
    assert_eq!(sweep.next(&due, unknown), Some((1, at(16).before())));
    visited(&mut sweep, &mut due, 1, 30);
    assert_eq!(sweep.next(&due, unknown), None);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    // Nothing arrives before 22, and what process 1 sends then arrives at 25.
    assert_eq!(sweep.next(&due, unknown), Some((0, at(25).before())));
}

#[test]
fn a_silent_process_promises_more() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 20]);
    sweep.begin(Duration::FOREVER, at(14), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(14))));
    // Its wire is free at 40, so nothing arrives at process 1 before 42.
    sweep.set_eot(0, EarliestOutput { of_all: at(40), ..EarliestOutput::default() });
    visited(&mut sweep, &mut due, 0, 15);
    assert_eq!(sweep.next(&due, unknown), None);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(25))));
    visited(&mut sweep, &mut due, 0, 26);
    assert_eq!(sweep.next(&due, unknown), Some((1, at(25))));
    visited(&mut sweep, &mut due, 1, 41);
    assert_eq!(sweep.next(&due, unknown), None);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(48))));
    visited(&mut sweep, &mut due, 0, 27);
    assert_eq!(sweep.next(&due, unknown), Some((1, at(42).before())));
}

#[test]
fn a_process_that_only_receives_replies_runs_until_the_first_may_arrive() {
    let (mut sweep, due) = sweep(&[(0, 1, 2), (1, 0, 3)], &[50, 51]);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    sweep.set_eot(0, EarliestOutput { of_requests: at(90), ..EarliestOutput::default() });
    assert_eq!(sweep.next(&due, unknown), Some((0, at(92).before())));
}

#[test]
fn a_process_whose_only_sender_has_a_busy_wire_to_it_runs_past_the_end_of_a_sweep() {
    let (mut sweep, due) = sweep(&[(0, 1, 2), (0, 2, 2), (2, 0, 2), (2, 1, 2)], &[10, 1_000, 11]);
    let receiver = sweep.position[2] as usize;
    sweep.stops[receiver].visit = ms(100);
    let wires = |sender, receiver| if (sender, receiver) == (0, 2) { at(40) } else { Time::ZERO };
    for (differs_by_receiver, until) in [(false, at(14).before()), (true, at(42).before())] {
        let mut sweep = sweep.clone();
        sweep.set_eot(0, EarliestOutput { differs_by_receiver, ..EarliestOutput::default() });
        sweep.begin(ms(5), at(1_000), &due);
        assert_eq!(sweep.next(&due, wires), Some((0, at(13).before())));
        visited(&mut sweep, &mut due.clone(), 0, 12);
        assert_eq!(sweep.next(&due, wires), Some((2, until)), "differs by receiver: {differs_by_receiver}");
    }
}

#[test]
fn what_lies_close_to_the_end_of_a_sweep_or_behind_it_waits_for_the_next_one() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 12]);
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(30))));
    due.set(0, at(29));
    // A visit may be put off by no more than it takes to reach process 1.
    visited_for(&mut sweep, 29, ms(5));
    assert_eq!(sweep.next(&due, unknown), Some((1, at(30))));
    due.set(1, at(28));
    visited_for(&mut sweep, 28, ms(5));
    assert_eq!(sweep.next(&due, unknown), None);
    let mut last = sweep.clone();
    // Something has to be visited by 31: 21 ms after the first time, and the sweep is twice as long.
    sweep.begin(Duration::FOREVER, at(1_000), &due);
    due.set(0, at(72));
    assert_eq!(sweep.next(&due, unknown), Some((1, at(73))));
    // No sweep follows the last one, so nothing waits for it.
    due.set(0, at(29));
    last.begin(Duration::FOREVER, at(50), &due);
    due.set(0, at(49));
    assert_eq!(last.next(&due, unknown), Some((0, at(50))));
}

#[test]
fn a_process_that_only_receives_replies_runs_past_the_end_of_a_sweep_as_far_as_a_visit_goes() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2), (1, 0, 2)], &[10, 100]);
    sweep.begin(ms(2), at(1_000), &due);
    assert_eq!(sweep.next(&due, unknown), Some((0, at(12))));
    due.set(0, at(13));
    visited_for(&mut sweep, 13, ms(20));
    assert_eq!(sweep.next(&due, unknown), None);
    // Its next request leaves at 60 at the earliest.
    for (of_requests, until, reached) in [(0, 1_000, at(17).before()), (60, 1_000, at(33).before()), (60, 25, at(25))] {
        let mut sweep = sweep.clone();
        sweep.set_eot(0, EarliestOutput { of_requests: at(of_requests), ..EarliestOutput::default() });
        sweep.begin(ms(2), at(until), &due);
        assert_eq!(sweep.next(&due, unknown), Some((0, reached)), "the sweep ends at 17, the run at {until}");
    }
}

#[test]
fn a_sweep_goes_no_further_than_its_end() {
    let (mut sweep, mut due) = sweep(&[(0, 1, 2)], &[10, 10]);
    sweep.begin(ms(2), at(1_000), &due);
    assert!(sweep.is_under_way(at(1_000)));
    assert!(!sweep.is_under_way(at(999)));
    assert_eq!(sweep.next(&due, unknown), Some((0, at(12))));
    visited(&mut sweep, &mut due, 0, 13);
    assert_eq!(sweep.next(&due, unknown), Some((1, at(12))));
    visited(&mut sweep, &mut due, 1, 13);
    assert_eq!(sweep.next(&due, unknown), None);
    assert!(!sweep.is_under_way(at(100)));
}
