//! Many packets through a tail-drop FIFO in one loop.

use crate::kernel::context::Context;
use crate::kernel::event::{Arrival, TrainPacket, Written};
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::merge::timing_wheel::WheelEntry;
use crate::merge::wheel_pair::WheelPair;
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

/// It pays to take so many in one go.
pub const MANY: usize = 6;

impl Port {
    /// Is handed the packets that sources of the host repeat.
    pub fn hand_all(&mut self, entries: &[WheelEntry<PeriodicPacket>]) {
        for (place, entry) in self.handed.add(entries.len()).iter_mut().zip(entries) {
            *place = entry.arrival();
        }
    }

    /// Is handed the packets that are due in two wheels.
    #[inline(never)]
    pub fn hand_both(&mut self, pair: &mut WheelPair<'_, PeriodicPacket>) {
        pair.take(self.handed.add(pair.due()), |place, entry| *place = entry.arrival());
    }

    /// Whether [`Port::on_train`] is for this port: it only queues, and may meter.
    #[inline]
    pub fn takes_trains(&self) -> bool {
        self.takes_batches && matches!(self.queueing, Queueing::TailDropFifo(_)) && self.arrival_marker.is_none()
    }

    /// Takes packets that a flow sends in a row: they look like `first`, but for time and size, and are numbered on from it.
    /// Nothing is traced.
    #[inline(never)]
    pub fn on_train(&mut self, train: &[TrainPacket], first: Packet, context: &mut Context<'_, '_>) {
        debug_assert!(context.record.is_untraced() && self.takes_trains());
        self.drain_transmit_batch(context);
        let (hop, number) = (first.hop, first.sequence());
        let packets = train.iter().zip(0u32..).map(|(&TrainPacket { at, size }, i)| {
            let body = Body::Media { seq: number.wrapping_add(i) };
            Arrival { at, packet: Packet { created: at, size, body, ..first } }
        });
        if self.passes_all(first.created, train.len(), context) {
            return self.pass_all(packets, train.len(), context, |place, arrival| *place = arrival);
        }
        let next = context.routes.hop(hop);
        let mut channel = context.outputs.channel(next.process, next.input);
        for Arrival { at: now, packet } in packets {
            if let Some((at, pcn)) = self.queue::<false>(now, &packet, context.record).filter(|(at, _)| *at != Time::NEVER) {
                channel.send(at, |arrival| arrival.write(at, &packet, Written { hop, ecn: packet.ecn, pcn }));
            }
        }
    }

    /// Whether [`Port::pass_all`] is for `most` packets, the first at `from`: the port only queues and meters, has room for
    /// them, and feeds a single channel.
    pub(in crate::port) fn passes_all(&mut self, from: Time, most: usize, context: &mut Context<'_, '_>) -> bool {
        let Some((process, input)) = self.only_channel else { return false };
        self.has_room_for_all(from, most) && context.outputs.queue(process, input).is_some()
    }

    /// Whether the port only queues, and may meter, and has room for `most` packets, the first at `from`.
    #[inline]
    pub(in crate::port) fn has_room_for_all(&mut self, from: Time, most: usize) -> bool {
        let Port { queueing: Queueing::TailDropFifo(queue), arrival_marker: None, takes_batches: true, counters, .. } = self else {
            return false;
        };
        queue.has_room_for(most, from, &mut counters.sent)
    }

    /// Takes packets in one go, at most `most`, for which there is room, and sends each to its own process.
    #[inline(always)]
    pub(in crate::port) fn spread_all<'p>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        most: usize,
        context: &mut Context<'_, '_>,
    ) {
        let Port { queueing: Queueing::TailDropFifo(queue), spread, counters, wire, pcn, delay, .. } = self else {
            unreachable!("asked before");
        };
        debug_assert!(context.record.is_untraced());
        let count = spread.add_all(packets, most, |place, (arrival, hop)| {
            *place = *arrival;
            place.packet.hop = hop;
        });
        if let Some(pcn) = pcn {
            pcn.meter_all(spread.last_mut(count), counters);
        }
        queue.pass_all(spread, count, wire, *delay, counters);
        for part in spread.runs() {
            for arrival in part {
                let next = context.routes.hop(arrival.packet.hop);
                context.outputs.send(next.process, next.input, arrival.at, |place| *place = *arrival);
            }
        }
        spread.consume(spread.len());
        self.check_conservation();
    }

    /// Takes packets in one go, at most `most`, which `write` writes down; [`Port::passes_all`] says where.
    #[inline(always)]
    pub(in crate::port) fn pass_all<P>(
        &mut self,
        packets: impl Iterator<Item = P>,
        most: usize,
        context: &mut Context<'_, '_>,
        write: impl Fn(&mut Arrival, P),
    ) {
        let Port { queueing: Queueing::TailDropFifo(queue), only_channel: Some((process, input)), counters, wire, pcn, delay, .. } = self
        else {
            unreachable!("asked before");
        };
        debug_assert!(context.record.is_untraced());
        let ring = context.outputs.queue(*process, *input).expect("asked before");
        let was_empty = ring.len() == 0;
        let count = ring.add_all(packets, most, write);
        if let Some(pcn) = pcn {
            pcn.meter_all(ring.last_mut(count), counters);
        }
        queue.pass_all(ring, count, wire, *delay, counters);
        if was_empty && ring.len() > 0 {
            context.outputs.announce_head(*process, *input);
        }
        self.check_conservation();
    }

    /// Takes the packets that sources of the host repeat; at once if these are many and it has been handed nothing before.
    pub fn take_repeated(&mut self, entries: &[WheelEntry<PeriodicPacket>], context: &mut Context<'_, '_>) {
        let Some(first) = entries.first() else { return };
        let alone = self.handed.len() == 0 && context.record.is_untraced();
        if alone && entries.len() >= MANY && self.passes_all(first.at, entries.len(), context) {
            self.pass_all(entries.iter(), entries.len(), context, |place, entry| *place = entry.arrival());
        } else {
            self.hand_all(entries);
        }
    }
}
