//! Traces, captures and time series of a scenario, and their Parquet files: the same bytes however the run is executed.

use penstock_engine::{Cancel, Executor};
use penstock_scenario::{ParquetWriter, SeriesRun, TraceColumns, TraceRun, ValidScenario};

use super::Clock;

/// Number of rows of a batch.
const BATCH: usize = 997;
/// Number of batches that are checked: a trace has several rows for each event.
const MOST: usize = 64;
/// Minimum number of bytes of captures in a part.
const PART: usize = 1 << 16;

/// Checks the rows that `[[trace]]` and `[[series]]` ask for, or the whole trace; `seed` is that of the run. Computing a batch looks at
/// the flag, so the phases are the rest: beginning a run, and writing a batch.
pub fn check_rows(scenario: &ValidScenario, seed: u64, clock: &mut Clock) -> Result<(), String> {
    let ways = [(Executor::Plain, 1), (Executor::Horizon, 1), (Executor::Horizon, 2)];
    let told = |mistakes: Vec<(String, String)>| format!("a valid scenario cannot be observed: {mistakes:?}");
    let mut traces = Vec::new();
    for how in ways {
        let filter = scenario.trace_filter(&[]).map_err(told)?;
        let run = clock.time("observing", || TraceRun::new(scenario, (seed, 0), how, filter, &Cancel::default()));
        let mut run = run.map_err(|error| error.to_string())?;
        let file = ParquetWriter::new(run.columns(), Vec::new());
        traces.push(batches(file, clock, || run.next_batch(BATCH).map_err(|_| "a trace was stopped".to_owned()))?);
    }
    same("traces", &traces)?;
    let filter = scenario.trace_filter(&[]).map_err(told)?;
    let mut run = TraceRun::new(scenario, (seed, 0), ways[1], filter, &Cancel::default()).map_err(|error| error.to_string())?;
    for _ in 0..MOST {
        let parts = run.next_captures(scenario, PART).map_err(|_| "captures were stopped".to_owned())?;
        if parts.iter().any(|part| part.packets == 0 || part.bytes.len() % 4 != 0) {
            return Err("a part of a capture without packets, or of blocks that do not end at words".to_owned());
        }
        if parts.is_empty() {
            break;
        }
    }
    if !scenario.has_series() {
        return Ok(());
    }
    let mut series = Vec::new();
    for how in ways {
        let plans = scenario.series_plans(&[]).map_err(told)?;
        let run = clock.time("observing", || SeriesRun::new(scenario, (seed, 0), how, plans, &Cancel::default()));
        let mut run = run.map_err(|error| error.to_string())?;
        let file = ParquetWriter::new(run.columns(), Vec::new());
        series.push(batches(file, clock, || run.next_batch(BATCH).map_err(|_| "series were stopped".to_owned()))?);
    }
    same("series", &series)
}

/// The first batches, and their bytes in a Parquet file.
fn batches(
    mut file: ParquetWriter,
    clock: &mut Clock,
    mut next: impl FnMut() -> Result<Option<TraceColumns>, String>,
) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let mut found = Vec::new();
    while found.len() < 2 * MOST {
        let Some(batch) = next()? else { break };
        found.push(vec![clock.time("rows", || file.row_group(&batch))]);
        found.push(batch.values);
    }
    found.push(vec![clock.time("rows", || file.finish(&[]))]);
    Ok(found)
}

fn same<T: PartialEq>(what: &str, found: &[T]) -> Result<(), String> {
    if found.windows(2).all(|pair| pair[0] == pair[1]) {
        Ok(())
    } else {
        Err(format!("{what} differ with the executor or the number of cores"))
    }
}
