//! The stages of a port other than its queue: policers, marker, PCN meters.

use crate::api::blueprint::{MarkAt, MarkerPlan, PcnAt, PortPlan};
use crate::api::observations::TraceEvent;
use crate::port::counters::PortCounters;
use crate::port::verdict::{DecisionPoint, Records};
use penstock_model::conditioner::{AnyPolicer, Policer, PolicerPlan};
use penstock_model::discipline::{DropCause, PortContext, Verdict};
use penstock_model::meter::AnyMeter;
use penstock_model::packet::{Packet, PcnMark};
use penstock_model::pcn_meter::{AnyPcnMeter, Metered, PcnMeter, PcnMeterPlan};
use penstock_model::site::Site;
use penstock_model::units::{Bytes, Time};

/// The policers of a port.
#[derive(Clone)]
pub(super) struct Policers {
    pub(super) policers: Vec<AnyPolicer>,
    of_class: Vec<Option<u8>>,
}

impl Policers {
    /// Builds the policers of `plan` at the port `site`; `None` if it has none.
    pub(super) fn new(plan: &PortPlan, site: &Site) -> Option<Box<Policers>> {
        let policer = |(i, plan): (usize, &PolicerPlan)| AnyPolicer::new(plan, &site.with_key(site.key.child("policer").nth(i as u64)));
        let policers: Vec<AnyPolicer> = plan.policers.iter().enumerate().map(policer).collect();
        (!policers.is_empty()).then(|| Box::new(Policers { policers, of_class: plan.policer_of_class.clone() }))
    }

    /// Sets the parameters of the policers to those in these plans from `now` on.
    pub(super) fn change(&mut self, now: Time, plans: &[PolicerPlan]) {
        for (policer, plan) in self.policers.iter_mut().zip(plans) {
            plan.changeable().into_iter().for_each(|parameters| policer.change(now, parameters));
        }
    }

    /// Polices `packet` at `now`; `None` if it is dropped.
    pub(super) fn pass(&mut self, now: Time, packet: &mut Packet, records: &mut Records<'_>) -> Option<()> {
        let Some(Some(policer)) = self.of_class.get(usize::from(packet.class)) else { return Some(()) };
        if self.policers[usize::from(*policer)].passes(now, packet) {
            return Some(());
        }
        records.apply::<true>(Verdict::Drop(DropCause::Policed), DecisionPoint::OnArrival, now, packet).map(|_| ())
    }
}

/// Creates the marker of `plan`, if the plan has one that sees packets `at` this point.
pub(super) fn marker(plan: &Option<MarkerPlan>, at: MarkAt, context: &PortContext) -> Option<Box<AnyMeter>> {
    let marker = plan.as_ref().filter(|marker| marker.at == at)?;
    let mut meter = AnyMeter::new(&marker.meter, &context.site.child("marker"));
    meter.meter_circuits(&context.circuits);
    Some(Box::new(meter))
}

/// Maximum number of packets that several meters process, one meter after the other, before the next packets.
const METERED_AT_ONCE: usize = 64;

/// The PCN meters of a port.
#[derive(Clone)]
pub(super) struct PcnStage {
    pub(super) meters: Vec<AnyPcnMeter>,
    /// Point at which the meters see a packet.
    pub(super) at: PcnAt,
}

impl PcnStage {
    /// Builds the PCN meters of `plan` at the port `site`; `None` if it has none.
    pub(super) fn new(plan: &PortPlan, site: &Site) -> Option<Box<PcnStage>> {
        let meter = |(i, plan): (usize, &PcnMeterPlan)| AnyPcnMeter::new(plan, &site.with_key(site.key.child("pcn").nth(i as u64)));
        let meters: Vec<AnyPcnMeter> = plan.pcn.iter().enumerate().map(meter).collect();
        (!meters.is_empty()).then(|| Box::new(PcnStage { meters, at: plan.pcn_at }))
    }

    /// Returns the mark of a packet after all meters. Several meters run out of line, so that they cost callers no registers.
    #[inline(always)]
    pub(super) fn meter(&mut self, now: Time, packet: &Packet) -> PcnMark {
        match &mut *self.meters {
            [meter] => meter.on_packet(now, packet),
            meters => PcnStage::meter_by_several(meters, now, packet.bytes(), packet.pcn),
        }
    }

    /// Meters packets in one short loop, and counts those that become marked. `one_size` is their size if it is the same for all.
    pub(super) fn meter_all<P: Metered>(&mut self, packets: &mut [P], one_size: Option<Bytes>, counters: &mut PortCounters) {
        if let [meter] = &mut *self.meters {
            let (marked, bytes) = meter.on_packets(packets, one_size, counters.measured.from);
            return counters.link.mark_many(marked, bytes);
        }
        // One meter after the other, since each has its own state.
        for packets in packets.chunks_mut(METERED_AT_ONCE) {
            let mut before = [PcnMark::Unmarked; METERED_AT_ONCE];
            before.iter_mut().zip(&mut *packets).for_each(|(before, packet)| *before = *packet.mark());
            for meter in &mut self.meters {
                meter.on_packets(packets, one_size, Time::ZERO);
            }
            for (packet, before) in packets.iter_mut().zip(before) {
                if *packet.mark() > before {
                    counters.mark_unrecorded(packet.at(), packet.size().get() as u32);
                }
            }
        }
    }

    #[inline(never)]
    fn meter_by_several(meters: &mut [AnyPcnMeter], now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        meters.iter_mut().fold(mark, |mark, meter| meter.meter(now, size, mark))
    }

    /// Meters `packet` if the meters see packets `at` this point.
    #[inline]
    pub(super) fn pass(&mut self, at: PcnAt, now: Time, packet: &mut Packet, records: &mut Records<'_>) {
        if self.at != at {
            return;
        }
        let before = packet.pcn;
        packet.pcn = self.meter(now, packet);
        if packet.pcn > before {
            records.counters.mark(now, packet);
            records.journal.trace(now, records.counters.place, packet, TraceEvent::PcnMark);
        }
    }
}
