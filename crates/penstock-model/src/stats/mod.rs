//! Statistics: distributions, moments, time averages, fairness.

pub mod distribution;
pub mod jain;
pub mod moments;
pub mod time_weighted;
pub mod variation;
