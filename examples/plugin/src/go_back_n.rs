//! A transport: Go-Back-N.

use penstock_model::parameters::{Check, Count};
use penstock_model::transport::custom::{AckPacket, DataPacket, Expiry, TransportEnds, TransportFacts, TransportReceiver, TransportSender};
use penstock_model::units::{Bytes, Duration, Time};

penstock_model::parameters! {
    /// Go-Back-N: a sliding window, cumulative acknowledgements, and one timer.
    ///
    /// ## Decides
    /// Up to `window` packets are sent ahead of the acknowledgements. The receiver accepts packets in order alone, and answers each one with
    /// the number of the packet that it expects. When nothing has been acknowledged for the time `timeout`, the sender goes back to the first
    /// packet that is not acknowledged. With a window of one packet this is stop-and-wait.
    ///
    /// ## State
    /// Three numbers at the sender, one at the receiver; constant cost per packet.
    ///
    /// ## Departures
    /// Numbers do not wrap, and the last packet of a transfer is as large as all others.
    ///
    /// ## Example
    /// ```toml
    /// transport.go-back-n = { window = 8, timeout = "100 ms" }
    /// ```
    ///
    /// ## References
    /// Tanenbaum, Computer Networks, section 3.4.2.
    pub struct Parameters {
        /// Bytes of a data packet, headers included.
        packet: Bytes = "1000 bytes";
        /// Bytes of each data packet that are not payload.
        header: Bytes = "40 bytes";
        /// Bytes of an acknowledgement.
        ack: Bytes = "40 bytes";
        /// The most packets that are sent and not acknowledged (N).
        window: Count = "8";
        /// The time without progress after which the sender goes back.
        timeout: Duration = "100 ms";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.timeout == Duration::ZERO {
            mistake("timeout", "must be above 0 s".to_owned());
        }
    }
}

/// Both ends of a connection.
///
/// # Errors
/// If the sizes make no packets.
pub fn build(parameters: &Parameters) -> Result<TransportEnds, String> {
    let facts = TransportFacts::new(parameters.packet, parameters.header, parameters.ack)?;
    let sender = Sender {
        size: parameters.packet.get() as u32, // at most 65,535
        payload: parameters.packet.get() - parameters.header.get(),
        window: parameters.window.0,
        timeout: parameters.timeout,
        offered: 0,
        next: 0,
        sent: 0,
        acknowledged: 0,
        deadline: Time::NEVER,
    };
    let receiver = Receiver { payload: sender.payload, expected: 0, answer: None };
    Ok(TransportEnds { facts, sender: Box::new(sender), receiver: Box::new(receiver) })
}

/// The sending end.
#[derive(Clone, Debug)]
pub struct Sender {
    size: u32,
    payload: u64,
    window: u32,
    timeout: Duration,
    /// How many packets there are to send; `u32::MAX` without an end.
    offered: u32,
    /// The next to send, the one after the last that has ever been sent, and the first that is not acknowledged.
    next: u32,
    sent: u32,
    acknowledged: u32,
    deadline: Time,
}

penstock_model::state! {
    impl Sender, |it, _now| {
        /// Packets that have been sent and are not acknowledged; after going back, those that are sent again.
        "flight", "packets", is f64::from(it.next - it.acknowledged);
    }
}

impl TransportSender for Sender {
    fn on_data(&mut self, _now: Time, bytes: Option<u64>) {
        let packets = bytes.map(|bytes| u32::try_from(bytes.div_ceil(self.payload)).unwrap_or(u32::MAX));
        self.offered = self.offered.saturating_add(packets.unwrap_or(u32::MAX));
    }

    fn on_stop(&mut self, _now: Time) {
        self.offered = self.sent;
    }

    fn on_ack(&mut self, now: Time, ack: &AckPacket, _sent: Time) {
        if ack.next > self.acknowledged {
            self.acknowledged = ack.next;
            self.next = self.next.max(ack.next);
            self.deadline = if self.sent > ack.next { now + self.timeout } else { Time::NEVER };
        }
    }

    fn deadline(&self) -> Time {
        self.deadline
    }

    fn on_deadline(&mut self, now: Time) -> Expiry {
        self.next = self.acknowledged;
        self.deadline = now + self.timeout;
        Expiry::Timeout
    }

    fn next_packet(&mut self, now: Time) -> Option<DataPacket> {
        let seq = self.next;
        if seq >= self.offered || seq - self.acknowledged >= self.window {
            return None;
        }
        self.next += 1;
        let retransmission = seq < self.sent;
        self.sent = self.sent.max(self.next);
        if self.deadline == Time::NEVER {
            self.deadline = now + self.timeout;
        }
        Some(DataPacket { seq, size: self.size, retransmission, ..DataPacket::default() })
    }

    fn is_finished(&self) -> bool {
        self.acknowledged == self.offered
    }
}

/// The receiving end.
#[derive(Clone, Debug)]
pub struct Receiver {
    payload: u64,
    /// The packet that is to come next.
    expected: u32,
    answer: Option<AckPacket>,
}

impl TransportReceiver for Receiver {
    fn on_packet(&mut self, _now: Time, packet: &DataPacket, _sent: Time) {
        self.expected += u32::from(packet.seq == self.expected);
        self.answer = Some(AckPacket { next: self.expected, ..AckPacket::default() });
    }

    fn next_ack(&mut self, _now: Time) -> Option<AckPacket> {
        self.answer.take()
    }

    fn delivered(&self) -> u64 {
        u64::from(self.expected) * self.payload
    }
}
