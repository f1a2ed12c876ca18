//! When a host's open-loop sources send next.

use crate::endpoints::timing_wheel::{Leaver, Repeated, TimingWheel, Turn};
use crate::endpoints::wheel_pair::WheelPair;
use crate::port::MANY;
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A source that is due; simultaneous ones go by their tie (0 unless ties are random), then by flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When.
    pub at: Time,
    /// The order of ties.
    pub tie: u64,
    /// The flow's serial number.
    pub flow: u32,
    /// Its slot at the host.
    pub slot: u32,
}

/// The calendar of a host's sources.
///
/// Sources that send again after one and the same spacing keep their order, so they stand in a wheel: constant cost. A
/// source with a usual spacing, such as an on-off source, stands in its wheel while it keeps to that. Whatever does not fit
/// the order of its wheel waits in a heap.
#[derive(Debug)]
pub struct Emitter<N = ()> {
    wheels: Vec<TimingWheel<N>>,
    heap: BinaryHeap<Reverse<Due>>,
    /// The next one, which still stands in `at_wheel` or, if that is [`HEAP`], in the heap.
    first: Due,
    at_wheel: usize,
    /// When the first one that does not stand in that wheel sends.
    others: Time,
    ties: Option<Key>,
}

/// More spacings than this, and a search over wheels costs more than the heap.
const MOST_WHEELS: usize = 4;
/// In place of a wheel's number.
const HEAP: usize = usize::MAX;
const NOTHING: Due = Due { at: Time::NEVER, tie: u64::MAX, flow: u32::MAX, slot: u32::MAX };

impl<N> From<Turn<N>> for Due {
    /// Nothing in a wheel is tied at random.
    #[inline]
    fn from(Turn { at, flow, slot, .. }: Turn<N>) -> Due {
        Due { at, tie: 0, flow, slot }
    }
}

impl<N: Repeated> Emitter<N> {
    /// An empty calendar; `ties` orders simultaneous emissions at random.
    pub fn new(ties: Option<Key>) -> Emitter<N> {
        Emitter { wheels: Vec::new(), heap: BinaryHeap::new(), first: NOTHING, at_wheel: HEAP, others: Time::NEVER, ties }
    }

    /// Enters a source that sends next at `at`, with its spacing if it has a usual one.
    pub fn insert(&mut self, at: Time, flow: u32, slot: u32, spacing: Option<Duration>) {
        self.insert_repeating(at, flow, slot, spacing, None);
    }

    /// The same of a source that repeats `packet` at its spacing for ever, if it does.
    pub fn insert_repeating(&mut self, at: Time, flow: u32, slot: u32, spacing: Option<Duration>, packet: Option<N>) {
        if let Some(spacing) = spacing {
            self.expect(spacing, packet.is_some());
        }
        self.enter(Turn { at, flow, slot, next: packet.unwrap_or_default() }, spacing, packet.is_some());
        self.find_first();
    }

    /// When the next source sends.
    #[inline]
    pub fn next(&self) -> Time {
        self.first.at
    }

    /// The next source.
    #[inline]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Whether the first source stands in a wheel, so that [`Emitter::turn`] is for it.
    #[inline(always)]
    pub fn turns(&self) -> bool {
        self.at_wheel < self.wheels.len()
    }

    /// Whether the first source repeats one packet for ever, so that [`Emitter::repeat`] is for it.
    #[inline(always)]
    pub fn repeats(&self) -> bool {
        self.wheels.get(self.at_wheel).is_some_and(TimingWheel::repeats)
    }

    /// Lets sources repeat their packets that are due before `bound`, the first one whatever the bound and at most `most`, as
    /// long as they stand in its wheel and in this round; `send` takes them, and says how many it has taken. Returns that.
    #[inline(always)]
    pub fn repeat(&mut self, bound: Time, most: usize, send: impl FnOnce(&[Turn<N>]) -> usize) -> usize {
        let wheel = &mut self.wheels[self.at_wheel];
        let bound = bound.min(self.others);
        let (bound, most) = if bound > self.first.at { (bound, most) } else { (self.first.at.after(), 1) };
        let sent = send(wheel.due(bound, most));
        wheel.repeated(sent);
        match wheel.first() {
            Some(turn) if turn.at < self.others => self.first = Due::from(*turn),
            _ => self.find_first(),
        }
        sent
    }

