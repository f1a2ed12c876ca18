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

/// The ways through the engine: one instant at a time, promise sweeps, and windows.
pub const MODES: [&str; 3] = ["plain", "sweeps", "windows"];

/// The kinds of ports, by how their departures are found.
pub const PORT_KINDS: [&str; 5] = ["tail-drop-fifo", "precomputed", "event-driven-loop", "event-driven", "of-switches"];
