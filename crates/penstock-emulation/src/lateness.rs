//! Lateness of real packets, compared with the simulated network.

use penstock_model::stats::distribution::Distribution;
use penstock_model::units::Duration;

/// Packets that are later than this are counted.
pub const LATE: Duration = Duration::from_ms(1);

/// Lateness of the packets of a run. A packet's lateness has two parts: how much later than the kernel's stamp it entered the
/// network, and how much later than its simulated arrival it was handed to the kernel.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    /// Lateness of each packet.
    pub all: Distribution,
    /// Number of packets later than [`LATE`].
    pub late: u64,
    /// Number of packets since [`Lateness::begin_period`], and number of packets later than [`LATE`] among them.
    period: (u64, u64),
}

impl Lateness {
    /// Counts a packet.
    pub fn add(&mut self, lateness: Duration) {
        let is_late = u64::from(lateness > LATE);
        self.all.add(lateness);
        self.late += is_late;
        self.period = (self.period.0 + 1, self.period.1 + is_late);
    }

    /// Begins another period; returns the numbers of packets and of late packets in the last one.
    pub fn begin_period(&mut self) -> (u64, u64) {
        std::mem::take(&mut self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_packets_are_counted_in_all_and_by_period() {
        let mut lateness = Lateness::default();
        [999, 1000, 1001, 5000].into_iter().for_each(|us| lateness.add(Duration::from_us(us)));
        assert_eq!((lateness.late, lateness.begin_period()), (2, (4, 2)));
        lateness.add(Duration::from_us(2000));
        assert_eq!((lateness.late, lateness.begin_period(), lateness.begin_period()), (3, (1, 1), (0, 0)));
        assert_eq!(lateness.all.max(), Some(Duration::from_ms(5)));
    }
}
