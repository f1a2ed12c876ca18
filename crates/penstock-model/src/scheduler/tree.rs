//! A scheduler whose classes have schedulers of their own.

use super::class::{ClassPlan, LevelPlan};
use super::{AnyScheduler, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerPlan, Turn};
use crate::probe::{Probe, ReportVariable};
use crate::units::Time;

/// Schedulers in a tree over queues, which are numbered from the first class to the last, each with all below it.
///
/// A scheduler sees a class below which there is another as one queue: its head is what that scheduler would send next,
/// and while that holds everything back it is empty. One that spans several levels ([`Traits::spans`](super::Traits::spans)) passes
/// eligibility and charges between them itself: they are one level of the tree.
#[derive(Clone)]
pub struct Tree {
    root: Level,
    /// For each queue, the class to take at each level.
    paths: Vec<Vec<u8>>,
}

/// A scheduler and what it chooses between.
#[derive(Clone)]
struct Level {
    scheduler: AnyScheduler,
    classes: Vec<Class>,
    /// The number of each class that the scheduler shows, behind that of its first one.
    numbers: Vec<u32>,
    /// The number of each of `classes` likewise: all but those whose level the scheduler spans.
    shown_as: Vec<u32>,
    /// The classes of the tree below.
    count: u32,
    /// What the scheduler sees of them.
    states: Vec<QueueState>,
}

#[derive(Clone)]
enum Class {
    Queue(usize),
    Level(Box<Level>),
}

impl Tree {
    /// The tree of `plan` over `classes`.
    pub fn new(plan: &SchedulerPlan, classes: &[ClassPlan], context: &SchedulerContext) -> Tree {
        let mut paths = Vec::new();
        let root = Level::new(plan, classes, context, &mut Vec::new(), &mut paths);
        Tree { root, paths }
    }
}

impl Level {
    fn new(plan: &SchedulerPlan, classes: &[ClassPlan], context: &SchedulerContext, path: &mut Vec<u8>, paths: &mut Vec<Vec<u8>>) -> Level {
        let scheduler = AnyScheduler::flat(plan, classes, context.clone());
        debug_assert!(scheduler.hooks() == Hooks::NONE, "refused before");
        let mut level = Level { scheduler, classes: Vec::new(), numbers: Vec::new(), shown_as: Vec::new(), count: 0, states: Vec::new() };
        level.add(plan, classes, context, path, paths);
        level.states = vec![QueueState::default(); level.classes.len()];
        level
    }

    /// Adds classes, and those of the levels below that the scheduler spans.
    fn add(
        &mut self,
        plan: &SchedulerPlan,
        classes: &[ClassPlan],
        context: &SchedulerContext,
        path: &mut Vec<u8>,
        paths: &mut Vec<Vec<u8>>,
    ) {
        for class in classes {
            self.numbers.push(self.count);
            self.count += 1;
            let context = context.of_class(&class.name);
            let below = class.below.as_deref();
            if let Some(LevelPlan { classes, .. }) = below.filter(|below| plan.traits().spans(&below.scheduler)) {
                self.add(plan, classes, &context, path, paths);
                continue;
            }
            path.push(self.classes.len() as u8);
            self.shown_as.push(self.count - 1);
            let class = match below {
                Some(LevelPlan { scheduler, classes }) => {
                    let level = Level::new(scheduler, classes, &context, path, paths);
                    self.count += level.count;
                    Class::Level(Box::new(level))
                }
                None => {
                    paths.push(path.clone());
                    Class::Queue(paths.len() - 1)
                }
            };
            path.pop();
            self.classes.push(class);
        }
    }

