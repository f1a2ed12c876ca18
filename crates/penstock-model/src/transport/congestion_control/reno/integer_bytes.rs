//! Window in whole bytes, as kernels keep it.

use super::{Arithmetic, Parameters, Reno};
use crate::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::units::Time;
use std::any::Any;

/// Reno that computes in integers.
#[derive(Clone, Debug)]
pub struct IntegerBytes {
    reno: Reno,
    /// Payload of a segment in bytes (MSS).
    segment: u32,
    /// Number of acknowledgements per increase (N).
    acks_per_increase: u32,
    /// N * MSS * MSS, times the growth per round trip in segments.
    increase: u64,
    /// Number of acknowledgements in congestion avoidance since cwnd last grew.
    counted: u32,
}

impl IntegerBytes {
    /// The control of a new connection; `None` if windows are fractions of segments.
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Option<IntegerBytes> {
        let segment = context.payload;
        let acks_per_increase = match parameters.arithmetic {
            Arithmetic::Fractional => return None,
            Arithmetic::IntegerBytes => parameters.acks_per_increase.map_or(1, |count| count.0),
            Arithmetic::IntegerBytesWithoutStall => context.max_window.div_ceil(segment),
        };
        let squares = f64::from(acks_per_increase) * f64::from(segment) * f64::from(segment);
        let increase = (parameters.increase.0 * squares) as u64;
        Some(IntegerBytes { reno: Reno::new(parameters, context), segment, acks_per_increase, increase, counted: 0 })
    }

    /// Growth of a window of `bytes` bytes, once per N acknowledgements; zero for the others.
    fn next_increase(&mut self, bytes: u64) -> u64 {
        self.counted += 1;
        if self.counted < self.acks_per_increase {
            return 0;
        }
        self.counted = 0;
        self.increase / bytes
    }
}

crate::state! {
    impl IntegerBytes, |_it, _now| {}
}

impl CongestionControl for IntegerBytes {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        // Converts the window to whole bytes, rounded: the number is far below the 53 bits of a double.
        let bytes = (window.size * f64::from(self.segment) + 0.5) as u64;
        let more = if window.is_in_slow_start() { u64::from(self.segment) } else { self.next_increase(bytes) };
        window.size = ((bytes + more) as f64 / f64::from(self.segment)).min(f64::from(window.max));
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.counted = 0;
        self.reno.on_congestion(congestion, window);
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        self.counted = 0;
        self.reno.on_timeout(timeout, window);
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.reno.change(now, parameters);
    }
}

#[cfg(test)]
mod tests;
