//! SCReAM, a congestion control for interactive media, with the queue of the sender and the feedback of the receiver.

mod feedback;
mod media_rate;
mod parameters;
mod receiver;
mod sender;
mod sent_packets;
mod window;
mod window_maximum;

#[cfg(test)]
mod tests;

pub use self::parameters::Parameters;
use self::parameters::MAX_PACKET;
use self::receiver::Receiver;
pub use self::sender::Sender;
use crate::site::Site;
use crate::source::{AnySource, SourcePlan};
use crate::transport::custom::{TransportEnds, TransportFacts};
use crate::units::Bytes;

impl Parameters {
    /// Both ends of a connection that carries `source`, which adapts its rate.
    pub fn ends(&self, source: &SourcePlan, site: &Site) -> TransportEnds {
        let packet = source.largest_packet().unwrap_or(Bytes::new(MAX_PACKET));
        let rate = source.mean_rate().expect("sources that adapt their rate have one");
        let site = site.child("source");
        let media = AnySource::new(source, &site).expect("sources that adapt their rate have times of their own");
        TransportEnds {
            facts: TransportFacts::of_source(packet, self.header, self.report, self.ecn),
            sender: Box::new(Sender::new(self, (media, site.key.stream()), rate, packet)),
            receiver: Box::new(Receiver::new(self.header, self.feedback_interval)),
        }
    }
}
