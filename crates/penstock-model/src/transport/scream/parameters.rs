//! The parameters of SCReAM.

use crate::parameters::{Check, Fraction, Positive, Probability};
use crate::units::{Bytes, Duration, Rate};

/// Maximum size of an IP packet.
pub(super) const MAX_PACKET: u64 = 65_535;

crate::parameters! {
    /// SCReAM: congestion control of interactive media, which sets the rate of the source and queues its packets.
    ///
    /// ## Decides
    /// The packets of the source wait in the sender's RTP queue. They leave in order, paced at the congestion window (cwnd) per smoothed
    /// round trip, while they fit into the send window. This is cwnd less the bytes in flight, plus one packet if the queueing delay of
    /// the path is at most its target (qdelay_target). The receiver reports which packets have arrived, when the newest one did, and how
    /// many were marked.
    ///
    /// | event | cwnd | rate of the source |
    /// |---|---|---|
    /// | feedback in fast increase | grows by the acknowledged bytes if it is used | every 0.2 s: + `ramp-up-speed` x 0.2 s |
    /// | feedback otherwise | + acknowledged bytes x packet / cwnd x (1 - qdelay / qdelay_target) | every 0.2 s: up by at most `ramp-up-speed` x 0.2 s, or down if the RTP queue is long |
    /// | loss | x `beta-loss`, at most once per round trip | x `beta-rate` |
    /// | mark, with `ecn` | x `beta-ecn`, at most once per round trip | x `beta-ecn` |
    ///
    /// Fast increase ends when the trend of the queueing delay shows congestion, or at a loss or mark; it resumes after 5 s without
    /// congestion. qdelay_target is between its two limits: it rises where competing flows keep the queue long. The source must follow
    /// requests for another rate, as `video` does. It starts at its own `rate`.
    ///
    /// ## State
    /// At the sender the RTP queue, the packets in flight, the last 200 queueing delays and 51 rates, the window and the target; at the
    /// receiver 64 bits and four numbers.
    ///
    /// ## Departures
    /// - One stream per connection.
    /// - The target begins at the source's `rate`; in the RFC it begins at zero, and the lower limit raises it.
    /// - A report covers the newest packet and the 64 before it, and comes after `feedback-interval` or 32 packets. It has one size.
    /// - Round trips include the time that the newest packet waits for the report, which the feedback of the RFC does not contain.
    /// - The fraction of round trips with losses is an average with weight 1/100 per round trip; the RFC does not define it. The base delay is the
    ///   minimum of the last ten minutes, as in [RFC6817 s2.4.2].
    /// - The five seconds after which fast increase resumes also count from the last loss or mark. `target_bitrate_last_max` is set at losses,
    ///   at marks and at the end of fast increase.
    /// - Without feedback, packets leave at 50 kbit/s, the minimum rate [RFC8298 s7].
    /// - Nothing is discarded from the RTP queue, however long its packets wait.
    /// - The draft of the second version has no fast increase, derives the target from window and round trip, reacts to the share of marks
    ///   (L4S), and lets bytes in flight exceed the window [Johansson26 s1.3]. That is not implemented.
    ///
    /// ## Example
    /// ```toml
    /// source.video = { rate = "300 kbit/s" }
    /// transport.scream = { max-rate = "2.5 Mbit/s", ecn = true }
    /// ```
    ///
    /// ## References
    /// [RFC8298 s4]; queueing delay [RFC6817 s2.4.2].
    pub struct Parameters {
        /// Lower limit of the target rate (TARGET_BITRATE_MIN).
        min_rate: Rate = "150 kbit/s";
        /// Upper limit of the target rate (TARGET_BITRATE_MAX).
        max_rate: Rate = "1.5 Mbit/s";
        /// Send ECN-capable packets, ECT(0), and react to marks.
        ecn: bool = "false";
        /// Maximum increase of the target rate per second (RAMP_UP_SPEED).
        ramp_up_speed: Rate = "200 kbit/s";
        /// Factor of the window at a loss (BETA_LOSS).
        beta_loss: Fraction = "0.8";
        /// Factor of the window and of the target rate at a mark (BETA_ECN).
        beta_ecn: Fraction = "0.9";
        /// Factor of the target rate at a loss (BETA_R).
        beta_rate: Fraction = "0.9";
        /// Weight of the delay trend in the target rate (PRE_CONGESTION_GUARD).
        pre_congestion_guard: Probability = "0.1";
        /// Weight of the RTP queue in the target rate (TX_QUEUE_SIZE_FACTOR).
        queue_size_factor: Positive = "1";
        /// Lower limit of the target of the queueing delay, and its initial value (QDELAY_TARGET_LO).
        min_delay_target: Duration = "100 ms";
        /// Upper limit of the target of the queueing delay; if it equals the lower limit, competing flows are not compensated (QDELAY_TARGET_HI).
        max_delay_target: Duration = "400 ms";
        /// Bytes of a packet that are not media: 20 of IP, 8 of UDP and 12 of RTP.
        header: Bytes = "40 bytes";
        /// Size of a report: 28 bytes of IP and UDP and 44 of RTCP [RFC8298 s4.2.1].
        report: Bytes = "72 bytes";
        /// Time from report to report; if left out, the time in which 10000 bits arrive, between 20 and 400 ms [RFC8298 s4.2.2].
        feedback_interval: Option<Duration>;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.min_rate > self.max_rate {
            mistake("min-rate", format!("{} is above the max-rate of {}", self.min_rate, self.max_rate));
        }
        if self.min_delay_target == Duration::ZERO {
            mistake("min-delay-target", "must be above 0 s".to_owned());
        }
        if self.min_delay_target > self.max_delay_target {
            mistake("min-delay-target", format!("{} is above the max-delay-target of {}", self.min_delay_target, self.max_delay_target));
        }
        if self.feedback_interval == Some(Duration::ZERO) {
            mistake("feedback-interval", "must be above 0 s".to_owned());
        }
        if self.report.get() > MAX_PACKET {
            mistake("report", format!("{} is larger than an IP packet can be, {MAX_PACKET} bytes", self.report));
        }
    }
}
