//! Timers of the endpoints at a host.

use crate::endpoints::host_context::HostContext;
use crate::endpoints::timers::TimerKind;
use crate::node::host::Host;
use penstock_model::units::Time;

impl Host {
    /// Handles the first timer, which is due at `now`.
    pub(super) fn on_timer(&mut self, now: Time, host_context: &mut HostContext<'_, '_>) {
        let Some(timer) = self.timers.pop() else { return };
        if timer.kind == TimerKind::Roce {
            return self.roce.on_timer(now, &timer, &mut self.timers, host_context);
        }
        if matches!(timer.kind, TimerKind::CustomSender | TimerKind::CustomReceiver) {
            return self.custom.on_timer(now, &timer, &mut self.timers, host_context);
        }
        if timer.kind != TimerKind::Egress {
            return self.connections.on_timer(now, &timer, &mut self.timers, host_context);
        }
        let end = &mut self.egresses[timer.slot as usize];
        if end.armed != timer.at {
            return;
        }
        end.armed = Time::NEVER;
        if end.deadline() <= now {
            host_context.context.record.trace_timer(now, self.place, timer.flow, timer.kind);
            end.on_timer(now, host_context);
        }
        self.arm_egress(timer.slot);
    }

    /// Arms the timer of an egress again.
    #[inline]
    pub(super) fn arm_egress(&mut self, slot: u32) {
        let end = &mut self.egresses[slot as usize];
        self.timers.arm(end.deadline(), &mut end.armed, end.flow.0, TimerKind::Egress, slot);
    }
}
