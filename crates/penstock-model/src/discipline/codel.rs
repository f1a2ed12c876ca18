//! CoDel: Controlled Delay.

use super::{DepartureVerdict, Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Limit};
use crate::units::{Bytes, Duration, Time};

crate::parameters! {
    /// CoDel: drops at departure while packets have waited for too long, the more often the longer that lasts.
    ///
    /// ## Decides
    /// Each packet that could be sent has waited for its sojourn time. Once no sojourn time has been below `target` for an
    /// `interval`, the packet is dropped (cause `early`) and the next one is sent: the dropping state. There, the n-th drop
    /// is followed by the next after interval / sqrt(n), until a sojourn time is below `target` or at most `mtu` bytes are
    /// left in the queue. If the state is entered again less than 16 intervals after the next drop would have been due,
    /// n begins with the number of drops of the last time but for those that it had begun with. With `ecn` an ECN-capable
    /// packet is marked and sent instead of being dropped. An arrival that does not fit into `limit` is dropped (cause
    /// `overflow`).
    ///
    /// ## State
    /// When the sojourn time will have been above the target for an interval, when the next drop is due, and the count of
    /// drops. Constant cost per packet; a square root per drop.
    ///
    /// ## Departures
    /// With `ecn`, which the document leaves to implementations, a mark takes the place of a drop and the packet is sent, as
    /// in Linux. Where a shaper or a scheduler holds the queue back between a drop and the next packet, the drop state is
    /// continued when that packet can be sent.
    ///
    /// ## Example
    /// ```toml
    /// queue.codel = { limit = "1000 packets", target = "5 ms", interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC8289 s4, s5]; marks: [RFC3168 s5]. The limit is that of Linux's sch_codel.
    pub struct Parameters {
        /// The most that the queue may hold.
        limit: Limit = "1000 packets";
        /// Acceptable minimum of the sojourn time (TARGET) [RFC8289 s4.4].
        target: Duration = "5 ms";
        /// Time over which the minimum is looked at, about the longest usual round-trip time (INTERVAL) [RFC8289 s4.3].
        interval: Duration = "100 ms";
        /// Nothing is dropped when at most so much stands behind a packet (maxpacket) [RFC8289 s5.5].
        mtu: Bytes = "1500 bytes";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO {
            mistake("target", "must be above zero".to_owned());
        }
        if self.target >= self.interval {
            mistake("interval", "must be above target; RFC 8289 s4.4 has the target at 5 to 10 % of it".to_owned());
        }
    }
}

/// CoDel at work.
#[derive(Clone, Debug)]
pub struct Codel {
    limit: Limit,
    target: Duration,
    interval: Duration,
    mtu: u64,
    ecn: bool,
    /// When the sojourn time will have been above the target for an interval (first_above_time); never while it is below.
    above_since_interval: Time,
    /// When the next drop is due (drop_next).
    next_drop: Time,
    /// Drops since the dropping state was entered, or more if it was entered anew (count).
    count: u32,
    /// What `count` was when it was last entered (lastcount).
    entry_count: u32,
    dropping: bool,
    after_drop: AfterDrop,
}

/// What a drop has left to do to the next packet of the same dequeue operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterDrop {
    /// No packet was dropped before this one.
    Nothing,
    /// The dropping state has just been entered: the packet is sent.
    Send,
    /// Its sojourn time decides whether the dropping state goes on, and then the next drop is scheduled.
    Schedule,
}

impl Codel {
    /// CoDel with these parameters.
    pub fn new(parameters: &Parameters, _port: &PortContext) -> Codel {
        Codel {
            limit: parameters.limit,
            target: parameters.target,
            interval: parameters.interval,
            mtu: parameters.mtu.get(),
            ecn: parameters.ecn,
            above_since_interval: Time::NEVER,
            next_drop: Time::ZERO,
            count: 0,
            entry_count: 0,
            dropping: false,
            after_drop: AfterDrop::Nothing,
        }
    }

    /// Whether the sojourn time has been above the target for an interval, with `behind` bytes behind the packet (ok_to_drop)
    /// [RFC8289 s5.6].
    #[inline]
    fn is_above_for_interval(&mut self, now: Time, sojourn: Duration, behind: u64) -> bool {
        if sojourn < self.target || behind <= self.mtu {
            self.above_since_interval = Time::NEVER;
            return false;
        }
        if self.above_since_interval == Time::NEVER {
            self.above_since_interval = now + self.interval;
            return false;
        }
        self.above_since_interval <= now
    }

    /// The control law: the drop after one at `time` [RFC8289 s5.4].
    fn control_law(&self, time: Time) -> Time {
        time + Duration::from_ps((self.interval.as_ps() as f64 / libm::sqrt(f64::from(self.count)) + 0.5) as u64)
    }

