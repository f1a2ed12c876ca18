//! Aggregates of calls between an ingress and an egress.

pub mod call;
pub mod departures;
pub mod egress;
pub mod ingress;
pub mod ingress_delay;
