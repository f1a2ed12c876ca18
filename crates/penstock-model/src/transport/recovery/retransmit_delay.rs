//! When the first retransmission of a fast recovery goes out.

crate::choice! {
    /// When the first retransmission of a fast recovery goes out, after the acknowledgement that shows the loss.
    pub enum RetransmitDelay {
        /// At once [RFC5681 s3.2 (3)].
        "none" => None,
        /// Half a smoothed round trip later; nothing is sent meanwhile.
        "half-round-trip" => HalfRoundTrip,
        /// The same; what has never been sent before goes out meanwhile, as the window allows.
        "half-round-trip-with-new-data" => HalfRoundTripWithNewData,
    }
}
