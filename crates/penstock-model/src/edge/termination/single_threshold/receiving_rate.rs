//! Measurement of the receiving rate at the egress of single threshold marking.

use super::numbered::NumberedArrivals;
use super::parameters::{Parameters, Receiving};
use crate::edge::rate_meter::{Interval, Sliding};
use crate::edge::Signal;
use crate::units::{Bytes, Duration, Time};

/// Measurement of the receiving rate.
#[derive(Clone, Debug)]
pub(super) enum ReceivingRate {
    /// Rate over a window.
    Window(Sliding),
    /// Rate over a window of this length that starts no earlier than the first report.
    Within(Sliding, Duration, Option<Time>),
    /// Rate since the last report, if that belongs to the current run.
    Since(Option<Interval>),
    /// Share of arrived packets, by sequence numbers.
    Numbered(NumberedArrivals),
}

impl ReceivingRate {
    /// A measurement as given by `parameters`, before the first packet.
    pub(super) fn new(parameters: &Parameters) -> ReceivingRate {
        let window = parameters.receiving_window.unwrap_or(parameters.report_interval);
        match parameters.receiving {
            Receiving::Sliding => ReceivingRate::Window(Sliding::new(window)),
            Receiving::WithinRun => ReceivingRate::Within(Sliding::new(window), window, None),
            Receiving::BetweenReports => ReceivingRate::Since(None),
            Receiving::Share => ReceivingRate::Numbered(NumberedArrivals::new(parameters.waiting_time)),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, now: Time, size: Bytes) {
        match self {
            ReceivingRate::Window(window) | ReceivingRate::Within(window, ..) => window.add(now, size),
            ReceivingRate::Since(Some(interval)) => interval.add(size),
            ReceivingRate::Since(None) | ReceivingRate::Numbered(_) => {}
        }
    }

    /// Announces that the packet that arrives is the `number`th of its aggregate.
    #[inline]
    pub(super) fn on_number(&mut self, now: Time, number: u32) {
        if let ReceivingRate::Numbered(arrivals) = self {
            arrivals.on_packet(now, number);
        }
    }

    /// Ends the current run of reports.
    #[inline]
    pub(super) fn end_run(&mut self) {
        match self {
            ReceivingRate::Window(_) => {}
            ReceivingRate::Within(.., first) => *first = None,
            ReceivingRate::Since(interval) => *interval = None,
            ReceivingRate::Numbered(arrivals) => arrivals.begin_run(),
        }
    }

    /// Report that is due at `now`.
    pub(super) fn report(&mut self, now: Time) -> Signal {
        let rate = match self {
            ReceivingRate::Window(window) => Some(window.rate(now)),
            ReceivingRate::Within(window, length, first) => {
                let first = *first.get_or_insert(now);
                (now.since(first) >= *length).then(|| window.rate(now))
            }
            ReceivingRate::Since(interval) => interval.replace(Interval::new(now, Duration::FOREVER)).map(|interval| interval.rate(now)),
            ReceivingRate::Numbered(arrivals) => return Signal::Arriving(arrivals.take_share(now)),
        };
        Signal::Receiving(rate)
    }
}
