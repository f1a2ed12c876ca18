//! Transports whose two ends implement an interface: plug-ins, and built-in transports that need nothing more.
//!
//! Both ends are state machines without a clock. When something happens at an end, the engine calls its `on_*` method, then asks for
//! packets until there is none to send at that instant, and then for the deadline of its timer.

#[cfg(test)]
pub(super) mod testing;

use super::{saturated, TransferPackets, TransportPlan};
use crate::packet::{Ecn, FramePlace};
use crate::probe::Probe;
use crate::registry::{Custom, OpenKind};
use crate::site::Site;
use crate::units::{Bytes, Time};
use dyn_clone::DynClone;

/// Maximum size of a packet in bytes.
const MAX_PACKET: u64 = 65_535;

/// A data packet: the sender fills it in, and the receiver reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataPacket {
    /// Number shown in traces.
    pub seq: u32,
    /// Bytes on the wire, headers included, within the [facts](TransportFacts) of the transport.
    pub size: u32,
    /// Whether its data was sent before; used only for counting.
    pub retransmission: bool,
    /// ECN codepoint: as sent, or as received.
    pub ecn: Ecn,
    /// Fields that the transport defines.
    pub words: [u32; 3],
}

/// The frame that a data packet belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePart {
    /// Number of the frame, modulo 2^16.
    pub frame: u16,
    /// Position of the packet in the frame.
    pub place: FramePlace,
    /// Number of the packet. The packets of a frame are consecutive.
    pub seq: u32,
    /// Time at which the source generated the frame.
    pub generated: Time,
}

/// An acknowledgement or report that a receiver sends back. A transport sends them all in one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckPacket {
    /// Acknowledged number, shown in traces.
    pub next: u32,
    /// ECN codepoint: as sent, or as received.
    pub ecn: Ecn,
    /// Fields that the transport defines.
    pub words: [u32; 4],
}

/// Reason for the expiry of a sender's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Lack of progress; counted by the metric `timeouts`.
    Timeout,
    /// End of a wait for evidence that a packet is lost.
    Retransmission,
    /// Any other reason, such as the time of a paced packet.
    Pacing,
}

/// The sending end of a connection.
pub trait TransportSender: Probe + DynClone {
    /// Offers `bytes` more data, without headers; `None` means endless data. The first call starts the connection. A later call comes
    /// only after all earlier data [is finished](TransportSender::is_finished).
    fn on_data(&mut self, now: Time, bytes: Option<u64>);

    /// Stops the application: the sender must not send new data.
    fn on_stop(&mut self, now: Time);

    /// Handles an acknowledgement that the receiver sent at `sent`.
    fn on_ack(&mut self, now: Time, ack: &AckPacket, sent: Time);

    /// Time at which the timer expires; [`Time::NEVER`] if it is not set. Must be later than `now` of the last call.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the expiry of the timer, at its deadline.
    fn on_deadline(&mut self, now: Time) -> Expiry {
        let _ = now;
        Expiry::Pacing
    }

    /// Next packet to send at `now`; `None` if there is none at this instant.
    fn next_packet(&mut self, now: Time) -> Option<DataPacket>;

    /// Whether the receiver has all data of the application, as far as the sender knows. This completes a transfer.
    fn is_finished(&self) -> bool;

    crate::takes_changes!();
}

dyn_clone::clone_trait_object!(TransportSender);

/// The receiving end of a connection.
pub trait TransportReceiver: DynClone {
    /// Handles a data packet that was sent at `sent`.
    fn on_packet(&mut self, now: Time, packet: &DataPacket, sent: Time);

    /// Acknowledgement to send at `now`; `None` if there is none at this instant.
    fn next_ack(&mut self, now: Time) -> Option<AckPacket>;

    /// Number of bytes delivered to the application so far, without headers and duplicates.
    fn delivered(&self) -> u64;

    /// Frame that a data packet belongs to, for transports that carry sources with frames.
    fn frame_part(&self, packet: &DataPacket) -> Option<FramePart> {
        let _ = packet;
        None
    }

    /// Time at which the timer expires, such as that of a delayed acknowledgement or of the next report; see [the sender's
    /// deadline](TransportSender::deadline).
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Handles the expiry of the timer, at its deadline.
    fn on_deadline(&mut self, now: Time) {
        let _ = now;
    }
}

dyn_clone::clone_trait_object!(TransportReceiver);

/// Properties of a transport that follow from its parameters alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportFacts {
    packet: Bytes,
    smallest_packet: Bytes,
    header: Bytes,
    ack: Bytes,
    is_ecn_capable: bool,
}

impl TransportFacts {
    /// A transport whose data packets have the size `packet` on the wire, whose header takes `header` bytes, and whose
    /// acknowledgements have the size `ack`. Its packets are not ECN-capable.
    ///
    /// # Errors
    /// If a packet has size zero, no room for data, or is larger than an IP packet can be.
    pub fn new(packet: Bytes, header: Bytes, ack: Bytes) -> Result<TransportFacts, String> {
        let largest = packet.max(ack);
        if largest.get() > MAX_PACKET {
            return Err(format!("packets of {largest} are larger than an IP packet can be, {MAX_PACKET} bytes"));
        }
        if header >= packet {
            return Err(format!("packets of {packet} have no room for data behind {header} of headers"));
        }
        if ack == Bytes::default() {
            return Err("acknowledgements have at least one byte".to_owned());
        }
        Ok(TransportFacts { packet, smallest_packet: packet, header, ack, is_ecn_capable: false })
    }

