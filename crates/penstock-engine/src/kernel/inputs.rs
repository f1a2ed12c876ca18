//! The inputs of a process: packets and messages in flight to it, merged in order of time.

use crate::kernel::event::Arrival;
use crate::kernel::message::Mailbox;
use crate::merge::batch_sort::BatchSort;
use crate::merge::calendar::Calendar;
use crate::merge::random_ties::RandomTies;
use crate::merge::ring::Ring;
use penstock_model::rng::Key;
use penstock_model::units::Time;

/// All inputs of one process: one channel per sender, and a mailbox for messages.
///
/// Simultaneous arrivals are ordered by the number of the input, then by order of sending; with random ties, by a hash.
#[derive(Clone, Debug)]
pub struct Inputs {
    arrivals: Arrivals,
    mailbox: Mailbox,
    /// Whether a path of messages ends here.
    pub receives_messages: bool,
}

/// Maximum number of arrivals that [`Inputs::front`] returns: a search among them costs the same however many packets a link holds.
pub const MAX_FRONT: usize = 512;

/// How the inputs are merged.
#[derive(Clone, Debug)]
#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
enum Arrivals {
    /// At most one input, on which no packet overtakes another.
    Single(Ring<Arrival>),
    /// Several FIFO inputs, sorted in batches.
    Several(Box<BatchSort<Arrival>>),
    /// Many inputs, or inputs on which packets may overtake each other.
    Ordered(Box<Calendar<Arrival>>),
    /// Ties are ordered by a hash of time, input and the number of packets that the input has delivered.
    Random(RandomTies<Arrival>),
}

impl Inputs {
    /// Creates inputs for channels that may (`true`) or may not reorder; `ties` is the key of the tie hashes, if ties are random.
    pub fn new(reordering: &[bool], ties: Option<Key>) -> Inputs {
        let inputs = reordering.len();
        let overtakes = reordering.contains(&true);
        let arrivals = match (reordering, ties) {
            ([] | [false], _) => Arrivals::Single(Ring::default()),
            ([_, _, ..], Some(key)) => Arrivals::Random(RandomTies::new(inputs, key)),
            _ if inputs <= BatchSort::<Arrival>::MAX_INPUTS && !overtakes => Arrivals::Several(Box::new(BatchSort::new(inputs))),
            _ => Arrivals::Ordered(Box::default()),
        };
        Inputs { arrivals, mailbox: Mailbox::default(), receives_messages: false }
    }

    /// Returns the messages in flight to this process.
    #[inline]
    pub fn mailbox(&mut self) -> &mut Mailbox {
        debug_assert!(self.receives_messages, "paths of messages are declared");
        &mut self.mailbox
    }

