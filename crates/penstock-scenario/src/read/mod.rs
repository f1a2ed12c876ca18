//! Reads TOML: values with their locations, tables, and the mistakes in them.

pub(crate) mod canonical;
pub(crate) mod capture;
pub(crate) mod components;
pub(crate) mod csv;
pub(crate) mod deep_keys;
pub(crate) mod files;
pub(crate) mod key_lines;
pub(crate) mod mistake;
pub(crate) mod records;
pub(crate) mod section;
pub(crate) mod suggest;
pub(crate) mod tree;
pub(crate) mod values;
