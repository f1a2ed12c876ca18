//! Segments with the PSH flag.

crate::choice! {
    /// Which data segments have the PSH flag. The receiver acknowledges them at once if they arrive in order, since its application has
    /// then read everything.
    pub enum Push {
        /// None.
        "none" => None,
        /// The second of two segments that leave at once: they are one packet until the host segments it, and such a packet ends with
        /// PSH. Linux 6 (`__tcp_transmit_skb`, `tcp_measure_rcv_mss`).
        "pairs" => Pairs,
    }
}
