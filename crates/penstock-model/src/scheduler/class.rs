//! The keys and plans of classes of a scheduler.

use super::SchedulerPlan;
use crate::meter::bucket::{Bucket, Start};
use crate::parameters::{Check, Count, Kind, Parameter, Probability, Quantum, Value};
use crate::units::{Bytes, Rate};

crate::parameters! {
    /// A class of a scheduler: a queue, or a scheduler with classes of its own.
    ///
    /// Each scheduler reads keys of its own: `weight` those that share by weights, `quantum` deficit round robin, `share`,
    /// `priority` and `borrows` class-based queueing, `rate`, `ceiling`, their bursts, `priority` and `quantum` the hierarchical token
    /// bucket, `rate-limit` strict priority. A class with a `scheduler` has classes too (`class.data.class.web`), and its `queue`
    /// then holds for those of them that have none. Packets find their queue by the name of their class; a class with a
    /// scheduler may be called anything. Schedulers take classes in the order of their names where nothing else orders
    /// them.
    pub struct ClassKeys {
        /// Its share of what the classes get together is its weight over the sum of theirs.
        weight: Option<ClassWeight>;
        /// Bytes that it may send more in each round of deficit round robin, or in a turn of the hierarchical token bucket; better at least its largest packet, so that
        /// each round serves each class and a decision costs the same however many classes there are [Shreedhar96 s4].
        quantum: Option<Quantum>;
        /// Its share of the link under class-based queueing, above 0; those of all classes are at most 1.
        share: Option<Probability>;
        /// Its place among the classes of class-based queueing, or of the hierarchical token bucket for what is left; 1 goes first and is
        /// meant if left out. Classes may share one.
        priority: Option<Count>;
        /// Whether it may send beyond its share when the link has time left, under class-based queueing; `true` if left
        /// out.
        borrows: Option<bool>;
        /// The rate that it is assured of under the hierarchical token bucket.
        rate: Option<Rate>;
        /// The most that it may send under the hierarchical token bucket, borrowed rate included; `rate` if left out.
        ceiling: Option<Rate>;
        /// What it may send at once at its assured rate after a pause; 1600 bytes if left out.
        burst: Option<Bytes>;
        /// What it may send at once at its ceiling after a pause; `burst` if left out.
        ceiling_burst: Option<Bytes>;
    }
}
impl Check for ClassKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let (Some(rate), Some(ceiling)) = (self.rate, self.ceiling) {
            if ceiling < rate {
                mistake("ceiling", format!("{ceiling} is below the rate, {rate}; at least that"));
            }
        }
        if self.share == Some(Probability(0.0)) {
            mistake("share", "0 would never be served; above 0, at most 1".to_owned());
        }
    }
}

crate::choice! {
    /// What becomes of a class that has used up its rate limit.
    pub enum Exceeding {
        /// Its packets wait for tokens, even while the wire is idle.
        "waits" => Waits,
        /// Its packets are sent when no other class has any within its limit.
        "goes-last" => GoesLast,
    }
}

crate::parameters! {
    /// The most that a class of `scheduler.priority` may send ahead of the others.
    pub struct RateLimit {
        /// Its long-run rate; at most the link's.
        rate: Rate;
        /// What it may send at once after a pause. Larger packets wait for a full bucket and empty it.
        burst: Bytes;
        /// What becomes of what exceeds it.
        exceeding: Exceeding = "waits";
    }
}
impl Check for RateLimit {}

impl RateLimit {
    /// Its bucket, which begins full.
    pub fn bucket(&self) -> Bucket {
        Bucket::new(self.rate, self.burst, Start::Full)
    }
}

/// A class of a scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassPlan {
    /// Its name in series.
    pub name: String,
    /// What the scheduler above reads.
    pub keys: ClassKeys,
    /// The most that it may send ahead of the others.
    pub rate_limit: Option<RateLimit>,
    /// The scheduler of its own classes; without it, the class is a queue.
    pub below: Option<Box<LevelPlan>>,
}

/// A scheduler that is a class of another, and its classes in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelPlan {
    /// The scheduler.
    pub scheduler: SchedulerPlan,
    /// What it chooses between.
    pub classes: Vec<ClassPlan>,
}

/// Where classes have schedulers of their own, all classes of the tree, each before those below it: the scheduler that chooses it, and
/// its name behind those of the classes above; otherwise none.
pub fn classes_of_tree<'a>(scheduler: &'a SchedulerPlan, classes: &'a [ClassPlan]) -> Vec<(&'a SchedulerPlan, String)> {
    fn add<'a>(scheduler: &'a SchedulerPlan, classes: &'a [ClassPlan], above: &str, found: &mut Vec<(&'a SchedulerPlan, String)>) {
        for class in classes {
            let name = format!("{above}{}", class.name);
            found.push((scheduler, name.clone()));
            if let Some(below) = &class.below {
                add(&below.scheduler, &below.classes, &format!("{name}."), found);
            }
        }
    }
    let mut found = Vec::new();
    if classes.iter().any(|class| class.below.is_some()) {
        add(scheduler, classes, "", &mut found);
    }
    found
}

impl Default for ClassKeys {
    /// Nothing is said.
    fn default() -> ClassKeys {
        ClassKeys {
            weight: None,
            quantum: None,
            share: None,
            priority: None,
            borrows: None,
            rate: None,
            ceiling: None,
            burst: None,
            ceiling_burst: None,
        }
    }
}

/// A weight of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassWeight(pub u32);

impl ClassWeight {
    /// The largest. Rounds and virtual times stay short and exact up to it.
    pub const MOST: u32 = 10_000;
}

impl Parameter for ClassWeight {
    const KIND: Kind = Kind::Integer;
    const RANGE: &'static str = "a whole number, 1 to 10000";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(0) => Err("0 would never be served; a whole number, 1 to 10000".to_owned()),
            Value::Integer(number) if (1..=i64::from(ClassWeight::MOST)).contains(number) => Ok(ClassWeight(*number as u32)),
            other => Err(format!("{} is not a weight; a whole number, 1 to 10000", other.quoted())),
        }
    }
}
