//! UDP.

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
    /// None. The source's packet sizes are sizes on the wire, headers included.
    ///
    /// ## Example
    /// ```toml
    /// transport.udp = {}
    /// ```
    ///
    /// ## References
    /// RFC 768.
    pub struct Parameters {
        /// Bytes of each packet that are not payload: 20 of IP and 8 of UDP.
        header: Bytes = "28 bytes";
    }
}
impl Check for Parameters {}
