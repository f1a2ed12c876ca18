//! Requests for other rates to sources that adapt theirs.

use crate::read::section::Section;
use crate::read::values::RunTime;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Rate, Time};
use std::sync::Arc;

penstock_model::parameters! {
    /// A request to the sources of a group to send at another rate.
    ///
    /// Every source of the group receives the request at that instant; the page of the source describes its response. A user, or a rate control
    /// outside of the scenario, controls an encoder in this way.
    pub struct RateRequestKeys {
        /// Time of the request, from the beginning of the run; later than the request
        /// before it.
        at: RunTime;
        /// The requested long-run rate, headers included.
        rate: Rate;
    }
}
impl Check for RateRequestKeys {}

/// Rates and the times of their requests, if there are any.
type Requests = Option<Arc<[(Time, Rate)]>>;

/// Reads `rate-requests` of a group with this source and transport; `None` after a mistake.
pub(crate) fn read(section: &mut Section<'_>, source: Option<&(SourcePlan, TransportPlan)>) -> Option<Requests> {
    if !section.has("rate-requests") {
        return Some(None);
    }
    let mut requests: Vec<(Time, Rate)> = Vec::new();
    let mut sound = true;
    for mut request in section.tables("rate-requests") {
        let keys = RateRequestKeys::read(&mut request);
        sound &= keys.is_some();
        if let Some(RateRequestKeys { at, rate }) = keys {
            let at = Time::ZERO + at.0;
            if let Some((before, _)) = requests.last().filter(|(before, _)| at <= *before) {
                request.report("at", format!("{at} is not after {before}; write requests in the order of time"));
                sound = false;
            }
            requests.push((at, rate));
        }
        request.finish();
    }
    let message = match source {
        Some((source, _)) if !source.adapts_rate() => {
            format!("have no effect: source '{}' keeps its rate; {} adapts its own", source.name(), SourcePlan::adaptive().join(", "))
        }
        Some((_, transport)) if transport.requests_rates() => {
            format!("have no effect: {} sets the rate of the source; leave them out", transport.name())
        }
        _ => return sound.then(|| Some(requests.into())),
    };
    section.report("rate-requests", message);
    None
}
