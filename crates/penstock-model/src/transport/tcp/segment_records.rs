//! Records of outstanding segments for congestion controls that request reports: segments in the network, arrivals, losses and the delivery
//! rate [Cheng21].

use crate::packet::Ack;
use crate::transport::congestion_control::{AckReport, LostSegment, RateSample, SentSegment};
use crate::transport::recovery::Scoreboard;
use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Status of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InNetwork,
    Lost,
    Delivered,
}

/// State when a segment was last sent (P in [Cheng21 s3.1.2]).
#[derive(Clone, Copy, Debug)]
struct Record {
    sent: Time,
    delivered: u32,
    delivered_time: Time,
    first_sent: Time,
    /// Segments in the network, this one included (P.tx_in_flight of draft-ietf-ccwg-bbr s4.1.2.1.2).
    in_flight: u32,
    /// C.lost at that time (P.lost there).
    lost: u32,
    app_limited: bool,
    resent: bool,
    state: State,
}

/// Records of the segments from `first` on, and the state of the connection (C in [Cheng21 s3.1.1]).
#[derive(Clone, Debug)]
pub(super) struct SegmentRecords {
    first: u32,
    records: VecDeque<Record>,
    delivered: u32,
    delivered_time: Time,
    first_sent: Time,
    /// C.app_limited: value of C.delivered at which the effect of an idle application ends; 0 without one.
    app_limited: u32,
    in_network: u32,
    /// C.lost of draft-ietf-ccwg-bbr s4.1.2.1.1.
    lost: u32,
    /// Losses not reported to the congestion control yet.
    losses: Vec<LostSegment>,
    /// Segments below this one have been checked for losses.
    examined: u32,
    min_rtt: Duration,
    pending: Pending,
    /// Whether losses are detected by time.
    times_losses: bool,
}

/// Data of the current report.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    acknowledged: u32,
    sacked: u32,
    lost: u32,
    in_network_before: u32,
    /// The most recently sent of the newly delivered segments, with its number.
    newest: Option<(Record, u32)>,
}

impl SegmentRecords {
    /// Records of a connection that has sent nothing. With `times_losses`, its losses are detected by time.
    pub fn new(times_losses: bool) -> SegmentRecords {
        SegmentRecords {
            first: 0,
            records: VecDeque::new(),
            delivered: 0,
            delivered_time: Time::ZERO,
            first_sent: Time::ZERO,
            app_limited: 0,
            in_network: 0,
            lost: 0,
            losses: Vec::new(),
            examined: 0,
            min_rtt: Duration::FOREVER,
            pending: Pending::default(),
            times_losses,
        }
    }

    /// Records that segment `seq` leaves: the one after the known ones, or a retransmission of one considered lost.
    pub fn on_sent(&mut self, now: Time, seq: u32) -> SentSegment {
        let in_flight = self.in_network;
        if in_flight == 0 {
            (self.first_sent, self.delivered_time) = (now, now);
        }
        let fresh = Record {
            sent: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_sent: self.first_sent,
            in_flight: in_flight + 1,
            lost: self.lost,
            app_limited: self.app_limited > 0,
            resent: false,
            state: State::InNetwork,
        };
        let retransmission = match self.records.get_mut((seq - self.first) as usize) {
            None => {
                self.records.push_back(fresh);
                self.in_network += 1;
                false
            }
            Some(record) => {
                let before = *record;
                if before.state != State::Delivered {
                    *record = Record { resent: true, ..fresh };
                }
                match before.state {
                    State::InNetwork if self.times_losses => {} // a probe: nothing shows that the segment is lost
                    State::InNetwork => self.count_loss(seq, &before),
                    State::Lost => self.in_network += 1,
                    State::Delivered => {}
                }
                true
            }
        };
        SentSegment { now, seq, retransmission, in_flight, app_limited: self.app_limited > 0 }
    }

