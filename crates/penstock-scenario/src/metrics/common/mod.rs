//! Shared code of metrics: the trait, the evaluation of a run, and values that several metrics use.

pub(crate) mod calls;
pub(crate) mod counts;
pub(crate) mod evaluation;
pub(crate) mod flow_sets;
pub(crate) mod frames;
pub(crate) mod info;
pub(crate) mod link_splits;
pub(crate) mod metric;
pub(crate) mod packets;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod transfers;
pub(crate) mod unloaded;
