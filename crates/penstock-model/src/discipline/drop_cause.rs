//! Causes of drops.

/// Cause of the loss of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropCause {
    /// The buffer was full.
    Overflow,
    /// An early drop of active queue management: RED's random drop between the thresholds, CoDel's at departure.
    Early,
    /// RED's certain drop above the maximum threshold.
    Forced,
    /// Lost on the wire by an impairment.
    Loss,
    /// Refused by a policer.
    Policed,
    /// No room in the buffer that the ports of a switch share.
    Buffer,
    /// No room in the queue of a rate limiter of the station, before its port.
    Limiter,
    /// No room in the headroom of an ingress link whose port is paused, nor in the shared buffer.
    Headroom,
    /// A cell of a frame that has already lost another cell.
    Partial,
    /// An acknowledgement that a later one in its queue makes redundant.
    Filtered,
}

impl DropCause {
    /// All causes, in the order of the counters.
    pub const ALL: [DropCause; 10] = [
        DropCause::Overflow,
        DropCause::Early,
        DropCause::Forced,
        DropCause::Loss,
        DropCause::Policed,
        DropCause::Buffer,
        DropCause::Limiter,
        DropCause::Headroom,
        DropCause::Partial,
        DropCause::Filtered,
    ];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            DropCause::Overflow => "overflow",
            DropCause::Early => "early",
            DropCause::Forced => "forced",
            DropCause::Loss => "loss",
            DropCause::Policed => "policed",
            DropCause::Buffer => "buffer",
            DropCause::Limiter => "limiter",
            DropCause::Headroom => "headroom",
            DropCause::Partial => "partial",
            DropCause::Filtered => "filtered",
        }
    }
}
