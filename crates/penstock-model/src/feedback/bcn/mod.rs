//! Backward Congestion Notification (BCN), version 2.0 [Jiang06].

pub mod congestion_point;
pub mod rate_limiter;
pub mod reaction_point;
