//! Windows that the application does not use.

crate::choice! {
    /// Treatment of a congestion window that the application does not use.
    pub enum WindowValidation {
        /// It stays and, with some controls, grows.
        "none" => None,
        /// It grows only if it is used, in slow start if more than half of it is. Each timeout during which it is not used lowers it
        /// by half of the unused part, to no less than the initial window, and ssthresh becomes at least three quarters of it.
        /// As in Linux, which follows RFC 2861; RFC 7661 replaces that.
        "linux" => Linux,
    }
}
