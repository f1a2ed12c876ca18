//! Termination of single threshold marking.

mod egress;
mod ingress;
mod numbered;
mod parameters;
mod receiving_rate;

pub use egress::Egress;
pub use ingress::Ingress;
pub use parameters::Parameters;
