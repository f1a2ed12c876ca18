//! CAKE: a shaper, tins by codepoint, and flow queues with COBALT and fairness between hosts.

mod ack_filter;
mod isolation;
mod overhead;
mod rtt;
mod sets;
mod tin;
mod tins;

use self::ack_filter::AckFilter;
use self::isolation::Isolation;
use self::overhead::{LinkLayer, LinkOverhead, Overhead};
use self::rtt::Rtt;
use self::tin::{Flow, Shaper, Tin};
use self::tins::Diffserv;
use super::class::ClassPlan;
use super::traffic::Traffic;
use super::{Earlier, HasFacts, Hooks, QueueState, Scheduler, SchedulerContext, SchedulerFacts, Turn};
use crate::discipline::{tail_drop, DepartureVerdict, DisciplinePlan, DropCause, Eviction};
use crate::packet::Packet;
use crate::parameters::{own, BytesOrZero, Check, Limit};
use crate::rng::{Key, Stream};
use crate::units::{Bytes, Duration, Rate, Time};
use std::any::Any;
use std::sync::Arc;

crate::parameters! {
    /// CAKE: a shaper with tins by codepoint; each flow of a tin has a queue with COBALT, and hosts get equal shares.
    ///
    /// ## Decides
    /// *Shaper.* With `rate`, a packet waits until the packets before it would have been sent at this rate. A packet of b bytes
    /// counts as $B = max(b + overhead, mpu)$ bytes, with `framing = "atm"` as $53 ceil(B / 48)$, with `ptm` as $B + ceil(B / 64)$.
    ///
    /// *Tins.* The codepoint of a packet selects its tin. It follows from the class of the packet, if that is named after a per-hop
    /// behaviour (`ef`, `af21`, `cs1`, `le`); packets of other classes are in the tin of best effort. A tin has a threshold, its
    /// share of `rate`:
    ///
    /// | tins | threshold / rate |
    /// |---|---|
    /// | `besteffort` | 1 |
    /// | `diffserv3` | best effort 1, bulk 1/16 (CS1, LE), voice 1/4 (EF, VA, CS6, CS7) |
    /// | `diffserv4` | best effort 1, bulk 1/16, video 1/2 (AF2 to AF4, CS2, CS3), voice 1/4 (also CS4, CS5) |
    /// | `diffserv8`, `precedence` | 1 for the first, 7/8 of its predecessor's for every other |
    ///
    /// Of the tins that are within their thresholds, the one listed last sends; if there is none, the one that will be within its
    /// threshold first. Without `rate`, tins take turns by deficit round robin, with quanta in the same ratios.
    ///
    /// *Flows.* A hash of the flow selects one of 1024 queues of the tin: its own slot or, if another flow uses that, the first
    /// free one of the seven others in its set. Queues take turns as under `fq-codel`, new ones first. The quantum is what the threshold
    /// sends in 1/4096 of a second, from 300 to 1514 bytes. Under `triple-isolate` a flow gets its quantum divided by the number of bulk
    /// flows of its source or of its destination, whichever is larger. `dual-srchost` counts only the source's flows, `dual-dsthost`
    /// only the destination's.
    ///
    /// *COBALT.* Each queue has `cobalt` with ECN, `first-drop = "at-once"`, an interval of `rtt` and a target of `rtt` / 20, both
    /// longer in tins whose threshold is low. While more than `limit` bytes wait in all queues, the head of the queue with the most
    /// bytes is dropped (cause `overflow`).
    ///
    /// *ACK filter.* If an arriving TCP acknowledgement makes earlier ones of its flow in the queue redundant, one of these is dropped
    /// (cause `filtered`): the oldest if there are at least two. Under `aggressive`, a single one is dropped too, if it is directly
    /// before the arrival. An acknowledgement is kept if it is a duplicate, reports a D-SACK of acknowledged segments or a block that
    /// the arrival does not cover, changes ECE or CWR, or carries AccECN's flag AE or option.
    ///
    /// ## State
    /// The tables of 1024 slots per tin and their lists; for each queue its credit and its COBALT. Constant cost per packet; one scan of
    /// all queues per drop at the limit, and of one queue per acknowledgement with the filter.
    ///
    /// ## Departures
    /// - A flow is a flow of the scenario, in each direction, and its hosts are its two nodes; each port has its own seed of the hash.
    ///   There is no address translation.
    /// - `limit` counts bytes of packets; Linux counts memory.
    /// - A quantum divided among the flows of a host keeps its fraction; Linux rounds it at random.
    /// - In an empty queue, the drop rate of COBALT falls with time; in Linux, once per packet sent from other queues.
    /// - `overhead` is added to the size of the packet in the scenario, in Linux to the size at the network layer. It cannot be
    ///   negative here.
    /// - `interplanetary` stands for 1000 s as in the program tc; tc-cake(8) says 3600 s.
    /// - `ingress`, `autorate-ingress`, `wash`, `fwmark` and `split-gso` are left out. CAKE has no CE threshold.
    /// - `queue` at the link is the discipline of each queue, asked before COBALT; without it, only `limit` applies.
    ///
    /// ## Example
    /// ```toml
    /// scheduler.cake = { rate = "20 Mbit/s", tins = "diffserv4", rtt = "metro", overhead = "pppoe-ptm" }
    /// ```
    ///
    /// ## References
    /// [Hoiland18]. Steps and defaults: Linux's sch_cake, tc-cake(8).
    pub struct Parameters {
        /// Rate of the shaper, `overhead` and `framing` included; no shaper if left out (unlimited).
        rate: Option<Rate>, changeable;
        /// The tins.
        tins: Diffserv = "diffserv3";
        /// Which traffic gets a queue of its own, and between which hosts the rate is divided.
        isolation: Isolation = "triple-isolate";
        /// Round-trip time for which COBALT is set up.
        rtt: Rtt = "100 ms";
        /// Bytes that the link adds to each packet, or a word for a kind of link.
        overhead: LinkOverhead = "0 bytes";
        /// Minimum size of a packet with its overhead; that of the link named by `overhead`, or none, if left out.
        mpu: Option<BytesOrZero>;
        /// Framing of the link; that of the link named by `overhead`, or `noatm`, if left out.
        framing: Option<LinkLayer>;
        /// Which acknowledgements are dropped in favour of later ones.
        ack_filter: AckFilter = "off";
        /// Maximum number of bytes in all queues; if left out, what the shaper sends in four times `rtt` at its present rate, at least
        /// 4 MiB and at most 10240 packets of `mtu` bytes.
        limit: Option<Bytes>;
        /// Largest packet, with its link header; its transmission time at a tin's threshold lengthens target and interval.
        mtu: Bytes = "1514 bytes";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let most = Bytes::new(256);
        let sizes = [("overhead", Some(Bytes::new(self.overhead.added))), ("mpu", self.mpu.map(|mpu| mpu.0))];
        for (key, size) in sizes.into_iter().filter_map(|(key, size)| Some((key, size?))) {
            if size > most {
                mistake(key, format!("{size} are more than any link adds; at most 256 bytes"));
            } else if self.rate.is_none() && size > Bytes::new(0) {
                mistake(key, "has no effect without rate: there is no shaper then".to_owned());
            }
        }
        if self.rate.is_none() && self.framing.is_some_and(|framing| framing != LinkLayer::Plain) {
            mistake("framing", "has no effect without rate: there is no shaper then".to_owned());
        }
    }
}

