//! The endpoints of TCP connections at a host.

use crate::api::observations::Observations;
use crate::endpoints::connections::{Connections, ReceiverEndpoint, SenderTimers};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::event::Arrival;
use crate::kernel::route::Routes;
use penstock_model::id::FlowId;
use penstock_model::packet::{Ack, Body, Packet, SackBlocks};
use penstock_model::prefetch::prefetch;
use penstock_model::transport::connection::ConnectionSender;
use penstock_model::transport::tcp::{Receiver, SegmentHeader, Segments, Sender, Transmission};
use penstock_model::units::Time;

/// The ends of TCP connections at a host.
pub type TcpEndpoints = Connections<Sender, Receiver>;

impl ReceiverEndpoint<Receiver> {
    /// Counts a segment, and what has come in order since `before` was all.
    #[inline(always)]
    fn count(&mut self, now: Time, packet: &Packet, before: u32) {
        self.received.count(now, packet);
        self.goodput += u64::from(self.receiver.delivered() - before) * u64::from(packet.size - self.received.header);
    }
}

impl SenderTimers for Sender {
    const TIMERS: [TimerKind; 4] = [TimerKind::Sender, TimerKind::Start, TimerKind::Stop, TimerKind::Page];
}

impl TcpEndpoints {
    /// Asks for the memory that receiving `packet` needs; see [`crate::kernel::logical_process::WindowProcess::prefetch`].
    #[inline]
    pub fn prefetch(&self, stage: usize, packet: &Packet, routes: &Routes) {
        let hop = match packet.body {
            Body::Segment { .. } => {
                let Some(end) = self.receivers.get(routes.sink(packet.flow) as usize) else { return };
                if stage == 2 {
                    end.receiver.prefetch();
                    prefetch(&end.armed);
                    prefetch(&end.template);
                    prefetch(&end.received);
                    prefetch(&end.goodput);
                    return;
                }
                end.template.departure.hop
            }
            Body::Ack { .. } => {
                let Some(end) = self.senders.get(routes.flow(packet.flow).source as usize) else { return };
                if stage == 2 {
                    end.sender.prefetch();
                    prefetch(&end.armed);
                    prefetch(&end.template);
                    prefetch(&end.sent);
                    return;
                }
                end.template.departure.hop
            }
            _ => return,
        };
        routes.prefetch_hop(hop);
    }

    /// A switch has dropped a packet of `flow`, whose sender may be here.
    pub fn on_source_quench(&mut self, now: Time, flow: FlowId, host_context: &mut HostContext<'_, '_>) {
        let slot = host_context.context.routes.flow(flow).source;
        if self.senders.get(slot as usize).is_some_and(|end| end.template.flow == flow) {
            let window = self.window(slot, host_context);
            self.senders[slot as usize].sender.on_source_quench();
            self.trace_window(now, slot, window, host_context);
        }
    }

    /// Receives segments and acknowledgements at the end of their routes that arrive before `bound`, before any other packet
    /// and before any timer; returns how many. There is no trace.
    ///
    /// Header prediction: the usual segment or acknowledgement takes a few steps.
    #[inline(never)]
    pub fn receive_batch(
        &mut self,
        arrivals: &[Arrival],
        bound: Time,
        timers: &mut Timers,
        host_context: &mut HostContext<'_, '_>,
    ) -> usize {
        let mut taken = 0;
        for Arrival { at, packet } in arrivals {
            if *at >= bound.min(timers.next()) {
                break;
            }
            match &packet.body {
                Body::Segment { seq, .. } => {
                    host_context.context.record.digest.packet(*at, packet, 0);
                    self.receive_segment(*at, packet, *seq, timers, host_context);
                }
                Body::Ack { flags, sack, next, sack_rest } => {
                    host_context.context.record.digest.packet(*at, packet, 0);
                    let ack = Ack { next: *next, flags: *flags, sack: SackBlocks::join(*sack, *sack_rest) };
                    self.receive_ack(*at, packet.flow, &ack, timers, host_context);
                }
                _ => break,
            }
            taken += 1;
        }
        taken
    }

    #[inline(always)]
    fn receive_segment(&mut self, now: Time, packet: &Packet, seq: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let slot = host_context.context.routes.sink(packet.flow);
        let end = &mut self.receivers[slot as usize];
        let before = end.receiver.delivered();
        let header = SegmentHeader::of(&packet.body);
        let predicted = end.receiver.on_predicted_segment(now, seq, header);
        if predicted.is_none() {
            end.receiver.on_segment(now, seq, packet.ecn, header);
        }
        if self.measured.is_open(now) {
            end.count(now, packet, before);
        }
        let acknowledges = match predicted {
            Some(acknowledges) => acknowledges,
            None if end.receiver.has_plain_acks() => end.receiver.takes_ack(),
            None => return self.pump_receiver(now, slot, timers, host_context),
        };
        if acknowledges {
            let body = Body::ack(Ack { next: end.receiver.delivered(), flags: end.receiver.flags(), sack: SackBlocks::default() });
            let packet = end.template.packet(now, end.receiver.packet_size(), body);
            host_context.send(now, end.template.departure.port, &packet);
        } else {
            timers.arm(end.receiver.deadline(), &mut end.armed, end.template.flow.0, TimerKind::Receiver, slot);
        }
    }

