//! No arrivals.

use crate::parameters::Check;

crate::parameters! {
    /// None: no calls arrive; only initial calls exist.
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
    /// arrivals.none = {}
    /// ```
    ///
    /// ## References
    /// [Satoh10 s12]: the termination runs, whose calls all begin at once and never end.
    pub struct Parameters {
    }
}
impl Check for Parameters {}
