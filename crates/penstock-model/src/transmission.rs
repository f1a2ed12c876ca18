//! Transmission times of the few sizes that traffic has.

use crate::units::{Bytes, Duration, Rate};

/// How long sizes take at one rate: some are remembered, since a division costs more than a look.
#[derive(Clone, Debug)]
pub struct TransmissionTimes {
    rate: Rate,
    known: [(u32, Duration); PLACES],
}

const PLACES: usize = 4;

impl TransmissionTimes {
    /// At `rate`.
    pub fn new(rate: Rate) -> TransmissionTimes {
        // A size of nothing takes no time, at rate zero neither: there is no packet like it.
        TransmissionTimes { rate, known: [(0, Duration::ZERO); PLACES] }
    }

    /// The rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// How long `size` bytes take.
    #[inline(always)]
    pub fn of(&mut self, size: u32) -> Duration {
        // The upper bits of a product scatter neighbours as well as round numbers.
        let known = &mut self.known[(size.wrapping_mul(0x9e37_79b9) >> 30) as usize];
        if known.0 != size {
            *known = (size, self.rate.transmission_time(Bytes::new(u64::from(size))));
        }
        known.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_computed() {
        let rate = Rate::from_bps(1_536_000);
        let mut times = TransmissionTimes::new(rate);
        for size in [160, 1500, 40, 160, 576, 1500, 1, 65_535, 160, 9000, 40] {
            assert_eq!(times.of(size), rate.transmission_time(Bytes::new(u64::from(size))), "{size} bytes");
        }
    }
}
