//! `[[circuits]]`: circuits that several flows share, or that are promised something.

use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use crate::read::values::{Name, Names};
use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::CircuitPlan;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::units::{Bytes, Rate};
use std::collections::BTreeSet;

penstock_model::parameters! {
    /// A virtual circuit between two AAL5 ends, and its reverse.
    ///
    /// Without an entry here, each flow has a circuit of its own in each direction. Flows that share a circuit must pass the same cell
    /// links, and be of one class; frames of different flows follow one another on it.
    pub struct CircuitKeys {
        /// Its name, for parameters that are set per circuit.
        name: Name;
        /// The flows that it carries: the name of a group, or several; all members share the circuit.
        flows: Names;
        /// Its minimum cell rate (MCR), for the components whose page mentions it.
        mcr: Option<Rate>;
        /// Its maximum frame size (MFS), in bytes of packets; flows with larger packets are rejected.
        max_frame: Option<Bytes>;
    }
}
impl Check for CircuitKeys {}

/// A circuit as written.
pub(crate) struct CircuitDraft {
    pub plan: CircuitPlan,
    pub max_frame: Option<Bytes>,
    pub path: String,
    pub location: SourceLocation,
}

/// Reads all `[[circuits]]`; checks the names of flows only if all groups are known.
pub(crate) fn read_circuits(top: &mut Section<'_>, flows: &[GroupDraft], flows_complete: bool) -> Vec<CircuitDraft> {
    let mut drafts: Vec<CircuitDraft> = Vec::new();
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    for mut section in top.tables("circuits") {
        let keys = CircuitKeys::read(&mut section);
        if let Some(CircuitKeys { name, flows: names, mcr, max_frame }) = keys {
            let known = flows.iter().map(|group| group.plan.name.as_str());
            if drafts.iter().any(|draft| draft.plan.name == name.0) {
                section.report("name", format!("a second circuit called '{}'; give it a name of its own", name.0));
            }
            let mut groups = Vec::new();
            for flow in &names.0 {
                match flows.iter().position(|group| group.plan.name == *flow) {
                    None if flows_complete => section.report("flows", section.mistakes.suggestions.unknown("flows", flow, known.clone())),
                    None => {}
                    Some(group) if !taken.insert(group as u32) => {
                        section.report("flows", format!("'{flow}' is on a circuit already; a flow has one in each direction"));
                    }
                    Some(group) => groups.push(group as u32),
                }
            }
            if let Some(group) = flows.iter().position(|group| group.plan.name == name.0).filter(|group| !groups.contains(&(*group as u32)))
            {
                let message = format!("'{}' is the name of flows that it does not carry; give it another one", flows[group].plan.name);
                section.report("name", message);
            }
            let plan = CircuitPlan { name: name.0, groups, mcr };
            drafts.push(CircuitDraft { plan, max_frame, path: section.path.clone(), location: section.location });
        }
        section.finish();
    }
    drafts
}
