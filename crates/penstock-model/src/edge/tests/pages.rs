//! The reference pages of the components of a PCN domain.

use crate::call::{ArrivalPlan, HoldingPlan};
use crate::edge::{AdmissionPlan, TerminationPlan};
use crate::parameters::Entry;
use crate::pcn_meter::PcnMeterPlan;

#[test]
fn every_component_has_a_complete_page() {
    let kinds: [(&str, &[Entry]); 5] = [
        ("pcn", PcnMeterPlan::ENTRIES),
        ("admission", AdmissionPlan::ENTRIES),
        ("termination", TerminationPlan::ENTRIES),
        ("arrivals", ArrivalPlan::ENTRIES),
        ("holding", HoldingPlan::ENTRIES),
    ];
    for (kind, entries) in kinds {
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
