//! CoDel: Controlled Delay.

use super::{DepartureVerdict, Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit};
use crate::units::{Bytes, Duration, Time};
use std::any::Any;

crate::parameters! {
    /// CoDel: drops at departure while the sojourn time stays above a target, and more often the longer it stays there.
    ///
    /// ## Decides
    /// The sojourn time is the time that the packet at the head has waited. Once it has stayed at or above `target` for an
    /// `interval`, CoDel enters the dropping state: it drops the head (cause `early`) and sends the next packet. In this state,
    /// the n-th drop is followed by another after $interval / sqrt(n)$. The state ends when a sojourn time is below `target` or
    /// at most `mtu` bytes are left in the queue. On re-entry within 16 intervals of `drop_next`, n restarts from the number of
    /// drops in the previous dropping state (count - lastcount). With `ecn`, an ECN-capable packet is marked and sent instead of
    /// being dropped. With `ce-threshold`, every other departing ECN-capable packet is also marked if it has waited longer than
    /// this. An arrival that does not fit into `limit` is dropped (cause `overflow`).
    ///
    /// ## State
    /// The time at which the sojourn time will have been above the target for an interval (first_above_time), the time of the
    /// next drop (drop_next), and the count of drops. Constant cost per packet; a square root per drop.
    ///
    /// ## Departures
    /// The pseudocode leaves ECN to implementations; here a mark replaces a drop and the packet is sent, as in Linux. If a shaper
    /// or a scheduler delays the queue between a drop and the next packet, the dropping state resumes when that packet can be sent.
    ///
    /// ## Example
    /// ```toml
    /// queue.codel = { limit = "1000 packets", target = "5 ms", interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [RFC8289 s4, s5]; marks: [RFC3168 s5]. The default limit and `ce-threshold`: Linux's sch_codel.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "1000 packets";
        /// Acceptable minimum of the sojourn time (TARGET) [RFC8289 s4.3].
        target: Duration = "5 ms", changeable;
        /// Time over which the minimum is taken, about the longest usual round-trip time (INTERVAL) [RFC8289 s4.2].
        interval: Duration = "100 ms", changeable;
        /// Nothing is dropped while at most this much waits behind a packet (maxpacket) [RFC8289 s4.1, s5.6].
        mtu: Bytes = "1500 bytes";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Sojourn time above which each ECN-capable packet is marked, as for DCTCP; none if left out.
        ce_threshold: Option<Duration>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO {
            mistake("target", "must be above zero".to_owned());
        }
        if self.target >= self.interval {
            mistake("interval", "must be above target; RFC 8289 s4.5 has the target at 5 to 10 % of it".to_owned());
        }
    }
}

/// State of CoDel.
#[derive(Clone, Debug)]
pub struct Codel {
    limit: Limit,
    target: Duration,
    interval: Duration,
    mtu: u64,
    ecn: bool,
    /// Sojourn time above which packets are marked.
    ce_threshold: Duration,
    /// Time at which the sojourn time will have been above the target for an interval (first_above_time); `NEVER` while it is below.
    above_since_interval: Time,
    /// Time of the next drop (drop_next).
    next_drop: Time,
    /// Drops since the dropping state was entered, plus those carried over on re-entry (count).
    count: u32,
    /// Value of `count` at the last entry (lastcount).
    entry_count: u32,
    dropping: bool,
    after_drop: AfterDrop,
}

/// Step of a dequeue operation after a drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterDrop {
    /// No packet was dropped before this one in the same dequeue.
    Nothing,
    /// The dropping state has just been entered, so the packet is sent.
    Send,
    /// The packet's sojourn time decides whether the dropping state continues; if so, the next drop is scheduled.
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
            ce_threshold: parameters.ce_threshold.unwrap_or(Duration::FOREVER),
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

    /// Control law: time of the drop that follows one at `time` [RFC8289 s5.6].
    fn control_law(&self, time: Time) -> Time {
        time + Duration::from_ps((self.interval.as_ps() as f64 / libm::sqrt(f64::from(self.count)) + 0.5) as u64)
    }

    /// Enters the dropping state with a drop or a mark [RFC8289 s5.5].
    #[cold]
    fn enter_dropping(&mut self, now: Time, packet: &Packet) -> DepartureVerdict {
        self.dropping = true;
        // The drop rate that controlled the queue in the last dropping state is a good start if that state ended recently.
        let drops = self.count.wrapping_sub(self.entry_count);
        let is_recent = now < self.next_drop + self.interval.times(16);
        self.count = if drops > 1 && is_recent { drops } else { 1 };
        self.next_drop = self.control_law(now);
        self.entry_count = self.count;
        self.drop_or_mark(packet, AfterDrop::Send)
    }

    /// In the dropping state: sends the packet unless a drop is due [RFC8289 s5.5].
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

crate::state! {
    impl Codel, |it, _now| {
        /// Whether it is in the dropping state: 1 or 0 (dropping) [RFC8289 s5.2].
        "dropping", "1", is f64::from(u8::from(it.dropping));
        /// Drops since the dropping state was entered, plus those carried over on re-entry (count) [RFC8289 s5.2].
        "count", "packets", is f64::from(it.count);
        /// Time of the next drop in the dropping state (drop_next) [RFC8289 s5.2].
        "next-drop", "s", maybe it.dropping.then(|| it.next_drop.as_seconds());
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

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let &Parameters { target, interval, .. } = own(parameters);
        (self.target, self.interval) = (target, interval);
    }

    fn hooks(&self) -> Hooks {
        if self.ecn || self.ce_threshold < Duration::FOREVER {
            Hooks::DEPARTURE.and(Hooks::MARK)
        } else {
            Hooks::DEPARTURE
        }
    }

    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let is_above = self.is_above_for_interval(now, waited, queue.bytes);
        let verdict = if self.dropping || is_above { self.decide_above(now, packet, is_above) } else { DepartureVerdict::Send };
        if verdict == DepartureVerdict::Send && waited > self.ce_threshold && packet.ecn.is_capable() {
            DepartureVerdict::Mark
        } else {
            verdict
        }
    }
}

impl Codel {
    /// Decides in the dropping state, or at the entry into it.
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
mod tests;
