//! TCP sender and receiver.
