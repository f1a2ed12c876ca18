//! Statistics of a run.
