//! State variables of reaction points.

use crate::probe::Variable;
use crate::units::Rate;

/// State of a station's reaction point.
#[derive(Clone, Copy, Debug, Default)]
pub struct StationState {
    /// Queues behind rate limiters.
    pub limiters: usize,
    /// Packets that wait in these queues.
    pub waiting: usize,
}

/// State of a flow at a reaction point.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitedFlowState {
    /// Rate to which the flow is limited, if it is.
    pub rate: Option<Rate>,
    /// Packets that wait for the limiter.
    pub waiting: usize,
}

crate::state! {
    impl StationState, |it, _now| {
        /// Queues behind rate limiters in the station.
        "limiters", "queues", is it.limiters as f64;
        /// Packets that wait in these queues.
        "limited", "packets", is it.waiting as f64;
    }
}

crate::state! {
    impl LimitedFlowState, |it, _now| {
        /// Rate to which the flow is limited (R), by the slowest limiter on its path, which other flows may share; absent without a
        /// limiter.
        "rate-limit", "bit/s", maybe it.rate.map(|rate| rate.as_bps() as f64);
        /// Packets that wait for that limiter.
        "flow-limited", "packets", is it.waiting as f64;
    }
}

/// State variables of a reaction point: the first two at its node, the others for each flow that begins there.
pub(super) const REACTION_POINT: &[Variable] =
    &[StationState::STATE[0], StationState::STATE[1], LimitedFlowState::STATE[0], LimitedFlowState::STATE[1]];