    /// Handles an acknowledgement whose blocks are not in `scoreboard` yet.
    pub fn on_ack(&mut self, now: Time, ack: &Ack, scoreboard: &Scoreboard) {
        self.pending.in_network_before = self.in_network;
        for block in ack.blocks() {
            let mut seq = scoreboard.next_hole(block.start.max(self.first));
            while seq < block.end {
                let index = (seq - self.first) as usize;
                self.pending.sacked += u32::from(self.deliver(now, index));
                seq = scoreboard.next_hole(seq + 1);
            }
        }
        while self.first < ack.next && !self.records.is_empty() {
            self.pending.acknowledged += u32::from(self.deliver(now, 0));
            self.records.pop_front();
            self.first += 1;
        }
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
    }

    /// Records that the segment at `index` has arrived; returns whether this is new [Cheng21 s3.3, UpdateRateSample].
    fn deliver(&mut self, now: Time, index: usize) -> bool {
        let Some(record) = self.records.get_mut(index).filter(|record| record.state != State::Delivered) else { return false };
        if record.state == State::InNetwork {
            self.in_network -= 1;
        }
        record.state = State::Delivered;
        let record = *record;
        self.delivered += 1;
        self.delivered_time = now;
        if !record.resent {
            self.min_rtt = self.min_rtt.min(now.since(record.sent));
        }
        let seq = self.first + index as u32;
        // IsNewestPacket of draft-ietf-ccwg-bbr s4.1.2.3.
        if self.pending.newest.is_none_or(|(newest, number)| (record.sent, seq) > (newest.sent, number)) {
            self.pending.newest = Some((record, seq));
            self.first_sent = record.sent;
        }
        true
    }

    /// Marks segment `seq` as lost, whether sent once or again, unless it has arrived or is already lost.
    pub fn lose(&mut self, seq: u32) {
        let record = seq.checked_sub(self.first).and_then(|index| self.records.get_mut(index as usize));
        if let Some(record) = record.filter(|record| record.state == State::InNetwork) {
            record.state = State::Lost;
            let record = *record;
            self.in_network -= 1;
            self.count_loss(seq, &record);
        }
    }

    /// Marks every segment before `lost_below` as lost if it has neither arrived nor been sent again.
    pub fn lose_below(&mut self, lost_below: u32) {
        for seq in self.examined.max(self.first)..lost_below {
            if self.records.get((seq - self.first) as usize).is_some_and(|record| !record.resent) {
                self.lose(seq);
            }
        }
        self.examined = self.examined.max(lost_below);
    }

    /// Marks all segments as lost, after a timeout.
    pub fn lose_all(&mut self) {
        for index in 0..self.records.len() {
            if self.records[index].state == State::InNetwork {
                self.records[index].state = State::Lost;
                let record = self.records[index];
                self.count_loss(self.first + index as u32, &record);
            }
        }
        self.in_network = 0;
    }

    /// Counts segment `seq`, sent as described by `record`, as lost.
    fn count_loss(&mut self, seq: u32, record: &Record) {
        self.pending.lost += 1;
        self.lost += 1;
        self.losses.push(LostSegment {
            seq,
            in_flight: record.in_flight,
            lost: self.lost - record.lost,
            delivered: self.delivered,
            app_limited: record.app_limited,
        });
    }

