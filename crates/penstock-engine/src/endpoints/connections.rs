//! The ends of connections at a host: what all transports with acknowledgements have in common.

use crate::api::observations::{FlowCounters, Observations, TraceEvent};
use crate::endpoints::application::Application;
use crate::endpoints::counts::{Received, Sent};
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::journal::Measurement;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::units::Time;
use std::any::Any;

/// Senders and receivers of one kind of transport, each in its slot.
#[derive(Clone)]
pub struct Connections<S, R> {
    /// The place of the node in traces.
    pub(super) place: u32,
    pub(super) measured: Measurement,
    pub(super) senders: Vec<SenderEndpoint<S>>,
    pub(super) receivers: Vec<ReceiverEndpoint<R>>,
}

/// The sending end of a connection.
#[derive(Clone)]
pub(super) struct SenderEndpoint<S> {
    pub(super) sender: S,
    /// The time of its earliest timer entry.
    pub(super) armed: Time,
    pub(super) template: PacketTemplate,
    pub(super) sent: Sent,
    /// The application that waits for its acknowledgements, if there is one.
    pub(super) application: Option<Box<Application>>,
    /// It is registered with its port, which has had no room yet.
    pub(super) is_waiting: bool,
}

/// The receiving end of a connection.
#[derive(Clone)]
pub(super) struct ReceiverEndpoint<R> {
    pub(super) receiver: R,
    pub(super) armed: Time,
    pub(super) template: PacketTemplate,
    pub(super) received: Received,
    /// Bytes that the application has got in the measurement period.
    pub(super) goodput: u64,
}

/// A sender all of whose events share one timer, and when its application acts on it.
#[derive(Clone)]
pub struct Scheduled<S> {
    /// The state machine.
    pub state: S,
    /// When sending begins.
    start: Time,
    /// When the application falls silent.
    stop: Time,
    /// When it offers its next page.
    page: Time,
}

/// A sending state machine. Its endpoint keeps the times of its application, and calls it at them.
pub trait ScheduledSender {
    /// The kind of its timer.
    const TIMER: TimerKind;

    /// When it has something to do on its own; if it is waiting for its port, other than sending.
    fn deadline(&self, is_waiting: bool) -> Time;

    /// Handles its own deadline; returns what that was, or `None` if it is not due.
    fn on_deadline(&mut self, now: Time) -> Option<TimerKind>;

    /// Begins to send.
    fn begin(&mut self, now: Time);

    /// The application falls silent, perhaps before sending has begun.
    fn stop(&mut self, now: Time);

    /// The application offers data, in its unit.
    fn offer(&mut self, now: Time, amount: u32);

    /// Whether all data has arrived.
    fn is_finished(&self) -> bool;

    /// Takes over the changeable ones of these parameters.
    fn change(&mut self, now: Time, parameters: &dyn Any);
}

impl<S, R> Connections<S, R> {
    /// Both ends of a connection, but what they keep themselves.
    pub const BYTES_OF_A_FLOW: usize = size_of::<SenderEndpoint<S>>() + size_of::<ReceiverEndpoint<R>>();

