//! Delay of the first retransmission of a fast recovery.

crate::choice! {
    /// Delay of the first retransmission of a fast recovery after the acknowledgement that shows the loss.
    pub enum RetransmitDelay {
        /// No delay [RFC5681 s3.2 (3)].
        "none" => None,
        /// Half a smoothed round trip; nothing is sent meanwhile.
        "half-round-trip" => HalfRoundTrip,
        /// The same; segments that were never sent before are sent meanwhile, as the window permits.
        "half-round-trip-with-new-data" => HalfRoundTripWithNewData,
    }
}
