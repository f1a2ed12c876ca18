//! Traffic classes: their numbers, and the schedulers that tell them apart.

use crate::network::links::{LinkGroup, Links};
use crate::network::scheduling::Class;
use crate::read::mistake::{Mistakes, SourceLocation};
use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::{FlowGroup, FlowPlan, RouteSet};
use penstock_model::atm::CELL;
use penstock_model::conditioner::{AnyShaper, Shaper, ShaperPlan};
use penstock_model::printable::quoted;
use penstock_model::site::Site;
use penstock_model::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers the classes in the order in which flows name them.
pub(crate) fn number_classes(flows: &mut [GroupDraft]) -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for group in flows {
        let number = *numbers.entry(group.class.clone()).or_insert_with(|| {
            classes.push(group.class.clone());
            classes.len() - 1
        });
        group.plan.class = number.min(255) as u8;
    }
    classes
}

/// Checks that each scheduler names the classes that pass it, and no other, and that quanta and bursts are large enough for
/// their packets.
pub(crate) fn check_classes(flows: &[GroupDraft], links: &Links, plans: &[FlowPlan], routes: &RouteSet, mistakes: &Mistakes) {
    let has_checks = |link: &LinkGroup| !link.port.level.classes.is_empty() || link.port.shaper.is_some();
    if !links.groups.iter().any(has_checks) {
        return;
    }
    let mut groups_at: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); links.groups.len()];
    for plan in plans {
        for route in [plan.forward, plan.backward] {
            for link in &routes[route.index()] {
                groups_at[links.group_of(*link)].insert(plan.group as usize);
            }
        }
    }
    let largest: Vec<u64> = flows.iter().map(|group| largest_packet(&group.plan)).collect();
    for (i, link) in links.groups.iter().enumerate().filter(|(_, link)| has_checks(link)) {
        let passing: Vec<Passing<'_>> =
            groups_at[i].iter().map(|group| Passing { group: &flows[*group], largest: size_on(link, links, largest[*group]) }).collect();
        check_names(link, &passing, mistakes);
        check_sizes(link, &passing, mistakes);
    }
}

/// The size of a packet of `largest` bytes or less on a link: the size of a cell, if the link carries cells.
fn size_on(link: &LinkGroup, links: &Links, largest: u64) -> u64 {
    if links.plans[link.members.start as usize].cells {
        u64::from(CELL)
    } else {
        largest
    }
}

/// A group of flows that passes a link.
struct Passing<'a> {
    group: &'a GroupDraft,
    /// Its largest packet, in bytes; `u64::MAX` if there is no bound.
    largest: u64,
}

