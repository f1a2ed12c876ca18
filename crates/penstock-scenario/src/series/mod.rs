//! Time series: the state of ports, flows and their components over time.

mod columns;
mod keys;
mod request;
mod run;
mod sums;
mod variables;

pub(crate) use keys::SeriesKeys;
pub(crate) use request::{is_amount, SeriesRequest};

pub(crate) use variables::{unit_of, PARTS};

pub use run::{SeriesPlans, SeriesRun};

use crate::read::mistake::{Mistakes, SourceLocation};
use crate::read::section::Section;
use crate::read::suggest::Suggestions;
use crate::trace::{Given, TraceNames};
use penstock_engine::blueprint::Blueprint;
use penstock_model::parameters::{Parameters, Value};
use penstock_model::registry::Registry;
use penstock_model::units::Duration;

/// A `[[series]]`, and the location of its variables.
pub(crate) struct WrittenSeries {
    pub request: SeriesRequest,
    location: SourceLocation,
    path: String,
}

/// Reads all `[[series]]`; names of subjects are looked up if there are any.
pub(crate) fn read_all(top: &mut Section<'_>, names: Option<&TraceNames<'_>>, duration: Option<Duration>) -> Vec<WrittenSeries> {
    let mut written = Vec::new();
    for mut section in top.tables("series") {
        let keys = SeriesKeys::read(&mut section);
        if let (Some(keys), Some(names), Some(duration)) = (keys, names, duration) {
            let request = SeriesRequest::new(&keys, names, duration, &mut |key, message| section.report(key, message));
            let (location, path) = (section.location_of("what"), section.join("what"));
            written.extend(request.map(|request| WrittenSeries { request, location, path }));
        }
        section.finish();
    }
    written
}

/// Reports variables that none of a series' subjects has.
pub(crate) fn check_all(written: &[WrittenSeries], blueprint: &Blueprint, mistakes: &Mistakes) {
    for WrittenSeries { request, location, path } in written {
        for message in request.plans(blueprint, mistakes.components.registry(), &mistakes.suggestions).err().unwrap_or_default() {
            mistakes.add(*location, path, message);
        }
    }
}

/// Reads a program's request: keys of `[[series]]` with their values. Returns mistakes with their keys.
pub(crate) fn read_one(
    given: &[(String, Value)],
    names: &TraceNames<'_>,
    duration: Duration,
) -> Result<SeriesRequest, Vec<(String, String)>> {
    let mut reader = Given::new(given);
    let keys = SeriesKeys::read(&mut reader);
    let mut mistakes = reader.mistakes();
    let request =
        keys.and_then(|keys| SeriesRequest::new(&keys, names, duration, &mut |key, message| mistakes.push((key.to_owned(), message))));
    request.ok_or(mistakes)
}

/// The plans of all requests.
pub(crate) fn plans(
    requests: &[SeriesRequest],
    blueprint: &Blueprint,
    registry: &Registry,
    suggestions: &Suggestions,
) -> Result<SeriesPlans, Vec<(String, String)>> {
    let mut all = SeriesPlans { plans: Vec::new(), series: Vec::new(), sums: Vec::new() };
    for (number, request) in (0..).zip(requests) {
        let plans = request.plans(blueprint, registry, suggestions);
        let plans = plans.map_err(|messages| messages.into_iter().map(|message| ("what".to_owned(), message)).collect::<Vec<_>>())?;
        for (plan, sum) in plans {
            all.series.push(number);
            all.plans.push(plan);
            all.sums.push(sum);
        }
    }
    Ok(all)
}
