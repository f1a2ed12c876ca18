//! Which process runs next, and until when.

pub mod deferred_set;
pub mod lookahead;
pub mod parallel;
pub mod promise_sweep;
