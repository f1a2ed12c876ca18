//! Fast path: batches of packets through a tail-drop FIFO, in one loop per step.

use crate::kernel::context::Context;
use crate::kernel::event::{Arrival, HeaderUpdate, TrainPacket};
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::merge::ring::Ring;
use crate::merge::timing_wheel::WheelEntry;
use crate::merge::wheel_pair::WheelPair;
use crate::port::{Port, Queueing};
use penstock_model::id::{HopId, ProcessId};
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;
use std::hint::select_unpredictable;

/// The batch size from which on batches are faster than single packets.
pub const MIN_BATCH: usize = 6;

/// The process and its input that a packet goes to.
type Channel = (ProcessId, u32);

/// Sends all packets of a batch to one of two channels each. Which one it is varies from packet to packet, so each channel gets its
/// packets in a loop of its own, without a jump.
#[inline(always)]
fn send_to_two_channels(batch: &Ring<Arrival>, context: &mut Context<'_, '_>) {
    let routes = context.routes;
    let channel_of = |arrival: &Arrival| {
        let next = routes.hop(arrival.packet.hop);
        (next.process, next.input)
    };
    let Some(first) = batch.first().map(channel_of) else { return };
    let second = send_those_to(first, batch, channel_of, context);
    if second != first {
        send_those_to(second, batch, channel_of, context);
    }
}

/// Sends those packets of a batch that go to `channel`; returns the channel of the last other one, or `channel` if there is none.
#[inline(always)]
fn send_those_to(
    channel: Channel,
    batch: &Ring<Arrival>,
    channel_of: impl Fn(&Arrival) -> Channel,
    context: &mut Context<'_, '_>,
) -> Channel {
    let (process, input) = channel;
    let mut other = channel;
    let Some(queue) = context.outputs.queue(process, input) else {
        for arrival in batch.iter() {
            if channel_of(arrival) == channel {
                context.outputs.send(process, input, arrival.at, |place| *place = *arrival);
            } else {
                other = channel_of(arrival);
            }
        }
        return other;
    };
    let was_empty = queue.len() == 0;
    let mut back = queue.back(batch.len());
    for part in batch.runs() {
        for arrival in part {
            let this = channel_of(arrival);
            let is_here = this == channel;
            // What does not stay here is overwritten.
            *back.place() = *arrival;
            back.add_if(is_here);
            other = select_unpredictable(is_here, other, this);
        }
    }
    drop(back);
    if was_empty {
        context.outputs.announce_head_if_any(process, input);
    }
    other
}

impl Port {
    /// Adds the next packets of periodic sources to the transmit batch.
    pub fn add_periodic_to_batch(&mut self, entries: &[WheelEntry<PeriodicPacket>]) {
        for (place, entry) in self.transmit_batch.add(entries.len()).iter_mut().zip(entries) {
            *place = entry.arrival();
        }
    }

    /// Adds the packets that are due in two wheels to the transmit batch.
    #[inline(never)]
    pub fn add_two_wheels_to_batch(&mut self, pair: &mut WheelPair<'_, PeriodicPacket>) {
        pair.take(self.transmit_batch.add(pair.due()), |place, entry| *place = entry.arrival());
    }

    /// Whether [`Port::on_packet_train`] applies: the port only queues, and may meter.
    #[inline]
    pub fn accepts_packet_trains(&self) -> bool {
        self.allows_batches && matches!(self.queueing, Queueing::TailDropFifo(_)) && self.arrival_marker.is_none()
    }

    /// Processes a packet train of one flow: packets like `first` but for time and size, with consecutive numbers. There is no
    /// trace.
    #[inline(never)]
    pub fn on_packet_train(&mut self, train: &[TrainPacket], first: Packet, context: &mut Context<'_, '_>) {
        debug_assert!(context.record.is_untraced() && self.accepts_packet_trains());
        self.drain_transmit_batch(context);
        let (hop, number) = (first.hop, first.sequence());
        let packets = train.iter().zip(0u32..).map(|(&TrainPacket { at, size }, i)| {
            let body = Body::Media { seq: number.wrapping_add(i) };
            Arrival { at, packet: Packet { created: at, size, body, ..first } }
        });
        if self.can_batch_to_one_channel(first.created, train.len(), context) {
            return self.batch_to_one_channel(packets, train.len(), context, |place, arrival| *place = arrival);
        }
        let next = context.routes.hop(hop);
        let mut channel = context.outputs.channel(next.process, next.input);
        for Arrival { at: now, packet } in packets {
            if let Some((at, pcn)) = self.enqueue_fifo::<false>(now, &packet, context.record).filter(|(at, _)| *at != Time::NEVER) {
                channel.send(at, |arrival| arrival.write_forwarded(at, &packet, HeaderUpdate { hop, ecn: packet.ecn, pcn }));
            }
        }
    }

