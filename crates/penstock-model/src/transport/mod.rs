//! End hosts as state machines without I/O: they are told what arrived and asked what to send.

pub mod congestion_control;
mod ranges;
pub mod recovery;
pub mod tcp;
pub mod udp;

crate::component_plans! {
    /// A transport with its parameters, as a scenario gives it.
    pub enum TransportPlan {
        "tcp" => Tcp(tcp::Parameters),
        "udp" => Udp(udp::Parameters),
    }
}
