//! Congestion window and slow-start threshold, in segments.

/// cwnd and ssthresh. Uses only additions and divisions of doubles, which give the same results on every machine.
#[derive(Clone, Debug)]
pub struct Window {
    /// cwnd.
    pub size: f64,
    /// ssthresh.
    pub threshold: f64,
    /// Maximum number of outstanding segments.
    pub max: u32,
}

impl Window {
    /// Whether cwnd is in slow start [RFC5681 s3.1].
    #[inline]
    pub fn is_in_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// Number of whole segments that may be outstanding; at least one, since only pacing realises a window below one.
    #[inline]
    pub fn usable(&self) -> u32 {
        (self.size as u32).max(1).min(self.max)
    }

    /// Handles an acknowledgement of new data: slow start or congestion avoidance [RFC5681 s3.1].
    #[inline]
    pub fn grow(&mut self) {
        self.size += if self.is_in_slow_start() { 1.0 } else { 1.0 / self.size };
        self.size = self.size.min(f64::from(self.max));
    }

    /// Same as [`Window::grow`], but counts acknowledged segments; slow start ends at ssthresh.
    #[inline]
    pub fn grow_by_acknowledged(&mut self, segments: u32) {
        if segments == 1 {
            return self.grow();
        }
        let grown = f64::from(segments);
        let size = if self.is_in_slow_start() {
            (self.size + grown).min(self.threshold.max(self.size + 1.0))
        } else {
            self.size + grown / self.size
        };
        self.size = size.min(f64::from(self.max));
    }

    /// Adds `segments` to cwnd, up to its maximum.
    #[inline]
    pub fn grow_by(&mut self, segments: f64) {
        self.size = (self.size + segments).min(f64::from(self.max));
    }

    /// Sets ssthresh = max(FlightSize / 2, 2) after a loss with a FlightSize of `flight` segments [RFC5681 s3.1 (4)].
    pub fn halve_threshold(&mut self, flight: u32) {
        self.threshold = f64::from((flight / 2).max(2));
    }

    /// Same as [`Window::halve_threshold`], with a factor other than 1/2, in whole segments.
    pub fn reduce_threshold(&mut self, flight: u32, factor: f64) {
        self.threshold = f64::from((f64::from(flight) * factor) as u32).max(2.0);
    }

    /// Same as [`Window::reduce_threshold`], but keeps fractions of a segment, as in bytes.
    pub fn reduce_threshold_exactly(&mut self, flight: u32, factor: f64) {
        self.threshold = (f64::from(flight) * factor).max(2.0);
    }

    /// Same as [`Window::reduce_threshold_exactly`], but starts from the part of cwnd that is in use. FlightSize alone may be several times
    /// cwnd after losses reported by SACK, so a factor close to one would enlarge the window.
    pub fn reduce_threshold_within(&mut self, flight: u32, factor: f64) {
        self.threshold = (f64::from(flight).min(self.size) * factor).max(2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_doubles_per_round_trip_then_grows_by_one() {
        let mut window = Window { size: 2.0, threshold: 4.0, max: 100 };
        window.grow();
        window.grow();
        assert_eq!(window.size, 4.0);
        window.grow();
        assert_eq!(window.size, 4.25);
        window.grow();
        assert_eq!(window.size, 4.25 + 1.0 / 4.25); // 4.485
        window.grow(); // 4.708
        window.grow(); // 4.921
        assert_eq!(window.usable(), 4);
        window.grow(); // 5.124
        assert_eq!(window.usable(), 5);
    }

    #[test]
    fn growth_may_count_acknowledged_segments() {
        let sizes = |size, segments| {
            let mut window = Window { size, threshold: 4.0, max: 10 };
            window.grow_by_acknowledged(segments);
            window.size
        };
        assert_eq!([sizes(2.0, 1), sizes(2.0, 2), sizes(2.0, 3), sizes(3.5, 3)], [3.0, 4.0, 4.0, 4.5]);
        assert_eq!([sizes(4.0, 1), sizes(4.0, 2), sizes(9.9, 3)], [4.25, 4.5, 10.0]);
    }

    #[test]
    fn a_window_below_one_segment_admits_one() {
        let window = Window { size: 0.3, threshold: 2.0, max: 8 };
        assert_eq!(window.usable(), 1);
    }

    #[test]
    fn the_window_stops_at_its_maximum() {
        let mut window = Window { size: 7.9, threshold: 2.0, max: 8 };
        window.grow();
        assert_eq!((window.size, window.usable()), (8.0, 8));
    }

    #[test]
    fn half_a_flight_is_whole_segments_and_at_least_two() {
        let mut window = Window { size: 9.7, threshold: 100.0, max: 100 };
        for (flight, threshold) in [(9, 4.0), (8, 4.0), (3, 2.0), (1, 2.0), (11, 5.0)] {
            window.halve_threshold(flight);
            assert_eq!(window.threshold, threshold, "flight of {flight}");
            window.reduce_threshold(flight, 0.5);
            assert_eq!(window.threshold, threshold, "flight of {flight}");
        }
        for (flight, threshold) in [(9, 7.0), (8, 6.0), (3, 2.0), (2, 2.0)] {
            window.reduce_threshold(flight, 0.8);
            assert_eq!(window.threshold, threshold, "flight of {flight}");
        }
        for (flight, threshold) in [(9, 4.5), (8, 4.0), (5, 2.5), (3, 2.0), (1, 2.0), (11, 5.5)] {
            window.reduce_threshold_exactly(flight, 0.5);
            assert_eq!(window.threshold, threshold, "flight of {flight}");
        }
        for (flight, threshold) in [(8, 6.4), (9, 7.2), (10, 7.76), (1000, 7.76), (1, 2.0)] {
            window.reduce_threshold_within(flight, 0.8);
            assert!((window.threshold - threshold).abs() < 1e-9, "flight of {flight}");
        }
    }
}