    /// None yet.
    pub fn new(place: u32, measured: Measurement) -> Connections<S, R> {
        Connections { place, measured, senders: Vec::new(), receivers: Vec::new() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.senders.is_empty() && self.receivers.is_empty()
    }

    /// Gives back what has been reserved for more.
    pub fn shrink_to_fit(&mut self) {
        self.senders.shrink_to_fit();
        self.receivers.shrink_to_fit();
    }

    /// Adds a sender whose timer is not armed; returns its slot.
    pub(super) fn push_sender(&mut self, template: PacketTemplate, sender: S, application: Option<Box<Application>>) -> u32 {
        let (armed, sent) = (Time::NEVER, Sent::default());
        self.senders.push(SenderEndpoint { sender, armed, template, sent, application, is_waiting: false });
        self.senders.len() as u32 - 1
    }

    /// Whether the sender of `flow` is in this slot.
    pub fn has_sender(&self, flow: FlowId, slot: u32) -> bool {
        self.senders.get(slot as usize).is_some_and(|end| end.template.flow == flow)
    }

    /// Adds a receiver; returns its slot.
    pub fn add_receiver(&mut self, template: PacketTemplate, receiver: R, received: Received) -> u32 {
        self.receivers.push(ReceiverEndpoint { receiver, armed: Time::NEVER, template, received, goodput: 0 });
        self.receivers.len() as u32 - 1
    }

    /// The sender of an entry of its timer; `None` if the entry is stale.
    pub(super) fn take_sender_timer(&mut self, timer: &Timer) -> Option<&mut SenderEndpoint<S>> {
        let end = self.senders.get_mut(timer.slot as usize).filter(|end| end.armed == timer.at)?;
        end.armed = Time::NEVER;
        Some(end)
    }

    /// The receiver of an entry of its timer; `None` if the entry is stale.
    pub(super) fn take_receiver_timer(&mut self, timer: &Timer) -> Option<&mut ReceiverEndpoint<R>> {
        let end = self.receivers.get_mut(timer.slot as usize).filter(|end| end.armed == timer.at)?;
        end.armed = Time::NEVER;
        Some(end)
    }

    /// Traces that a timer has expired.
    pub(super) fn trace_timer(&self, now: Time, timer: &Timer, kind: TimerKind, host_context: &mut HostContext<'_, '_>) {
        host_context.context.record.trace_timer(now, self.place, timer.flow, kind);
    }

    /// Sends a packet of the sender in a slot.
    #[inline]
    pub(super) fn send(&self, now: Time, slot: u32, packet: &Packet, host_context: &mut HostContext<'_, '_>) {
        host_context.context.record.trace(now, self.place, packet, TraceEvent::Send);
        host_context.send(now, self.senders[slot as usize].template.departure.port, packet);
    }

    /// The sender in a slot.
    pub fn sender(&self, slot: u32) -> &S {
        &self.senders[slot as usize].sender
    }

    /// Writes what an end in a slot has counted, the receiver or the sender, into its flow's row.
    pub fn write_counts(&self, slot: u32, receives: bool, counters: &mut FlowCounters) {
        if receives {
            let end = &self.receivers[slot as usize];
            end.received.write(counters);
            counters.goodput_bytes = end.goodput;
        } else {
            self.senders[slot as usize].sent.write(counters);
        }
    }

    /// Writes the counts into the flows' rows.
    pub fn report(self, seen: &mut Observations) {
        for end in self.senders {
            end.sent.write(&mut seen.flows[end.template.flow.index()]);
            if let Some(application) = end.application {
                application.report(end.template.flow, seen);
            }
        }
        for end in self.receivers {
            end.received.report(seen);
            seen.flows[end.template.flow.index()].goodput_bytes = end.goodput;
        }
    }
}

impl<S: ScheduledSender, R> Connections<Scheduled<S>, R> {
    /// Gives the sender in this slot the changeable ones of these parameters from `now` on.
    pub fn change(&mut self, now: Time, slot: u32, parameters: &dyn Any) {
        self.senders[slot as usize].sender.state.change(now, parameters);
    }

    /// Adds a sender that begins at `start` and has nothing new to send after `stop`, and the application that waits for its
    /// acknowledgements, if there is one; returns its slot.
    pub fn add_sender(
        &mut self,
        template: PacketTemplate,
        state: S,
        application: Option<Box<Application>>,
        (start, stop): (Time, Time),
        timers: &mut Timers,
    ) -> u32 {
        let stop = if stop < self.measured.to { stop } else { Time::NEVER };
        let slot = self.push_sender(template, Scheduled { state, start, stop, page: Time::NEVER }, application);
        self.arm_sender(slot, timers);
        slot
    }

    /// Arms the timer of a sender for whatever is due first.
    pub(super) fn arm_sender(&mut self, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        let Scheduled { state, start, stop, page } = &end.sender;
        let deadline = state.deadline(end.is_waiting).min(*start).min(*stop).min(*page);
        timers.arm(deadline, &mut end.armed, end.template.flow.0, S::TIMER, slot);
    }

    /// Does everything that is due at a sender but sending; returns whether the timer's entry is not stale.
    pub(super) fn on_sender_timer(&mut self, now: Time, timer: &Timer, host_context: &mut HostContext<'_, '_>) -> bool {
        let counts = self.measured.is_open(now);
        let Some(SenderEndpoint { sender: Scheduled { state, start, stop, page }, sent, application, .. }) = self.take_sender_timer(timer)
        else {
            return false;
        };
        let take_due = |time: &mut Time| {
            let is_due = *time <= now;
            *time = if is_due { Time::NEVER } else { *time };
            is_due
        };
        let mut kinds: Vec<TimerKind> = state.on_deadline(now).into_iter().collect();
        sent.timeouts += u64::from(counts && kinds == [TimerKind::Sender]);
        if take_due(start) {
            state.begin(now);
            kinds.push(TimerKind::Start);
        }
        if take_due(stop) {
            state.stop(now);
            application.iter_mut().for_each(|application| application.stop());
            kinds.push(TimerKind::Stop);
        }
        if take_due(page) {
            state.offer(now, application.as_mut().map_or(0, |application| application.next_segments(now)));
            kinds.push(TimerKind::Page);
        }
        kinds.into_iter().for_each(|kind| self.trace_timer(now, timer, kind, host_context));
        true
    }

    /// Notifies the application when all its data has arrived; a web user requests the next page later.
    pub(super) fn notify_if_finished(&mut self, now: Time, slot: u32) {
        let SenderEndpoint { sender: Scheduled { state, page, .. }, application, .. } = &mut self.senders[slot as usize];
        let finished = application.as_mut().filter(|_| state.is_finished());
        *page = finished.and_then(|application| application.on_finished(now, self.measured)).unwrap_or(*page);
    }
}
