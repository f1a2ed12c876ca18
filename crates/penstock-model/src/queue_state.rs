//! State of a queue of a port.

/// State of a queue for schedulers and for disciplines that drop from other queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// Number of waiting packets.
    pub packets: u32,
    /// Number of waiting bytes.
    pub bytes: u64,
    /// Bytes of the packet at the head; 0 if none.
    pub head: u32,
}
