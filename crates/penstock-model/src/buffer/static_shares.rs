//! Complete partitioning: a separate share for each port.

use super::{amount, Buffer, BufferContext, Occupancies};
use crate::parameters::{Amount, Check, Kind, Limit, Parameter, Value};
use crate::printable::quoted;
use crate::units::Bytes;

crate::parameters! {
    /// Static shares: each port has a fixed part of the memory.
    ///
    /// ## Decides
    /// A packet is accepted if its port's share has room for the whole packet, regardless of the other ports. With the headroom of
    /// priority flow control, the memory as a whole must have room too, since packets from headroom move into the shared memory when
    /// other packets leave.
    ///
    /// ## State
    /// Only the occupancies; constant cost per packet.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// buffer.static-shares = { size = "1 MB", shares = { s1-r1 = "400 kB" } }
    /// ```
    ///
    /// ## References
    /// Complete partitioning in [Choudhury98 s1].
    pub struct Parameters {
        /// Size of the memory (B).
        size: Amount;
        /// Shares of ports, by the names of their links; unnamed ports divide the rest equally.
        shares: Option<Shares>;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let Some(Shares(shares)) = &self.shares else { return };
        let size = self.size.0;
        for (link, share) in shares.iter().filter(|(_, share)| !is_same_unit(*share, size)) {
            let _ = share;
            mistake("shares", format!("the share of {} must be in packets if size is, and in bytes if size is", quoted(link)));
        }
        let sum = shares.iter().map(|(_, share)| amount(*share)).fold(0, u64::saturating_add);
        if shares.iter().all(|(_, share)| is_same_unit(*share, size)) && sum > amount(size) {
            mistake("shares", format!("add up to {}, more than the shared buffer of {}", written(sum, size), written_limit(size)));
        }
    }
}

/// Shares of ports, by the names of their links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares(pub Vec<(String, Limit)>);

impl Parameter for Shares {
    const KIND: Kind = Kind::Law("{ s1-r1 = \"400 kB\" }");

    fn from_value(value: &Value) -> Result<Shares, String> {
        let Value::Table(entries) = value else {
            return Err(format!("{} is not a table; write {{ link = \"400 kB\" }}", value.quoted()));
        };
        let share = |(link, value): &(String, Value)| match Limit::from_value(value) {
            Ok(share) => Ok((link.clone(), share)),
            Err(message) => Err(format!("the share of {}: {message}", quoted(link))),
        };
        entries.iter().map(share).collect::<Result<_, _>>().map(Shares)
    }
}

fn is_same_unit(a: Limit, b: Limit) -> bool {
    matches!((a, b), (Limit::Packets(_), Limit::Packets(_)) | (Limit::Bytes(_), Limit::Bytes(_)))
}

fn written(number: u64, unit: Limit) -> String {
    match unit {
        Limit::Packets(_) => format!("{number} packets"),
        Limit::Bytes(_) => format!("{number} bytes"),
    }
}

fn written_limit(limit: Limit) -> String {
    written(amount(limit), limit)
}

/// State of static shares.
#[derive(Clone, Debug)]
pub struct StaticShares {
    size: Limit,
    of_port: Vec<Limit>,
}

impl StaticShares {
    /// Creates the shares: the given ones, and equal parts of the rest, rounded down.
    pub fn new(parameters: &Parameters, switch: &BufferContext<'_>) -> StaticShares {
        let given: u64 = switch.shares.iter().flatten().map(|share| amount(*share)).sum();
        let others = switch.shares.iter().filter(|share| share.is_none()).count().max(1) as u64;
        let size = parameters.size.0;
        let rest = amount(size).saturating_sub(given) / others;
        let rest = match size {
            Limit::Packets(_) => Limit::Packets(rest as u32),
            Limit::Bytes(_) => Limit::Bytes(Bytes::new(rest)),
        };
        StaticShares { size, of_port: switch.shares.iter().map(|share| share.unwrap_or(rest)).collect() }
    }
}

