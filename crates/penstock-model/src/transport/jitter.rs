//! Jitter of hosts: small random delays of the packets that they send.

use crate::id::FlowId;
use crate::impairment::{Fate, Impairment};
use crate::packet::Packet;
use crate::parameters::{Kind, Parameter, Value};
use crate::printable::quoted;
use crate::probe::{Probe, ReportVariable};
use crate::rng::{Key, Stream};
use crate::units::{Duration, Time};

/// Distribution of the delay of each packet by its host: `{ uniform = ["0 us", "100 us"] }` or `{ exponential = { mean = "20 us" } }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitterLaw {
    /// Uniform from the first (included) to the second, to the picosecond.
    Uniform(Duration, Duration),
    /// Exponential with this mean, in whole picoseconds.
    Exponential(Duration),
}

const FORMS: &str = r#"{ uniform = ["0 us", "100 us"] } or { exponential = { mean = "20 us" } }"#;

impl JitterLaw {
    /// Draws a delay.
    #[inline]
    fn draw(&self, stream: &mut Stream) -> Duration {
        match *self {
            JitterLaw::Uniform(low, high) => low + Duration::from_ps(stream.below((high - low).as_ps())),
            JitterLaw::Exponential(mean) => Duration::from_ps((mean.as_ps() as f64 * stream.exponential()) as u64),
        }
    }
}

impl Parameter for JitterLaw {
    const KIND: Kind = Kind::Law(FORMS);

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Table(laws) = value else {
            return Err(format!("{} is not a distribution; write {FORMS}", value.quoted()));
        };
        match laws.as_slice() {
            [(law, Value::List(bounds))] if law == "uniform" => uniform(bounds),
            [(law, Value::Table(mean))] if law == "exponential" => exponential(mean),
            [(law, _)] if !["uniform", "exponential"].contains(&law.as_str()) => Err(format!("unknown law {}; write {FORMS}", quoted(law))),
            _ => Err(format!("jitter is one distribution: {FORMS}")),
        }
    }
}

fn exponential(parameters: &[(String, Value)]) -> Result<JitterLaw, String> {
    let [(key, mean)] = parameters else { return Err(format!("exponential has one parameter, its mean; write {FORMS}")) };
    if key != "mean" {
        return Err(format!("exponential: unknown key {}; write {FORMS}", quoted(key)));
    }
    match Duration::from_value(mean) {
        Ok(Duration::ZERO) => Err("exponential: a mean of 0 s delays nothing; write 1 ps or more, or leave jitter out".to_owned()),
        Ok(mean) => Ok(JitterLaw::Exponential(mean)),
        Err(message) => Err(format!("exponential, mean: {message}")),
    }
}

fn uniform(bounds: &[Value]) -> Result<JitterLaw, String> {
    let [low, high] = bounds else {
        return Err(format!("uniform has {} bounds; write {FORMS}", bounds.len()));
    };
    let low = Duration::from_value(low).map_err(|message| format!("uniform, item 0: {message}"))?;
    let high = Duration::from_value(high).map_err(|message| format!("uniform, item 1: {message}"))?;
    match low < high {
        true => Ok(JitterLaw::Uniform(low, high)),
        false => Err(format!("uniform: {low} is not below {high}")),
    }
}

/// Jitter of one end of a flow.
#[derive(Clone, Debug)]
struct End {
    flow: FlowId,
    law: JitterLaw,
    stream: Stream,
    /// Departure plus delay of the last packet. No later packet leaves before this time.
    last: Time,
}

/// Jitter of the flows whose packets enter the network by one port.
#[derive(Clone, Debug, Default)]
pub struct PortJitter {
    /// Ends, sorted by flow.
    ends: Vec<End>,
}

impl PortJitter {
    /// Adds an end of a flow, with the key of its random stream. Must be called in the order of flows.
    pub fn add(&mut self, flow: FlowId, law: JitterLaw, key: Key) {
        debug_assert!(self.ends.last().is_none_or(|last| last.flow < flow));
        self.ends.push(End { flow, law, stream: key.stream(), last: Time::ZERO });
    }
}

impl Probe for PortJitter {
    fn probe(&self, _now: Time, _report: &mut ReportVariable<'_>) {}
}

impl Impairment for PortJitter {
    #[inline]
    fn on_departure(&mut self, now: Time, packet: &Packet) -> Fate {
        let Ok(i) = self.ends.binary_search_by_key(&packet.flow, |end| end.flow) else { return Fate::Delayed(Duration::ZERO) };
        let End { law, stream, last, .. } = &mut self.ends[i];
        *last = (*last).max(now + law.draw(stream));
        Fate::Delayed(last.since(now))
    }

