//! A run that hands over its series in batches as it proceeds, so that all of them are never in memory at once.

use super::columns::Words;
use super::sums::Sums;
use crate::scenario::ValidScenario;
use crate::trace::{TraceColumn, TraceColumns, TraceStop};
use penstock_engine::blueprint::{Blueprint, WatchPlan};
use penstock_engine::series::{SeriesPlan, SeriesRow};
use penstock_engine::{BlueprintError, Cancel, Executor, Sim};
use penstock_model::units::Time;

/// Number of events handled between two reads of the series.
const STRETCH: u64 = 1 << 15;

/// The plans of a run's series, and for each the `[[series]]` that it belongs to and the name of its sum, if it is summed.
pub struct SeriesPlans {
    pub(crate) plans: Vec<SeriesPlan>,
    pub(crate) series: Vec<u32>,
    pub(crate) sums: Vec<Option<String>>,
}

/// A run whose state is read over time.
pub struct SeriesRun {
    sim: Sim,
    cancel: Cancel,
    end: Time,
    words: Words,
    sums: Sums,
    /// The rows that the run handed over last, before summing.
    taken: Vec<SeriesRow>,
    columns: Vec<TraceColumn>,
    rows: Vec<SeriesRow>,
    is_complete: bool,
}

impl SeriesRun {
    /// Builds a run of `scenario` with this seed and replication, on at most `threads` cores, with these series.
    ///
    /// # Errors
    /// If it is cancelled while it is built.
    pub fn new(
        scenario: &ValidScenario,
        (seed, replication): (u64, u64),
        (executor, threads): (Executor, usize),
        plans: SeriesPlans,
        cancel: &Cancel,
    ) -> Result<SeriesRun, BlueprintError> {
        let SeriesPlans { plans, series, sums } = plans;
        let adder = Sums::new(&plans, &series, &sums);
        let blueprint = scenario.blueprint(Some(seed), replication);
        let end = plans.iter().map(|plan| plan.until).max().unwrap_or(Time::ZERO).min(blueprint.end);
        // The series show counters from the start of the run on, and nothing else here depends on the warm-up.
        let blueprint = Blueprint {
            cancel: cancel.clone(),
            warm_up: Time::ZERO,
            samples: Vec::new(),
            meter_samples: Vec::new(),
            watch: WatchPlan { series: plans, ..WatchPlan::default() },
            ..blueprint
        };
        let words = Words::new(&blueprint, scenario.registry(), &series, &sums, scenario.members());
        let columns = words.columns();
        let sim = Sim::with_cores(blueprint, threads)?.with_executor(executor);
        let (taken, rows) = (Vec::new(), Vec::new());
        Ok(SeriesRun { sim, cancel: cancel.clone(), end, words, sums: adder, taken, columns, rows, is_complete: false })
    }

    /// The columns of every batch.
    pub fn columns(&self) -> &[TraceColumn] {
        &self.columns
    }

    /// Returns the next `count` rows, or fewer at the end; `None` afterwards.
    ///
    /// # Errors
    /// If the run is cancelled.
    pub fn next_batch(&mut self, count: usize) -> Result<Option<TraceColumns>, TraceStop> {
        while self.rows.len() < count && !self.is_complete {
            self.is_complete = self.sim.run_events(self.end, STRETCH);
            if self.cancel.is_set() {
                return Err(TraceStop::Cancelled);
            }
            self.sim.take_series(&mut self.taken);
            self.sums.add_up(&mut self.taken, &self.words, self.is_complete, &mut self.rows);
        }
        let count = count.min(self.rows.len());
        if count == 0 {
            return Ok(None);
        }
        let batch = self.words.values(&self.rows[..count]);
        self.rows.drain(..count);
        Ok(Some(batch))
    }
}
