//! COBALT: CoDel and BLUE alternate.

use super::{DepartureVerdict, Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Probability};
use crate::rng::Stream;
use crate::units::{Bytes, Duration, Time};
use std::any::Any;

crate::parameters! {
    /// COBALT: CoDel whose drop rate falls as gradually as it has risen, and BLUE against flows that do not respond.
    ///
    /// ## Decides
    /// The sojourn time is the time that the packet at the head has waited; it is long if it is above T and above 4 M. M is the
    /// transmission time of `mtu` bytes, and lengthens `target` (t) and `interval` (i) at low rates: $T = max(t, 1.5 M)$ and
    /// $I = max(i + T - t, 2 T)$.
    ///
    /// - *CoDel.* The first long sojourn time begins the dropping state, and the next shorter one ends it. The first drop of the head
    ///   (cause `early`) is due I later, and the n-th $I / sqrt(n)$ after the one before. Outside the dropping state, n falls by one at
    ///   each time at which a drop would have been due, so that the next dropping state begins with the rate that is left. With `ecn`,
    ///   an ECN-capable packet is marked and sent instead of being dropped.
    /// - *BLUE.* Each departing packet is dropped with a probability (cause `early`), whatever its ECN field. It starts at 0, rises by
    ///   `increment` when the queue overflows and falls by `decrement` when the port finds nothing to send, at most once per T.
    ///
    /// While an arrival does not fit into `limit`, the head is dropped (cause `overflow`), and the next drop of CoDel is due. The last
    /// packet in the queue is never dropped at departure.
    ///
    /// ## State
    /// The dropping state, the count of drops, the time of the next drop, the probability of BLUE and the time of its last step.
    /// Constant cost per packet; a square root per step of the count, and a random number per departure while BLUE acts.
    ///
    /// ## Departures
    /// - The article describes COBALT in words; the steps are Linux's (sch_cake). That approximates $1 / sqrt(n)$ by Newton's
    ///   method, with 0.7067 for n = 2; here it is exact.
    /// - Linux's Cake finds the queue of a flow empty when it serves other flows. Here an idle period of the port counts, once.
    /// - Cake's limit is in bytes of memory, at least 4 MiB; the default here is the number of packets that it may hold. It drops
    ///   from the longest queue of all flows; here each queue has its own limit.
    ///
    /// ## Example
    /// ```toml
    /// queue.cobalt = { limit = "1000 packets", target = "5 ms", interval = "100 ms" }
    /// ```
    ///
    /// ## References
    /// [Hoiland18]; BLUE: [Feng02]. Defaults: Linux's sch_cake at rtt 100 ms.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "10240 packets";
        /// Acceptable minimum of the sojourn time.
        target: Duration = "5 ms", changeable;
        /// Time from the first long sojourn time to the first drop, about the longest usual round-trip time.
        interval: Duration = "100 ms", changeable;
        /// Largest packet, with its link header; its transmission time at the initial rate of the link lengthens `target`.
        mtu: Bytes = "1514 bytes";
        /// Step of BLUE's probability at an overflow (d1).
        increment: Probability = "0.00390625";
        /// Step of BLUE's probability when the port becomes idle (d2).
        decrement: Probability = "0.000244140625";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO {
            mistake("target", "must be above zero".to_owned());
        }
        if self.target >= self.interval {
            mistake("interval", "must be above target; Cake has the target at 5 % of it".to_owned());
        }
        if self.increment.0 == 0.0 && self.decrement.0 > 0.0 {
            mistake("decrement", "has no effect with increment = 0; set both to 0 for no BLUE".to_owned());
        }
    }
}

/// State of COBALT.
#[derive(Clone, Debug)]
pub struct Cobalt {
    limit: Limit,
    /// Transmission time of a packet of `mtu` bytes.
    mtu_time: Duration,
    /// Target and interval at this rate (T, I).
    target: Duration,
    interval: Duration,
    /// Longer sojourn times are too long.
    longest: Duration,
    steps: (f64, f64),
    ecn: bool,
    is_dropping: bool,
    /// n of the next drop.
    count: u32,
    /// Time of the next drop; while the count is zero, an interval after the last departure.
    next_drop: Time,
    /// BLUE's drop probability.
    probability: f64,
    /// Time of its last step.
    last_step: Option<Time>,
    stream: Stream,
}

