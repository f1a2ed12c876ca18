//! Checks of the rates of PCN meters, against each other and against the rate of their link.

use crate::read::section::Section;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::units::Rate;

/// A rate above which a meter marks.
struct MarkingRate {
    meter: &'static str,
    key: &'static str,
    rate: Rate,
    /// Above it calls are terminated; otherwise new ones are refused.
    terminates: bool,
}

/// The rates above which a meter marks.
fn rates(plan: &PcnMeterPlan) -> Vec<MarkingRate> {
    let admission = |key, rate| MarkingRate { meter: plan.name(), key, rate, terminates: false };
    let termination = |key, rate| MarkingRate { meter: plan.name(), key, rate, terminates: true };
    match plan {
        PcnMeterPlan::SingleThreshold(it) => {
            vec![admission("admissible-rate", it.admissible_rate), termination("supportable-rate", it.supportable_rate)]
        }
        PcnMeterPlan::Fractional(it) => {
            vec![admission("admissible-rate", it.admissible_rate), termination("supportable-rate", it.supportable_rate)]
        }
        PcnMeterPlan::VirtualQueue(it) => vec![admission("admissible-rate", it.admissible_rate)],
        PcnMeterPlan::PreEmption(it) => vec![termination("supportable-rate", it.supportable_rate)],
        PcnMeterPlan::Threshold(it) => vec![admission("rate", it.rate)],
        PcnMeterPlan::Excess(it) => vec![termination("rate", it.rate)],
    }
}

/// Reports rates that the link never reaches, and meters that would terminate calls before others are refused.
pub(crate) fn check_meters(section: &Section<'_>, meters: &[PcnMeterPlan], fastest: Rate) {
    let report = |it: &MarkingRate, message: String| {
        let path = section.join(&format!("pcn.{}.{}", it.meter, it.key));
        section.mistakes.add(section.location_below(&["pcn", it.meter, it.key]), &path, message);
    };
    let all: Vec<(usize, MarkingRate)> =
        meters.iter().enumerate().flat_map(|(i, plan)| rates(plan).into_iter().map(move |it| (i, it))).collect();
    for (_, it) in all.iter().filter(|(_, it)| it.rate > fastest) {
        report(it, format!("{} is above the rate of the link, {fastest}, so it would never be reached", it.rate));
    }
    for (i, lower) in all.iter().filter(|(_, it)| !it.terminates) {
        // Within one meter, its own parameters have been checked.
        if let Some((_, upper)) = all.iter().find(|(j, upper)| i != j && upper.terminates && upper.rate < lower.rate) {
            let message = format!(
                "{} is above the {} of {}, {}; calls would end before others are refused",
                lower.rate, upper.key, upper.meter, upper.rate
            );
            report(lower, message);
        }
    }
}

/// The greatest CLE threshold that the meters of a link allow which mark a share there: what they mark at the admissible
/// rate, one N-th of it over the supportable rate [Satoh10 s3.3.1, (1)], or one N-th [Satoh10 appendix E].
pub(crate) fn greatest_cle_threshold(meters: &[PcnMeterPlan]) -> Option<f64> {
    let bound = |plan: &PcnMeterPlan| match plan {
        PcnMeterPlan::SingleThreshold(it) => Some(it.highest_level()),
        PcnMeterPlan::Fractional(it) => Some(1.0 / f64::from(it.mark_every.0)),
        _ => None,
    };
    meters.iter().filter_map(bound).reduce(f64::min)
}
