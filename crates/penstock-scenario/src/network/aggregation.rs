//! Aggregates of a link, as a wireless one sends.

use crate::read::section::Section;
use penstock_engine::blueprint::AggregationPlan;
use penstock_model::parameters::{Check, Count, Parameters};
use penstock_model::units::{Bytes, Duration};

penstock_model::parameters! {
    /// Batch service: packets share the fixed cost of an access to the channel, as on Wi-Fi.
    ///
    /// An aggregate begins with a packet that finds the link free. All waiting packets within the bounds belong to it, in the order of
    /// the scheduler; later arrivals wait for the next. It takes `overhead` and the backoff first; then its packets follow one another
    /// at `rate`, which is that of the physical layer. A packet leaves the queue when its own transmission begins, the first one when
    /// the aggregate begins, and arrives after its last bit. So a busy link sends large aggregates and is nearly as quick as `rate`,
    /// an idle one sends single packets. A later arrival that the scheduler puts first ends the aggregate; on Wi-Fi, such an arrival
    /// waits for the end of the aggregate.
    ///
    /// The model is that of one sender on a channel of its own [IEEE80211 s10.12, s10.23]: no other station competes or collides, and
    /// nothing is sent again. `impairment` loses single packets, `rate-changes` adapt the rate. `overhead` stands for the interframe
    /// space, preamble and acknowledgement: 100 to 200 us. `utilisation` counts the packets alone.
    pub struct AggregationKeys {
        /// Time that each aggregate takes in addition to its packets.
        overhead: Duration;
        /// Upper bound of the backoff, which is drawn for each aggregate, uniform from zero. Fifteen slots of 9 us are 135 us.
        backoff: Duration = "0 s";
        /// Maximum number of packets: the window of a block acknowledgement.
        max_packets: Count = "64";
        /// Maximum number of bytes on the wire.
        max_bytes: Bytes = "65535 bytes";
        /// Maximum time of the packets of an aggregate. A packet that takes longer is sent alone.
        max_airtime: Duration = "5484 us";
    }
}
impl Check for AggregationKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        const LONGEST: Duration = Duration::from_secs(1);
        for (key, span) in [("overhead", self.overhead), ("backoff", self.backoff)] {
            if span > LONGEST {
                mistake(key, format!("{span} is longer than any access to a channel; at most {LONGEST}"));
            }
        }
        if self.max_airtime == Duration::ZERO {
            mistake("max-airtime", "is zero, so that each packet would be sent alone; for that write max-packets = 1".to_owned());
        }
    }
}

/// Reads `aggregation` of a link; the outer `None` after a mistake.
pub(crate) fn read(section: &mut Section<'_>) -> Option<Option<AggregationPlan>> {
    if !section.has("aggregation") {
        return Some(None);
    }
    let mut table = section.table("aggregation")?;
    let keys = AggregationKeys::read(&mut table);
    table.finish();
    let keys = keys?;
    Some(Some(AggregationPlan {
        overhead: keys.overhead,
        backoff: keys.backoff,
        max_packets: keys.max_packets.0,
        max_bytes: keys.max_bytes,
        max_airtime: keys.max_airtime,
    }))
}
