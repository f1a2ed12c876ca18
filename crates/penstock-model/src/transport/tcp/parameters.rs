//! The parameters of TCP.

use super::mark_echo::MarkEcho;
use super::pacer::PacingRate;
use super::profiles::{Profile, PROFILES};
use super::push::Push;
use super::receiver::DEFAULT_DELAY;
use super::reductions::{EcnReduction, ThresholdFrom};
use super::rtt::RtoEstimation;
use super::window_validation::WindowValidation;
use crate::packet::SackBlocks;
use crate::parameters::{Amount, Check, Count, CountOrZero, Limit};
use crate::site::Site;
use crate::transport::congestion_control::{reno as reno_control, CongestionControlPlan, ConnectionContext, Needs, Window};
use crate::transport::jitter::JitterLaw;
use crate::transport::recovery::new_reno::PartialAckTimer;
use crate::transport::recovery::{new_reno, reno, sack, tahoe, RecoverCheck, RecoveryPlan, RetransmitDelay};
use crate::units::{Bytes, Duration};

crate::parameters! {
    /// TCP: reliable, in-order delivery at a rate limited by congestion control.
    ///
    /// ## Decides
    /// The sender keeps min(cwnd, max-window) segments outstanding. The `congestion-control` sets cwnd and ssthresh, and the `recovery`
    /// detects and repairs losses; `variant` is a preset of both. If no acknowledgement arrives until the retransmission timer expires,
    /// cwnd becomes one segment, and sending continues from the first unacknowledged segment. With `ecn`, the congestion control
    /// reduces cwnd on an echoed mark, once per window of data, without a retransmission. With `pacing`, segments leave at a given
    /// rate instead of as soon as the window admits them.
    ///
    /// With `timestamps`, every acknowledgement of new data measures the round trip, even that of a retransmission. So the first such
    /// acknowledgement after a timeout ends the back-off. If it echoes the timestamp of the first transmission, the segment was not lost
    /// and the timeout was spurious (Eifel detection): cwnd and ssthresh return to their values before the timeout, and sending
    /// continues with new segments.
    ///
    /// ## State
    /// About 400 bytes for both ends, plus the state of the congestion control. Ranges of segments use memory only while some are
    /// missing. Constant cost per packet without loss.
    ///
    /// ## Departures
    /// - Sequence numbers count full-sized segments. Data flows one way. The receiver's application always reads; `max-window` represents
    ///   the receiver's window and the sender's buffer.
    /// - After a timeout, the sender resends from the first unacknowledged segment on (go-back-N) until acknowledgements cover
    ///   everything sent before the timeout.
    /// - Until then, duplicate acknowledgements start no fast retransmit [RFC6582 s3.2 (2)], and limited transmit sends nothing;
    ///   [RFC3042 s2] makes no such exception. Whether duplicates start a fast retransmit directly after a fast recovery depends on the
    ///   `recovery`.
    /// - FlightSize, which a loss or a timeout halves [RFC5681 s3.1 (4)], leaves out the last segments of limited transmit. In
    ///   go-back-N it counts the segments sent since the timeout. At a timeout in fast recovery it counts only up to ssthresh: a
    ///   window above that was inflated by duplicates, whose segments have left the network.
    /// - The retransmission timer restarts when fast retransmit begins; [RFC6298 s5] does not restart it.
    /// - Without `timestamps`, one segment per round trip is timed, as [RFC6298 s3] permits; retransmitted segments are not timed.
    /// - `timestamps` does not enlarge packets: `header` is 12 bytes larger with the option, 52 instead of 40. The timestamps of a SYN
    ///   exchange are not used. With retransmissions, the echo is the timestamp of the last transmission of the first segment that is
    ///   newly acknowledged, even if a lost acknowledgement had covered it. Samples have full weight, however many a round trip has;
    ///   [RFC7323 sG] reduces the weight.
    /// - After a spurious timeout, cwnd and ssthresh return to their values before it, as in Linux; [RFC4015 s3.2] begins with a
    ///   smaller cwnd. A spurious fast retransmit is undone only with `dsack`.
    /// - Each sender's clock starts at a random offset within `timer-tick`, as in ns-2. With the same offset, senders that begin
    ///   together would all have their first round trip rounded down.
    /// - Both ends have the same parameters except `ecn-echo`, which describes the receiver; a lost SYN is sent again with ECN.
    /// - Connections are not closed.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.cubic = {}, ecn = true, pacing = true }
    /// ```
    /// A `profile` is a named set of values; written values take precedence, also for single parameters of a component:
    /// ```toml
    /// transport.tcp = { profile = "linux-6", congestion-control.cubic = { beta = 0.8 } }
    /// ```
    /// For the defaults of ns-2 in 1999, combine a variant, such as `variant = "tahoe"`, with `profile = "ns-2"`.
    ///
    /// ## References
    /// RFC 5681 (congestion control), RFC 6298 (timer), RFC 3042 (limited transmit), RFC 6928 (initial window), RFC 3168
    /// (ECN), RFC 9002 s7.7 (pacing), RFC 7323 (timestamps), RFC 3522 and RFC 4015 (Eifel); Fall and Floyd [Fall96 s2] compare the variants.
    pub struct Parameters with profiles PROFILES {
        /// A named set of values for parameters that are not written; `penstock explain tcp --profile linux-6` lists one.
        profile: Profile = "rfc";
        /// A preset of recovery and congestion control.
        variant: Option<Variant>;
        /// Detection and repair of losses; if neither it nor a variant is given, `new-reno`, or `sack` if the congestion control needs
        /// to know which segments arrive (`bbr`, `bbr3`).
        recovery: Option<RecoveryPlan>;
        /// Algorithm that sets cwnd and ssthresh; `reno` if left out.
        congestion_control: Option<CongestionControlPlan>, changeable;
        /// Size of a data packet on the wire, headers included.
        packet: Bytes = "1500 bytes";
        /// Size of a packet without data (acknowledgements, connection set-up), and of the headers in a data packet.
        header: Bytes = "40 bytes";
        /// Initial congestion window (IW), at most `max-window`; ten packets [RFC6928 s2]. RFC 3390 had 2 to 4 packets, RFC 2001 and
        /// ns-2 before 2001 one.
        initial_window: Amount = "10 packets";
        /// Maximum of outstanding segments, up to 2^20; a value in bytes counts payload, as a receiver's window does. ns-2 had 20
        /// packets.
        max_window: Amount = "1000 packets";
        /// Window at which slow start ends (initial ssthresh); `max-window` if left out [RFC5681 s3.1: arbitrarily high].
        initial_slow_start_threshold: Option<Amount>;
        /// Granularity of the clock that measures round trips (G); zero is exact. With a tick, timeouts are whole ticks, at least two.
        /// ns-2 had 100 ms until 2002, then 10 ms.
        timer_tick: Duration = "0 s";
        /// Retransmission timeout before the first measurement [RFC6298 s2.1]; RFC 2988 had 3 s, ns-2 6 s until 2002.
        initial_rto: Duration = "1 s";
        /// Minimum timeout, before back-off [RFC6298 s2.4]; ns-2 had none in 1999 and 200 ms from 2004.
        min_rto: Duration = "1 s";
        /// Computation of the timeout from round-trip times.
        rto: RtoEstimation = "rfc-6298";
        /// Maximum timeout [RFC6298 s2.5]; ns-2 had 100000 s until 2007.
        max_rto: Duration = "60 s";
        /// Maximum factor by which back-off multiplies the timeout; 64 in BSD and ns-2.
        max_backoff: Count = "64";
        /// In-order segments per acknowledgement: 1 acknowledges each, as in most published simulations; 2 delays acknowledgements
        /// as hosts should [RFC5681 s4.2].
        ack_every: Count = "1";
        /// Maximum delay of an acknowledgement, 100 ms if left out (ns-2); at most 500 ms [RFC5681 s4.2]. Linux has 40 ms.
        ack_delay: Option<Duration>;
        /// Upper limit of a delay that starts at `ack-delay` and adapts to the spacing of segments; at most 500 ms. The delay is
        /// constant if left out. Linux has 200 ms.
        max_ack_delay: Option<Duration>;
        /// Number of segments that are acknowledged one by one, regardless of `ack-every`: at the start of a connection, so that slow
        /// start is not slowed down; after a gap longer than the receiver's own timeout; and after a duplicate segment. A mark of
        /// congestion causes at most two of them. Linux has 16 (quick acknowledgements).
        quick_acks: CountOrZero = "0";
        /// Which segments have the PSH flag, and are acknowledged at once.
        push: Push = "none";
        /// Whether a sender that does not pace lets new segments wait for an acknowledgement expected within 1 ms, as in Linux, if
        /// they do not fill a packet of the host (TSO). Such a packet holds the segments that `pacing` would send in 1/1024 s, at least
        /// two.
        tso_defer: bool = "false";
        /// Whether the first duplicate acknowledgements allow new segments to be sent [RFC3042 s2].
        limited_transmit: bool = "true";
        /// Whether a connection begins with a SYN exchange, which also measures the round-trip time.
        syn: bool = "true";
        /// Whether segments carry timestamps, which acknowledgements echo [RFC7323 s4]. Uses memory for every outstanding segment.
        timestamps: bool = "false";
        /// Whether only one segment is sent again until it is clear that a timeout was not spurious (F-RTO) [RFC5682]: if the first
        /// acknowledgement is of new data, two new segments are sent. If the next one shows that segments sent before the timeout
        /// have arrived, cwnd and ssthresh return to their values before it.
        f_rto: bool = "false";
        /// Whether receivers report segments that arrive a second time (D-SACK) [RFC2883 s4]. If every segment that was sent again since
        /// a loss or a timeout is reported, cwnd and ssthresh return to their values before it, as in Linux.
        dsack: bool = "false";
        /// Whether a timeout keeps what selective acknowledgements have reported, so that only missing segments are sent again, as
        /// in Linux. [RFC2018 s5] discards it, since a receiver may have dropped what it reported. `recovery.rack` always keeps it.
        keep_scoreboard: bool = "false";
        /// Duplicate acknowledgements that indicate a loss (DupThresh) [RFC5681 s3.2].
        dup_ack_threshold: Count = "3";
        /// Treatment of a window that the application does not use.
        window_validation: WindowValidation = "none";
        /// Whether cwnd falls back to the initial window after an idle time longer than the timeout [RFC5681 s4.1].
        restart_after_idle: bool = "true";
        /// Which partial acknowledgements restart the timer; only for the variant `new-reno`; `first` if left out.
        partial_ack_timer: Option<PartialAckTimer>;
        /// Whether data segments are ECN-capable and the receiver echoes marks, in the way that the congestion control defines;
        /// negotiated by the SYN exchange, or assumed without one [RFC3168 s6.1].
        ecn: bool = "false";
        /// How the receiver echoes marks; if left out, as the congestion control defines it. The sender reads the echo given here. A
        /// control that counts marks (`prague`) needs `accecn`; otherwise Reno takes its place, as in Linux.
        ecn_echo: Option<MarkEcho>;
        /// Reduction of cwnd after an echoed mark.
        ecn_reduction: EcnReduction = "at-once";
        /// Quantity from which ssthresh is computed at congestion.
        ssthresh_from: ThresholdFrom = "flight-size";
        /// Whether segments leave at a paced rate instead of in bursts: the rate of the congestion control if it has one, otherwise
        /// cwnd per smoothed round trip, times 2 in slow start and 1.2 later (as in Linux) [RFC9002 s7.7].
        pacing: bool = "false";
        /// How the pacing rate is computed if the congestion control has none of its own; from cwnd if left out.
        pacing_rate: Option<PacingRate>;
        /// Behaviour of both ends when the queue of their host's own port is full.
        local_queue: LocalQueue = "drop";
        /// Random delay that hosts add to each packet of both ends, such as timer slack and coalesced interrupts. It is added where
        /// packets leave the port of their host, keeps the order within a flow, and draws from a stream of its own. It ends the
        /// lockstep of flows with equal round trips.
        jitter: Option<JitterLaw>;
    }
}

