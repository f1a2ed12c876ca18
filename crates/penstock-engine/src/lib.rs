//! The engine: the only crate with a clock.
//!
//! A [`Blueprint`] says what to run; [`Sim`] runs it; [`Observations`] say what happened. A run is a pure function of its
//! blueprint: no statics, no system time, no iteration over hash maps.
//!
//! Simulated things are *processes* ([`process::Process`]): a router's port, or a host with all its interfaces. They meet
//! only through packets that take time, each has one entry point `run(until, inputs, outputs)`, and executors choose only
//! `until`: see [`Executor`].

pub mod agenda;
mod assemble;
mod away;
pub mod blueprint;
mod browse;
mod calendar;
mod call;
mod calls;
pub mod channel;
mod committed;
mod connections;
mod cores;
mod counts;
mod coupling;
mod datagrams;
mod delayed;
mod digest;
mod egress;
mod emissions;
mod fifo;
mod gathered;
mod handed;
mod horizon;
mod host;
mod keys;
mod later;
pub mod link;
mod meeting;
mod merged;
pub mod messages;
pub mod observations;
mod open_end;
mod outlet;
mod pace;
mod part;
mod partition;
mod port;
mod port_counters;
mod port_watch;
pub mod process;
mod queue;
mod record;
mod ring;
pub mod route;
mod seating;
mod service;
mod serving;
mod shuffled;
pub mod sim;
mod sweeps;
mod timers;
mod together;
mod watch;
mod wheel;

pub use assemble::BlueprintError;
pub use blueprint::Blueprint;
pub use horizon::Executor;
pub use observations::Observations;
pub use pace::Pace;
pub use port::commits_on_arrival;
pub use sim::Sim;
