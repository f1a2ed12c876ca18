//! CUBIC in whole segments and clock ticks, as Linux computes it (`bictcp_update`, `tcp_cong_avoid_ai`).

use super::{Acknowledgement, Cubic, Epoch, RenoFriendly, Window};
use crate::units::{Duration, Time};

/// Length of a tick with `CONFIG_HZ_250`, the default of the kernel's configuration (`kernel/Kconfig.hz`).
pub(super) const DEFAULT_TICK: Duration = Duration::from_ms(4);

/// One second: a round trip measured earlier in an epoch does not count, and `CONFIG_HZ` is the number of ticks per second.
pub(super) const SECOND: Duration = Duration::from_ms(1000);

/// C, beta and K are multiples of 1/1024 (`BICTCP_BETA_SCALE`, `BICTCP_HZ`).
const SCALE: f64 = 1024.0;

/// Maximum number of acknowledged segments per increase without a W_max: 5 % per round trip.
const MAX_WITHOUT_W_MAX: u32 = 20;

/// Minimum number of acknowledged segments per increase: 50 % per round trip.
const MIN_NEEDED: u32 = 2;

/// State of congestion avoidance in whole segments.
#[derive(Clone, Debug)]
pub(super) struct SegmentCount {
    /// Length of a tick of the kernel's clock.
    tick: Duration,
    /// Number of acknowledged segments per increase (`cnt`).
    needed: u32,
    /// Number of segments acknowledged since the last increase (`snd_cwnd_cnt`).
    counted: u32,
    /// Number of acknowledged segments that W_est does not include yet (`ack_cnt`).
    for_w_est: u32,
    /// Window at the inflection of the cubic (`bic_origin_point`).
    origin: f64,
    /// Window when the cubic was last computed (`last_cwnd`).
    last_cwnd: u32,
    /// Tick at which the cubic was last computed (`last_time`).
    last_tick: u64,
    /// Shortest round trip since the last timeout; zero before the first one (`delay_min`).
    min_rtt: Duration,
}

impl SegmentCount {
    /// State of a new connection, or after a timeout.
    pub fn new(tick: Duration) -> SegmentCount {
        SegmentCount { tick, needed: 0, counted: 0, for_w_est: 0, origin: 0.0, last_cwnd: 0, last_tick: 0, min_rtt: Duration::ZERO }
    }

    /// Number of the tick at `time`.
    fn tick_at(&self, time: Time) -> u64 {
        time.as_ps() / self.tick.as_ps()
    }

    /// Ticks per second (`HZ`).
    fn hz(&self) -> u64 {
        SECOND.as_ps() / self.tick.as_ps()
    }

    /// Handles a measured round trip. It does not count in the first second of an epoch, when the recovery may have lengthened it.
    pub fn on_rtt_sample(&mut self, now: Time, rtt: Duration, epoch: Option<&Epoch>) {
        let counts = || epoch.is_none_or(|epoch| self.tick_at(now) >= self.tick_at(epoch.start) + self.hz());
        if (self.min_rtt == Duration::ZERO || rtt < self.min_rtt) && counts() {
            self.min_rtt = rtt;
        }
    }

    /// Handles a reduction of the window (`tcp_init_cwnd_reduction`).
    pub fn on_reduction(&mut self) {
        self.counted = 0;
    }

    /// Handles a timeout (`bictcp_reset`).
    pub fn on_timeout(&mut self) {
        *self = SegmentCount::new(self.tick);
    }

    /// Counts `newly` acknowledged segments; returns the number of segments by which the window grows (`tcp_cong_avoid_ai`). Segments
    /// counted at a slower growth are worth at most one segment.
    fn take_increase(&mut self, newly: u32) -> u32 {
        let mut increase = 0;
        if self.counted >= self.needed {
            self.counted = 0;
            increase = 1;
        }
        self.counted += newly;
        if self.counted >= self.needed {
            increase += self.counted / self.needed;
            self.counted %= self.needed;
        }
        increase
    }
}

/// `factor` in units of 1/1024.
fn units(factor: f64) -> f64 {
    (factor * SCALE).round().max(1.0)
}

/// `factor`, as a multiple of 1/1024, times `x`, rounded down.
pub(super) fn scaled(factor: f64, x: f64) -> f64 {
    (units(factor) * x / SCALE).floor()
}

