//! From a blueprint to processes.

pub mod assemble;
pub mod flow_layout;
pub mod message_paths;
pub mod process_graph;
pub mod switches;
