//! Metrics of links beyond their counters: by class, ingress and circuit, quantiles of waits, error terms of EF.

use crate::measure::metric::{MetricKind, Statistic};
use crate::measure::recording::expedited;
use crate::measure::Measure;
use crate::metrics::evaluation::{join, mean_seconds, Evaluation};
use crate::metrics::timing::{merged, seconds};
use penstock_engine::observations::{CircuitId, ClassCounters, EfErrors, LinkCounters, PausedTime, PortTimings};
use penstock_model::id::LinkId;
use penstock_model::units::PS_PER_SECOND;
use std::collections::BTreeSet;
use std::ops::Range;

impl Evaluation<'_> {
    /// The classes whose flows may pass one of these links, with their names.
    pub fn classes_at(&self, links: &Range<usize>) -> Vec<(usize, String)> {
        let mut passes = vec![false; self.blueprint.classes.len()];
        for flow in &self.blueprint.flows {
            let class = usize::from(self.blueprint.groups[flow.group as usize].class);
            let mut ways = [flow.forward, flow.backward].into_iter();
            passes[class] =
                passes[class] || ways.any(|way| self.blueprint.routes[way.index()].iter().any(|link| links.contains(&link.index())));
        }
        self.blueprint.classes.iter().cloned().enumerate().filter(|(class, _)| passes[*class]).collect()
    }

    /// A class's share of each of these links' counts.
    pub fn of_class(&self, links: &Range<usize>, class: usize) -> Vec<LinkCounters> {
        let counters = |link| {
            let mut counters = self.class_counters(link).map_or_else(LinkCounters::default, |classes| classes[class].counters.clone());
            counters.pauses.clone_from(&self.seen.links[link].pauses);
            let of_class = |paused: &PausedTime| paused.class.is_none_or(|paused| usize::from(paused) == class);
            counters.pauses.iter_mut().for_each(|pauses| pauses.paused.retain(of_class));
            counters
        };
        links.clone().map(counters).collect()
    }

    /// What these links were offered and have lost, by the link over which it came, with its name; each ingress has all links.
    pub fn by_ingress(&self, links: &Range<usize>) -> Vec<(String, Vec<LinkCounters>)> {
        let of_link = |link| self.port_timings(link).map_or(&[][..], |timings| timings.ingresses.as_slice());
        let ingresses: BTreeSet<Option<LinkId>> = links.clone().flat_map(of_link).map(|(ingress, _)| *ingress).collect();
        let name = |ingress: LinkId| self.blueprint.links[ingress.index()].path.clone();
        let counted = |ingress: &Option<LinkId>| {
            let found = |link| of_link(link).iter().find(|(own, _)| own == ingress).map(|(_, counters)| counters.clone());
            let each = links.clone().map(|link| found(link).unwrap_or_else(|| self.nothing_at(link)));
            (ingress.map_or_else(|| "here".to_owned(), name), each.collect())
        };
        ingresses.iter().map(counted).collect()
    }

    /// What waited at these links, by circuit, with its name or that of the flow whose own it is; each circuit has all links.
    pub fn by_circuit(&self, links: &Range<usize>) -> Vec<(String, Vec<LinkCounters>)> {
        let of_link = |link| self.port_timings(link).map_or(&[][..], |timings| timings.circuits.as_slice());
        let circuits: BTreeSet<CircuitId> = links.clone().flat_map(of_link).map(|found| found.circuit).collect();
        let counted = |circuit: &CircuitId| {
            let found = |link| of_link(link).iter().find(|own| own.circuit == *circuit).map(|own| own.counters.clone());
            let each = links.clone().map(|link| found(link).unwrap_or_else(|| self.nothing_at(link)));
            (self.circuit_name(*circuit), each.collect())
        };
        circuits.iter().map(counted).collect()
    }

    fn circuit_name(&self, circuit: CircuitId) -> String {
        match circuit {
            CircuitId::Shared(plan) => self.blueprint.atm.circuits[plan as usize].name.clone(),
            CircuitId::Own(flow) => {
                let group = self.blueprint.flows[flow.index()].group as usize;
                let (name, members) = &self.group_members.flows[group];
                if members.len() == 1 {
                    name.clone()
                } else {
                    format!("{name}[{}]", flow.index() - members.start)
                }
            }
        }
    }

    /// No counts, of a port with the same possible causes of drops as that of `link`.
    fn nothing_at(&self, link: usize) -> LinkCounters {
        let LinkCounters { shares_buffer, has_limiters, has_headroom, carries_cells, .. } = self.seen.links[link];
        LinkCounters { shares_buffer, has_limiters, has_headroom, carries_cells, ..LinkCounters::default() }
    }

    /// The statistics and quantiles of the waits at these links, over all their packets together or those of one class.
    pub fn wait_rows(
        &mut self,
        measure: &Measure,
        counters: &[LinkCounters],
        (links, class): (Range<usize>, Option<usize>),
        labels: &[(&str, &str)],
    ) {
        let of = |classes: &'_ [ClassCounters]| match class {
            Some(class) => merged(std::iter::once(&classes[class].waits)),
            None => merged(classes.iter().map(|class| &class.waits)),
        };
        let each: Vec<_> = links.filter_map(|link| self.class_counters(link)).map(of).collect();
        let all = merged(each.iter());
        for take in &measure.take {
            let value = match take {
                Statistic::Min => seconds(all.min()),
                Statistic::Max => seconds(all.max()),
                // Counted at every link, recorded or not.
                _ => mean_seconds(counters.iter().map(|link| link.wait_sum_ps).sum(), counters.iter().map(|link| link.waits).sum()),
            };
            let has_label = !measure.single || measure.take != [Statistic::Mean];
            let statistic = has_label.then(|| ("statistic", take.word().to_owned()));
            self.push(MetricKind::Wait, &join(labels, statistic.as_slice()), value);
        }
        for quantile in &measure.quantiles {
            self.push(MetricKind::Wait, &join(labels, &[("quantile", quantile.to_string())]), seconds(all.quantile(*quantile)));
        }
    }

    /// The EF error terms of an aggregate: of each link, or the worst of a group.
    pub fn ef_error(&mut self, measure: &Measure, group: usize) {
        let (name, members) = &self.group_members.links[group];
        let flow_sets: Vec<(Option<&str>, Range<usize>)> = if measure.single {
            members.clone().map(|link| (Some(self.blueprint.links[link].path.as_str()), link..link + 1)).collect()
        } else {
            vec![(None, members.clone())]
        };
        for (link, links) in flow_sets {
            let errors: Vec<EfErrors> = links.filter_map(|link| self.expedited(measure, link)).collect();
            let second = match link {
                Some(link) => ("link", link),
                None => ("statistic", "max"),
            };
            let worst = |error: fn(&EfErrors) -> Option<i64>| {
                let worst = errors.iter().filter_map(error).max();
                worst.map_or(f64::NAN, |ps| ps as f64 / PS_PER_SECOND as f64)
            };
            for (word, value) in [("a", worst(|errors| errors.aggregate_ps)), ("p", worst(|errors| errors.packet_ps))] {
                self.push(MetricKind::EfError, &[("of", name), second, ("error", word)], value);
            }
        }
    }

    fn expedited(&self, measure: &Measure, link: usize) -> Option<EfErrors> {
        let (classes, rate) = measure.expedited.as_ref().expect("checked when it was read");
        let plan = expedited(classes, *rate, &self.blueprint.classes);
        let watched = &self.blueprint.watch.links;
        let found = watched.binary_search_by_key(&LinkId(link as u32), |(watched, _)| *watched).ok()?;
        let (_, watch) = &watched[found];
        let index = watch.expedited.iter().position(|known| *known == plan)?;
        Some(self.port_timings(link)?.expedited[index])
    }

    fn class_counters(&self, link: usize) -> Option<&[ClassCounters]> {
        self.port_timings(link).map(|port| port.classes.as_slice()).filter(|classes| !classes.is_empty())
    }

    /// What was recorded at a link; `None` if no route passes it.
    fn port_timings(&self, link: usize) -> Option<&PortTimings> {
        let found = self.seen.ports.binary_search_by_key(&LinkId(link as u32), |(link, _)| *link);
        found.ok().map(|index| &self.seen.ports[index].1)
    }
}