impl Parameters {
    /// Rule for the bytes that packets occupy on the link.
    fn overhead(&self) -> Overhead {
        let LinkOverhead { added, minimum, layer } = self.overhead;
        Overhead { added, minimum: self.mpu.map_or(minimum, |mpu| mpu.0.get()), layer: self.framing.unwrap_or(layer) }
    }

    /// Limit of all queues together at the rate that makes it largest.
    fn largest_limit(&self) -> Bytes {
        self.limit.unwrap_or(Bytes::new(self.mtu.get().saturating_mul(10_240).min(1 << 60)))
    }

    /// Limit of all queues together.
    fn limit(&self) -> Bytes {
        let most = self.largest_limit().get();
        let in_four = |rate: Rate| (u128::from(tins::bytes(rate)) * u128::from(self.rtt.0.as_ps()) / 250_000_000_000).min(1 << 60) as u64;
        self.limit.unwrap_or(Bytes::new(self.rate.map_or(most, |rate| in_four(rate).max(4 << 20).min(most))))
    }
}

/// Room for one arrival, which is queued before the longest queue drops.
const ARRIVAL: u64 = 1 << 16;

impl HasFacts for Parameters {
    fn facts(&self) -> SchedulerFacts {
        let with_arrival = |limit: Bytes| Limit::Bytes(Bytes::new(limit.get().saturating_add(ARRIVAL)));
        // The limit of a discipline cannot change during a run, so it does not follow the rate.
        let queue = tail_drop::Parameters { limit: with_arrival(self.largest_limit()), counts: tail_drop::Counts::Waiting };
        SchedulerFacts {
            own_queues: Some("a queue for each flow of each tin"),
            only_at_link: Some("makes queues by codepoint and flow"),
            shared_limit: Some(with_arrival(self.limit())),
            default_queue: Some(DisciplinePlan::TailDrop(queue)),
            marks: true,
            reads_headers: true,
            reads_codepoints: self.tins != Diffserv::BestEffort,
            filters: self.ack_filter != AckFilter::Off,
            shaped_rate: self.rate,
            ..SchedulerFacts::default()
        }
    }
}

