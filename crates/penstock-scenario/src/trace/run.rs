//! A run that hands over its trace in batches as it proceeds, so that all of it is never in memory at once.

use super::capture::{CapturePart, Captures};
use super::columns::{self, Filling, TraceColumn, TraceColumns};
use super::filter::TraceFilter;
use crate::scenario::ValidScenario;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::TraceRow;
use penstock_engine::{BlueprintError, Cancel, Executor, Sim};

/// Number of events handled between two reads of the trace.
const STRETCH: u64 = 1 << 15;

/// A run that is being traced.
pub struct TraceRun {
    sim: Sim,
    seed: u64,
    replication: u64,
    cancel: Cancel,
    filter: TraceFilter,
    columns: Vec<TraceColumn>,
    classes: Vec<u8>,
    /// The kept rows that the run handed over last.
    rows: Vec<TraceRow>,
    /// Number of `rows` handed on.
    handed_on: usize,
    captures: Option<Box<Captures>>,
    is_complete: bool,
}

/// Why there is no next batch.
#[derive(Debug)]
pub enum TraceStop {
    /// The run was cancelled.
    Cancelled,
}

impl TraceRun {
    /// Builds a run of `scenario` with this seed and replication, on at most `threads` cores; `filter` selects its events.
    ///
    /// # Errors
    /// If it is cancelled while it is built.
    pub fn new(
        scenario: &ValidScenario,
        (seed, replication): (u64, u64),
        (executor, threads): (Executor, usize),
        filter: TraceFilter,
        cancel: &Cancel,
    ) -> Result<TraceRun, BlueprintError> {
        let blueprint = Blueprint { cancel: cancel.clone(), trace: true, ..scenario.blueprint(Some(seed), replication) };
        let (columns, classes) = (columns::columns(&blueprint, scenario.members()), columns::classes(&blueprint));
        let sim = Sim::with_cores(blueprint, threads)?.with_executor(executor);
        let (cancel, rows, handed_on, captures, is_complete) = (cancel.clone(), Vec::new(), 0, None, false);
        Ok(TraceRun { sim, seed, replication, cancel, filter, columns, classes, rows, handed_on, captures, is_complete })
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
        let mut batch = Filling::new(&self.columns, count);
        while batch.rows() < count {
            if self.handed_on == self.rows.len() {
                if self.is_complete {
                    break;
                }
                self.advance(TraceFilter::keeps)?;
            }
            let rows = &self.rows[self.handed_on..];
            let rows = &rows[..rows.len().min(count - batch.rows())];
            batch.append(rows, &self.classes);
            self.handed_on += rows.len();
        }
        Ok((batch.rows() > 0).then(|| batch.finish()))
    }

    /// Returns the next parts of the captures of links' transmissions, at least `bytes` in total, or fewer at the end; an empty list
    /// afterwards. `scenario` is the run's scenario. The filter's kinds of events do not apply.
    ///
    /// # Errors
    /// If the run is cancelled.
    pub fn next_captures(&mut self, scenario: &ValidScenario, bytes: usize) -> Result<Vec<CapturePart>, TraceStop> {
        let mut captures = match self.captures.take() {
            Some(captures) => captures,
            None => Box::new(Captures::new(&scenario.blueprint(Some(self.seed), self.replication))),
        };
        while captures.bytes() < bytes && !self.is_complete {
            self.advance(|filter, row| filter.covers(row) || captures.needs(row) && row.time <= filter.end())?;
            self.rows.iter().for_each(|row| captures.add(row));
        }
        let parts = captures.take();
        self.captures = Some(captures);
        Ok(parts)
    }

    /// Continues the run for a stretch, and replaces the last rows by the new rows that `keeps` accepts.
    fn advance(&mut self, keeps: impl Fn(&TraceFilter, &TraceRow) -> bool) -> Result<(), TraceStop> {
        self.is_complete = self.sim.run_events(self.filter.end(), STRETCH);
        if self.cancel.is_set() {
            return Err(TraceStop::Cancelled);
        }
        self.rows.clear();
        self.handed_on = 0;
        self.sim.take_trace(|row| keeps(&self.filter, row), &mut self.rows);
        Ok(())
    }
}
