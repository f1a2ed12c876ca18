//! Mistakes in a scenario, and where they are.

use crate::read::components::Components;
use crate::read::files::{Files, ReadOptions};
use crate::read::suggest::Suggestions;
use penstock_model::printable::{file_name, shortened};
use std::cell::RefCell;
use std::fmt;

/// Maximum number of characters of a path in a message.
const LONGEST_PATH: usize = 200;
/// Maximum number of characters of a message.
const LONGEST_MESSAGE: usize = 1000;

/// One mistake of the scenario's author, printed as `file:line: path: what is wrong, what is allowed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file's name, or `--set PATH` for a setting of the command line.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The path of the key, such as `links[1].queue.red.limit`; empty for the file as a whole. It and the message can be
    /// shown as they are.
    pub path: String,
    /// What is wrong, what is allowed, and what to do.
    pub message: String,
    /// Whether the key is sound but has no effect next to others: without it the scenario is the same.
    pub is_ineffective: bool,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&file_name(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.path.is_empty() && !self.is_set_itself() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl Mistake {
    /// Whether the mistake is in the key that a `--set` names, so that the path need not be repeated.
    fn is_set_itself(&self) -> bool {
        let last = |path: &str| path.rsplit('.').next().map(str::to_owned);
        self.file.strip_prefix("--set ").is_some_and(|set| last(set) == last(&self.path))
    }
}

/// All mistakes, one a line, and the line that closes the list.
pub fn report(mistakes: &[Mistake]) -> String {
    let mut text: String = mistakes.iter().map(|mistake| format!("{mistake}\n")).collect();
    let plural = if mistakes.len() == 1 { "" } else { "s" };
    text.push_str(&format!("{} mistake{plural}, nothing was run.\n", mistakes.len()));
    text
}

/// Location at which a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceLocation {
    /// In the file.
    Text {
        /// Counted from 1.
        line: u32,
        /// In characters, counted from 1.
        column: u32,
    },
    /// By this setting of the command line.
    Set(usize),
    /// No particular location.
    Whole,
}

/// Phrases that identify messages about keys without effect; no other message contains them.
const INEFFECTIVE: [&str; 2] = ["has no effect", "has an effect only"];

/// Collects mistakes while reading goes on.
#[derive(Debug)]
pub(crate) struct Mistakes {
    file: String,
    sets: Vec<String>,
    found: RefCell<Vec<Mistake>>,
    warnings: RefCell<Vec<Mistake>>,
    /// Finds the names that the author probably meant.
    pub suggestions: Suggestions,
    /// The files that the scenario names.
    pub files: Files,
    /// The components of plug-ins, and which of them the scenario uses.
    pub components: Components,
}

impl Mistakes {
    /// No mistakes yet in `file` with these `--set` paths.
    pub fn new(file: &str, sets: Vec<String>, options: ReadOptions) -> Mistakes {
        Mistakes {
            file: file.to_owned(),
            sets,
            found: RefCell::default(),
            warnings: RefCell::default(),
            suggestions: Suggestions::default(),
            components: Components::new(options.registry.clone()),
            files: Files::new(options, file),
        }
    }

    /// Reports a mistake.
    pub fn add(&self, location: SourceLocation, path: &str, message: impl Into<String>) {
        self.found.borrow_mut().push(self.at(location, path, message.into()));
    }

    /// Reports a mistake that has been found before.
    pub fn put(&self, mistake: Mistake) {
        self.found.borrow_mut().push(mistake);
    }

    /// Calls `read`, and appends `note` to the mistakes that it reports. Drops mistakes that are known or in `seen`, and adds the others
    /// to `seen` without the note.
    pub fn noted<T>(&self, note: &str, seen: &mut Vec<Mistake>, read: impl FnOnce() -> T) -> T {
        let known = self.found.borrow().len();
        let value = read();
        let mut found = self.found.borrow_mut();
        for mistake in found.split_off(known) {
            if !found.contains(&mistake) && !seen.contains(&mistake) {
                found.push(Mistake {
                    message: shortened(&format!("{}{note}", mistake.message), LONGEST_MESSAGE).to_string(),
                    ..mistake.clone()
                });
                seen.push(mistake);
            }
        }
        value
    }

    /// Reports mistakes in the file that is named at `location`.
    pub fn add_all(&self, location: SourceLocation, path: &str, messages: Vec<String>) {
        for message in messages {
            self.add(location, path, message);
        }
    }

    /// Reports a warning: the scenario can run, but probably does not say what its author meant.
    pub fn warn(&self, location: SourceLocation, path: &str, message: impl Into<String>) {
        self.warnings.borrow_mut().push(self.at(location, path, message.into()));
    }

    fn at(&self, location: SourceLocation, path: &str, message: String) -> Mistake {
        let (file, line, column) = match location {
            SourceLocation::Text { line, column } => (self.file.clone(), Some(line), Some(column)),
            SourceLocation::Set(set) => (format!("--set {}", shortened(&self.sets[set], LONGEST_PATH)), None, None),
            SourceLocation::Whole => (self.file.clone(), None, None),
        };
        let is_ineffective = !path.is_empty() && INEFFECTIVE.iter().any(|words| message.contains(words));
        let (path, message) = (shortened(path, LONGEST_PATH), shortened(&message, LONGEST_MESSAGE));
        Mistake { file, line, column, path, message, is_ineffective }
    }

    /// The path of the setting that wrote the value at `location`.
    pub fn setting_path(&self, location: SourceLocation) -> Option<&str> {
        match location {
            SourceLocation::Set(set) => Some(&self.sets[set]),
            _ => None,
        }
    }

    /// Whether no mistake has been found so far.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// The mistakes in the order of the file, followed by mistakes of the command line.
    pub fn sorted(self) -> Vec<Mistake> {
        in_order(self.found.into_inner(), &self.file)
    }

    /// The warnings, in the order of [`Mistakes::sorted`].
    pub fn warnings(self) -> Vec<Mistake> {
        in_order(self.warnings.into_inner(), &self.file)
    }
}

fn in_order(mut found: Vec<Mistake>, file: &str) -> Vec<Mistake> {
    found.sort_by_key(|mistake| (mistake.file != file, mistake.line.unwrap_or(0)));
    found
}