/// State of CAKE.
#[derive(Clone, Debug)]
pub struct Cake {
    shaper: Shaper,
    limit: u64,
    /// The tin of each codepoint.
    table: [u8; 64],
    tins: Vec<Tin>,
    /// The tin whose turn it is if there is no shaper.
    current: usize,
    /// State of each flow, by the number of its queue.
    flows: Vec<Flow>,
    isolation: Isolation,
    filter: AckFilter,
    traffic: Arc<Traffic>,
    /// Seed of the hashes.
    key: Key,
    stream: Stream,
    /// Time of the last arrival.
    last_arrival: Time,
    /// Waiting packets and bytes.
    waiting: (u32, u64),
}

impl Cake {
    /// CAKE without queues.
    pub fn new(parameters: &Parameters, _: &[ClassPlan], context: impl Into<SchedulerContext>) -> Cake {
        let SchedulerContext { site, traffic, .. } = context.into();
        let &Parameters { rate, tins, isolation, ack_filter, .. } = parameters;
        Cake {
            shaper: Shaper { rate, overhead: parameters.overhead(), ready: Time::ZERO },
            limit: parameters.limit().get(),
            table: tins.table(),
            tins: tins.plans(rate).into_iter().map(|plan| Tin::new(parameters, plan)).collect(),
            current: 0,
            flows: Vec::new(),
            isolation,
            filter: ack_filter,
            traffic,
            key: site.key.child("flow-hash"),
            stream: site.key.child("cake").stream(),
            last_arrival: Time::ZERO,
            waiting: (0, 0),
        }
    }

    /// The tin that sends next under the shaper: the last one within its threshold, otherwise the one that will be within it first. Some
    /// tin must have flows.
    fn first_within_threshold(&self, now: Time) -> usize {
        let listed = || self.tins.iter().enumerate().filter(|(_, tin)| tin.listed > 0);
        let within = listed().rev().find(|(_, tin)| tin.ready <= now);
        let next = || listed().rev().min_by_key(|(_, tin)| tin.ready);
        within.or_else(next).expect("asked only while a queue has a packet").0
    }

    /// The tin that sends next without a shaper: the first one with flows and credit, starting from the current one.
    fn first_with_credit(&mut self) -> usize {
        for turn in 0.. {
            let tin = &mut self.tins[self.current];
            if tin.deficit >= 0 && tin.listed > 0 {
                break;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.plan.weight;
            }
            self.current = (self.current + 1) % self.tins.len();
            if turn == 2 * self.tins.len() {
                self.skip_rounds();
            }
        }
        self.current
    }

    /// Skips the rounds in which no tin with flows would have credit. There are many after a large packet of a tin with a low weight.
    #[cold]
    fn skip_rounds(&mut self) {
        let rounds = |tin: &Tin| -tin.deficit.min(0) / tin.plan.weight;
        let skipped = self.tins.iter().filter(|tin| tin.listed > 0).map(rounds).min().unwrap_or(0);
        self.tins.iter_mut().for_each(|tin| tin.deficit += tin.plan.weight * skipped.min(rounds(tin)));
    }

    /// Removes a packet from the waiting ones.
    fn remove(&mut self, queue: usize, size: u32) -> &mut Tin {
        let flow = &mut self.flows[queue];
        flow.bytes -= u64::from(size);
        let tin = &mut self.tins[flow.tin];
        for (packets, bytes) in [&mut self.waiting, &mut tin.waiting] {
            *packets -= 1;
            *bytes -= u64::from(size);
        }
        tin
    }
}

crate::state! {
    impl Cake, |it, _now| {
        /// Bytes that wait in each tin, from the first on.
        "tin-backlog", "bytes", each it.tins.iter().map(|tin| tin.waiting.1 as f64);
    }
}

