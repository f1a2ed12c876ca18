//! Added delay.

use super::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Check, Kind, Parameter, Value};
use crate::printable::quoted;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Duration, Time};

crate::parameters! {
    /// Delay: each packet arrives later, by a fixed or a random time.
    ///
    /// ## Decides
    /// Each packet spends the time `added` on the wire, beyond the link's own delay; a random time is drawn for each packet. A packet
    /// with a short delay may overtake earlier ones, unless `keep-order` holds it back until the previous packet has arrived.
    ///
    /// ## State
    /// With `keep-order`, the arrival time of the last packet. One random number per packet if the delay is random.
    ///
    /// ## Departures
    /// None. The PCN studies delay packets of 20 ms spacing by U(0, 50 ms), so that packets overtake each other: hence the default of
    /// `keep-order`.
    ///
    /// ## Example
    /// ```toml
    /// impairment.delay = { added = { uniform = ["0 ms", "50 ms"] } }
    /// ```
    ///
    /// ## References
    /// draft-satoh-pcn-st-marking-02, its randomised CBR traffic.
    pub struct Parameters {
        /// The delay, or the law that it follows.
        added: DelayLaw;
        /// Whether packets arrive in the order of their departure.
        keep_order: bool = "false";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.keep_order && matches!(self.added, DelayLaw::Fixed(_)) {
            mistake("keep-order", "has no effect with a fixed delay, which keeps the order anyway; leave it out".to_owned());
        }
    }
}

/// Length of a delay: `"5 ms"` or `{ uniform = ["0 ms", "50 ms"] }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayLaw {
    /// The same delay for all packets.
    Fixed(Duration),
    /// Uniform from the first (included) to the second, to the picosecond.
    Uniform(Duration, Duration),
}

const FORMS: &str = r#""5 ms" or { uniform = ["0 ms", "50 ms"] }"#;

impl DelayLaw {
    /// Draws a delay.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> Duration {
        match *self {
            DelayLaw::Fixed(added) => added,
            DelayLaw::Uniform(low, high) => low + Duration::from_ps(stream.below((high - low).as_ps())),
        }
    }
}

impl Parameter for DelayLaw {
    const KIND: Kind = Kind::Law(FORMS);
    const RANGE: &'static str = "zero or more";

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Table(laws) = value else {
            return Duration::from_value(value).map(DelayLaw::Fixed);
        };
        let bounds = match laws.as_slice() {
            [(law, Value::List(bounds))] if law == "uniform" => bounds,
            [(law, _)] if law != "uniform" => return Err(format!("unknown law {}; write {FORMS}", quoted(law))),
            _ => return Err(format!("a delay is one law: {FORMS}")),
        };
        let [low, high] = bounds.as_slice() else {
            return Err(format!("uniform has {} bounds; write {FORMS}", bounds.len()));
        };
        let low = Duration::from_value(low).map_err(|message| format!("uniform, item 0: {message}"))?;
        let high = Duration::from_value(high).map_err(|message| format!("uniform, item 1: {message}"))?;
        if low < high {
            Ok(DelayLaw::Uniform(low, high))
        } else {
            Err(format!("uniform: {low} is not below {high}"))
        }
    }
}

/// State of added delay.
#[derive(Clone, Debug)]
pub struct Delay {
    law: DelayLaw,
    keep_order: bool,
    /// Departure plus added delay of the packet that arrives last.
    last: Time,
    stream: Stream,
}

impl Delay {
    /// A delay with these parameters; it draws from the stream `delay` below the key of `site`.
    pub fn new(parameters: &Parameters, site: &Site) -> Delay {
        Delay { law: parameters.added, keep_order: parameters.keep_order, last: Time::ZERO, stream: site.key.child("delay").stream() }
    }
}

crate::state! {
    impl Delay, |_it, _now| {}
}

impl Impairment for Delay {
    #[inline]
    fn on_departure(&mut self, now: Time, _packet: &Packet) -> Fate {
        let added = self.law.draw(&mut self.stream);
        if !self.keep_order {
            return Fate::Delayed(added);
        }
        self.last = self.last.max(now + added);
        Fate::Delayed(self.last.since(now))
    }

