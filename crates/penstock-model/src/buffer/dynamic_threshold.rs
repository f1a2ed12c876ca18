//! Dynamic thresholds.

use super::{amount, Buffer, BufferContext, Occupancies};
use crate::parameters::{Amount, Check, Limit, Positive};

crate::parameters! {
    /// Dynamic thresholds: a port may hold a multiple of the free memory.
    ///
    /// ## Decides
    /// A packet is accepted if its port holds less than the threshold $T(t) = alpha (B - Q(t))$ and the memory has room for the whole
    /// packet. B is `size`, and Q(t) is what all ports hold. If n ports are always busy, each holds $alpha B / (1 + n alpha)$ in the
    /// long run, and $B / (1 + n alpha)$ stays free for the next port that becomes busy.
    ///
    /// ## State
    /// Only the occupancies; one multiplication per packet.
    ///
    /// ## Departures
    /// The paper's cells have one size. Here a whole packet is accepted where a cell would be, so a port may exceed its threshold by
    /// less than one packet.
    ///
    /// ## Example
    /// ```toml
    /// buffer.dynamic-threshold = { size = "1 MB", alpha = 1 }
    /// ```
    ///
    /// ## References
    /// [Choudhury98 s2].
    pub struct Parameters {
        /// Size of the memory (B).
        size: Amount;
        /// Multiple of the free memory that a port may hold (alpha); hardware uses powers of two.
        alpha: Positive = "1";
    }
}
impl Check for Parameters {}

/// State of dynamic thresholds.
#[derive(Clone, Debug)]
pub struct DynamicThreshold {
    size: Limit,
    alpha: f64,
}

impl DynamicThreshold {
    /// Dynamic thresholds with these parameters.
    pub fn new(parameters: &Parameters, _switch: &BufferContext<'_>) -> DynamicThreshold {
        DynamicThreshold { size: parameters.size.0, alpha: parameters.alpha.0 }
    }
}

impl Buffer for DynamicThreshold {
    #[inline]
    fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool {
        let free = amount(self.size) - held.total().in_unit_of(self.size);
        // [Choudhury98 s2, equation 1]. Products of whole numbers and doubles are the same on all machines.
        (held.of_port(port).in_unit_of(self.size) as f64) < self.alpha * free as f64 && held.total().fits(size, self.size)
    }

    fn size(&self) -> Limit {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::offer;
    use super::*;
    use crate::parameters::testing::read;

    fn policy(lines: &[&str]) -> DynamicThreshold {
        DynamicThreshold::new(&read(lines).expect("sound"), &BufferContext::of(&[None; 4]))
    }

    /// Occupancies after a long time in which `busy` ports are offered packets in turn.
    fn steady(lines: &[&str], busy: usize) -> Occupancies {
        let mut held = Occupancies::new(4);
        let ports: Vec<usize> = (0..10_000).map(|i| i % busy).collect();
        offer(&policy(lines), &mut held, 1000, &ports);
        held
    }

    #[test]
    fn busy_ports_share_alpha_b_over_one_plus_n_alpha() {
        // alpha B / (1 + n alpha): 1 * 900 / 2, 1 * 900 / 3, 2 * 900 / 5, 0.5 * 900 / 2.
        for (alpha, busy, share) in [(1.0, 1, 450), (1.0, 2, 300), (2.0, 2, 360), (0.5, 2, 225)] {
            let held = steady(&["size = 900 packets", &format!("alpha = {alpha}")], busy);
            (0..busy).for_each(|port| assert_eq!(held.of_port(port).packets, share, "alpha {alpha}, {busy} busy, port {port}"));
            assert_eq!(held.total().packets, share * busy as u64);
        }
    }

    #[test]
    fn in_bytes_a_port_exceeds_its_threshold_by_less_than_a_packet() {
        // 2 * 1 MB / (1 + 3 * 2) = 285,714 bytes for each of three ports; in packets of 1000 bytes, the next multiple.
        let held = steady(&["size = 1 MB", "alpha = 2"], 3);
        (0..3).for_each(|port| assert!((285_000..=286_000).contains(&held.of_port(port).bytes), "{:?}", held.of_port(port)));
    }

    #[test]
    fn a_port_that_becomes_busy_finds_room() {
        let lines = ["size = 900 packets", "alpha = 1"];
        let mut held = steady(&lines, 1);
        // 450 packets are free and 450 is its threshold; each packet lowers it by one, so the port gets 225.
        let taken = offer(&policy(&lines), &mut held, 1000, &[1; 500]).into_iter().filter(|taken| *taken).count();
        assert_eq!(taken, 225);
        // Port 0 now holds more than the threshold of 225, so its packet is refused.
        assert_eq!(offer(&policy(&lines), &mut held, 1000, &[0]), [false]);
    }

    #[test]
    fn a_packet_that_does_not_fit_is_refused_below_the_threshold_too() {
        let mut held = Occupancies::new(4);
        assert_eq!(offer(&policy(&["size = 1500 bytes", "alpha = 64"]), &mut held, 1000, &[0, 1]), [true, false]);
    }
}
