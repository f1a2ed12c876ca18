//! RoCEv2, one way: a sender of full-sized packets at a rate, and a receiver of them.
//!
//! Neither owns a clock. After every input (`start`, `offer`, `on_*`) the caller asks the sender's `next_transmission` until it
//! answers `None`, then looks at `deadline`, the instant at which `on_deadline` is due or a packet may leave. Where the sender waits
//! for its port, the caller registers it once it `is_ready`, asks for one packet when the port has room, and looks at `timeout`
//! meanwhile. The receiver answers each packet at once.

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
    /// RoCEv2: reliable and in order, sent at a rate instead of by a window, with go-back-N.
    ///
    /// ## Decides
    /// What the application offers at once, such as a file, is a message, cut into packets. They leave spaced at the rate of the `rate-control`, while fewer than `max-outstanding` are
    /// outstanding. The receiver takes packets in order only. It acknowledges each `ack-every`-th and the last one of a message, or as many as the rate control asks for; the first
    /// one that comes beyond a gap it refuses (NAK), and all up to the one that is missing in silence. After a NAK, or `timeout` without progress, the sender begins again at the first
    /// unacknowledged packet. Where the rate control asks for it, data are ECN-capable, and the receiver answers marks with
    /// notifications (CNP).
    ///
    /// A packet stays at its connection until the queue of the host's own port has room: then the port asks the connections that
    /// wait in turn (round robin), for one packet each. So that queue drops none of them for want of room, and PAUSE holds the
    /// connections back.
    ///
    /// ## State
    /// The next packet at either end, the first unacknowledged one, two instants, and what the rate control adds. Constant cost per packet.
    ///
    /// ## Departures
    /// - Sequence numbers count packets of one size; data flow one way, as in a write or a send of the reliable connection, and the connection is set up beforehand.
    /// - Acknowledgements are not spaced, and of the same class as data; so are notifications, which the paper sends with priority [Zhu15].
    /// - A notification is due at the first marked packet after the interval, not at its end.
    /// - The rate control is not told that a connection waits for its port; the next packet leaves a spacing after the last one left.
    /// - At an end of AAL5 packets do not wait: they go to the port of cells at once.
    /// - There are no end-to-end credits but `max-outstanding`, which is far above what a path holds, and no bound of retries.
    ///
    /// ## Example
    /// ```toml
    /// transport.roce = { packet = "1086 bytes" }
    /// ```
    ///
    /// ## References
    /// [IBTA s9.7, annex 17]; Zhu et al. [Zhu15].
    pub struct Parameters {
        /// What sets the rate.
        rate_control: RateControlPlan = "dcqcn", changeable;
        /// Size of a data packet on the wire: 1024 bytes and the headers.
        packet: Bytes = "1086 bytes";
        /// Bytes of it that are not payload: 18 of Ethernet, 20 of IP, 8 of UDP, 12 of the transport, 4 of its checksum [IBTA annex 17].
        header: Bytes = "62 bytes";
        /// Packets in order per acknowledgement.
        ack_every: Count = "16";
        /// The most packets that may be sent and not acknowledged.
        max_outstanding: Count = "8192";
        /// How long there may be no progress before the sender goes back; 4.096 us times a power of 2 [IBTA s9.7.6].
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

/// As for segments of TCP: what an IP packet holds.
const MAX_PACKET: u64 = 65_535;

/// Headers of a data packet, and four bytes of its own [IBTA s9.2].
pub const ACKNOWLEDGEMENT: u32 = 66;

/// Headers of a data packet, and sixteen reserved bytes [IBTA annex 17].
pub const NOTIFICATION: u32 = 78;

impl Parameters {
    /// What its rate control needs from receivers and ports.
    pub fn feedback(&self) -> Feedback {
        self.rate_control.feedback(self.packet.get() as u32) // at most MAX_PACKET
    }

    /// Whether queues may mark its data.
    pub fn is_ecn_capable(&self) -> bool {
        self.feedback().notification_interval.is_some()
    }
}
