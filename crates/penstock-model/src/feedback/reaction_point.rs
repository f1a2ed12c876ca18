//! Reaction point of a station: rate limiters between the endpoints of its hosts and its ports.

use crate::feedback::limiter::RateLimiter;
use crate::feedback::{Feedback, LimitedFlowState, ReactionPointPlan, SharedBy, StationState};
use crate::id::{FlowId, LinkId};
use crate::packet::Packet;
use crate::parameters::Limit;
use crate::rng::Stream;
use crate::units::{Rate, Time};
use std::collections::{BTreeMap, VecDeque};

/// Rate limiters of a station.
#[derive(Clone)]
pub struct ReactionPoint {
    plan: ReactionPointPlan,
    stream: Stream,
    /// Rates of the ports of the station.
    lines: Vec<Rate>,
    /// Port by which the packets of each flow leave.
    port_of_flow: BTreeMap<FlowId, u32>,
    /// Limited queues by port and, if flows have their own limiters, by flow.
    queues: BTreeMap<(u32, FlowId), LimitedQueue>,
    /// Time at which the next packet may leave a queue.
    next: Time,
}

/// Result of sending a packet through the reaction point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// The packet leaves immediately, in this form.
    Passes(Packet),
    /// The packet waits.
    Waits,
    /// The packet is dropped, since there is no room for it.
    Dropped,
}

/// Packets that wait behind the limiters of some flows.
#[derive(Clone)]
struct LimitedQueue {
    waiting: VecDeque<Packet>,
    bytes: u64,
    /// Limiters, each with its congestion point; for QCN a single one, with the point that created it.
    limiters: Vec<(LinkId, RateLimiter)>,
    /// Earliest time of the next packet.
    next: Time,
}

impl LimitedQueue {
    /// Rate of the slowest limiter at `now`, and its congestion point. Removes limiters that have reached the rate of the port.
    fn slowest(&mut self, now: Time, stream: &mut Stream) -> Option<(Rate, LinkId)> {
        self.limiters.retain_mut(|(_, limiter)| {
            limiter.rate(now, stream);
            !limiter.is_released()
        });
        self.limiters.iter_mut().map(|(point, limiter)| (limiter.rate(now, stream), *point)).min()
    }

    /// Sends a packet at `now`, with the tag of the slowest limiter. The next packet may follow when all bits of this one have passed at
    /// the limited rate.
    fn send(&mut self, now: Time, packet: &Packet, plan: &ReactionPointPlan, stream: &mut Stream) -> Packet {
        match self.slowest(now, stream) {
            None => {
                self.next = now;
                *packet
            }
            Some((rate, point)) => {
                self.next = now + rate.transmission_time(packet.bytes());
                self.limiters.iter_mut().for_each(|(_, limiter)| limiter.on_sent(packet.size, stream));
                let body = if plan.has_limiters_of_points() { packet.body.tagged(point) } else { packet.body };
                Packet { body, ..*packet }
            }
        }
    }

    fn has_room(&self, packet: &Packet, limit: Option<Limit>) -> bool {
        match limit {
            None => true,
            Some(Limit::Packets(most)) => self.waiting.len() < most as usize,
            Some(Limit::Bytes(most)) => self.bytes + u64::from(packet.size) <= most.get(),
        }
    }

    fn on_feedback(&mut self, now: Time, (point, feedback): (LinkId, Feedback), line: Rate, plan: &ReactionPointPlan, stream: &mut Stream) {
        let before = self.slowest(now, stream).map_or(line, |(rate, _)| rate);
        let known = self.limiters.iter().position(|(other, _)| *other == point || !plan.has_limiters_of_points());
        let known = known.or_else(|| {
            feedback.asks_for_less().then(|| {
                self.limiters.push((point, RateLimiter::new(plan, line, now, stream)));
                self.limiters.len() - 1
            })
        });
        let Some(known) = known else { return };
        self.limiters[known].1.on_feedback(feedback, now, stream);
        let after = self.slowest(now, stream).map_or(line, |(rate, _)| rate);
        // The unpaid part of the last packet is paced at the new rate.
        let owed = self.next.as_ps().saturating_sub(now.as_ps());
        let scaled = u128::from(owed) * u128::from(before.as_bps()) / u128::from(after.as_bps().max(1));
        let scaled = Time::from_ps(now.as_ps().saturating_add(u64::try_from(scaled).unwrap_or(u64::MAX)));
        self.next = self.limiters.iter().map(|(_, limiter)| limiter.stopped_until()).fold(scaled, Time::max);
        if self.limiters.is_empty() {
            self.next = now;
        }
    }
}

