//! The parameters of TCP.

use crate::packet::SackBlocks;
use crate::parameters::{Check, Count, Limit};
use crate::site::Site;
use crate::transport::congestion_control::{reno as reno_control, CongestionControlPlan, ConnectionContext, EcnUse, Needs, Window};
use crate::transport::recovery::new_reno::PartialAckTimer;
use crate::transport::recovery::{new_reno, reno, sack, tahoe, RecoverCheck, RecoveryPlan, RetransmitDelay};
use crate::units::{Bytes, Duration};

crate::parameters! {
    /// TCP: reliable, in order, and sending no faster than the congestion that it meets allows.
    ///
    /// ## Decides
    /// The sender keeps min(cwnd, max-window) segments outstanding. cwnd and ssthresh are the `congestion-control`'s; how a
    /// loss is seen and repaired is the `recovery`'s; `variant` is a preset of both. Without an acknowledgement the
    /// retransmission timer expires: cwnd is one segment then, and sending goes on from the first unacknowledged segment.
    /// With `ecn`, an echoed mark lets the congestion control reduce cwnd, once per window of data, and nothing is sent again. With
    /// `pacing`, segments leave spaced instead of as soon as the window admits them.
    ///
    /// ## State
    /// About 400 bytes for both ends, and what the congestion control adds; ranges of segments only while some are missing.
    /// Constant cost per packet without loss.
    ///
    /// ## Departures
    /// - Sequence numbers count full-sized segments, data flows one way, and the receiver's application always reads:
    ///   `max-window` stands for its window and for the sender's buffer.
    /// - After a timeout the sender resends from the first unacknowledged segment on (go-back-N), until
    ///   acknowledgements have passed what had been sent.
    /// - Until then duplicate acknowledgements start no fast retransmit [RFC6582 s3.2 (2)], and limited transmit sends nothing,
    ///   where [RFC3042 s2] makes no exception; whether they start one right after a fast recovery is the `recovery`'s.
    /// - FlightSize, which a loss or a timeout halves [RFC5681 s3.1 (4)], leaves out what limited transmit sent last. In go-back-N
    ///   it counts what was sent since the timeout. At a timeout in fast recovery it counts up to ssthresh: what duplicates have
    ///   inflated the window by has left the network.
    /// - The retransmission timer restarts when fast retransmit begins; [RFC6298 s5] leaves it as it is.
    /// - One segment per round trip is timed, as [RFC6298 s3] permits without timestamps; none that was sent again.
    /// - Each sender's clock ticks from a random part of `timer-tick` on, as in ns-2: in step, senders that begin together
    ///   would all have their first round trip rounded down.
    /// - Both ends have the same parameters, so that a SYN that asks for ECN is granted it, and a SYN that is lost is sent
    ///   again with ECN.
    /// - No timestamps, no connection teardown.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.sack = {}, congestion-control.cubic = {}, ecn = true, pacing = true }
    /// ```
    /// What ns-2 did by default in 1999 is `variant = "tahoe"` or another one, `initial-window = "1 packet"`,
    /// `max-window = "20 packets"`, `syn = false`, `limited-transmit = false`, `timer-tick = "100 ms"`,
    /// `initial-rto = "6 s"`, `min-rto = "0 s"` and `max-rto = "100000 s"`.
    ///
    /// ## References
    /// RFC 5681 (congestion control), RFC 6298 (timer), RFC 3042 (limited transmit), RFC 6928 (initial window), RFC 3168
    /// (ECN), RFC 9002 s7.7 (pacing); Fall and Floyd [Fall96 s2] compare the variants.
    pub struct Parameters {
        /// A preset of recovery and congestion control.
        variant: Option<Variant>;
        /// How losses are seen and repaired; if neither it nor a variant is given, `new-reno`, or `sack` if the congestion control must
        /// know which segments arrive (`bbr`).
        recovery: Option<RecoveryPlan>;
        /// What sets cwnd and ssthresh; `reno` if left out.
        congestion_control: Option<CongestionControlPlan>, changeable;
        /// Size of a data packet on the wire, headers included.
        packet: Bytes = "1500 bytes";
        /// Size of a packet without data (acknowledgements, connection set-up), and of the headers in a data packet.
        header: Bytes = "40 bytes";
        /// Congestion window at the beginning (IW), never more than `max-window`; ten packets [RFC6928 s2]. RFC 3390
        /// had 2 to 4 packets, RFC 2001 and ns-2 before 2001 one.
        initial_window: Limit = "10 packets";
        /// The most that may be outstanding, up to 2^20 segments; bytes count payload, as a receiver's window does. ns-2 had 20
        /// packets.
        max_window: Limit = "1000 packets";
        /// Slow start ends at this window (initial ssthresh); `max-window` if left out [RFC5681 s3.1: arbitrarily high].
        initial_slow_start_threshold: Option<Limit>;
        /// Granularity of the clock that measures round trips (G); zero is exact. Timeouts are then whole ticks, two at
        /// least. ns-2 had 100 ms until 2002, then 10 ms.
        timer_tick: Duration = "0 s";
        /// Retransmission timeout before the first measurement [RFC6298 s2.1]; RFC 2988 had 3 s, ns-2 6 s until 2002.
        initial_rto: Duration = "1 s";
        /// The least timeout, before back-off [RFC6298 s2.4]; ns-2 had none in 1999 and 200 ms from 2004.
        min_rto: Duration = "1 s";
        /// The greatest timeout [RFC6298 s2.5]; ns-2 had 100000 s until 2007.
        max_rto: Duration = "60 s";
        /// The most that back-off multiplies the timeout by; 64 in BSD and ns-2.
        max_backoff: Count = "64";
        /// In-order segments per acknowledgement: 1 acknowledges each, as most published simulations do; 2 delays
        /// acknowledgements as hosts should [RFC5681 s4.2].
        ack_every: Count = "1";
        /// How long an acknowledgement may be delayed, 100 ms if left out (ns-2); at most 500 ms [RFC5681 s4.2].
        ack_delay: Option<Duration>;
        /// Whether the first duplicate acknowledgements let new segments go out [RFC3042 s2].
        limited_transmit: bool = "true";
        /// Whether a connection begins with a SYN exchange, which also measures the round trip.
        syn: bool = "true";
        /// Duplicate acknowledgements that mean a loss (DupThresh) [RFC5681 s3.2].
        dup_ack_threshold: Count = "3";
        /// Whether cwnd falls back to the initial window after an idle time longer than the timeout [RFC5681 s4.1].
        restart_after_idle: bool = "true";
        /// Which partial acknowledgements restart the timer; only for the variant `new-reno`, the first if left out.
        partial_ack_timer: Option<PartialAckTimer>;
        /// Whether data segments are ECN-capable and the receiver echoes marks, as the congestion control has it; agreed on
        /// with the SYN exchange, or taken for agreed without one [RFC3168 s6.1].
        ecn: bool = "false";
        /// Whether segments leave spaced at a rate instead of in bursts: that of the congestion control if it has one, else
        /// cwnd per smoothed round trip, times 2 in slow start and 1.2 later (as in Linux) [RFC9002 s7.7].
        pacing: bool = "false";
        /// What both ends do when the queue of their host's own port is full.
        local_queue: LocalQueue = "drop";
    }
}

