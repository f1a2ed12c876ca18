//! What a port counts.

use crate::api::observations::{LinkCounters, PortTimings};
use crate::kernel::digest::Digest;
use crate::kernel::journal::Window;
use crate::port::link_counts::CompleteTransmissions;
use crate::port::recorder::PortRecorder;
use penstock_model::discipline::DropCause;
use penstock_model::packet::Packet;
use penstock_model::units::{Duration, Time};

/// The port's counts, and the window that they are about.
#[derive(Debug)]
pub struct PortCounters {
    /// The place of the port in traces.
    pub place: u32,
    /// The hash of every mark and every drop.
    pub digest: Digest,
    /// What is reported.
    link: Box<LinkCounters>,
    /// What is to be added to that.
    whole: CompleteTransmissions,
    /// When counting is on.
    pub window: Window,
    /// Packets offered over the whole run, counted for the checks of debug builds.
    pub offered: u64,
    /// Packets dropped over the whole run, on arrival or from the queue.
    pub refused: u64,
    /// Packets that no longer count as queued, over the whole run.
    pub sent: u64,
    /// What is recorded beyond the counts.
    watch: Option<Box<PortRecorder>>,
    /// What leaves the port, for whoever keeps its packets' memory.
    releases: Option<Vec<Release>>,
}

/// A packet that leaves a port, or is refused by it.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// When its transmission ends, or it is dropped.
    pub at: Time,
    /// The packet.
    pub packet: Packet,
}

impl PortCounters {
    /// Nothing yet, at place `place` of traces.
    pub fn new(place: u32, window: Window, watch: Option<Box<PortRecorder>>) -> PortCounters {
        let (link, whole, digest) = (Box::default(), CompleteTransmissions::default(), Digest::default());
        PortCounters { place, digest, link, whole, window, offered: 0, refused: 0, sent: 0, watch, releases: None }
    }

    /// Keeps a list of what leaves from now on.
    pub fn report_releases(&mut self) {
        self.releases = Some(Vec::new());
    }

    /// Adds to `list` what has left since this was last asked, or is known to leave later.
    pub fn take_releases(&mut self, list: &mut Vec<Release>) {
        self.releases.iter_mut().for_each(|releases| list.append(releases));
    }

    /// Counts a mark; one at a departure that is known beforehand may lie after the end of the run.
    #[inline]
    pub fn mark(&mut self, now: Time, packet: &Packet) {
        if self.window.contains(now) {
            self.link.mark(packet.size);
            if let Some(watch) = &mut self.watch {
                watch.mark(packet);
            }
        }
    }

    /// Counts a mark of a packet of `size` where nothing is recorded beyond the counts.
    #[inline]
    pub fn mark_unwatched(&mut self, now: Time, size: u32) {
        if self.window.contains(now) {
            self.link.mark(size);
        }
    }

    /// Counts so many marked packets in the window, of so many bytes, where nothing is recorded beyond the counts.
    #[inline]
    pub fn marks_unwatched(&mut self, packets: u64, bytes: u64) {
        self.link.mark_many(packets, bytes);
    }

    /// A packet is offered, of which only the checks of debug builds hear at once.
    #[inline(always)]
    pub fn offer(&mut self) {
        self.offered += u64::from(cfg!(debug_assertions));
    }

    #[inline]
    fn report_drop(&mut self, now: Time, packet: &Packet) {
        if let Some(releases) = &mut self.releases {
            releases.push(Release { at: now, packet: *packet });
        }
    }

    /// Counts an arrival.
    #[inline]
    pub fn arrival(&mut self, now: Time, size: u32, precedence: u8) {
        if self.window.is_open(now) {
            self.link.arrival(size, precedence);
        }
    }

    /// Counts that an arriving packet is dropped.
    #[inline(always)]
    pub fn arrival_drop(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        self.refused += 1;
        self.report_drop(now, packet);
        if let Some(watch) = &mut self.watch {
            watch.offered(now, packet);
        }
        self.loss(now, packet, cause);
    }

