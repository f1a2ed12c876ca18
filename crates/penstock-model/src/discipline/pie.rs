//! PIE: Proportional Integral controller Enhanced.

mod controller;
mod departure_rate;
#[cfg(test)]
mod tests;

use super::early_drop::{amount, same_unit};
use super::{DepartureVerdict, Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, Positive, Probability};
use crate::rng::Stream;
use crate::units::{Bytes, Duration, Time};
use controller::Controller;
use departure_rate::DepartureRate;
use std::any::Any;

crate::parameters! {
    /// PIE: drops arrivals at random, with a probability that a controller adjusts to hold the queueing delay at a target.
    ///
    /// ## Decides
    /// Every `update-interval`, the probability p changes by $alpha (d - target) + beta (d - d_old)$, where d is the queueing delay
    /// and d_old its value at the previous update. The change is scaled down while p is small:
    ///
    /// | p below | 10^-6 | 10^-5 | 10^-4 | 10^-3 | 10^-2 | 10^-1 |
    /// |---|---|---|---|---|---|---|
    /// | divided by | 2048 | 512 | 128 | 32 | 8 | 2 |
    ///
    /// From p = 0.1 on, `cap` limits increases to 0.02. If d and d_old are below half of the target, p shrinks by 2 %. p stays
    /// between 0 and 1. An arrival is dropped with probability p (cause `early`), except in three cases: while the burst allowance
    /// lasts, while the delay at the last update was below half of the target and p is below 0.2, and while at most two `mean-packet`
    /// wait. The burst allowance is `max-burst` as long as p is 0 and both delays are below half of the target; otherwise it shrinks
    /// with each update. With `ecn`, an ECN-capable packet is marked instead of being dropped while p is below `mark-threshold`. With
    /// `derandomise`, an arrival is dropped only once the probabilities since the last drop add up to 0.85, and always once they add
    /// up to 8.5. With `mode = "bytes"`, the probability for a packet smaller than `mean-packet` is p x size / `mean-packet`. An
    /// arrival that does not fit into `limit` is dropped (cause `overflow`).
    ///
    /// ## State
    /// The probability, two delays, the burst allowance and the sum of probabilities; with `delay = "departure-rate"` also the mean
    /// time in which `departure-threshold` bytes leave, and the measurement in progress. Constant cost per packet and per update, one
    /// random number per arrival that may be dropped. Updates are at multiples of `update-interval` and stop while the queue is
    /// empty, the delay zero and p = 0.
    ///
    /// ## Departures
    /// - By default the delay is that of the last packet sent, which [RFC8033 s4.3] allows besides the estimate of s5.2
    ///   (`delay = "departure-rate"`). As in Linux and ns-3, it is zero if no packet waits behind the last one sent. Otherwise the
    ///   last delay of a busy period would count until the next busy period.
    /// - The probability decays below half of the target, as in [RFC8033 App. B]; in s4.2 and App. A it decays only at zero delay.
    /// - PIE becomes inactive at zero delay, as in App. B; in s5.3 it does so at half of the target.
    /// - A measurement of the departure rate begins with a departure; in App. B the first begins when PIE becomes active.
    /// - [RFC8033 App. B] demands an upper bound for `mode = "bytes"` and leaves its value open. Here it is p, as in Linux: packets
    ///   above `mean-packet` are not dropped more often.
    /// - While the burst allowance lasts, arrivals do not add to the sum of `derandomise`.
    ///
    /// ## Example
    /// ```toml
    /// queue.pie = { limit = "1000 packets", target = "15 ms", max-burst = "150 ms", ecn = true }
    /// ```
    ///
    /// ## References
    /// [RFC8033 s4, s5, App. A, App. B].
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "1000 packets";
        /// Target queueing delay (QDELAY_REF) [RFC8033 s4.2].
        target: Duration = "15 ms", changeable;
        /// Time between two updates of the probability (T_UPDATE) [RFC8033 s4.2].
        update_interval: Duration = "15 ms";
        /// Duration of a burst before drops begin (MAX_BURST) [RFC8033 s4.4].
        max_burst: Duration = "150 ms";
        /// Weight of the deviation from the target, per second (alpha) [RFC8033 s4.2].
        alpha: Positive = "0.125";
        /// Weight of the change of the delay, per second (beta) [RFC8033 s4.2].
        beta: Positive = "1.25";
        /// Mean size of a packet (MEAN_PKTSIZE) [RFC8033 s4.1]; nothing is dropped while at most two such packets wait.
        mean_packet: Bytes = "1500 bytes";
        /// Unit to which the probability applies [RFC8033 App. B].
        mode: Mode = "packets";
        /// Source of the queueing delay.
        delay: DelayEstimate = "timestamps";
        /// Amount of data over which the departure rate is measured (DQ_THRESHOLD) [RFC8033 s5.2]; 16 KiB if left out.
        departure_threshold: Option<Bytes>;
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Probability from which ECN-capable packets are dropped too (mark_ecnth) [RFC8033 s5.1]; 10 % if left out.
        mark_threshold: Option<Probability>;
        /// Spread drops more evenly than chance does [RFC8033 s5.4].
        derandomise: bool = "false";
        /// Limit increases of a high probability to 0.02 [RFC8033 s5.5].
        cap: bool = "true";
        /// Backlog at which PIE becomes active [RFC8033 s5.3], a third of `limit` in App. B. It becomes inactive when the queue is
        /// empty and the delay zero. Always active if left out.
        active_from: Option<Limit>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.target == Duration::ZERO {
            mistake("target", "must be above zero".to_owned());
        }
        if self.update_interval == Duration::ZERO {
            mistake("update-interval", "must be above zero".to_owned());
        }
        match (self.delay, self.departure_threshold) {
            (DelayEstimate::Timestamps, Some(_)) => {
                mistake("departure-threshold", "has no effect without delay = \"departure-rate\"; leave it out".to_owned());
            }
            (DelayEstimate::DepartureRate, Some(threshold)) if threshold.get() > 1 << 16 => {
                mistake("departure-threshold", format!("{threshold} would weigh more than everything; at most 64 KiB"));
            }
            _ => {}
        }
        if self.active_from.is_some_and(|level| same_unit(level, self.limit) && amount(level) >= amount(self.limit)) {
            mistake(
                "active-from",
                "is never found by an arrival that has room, so nothing would be dropped early; less than limit".to_owned(),
            );
        }
        if !self.ecn && self.mark_threshold.is_some() {
            mistake("mark-threshold", "has no effect without ecn = true; leave it out".to_owned());
        }
    }
}