    /// Whether [`Port::batch_to_one_channel`] applies to `most` packets, the first at `from`: the port only queues and meters,
    /// has room for them, and feeds a single channel.
    pub(in crate::port) fn can_batch_to_one_channel(&mut self, from: Time, most: usize, context: &mut Context<'_, '_>) -> bool {
        let Some((process, input)) = self.only_channel else { return false };
        self.has_room_for_batch(from, most) && context.outputs.queue(process, input).is_some()
    }

    /// Whether the port only queues, and may meter, and has room for `most` packets, the first at `from`.
    #[inline]
    pub(in crate::port) fn has_room_for_batch(&mut self, from: Time, most: usize) -> bool {
        let Port { queueing: Queueing::TailDropFifo(queue), arrival_marker: None, allows_batches: true, counters, .. } = self else {
            return false;
        };
        queue.has_room_for(most, from, &mut counters.sent)
    }

    /// Processes at most `most` packets, for which there is room, as a batch, and sends each to its process.
    #[inline(always)]
    pub(in crate::port) fn batch_to_many_channels<'p>(
        &mut self,
        packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        most: usize,
        context: &mut Context<'_, '_>,
    ) {
        let Port { queueing: Queueing::TailDropFifo(queue), batch, feeds_two_channels, counters, wire, pcn, delay, .. } = self else {
            unreachable!("checked by the caller");
        };
        debug_assert!(context.record.is_untraced());
        let count = batch.add_all(packets, most, |place, (arrival, hop)| {
            *place = *arrival;
            place.packet.hop = hop;
        });
        if let Some(pcn) = pcn {
            pcn.meter_all(batch.last_mut(count), counters);
        }
        queue.serve_batch(batch, count, wire, *delay, counters);
        if *feeds_two_channels {
            send_to_two_channels(batch, context);
        } else {
            for part in batch.runs() {
                for arrival in part {
                    let next = context.routes.hop(arrival.packet.hop);
                    context.outputs.send(next.process, next.input, arrival.at, |place| *place = *arrival);
                }
            }
        }
        batch.consume(batch.len());
        self.check_conservation();
    }

    /// Processes at most `most` packets, which `write` writes, as a batch, if [`Port::can_batch_to_one_channel`].
    #[inline(always)]
    pub(in crate::port) fn batch_to_one_channel<P>(
        &mut self,
        packets: impl Iterator<Item = P>,
        most: usize,
        context: &mut Context<'_, '_>,
        write: impl Fn(&mut Arrival, P),
    ) {
        let Port { queueing: Queueing::TailDropFifo(queue), only_channel: Some((process, input)), counters, wire, pcn, delay, .. } = self
        else {
            unreachable!("checked by the caller");
        };
        debug_assert!(context.record.is_untraced());
        let ring = context.outputs.queue(*process, *input).expect("checked by the caller");
        let was_empty = ring.len() == 0;
        let count = ring.add_all(packets, most, write);
        if let Some(pcn) = pcn {
            pcn.meter_all(ring.last_mut(count), counters);
        }
        queue.serve_batch(ring, count, wire, *delay, counters);
        if was_empty && ring.len() > 0 {
            context.outputs.announce_head(*process, *input);
        }
        self.check_conservation();
    }

    /// Sends the next packets of periodic sources: at once if they are a batch of their own, with the transmit batch otherwise.
    pub fn send_periodic(&mut self, entries: &[WheelEntry<PeriodicPacket>], context: &mut Context<'_, '_>) {
        let Some(first) = entries.first() else { return };
        let is_alone = self.transmit_batch.len() == 0 && context.record.is_untraced();
        if is_alone && entries.len() >= MIN_BATCH && self.can_batch_to_one_channel(first.at, entries.len(), context) {
            self.batch_to_one_channel(entries.iter(), entries.len(), context, |place, entry| *place = entry.arrival());
        } else {
            self.add_periodic_to_batch(entries);
        }
    }
}
