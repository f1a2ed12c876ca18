//! Declarations of the parameters of components: once, for the scenario reader, the schema, the Python classes and the docs.
//!
//! ```
//! use penstock_model::parameters;
//! use penstock_model::parameters::Check;
//! use penstock_model::units::{Duration, Rate};
//!
//! parameters! {
//!     /// A made-up shaper: releases packets at a fixed rate.
//!     pub struct Parameters {
//!         /// Long-run rate of the output (r).
//!         rate: Rate;
//!         /// How long a packet may wait.
//!         patience: Duration = "50 ms";
//!     }
//! }
//! impl Check for Parameters {}
//! ```
//!
//! A parameter that can be set during a run ends with `, changeable`: `patience: Duration = "50 ms", changeable;`. The component then
//! adopts new values by the method `change` of its kind.
//!
//! A field without a default is required. Scenario keys are the field names with hyphens (`max-threshold`). Relations that a type cannot
//! express (one threshold below another) go into the component's [`Check`].

mod change;
mod component;
mod declaration;
mod field;
mod limits;
mod macros;
mod profile;
mod reader;
#[cfg(test)]
pub(crate) mod testing;
mod types;
mod value;

#[doc(hidden)]
pub use change::check_field;
pub use change::{own, ChangeError};
#[doc(hidden)]
pub use component::{component_from_value, read_component};
pub use declaration::{AnyParameters, Declaration};
#[doc(hidden)]
pub use field::plain;
pub use field::{key_of, Entry, Field, Kind};
pub use limits::{Amount, Cells, OwnLimit, PacketLimit};
#[doc(hidden)]
pub use profile::Profiled;
pub use profile::{Profile, Setting};
pub use reader::{join_words, Check, Parameter, Parameters, Plan, Reader, Reading};
#[doc(hidden)]
pub use reader::{read_field, read_table};
pub use types::{
    duration, BytesOrZero, ClassName, Count, CountOrZero, Fraction, Limit, LineRate, ListItem, Positive, Precedence, Probability, Quantum,
    QueueThreshold, RateOrZero, Weight, LONGEST_NAME,
};
pub use value::{default_value, Value};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Rate;

    crate::parameters! {
        /// A component for these tests.
        struct Sample {
            /// How fast.
            rate: Rate;
            /// How much.
            max_size: Limit = "60 packets";
            /// How likely.
            share: Option<Probability>;
        }
    }
    impl Check for Sample {}

    struct Table(Vec<(&'static str, Value)>, Vec<String>);
    impl Reader for Table {
        fn take(&mut self, field: &Field) -> Option<Value> {
            self.0.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
        }
        fn mistake(&mut self, key: &str, message: String) {
            self.1.push(format!("{key}: {message}"));
        }
    }

    #[test]
    fn fields_are_read_with_defaults() {
        let mut table = Table(vec![("rate", Value::Text("2 Mbit/s".into()))], vec![]);
        let sample = Sample::read(&mut table).expect("sound");
        assert_eq!(sample, Sample { rate: Rate::from_bps(2_000_000), max_size: Limit::Packets(60), share: None });
        assert_eq!(Sample::FIELDS[1].key(), "max-size");
    }

    #[test]
    fn all_mistakes_are_reported_together() {
        let mut table = Table(vec![("max-size", Value::Integer(20)), ("share", Value::Float(1.5))], vec![]);
        assert!(Sample::read(&mut table).is_none());
        assert_eq!(
            table.1,
            [
                "rate: is missing and has no default; write rate = \"1.5 Mbit/s\"",
                "max-size: 20 has no unit; write \"20 packets\" or \"20 KiB\"",
                "share: 1.5 is out of range; between 0 and 1",
            ]
        );
    }

    #[test]
    fn shares_may_be_written_as_percent_or_fraction() {
        let read = |text: &str| Probability::from_value(&Value::Text(text.into())).map(|p| p.0);
        assert_eq!(read("10 %"), Ok(0.1));
        assert_eq!(read("1/30"), Ok(1.0 / 30.0));
        assert!(read("ten").is_err());
    }

    #[test]
    fn every_component_has_a_complete_page() {
        use crate::{buffer::BufferPlan, discipline::DisciplinePlan, impairment::ImpairmentPlan, meter::MeterPlan, source::SourcePlan};
        let kinds = [("queue", DisciplinePlan::ENTRIES), ("marker", MeterPlan::ENTRIES), ("source", SourcePlan::ENTRIES)];
        for (kind, entries) in kinds.into_iter().chain([("impairment", ImpairmentPlan::ENTRIES), ("buffer", BufferPlan::ENTRIES)]) {
            for entry in entries {
                let mut rest = entry.doc;
                for heading in ["## Decides\n", "## State\n", "## Departures\n", "## Example\n ```toml\n", "## References\n"] {
                    let at = rest.find(heading).unwrap_or_else(|| panic!("{}: no {heading:?} in its place", entry.name));
                    rest = &rest[at + heading.len()..];
                }
                assert!(entry.doc.contains(&format!("\n {kind}.{} = {{", entry.name)), "{}: the example does not use it", entry.name);
                assert!(entry.fields.iter().all(|field| !field.doc.trim().is_empty()), "{}: undocumented parameter", entry.name);
            }
        }
    }
}