    #[inline(always)]
    fn receive_ack(&mut self, now: Time, flow: FlowId, ack: &Ack, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let slot = host_context.context.routes.flow(flow).source;
        let counts = self.measured.is_open(now);
        let end = &mut self.senders[slot as usize];
        let predicted = if ack.sack.is_empty() { end.sender.on_predicted_ack(now, ack.next, ack.flags) } else { None };
        let Some(segments) = predicted else {
            return self.on_ack(now, slot, ack, timers, host_context);
        };
        let size = end.sender.packet_size();
        let Segments { first, end: last, new_from } = segments;
        if counts {
            end.sent.count_many(last - first, size, last.min(new_from).saturating_sub(first));
        }
        for seq in first..last {
            let retransmission = seq < new_from;
            let (ecn, flags) = end.sender.mark(retransmission);
            let packet = Packet { ecn, ..end.template.packet(now, size, Body::Segment { seq, retransmission, flags }) };
            host_context.send(now, end.template.departure.port, &packet);
        }
        timers.arm(end.sender.predicted_deadline(), &mut end.armed, end.template.flow.0, TimerKind::Sender, slot);
    }

    /// Receives a packet at the end of its route.
    #[inline(never)]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let flow = host_context.context.routes.flow(packet.flow);
        match packet.body {
            Body::Segment { seq, .. } => {
                let end = &mut self.receivers[flow.sink as usize];
                let before = end.receiver.delivered();
                end.receiver.on_segment(now, seq, packet.ecn, SegmentHeader::of(&packet.body));
                if self.measured.is_open(now) {
                    end.count(now, packet, before);
                }
                self.pump_receiver(now, flow.sink, timers, host_context);
            }
            Body::Ack { flags, sack, next, sack_rest } => {
                let ack = Ack { next, flags, sack: SackBlocks::join(sack, sack_rest) };
                self.on_ack(now, flow.source, &ack, timers, host_context);
            }
            Body::Syn { ecn, .. } => {
                self.receivers[flow.sink as usize].receiver.on_syn(now, ecn);
                self.pump_receiver(now, flow.sink, timers, host_context);
            }
            Body::SynAck { ecn, .. } => {
                let window = self.window(flow.source, host_context);
                self.senders[flow.source as usize].sender.on_syn_ack(now, ecn);
                self.trace_window(now, flow.source, window, host_context);
                self.respond(now, flow.source, timers, host_context);
            }
            _ => unreachable!("these have no transport"),
        }
    }

    /// Handles any acknowledgement.
    #[inline(never)]
    fn on_ack(&mut self, now: Time, slot: u32, ack: &Ack, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let window = self.window(slot, host_context);
        self.senders[slot as usize].sender.on_ack(now, ack);
        self.trace_window(now, slot, window, host_context);
        self.respond(now, slot, timers, host_context);
    }

    /// Handles the timer of an end.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        if timer.kind != TimerKind::Receiver {
            return self.on_sender_timer(now, timer, timers, host_context);
        }
        let Some(end) = self.take_receiver_timer(timer) else { return };
        if end.receiver.deadline() <= now {
            end.receiver.on_timeout(now);
            self.trace_receiver_timer(now, timer, host_context);
        }
        self.pump_receiver(now, timer.slot, timers, host_context);
    }

    /// Sends whatever acknowledgements the receiver has, and arms its timer.
    fn pump_receiver(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let end = &mut self.receivers[slot as usize];
        while let Some(Transmission { body, size, ecn }) = end.receiver.next_transmission(now) {
            host_context.answer(now, self.place, &end.template, &Packet { ecn, ..end.template.packet(now, size, body) });
        }
        timers.arm(end.receiver.deadline(), &mut end.armed, end.template.flow.0, TimerKind::Receiver, slot);
    }

    /// Calls `take` with the flow of each sender that `max-window` keeps from sending more.
    pub fn flows_held_by_max_window(&self, take: &mut impl FnMut(FlowId)) {
        self.senders.iter().filter(|end| end.sender.is_held_by_max_window()).for_each(|end| take(end.template.flow));
    }

    /// Adds how often segments were sent a third time or later, where that is recorded.
    pub fn report_repeats(&self, seen: &mut Observations) {
        let repeats = self.senders.iter().filter_map(|end| Some((end.template.flow, end.sender.repeats()?)));
        seen.repeated_retransmissions.extend(repeats);
    }
}
