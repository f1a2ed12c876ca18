//! RED with several drop precedences.

mod parameters;

pub use parameters::{Averages, CountOf, Parameters, Updates, WhenFull};

use super::early_drop::{amount, hooks, verdict, Averaging, Curve, CurveDrops, DropCount, Mode, SpacingRule};
use super::{Discipline, DropCause, Hooks, Leave, Occupancy, PortContext, Verdict, PRECEDENCES};
use crate::packet::Packet;
use crate::parameters::Limit;
use crate::rng::Stream;
use crate::units::Time;

/// State of RED_n.
#[derive(Clone, Debug)]
pub struct RedN {
    limit: Limit,
    averaging: Averaging,
    spacing_rule: SpacingRule,
    averages: Averages,
    updates: Updates,
    count: CountOf,
    when_full: WhenFull,
    ecn: bool,
    classes: Vec<Class>,
    unit: Unit,
    stream: Stream,
}

/// Unit in which a queue is counted.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Packets,
    /// Bytes, without a count for each precedence.
    Bytes,
    /// Bytes of each precedence. RED_n counts them itself, since [`Occupancy`] does not.
    BytesOfPrecedence([u64; PRECEDENCES]),
}

impl Unit {
    fn new(parameters: &Parameters) -> Unit {
        let all_alike = match parameters.averages {
            Averages::Total => true,
            Averages::Coupled => parameters.min_thresholds.len() == 1,
            Averages::Separate => false,
        };
        match parameters.limit {
            Limit::Packets(_) => Unit::Packets,
            Limit::Bytes(_) if all_alike => Unit::Bytes,
            Limit::Bytes(_) => Unit::BytesOfPrecedence([0; PRECEDENCES]),
        }
    }
}

/// State of RED_n for one precedence.
#[derive(Clone, Copy, Debug)]
struct Class {
    average: f64,
    drops: CurveDrops,
    count: DropCount,
}

impl RedN {
    /// Averages of all precedences, if `wanted`.
    fn averages_in(&self, wanted: bool) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().filter(move |_| wanted).map(|class| class.average)
    }

    /// A RED_n discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> RedN {
        let thresholds = parameters.min_thresholds.iter().zip(&parameters.max_thresholds);
        let curves = thresholds.zip(&parameters.max_probabilities).map(|((min, max), max_p)| Curve {
            min: amount(min.0) as f64,
            max: amount(*max) as f64,
            max_p: max_p.0,
            gentle: parameters.gentle,
        });
        let class = |curve| Class { average: 0.0, drops: CurveDrops::new(curve, parameters.near_empty), count: DropCount::default() };
        let mean_packet = (parameters.mode() == Mode::Bytes).then_some(parameters.mean_packet.get());
        RedN {
            limit: parameters.limit,
            averaging: Averaging::new(parameters.weight, parameters.idle, parameters.mean_packet, port.site.rate),
            spacing_rule: SpacingRule { spacing: parameters.spacing, mean_packet },
            averages: parameters.averages,
            updates: parameters.updates,
            count: parameters.count,
            when_full: parameters.when_full,
            ecn: parameters.ecn,
            classes: curves.map(class).collect(),
            unit: Unit::new(parameters),
            stream: port.site.key.child("early-drop").stream(),
        }
    }

    /// Averages as of the last arrival, one per precedence.
    pub fn averages(&self) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().map(|class| class.average)
    }

    /// Part of the queue that the average of precedence `i` counts. The queue holds `all` in total and `of[j]` of precedence j. The last
    /// average also counts all worse precedences.
    #[inline(always)]
    fn counted<T: Copy + Into<u64>>(&self, i: usize, all: u64, of: &[T; PRECEDENCES]) -> u64 {
        let last = i + 1 == self.classes.len();
        let parts = of.iter().map(|part| (*part).into());
        match self.averages {
            Averages::Total => all,
            Averages::Coupled if last => all,
            Averages::Coupled => parts.take(i + 1).sum(),
            Averages::Separate if last => parts.skip(i).sum(),
            Averages::Separate => of[i].into(),
        }
    }

    /// Whether the average of precedence `i` counts packets of precedence `own`.
    #[inline]
    fn counts(&self, i: usize, own: usize) -> bool {
        match self.averages {
            Averages::Total => true,
            Averages::Coupled => own <= i,
            Averages::Separate => own == i,
        }
    }
}

