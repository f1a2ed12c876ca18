//! Vectors computed by hand with the steps of sch_cake and exact square roots, and the times at low rates.

use super::super::testing::{packet, port, queue};
use super::*;
use crate::packet::Ecn;
use crate::parameters::testing::read;

const DROP: DepartureVerdict = DepartureVerdict::Drop(DropCause::Early);
const SEND: DepartureVerdict = DepartureVerdict::Send;

/// COBALT for small packets, with target and interval as given: 75 bytes take 0.4 ms.
fn cobalt(lines: &[&str]) -> Cobalt {
    let lines: Vec<&str> = lines.iter().copied().chain(["mtu = 75 bytes"]).collect();
    Cobalt::new(&read(&lines).expect("sound"), &port())
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

fn depart(it: &mut Cobalt, now: u64, waited: u64, ecn: Ecn, behind: u32) -> DepartureVerdict {
    it.on_departure(at(now), &Packet { ecn, ..packet(500, 0) }, Duration::from_ms(waited), &queue([behind, 0, 0, 0]))
}

/// Times in ms at which packets are dropped or marked if a packet that has waited for `waited` ms could be sent every `spacing` ms.
fn decided(it: &mut Cobalt, (from, to, spacing): (u64, u64, usize), waited: u64, ecn: Ecn) -> Vec<u64> {
    let mut times = Vec::new();
    for now in (from..=to).step_by(spacing) {
        loop {
            let verdict = depart(it, now, waited, ecn, 100);
            times.extend((verdict != SEND).then_some(now));
            if verdict != DROP {
                break;
            }
        }
    }
    times
}

/// Count, time of the next drop in us, and dropping state.
fn state(it: &Cobalt) -> (u32, u64, bool) {
    (it.controller.count, (it.controller.next_drop.as_ps() + 500_000) / 1_000_000, it.controller.is_dropping)
}

#[test]
fn the_count_falls_as_gradually_as_it_rises() {
    let mut it = cobalt(&[]);
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    // Waits are long from 1 ms on: drops are due at 101, then at intervals of 100/sqrt(2), 100/sqrt(3), ...
    assert_eq!(decided(&mut it, (1, 470, 1), 50, Ecn::NotEct), [101, 172, 230, 280, 325, 365, 403, 439]);
    assert_eq!(state(&it), (9, 471_477, true));
    // Four drops would have been due until 600: the count is 5, and the next dropping state begins with its rate.
    assert!(decided(&mut it, (471, 600, 1), 1, Ecn::NotEct).is_empty());
    assert_eq!(state(&it), (5, 630_175, false));
    assert_eq!(decided(&mut it, (601, 800, 1), 50, Ecn::NotEct), [646, 687, 725, 760, 794]);
    assert_eq!(state(&it), (10, 824_654, true));
    assert!(decided(&mut it, (801, 1400, 1), 1, Ecn::NotEct).is_empty());
    assert_eq!(state(&it), (0, 1_500_000, false));
}

#[test]
fn the_first_drop_of_a_new_queue_may_be_due_at_once() {
    let mut it = cobalt(&["first-drop = at-once"]);
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    // Waits are long from 1 ms on. With the first drop the count is 2, so 100/sqrt(2), 100/sqrt(3), ... follow.
    assert_eq!(decided(&mut it, (1, 250, 1), 50, Ecn::NotEct), [2, 72, 130, 180, 225]);
    // Long after the count has become zero, the first drop of a dropping state is due an interval after the state begins.
    assert!(decided(&mut it, (251, 2000, 1), 1, Ecn::NotEct).is_empty());
    assert_eq!(state(&it).0, 0);
    assert_eq!(decided(&mut it, (2001, 2110, 1), 50, Ecn::NotEct), [2101]);
}

#[test]
fn a_short_break_keeps_the_count() {
    let mut it = cobalt(&[]);
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    assert_eq!(decided(&mut it, (1, 280, 1), 50, Ecn::NotEct), [101, 172, 230, 280]);
    assert!(decided(&mut it, (281, 290, 1), 1, Ecn::NotEct).is_empty());
    assert_eq!(state(&it), (5, 324_167, false));
    // 100/sqrt(5) after 291.
    assert_eq!(decided(&mut it, (291, 400, 1), 50, Ecn::NotEct), [336, 377]);
    depart(&mut it, 5000, 0, Ecn::NotEct, 100);
    assert_eq!(state(&it), (0, 5_100_000, false), "a long silence leaves nothing");
}

#[test]
fn drops_that_are_due_follow_at_once_and_marks_do_not() {
    let sparse = |ecn| {
        let mut it = cobalt(&[]);
        depart(&mut it, 0, 0, ecn, 100);
        (decided(&mut it, (50, 800, 250), 50, ecn), it)
    };
    let (drops, it) = sparse(Ecn::NotEct);
    let times = |time| drops.iter().filter(|it| **it == time).count();
    assert_eq!([300, 550, 800].map(times), [3, 6, 10]);
    assert_eq!(it.controller.count, 20);
    let (marks, it) = sparse(Ecn::Ect0);
    assert_eq!(marks, [300, 550, 800]);
    assert_eq!(state(&it), (4, 800_000, true));
    assert_eq!(depart(&mut cobalt(&["ecn = false"]), 1000, 50, Ecn::Ect0, 100), SEND);
}

#[test]
fn capable_packets_are_marked_only_with_ecn() {
    let first = |lines: &[&str]| {
        let mut it = cobalt(lines);
        depart(&mut it, 0, 0, Ecn::Ect0, 100);
        depart(&mut it, 1, 50, Ecn::Ect0, 100);
        depart(&mut it, 101, 50, Ecn::Ect0, 100)
    };
    assert_eq!([first(&[]), first(&["ecn = false"])], [DepartureVerdict::Mark, DROP]);
}

#[test]
fn a_long_time_after_silence_is_answered_at_once() {
    let mut it = cobalt(&[]);
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    assert_eq!(depart(&mut it, 1000, 50, Ecn::NotEct, 100), SEND);
    assert_eq!(depart(&mut it, 1001, 50, Ecn::NotEct, 100), DROP);
    assert_eq!(state(&it), (2, 1_070_711, true));
}

#[test]
fn the_last_packet_is_sent_and_counted() {
    let mut it = cobalt(&[]);
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    depart(&mut it, 1, 50, Ecn::NotEct, 100);
    assert_eq!(depart(&mut it, 101, 50, Ecn::NotEct, 0), SEND);
    assert_eq!(state(&it), (2, 171_711, true));
}

#[test]
fn overflow_evicts_the_head_and_raises_the_probability_once_per_target() {
    let mut it = cobalt(&["limit = 3 packets"]);
    let full = queue([3, 0, 0, 0]);
    let evicted = Verdict::Evict { position: 0, cause: DropCause::Overflow };
    for (now, steps) in [(10, 16.0), (12, 16.0), (15, 16.0), (16, 32.0), (30, 48.0)] {
        assert_eq!(it.on_arrival(at(now), &packet(500, 0), &full), evicted);
        assert_eq!((it.controller.probability * 4096.0, state(&it)), (steps, (1, 1000 * now, true)));
    }
    // The port was idle from 31, 36, ... on. A packet arrives 1 ms later.
    for (since, steps) in [(31, 48.0), (36, 47.0), (40, 47.0), (60, 46.0), (90, 45.0)] {
        let idle = Occupancy { idle_since: Some(at(since)), ..Occupancy::default() };
        assert_eq!(it.on_arrival(at(since + 1), &packet(500, 0), &idle), Verdict::Accept);
        assert_eq!((it.controller.probability * 4096.0, state(&it)), (steps, (0, 130_000, false)));
    }
    let mut small = cobalt(&["limit = 400 bytes"]);
    assert_eq!(small.on_arrival(at(0), &packet(500, 0), &Occupancy::default()), Verdict::Drop(DropCause::Overflow));
}

#[test]
fn blue_drops_its_share_of_capable_packets_too() {
    let mut it = cobalt(&["limit = 3 packets", "increment = 0.02"]);
    it.on_arrival(at(1), &packet(500, 0), &queue([3, 0, 0, 0]));
    let dropped = (0..100_000).filter(|_| depart(&mut it, 2, 0, Ecn::Ect0, 3) == DROP).count() as f64 / 1e5;
    // Four standard errors of sqrt(.02 * .98 / 100 000).
    assert!((dropped - 0.02).abs() < 0.0018, "{dropped}");
}

fn times(it: &Cobalt) -> (Duration, Duration, Duration) {
    (it.settings.target, it.settings.interval, it.settings.longest)
}

#[test]
fn low_rates_lengthen_target_and_interval() {
    // 1500 bytes at 1.5 Mbit/s take 8 ms. Target 12 ms, interval 107 ms; waits above 32 ms are long.
    let mut it = Cobalt::new(&read(&["mtu = 1500 bytes"]).expect("sound"), &port());
    let ms = Duration::from_ms;
    assert_eq!(times(&it), (ms(12), ms(107), ms(32)));
    depart(&mut it, 0, 0, Ecn::NotEct, 100);
    depart(&mut it, 1, 32, Ecn::NotEct, 100);
    assert!(!it.controller.is_dropping);
    depart(&mut it, 2, 33, Ecn::NotEct, 100);
    assert!(it.controller.is_dropping);
    // 15 000 bytes: 80 ms. Target 120 ms, and an interval of twice that.
    let it = Cobalt::new(&read(&["mtu = 15 kB"]).expect("sound"), &port());
    assert_eq!(times(&it), (ms(120), ms(240), ms(320)));
}

#[test]
fn settings_that_contradict_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["target = 0 s"]), ["target: must be above zero"]);
    assert_eq!(mistakes(&["interval = 5 ms"]), ["interval: must be above target; Cake has the target at 5 % of it"]);
    assert_eq!(mistakes(&["increment = 0"]), ["decrement: has no effect with increment = 0; set both to 0 for no BLUE"]);
}
