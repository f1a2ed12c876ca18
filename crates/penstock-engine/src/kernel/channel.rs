//! Channels: how processes meet. A packet put into one arrives later, never at once in another's state.

use crate::endpoints::calls::departures::Departing;
use crate::executor::lookahead::Lookahead;
use crate::kernel::message::{Mailbox, Message};
use crate::kernel::outbox::Outbox;
use crate::merge::batch_sort::BatchSort;
use crate::merge::calendar::{Calendar, Timed};
use crate::merge::k_way::KWayMerge;
use crate::merge::random_ties::RandomTies;
use crate::merge::ring::Ring;
use penstock_model::id::{FlowId, HopId, ProcessId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::pcn_meter::Metered;
use penstock_model::rng::Key;
use penstock_model::units::Time;

/// An arrival waiting for its time.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When the packet has been received completely.
    pub at: Time,
    /// The packet.
    pub packet: Packet,
}

impl Arrival {
    /// Something to write over.
    pub const NOTHING: Arrival = {
        let packet = Packet {
            created: Time::NEVER,
            flow: FlowId(u32::MAX),
            hop: HopId(u32::MAX),
            size: 0,
            precedence: 0,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body: Body::Syn { ecn: false },
        };
        Arrival { at: Time::NEVER, packet }
    };
}

impl Default for Arrival {
    fn default() -> Arrival {
        Arrival::NOTHING
    }
}

impl Timed for Arrival {
    #[inline]
    fn at(&self) -> Time {
        self.at
    }
}

impl Metered for Arrival {
    #[inline(always)]
    fn at(&self) -> Time {
        self.at
    }

    #[inline(always)]
    fn packet(&mut self) -> &mut Packet {
        &mut self.packet
    }
}

impl Arrival {
    /// Becomes the arrival of `packet` at `at`, as it is but for where it is now going and what PCN meters have made of it.
    #[inline(always)]
    pub fn pass(&mut self, at: Time, packet: &Packet, hop: HopId, pcn: PcnMark) {
        self.at = at;
        self.packet = *packet;
        self.packet.hop = hop;
        self.packet.pcn = pcn;
    }

    /// Becomes the arrival of `packet` at `at`, with `written` in it: field by field, since the fields have just been
    /// computed and a copy of the whole would have to wait for them in memory.
    #[inline(always)]
    pub fn write(&mut self, at: Time, packet: &Packet, written: Written) {
        let Packet { created, flow, size, precedence, class, body, .. } = *packet;
        let Written { hop, ecn, pcn } = written;
        self.at = at;
        self.packet = Packet { created, flow, hop, size, precedence, class, ecn, pcn, body };
    }
}

/// What a port writes into a packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Where it is now going.
    pub hop: HopId,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// What PCN meters have made of it.
    pub pcn: PcnMark,
}

/// All inputs of one process, and what is due first.
///
/// Simultaneous arrivals are ordered by the input's number, then in the sender's order; or, with random ties, by a hash.
#[derive(Debug)]
pub struct Inputs {
    arrivals: Arrivals,
    mailbox: Mailbox,
}

/// How the inputs are merged.
#[derive(Debug)]
#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
enum Arrivals {
    /// There is one input, and nothing overtakes.
    Single(Ring<Arrival>),
    /// There are a few, and nothing overtakes.
    Few(KWayMerge),
    /// There are some more, and nothing overtakes.
    Several(Box<BatchSort>),
    /// Ties go to the lower input.
    Ordered(Box<Calendar<Arrival>>),
    /// Ties are ordered by a hash of time, input and how many the input has delivered.
    Random(RandomTies),
}

impl Inputs {
    /// Inputs for channels that may (`true`) or may not reorder; `ties` is the key of the tie hashes, if ties are random.
    pub fn new(reordering: &[bool], ties: Option<Key>) -> Inputs {
        let inputs = reordering.len();
        let overtakes = reordering.contains(&true);
        let arrivals = match (reordering, ties) {
            ([] | [false], _) => Arrivals::Single(Ring::default()),
            ([_, _, ..], Some(key)) => Arrivals::Random(RandomTies::new(inputs, key)),
            _ if inputs <= KWayMerge::MOST && !overtakes => Arrivals::Few(KWayMerge::new(inputs)),
            _ if inputs <= BatchSort::MOST && !overtakes => Arrivals::Several(Box::new(BatchSort::new(inputs))),
            _ => Arrivals::Ordered(Box::default()),
        };
        Inputs { arrivals, mailbox: Mailbox::default() }
    }

