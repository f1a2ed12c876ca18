//! Checks of a blueprint before processes are built from it.

use crate::api::blueprint::{Blueprint, LinkPlan, PortPlan};
use crate::api::changes::{check_component, check_order};
use crate::build::circuits::check_atm;
use crate::build::error::{check_cancelled, refuse, BlueprintError};
use crate::build::switches::check_switches;
use penstock_model::id::{LinkId, RouteId};
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::units::Duration;
use std::collections::BTreeSet;

/// Checks links, their schedulers, sample plans, routes, what flows send along which routes, and switches.
///
/// # Errors
/// If one of them contradicts itself or another one.
pub fn check(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    check_links(blueprint)?;
    check_schedulers(blueprint)?;
    check_routes(blueprint)?;
    check_cancelled(blueprint)?;
    check_sources(blueprint)?;
    check_transport_changes(blueprint)?;
    check_switches(blueprint)?;
    check_atm(blueprint)
}

fn check_links(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let loops = blueprint.links.iter().filter(|link| link.from == link.to);
    refuse(loops.map(|link| format!("the link {} ends where it begins", link.path)))?;
    for link in &blueprint.links {
        let refused = |error| BlueprintError::Contradiction(format!("the port of the link {} cannot change: {error}", link.path));
        link.port_changes.iter().try_for_each(|(_, plan)| link.port.check_change(plan)).map_err(refused)?;
        check_order(&link.port_changes, blueprint.end).map_err(refused)?;
    }
    let samples = blueprint.samples.iter().chain(&blueprint.meter_samples).enumerate();
    let without_interval = samples.filter(|(_, sample)| sample.every == Duration::ZERO);
    refuse(without_interval.map(|(plan, _)| format!("sample plan {plan} has an interval of 0 s; give it one above 0 s")))
}

fn check_schedulers(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    fn has_flow_queues(plan: &SchedulerPlan, classes: &[ClassPlan]) -> bool {
        let mut below = classes.iter().filter_map(|class| class.below.as_deref());
        plan.facts().own_queues.is_some() || below.any(|level| has_flow_queues(&level.scheduler, &level.classes))
    }
    let in_tree = blueprint.links.iter().filter(|link| {
        let PortPlan { scheduler, classes, .. } = &*link.port;
        classes.iter().any(|class| class.below.is_some()) && has_flow_queues(scheduler, classes)
    });
    refuse(in_tree.map(|LinkPlan { path, .. }| {
        format!("the link {path} has a scheduler that makes its own queues in a tree; give it to the link itself, without classes")
    }))
}

fn check_transport_changes(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    blueprint.groups.iter().try_for_each(|group| {
        let refused = |error| BlueprintError::Contradiction(format!("flows '{}' cannot change: {error}", group.name));
        let check = |plan| check_component("transport", &group.transport, plan);
        group.transport_changes.iter().try_for_each(|(_, plan)| check(&**plan)).map_err(refused)?;
        check_order(&group.transport_changes, blueprint.end).map_err(refused)
    })
}

fn check_sources(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let used: BTreeSet<u32> = blueprint.flows.iter().map(|flow| flow.group).collect();
    let mismatches = used.iter().map(|group| &blueprint.groups[*group as usize]).filter(|group| !group.transport.carries(&group.source));
    refuse(mismatches.map(|group| format!("flows '{}': this source cannot be carried by this transport", group.name)))
}

fn check_routes(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let link = |id: &LinkId| &blueprint.links[id.index()];
    let broken = blueprint
        .cancel
        .until_set(blueprint.routes.iter())
        .enumerate()
        .filter(|(_, route)| route.is_empty() || route.windows(2).any(|pair| link(&pair[0]).to != link(&pair[1]).from));
    refuse(broken.map(|(i, _)| format!("route {i} is empty or has links that do not meet")))?;
    let ends = |route: RouteId| {
        let route = &blueprint.routes[route.index()];
        (link(&route[0]).from, link(&route[route.len() - 1]).to)
    };
    let misled = blueprint.cancel.until_set(&blueprint.flows).enumerate().filter(|(_, flow)| {
        let answers = blueprint.groups[flow.group as usize].transport.has_return_traffic();
        answers && ends(flow.backward) != (flow.to, flow.from) || ends(flow.forward) != (flow.from, flow.to)
    });
    refuse(misled.map(|(i, _)| format!("the route of flow {i} does not lead between its ends")))
}
