//! Reception of packets at the end of their routes.

use crate::api::observations::TraceEvent;
use crate::endpoints::host_context::HostContext;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::journal::Journal;
use crate::kernel::message::TelemetrySignal;
use crate::kernel::route::Routes;
use crate::node::host::Host;
use penstock_model::edge::Signal;
use penstock_model::packet::{Body, Packet};
use penstock_model::units::Time;

impl Host {
    /// Whether [`Host::receive_batch`] handles `packet`: the host forwards nothing, nothing is traced, and the packet's type is common.
    #[inline(always)]
    pub fn can_receive_batch(&self, packet: &Packet, record: &Journal) -> bool {
        let is_usual = matches!(packet.body, Body::Datagram { .. } | Body::Segment { .. } | Body::Ack { .. } | Body::Media { .. });
        is_usual && !self.forwards && record.is_untraced()
    }

    /// Receives packets at the end of their routes: the first ones, as long as they have the same type and arrive before `bound`. Returns
    /// their number.
    #[inline(never)]
    pub fn receive_batch(&mut self, arrivals: &[Arrival], bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        match arrivals.first().map(|arrival| arrival.packet.body) {
            Some(Body::Datagram { .. }) => self.receive_datagrams(arrivals, bound, host_context),
            Some(Body::Media { .. }) => self.receive_media(arrivals, bound, host_context),
            _ => self.connections.receive_batch(arrivals, bound, &mut self.timers, host_context),
        }
    }

    /// Receives datagrams at the end of their routes that arrive before `bound` and before any other packet; returns their number. Nothing
    /// is traced.
    #[inline(never)]
    pub fn receive_datagrams(&mut self, arrivals: &[Arrival], bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        let Context { routes, record, .. } = &mut host_context.context;
        let due = &arrivals[..arrivals.partition_point(|arrival| arrival.at < bound)];
        let datagrams = due.iter().take_while(|arrival| matches!(arrival.packet.body, Body::Datagram { .. }));
        let (mut taken, mut digest) = (0, record.digest);
        self.count_datagrams(
            routes,
            datagrams.inspect(|Arrival { at, packet }| {
                digest.packet(*at, packet, 0);
                taken += 1;
            }),
        );
        record.digest = digest;
        taken
    }

    /// Receives packets of calls at their egress that arrive before `bound`, before any other packet and before any timer that they arm.
    /// Returns their number.
    #[inline(never)]
    fn receive_media(&mut self, arrivals: &[Arrival], mut bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        if self.has_only_sampled_calls && self.egresses.len() > 1 {
            return self.receive_samples(arrivals, bound, host_context);
        }
        let mut digest = host_context.context.record.digest;
        let mut taken = 0;
        while let Some(Arrival { at, packet }) = arrivals.get(taken) {
            let Body::Media { seq, call } = packet.body else { break };
            if *at >= bound {
                break;
            }
            let sink = host_context.context.routes.sink(packet.flow);
            let is_run = arrivals.get(taken + 1).is_some_and(|next| next.packet.flow == packet.flow);
            if is_run && self.egresses[sink as usize].only_samples() {
                taken += self.egresses[sink as usize].on_media_batch(&arrivals[taken..], bound, &mut digest);
                continue;
            }
            digest.packet(*at, packet, 0);
            if self.egresses[sink as usize].on_packet(*at, packet, Some((seq, call)), host_context) {
                self.arm_egress(sink);
                bound = bound.min(self.timers.next());
            }
            taken += 1;
        }
        host_context.context.record.digest = digest;
        taken
    }

    /// Does the same as [`Host::receive_media`] if all egresses only sample packets for marks. It does not batch the packets of an
    /// aggregate: several aggregates mostly alternate, so batches would be short.
    #[inline(always)]
    fn receive_samples(&mut self, arrivals: &[Arrival], bound: Time, host_context: &mut HostContext<'_, '_>) -> usize {
        let Context { routes, record, .. } = &mut host_context.context;
        let (mut digest, mut taken) = (record.digest, 0);
        let due = arrivals.iter().take_while(|arrival| arrival.at < bound && matches!(arrival.packet.body, Body::Media { .. }));
        for Arrival { at, packet } in due {
            digest.packet(*at, packet, 0);
            self.receive_sample(*at, packet, routes);
            taken += 1;
        }
        record.digest = digest;
        taken
    }

