//! The counters of a port.

use crate::api::observations::LinkCounters;
use crate::kernel::digest::Digest;
use crate::kernel::journal::Measurement;
use crate::port::flow_losses::FlowLosses;
use crate::port::link_counts::CompleteTransmissions;
use crate::port::recorder::PortRecorder;
use penstock_model::discipline::DropCause;
use penstock_model::id::FlowId;
use penstock_model::packet::Packet;
use penstock_model::prefetch::prefetch;
use penstock_model::units::{Duration, Time};

/// The counters of a port, and their measurement period.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct PortCounters {
    /// The measurement period.
    pub measured: Measurement,
    /// Arrival time and flow of the last accepted packet.
    pub last_accepted: (Time, FlowId),
    /// Transmissions that lie inside the measurement period, to be added to `link`.
    pub complete: CompleteTransmissions,
    /// Number of packets whose transmission has begun, at an event-driven port.
    pub sent: CheckedCount,
    /// Index of the port in traces.
    pub place: u32,
    /// Hash of all marks and drops.
    pub digest: Digest,
    /// The counters that are reported.
    pub link: Box<LinkCounters>,
    /// Losses of data packets that were sent and lost in the measurement period. Counting losses here leaves deliveries without a cost.
    pub lost: FlowLosses,
    /// Number of packets offered.
    pub offered: CheckedCount,
    /// Number of packets dropped, on arrival or from the queue.
    pub dropped: CheckedCount,
    /// Records beyond the counters, if requested.
    pub recorder: Option<Box<PortRecorder>>,
    /// Packets that leave the port or are dropped, for the shared buffer of a switch.
    pub releases: Option<Vec<Release>>,
}

/// A count over the whole run for the checks of debug builds; other builds do not store it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckedCount(#[cfg(debug_assertions)] u64);

impl CheckedCount {
    /// Adds `count`.
    #[inline(always)]
    pub fn add(&mut self, count: u64) {
        #[cfg(debug_assertions)]
        {
            self.0 += count;
        }
        _ = count;
    }

    /// Returns the count; zero in other builds.
    pub fn get(self) -> u64 {
        #[cfg(debug_assertions)]
        return self.0;
        #[cfg(not(debug_assertions))]
        0
    }
}

/// Initial value of [`PortCounters::last_accepted`].
pub const NOTHING_ACCEPTED: (Time, FlowId) = (Time::NEVER, FlowId(u32::MAX));

/// A packet that leaves a port or is dropped by it.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Time at which its transmission ends or it is dropped.
    pub at: Time,
    /// The packet.
    pub packet: Packet,
    /// Whether it is dropped.
    pub is_dropped: bool,
}

impl PortCounters {
    /// Creates counters at zero, for the port with index `place` in traces.
    pub fn new(place: u32, measured: Measurement, recorder: Option<Box<PortRecorder>>) -> PortCounters {
        PortCounters { place, measured, recorder, last_accepted: NOTHING_ACCEPTED, ..PortCounters::default() }
    }

    /// Prefetches the memory that every packet changes.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.measured);
        prefetch(&self.complete);
    }

    /// Counts a mark at `now`, which may lie after the end of the run if the departure is known in advance.
    #[inline]
    pub fn mark(&mut self, now: Time, packet: &Packet) {
        if self.measured.contains(now) {
            self.link.mark(packet.size);
            if let Some(recorder) = &mut self.recorder {
                recorder.mark(now, packet);
            }
        }
    }

    /// Counts a mark of a packet of `size` bytes at a port without a recorder.
    #[inline]
    pub fn mark_unrecorded(&mut self, now: Time, size: u32) {
        if self.measured.contains(now) {
            self.link.mark(size);
        }
    }

    /// Counts an arrival.
    #[inline]
    pub fn arrival(&mut self, now: Time, size: u32, precedence: u8) {
        if self.measured.is_open(now) {
            self.link.arrival(size, precedence);
        }
    }

    /// Counts a packet of this size and precedence that arrives at `now` and is accepted, and its transmission, which is known on arrival.
    /// Returns whether the transmission ever ends.
    #[inline(always)]
    pub fn accepted_departure(&mut self, now: Time, start: Time, end: Time, (size, precedence): (u32, u8)) -> bool {
        self.offered.add(1);
        self.departure(now, start, end, (size, precedence))
    }

    /// Counts an accepted packet of this size and precedence from its arrival to the end of its transmission; the transmission begins or is
    /// known in advance. Returns whether it ever ends.
    #[inline(always)]
    pub fn departure(&mut self, arrival: Time, start: Time, end: Time, (size, precedence): (u32, u8)) -> bool {
        if self.measured.from <= arrival && end <= self.measured.to {
            self.complete.count(arrival, start, end, (size, precedence));
            true
        } else if end < self.measured.from {
            // Everything lies in the warm-up.
            true
        } else {
            self.departure_across_a_bound(arrival, start, end, size, precedence)
        }
    }

    /// Whether the interval between these times lies entirely inside or entirely before the measurement period.
    #[inline]
    pub fn crosses_no_bound(&self, from: Time, to: Time) -> bool {
        self.measured.from <= from && to <= self.measured.to || to < self.measured.from
    }

    /// Counts `count` accepted packets of the same size and precedence, whose service ends by `end` and crosses no bound of the measurement
    /// period. Each transmission takes `transmission`; the packets have waited `waited` ps in total.
    #[inline]
    pub fn complete_departures(&mut self, end: Time, count: u64, size: u32, precedence: u8, transmission: Duration, waited: u128) {
        self.offered.add(count);
        if end >= self.measured.from {
            self.complete.count_batch(count, size, precedence, transmission, waited);
        }
    }

    #[inline(never)]
    fn departure_across_a_bound(&mut self, arrival: Time, start: Time, end: Time, size: u32, precedence: u8) -> bool {
        self.arrival(arrival, size, precedence);
        self.link.transmission(&self.measured, arrival, start, end, size);
        end != Time::NEVER
    }

    /// Counts an accepted packet as [`PortCounters::departure`] does, and adds it to the recorder and the releases.
    pub fn record_departure(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) -> bool {
        if let Some(recorder) = &mut self.recorder {
            recorder.transmission(arrival, start, end, packet);
        }
        if let Some(releases) = &mut self.releases {
            releases.push(Release { at: end, packet: *packet, is_dropped: false });
        }
        self.departure(arrival, start, end, (packet.size, packet.precedence))
    }

    /// Counts a packet that is still waiting when the run ends.
    pub fn unfinished(&mut self, arrival: Time, packet: &Packet) {
        self.arrival(arrival, packet.size, packet.precedence);
        self.link.wait_without_service(&self.measured, arrival, Time::NEVER, packet.size);
        if let Some(recorder) = &mut self.recorder {
            recorder.unfinished(arrival, packet);
        }
    }

    /// Counts a loss at `now`.
    #[inline]
    pub fn loss(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        if self.measured.contains(now) {
            self.link.loss(packet, cause);
            if self.measured.is_open(packet.created) && packet.body.is_data() {
                self.lost.count(packet.flow, packet.body.is_retransmission());
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.loss(now, packet, cause);
            }
        }
    }
}
