//! The loop of a port in service mode that most are: tail drop on what waits, a wire of one rate, and nothing else that
//! happens to a packet. It does what [`Service`] does step by step, with less to ask of each packet, and is compiled for
//! each kind of scheduler.

use crate::channel::Arrival;
use crate::host::Context;
use crate::port_counters::Counters;
use crate::service::{Desk, Queues, Service};
use penstock_model::discipline::DropCause;
use penstock_model::id::HopId;
use penstock_model::packet::Packet;
use penstock_model::scheduler::{Scheduler, Turn, Visitor};
use penstock_model::units::{Duration, Time};

/// What is around the queues of a port.
pub struct Wired<'a, 'b, 'c> {
    /// How long the link takes beside transmissions.
    pub delay: Duration,
    /// What the port counts.
    pub counters: &'a mut Counters,
    /// What it needs of the process around it.
    pub context: &'a mut Context<'b, 'c>,
}

/// Packets to be taken, and decisions in between.
struct Take<'p, 'a, 'b, 'c, P> {
    queues: &'p mut Queues,
    packets: P,
    around: &'p mut Wired<'a, 'b, 'c>,
}

/// Decisions that are due before some time.
struct Decide<'p, 'a, 'b, 'c> {
    queues: &'p mut Queues,
    bound: Time,
    around: &'p mut Wired<'a, 'b, 'c>,
}

impl Service {
    /// Whether the loop is for these queues.
    pub fn has_loop(&self) -> bool {
        !self.has_one_queue() && self.queues.drop_tails()
    }

    /// Takes packets, each with the time of its arrival and where it is to go on to, and all decisions that are due before.
    #[inline(always)]
    pub fn take<'p>(&mut self, packets: impl Iterator<Item = (&'p Arrival, HopId)>, around: &mut Wired<'_, '_, '_>) {
        self.scheduler.receive(Take { queues: &mut self.queues, packets, around });
    }

    /// Takes all decisions that are due up to and including `until`.
    pub fn decide_until(&mut self, until: Time, around: &mut Wired<'_, '_, '_>) {
        self.scheduler.receive(Decide { queues: &mut self.queues, bound: until.after(), around });
    }
}

impl<'p, P: Iterator<Item = (&'p Arrival, HopId)>> Visitor for Take<'_, '_, '_, '_, P> {
    #[inline(always)]
    fn visit<S: Scheduler + ?Sized>(self, scheduler: &mut S) {
        let Take { queues, packets, around } = self;
        queues.at_work(|desk| {
            for (Arrival { at, packet }, hop) in packets {
                desk.decide_before(*at, scheduler, around);
                desk.take(*at, packet, hop, scheduler, around);
            }
        });
    }
}

impl Visitor for Decide<'_, '_, '_, '_> {
    #[inline(always)]
    fn visit<S: Scheduler + ?Sized>(self, scheduler: &mut S) {
        self.queues.at_work(|desk| desk.decide_before(self.bound, scheduler, self.around));
    }
}

impl Desk<'_> {
    /// Queues a packet, if there is room for it.
    #[inline(always)]
    fn take<S: Scheduler + ?Sized>(&mut self, now: Time, packet: &Packet, hop: HopId, scheduler: &mut S, around: &mut Wired<'_, '_, '_>) {
        let index = self.index(packet);
        let (queue, state) = (&self.queues[index], &self.states[index]);
        let discipline = queue.tail_drop().expect("the loop is for tail drop");
        if discipline.has_room(state.packets, state.bytes, packet.size) {
            around.counters.offer();
            self.push(index, now, packet, hop, scheduler);
        } else {
            around.counters.offered_in_vain(now, packet, DropCause::Overflow, around.context.record);
        }
    }

    /// Takes all decisions that are due before `bound`.
    #[inline(always)]
    fn decide_before<S: Scheduler + ?Sized>(&mut self, bound: Time, scheduler: &mut S, around: &mut Wired<'_, '_, '_>) {
        while self.wire.next_decision < bound {
            let now = self.wire.next_decision;
            match scheduler.next(now, self.states) {
                Turn::Queue(index) => self.transmit(now, index, scheduler, around),
                Turn::NotBefore(time) => self.wire.next_decision = time,
            }
        }
    }

    /// Transmits the first packet of a queue.
    #[inline(always)]
    fn transmit<S: Scheduler + ?Sized>(&mut self, now: Time, index: usize, scheduler: &mut S, around: &mut Wired<'_, '_, '_>) {
        let Wired { delay, counters, context } = around;
        let Arrival { at: arrival, packet } = self.queues[index].head();
        let size = packet.size;
        let end = now + self.times.of(size);
        counters.sent += u64::from(cfg!(debug_assertions));
        if counters.departure(*arrival, now, end, packet) {
            let (next, at) = (context.routes.hop(packet.hop), end + *delay);
            context.outputs.send(next.process, next.input, at, |arrival| *arrival = Arrival { at, packet: *packet });
        }
        self.sent(index, now, end, size, scheduler);
        self.queues[index].waiting.consume(1);
    }
}