/// 8 / alpha, rounded down: eighths of the window whose acknowledgement increases W_est by one segment (`beta_scale`).
fn eighths(beta: f64) -> u32 {
    let beta = units(beta).min(SCALE - 1.0);
    ((8.0 * (SCALE + beta) / 3.0).floor() / (SCALE - beta)) as u32
}

impl Cubic {
    /// Slow start up to ssthresh, then congestion avoidance with the remaining segments (`cubictcp_cong_avoid`).
    pub(super) fn grow_in_segments(&mut self, ack: &Acknowledgement, window: &mut Window) {
        let mut newly = ack.newly.min(self.limit);
        let mut cwnd = (window.size as u32).max(1);
        if window.is_in_slow_start() {
            let step = newly.min((window.threshold - f64::from(cwnd)) as u32);
            (cwnd, newly) = (cwnd + step, newly - step);
        } else if ack.app_limited {
            return;
        }
        if newly > 0 {
            if let Some(mut count) = self.segments.take() {
                self.update_needed(ack.now, (cwnd, newly), &mut count);
                cwnd += count.take_increase(newly);
                self.segments = Some(count);
            }
        }
        window.size = f64::from(cwnd.min(window.max));
    }

    /// Updates the number of segments per increase (`bictcp_update`): the cubic once per tick and window, W_est with each acknowledgement.
    /// While the window stays the same, both wait for 1/32 s.
    fn update_needed(&mut self, now: Time, (cwnd, newly): (u32, u32), count: &mut SegmentCount) {
        let tick = count.tick_at(now);
        count.for_w_est += newly;
        if count.last_cwnd == cwnd && tick - count.last_tick <= count.hz() / 32 {
            return;
        }
        let is_recent = self.epoch.is_some() && count.last_tick == tick;
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => {
                count.for_w_est = newly;
                self.begin_epoch_in_segments(now, cwnd, count)
            }
        };
        if !is_recent {
            (count.last_cwnd, count.last_tick) = (cwnd, tick);
            let target = self.target(tick, &epoch, count);
            count.needed = if target > f64::from(cwnd) { cwnd / (target - f64::from(cwnd)) as u32 } else { 100 * cwnd };
            if self.without_w_max {
                count.needed = count.needed.min(MAX_WITHOUT_W_MAX);
            }
        }
        if self.reno_friendly != RenoFriendly::None {
            self.follow_w_est(&mut epoch, cwnd, count);
        }
        self.epoch = Some(epoch);
        count.needed = count.needed.max(MIN_NEEDED);
    }

    /// Starts congestion avoidance with the window `cwnd`.
    fn begin_epoch_in_segments(&self, now: Time, cwnd: u32, count: &mut SegmentCount) -> Epoch {
        let cwnd = f64::from(cwnd);
        count.origin = if self.without_w_max { cwnd } else { self.w_max.max(cwnd) };
        let factor = (SCALE * SCALE * SCALE * SCALE / units(self.c)).floor(); // `cube_factor`
        let k = libm::cbrt(factor * (count.origin - cwnd)).floor() / SCALE;
        Epoch { start: now, k, w_est: cwnd, alpha: 8.0 / f64::from(eighths(self.beta)) }
    }

    /// W_cubic one shortest round trip ahead, with its distance from the inflection rounded down.
    fn target(&self, tick: u64, epoch: &Epoch, count: &SegmentCount) -> f64 {
        let ahead = count.min_rtt.as_ps().div_ceil(count.tick.as_ps());
        let elapsed = tick.saturating_sub(count.tick_at(epoch.start)) + ahead;
        let d = (elapsed * SCALE as u64 / count.hz()) as f64 / SCALE - epoch.k;
        let distance = scaled(self.c, d.abs() * d * d);
        count.origin + if d < 0.0 { -distance } else { distance }
    }

    /// Updates W_est. If it exceeds the window, limits the number of segments per increase so that a round trip reaches it.
    fn follow_w_est(&self, epoch: &mut Epoch, cwnd: u32, count: &mut SegmentCount) {
        let is_past = self.reno_friendly == RenoFriendly::Rfc9438 && epoch.w_est >= self.prior;
        let per_segment = if is_past { cwnd } else { (cwnd * eighths(self.beta) / 8).max(1) };
        while count.for_w_est > per_segment {
            count.for_w_est -= per_segment;
            epoch.w_est += 1.0;
        }
        if epoch.w_est > f64::from(cwnd) {
            count.needed = count.needed.min(cwnd / (epoch.w_est as u32 - cwnd));
        }
    }
}

#[cfg(test)]
mod tests;
