//! TCP Prague.

use super::{Acknowledgement, Cause, Congestion, CongestionControl, ConnectionContext, RttSample, Timeout, Window};
use super::{EcnCapable, EcnCodepoint, EcnEcho, EcnFeedback, EcnUse};
use crate::parameters::{own, Check, Probability};
use crate::units::{Duration, Time};
use std::any::Any;

crate::parameters! {
    /// Prague: DCTCP's reduction for the Internet, with paced segments, ECT(1), and growth that does not favour short round trips.
    ///
    /// ## Decides
    /// Acknowledgements count marked segments (AccECN). Once per virtual round trip R_v, the longer of the smoothed round trip R and
    /// `virtual-rtt`, the sender updates $alpha = (1 - g) alpha + g M$, where M is the share of marked segments among those delivered
    /// in it; alpha is 1 until the first mark. The first mark of a window of data multiplies cwnd by $1 - alpha / 2$ and sets ssthresh
    /// to cwnd. Each acknowledged segment without a mark increases cwnd, even in a window with a reduction. The increase is one
    /// segment in slow start, afterwards $(R / R_v)^2 / cwnd$, so that the rates of connections with different round trips grow
    /// alike. A loss halves the window as with Reno, even if a mark has reduced it before.
    ///
    /// ## State
    /// alpha, three counts, the smoothed round trip and the time of the next update. Constant cost per acknowledgement.
    ///
    /// ## Departures
    /// - cwnd is at least two segments after a mark.
    /// - Growth at short round trips is reduced from the start; in Linux, only after 500 round trips. Two reductions are at least a
    ///   window of data apart; in Linux, a virtual round trip.
    /// - The option of AccECN counts marked segments, not bytes, and starts at 5 as the flags do. It replaces a third SACK block
    ///   and adds nothing to the length of acknowledgements. The SYN exchange does not report the codepoints that arrived.
    /// - If `ecn-echo` says that the receiver lacks AccECN, Reno replaces Prague from the start, with ECT(0) if the receiver has
    ///   ECN; in Linux, once the SYN exchange has shown it.
    /// - A queue that marks by [RFC3168] is not distinguished from an L4S queue: there is no fallback to Reno's response to marks.
    /// - The pacing rate is the one of any paced sender here, 1.2 windows per round trip in congestion avoidance; in Linux it is
    ///   one window.
    /// - A loss halves the outstanding data; the factor and growth of CUBIC are not used after a loss, and reductions by marks are never
    ///   undone.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { congestion-control.prague = {}, ecn = true }
    /// ```
    ///
    /// ## References
    /// draft-briscoe-iccrg-prague-congestion-control [Briscoe24 s2.3, s2.4] and its implementation in Linux; RFC 9331 s4; RFC 9768; RFC 8257.
    pub struct Parameters {
        /// Weight of the last virtual round trip in alpha (g) [Briscoe24 s2.3.2].
        gain: Probability = "1/16", changeable;
        /// Reference round trip: connections with a shorter one grow as with this one [Briscoe24 s2.4.4].
        virtual_rtt: Duration = "25 ms", changeable;
        /// Whether acknowledgements carry AccECN's option with the count of marks, and not only three bits of it in their flags. Without
        /// the option, an acknowledgement of eight or more segments counts as many marks as the flags allow [RFC9768 sA.2.1].
        accecn_option: bool = "true";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        // 0 would keep alpha at 1, 1 would not smooth at all.
        if self.gain.0 <= 0.0 || self.gain.0 >= 1.0 {
            mistake("gain", format!("{} is out of range; above 0 and below 1", self.gain.0));
        }
    }
}

/// The control of a connection. Counts are in segments, since all segments have the same size.
#[derive(Clone, Debug)]
pub struct Prague {
    gain: f64,
    virtual_rtt: Duration,
    echo: EcnEcho,
    alpha: f64,
    delivered: u32,
    marked: u32,
    /// Number of segments whose marks have been counted since the window last grew.
    marked_since_growth: u32,
    /// Whether a mark has been seen. From then on alpha is updated.
    has_seen_mark: bool,
    /// Smoothed round trip; `None` before the first measurement.
    smoothed: Option<Duration>,
    /// Time of the next update of alpha.
    due: Time,
}