    /// The queue that would send next, or when that is to be asked again.
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        let mut earliest = Time::NEVER;
        for (i, class) in self.classes.iter_mut().enumerate() {
            let state = match class {
                Class::Queue(queue) => queues[*queue],
                Class::Level(level) => match level.next_if_any(now, queues) {
                    Some(Turn::Queue(queue)) => QueueState { head: queues[queue].head, ..level.waiting(queues) },
                    Some(Turn::NotBefore(time)) => {
                        earliest = earliest.min(time);
                        QueueState::default()
                    }
                    None => QueueState::default(),
                },
            };
            let before = std::mem::replace(&mut self.states[i], state);
            if before.packets == 0 && state.packets > 0 {
                self.scheduler.on_backlog(now, i, &self.states);
            } else if before.head != state.head || before.packets > 0 && state.packets == 0 {
                self.scheduler.on_head_change(i, &self.states);
            }
        }
        if self.states.iter().all(|state| state.packets == 0) {
            return Turn::NotBefore(earliest);
        }
        match self.scheduler.next(now, &self.states) {
            Turn::NotBefore(time) => Turn::NotBefore(time.min(earliest)),
            Turn::Queue(class) => match &mut self.classes[class] {
                Class::Queue(queue) => Turn::Queue(*queue),
                Class::Level(level) => level.next(now, queues),
            },
        }
    }

    /// Shows its state and those below; its first class has the number `first`.
    fn probe(&self, now: Time, first: u32, report: &mut ReportVariable<'_>) {
        self.scheduler.probe(now, &mut |variable, class, value| {
            report(variable, class.map(|class| first + self.numbers[class as usize]), value);
        });
        for (class, number) in self.classes.iter().zip(&self.shown_as) {
            if let Class::Level(level) = class {
                level.probe(now, first + number + 1, report);
            }
        }
    }

    fn next_if_any(&mut self, now: Time, queues: &[QueueState]) -> Option<Turn> {
        (self.waiting(queues).packets > 0).then(|| self.next(now, queues))
    }

    /// What waits below it; which packet goes first is not told.
    fn waiting(&self, queues: &[QueueState]) -> QueueState {
        self.classes.iter().fold(QueueState::default(), |sum, class| {
            let state = match class {
                Class::Queue(queue) => queues[*queue],
                Class::Level(level) => level.waiting(queues),
            };
            QueueState { packets: sum.packets + state.packets, bytes: sum.bytes + state.bytes, head: 0 }
        })
    }

    fn on_backlog(&mut self, now: Time, path: &[u8], queues: &[QueueState]) {
        let [class, rest @ ..] = path else { return };
        let i = usize::from(*class);
        let was_empty = self.states[i].packets == 0;
        let state = match &mut self.classes[i] {
            Class::Queue(queue) => queues[*queue],
            Class::Level(level) => {
                level.on_backlog(now, rest, queues);
                level.waiting(queues)
            }
        };
        self.states[i] = QueueState { head: self.states[i].head, ..state };
        if was_empty {
            self.scheduler.on_backlog(now, i, &self.states);
        }
    }

    fn on_sent(&mut self, now: Time, path: &[u8], size: u32, queues: &[QueueState]) {
        let [class, rest @ ..] = path else { return };
        let i = usize::from(*class);
        self.states[i] = match &mut self.classes[i] {
            Class::Queue(queue) => queues[*queue],
            Class::Level(level) => {
                level.on_sent(now, rest, size, queues);
                level.waiting(queues)
            }
        };
        self.scheduler.on_sent(now, i, size, &self.states);
    }

    fn on_drop(&mut self, now: Time, path: &[u8], size: u32, queues: &[QueueState]) {
        let [class, rest @ ..] = path else { return };
        let i = usize::from(*class);
        self.states[i] = match &mut self.classes[i] {
            Class::Queue(queue) => queues[*queue],
            Class::Level(level) => {
                level.on_drop(now, rest, size, queues);
                level.waiting(queues)
            }
        };
        self.scheduler.on_drop(now, i, size, &self.states);
    }
}

/// Shows the state of all schedulers: of each its classes, which are counted through the tree, from the root down and each with all
/// below it before the next.
impl Probe for Tree {
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
        self.root.probe(now, 0, report);
    }
}

impl Scheduler for Tree {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        self.root.next(now, queues)
    }

    fn on_backlog(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        self.root.on_backlog(now, &self.paths[queue], queues);
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.root.on_sent(now, &self.paths[queue], size, queues);
    }

    fn on_drop(&mut self, now: Time, queue: usize, size: u32, queues: &[QueueState]) {
        self.root.on_drop(now, &self.paths[queue], size, queues);
    }
}
