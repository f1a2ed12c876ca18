//! Appropriate byte counting [RFC3465], in segments, since all segments have the same size.

use super::{Parameters, Reno};
use crate::transport::congestion_control::{Acknowledgement, Congestion, CongestionControl, ConnectionContext, Timeout, Window};
use crate::units::Time;
use std::any::Any;

/// Reno that grows by the amount of acknowledged data.
#[derive(Clone, Debug)]
pub struct ByteCounting {
    reno: Reno,
    /// Maximum growth per acknowledgement in slow start, in segments (L).
    limit: u32,
    /// Number of segments that one window of acknowledged segments adds (a).
    increase: f64,
    /// Number of segments acknowledged in congestion avoidance since cwnd last grew (bytes_acked).
    counted: f64,
    /// Whether the current slow start began with a timeout.
    after_timeout: bool,
}

impl ByteCounting {
    /// The control of a new connection; `None` if the parameters do not request byte counting.
    pub fn new(parameters: &Parameters, context: &ConnectionContext) -> Option<ByteCounting> {
        let limit = parameters.byte_counting_limit?.0;
        let increase = parameters.increase.0;
        Some(ByteCounting { reno: Reno::new(parameters, context), limit, increase, counted: 0.0, after_timeout: false })
    }
}

crate::state! {
    impl ByteCounting, |_it, _now| {}
}

impl CongestionControl for ByteCounting {
    fn on_ack(&mut self, ack: &Acknowledgement, window: &mut Window) {
        if !ack.may_grow() {
            return;
        }
        if window.is_in_slow_start() {
            // An acknowledgement may cover much data that arrived before the timeout, which does not show how much has left the network
            // since then [RFC3465 s2.3].
            let limit = if self.after_timeout { 1 } else { self.limit };
            window.size += f64::from(ack.newly.min(limit));
        } else {
            self.after_timeout = false;
            self.counted += f64::from(ack.newly);
            if self.counted >= window.size {
                self.counted = (self.counted - window.size).min(window.size);
                window.size += self.increase;
            }
        }
        window.size = window.size.min(f64::from(window.max));
    }

    fn on_congestion(&mut self, congestion: &Congestion, window: &mut Window) {
        self.counted = 0.0;
        self.reno.on_congestion(congestion, window);
    }

    fn on_timeout(&mut self, timeout: &Timeout, window: &mut Window) {
        self.counted = 0.0;
        self.after_timeout = true;
        self.reno.on_timeout(timeout, window);
    }

    fn change(&mut self, now: Time, parameters: &dyn Any) {
        self.reno.change(now, parameters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Count;
    use crate::transport::congestion_control::testing::context;
    use crate::units::Time;

    fn control(limit: u32) -> ByteCounting {
        let parameters = Parameters { byte_counting_limit: Some(Count(limit)), ..Parameters::default() };
        ByteCounting::new(&parameters, &context(1460)).expect("byte counting")
    }

    fn ack(it: &mut ByteCounting, newly: u32, window: &mut Window) {
        let facts = Acknowledgement {
            now: Time::ZERO,
            newly,
            delivered: 0,
            acknowledged: 0,
            next: 0,
            in_flight: 10,
            app_limited: false,
            ece: false,
            in_recovery: false,
        };
        it.on_ack(&facts, window);
    }

    #[test]
    fn without_a_limit_there_is_no_byte_counting() {
        assert!(ByteCounting::new(&Parameters::default(), &context(1460)).is_none());
    }

    #[test]
    fn slow_start_grows_by_what_is_acknowledged_up_to_the_limit() {
        for (limit, sizes) in [(1, [5.0, 6.0, 7.0]), (2, [5.0, 7.0, 9.0]), (3, [5.0, 7.0, 10.0])] {
            let (mut it, mut window) = (control(limit), Window { size: 4.0, threshold: 100.0, max: 1000 });
            for (newly, size) in [1, 2, 7].into_iter().zip(sizes) {
                ack(&mut it, newly, &mut window);
                assert_eq!(window.size, size, "limit {limit}, {newly} acknowledged");
            }
        }
    }

    #[test]
    fn after_a_timeout_the_limit_is_one_until_slow_start_ends() {
        let (mut it, mut window) = (control(2), Window { size: 8.0, threshold: 100.0, max: 1000 });
        it.on_timeout(&Timeout { now: Time::ZERO, in_flight: 8, repeated: false }, &mut window);
        assert_eq!(window.threshold, 4.0);
        window.size = 1.0; // as the sender does
        for size in [2.0, 3.0, 4.0] {
            ack(&mut it, 2, &mut window);
            assert_eq!(window.size, size);
        }
        // In congestion avoidance, four segments add one.
        ack(&mut it, 2, &mut window);
        assert_eq!(window.size, 4.0);
        ack(&mut it, 2, &mut window);
        assert_eq!(window.size, 5.0);
        // The next slow start is a separate one.
        window.threshold = 100.0;
        ack(&mut it, 2, &mut window);
        assert_eq!(window.size, 7.0);
    }

    #[test]
    fn one_acknowledgement_makes_the_window_grow_by_one_segment_in_congestion_avoidance() {
        let (mut it, mut window) = (control(2), Window { size: 4.0, threshold: 2.0, max: 1000 });
        // 30 minus 4, but at most one window, counts for the next increase.
        ack(&mut it, 30, &mut window);
        assert_eq!(window.size, 5.0);
        ack(&mut it, 1, &mut window);
        assert_eq!(window.size, 6.0);
        ack(&mut it, 5, &mut window);
        assert_eq!(window.size, 6.0);
    }
}