    /// Messages on their way here.
    #[inline]
    pub fn mailbox(&mut self) -> &mut Mailbox {
        &mut self.mailbox
    }

    /// When the next message arrives.
    #[inline]
    pub fn next_message(&self) -> Time {
        self.mailbox.next()
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Time {
        match &self.arrivals {
            Arrivals::Single(ring) => ring.first().map_or(Time::NEVER, |arrival| arrival.at),
            Arrivals::Few(merged) => merged.next(),
            Arrivals::Several(gathered) => gathered.next(),
            Arrivals::Ordered(calendar) => calendar.next(),
            Arrivals::Random(shuffled) => shuffled.next(),
        }
    }

    /// Arrivals from the next one on, in order, as many as are at hand; none only if there are none up to and including
    /// `until`. Those until then must be taken before anything else happens to the inputs.
    #[inline]
    pub fn front(&mut self, until: Time) -> &[Arrival] {
        match &mut self.arrivals {
            Arrivals::Single(ring) => ring.front(),
            Arrivals::Few(merged) => merged.front(),
            Arrivals::Several(gathered) => gathered.front(until),
            Arrivals::Ordered(calendar) => calendar.front(),
            Arrivals::Random(shuffled) => shuffled.front(),
        }
    }

    /// The inputs as two, if that is what they are and nothing overtakes.
    #[inline]
    pub fn pair(&mut self) -> Option<&mut KWayMerge> {
        match &mut self.arrivals {
            Arrivals::Few(merged) if merged.are_two() => Some(merged),
            _ => None,
        }
    }

    /// Takes the first `count` of [`Inputs::front`].
    #[inline]
    pub fn consume(&mut self, count: usize) {
        match &mut self.arrivals {
            Arrivals::Single(ring) => ring.consume(count),
            Arrivals::Few(merged) => merged.consume(count),
            Arrivals::Several(gathered) => gathered.consume(count),
            Arrivals::Ordered(calendar) => calendar.consume(count),
            Arrivals::Random(shuffled) => (0..count).for_each(|_| shuffled.pop()),
        }
    }

    /// Adds an arrival at `at`, which `write` writes into its place; tells whether it may come before all others.
    #[inline(always)]
    fn push(&mut self, input: usize, at: Time, write: impl FnOnce(&mut Arrival)) -> bool {
        let (place, is_first) = match &mut self.arrivals {
            Arrivals::Single(ring) => {
                debug_assert!(ring.last().is_none_or(|last| last.at <= at), "the only input stays sorted");
                let is_first = ring.len() == 0;
                (ring.add(), is_first)
            }
            Arrivals::Few(merged) => merged.add(input, at),
            Arrivals::Several(gathered) => gathered.add(input, at),
            Arrivals::Ordered(calendar) => {
                let is_first = at < calendar.next();
                (calendar.add(input, at), is_first)
            }
            Arrivals::Random(shuffled) => {
                let mut arrival = Arrival::default();
                write(&mut arrival);
                return shuffled.push(input, arrival);
            }
        };
        write(place);
        is_first
    }

    /// The queue of one input, to add many arrivals in order, and whether it is empty; `None` if it has none of its own.
    /// Then [`Inputs::settle`].
    #[inline]
    fn queue(&mut self, input: usize) -> Option<&mut Ring<Arrival>> {
        match &mut self.arrivals {
            Arrivals::Single(ring) => Some(ring),
            Arrivals::Few(merged) => Some(merged.queue(input)),
            Arrivals::Several(gathered) => Some(gathered.queue(input)),
            Arrivals::Ordered(_) | Arrivals::Random(_) => None,
        }
    }

    /// Takes note of what has been added to the queue of `input`, which was empty.
    fn settle(&mut self, input: usize) {
        match &mut self.arrivals {
            Arrivals::Few(merged) => merged.settle(input),
            Arrivals::Several(gathered) => gathered.settle(input),
            Arrivals::Single(_) | Arrivals::Ordered(_) | Arrivals::Random(_) => {}
        }
    }

    /// Adds an arrival that was written down elsewhere.
    pub fn add(&mut self, input: usize, arrival: &Arrival) {
        self.push(input, arrival.at, |place| *place = *arrival);
    }

    /// Packets under way to this process; for the conservation checks.
    pub fn len(&self) -> usize {
        match &self.arrivals {
            Arrivals::Single(ring) => ring.len(),
            Arrivals::Few(merged) => merged.len(),
            Arrivals::Several(gathered) => gathered.len(),
            Arrivals::Ordered(calendar) => calendar.len(),
            Arrivals::Random(shuffled) => shuffled.len(),
        }
    }
}

/// Where a process puts what it sends: the other processes' inputs, or a bag if they are on another core.
pub struct Outputs<'a> {
    /// The number of the first process whose inputs are at hand.
    first: usize,
    inputs: &'a mut [Option<Box<Inputs>>],
    horizon: &'a mut Lookahead,
    outbox: &'a mut Outbox,
    /// Room for what an aggregate of calls sends; empty but while it does.
    pub train: &'a mut Vec<Departing>,
}