    /// The same of two wheels in one go, if those that send next stand in two wheels and repeat their packets; `send` takes all
    /// that are due before `bound`, at most `most`. Returns how many these are: none if they are not that many that it pays.
    #[inline(always)]
    pub fn repeat_two(&mut self, bound: Time, most: usize, send: impl FnOnce(&mut WheelPair<'_, N>)) -> usize {
        if self.others >= bound || !self.repeats() {
            return 0;
        }
        let Some((second, others)) = self.second() else { return 0 };
        let both = [self.at_wheel, second];
        let mut together = WheelPair::new(both.map(|i| self.wheels[i].left()), bound.min(others), most);
        let due = together.due();
        if due < MANY {
            return 0;
        }
        send(&mut together);
        for (i, taken) in both.into_iter().zip(together.taken()) {
            self.wheels[i].repeated(taken);
        }
        self.find_first();
        due
    }

    /// The wheel that comes second, if its sources repeat their packets, and when the first source sends that stands neither
    /// there nor in the first one.
    fn second(&self) -> Option<(usize, Time)> {
        let (mut second, mut others) = (None, Time::NEVER);
        let mut next = self.heap.peek().map_or(Time::NEVER, |Reverse(due)| due.at);
        for (i, wheel) in self.wheels.iter().enumerate().filter(|(i, _)| *i != self.at_wheel) {
            let head = wheel.first().map_or(Time::NEVER, |turn| turn.at);
            others = others.min(head.max(next));
            if head < next {
                (second, next) = (wheel.repeats().then_some(i), head);
            }
        }
        second.map(|second| (second, others))
    }

    /// Lets the first source send, which stands in a wheel, and those that come next there and are due before `bound`, in
    /// this round. `send` is told when and which slot, and says when that source sends next, or never. Returns how many have
    /// sent.
    #[inline(always)]
    pub fn turn(&mut self, bound: Time, send: impl FnMut(Time, u32) -> Time) -> u64 {
        self.turn_some(bound, usize::MAX, send) as u64
    }

    /// The same of at most `most`.
    #[inline(always)]
    pub fn turn_some(&mut self, bound: Time, most: usize, send: impl FnMut(Time, u32) -> Time) -> usize {
        let wheel = &mut self.wheels[self.at_wheel];
        let (sent, leaver) = wheel.turn(bound.min(self.others), most, send);
        match (leaver, wheel.first()) {
            // What comes first in the wheel mostly comes first of all.
            (None, Some(turn)) if turn.at < self.others => self.first = Due::from(*turn),
            _ => self.settle(leaver),
        }
        sent
    }

    /// Moves the first source on to `next`, or out if that is never.
    #[inline(always)]
    pub fn first_goes_on(&mut self, next: Time) {
        self.first_repeats(next, None);
    }

    /// The same of a source that repeats `packet` at its spacing for ever, if it does.
    #[inline(always)]
    pub fn first_repeats(&mut self, next: Time, packet: Option<N>) {
        if self.repeats() {
            self.repeat(Time::ZERO, 1, |_| 1);
        } else if self.turns() {
            self.turn_some(Time::ZERO, 1, |_, _| next);
        } else {
            self.first_of_heap_goes_on(next, packet);
        }
    }

    fn first_of_heap_goes_on(&mut self, next: Time, packet: Option<N>) {
        let Some(Reverse(Due { at, flow, slot, .. })) = self.heap.pop() else { return };
        if next != Time::NEVER {
            let turn = Turn { at: next, flow, slot, next: packet.unwrap_or_default() };
            self.enter(turn, Some(next.since(at)), packet.is_some());
        }
        self.find_first();
    }

    /// Enters who has left its wheel, and finds out who is first.
    fn settle(&mut self, leaver: Option<Leaver<N>>) {
        if let Some(Leaver { turn, next }) = leaver.filter(|leaver| leaver.next != Time::NEVER) {
            self.enter(Turn { at: next, ..turn }, Some(next.since(turn.at)), false);
        }
        self.find_first();
    }

    /// Enters a source; into the wheel of its like that go on after `after`, if there is one and that stays sorted.
    fn enter(&mut self, turn: Turn<N>, after: Option<Duration>, repeats: bool) {
        let wheel = self.wheels.iter_mut().find(|wheel| after.is_some_and(|after| wheel.is_for(after, repeats)));
        if !wheel.is_some_and(|wheel| wheel.add(turn)) {
            let tie = self.ties.map_or(0, |key| key.hash([turn.at.as_ps(), u64::from(turn.flow)]));
            self.heap.push(Reverse(Due { tie, ..Due::from(turn) }));
        }
    }

    /// Makes a wheel for sources of this spacing; none under random ties, where simultaneous sources change their order.
    fn expect(&mut self, spacing: Duration, repeats: bool) {
        let is_new = !self.wheels.iter().any(|wheel| wheel.is_for(spacing, repeats));
        if is_new && self.wheels.len() < MOST_WHEELS && self.ties.is_none() {
            self.wheels.push(TimingWheel::new(spacing, repeats));
        }
    }

    fn find_first(&mut self) {
        (self.first, self.at_wheel) = (self.heap.peek().map_or(NOTHING, |Reverse(due)| *due), HEAP);
        self.others = Time::NEVER;
        for (i, wheel) in self.wheels.iter().enumerate() {
            let Some(due) = wheel.first().map(|turn| Due::from(*turn)) else { continue };
            let (due, later) = if due < self.first { (due, self.first.at) } else { (self.first, due.at) };
            if due != self.first {
                (self.first, self.at_wheel) = (due, i);
            }
            self.others = self.others.min(later);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::timing_wheel::Next;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wheels_and_heap_give_one_sorted_order(starts in prop::collection::vec((0u64..50, 1u64..7), 1..40)) {
            let mut emissions = Emitter::new(None);
            let packet = |flow: usize| flow.is_multiple_of(3).then(Next::default);
            for (flow, (start, period)) in starts.iter().enumerate() {
                emissions.insert_repeating(Time::from_ps(*start), flow as u32, 0, Some(Duration::from_ps(*period)), packet(flow));
            }
            let mut seen = Vec::new();
            while emissions.next() < Time::from_ps(100) {
                let due = emissions.first();
                prop_assert_eq!(due.at, emissions.next());
                if emissions.repeats() && due.flow.is_multiple_of(2) {
                    emissions.repeat(Time::from_ps(100), 5, |turns| {
                        seen.extend(turns.iter().map(|turn| (turn.at.as_ps(), turn.flow)));
                        turns.len()
                    });
                    continue;
                }
                seen.push((due.at.as_ps(), due.flow));
                emissions.first_repeats(due.at + Duration::from_ps(starts[due.flow as usize].1), packet(due.flow as usize));
            }
            let mut expected: Vec<(u64, u32)> = starts
                .iter()
                .enumerate()
                .flat_map(|(flow, &(start, period))| (start..100).step_by(period as usize).map(move |at| (at, flow as u32)))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }

        /// Whatever the two wheels hold, how many may be taken, and who else sends meanwhile.
        #[test]
        fn two_wheels_turn_together(
            starts in prop::collection::vec((0u64..60, 0usize..2), 8..40),
            most in 6usize..30,
            bounds in prop::collection::vec(1u64..90, 1..9),
            other in 0u64..300,
        ) {
            let periods = [60, 75];
            let mut sorted = starts;
            sorted.sort_unstable();
            let mut emissions = Emitter::new(None);
            for (flow, (start, kind)) in sorted.iter().enumerate() {
                let spacing = Some(Duration::from_ps(periods[*kind]));
                emissions.insert_repeating(Time::from_ps(*start), flow as u32, 0, spacing, Some(Next::default()));
            }
            emissions.insert(Time::from_ps(other), 99, 0, None);
            let (mut seen, mut bound) = (Vec::new(), 0);
            for step in bounds {
                bound += step;
                while emissions.next() < Time::from_ps(bound) {
                    let mut places = vec![(0, 0); most];
                    let both = emissions.repeat_two(Time::from_ps(bound), most, |together| {
                        together.take(&mut places[..together.due()], |place, turn| *place = (turn.at.as_ps(), turn.flow));
                    });
                    seen.extend_from_slice(&places[..both]);
                    if both == 0 {
                        let due = emissions.first();
                        seen.push((due.at.as_ps(), due.flow));
                        emissions.first_goes_on(Time::NEVER);
                    }
                }
            }
            let turns = |(flow, &(start, kind)): (usize, &(u64, usize))| {
                (start..bound).step_by(periods[kind] as usize).map(move |at| (at, flow as u32))
            };
            let mut expected: Vec<(u64, u32)> = sorted.iter().enumerate().flat_map(turns).collect();
            expected.extend((other < bound).then_some((other, 99)));
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