crate::choice! {
    /// Unit to which the drop probability applies.
    pub enum Mode {
        /// Packets: all have the same probability, as [RFC7141 s2.2] recommends.
        "packets" => Packets,
        /// Bytes: small packets have less, in proportion to their size divided by `mean-packet`.
        "bytes" => Bytes,
    }
}

crate::choice! {
    /// Source of the queueing delay.
    pub enum DelayEstimate {
        /// Waiting time of the last packet sent [RFC8033 s4.3].
        "timestamps" => Timestamps,
        /// Backlog divided by the measured departure rate [RFC8033 s5.2].
        "departure-rate" => DepartureRate,
    }
}

/// State of PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    limit: Limit,
    update_interval: Duration,
    max_burst: Duration,
    mean_packet: u32,
    mode: Mode,
    /// Probability from which even ECN-capable packets are dropped; `None` without ECN.
    mark_threshold: Option<f64>,
    derandomise: bool,
    active_from: Option<Limit>,
    controller: Controller,
    /// Waiting time of the last packet sent (current_qdelay); unused if the delay is estimated from the rate.
    last_wait: Duration,
    departure_rate: Option<DepartureRate>,
    burst_allowance: Duration,
    /// Sum of the probabilities since the last drop (accu_prob).
    accumulated: f64,
    /// Time of the next update; `NEVER` while PIE is inactive.
    next_update: Time,
    stream: Stream,
}

