//! The port of a link: policer, queues, scheduler, shaper, marker, PCN meters, impairments.

use crate::network::scheduling::{optional, Level};
use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use penstock_engine::blueprint::{MarkAt, MarkerPlan, PcnAt, PortPlan};
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::{Check, Parameters, Reading};
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::printable::quoted;

penstock_model::choice! {
    /// When a marker sees a packet.
    pub enum MarkerPosition {
        /// On arrival, before the queue decides: what the queue then refuses has been metered.
        "arrival" => Arrival,
        /// When its transmission begins: only sent packets have been metered.
        "departure" => Departure,
    }
}

penstock_model::parameters! {
    /// A meter that writes its colours into the packets of this port.
    pub struct MarkerKeys {
        /// When it sees a packet.
        at: MarkerPosition = "arrival";
    }
}
impl Check for MarkerKeys {}

penstock_model::choice! {
    /// Which packets PCN meters see.
    pub enum PcnMetered {
        /// Those that the queue accepts, on arrival.
        "accepted" => Accepted,
        /// All that arrive, also those that the queue then refuses.
        "offered" => Offered,
        /// Those that are sent, when their transmission begins.
        "departure" => Departure,
    }
}

/// A port whose classes are not numbered yet.
#[derive(Clone, Debug)]
pub(crate) struct PortDraft {
    policer: Option<PolicerPlan>,
    marker: Option<MarkerPlan>,
    pub level: Level,
    pub pcn: Vec<PcnMeterPlan>,
    pcn_at: PcnAt,
    pub shaper: Option<ShaperPlan>,
    pub shaper_location: SourceLocation,
    impairments: Vec<ImpairmentPlan>,
    /// Whether a scheduler, queue, PCN meter, policer or shaper is given.
    pub is_configured: bool,
}

/// Reads the part of a link that is its port.
pub(crate) struct PortKeys;

impl PortKeys {
    /// The port; `None` after a mistake.
    pub fn read(section: &mut Section<'_>, pcn_at: Option<PcnMetered>) -> Option<PortDraft> {
        let policer = optional(section.one_of::<PolicerPlan>("policer", "policer", &[]));
        let level = Level::read(section);
        let marker = optional(read_marker(section));
        let shaper = optional(section.one_of::<ShaperPlan>("shaper", "shaper", &[]));
        let impairments = section.components_of::<ImpairmentPlan>("impairment", "impairment");
        let pcn = section.components_of::<PcnMeterPlan>("pcn", "PCN meter");
        let is_configured = ["scheduler", "queue", "pcn", "policer", "shaper"].iter().any(|key| section.has(key));
        let (policer, level, marker, shaper, impairments, pcn) = (policer?, level?, marker?, shaper?, impairments?, pcn?);
        let shaper_location = section.location_below(&["shaper", shaper.as_ref().map_or("", ShaperPlan::name)]);
        if pcn_at.is_some() && pcn.is_empty() {
            section.report("pcn-at", "has no effect without a PCN meter; write pcn or leave it out");
        }
        if let (Some(_), Some(class)) = (&policer, level.leaves().iter().find(|(_, class)| class.policer.is_some())) {
            let message = format!(
                "is set at the link and at class {}; a packet passes only one of them, so write it for the classes",
                quoted(&class.1.name)
            );
            section.report("policer", message);
        }
        let pcn_at = match pcn_at {
            None | Some(PcnMetered::Accepted) => PcnAt::Accepted,
            Some(PcnMetered::Offered) => PcnAt::Offered,
            Some(PcnMetered::Departure) => PcnAt::Departure,
        };
        Some(PortDraft { policer, marker, level, pcn, pcn_at, shaper, shaper_location, impairments, is_configured })
    }
}

impl PortDraft {
    /// Whether it has a marker or PCN meters.
    pub fn has_meters(&self) -> bool {
        self.marker.is_some() || !self.pcn.is_empty()
    }

    /// Whether the port's meters have a state that does not belong to single circuits, which `meter-state` samples.
    pub fn has_sampled_meters(&self) -> bool {
        let of_circuits = |marker: &MarkerPlan| marker.meter.meters_circuits();
        !self.pcn.is_empty() || self.marker.as_ref().is_some_and(|marker| !of_circuits(marker))
    }

    /// The name of its marker, if it has one.
    pub fn meter_name(&self) -> Option<&'static str> {
        self.marker.as_ref().map(|marker| marker.meter.name())
    }

    /// A tail-drop queue of the default size.
    pub fn plain() -> PortDraft {
        PortDraft {
            policer: None,
            marker: None,
            level: Level::single(),
            pcn: Vec::new(),
            pcn_at: PcnAt::default(),
            shaper: None,
            shaper_location: SourceLocation::Whole,
            impairments: Vec::new(),
            is_configured: false,
        }
    }

    /// The port, given the names of all classes.
    pub fn finish(self, classes: &[String]) -> PortPlan {
        let leaves = self.level.leaves();
        let leaf_of = |class: &String| leaves.iter().position(|(_, leaf)| leaf.name == *class);
        // A class that never passes this port may map to any queue.
        let queue_of_class = classes.iter().map(|class| leaf_of(class).unwrap_or(0) as u8).collect();
        let mut policers: Vec<PolicerPlan> = self.policer.clone().into_iter().collect();
        let mut policer_of_class: Vec<Option<u8>> = vec![self.policer.as_ref().map(|_| 0); classes.len()];
        for (_, leaf) in &leaves {
            let Some(plan) = &leaf.policer else { continue };
            if let Some(class) = classes.iter().position(|class| *class == leaf.name) {
                policer_of_class[class] = Some(policers.len() as u8);
                policers.push(plan.clone());
            }
        }
        let (queues, classes) = (self.level.queues(), self.level.plans());
        let PortDraft { marker, level, pcn, pcn_at, shaper, impairments, .. } = self;
        PortPlan {
            policers,
            policer_of_class,
            marker,
            scheduler: level.scheduler,
            classes,
            queues,
            queue_of_class,
            pcn,
            pcn_at,
            shaper,
            impairments,
            force_event_driven: false,
        }
    }
}

fn read_marker(section: &mut Section<'_>) -> Reading<MarkerPlan> {
    let meter = section.one_of::<MeterPlan>("marker", "meter", &["at"]);
    let keys = section.has("marker").then(|| section.table("marker")).flatten().map(|mut table| {
        let keys = MarkerKeys::read(&mut table);
        table.entries();
        keys
    });
    match (meter, keys) {
        (Reading::Given(meter), Some(Some(keys))) => {
            let at = match keys.at {
                MarkerPosition::Arrival => MarkAt::Arrival,
                MarkerPosition::Departure => MarkAt::Departure,
            };
            Reading::Given(MarkerPlan { meter, at })
        }
        (Reading::Absent, _) => Reading::Absent,
        _ => Reading::Broken,
    }
}
