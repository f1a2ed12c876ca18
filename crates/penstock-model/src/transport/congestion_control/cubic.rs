//! CUBIC.

mod linux;

use super::hystart::HyStart;
use super::linux_hystart::LinuxHyStart;
use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, RttSampling, Timeout, Window};
use crate::parameters::{own, Check, Count, Positive, Probability};
use crate::units::{Duration, Time};
use linux::{scaled, SegmentCount, DEFAULT_TICK, SECOND};
use std::any::Any;

crate::parameters! {
    /// CUBIC: a window that grows as a cubic function of the time since the last congestion.
    ///
    /// ## Decides
    /// The target of the window, t seconds after congestion avoidance began, is $W(t) = C (t - K)^3 + W_max$. W_max is the window
    /// at the last congestion event, and $K = cbrt((W_max - cwnd) / C)$ the time until the window reaches it again. Each
    /// acknowledgement adds $(W(t + RTT) - cwnd) / cwnd$, between zero and half a segment. W_est is the window that Reno would have
    /// with the same `beta`; if it is above W(t), the window is W_est (Reno-friendly region, `reno-friendly`). A loss sets ssthresh
    /// to `beta` times FlightSize without the segments of limited transmit [RFC5681 s3.2 (2)]. If the window was still below W_max,
    /// W_max becomes (1 + `beta`) / 2 times the window (fast convergence). An echoed mark has the same effects and reduces the
    /// window immediately. Slow start is that of Reno or, with `hystart`, HyStart++, which leaves the first slow start when the
    /// round-trip time grows. `hystart-algorithm = "linux"` selects HyStart as in Linux, which applies to every slow start. From a
    /// window of 16 segments on, slow start ends on either of two conditions. The first, from the ninth round-trip time of a round on:
    /// all times of the round exceed the minimum by more than an eighth of it (4 to 16 ms). The second: a train of acknowledgements at
    /// most 2 ms apart lasts for half of the minimum (all of it if segments are paced). Congestion avoidance follows.
    ///
    /// With `ecn-beta`, an echoed mark multiplies the window by this factor instead of `beta` (alternative backoff with ECN, ABE).
    /// With `byte-counting-limit` (L), the window grows by acknowledged segments instead of acknowledgements, at most L per
    /// acknowledgement, so that delayed acknowledgements do not slow growth; Linux has no limit.
    ///
    /// With `arithmetic = "linux"` the window is a number of whole segments. W is that of t + minimum RTT, with its distance from
    /// W_max rounded down, and is computed once per tick and window. The window grows by one segment per n acknowledged segments. Here
    /// n is $cwnd / (W - cwnd)$, rounded down and at least 2, or 100 cwnd if W is not above cwnd. It is at most 20 without a W_max,
    /// and at most $cwnd / (W_est - cwnd)$ if W_est is above cwnd. W_est grows by one per 15/8 cwnd acknowledged segments (for a
    /// `beta` of 0.7). `c` and `beta` are multiples of 1/1024.
    ///
    /// ## State
    /// About 170 bytes. `arithmetic = "linux"` adds 56; HyStart++ adds 60, and 24 for each segment outstanding during the first
    /// slow start. One cube per acknowledgement, one cube root per congestion.
    ///
    /// ## Departures
    /// - Spurious timeouts and spurious losses are not detected [RFC9438 s4.9 makes the response to them optional].
    /// - With `reno-friendly = "rfc8312"`, each acknowledgement enlarges W_est, as in RFC 9438. In [RFC8312 s4.2 Eq. 4] W_est follows
    ///   the clock. The two are equal while the sender uses its whole window.
    /// - An echoed mark reduces from FlightSize or cwnd, whichever is smaller, so that it never enlarges the window.
    /// - In the Reno-friendly region, a window above W_est does not fall to it.
    /// - A window that equals ssthresh is in congestion avoidance; [RFC5681 s3.1] leaves this open, and [RFC9438 s4.10] has slow
    ///   start.
    /// - HyStart++, which [RFC9438 s4.10] recommends, is off by default.
    /// - HyStart as in Linux needs a round-trip time with every acknowledgement and omits the allowance for segmentation offload.
    /// - The first round of HyStart++ ends with the first acknowledgement: windowEnd starts as SND.NXT before anything is sent,
    ///   which [RFC9406 s4.2] leaves open. The second round is compared with the round trip of that acknowledgement.
    /// - Marks reduce the window to no less than one segment. The timer then does not slow the sender further, as [RFC9438 s4.6] and
    ///   [RFC3168 s6.1.2] ask for.
    /// - An acknowledgement received while the application has nothing to send does not change the window, and the time until the
    ///   next one does not count [RFC9438 s4.2, s5.8]. In slow start this holds only if less than half of the window was used.
    /// - RTT is the smoothed round trip [RFC9438 s4.2].
    /// - With `arithmetic = "linux"`, K is an exact cube root, not one from a table and one step of Newton's method. The time in which
    ///   nothing is outstanding counts from the last acknowledgement, not from the last segment.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.cubic = { hystart = true } }
    /// ```
    ///
    /// ## References
    /// RFC 9438; RFC 8312; RFC 9406 (HyStart++); Ha, Rhee and Xu [Ha08]; Ha and Rhee [Ha08b] (HyStart); RFC 8511 (ABE).
    pub struct Parameters {
        /// Aggressiveness of window growth (C), in segments per cubic second [RFC9438 s5.1].
        c: Positive = "0.4", changeable;
        /// Factor by which congestion multiplies the window (beta_cubic) [RFC9438 s4.6]; Reno has 0.5.
        beta: Probability = "0.7", changeable;
        /// Whether a flow whose window did not reach W_max again releases bandwidth to others [RFC9438 s4.7].
        fast_convergence: bool = "true";
        /// Factor by which an echoed mark multiplies the window, if not `beta` [RFC8511 s3]; 0.85 is proposed there for CUBIC.
        ecn_beta: Option<Probability>;
        /// Whether slow start ends before a loss.
        hystart: bool = "false";
        /// The algorithm that ends slow start, with `hystart`; HyStart++ if left out.
        hystart_algorithm: Option<HyStartAlgorithm>;
        /// Maximum number of acknowledged segments by which an acknowledgement enlarges the window (L) [RFC9438 s4.2: segments_acked];
        /// each acknowledgement counts once if left out.
        byte_counting_limit: Option<Count>;
        /// Growth of small windows, on which CUBIC alone is slower than Reno [RFC9438 s4.3].
        reno_friendly: RenoFriendly = "rfc9438";
        /// Arithmetic of the window.
        arithmetic: Arithmetic = "floating-point";
        /// Tick of the kernel's clock, with `arithmetic = "linux"`; divides a second. 4 ms if left out (`CONFIG_HZ_250`),
        /// 1 ms with `CONFIG_HZ_1000`.
        tick: Option<Duration>;
    }
}

