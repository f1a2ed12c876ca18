//! Endpoints of flows: sources and sinks, TCP, applications, and the edges of aggregates of calls.

pub mod application;
pub mod calls;
pub mod connections;
pub mod counts;
pub mod custom;
pub mod emitter;
pub mod flow_recorder;
pub mod host_context;
pub mod open_loop;
pub mod packet_template;
pub mod roce;
pub mod tcp;
pub mod timers;
