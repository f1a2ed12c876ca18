//! Departure rate of a queue, measured while the queue is long enough [RFC8033 s5.2, App. B].

use crate::units::{Bytes, Duration, Time};

/// Measures the mean time in which DQ_THRESHOLD bytes leave the queue.
#[derive(Clone, Debug)]
pub(super) struct DepartureRate {
    /// Bytes per measurement (DQ_THRESHOLD).
    threshold: u64,
    /// Start of the current measurement (measurement_start), and bytes that have left since (dq_count).
    measurement: Option<(Time, u64)>,
    /// Mean duration of a measurement (avg_dq_time); `None` before the first one.
    mean_ps: Option<f64>,
}

impl DepartureRate {
    pub(super) fn new(threshold: Bytes) -> DepartureRate {
        DepartureRate { threshold: threshold.get(), measurement: None, mean_ps: None }
    }

    pub(super) fn reset(&mut self) {
        *self = DepartureRate::new(Bytes::new(self.threshold));
    }

    /// Estimated time in which `bytes` leave; zero before the first measurement.
    #[inline]
    pub(super) fn delay(&self, bytes: u64) -> Duration {
        Duration::from_ps(self.mean_ps.map_or(0, |mean| (bytes as f64 * mean / self.threshold as f64 + 0.5) as u64))
    }

    /// Records that the transmission of a packet of `size` bytes begins, with `behind` bytes behind it.
    #[inline]
    pub(super) fn on_departure(&mut self, now: Time, size: u32, behind: u64) {
        if let Some((start, left)) = &mut self.measurement {
            *left += u64::from(size);
            if *left >= self.threshold {
                let taken = now.since(*start).as_ps() as f64;
                // The weight of a measurement is its size as a fraction of 2^16 bytes.
                let weight = self.threshold as f64 / 65_536.0;
                self.mean_ps = Some(self.mean_ps.map_or(taken, |mean| taken * weight + mean * (1.0 - weight)));
                self.measurement = None;
            }
        }
        if self.measurement.is_none() && behind >= self.threshold {
            self.measurement = Some((now, 0));
        }
    }
}