    /// Permits data packets down to the size `smallest`, such as the last one of a transfer. Small packets reduce the lookahead of the
    /// engine.
    ///
    /// # Errors
    /// If `smallest` has no room for data, or is larger than a full packet.
    pub fn down_to(self, smallest: Bytes) -> Result<TransportFacts, String> {
        if smallest <= self.header || smallest > self.packet {
            return Err(format!(
                "the smallest packet, {smallest}, is above {} (headers) and at most {} (a full one)",
                self.header, self.packet
            ));
        }
        Ok(TransportFacts { smallest_packet: smallest, ..self })
    }

    /// A transport whose source sets the sizes of data packets, up to `packet`.
    pub(super) fn of_source(packet: Bytes, header: Bytes, ack: Bytes, is_ecn_capable: bool) -> TransportFacts {
        TransportFacts { packet, smallest_packet: Bytes::new(1), header, ack, is_ecn_capable }
    }

    /// Permits queues to mark packets instead of dropping them, if `is_capable`.
    #[must_use]
    pub fn with_ecn(self, is_capable: bool) -> TransportFacts {
        TransportFacts { is_ecn_capable: is_capable, ..self }
    }

    /// Size of a full data packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// Size of the smallest data packet.
    pub fn smallest_packet(&self) -> Bytes {
        self.smallest_packet
    }

    /// Bytes of headers in a data packet.
    pub fn header(&self) -> Bytes {
        self.header
    }

    /// Size of an acknowledgement.
    pub fn ack(&self) -> Bytes {
        self.ack
    }

    /// Minimum number and size of the packets of a transfer of this size. All packets except the last are full; the last one does not count
    /// if it may be smaller.
    pub(super) fn transfer_packets(&self, size: Bytes) -> TransferPackets {
        let (full, header) = (self.packet.get(), self.header.get());
        let data = full.min((size.get() + header).max(self.smallest_packet.get()));
        let is_rounded_up = self.smallest_packet == self.packet;
        let count = if is_rounded_up { size.get().div_ceil(full - header) } else { (size.get() / (data - header)).max(1) };
        TransferPackets { count: saturated(count), data: Bytes::new(data), bare: self.ack, syn: false }
    }

    /// Whether queues may mark packets instead of dropping them.
    pub fn is_ecn_capable(&self) -> bool {
        self.is_ecn_capable
    }
}

/// Both ends of a connection.
pub struct TransportEnds {
    /// Properties of the transport.
    pub facts: TransportFacts,
    /// Sending end.
    pub sender: Box<dyn TransportSender + Send>,
    /// Receiving end.
    pub receiver: Box<dyn TransportReceiver + Send>,
}

/// The kind of transports. Both ends are built with the site of the sending end of the flow.
pub struct Transports;

impl OpenKind for Transports {
    const OF: &'static str = TransportPlan::OF;
    const BUILT_IN: &'static [&'static str] = TransportPlan::NAMES;
    type Context<'a> = Site;
    type Component = TransportEnds;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

impl Custom<Transports> {
    /// Properties of the transport.
    pub fn facts(&self) -> TransportFacts {
        self.build(&Site::trial()).facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(packet: u64, header: u64, ack: u64) -> Result<TransportFacts, String> {
        TransportFacts::new(Bytes::new(packet), Bytes::new(header), Bytes::new(ack))
    }

    #[test]
    fn facts_are_sound() {
        let sound = facts(1000, 40, 60).expect("sound");
        assert_eq!((sound.packet(), sound.smallest_packet(), sound.header(), sound.ack()), {
            let bytes = Bytes::new;
            (bytes(1000), bytes(1000), bytes(40), bytes(60))
        });
        assert!(!sound.is_ecn_capable() && sound.with_ecn(true).is_ecn_capable());
        assert_eq!(sound.down_to(Bytes::new(41)).expect("one byte of data").smallest_packet(), Bytes::new(41));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |facts: Result<TransportFacts, String>| facts.expect_err("refused");
        assert_eq!(refused(facts(70_000, 40, 40)), "packets of 70000 bytes are larger than an IP packet can be, 65535 bytes");
        assert_eq!(refused(facts(1000, 40, 70_000)), "packets of 70000 bytes are larger than an IP packet can be, 65535 bytes");
        assert_eq!(refused(facts(40, 40, 40)), "packets of 40 bytes have no room for data behind 40 bytes of headers");
        assert_eq!(refused(facts(1000, 40, 0)), "acknowledgements have at least one byte");
        for smallest in [40, 1001] {
            let error = refused(facts(1000, 40, 40).and_then(|sound| sound.down_to(Bytes::new(smallest))));
            assert_eq!(
                error,
                format!("the smallest packet, {smallest} bytes, is above 40 bytes (headers) and at most 1000 bytes (a full one)")
            );
        }
    }
}
