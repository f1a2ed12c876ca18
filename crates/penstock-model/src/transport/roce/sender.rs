//! The sending end.

use super::Parameters;
use crate::packet::{Body, Echo, Ecn};
use crate::parameters::own;
use crate::site::Site;
use crate::transport::connection::ConnectionSender;
use crate::transport::custom::Expiry;
use crate::transport::rate_control::{AnyRateControl, HopRecord, RateAck, RateContext, RateControl};
use crate::transport::tcp::Transmission;
use crate::units::{Bytes, Time};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sender of a connection.
#[derive(Clone)]
pub struct Sender {
    parameters: Arc<Parameters>,
    control: AnyRateControl,
    /// ECN codepoint of data packets.
    ecn: Ecn,
    /// Packets per acknowledgement.
    ack_every: u32,
    is_started: bool,
    /// Number of packets to send; `u32::MAX` without an end.
    offered: u32,
    /// Next packet to send, the one after the last ever sent, and the first unacknowledged one.
    next: u32,
    sent: u32,
    acknowledged: u32,
    /// Earliest time of the next packet.
    next_send: Time,
    /// Time at which the sender goes back to the first unacknowledged packet for lack of progress.
    timeout: Time,
    /// Telemetry of unacknowledged packets, by sending time and hop.
    telemetry: BTreeMap<(Time, u32), HopRecord>,
}

impl Sender {
    /// A sender at this end of a flow, without data.
    pub fn new(parameters: &Arc<Parameters>, site: &Site) -> Sender {
        let packet = parameters.packet.get() as u32; // at most MAX_PACKET
        let context = RateContext { site: site.child("rate-control"), packet };
        Sender::controlled_by(AnyRateControl::new(&parameters.rate_control, &context), parameters)
    }

    /// A sender with this rate control instead of the one in the parameters.
    pub fn controlled_by(control: AnyRateControl, parameters: &Arc<Parameters>) -> Sender {
        let feedback = control.feedback();
        Sender {
            parameters: Arc::clone(parameters),
            control,
            ecn: if feedback.notification_interval.is_some() { Ecn::Ect0 } else { Ecn::NotEct },
            ack_every: feedback.ack_every.unwrap_or(parameters.ack_every.0).min(parameters.max_outstanding.0),
            is_started: false,
            offered: 0,
            next: 0,
            sent: 0,
            acknowledged: 0,
            next_send: Time::ZERO,
            timeout: Time::NEVER,
            telemetry: BTreeMap::new(),
        }
    }

    /// Handles an acknowledgement of everything before `next`. With `is_nak`, the receiver misses packet `next`.
    pub fn on_ack(&mut self, now: Time, next: u32, is_nak: bool, echo: Echo) {
        self.acknowledge(now, next);
        if is_nak {
            self.next = self.next.min(self.acknowledged.max(next));
        }
        if let Some(sent) = echo.time() {
            let telemetry = &self.take_telemetry(sent);
            self.control.on_ack(&RateAck { now, rtt: now.since(sent), next, next_to_send: self.next, telemetry });
        }
    }

    /// Stores the record of a hop for the packet sent at `sent`. It arrives before the acknowledgement of that packet.
    pub fn on_telemetry(&mut self, sent: Time, record: HopRecord) {
        self.telemetry.insert((sent, record.hop), record);
    }

    /// Removes the records of the packet sent at `sent`, by hop, and returns them. Records of earlier packets are removed too: these
    /// packets or their acknowledgements are lost.
    fn take_telemetry(&mut self, sent: Time) -> Vec<HopRecord> {
        let later = self.telemetry.split_off(&(sent, u32::MAX));
        let taken = std::mem::replace(&mut self.telemetry, later);
        taken.range((sent, 0)..).map(|(_, record)| *record).collect()
    }

