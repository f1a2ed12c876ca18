//! The ends of connections at a host: what all transports with acknowledgements have in common.

use crate::api::observations::{FlowCounters, Observations, SentCounts, TraceEvent, TraceSubject};
use crate::endpoints::application::Application;
use crate::endpoints::counts::Received;
use crate::endpoints::host_context::HostContext;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use crate::kernel::journal::Measurement;
use crate::port::waiting::Waiting;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::transport::connection::ConnectionSender;
use penstock_model::transport::custom::Expiry;
use penstock_model::transport::tcp::Transmission;
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

/// The sending end of a connection. All its events share one timer.
#[derive(Clone)]
pub(super) struct SenderEndpoint<S> {
    pub(super) sender: S,
    /// The time of its earliest timer entry.
    pub(super) armed: Time,
    pub(super) template: PacketTemplate,
    pub(super) sent: SentCounts,
    /// It is registered with its port, which has had no room yet.
    is_waiting: bool,
    /// The first time of `acts`, with the kind of its timer.
    next_act: (Time, TimerKind),
    /// When the application begins, falls silent, and offers its next page.
    acts: [Time; 3],
    /// The application that waits for its acknowledgements, if there is one.
    application: Option<Box<Application>>,
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

/// A sender with the kinds of its timer.
pub trait SenderTimers: ConnectionSender {
    /// For its own deadline, and for a beginning, a stop and a page of its application.
    const TIMERS: [TimerKind; 4];
}

impl<S: SenderTimers> SenderEndpoint<S> {
    fn set_acts(&mut self, acts: [Time; 3]) {
        self.acts = acts;
        let [_, begin, stop, page] = S::TIMERS;
        self.next_act = (acts[0], begin).min((acts[1], stop)).min((acts[2], page));
    }

    /// Has the application act, if one of its acts is due.
    #[cold]
    fn act(&mut self, now: Time, mut trace: impl FnMut(TimerKind)) {
        let [begins, stops, requests] = self.acts.map(|at| at <= now);
        if begins {
            self.sender.start(now);
            trace(TimerKind::Start);
        }
        if stops {
            self.sender.withdraw(now);
            self.application.iter_mut().for_each(|application| application.stop());
            trace(TimerKind::Stop);
        }
        if requests {
            let amount = self.application.as_mut().map_or(0, |application| application.next_segments(now));
            if self.application.as_ref().is_some_and(|application| application.begins_anew()) {
                self.sender.renew_window();
            }
            self.sender.offer(now, Some(amount));
            trace(TimerKind::Page);
        }
        self.set_acts(self.acts.map(|at| if at <= now { Time::NEVER } else { at }));
    }

    /// Notifies the application when all its data has arrived; a web user requests the next page later.
    #[inline]
    fn notify_if_finished(&mut self, now: Time, measured: Measurement) {
        let finished = self.application.as_mut().filter(|_| self.sender.is_finished());
        if let Some(page) = finished.and_then(|application| application.on_finished(now, measured)) {
            self.set_acts([self.acts[0], self.acts[1], page]);
        }
    }

    /// Arms the timer for whatever is due first.
    #[inline]
    fn arm(&mut self, slot: u32, timers: &mut Timers) {
        let deadline = if self.is_waiting { self.sender.deadline_while_waiting() } else { self.sender.deadline() };
        let (at, kind) = if deadline <= self.next_act.0 { (deadline, S::TIMERS[0]) } else { self.next_act };
        timers.arm(at, &mut self.armed, self.template.flow.0, kind, slot);
    }
}

impl<S: SenderTimers, R> Connections<S, R> {
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

    /// Adds a sender that begins at `start` and has nothing new to send after `stop`, and the application that waits for its
    /// acknowledgements, if there is one; returns its slot.
    pub fn add_sender(
        &mut self,
        template: PacketTemplate,
        sender: S,
        application: Option<Box<Application>>,
        (start, stop): (Time, Time),
        timers: &mut Timers,
    ) -> u32 {
        let slot = self.senders.len() as u32;
        let (armed, sent, next_act) = (Time::NEVER, SentCounts::default(), (Time::NEVER, S::TIMERS[0]));
        let acts = [start, if stop < self.measured.to { stop } else { Time::NEVER }, Time::NEVER];
        let mut end = SenderEndpoint { sender, armed, template, sent, is_waiting: false, next_act, acts, application };
        end.set_acts(acts);
        end.arm(slot, timers);
        self.senders.push(end);
        slot
    }

    /// Whether the sender of `flow` is in this slot.
    pub fn has_sender(&self, flow: FlowId, slot: u32) -> bool {
        self.senders.get(slot as usize).is_some_and(|end| end.template.flow == flow)
    }

    /// Gives the sender in this slot the changeable ones of these parameters from `now` on.
    pub fn change(&mut self, now: Time, slot: u32, parameters: &dyn Any) {
        self.senders[slot as usize].sender.change(now, parameters);
    }

    /// Adds a receiver; returns its slot.
    pub fn add_receiver(&mut self, template: PacketTemplate, receiver: R, received: Received) -> u32 {
        self.receivers.push(ReceiverEndpoint { receiver, armed: Time::NEVER, template, received, goodput: 0 });
        self.receivers.len() as u32 - 1
    }

