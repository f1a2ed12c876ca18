//! Detection of losses by time [RFC8985 s6], and the state of probes [RFC8985 s7].

use super::super::reduction::Reduction;
use super::super::sent_segments::Sent;
use super::super::{Scoreboard, SendTimes};
use crate::packet::{Ack, SackBlock};
use crate::transport::congestion_control::Window;
use crate::transport::ranges::CountedRangeSet;
use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Event that the timer of a sender waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Retransmission timeout.
    Retransmission,
    /// Time of a tail loss probe.
    Probe,
    /// End of the reordering window of a segment.
    Reordering,
}

/// An outstanding tail loss probe, not known to have arrived.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// Segment after the highest one sent, including the probe (TLP.end_seq).
    end: u32,
    /// Whether the probe was a retransmission.
    is_retransmission: bool,
}

/// Whether transmission `one` followed `other`; positions wrap.
fn is_after(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}

/// Number of recoveries for which a larger reordering window persists.
const RECOVERIES: u32 = 16;

/// State of a connection whose losses are detected by time.
#[derive(Clone, Debug)]
pub struct Detection {
    /// Maximum delay of an acknowledgement; `None` if no probes are sent.
    probes: Option<Duration>,
    /// Segments that are lost and have not been sent again.
    pub(crate) lost: CountedRangeSet,
    /// Segments added to `lost` that the sender has not processed yet.
    pub(crate) found: Vec<u32>,
    /// Whether acknowledgements echo timestamps.
    timestamps: bool,
    /// Segments from this one on have not been examined, unless they were sent again.
    unexamined: u32,
    /// Segments that were sent again, in the order of the transmissions, each with the position of its transmission. An entry is stale
    /// after an arrival, a loss or another transmission of the segment.
    sent_again: VecDeque<(u32, u32)>,
    /// Last transmission of RACK.segment: its time (RACK.xmit_ts) and its position among all transmissions.
    newest: (Time, u32),
    /// Latest round trip (RACK.rtt).
    rtt: Duration,
    /// Minimum round trip (RACK.min_RTT).
    min_rtt: Duration,
    /// Segment after the highest that has arrived (RACK.fack).
    highest: u32,
    /// Whether reordering has been seen (RACK.reordering_seen).
    is_reordered: bool,
    /// Earliest end of the reordering window of a segment that is not lost yet.
    reordering_end: Time,
    probe: Option<Probe>,
    /// Event that the timer waits for.
    pub(crate) timer: Timer,
    /// Start of the retransmission timeout; [`Time::NEVER`] if nothing is outstanding.
    pub(crate) timeout_from: Time,
    reduction: Reduction,
    /// Quarters of the minimum round trip in the reordering window (RACK.reo_wnd_mult).
    quarters: u32,
    /// Number of recoveries after which the window is one quarter again (RACK.reo_wnd_persist).
    persists: u32,
    /// Reports of duplicates do not count until this segment is acknowledged (RACK.dsack_round).
    counted_until: u32,
}

impl Detection {
    /// State of a new connection; `probes` is the maximum delay of an acknowledgement, `None` without probes.
    pub fn new(probes: Option<Duration>) -> Detection {
        Detection {
            probes,
            lost: CountedRangeSet::default(),
            found: Vec::new(),
            timestamps: false,
            unexamined: 0,
            sent_again: VecDeque::new(),
            newest: (Time::ZERO, 0),
            rtt: Duration::ZERO,
            min_rtt: Duration::FOREVER,
            highest: 0,
            is_reordered: false,
            reordering_end: Time::NEVER,
            probe: None,
            timer: Timer::Retransmission,
            timeout_from: Time::NEVER,
            reduction: Reduction::default(),
            quarters: 1,
            persists: 0,
            counted_until: 0,
        }
    }

    /// Sets whether acknowledgements echo timestamps.
    pub(crate) fn with_timestamps(self, timestamps: bool) -> Detection {
        Detection { timestamps, ..self }
    }