impl Prague {
    /// The control of a new connection.
    pub fn new(parameters: &Parameters, _context: &ConnectionContext) -> Prague {
        Prague {
            gain: parameters.gain.0,
            virtual_rtt: parameters.virtual_rtt,
            echo: if parameters.accecn_option { EcnEcho::CountWithOption } else { EcnEcho::Count },
            alpha: 1.0,
            delivered: 0,
            marked: 0,
            marked_since_growth: 0,
            has_seen_mark: false,
            smoothed: None,
            due: Time::ZERO,
        }
    }

    /// Growth in segments per round trip.
    fn increase(&self) -> f64 {
        let Some(rtt) = self.smoothed.filter(|rtt| *rtt < self.virtual_rtt) else { return 1.0 };
        let ratio = rtt.as_seconds() / self.virtual_rtt.as_seconds();
        ratio * ratio
    }
}

crate::state! {
    impl Prague, |it, _now| {
        /// Estimated share of marked segments (alpha).
        "alpha", "1", is it.alpha;
        /// Segments by which cwnd grows per round trip, after slow start.
        "increase", "segments", is it.increase();
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let unmarked = f64::from(ack.newly.saturating_sub(std::mem::take(&mut self.marked_since_growth)));
        if !ack.in_recovery {
            window.size += if window.is_in_slow_start() { unmarked } else { unmarked * self.increase() / window.size };
            window.size = window.size.min(f64::from(window.max));
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        match congestion.cause {
            Cause::Loss => window.halve_threshold(congestion.in_flight),
            Cause::Ecn => {
                window.size = (window.size * (1.0 - self.alpha / 2.0)).max(2.0);
                window.threshold = window.size;
            }
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        if !timeout.repeated {
            window.halve_threshold(timeout.in_flight);
        }
    }

    fn on_rtt_sample(&mut self, sample: &RttSample, _window: &mut Window) {
        self.smoothed = Some(sample.smoothed);
    }

    fn ecn_use(&self) -> EcnUse {
        EcnUse { required: true, echo: self.echo, capable: EcnCapable::Segments, codepoint: EcnCodepoint::Ect1 }
    }

    /// A retransmitted segment may be marked too, so there may be more marks than delivered segments.
    fn on_ecn_feedback(&mut self, feedback: &EcnFeedback) {
        self.delivered += feedback.delivered;
        self.marked += feedback.marked;
        self.marked_since_growth += feedback.marked;
        self.has_seen_mark |= feedback.marked > 0;
        if feedback.now < self.due || self.delivered == 0 {
            return;
        }
        if self.has_seen_mark {
            let share = (f64::from(self.marked) / f64::from(self.delivered)).min(1.0);
            self.alpha = self.alpha * (1.0 - self.gain) + self.gain * share;
        }
        (self.delivered, self.marked) = (0, 0);
        self.due = feedback.now + self.smoothed.unwrap_or(self.virtual_rtt).max(self.virtual_rtt);
    }

    fn paces(&self) -> bool {
        true
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        let it: &Parameters = own(parameters);
        (self.gain, self.virtual_rtt) = (it.gain.0, it.virtual_rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::context;
    use super::*;
    use crate::parameters::testing::read;

    fn prague(lines: &[&str]) -> Prague {
        Prague::new(&read::<Parameters>(lines).expect("sound"), &context(1460))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn ack(newly: u32) -> Acknowledgement {
        let now = ms(1);
        Acknowledgement {
            now,
            newly,
            delivered: 0,
            acknowledged: 0,
            next: 0,
            in_flight: 10,
            app_limited: false,
            ece: false,
            in_recovery: false,
        }
    }

    fn sample(it: &mut Prague, rtt: u64) {
        let rtt = Duration::from_ms(rtt);
        let mut window = Window { size: 10.0, threshold: 2.0, max: 1000 };
        it.on_rtt_sample(&RttSample { now: Time::ZERO, rtt, smoothed: rtt }, &mut window);
    }

    #[test]
    fn a_short_round_trip_grows_by_the_square_of_its_share() {
        for (rtt, expected) in [(5, 10.0 + 0.04 / 10.0), (25, 10.1), (100, 10.1)] {
            let mut it = prague(&[]);
            sample(&mut it, rtt);
            let mut window = Window { size: 10.0, threshold: 2.0, max: 1000 };
            it.on_ack(&ack(1), &mut window);
            assert!((window.size - expected).abs() < 1e-12, "{rtt} ms: {}", window.size);
        }
        let mut window = Window { size: 10.0, threshold: 20.0, max: 1000 };
        prague(&[]).on_ack(&ack(2), &mut window);
        assert_eq!(window.size, 12.0);
        prague(&[]).on_ack(&Acknowledgement { in_recovery: true, ..ack(2) }, &mut window);
        assert_eq!(window.size, 12.0);
    }

    #[test]
    fn only_unmarked_segments_make_the_window_grow() {
        let mut it = prague(&[]);
        let mut window = Window { size: 10.0, threshold: 2.0, max: 1000 };
        let feedback = EcnFeedback { now: ms(1), acknowledged: 2, newly: 2, next: 10, delivered: 2, ece: true, marked: 1 };
        // One mark in two segments, then two in duplicate acknowledgements before one of three: 1 / 10, then 1 / 10.1.
        it.on_ecn_feedback(&feedback);
        it.on_ack(&Acknowledgement { ece: true, ..ack(2) }, &mut window);
        assert_eq!(window.size, 10.1);
        (0..2).for_each(|_| it.on_ecn_feedback(&EcnFeedback { newly: 0, delivered: 1, ..feedback }));
        it.on_ack(&ack(3), &mut window);
        assert_eq!(window.size, 10.1 + 1.0 / 10.1);
        // More marks than segments, since retransmitted segments are marked too.
        it.on_ecn_feedback(&EcnFeedback { newly: 1, delivered: 1, marked: 2, ..feedback });
        it.on_ack(&ack(1), &mut window);
        assert_eq!(window.size, 10.1 + 1.0 / 10.1);
    }

    #[test]
    fn alpha_moves_once_per_virtual_round_trip_from_the_first_mark_on() {
        let mut it = prague(&[]);
        sample(&mut it, 5);
        let mut alphas = Vec::new();
        // No mark until 5 ms. 25 ms after 0, M = 1/4, with 2 marks of 8 segments: 15/16 + 1/4 / 16. Then M = 0.
        for (now, delivered, marked) in [(0, 1, 0), (5, 2, 1), (10, 0, 0), (24, 5, 1), (25, 1, 0), (50, 4, 0)] {
            let feedback = EcnFeedback { now: ms(now), acknowledged: 1, newly: 1, next: 10, delivered, ece: marked > 0, marked };
            it.on_ecn_feedback(&feedback);
            alphas.push(it.alpha);
        }
        let updated = 0.9375 + 0.25 / 16.0;
        assert_eq!(alphas, [1.0, 1.0, 1.0, 1.0, updated, updated * 0.9375]);
    }

    #[test]
    fn a_mark_reduces_by_half_of_alpha_and_a_loss_by_half() {
        let mut it = prague(&[]);
        it.alpha = 0.5;
        let mut window = Window { size: 20.0, threshold: 1000.0, max: 1000 };
        it.on_congestion(&Congestion { now: ms(1), cause: Cause::Ecn, in_flight: 20 }, &mut window);
        assert_eq!((window.size, window.threshold), (15.0, 15.0));
        it.on_congestion(&Congestion { now: ms(1), cause: Cause::Loss, in_flight: 15 }, &mut window);
        assert_eq!(window.threshold, 7.0);
        window.size = 2.5;
        it.on_congestion(&Congestion { now: ms(2), cause: Cause::Ecn, in_flight: 2 }, &mut window);
        assert_eq!(window.size, 2.0);
    }

    #[test]
    fn a_gain_outside_of_its_range_is_refused() {
        assert!(read::<Parameters>(&["gain = 0"]).is_err() && read::<Parameters>(&["gain = 1"]).is_err());
    }
}
