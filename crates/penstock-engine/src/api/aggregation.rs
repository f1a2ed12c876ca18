//! Batch service of a link that pays a fixed cost per access to its channel.

use penstock_model::units::{Bytes, Duration};

/// How a link sends packets in aggregates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregationPlan {
    /// Time of an aggregate beyond its packets.
    pub overhead: Duration,
    /// Each aggregate waits for a further time, uniform from 0 to this.
    pub backoff: Duration,
    /// Maximum number of packets.
    pub max_packets: u32,
    /// Maximum number of bytes on the wire.
    pub max_bytes: Bytes,
    /// Maximum time of the packets.
    pub max_airtime: Duration,
}
