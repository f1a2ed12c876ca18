//! Errors of blueprints.

use crate::api::blueprint::Blueprint;
use std::fmt;

/// A blueprint that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlueprintError {
    /// The blueprint's flag was set.
    Cancelled,
    /// It contradicts itself: where, and what would help.
    Contradiction(String),
}

impl fmt::Display for BlueprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlueprintError::Cancelled => f.write_str("cancelled"),
            BlueprintError::Contradiction(what) => f.write_str(what),
        }
    }
}

/// The error that says so.
pub fn contradiction<T>(what: String) -> Result<T, BlueprintError> {
    Err(BlueprintError::Contradiction(what))
}

/// Refuses a blueprint for the first of these contradictions, if there is one.
pub fn refuse(mut contradictions: impl Iterator<Item = String>) -> Result<(), BlueprintError> {
    contradictions.next().map_or(Ok(()), contradiction)
}

impl std::error::Error for BlueprintError {}

/// Looks at the blueprint's flag.
///
/// # Errors
/// If it is set.
pub fn check_cancelled(blueprint: &Blueprint) -> Result<(), BlueprintError> {
    if blueprint.cancel.is_set() {
        Err(BlueprintError::Cancelled)
    } else {
        Ok(())
    }
}
