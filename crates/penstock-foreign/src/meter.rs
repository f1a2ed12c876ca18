//! Meters.

use crate::declaration::Component;
use crate::hook::Hook;
use crate::kind::Kind;
use crate::parameters::{erased, Values};
use crate::record::Record;
use crate::views::{ps, Nothing, Packet as PacketView};
use penstock_model::discipline::PRECEDENCES;
use penstock_model::meter::{Meter, Meters};
use penstock_model::packet::Packet;
use penstock_model::parameters::own;
use penstock_model::probe::{Probe, ReportVariable};
use penstock_model::registry::Plugin;
use penstock_model::site::Site;
use penstock_model::units::Time;
use std::any::Any;
use std::sync::Arc;

/// Meters: an arriving packet.
pub(crate) const KIND: Kind = Kind { name: "meter", views: &[], add };

/// Adds the meter that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    let reading = Arc::clone(&component);
    plugin.add_read::<Meters, Values>(
        component.entry(),
        move |reader| reading.parameters.read(reader),
        erased,
        move |values, site| Ok(Box::new(ForeignMeter::new(&component, values, site)?)),
    )
}

/// The colour of the packets that are dropped first.
const WORST: i64 = PRECEDENCES as i64 - 1;

/// A meter whose hooks are C functions.
#[derive(Clone)]
struct ForeignMeter {
    record: Record,
    colour: Hook,
    on_change: Option<Hook>,
}

impl ForeignMeter {
    fn new(component: &Arc<Component>, values: &Values, site: &Site) -> Result<ForeignMeter, String> {
        let colour = component.hooks.get("colour").copied().ok_or("has no method colour")?;
        let mut record = Record::new(component, values, site);
        if let Some(on_start) = component.hooks.get("on_start") {
            record.call("on_start", *on_start, (&mut Nothing {}, &mut Nothing {}), [0, 0]);
        }
        Ok(ForeignMeter { record, colour, on_change: component.hooks.get("on_change").copied() })
    }
}

impl Probe for ForeignMeter {
    fn probe(&self, _now: Time, report: &mut ReportVariable<'_>) {
        self.record.probe(report);
    }
}

impl Meter for ForeignMeter {
    fn colour(&mut self, now: Time, packet: &Packet) -> u8 {
        let (mut view, arguments) = (PacketView::of(packet), [ps(now), 0]);
        match self.record.call_about(Some(packet), "colour", self.colour, (&mut view, &mut Nothing {}), arguments) {
            colour @ 0..=WORST => colour as u8,
            other => {
                let what = format!("{other} is not a colour; 0 to {WORST}");
                self.record.fail(Some(packet), "colour", what, (&view, &Nothing {}), arguments)
            }
        }
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        if let Some(on_change) = self.on_change {
            self.record.call("on_change", on_change, (&mut Nothing {}, &mut Nothing {}), [ps(now), 0]);
        }
        self.record.change(own(parameters));
    }
}
