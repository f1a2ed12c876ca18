//! The records of a run beyond its counters.

use crate::api::series::SeriesPlan;
use penstock_model::id::LinkId;
use penstock_model::units::{Duration, Rate};
use std::collections::BTreeMap;

/// Records beyond the counters, on request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchPlan {
    /// Of all flows of a group, by its position in [`Blueprint::groups`].
    pub groups: BTreeMap<u32, FlowWatch>,
    /// At links.
    pub links: BTreeMap<LinkId, LinkWatch>,
    /// Time series; a run that has any has no warm-up.
    pub series: Vec<SeriesPlan>,
}

/// Records of each flow of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowWatch {
    /// The distribution of one-way delays.
    pub delays: bool,
    /// The differences of the delays of consecutive packets.
    pub variation: bool,
    /// The interarrival jitter of RTP.
    pub rtp_jitter: bool,
    /// The distribution of the times that pages take; their mean is always kept.
    pub pages: bool,
    /// How long transfers with an end take.
    pub completion: bool,
    /// How often TCP's segments are sent a third time or later.
    pub repeated_retransmissions: bool,
    /// Which frames arrive in full and how long they take; nothing where the source has no frames.
    pub frames: bool,
    /// The bytes received in bins of this length, from the beginning of the run.
    pub bins: Option<Duration>,
}

/// Records of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkWatch {
    /// All counters and the distribution of waits, by class.
    pub classes: bool,
    /// What was offered and lost, by the link over which it came.
    pub ingresses: bool,
    /// What waits, by circuit; nothing where there are no cells.
    pub circuits: bool,
    /// Aggregates whose treatment is compared with that of a server of a configured rate.
    pub expedited: Vec<EfPlan>,
}

/// An aggregate and its configured rate [RFC3246 s2.2].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EfPlan {
    /// Its classes.
    pub classes: Vec<u8>,
    /// The rate that it shall be served with (R).
    pub rate: Rate,
}