impl Buffer for StaticShares {
    #[inline]
    fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool {
        // Other ports can exceed their shares only by packets from headroom, since departures free headroom first.
        held.of_port(port).fits(size, self.of_port[port]) && held.total().fits(size, self.size)
    }

    fn size(&self) -> Limit {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::offer;
    use super::super::Held;
    use super::*;
    use crate::parameters::testing::read;

    fn size_alone(size: &str) -> Parameters {
        read(&[size]).expect("sound")
    }

    #[test]
    fn ports_that_are_not_named_divide_the_rest() {
        // 10 packets: 4 for port 1, 3 for each of the others.
        let switch = BufferContext::of(&[None, Some(Limit::Packets(4)), None]);
        let buffer = StaticShares::new(&size_alone("size = 10 packets"), &switch);
        let mut held = Occupancies::new(3);
        assert_eq!(offer(&buffer, &mut held, 500, &[0; 4]), [true, true, true, false]);
        assert_eq!(offer(&buffer, &mut held, 500, &[1; 5]), [true, true, true, true, false]);
        assert_eq!(offer(&buffer, &mut held, 500, &[2; 4]), [true, true, true, false]);
    }

    #[test]
    fn what_came_into_headroom_leaves_others_less_than_their_shares() {
        let buffer = StaticShares::new(&size_alone("size = 6 packets"), &BufferContext::of(&[None, None]));
        let mut held = Occupancies::new(2);
        assert_eq!(offer(&buffer, &mut held, 500, &[0, 0, 0, 0, 1, 1, 1]), [true, true, true, false, true, true, true]);
        held.add_beside(0, 500);
        // A packet of the same ingress leaves through the other port and frees the headroom.
        held.remove_beside(1, 500, Held { packets: 1, bytes: 500 });
        assert_eq!(offer(&buffer, &mut held, 500, &[1]), [false]);
        held.remove(0, 500);
        assert_eq!(offer(&buffer, &mut held, 500, &[1, 1]), [true, false]);
    }

    #[test]
    fn bytes_must_fit_into_the_share_as_a_whole() {
        let buffer = StaticShares::new(&size_alone("size = 3 kB"), &BufferContext::of(&[None, None]));
        let mut held = Occupancies::new(2);
        assert_eq!(offer(&buffer, &mut held, 800, &[0, 0, 1]), [true, false, true]);
        assert_eq!(offer(&buffer, &mut held, 700, &[0]), [true]);
    }

    #[test]
    fn shares_above_the_buffer_are_refused() {
        let shares = |entries: &[(&str, &str)]| {
            let entry = |(link, share): &(&str, &str)| ((*link).to_owned(), Value::Text((*share).to_owned()));
            Shares::from_value(&Value::Table(entries.iter().map(entry).collect()))
        };
        let mistakes = |size: Limit, entries: &[(&str, &str)]| {
            let mut mistakes = Vec::new();
            let parameters = Parameters { size: Amount(size), shares: Some(shares(entries).expect("shares")) };
            parameters.check(&mut |key, message| mistakes.push(format!("{key}: {message}")));
            mistakes
        };
        let size = Limit::Bytes(Bytes::new(1_000_000));
        assert_eq!(mistakes(size, &[("s-a", "400 kB"), ("s-b", "600 kB")]), Vec::<String>::new());
        assert_eq!(
            mistakes(size, &[("s-a", "400 kB"), ("s-b", "700 kB")]),
            ["shares: add up to 1100000 bytes, more than the shared buffer of 1000000 bytes"]
        );
        assert_eq!(
            mistakes(size, &[("s-a", "4 packets")]),
            ["shares: the share of 's-a' must be in packets if size is, and in bytes if size is"]
        );
        assert_eq!(shares(&[("s-a", "0 packets")]).expect_err("a share of nothing"), "the share of 's-a': a queue size must be above zero");
    }
}
