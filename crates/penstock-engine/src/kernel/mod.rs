//! The interface between processes and the executor: events, messages, inputs and outputs, routes, due times, and the journal.

pub mod context;
pub mod digest;
pub mod event;
pub mod inputs;
pub mod journal;
pub mod logical_process;
pub mod message;
pub mod outbox;
pub mod outputs;
pub mod periodic_packet;
pub mod process_graph;
pub mod route;
