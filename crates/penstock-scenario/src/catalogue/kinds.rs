//! The kinds of components: disciplines, schedulers, meters and so on, each with the list of them.

use penstock_model::buffer::BufferPlan;
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::Entry;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::registry::Registry;
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::source::SourcePlan;
use penstock_model::transport::congestion_control::CongestionControlPlan;
use penstock_model::transport::rate_control::RateControlPlan;
use penstock_model::transport::recovery::RecoveryPlan;
use penstock_model::transport::TransportPlan;

/// A kind of components, and the list of them.
pub(crate) struct KindEntry {
    pub kind: &'static str,
    pub entries: &'static [Entry],
}

impl KindEntry {
    /// The components of this kind, plug-ins last.
    pub fn all<'a>(&'a self, registry: &'a Registry) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().chain(registry.entries(self.kind))
    }
}

/// Kinds whose key in a scenario differs from their name, with that key.
const KEYS: [(&str, &str); 4] = [("discipline", "queue"), ("meter", "marker"), ("pcn-meter", "pcn"), ("arrival", "arrivals")];

/// The key of a kind's components in a scenario.
pub(crate) fn key_of_kind(kind: &'static str) -> &'static str {
    KEYS.iter().find(|(of, _)| *of == kind).map_or(kind, |(_, key)| key)
}

/// All kinds of components.
pub(crate) const KINDS: &[KindEntry] = &[
    KindEntry { kind: DisciplinePlan::OF, entries: DisciplinePlan::ENTRIES },
    KindEntry { kind: SchedulerPlan::OF, entries: SchedulerPlan::ENTRIES },
    KindEntry { kind: BufferPlan::OF, entries: BufferPlan::ENTRIES },
    KindEntry { kind: CongestionPointPlan::OF, entries: CongestionPointPlan::ENTRIES },
    KindEntry { kind: ReactionPointPlan::OF, entries: ReactionPointPlan::ENTRIES },
    KindEntry { kind: ShaperPlan::OF, entries: ShaperPlan::ENTRIES },
    KindEntry { kind: PolicerPlan::OF, entries: PolicerPlan::ENTRIES },
    KindEntry { kind: MeterPlan::OF, entries: MeterPlan::ENTRIES },
    KindEntry { kind: PcnMeterPlan::OF, entries: PcnMeterPlan::ENTRIES },
    KindEntry { kind: SourcePlan::OF, entries: SourcePlan::ENTRIES },
    KindEntry { kind: TransportPlan::OF, entries: TransportPlan::ENTRIES },
    KindEntry { kind: CongestionControlPlan::OF, entries: CongestionControlPlan::ENTRIES },
    KindEntry { kind: RateControlPlan::OF, entries: RateControlPlan::ENTRIES },
    KindEntry { kind: RecoveryPlan::OF, entries: RecoveryPlan::ENTRIES },
    KindEntry { kind: ImpairmentPlan::OF, entries: ImpairmentPlan::ENTRIES },
    KindEntry { kind: ArrivalPlan::OF, entries: ArrivalPlan::ENTRIES },
    KindEntry { kind: HoldingPlan::OF, entries: HoldingPlan::ENTRIES },
    KindEntry { kind: AdmissionPlan::OF, entries: AdmissionPlan::ENTRIES },
    KindEntry { kind: TerminationPlan::OF, entries: TerminationPlan::ENTRIES },
];