    fn reorders(&self) -> bool {
        true // packets of different flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::HopId;
    use crate::packet::{Body, Ecn, PcnMark};

    fn packet(flow: u32) -> Packet {
        Packet {
            created: Time::ZERO,
            flow: FlowId(flow),
            hop: HopId(0),
            size: 500,
            precedence: 0,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body: Body::datagram(0),
        }
    }

    fn delays(jitter: &mut PortJitter, flow: u32, times: impl Iterator<Item = u64>) -> Vec<u64> {
        times
            .map(|us| match jitter.on_departure(Time::ZERO + Duration::from_ps(us * 1_000_000), &packet(flow)) {
                Fate::Delayed(delay) => delay.as_ps(),
                other => panic!("{other:?}: jitter only delays"),
            })
            .collect()
    }

    fn of_flow_3(law: JitterLaw) -> PortJitter {
        let mut jitter = PortJitter::default();
        jitter.add(FlowId(3), law, Key::root(1, 0).child("jitter"));
        jitter
    }

    #[test]
    fn each_packet_draws_a_delay_and_waits_for_the_packet_before() {
        let law = JitterLaw::Uniform(Duration::ZERO, Duration::from_ps(100_000_000));
        let mut stream = Key::root(1, 0).child("jitter").stream();
        let drawn: Vec<u64> = (0..1000).map(|_| stream.below(100_000_000)).collect();
        // 10 us apart.
        let seen = delays(&mut of_flow_3(law), 3, (0..1000).map(|i| 10 * i));
        let mut latest = 0;
        for (i, (drawn, seen)) in drawn.iter().zip(&seen).enumerate() {
            let left = 10_000_000 * i as u64;
            latest = latest.max(left + drawn);
            assert_eq!(left + seen, latest, "packet {i}");
        }
        assert!(seen.iter().zip(&drawn).any(|(seen, drawn)| seen > drawn), "some have waited");
    }

    #[test]
    fn an_exponential_delay_has_its_mean() {
        let law = JitterLaw::Exponential(Duration::from_ps(20_000_000));
        // So far apart that no packet waits for the previous one.
        let seen = delays(&mut of_flow_3(law), 3, (0..40_000).map(|i| 10_000 * i));
        let mean = seen.iter().sum::<u64>() as f64 / 40_000.0;
        // Standard error: 20 us / sqrt 40000 = 0.1 us; the tolerance is four of them.
        assert!((mean / 1e6 - 20.0).abs() < 0.4, "{mean}");
    }

    #[test]
    fn other_flows_pass_without_delay() {
        let mut jitter = of_flow_3(JitterLaw::Exponential(Duration::from_ms(1)));
        assert_eq!([2, 4].map(|flow| delays(&mut jitter, flow, 0..3)), [vec![0; 3], vec![0; 3]]);
    }

    #[test]
    fn distributions_are_read_and_mistakes_explained() {
        let law = |name: &str, value: Value| JitterLaw::from_value(&Value::Table(vec![(name.to_owned(), value)]));
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |items: &[&str]| Value::List(items.iter().map(|item| text(item)).collect());
        assert_eq!(law("uniform", list(&["0 us", "1 ms"])), Ok(JitterLaw::Uniform(Duration::ZERO, Duration::from_ms(1))));
        let mean = |key: &str, mean: &str| law("exponential", Value::Table(vec![(key.to_owned(), text(mean))]));
        assert_eq!(mean("mean", "1 ms"), Ok(JitterLaw::Exponential(Duration::from_ms(1))));
        assert_eq!(law("uniform", list(&["1 us", "1 us"])), Err("uniform: 1 us is not below 1 us".to_owned()));
        assert_eq!(law("uniform", list(&["1 us"])), Err(format!("uniform has 1 bounds; write {FORMS}")));
        assert!(mean("mean", "0 us").expect_err("a mistake").contains("write 1 ps or more"));
        assert!(mean("mean", "0.5 ps").expect_err("a mistake").contains("exponential, mean: "));
        assert!(mean("median", "1 us").expect_err("a mistake").contains("unknown key 'median'"));
        assert!(law("uniform", list(&["0 us", "0.1 ps"])).expect_err("a mistake").contains("uniform, item 1: "));
        assert_eq!(law("normal", list(&[])), Err(format!("unknown law 'normal'; write {FORMS}")));
        assert_eq!(law("uniform", text("1 us")), Err(format!("jitter is one distribution: {FORMS}")));
        assert_eq!(JitterLaw::from_value(&text("1 us")), Err(format!("'1 us' is not a distribution; write {FORMS}")));
    }
}
