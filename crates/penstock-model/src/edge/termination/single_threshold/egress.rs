//! Egress of an aggregate under single threshold marking.

use super::parameters::{CountsUnmarked, Parameters, Reports};
use super::receiving_rate::ReceivingRate;
use crate::edge::Signal;
use crate::packet::PcnMark;
use crate::units::{Bytes, Duration, Time};

/// The egress: counts runs of marked and unmarked packets, and reports the receiving rate.
#[derive(Clone, Debug)]
pub struct Egress {
    marked_run: u32,
    unmarked_run: u32,
    counts_unmarked: CountsUnmarked,
    every: Duration,
    reports: Reports,
    receiving: ReceivingRate,
    marked: u32,
    unmarked: u32,
    /// Earliest time of the next report.
    next: Time,
    /// Whether a report has been sent since the last cancel.
    reported: bool,
    /// Number of packets that have arrived; wraps around, as sequence numbers do.
    arrived: u32,
}

impl Egress {
    /// An egress with these parameters.
    pub fn new(parameters: &Parameters) -> Egress {
        Egress {
            marked_run: parameters.marked_run.0,
            unmarked_run: parameters.unmarked_run.0,
            counts_unmarked: parameters.counts_unmarked,
            every: parameters.report_interval,
            reports: parameters.reports,
            receiving: ReceivingRate::new(parameters),
            marked: 0,
            unmarked: 0,
            next: Time::ZERO,
            reported: false,
            arrived: 0,
        }
    }

    /// Total number of packets that must have arrived before the next signal: the rest of a run of marked packets, or, after a
    /// report, the rest of a run of unmarked packets.
    pub fn silent_before_packet(&self) -> u32 {
        let goes_on = self.reports == Reports::UntilCancel && self.reported;
        let until_report = if goes_on { 1 } else { self.marked_run.saturating_sub(self.marked) };
        let until_cancel = if self.reported { self.unmarked_run.saturating_sub(self.unmarked) } else { u32::MAX };
        self.arrived.wrapping_add(until_report.min(until_cancel).max(1))
    }

    /// Handles the arrival of a packet.
    #[inline]
    pub fn on_packet(&mut self, now: Time, size: Bytes, mark: PcnMark) -> Option<Signal> {
        self.arrived = self.arrived.wrapping_add(1);
        self.receiving.add(now, size);
        (self.marked, self.unmarked) = match mark {
            PcnMark::Unmarked => (0, self.unmarked.saturating_add(1)),
            PcnMark::Threshold | PcnMark::Excess => (self.marked.saturating_add(1), self.unmarked),
        };
        let counts = self.counts_unmarked == CountsUnmarked::SinceRun && self.marked < self.marked_run;
        if self.marked > 0 && !counts {
            self.unmarked = 0;
        }
        if self.reported && self.unmarked == self.unmarked_run {
            self.reported = false;
            self.receiving.end_run();
            return Some(Signal::Cancel);
        }
        let goes_on = self.reports == Reports::UntilCancel && self.reported;
        if self.marked == 0 && !goes_on {
            self.receiving.end_run();
        }
        if now < self.next || self.marked < self.marked_run && !goes_on {
            return None;
        }
        self.next = now + self.every;
        self.reported = true;
        if self.reports == Reports::FreshRun {
            self.marked = 0;
        }
        Some(self.receiving.report(now))
    }

    /// Announces that the packet that arrives is the `number`th of its aggregate.
    #[inline]
    pub fn on_number(&mut self, now: Time, number: u32) {
        self.receiving.on_number(now, number);
    }

    /// Handles the termination of calls.
    pub fn on_restart(&mut self) {
        self.marked = 0;
        self.reported = false;
        self.receiving.end_run();
    }
}
