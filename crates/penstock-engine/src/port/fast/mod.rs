//! Fast paths: short loops for common kinds of ports. Each can be switched off
//! ([`FastPaths`](crate::api::blueprint::FastPaths)); the digests do not change.

pub mod batch_path;
pub mod event_driven_loop;
pub mod tail_drop_fifo;
