//! Scenarios: what a user writes in TOML, checked once and compiled into the engine's blueprint.
//!
//! ```
//! let text = r#"
//! duration = "1 s"
//! [nodes]
//! a = {}
//! b = {}
//! [[links]]
//! from = "a"
//! to = "b"
//! rate = "1 Mbit/s"
//! delay = "1 ms"
//! [[flows]]
//! name = "voice"
//! from = "a"
//! to = "b"
//! source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
//! "#;
//! let scenario = penstock_scenario::load(text, "voice.toml", &[]).expect("sound");
//! let blueprint = scenario.blueprint(None, 0);
//! assert_eq!(blueprint.flows.len(), 1);
//! ```
//!
//! All mistakes are found at once, each with its location ([`Mistake`]); an unknown key, or one without effect, is a mistake. The
//! allowed keys are declared once, in the components' parameters and in the keys of the scenario's own sections; [`catalogue`] and
//! [`json_schema`] come from those declarations.

mod catalogue;
mod decided;
mod load;
mod measure;
mod metrics;
mod network;
mod parquet;
mod read;
mod scenario;
mod series;
mod settings;
mod stepping;
#[cfg(test)]
mod tests;
mod top_keys;
mod trace;
mod traffic;

/// Parts of a metric, for metrics of plug-ins.
pub mod metric {
    pub use crate::measure::keys::{Measure, MeasureKeys};
    pub use crate::measure::recording::RecordingPlan;
    pub use crate::measure::target::{MeasurableGroup, MeasurableLink};
    pub use crate::measure::words::{SplitBy, Statistic};
    pub use crate::metrics::common::evaluation::{Evaluation, FlowSet, LabelledValues};
    pub use crate::metrics::common::info::{Key, MetricInfo, Targets, ANY, EXTREMES, MEAN, MEANS, SHARES, SUM};
    pub use crate::metrics::common::metric::Metric;
    pub use crate::metrics::AddMetric;
}

pub use catalogue::schema::json_schema;
pub use catalogue::{catalogue, metrics_with};
pub use decided::{Decided, WindowWatch};
pub use load::{load, load_leaving_out, load_until, load_with};
pub use metrics::common::evaluation::MetricValue;
pub use network::pause_checks::Headroom;
pub use parquet::{ConstantColumn, ConstantValue, ParquetWriter};
pub use read::files::{ComponentReader, FileMemory, ParquetReader, ReadOptions};
pub use read::key_lines::key_lines;
pub use read::mistake::{report, Mistake};
pub use read::suggest::nearest;
pub use read::tree::LARGEST_TEXT;
pub use scenario::ValidScenario;
pub use series::{SeriesPlans, SeriesRun};
pub use stepping::{StepError, SteppedRun};
pub use trace::{packet_word, word_bytes, CapturePart, ColumnKind, TraceColumn, TraceColumns, TraceFilter, TraceRun, TraceStop};
