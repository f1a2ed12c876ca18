//! Helpers for metrics of frames.

use crate::measure::target::MeasurableGroup;
use crate::metrics::common::evaluation::Evaluation;
use penstock_engine::observations::FrameTimes;

/// Refuses a group whose source has no frames.
pub(crate) fn check_frames(name: &str, group: &MeasurableGroup<'_>) -> Result<(), String> {
    match group.has_frames {
        true => Ok(()),
        false => Err(format!("'{name}' applies to sources with frames, such as video, but '{}' has another source", group.name)),
    }
}

/// The recorded frame times of a flow.
pub(crate) fn frames<'a>(at: &'a Evaluation<'_>, flow: usize) -> &'a FrameTimes {
    at.timings(flow).frames.as_ref().expect("the metric asks for the record")
}
