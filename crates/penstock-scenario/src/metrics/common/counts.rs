//! Counts of packets at links, by cause and precedence.

use crate::measure::words::SplitBy;
use crate::metrics::common::evaluation::LabelledValues;
use penstock_engine::observations::LinkCounters;
use penstock_model::discipline::{DropCause, PRECEDENCES};

/// Drops or offered packets of a link, split as asked; every cause that may occur there and every precedence has its row, so
/// that runs compare.
pub(crate) fn counts(by: &[SplitBy], link: &LinkCounters, count: fn(&LinkCounters, Option<usize>, Option<usize>) -> u64) -> LabelledValues {
    let causes: Vec<Option<usize>> = match by.contains(&SplitBy::Cause) {
        true => {
            let may_occur = |cause: &usize| match DropCause::ALL[*cause] {
                DropCause::Buffer => link.causes.shares_buffer,
                DropCause::Limiter => link.causes.has_limiters,
                DropCause::Headroom => link.causes.has_headroom,
                DropCause::Partial => link.causes.carries_cells,
                DropCause::Filtered => link.causes.filters,
                _ => true,
            };
            (0..DropCause::ALL.len()).filter(may_occur).map(Some).collect()
        }
        false => vec![None],
    };
    let precedences: Vec<Option<usize>> = match by.contains(&SplitBy::Precedence) {
        true => (0..PRECEDENCES).map(Some).collect(),
        false => vec![None],
    };
    let mut rows = Vec::new();
    for cause in &causes {
        for precedence in &precedences {
            let mut labels = Vec::new();
            labels.extend(cause.map(|cause| ("cause", DropCause::ALL[cause].name().to_owned())));
            labels.extend(precedence.map(|precedence| ("precedence", precedence.to_string())));
            rows.push((labels, count(link, *cause, *precedence) as f64));
        }
    }
    rows
}

/// Packets that a link dropped, for one cause or all, of one precedence or all.
pub(crate) fn dropped(link: &LinkCounters, cause: Option<usize>, precedence: Option<usize>) -> u64 {
    let of_cause = |(i, _): &(usize, _)| cause.is_none_or(|cause| cause == *i);
    let counts = link.dropped_packets.iter().enumerate().filter(of_cause);
    counts
        .flat_map(|(_, counts)| counts.iter().enumerate())
        .filter(|(i, _)| precedence.is_none_or(|precedence| precedence == *i))
        .map(|(_, count)| count)
        .sum()
}

/// Sum of `count` over these links, as a share of the packets offered to them.
pub(crate) fn share_of_offered(links: &[LinkCounters], count: fn(&LinkCounters) -> u64) -> f64 {
    let offered: u64 = links.iter().flat_map(|link| link.offered_packets).sum();
    links.iter().map(count).sum::<u64>() as f64 / offered as f64
}