impl Scheduler for Cake {
    fn next(&mut self, now: Time, queues: &[QueueState]) -> Turn {
        if self.shaper.rate.is_some() && self.shaper.ready > now {
            return Turn::NotBefore(self.shaper.ready);
        }
        loop {
            let tin = if self.shaper.rate.is_some() { self.first_within_threshold(now) } else { self.first_with_credit() };
            if let Some(queue) = self.tins[tin].next(now, self.isolation.shares(), &mut self.flows, queues) {
                return Turn::Queue(queue);
            }
        }
    }

    fn on_packet(&mut self, now: Time, queue: usize, queues: &[QueueState]) {
        let tin = &mut self.tins[self.flows[queue].tin];
        if tin.waiting.0 == 0 {
            tin.ready = tin.ready.max(now);
        }
        if self.waiting.0 == 0 {
            self.shaper.ready = self.shaper.ready.max(now);
        }
        self.last_arrival = now;
        let size = queues[queue].bytes - std::mem::replace(&mut self.flows[queue].bytes, queues[queue].bytes);
        for (packets, bytes) in [&mut self.waiting, &mut tin.waiting] {
            *packets += 1;
            *bytes += size;
        }
        tin.on_packet(queue, self.isolation.shares(), &mut self.flows);
    }

    fn on_sent(&mut self, now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        let bytes = self.shaper.overhead.bytes(size);
        self.shaper.advance(bytes);
        self.remove(queue, size).advance(now, bytes);
        let flow = &mut self.flows[queue];
        self.tins[flow.tin].on_sent(flow, bytes.get() as i64);
    }

    fn on_drop(&mut self, _now: Time, queue: usize, size: u32, _queues: &[QueueState]) {
        self.remove(queue, size);
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn hooks(&self) -> Hooks {
        let hooks = Hooks::QUEUES.and(Hooks::DEPARTURE).and(Hooks::LIMIT);
        if self.filter == AckFilter::Off {
            hooks
        } else {
            hooks.and(Hooks::FILTER)
        }
    }

    fn classify(&mut self, now: Time, packet: &Packet) -> usize {
        let tin = usize::from(self.table[usize::from(self.traffic.codepoint(packet))]);
        let hashes = self.isolation.hashes(self.key, &self.traffic, packet);
        self.tins[tin].queue_of(now, tin, hashes, self.isolation.shares(), &mut self.flows)
    }

    fn on_departure(&mut self, now: Time, packet: &Packet, waited: Duration, queue: usize, queues: &[QueueState]) -> DepartureVerdict {
        let Flow { tin, controller, .. } = &mut self.flows[queue];
        let settings = &self.tins[*tin].settings;
        let (is_dropped, is_marked) = controller.on_departure(settings, now, waited, packet.ecn.is_capable(), &mut self.stream);
        if is_dropped && queues[queue].packets > 1 {
            DepartureVerdict::Drop(DropCause::Early)
        } else if is_marked {
            DepartureVerdict::Mark
        } else {
            DepartureVerdict::Send
        }
    }

    fn over_limit(&mut self, queues: &[QueueState]) -> Option<Eviction> {
        if self.waiting.1 <= self.limit {
            return None;
        }
        let most = queues.iter().map(|queue| queue.bytes).max()?;
        let longest = queues.iter().position(|queue| queue.bytes == most)?;
        let Flow { tin, controller, .. } = &mut self.flows[longest];
        controller.on_overflow(&self.tins[*tin].settings, self.last_arrival);
        Some(Eviction::of_head(longest))
    }

    fn redundant(&mut self, packet: &Packet, earlier: Earlier<'_>) -> Option<u32> {
        self.filter.redundant(packet, earlier)
    }

    fn change(
        &mut self,
        now: Time,
        parameters: &dyn Any,
        _classes: &[ClassPlan],
        _queues: &[QueueState],
    ) -> Option<Box<dyn Scheduler + Send>> {
        let parameters: &Parameters = own(parameters);
        if self.shaper.rate.is_none() {
            self.shaper.ready = now;
        }
        self.shaper.rate = parameters.rate;
        self.limit = parameters.limit().get();
        self.tins.iter_mut().zip(parameters.tins.plans(parameters.rate)).for_each(|(tin, plan)| tin.change(parameters, plan));
        None
    }
}

#[cfg(test)]
mod tests;
