//! Queue disciplines.

use crate::declaration::Component;
use crate::hook::Hook;
use crate::kind::Kind;
use crate::parameters::{erased, Values};
use crate::record::Record;
use crate::views::{count, ps, views, Nothing, Packet as PacketView, View};
use penstock_model::discipline::{DepartureVerdict, Discipline, Disciplines, DropCause, Hooks, Leave, Occupancy, PortContext, Verdict};
use penstock_model::packet::{Ecn, Packet};
use penstock_model::parameters::{own, Limit};
use penstock_model::probe::{Probe, ReportVariable};
use penstock_model::registry::Plugin;
use penstock_model::units::{Duration, Rate, Time};
use std::any::Any;
use std::sync::Arc;

/// Answers of hooks: the packet is accepted, or sent,
const ACCEPT: i64 = 1;
/// it is marked besides,
const MARK: i64 = 2;
/// it is dropped.
const DROP_OVERFLOW: i64 = 3;
const DROP_EARLY: i64 = 4;
const DROP_FORCED: i64 = 5;

/// Queue disciplines: a packet, and the queue at a port.
pub(crate) const KIND: Kind = Kind { name: "discipline", views: &[Queue::LAYOUT], add };

views! {
    /// The queue of a discipline, without the packet.
    Queue {
        /// Packets that wait.
        packets: i64,
        /// Bytes that wait.
        bytes: i64,
        /// 1 if the arriving packet fits into `limit`.
        has_room: i64,
        /// Time since which the queue has been empty, with none of its packets in service (ps); never while it is busy.
        idle_since: i64,
        /// Arrival time of the head (ps); never if nothing waits.
        head_since: i64,
        /// Rate of the link at the beginning (bit/s).
        rate: i64,
        /// Packets that wait of each drop precedence.
        of_precedence: [i64; 4],
    }
}

/// Adds the discipline that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    let reading = Arc::clone(&component);
    plugin.add_read::<Disciplines, Values>(
        component.entry(),
        move |reader| reading.parameters.read(reader),
        erased,
        move |values, port| Ok(Box::new(ForeignDiscipline::new(&component, values, port)?)),
    )
}

/// A discipline whose hooks are C functions.
#[derive(Clone)]
struct ForeignDiscipline {
    record: Record,
    limit: Option<Limit>,
    rate: Rate,
    on_arrival: Hook,
    on_departure: Option<Hook>,
    on_leave: Option<Hook>,
    on_timer: Option<Hook>,
    /// Position of the time of the next timer in the state.
    deadline: usize,
    hooks: Hooks,
    /// Whether any hook has the packet as an argument, and whether any reads the numbers of packets by precedence.
    sees_packets: bool,
    sees_precedences: bool,
}

impl ForeignDiscipline {
    fn new(component: &Arc<Component>, values: &Values, port: &PortContext) -> Result<ForeignDiscipline, String> {
        let hook = |name: &str| component.hooks.get(name).copied();
        let on_arrival = hook("on_arrival").ok_or("has no method on_arrival")?;
        let (on_departure, on_leave, on_timer) = (hook("on_departure"), hook("on_leave"), hook("on_timer"));
        let deadline = component.state_position("next_timer");
        if on_timer.is_some() && deadline.is_none() {
            return Err("has on_timer and no state next_timer, the time of its next call".to_owned());
        }
        let declared = [
            (on_departure.is_some(), Hooks::DEPARTURE),
            (on_leave.is_some(), Hooks::LEAVE),
            (on_timer.is_some(), Hooks::TIMER),
            (component.has("marks"), Hooks::MARK),
            (component.has("head-age"), Hooks::HEAD_AGE),
        ];
        let hooks = declared.iter().filter(|(is_used, _)| *is_used).fold(Hooks::ARRIVAL, |all, (_, hook)| all.and(*hook));
        let (record, deadline) = (Record::new(component, values, &port.site), deadline.unwrap_or(0));
        let mut it = ForeignDiscipline {
            record,
            limit: values.limit,
            rate: port.site.rate,
            on_arrival,
            on_departure,
            on_leave,
            on_timer,
            deadline,
            hooks,
            sees_packets: component.has("packets"),
            sees_precedences: component.has("precedences"),
        };
        if let Some(on_start) = hook("on_start") {
            let mut queue = it.view(&Occupancy::default(), None);
            it.record.call("on_start", on_start, (&mut Nothing {}, &mut queue), [0, 0]);
        }
        Ok(it)
    }