crate::choice! {
    /// Behaviour of a connection when the queue of its host's own port is full.
    pub enum LocalQueue {
        /// Passes packets on as a router does; a packet that does not fit is lost, and the loss reduces the window.
        "drop" => Drop,
        /// Waits for room: packets stay at the connection, and the port asks the waiting connections in turn (round robin).
        "backpressure" => Backpressure,
    }
}

crate::choice! {
    /// How a sender repairs losses that duplicate acknowledgements indicate, with Reno's congestion control.
    pub enum Variant {
        /// Resends from the loss on, from a window of one segment [Fall96 s2.1].
        "tahoe" => Tahoe,
        /// Resends one segment and halves the window; a further loss in the window starts a new recovery [RFC5681 s3.2].
        "reno" => Reno,
        /// Stays in recovery until everything sent before it is acknowledged; repairs one loss per round trip [RFC6582 s3].
        "new-reno" => NewReno,
        /// Resends the segments that the receiver's blocks show as missing, several per round trip [RFC6675 s5].
        "sack" => Sack,
    }
}

impl Variant {
    /// Recovery of this preset.
    fn recovery(self, partial_ack_timer: PartialAckTimer) -> RecoveryPlan {
        match self {
            Variant::Tahoe => RecoveryPlan::Tahoe(tahoe::Parameters {}),
            Variant::Reno => RecoveryPlan::Reno(reno::Parameters { recover_check: RecoverCheck::AfterTimeout }),
            Variant::NewReno => RecoveryPlan::NewReno(new_reno::Parameters { partial_ack_timer, recover_check: RecoverCheck::Careful }),
            Variant::Sack => RecoveryPlan::Sack(sack::Parameters { retransmit_delay: RetransmitDelay::None }),
        }
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.packet.get() > MAX_PACKET {
            mistake("packet", format!("{} is larger than an IP packet can be, {MAX_PACKET} bytes", self.packet));
        }
        if self.header >= self.packet {
            mistake("header", format!("{} leave no room for data in a packet of {}", self.header, self.packet));
        } else {
            self.check_windows(mistake);
        }
        if self.min_rto > self.max_rto {
            mistake("min-rto", format!("{} is above max-rto, {}", self.min_rto, self.max_rto));
        }
        if self.max_rto < SHORTEST_MAX_RTO {
            mistake("max-rto", format!("{} is too short: a lost segment would be sent again without end; at least 1 us", self.max_rto));
        }
        if self.initial_rto > self.max_rto || self.initial_rto < self.min_rto || self.initial_rto == Duration::ZERO {
            let range = format!("min-rto, {}, and max-rto, {}", self.min_rto, self.max_rto);
            mistake("initial-rto", format!("{} must be above zero and between {range}", self.initial_rto));
        }
        self.check_receiver(mistake);
        self.check_ecn(mistake);
        if self.needs().reports && !self.uses_blocks() {
            let (name, recovery) = (self.congestion_control_plan().name(), self.recovery_plan().name());
            let message = format!("'{recovery}' does not tell congestion-control.{name} which segments arrive; write recovery.sack = {{}}");
            mistake(if self.recovery.is_some() { "recovery" } else { "variant" }, message);
        }
        if self.pacing_rate.is_some() && !self.pacing {
            mistake("pacing-rate", "has no effect without pacing = true; leave it out".to_owned());
        }
        self.check_options(mistake);
        self.check_preset(mistake);
    }
}

