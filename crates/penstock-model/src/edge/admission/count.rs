//! Admission by counting calls.

use crate::parameters::{Check, Count};

crate::parameters! {
    /// Counting: admits a call while fewer than a fixed number of calls are live.
    ///
    /// ## Decides
    /// For each call, the ingress sends a request to the egress, which counts calls. If the count is below `limit`, the call
    /// is counted and admitted; otherwise it is refused. When a call ends or is terminated, the ingress sends a message to the
    /// egress, whose arrival decreases the count.
    ///
    /// ## State
    /// The number of calls. Nothing per packet.
    ///
    /// ## Departures
    /// This is not a mechanism of a network but a reference: it admits what an ideal scheme would admit. Initial calls send no
    /// request, but count from the beginning of the run.
    ///
    /// ## Example
    /// ```toml
    /// admission.count = { limit = 1000, scope = "node" }
    /// ```
    ///
    /// ## References
    /// The M/G/n/n system of A. K. Erlang; the blocking probability is the same if messages have no delay.
    pub struct Parameters {
        /// Maximum number of calls at once.
        limit: Count;
        /// Calls that count.
        scope: Scope = "node";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Calls that count towards a limit.
    pub enum Scope {
        /// Calls of the aggregate.
        "aggregate" => Aggregate,
        /// Calls of all aggregates of the group that end at the same node.
        "node" => Node,
    }
}

/// Level in the answer to a call that is refused.
pub(super) const FULL: f64 = 1.0;

/// Call counter of the egress.
#[derive(Clone, Debug)]
pub struct Counter {
    limit: u32,
    scope: Scope,
    calls: u32,
}

impl Counter {
    /// A counter with these parameters, for an aggregate with `initial` calls. The caller adds these calls to the count of the node.
    pub fn new(parameters: &Parameters, initial: u32) -> Counter {
        Counter { limit: parameters.limit.0, scope: parameters.scope, calls: initial }
    }

    /// Level for a request: 0 if the count is below the limit, in which case the call is counted, otherwise 1.
    pub fn on_request(&mut self, of_node: &mut u32) -> f64 {
        let limit = self.limit;
        let calls = self.of(of_node);
        if *calls >= limit {
            return FULL;
        }
        *calls += 1;
        0.0
    }

    /// Records the end of a call.
    pub fn on_end(&mut self, of_node: &mut u32) {
        let calls = self.of(of_node);
        *calls = calls.saturating_sub(1);
    }

    fn of<'a>(&'a mut self, of_node: &'a mut u32) -> &'a mut u32 {
        match self.scope {
            Scope::Aggregate => &mut self.calls,
            Scope::Node => of_node,
        }
    }
}
