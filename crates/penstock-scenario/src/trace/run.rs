//! A run that hands over its trace in batches while it goes on, so that the whole is never in memory.

use super::capture::{CapturePart, Captures};
use super::columns::{self, TraceColumn, TraceColumns};
use super::filter::TraceFilter;
use crate::scenario::ValidScenario;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::TraceRow;
use penstock_engine::{BlueprintError, Cancel, Executor, Sim};

/// So many events of the run are handled between two looks at its trace.
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
    /// What the run has handed over last, before it is filtered.
    taken: Vec<TraceRow>,
    /// What is kept and has not been handed on.
    rows: Vec<TraceRow>,
    captures: Option<Box<Captures>>,
    is_complete: bool,
}

/// Why there is no next batch.
#[derive(Debug)]
pub enum TraceStop {
    /// The run was told to stop.
    Cancelled,
}

impl TraceRun {
    /// A run of `scenario` with this seed and replication, on so many cores at most, whose events `filter` chooses from.
    ///
    /// # Errors
    /// If it is told to stop while it is built.
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
        let (taken, rows) = (Vec::new(), Vec::new());
        let (cancel, captures, is_complete) = (cancel.clone(), None, false);
        Ok(TraceRun { sim, seed, replication, cancel, filter, columns, classes, taken, rows, captures, is_complete })
    }

    /// The columns of every batch.
    pub fn columns(&self) -> &[TraceColumn] {
        &self.columns
    }

    /// The next `count` rows, or fewer at the end; `None` after it.
    ///
    /// # Errors
    /// If the run is told to stop.
    pub fn next_batch(&mut self, count: usize) -> Result<Option<TraceColumns>, TraceStop> {
        while self.rows.len() < count && !self.is_complete {
            self.advance()?;
            let TraceRun { taken, rows, filter, .. } = self;
            taken.retain(|row| filter.keeps(row));
            rows.append(taken);
        }
        let count = count.min(self.rows.len());
        if count == 0 {
            return Ok(None);
        }
        let batch = TraceColumns::new(&self.columns, &self.rows[..count], &self.classes);
        self.rows.drain(..count);
        Ok(Some(batch))
    }

    /// The next parts of the captures of what links transmit, at least so many bytes together, or fewer at the end; none after it.
    /// `scenario` is that of the run. Of the filter, kinds of events do not matter.
    ///
    /// # Errors
    /// If the run is told to stop.
    pub fn next_captures(&mut self, scenario: &ValidScenario, bytes: usize) -> Result<Vec<CapturePart>, TraceStop> {
        let mut captures = match self.captures.take() {
            Some(captures) => captures,
            None => Box::new(Captures::new(&scenario.blueprint(Some(self.seed), self.replication))),
        };
        while captures.bytes() < bytes && !self.is_complete {
            self.advance()?;
            let TraceRun { taken, filter, .. } = self;
            taken.drain(..).filter(|row| filter.covers(row)).for_each(|row| captures.add(&row));
        }
        let parts = captures.take();
        self.captures = Some(captures);
        Ok(parts)
    }

    /// Lets the run go on for a while and takes what it traced.
    fn advance(&mut self) -> Result<(), TraceStop> {
        self.is_complete = self.sim.run_events(self.filter.end(), STRETCH);
        if self.cancel.is_set() {
            return Err(TraceStop::Cancelled);
        }
        self.sim.take_trace(&mut self.taken);
        Ok(())
    }
}