    /// Returns the arrival time of the next message; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next_message(&self) -> Time {
        self.mailbox.next()
    }

    /// Returns the arrival time of the next packet; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next(&self) -> Time {
        match &self.arrivals {
            Arrivals::Single(ring) => ring.first().map_or(Time::NEVER, |arrival| arrival.at),
            Arrivals::Several(batches) => batches.next(),
            Arrivals::Ordered(calendar) => calendar.next(),
            Arrivals::Random(random) => random.next(),
        }
    }

    /// Returns the next arrivals in order, as many as are contiguous, at most [`MAX_FRONT`]; empty only if there are none up to and
    /// including `until`. Before any other change of the inputs, take all arrivals until then, or call [`Inputs::pause`].
    #[inline]
    pub fn front(&mut self, until: Time) -> &[Arrival] {
        let front = match &mut self.arrivals {
            Arrivals::Single(ring) => ring.front(),
            Arrivals::Several(batches) => return batches.front(until),
            Arrivals::Ordered(calendar) => calendar.front(),
            Arrivals::Random(random) => return random.front(),
        };
        &front[..front.len().min(MAX_FRONT)]
    }

    /// Ends a visit before all due arrivals have been taken; arrivals added afterwards must be later than these.
    /// Returns the arrival time of the next packet.
    #[cold]
    #[inline(never)]
    pub fn pause(&mut self) -> Time {
        if let Arrivals::Several(batches) = &mut self.arrivals {
            batches.pause();
        }
        self.next()
    }

    /// Takes the first `count` of [`Inputs::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        match &mut self.arrivals {
            Arrivals::Single(ring) => ring.consume(count),
            Arrivals::Several(batches) => batches.consume(count),
            Arrivals::Ordered(calendar) => calendar.consume(count),
            Arrivals::Random(random) => (0..count).for_each(|_| random.pop()),
        }
    }

    /// Adds an arrival at `at`, which `write` writes in place; returns whether it may precede all others.
    #[inline(always)]
    pub(super) fn push(&mut self, input: usize, at: Time, write: impl FnOnce(&mut Arrival)) -> bool {
        let (slot, is_first) = match &mut self.arrivals {
            Arrivals::Single(ring) => {
                debug_assert!(ring.last().is_none_or(|last| last.at <= at), "the only input stays sorted");
                let is_first = ring.len() == 0;
                (ring.add(), is_first)
            }
            Arrivals::Several(batches) => batches.add(input, at),
            Arrivals::Ordered(calendar) => {
                let is_first = at < calendar.next();
                (calendar.add(input, at), is_first)
            }
            Arrivals::Random(random) => {
                let mut arrival = Arrival::default();
                write(&mut arrival);
                return random.push(input, arrival);
            }
        };
        write(slot);
        is_first
    }

    /// Returns the queue of one input, to append arrivals in order; `None` if inputs share a structure. Call [`Inputs::update_head`]
    /// afterwards if the queue was empty.
    #[inline]
    pub fn queue(&mut self, input: usize) -> Option<&mut Ring<Arrival>> {
        match &mut self.arrivals {
            Arrivals::Single(ring) => Some(ring),
            Arrivals::Several(batches) => Some(batches.queue(input)),
            Arrivals::Ordered(_) | Arrivals::Random(_) => None,
        }
    }

    /// Updates the merge after packets were added to the queue of `input`, which was empty.
    pub(super) fn update_head(&mut self, input: usize) {
        match &mut self.arrivals {
            Arrivals::Several(batches) => batches.update_head(input),
            Arrivals::Single(_) | Arrivals::Ordered(_) | Arrivals::Random(_) => {}
        }
    }

    /// Adds an arrival that another shard has sent.
    pub fn add(&mut self, input: usize, arrival: &Arrival) {
        self.push(input, arrival.at, |slot| *slot = *arrival);
    }

    /// Returns whether ties are ordered by a hash, which depends on the number of packets that each input has delivered before.
    pub fn have_random_ties(&self) -> bool {
        matches!(self.arrivals, Arrivals::Random(_))
    }

    /// Takes all arrivals, in order.
    pub fn drain(&mut self, mut take: impl FnMut(&Arrival)) {
        loop {
            let front = self.front(Time::NEVER.before());
            if front.is_empty() {
                return;
            }
            front.iter().for_each(&mut take);
            let count = front.len();
            self.consume(count);
        }
    }

    /// Exchanges the mailboxes of two processes' inputs.
    #[inline]
    pub fn swap_mailbox(&mut self, other: &mut Inputs) {
        std::mem::swap(&mut self.mailbox, &mut other.mailbox);
    }

    /// Returns the number of packets in flight to this process; for the conservation checks.
    pub fn len(&self) -> usize {
        match &self.arrivals {
            Arrivals::Single(ring) => ring.len(),
            Arrivals::Several(batches) => batches.len(),
            Arrivals::Ordered(calendar) => calendar.len(),
            Arrivals::Random(random) => random.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many inputs there are, arrivals come by time, then by input.
    #[test]
    fn arrivals_of_many_inputs_come_in_order() {
        for inputs in [1, 2, BatchSort::<Arrival>::MAX_INPUTS, BatchSort::<Arrival>::MAX_INPUTS + 1] {
            let mut merged = Inputs::new(&vec![false; inputs], None);
            let mut expected = Vec::new();
            for number in 0..3 * inputs as u32 {
                // Neighbours arrive together, the earlier input after the later one.
                let (round, input) = (number / inputs as u32, inputs - 1 - number as usize % inputs);
                let mut arrival = Arrival { at: Time::from_ps(u64::from(round) * 1_000 + input as u64 / 2), ..Arrival::PLACEHOLDER };
                arrival.packet.size = number;
                merged.add(input, &arrival);
                expected.push((arrival.at, input, number));
            }
            expected.sort_unstable();
            let mut taken = Vec::new();
            merged.drain(|arrival| taken.push(arrival.packet.size));
            assert_eq!(taken, expected.iter().map(|(.., number)| *number).collect::<Vec<_>>(), "{inputs} inputs");
        }
    }
}
