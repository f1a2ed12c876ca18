//! Random Early Detection.

use super::early_drop::{amount, same_unit, Curve, Lane, Memory, Rule, Tally, MEAN_PACKET};
pub use super::early_drop::{Idle, Spacing};
use super::{Discipline, DropCause, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{Check, Limit, Probability, Weight};
use crate::rng::Stream;
use crate::units::{Bytes, Time};

crate::parameters! {
    /// Random Early Detection: drops at random, more often the longer the queue has been on average.
    ///
    /// ## Decides
    /// Each arrival updates the average queue, ave = (1 - w) ave + w q, where q is what waits and neither the arrival
    /// nor the packet in service counts. An arrival that ends m mean packet times of idleness first ages it by (1 - w)^m.
    /// Below `min-threshold` nothing is dropped. Between the thresholds the probability is
    /// p = max_p (ave - min) / (max - min), and `spacing` makes it into drops. From `max-threshold` on every arrival is
    /// dropped (cause `forced`); with `gentle` the probability rises from max_p there to 1 at twice that threshold.
    /// Whatever does not fit into `limit` is dropped (cause `overflow`), and any drop restarts the count of the spacing.
    ///
    /// ## State
    /// The average, the packets and bytes since the last drop, and whether the average was above the minimum.
    /// Constant cost per packet; one random number per arrival between the thresholds.
    ///
    /// ## Departures
    /// Like ns-2's queue/red.cc and unlike \[Floyd93\]: nothing is dropped while at most one packet (or byte) waits, and
    /// the arrival that finds the average risen above the minimum only starts the count. Spacing `count` counts the
    /// packets accepted since the last drop, which gives the gaps uniform on 1 to 1/p of \[Floyd93 s7\]; the pseudo-code of
    /// the same article and ns-2 without `wait_` count the arrival too, and their gaps end one packet earlier. With a
    /// limit in bytes a packet must fit whole, as in tail drop; ns-2 lets the last one exceed it. The defaults
    /// (`wait`, not `gentle`) are those of ns-2 until April 2001, which most published results with RED share.
    ///
    /// ## Example
    /// ```toml
    /// queue.red = { limit = "60 packets", min-threshold = "20 packets", max-threshold = "40 packets", max-probability = "1/30" }
    /// ```
    ///
    /// ## References
    /// \[Floyd93 s4, s7\]; gentle: \[Floyd00\]; byte mode: \[Floyd93 s4\], against it RFC 7141 s2.2.
    pub struct Parameters {
        /// The most that the queue may hold.
        limit: Limit;
        /// Average below which nothing is dropped (min_th), in the unit of `limit`.
        min_threshold: Limit;
        /// Average from which everything is dropped (max_th), in the unit of `limit`.
        max_threshold: Limit;
        /// Drop probability just below `max-threshold`, before spacing (max_p).
        max_probability: Probability;
        /// Weight of an arrival's sample in the average (w_q); default of [Floyd93] and ns-2.
        weight: Weight = "0.002";
        /// Mean packet, which makes idle time into packets and scales mode `bytes`; default of ns-2.
        mean_packet: Bytes = "500 bytes";
        /// What idle time does to the average.
        idle: Idle = "corrected";
        /// How drops follow one another; default of ns-2.
        spacing: Spacing = "wait";
        /// Whether large packets are dropped more often than small ones; left out, it follows the unit of the thresholds.
        mode: Option<Mode>;
        /// Whether the probability rises steadily to 1 above `max-threshold`; off in [Floyd93], on in ns-2 since 2001.
        gentle: bool = "false";
    }
}

crate::choice! {
    /// What a drop probability applies to.
    pub enum Mode {
        /// Every packet alike.
        "packets" => Packets,
        /// In proportion to its size over `mean-packet`; the spacing counts bytes in whole mean packets.
        "bytes" => Bytes,
    }
}

impl Parameters {
    fn mode(&self) -> Mode {
        self.mode.unwrap_or(match self.min_threshold {
            Limit::Packets(_) => Mode::Packets,
            Limit::Bytes(_) => Mode::Bytes,
        })
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if !same_unit(self.min_threshold, self.limit) || !same_unit(self.max_threshold, self.limit) {
            mistake("limit", "limit, min-threshold and max-threshold must all be in packets or all in bytes".to_owned());
            return;
        }
        if amount(self.min_threshold) >= amount(self.max_threshold) {
            mistake("max-threshold", "must be above min-threshold".to_owned());
        }
        if amount(self.max_threshold) > amount(self.limit) {
            mistake("max-threshold", "is above limit, where the average never comes; at most limit".to_owned());
        }
        if self.mean_packet != MEAN_PACKET && self.idle == Idle::Ignored && self.mode() == Mode::Packets {
            mistake("mean-packet", "has no effect with idle = \"ignored\" and mode = \"packets\"; leave it out".to_owned());
        }
    }
}

/// RED at work.
#[derive(Clone, Debug)]
pub struct Red {
    limit: Limit,
    memory: Memory,
    rule: Rule,
    average: f64,
    tally: Tally,
    lane: Lane,
    in_bytes: bool,
    stream: Stream,
}

impl Red {
    /// A RED discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> Red {
        let curve = Curve {
            min: amount(parameters.min_threshold) as f64,
            max: amount(parameters.max_threshold) as f64,
            max_p: parameters.max_probability.0,
            gentle: parameters.gentle,
        };
        let mean_packet = (parameters.mode() == Mode::Bytes).then_some(parameters.mean_packet.get());
        Red {
            limit: parameters.limit,
            memory: Memory::new(parameters.weight, parameters.idle, parameters.mean_packet, port.rate),
            rule: Rule { spacing: parameters.spacing, mean_packet },
            average: 0.0,
            tally: Tally::default(),
            lane: Lane::new(curve),
            in_bytes: matches!(parameters.limit, Limit::Bytes(_)),
            stream: port.key.child("early-drop").stream(),
        }
    }

    /// The average queue as of the last arrival, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.average
    }
}

impl Discipline for Red {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let waiting = if self.in_bytes { queue.bytes } else { u64::from(queue.packets) };
        self.average = self.memory.next(self.average * self.memory.kept(now, queue.idle_since), waiting);
        self.tally.add(packet.size);
        let judged = self.lane.judge(self.average, waiting, &mut self.tally, packet.size, &self.rule, &mut self.stream);
        let cause = if queue.has_room(packet, self.limit) { judged } else { Some(DropCause::Overflow) };
        match cause {
            None => Verdict::Accept,
            Some(cause) => {
                self.tally.clear();
                Verdict::Drop(cause)
            }
        }
    }
}
