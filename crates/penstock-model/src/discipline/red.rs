//! Random Early Detection.

use super::early_drop::{
    amount, hooks, unit_mistake, verdict, Averaging, Curve, CurveDrops, DropCount, SpacingRule, MEAN_PACKET, UNREACHED,
};
pub use super::early_drop::{Idle, Mode, NearEmpty, Spacing};
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Probability, QueueThreshold, Weight};
use crate::rng::Stream;
use crate::units::{Bytes, Time};
use std::any::Any;

crate::parameters! {
    /// Random Early Detection: drops arrivals at random, with a probability that rises with the average queue.
    ///
    /// ## Decides
    /// Each arrival updates the average queue, $ave = (1 - w) ave + w q$, where q is the number of packets (or bytes, by the unit
    /// of the thresholds) that wait, excluding the arrival and the packet in service. If the queue was idle for m mean packet
    /// times, the arrival first ages the average by $(1 - w)^m$; m is a whole number unless `idle` is `exact`.
    ///
    /// | average queue | treatment of an arrival |
    /// |---|---|
    /// | below `min-threshold` (min) | accepted |
    /// | between the thresholds | dropped with probability $p = max_p (ave - min) / (max - min)$, spaced by `spacing` (cause `early`) |
    /// | from `max-threshold` (max) | dropped (cause `forced`); with `gentle`, the probability rises from max_p to 1 at twice the threshold |
    ///
    /// A `max-threshold` above `limit`, which the average never reaches, only sets the slope. An arrival that does not fit into
    /// `limit` is dropped (cause `overflow`). Every drop restarts the count of `spacing`. With `ecn`, an ECN-capable packet is
    /// marked instead of being dropped with cause `early`. It is dropped with the other causes [RFC3168 s7]: if there is no room,
    /// and from `max-threshold` on, with `gentle` from twice `max-threshold` on.
    ///
    /// ## State
    /// The average, the packets and bytes since the last drop, and whether the average was above the lower threshold.
    /// Constant cost per packet; one random number per arrival between the thresholds.
    ///
    /// ## Departures
    /// Like ns-2's queue/red.cc and unlike [Floyd93 s4]:
    ///
    /// - The first arrival that finds the average above `min-threshold` is not dropped; it only starts the count.
    /// - An arrival that finds at most one packet (or byte) waiting is not dropped, whatever the average. The next arrival that
    ///   finds more counts as a first arrival again. At loads near 1, when the queue empties often, this spares many packets;
    ///   `near-empty` has the alternatives.
    /// - In mode `bytes`, the probability is spaced first and then multiplied by size / `mean-packet`. The article first multiplies
    ///   it by size / maximum size.
    /// - Idle time counts in whole mean packets; the remainder of each idle period is lost. With Poisson arrivals at load r, the
    ///   share $r / (e^r - 1)$ of idle time counts: 95 % at 0.1, 77 % at 0.5, 55 % at 1.1. `idle = "exact"` counts all idle time,
    ///   as the article does.
    ///
    /// Other departures:
    ///
    /// - `spacing = "count"` counts the packets accepted since the last drop, so that gaps are uniform on 1 to 1/p [Floyd93 s7].
    ///   The pseudo-code of the article, and ns-2 without `wait_`, count the arrival too; their gaps end one packet earlier.
    /// - With a limit in bytes, the whole packet must fit, as in tail drop; ns-2 lets the last packet exceed the limit.
    /// - The defaults (`wait`, not `gentle`) are from ns-2 until April 2001, as in most published results with RED.
    ///
    /// ## Example
    /// ```toml
    /// queue.red = { limit = "60 packets", min-threshold = "20 packets", max-threshold = "40 packets", max-probability = "1/30" }
    /// ```
    ///
    /// ## References
    /// [Floyd93 s4, s7]; gentle: S. Floyd, note of March 2000; byte mode: [Floyd93 s4]; RFC 7141 s2.2 advises against it.
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit;
        /// Average below which nothing is dropped (min_th), in the unit of `limit`; zero for no such threshold.
        min_threshold: QueueThreshold, changeable;
        /// Average from which everything is dropped (max_th), in the unit of `limit`.
        max_threshold: Limit, changeable;
        /// Drop probability just below `max-threshold`, before spacing (max_p).
        max_probability: Probability, changeable;
        /// Weight of an arrival's sample in the average (w_q); default of [Floyd93 s6] and ns-2.
        weight: Weight = "0.002";
        /// Mean size of a packet, which converts idle time to packets and scales mode `bytes`; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// Ageing of the average by idle time; default of ns-2.
        idle: Idle = "corrected";
        /// Spacing of drops; default of ns-2.
        spacing: Spacing = "wait";
        /// Treatment of an arrival that finds at most one packet waiting; default of ns-2.
        near_empty: NearEmpty = "restart";
        /// Whether large packets are dropped more often than small ones; if left out, by the unit of the thresholds.
        mode: Option<Mode>;
        /// Let the probability rise linearly to 1 above `max-threshold`; off in [Floyd93 s4], on in ns-2 since 2001.
        gentle: bool = "false";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
    }
}

