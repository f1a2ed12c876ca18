//! Drops by the control law, compared with the pseudocode of RFC 8289.

use super::super::testing::{packet, port, queue};
use super::*;
use crate::packet::Ecn;
use crate::parameters::testing::read;
use crate::rng::Key;
use std::collections::VecDeque;

const DROP: DepartureVerdict = DepartureVerdict::Drop(DropCause::Early);
const SEND: DepartureVerdict = DepartureVerdict::Send;

fn codel(lines: &[&str]) -> Codel {
    Codel::new(&read(lines).expect("sound"), &port())
}

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Times at which packets are dropped or marked if a packet that has waited for 50 ms could be sent every `spacing` us, between `from` and
/// `to` ms.
fn decided(it: &mut Codel, (from, to, spacing): (u64, u64, u64), ecn: Ecn, verdict: DepartureVerdict) -> Vec<u64> {
    let mut times = Vec::new();
    let mut now = 1000 * from;
    while now <= 1000 * to {
        loop {
            let packet = Packet { ecn, ..packet(500, 0) };
            let seen = it.on_departure(at(now), &packet, Duration::from_ms(50), &queue([100, 0, 0, 0]));
            times.extend((seen == verdict).then_some(now));
            if seen != DROP {
                break;
            }
        }
        now += spacing;
    }
    times
}

#[test]
fn drops_follow_the_control_law() {
    // Above the target from 0 on, so drops are permitted from 100 ms on. They follow at intervals of 100 ms, 100/sqrt(2), 100/sqrt(3), ...:
    // due at 100, 200, 270.7, 328.4, 378.4, 423.2, 464.0. Each happens at the next departure.
    let drops = decided(&mut codel(&[]), (0, 470, 1000), Ecn::NotEct, DROP);
    assert_eq!(drops, [100_000, 200_000, 271_000, 329_000, 379_000, 424_000, 464_000]);
}

#[test]
fn several_drops_may_be_due_at_one_departure() {
    // Departures every 250 ms. The state is entered at 250; drops are due at 350 (count 2), 420.7 (3) and 478.4 (4) before 500.
    let drops = decided(&mut codel(&[]), (0, 500, 250_000), Ecn::NotEct, DROP);
    assert_eq!(drops, [250_000, 500_000, 500_000, 500_000]);
}

#[test]
fn one_short_wait_ends_the_dropping_state() {
    let mut it = codel(&[]);
    decided(&mut it, (0, 300, 1000), Ecn::NotEct, DROP);
    assert_eq!(it.on_departure(at(301_000), &packet(500, 0), Duration::from_us(4999), &queue([100, 0, 0, 0])), SEND);
    assert!(!it.dropping);
    // A whole interval must pass again.
    let mut drops = decided(&mut it, (302, 402, 1000), Ecn::NotEct, DROP);
    assert_eq!(drops, [402_000]);
    // Three earlier drops, starting from a count of one: the count restarts at 2, and the next drop follows after 70.7 ms.
    assert_eq!((it.count, it.entry_count), (2, 2));
    drops = decided(&mut it, (403, 473, 1000), Ecn::NotEct, DROP);
    assert_eq!(drops, [473_000]);
}

#[test]
fn a_dropping_state_long_ago_is_forgotten() {
    let mut it = codel(&[]);
    decided(&mut it, (0, 300, 1000), Ecn::NotEct, DROP);
    it.on_departure(at(301_000), &packet(500, 0), Duration::ZERO, &queue([100, 0, 0, 0]));
    // The next drop was due at 328.4 ms; 16 intervals later it is 1928.4 ms.
    decided(&mut it, (1829, 1929, 1000), Ecn::NotEct, DROP);
    assert_eq!((it.count, it.dropping), (1, true));
}

#[test]
fn the_last_packets_are_never_dropped() {
    let mut it = codel(&["mtu = 1000 bytes"]);
    let wait = Duration::from_ms(900);
    let turns = [(0, 3), (60, 2), (120, 3), (180, 2), (240, 3)];
    let verdicts = turns.map(|(ms, behind)| it.on_departure(at(1000 * ms), &packet(500, 0), wait, &queue([behind, 0, 0, 0])));
    assert_eq!(verdicts, [SEND; 5], "a backlog of one MTU restarts the interval");
}

#[test]
fn capable_packets_are_marked_where_others_are_dropped() {
    let marks = decided(&mut codel(&["ecn = true"]), (0, 470, 1000), Ecn::Ect0, DepartureVerdict::Mark);
    assert_eq!(marks, [100_000, 200_000, 271_000, 329_000, 379_000, 424_000, 464_000]);
    assert_eq!(decided(&mut codel(&["ecn = true"]), (0, 200, 1000), Ecn::NotEct, DROP), [100_000, 200_000]);
    assert_eq!(decided(&mut codel(&[]), (0, 200, 1000), Ecn::Ect0, DROP), [100_000, 200_000]);
}

