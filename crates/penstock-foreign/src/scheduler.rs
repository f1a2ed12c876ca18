//! Schedulers over classes.

use crate::declaration::{Component, MOST_CLASSES};
use crate::hook::Hook;
use crate::kind::Kind;
use crate::parameters::{erased, Values};
use crate::record::Record;
use crate::views::{ps, views, View};
use penstock_model::parameters::{own, Declaration, Entry};
use penstock_model::probe::{Probe, ReportVariable};
use penstock_model::registry::Plugin;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{ClassContext, QueueState, Scheduler, SchedulerFacts, Schedulers, Turn};
use penstock_model::units::{Rate, Time};
use std::any::Any;
use std::sync::Arc;

/// The answer that no queue may send before the time in the state [`NOT_BEFORE`].
const WAIT: i64 = -1;
const NOT_BEFORE: &str = "not_before";

/// Schedulers: the queues of the classes, and one of them.
pub(crate) const KIND: Kind = Kind { name: "scheduler", views: &[Subject::LAYOUT, Queues::LAYOUT], add };

views! {
    /// The subject of a call.
    Subject {
        /// A queue, by its position.
        queue: i64,
        /// Bytes of its packet.
        size: i64,
    }
    /// The queues, one for each class; lists have further entries, which are 0.
    Queues {
        /// Number of queues.
        count: i64,
        /// Bits per second of the link at the beginning.
        rate: i64,
        /// Packets that wait.
        packets: [i64; MOST_CLASSES],
        /// Bytes that wait.
        bytes: [i64; MOST_CLASSES],
        /// Bytes of the packet at the head; 0 if none.
        head: [i64; MOST_CLASSES],
    }
}

/// Adds the scheduler that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    let (reading, of_class) = (Arc::clone(&component), Arc::clone(&component));
    let class = Declaration::read_by("A class of the scheduler.", component.class_parameters.fields, move |reader| {
        of_class.class_parameters.read(reader).map(erased)
    });
    plugin.add_read::<Schedulers, Values>(
        Entry { class: Some(class), ..component.entry() },
        move |reader| reading.parameters.read(reader),
        erased,
        move |values, context| {
            let scheduler = ForeignScheduler::new(&component, values, context)?;
            Ok((SchedulerFacts::default(), Box::new(scheduler)))
        },
    )
}

/// A scheduler whose hooks are C functions.
#[derive(Clone)]
struct ForeignScheduler {
    component: Arc<Component>,
    record: Record,
    /// The rate of the link at the beginning.
    rate: Rate,
    next_queue: Hook,
    on_backlog: Option<Hook>,
    on_sent: Option<Hook>,
    on_drop: Option<Hook>,
    on_head_change: Option<Hook>,
    not_before: Option<usize>,
    reads_heads: bool,
}

impl Queues {
    /// The queues, as hooks see them.
    #[inline]
    fn of(queues: &[QueueState], rate: Rate) -> Queues {
        let mut view = Queues { count: queues.len() as i64, rate: rate.as_bps() as i64, ..Queues::default() };
        for (i, queue) in queues.iter().enumerate() {
            view.packets[i] = i64::from(queue.packets);
            view.bytes[i] = queue.bytes as i64;
            view.head[i] = i64::from(queue.head);
        }
        view
    }
}

/// The parameters of the scheduler, then for each parameter of classes a list over the classes.
fn with_classes(component: &Component, values: &Values, classes: &[ClassPlan]) -> Values {
    let of_classes: Vec<Option<&Values>> = classes.iter().map(ClassPlan::parameters).collect();
    let mut all = values.clone();
    for parameter in 0..component.class_parameters.fields.len() {
        let word = |class: usize| of_classes.get(class).copied().flatten().map_or(0, |values| values.words[parameter]);
        all.words.extend((0..MOST_CLASSES).map(word));
    }
    all
}

impl ForeignScheduler {
    fn new(component: &Arc<Component>, values: &Values, context: &ClassContext<'_>) -> Result<ForeignScheduler, String> {
        let hook = |name: &str| component.hooks.get(name).copied();
        let classes = context.classes.len();
        if classes > MOST_CLASSES {
            return Err(format!("has {classes} classes; a scheduler of a file has at most {MOST_CLASSES}"));
        }
        let mut record = Record::new(component, &with_classes(component, values, context.classes), &context.site);
        if let Some(on_start) = hook("on_start") {
            let mut queues = Queues { count: classes as i64, rate: context.site.rate.as_bps() as i64, ..Queues::default() };
            record.call("on_start", on_start, (&mut Subject::default(), &mut queues), [0, 0]);
        }
        let next_queue = hook("next_queue").ok_or("has no method next_queue")?;
        Ok(ForeignScheduler {
            component: Arc::clone(component),
            record,
            rate: context.site.rate,
            next_queue,
            on_backlog: hook("on_backlog"),
            on_sent: hook("on_sent"),
            on_drop: hook("on_drop"),
            on_head_change: hook("on_head_change"),
            not_before: component.state_position(NOT_BEFORE),
            reads_heads: component.has("heads"),
        })
    }

    #[inline]
    fn tell(&mut self, name: &'static str, hook: Option<Hook>, now: Time, mut subject: Subject, queues: &[QueueState]) {
        if let Some(hook) = hook {
            self.record.call(name, hook, (&mut subject, &mut Queues::of(queues, self.rate)), [ps(now), 0]);
        }
    }
}

/// A queue and the size of its packet.
fn subject(queue: usize, size: u32) -> Subject {
    Subject { queue: queue as i64, size: i64::from(size) }
}

impl Probe for ForeignScheduler {
    fn probe(&self, _now: Time, report: &mut ReportVariable<'_>) {
        self.record.probe(report);
    }
}

impl Scheduler for ForeignScheduler {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        let (mut nothing, mut view, arguments) = (Subject::default(), Queues::of(queues, self.rate), [ps(now), 0]);
        let answer = self.record.call("next_queue", self.next_queue, (&mut nothing, &mut view), arguments);
        let what = match (usize::try_from(answer).ok().and_then(|queue| Some((queue, queues.get(queue)?))), self.not_before) {
            (Some((queue, state)), _) if state.packets > 0 => return Turn::Queue(queue),
            (Some((queue, _)), _) => format!("queue {queue} has no packet"),
            (None, Some(position)) if answer == WAIT => match u64::try_from(self.record.state(position)).map(Time::from_ps) {
                Ok(time) if time > now => return Turn::NotBefore(time),
                _ => format!("{NOT_BEFORE} is not later than the time of the call"),
            },
            (None, None) if answer == WAIT => format!("answers WAIT and has no state {NOT_BEFORE}"),
            (None, _) => format!("there is no queue {answer}; 0 to {}", queues.len() - 1),
        };
        self.record.fail(None, "next_queue", what, (&nothing, &view), arguments)
    }

    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        self.tell("on_backlog", self.on_backlog, now, subject(queue, 0), queues);
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.tell("on_sent", self.on_sent, now, subject(queue, size), queues);
    }

    fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        match self.on_drop {
            None => self.on_head_change(queue, queues),
            hook => self.tell("on_drop", hook, now, subject(queue, size), queues),
        }
    }

    fn on_head_change(&mut self, queue: usize, queues: &[QueueState]) {
        self.tell("on_head_change", self.on_head_change, Time::ZERO, subject(queue, 0), queues);
    }

    fn reads_heads(&self) -> bool {
        self.reads_heads
    }

    fn change(
        &mut self,
        _now: Time,
        parameters: &dyn Any,
        classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        self.record.change(&with_classes(&self.component, own(parameters), classes));
        None
    }
}