impl RedN {
    /// Decides on an arrival at a queue that holds `all` in total and `of[j]` of precedence j. It is compiled once per unit, so that
    /// counting packets does not test the unit at every precedence.
    #[inline(always)]
    fn decide<T: Copy + Into<u64>>(&mut self, now: Time, packet: &Packet, queue: &Occupancy, all: u64, of: &[T; PRECEDENCES]) -> Verdict {
        if self.when_full == WhenFull::Ignore && !queue.has_room(packet, self.limit) {
            return Verdict::Drop(DropCause::Overflow);
        }
        let own = usize::from(packet.precedence).min(self.classes.len() - 1);
        let decay = self.averaging.decay(now, queue.idle_since);
        for i in 0..self.classes.len() {
            let aged = self.classes[i].average * decay;
            let refreshed = self.updates == Updates::All || self.counts(i, own);
            self.classes[i].average = if refreshed { self.averaging.next(aged, self.counted(i, all, of)) } else { aged };
        }

        let counter = if self.count == CountOf::Shared { 0 } else { own };
        let waiting = self.counted(own, all, of);
        let mut count = self.classes[counter].count;
        count.add(packet.size);
        let class = &mut self.classes[own];
        let decided = class.drops.decide(class.average, waiting, &mut count, packet.size, &self.spacing_rule, &mut self.stream);
        let cause = if queue.has_room(packet, self.limit) { decided } else { Some(DropCause::Overflow) };
        if cause.is_some() {
            count.clear();
        }
        self.classes[counter].count = count;
        verdict(cause, self.ecn, packet)
    }

    /// Decides on an arrival if bytes are counted, by precedence if needed.
    #[inline(never)]
    fn decide_on_bytes(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let of = if let Unit::BytesOfPrecedence(bytes) = self.unit { bytes } else { [0; PRECEDENCES] };
        let verdict = self.decide(now, packet, queue, queue.bytes, &of);
        if let (Unit::BytesOfPrecedence(bytes), Verdict::Accept | Verdict::Mark) = (&mut self.unit, verdict) {
            bytes[usize::from(packet.precedence)] += u64::from(packet.size);
        }
        verdict
    }
}

crate::state! {
    impl RedN, |it, _now| {
        /// Average queue of each precedence as of its last update, where `limit` is in packets.
        "average", "packets", each it.averages_in(matches!(it.unit, Unit::Packets));
        /// Average queue of each precedence as of its last update, where `limit` is in bytes.
        "average-bytes", "bytes", each it.averages_in(!matches!(it.unit, Unit::Packets));
        /// Drop probability of the average of each precedence, before drops are spaced.
        "probability", "1", each it.classes.iter().map(|class| class.drops.curve.probability(class.average));
    }
}

impl Discipline for RedN {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        match self.unit {
            Unit::Packets => self.decide(now, packet, queue, u64::from(queue.packets), &queue.of_precedence),
            Unit::Bytes | Unit::BytesOfPrecedence(_) => self.decide_on_bytes(now, packet, queue),
        }
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }

    fn hooks(&self) -> Hooks {
        let leave = if matches!(self.unit, Unit::BytesOfPrecedence(_)) { Hooks::LEAVE } else { Hooks::ARRIVAL };
        hooks(self.ecn).and(leave)
    }

    fn on_leave(&mut self, _now: Time, packet: &Packet, _why: Leave) {
        if let Unit::BytesOfPrecedence(bytes) = &mut self.unit {
            bytes[usize::from(packet.precedence)] -= u64::from(packet.size);
        }
    }
}

#[cfg(test)]
mod tests;
