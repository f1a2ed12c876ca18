//! Routes as tables of hops.

use crate::build::places::Places;
use crate::kernel::route::Hop;
use crate::node::process::Process;
use penstock_model::id::ProcessId;

/// The hops of all routes, in the order of their links; hosts learn whether they forward packets.
pub fn add_routes(places: &Places<'_>, processes: &mut [Process]) -> Vec<Hop> {
    let blueprint = places.blueprint;
    let mut hops = Vec::with_capacity(blueprint.routes.links().len());
    for route in blueprint.cancel.until_set(blueprint.routes.iter()) {
        for (i, link) in route.iter().enumerate() {
            let process = places.receiver(route, i);
            let port = route.get(i + 1).and_then(|next| places.port(*next));
            if let Some(host) = processes[process as usize].host_mut().filter(|_| port.is_some()) {
                host.forwards = true;
            }
            hops.push(Hop { process: ProcessId(process), input: places.input(process, *link), port: port.unwrap_or(Hop::DELIVER) });
        }
    }
    hops
}
