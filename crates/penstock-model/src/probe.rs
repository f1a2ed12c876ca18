//! How a component shows its state to someone who watches a run.

/// Is told the name, the unit and the value of one variable of a state.
pub type Tell<'a> = dyn FnMut(&'static str, &'static str, f64) + 'a;
