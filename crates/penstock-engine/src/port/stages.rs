//! What a port may do to a packet beyond queueing it: police, colour, and meter for PCN.

use crate::api::blueprint::{MarkAt, PcnAt, PortPlan};
use crate::kernel::event::Arrival;
use crate::port::counters::PortCounters;
use penstock_model::conditioner::policer::Policer;
use penstock_model::conditioner::PolicerPlan;
use penstock_model::meter::AnyMeter;
use penstock_model::packet::{Packet, PcnMark};
use penstock_model::pcn_meter::{AnyPcnMeter, PcnMeter, PcnMeterPlan};
use penstock_model::rng::Key;
use penstock_model::units::{Bytes, Time};

/// The policers of a port.
pub(super) struct Policers {
    policers: Vec<Policer>,
    of_class: Vec<Option<u8>>,
}

impl Policers {
    /// Those of `plan`, if it has any.
    pub(super) fn new(plan: &PortPlan) -> Option<Box<Policers>> {
        let policer = |plan: &PolicerPlan| match plan {
            PolicerPlan::TokenBucket(parameters) => Policer::new(parameters),
        };
        let policers: Vec<Policer> = plan.policers.iter().map(policer).collect();
        (!policers.is_empty()).then(|| Box::new(Policers { policers, of_class: plan.policer_of_class.clone() }))
    }

    /// Whether the policer of its class lets a packet pass.
    pub(super) fn passes(&mut self, now: Time, packet: &Packet) -> bool {
        match self.of_class.get(usize::from(packet.class)) {
            Some(Some(policer)) => self.policers[usize::from(*policer)].passes(now, packet.bytes()),
            _ => true,
        }
    }
}

/// The marker of a port.
pub(super) struct Marker {
    pub(super) meter: AnyMeter,
    /// When it sees a packet.
    pub(super) at: MarkAt,
}

/// The PCN meters of a port.
pub(super) struct PcnStage {
    pub(super) meters: Vec<AnyPcnMeter>,
    /// When they see a packet.
    pub(super) at: PcnAt,
}

impl PcnStage {
    /// Those of `plan`, if it has any; their random streams hang below `key`.
    pub(super) fn new(plan: &PortPlan, key: Key) -> Option<Box<PcnStage>> {
        let meter = |(i, plan): (usize, &PcnMeterPlan)| AnyPcnMeter::new(plan, key.child("pcn").nth(i as u64));
        let meters: Vec<AnyPcnMeter> = plan.pcn.iter().enumerate().map(meter).collect();
        (!meters.is_empty()).then(|| Box::new(PcnStage { meters, at: plan.pcn_at }))
    }

    /// The mark of a packet that the meters see. Each has registers of its own, so that ports without meters have all theirs.
    #[inline(always)]
    pub(super) fn meter(&mut self, now: Time, size: u32, mark: PcnMark) -> PcnMark {
        let size = Bytes::new(u64::from(size));
        match &mut *self.meters {
            [meter] => meter.on_packet(now, size, mark),
            meters => PcnStage::meter_by_several(meters, now, size, mark),
        }
    }

    /// The same of packets that stand in a row, in one short loop; those that are marked are counted.
    pub(super) fn meter_all(&mut self, packets: [&mut [Arrival]; 2], counters: &mut PortCounters) {
        for part in packets {
            match &mut *self.meters {
                [meter] => {
                    let (marked, bytes) = meter.on_packets(part, counters.window.from);
                    counters.marks_unwatched(marked, bytes);
                }
                meters => {
                    for Arrival { at, packet } in part {
                        let before = packet.pcn;
                        packet.pcn = PcnStage::meter_by_several(meters, *at, packet.bytes(), before);
                        if packet.pcn > before {
                            counters.mark_unwatched(*at, packet.size);
                        }
                    }
                }
            }
        }
    }

    #[inline(never)]
    fn meter_by_several(meters: &mut [AnyPcnMeter], now: Time, size: Bytes, mark: PcnMark) -> PcnMark {
        meters.iter_mut().fold(mark, |mark, meter| meter.on_packet(now, size, mark))
    }
}
