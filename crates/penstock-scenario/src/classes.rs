//! Traffic classes: their numbers, and the schedulers that tell them apart.

use crate::flows::Flows;
use crate::links::Links;
use crate::mistake::Mistakes;
use penstock_engine::blueprint::FlowPlan;
use penstock_model::id::LinkId;
use std::collections::BTreeSet;

/// Numbers the classes in the order in which flows name them.
pub(crate) fn number_classes(flows: &mut [Flows]) -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for group in flows {
        let known = classes.iter().position(|class| *class == group.class);
        group.plan.class = known.unwrap_or(classes.len()).min(255) as u8;
        if known.is_none() {
            classes.push(group.class.clone());
        }
    }
    classes
}

/// Each scheduler must name the classes that come to it, and no other.
pub(crate) fn check_classes(flows: &[Flows], links: &Links, plans: &[FlowPlan], routes: &[Vec<LinkId>], mistakes: &Mistakes) {
    let scheduled: Vec<Vec<String>> = links.groups.iter().map(|link| link.port.scheduled()).collect();
    if scheduled.iter().all(Vec::is_empty) {
        return;
    }
    let mut coming: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); links.groups.len()];
    for plan in plans {
        for route in [plan.forward, plan.backward] {
            for link in &routes[route.index()] {
                coming[links.group_of(*link)].insert(plan.group as usize);
            }
        }
    }
    for (i, link) in links.groups.iter().enumerate().filter(|(i, _)| !scheduled[*i].is_empty()) {
        let path = format!("{}.scheduler.{}.order", link.path, link.port.scheduler_name());
        let mut missing: Vec<&str> = Vec::new();
        for group in &coming[i] {
            let class = flows[*group].class.as_str();
            if !scheduled[i].iter().any(|name| name == class) && !missing.contains(&class) {
                missing.push(class);
                let message = format!("class '{class}' of flows '{}' passes here and is not named", flows[*group].plan.name);
                mistakes.add(link.port.scheduler_place, &path, message);
            }
        }
        for class in &scheduled[i] {
            if !coming[i].iter().any(|group| flows[*group].class == *class) {
                let passing: BTreeSet<&str> = coming[i].iter().map(|group| flows[*group].class.as_str()).collect();
                let passing = if passing.is_empty() { "none".to_owned() } else { passing.into_iter().collect::<Vec<_>>().join(", ") };
                let message =
                    format!("names class '{class}', but no flow of that class passes here (those that do: {passing}); leave it out");
                mistakes.add(link.port.scheduler_place, &path, message);
            }
        }
    }
}