impl Parameters {
    fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::of_unit(self.limit))
    }

    fn curve(&self) -> Curve {
        Curve {
            min: amount(self.min_threshold.0) as f64,
            max: amount(self.max_threshold) as f64,
            max_p: self.max_probability.0,
            gentle: self.gentle,
        }
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let mut is_mixed = false;
        for (key, threshold) in [("min-threshold", self.min_threshold.0), ("max-threshold", self.max_threshold)] {
            if let Some(message) = unit_mistake(threshold, self.limit) {
                mistake(key, message);
                is_mixed = true;
            }
        }
        if is_mixed {
            return;
        }
        if amount(self.min_threshold.0) >= amount(self.max_threshold) {
            mistake("max-threshold", "must be above min-threshold".to_owned());
        }
        if amount(self.min_threshold.0) >= amount(self.limit) {
            mistake("min-threshold", UNREACHED.to_owned());
        }
        if self.mean_packet != MEAN_PACKET && self.idle == Idle::Ignored && self.mode() == Mode::Packets {
            mistake("mean-packet", "has no effect with idle = \"ignored\" and mode = \"packets\"; leave it out".to_owned());
        }
    }
}

/// State of RED.
#[derive(Clone, Debug)]
pub struct Red {
    limit: Limit,
    averaging: Averaging,
    spacing_rule: SpacingRule,
    average: f64,
    count: DropCount,
    drops: CurveDrops,
    in_bytes: bool,
    ecn: bool,
    stream: Stream,
}

impl Red {
    /// A RED discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Red {
        let mean_packet = (parameters.mode() == Mode::Bytes).then_some(parameters.mean_packet.get());
        Red {
            limit: parameters.limit,
            averaging: Averaging::new(parameters.weight, parameters.idle, parameters.mean_packet, port.site.rate),
            spacing_rule: SpacingRule { spacing: parameters.spacing, mean_packet },
            average: 0.0,
            count: DropCount::default(),
            drops: CurveDrops::new(parameters.curve(), parameters.near_empty),
            in_bytes: matches!(parameters.limit, Limit::Bytes(_)),
            ecn: parameters.ecn,
            stream: port.site.key.child("early-drop").stream(),
        }
    }

    /// Updates the average with an arrival. Returns the queue length in the unit of the average.
    #[inline]
    pub(super) fn observe(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> u64 {
        let waiting = if self.in_bytes { queue.bytes } else { u64::from(queue.packets) };
        self.average = self.averaging.next(self.average * self.averaging.decay(now, queue.idle_since), waiting);
        self.count.add(packet.size);
        waiting
    }

    /// Decides on an arrival after [`Red::observe`] has updated the average.
    #[inline]
    pub(super) fn decide(&mut self, packet: &Packet, queue: &Occupancy, waiting: u64) -> Verdict {
        let decided = self.drops.decide(self.average, waiting, &mut self.count, packet.size, &self.spacing_rule, &mut self.stream);
        let cause = if queue.has_room(packet, self.limit) { decided } else { Some(DropCause::Overflow) };
        if cause.is_some() {
            self.count.clear();
        }
        verdict(cause, self.ecn, packet)
    }

    /// Drop probability just below the upper threshold (max_p).
    pub(super) fn max_p(&self) -> f64 {
        self.drops.curve.max_p
    }

    /// The curve of the drop probability.
    pub(super) fn curve_mut(&mut self) -> &mut Curve {
        &mut self.drops.curve
    }

    /// Average queue as of the last arrival, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.average
    }
}

crate::state! {
    impl Red, |it, _now| {
        /// Average queue (avg) as of the last arrival, where `limit` is in packets.
        "average", "packets", maybe (!it.in_bytes).then_some(it.average);
        /// Average queue (avg) as of the last arrival, where `limit` is in bytes.
        "average-bytes", "bytes", maybe it.in_bytes.then_some(it.average);
        /// Drop probability of that average, before drops are spaced (p_b) [Floyd93 s4].
        "probability", "1", is it.drops.curve.probability(it.average);
        /// Arrivals since the last drop (count) [Floyd93 s4].
        "count", "packets", is it.count.packets() as f64;
    }
}

impl Discipline for Red {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let waiting = self.observe(now, packet, queue);
        self.decide(packet, queue, waiting)
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.drops.curve = own::<Parameters>(parameters).curve();
    }

    fn hooks(&self) -> Hooks {
        hooks(self.ecn)
    }
}

#[cfg(test)]
mod tests;
