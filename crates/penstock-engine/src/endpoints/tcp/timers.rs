//! The timers of TCP endpoints: how they are armed, and what happens when they are due.

use crate::endpoints::host_context::HostContext;
use crate::endpoints::tcp::TcpEndpoints;
use crate::endpoints::timers::{Timer, TimerKind, Timers};
use penstock_model::units::Time;

impl TcpEndpoints {
    /// Handles `timer`, which belongs to one of these endpoints.
    #[inline(never)]
    pub fn on_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        match timer.kind {
            TimerKind::Start => {
                self.trace_timer(now, timer, timer.kind, host_context);
                self.senders[timer.slot as usize].sender.start(now);
                host_context.context.record.trace_window(now, self.place, timer.flow, self.window_of(timer.slot));
                self.pump_sender(now, timer.slot, timers, host_context);
            }
            TimerKind::Stop => {
                self.trace_timer(now, timer, timer.kind, host_context);
                let end = &mut self.senders[timer.slot as usize];
                end.sender.withdraw();
                end.application.iter_mut().for_each(|application| application.stop());
            }
            TimerKind::Page => self.on_page(now, timer, timers, host_context),
            TimerKind::Sender => self.on_sender_timer(now, timer, timers, host_context),
            TimerKind::Receiver => self.on_receiver_timer(now, timer, timers, host_context),
            TimerKind::Egress | TimerKind::Pacing | TimerKind::DelayedRetransmission => {
                unreachable!("of others, and a sender has one timer for all")
            }
            TimerKind::Roce | TimerKind::CustomSender | TimerKind::CustomReceiver => unreachable!("of others"),
        }
    }

    /// A web user requests a page.
    fn on_page(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        self.trace_timer(now, timer, timer.kind, host_context);
        let before = self.window_of(timer.slot);
        let end = &mut self.senders[timer.slot as usize];
        let segments = end.application.as_mut().map_or(0, |application| application.next_segments(now));
        if end.application.as_ref().is_some_and(|application| application.begins_anew()) {
            end.sender.renew_window();
        }
        end.sender.offer(Some(segments));
        // It begins again, or with less after it was idle.
        self.trace_window(now, timer.slot, before, host_context);
        self.pump_sender(now, timer.slot, timers, host_context);
    }

    /// A retransmission, delayed or not, or a paced transmission may be due.
    fn on_sender_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let counts = self.measured.is_open(now);
        let Some(end) = self.take_sender_timer(timer) else { return };
        if end.sender.deadline() <= now {
            let is_timeout = end.sender.is_timeout_due(now);
            end.sent.timeouts += u64::from(is_timeout && counts);
            let kind = match is_timeout {
                true => TimerKind::Sender,
                false if end.sender.is_retransmission_due(now) => TimerKind::DelayedRetransmission,
                false => TimerKind::Pacing,
            };
            self.trace_timer(now, timer, kind, host_context);
            let before = self.window_of(timer.slot);
            self.senders[timer.slot as usize].sender.on_deadline(now);
            self.trace_window(now, timer.slot, before, host_context);
        }
        self.pump_sender(now, timer.slot, timers, host_context);
    }

    /// A delayed acknowledgement may be due.
    fn on_receiver_timer(&mut self, now: Time, timer: &Timer, timers: &mut Timers, host_context: &mut HostContext<'_, '_>) {
        let Some(end) = self.take_receiver_timer(timer) else { return };
        if end.receiver.deadline() <= now {
            end.receiver.on_timeout(now);
            self.trace_timer(now, timer, timer.kind, host_context);
        }
        self.pump_receiver(now, timer.slot, timers, host_context);
    }

    /// Notifies the application when all its data has been acknowledged; a web user requests the next page later.
    pub(super) fn notify_if_finished(&mut self, now: Time, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        if let Some(application) = end.application.as_mut().filter(|_| end.sender.is_finished()) {
            if let Some(next) = application.on_finished(now, self.measured) {
                timers.arm(next, &mut { Time::NEVER }, end.template.flow.0, TimerKind::Page, slot);
            }
        }
    }

    pub(super) fn arm_sender(&mut self, slot: u32, timers: &mut Timers) {
        let end = &mut self.senders[slot as usize];
        timers.arm(end.sender.deadline(), &mut end.armed, end.template.flow.0, TimerKind::Sender, slot);
    }
}
