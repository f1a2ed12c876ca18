//! Ways to read a scenario.

use crate::read::files::ReadOptions;
use crate::read::mistake::{Mistake, Mistakes};
use crate::scenario::{read, ValidScenario};
use penstock_engine::Cancel;

/// Reads a scenario called `name` in messages, after applying `sets`: pairs of a path such as `r1-r2.queue.red.limit`
/// and a value.
///
/// # Errors
/// All mistakes that were found, in the order of the file.
pub fn load(text: &str, name: &str, sets: &[(String, String)]) -> Result<ValidScenario, Vec<Mistake>> {
    load_until(&Cancel::default(), text, name, sets)
}

/// Like [`load`], but returns soon after `cancel` is set, with a result that must not be used.
///
/// # Errors
/// The mistakes that [`load`] finds.
pub fn load_until(cancel: &Cancel, text: &str, name: &str, sets: &[(String, String)]) -> Result<ValidScenario, Vec<Mistake>> {
    load_with(cancel, text, name, sets, ReadOptions::default())
}

/// Like [`load_until`], but finds and reads the files that the scenario names as `files` says.
///
/// # Errors
/// As [`load`].
pub fn load_with(
    cancel: &Cancel,
    text: &str,
    name: &str,
    sets: &[(String, String)],
    files: ReadOptions,
) -> Result<ValidScenario, Vec<Mistake>> {
    attempt(cancel, text, name, sets, files, &[])
}

/// Maximum number of attempts at reading: leaving out one key may leave another one without effect.
const MOST_ATTEMPTS: usize = 8;

/// Like [`load_with`], for one of several points of a sweep: leaves out keys that have no effect there, and lists them in
/// [`ValidScenario::left_out`].
///
/// # Errors
/// All mistakes other than keys without effect.
pub fn load_leaving_out(
    cancel: &Cancel,
    text: &str,
    name: &str,
    sets: &[(String, String)],
    files: ReadOptions,
) -> Result<ValidScenario, Vec<Mistake>> {
    let mut left_out: Vec<Mistake> = Vec::new();
    for _ in 0..MOST_ATTEMPTS {
        let mistakes = match attempt(cancel, text, name, sets, files.clone(), &left_out) {
            Ok(mut scenario) => {
                scenario.left_out = left_out;
                return Ok(scenario);
            }
            Err(mistakes) => mistakes,
        };
        if mistakes.is_empty() || mistakes.iter().any(|mistake| !mistake.is_ineffective) {
            return Err(mistakes);
        }
        for mistake in mistakes {
            if left_out.iter().all(|known| known.path != mistake.path) {
                left_out.push(mistake);
            }
        }
    }
    Err(left_out)
}

/// Reads a scenario without the keys in `left_out`.
fn attempt(
    cancel: &Cancel,
    text: &str,
    name: &str,
    sets: &[(String, String)],
    files: ReadOptions,
    left_out: &[Mistake],
) -> Result<ValidScenario, Vec<Mistake>> {
    let mistakes = Mistakes::new(name, sets.iter().map(|(path, _)| path.clone()).collect(), files);
    let scenario = read(text, sets, &mistakes, cancel, left_out);
    match scenario {
        Some(mut scenario) if mistakes.is_empty() => {
            scenario.warnings = mistakes.warnings();
            Ok(scenario)
        }
        _ => Err(mistakes.sorted()),
    }
}