    /// Counts that a packet which has waited since `arrival` is dropped.
    #[inline(always)]
    pub fn queue_drop(&mut self, now: Time, arrival: Time, packet: &Packet, cause: DropCause) {
        self.refused += 1;
        self.report_drop(now, packet);
        self.link.wait_without_service(&self.window, arrival, now, packet.size);
        if let Some(watch) = &mut self.watch {
            watch.queue_drop(now, arrival, packet);
        }
        self.loss(now, packet, cause);
    }

    /// Counts a packet that arrives at `now`, is accepted, and whose transmission is known at once; tells whether that ever
    /// ends.
    #[inline(always)]
    pub fn passage(&mut self, now: Time, start: Time, end: Time, packet: &Packet) -> bool {
        self.offer();
        self.departure(now, start, end, packet)
    }

    /// Counts an accepted packet from its arrival to the end of its transmission, when that begins; tells whether it ever
    /// ends.
    #[inline(always)]
    pub fn departure(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) -> bool {
        if self.window.from <= arrival && end <= self.window.to {
            self.whole.count(arrival, start, end, packet);
            true
        } else if end < self.window.from {
            // All of it lies in the warm-up.
            true
        } else {
            self.departure_at_an_edge(arrival, start, end, packet.size, packet.precedence)
        }
    }

    /// Whether everything between these times counts, or nothing because it lies before the window.
    #[inline]
    pub fn is_whole(&self, from: Time, to: Time) -> bool {
        self.window.from <= from && to <= self.window.to || to < self.window.from
    }

    /// Counts `count` passages up to `end` that lie in the window as a whole or before it, of packets of one size and precedence that each take
    /// `transmission` and together have waited for `waited` ps.
    #[inline]
    pub fn whole_passages(&mut self, end: Time, count: u64, size: u32, precedence: u8, transmission: Duration, waited: u128) {
        self.offered += if cfg!(debug_assertions) { count } else { 0 };
        if end >= self.window.from {
            self.whole.count_batch(count, size, precedence, transmission, waited);
        }
    }

    #[inline(never)]
    fn departure_at_an_edge(&mut self, arrival: Time, start: Time, end: Time, size: u32, precedence: u8) -> bool {
        self.arrival(arrival, size, precedence);
        self.link.transmission(&self.window, arrival, start, end, size);
        end != Time::NEVER
    }

    /// Counts and records an accepted packet as [`PortCounters::departure`] does.
    pub fn watched_departure(&mut self, arrival: Time, start: Time, end: Time, packet: &Packet) -> bool {
        if let Some(watch) = &mut self.watch {
            watch.transmission(arrival, start, end, packet);
        }
        if let Some(releases) = &mut self.releases {
            releases.push(Release { at: end, packet: *packet });
        }
        self.departure(arrival, start, end, packet)
    }

    /// Notes that a packet stays.
    #[inline]
    pub fn accepted(&mut self, now: Time, packet: &Packet) {
        if let Some(watch) = &mut self.watch {
            watch.accepted(now, packet);
        }
    }

    /// Counts a packet that is still waiting when the run ends.
    pub fn unfinished(&mut self, arrival: Time, packet: &Packet) {
        self.arrival(arrival, packet.size, packet.precedence);
        self.link.unfinished(&self.window, arrival, packet.size);
        if let Some(watch) = &mut self.watch {
            watch.unfinished(arrival, packet);
        }
    }

    /// Counts a loss at `now`.
    #[inline]
    pub fn loss(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        if self.window.contains(now) {
            self.link.loss(packet, cause);
            if let Some(watch) = &mut self.watch {
                watch.loss(packet, cause);
            }
        }
    }

    /// Hands over the counts, and what was recorded beyond them.
    pub fn into_counts(mut self) -> (LinkCounters, Option<PortTimings>) {
        self.whole.report(&mut self.link);
        (*self.link, self.watch.map(|watch| watch.into_timings()))
    }
}
