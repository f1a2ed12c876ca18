//! The emission schedule of a host's open-loop sources.

use crate::merge::timing_wheel::{Successor, TimingWheel, WheelEntry};
use crate::merge::wheel_pair::WheelPair;
use crate::port::MIN_BATCH;
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a source sends next; simultaneous sources are ordered by `tie` (0 unless ties are random), then by flow.
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

/// The schedule of a host's open-loop sources.
///
/// Sources of equal spacing keep their order, so they are in a timing wheel, at constant cost. A source with a usual spacing,
/// such as an on-off source, is in its wheel while it keeps that spacing. A source that does not fit the order of its wheel
/// waits in a heap.
#[derive(Clone, Debug)]
pub struct Emitter<N = ()> {
    wheels: Vec<TimingWheel<N>>,
    heap: BinaryHeap<Reverse<Due>>,
    /// The source that sends next: the first entry of wheel `first_wheel` or, if that is [`HEAP`], of the heap.
    first: Due,
    first_wheel: usize,
    /// The time of the first source outside that wheel.
    next_elsewhere: Time,
    ties: Option<Key>,
}

/// With more spacings, the search over wheels costs more than the heap.
const MAX_WHEELS: usize = 4;
/// In place of a wheel's number.
const HEAP: usize = usize::MAX;
const NOTHING: Due = Due { at: Time::NEVER, tie: u64::MAX, flow: u32::MAX, slot: u32::MAX };

impl<N> From<WheelEntry<N>> for Due {
    /// Sources in a wheel have no random ties.
    #[inline]
    fn from(WheelEntry { at, flow, slot, .. }: WheelEntry<N>) -> Due {
        Due { at, tie: 0, flow, slot }
    }
}

impl<N: Successor> Emitter<N> {
    /// An empty schedule; `ties` orders simultaneous sources at random.
    pub fn new(ties: Option<Key>) -> Emitter<N> {
        Emitter { wheels: Vec::new(), heap: BinaryHeap::new(), first: NOTHING, first_wheel: HEAP, next_elsewhere: Time::NEVER, ties }
    }

    /// Enters a source that sends next at `at`, with its spacing if it has a usual one; `packet` is what it repeats without end, if it
    /// is periodic.
    pub fn insert(&mut self, at: Time, flow: u32, slot: u32, spacing: Option<Duration>, packet: Option<N>) {
        let periodic = packet.is_some();
        let is_new = |spacing: &Duration| !self.wheels.iter().any(|wheel| wheel.matches(*spacing, periodic));
        // There are none under random ties, where simultaneous sources change their order.
        if let Some(spacing) = spacing.filter(is_new).filter(|_| self.wheels.len() < MAX_WHEELS && self.ties.is_none()) {
            self.wheels.push(TimingWheel::new(spacing, periodic));
        }
        self.enter(WheelEntry { at, flow, slot, next: packet.unwrap_or_default() }, spacing, packet.is_some());
        self.find_first();
    }

    /// When the next source sends.
    #[inline]
    pub fn next(&self) -> Time {
        self.first.at
    }

    /// How many sources send before `until`.
    pub fn count_before(&self, until: Time) -> u64 {
        let in_wheels: usize = self.wheels.iter().map(|wheel| wheel.count_before(until)).sum();
        (in_wheels + self.heap.iter().filter(|Reverse(due)| due.at < until).count()) as u64
    }

    /// The next source.
    #[inline]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Whether the first source is in a wheel, so that [`Emitter::advance`] applies.
    #[inline(always)]
    pub fn first_is_in_wheel(&self) -> bool {
        self.first_wheel < self.wheels.len()
    }

    /// Whether the first source is periodic, so that [`Emitter::emit_periodic`] applies.
    #[inline(always)]
    pub fn first_is_periodic(&self) -> bool {
        self.wheels.get(self.first_wheel).is_some_and(|wheel| wheel.periodic)
    }

    /// Makes periodic sources send: the first one whatever the bound, then the sources of the same round of its wheel that are due before
    /// `bound`, at most `most` in all. `send` takes them and returns the number taken, which is returned here too.
    #[inline(always)]
    pub fn emit_periodic(&mut self, bound: Time, most: usize, send: impl FnOnce(&[WheelEntry<N>]) -> usize) -> usize {
        let wheel = &mut self.wheels[self.first_wheel];
        let bound = bound.min(self.next_elsewhere);
        let (bound, most) = if bound > self.first.at { (bound, most) } else { (self.first.at.after(), 1) };
        let sent = send(wheel.due(bound, most));
        wheel.advance_periodic(sent);
        self.find_next();
        sent
    }

