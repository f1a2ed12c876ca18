//! Flow queues selected by a hash of the flow and served in turns of a quantum. Several fair-queueing schedulers use them.

use super::{QueueState, SchedulerContext, Turn};
use crate::packet::Packet;
use crate::parameters::{Count, Limit, PacketLimit, Quantum};
use crate::rng::Key;

/// Maximum number of queues, as in Linux.
const MOST_FLOWS: u32 = 65_536;

/// Marks the absence of a queue.
const NONE: u32 = u32::MAX;

/// Checks the number of queues.
pub(super) fn check_flows(flows: Count, mistake: &mut dyn FnMut(&str, String)) {
    if flows.0 > MOST_FLOWS {
        mistake("flows", format!("{} are more queues than a port keeps; at most {MOST_FLOWS}", flows.0));
    }
}

/// Limit of one queue: one more than that of all queues, since an arrival at the common limit is queued before packets are dropped for it.
pub(super) fn one_more(limit: PacketLimit) -> Limit {
    Limit::Packets(limit.0.saturating_add(1))
}

/// Position at which a queue becomes active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newcomers {
    /// At the end of a separate list, which is served first [RFC8290 s4.2].
    GoFirst,
    /// At the end of the round.
    GoLast,
}

/// Queues selected by the hash of the flow and served in turns of a quantum.
#[derive(Clone, Debug)]
pub(super) struct FlowQueues {
    /// Seed of the hash of flows.
    pub seed: Key,
    newcomers: Newcomers,
    quantum: i64,
    limit: u32,
    /// Queue of each hash value; [`NONE`] if it has no queue.
    queue_of: Vec<u32>,
    queues: Vec<FlowQueue>,
    new: List,
    old: List,
    /// Number of packets waiting in all queues.
    waiting: u32,
}

#[derive(Clone, Copy, Debug)]
struct FlowQueue {
    credits: i64,
    is_listed: bool,
    /// Next queue in the same list.
    next: u32,
}

/// Linked list of queues in the order of their turns.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

impl List {
    const EMPTY: List = List { first: NONE, last: NONE };

    fn push(&mut self, queues: &mut [FlowQueue], queue: u32) {
        queues[queue as usize].next = NONE;
        match self.last {
            NONE => self.first = queue,
            last => queues[last as usize].next = queue,
        }
        self.last = queue;
    }

    fn pop(&mut self, queues: &[FlowQueue]) {
        self.first = queues[self.first as usize].next;
        if self.first == NONE {
            self.last = NONE;
        }
    }

    fn iter(self, queues: &[FlowQueue]) -> impl Iterator<Item = u32> + '_ {
        let known = |queue: u32| (queue != NONE).then_some(queue);
        std::iter::successors(known(self.first), move |queue| known(queues[*queue as usize].next))
    }

    /// Removes a queue of the list.
    fn remove(&mut self, queues: &mut [FlowQueue], queue: u32) {
        if self.first == queue {
            return self.pop(queues);
        }
        let before = self.iter(queues).find(|before| queues[*before as usize].next == queue).expect("it is in the list");
        queues[before as usize].next = queues[queue as usize].next;
        if self.last == queue {
            self.last = before;
        }
    }
}

impl FlowQueues {
    /// Creates the state without any queue.
    pub fn new((quantum, flows, limit): (Quantum, Count, PacketLimit), newcomers: Newcomers, context: &SchedulerContext) -> FlowQueues {
        FlowQueues {
            seed: context.site.key.child("flow-hash"),
            newcomers,
            quantum: quantum.get() as i64,
            limit: limit.0,
            queue_of: vec![NONE; flows.0 as usize],
            queues: Vec::new(),
            new: List::EMPTY,
            old: List::EMPTY,
            waiting: 0,
        }
    }

    /// Queue of a flow with this hash. A new queue gets the next number.
    pub fn queue_of_hash(&mut self, hash: u64) -> usize {
        let place = (hash % self.queue_of.len() as u64) as usize;
        if self.queue_of[place] == NONE {
            self.queue_of[place] = self.queues.len() as u32;
            self.queues.push(FlowQueue { credits: 0, is_listed: false, next: NONE });
        }
        self.queue_of[place] as usize
    }

    /// The queue of a packet.
    pub fn classify(&mut self, packet: &Packet) -> usize {
        self.queue_of_hash(self.seed.hash([u64::from(packet.flow.0), 0]))
    }