    /// Returns the segments lost since the last call.
    pub fn take_losses(&mut self) -> std::vec::Drain<'_, LostSegment> {
        self.losses.drain(..)
    }

    /// Number of segments in the network.
    pub fn in_network(&self) -> u32 {
        self.in_network
    }

    /// Records that the application has nothing to send although the window has room [Cheng21 s3.4].
    pub fn on_idle(&mut self) {
        self.app_limited = (self.delivered + self.in_network).max(1);
    }

    /// Report of the last acknowledgement.
    pub fn take_report(&mut self, now: Time, in_recovery: bool) -> AckReport {
        let Pending { acknowledged, sacked, lost, in_network_before, newest } = std::mem::take(&mut self.pending);
        let newest = newest.map(|(newest, _)| newest);
        AckReport {
            now,
            acknowledged: self.first,
            newly_acknowledged: acknowledged,
            newly_sacked: sacked,
            newly_lost: lost,
            in_flight_before: in_network_before,
            in_flight: self.in_network,
            delivered: self.delivered,
            rtt: newest.filter(|newest| !newest.resent).map(|newest| now.since(newest.sent)),
            rate: newest.and_then(|newest| self.sample(&newest)),
            in_flight_at_sending: newest.map_or(0, |newest| newest.in_flight),
            lost_since_sending: newest.map_or(0, |newest| self.lost - newest.lost),
            in_recovery,
        }
    }

    /// Computes the rate sample [Cheng21 s3.3, GenerateRateSample].
    fn sample(&self, newest: &Record) -> Option<RateSample> {
        let (sending, acknowledging) = (newest.sent.since(newest.first_sent), self.delivered_time.since(newest.delivered_time));
        let interval = sending.max(acknowledging);
        let is_sound = interval >= self.min_rtt && interval > Duration::ZERO;
        is_sound.then(|| RateSample {
            delivered: self.delivered - newest.delivered,
            interval,
            prior_delivered: newest.delivered,
            is_app_limited: newest.app_limited,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{SackBlock, SackBlocks};

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Applies an acknowledgement as a sender does.
    fn ack(it: &mut SegmentRecords, board: &mut Scoreboard, now: Time, next: u32, blocks: &[(u32, u32)]) -> AckReport {
        let blocks = blocks.iter().map(|(start, end)| SackBlock { start: *start, end: *end });
        let ack = Ack { next, sack: SackBlocks::new(next, blocks), ..Ack::default() };
        it.on_ack(now, &ack, board);
        board.remove_below(next);
        board.update(ack.blocks(), next, 3);
        it.lose_below(board.lost_below());
        it.take_report(now, false)
    }

    #[test]
    fn a_report_tells_what_is_new_and_what_is_in_the_network() {
        let (mut it, mut board) = (SegmentRecords::new(false), Scoreboard::default());
        (0..8).for_each(|seq| assert_eq!(it.on_sent(ms(0), seq).in_flight, seq));
        let facts = |report: &AckReport| {
            let AckReport { newly_acknowledged, newly_sacked, newly_lost, in_flight_before, in_flight, delivered, .. } = *report;
            [newly_acknowledged, newly_sacked, newly_lost, in_flight_before, in_flight, delivered]
        };
        let report = ack(&mut it, &mut board, ms(10), 1, &[]);
        assert_eq!(facts(&report), [1, 0, 0, 8, 7, 1]);
        let report = ack(&mut it, &mut board, ms(11), 1, &[(3, 5)]);
        assert_eq!(facts(&report), [0, 2, 0, 7, 5, 3]);
        // With a third arrival beyond 1 and 2, both are lost. Known arrivals count only once.
        let report = ack(&mut it, &mut board, ms(12), 1, &[(3, 6)]);
        assert_eq!(facts(&report), [0, 1, 2, 5, 2, 4]);
        // They left as the second and third in the network. Segment 5 left as the sixth, with two losses since.
        let losses: Vec<LostSegment> = it.take_losses().collect();
        let loss = |seq, in_flight, lost| LostSegment { seq, in_flight, lost, delivered: 4, app_limited: false };
        assert_eq!(losses, [loss(1, 2, 1), loss(2, 3, 2)]);
        assert_eq!((report.in_flight_at_sending, report.lost_since_sending), (6, 2));
        assert!(it.on_sent(ms(12), 1).retransmission);
        assert_eq!(it.in_network(), 3);
        // Segment 1 arrives late, and 2 is missing, but is not counted as lost again.
        let report = ack(&mut it, &mut board, ms(22), 2, &[(3, 6)]);
        assert_eq!((facts(&report), report.rtt), ([1, 0, 0, 3, 2, 5], None));
        assert_eq!(it.take_losses().count(), 0);
        it.lose_all();
        assert_eq!((it.in_network(), it.take_losses().map(|loss| loss.seq).collect::<Vec<_>>()), (0, vec![6, 7]));
        let report = ack(&mut it, &mut board, ms(30), 8, &[]);
        assert_eq!(facts(&report), [3, 0, 2, 0, 0, 8]);
    }

    #[test]
    fn a_probe_is_no_loss_and_a_retransmission_may_be_lost() {
        let mut it = SegmentRecords::new(true);
        (0..2).for_each(|seq| _ = it.on_sent(ms(0), seq));
        assert!(it.on_sent(ms(50), 1).retransmission);
        assert_eq!((it.in_network(), it.take_losses().count()), (2, 0));
        for (sent, lost) in [(60, 1), (90, 2)] {
            it.lose(0);
            it.lose(0); // known already
            assert_eq!((it.in_network(), it.take_losses().map(|loss| loss.seq).collect::<Vec<_>>()), (1, vec![0]));
            assert_eq!(it.lost, lost);
            it.on_sent(ms(sent), 0);
        }
        it.on_ack(ms(150), &Ack { next: 1, ..Ack::default() }, &Scoreboard::default());
        it.lose(0); // acknowledged
        assert_eq!((it.in_network(), it.take_losses().count()), (1, 0));
    }

    #[test]
    fn the_rate_is_over_the_longer_of_two_intervals() {
        let (mut it, mut board) = (SegmentRecords::new(false), Scoreboard::default());
        for seq in 0..4 {
            it.on_sent(ms(u64::from(seq)), seq);
        }
        let rate = ack(&mut it, &mut board, ms(10), 1, &[]).rate;
        let sample = |delivered, interval, prior_delivered| {
            Some(RateSample { delivered, interval: Duration::from_ms(interval), prior_delivered, is_app_limited: false })
        };
        assert_eq!(rate, sample(1, 10, 0));
        // Segments 2 and 3: the newer one was sent at 3 ms, with no delivery since 0 ms.
        let report = ack(&mut it, &mut board, ms(13), 1, &[(2, 4)]);
        assert_eq!((report.rate, report.rtt), (sample(3, 13, 0), Some(Duration::from_ms(10))));
        // Sent at 14 and 34 ms, with 3 delivered at 13 ms, and acknowledged with segment 1 at 46 ms: 31 ms of sending since segment 3 was
        // sent, 33 ms of acknowledging.
        it.on_sent(ms(14), 4);
        it.on_sent(ms(34), 5);
        assert_eq!(ack(&mut it, &mut board, ms(46), 6, &[]).rate, sample(3, 33, 3));
        assert_eq!(sample(3, 33, 3).map(|it| it.rate(1500).as_bps()), Some(1_090_909));
    }

    #[test]
    fn of_segments_sent_at_once_the_one_with_the_highest_number_is_the_newest() {
        let (mut it, mut board) = (SegmentRecords::new(false), Scoreboard::default());
        (0..4).for_each(|seq| _ = it.on_sent(ms(0), seq));
        ack(&mut it, &mut board, ms(10), 0, &[(1, 4)]);
        [0, 4, 5].into_iter().for_each(|seq| _ = it.on_sent(ms(10), seq));
        // Segment 5 was sent once, so it gives a round trip. Segment 0 was sent again, so it gives none.
        assert_eq!(ack(&mut it, &mut board, ms(20), 4, &[(5, 6)]).rtt, Some(Duration::from_ms(10)));
    }

    #[test]
    fn a_sample_is_limited_by_the_application_until_what_was_in_the_network_is_delivered() {
        let (mut it, mut board) = (SegmentRecords::new(false), Scoreboard::default());
        it.on_sent(ms(0), 0);
        it.on_sent(ms(0), 1);
        it.on_idle(); // until more than 2 are delivered
        let limited = |report: AckReport| report.rate.map(|rate| rate.is_app_limited);
        assert!(it.on_sent(ms(5), 2).app_limited);
        assert_eq!(limited(ack(&mut it, &mut board, ms(10), 2, &[])), Some(false));
        it.on_sent(ms(10), 3);
        assert_eq!(limited(ack(&mut it, &mut board, ms(15), 3, &[])), Some(true));
        it.on_sent(ms(16), 4);
        assert_eq!(limited(ack(&mut it, &mut board, ms(20), 4, &[])), Some(true));
        assert_eq!(limited(ack(&mut it, &mut board, ms(26), 5, &[])), Some(false));
    }
}
