//! Checks of schedulers that shape.

use crate::network::links::{LinkGroup, Links};
use crate::read::mistake::Mistakes;
use penstock_model::units::Rate;

/// Warns of schedulers whose shaper is faster than the link at all times, so that it never delays a packet.
pub(crate) fn check_shaped_rates(links: &Links, mistakes: &Mistakes) {
    for link in links.groups.iter().filter(|link| !link.is_unlimited) {
        let level = &link.port.level;
        let (fastest, shaped) = (fastest(links, link), level.scheduler.facts().shaped_rate);
        if let Some(rate) = shaped.filter(|rate| *rate > fastest) {
            let path = format!("{}.scheduler.{}.rate", link.path, level.scheduler.name());
            let message = format!(
                "{rate} is above the {fastest} of the link, so the shaper delays no packet, and thresholds are shares of a rate that the link does not have; write a lower one"
            );
            mistakes.warn(level.location, &path, message);
        }
    }
}

/// The highest rate of a link.
fn fastest(links: &Links, link: &LinkGroup) -> Rate {
    let plan = &links.plans[link.members.start as usize];
    let changes = plan.rate_changes.iter().map(|(_, rate)| *rate);
    changes.fold(plan.rate, Rate::max)
}
