//! Which packets count as queued.

/// Whether the packet in service counts as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Only waiting packets, as in ns-2.
    Waiting,
    /// The packet in service too, as in M/D/1/K.
    InSystem,
}
