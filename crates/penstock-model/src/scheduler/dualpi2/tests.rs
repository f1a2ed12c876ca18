//! Test vectors of DualPI2.

use super::*;
use crate::packet::testing::packet;
use crate::packet::Ecn;
use crate::parameters::testing::read;
use crate::units::Rate;

const DROP: DepartureVerdict = DepartureVerdict::Drop(DropCause::Early);

fn dualpi2(lines: &[&str], base: f64) -> DualPi2 {
    let mut it = DualPi2::new(&read(lines).expect("sound"), &[], Rate::from_bps(1_000_000));
    it.controller.base = base;
    it
}

fn states(c: u32, l: u32) -> [QueueState; 2] {
    [c, l].map(|packets| QueueState { packets, bytes: 1000 * u64::from(packets), head: 0 })
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// Number of `n` heads that are sent, marked and dropped.
fn heads(it: &mut DualPi2, (queue, ecn): (usize, Ecn), waited: Duration, n: usize) -> [usize; 3] {
    let head = Packet { ecn, ..packet(1000, 0) };
    let mut seen = [0; 3];
    for _ in 0..n {
        seen[match it.on_departure(Time::ZERO, &head, waited, queue, &states(9, 9)) {
            DepartureVerdict::Send => 0,
            DepartureVerdict::Mark => 1,
            DROP => 2,
            other => panic!("{other:?}"),
        }] += 1;
    }
    seen
}

#[test]
fn codepoints_have_queues() {
    let mut it = dualpi2(&[], 0.0);
    let queues = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| it.classify(Time::ZERO, &Packet { ecn, ..packet(1000, 0) }));
    assert_eq!(queues, [C, C, L, L]);
}

#[test]
fn coupling_is_linear_for_scalable_and_squared_for_classic_heads() {
    // p' = 1/4: 1/16 and 1/2 of 1600 heads. A sum must exceed 1, so the last one is still missing.
    let mut it = dualpi2(&[], 0.25);
    assert_eq!(heads(&mut it, (C, Ecn::NotEct), Duration::ZERO, 1600), [1501, 0, 99]);
    assert_eq!(heads(&mut it, (L, Ecn::Ect1), Duration::ZERO, 1600), [801, 799, 0]);
    let mut it = dualpi2(&[], 0.25);
    assert_eq!(heads(&mut it, (C, Ecn::Ect0), Duration::ZERO, 1600), [1501, 99, 0]);
    // Sums of 0.5: 0.5, 1, 1.5 (chosen, 0.5 left), 1, 1.5 (chosen): every other head from the third on.
    let mut it = dualpi2(&[], 0.25);
    let head = Packet { ecn: Ecn::Ect1, ..packet(1000, 0) };
    let marks: Vec<usize> =
        (1..=7).filter(|_| it.on_departure(Time::ZERO, &head, Duration::ZERO, L, &states(9, 9)) == DepartureVerdict::Mark).collect();
    assert_eq!(marks, [3, 5, 7]);
}

#[test]
fn native_marking_is_a_ramp_or_a_step() {
    let us = Duration::from_us;
    let it = dualpi2(&[], 0.0);
    for (waited, expected) in [(800, 0.0), (900, 0.25), (1000, 0.5), (1100, 0.75), (1200, 1.0), (5000, 1.0)] {
        let seen = it.native(us(waited));
        assert!((seen - expected).abs() < 1e-12, "{waited}: {seen}");
    }
    let it = dualpi2(&["min-threshold = 1 ms", "range = 0 s"], 0.0);
    assert_eq!([999, 1000].map(|waited| it.native(us(waited))), [0.0, 1.0]);
    // The larger of two probabilities: 1/4 by the ramp, and 1/2 or 1/8 by coupling.
    assert_eq!(heads(&mut dualpi2(&[], 0.25), (L, Ecn::Ect1), us(900), 1600), [801, 799, 0]);
    assert_eq!(heads(&mut dualpi2(&[], 0.0625), (L, Ecn::Ect1), us(900), 1600), [1201, 399, 0]);
    // L does not mark the only packet of its queue natively.
    let head = Packet { ecn: Ecn::Ect1, ..packet(1000, 0) };
    let mut it = dualpi2(&[], 0.0);
    assert!((0..9).all(|_| it.on_departure(Time::ZERO, &head, us(5000), L, &states(9, 1)) == DepartureVerdict::Send));
}

#[test]
fn overload_drops_both_with_the_square() {
    // p' = 1/2, k p' = 1, p_C = 1/4 = p_Cmax.
    for (queue, ecn, expected) in [(C, Ecn::NotEct, [1201, 0, 399]), (C, Ecn::Ect0, [1201, 0, 399]), (L, Ecn::Ect1, [0, 1201, 399])] {
        assert_eq!(heads(&mut dualpi2(&[], 0.5), (queue, ecn), Duration::from_ms(9), 1600), expected);
    }
    // k = 1/2: p_Cmax = min(1/k^2, 1) = 1, and p_CL = 1/2 at p' = 1. A sum must exceed 1, so the first head is spared.
    for (queue, ecn, expected) in [(C, Ecn::Ect0, [1, 0, 1599]), (L, Ecn::Ect1, [801, 799, 0])] {
        assert_eq!(heads(&mut dualpi2(&["coupling = 0.5"], 1.0), (queue, ecn), Duration::ZERO, 1600), expected);
    }
}

