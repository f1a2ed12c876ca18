//! From a blueprint to processes.

pub mod assemble;
pub mod flow_layout;
pub mod process_graph;
