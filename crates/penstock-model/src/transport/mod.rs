//! End hosts as state machines without I/O: they are told what arrived and asked what to send.

pub mod tcp;