crate::choice! {
    /// Arithmetic of CUBIC's window.
    pub enum Arithmetic {
        /// The window has fractions of a segment [RFC9438 s4.2].
        "floating-point" => FloatingPoint,
        /// The window is whole segments, and time is in ticks (`tick`). Linux (`bictcp_update`, `tcp_cong_avoid_ai`).
        "linux" => Linux,
    }
}

crate::choice! {
    /// The Reno-friendly region of CUBIC, where the window is W_est.
    pub enum RenoFriendly {
        /// W_est grows by alpha = 3 (1 - beta) / (1 + beta) segments per round trip, and by 1, as with Reno, once it has reached the
        /// window before the last reduction (cwnd_prior) [RFC9438 s4.3].
        "rfc9438" => Rfc9438,
        /// W_est grows by alpha throughout [RFC8312 s4.2]: 0.53 segments per round trip with a beta of 0.7.
        "rfc8312" => Rfc8312,
        /// No such region: the cubic alone, which is slower than Reno with small windows or short round trips.
        "none" => None,
    }
}

crate::choice! {
    /// How slow start ends before a loss.
    pub enum HyStartAlgorithm {
        /// HyStart++, for the first slow start: a longer round trip begins five rounds of slower growth [RFC9406].
        "hystart-plus-plus" => PlusPlus,
        /// HyStart, for every slow start: a longer round trip or a long train of acknowledgements ends it [Ha08b]; with the constants
        /// of Linux.
        "linux" => Linux,
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.beta.0 <= 0.0 || self.beta.0 >= 1.0 {
            mistake("beta", format!("{} is out of range; above 0 and below 1", self.beta.0));
        }
        if let Some(beta) = self.ecn_beta.filter(|beta| beta.0 <= 0.0 || beta.0 >= 1.0) {
            mistake("ecn-beta", format!("{} is out of range; above 0 and below 1", beta.0));
        }
        if self.hystart_algorithm.is_some() && !self.hystart {
            mistake("hystart-algorithm", "has no effect without hystart = true; leave it out".to_owned());
        }
        if let Some(tick) = self.tick {
            if self.arithmetic != Arithmetic::Linux {
                mistake("tick", "has no effect without arithmetic = \"linux\"; leave it out".to_owned());
            }
            if tick == Duration::ZERO || !SECOND.as_ps().is_multiple_of(tick.as_ps()) {
                mistake("tick", format!("{tick} does not divide a second; the kernel can be configured for 10, 4 or 1 ms"));
            }
        }
    }
}

