//! `time-to-fairness`.

use crate::measure::keys::{Durations, Measure, Request, MAX_INTERVALS};
use crate::measure::target::Target;
use crate::metrics::common::evaluation::Evaluation;
use crate::metrics::common::info::{Key, MetricInfo, Targets};
use crate::metrics::common::metric::Metric;
use penstock_model::units::{Duration, Time};
use std::ops::Range;

pub(crate) struct TimeToFairness;

impl TimeToFairness {
    pub const INFO: MetricInfo = MetricInfo {
        name: "time-to-fairness",
        unit: "s",
        doc: "Time from the end of the warm-up to the first bin from which the throughputs stay fair until the end of the run. In a fair bin, the throughput of each flow that `of` names, or of each group with `between = \"groups\"`, is within `tolerance` of their mean. Bins are `interval` long, 10 ms if left out, and start with the run; bins that the warm-up or the end of the run cuts are left out. Not a number (`null` in JSON) if the throughputs do not become fair.",
        statistics: "",
        targets: Targets::FLOWS,
        take: &[],
        default_take: &[],
        uses: &[Key::Interval, Key::Tolerance, Key::Between],
        ..MetricInfo::PLAIN
    };
}

impl Metric for TimeToFairness {
    fn info(&self) -> &'static MetricInfo {
        &Self::INFO
    }

    /// Requests counts of the bytes that flows receive, in bins.
    fn prepare(&self, request: &mut Request<'_, '_>) {
        let Request { section, keys, of, durations, recording, .. } = request;
        let every = keys.interval.filter(|every| *every > Duration::ZERO).unwrap_or(BIN);
        if let Some(Durations { run, window }) = *durations {
            let bins = run.as_ps() / every.as_ps();
            if every > window {
                section.report("interval", format!("{every} is longer than the measurement period, so no bin would be complete"));
            } else if bins > MAX_INTERVALS {
                section.report("interval", format!("{every} makes {bins} intervals; at most {MAX_INTERVALS}"));
            }
        }
        for (name, target) in keys.of.0.iter().zip(*of) {
            let Target::Flows(group) = target else { continue };
            let bins = &mut recording.groups.entry(*group).or_default().bins;
            match bins {
                Some(other) if *other != every => {
                    section.report("interval", format!("another measurement counts '{name}' per {other}; a group has one interval"));
                }
                _ => *bins = Some(every),
            }
        }
    }

    fn evaluate(&self, at: &mut Evaluation<'_>, measure: &Measure) {
        let (names, compared) = at.compared(&measure.of, measure.between);
        let bin = measure.interval.unwrap_or(BIN);
        // Only whole bins.
        let (from, to) = (at.seen.from.as_ps().div_ceil(bin.as_ps()), at.seen.to.as_ps() / bin.as_ps());
        let bins = |flow: &usize| at.timings(*flow).bins.as_deref().unwrap_or_default();
        let bytes: Vec<Vec<&[u64]>> = compared.iter().map(|flows| flows.iter().map(bins).collect()).collect();
        let reached = fair_from(&bytes, from as usize..to as usize, measure.tolerance);
        let value = reached.map_or(f64::NAN, |reached| {
            let begins = Time::from_ps(bin.as_ps() * reached as u64);
            begins.since(at.seen.from).as_seconds()
        });
        at.push(&Self::INFO, &[("of", &names)], value);
    }
}

/// Default length of a bin.
const BIN: Duration = Duration::from_ms(10);

/// The first of these bins from which on every bin is fair. A bin is fair if the bytes of each element of `compared`, summed over its
/// flows, are within `tolerance` of the mean of all elements. A bin without any bytes is not fair.
fn fair_from(compared: &[Vec<&[u64]>], bins: Range<usize>, tolerance: f64) -> Option<usize> {
    let is_fair = |bin: &usize| {
        let of = |flow: &&[u64]| flow.get(*bin).copied().unwrap_or(0);
        let bytes = || compared.iter().map(|flows| flows.iter().map(of).sum::<u64>() as f64);
        let mean = bytes().sum::<f64>() / compared.len() as f64;
        mean > 0.0 && bytes().all(|bytes| (bytes - mean).abs() <= tolerance * mean)
    };
    bins.rev().take_while(is_fair).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_reached_when_it_lasts() {
        // Means of 100, 100, 100, 50 and 100: the third bin is off by 20 %, later ones by 10 % at most.
        let (a, b): (&[u64], &[u64]) = (&[100, 95, 120, 55, 109], &[100, 105, 80, 45, 91]);
        let fair_from = |flows: &[&[u64]], bins, tolerance| {
            let alone: Vec<Vec<&[u64]>> = flows.iter().map(|flow| vec![*flow]).collect();
            fair_from(&alone, bins, tolerance)
        };
        assert_eq!(fair_from(&[a, b], 0..5, 0.1), Some(3));
        assert_eq!(fair_from(&[a, b], 0..5, 0.2), Some(0));
        assert_eq!(fair_from(&[a, b], 1..2, 0.1), Some(1));
        assert_eq!(fair_from(&[a, b], 0..3, 0.1), None);
        // A flow without any bytes up to the end, and bins in which no flow has bytes.
        assert_eq!(fair_from(&[a, &b[..4]], 0..5, 0.1), None);
        assert_eq!(fair_from(&[a, b], 0..6, 0.1), None);
        assert_eq!(fair_from(&[a], 0..5, 0.1), Some(0));
        // The sum of both is twice their mean; the third has the other half.
        assert_eq!(super::fair_from(&[vec![a, b], vec![&[200; 5]]], 0..5, 0.1), Some(4));
    }
}
