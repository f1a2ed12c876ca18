//! Rule that says from which acknowledgement on duplicates may indicate a further loss.

crate::choice! {
    /// Acknowledgement from which on duplicates may indicate a further loss, relative to the highest segment sent when the last loss
    /// was detected (recover). Earlier duplicates may answer segments that were sent again although they had arrived.
    pub enum RecoverCheck {
        /// An acknowledgement beyond recover; at the start, the acknowledgement of any segment [RFC6582 s3.2 (1), (2)].
        "careful" => Careful,
        /// An acknowledgement up to recover, or beyond [RFC2582 s5, "less careful"].
        "less-careful" => LessCareful,
        /// After a timeout, an acknowledgement beyond recover; after a fast recovery, and at the start, no condition.
        "after-timeout" => AfterTimeout,
    }
}
