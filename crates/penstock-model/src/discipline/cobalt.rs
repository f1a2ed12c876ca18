//! COBALT: CoDel and BLUE alternate.

mod controller;

pub use controller::{Controller, Settings};

use super::{DepartureVerdict, Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Probability};
use crate::rng::Stream;
use crate::units::{Bytes, Duration, Time};
use std::any::Any;

crate::parameters! {
    /// COBALT: CoDel whose drop rate falls as gradually as it rises, combined with BLUE against unresponsive flows.
    ///
    /// ## Decides
    /// The sojourn time is the time that the packet at the head has waited; it is long if it is above T and above 4 M. M is the
    /// transmission time of `mtu` bytes. At low rates it lengthens `target` (t) and `interval` (i) to $T = max(t, 1.5 M)$ and
    /// $I = max(i + T - t, 2 T)$.
    ///
    /// - *CoDel.* The first long sojourn time begins the dropping state; the next one that is not long ends it. The first drop of
    ///   the head (cause `early`) is due after I, and the n-th $I / sqrt(n)$ after the previous drop. Outside the dropping state, n
    ///   falls by one at each time at which a drop would have been due, so that the next dropping state begins with the remaining
    ///   rate. With `ecn`, an ECN-capable packet is marked and sent instead of being dropped.
    /// - *BLUE.* Each departing packet is dropped with a probability (cause `early`), whatever its ECN field. The probability
    ///   starts at 0, rises by `increment` when the queue overflows and falls by `decrement` when the queue becomes idle,
    ///   at most once per T.
    ///
    /// While an arrival does not fit into `limit`, the head is dropped (cause `overflow`), and CoDel's next drop becomes due at
    /// once. The last packet in the queue is never dropped at departure.
    ///
    /// ## State
    /// The dropping state, the count of drops, the time of the next drop, the probability of BLUE and the time of its last step.
    /// Constant cost per packet; a square root per step of the count, and a random number per departure while BLUE acts.
    ///
    /// ## Departures
    /// - The article describes COBALT in words; the steps are Linux's (sch_cake). Linux approximates $1 / sqrt(n)$ by Newton's
    ///   method, with 0.7067 for n = 2; here the root is exact.
    /// - In Linux, $1 / sqrt(n)$ is zero until n first changes (`cobalt_vars_init`), so that the first drop of a new queue is due at
    ///   once, as with `first-drop = "at-once"`. By default the first drop is due after I, as in CoDel.
    /// - Linux's Cake lowers the probability each time it finds the flow's queue empty. Here it falls once per idle period of the queue,
    ///   at most once per T.
    /// - Cake's limit is in bytes of memory, at least 4 MiB; the default here is the number of packets that Cake may hold. Cake
    ///   drops from the longest queue of all flows; here each queue has its own limit.
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
        /// Step of BLUE's probability when the queue becomes idle (d2).
        decrement: Probability = "0.000244140625";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
        /// Time of the first drop of a new queue.
        first_drop: FirstDrop = "after-interval";
    }
}

crate::choice! {
    /// When the first drop or mark of a new queue is due.
    pub enum FirstDrop {
        /// An interval after the first long sojourn time, as in CoDel.
        "after-interval" => AfterInterval,
        /// With the packet after the one with the first long sojourn time, as in Linux (`cobalt_vars_init` in sch_cake).
        "at-once" => AtOnce,
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
    settings: Settings,
    ecn: bool,
    controller: Controller,
    stream: Stream,
}

impl Cobalt {
    /// COBALT with these parameters; it draws from the stream `cobalt` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Cobalt {
        let mtu_time = port.site.rate.transmission_time(parameters.mtu);
        let steps = (parameters.increment.0, parameters.decrement.0);
        Cobalt {
            limit: parameters.limit,
            mtu_time,
            settings: Settings::new(parameters.target, parameters.interval, mtu_time, steps),
            ecn: parameters.ecn,
            controller: match parameters.first_drop {
                FirstDrop::AfterInterval => Controller::default(),
                FirstDrop::AtOnce => Controller::with_first_drop_at_once(),
            },
            stream: port.site.key.child("cobalt").stream(),
        }
    }
}

crate::state! {
    impl Cobalt, |it, _now| {
        /// Whether it is in the dropping state: 1 or 0.
        "dropping", "1", is f64::from(u8::from(it.controller.is_dropping));
        /// Count of CoDel's drops (n).
        "count", "packets", is f64::from(it.controller.count);
        /// Time of the next drop in the dropping state.
        "next-drop", "s", maybe it.controller.is_dropping.then(|| it.controller.next_drop.as_seconds());
        /// Drop probability of BLUE.
        "probability", "1", is it.controller.probability;
    }
}

impl Discipline for Cobalt {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if let Some(since) = queue.idle_since {
            self.controller.on_empty(&self.settings, since);
        }
        if queue.has_room(packet, self.limit) {
            return Verdict::Accept;
        }
        self.controller.on_overflow(&self.settings, now);
        match queue.packets {
            0 => Verdict::Drop(DropCause::Overflow),
            _ => Verdict::Evict { position: 0, cause: DropCause::Overflow },
        }
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let &Parameters { target, interval, .. } = own(parameters);
        self.settings = Settings::new(target, interval, self.mtu_time, self.settings.steps);
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
        let is_capable = self.ecn && packet.ecn.is_capable();
        let (is_dropped, is_marked) = self.controller.on_departure(&self.settings, now, waited, is_capable, &mut self.stream);
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
