//! The delay of packets of calls between their source and the ingress.

use crate::impairment::delay::DelayLaw;
use crate::parameters::Check;

crate::parameters! {
    /// A random time that each packet of a call takes from its source to the ingress, which sees it, and counts it, only
    /// then. `impairment.delay` on a link acts behind the ingress.
    pub struct DelayPlan {
        /// The time, or the law that it follows; drawn again for each packet.
        added: DelayLaw;
        /// Whether the packets of a call stay in order: one then waits for those before it.
        keep_order: bool = "false";
        /// What becomes of packets under way when their call ends.
        at_end: AtEnd = "sent";
    }
}

crate::choice! {
    /// What becomes of packets under way from a source to its ingress when their call ends.
    pub enum AtEnd {
        /// They arrive: only the source falls silent.
        "sent" => Sent,
        /// They are lost: the ingress lets nothing of the call pass any more.
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
