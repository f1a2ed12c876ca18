//! Fast path: processes batches of packets through a tail-drop FIFO, with one loop per step.

use crate::kernel::context::Context;
use crate::kernel::event::{Arrival, TrainPacket};
use crate::kernel::periodic_packet::PeriodicPacket;
use crate::merge::timing_wheel::WheelEntry;
use crate::merge::wheel_pair::WheelPair;
use crate::port::{Port, Queueing};
use penstock_model::id::HopId;
use penstock_model::packet::{Body, Packet};
use penstock_model::pcn_meter::Metered;
use penstock_model::units::Time;

/// Minimum number of packets for which a batch is faster than single packets.
pub const MIN_BATCH: usize = 6;

/// Maximum number of packets in a batch.
pub const MAX_BATCH: usize = 64;

/// Maximum number of packets of a train in a batch.
const MAX_TRAIN_BATCH: usize = 256;

/// Detects whether packets all have the same size and precedence: each bit is then set in all or in none.
#[derive(Clone, Copy, Debug)]
struct Alikeness {
    in_some: u64,
    in_all: u64,
}

impl Alikeness {
    /// Initial value, before any packet.
    const OF_NONE: Alikeness = Alikeness { in_some: 0, in_all: u64::MAX };

    /// Adds a packet with this [`header_word`](penstock_model::packet::Packet::header_word).
    #[inline(always)]
    fn add(&mut self, header: u64) {
        self.in_some |= header;
        self.in_all &= header;
    }

    /// Whether all packets have the same size and precedence.
    #[inline]
    fn holds(self) -> bool {
        const SIZE_AND_PRECEDENCE: u64 = 0xff_ffff_ffff;
        (self.in_some ^ self.in_all) & SIZE_AND_PRECEDENCE == 0
    }
}

impl Port {
    /// Adds the next packets of periodic sources to the transmit batch.
    pub fn add_periodic_to_batch(&mut self, entries: &[WheelEntry<PeriodicPacket>]) {
        for (slot, entry) in self.transmit_batch.add(entries.len()).iter_mut().zip(entries) {
            *slot = entry.arrival();
        }
    }

    /// Adds the packets that are due in two timing wheels to the transmit batch.
    #[inline(never)]
    pub fn add_two_wheels_to_batch(&mut self, pair: &mut WheelPair<'_, PeriodicPacket>) {
        pair.take(self.transmit_batch.add(pair.due), |slot, entry| *slot = entry.arrival());
    }

    /// Whether [`Port::on_packet_train`] applies: the port allows batches, and only queues and possibly meters packets.
    #[inline]
    pub fn accepts_packet_trains(&self) -> bool {
        self.allows_batches && matches!(self.queueing, Queueing::TailDropFifo(_)) && self.arrival_marker.is_none()
    }

    /// Processes a packet train of one flow: its packets differ from `first` in time, size and call only, and have consecutive sequence
    /// numbers. Nothing is traced.
    #[inline(never)]
    pub fn on_packet_train(&mut self, train: &[TrainPacket], first: Packet, context: &mut Context<'_, '_>) {
        debug_assert!(context.record.is_untraced() && self.accepts_packet_trains());
        self.drain_transmit_batch(context);
        let mut number = first.sequence();
        // A queue may have room for a part of the train but not for all of it.
        for part in train.chunks(MAX_TRAIN_BATCH) {
            self.on_train_part(part, &first, number, context);
            number = number.wrapping_add(part.len() as u32);
        }
    }

    /// Processes packets that differ from `first` in time, size, call and sequence number only. The first of them has `number`.
    #[inline(always)]
    fn on_train_part(&mut self, train: &[TrainPacket], first: &Packet, number: u32, context: &mut Context<'_, '_>) {
        let Some(from) = train.first().map(|first| first.at) else { return };
        // Written field by field: copying a struct that was just written in parts stalls on store forwarding.
        let write = |slot: &mut Arrival, &TrainPacket { at, size, call }: &TrainPacket, i: u32| {
            slot.at = at;
            slot.packet = Packet { created: at, size, body: Body::Media { seq: number.wrapping_add(i), call }, ..*first };
        };
        let packets = train.iter().zip(0u32..);
        if self.can_batch_to_one_channel(from, train.len(), context) {
            let marks = first.header_word() >> 32 << 32;
            return self.batch_to_one_channel(packets, train.len(), context, |slot, (packet, i)| {
                write(slot, packet, i);
                marks | u64::from(packet.size)
            });
        }
        for (&TrainPacket { at: now, size, call }, i) in packets {
            let packet = Packet { created: now, size, body: Body::Media { seq: number.wrapping_add(i), call }, ..*first };
            self.enqueue_and_send(now, &packet, first.hop, context);
        }
    }