    /// Handles the segments that an acknowledgement shows to have arrived, and records them in the scoreboard [RFC8985 s6.2 steps 1 to 3].
    /// Its timestamp, if any, belongs to the segments that it acknowledges cumulatively [RFC7323 s4.3].
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack, sent: &SendTimes, scoreboard: &mut Scoreboard, dup_ack_threshold: u32) {
        let is_of_first = self.timestamps && !ack.flags.echoes_retransmission();
        self.deliver_holes(now, SackBlock { start: sent.start(), end: ack.next }, is_of_first, sent, scoreboard);
        scoreboard.remove_below(ack.next);
        for block in ack.blocks() {
            if self.deliver_holes(now, block, false, sent, scoreboard) {
                scoreboard.update([block], ack.next, dup_ack_threshold);
            }
        }
        self.lost.remove_below(ack.next);
    }

    /// Handles the arrival of the segments of a block that the scoreboard does not contain. Returns whether there are any. With
    /// `is_of_first`, the acknowledgement is known to be of first transmissions.
    #[inline]
    fn deliver_holes(&mut self, now: Time, block: SackBlock, is_of_first: bool, sent: &SendTimes, scoreboard: &Scoreboard) -> bool {
        if block.start >= block.end {
            return false;
        }
        let first = scoreboard.next_hole(block.start);
        let mut seq = first;
        while seq < block.end {
            sent.of(seq).into_iter().for_each(|sent| self.deliver(now, seq, is_of_first, sent));
            seq = scoreboard.next_hole(seq + 1);
        }
        first < block.end
    }

    /// Handles an acknowledgement, without blocks, of the segments up to `next`, which were all sent once, in sequence, after all that
    /// have arrived. `last` is the last of them, with the shortest round trip.
    #[inline]
    pub(crate) fn on_ack_in_order(&mut self, now: Time, next: u32, last: Sent) {
        debug_assert!(self.is_quiet() && self.unexamined <= next && next > self.highest);
        debug_assert!(last.is_first() && is_after(last.order, self.newest.1));
        (self.unexamined, self.highest) = (next, next);
        self.rtt = now.since(last.last);
        self.min_rtt = self.min_rtt.min(self.rtt);
        self.newest = (last.last, last.order);
    }

    /// Whether no segment is lost or waits for the end of a reordering window, and no probe is outstanding.
    pub(crate) fn is_quiet(&self) -> bool {
        self.lost.is_empty() && self.reordering_end == Time::NEVER && self.probe.is_none()
    }

    /// Handles the arrival of segment `seq`. A segment whose last transmission may not have arrived does not become RACK.segment [RFC8985
    /// s6.2 step 2].
    #[inline]
    fn deliver(&mut self, now: Time, seq: u32, is_of_first: bool, sent: Sent) {
        self.lost.remove(seq);
        if sent.is_first() && seq + 1 < self.highest {
            self.is_reordered = true;
        }
        self.highest = self.highest.max(seq + 1);
        let rtt = now.since(sent.last);
        if !sent.is_first() && (is_of_first || rtt < self.min_rtt) {
            return;
        }
        if sent.is_first() {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        if is_after(sent.order, self.newest.1) {
            (self.newest, self.rtt) = ((sent.last, sent.order), rtt);
        }
    }

    /// RACK.reo_wnd [RFC8985 s6.2 step 4].
    fn reordering_window(&self, is_late: bool, smoothed: Option<Duration>) -> Duration {
        if !self.is_reordered && is_late || self.min_rtt == Duration::FOREVER {
            return Duration::ZERO;
        }
        Duration::from_ps(self.min_rtt.as_ps() / 4 * u64::from(self.quarters)).min(smoothed.unwrap_or(Duration::FOREVER))
    }

    /// Marks segments as lost and returns their number. Stores the time at which others will be lost [RFC8985 s6.2 step 5]. `is_late` means
    /// that a recovery is in progress or that enough segments are SACKed.
    pub(crate) fn detect(
        &mut self,
        now: Time,
        sent: &SendTimes,
        scoreboard: &Scoreboard,
        is_late: bool,
        smoothed: Option<Duration>,
    ) -> u32 {
        let mut newly = 0;
        self.reordering_end = Time::NEVER;
        self.unexamined = self.unexamined.max(sent.start());
        while self.sent_again.front().is_some_and(|(seq, _)| *seq < sent.start()) {
            self.sent_again.pop_front();
        }
        if !self.may_miss(sent) {
            return 0;
        }
        while let Some((seq, Sent { last, order, .. })) = self.next_missing(sent, scoreboard) {
            if !is_after(self.newest.1, order) {
                break;
            }
            let wait = self.rtt + self.reordering_window(is_late, smoothed);
            if last + wait > now {
                self.reordering_end = last + wait;
                break;
            }
            newly += self.lose(seq);
        }
        newly
    }

    /// Adds a segment to the lost ones. Returns the number of new ones.
    fn lose(&mut self, seq: u32) -> u32 {
        let newly = self.lost.insert(SackBlock { start: seq, end: seq + 1 });
        if newly > 0 {
            self.found.push(seq);
        }
        newly
    }

    /// Whether a segment sent before RACK.segment may be missing. Segments that were sent once were sent in sequence.
    #[inline]
    fn may_miss(&self, sent: &SendTimes) -> bool {
        let is_earlier = |order: u32| is_after(self.newest.1, order);
        let first = sent.of(self.unexamined);
        first.is_some_and(|it| it.is_resent || is_earlier(it.order)) || self.sent_again.front().is_some_and(|(_, order)| is_earlier(*order))
    }

    /// The segment with the earliest last transmission among the ones that have neither arrived nor been found lost.
    fn next_missing(&mut self, sent: &SendTimes, scoreboard: &Scoreboard) -> Option<(u32, Sent)> {
        self.unexamined = scoreboard.next_hole(self.unexamined);
        let mut once = sent.of(self.unexamined);
        while once.is_some_and(|it| it.is_resent || self.lost.contains(self.unexamined)) {
            self.unexamined = scoreboard.next_hole(self.unexamined + 1);
            once = sent.of(self.unexamined);
        }
        let once = once.map(|it| (self.unexamined, it));
        while let Some(&(seq, order)) = self.sent_again.front() {
            let is_missing = || scoreboard.next_hole(seq) == seq && !self.lost.contains(seq);
            if let Some(again) = sent.of(seq).filter(|it| it.order == order && is_missing()) {
                return once.filter(|(_, once)| is_after(order, once.order)).or(Some((seq, again)));
            }
            self.sent_again.pop_front();
        }
        once
    }

    /// Records that segment `seq` is sent again, with its position among all transmissions.
    pub(crate) fn on_sent_again(&mut self, seq: u32, order: u32) {
        self.sent_again.push_back((seq, order));
    }

    /// Whether an outstanding segment has been found lost, whether sent again or not.
    pub(crate) fn is_repairing(&self, sent: &SendTimes, scoreboard: &Scoreboard) -> bool {
        let is_missing = |seq: u32| seq >= sent.start() && scoreboard.next_hole(seq) == seq;
        !self.lost.is_empty() || self.sent_again.iter().any(|(seq, _)| is_missing(*seq))
    }

    /// Considers no segment lost, after a spurious timeout.
    pub(crate) fn forget_losses(&mut self, sent: &SendTimes) {
        self.lost.clear();
        self.unexamined = sent.start();
        let outstanding = (sent.start()..).map_while(|seq| Some((seq, sent.of(seq)?)));
        self.sent_again = outstanding.filter(|(_, it)| it.is_resent).map(|(seq, it)| (seq, it.order)).collect();
        self.sent_again.make_contiguous().sort_unstable_by(|(_, one), (_, other)| (one.wrapping_sub(*other) as i32).cmp(&0));
    }

    /// Marks the first segment as lost after a timeout, and all others that were sent at least one round trip ago [RFC8985 s6.3].
    pub(crate) fn on_timeout(&mut self, now: Time, sent: &SendTimes, scoreboard: &Scoreboard) {
        let mut seq = sent.start();
        while let Some(Sent { last, .. }) = sent.of(seq) {
            if seq == sent.start() || last + self.rtt <= now {
                self.lose(seq);
            }
            seq = scoreboard.next_hole(seq + 1);
        }
        self.reordering_end = Time::NEVER;
        self.probe = None;
    }

    /// Handles the report of a duplicate while `unacknowledged` is the first outstanding segment and `next` is sent next. The reordering
    /// window grows, at most once per round trip, for sixteen recoveries [RFC8985 s6.2 step 4].
    pub(crate) fn on_duplicate(&mut self, unacknowledged: u32, next: u32) {
        if unacknowledged >= self.counted_until {
            (self.quarters, self.persists, self.counted_until) = (self.quarters.saturating_add(1), RECOVERIES, next);
        }
    }

    /// Handles the end of a recovery or of the repair after a timeout.
    pub(crate) fn on_recovery_end(&mut self) {
        self.persists = self.persists.saturating_sub(1);
        if self.persists == 0 {
            self.quarters = 1;
        }
    }

    /// Starts proportional rate reduction with `in_flight` segments, including the ones that the last acknowledgement covers.
    pub(crate) fn begin_reduction(&mut self, in_flight: u32) {
        self.reduction = Reduction::begin(in_flight);
    }

    /// Sets cwnd during a recovery.
    pub(crate) fn reduce(&mut self, newly: u32, is_safe: bool, pipe: u32, window: &mut Window) {
        self.reduction.update(newly, is_safe, pipe, window);
    }

    /// Counts a segment sent during a recovery.
    pub(crate) fn count_sent(&mut self) {
        self.reduction.out += 1;
    }

    /// Time of the next probe after the last segment sent or acknowledged `now`; `None` if no probe is permitted. `outstanding` segments
    /// are outstanding, and no segment is known to be missing [RFC8985 s7.2].
    fn probe_time(&self, now: Time, outstanding: u32, smoothed: Duration) -> Option<Time> {
        let max_ack_delay = self.probes.filter(|_| self.probe.is_none())?;
        Some(now + smoothed.times(2) + if outstanding == 1 { max_ack_delay } else { Duration::ZERO })
    }

    /// Sets the event of the timer and returns its time. `smoothed` is SRTT if it is known and no segment is known to be missing.
    #[inline]
    pub(crate) fn next_timer(&mut self, now: Time, timeout: Duration, outstanding: u32, smoothed: Option<Duration>) -> Time {
        self.timer = Timer::Retransmission;
        if outstanding == 0 {
            self.timeout_from = Time::NEVER;
            return Time::NEVER;
        }
        if self.timeout_from == Time::NEVER {
            self.timeout_from = now;
        }
        let mut at = (self.timeout_from + timeout).max(now);
        let probe = smoothed.and_then(|smoothed| self.probe_time(now, outstanding, smoothed));
        for (time, timer) in [(probe.unwrap_or(Time::NEVER), Timer::Probe), (self.reordering_end, Timer::Reordering)] {
            if time < at {
                (at, self.timer) = (time, timer);
            }
        }
        at
    }

    /// Records a probe, the segment before `end`.
    pub(crate) fn on_probe(&mut self, end: u32, is_retransmission: bool) {
        self.probe = Some(Probe { end, is_retransmission });
    }

    /// Ends the state of a probe. Returns whether the probe has repaired a loss, so that cwnd must be reduced [RFC8985 s7.4.2]. `is_news`
    /// says whether the acknowledgement of everything before `acknowledged` reports any arrival.
    pub(crate) fn take_probe(&mut self, acknowledged: u32, is_news: bool) -> bool {
        let Some(probe) = self.probe.filter(|probe| acknowledged >= probe.end) else { return false };
        let repairs = probe.is_retransmission && acknowledged > probe.end;
        if !probe.is_retransmission || repairs || !is_news {
            self.probe = None;
        }
        repairs
    }
}
