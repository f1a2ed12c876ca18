//! What processes are made to meet with: channels, messages, routes, and the journal of what happened.

pub mod channel;
pub mod digest;
pub mod journal;
pub mod message;
pub mod outbox;
pub mod route;
