//! Sharing with minimum allocation.

use super::{amount, Buffer, BufferContext, Held, Occupancies};
use crate::parameters::{Check, Limit};

crate::parameters! {
    /// Sharing with a minimum allocation, and with maximum queue lengths: each port has some memory for itself, and shares the rest.
    ///
    /// ## Decides
    /// A packet is let in if what its port holds, with it, is at most `minimum`. Beyond that it takes what is shared: there must be
    /// room beside what all ports hold and what is kept free for those below their minimum, and the port then holds at most
    /// `maximum`. With n ports, n x `minimum` is at most `size`.
    ///
    /// ## State
    /// Only the occupancies; the cost per packet beyond the minimum grows with the number of ports.
    ///
    /// ## Departures
    /// The paper's packets have one size. Here one that is partly within the minimum takes what is shared for the rest, and one that
    /// the paper would let in may be refused for want of room for all of it.
    ///
    /// ## Example
    /// ```toml
    /// buffer.minimum-allocation = { size = "1 MB", minimum = "30 kB" }
    /// ```
    ///
    /// ## References
    /// The schemes SMA (without `maximum`) and SMQMA in [Kamoun80].
    pub struct Parameters {
        /// The size of the memory (B).
        size: Limit;
        /// What each port has for itself.
        minimum: Limit;
        /// The most that a port may hold; all that is not kept for others if left out.
        maximum: Option<Limit>;
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let same = |limit: Limit| matches!((limit, self.size), (Limit::Packets(_), Limit::Packets(_)) | (Limit::Bytes(_), Limit::Bytes(_)));
        let unit = "must be in packets if size is, and in bytes if size is";
        if !same(self.minimum) {
            return mistake("minimum", unit.to_owned());
        }
        if amount(self.minimum) > amount(self.size) {
            mistake("minimum", format!("is more than size, {}", amount(self.size)));
        }
        match self.maximum {
            Some(maximum) if !same(maximum) => mistake("maximum", unit.to_owned()),
            Some(maximum) if amount(maximum) < amount(self.minimum) => {
                mistake("maximum", format!("is below minimum, {}", amount(self.minimum)));
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
        let Parameters { size, minimum, maximum } = parameters;
        MinimumAllocation { size: *size, minimum: amount(*minimum), maximum: maximum.map_or(u64::MAX, amount) }
    }
}

impl Buffer for MinimumAllocation {
    fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool {
        let mut with_it = held.of_port(port);
        with_it.add(size);
        let with_it = with_it.in_unit_of(self.size);
        if with_it <= self.minimum {
            // What is kept for the port may be taken only by what came into headroom meanwhile.
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

    /// What all ports have for themselves must be there.
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
        // Of ten, two are kept for each of the two other ports: the first gets six, and they get theirs.
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
