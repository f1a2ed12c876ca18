//! Classes of a scheduler: their plans, and parameters that several schedulers declare for them.

use super::SchedulerPlan;
use crate::meter::bucket::{Bucket, Start};
use crate::parameters::{read_table, AnyParameters, ChangeError, Check, Field, Kind, Parameter, Parameters, Reader, Reading, Value};
use crate::units::{Bytes, Rate};

crate::choice! {
    /// Treatment of a class that has used up its rate limit.
    pub enum Exceeding {
        /// Its packets wait for tokens, even while the wire is idle.
        "waits" => Waits,
        /// Its packets are sent when no other class has any within its limit.
        "goes-last" => GoesLast,
    }
}

crate::parameters! {
    /// Limit of the traffic that a class of `scheduler.priority` may send ahead of the others.
    pub struct RateLimit {
        /// Its long-run rate; at most the link's.
        rate: Rate, changeable;
        /// Bytes that it may send back to back after a pause. Larger packets wait for a full bucket and empty it.
        burst: Bytes, changeable;
        /// Treatment of traffic beyond the limit.
        exceeding: Exceeding = "waits";
    }
}
impl Check for RateLimit {}

impl Parameter for RateLimit {
    const KIND: Kind = Kind::Table("rate-limit");
    fn from_value(value: &Value) -> Result<Self, String> {
        Err(format!("{} is not a rate limit", value.quoted()))
    }
    fn read_from(field: &Field, reader: &mut dyn Reader) -> Reading<Self> {
        read_table(field, reader)
    }
    fn check_change(&self, other: &Self) -> Result<(), ChangeError> {
        Parameters::check_change(self, other)
    }
}

impl RateLimit {
    /// Token bucket of this limit, initially full.
    pub fn bucket(&self) -> Bucket {
        Bucket::new(self.rate, self.burst, Start::Full)
    }
}

/// A class of a scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassPlan {
    /// Name in series.
    pub name: String,
    /// Parameters that the scheduler above declares for its classes; may be `None` in a blueprint made by hand.
    pub parameters: Option<AnyParameters>,
    /// Scheduler of the classes below this one; `None` if the class is a queue.
    pub below: Option<Box<LevelPlan>>,
}

/// A scheduler that is a class of another one, with its own classes in order.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelPlan {
    /// The scheduler.
    pub scheduler: SchedulerPlan,
    /// Its classes.
    pub classes: Vec<ClassPlan>,
}

/// All classes of a tree of schedulers in preorder: the scheduler that serves each class, and the name of the class, prefixed with the
/// names of the classes above. Empty if no class has a scheduler of its own.
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

impl SchedulerPlan {
    /// Whether the scheduler, or one of `classes` at any level, has parameters that can be set during a run.
    pub fn is_changeable(&self, classes: &[ClassPlan]) -> bool {
        let mut below = classes.iter().filter_map(|class| class.below.as_ref());
        self.changes_alone(classes) || below.any(|below| below.scheduler.is_changeable(&below.classes))
    }

    /// Same as [`SchedulerPlan::is_changeable`], without the schedulers of classes.
    pub(super) fn changes_alone(&self, classes: &[ClassPlan]) -> bool {
        let mut of_classes = classes.iter().filter_map(|class| class.parameters.as_ref()).flat_map(|parameters| parameters.fields());
        self.changeable().is_some() || of_classes.any(|field| field.is_changeable)
    }
}

impl ClassPlan {
    /// Parameters of the class in the type that the scheduler above declares; `None` if it has none.
    ///
    /// # Panics
    /// If the parameters are of another type, that is, for the classes of another scheduler.
    pub fn parameters<P: 'static>(&self) -> Option<&P> {
        self.parameters.as_ref().map(AnyParameters::get)
    }
}

/// A weight of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassWeight(pub u32);

impl ClassWeight {
    /// Maximum weight. Up to it, rounds are short and virtual times are exact.
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
