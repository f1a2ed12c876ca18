//! RED with several drop precedences.

mod parameters;

pub use parameters::{Averages, CountOf, Parameters, Updates, WhenFull};

use super::early_drop::{amount, hooks, verdict, Averaging, Curve, CurveDrops, DropCount, SpacingRule};
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::Limit;
use crate::rng::Stream;
use crate::units::Time;

/// RED_n at work.
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
    stream: Stream,
}

/// What RED_n keeps for one precedence.
#[derive(Clone, Copy, Debug)]
struct Class {
    average: f64,
    drops: CurveDrops,
    count: DropCount,
}

impl RedN {
    /// A RED_n discipline with these parameters; it draws from the port's stream `early-drop`.
    pub fn new(parameters: &Parameters, port: &PortContext) -> RedN {
        let thresholds = parameters.min_thresholds.iter().zip(&parameters.max_thresholds);
        let curves = thresholds.zip(&parameters.max_probabilities).map(|((min, max), max_p)| Curve {
            min: amount(*min) as f64,
            max: amount(*max) as f64,
            max_p: max_p.0,
            gentle: parameters.gentle,
        });
        RedN {
            limit: parameters.limit,
            averaging: Averaging::new(parameters.weight, parameters.idle, parameters.mean_packet, port.rate),
            spacing_rule: SpacingRule { spacing: parameters.spacing, mean_packet: None },
            averages: parameters.averages,
            updates: parameters.updates,
            count: parameters.count,
            when_full: parameters.when_full,
            ecn: parameters.ecn,
            classes: curves.map(|curve| Class { average: 0.0, drops: CurveDrops::new(curve), count: DropCount::default() }).collect(),
            stream: port.key.child("early-drop").stream(),
        }
    }

    /// The averages as of the last arrival, one per precedence.
    pub fn averages(&self) -> impl Iterator<Item = f64> + '_ {
        self.classes.iter().map(|class| class.average)
    }

    /// The queued packets that the average of precedence `i` counts. The last precedence stands for all worse ones.
    #[inline]
    fn counted(&self, i: usize, queue: &Occupancy) -> u64 {
        let last = i + 1 == self.classes.len();
        let packets = match self.averages {
            Averages::Total => queue.packets,
            Averages::Coupled if last => queue.packets,
            Averages::Coupled => queue.of_precedence[..=i].iter().sum(),
            Averages::Separate if last => queue.of_precedence[i..].iter().sum(),
            Averages::Separate => queue.of_precedence[i],
        };
        u64::from(packets)
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

impl Discipline for RedN {
    #[inline]
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        if self.when_full == WhenFull::Ignore && !queue.has_room(packet, self.limit) {
            return Verdict::Drop(DropCause::Overflow);
        }
        let own = usize::from(packet.precedence).min(self.classes.len() - 1);
        let decay = self.averaging.decay(now, queue.idle_since);
        for i in 0..self.classes.len() {
            let aged = self.classes[i].average * decay;
            let refreshed = self.updates == Updates::All || self.counts(i, own);
            self.classes[i].average = if refreshed { self.averaging.next(aged, self.counted(i, queue)) } else { aged };
        }

        let counter = if self.count == CountOf::Shared { 0 } else { own };
        let waiting = self.counted(own, queue);
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

    fn hooks(&self) -> Hooks {
        hooks(self.ecn)
    }
}

#[cfg(test)]
mod tests;