impl Cobalt {
    /// COBALT with these parameters; it draws from the stream `cobalt` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Cobalt {
        let mut it = Cobalt {
            limit: parameters.limit,
            mtu_time: port.site.rate.transmission_time(parameters.mtu),
            target: Duration::ZERO,
            interval: Duration::ZERO,
            longest: Duration::ZERO,
            steps: (parameters.increment.0, parameters.decrement.0),
            ecn: parameters.ecn,
            is_dropping: false,
            count: 0,
            next_drop: Time::ZERO,
            probability: 0.0,
            last_step: None,
            stream: port.site.key.child("cobalt").stream(),
        };
        it.set_times(parameters);
        it
    }

    /// Lengthens target and interval at low rates.
    fn set_times(&mut self, &Parameters { target, interval, .. }: &Parameters) {
        let mtu = self.mtu_time.as_ps();
        let lengthened = target.as_ps().max(mtu.saturating_add(mtu / 2));
        let shifted = interval.as_ps().saturating_add(lengthened - target.as_ps());
        self.target = Duration::from_ps(lengthened);
        self.interval = Duration::from_ps(shifted.max(lengthened.saturating_mul(2)));
        self.longest = Duration::from_ps(lengthened.max(mtu.saturating_mul(4)));
    }

    /// The control law: the drop after one at `time`.
    fn control_law(&self, time: Time) -> Time {
        let root = libm::sqrt(f64::from(self.count.max(1)));
        time + Duration::from_ps((self.interval.as_ps() as f64 / root + 0.5) as u64)
    }

    /// CoDel's part: whether the packet that departs is to be dropped or marked, and whether the next drop is overdue even so.
    fn decide(&mut self, now: Time, sojourn: Duration) -> (bool, bool) {
        let mut is_overdue = now > self.next_drop;
        let mut is_due = self.count > 0 && now >= self.next_drop;
        if sojourn <= self.longest {
            self.is_dropping = false;
        } else if !self.is_dropping {
            self.is_dropping = true;
            self.next_drop = self.control_law(now);
            self.count = self.count.max(1);
        }
        if is_due && self.is_dropping {
            self.count = self.count.saturating_add(1);
            self.next_drop = self.control_law(self.next_drop);
            return (true, now > self.next_drop);
        }
        while is_due {
            self.count -= 1;
            self.next_drop = self.control_law(self.next_drop);
            is_overdue = now > self.next_drop;
            is_due = self.count > 0 && now >= self.next_drop;
        }
        (false, is_overdue)
    }

    /// Changes BLUE's probability, at most once per target.
    fn step(&mut self, now: Time, change: f64) {
        if self.last_step.is_none_or(|last| now.since(last) > self.target) {
            self.probability = (self.probability + change).clamp(0.0, 1.0);
            self.last_step = Some(now);
        }
    }

    /// A packet does not fit.
    #[cold]
    fn on_overflow(&mut self, now: Time) {
        self.step(now, self.steps.0);
        self.is_dropping = true;
        self.next_drop = now;
        self.count = self.count.max(1);
    }

    /// The port found nothing to send.
    fn on_idle(&mut self, now: Time) {
        if self.probability > 0.0 {
            self.step(now, -self.steps.1);
        }
        self.is_dropping = false;
        if self.count > 0 && now >= self.next_drop {
            self.count -= 1;
            self.next_drop = self.control_law(self.next_drop);
        }
    }
}

crate::state! {
    impl Cobalt, |it, _now| {
        /// Whether it is in the dropping state: 1 or 0.
        "dropping", "1", is f64::from(u8::from(it.is_dropping));
        /// Count of CoDel's drops (n).
        "count", "packets", is f64::from(it.count);
        /// Time of the next drop in the dropping state.
        "next-drop", "s", maybe it.is_dropping.then(|| it.next_drop.as_seconds());
        /// Drop probability of BLUE.
        "probability", "1", is it.probability;
    }
}

impl Discipline for Cobalt {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if let Some(since) = queue.idle_since {
            self.on_idle(since);
        }
        if queue.has_room(packet, self.limit) {
            return Verdict::Accept;
        }
        self.on_overflow(now);
        match queue.packets {
            0 => Verdict::Drop(DropCause::Overflow),
            _ => Verdict::Evict { position: 0, cause: DropCause::Overflow },
        }
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.set_times(own(parameters));
    }

    fn hooks(&self) -> Hooks {
        let hooks = Hooks::DEPARTURE.and(Hooks::EVICTION);
        if self.ecn {
            hooks.and(Hooks::MARK)
        } else {
            hooks
        }
    }

    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let (is_due, is_overdue) = self.decide(now, waited);
        let is_marked = is_due && self.ecn && packet.ecn.is_capable();
        let by_blue = self.probability > 0.0 && self.stream.chance(self.probability);
        let is_dropped = by_blue || is_due && !is_marked;
        if self.count == 0 {
            self.next_drop = now + self.interval;
        } else if is_overdue && !is_dropped {
            self.next_drop = now;
        }
        if is_dropped && queue.packets > 0 {
            DepartureVerdict::Drop(DropCause::Early)
        } else if is_marked {
            DepartureVerdict::Mark
        } else {
            DepartureVerdict::Send
        }
    }
}

#[cfg(test)]
mod tests;
