//! The network as a graph of processes: which one sends to which, with what minimum delay and load.

use penstock_model::units::Duration;
use std::collections::BTreeMap;

/// Minimum delays between processes, by sender and receiver; paths of messages count as channels.
pub type Latencies = BTreeMap<(u32, u32), Duration>;

/// All channels between two processes, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct GraphChannel {
    /// The process that sends.
    pub from: u32,
    /// The process that receives.
    pub to: u32,
    /// Minimum time that a packet or a message takes.
    pub delay: Duration,
    /// Number of flows that use it.
    pub flows: u64,
}

/// Processes and the channels between them.
#[derive(Clone, Debug, Default)]
pub struct ProcessGraph {
    /// The load of each process: the number of flows through it. A flow of two directions counts twice, and a connection counts three
    /// times as much at its ends.
    pub weights: Vec<u64>,
    /// By sender and receiver, each pair once.
    pub channels: Vec<GraphChannel>,
}

impl ProcessGraph {
    /// Returns the delays alone, between renumbered processes; `number` maps each process to its number.
    pub fn latencies(&self, number: &[u32]) -> Latencies {
        self.channels.iter().map(|channel| ((number[channel.from as usize], number[channel.to as usize]), channel.delay)).collect()
    }
}
