//! UDP.

use crate::packet::Ecn;
use crate::parameters::Check;
use crate::units::Bytes;

crate::parameters! {
    /// UDP: sends whatever its source produces, when the source produces it.
    ///
    /// ## Decides
    /// Nothing: there are no acknowledgements, retransmissions or windows.
    ///
    /// ## State
    /// None.
    ///
    /// ## Departures
    /// None. The source's packet sizes are sizes on the wire, headers included. No source reacts to marks.
    ///
    /// ## Example
    /// ```toml
    /// transport.udp = {}
    /// ```
    ///
    /// ## References
    /// RFC 768; RFC 8085 s3.1.7 (ECN).
    pub struct Parameters {
        /// Bytes of each packet that are not payload: 20 of IP and 8 of UDP.
        header: Bytes = "28 bytes";
        /// ECN codepoint of the packets [RFC3168 s5].
        ecn: Codepoint = "not-ect";
    }
}

crate::choice! {
    /// An ECN codepoint of a sender.
    pub enum Codepoint {
        /// Not ECN-capable: queues can only drop the packets.
        "not-ect" => NotEct,
        /// ECT(0): queues may mark the packets instead.
        "ect-0" => Ect0,
        /// ECT(1), as experiments use it [RFC8311 s2].
        "ect-1" => Ect1,
    }
}

impl From<Codepoint> for Ecn {
    fn from(codepoint: Codepoint) -> Ecn {
        match codepoint {
            Codepoint::NotEct => Ecn::NotEct,
            Codepoint::Ect0 => Ecn::Ect0,
            Codepoint::Ect1 => Ecn::Ect1,
        }
    }
}
impl Check for Parameters {}
