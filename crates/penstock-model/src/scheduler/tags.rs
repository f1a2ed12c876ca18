//! Virtual times of the heads of classes, for schedulers that compare them.

use super::weights::common_divisor;
use super::QueueState;
use crate::source::size::LARGEST;
use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

/// A virtual time, in 64 bits or, where those are too few, in 128.
///
/// Virtual times are multiples of [`UNIT`], which leaves room for the number of a class: of two equal times, that of the first class is
/// smaller, and the smallest time names its class.
pub trait Tag: Copy + Ord + Debug + Send + From<u32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + 'static {
    /// Beginning of time.
    const ZERO: Self;
    /// Of a class that has no packets.
    const NEVER: Self;
    /// Virtual time from which all are reset.
    const FAR: Self;

    /// Amount that a reset subtracts.
    const STEP: Self;

    /// `cost` in these units, if the largest packet costs at most half of a step.
    fn cost(cost: u128) -> Option<Self>;

    /// `number` in these units, if it fits.
    fn number(number: u128) -> Option<Self>;

    /// The number of the class.
    fn class(self) -> usize;

    /// The product, or the largest number.
    fn product(a: Self, b: u64) -> Self;

    /// As a double, rounded.
    fn as_f64(self) -> f64;

    /// The difference, or zero.
    fn less(self, other: Self) -> Self;

    /// In 128 bits.
    fn wide(self) -> u128;

    /// This time in another unit, rounded down: `units.1` are as long as `units.0` of the old one.
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
                // A time too long for the product is precise enough without its remainder.
                let scaled = tag.checked_mul(new).map_or(tag / old * new, |product| product / old);
                (scaled * UNIT) as $number
            }
        }
    };
}
tag!(u64);
tag!(u128);

/// A class and its head.
#[derive(Clone, Copy, Debug)]
pub struct Head<T> {
    /// Start of its head.
    pub start: T,
    /// Its finish and, in the last byte, the number of its class; [`Tag::NEVER`] if the class has no packets.
    pub finish: T,
    /// Cost of a byte.
    pub cost: T,
}

/// The classes and their heads.
#[derive(Clone, Debug)]
pub struct Heads<T>(Vec<Head<T>>);

impl<T: Tag> Heads<T> {
    /// Classes without packets, with these costs of a byte; `None` if they do not fit.
    pub fn new(costs: &[u128]) -> Option<Heads<T>> {
        let head = |cost: &u128| Some(Head { start: T::ZERO, finish: T::NEVER, cost: T::cost(*cost)? });
        costs.iter().map(head).collect::<Option<_>>().map(Heads)
    }

    /// The classes.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = &Head<T>> {
        self.0.iter()
    }

    /// By how many bytes of its own the head of each class starts after `clock`; not a number for a class without packets.
    pub fn leads(&self, clock: T) -> impl Iterator<Item = f64> + '_ {
        let lead = move |head: &Head<T>| match head.start >= clock {
            true => (head.start - clock).as_f64() / head.cost.as_f64(),
            false => -((clock - head.start).as_f64() / head.cost.as_f64()),
        };
        self.0.iter().map(move |head| if head.finish == T::NEVER { f64::NAN } else { lead(head) })
    }

    /// The earliest start of a head, if there is any.
    pub fn earliest(&self) -> Option<T> {
        self.0.iter().filter(|head| head.finish != T::NEVER).map(|head| head.start).min()
    }

    /// The class of the earliest start of a head, if there is any; among equals, the first class.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let heads = self.0.iter().enumerate().filter(|(_, head)| head.finish != T::NEVER);
        heads.min_by_key(|(_, head)| head.start).map(|(class, _)| class)
    }

    /// Where the head of class `class` starts, or its next packet would.
    #[inline]
    pub fn start(&self, class: usize) -> T {
        self.0[class].start
    }

    /// Whether no other class has packets.
    pub fn is_alone(&self, class: usize) -> bool {
        self.0.iter().enumerate().all(|(i, head)| i == class || head.finish == T::NEVER)
    }

    /// All classes start at the beginning again.
    pub fn begin_anew(&mut self) {
        self.0.iter_mut().for_each(|head| head.start = T::ZERO);
    }

    /// The class of the smallest finish of those that `may` go, if any.
    #[inline(always)]
    pub fn smallest(&self, may: impl Fn(&Head<T>) -> bool) -> Option<usize> {
        let finish = |head: &Head<T>| std::hint::select_unpredictable(may(head), head.finish, T::NEVER);
        let (fours, rest) = self.0.as_chunks::<4>();
        let smallest = rest.iter().fold(T::NEVER, |smallest, head| smallest.min(finish(head)));
        // In pairs: a minimum that waits for the one before takes as long as it has predecessors.
        let of_four = |[a, b, c, d]: &[Head<T>; 4]| finish(a).min(finish(b)).min(finish(c).min(finish(d)));
        let smallest = fours.iter().fold(smallest, |smallest, four| smallest.min(of_four(four)));
        (smallest != T::NEVER).then(|| smallest.class())
    }

    /// Class `class` has a packet, which starts at `earliest` or after its predecessor.
    #[inline]
    pub fn begin(&mut self, class: usize, earliest: T, state: &QueueState) {
        let head = &mut self.0[class];
        head.start = head.start.max(earliest);
        head.look(class, state);
    }

    /// The head of class `class`, of `size` bytes, leaves; returns when it finishes.
    #[inline(always)]
    pub fn leave(&mut self, class: usize, size: u32, state: &QueueState) -> T {
        debug_assert!(u64::from(size) <= LARGEST, "larger than any packet");
        let head = &mut self.0[class];
        head.start = head.start + T::from(size) * head.cost;
        head.look(class, state);
        head.start
    }

    /// The state of class `class` has changed otherwise.
    pub fn change(&mut self, class: usize, state: &QueueState) {
        self.0[class].look(class, state);
    }

    /// Takes other costs of a byte, in another unit of time: `units.1` are as long as `units.0` of the old one. Heads start where they
    /// did, as seen from `clock`, which is returned in the new unit. Nothing changes if the costs do not fit.
    pub fn take_costs(&mut self, costs: &[u128], units: (T, T), clock: T, queues: &[QueueState]) -> Option<T> {
        let costs: Vec<T> = costs.iter().map(|cost| T::cost(*cost)).collect::<Option<_>>()?;
        let origin = self.earliest().map_or(clock, |earliest| earliest.min(clock));
        for (class, ((head, cost), queue)) in self.0.iter_mut().zip(costs).zip(queues).enumerate() {
            (head.start, head.cost) = (head.start.less(origin).scaled(units), cost);
            head.look(class, queue);
        }
        Some(clock.less(origin).scaled(units))
    }

    /// The same in 128 bits.
    pub fn wide(&self) -> Heads<u128> {
        let finish = |head: &Head<T>| if head.finish == T::NEVER { u128::NEVER } else { head.finish.wide() };
        Heads(self.0.iter().map(|head| Head { start: head.start.wide(), finish: finish(head), cost: head.cost.wide() }).collect())
    }

    /// Sets all back by a step; the time is beyond [`Tag::FAR`]. A class without packets may have begun before, which is then
    /// the same as at the beginning.
    #[cold]
    pub fn set_back(&mut self) {
        for head in &mut self.0 {
            if head.finish != T::NEVER {
                // It would have to be behind by all that the largest packets of two classes cost.
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
        // Whether anything is left is anyone's guess: so no jump.
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