/// With shorter timeouts, a run would spend all its time on them.
const SHORTEST_MAX_RTO: Duration = Duration::from_us(1);

/// The largest IPv4 packet [RFC791 s3.1].
const MAX_PACKET: u64 = 65_535;

/// Maximum window in segments: a window of 2^30 bytes [RFC7323 s2.3] holds 735,000 segments of Ethernet's size.
const MOST_SEGMENTS: u32 = 1 << 20;
const _: () = assert!(MOST_SEGMENTS <= SackBlocks::REACH);

/// Maximum delay of an acknowledgement [RFC5681 s4.2].
const LONGEST_DELAY: Duration = Duration::from_ms(500);

impl Parameters {
    /// Checks that the preset agrees with the recovery and the congestion control that are set separately.
    fn check_preset(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.partial_ack_timer.is_some() && self.recovery.is_some() {
            let instead = "write recovery.new-reno = { partial-ack-timer = ... }";
            mistake("partial-ack-timer", format!("has no effect with recovery, which has one of its own; {instead}"));
        } else if self.partial_ack_timer.is_some() && self.variant.is_some_and(|variant| variant != Variant::NewReno) {
            mistake("partial-ack-timer", "has no effect but on variant = \"new-reno\"; leave it out".to_owned());
        }
        let Some(variant) = self.variant else { return };
        if self.profile.sets_components() {
            let (preset, profile) = (variant.recovery(PartialAckTimer::First).name(), self.profile.name());
            let instead = format!("write recovery.{preset} = {{}} and congestion-control.reno = {{}} in its place, or leave out profile");
            return mistake(
                "variant",
                format!("'{preset}' excludes profile = \"{profile}\", which has a recovery and a congestion control; {instead}"),
            );
        }
        let preset = variant.recovery(PartialAckTimer::First).name();
        if let Some(other) = self.recovery.as_ref().map(RecoveryPlan::name).filter(|other| *other != preset) {
            mistake("variant", format!("'{preset}' repairs losses by recovery.{preset}, but recovery.{other} is given; keep one"));
        }
        if let Some(other) = self.congestion_control.as_ref().map(CongestionControlPlan::name).filter(|other| *other != "reno") {
            let instead = format!("write recovery.{preset} = {{}} in its place");
            mistake("variant", format!("'{preset}' has congestion-control.reno, but congestion-control.{other} is given; {instead}"));
        }
    }

