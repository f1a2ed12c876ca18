//! PI2: a linear controller whose output is squared for Classic traffic.

use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::{Ecn, Packet};
use crate::parameters::{own, Check, Limit, Positive};
use crate::rng::Stream;
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// PI2: a proportional-integral controller of the delay; Classic traffic is dropped with its squared probability, scalable
    /// traffic marked with a multiple of it.
    ///
    /// ## Decides
    /// Every `update-interval`, the base probability p' changes by $alpha (d - target) + beta (d - d_old)$ and stays between 0 and 1.
    /// d is the time that the packet at the head has waited, 0 for an empty queue; d_old is its value at the previous update.
    ///
    /// | arrival | treatment |
    /// |---|---|
    /// | scalable: ECT(1) or CE | marked with probability k p' |
    /// | Classic: any other | dropped with probability p'^2 (cause `early`); with `ecn`, an ECN-capable one is marked instead while p'^2 is below 1/k^2 and below 1 |
    ///
    /// In overload, while k p' is at least 1, a scalable arrival is dropped with probability p'^2 (cause `early`) and marked
    /// otherwise. An arrival that does not fit into `limit` is dropped (cause `overflow`).
    ///
    /// ## State
    /// The base probability and the delay of the last update. One random number per arrival, two for a scalable arrival in overload.
    /// Constant cost per packet and per update. Updates are at multiples of `update-interval` and stop while the queue is empty and
    /// p' = 0, when they would change nothing.
    ///
    /// ## Departures
    /// Packets are chosen at random on arrival; [RFC9332 App. A] chooses them deterministically at departure. The delay is
    /// measured at the head as in [RFC9332 App. A.1], and overload is handled as in [RFC9332 App. A.2]. The defaults of
    /// `update-interval`, `alpha` and `beta` are from the reference implementation [RFC9332 App. A.1]; the formulas of its
    /// figure 2 give 15 ms, 0.15 and 3 for a target of 15 ms and a maximum round-trip time of 100 ms.
    ///
    /// ## Example
    /// ```toml
    /// queue.pi2 = { limit = "1000 packets", target = "15 ms", ecn = true }
    /// ```
    ///
    /// ## References
    /// [DeSchepper16]; [RFC9332 App. A].
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: Limit = "1000 packets";
        /// Target queueing delay.
        target: Duration = "15 ms", changeable;
        /// Time between two updates of the probability (Tupdate).
        update_interval: Duration = "16 ms";
        /// Weight of the deviation from the target, per second (alpha).
        alpha: Positive = "0.16", changeable;
        /// Weight of the change of the delay, per second (beta).
        beta: Positive = "3.2", changeable;
        /// Coupling factor: scalable traffic is marked with this many times p' (k).
        coupling: Positive = "2", changeable;
        /// Mark ECN-capable Classic packets instead of dropping them; scalable packets are always marked.
        ecn: bool = "false";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        check_times(self.target, self.update_interval, mistake);
    }
}

/// Reports a target or an update interval of zero.
pub(crate) fn check_times(target: Duration, update_interval: Duration, mistake: &mut dyn FnMut(&str, String)) {
    for (key, time) in [("target", target), ("update-interval", update_interval)] {
        if time == Duration::ZERO {
            mistake(key, "must be above zero".to_owned());
        }
    }
}

/// Base controller [RFC9332 App. A.1] and the probabilities derived from it [RFC9332 App. A.2].
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    /// Target delay in seconds.
    target: f64,
    update_interval: Duration,
    alpha: f64,
    beta: f64,
    coupling: f64,
    /// Base probability (p').
    pub base: f64,
    /// Delay at the last update, in seconds (prevq).
    last_delay: f64,
    /// Time of the next update; `NEVER` while updates would change nothing.
    pub next_update: Time,
}

impl Controller {
    /// A controller at rest, with its target and update interval, alpha and beta, and coupling factor k.
    pub fn new((target, update_interval): (Duration, Duration), (alpha, beta): (f64, f64), coupling: f64) -> Controller {
        let target = target.as_seconds();
        Controller { target, update_interval, alpha, beta, coupling, base: 0.0, last_delay: 0.0, next_update: Time::NEVER }
    }

    /// Changes the target, alpha and beta, and k.
    pub fn change(&mut self, target: Duration, (alpha, beta): (f64, f64), coupling: f64) {
        (self.target, self.alpha, self.beta, self.coupling) = (target.as_seconds(), alpha, beta, coupling);
    }

