//! Calls that do not end.

use crate::parameters::Check;

crate::parameters! {
    /// Infinite: calls last until they are terminated or the run ends.
    ///
    /// ## Decides
    /// Nothing.
    ///
    /// ## State
    /// None.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// holding.infinite = {}
    /// ```
    ///
    /// ## References
    /// [Satoh10 s10.2, s12].
    pub struct Parameters {
    }
}
impl Check for Parameters {}
