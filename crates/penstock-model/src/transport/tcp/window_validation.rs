//! Validation of windows that the application does not use.

crate::choice! {
    /// Treatment of a congestion window that the application does not use.
    pub enum WindowValidation {
        /// It stays and, with some controls, grows.
        "none" => None,
        /// It grows only if it is used, in slow start if more than half of it is. If it is not used for the time of an RTO, it falls
        /// by half of the unused part, to no less than the initial window, and ssthresh becomes at least three quarters of the
        /// earlier window. As in Linux, which follows RFC 2861; RFC 7661 replaces that.
        "linux" => Linux,
    }
}
