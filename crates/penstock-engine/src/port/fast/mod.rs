//! Fast paths: short loops for the ports that most are. Without them the digests are the same.

pub mod batches;
pub mod event_driven_loop;
pub mod tail_drop_fifo;
