//! Packet sequences computed by hand, on a path with a fixed delay and a list of losses.

mod delayed_retransmission;
mod dsack;
mod early_recoveries;
mod ecn;
mod f_rto;
mod flight_size;
mod growth;
pub(crate) mod harness;
mod linux;
mod losses;
mod pacing;
mod profiles;
mod rack;
mod random;
mod receiver;
mod reductions;
mod sack_blocks;
mod timers;
mod timestamps;
mod window_validation;
