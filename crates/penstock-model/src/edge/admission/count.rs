//! Admission by counting calls.

use crate::parameters::{Check, Count};

crate::parameters! {
    /// Counting: a call may begin while fewer than so many do.
    ///
    /// ## Decides
    /// A call asks the egress, which counts calls: below `limit` the call is counted and admitted, else refused. The end of
    /// a call, on its own or terminated, is told to the egress and makes room when that message arrives.
    ///
    /// ## State
    /// The number of calls. Nothing per packet.
    ///
    /// ## Departures
    /// No mechanism of a network: what a perfect one would admit, against which the others are measured. Initial calls do
    /// not ask, but count from the beginning of the run.
    ///
    /// ## Example
    /// ```toml
    /// admission.count = { limit = 1000, scope = "node" }
    /// ```
    ///
    /// ## References
    /// The M/G/n/n system of A. K. Erlang, whose blocking it has where messages take no time.
    pub struct Parameters {
        /// The most calls at a time.
        limit: Count;
        /// Whose calls count.
        scope: Scope = "node";
    }
}
impl Check for Parameters {}

crate::choice! {
    /// Whose calls count towards a limit.
    pub enum Scope {
        /// Those of the aggregate.
        "aggregate" => Aggregate,
        /// Those of all aggregates of the group that end at the same node.
        "node" => Node,
    }
}

/// The level in the answer to a call that finds no room.
pub(super) const FULL: f64 = 1.0;

/// The egress' count.
#[derive(Clone, Debug)]
pub struct Counter {
    limit: u32,
    scope: Scope,
    calls: u32,
}

impl Counter {
    /// A count with these parameters, of an aggregate with so many initial calls; the node's count has them from its owner.
    pub fn new(parameters: &Parameters, initial: u32) -> Counter {
        Counter { limit: parameters.limit.0, scope: parameters.scope, calls: initial }
    }

    /// The level for a call that asks: 0 if there is room, which it then takes, else 1.
    pub fn on_request(&mut self, of_node: &mut u32) -> f64 {
        let limit = self.limit;
        let calls = self.of(of_node);
        if *calls >= limit {
            return FULL;
        }
        *calls += 1;
        0.0
    }

    /// A call has ended.
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
