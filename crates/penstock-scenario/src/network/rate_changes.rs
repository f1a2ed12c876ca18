//! Changes of a link's rate: listed, or in a file of rates or of delivery times.

use crate::read::csv::{self, Column, FileMistakes};
use crate::read::section::Section;
use crate::read::tree::Item;
use crate::read::values::{FileName, RunTime};
use penstock_engine::blueprint::DeliveryTimes;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::printable::{file_name, quoted};
use penstock_model::units::{Duration, Rate, Time};
use std::path::Path;
use std::sync::Arc;

penstock_model::parameters! {
    /// A change of a link's rate at a known instant.
    pub struct RateChangeKeys {
        /// Time of the change; after 0 s and after the previous change. A change at or after the end of the run has no effect.
        at: RunTime;
        /// The rate from then on.
        rate: Option<Rate>;
        /// Whether the link fails: packets then wait until the next change.
        down: bool = "false";
    }
}
impl Check for RateChangeKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.rate.is_some() == self.down {
            let what = if self.down { "has both rate and down" } else { "has neither rate nor down" };
            mistake("", format!("{what}; write rate = \"5 Mbit/s\" or down = true"));
        }
    }
}

penstock_model::parameters! {
    /// Changes of a link's rate from a file next to the scenario.
    ///
    /// A file whose name ends with `.csv` or `.parquet` has the columns `time`, in seconds, ascending, and `rate`, in bit/s; a rate of
    /// zero is a failure. Any other file is a list of delivery times, as in the traces of cellular links for Mahimahi [Netravali15]: one
    /// whole number of milliseconds per line, ascending. At each of these times the link sends up to 1500 waiting bytes; the rest of a
    /// packet that does not fit follows at the next time. Bytes that no packet uses are lost. After its last time, the list repeats.
    /// With delivery times, only limits and thresholds given as times, schedulers and disciplines use `rate`, and `utilisation` has no
    /// meaning. A packet leaves the queue at the time that sends its first byte, and has no transmission time beyond its deliveries.
    pub struct RateFileKeys {
        /// The name of the file.
        file: FileName;
    }
}
impl Check for RateFileKeys {}

/// The changes of a link's rate.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSchedule {
    /// Times of changes, each with the rate from then on.
    pub changes: Vec<(Time, Rate)>,
    /// Times at which the link delivers, instead of sending at its rates.
    pub deliveries: Option<Arc<DeliveryTimes>>,
}

impl RateSchedule {
    /// Reads `rate-changes` of a link; `None` after a mistake.
    pub fn read(section: &mut Section<'_>, duration: Option<Duration>) -> Option<RateSchedule> {
        match section.entry("rate-changes").map(|entry| &entry.tree.item) {
            None => Some(RateSchedule::default()),
            Some(Item::Table(_)) => {
                let mut table = section.table("rate-changes")?;
                let keys = RateFileKeys::read(&mut table);
                let schedule = keys.and_then(|keys| of_file(&table, &keys.file.0, duration));
                table.finish();
                schedule
            }
            Some(item) => {
                let is_list = matches!(item, Item::List(_));
                let listed = listed(section, duration);
                listed.filter(|_| is_list).map(|changes| RateSchedule { changes, deliveries: None })
            }
        }
    }

    /// The highest rate of a link that begins with `first`.
    pub fn fastest(&self, first: Rate) -> Rate {
        self.changes.iter().map(|(_, rate)| *rate).fold(first, Rate::max)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.changes.len() + self.deliveries.as_ref().map_or(0, |times| times.len())
    }
}

fn listed(section: &mut Section<'_>, duration: Option<Duration>) -> Option<Vec<(Time, Rate)>> {
    let mut changes: Vec<(Time, Rate)> = Vec::new();
    let mut sound = true;
    for mut change in section.tables("rate-changes") {
        let keys = RateChangeKeys::read(&mut change);
        if let Some(keys) = &keys {
            let at = Time::ZERO + keys.at.0;
            let before = changes.last().map_or(Time::ZERO, |(before, _)| *before);
            if at <= before {
                change.report("at", format!("{at} is not after {before}; write changes in the order of time, from after 0 s"));
                sound = false;
            } else if let Some(end) = duration.filter(|end| *end <= keys.at.0) {
                // A warning only: a shorter run of a scenario, as with --set duration, leaves out later changes.
                let message = format!("{at} is not before the end at {end}, so it has no effect");
                change.mistakes.warn(change.location_of("at"), &change.join("at"), message);
            }
            changes.push((at, keys.rate.unwrap_or(Rate::ZERO)));
        }
        sound &= keys.is_some();
        change.finish();
    }
    sound.then_some(changes)
}