/// Checks that every class that passes has one queue, and that every queue has a class that passes.
fn check_names(link: &LinkGroup, passing: &[Passing<'_>], mistakes: &Mistakes) {
    let level = &link.port.level;
    let leaves = level.leaves();
    if leaves.is_empty() {
        return;
    }
    let order = level.scheduler.facts().class_order.map_or(String::new(), |(key, _)| format!(".{key}"));
    let path = format!("{}.scheduler.{}{order}", link.path, level.scheduler.name());
    let known: BTreeSet<&str> = leaves.iter().map(|(_, leaf)| leaf.name.as_str()).collect();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    for Passing { group, .. } in passing {
        let class = group.class.as_str();
        if !known.contains(class) && missing.insert(class) {
            let message = format!("class '{class}' of flows '{}' passes here and is not named", group.plan.name);
            mistakes.add(level.location, &path, message);
        }
    }
    let classes: BTreeSet<&str> = passing.iter().map(|passing| passing.group.class.as_str()).collect();
    let those = if classes.is_empty() { "none".to_owned() } else { classes.iter().copied().collect::<Vec<_>>().join(", ") };
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for (_, leaf) in &leaves {
        if !named.insert(&leaf.name) {
            mistakes.add(
                leaf.location,
                &leaf.path,
                format!("a second queue for class {}; its packets can wait in one only", quoted(&leaf.name)),
            );
        }
        if !classes.contains(leaf.name.as_str()) {
            let message =
                format!("names class {}, but no flow of that class passes here (those that do: {those}); leave it out", quoted(&leaf.name));
            mistakes.add(leaf.location, &leaf.path, message);
        }
    }
}

/// Reports quanta and bursts that are smaller than a packet which passes here.
fn check_sizes(link: &LinkGroup, passing: &[Passing<'_>], mistakes: &Mistakes) {
    // Of several groups with packets of the same size, the last is named.
    let mut of_class: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, Passing { group, largest }) in passing.iter().enumerate() {
        let known = of_class.entry(group.class.as_str()).or_insert(i);
        *known = if passing[*known].largest <= *largest { i } else { *known };
    }
    let greatest = |of: &mut dyn Iterator<Item = usize>| of.max_by_key(|i| (passing[*i].largest, *i)).map(|i| &passing[i]);
    let burst_of = |shaper: &ShaperPlan| AnyShaper::new(shaper, &Site::trial()).burst();
    if let Some((shaper, burst)) = link.port.shaper.as_ref().and_then(|shaper| Some((shaper, burst_of(shaper)?))) {
        let all = greatest(&mut (0..passing.len()));
        let location = link.port.shaper_location;
        let path = format!("{}.shaper.{}.burst", link.path, shaper.name());
        check_size(burst, all, mistakes, location, &path, |burst, flows| {
            format!("{burst} are less than {flows}, which would never be within the profile")
        });
    }
    for (scheduler, class) in link.port.level.all_classes() {
        let facts = class.facts(scheduler);
        let coming = greatest(&mut leaf_names(class).into_iter().filter_map(|name| of_class.get(name).copied()));
        if let Some(quantum) = facts.quantum {
            let path = format!("{}.quantum", class.path);
            // Shares and order do not need such a quantum; only the constant cost of a decision does [Shreedhar96 s4].
            let message = |quantum, flows| {
                format!(
                    "{quantum} are less than {flows}: rounds pass without serving the class, and a decision no longer takes \
                     constant time, though the quanta still set the shares; better at least the largest packet"
                )
            };
            if let Some((_, text)) = too_small(quantum, coming, message) {
                mistakes.warn(class.location, &path, text);
            }
        }
        if let Some(limit) = &facts.rate_limit {
            let path = format!("{}.rate-limit.burst", class.path);
            check_size(limit.burst, coming, mistakes, class.location, &path, |burst, flows| {
                format!("{burst} are less than {flows}, which would never be within the limit")
            });
        }
    }
}

fn leaf_names(class: &Class) -> Vec<&str> {
    match &class.below {
        Some(level) => level.leaves().iter().map(|(_, leaf)| leaf.name.as_str()).collect(),
        None => vec![class.name.as_str()],
    }
}

/// Reports `size` if it is below the size of the largest passing packet; the second argument is the group that sends this packet.
fn check_size(
    size: Bytes,
    greatest: Option<&Passing<'_>>,
    mistakes: &Mistakes,
    location: SourceLocation,
    path: &str,
    message: impl Fn(Bytes, String) -> String,
) {
    match too_small(size, greatest, message) {
        Some((Largest::Bounded, text)) => mistakes.add(location, path, text),
        Some((Largest::Unbounded, text)) => mistakes.warn(location, path, text),
        None => {}
    }
}

/// Whether the sizes of packets have a bound.
enum Largest {
    Bounded,
    Unbounded,
}

/// The message about `size` if it is below the size of the largest passing packet; the second argument is the group that sends it.
fn too_small(size: Bytes, greatest: Option<&Passing<'_>>, message: impl Fn(Bytes, String) -> String) -> Option<(Largest, String)> {
    let Passing { group, largest } = greatest?;
    let name = &group.plan.name;
    match *largest {
        largest if largest <= size.get() => None,
        u64::MAX => {
            let packets = format!("some packets of flows '{name}', whose sizes have no bound");
            Some((Largest::Unbounded, message(size, packets)))
        }
        largest => Some((Largest::Bounded, message(size, format!("the {largest} bytes of a packet of flows '{name}'")))),
    }
}

/// The largest packet that a group sends, in bytes; `u64::MAX` if its law has no bound.
pub(super) fn largest_packet(group: &FlowGroup) -> u64 {
    let request = group.calls.as_ref().and_then(|calls| calls.request_packet).map_or(0, u64::from);
    group.transport.largest_packet(&group.source).map_or(u64::MAX, Bytes::get).max(request)
}
