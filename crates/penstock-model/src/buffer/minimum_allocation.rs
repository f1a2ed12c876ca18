//! Sharing with minimum allocation.

use super::{amount, Buffer, BufferContext, Held, Occupancies};
use crate::parameters::{Amount, Check, Limit};

crate::parameters! {
    /// Minimum allocation, optionally with maximum queue lengths: each port has a reserved part of the memory, and shares the rest.
    ///
    /// ## Decides
    /// h is the amount that the port would hold with the packet. The packet is accepted in these cases:
    ///
    /// | h | condition |
    /// |---|---|
    /// | at most `minimum` | the memory has room for the packet, which only packets from headroom can prevent |
    /// | at most `maximum` | the packet fits into the memory that is neither held nor reserved for other ports below their minimum |
    ///
    /// With n ports, n x `minimum` must be at most `size`.
    ///
    /// ## State
    /// Only the occupancies; above the minimum, the cost per packet grows with the number of ports.
    ///
    /// ## Departures
    /// The paper's packets have one size. Here a packet that fits the minimum only partly uses shared memory for the rest. A packet
    /// that the paper would accept may be refused because the whole packet does not fit.
    ///
    /// ## Example
    /// ```toml
    /// buffer.minimum-allocation = { size = "1 MB", minimum = "30 kB" }
    /// ```
    ///
    /// ## References
    /// The schemes SMA (without `maximum`) and SMQMA in [Kamoun80].
    pub struct Parameters {
        /// Size of the memory (B).
        size: Amount;
        /// Memory reserved for each port.
        minimum: Amount;
        /// Maximum that a port may hold; if left out, all memory that is not reserved for other ports.
        maximum: Option<Amount>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let (size, minimum, maximum) = (self.size.0, self.minimum.0, self.maximum.map(|maximum| maximum.0));
        let same = |limit: Limit| matches!((limit, size), (Limit::Packets(_), Limit::Packets(_)) | (Limit::Bytes(_), Limit::Bytes(_)));
        let unit = "must be in packets if size is, and in bytes if size is";
        if !same(minimum) {
            return mistake("minimum", unit.to_owned());
        }
        if amount(minimum) > amount(size) {
            mistake("minimum", format!("is more than size, {}", amount(size)));
        }
        match maximum {
            Some(maximum) if !same(maximum) => mistake("maximum", unit.to_owned()),
            Some(maximum) if amount(maximum) < amount(minimum) => {
                mistake("maximum", format!("is below minimum, {}", amount(minimum)));
            }
            _ => {}
        }
    }
}

/// State of sharing with minimum allocation.
#[derive(Clone, Debug)]
pub struct MinimumAllocation {
    size: Limit,
    minimum: u64,
    maximum: u64,
}

impl MinimumAllocation {
    /// The policy with these parameters.
    pub fn new(parameters: &Parameters, _switch: &BufferContext<'_>) -> MinimumAllocation {
        let Parameters { size, minimum, maximum } = *parameters;
        MinimumAllocation { size: size.0, minimum: amount(minimum.0), maximum: maximum.map_or(u64::MAX, |maximum| amount(maximum.0)) }
    }
}

impl Buffer for MinimumAllocation {
    fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool {
        let mut with_it = held.of_port(port);
        with_it.add(size);
        let with_it = with_it.in_unit_of(self.size);
        if with_it <= self.minimum {
            // The memory reserved for the port is free, unless packets from headroom have taken it.
            return held.total().fits(size, self.size);
        }
        let unused = |other: &Held| self.minimum.saturating_sub(other.in_unit_of(self.size));
        let kept: u64 = held.ports().enumerate().filter(|(other, _)| *other != port).map(|(_, other)| unused(other)).sum();
        let mut total = held.total();
        total.add(size);
        with_it <= self.maximum && total.in_unit_of(self.size).saturating_add(kept) <= amount(self.size)
    }

    fn size(&self) -> Limit {
        self.size
    }

    /// The minima of all ports together must fit into the memory.
    fn mistake_at(&self, ports: usize) -> Option<(&'static str, String)> {
        let (kept, size) = ((ports as u64).saturating_mul(self.minimum), amount(self.size));
        (kept > size).then(|| ("minimum", format!("{ports} ports take {kept}, more than the shared buffer of {size}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::offer;
    use super::*;
    use crate::parameters::testing::read;

    fn policy(lines: &[&str]) -> MinimumAllocation {
        MinimumAllocation::new(&read(lines).expect("sound"), &BufferContext::of(&[None; 3]))
    }

    #[test]
    fn the_minimum_of_others_stays_free() {
        // Two of ten packets are reserved for each of the other two ports, so the first port gets six and the others get their two.
        let it = policy(&["size = 10 packets", "minimum = 2 packets"]);
        let mut held = Occupancies::new(3);
        assert_eq!(offer(&it, &mut held, 1000, &[0; 8]).iter().filter(|taken| **taken).count(), 6);
        assert_eq!(offer(&it, &mut held, 1000, &[1, 1, 1, 2, 2, 2]), [true, true, false, true, true, false]);
        assert_eq!(held.total().packets, 10);
    }

    #[test]
    fn no_port_exceeds_its_maximum() {
        let it = policy(&["size = 10 kB", "minimum = 1 kB", "maximum = 3 kB"]);
        let mut held = Occupancies::new(3);
        assert_eq!(offer(&it, &mut held, 900, &[0; 5]), [true, true, true, false, false]);
    }

    #[test]
    fn shares_that_contradict_the_memory_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("refused");
        assert!(format!("{:?}", mistakes(&["size = 10 kB", "minimum = 11 kB"])).contains("is more than size"));
        assert!(format!("{:?}", mistakes(&["size = 10 kB", "minimum = 2 packets"])).contains("in bytes if size is"));
        assert!(format!("{:?}", mistakes(&["size = 10 kB", "minimum = 2 kB", "maximum = 1 kB"])).contains("is below minimum"));
    }
}
