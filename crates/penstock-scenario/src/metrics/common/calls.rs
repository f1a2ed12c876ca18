//! Counters of calls.

use penstock_engine::observations::{CallCounters, Observations};
use penstock_model::id::FlowId;

/// The call counters of the aggregate with this serial number.
pub(crate) fn counters_of(seen: &Observations, flow: usize) -> &CallCounters {
    let found = seen.calls.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
    &seen.calls[found.expect("the engine counts the calls of every aggregate")].1
}
