//! A scheduler whose classes have schedulers of their own.

use super::class::{ClassPlan, LevelPlan};
use super::{AnyScheduler, Hooks, Loan, QueueState, Scheduler, SchedulerContext, SchedulerPlan, Turn};
use crate::probe::{Probe, ReportVariable};
use crate::units::Time;

/// Tree of schedulers over queues. Queues are numbered depth first.
///
/// A scheduler sees a class with a scheduler of its own as one queue. The head of that queue is the packet that the scheduler below would
/// send next; the queue appears empty while the scheduler below holds everything back. So the scheduler above learns when the classes below
/// may send, and is charged for what they send. If classes [lend](super::SchedulerFacts::lends), the scheduler of a class also learns how
/// much it may borrow from above, and the one above learns whether a class below pays for the packet. A queue whose packets only a class
/// above can pay for appears empty until one can.
#[derive(Clone)]
pub struct Tree {
    root: Level,
    /// For each queue, the class to take at each level.
    paths: Vec<Vec<u8>>,
}

/// A scheduler and its classes.
#[derive(Clone)]
struct Level {
    scheduler: AnyScheduler,
    classes: Vec<Class>,
    /// Number of each class in the scheduler's reported state, relative to its first class.
    numbers: Vec<u32>,
    /// Number of each of `classes` in the same sense. These are all classes except those whose level the scheduler spans.
    shown_as: Vec<u32>,
    /// Number of classes in the tree below.
    count: u32,
    /// Queues as the scheduler sees them.
    states: Vec<QueueState>,
    /// For each class, whether a class below pays for its next packet.
    is_paid: Vec<bool>,
    /// Whether its classes lend.
    lends: bool,
    /// Whether it or a scheduler below it lends.
    borrows: bool,
}

#[derive(Clone)]
enum Class {
    Queue(usize),
    Level(Box<Level>),
}

impl Class {
    fn borrows(&self) -> bool {
        matches!(self, Class::Level(level) if level.borrows)
    }
}

/// Whether the scheduler of `plan` also selects among the classes of `below`, a level directly below one of its classes.
fn spans(plan: &SchedulerPlan, below: &LevelPlan) -> bool {
    plan.facts().lends && below.scheduler.name() == plan.name()
}

/// For each of `classes`, in order, the first levels below that the scheduler of `plan` does not span.
fn levels_below<'a>(plan: &SchedulerPlan, classes: &'a [ClassPlan]) -> Vec<&'a LevelPlan> {
    let levels = classes.iter().filter_map(|class| class.below.as_deref());
    levels.flat_map(|below| if spans(plan, below) { levels_below(plan, &below.classes) } else { vec![below] }).collect()
}

impl Tree {
    /// Builds the tree of `plan` over `classes`.
    pub fn new(plan: &SchedulerPlan, classes: &[ClassPlan], context: &SchedulerContext) -> Tree {
        let mut paths = Vec::new();
        let root = Level::new(plan, classes, context, &mut Vec::new(), &mut paths);
        Tree { root, paths }
    }

    /// Gives the schedulers the parameters of `plan` and `classes` from `now` on.
    pub fn change(&mut self, now: Time, plan: &SchedulerPlan, classes: &[ClassPlan]) {
        self.root.change(now, plan, classes);
    }
}

impl Level {
    fn new(plan: &SchedulerPlan, classes: &[ClassPlan], context: &SchedulerContext, path: &mut Vec<u8>, paths: &mut Vec<Vec<u8>>) -> Level {
        let scheduler = AnyScheduler::flat(plan, classes, context.clone());
        debug_assert!(scheduler.hooks() == Hooks::NONE, "refused before");
        let lends = plan.facts().lends;
        let mut level = Level {
            scheduler,
            classes: Vec::new(),
            numbers: Vec::new(),
            shown_as: Vec::new(),
            count: 0,
            states: Vec::new(),
            is_paid: Vec::new(),
            lends,
            borrows: lends,
        };
        level.add(plan, classes, context, path, paths);
        level.states = vec![QueueState::default(); level.classes.len()];
        level.is_paid = vec![false; level.classes.len()];
        level
    }

