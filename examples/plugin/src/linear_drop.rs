//! A queue discipline: drops at random, the more the longer the queue is.

use penstock_model::discipline::{Discipline, DropCause, Occupancy, PortContext, Verdict};
use penstock_model::packet::Packet;
use penstock_model::parameters::{own, Check, Count, Limit, Probability};
use penstock_model::rng::Stream;
use penstock_model::units::Time;
use std::any::Any;

penstock_model::parameters! {
    /// Linear drop: drops with a probability that rises with the length of the queue.
    ///
    /// ## Decides
    /// An arrival that finds at most `start` packets is accepted. Above that, the probability of a drop (cause `early`) rises
    /// linearly, up to `most` at `limit` packets, where every arrival is dropped (cause `overflow`).
    ///
    /// ## State
    /// The probability that the last arrival met; constant cost per packet.
    ///
    /// ## Departures
    /// None: it is made up for this example.
    ///
    /// ## Example
    /// ```toml
    /// queue.linear-drop = { start = 5, limit = 50, most = 0.2 }
    /// ```
    ///
    /// ## References
    /// RFC 7567 s3 on what an early drop is for.
    pub struct Parameters {
        /// Packets that wait before anything is dropped at random.
        start: Count;
        /// Packets at which everything is dropped.
        limit: Count = "50";
        /// The probability just below the limit.
        most: Probability = "0.1", changeable;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.start.0 >= self.limit.0 {
            mistake("start", format!("must be below limit, {}", self.limit.0));
        }
    }
}

/// Linear drop at work.
#[derive(Clone, Debug)]
pub struct LinearDrop {
    parameters: Parameters,
    stream: Stream,
    probability: f64,
}

impl LinearDrop {
    /// With these parameters, at this port.
    pub fn new(parameters: &Parameters, port: &PortContext) -> LinearDrop {
        LinearDrop { parameters: parameters.clone(), stream: port.site.key.child("linear-drop").stream(), probability: 0.0 }
    }
}

penstock_model::state! {
    impl LinearDrop, |it, _now| {
        /// The probability of a drop that the last arrival met.
        "probability", "1", is it.probability;
    }
}

impl Discipline for LinearDrop {
    fn on_arrival(&mut self, _now: Time, _packet: &Packet, queue: &Occupancy) -> Verdict {
        let (start, limit) = (self.parameters.start.0, self.parameters.limit.0);
        if queue.packets >= limit {
            return Verdict::Drop(DropCause::Overflow);
        }
        let above = f64::from(queue.packets.saturating_sub(start));
        self.probability = self.parameters.most.0 * above / f64::from(limit - start);
        if self.stream.chance(self.probability) {
            Verdict::Drop(DropCause::Early)
        } else {
            Verdict::Accept
        }
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::Packets(self.parameters.limit.0))
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.parameters = own::<Parameters>(parameters).clone();
    }
}