    /// Whether more packets than the limit wait.
    pub fn is_over_limit(&self) -> bool {
        self.waiting > self.limit
    }

    /// Whether another packet would exceed the limit.
    pub fn is_full(&self) -> bool {
        self.waiting >= self.limit
    }

    /// Credit of each queue; negative if the queue owes.
    pub fn credits(&self) -> impl Iterator<Item = f64> + '_ {
        self.queues.iter().map(|queue| queue.credits as f64)
    }

    /// Changes the quantum.
    pub fn set_quantum(&mut self, quantum: Quantum) {
        self.quantum = quantum.get() as i64;
    }

    /// Records that a packet has joined a queue.
    pub fn on_packet(&mut self, queue: usize) {
        self.waiting += 1;
        if !self.queues[queue].is_listed {
            self.queues[queue] = FlowQueue { credits: self.quantum, is_listed: true, next: NONE };
            let list = match self.newcomers {
                Newcomers::GoFirst => &mut self.new,
                Newcomers::GoLast => &mut self.old,
            };
            list.push(&mut self.queues, queue as u32);
        }
    }

    /// Records that a packet of a queue is sent.
    pub fn on_sent(&mut self, queue: usize, size: u32) {
        self.waiting -= 1;
        self.queues[queue].credits -= i64::from(size);
    }

    /// Records that a waiting packet was dropped.
    pub fn on_drop(&mut self) {
        self.waiting -= 1;
    }

    /// Removes a queue without packets from the round. Only if all newcomers go last.
    pub fn leave_round(&mut self, queue: usize) {
        debug_assert_eq!(self.newcomers, Newcomers::GoLast);
        if std::mem::take(&mut self.queues[queue].is_listed) {
            self.old.remove(&mut self.queues, queue as u32);
        }
    }

    /// Queues of the round in order.
    pub fn round(&self) -> impl Iterator<Item = usize> + '_ {
        self.old.iter(&self.queues).map(|queue| queue as usize)
    }

    /// Makes all queues inactive, since the port has been idle.
    pub fn on_idle(&mut self) {
        self.queues.iter_mut().for_each(|queue| queue.is_listed = false);
        (self.new, self.old) = (List::EMPTY, List::EMPTY);
    }

    /// Whether a queue is in the list of old queues, and no other is new.
    #[cfg(test)]
    pub fn is_old(&self, queue: usize) -> bool {
        self.queues[queue].is_listed && self.new.first == NONE
    }

    /// Selects the queue that sends next.
    pub fn next(&mut self, queues: &[QueueState]) -> Turn {
        loop {
            // After this number of steps, every queue has had its turn on both lists.
            for _ in 0..=2 * self.queues.len() {
                let is_new = self.new.first != NONE;
                let list = if is_new { &mut self.new } else { &mut self.old };
                let first = list.first;
                assert!(first != NONE, "asked only while a queue has a packet");
                let queue = &mut self.queues[first as usize];
                if queue.credits <= 0 {
                    queue.credits += self.quantum;
                    list.pop(&self.queues);
                    self.old.push(&mut self.queues, first);
                } else if queues[first as usize].packets > 0 {
                    return Turn::Queue(first as usize);
                } else if is_new {
                    // An empty new queue waits for another turn as an old one. Otherwise a flow with one packet at a time would always be
                    // new.
                    list.pop(&self.queues);
                    self.old.push(&mut self.queues, first);
                } else {
                    queue.is_listed = false;
                    list.pop(&self.queues);
                }
            }
            self.skip_rounds();
        }
    }

    /// Skips the rounds in which no old queue would have credit. There are many if the quantum is much smaller than packets. There must be
    /// no new queues.
    #[cold]
    fn skip_rounds(&mut self) {
        debug_assert_eq!(self.new.first, NONE, "all new queues have had their turn");
        let listed = || self.queues.iter().filter(|queue| queue.is_listed);
        let Some(most) = listed().map(|queue| queue.credits).max() else { return };
        // A queue with credits -c has credit after c / quantum + 1 more turns, so in the first of the remaining rounds.
        let skipped = (-most).max(0) / self.quantum;
        for queue in self.queues.iter_mut().filter(|queue| queue.is_listed) {
            queue.credits += self.quantum * skipped;
        }
    }
}