    /// Adds classes, including classes of lower levels that the scheduler spans.
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
            if let Some(LevelPlan { classes, .. }) = below.filter(|below| spans(plan, below)) {
                self.add(plan, classes, &context, path, paths);
                continue;
            }
            path.push(self.classes.len() as u8);
            self.shown_as.push(self.count - 1);
            let class = match below {
                Some(LevelPlan { scheduler, classes }) => {
                    let level = Level::new(scheduler, classes, &context, path, paths);
                    self.count += level.count;
                    self.borrows |= level.borrows;
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

    fn change(&mut self, now: Time, plan: &SchedulerPlan, classes: &[ClassPlan]) {
        self.scheduler.change(now, plan, classes, &self.states);
        let levels = self.classes.iter_mut().filter_map(|class| match class {
            Class::Level(level) => Some(level),
            Class::Queue(_) => None,
        });
        levels.zip(levels_below(plan, classes)).for_each(|(level, below)| level.change(now, &below.scheduler, &below.classes));
    }

    /// The queue that would send next, and whether a class below pays for it, or the time at which to ask again.
    fn next(&mut self, now: Time, queues: &[QueueState], above: Option<Loan>) -> (Turn, bool) {
        let mut earliest = Time::NEVER;
        for i in 0..self.classes.len() {
            let state = match self.offer(i, now, queues, above) {
                Ok(state) => state,
                Err(time) => {
                    earliest = earliest.min(time);
                    QueueState::default()
                }
            };
            let before = std::mem::replace(&mut self.states[i], state);
            if before.packets == 0 && state.packets > 0 {
                self.scheduler.on_backlog(now, i, &self.states);
            } else if before.head != state.head || before.packets > 0 && state.packets == 0 {
                self.scheduler.on_head_change(i, &self.states);
            }
        }
        if self.states.iter().all(|state| state.packets == 0) {
            return (Turn::NotBefore(earliest), false);
        }
        let (turn, is_paid) = match self.lends {
            true => self.scheduler.next_with_loan(now, &self.states, &self.is_paid, above),
            false => (self.scheduler.next(now, &self.states), false),
        };
        let class = match turn {
            Turn::NotBefore(time) => return (Turn::NotBefore(time.min(earliest)), false),
            Turn::Queue(class) => class,
        };
        let loan = self.loan(class, now, above);
        let turn = match &mut self.classes[class] {
            Class::Queue(queue) => Turn::Queue(*queue),
            Class::Level(level) => level.next(now, queues, loan).0,
        };
        (turn, if self.lends { is_paid } else { self.is_paid[class] })
    }

    /// The queue of a class as the scheduler sees it, or the time at which one of its packets may be sent.
    fn offer(&mut self, class: usize, now: Time, queues: &[QueueState], above: Option<Loan>) -> Result<QueueState, Time> {
        let loan = self.loan(class, now, above);
        let offer = match &mut self.classes[class] {
            Class::Queue(queue) => (queues[*queue].packets > 0).then_some((Turn::Queue(*queue), false)),
            Class::Level(level) => level.next_if_any(now, queues, loan),
        };
        let (turn, is_paid) = offer.unwrap_or((Turn::NotBefore(Time::NEVER), false));
        self.is_paid[class] = is_paid;
        // If some classes can pay for themselves, one that cannot waits here until a class above can pay.
        let needs_lender = self.borrows && !self.lends && !self.classes[class].borrows();
        let ready = above.filter(|_| needs_lender).map_or(now, |loan| loan.ready);
        match turn {
            Turn::NotBefore(time) => Err(time),
            Turn::Queue(_) if ready > now => Err(ready),
            Turn::Queue(queue) => Ok(match &self.classes[class] {
                Class::Queue(_) => queues[queue],
                Class::Level(level) => QueueState { head: queues[queue].head, ..level.waiting(queues) },
            }),
        }
    }

    /// Loan to the classes below `class`, if they borrow.
    fn loan(&self, class: usize, now: Time, above: Option<Loan>) -> Option<Loan> {
        match self.classes[class].borrows() {
            false => None,
            true if self.lends => self.scheduler.loan(now, class, above),
            true => above,
        }
    }

    /// Reports its state and that of the schedulers below; its first class has the number `first`.
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

    fn next_if_any(&mut self, now: Time, queues: &[QueueState], above: Option<Loan>) -> Option<(Turn, bool)> {
        (self.waiting(queues).packets > 0).then(|| self.next(now, queues, above))
    }

    /// Total backlog below, without a head.
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

/// Reports the state of all schedulers and their classes, numbered depth first from the root.
impl Probe for Tree {
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
        self.root.probe(now, 0, report);
    }
}

impl Scheduler for Tree {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        self.root.next(now, queues, None).0
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