    /// Resumes updates at the next multiple of the interval.
    #[inline]
    pub fn wake(&mut self, now: Time) {
        if self.next_update == Time::NEVER {
            let passed = now.as_ps() / self.update_interval.as_ps();
            self.next_update = Time::ZERO + self.update_interval.times(passed + 1);
        }
    }

    /// Updates p' at `now`, given the delay and whether the queue holds a packet.
    pub fn update(&mut self, now: Time, delay: Duration, is_empty: bool) {
        let delay = delay.as_seconds();
        let step = self.alpha * (delay - self.target) + self.beta * (delay - self.last_delay);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.last_delay = delay;
        let is_idle = is_empty && self.base == 0.0;
        self.next_update = if is_idle { Time::NEVER } else { now + self.update_interval };
    }

    /// Probability for Classic traffic (p_C).
    #[inline]
    pub fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// Coupled probability for scalable traffic (p_CL); 1 or more means overload.
    #[inline]
    pub fn coupled(&self) -> f64 {
        self.coupling * self.base
    }

    /// Whether scalable traffic is dropped too (p_CL >= p_Lmax = 1).
    #[inline]
    pub fn is_overloaded(&self) -> bool {
        self.coupled() >= 1.0
    }

    /// Whether ECN-capable Classic traffic is dropped rather than marked: p_C >= p_Cmax = min(1/k^2, 1), that is, k p' >= 1 or p' = 1.
    #[inline]
    pub fn drops_capable(&self) -> bool {
        self.is_overloaded() || self.base >= 1.0
    }
}

/// Whether a packet is scalable traffic, by its codepoint [RFC9331 s5.1].
#[inline]
pub(crate) fn is_scalable(packet: &Packet) -> bool {
    matches!(packet.ecn, Ecn::Ect1 | Ecn::Ce)
}

/// State of PI2.
#[derive(Clone, Debug)]
pub struct Pi2 {
    limit: Limit,
    ecn: bool,
    controller: Controller,
    stream: Stream,
}

impl Pi2 {
    /// PI2 with these parameters; it draws from the stream `pi2` of its port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Pi2 {
        let it = parameters;
        let controller = Controller::new((it.target, it.update_interval), (it.alpha.0, it.beta.0), it.coupling.0);
        Pi2 { limit: it.limit, ecn: it.ecn, controller, stream: port.site.key.child("pi2").stream() }
    }
}

crate::state! {
    impl Pi2, |it, _now| {
        /// Base probability as of the last update (p').
        "base-probability", "1", is it.controller.base;
    }
}

