//! Virtual times of the heads of classes, for schedulers that compare them.

use super::weights::common_divisor;
use super::QueueState;
use crate::source::size::LARGEST;
use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

/// A virtual time in 64 bits, or in 128 bits if 64 do not suffice.
///
/// Virtual times are multiples of [`UNIT`], which leaves room for the number of a class. Of two equal times, that of the first class is
/// smaller, and the smallest time names its class.
pub trait Tag: Copy + Ord + Debug + Send + From<u32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static {
    /// Beginning of time.
    const ZERO: Self;
    /// Finish of a class that has no packets.
    const NEVER: Self;
    /// Virtual time from which all tags are set back.
    const FAR: Self;

    /// Amount by which tags are set back.
    const STEP: Self;

    /// Converts `cost` to this type; `None` if the largest packet would cost more than half of a step.
    fn cost(cost: u128) -> Option<Self>;

    /// Converts `number` to this type; `None` if it does not fit.
    fn number(number: u128) -> Option<Self>;

    /// Number of the class.
    fn class(self) -> usize;

    /// Product, saturating at the maximum.
    fn product(a: Self, b: u64) -> Self;

    /// Value as a double, rounded.
    fn as_f64(self) -> f64;

    /// Difference, or zero if it would be negative.
    fn less(self, other: Self) -> Self;

    /// Value in 128 bits.
    fn wide(self) -> u128;

    /// Converts this time to another unit, rounded down: `units.1` new units are as long as `units.0` old ones.
    fn scaled(self, units: (Self, Self)) -> Self;
}

/// Maximum number of classes.
const UNIT: u128 = 256;

macro_rules! tag {
    ($number:ty) => {
        impl Tag for $number {
            const ZERO: $number = 0;
            const NEVER: $number = <$number>::MAX;
            const FAR: $number = <$number>::MAX / 2;
            const STEP: $number = <$number>::FAR / UNIT as $number / 2 * UNIT as $number;

            fn cost(cost: u128) -> Option<$number> {
                Self::number(cost).filter(|units| *units <= <$number>::STEP / 2 / <$number>::from(LARGEST))
            }

            fn number(number: u128) -> Option<$number> {
                number.checked_mul(UNIT).and_then(|units| <$number>::try_from(units).ok())
            }

            #[inline]
            fn class(self) -> usize {
                (self % UNIT as $number) as usize
            }

            #[inline]
            fn product(a: $number, b: u64) -> $number {
                a.saturating_mul(<$number>::from(b))
            }

            fn as_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn less(self, other: $number) -> $number {
                self.saturating_sub(other)
            }

            fn wide(self) -> u128 {
                u128::from(self)
            }

            fn scaled(self, (old, new): ($number, $number)) -> $number {
                let divisor = common_divisor(u128::from(old), u128::from(new));
                let (old, new, tag) = (u128::from(old) / divisor, u128::from(new) / divisor, u128::from(self) / UNIT);
                // If the product overflows, the time is so long that it is precise enough without the remainder.
                let scaled = tag.checked_mul(new).map_or(tag / old * new, |product| product / old);
                (scaled * UNIT) as $number
            }
        }
    };
}
tag!(u64);
tag!(u128);

/// State of a class: its head.
#[derive(Clone, Copy, Debug)]
pub struct Head<T> {
    /// Start of the head.
    pub start: T,
    /// Finish of the head, with the number of the class in the last byte; [`Tag::NEVER`] if the class has no packets.
    pub finish: T,
    /// Cost of a byte.
    pub cost: T,
}

/// Classes and their heads.
#[derive(Clone, Debug)]
pub struct Heads<T>(Vec<Head<T>>);

impl<T: Tag> Heads<T> {
    /// Classes without packets and with these costs of a byte; `None` if the costs do not fit.
    pub fn new(costs: &[u128]) -> Option<Heads<T>> {
        let head = |cost: &u128| Some(Head { start: T::ZERO, finish: T::NEVER, cost: T::cost(*cost)? });
        costs.iter().map(head).collect::<Option<_>>().map(Heads)
    }