    /// Checks options that require others. A profile may set all of them, although a scenario has replaced its recovery.
    fn check_options(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.profile.sets_components() {
            return;
        }
        for (key, given) in [("dsack", self.dsack), ("keep-scoreboard", self.keep_scoreboard)] {
            if given && !self.uses_blocks() {
                let recovery = self.recovery_plan().name();
                mistake(key, format!("has no effect: '{recovery}' uses no selective acknowledgements; write recovery.sack = {{}}"));
            }
        }
        if self.ecn_reduction == EcnReduction::Proportional && !self.ecn {
            mistake("ecn-reduction", "has no effect without marks; write ecn = true or leave it out".to_owned());
        }
    }

    fn check_receiver(&self, mistake: &mut dyn FnMut(&str, String)) {
        let delays = [("ack-delay", self.ack_delay), ("max-ack-delay", self.max_ack_delay)];
        let given = delays.iter().filter(|(_, delay)| delay.is_some()).map(|(key, _)| *key);
        if self.ack_every == Count(1) {
            let at_once = [("quick-acks", self.quick_acks.0 > 0), ("push", self.push != Push::None)];
            for key in given.chain(at_once.iter().filter(|(_, is_given)| *is_given).map(|(key, _)| *key)) {
                mistake(key, "has no effect while every segment is acknowledged; set ack-every = 2 or leave it out".to_owned());
            }
        }
        for (key, _) in delays.iter().filter(|(_, delay)| delay.is_some_and(|delay| delay > LONGEST_DELAY)) {
            mistake(key, format!("must be at most {LONGEST_DELAY}"));
        }
        let initial = self.ack_delay.unwrap_or(DEFAULT_DELAY);
        if let Some(max) = self.max_ack_delay.filter(|max| *max < initial) {
            mistake("max-ack-delay", format!("{max} is below ack-delay, {initial}"));
        }
    }

