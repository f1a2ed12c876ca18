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
//! Every mistake is found at once and says where it stands ([`Mistake`]); whatever is unknown or would have no effect is a
//! mistake. What may be written is declared once, with the components' parameters and the keys of the scenario's own
//! sections; [`catalogue`] and [`json_schema`] come from those declarations.

mod call_checks;
mod call_metrics;
mod calls;
mod canonical;
mod catalogue;
mod class_metrics;
mod classes;
mod flows;
mod link_metrics;
mod links;
mod marks;
mod measure;
mod metrics;
mod mistake;
mod nodes;
mod pcn;
mod port;
mod routes;
mod routing;
mod scenario;
mod scheduling;
mod schema;
mod section;
mod sections;
mod set;
mod shape;
mod suggest;
mod switches;
mod target;
#[cfg(test)]
mod tests;
mod timing_metrics;
mod tree;
mod watching;
mod what;
mod words;

pub use catalogue::catalogue;
pub use metrics::Metric;
pub use mistake::{report, Mistake};
pub use scenario::{load, ValidScenario};
pub use schema::json_schema;