    fn acknowledge(&mut self, now: Time, next: u32) {
        if next <= self.acknowledged {
            return;
        }
        self.acknowledged = next;
        self.next = self.next.max(next);
        self.timeout = if self.sent > next { now + self.parameters.timeout } else { Time::NEVER };
        if self.is_finished() {
            self.control.on_message_complete(now);
        }
    }

    /// Handles a notification that the receiver got marked packets.
    pub fn on_notification(&mut self, now: Time) {
        self.control.on_notification(now);
    }

    /// Whether a packet leaves as soon as the rate permits it.
    fn has_next(&self) -> bool {
        let outstanding = self.next - self.acknowledged;
        self.is_started && self.next < self.offered && outstanding < self.parameters.max_outstanding.0 && self.has_room(outstanding)
    }

    /// Whether the window of the rate control has room for a packet in addition to `outstanding` packets.
    fn has_room(&self, outstanding: u32) -> bool {
        let room = |window: Bytes| u64::from(outstanding) * self.parameters.packet.get() < window.get();
        outstanding == 0 || self.control.window().is_none_or(room)
    }

    /// Whether the timer has expired by `now`.
    pub fn is_timeout_due(&self, now: Time) -> bool {
        self.timeout <= now
    }

    /// The rate control.
    pub fn rate_control(&self) -> &AnyRateControl {
        &self.control
    }

    /// Name of the rate control.
    pub fn rate_control_name(&self) -> &'static str {
        self.parameters.rate_control.name()
    }
}

impl ConnectionSender for Sender {
    /// Time at which a packet may leave or the timer expires.
    fn deadline(&self) -> Time {
        if self.has_next() {
            self.timeout.min(self.next_send)
        } else {
            self.timeout
        }
    }

    /// Time at which the timer expires.
    fn deadline_while_waiting(&self) -> Time {
        self.timeout
    }

    /// Goes back to the first unacknowledged packet if the timer has expired by `now`.
    fn on_deadline(&mut self, now: Time) -> Option<Expiry> {
        self.is_timeout_due(now).then(|| {
            self.next = self.acknowledged;
            self.timeout = now + self.parameters.timeout;
            Expiry::Timeout
        })
    }

    /// Starts the connection.
    fn start(&mut self, _now: Time) {
        self.is_started = true;
    }

    /// Stops sending packets that were never sent.
    fn withdraw(&mut self, _now: Time) {
        self.offered = self.sent;
    }

    /// Offers a message of `packets` packets; `None` means an endless one.
    fn offer(&mut self, _now: Time, packets: Option<u32>) {
        self.offered = packets.map_or(u32::MAX, |packets| self.offered.saturating_add(packets));
    }

    fn is_finished(&self) -> bool {
        self.acknowledged == self.offered
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        if let Some(parameters) = own::<Parameters>(parameters).rate_control.changeable() {
            self.control.change(now, parameters);
        }
    }

    /// Whether the window and the rate permit a packet at `now`.
    fn is_ready(&mut self, now: Time) -> bool {
        self.has_next() && self.next_send <= now
    }

    fn packet_size(&self) -> u32 {
        self.parameters.packet.get() as u32 // at most MAX_PACKET
    }

    fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        if !self.is_ready(now) {
            return None;
        }
        let psn = self.next;
        self.next += 1;
        let size = self.packet_size();
        self.next_send = now + self.control.rate(now).transmission_time(Bytes::new(u64::from(size)));
        self.control.on_sent(now, size);
        if self.timeout == Time::NEVER {
            self.timeout = now + self.parameters.timeout;
        }
        let retransmission = psn < self.sent;
        self.sent = self.sent.max(self.next);
        let asks_for_ack = self.next.is_multiple_of(self.ack_every) || self.next == self.offered;
        Some(Transmission { body: Body::RoceData { psn, asks_for_ack, retransmission }, size, ecn: self.ecn })
    }
}

crate::state! {
    impl Sender, |it, _now| {
        /// Packets sent and not acknowledged; after going back, those sent again.
        "flight", "packets", is f64::from(it.next - it.acknowledged);
    }
}
