//! Statistics of a run.

pub mod jain;
pub mod moments;
pub mod time_weighted;