    /// The classes.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = &Head<T>> {
        self.0.iter()
    }

    /// Distance by which the head of each class starts after `clock`, in bytes of that class; NaN for a class without packets.
    pub fn leads(&self, clock: T) -> impl Iterator<Item = f64> + '_ {
        let lead = move |head: &Head<T>| match head.start >= clock {
            true => (head.start - clock).as_f64() / head.cost.as_f64(),
            false => -((clock - head.start).as_f64() / head.cost.as_f64()),
        };
        self.0.iter().map(move |head| if head.finish == T::NEVER { f64::NAN } else { lead(head) })
    }

    /// Earliest start of a head; `None` if no class has packets.
    pub fn earliest(&self) -> Option<T> {
        self.0.iter().filter(|head| head.finish != T::NEVER).map(|head| head.start).min()
    }

    /// Class with the earliest start of a head; among equals, the first class. `None` if no class has packets.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let heads = self.0.iter().enumerate().filter(|(_, head)| head.finish != T::NEVER);
        heads.min_by_key(|(_, head)| head.start).map(|(class, _)| class)
    }

    /// Start of the head of class `class`, or of its next packet if it has none.
    #[inline]
    pub fn start(&self, class: usize) -> T {
        self.0[class].start
    }

    /// Whether no other class has packets.
    pub fn is_alone(&self, class: usize) -> bool {
        self.0.iter().enumerate().all(|(i, head)| i == class || head.finish == T::NEVER)
    }

    /// Resets the starts of all classes to zero.
    pub fn begin_anew(&mut self) {
        self.0.iter_mut().for_each(|head| head.start = T::ZERO);
    }

    /// Class with the smallest finish among the heads that satisfy `may`, if any.
    #[inline(always)]
    pub fn smallest(&self, may: impl Fn(&Head<T>) -> bool) -> Option<usize> {
        let finish = |head: &Head<T>| std::hint::select_unpredictable(may(head), head.finish, T::NEVER);
        let (fours, rest) = self.0.as_chunks::<4>();
        let smallest = rest.iter().fold(T::NEVER, |smallest, head| smallest.min(finish(head)));
        // Minima are taken in pairs, since in a chain of minima each waits for the one before.
        let of_four = |[a, b, c, d]: &[Head<T>; 4]| finish(a).min(finish(b)).min(finish(c).min(finish(d)));
        let smallest = fours.iter().fold(smallest, |smallest, four| smallest.min(of_four(four)));
        (smallest != T::NEVER).then(|| smallest.class())
    }

    /// Class `class` has a packet. It starts at `earliest` or after its predecessor, whichever is later.
    #[inline]
    pub fn begin(&mut self, class: usize, earliest: T, state: &QueueState) {
        let head = &mut self.0[class];
        head.start = head.start.max(earliest);
        head.look(class, state);
    }

    /// Removes the head of class `class`, of `size` bytes; returns its finish.
    #[inline(always)]
    pub fn leave(&mut self, class: usize, size: u32, state: &QueueState) -> T {
        debug_assert!(u64::from(size) <= LARGEST, "larger than any packet");
        let head = &mut self.0[class];
        head.start = head.start + T::from(size) * head.cost;
        head.look(class, state);
        head.start
    }

    /// Records any other change of the state of class `class`.
    pub fn change(&mut self, class: usize, state: &QueueState) {
        self.0[class].look(class, state);
    }

    /// Adopts other costs of a byte, in another unit of time: `units.1` new units are as long as `units.0` old ones. Heads keep their
    /// starts relative to `clock`, which is returned in the new unit. Returns `None` and changes nothing if the costs do not fit.
    pub fn take_costs(&mut self, costs: &[u128], units: (T, T), clock: T, queues: &[QueueState]) -> Option<T> {
        let costs: Vec<T> = costs.iter().map(|cost| T::cost(*cost)).collect::<Option<_>>()?;
        let origin = self.earliest().map_or(clock, |earliest| earliest.min(clock));
        for (class, ((head, cost), queue)) in self.0.iter_mut().zip(costs).zip(queues).enumerate() {
            (head.start, head.cost) = (head.start.less(origin).scaled(units), cost);
            head.look(class, queue);
        }
        Some(clock.less(origin).scaled(units))
    }

    /// Converts the heads to 128 bits.
    pub fn wide(&self) -> Heads<u128> {
        let finish = |head: &Head<T>| if head.finish == T::NEVER { u128::NEVER } else { head.finish.wide() };
        Heads(self.0.iter().map(|head| Head { start: head.start.wide(), finish: finish(head), cost: head.cost.wide() }).collect())
    }

    /// Sets all tags back by a step; the clock must be beyond [`Tag::FAR`]. A class without packets may start before a step; its start
    /// becomes zero.
    #[cold]
    pub fn set_back(&mut self) {
        for head in &mut self.0 {
            if head.finish != T::NEVER {
                // To fail, a class would have to be behind by the cost of the largest packets of two classes.
                assert!(head.start >= T::STEP, "no class is so far behind");
                head.finish = head.finish - T::STEP;
            }
            head.start = head.start.less(T::STEP);
        }
    }
}

impl<T: Tag> Head<T> {
    #[inline(always)]
    fn look(&mut self, class: usize, state: &QueueState) {
        let finish = self.start + T::from(state.head) * self.cost + T::from(class as u32);
        // The branch would be unpredictable, so a conditional move is used.
        self.finish = std::hint::select_unpredictable(state.packets > 0, finish, T::NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decide_alike, weighted};
    use super::super::{scfq, stfq, wf2q_plus, AnyScheduler, Scheduler, SchedulerPlan};
    use crate::units::Rate;

    #[test]
    fn times_that_no_longer_fit_64_bits_go_on_in_128() {
        let rate = Rate::from_bps(8_000);
        let (before, after) = (weighted(&[3, 1, 2]), weighted(&[9973, 9967, 1]));
        let wide: [(SchedulerPlan, Box<dyn Scheduler + Send>); 3] = [
            (
                SchedulerPlan::Scfq(scfq::Parameters {}),
                Box::new(scfq::Scfq::<u128>::new(&scfq::Parameters {}, &before, rate).expect("fits")),
            ),
            (
                SchedulerPlan::Stfq(stfq::Parameters {}),
                Box::new(stfq::Stfq::<u128>::new(&stfq::Parameters {}, &before, rate).expect("fits")),
            ),
            (
                SchedulerPlan::Wf2qPlus(wf2q_plus::Parameters {}),
                Box::new(wf2q_plus::Wf2qPlus::<u128>::new(&wf2q_plus::Parameters {}, &before, rate).expect("fits")),
            ),
        ];
        for (plan, wide) in wide {
            let (mut narrow, mut wide) = (AnyScheduler::new(&plan, &before, rate), AnyScheduler::Custom(wide));
            assert!(!matches!(narrow, AnyScheduler::Custom(_)), "{plan:?} begins with 64 bits");
            let mut queues = decide_alike(&mut narrow, &mut wide, 1000);
            narrow.change(queues.now, &plan, &after, &queues.states());
            wide.change(queues.now, &plan, &after, &queues.states());
            assert!(matches!(narrow, AnyScheduler::Custom(_)), "{plan:?} goes on with 128 bits");
            queues.go_on(&mut narrow, &mut wide, 1000);
        }
    }
}
