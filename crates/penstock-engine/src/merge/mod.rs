//! Inputs in one order.

pub mod batch_sort;
pub mod calendar;
pub mod k_way;
pub mod radix_keys;
pub mod random_ties;
pub mod ring;
pub mod tournament_tree;