impl Discipline for Pi2 {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if !queue.has_room(packet, self.limit) {
            return Verdict::Drop(DropCause::Overflow);
        }
        self.controller.wake(now);
        let classic = self.controller.classic();
        if is_scalable(packet) {
            if self.controller.is_overloaded() {
                return if self.stream.chance(classic) { Verdict::Drop(DropCause::Early) } else { Verdict::Mark };
            }
            return if self.stream.chance(self.controller.coupled()) { Verdict::Mark } else { Verdict::Accept };
        }
        if !self.stream.chance(classic) {
            Verdict::Accept
        } else if self.ecn && packet.ecn.is_capable() && !self.controller.drops_capable() {
            Verdict::Mark
        } else {
            Verdict::Drop(DropCause::Early)
        }
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        self.controller.change(it.target, (it.alpha.0, it.beta.0), it.coupling.0);
    }

    fn hooks(&self) -> Hooks {
        Hooks::TIMER.and(Hooks::HEAD_AGE).and(Hooks::MARK)
    }

    fn next_deadline(&self) -> Time {
        self.controller.next_update
    }

    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        self.controller.update(now, queue.head_age(now), queue.packets == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packet, port, queue};
    use super::*;
    use crate::parameters::testing::read;

    const EARLY: Verdict = Verdict::Drop(DropCause::Early);

    fn pi2(lines: &[&str], base: f64) -> Pi2 {
        let mut it = Pi2::new(&read(lines).expect("sound"), &port());
        it.controller.base = base;
        it
    }

    /// Share of 100 000 arrivals that get this verdict.
    fn share(it: &mut Pi2, ecn: Ecn, verdict: Verdict) -> f64 {
        let arrival = Packet { ecn, ..packet(500, 0) };
        (0..100_000).filter(|_| it.on_arrival(Time::ZERO, &arrival, &queue([50, 0, 0, 0])) == verdict).count() as f64 / 1e5
    }

    #[test]
    fn classic_traffic_meets_the_square_and_scalable_traffic_the_multiple() {
        // p' = 0.2: 0.04 for Classic, 0.4 for scalable. Four standard errors: sqrt(.04 * .96 / 1e5) = .00062 and .00155.
        for (ecn, lines, verdict, expected, error) in [
            (Ecn::NotEct, &[][..], EARLY, 0.04, 0.0025),
            (Ecn::Ect0, &[], EARLY, 0.04, 0.0025),
            (Ecn::Ect0, &["ecn = true"], Verdict::Mark, 0.04, 0.0025),
            (Ecn::NotEct, &["ecn = true"], EARLY, 0.04, 0.0025),
            (Ecn::Ect1, &[], Verdict::Mark, 0.4, 0.0062),
            (Ecn::Ce, &[], Verdict::Mark, 0.4, 0.0062),
            (Ecn::Ect1, &["coupling = 3"], Verdict::Mark, 0.6, 0.0062),
        ] {
            let seen = share(&mut pi2(lines, 0.2), ecn, verdict);
            assert!((seen - expected).abs() < error, "{ecn:?} {lines:?}: {seen}");
        }
    }

    #[test]
    fn in_overload_all_traffic_is_dropped_with_the_square() {
        // p' = 0.6, k p' = 1.2: a share of 0.36 is dropped; the remaining scalable packets are marked.
        for (ecn, otherwise) in [(Ecn::Ect1, Verdict::Mark), (Ecn::Ect0, Verdict::Accept)] {
            let mut it = pi2(&["ecn = true"], 0.6);
            let dropped = share(&mut it, ecn, EARLY);
            assert!((dropped - 0.36).abs() < 0.0061, "{ecn:?}: {dropped}");
            let others = share(&mut it, ecn, otherwise);
            assert!((others - 0.64).abs() < 0.0061, "{ecn:?}: {others}");
        }
    }

    #[test]
    fn a_coupling_below_one_never_drops_scalable_traffic() {
        // k = 1/2: p_Cmax = min(1/k^2, 1) = 1 is reached only at p' = 1, where p_CL = 1/2 is below 1.
        for (base, ecn, expected) in
            [(1.0, Ecn::Ect0, EARLY), (1.0, Ecn::Ect1, Verdict::Mark), (0.999, Ecn::Ect0, Verdict::Mark), (1.0, Ecn::NotEct, EARLY)]
        {
            let mut it = pi2(&["ecn = true", "coupling = 0.5"], base);
            let other = if expected == EARLY { Verdict::Mark } else { EARLY };
            assert!(share(&mut it, ecn, expected) > 0.4 && share(&mut it, ecn, other) == 0.0, "{base}, {ecn:?}");
        }
    }

    #[test]
    fn updates_follow_the_age_of_the_head() {
        let mut it = pi2(&[], 0.0);
        let ms = |ms| Time::ZERO + Duration::from_ms(ms);
        it.on_arrival(ms(17), &packet(500, 0), &queue([0; 4]));
        assert_eq!(it.next_deadline(), ms(32), "the next multiple of 16 ms");
        let mut update = |age| {
            let now = it.next_deadline();
            it.on_timer(
                now,
                &Occupancy { head_since: Some(Time::from_ps(now.as_ps() - Duration::from_ms(age).as_ps())), ..queue([9, 0, 0, 0]) },
            );
            it.controller.base
        };
        // 25 ms: 0.16 (0.025 - 0.015) + 3.2 * 0.025 = 0.0816. Unchanged delay: + 0.0016. 5 ms: - 0.0016 - 0.064. 0: below 0.
        for (age, expected) in [(25, 0.0816), (25, 0.0832), (5, 0.0176), (0, 0.0)] {
            let seen = update(age);
            assert!((seen - expected).abs() < 1e-12, "{seen} for {expected}");
        }
        it.on_timer(ms(96), &queue([0; 4]));
        assert_eq!(it.next_deadline(), Time::NEVER, "nothing to control");
        it.on_arrival(ms(100), &packet(500, 0), &queue([0; 4]));
        assert_eq!(it.next_deadline(), ms(112));
    }

    #[test]
    fn a_full_queue_drops_and_zero_times_are_refused() {
        let mut it = pi2(&["limit = 50 packets"], 0.0);
        assert_eq!(it.on_arrival(Time::ZERO, &packet(500, 0), &queue([50, 0, 0, 0])), Verdict::Drop(DropCause::Overflow));
        let mistakes = read::<Parameters>(&["target = 0 s", "update-interval = 0 s"]).expect_err("mistakes");
        assert_eq!(mistakes, ["target: must be above zero", "update-interval: must be above zero"]);
    }
}
