//! Sums over the members of a name, such as the rate of all flows of a group.

use super::columns::Words;
use penstock_engine::series::{ComponentName, Sampling, SeriesPlan, SeriesRow};
use std::collections::BTreeMap;

/// Identifies a sum: component, class, number and variable.
type Key = (ComponentName, u32, u32, &'static str);

/// Sums rows that share a name, instant by instant.
pub(super) struct Sums {
    /// For each plan its sum, if its rows are summed.
    of_plan: Vec<Option<u32>>,
    sums: Vec<Sum>,
    /// The rows of the last instant so far, which may be incomplete.
    pending: Vec<SeriesRow>,
}

struct Sum {
    on_change: bool,
    /// The last value of each plan, if it is read on change.
    last: BTreeMap<Key, (BTreeMap<u32, f64>, Option<f64>)>,
}

impl Sums {
    /// Sums for these plans; adjacent plans of one series and one name share a sum.
    pub fn new(plans: &[SeriesPlan], series: &[u32], names: &[Option<String>]) -> Sums {
        let mut sums: Vec<Sum> = Vec::new();
        let mut of_plan = Vec::with_capacity(plans.len());
        let mut before = None;
        for (plan, (series, name)) in plans.iter().zip(series.iter().zip(names)) {
            if name.is_some() && before != Some((series, name)) {
                sums.push(Sum { on_change: plan.sampling == Sampling::OnChange, last: BTreeMap::new() });
            }
            of_plan.push(name.as_ref().map(|_| sums.len() as u32 - 1));
            before = Some((series, name));
        }
        Sums { of_plan, sums, pending: Vec::new() }
    }

    /// Moves the rows `taken` to `rows`, replacing summed rows by their sums. Holds back the last instant unless the run is complete.
    pub fn add_up(&mut self, taken: &mut Vec<SeriesRow>, words: &Words, is_complete: bool, rows: &mut Vec<SeriesRow>) {
        if self.sums.is_empty() {
            return rows.append(taken);
        }
        let Sums { of_plan, sums, pending } = self;
        let sum_of = |row: &SeriesRow| of_plan[row.plan as usize];
        pending.append(taken);
        let last = pending.last().map(|row| row.time).filter(|_| !is_complete);
        let complete = pending.partition_point(|row| Some(row.time) != last);
        for instant in pending[..complete].chunk_by(|a, b| a.time == b.time) {
            for part in instant.chunk_by(|a, b| sum_of(a) == sum_of(b)) {
                match sum_of(&part[0]) {
                    None => rows.extend_from_slice(part),
                    Some(sum) => sums[sum as usize].add_up(part, words, rows),
                }
            }
        }
        pending.drain(..complete);
    }
}

impl Sum {
    /// Sums rows of one instant.
    fn add_up(&mut self, part: &[SeriesRow], words: &Words, rows: &mut Vec<SeriesRow>) {
        let mut order: Vec<(Key, SeriesRow)> = Vec::new();
        if !self.on_change {
            self.last.clear();
        }
        for row in part {
            let key = (row.component, words.class(row), words.number(row), row.variable.name);
            let (values, _) = self.last.entry(key).or_default();
            values.insert(row.plan, row.value);
            // A linear search, since an instant has only a few variables.
            if order.iter().all(|(known, _)| *known != key) {
                order.push((key, *row));
            }
        }
        for (key, row) in order {
            let Some((values, before)) = self.last.get_mut(&key) else { continue };
            let value = values.values().sum();
            if !self.on_change || before.replace(value) != Some(value) {
                rows.push(SeriesRow { value, ..row });
            }
        }
    }
}