    #[inline]
    fn view(&self, queue: &Occupancy, arriving: Option<&Packet>) -> Queue {
        let has_room = match (self.limit, arriving) {
            (Some(limit), Some(packet)) => queue.has_room(packet, limit),
            _ => true,
        };
        Queue {
            packets: count(&queue.packets),
            bytes: queue.bytes as i64,
            has_room: i64::from(has_room),
            idle_since: queue.idle_since.map_or(i64::MAX, ps),
            head_since: queue.head_since.map_or(i64::MAX, ps),
            rate: self.rate.as_bps() as i64,
            of_precedence: if self.sees_precedences { queue.of_precedence.each_ref().map(count) } else { [0; 4] },
        }
    }

    /// Calls a hook about a packet, which it gets if any hook does.
    #[inline]
    fn call(&mut self, name: &'static str, hook: Hook, packet: &Packet, view: &mut impl View, arguments: [i64; 2]) -> i64 {
        if self.sees_packets {
            self.record.call_about(Some(packet), name, hook, (&mut PacketView::of(packet), view), arguments)
        } else {
            self.record.call_about(Some(packet), name, hook, (&mut Nothing {}, view), arguments)
        }
    }

    #[cold]
    fn refuse(&self, hook: &'static str, answer: i64, packet: &Packet, queue: &Queue, arguments: [i64; 2]) -> ! {
        let what = match answer {
            MARK if packet.ecn == Ecn::NotEct => "marks a packet that is not ECN-capable; look at packet.is_capable".to_owned(),
            MARK => "marks, which it does not declare".to_owned(),
            other => format!("{other} is not a verdict"),
        };
        self.record.fail(Some(packet), hook, what, (&PacketView::of(packet), queue), arguments)
    }
}

impl Probe for ForeignDiscipline {
    fn probe(&self, _now: Time, report: &mut ReportVariable<'_>) {
        self.record.probe(report);
    }
}

impl Discipline for ForeignDiscipline {
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let (mut queue, arguments) = (self.view(queue, Some(packet)), [ps(now), 0]);
        match self.call("on_arrival", self.on_arrival, packet, &mut queue, arguments) {
            ACCEPT => Verdict::Accept,
            MARK if packet.ecn != Ecn::NotEct && self.hooks.has(Hooks::MARK) => Verdict::Mark,
            DROP_OVERFLOW => Verdict::Drop(DropCause::Overflow),
            DROP_EARLY => Verdict::Drop(DropCause::Early),
            DROP_FORCED => Verdict::Drop(DropCause::Forced),
            answer => self.refuse("on_arrival", answer, packet, &queue, arguments),
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.limit
    }

    fn hooks(&self) -> Hooks {
        self.hooks
    }

    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: &Occupancy) -> DepartureVerdict {
        let Some(hook) = self.on_departure else { return DepartureVerdict::Send };
        let (mut queue, arguments) = (self.view(queue, None), [ps(now), waited.as_ps() as i64]);
        match self.call("on_departure", hook, packet, &mut queue, arguments) {
            ACCEPT => DepartureVerdict::Send,
            MARK if packet.ecn != Ecn::NotEct && self.hooks.has(Hooks::MARK) => DepartureVerdict::Mark,
            DROP_OVERFLOW => DepartureVerdict::Drop(DropCause::Overflow),
            DROP_EARLY => DepartureVerdict::Drop(DropCause::Early),
            DROP_FORCED => DepartureVerdict::Drop(DropCause::Forced),
            answer => self.refuse("on_departure", answer, packet, &queue, arguments),
        }
    }

    fn on_leave(&mut self, now: Time, packet: &Packet, why: Leave) {
        let Some(hook) = self.on_leave else { return };
        let why = match why {
            Leave::Sent => 1,
            Leave::Dropped(_) => 2,
            Leave::Evicted(_) => 3,
        };
        self.call("on_leave", hook, packet, &mut Nothing {}, [ps(now), why]);
    }

    fn next_deadline(&self) -> Time {
        match self.record.state(self.deadline) {
            i64::MAX => Time::NEVER,
            time => Time::from_ps(u64::try_from(time).unwrap_or(0)),
        }
    }

    fn on_timer(&mut self, now: Time, queue: &Occupancy) {
        let Some(hook) = self.on_timer else { return };
        let (mut queue, arguments) = (self.view(queue, None), [ps(now), 0]);
        self.record.call("on_timer", hook, (&mut Nothing {}, &mut queue), arguments);
        if self.record.state(self.deadline) <= arguments[0] {
            let what = "next_timer is not later than the timer".to_owned();
            self.record.fail(None, "on_timer", what, (&Nothing {}, &queue), arguments);
        }
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.record.change(own(parameters));
    }
}
