//! Statistics: distributions, moments, time averages, fairness, frames, error terms of expedited forwarding.

pub mod distribution;
pub mod expedited;
pub mod frames;
pub mod jain;
pub mod moments;
pub mod time_weighted;
pub mod variation;
