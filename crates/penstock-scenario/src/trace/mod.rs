//! Traces: which events are kept, and runs that hand them over in batches.

mod capture;
mod columns;
mod filter;
mod keys;
mod run;

pub(crate) use filter::{Selector, TraceNames};
pub(crate) use keys::TraceKeys;

pub use capture::CapturePart;
pub use columns::{packet_word, word_bytes, ColumnKind, TraceColumn, TraceColumns};
pub use filter::TraceFilter;
pub use run::{TraceRun, TraceStop};

use crate::read::section::Section;
use penstock_model::parameters::{Field, Parameters, Reader, Value};
use penstock_model::units::Duration;

/// Reads all `[[trace]]`; names are looked up if there are any.
pub(crate) fn read_all(top: &mut Section<'_>, names: Option<&TraceNames<'_>>, duration: Option<Duration>) -> Vec<Selector> {
    let mut selectors = Vec::new();
    for mut section in top.tables("trace") {
        let keys = TraceKeys::read(&mut section);
        if let (Some(keys), Some(names), Some(duration)) = (keys, names, duration) {
            selectors.extend(Selector::new(&keys, names, duration, &mut |key, message| section.report(key, message)));
        }
        section.finish();
    }
    selectors
}

/// Reads a program's request: keys of `[[trace]]` with their values. Returns mistakes with their keys.
pub(crate) fn read_one(given: &[(String, Value)], names: &TraceNames<'_>, duration: Duration) -> Result<Selector, Vec<(String, String)>> {
    let mut reader = Given::new(given);
    let keys = TraceKeys::read(&mut reader);
    let mut mistakes = reader.mistakes();
    let selector =
        keys.and_then(|keys| Selector::new(&keys, names, duration, &mut |key, message| mistakes.push((key.to_owned(), message))));
    selector.ok_or(mistakes)
}

/// Values by their keys.
pub(crate) struct Given<'a> {
    given: &'a [(String, Value)],
    mistakes: Vec<(String, String)>,
}

impl<'a> Given<'a> {
    /// Reads these keys and values.
    pub fn new(given: &'a [(String, Value)]) -> Given<'a> {
        Given { given, mistakes: Vec::new() }
    }

    /// The mistakes found so far, each with its key.
    pub fn mistakes(self) -> Vec<(String, String)> {
        self.mistakes
    }
}

impl Reader for Given<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let key = field.key();
        self.given.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone())
    }

    fn mistake(&mut self, key: &str, message: String) {
        self.mistakes.push((key.to_owned(), message));
    }
}