    fn check_windows(&self, mistake: &mut dyn FnMut(&str, String)) {
        let windows = [
            ("initial-window", Some(self.initial_window)),
            ("max-window", Some(self.max_window)),
            ("initial-slow-start-threshold", self.initial_slow_start_threshold),
        ];
        for (key, window) in windows {
            if window.is_some_and(|window| self.segments(window) == 0) {
                mistake(key, format!("holds no whole segment; the payload of a packet is {} bytes", self.payload()));
            }
        }
        if self.segments(self.max_window) > MOST_SEGMENTS {
            mistake("max-window", format!("holds more than {MOST_SEGMENTS} segments, which could all leave in one burst"));
        }
        if self.initial_slow_start_threshold.is_some_and(|threshold| self.segments(threshold) > self.segments(self.max_window)) {
            mistake("initial-slow-start-threshold", "is above max-window, which the window never exceeds".to_owned());
        }
    }

    /// The loss recovery of a connection.
    pub fn recovery_plan(&self) -> RecoveryPlan {
        let preset = || {
            let timer = self.partial_ack_timer.unwrap_or(PartialAckTimer::First);
            let default = if self.needs().reports { Variant::Sack } else { Variant::NewReno };
            self.variant.unwrap_or(default).recovery(timer)
        };
        self.recovery.clone().unwrap_or_else(preset)
    }