crate::choice! {
    /// What a connection does when the queue of its host's own port is full.
    pub enum LocalQueue {
        /// Hands packets over as a router does; what finds no room is lost, and reduces the window.
        "drop" => Drop,
        /// Waits for room: packets stay at the connection, and the port asks the waiting connections in turn (round robin).
        "backpressure" => Backpressure,
    }
}

crate::choice! {
    /// How a sender repairs losses that duplicate acknowledgements tell of, with Reno's congestion control.
    pub enum Variant {
        /// Resends from the loss on, from a window of one segment [Fall96 s2.1].
        "tahoe" => Tahoe,
        /// Resends one segment and halves the window; a further loss in the window starts over [RFC5681 s3.2].
        "reno" => Reno,
        /// Stays in recovery until everything sent before it is acknowledged, one loss a round trip [RFC6582 s3].
        "new-reno" => NewReno,
        /// Resends what the receiver's blocks show as missing, several losses a round trip [RFC6675 s5].
        "sack" => Sack,
    }
}

impl Variant {
    /// The recovery of this preset.
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
        if self.initial_rto > self.max_rto || self.initial_rto < self.min_rto || self.initial_rto == Duration::ZERO {
            let range = format!("min-rto, {}, and max-rto, {}", self.min_rto, self.max_rto);
            mistake("initial-rto", format!("{} must be above zero and between {range}", self.initial_rto));
        }
        if self.ack_every == Count(1) && self.ack_delay.is_some() {
            mistake("ack-delay", "has no effect while every segment is acknowledged; set ack-every = 2 or leave it out".to_owned());
        }
        if self.ack_delay.is_some_and(|delay| delay > LONGEST_DELAY) {
            mistake("ack-delay", format!("must be at most {LONGEST_DELAY}"));
        }
        if self.ecn_use().required && !self.ecn {
            let name = self.congestion_control_plan().name();
            mistake("ecn", format!("is false, but congestion-control.{name} needs the marks; write ecn = true"));
        }
        if self.needs().reports && !self.uses_blocks() {
            let (name, recovery) = (self.congestion_control_plan().name(), self.recovery_plan().name());
            let message = format!("'{recovery}' does not tell congestion-control.{name} which segments arrive; write recovery.sack = {{}}");
            mistake(if self.recovery.is_some() { "recovery" } else { "variant" }, message);
        }
        self.check_preset(mistake);
    }
}

