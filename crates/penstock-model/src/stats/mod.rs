//! Statistics of a run.

pub mod distribution;
pub mod jain;
pub mod moments;
pub mod time_weighted;
pub mod variation;
