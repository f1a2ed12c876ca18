//! Probes: how a component reports the variables of its state.

/// Receives the name, the unit and the value of one variable of a state.
pub type ReportVariable<'a> = dyn FnMut(&'static str, &'static str, f64) + 'a;