    /// Receives a packet of calls at an egress that only samples it for marks. Nothing is traced.
    #[inline(always)]
    pub fn receive_sample(&mut self, now: Time, packet: &Packet, routes: &Routes) {
        self.egresses[routes.sink(packet.flow) as usize].on_sample(now, packet, self.measured.is_open(now));
    }

    /// Counts datagrams that arrive at the end of their routes in the measurement period.
    #[inline(always)]
    pub fn count_datagrams<'p>(&mut self, routes: &Routes, datagrams: impl Iterator<Item = &'p Arrival>) {
        let Host { sinks, measured, .. } = self;
        let count = |Arrival { at, packet }: &Arrival| sinks[routes.sink(packet.flow) as usize].received.count(*at, packet);
        datagrams.skip_while(|arrival| !measured.is_open(arrival.at)).for_each(count);
    }

    /// Receives a packet at the end of its route; returns whether that may have armed a timer.
    #[inline]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet, host_context: &mut HostContext<'_, '_>) -> bool {
        host_context.context.record.trace(now, self.place, packet, TraceEvent::Receive);
        // Remove the tag of the sender's rate limiter.
        let untagged;
        let packet = match packet.body {
            Body::TaggedSegment { .. } | Body::TaggedDatagram { .. } | Body::TaggedRoceData { .. } | Body::TaggedTransportData { .. } => {
                untagged = Packet { body: packet.body.untagged(), ..*packet };
                &untagged
            }
            _ => packet,
        };
        match packet.body {
            Body::Datagram { .. } => {
                if self.measured.is_open(now) {
                    self.sinks[host_context.context.routes.sink(packet.flow) as usize].received.count(now, packet);
                }
                return false;
            }
            Body::Media { seq, call } => {
                let sink = host_context.context.routes.sink(packet.flow);
                if self.egresses[sink as usize].on_packet(now, packet, Some((seq, call)), host_context) {
                    self.arm_egress(sink);
                }
            }
            Body::SourceQuench { .. } => {
                // Open-loop flows and calls ignore it.
                self.connections.on_source_quench(now, packet.flow, host_context);
                return false;
            }
            // Only reaction points use it, and they come before the host.
            Body::CongestionNotification { .. } => return false,
            Body::RoceData { .. } | Body::RoceAck { .. } | Body::CongestionNotificationPacket { .. } => {
                self.roce.receive_packet(now, packet, &mut self.timers, host_context);
            }
            Body::TransportData { .. } | Body::TransportAck { .. } => {
                self.custom.receive_packet(now, packet, &mut self.timers, host_context);
            }
            Body::Request { call, live } => self.on_request(now, packet, Signal::Request { call, live }, host_context),
            _ => self.connections.receive_packet(now, packet, &mut self.timers, host_context),
        }
        true
    }

    /// Receives telemetry of a flow that begins here.
    #[inline(never)]
    pub fn on_telemetry(&mut self, now: Time, signal: &TelemetrySignal, host_context: &mut HostContext<'_, '_>) {
        let digest = &mut host_context.context.record.digest;
        digest.number(now.as_ps() ^ u64::from(signal.flow.0) << 32 ^ u64::from(signal.record.hop));
        digest.number(signal.record.queue ^ signal.record.sent << 32);
        self.roce.on_telemetry(host_context.context.routes.flow(signal.flow).source, signal);
    }

    #[inline(never)]
    fn on_request(&mut self, now: Time, packet: &Packet, request: Signal, host_context: &mut HostContext<'_, '_>) {
        let sink = host_context.context.routes.flow(packet.flow).sink;
        let end = &mut self.egresses[sink as usize];
        end.on_packet(now, packet, None, host_context);
        end.on_signal(now, request, &mut self.counted_calls[end.shared_count as usize].1, host_context);
        self.arm_egress(sink);
    }
}