/// The control of a connection. Windows are in segments, times of the cubic in seconds.
#[derive(Clone, Debug)]
pub struct Cubic {
    c: f64,
    beta: f64,
    fast_convergence: bool,
    /// Factor after an echoed mark.
    ecn_beta: Option<f64>,
    /// Maximum number of newly acknowledged segments that count per acknowledgement (L).
    limit: u32,
    hystart: Option<HyStart>,
    linux_hystart: Option<LinuxHyStart>,
    reno_friendly: RenoFriendly,
    /// State of `arithmetic = "linux"`.
    segments: Option<Box<SegmentCount>>,
    smoothed_rtt: f64,
    /// W_max.
    w_max: f64,
    /// Window before the last reduction (cwnd_prior).
    prior: f64,
    /// Whether W_max is undefined: slow start ended without congestion, or a timeout occurred [RFC9438 s4.8, s4.10].
    without_w_max: bool,
    /// State of congestion avoidance; `None` before it begins.
    epoch: Option<Epoch>,
    /// Arrival time of the last acknowledgement.
    last_ack: Time,
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// Start of the epoch, postponed by all times in which the window was not used.
    start: Time,
    /// K, in seconds.
    k: f64,
    /// W_est.
    w_est: f64,
    /// alpha_cubic.
    alpha: f64,
}

impl Cubic {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Cubic {
        let is_linux = parameters.hystart_algorithm == Some(HyStartAlgorithm::Linux);
        Cubic {
            c: parameters.c.0,
            beta: parameters.beta.0,
            fast_convergence: parameters.fast_convergence,
            ecn_beta: parameters.ecn_beta.map(|beta| beta.0),
            limit: parameters.byte_counting_limit.map_or(1, |limit| limit.0),
            hystart: (parameters.hystart && !is_linux).then(|| HyStart::new(context.paced)),
            linux_hystart: (parameters.hystart && is_linux).then(|| LinuxHyStart::new(context.paced)),
            reno_friendly: parameters.reno_friendly,
            segments: (parameters.arithmetic == Arithmetic::Linux)
                .then(|| Box::new(SegmentCount::new(parameters.tick.unwrap_or(DEFAULT_TICK)))),
            smoothed_rtt: 0.0,
            w_max: 0.0,
            prior: 0.0,
            without_w_max: true,
            epoch: None,
            last_ack: Time::ZERO,
        }
    }

    /// W_cubic(t) [RFC9438 s4.2 Figure 1].
    #[inline]
    fn w_cubic(&self, k: f64, t: f64) -> f64 {
        let d = t - k;
        self.c * d * d * d + self.w_max
    }

    /// Starts congestion avoidance with the window `cwnd`.
    fn begin_epoch(&mut self, now: Time, cwnd: f64) -> Epoch {
        if self.without_w_max {
            self.w_max = cwnd;
            self.prior = self.prior.max(cwnd);
        }
        // [RFC9438 s4.2 Figure 2]; K is zero if the window is already beyond W_max.
        let k = libm::cbrt((self.w_max - cwnd).max(0.0) / self.c);
        // Factor with which additive increase gets the share of Reno for this `beta` [RFC9438 s4.3].
        let alpha = 3.0 * (1.0 - self.beta) / (1.0 + self.beta);
        Epoch { start: now, k, w_est: cwnd, alpha }
    }

