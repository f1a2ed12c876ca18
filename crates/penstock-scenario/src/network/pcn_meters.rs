//! Checks of the rates of PCN meters, against each other and against the rate of their link.

use crate::read::section::Section;
use penstock_model::pcn_meter::{MarkingRate, PcnMeterPlan};
use penstock_model::units::Rate;

/// Reports rates that the link never reaches, and meters that would terminate calls before others are refused.
pub(crate) fn check_meters(section: &Section<'_>, meters: &[PcnMeterPlan], fastest: Rate) {
    let report = |i: usize, it: &MarkingRate, message: String| {
        let meter = meters[i].name();
        let path = section.join(&format!("pcn.{meter}.{}", it.key));
        section.mistakes.add(section.location_below(&["pcn", meter, it.key]), &path, message);
    };
    let rates = |(i, plan): (usize, &PcnMeterPlan)| plan.parameters().marking_rates().into_iter().map(move |it| (i, it));
    let all: Vec<(usize, MarkingRate)> = meters.iter().enumerate().flat_map(rates).collect();
    for (i, it) in all.iter().filter(|(_, it)| it.rate > fastest) {
        report(*i, it, format!("{} is above the rate of the link, {fastest}, so it would never be reached", it.rate));
    }
    for (i, lower) in all.iter().filter(|(_, it)| !it.terminates) {
        // The parameters within one meter have been checked already.
        if let Some((j, upper)) = all.iter().find(|(j, upper)| i != j && upper.terminates && upper.rate < lower.rate) {
            let message = format!(
                "{} is above the {} of {}, {}; calls would end before others are refused",
                lower.rate,
                upper.key,
                meters[*j].name(),
                upper.rate
            );
            report(*i, lower, message);
        }
    }
}

/// Highest CLE threshold that those meters of a link allow that mark a share of the packets: their share just above the admissible
/// rate. It is one N-th of the admissible over the supportable rate [Satoh10 s3.3.1, (1)], or one N-th [Satoh10 appendix E].
pub(crate) fn greatest_cle_threshold(meters: &[PcnMeterPlan]) -> Option<f64> {
    meters.iter().filter_map(|plan| plan.parameters().highest_level()).reduce(f64::min)
}
