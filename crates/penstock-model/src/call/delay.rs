//! The delay of packets of calls between their source and the ingress.

use crate::impairment::delay::DelayLaw;
use crate::parameters::Check;

crate::parameters! {
    /// Random delay of each packet of a call from its source to the ingress. The ingress sees and counts a packet when it arrives
    /// there. `impairment.delay` on a link acts behind the ingress.
    pub struct DelayPlan {
        /// The delay, or its distribution; drawn for each packet.
        added: DelayLaw;
        /// Whether the packets of a call stay in order: a packet then waits for earlier ones.
        keep_order: bool = "false";
        /// Fate of packets in flight when their call ends.
        at_end: AtEnd = "sent";
    }
}

crate::choice! {
    /// Fate of packets in flight from a source to its ingress when their call ends.
    pub enum AtEnd {
        /// They arrive; only the source stops.
        "sent" => Sent,
        /// They are lost; the ingress passes no further packet of the call.
        "lost" => Lost,
    }
}

impl Check for DelayPlan {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.keep_order && matches!(self.added, DelayLaw::Fixed(_)) {
            mistake("keep-order", "has no effect with a fixed delay, which keeps the order anyway; leave it out".to_owned());
        }
    }
}
