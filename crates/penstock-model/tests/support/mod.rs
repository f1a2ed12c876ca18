//! A link behind a scheduler, without the engine, and the fluid servers that schedulers are compared with.
#![allow(dead_code)] // each test file uses a part of it

pub mod fluid;
pub mod traffic;

use penstock_model::parameters::{default_value, AnyParameters, Declaration, Field, Parameters, Reader, Value};
use penstock_model::registry::Registry;
use penstock_model::scheduler::class::{ClassPlan, RateLimit};
use penstock_model::scheduler::{priority, AnyScheduler, QueueState, Scheduler, SchedulerPlan, Turn};
use penstock_model::units::{Bytes, Rate, Time};
use std::collections::VecDeque;

/// The link of all tests, which sends a byte in 8 us.
pub const LINK: Rate = Rate::from_bps(1_000_000);

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub at: Time,
    pub class: usize,
    pub size: u32,
}

/// Parameters as `key = value; key = value`.
struct Settings(Vec<(String, Value)>);

impl Settings {
    fn new(text: &str) -> Settings {
        let pair = |part: &str| {
            let (key, value) = part.split_once('=').expect("key = value");
            let value = value.trim();
            let value = match value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
                Some(items) => Value::List(items.split(", ").map(default_value).collect()),
                None => default_value(value),
            };
            (key.trim().to_owned(), value)
        };
        Settings(text.split(';').filter(|part| !part.trim().is_empty()).map(pair).collect())
    }
}

impl Reader for Settings {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let index = self.0.iter().position(|(key, _)| *key == field.key())?;
        Some(self.0.remove(index).1)
    }
    fn mistake(&mut self, key: &str, message: String) {
        panic!("{key}: {message}");
    }
}

/// A class, such as `weight = 3`, of the first scheduler whose classes have these parameters.
pub fn class(settings: &str) -> ClassPlan {
    let written = Settings::new(settings);
    let is_written = |field: &Field| written.0.iter().any(|(key, _)| field.has_key(key));
    let has_all = |class: &Declaration| {
        let is_known = |key: &str| class.fields.iter().any(|field| field.has_key(key));
        let is_optional = |field: &Field| field.optional || field.default.is_some();
        written.0.iter().all(|(key, _)| is_known(key)) && class.fields.iter().all(|field| is_optional(field) || is_written(field))
    };
    if written.0.is_empty() {
        return ClassPlan::default();
    }
    let declaration = SchedulerPlan::with_classes(Registry::NONE).map(|(_, class)| class).find(has_all).expect("parameters of a class");
    ClassPlan { parameters: declaration.read(&mut Settings::new(settings)), ..ClassPlan::default() }
}

/// A class of `scheduler.priority` with this limit.
pub fn limited(settings: &str) -> ClassPlan {
    let rate_limit = RateLimit::read(&mut Settings::new(settings));
    ClassPlan { parameters: Some(AnyParameters::new(priority::ClassParameters { rate_limit })), ..ClassPlan::default() }
}

pub fn plan(name: &str, settings: &str) -> SchedulerPlan {
    SchedulerPlan::read(name, &mut Settings::new(settings)).expect("a scheduler")
}

/// A scheduler over classes, each given as `weight = 3`.
pub fn scheduler(name: &str, settings: &str, classes: &[String]) -> AnyScheduler {
    let classes: Vec<ClassPlan> = classes.iter().map(|settings| class(settings)).collect();
    AnyScheduler::new(&plan(name, settings), &classes, LINK)
}

/// Transmission time of `size` bytes.
pub fn takes(size: u32) -> penstock_model::units::Duration {
    LINK.transmission_time(Bytes::new(u64::from(size)))
}

/// Serves arrivals, which must be sorted, over the link. Returns the start of each transmission. At one instant, arrivals precede
/// decisions.
pub fn serve(scheduler: &mut impl Scheduler, classes: usize, arrivals: &[Arrival]) -> Vec<Time> {
    let mut begins = vec![Time::NEVER; arrivals.len()];
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); classes];
    let mut states = vec![QueueState::default(); classes];
    let (mut due, mut next) = (Time::ZERO, 0);
    let mut left = arrivals.len();
    while left > 0 {
        let idle = left == arrivals.len() - next;
        let now = if idle { due.max(arrivals[next].at) } else { due };
        while next < arrivals.len() && arrivals[next].at <= now {
            let Arrival { at, class, size } = arrivals[next];
            queues[class].push_back(next);
            states[class].packets += 1;
            states[class].bytes += u64::from(size);
            if states[class].packets == 1 {
                states[class].head = size;
                scheduler.on_backlog(at, class, &states);
            }
            next += 1;
        }
        match scheduler.next(now, &states) {
            Turn::NotBefore(later) => {
                assert!(later > now);
                due = if next < arrivals.len() { later.min(arrivals[next].at) } else { later };
            }
            Turn::Queue(class) => {
                let packet = queues[class].pop_front().expect("it has a packet");
                let size = arrivals[packet].size;
                states[class].packets -= 1;
                states[class].bytes -= u64::from(size);
                states[class].head = queues[class].front().map_or(0, |next| arrivals[*next].size);
                begins[packet] = now;
                scheduler.on_sent(now, class, size, &states);
                due = now + takes(size);
                left -= 1;
            }
        }
    }
    begins
}