/// The largest IPv4 packet [RFC791 s3.1].
const MAX_PACKET: u64 = 65_535;

/// The largest window in segments: that of 2^30 bytes [RFC7323 s2.3] holds 735,000 segments of Ethernet's size.
const MOST_SEGMENTS: u32 = 1 << 20;
const _: () = assert!(MOST_SEGMENTS <= SackBlocks::REACH);

/// The longest that an acknowledgement may be held back [RFC5681 s4.2].
const LONGEST_DELAY: Duration = Duration::from_ms(500);

impl Parameters {
    /// Whether the preset agrees with what is set separately.
    fn check_preset(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.partial_ack_timer.is_some() && self.recovery.is_some() {
            let instead = "write recovery.new-reno = { partial-ack-timer = ... }";
            mistake("partial-ack-timer", format!("has no effect beside recovery, which has one of its own; {instead}"));
        } else if self.partial_ack_timer.is_some() && self.variant.is_some_and(|variant| variant != Variant::NewReno) {
            mistake("partial-ack-timer", "has no effect but on variant = \"new-reno\"; leave it out".to_owned());
        }
        let Some(variant) = self.variant else { return };
        let preset = variant.recovery(PartialAckTimer::First).name();
        if let Some(other) = self.recovery.as_ref().map(RecoveryPlan::name).filter(|other| *other != preset) {
            mistake("variant", format!("'{preset}' repairs losses by recovery.{preset}, but recovery.{other} is given; keep one"));
        }
        if let Some(other) = self.congestion_control.as_ref().map(CongestionControlPlan::name).filter(|other| *other != "reno") {
            let instead = format!("write recovery.{preset} = {{}} in its place");
            mistake("variant", format!("'{preset}' has congestion-control.reno, but congestion-control.{other} is given; {instead}"));
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

    /// How losses are repaired.
    pub(super) fn recovery_plan(&self) -> RecoveryPlan {
        let preset = || {
            let timer = self.partial_ack_timer.unwrap_or(PartialAckTimer::First);
            let default = if self.needs().reports { Variant::Sack } else { Variant::NewReno };
            self.variant.unwrap_or(default).recovery(timer)
        };
        self.recovery.clone().unwrap_or_else(preset)
    }

    /// What rules the window.
    pub fn congestion_control_plan(&self) -> CongestionControlPlan {
        self.congestion_control.clone().unwrap_or_else(|| CongestionControlPlan::Reno(reno_control::Parameters::default()))
    }

    /// What the congestion control learns about its connection.
    pub(super) fn connection_context(&self, site: Site) -> ConnectionContext {
        let payload = self.payload() as u32; // at most MAX_PACKET
        ConnectionContext { site, packet_size: self.packet_size(), payload, max_window: self.most_outstanding(), paced: self.pacing }
    }

    /// What the congestion control needs.
    pub(super) fn needs(&self) -> Needs {
        self.congestion_control_plan().needs(&self.connection_context(Site::trial()))
    }

    /// How the congestion control uses ECN.
    pub(super) fn ecn_use(&self) -> EcnUse {
        self.congestion_control_plan().ecn_use(&self.connection_context(Site::trial()))
    }

    /// The window of a new connection: IW, and ssthresh as high as can be unless given.
    pub(super) fn first_window(&self) -> Window {
        let max = self.segments(self.max_window);
        let threshold = self.initial_slow_start_threshold.map_or(max, |threshold| self.segments(threshold));
        Window { size: f64::from(self.segments(self.initial_window).min(max)), threshold: f64::from(threshold), max }
    }

    fn payload(&self) -> u64 {
        // Parameters that leave no room for data are asked for it too, before they are refused.
        self.packet.get().saturating_sub(self.header.get()).max(1)
    }

    /// A window in whole segments.
    pub(super) fn segments(&self, window: Limit) -> u32 {
        match window {
            Limit::Packets(packets) => packets,
            Limit::Bytes(bytes) => u32::try_from(bytes.get() / self.payload()).unwrap_or(u32::MAX),
        }
    }

    /// The most segments that may be outstanding.
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
