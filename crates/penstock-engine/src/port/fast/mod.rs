//! Fast paths: short loops for frequent kinds of ports. Each can be switched off
//! ([`FastPaths`](crate::api::blueprint::FastPaths)), and the digests are the same without them.

pub mod batch_path;
pub mod event_driven_loop;
pub mod tail_drop_fifo;
