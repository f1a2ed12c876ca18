//! Pure state machines and values of traffic management.
//!
//! Every component receives `now` and returns its decision. Nothing in this crate owns a clock, an event loop, a file or a
//! global; [`penstock-engine`](https://docs.rs) is the only crate with a clock.
//!
//! A folder is a kind of component, a file is one named component, and the line that lists it in the folder's `mod.rs`
//! feeds the scenario reader, the JSON Schema, the Python classes, the reference page and `penstock list`.

#[macro_use]
pub mod parameters;

pub mod atm;
pub mod buffer;
pub mod call;
pub mod conditioner;
pub mod discipline;
pub mod edge;
pub mod feedback;
pub mod id;
pub mod impairment;
pub mod meter;
pub mod packet;
pub mod pcn_meter;
pub mod prefetch;
pub mod printable;
pub mod probe;
mod queue_state;
pub mod registry;
pub mod rng;
pub mod scheduler;
pub mod site;
pub mod source;
pub mod stats;
pub mod transmission;
pub mod transport;
pub mod units;
pub mod wire;
