//! The ends of flows: sources and sinks, TCP, HTTP users, and the edges of aggregates of calls.

pub mod calls;
pub mod counts;
pub mod datagrams;
pub mod emitter;
pub mod flow_recorder;
pub mod http_user;
pub mod open_loop;
pub mod tcp;
pub mod timing_wheel;
pub mod wheel_pair;
