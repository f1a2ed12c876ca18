//! What counts as queued.

/// Whether the packet in service counts as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Only packets that wait; as ns-2 does it.
    Waiting,
    /// The packet in service too; as M/D/1/K does it.
    InSystem,
}
