//! Calls: when they arrive and how long they last.