    /// Performs congestion avoidance [RFC9438 s4.2 to s4.5].
    #[inline]
    fn avoid_congestion(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin_epoch(ack.now, window.size),
        };
        if ack.app_limited {
            epoch.start += ack.now.since(self.last_ack.max(epoch.start));
        } else {
            let cwnd = window.size;
            epoch.w_est += epoch.alpha * f64::from(ack.newly) / cwnd;
            if self.reno_friendly == RenoFriendly::Rfc9438 && epoch.w_est >= self.prior {
                epoch.alpha = 1.0; // as fast as Reno after reaching the window before the reduction [RFC9438 s4.3]
            }
            let t = ack.now.since(epoch.start).as_seconds();
            let is_friendly = self.reno_friendly != RenoFriendly::None && self.w_cubic(epoch.k, t) < epoch.w_est;
            window.size = if is_friendly {
                cwnd.max(epoch.w_est)
            } else {
                let target = self.w_cubic(epoch.k, t + self.smoothed_rtt).max(cwnd).min(1.5 * cwnd);
                cwnd + f64::from(ack.newly.min(self.limit)) * ((target - cwnd) / cwnd)
            };
            window.size = window.size.min(f64::from(window.max));
        }
        self.epoch = Some(epoch);
    }

    /// Reduces the window `cwnd`: sets W_max [RFC9438 s4.7] and ssthresh [RFC9438 s4.6].
    fn reduce(&mut self, in_flight: u32, beta: f64, window: &mut Window) -> f64 {
        let cwnd = window.size;
        let converges = self.fast_convergence && cwnd < self.w_max;
        self.w_max = if converges { cwnd * (1.0 + self.beta) / 2.0 } else { cwnd };
        self.prior = cwnd;
        self.epoch = None;
        self.hystart = None; // for the first slow start only [RFC9406 s4.3]
        let mut reduced = f64::from(in_flight) * beta;
        if let Some(segments) = &mut self.segments {
            segments.on_reduction();
            self.w_max = if converges { scaled(1.0 + self.beta, cwnd.floor() / 2.0) } else { cwnd.floor() };
            reduced = scaled(beta, f64::from(in_flight)).max(2.0);
        }
        window.threshold = reduced.max(2.0);
        reduced
    }
}

crate::state! {
    impl Cubic, |it, _now| {
        /// Window before the last reduction, after fast convergence (W_max) [RFC9438 s4.1.2].
        "w-max", "segments", maybe (!it.without_w_max).then_some(it.w_max);
        /// Time that the cubic takes to reach W_max, in congestion avoidance (K) [RFC9438 s4.2].
        "k", "s", maybe it.epoch.map(|epoch| epoch.k);
        /// Window of Reno, in congestion avoidance (W_est) [RFC9438 s4.3].
        "w-est", "segments", maybe it.epoch.filter(|_| it.reno_friendly != RenoFriendly::None).map(|epoch| epoch.w_est);
    }
}

impl CongestionControl for Cubic {
    #[inline]
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() {
            if let Some(hystart) = &mut self.linux_hystart {
                hystart.on_ack(ack, window);
            }
            match &mut self.hystart {
                Some(hystart) => hystart.on_ack(ack, window),
                None if ack.app_limited && 2.0 * f64::from(ack.in_flight) < window.size => {}
                None if self.segments.is_some() => self.grow_in_segments(ack, window),
                None => window.grow_by_acknowledged(ack.newly.min(self.limit)),
            }
        } else {
            self.hystart = None;
            match self.segments {
                Some(_) => self.grow_in_segments(ack, window),
                None => self.avoid_congestion(ack, window),
            }
        }
        self.last_ack = ack.now;
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        let beta = self.ecn_beta.filter(|_| congestion.cause == Cause::Ecn).unwrap_or(self.beta);
        let reduced = self.reduce(congestion.in_flight, beta, window);
        self.without_w_max = false;
        if congestion.cause == Cause::Ecn {
            window.size = reduced.max(1.0); // [RFC9438 s4.6]
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            self.reduce(timeout.in_flight, self.beta, window);
        }
        if let Some(hystart) = &mut self.linux_hystart {
            hystart.on_timeout();
        }
        if let Some(segments) = &mut self.segments {
            segments.on_timeout();
        }
        self.without_w_max = true;
        self.epoch = None;
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.smoothed_rtt = sample.smoothed.as_seconds();
        if let Some(segments) = &mut self.segments {
            segments.on_rtt_sample(sample.now, sample.rtt, self.epoch.as_ref());
        }
        if let Some(hystart) = &mut self.hystart {
            hystart.on_rtt_sample(sample.rtt);
        }
        if let Some(hystart) = &mut self.linux_hystart {
            hystart.on_rtt_sample(sample.rtt);
        }
    }

    /// Times in which nothing was outstanding do not count [RFC9438 s4.2].
    fn on_resume(&mut self, now: Time, _window: &mut Window) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now.since(self.last_ack.max(epoch.start));
            self.last_ack = now;
        }
    }

    fn rtt_sampling(&self) -> RttSampling {
        if self.hystart.is_some() || self.linux_hystart.is_some() || self.segments.is_some() {
            RttSampling::EveryAck
        } else {
            RttSampling::OncePerRound
        }
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        if let Some(epoch) = self.epoch.as_mut().filter(|_| it.c.0 != self.c) {
            // The cubic with the new C passes through the current window.
            let t = now.since(epoch.start).as_seconds();
            epoch.k = t - (t - epoch.k) * libm::cbrt(self.c / it.c.0);
        }
        (self.c, self.beta) = (it.c.0, it.beta.0);
    }
}

#[cfg(test)]
mod tests;
