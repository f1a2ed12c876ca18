//! What a congestion event reduces, and how gradually.

crate::choice! {
    /// Number of segments that a loss, a mark or a timeout multiplies to get ssthresh.
    pub enum ThresholdFrom {
        /// FlightSize, the outstanding segments except segments of limited transmit [RFC5681 s3.1 (4), s3.2 (2)].
        "flight-size" => FlightSize,
        /// cwnd. A timeout in a recovery keeps the ssthresh of that recovery. Linux (`tcp_reno_ssthresh`, `tcp_enter_loss`).
        "cwnd" => Cwnd,
    }
}

crate::choice! {
    /// Reduction of cwnd after an echoed mark.
    pub enum EcnReduction {
        /// cwnd becomes ssthresh immediately [RFC3168 s6.1.2].
        "at-once" => AtOnce,
        /// cwnd follows proportional rate reduction to ssthresh and does not grow, until everything sent before the echo and
        /// one more segment are acknowledged. Linux (`TCP_CA_CWR`, `tcp_cwnd_reduction`).
        "proportional" => Proportional,
    }
}
