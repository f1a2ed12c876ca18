//! RoCEv2, one way: a rate-based sender of full-sized packets and its receiver.
//!
//! Neither end owns a clock. After every input (`start`, `offer`, `on_*`) the caller asks the sender's `next_transmission` until it
//! returns `None`, then reads `deadline`, the instant at which `on_deadline` is due or a packet may leave. If the sender waits for its
//! port, the caller registers it once it `is_ready`, asks for one packet when the port has room, and reads `timeout` meanwhile. The
//! receiver answers each packet immediately.

mod receiver;
mod sender;

#[cfg(test)]
mod tests;

pub use receiver::{DataPacket, Receiver};
pub use sender::Sender;

use crate::parameters::{Check, Count};
use crate::transport::rate_control::{Feedback, RateControlPlan};
use crate::units::{Bytes, Duration};

crate::parameters! {
    /// RoCEv2: reliable, in-order delivery at a controlled rate, with go-back-N.
    ///
    /// ## Decides
    /// Data that the application offers at once, such as a file, is a message, divided into packets. The packets leave at the rate of
    /// the `rate-control`, while fewer than `max-outstanding` are outstanding. The receiver accepts packets only in order:
    ///
    /// - It acknowledges every `ack-every`-th packet and the last one of a message; a rate control may request another number.
    /// - It refuses the first packet after a gap with a NAK, and discards further packets silently until the missing packet arrives.
    /// - If the rate control requests it, data packets are ECN-capable, and the receiver answers marks with notifications (CNP).
    ///
    /// After a NAK, or after `timeout` without progress, the sender resends from the first unacknowledged packet on.
    ///
    /// A packet stays at its connection until the queue of the host's own port has room. The port then asks the waiting connections in
    /// turn (round robin) for one packet each. That queue therefore never drops their packets for lack of room, and PAUSE holds the
    /// connections back.
    ///
    /// ## State
    /// The next packet at either end, the first unacknowledged one, two instants, and the state of the rate control. Constant cost per
    /// packet.
    ///
    /// ## Departures
    /// - Sequence numbers count packets of one size. Data flows one way, as in a write or a send of the reliable connection. The
    ///   connection exists from the start.
    /// - Acknowledgements are not paced and have the class of the data. So do notifications, which the paper sends with priority
    ///   [Zhu15].
    /// - A notification is sent for the first marked packet after the interval, not at its end.
    /// - The rate control does not know that a connection waits for its port; the next packet leaves one spacing after the last one
    ///   left.
    /// - If the host is an AAL5 end, packets do not wait: they go to the port of cells immediately.
    /// - There are no end-to-end credits except `max-outstanding`, which is far above the capacity of a path, and retries are
    ///   unlimited.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { packet = "1086 bytes" }
    /// ```
    ///
    /// ## References
    /// [IBTA s9.7, annex 17]; Zhu et al. [Zhu15].
    pub struct Parameters {
        /// Algorithm that sets the rate.
        rate_control: RateControlPlan = "dcqcn", changeable;
        /// Size of a data packet on the wire: 1024 bytes and the headers.
        packet: Bytes = "1086 bytes";
        /// Header bytes of a data packet: 18 of Ethernet, 20 of IP, 8 of UDP, 12 of the transport, 4 of its checksum [IBTA annex 17].
        header: Bytes = "62 bytes";
        /// In-order packets per acknowledgement.
        ack_every: Count = "16";
        /// Maximum number of unacknowledged packets.
        max_outstanding: Count = "8192";
        /// Time without progress after which the sender goes back; 4.096 us times a power of 2 [IBTA s9.7.6].
        timeout: Duration = "4.194304 ms";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.packet <= self.header {
            mistake("packet", format!("must be larger than header, {}", self.header));
        }
        if self.packet.get() > MAX_PACKET {
            mistake("packet", format!("{} is larger than any; at most {MAX_PACKET} bytes", self.packet));
        }
        if self.ack_every > self.max_outstanding {
            mistake("ack-every", format!("is more than max-outstanding, {} packets, so only timeouts would go on", self.max_outstanding.0));
        }
        if self.timeout == Duration::ZERO {
            mistake("timeout", "must be above 0 s".to_owned());
        }
    }
}

/// Maximum size of an IP packet, as for segments of TCP.
const MAX_PACKET: u64 = 65_535;

/// Size of an acknowledgement: the headers of a data packet and four bytes [IBTA s9.2].
pub const ACKNOWLEDGEMENT: u32 = 66;

/// Size of a notification: the headers of a data packet and sixteen reserved bytes [IBTA annex 17].
pub const NOTIFICATION: u32 = 78;

impl Parameters {
    /// Feedback that the rate control needs from receivers and ports.
    pub fn feedback(&self) -> Feedback {
        self.rate_control.feedback(self.packet.get() as u32) // at most MAX_PACKET
    }

    /// Whether queues may mark data packets.
    pub fn is_ecn_capable(&self) -> bool {
        self.feedback().notification_interval.is_some()
    }
}
