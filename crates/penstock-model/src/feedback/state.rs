//! What reaction points show of their state.

use crate::probe::Variable;
use crate::units::Rate;

/// What a reaction point shows of a station.
#[derive(Clone, Copy, Debug, Default)]
pub struct StationState {
    /// Queues behind rate limiters.
    pub limiters: usize,
    /// Packets that wait there.
    pub waiting: usize,
}

/// What a reaction point shows of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitedFlowState {
    /// The rate that it is limited to, if it is.
    pub rate: Option<Rate>,
    /// Packets that wait for that.
    pub waiting: usize,
}

crate::state! {
    impl StationState, |it, _now| {
        /// Queues of the station that are behind rate limiters.
        "limiters", "queues", is it.limiters as f64;
        /// Packets that wait in them.
        "limited", "packets", is it.waiting as f64;
    }
}

crate::state! {
    impl LimitedFlowState, |it, _now| {
        /// Rate that the flow is limited to (R), by the slowest limiter that it passes, which it may share; while there is any.
        "rate-limit", "bit/s", maybe it.rate.map(|rate| rate.as_bps() as f64);
        /// Packets that wait for that limiter.
        "flow-limited", "packets", is it.waiting as f64;
    }
}

/// What a reaction point shows: the first two at its node, the others of each flow that begins there.
pub(super) const REACTION_POINT: &[Variable] =
    &[StationState::STATE[0], StationState::STATE[1], LimitedFlowState::STATE[0], LimitedFlowState::STATE[1]];