/// The columns of a table of rates.
const COLUMNS: [Column; 2] = [("time", true), ("rate", true)];

/// The changes or the delivery times of a file; `None` after a mistake.
fn of_file(table: &Section<'_>, name: &str, duration: Option<Duration>) -> Option<RateSchedule> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let is_table = matches!(extension, Some("csv" | "parquet"));
    let read = table.mistakes.files.read(name, &COLUMNS).map_err(|message| vec![message]);
    let schedule = read.and_then(|content| match is_table {
        true => rates(&content, name).map(|changes| RateSchedule { changes, deliveries: None }),
        false => deliveries(&content, name).map(|times| RateSchedule { changes: Vec::new(), deliveries: Some(Arc::new(times)) }),
    });
    let told = |messages| table.mistakes.add_all(table.location_of("file"), &table.join("file"), messages);
    let schedule = schedule.map_err(told).ok()?;
    let end = Time::ZERO + duration?;
    let late = schedule.changes.iter().filter(|(at, _)| *at >= end).count();
    if late > 0 {
        let message = format!("{late} of {} changes are not before the end at {end}, so they have no effect", schedule.changes.len());
        table.mistakes.warn(table.location_of("file"), &table.join("file"), message);
    }
    Some(schedule)
}

fn rates(content: &[u8], name: &str) -> Result<Vec<(Time, Rate)>, Vec<String>> {
    let mut changes: Vec<(Time, Rate)> = Vec::new();
    csv::rows(content, name, COLUMNS, |[time, rate]| {
        let at = Time::from_ps(csv::picoseconds(time)?);
        if let Some((before, _)) = changes.last().filter(|(before, _)| *before >= at) {
            return Err(format!("{at} is not after {before}, the time before it; times must ascend"));
        }
        let rate = rate.parse::<f64>().ok().filter(|rate| (0.0..=1e14).contains(rate));
        let rate = rate.ok_or("the rate is not a number of bit/s between 0 and 1e14")?;
        changes.push((at, Rate::from_bps((rate + 0.5) as u64)));
        Ok(())
    })?;
    match changes.is_empty() {
        true => Err(vec![format!("{}: has no rates", file_name(name))]),
        false => Ok(changes),
    }
}

fn deliveries(content: &[u8], name: &str) -> Result<DeliveryTimes, Vec<String>> {
    const LONGEST_MS: u64 = 200 * 86_400_000;
    let shown = file_name(name);
    let text = std::str::from_utf8(content)
        .map_err(|_| vec![format!("{shown}: is not text; delivery times are whole milliseconds, one a line")])?;
    let (mut times, mut mistakes) = (Vec::<Duration>::new(), FileMistakes::default());
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(ms) = line.parse::<u64>().ok().filter(|ms| *ms <= LONGEST_MS) else {
            let hint = "(a table of rates ends with .csv)";
            mistakes.add(|| format!("{shown}:{number}: {} is not a delivery time in whole milliseconds {hint}", quoted(line)));
            continue;
        };
        let at = Duration::from_ms(ms);
        if let Some(before) = times.last().filter(|before| **before > at) {
            mistakes.add(|| format!("{shown}:{number}: {at} is before {before}, the time before it; times must ascend"));
            continue;
        }
        times.push(at);
    }
    mistakes.result(name)?;
    if times.is_empty() {
        return Err(vec![format!("{shown}: has no delivery times")]);
    }
    DeliveryTimes::new(times)
        .ok_or_else(|| vec![format!("{shown}: ends at 0 ms; the list repeats from its last time, which must be above zero")])
}