#[test]
fn the_longer_delay_moves_the_probability() {
    let mut it = dualpi2(&[], 0.0);
    assert_eq!(it.next_deadline(), Time::NEVER);
    it.on_packet(ms(17), C, &states(1, 0));
    assert_eq!(it.next_deadline(), ms(32));
    // 0.16 (0.025 - 0.015) + 3.2 * 0.025 = 0.0816, then 0.0016 more.
    it.on_timer(ms(32), &|queue| [Some(ms(7)), Some(ms(31))][queue]);
    assert!((it.controller.base - 0.0816).abs() < 1e-12);
    it.on_timer(ms(48), &|queue| [Some(ms(47)), Some(ms(23))][queue]);
    assert!((it.controller.base - 0.0832).abs() < 1e-12);
    // No packet waits: 0.0024 and 0.08 less, then another 0.0024.
    it.on_timer(ms(64), &|_| None);
    assert!((it.controller.base - 0.0008).abs() < 1e-12);
    it.on_timer(ms(80), &|_| None);
    assert_eq!((it.controller.base, it.next_deadline()), (0.0, Time::NEVER));
}

#[test]
fn both_queues_share_the_link_by_weights() {
    let mut it = dualpi2(&[], 0.0);
    let both = states(99, 99);
    let mut sent = String::new();
    for _ in 0..21 {
        let Turn::Queue(queue) = it.next(Time::ZERO, &both) else { panic!("nothing is held back") };
        it.on_sent(Time::ZERO, queue, 1000, &both);
        sent.push(if queue == C { 'c' } else { 'l' });
    }
    // A packet of L gives C credit for a tenth of a packet, and one of C costs nine tenths: 0.1, -0.8, and 0.1 again after nine of L.
    assert_eq!(sent, "lclllllllllclllllllll");
    assert_eq!(it.next(Time::ZERO, &states(1, 0)), Turn::Queue(C));
    assert_eq!(it.next(Time::ZERO, &states(1, 0)[..1]), Turn::Queue(C));
    assert_eq!(it.next(Time::ZERO, &states(0, 1)), Turn::Queue(L));
}

#[test]
fn the_limit_holds_for_both_queues_together() {
    let mut it = dualpi2(&["limit = 10 packets"], 0.0);
    let overflow = Verdict::Drop(DropCause::Overflow);
    for (c, l, expected) in [(5, 4, Verdict::Accept), (5, 5, overflow), (0, 10, overflow)] {
        assert_eq!(it.on_arrival(Time::ZERO, &packet(1000, 0), C, &states(c, l)), expected);
    }
}

#[test]
fn shares_that_starve_and_zero_times_are_refused() {
    let mistakes = read::<Parameters>(&["classic-share = 1.0", "target = 0 s"]).expect_err("mistakes");
    assert_eq!(mistakes, ["target: must be above zero", "classic-share: 1 would starve a queue; above 0, below 1"]);
    assert_eq!(read::<Parameters>(&["classic-share = 0.0"]).expect_err("mistakes").len(), 1);
}

#[test]
fn a_time_shifted_fifo_selects_the_longer_wait_less_the_shift_of_classic_heads() {
    let mut it = dualpi2(&["conditional-priority = ts-fifo", "time-shift = 20 ms"], 0.0);
    // The head of C arrived at 5 ms: it counts as if it had arrived at 25 ms, and L wins ties.
    let both = states(9, 9);
    for (l, expected) in [(1, L), (24, L), (25, L), (26, C), (90, C)] {
        let heads = [Some(ms(5)), Some(ms(l))];
        assert_eq!(it.next_by_heads(ms(99), &both, &|queue| heads[queue]), Turn::Queue(expected), "{l}");
        // Transmissions do not change the decision.
        it.on_sent(ms(99), L, 1000, &both);
    }
    for (states, heads, expected) in [([1, 0], [Some(ms(5)), None], C), ([0, 1], [None, Some(ms(5))], L)] {
        let states = self::states(states[0], states[1]);
        assert_eq!(it.next_by_heads(ms(6), &states, &|queue| heads[queue]), Turn::Queue(expected));
    }
    assert!(it.hooks().has(Hooks::HEAD_TIMES) && !dualpi2(&[], 0.0).hooks().has(Hooks::HEAD_TIMES));
    // Without a shift, the older head is sent. The default shift is 50 ms.
    for (setting, l, expected) in
        [("time-shift = 0 s", 6, C), ("time-shift = 0 s", 5, L), ("target = 15 ms", 55, L), ("target = 15 ms", 56, C)]
    {
        let mut it = dualpi2(&["conditional-priority = ts-fifo", setting], 0.0);
        let heads = [Some(ms(5)), Some(ms(l))];
        assert_eq!(it.next_by_heads(ms(99), &both, &|queue| heads[queue]), Turn::Queue(expected), "{setting}, {l}");
    }
}

#[test]
fn a_time_shift_changes_during_a_run() {
    let mut it = dualpi2(&["conditional-priority = ts-fifo"], 0.0);
    let changed: Parameters = read(&["conditional-priority = ts-fifo", "time-shift = 1 ms"]).expect("sound");
    it.change(ms(9), &changed, &[], &states(9, 9));
    let heads = [Some(ms(5)), Some(ms(7))];
    assert_eq!(it.next_by_heads(ms(9), &states(9, 9), &|queue| heads[queue]), Turn::Queue(C));
}

#[test]
fn parameters_of_the_other_scheduler_are_refused() {
    for (lines, key) in
        [(&["time-shift = 50 ms"][..], "time-shift"), (&["conditional-priority = ts-fifo", "classic-share = 0.1"], "classic-share")]
    {
        let [mistake] = &read::<Parameters>(lines).expect_err("a mistake")[..] else { panic!("one mistake") };
        assert!(mistake.starts_with(&format!("{key}: has no effect without conditional-priority")), "{mistake}");
    }
    assert_eq!(read::<Parameters>(&["conditional-priority = strict"]).expect_err("a mistake").len(), 1);
}