#[test]
fn a_threshold_marks_each_capable_packet_beyond_it() {
    let mut it = codel(&["ce-threshold = 1 ms"]);
    let mut verdict = |us, ecn| it.on_departure(at(0), &Packet { ecn, ..packet(500, 0) }, Duration::from_us(us), &queue([100, 0, 0, 0]));
    assert_eq!([1000, 1001, 4999].map(|us| verdict(us, Ecn::Ect1)), [SEND, DepartureVerdict::Mark, DepartureVerdict::Mark]);
    assert_eq!([1001, 4999].map(|us| verdict(us, Ecn::NotEct)), [SEND, SEND]);
    // CoDel's own drops do not change.
    assert_eq!(decided(&mut it, (1, 300, 1000), Ecn::Ect0, DROP), [101_000, 201_000, 272_000]);
}

#[test]
fn what_does_not_fit_is_dropped_on_arrival() {
    let mut it = codel(&["limit = 3 packets"]);
    assert_eq!(it.on_arrival(Time::ZERO, &packet(500, 0), &queue([2, 0, 0, 0])), Verdict::Accept);
    assert_eq!(it.on_arrival(Time::ZERO, &packet(500, 0), &queue([3, 0, 0, 0])), Verdict::Drop(DropCause::Overflow));
}

#[test]
fn settings_that_contradict_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["target = 0 s"]), ["target: must be above zero"]);
    assert_eq!(mistakes(&["interval = 5 ms"]), ["interval: must be above target; RFC 8289 s4.5 has the target at 5 to 10 % of it"]);
}

/// The dequeue operation of [RFC8289 s5.5, s5.6]: one loop over its own queue, in nanoseconds as signed numbers.
#[derive(Default)]
struct Reference {
    queue: VecDeque<(i64, u64)>,
    first_above: i64,
    drop_next: i64,
    count: u32,
    last_count: u32,
    dropping: bool,
    dropped: Vec<(i64, i64)>,
}

const TARGET: i64 = 5_000_000;
const INTERVAL: i64 = 100_000_000;

impl Reference {
    fn take(&mut self, now: i64) -> (Option<i64>, bool) {
        let Some((arrival, _)) = self.queue.pop_front() else {
            self.first_above = 0;
            return (None, false);
        };
        let bytes: u64 = self.queue.iter().map(|(_, size)| size).sum();
        let mut may_drop = false;
        if now - arrival < TARGET || bytes <= 1500 {
            self.first_above = 0;
        } else if self.first_above == 0 {
            self.first_above = now + INTERVAL;
        } else {
            may_drop = now >= self.first_above;
        }
        (Some(arrival), may_drop)
    }

    fn law(&self, time: i64) -> i64 {
        time + (INTERVAL as f64 / f64::from(self.count).sqrt()).round() as i64
    }

    fn dequeue(&mut self, now: i64) -> Option<i64> {
        let (mut packet, mut may_drop) = self.take(now);
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.dropped.extend(packet.map(|arrival| (now, arrival)));
                self.count += 1;
                (packet, may_drop) = self.take(now);
                match may_drop {
                    true => self.drop_next = self.law(self.drop_next),
                    false => self.dropping = false,
                }
            }
        } else if may_drop {
            self.dropped.extend(packet.map(|arrival| (now, arrival)));
            packet = self.take(now).0;
            self.dropping = true;
            let delta = self.count - self.last_count;
            self.count = if delta > 1 && now - self.drop_next < 16 * INTERVAL { delta } else { 1 };
            self.drop_next = self.law(now);
            self.last_count = self.count;
        }
        packet
    }
}

#[test]
fn decisions_are_those_of_the_pseudo_code() {
    let mut stream = Key::root(7, 0).stream();
    let (mut it, mut reference) = (codel(&[]), Reference::default());
    let (mut own, mut dropped) = (VecDeque::new(), Vec::new());
    let mut now: i64 = 1;
    for step in 0..60_000 {
        // Bursts and lulls, so that the dropping state is entered and left many times.
        let load = [3, 1, 2, 4, 0][step / 300 % 5];
        now += 1_000_000 + stream.below(1_000_000) as i64;
        for _ in 0..stream.below(load + 1) {
            let size = 100 + stream.below(1400);
            reference.queue.push_back((now, size));
            own.push_back((now, size));
        }
        let expected = reference.dequeue(now);
        let time = |ns: i64| Time::from_ps(1000 * ns as u64);
        let sent = loop {
            let Some((arrival, size)) = own.pop_front() else { break None };
            let behind = Occupancy { bytes: own.iter().map(|(_, size)| size).sum(), ..Occupancy::default() };
            let waited = time(now).since(time(arrival));
            match it.on_departure(time(now), &packet(size as u32, 0), waited, &behind) {
                SEND => break Some(arrival),
                _ => dropped.push((now, arrival)),
            }
        };
        assert_eq!(sent, expected, "step {step}");
    }
    assert_eq!(dropped, reference.dropped);
    assert!(dropped.len() > 300, "{}", dropped.len());
}