impl ReactionPoint {
    /// A reaction point at ports of these rates; `port_of_flow` is the port by which each flow leaves.
    pub fn new(plan: &ReactionPointPlan, stream: Stream, lines: Vec<Rate>, port_of_flow: BTreeMap<FlowId, u32>) -> ReactionPoint {
        let plan = plan.clone();
        ReactionPoint { plan, stream, lines, port_of_flow, queues: BTreeMap::new(), next: Time::NEVER }
    }

    /// Time at which the next packet may leave.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Packets that wait here.
    pub fn waiting(&self) -> impl Iterator<Item = &Packet> {
        self.queues.values().flat_map(|queue| &queue.waiting)
    }

    /// State of the station to report.
    pub fn state(&self) -> StationState {
        StationState { limiters: self.queues.len(), waiting: self.waiting().count() }
    }

    /// State to report at `now` for a flow that begins at this station.
    pub fn state_of(&self, now: Time, flow: FlowId) -> LimitedFlowState {
        let queue = self.port_of_flow.get(&flow).and_then(|port| self.queues.get(&self.key(*port, flow)));
        let Some(queue) = queue else { return LimitedFlowState::default() };
        // Reading a rate updates its drift, so clones are read here.
        let rates = queue.limiters.iter().map(|(_, limiter)| limiter.clone().rate(now, &mut self.stream.clone()));
        LimitedFlowState { rate: rates.min(), waiting: queue.waiting.iter().filter(|packet| packet.flow == flow).count() }
    }

    fn key(&self, port: u32, flow: FlowId) -> (u32, FlowId) {
        match self.plan.shared_by() {
            SharedBy::Station => (port, FlowId(u32::MAX)),
            SharedBy::Flow => (port, flow),
        }
    }

    /// Time at which a packet of `flow` could leave immediately by `port`; `NEVER` while others wait for the same limiters.
    pub fn opens_at(&self, port: u32, flow: FlowId) -> Time {
        match self.queues.get(&self.key(port, flow)) {
            None => Time::ZERO,
            Some(queue) if queue.waiting.is_empty() => queue.next,
            Some(_) => Time::NEVER,
        }
    }

    /// Sends `packet` by `port`, or queues or drops it.
    pub fn pass(&mut self, now: Time, packet: &Packet, port: u32) -> Passage {
        let key = self.key(port, packet.flow);
        let Some(queue) = self.queues.get_mut(&key) else { return Passage::Passes(*packet) };
        if queue.waiting.is_empty() && queue.next <= now {
            let packet = queue.send(now, packet, &self.plan, &mut self.stream);
            if queue.limiters.is_empty() {
                self.queues.remove(&key);
            }
            return Passage::Passes(packet);
        }
        if !queue.has_room(packet, self.plan.limit()) {
            return Passage::Dropped;
        }
        queue.bytes += u64::from(packet.size);
        queue.waiting.push_back(*packet);
        self.next = self.next.min(queue.next);
        Passage::Waits
    }

    /// Adds the packets that may leave at `now` to `list`, each with its port.
    pub fn run(&mut self, now: Time, list: &mut Vec<(u32, Packet)>) {
        for ((port, _), queue) in &mut self.queues {
            while queue.next <= now {
                let Some(packet) = queue.waiting.pop_front() else { break };
                queue.bytes -= u64::from(packet.size);
                list.push((*port, queue.send(now, &packet, &self.plan, &mut self.stream)));
            }
        }
        self.forget_idle();
    }

    /// Handles a message of `point` about a packet of `flow`.
    pub fn on_message(&mut self, now: Time, flow: FlowId, point: LinkId, feedback: Feedback) {
        let Some(&port) = self.port_of_flow.get(&flow) else { return };
        let key = self.key(port, flow);
        let line = self.lines[port as usize];
        if feedback.asks_for_less() {
            let new = || LimitedQueue { waiting: VecDeque::new(), bytes: 0, limiters: Vec::new(), next: now };
            self.queues.entry(key).or_insert_with(new);
        }
        if let Some(queue) = self.queues.get_mut(&key) {
            queue.on_feedback(now, (point, feedback), line, &self.plan, &mut self.stream);
        }
        self.forget_idle();
    }

    /// Removes queues without limiters and packets, and updates the time of the next packet.
    fn forget_idle(&mut self) {
        self.queues.retain(|_, queue| !queue.limiters.is_empty() || !queue.waiting.is_empty());
        let due = self.queues.values().filter(|queue| !queue.waiting.is_empty()).map(|queue| queue.next);
        self.next = due.min().unwrap_or(Time::NEVER);
    }
}