impl Pie {
    /// PIE with these parameters; it draws from the stream `pie` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Pie {
        let threshold = parameters.departure_threshold.unwrap_or(Bytes::new(1 << 14));
        Pie {
            limit: parameters.limit,
            update_interval: parameters.update_interval,
            max_burst: parameters.max_burst,
            mean_packet: u32::try_from(parameters.mean_packet.get()).unwrap_or(u32::MAX),
            mode: parameters.mode,
            mark_threshold: parameters.ecn.then(|| parameters.mark_threshold.map_or(0.1, |threshold| threshold.0)),
            derandomise: parameters.derandomise,
            active_from: parameters.active_from,
            controller: Controller::new(parameters),
            last_wait: Duration::ZERO,
            departure_rate: (parameters.delay == DelayEstimate::DepartureRate).then(|| DepartureRate::new(threshold)),
            burst_allowance: Duration::ZERO,
            accumulated: 0.0,
            next_update: Time::NEVER,
            stream: port.site.key.child("pie").stream(),
        }
    }

    /// Drop probability as of the last update (drop_prob).
    pub fn probability(&self) -> f64 {
        self.controller.probability
    }

    /// Present estimate of the queueing delay (current_qdelay).
    #[inline]
    fn delay(&self, queue: &Occupancy) -> Duration {
        self.departure_rate.as_ref().map_or(self.last_wait, |rate| rate.delay(queue.bytes))
    }

    /// Begins updates at the next multiple of the interval [RFC8033 App. B].
    #[cold]
    fn activate(&mut self, now: Time) {
        let passed = now.as_ps() / self.update_interval.as_ps();
        self.next_update = Time::ZERO + self.update_interval.times(passed + 1);
        self.controller.reset();
        self.departure_rate.iter_mut().for_each(DepartureRate::reset);
        self.burst_allowance = self.max_burst;
        self.accumulated = 0.0;
    }

    /// Drop probability of a packet of `size` bytes [RFC8033 App. B].
    #[inline]
    fn probability_of(&self, size: u32) -> f64 {
        let probability = self.controller.probability;
        match self.mode {
            Mode::Bytes if size < self.mean_packet => probability * f64::from(size) / f64::from(self.mean_packet),
            _ => probability,
        }
    }

    /// Whether an arrival of `size` bytes that finds `bytes` queued is chosen for a drop or mark (drop_early) [RFC8033 s4.1, s5.4].
    #[inline]
    fn is_chosen(&mut self, size: u32, bytes: u64) -> bool {
        if self.controller.is_uncongested() || bytes <= 2 * u64::from(self.mean_packet) {
            return false;
        }
        let probability = self.probability_of(size);
        if self.derandomise {
            self.accumulated = if probability == 0.0 { 0.0 } else { self.accumulated + probability };
            if self.accumulated < 0.85 {
                return false;
            }
            if self.accumulated >= 8.5 {
                return true;
            }
        }
        self.stream.chance(probability)
    }

    fn drop_or_mark(&mut self, packet: &Packet) -> Verdict {
        self.accumulated = 0.0;
        match self.mark_threshold {
            Some(threshold) if packet.ecn.is_capable() && self.controller.probability < threshold => Verdict::Mark,
            _ => Verdict::Drop(DropCause::Early),
        }
    }
}

crate::state! {
    impl Pie, |it, _now| {
        /// Drop probability as of the last update (drop_prob) [RFC8033 s4.2].
        "probability", "1", is it.controller.probability;
        /// Waiting time of the last packet sent, with `delay = "timestamps"` (current_qdelay) [RFC8033 s4.3].
        "wait", "s", maybe it.departure_rate.is_none().then(|| it.last_wait.as_seconds());
        /// Remaining time in which arrivals are accepted regardless of the probability (burst_allowance) [RFC8033 s4.4].
        "burst-allowance", "s", is it.burst_allowance.as_seconds();
        /// Sum of the probabilities since the last drop, where drops are derandomised (accu_prob) [RFC8033 s5.4].
        "accumulated", "1", maybe it.derandomise.then_some(it.accumulated);
    }
}

impl Discipline for Pie {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if !queue.has_room(packet, self.limit) {
            self.accumulated = 0.0;
            return Verdict::Drop(DropCause::Overflow);
        }
        if self.next_update == Time::NEVER {
            if self.active_from.is_none_or(|level| level.is_reached(queue.packets, queue.bytes)) {
                self.activate(now);
            }
        } else if self.burst_allowance == Duration::ZERO && self.is_chosen(packet.size, queue.bytes) {
            return self.drop_or_mark(packet);
        } else if self.controller.has_settled(self.delay(queue)) {
            self.burst_allowance = self.max_burst;
        }
        Verdict::Accept
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn on_refusal(&mut self, _now: Time, _packet: &Packet) {
        self.accumulated = 0.0;
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.controller.target = own::<Parameters>(parameters).target;
    }

    fn hooks(&self) -> Hooks {
        let hooks = Hooks::DEPARTURE.and(Hooks::TIMER);
        if self.mark_threshold.is_some() {
            hooks.and(Hooks::MARK)
        } else {
            hooks
        }
    }

    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        match &mut self.departure_rate {
            Some(rate) => rate.on_departure(now, packet.size, queue.bytes),
            None => self.last_wait = if queue.packets == 0 { Duration::ZERO } else { waited },
        }
        DepartureVerdict::Send
    }

    fn next_deadline(&self) -> Time {
        self.next_update
    }

    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        let delay = self.delay(queue);
        self.controller.update(delay);
        self.burst_allowance = self.burst_allowance - self.update_interval;
        let is_idle = queue.packets == 0 && self.controller.is_at_rest();
        self.next_update = if is_idle { Time::NEVER } else { now + self.update_interval };
    }
}
