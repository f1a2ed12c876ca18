//! What a blueprint must fulfil before processes are made of it.

use crate::api::blueprint::Blueprint;
use crate::build::error::BlueprintError;
use crate::build::switches::check_switches;
use penstock_model::id::{LinkId, RouteId};
use penstock_model::transport::TransportPlan;
use penstock_model::units::Duration;

/// Checks links, sample plans, routes, the routes of flows, and switches.
///
/// # Errors
/// If one of them contradicts itself or another one.
pub fn check(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    check_links(blueprint)?;
    check_routes(blueprint)?;
    check_switches(blueprint)
}

fn check_links(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    if let Some(link) = blueprint.links.iter().find(|link| link.from == link.to) {
        return Err(BlueprintError::LinkToItself(link.path.clone()));
    }
    match blueprint.samples.iter().chain(&blueprint.meter_samples).position(|sample| sample.every == Duration::ZERO) {
        Some(plan) => Err(BlueprintError::NoInterval(plan)),
        None => Ok(()),
    }
}

fn check_routes(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    let link = |id: &LinkId| &blueprint.links[id.index()];
    for (i, route) in blueprint.routes.iter().enumerate() {
        if route.is_empty() || route.windows(2).any(|pair| link(&pair[0]).to != link(&pair[1]).from) {
            return Err(BlueprintError::BrokenRoute(i));
        }
    }
    let ends = |route: RouteId| {
        let route = &blueprint.routes[route.index()];
        (link(&route[0]).from, link(&route[route.len() - 1]).to)
    };
    for (i, flow) in blueprint.flows.iter().enumerate() {
        let back = match blueprint.groups[flow.group as usize].transport {
            TransportPlan::Tcp(_) => ends(flow.backward) == (flow.to, flow.from),
            TransportPlan::Udp(_) => true,
        };
        if !back || ends(flow.forward) != (flow.from, flow.to) {
            return Err(BlueprintError::MisroutedFlow(i));
        }
    }
    Ok(())
}
