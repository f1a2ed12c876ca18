//! The network: nodes, links, and the ports in front of them.

pub(crate) mod aggregation;
pub(crate) mod circuits;
pub(crate) mod headroom;
pub(crate) mod links;
pub(crate) mod node_list;
pub(crate) mod nodes;
pub(crate) mod outages;
pub(crate) mod parameter_changes;
pub(crate) mod pause_checks;
pub(crate) mod pcn_meters;
pub(crate) mod port;
pub(crate) mod rate_changes;
pub(crate) mod routes;
pub(crate) mod scheduling;
pub(crate) mod shaper_checks;
pub(crate) mod switch_keys;
pub(crate) mod switches;