    /// The congestion control of a connection, after the SYN exchange.
    pub fn congestion_control_plan(&self) -> CongestionControlPlan {
        let given = self.congestion_control.as_ref().filter(|_| self.control_without_counts().is_none());
        given.cloned().unwrap_or_else(|| CongestionControlPlan::Reno(reno_control::Parameters::default()))
    }

    /// Context for the congestion control of a connection.
    pub(super) fn connection_context(&self, site: Site) -> ConnectionContext {
        let payload = self.payload() as u32; // at most MAX_PACKET
        ConnectionContext { site, packet_size: self.packet_size(), payload, max_window: self.most_outstanding(), paced: self.pacing }
    }

    /// Requirements of the congestion control.
    pub(super) fn needs(&self) -> Needs {
        self.congestion_control_plan().needs(&self.connection_context(Site::trial()))
    }

    /// Window of a new connection: IW, and the maximum as ssthresh unless a value is given.
    pub(super) fn first_window(&self) -> Window {
        let max = self.segments(self.max_window);
        let threshold = self.initial_slow_start_threshold.map_or(max, |threshold| self.segments(threshold));
        Window { size: f64::from(self.segments(self.initial_window).min(max)), threshold: f64::from(threshold), max }
    }

    pub(super) fn payload(&self) -> u64 {
        // This runs before a check refuses parameters that leave no room for data.
        self.packet.get().saturating_sub(self.header.get()).max(1)
    }

    /// A window in whole segments.
    pub(super) fn segments(&self, Amount(window): Amount) -> u32 {
        match window {
            Limit::Packets(packets) => packets,
            Limit::Bytes(bytes) => u32::try_from(bytes.get() / self.payload()).unwrap_or(u32::MAX),
        }
    }

    /// Maximum number of outstanding segments.
    pub fn most_outstanding(&self) -> u32 {
        self.segments(self.max_window)
    }

    /// Whether receivers report the blocks that they hold [RFC2018].
    pub fn uses_blocks(&self) -> bool {
        self.recovery_plan().uses_blocks()
    }

    /// Bytes of a data packet.
    pub(super) fn packet_size(&self) -> u32 {
        self.packet.get() as u32 // at most MAX_PACKET
    }

    /// Bytes of a packet without data.
    pub(super) fn header_size(&self) -> u32 {
        self.header.get() as u32 // below `packet`
    }
}