    fn reorders(&self) -> bool {
        matches!(self.law, DelayLaw::Uniform(..)) && !self.keep_order
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fates, site};
    use super::*;
    use crate::parameters::testing::read;

    /// Delays in ps added to packets that leave every millisecond, and whether the law may reorder packets.
    fn added_to(law: DelayLaw, keep_order: bool) -> (Vec<u64>, bool) {
        let mut delay = Delay::new(&Parameters { added: law, keep_order }, &site());
        let added = |fate| match fate {
            Fate::Delayed(added) => added.as_ps(),
            Fate::Duplicated(_) | Fate::Lost => panic!("a delay only delays"),
        };
        (fates(&mut delay, 20_000).into_iter().map(added).collect(), delay.reorders())
    }

    /// Whether packets that leave a millisecond apart arrive in order.
    fn in_order(added: &[u64]) -> bool {
        added.windows(2).all(|pair| pair[0] <= 1_000_000_000 + pair[1])
    }

    #[test]
    fn a_fixed_delay_adds_the_same_to_all() {
        let (added, reorders) = added_to(DelayLaw::Fixed(Duration::from_ms(5)), false);
        assert!(added.iter().all(|ps| *ps == 5_000_000_000) && !reorders);
    }

    #[test]
    fn a_uniform_delay_keeps_its_bounds_and_overtakes() {
        let (added, reorders) = added_to(DelayLaw::Uniform(Duration::from_ms(10), Duration::from_ms(50)), false);
        assert!(added.iter().all(|ps| (10_000_000_000..50_000_000_000).contains(ps)));
        let mean = added.iter().map(|ps| *ps as f64).sum::<f64>() / added.len() as f64;
        // Standard error: 40 ms / sqrt 12 / sqrt 20000 = 0.0816 ms; four of them.
        assert!((mean / 1e9 - 30.0).abs() < 0.33, "{mean}");
        assert!(reorders && !in_order(&added));
    }

    #[test]
    fn order_is_kept_by_waiting_for_the_packet_before() {
        let law = DelayLaw::Uniform(Duration::ZERO, Duration::from_ms(50));
        let ((free, _), (kept, reorders)) = (added_to(law, false), added_to(law, true));
        assert!(in_order(&kept) && !reorders);
        // Each packet waits for the latest arrival among itself and the earlier ones, and no longer.
        let mut latest = 0;
        for (i, (free, kept)) in free.iter().zip(&kept).enumerate() {
            let left = i as u64 * 1_000_000_000;
            latest = latest.max(left + free);
            assert_eq!(left + kept, latest);
        }
    }

    #[test]
    fn laws_are_read_and_mistakes_explained() {
        let uniform = |items: &[&str]| Value::List(items.iter().map(|item| Value::Text((*item).to_owned())).collect());
        let law = |name: &str, value: Value| DelayLaw::from_value(&Value::Table(vec![(name.to_owned(), value)]));
        assert_eq!(law("uniform", uniform(&["1 ms", "2 ms"])), Ok(DelayLaw::Uniform(Duration::from_ms(1), Duration::from_ms(2))));
        assert_eq!(law("uniform", uniform(&["2 ms", "2 ms"])), Err("uniform: 2 ms is not below 2 ms".to_owned()));
        assert_eq!(law("uniform", uniform(&["2 ms"])), Err(format!("uniform has 1 bounds; write {FORMS}")));
        assert!(law("uniform", uniform(&["0 ms", "5"])).expect_err("a mistake").starts_with("uniform, item 1: 5 has no unit"));
        assert_eq!(law("normal", uniform(&[])), Err(format!("unknown law 'normal'; write {FORMS}")));
        assert_eq!(law("uniform", Value::Integer(1)), Err(format!("a delay is one law: {FORMS}")));
        assert_eq!(read::<Parameters>(&["added = 5 ms"]).map(|it| it.added), Ok(DelayLaw::Fixed(Duration::from_ms(5))));
        assert!(
            read::<Parameters>(&["added = 5 ms", "keep-order = true"]).expect_err("a mistake")[0].starts_with("keep-order: has no effect")
        );
    }
}
