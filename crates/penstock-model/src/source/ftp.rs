//! A file transfer.

use crate::parameters::Check;
use crate::units::Bytes;

crate::parameters! {
    /// FTP: a greedy application that always has something to send, until its file ends.
    ///
    /// ## Decides
    /// Nothing about time: the transport below takes data as fast as its window allows.
    ///
    /// ## State
    /// None beyond what the transport keeps.
    ///
    /// ## Departures
    /// There is no control connection and no dialogue before the data.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { variant = "new-reno", packet = "1500 bytes" }
    /// source.ftp = { size = "1 MB" }
    /// ```
    ///
    /// ## References
    /// ns-2's Application/FTP behaves so.
    pub struct Parameters {
        /// How much there is to send, without headers; left out, the transfer never ends.
        size: Option<Bytes>;
    }
}
impl Check for Parameters {}