    /// Whether [`Port::batch_to_one_channel`] applies to `most` packets, the first at `from`: the port allows batches, only queues and
    /// possibly meters, has room for the packets, and feeds a single channel, to whose queue many packets can be added in order.
    pub(in crate::port) fn can_batch_to_one_channel(&mut self, from: Time, most: usize, context: &mut Context<'_, '_>) -> bool {
        let Some((process, input)) = self.only_channel else { return false };
        self.has_room_for_batch(from, most) && context.outputs.queue(process, input).is_some()
    }

    /// Whether the port allows batches, only queues and possibly meters packets, and has room for `most` of them, the first at `from`.
    #[inline]
    pub(in crate::port) fn has_room_for_batch(&mut self, from: Time, most: usize) -> bool {
        let Port { queueing: Queueing::TailDropFifo(queue), arrival_marker: None, allows_batches: true, .. } = self else {
            return false;
        };
        queue.has_room_for(most, from)
    }

    /// Processes arrivals, each with its next hop, in batches. The queue has room for them.
    #[inline(always)]
    pub(in crate::port) fn on_batches<'p>(
        &mut self,
        mut packets: impl Iterator<Item = (&'p Arrival, HopId)>,
        context: &mut Context<'_, '_>,
    ) {
        debug_assert!(context.record.is_untraced());
        self.batch.resize(MAX_BATCH, Arrival::PLACEHOLDER);
        loop {
            let (mut count, mut alikeness) = (0, Alikeness::OF_NONE);
            for (slot, (arrival, hop)) in self.batch.iter_mut().zip(packets.by_ref()) {
                *slot = *arrival;
                slot.packet.hop = hop;
                alikeness.add(arrival.packet.header_word());
                count += 1;
            }
            self.process_batch(count, alikeness.holds(), context);
            if count < MAX_BATCH {
                return;
            }
        }
    }

    /// Meters, queues and sends the first `count` packets of the batch. `alike` says that all have the same size and precedence.
    #[inline(never)]
    fn process_batch(&mut self, count: usize, alike: bool, context: &mut Context<'_, '_>) {
        let Port { queueing: Queueing::TailDropFifo(queue), batch, counters, wire, pcn, delay, .. } = self else {
            unreachable!("checked by the caller");
        };
        let batch = &mut batch[..count];
        if let Some(pcn) = pcn {
            let one_size = batch.first().filter(|_| alike).map(Metered::size);
            pcn.meter_all(batch, one_size, counters);
        }
        let never = queue.serve_batch([batch, &mut []], alike, wire, *delay, counters);
        for arrival in &batch[..count - never] {
            let next = context.routes.hop(arrival.packet.hop);
            context.outputs.send(next.process, next.input, arrival.at, |slot| *slot = *arrival);
        }
        self.check_conservation();
    }

    /// Processes at most `most` packets as a batch; [`Port::can_batch_to_one_channel`] must hold. `write` writes a packet as it arrives
    /// here, and returns its header word.
    #[inline(always)]
    pub(in crate::port) fn batch_to_one_channel<P>(
        &mut self,
        packets: impl Iterator<Item = P>,
        most: usize,
        context: &mut Context<'_, '_>,
        write: impl Fn(&mut Arrival, P) -> u64,
    ) {
        let Port { queueing: Queueing::TailDropFifo(queue), only_channel: Some((process, input)), counters, wire, pcn, delay, .. } = self
        else {
            unreachable!("checked by the caller");
        };
        debug_assert!(context.record.is_untraced());
        let ring = context.outputs.queue(*process, *input).expect("checked by the caller");
        let was_empty = ring.len() == 0;
        let mut alikeness = Alikeness::OF_NONE;
        let count = ring.add_all(packets, most, |slot, packet| alikeness.add(write(slot, packet)));
        let alike = alikeness.holds();
        let mut parts = ring.last_mut(count);
        if let Some(pcn) = pcn {
            let one_size = parts[0].first().filter(|_| alike).map(Metered::size);
            parts.iter_mut().for_each(|part| pcn.meter_all(part, one_size, counters));
        }
        let never = queue.serve_batch(parts, alike, wire, *delay, counters);
        ring.drop_last(never);
        if was_empty && ring.len() > 0 {
            context.outputs.announce_head(*process, *input);
        }
        self.check_conservation();
    }

    /// Sends packets of periodic sources: directly if they form a batch of their own, else via the transmit batch.
    pub fn send_periodic(&mut self, entries: &[WheelEntry<PeriodicPacket>], context: &mut Context<'_, '_>) {
        let Some(first) = entries.first() else { return };
        let is_batch = self.transmit_batch.len() == 0 && entries.len() >= MIN_BATCH;
        if is_batch && self.can_batch_to_one_channel(first.at, entries.len(), context) {
            self.batch_to_one_channel(entries.iter(), entries.len(), context, |slot, entry| {
                *slot = entry.arrival();
                slot.packet.header_word()
            });
        } else {
            self.add_periodic_to_batch(entries);
        }
    }
}
