//! A file transfer.

use crate::parameters::Check;
use crate::units::Bytes;

crate::parameters! {
    /// FTP: a greedy application that always has data to send, until the end of its file.
    ///
    /// ## Decides
    /// Nothing: the transport takes data as fast as its window allows.
    ///
    /// ## State
    /// That of the transport.
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
    /// ns-2's Application/FTP does the same.
    pub struct Parameters {
        /// Size of the file, without headers; the transfer never ends if left out.
        size: Option<Bytes>;
    }
}
impl Check for Parameters {}