/// The way to one input of a process, looked up once for many packets.
pub struct Way<'a> {
    process: ProcessId,
    place: usize,
    input: usize,
    /// `None` if they are on another core.
    inputs: Option<&'a mut Inputs>,
    horizon: &'a mut Lookahead,
    outbox: &'a mut Outbox,
}

impl Way<'_> {
    /// Sends what `write` writes, to arrive at `at`.
    #[inline(always)]
    pub fn send(&mut self, at: Time, write: impl FnOnce(&mut Arrival)) {
        match &mut self.inputs {
            Some(inputs) => {
                if inputs.push(self.input, at, write) {
                    self.horizon.announce(self.place, at);
                }
            }
            None => write(self.outbox.add(self.process, self.input as u32, at)),
        }
    }
}

const TO_ITSELF: &str = "no process sends to itself";

impl<'a> Outputs<'a> {
    /// Outputs into `inputs`, those of the processes from number `first` on; `horizon` hears of what becomes due earlier,
    /// `away` takes what goes to other processes, and `train` is empty.
    pub fn new(
        first: usize,
        inputs: &'a mut [Option<Box<Inputs>>],
        horizon: &'a mut Lookahead,
        outbox: &'a mut Outbox,
        train: &'a mut Vec<Departing>,
    ) -> Outputs<'a> {
        Outputs { first, inputs, horizon, outbox, train }
    }

    /// The way to input `input` of `process`, which is not the sender.
    #[inline]
    pub fn way(&mut self, process: ProcessId, input: u32) -> Way<'_> {
        let place = process.index().wrapping_sub(self.first);
        let inputs = self.inputs.get_mut(place).map(|inputs| inputs.as_deref_mut().expect(TO_ITSELF));
        Way { process, place, input: input as usize, inputs, horizon: self.horizon, outbox: self.outbox }
    }

    /// Sends what `write` writes, to arrive at `at` at input `input` of `process`, which is not the sender.
    #[inline(always)]
    pub fn send(&mut self, process: ProcessId, input: u32, at: Time, write: impl FnOnce(&mut Arrival)) {
        let place = process.index().wrapping_sub(self.first);
        let Some(inputs) = self.inputs.get_mut(place) else {
            return write(self.outbox.add(process, input, at));
        };
        if inputs.as_mut().expect(TO_ITSELF).push(input as usize, at, write) {
            self.horizon.announce(place, at);
        }
    }

    /// The queue of input `input` of `process`, to put many arrivals there in order; `None` if they must be sent one by one.
    /// Call [`Outputs::sent_first`] afterwards if it was empty.
    #[inline]
    pub fn queue(&mut self, process: ProcessId, input: u32) -> Option<&mut Ring<Arrival>> {
        let place = process.index().wrapping_sub(self.first);
        self.inputs.get_mut(place)?.as_mut().expect(TO_ITSELF).queue(input as usize)
    }

    /// Says that there is now something in the queue of input `input` of `process`.
    #[inline]
    pub fn sent_first(&mut self, process: ProcessId, input: u32) {
        let place = process.index() - self.first;
        let inputs = self.inputs[place].as_mut().expect(TO_ITSELF);
        inputs.settle(input as usize);
        self.horizon.announce(place, inputs.next());
    }

    /// The same if there may be.
    #[inline]
    pub fn sent_if_any(&mut self, process: ProcessId, input: u32) {
        if self.queue(process, input).is_some_and(|queue| queue.len() > 0) {
            self.sent_first(process, input);
        }
    }

    /// Sends `message`, which says when it arrives, to `process`.
    pub fn tell(&mut self, process: ProcessId, message: Message) {
        let place = process.index().wrapping_sub(self.first);
        let Some(inputs) = self.inputs.get_mut(place) else {
            return self.outbox.tell(process, message);
        };
        inputs.as_mut().expect(TO_ITSELF).mailbox.push(message);
        self.horizon.announce(place, message.at);
    }
}
