//! From when on duplicate acknowledgements may mean a further loss.

crate::choice! {
    /// From when on duplicate acknowledgements may mean a further loss, by what had been sent when the last one was seen
    /// (recover). Duplicates below that may be the answer to segments that were sent again although they had arrived.
    pub enum RecoverCheck {
        /// Once more than that is acknowledged, and at the start once anything is [RFC6582 s3.2 (1), (2)].
        "careful" => Careful,
        /// Once that is acknowledged [RFC2582 s5, "less careful"].
        "less-careful" => LessCareful,
        /// After a timeout once more than that is acknowledged; after a fast recovery, and at the start, at once.
        "after-timeout" => AfterTimeout,
    }
}
