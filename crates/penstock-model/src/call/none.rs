//! No arrivals.

use crate::parameters::Check;

crate::parameters! {
    /// None: no calls arrive but those that are there from the start.
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
    /// [Satoh10 s12]: the termination runs, whose calls all begin at one time and never end.
    pub struct Parameters {
    }
}
impl Check for Parameters {}
