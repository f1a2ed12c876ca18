//! How a run is made: between how many cores it is divided, and which ways through the engine its events take.

/// How a network is divided between cores, and what bounds that.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// How many cores a run is divided between.
    pub parts: usize,
    /// The load of all parts over that of the largest one, in flows that pass: no run is that many times as fast.
    pub speedup: f64,
    /// Into how many parts the network could be cut with some delay between any two.
    pub clusters: usize,
    /// How many parts could be worth it: no more than there are clusters, nor than the load of the busiest one goes into the whole.
    pub most: usize,
    /// The busiest process: a node, or the link of a router's port.
    pub busiest: String,
    /// The share of the load of the cluster of the busiest process.
    pub share: f64,
}

/// Events that each way through the engine has handled: packets that arrived, and what sources, timers and messages did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeEvents {
    /// One instant at a time, in the plain executor.
    pub plain: u64,
    /// In promise sweeps.
    pub sweeps: u64,
    /// In windows.
    pub windows: u64,
}