    /// Enters the dropping state with a drop or a mark [RFC8289 s5.5].
    #[cold]
    fn enter_dropping(&mut self, now: Time, packet: &Packet) -> DepartureVerdict {
        self.dropping = true;
        // The rate that controlled the queue the last time is a good one to begin with, if that was not long ago.
        let drops = self.count.wrapping_sub(self.entry_count);
        let is_recent = now < self.next_drop + self.interval.times(16);
        self.count = if drops > 1 && is_recent { drops } else { 1 };
        self.next_drop = self.control_law(now);
        self.entry_count = self.count;
        self.drop_or_mark(packet, AfterDrop::Send)
    }

    /// In the dropping state: the packet goes unless a drop is due [RFC8289 s5.5].
    #[inline]
    fn drop_if_due(&mut self, now: Time, packet: &Packet) -> DepartureVerdict {
        if now < self.next_drop {
            return DepartureVerdict::Send;
        }
        self.count = self.count.saturating_add(1);
        let verdict = self.drop_or_mark(packet, AfterDrop::Schedule);
        if verdict == DepartureVerdict::Mark {
            self.next_drop = self.control_law(self.next_drop);
        }
        verdict
    }

    fn drop_or_mark(&mut self, packet: &Packet, after_drop: AfterDrop) -> DepartureVerdict {
        if self.ecn && packet.ecn.is_capable() {
            return DepartureVerdict::Mark;
        }
        self.after_drop = after_drop;
        DepartureVerdict::Drop(DropCause::Early)
    }
}

impl Discipline for Codel {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if queue.has_room(packet, self.limit) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropCause::Overflow)
        }
    }

    fn hooks(&self) -> Hooks {
        if self.ecn {
            Hooks::DEPARTURE.and(Hooks::MARK)
        } else {
            Hooks::DEPARTURE
        }
    }

    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let is_above = self.is_above_for_interval(now, waited, queue.bytes);
        if self.dropping || is_above {
            self.decide_above(now, packet, is_above)
        } else {
            DepartureVerdict::Send
        }
    }
}

impl Codel {
    /// Decides in the dropping state, or where it is to be entered.
    fn decide_above(&mut self, now: Time, packet: &Packet, is_above: bool) -> DepartureVerdict {
        match std::mem::replace(&mut self.after_drop, AfterDrop::Nothing) {
            AfterDrop::Send => DepartureVerdict::Send,
            _ if !self.dropping => self.enter_dropping(now, packet),
            _ if !is_above => {
                self.dropping = false;
                DepartureVerdict::Send
            }
            AfterDrop::Nothing => self.drop_if_due(now, packet),
            AfterDrop::Schedule => {
                self.next_drop = self.control_law(self.next_drop);
                self.drop_if_due(now, packet)
            }
        }
    }
}

#[cfg(test)]
mod tests {
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

    /// What becomes of packets that could be sent each `spacing` us from `from` to `to` ms and have waited for 50 ms; of those
    /// that are dropped or marked, when.
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
        // Above the target from 0 on, so ok to drop from 100 ms on. Then 100 ms, 100/sqrt(2), 100/sqrt(3), ... after one
        // another: due at 100, 200, 270.7, 328.4, 378.4, 423.2, 464.0; each happens at the next departure.
        let drops = decided(&mut codel(&[]), (0, 470, 1000), Ecn::NotEct, DROP);
        assert_eq!(drops, [100_000, 200_000, 271_000, 329_000, 379_000, 424_000, 464_000]);
    }

    #[test]
    fn several_drops_may_be_due_at_one_departure() {
        // Departures each 250 ms: entered at 250, and due at 350 (count 2), 420.7 (3), 478.4 (4) before 500.
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
        // Three drops before, of which it began with one; so the count begins with 2, and 70.7 ms follow.
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
        assert_eq!(verdicts, [SEND; 5], "1000 bytes behind one begin the interval anew");
    }

    #[test]
    fn capable_packets_are_marked_where_others_are_dropped() {
        let marks = decided(&mut codel(&["ecn = true"]), (0, 470, 1000), Ecn::Ect0, DepartureVerdict::Mark);
        assert_eq!(marks, [100_000, 200_000, 271_000, 329_000, 379_000, 424_000, 464_000]);
        assert_eq!(decided(&mut codel(&["ecn = true"]), (0, 200, 1000), Ecn::NotEct, DROP), [100_000, 200_000]);
        assert_eq!(decided(&mut codel(&[]), (0, 200, 1000), Ecn::Ect0, DROP), [100_000, 200_000]);
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
        assert_eq!(mistakes(&["interval = 5 ms"]), ["interval: must be above target; RFC 8289 s4.4 has the target at 5 to 10 % of it"]);
    }

    /// The dequeue operation as [RFC8289 s5.5, s5.6] has it: one loop over a queue of its own, in nanoseconds as signed numbers.
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
            // Bursts and lulls, so that the state is entered and left many times.
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
}