    /// The receiver of an entry of its timer; `None` if the entry is stale.
    pub(super) fn take_receiver_timer(&mut self, timer: &Timer) -> Option<&mut ReceiverEndpoint<R>> {
        let end = self.receivers.get_mut(timer.slot as usize).filter(|end| end.armed == timer.at)?;
        end.armed = Time::NEVER;
        Some(end)
    }

    /// Traces that the timer of a receiver has expired.
    pub(super) fn trace_receiver_timer(&self, now: Time, timer: &Timer, host_context: &mut HostContext<'_, '_>) {
        host_context.context.record.trace_timer(now, self.place, timer.flow, TimerKind::Receiver);
    }

    /// Does everything that is due at a sender, unless the timer's entry is stale.
    #[inline(never)]
    pub fn on_sender_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let (place, slot, counts) = (self.place, timer.slot, self.measured.is_open(now));
        let window = self.window(slot, host_context);
        let Some(end) = self.senders.get_mut(slot as usize).filter(|end| end.armed == timer.at) else { return };
        end.armed = Time::NEVER;
        let mut trace = |kind| host_context.context.record.trace_timer(now, place, timer.flow, kind);
        if let Some(reason) = end.sender.on_deadline(now) {
            end.sent.timeouts += u64::from(counts && reason == Expiry::Timeout);
            trace(match reason {
                Expiry::Timeout => TimerKind::Sender,
                Expiry::Retransmission => TimerKind::DelayedRetransmission,
                Expiry::Pacing => TimerKind::Pacing,
            });
        }
        // The window with which a connection begins is traced even if it is that of one that has not begun.
        let begins = end.acts[0] <= now;
        if end.next_act.0 <= now {
            end.act(now, trace);
        }
        self.trace_window(now, slot, window.filter(|_| !begins), host_context);
        self.respond(now, slot, timers, host_context);
    }

    /// Sends what the sender wants to send now, notifies the application if all has arrived, and arms the timer.
    #[inline(always)]
    pub(super) fn respond(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        self.pump_sender(now, slot, host_context);
        let end = &mut self.senders[slot as usize];
        end.notify_if_finished(now, self.measured);
        end.arm(slot, timers);
    }

    /// The port has room for one packet of a sender that waits.
    pub fn on_room(&mut self, now: Time, slot: u32, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        self.senders[slot as usize].is_waiting = false;
        let window = self.window(slot, host_context);
        let has_sent = self.send_one(now, slot, host_context);
        self.trace_window(now, slot, window, host_context);
        // One that has nothing to send after all is asked again when it may.
        if has_sent {
            self.pump_sender(now, slot, host_context);
        }
        self.senders[slot as usize].arm(slot, timers);
    }

    /// Sends whatever the sender wants to send now, or registers it with its port.
    fn pump_sender(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) {
        // Sending may change the window too.
        let window = self.window(slot, host_context);
        let SenderEndpoint { sender, template, is_waiting, .. } = &mut self.senders[slot as usize];
        if !template.waits {
            while self.send_one(now, slot, host_context) {}
        } else if !*is_waiting && sender.is_ready(now) {
            *is_waiting = true;
            host_context.wait(template, sender.packet_size(), Waiting::Sender(S::TIMERS[0], slot));
        }
        self.trace_window(now, slot, window, host_context);
    }

    /// Sends a packet, if the sender wants to send one now.
    #[inline]
    fn send_one(&mut self, now: Time, slot: u32, host_context: &mut HostContext<'_, '_>) -> bool {
        let end = &mut self.senders[slot as usize];
        let Some(Transmission { body, size, ecn }) = end.sender.next_transmission(now) else { return false };
        let packet = Packet { ecn, ..end.template.packet(now, size, body) };
        if self.measured.is_open(now) && body.is_data() {
            end.sent.count(&packet);
        }
        host_context.context.record.trace(now, self.place, &packet, TraceEvent::Send);
        host_context.send(now, end.template.departure.port, &packet);
        true
    }

    /// The window of a sender, if it has one and there is a trace.
    #[inline]
    pub(super) fn window(&self, slot: u32, host_context: &HostContext<'_, '_>) -> Option<(f64, f64)> {
        if host_context.context.record.is_untraced() {
            return None;
        }
        self.senders.get(slot as usize)?.sender.window()
    }

    /// Traces the window of a sender if it is not what it was `before`.
    #[inline]
    pub(super) fn trace_window(&self, now: Time, slot: u32, before: Option<(f64, f64)>, host_context: &mut HostContext<'_, '_>) {
        if let Some(window) = self.window(slot, host_context).filter(|window| before != Some(*window)) {
            let (flow, (window, threshold)) = (self.senders[slot as usize].template.flow.0, window);
            let subject = TraceSubject::Window { flow, window, threshold };
            host_context.context.record.trace_flow(now, self.place, TraceEvent::Window, subject);
        }
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
            counters.sent = self.senders[slot as usize].sent;
        }
    }

    /// Writes the counts into the flows' rows.
    pub fn report(self, seen: &mut Observations) {
        for end in self.senders {
            seen.flows[end.template.flow.index()].sent = end.sent;
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
