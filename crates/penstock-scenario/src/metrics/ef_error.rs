//! `ef-error`.

use crate::measure::keys::{Measure, MeasureKeys};
use crate::measure::recording::{expedited, RecordingPlan};
use crate::measure::words::Statistic;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use crate::network::nodes::MAX_ENTITIES;
use penstock_engine::observations::EfErrors;
use penstock_model::id::LinkId;
use penstock_model::units::PS_PER_SECOND;
use std::ops::Range;

pub(crate) struct EfError;

impl EfError {
    pub const INFO: MetricInfo = MetricInfo {
        name: "ef-error",
        unit: "s",
        doc: "Error terms of EF: how much later an aggregate of classes is served, in the worst case, than by a server of the configured `rate` R [RFC3246 s2.2]. The label `error` has two values: `a` compares the j-th departure with the j-th arrival (E_a), `p` compares the departure of each packet with its own arrival (E_p). They differ only where `classes` names several classes. F_j = max(a_j, min(d_(j-1), F_(j-1))) + L_j/R, and the error is the maximum of d_j - F_j over the packets that left after the warm-up; it is negative if all were early. The recursion begins with the run; packets that were not sent are left out of it [RFC3246 s2.4].",
        statistics: "The maximum is over the packets of all links together.",
        targets: Targets::LINKS,
        take: WORST,
        default_take: WORST,
        requires: &[Key::Classes, Key::Rate],
        ..MetricInfo::PLAIN
    };
}

impl Metric for EfError {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    fn record_links(&self, keys: &MeasureKeys, members: Range<u32>, recording: &mut RecordingPlan) -> Result<(), String> {
        let classes = keys.classes.iter().flatten().map(|class| class.0.clone()).collect();
        match keys.rate {
            Some(rate) if !recording.record_expedited(members, classes, rate) => {
                Err(format!("more than {MAX_ENTITIES} error terms of all measurements are too many"))
            }
            _ => Ok(()),
        }
    }

    /// Adds the error terms of each link, or the worst of a group.
    fn of_links(&self, at: &mut Evaluation<'_>, measure: &Measure, group: usize, _samples: Option<&Range<usize>>) {
        let (name, members) = &at.group_members.links[group];
        let blueprint = at.blueprint;
        let link_sets: Vec<(Option<&str>, Range<usize>)> = if measure.single {
            members.clone().map(|link| (Some(blueprint.links[link].path.as_str()), link..link + 1)).collect()
        } else {
            vec![(None, members.clone())]
        };
        for (link, links) in link_sets {
            let errors: Vec<EfErrors> = links.filter_map(|link| errors_of(at, measure, link)).collect();
            let second = match link {
                Some(link) => ("link", link),
                None => ("statistic", "max"),
            };
            let worst = |error: fn(&EfErrors) -> Option<i64>| {
                let worst = errors.iter().filter_map(error).max();
                worst.map_or(f64::NAN, |ps| ps as f64 / PS_PER_SECOND as f64)
            };
            for (word, value) in [("a", worst(|errors| errors.aggregate_ps)), ("p", worst(|errors| errors.packet_ps))] {
                at.push(&Self::INFO, &[("of", name), second, ("error", word)], value);
            }
        }
    }
}

/// The statistic of a group: the worst of its error terms.
const WORST: &[Statistic] = &[Statistic::Max];

fn errors_of(at: &Evaluation<'_>, measure: &Measure, link: usize) -> Option<EfErrors> {
    let (classes, rate) = measure.expedited.as_ref().expect("checked when it was read");
    let plan = expedited(classes, *rate, &at.blueprint.classes);
    let index = at.blueprint.watch.links.get(&LinkId(link as u32))?.expedited.iter().position(|known| *known == plan)?;
    Some(at.port_timings(link)?.expedited[index])
}
