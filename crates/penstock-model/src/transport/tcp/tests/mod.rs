//! Packet sequences worked by hand, on a path with a fixed delay and a list of losses.

mod growth;
pub(super) mod harness;
mod losses;
mod random;
mod timers;