    /// Makes the periodic sources of two wheels send, if the next ones are in two wheels; `send` takes all sources due before `bound`, at
    /// most `most`. Returns their number, or 0 if they are too few for merging to pay.
    #[inline(always)]
    pub fn emit_from_two_wheels(&mut self, bound: Time, most: usize, send: impl FnOnce(&mut WheelPair<'_, N>)) -> usize {
        if self.next_elsewhere >= bound || !self.first_is_periodic() {
            return 0;
        }
        let Some((second, others)) = self.second_wheel() else { return 0 };
        let wheels = [self.first_wheel, second];
        let mut pair = WheelPair::new(wheels.map(|i| self.wheels[i].remaining()), bound.min(others), most);
        let due = pair.due;
        if due < MIN_BATCH {
            return 0;
        }
        send(&mut pair);
        for (i, taken) in wheels.into_iter().zip(pair.taken) {
            self.wheels[i].advance_periodic(taken);
        }
        self.find_first();
        due
    }

    /// The wheel of the second source, if that is periodic, and the time of the first source outside both wheels.
    fn second_wheel(&self) -> Option<(usize, Time)> {
        let (mut second, mut others) = (None, Time::NEVER);
        let mut next = self.heap.peek().map_or(Time::NEVER, |Reverse(due)| due.at);
        for (i, wheel) in self.wheels.iter().enumerate().filter(|(i, _)| *i != self.first_wheel) {
            let head = wheel.first().map_or(Time::NEVER, |entry| entry.at);
            others = others.min(head.max(next));
            if head < next {
                (second, next) = (wheel.periodic.then_some(i), head);
            }
        }
        second.map(|second| (second, others))
    }

    /// Lets leading sources of the first source's wheel send that keep its spacing, at most `most`: `send` gets these, the time before which they
    /// may send, which is `bound` or earlier, and the spacing, and returns how many have, as does this.
    #[inline(always)]
    pub fn advance_repeating(&mut self, bound: Time, most: usize, send: impl FnOnce(&[WheelEntry<N>], Time, Duration) -> usize) -> usize {
        let wheel = &mut self.wheels[self.first_wheel];
        let entries = wheel.remaining();
        let sent = send(&entries[..entries.len().min(most)], bound.min(self.next_elsewhere), wheel.spacing);
        if sent > 0 {
            wheel.repeat(sent);
            self.find_next();
        }
        sent
    }

    /// Makes the first source send, which must be in a wheel, then the sources of the same round that are due before `bound`, at most
    /// `most` in all. `send` gets the time and the slot, and returns when that source sends next, or never. Returns the number of
    /// sources that have sent.
    #[inline(always)]
    pub fn advance(&mut self, bound: Time, most: usize, send: impl FnMut(Time, u32) -> Time) -> usize {
        let wheel = &mut self.wheels[self.first_wheel];
        let (sent, rescheduled) = wheel.advance(bound.min(self.next_elsewhere), most, send);
        match rescheduled {
            None => self.find_next(),
            Some((entry, next)) => {
                if next != Time::NEVER {
                    self.enter(WheelEntry { at: next, ..entry }, Some(next.since(entry.at)), false);
                }
                self.find_first();
            }
        }
        sent
    }

    /// Moves the first source, which is in the heap, to `next`, or removes it if that is never; `packet` is what it repeats without end, if
    /// it is periodic.
    pub fn reschedule_first(&mut self, next: Time, packet: Option<N>) {
        let Some(Reverse(Due { at, flow, slot, .. })) = self.heap.pop() else { return };
        if next != Time::NEVER {
            let entry = WheelEntry { at: next, flow, slot, next: packet.unwrap_or_default() };
            self.enter(entry, Some(next.since(at)), packet.is_some());
        }
        self.find_first();
    }

    /// Enters a source: into the wheel of spacing `after`, if there is one and it stays sorted, into the heap otherwise.
    fn enter(&mut self, entry: WheelEntry<N>, after: Option<Duration>, periodic: bool) {
        let wheel = self.wheels.iter_mut().find(|wheel| after.is_some_and(|after| wheel.matches(after, periodic)));
        if !wheel.is_some_and(|wheel| wheel.try_insert(entry)) {
            let tie = self.ties.map_or(0, |key| key.hash([entry.at.as_ps(), u64::from(entry.flow)]));
            self.heap.push(Reverse(Due { tie, ..Due::from(entry) }));
        }
    }

    /// Finds the first source after the first wheel has gone on: usually its next entry.
    #[inline(always)]
    fn find_next(&mut self) {
        match self.wheels[self.first_wheel].first() {
            Some(entry) if entry.at < self.next_elsewhere => self.first = Due::from(*entry),
            _ => self.find_first(),
        }
    }

    fn find_first(&mut self) {
        (self.first, self.first_wheel) = (self.heap.peek().map_or(NOTHING, |Reverse(due)| *due), HEAP);
        self.next_elsewhere = Time::NEVER;
        for (i, wheel) in self.wheels.iter().enumerate() {
            let Some(due) = wheel.first().map(|entry| Due::from(*entry)) else { continue };
            let (due, later) = if due < self.first { (due, self.first.at) } else { (self.first, due.at) };
            if due != self.first {
                (self.first, self.first_wheel) = (due, i);
            }
            self.next_elsewhere = self.next_elsewhere.min(later);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::periodic_packet::PeriodicPacket;
    use proptest::prelude::*;

    /// The first source sends, and sends next at `next`; it repeats `packet` if it is periodic.
    fn send_first(emitter: &mut Emitter<PeriodicPacket>, next: Time, packet: Option<PeriodicPacket>) {
        if emitter.first_is_periodic() {
            emitter.emit_periodic(Time::ZERO, 1, |_| 1);
        } else if emitter.first_is_in_wheel() {
            emitter.advance(Time::ZERO, 1, |_, _| next);
        } else {
            emitter.reschedule_first(next, packet);
        }
    }

    proptest! {
        #[test]
        fn wheels_and_heap_give_one_sorted_order(starts in prop::collection::vec((0u64..50, 1u64..7), 1..40)) {
            let mut emitter = Emitter::new(None);
            let packet = |flow: usize| flow.is_multiple_of(3).then(PeriodicPacket::default);
            for (flow, (start, period)) in starts.iter().enumerate() {
                emitter.insert(Time::from_ps(*start), flow as u32, 0, Some(Duration::from_ps(*period)), packet(flow));
            }
            let mut seen = Vec::new();
            while emitter.next() < Time::from_ps(100) {
                let due = emitter.first();
                prop_assert_eq!(due.at, emitter.next());
                if emitter.first_is_periodic() && due.flow.is_multiple_of(2) {
                    emitter.emit_periodic(Time::from_ps(100), 5, |entries| {
                        seen.extend(entries.iter().map(|entry| (entry.at.as_ps(), entry.flow)));
                        entries.len()
                    });
                    continue;
                }
                seen.push((due.at.as_ps(), due.flow));
                let next = due.at + Duration::from_ps(starts[due.flow as usize].1);
                send_first(&mut emitter, next, packet(due.flow as usize));
            }
            let mut expected: Vec<(u64, u32)> = starts
                .iter()
                .enumerate()
                .flat_map(|(flow, &(start, period))| (start..100).step_by(period as usize).map(move |at| (at, flow as u32)))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }

        /// For any content of two wheels, any limits, and another source in between.
        #[test]
        fn two_wheels_are_merged(
            starts in prop::collection::vec((0u64..60, 0usize..2), 8..40),
            most in 6usize..30,
            bounds in prop::collection::vec(1u64..90, 1..9),
            other in 0u64..300,
        ) {
            let periods = [60, 75];
            let mut sorted = starts;
            sorted.sort_unstable();
            let mut emitter = Emitter::new(None);
            for (flow, (start, kind)) in sorted.iter().enumerate() {
                let spacing = Some(Duration::from_ps(periods[*kind]));
                emitter.insert(Time::from_ps(*start), flow as u32, 0, spacing, Some(PeriodicPacket::default()));
            }
            emitter.insert(Time::from_ps(other), 99, 0, None, None);
            let (mut seen, mut bound) = (Vec::new(), 0);
            for step in bounds {
                bound += step;
                while emitter.next() < Time::from_ps(bound) {
                    let mut slots = vec![(0, 0); most];
                    let both = emitter.emit_from_two_wheels(Time::from_ps(bound), most, |pair| {
                        pair.take(&mut slots[..pair.due], |slot, entry| *slot = (entry.at.as_ps(), entry.flow));
                    });
                    seen.extend_from_slice(&slots[..both]);
                    if both == 0 {
                        let due = emitter.first();
                        seen.push((due.at.as_ps(), due.flow));
                        send_first(&mut emitter, Time::NEVER, None);
                    }
                }
            }
            let sent_by = |(flow, &(start, kind)): (usize, &(u64, usize))| {
                (start..bound).step_by(periods[kind] as usize).map(move |at| (at, flow as u32))
            };
            let mut expected: Vec<(u64, u32)> = sorted.iter().enumerate().flat_map(sent_by).collect();
            expected.extend((other < bound).then_some((other, 99)));
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
