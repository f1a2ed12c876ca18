//! The recovery of RFC 9937.

use super::{reduction::Reduction, sack, Flight, Phase, Recovery, RetransmitDelay};
use crate::packet::Ack;
use crate::parameters::Check;
use crate::site::Site;
use crate::transport::congestion_control::Window;

crate::parameters! {
    /// PRR (proportional rate reduction): sends in proportion to arrivals, so that ssthresh segments are in flight when the recovery
    /// ends.
    ///
    /// ## Decides
    /// Losses are detected, and segments chosen, as with `recovery.sack`. During a recovery, each acknowledgement permits SndCnt
    /// further segments. prr_delivered segments have arrived and prr_out have been sent since the recovery began. RecoverFS segments
    /// were in flight at its beginning; segments that had been SACKed earlier do not count.
    ///
    /// | inflight (segments in the network) | SndCnt |
    /// |---|---|
    /// | above ssthresh | $ceil(prr_delivered ssthresh / RecoverFS) - prr_out$ |
    /// | at most ssthresh | the larger of prr_delivered - prr_out and the new arrivals (PRR-CRB), up to ssthresh - inflight |
    /// | at most ssthresh, and the acknowledgement advances and shows no further loss (SafeACK) | one more (PRR-SSRB), up to ssthresh - inflight |
    ///
    /// The first acknowledgement permits at least one segment. cwnd is inflight + SndCnt during the recovery and ssthresh at its end.
    ///
    /// ## State
    /// Four counts, and the ranges that have arrived beyond the cumulative acknowledgement. The same cost as `recovery.sack`.
    ///
    /// ## Departures
    /// - The first retransmission counts as sent (prr_out) as soon as the loss is seen.
    /// - ssthresh may have a fraction of a segment, as set by the congestion control. Whole segments are sent, and SndCnt is never
    ///   negative.
    /// - A rescue retransmission does not count as a further loss.
    /// - ECN marks reduce the window immediately.
    ///
    /// ## Example
    /// ```toml
    /// transport.tcp = { recovery.prr = {}, congestion-control.cubic = {} }
    /// ```
    ///
    /// ## References
    /// RFC 9937 s6, which replaces RFC 6937; RFC 6675.
    pub struct Parameters {}
}
impl Check for Parameters {}

/// The recovery of a connection; the scoreboard is in the flight.
#[derive(Clone, Debug)]
pub struct Prr {
    reduction: Reduction,
    /// Outside of recovery: number of segments that the last acknowledgement has shown to have arrived (DeliveredData). In recovery: number
    /// of all segments that had arrived by the last acknowledgement.
    last: u32,
    /// Value of the scoreboard's `lost_below` at the last acknowledgement: segments below it that have not arrived are lost.
    lost_below: u32,
}

impl Prr {
    /// The recovery of a new connection.
    pub fn new(_parameters: &Parameters, _: &Site) -> Prr {
        Prr { reduction: Reduction::default(), last: 0, lost_below: 0 }
    }

    /// Updates cwnd for an acknowledgement in recovery that shows `newly` segments to have arrived [RFC9937 s6.2].
    fn update(&mut self, newly: u32, is_safe: bool, flight: &Flight, window: &mut Window) {
        self.reduction.update(newly, is_safe, flight.scoreboard.pipe(flight.outstanding()), window);
    }
}

impl Recovery for Prr {
    fn uses_blocks(&self) -> bool {
        true
    }

    fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, window: &mut Window) -> bool {
        let newly = flight.take_blocks(ack);
        if flight.phase == Phase::Recovery {
            self.last = flight.delivered();
            self.lost_below = flight.scoreboard.lost_below();
            self.update(newly, false, flight, window);
            return false;
        }
        self.last = newly;
        newly > 0 && (flight.count_duplicate() || flight.is_first_lost())
    }

    fn on_new_blocks(&mut self, newly: u32, flight: &mut Flight) -> bool {
        self.last = newly;
        flight.count_duplicate() || flight.is_first_lost()
    }

    /// RecoverFS excludes the segments that had arrived before this acknowledgement [RFC9937 s6.1].
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
        let newly = self.last;
        let sacked = flight.delivered() - flight.unacknowledged;
        self.reduction = Reduction::begin(flight.in_flight() - sacked + newly);
        self.last = flight.delivered();
        self.lost_below = flight.scoreboard.lost_below();
        flight.scoreboard.forget_resent();
        self.update(newly, false, flight, window);
        flight.scoreboard.begin_recovery(flight.unacknowledged);
        flight.begin_recovery();
        self.reduction.out = 1;
    }

    fn on_partial_ack(&mut self, _newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        let newly = flight.delivered() - self.last;
        self.last = flight.delivered();
        let known = std::mem::replace(&mut self.lost_below, flight.scoreboard.lost_below());
        let is_safe = flight.scoreboard.holes(known.max(flight.unacknowledged), self.lost_below) == 0;
        self.update(newly, is_safe, flight, window);
        true
    }

    fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
        let seq = sack::next_segment(flight, window, RetransmitDelay::None);
        self.reduction.out += u32::from(seq.is_some());
        seq
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LossDetection, RecoverCheck};
    use super::*;
    use crate::packet::{SackBlock, SackBlocks};
    use crate::site::Site;

    /// Twenty outstanding segments, more to send, and ssthresh at ten.
    fn outstanding() -> (Prr, Flight, Window) {
        let detection =
            LossDetection { dup_ack_threshold: 3, limited_transmit: false, uses_blocks: true, recover_check: RecoverCheck::AfterTimeout };
        let mut flight = Flight::new(detection, 1000);
        (flight.offered, flight.next, flight.high) = (1000, 20, 20);
        (Prr::new(&Parameters {}, &Site::trial()), flight, Window { size: 20.0, threshold: 10.0, max: 1000 })
    }

    /// Applies a duplicate acknowledgement with one block. Returns the segments sent, including the fast retransmit.
    fn duplicate(it: &mut Prr, flight: &mut Flight, window: &mut Window, start: u32, end: u32) -> Vec<u32> {
        acknowledge(it, flight, window, (start, end));
        sent(it, flight, window)
    }

    fn acknowledge(it: &mut Prr, flight: &mut Flight, window: &mut Window, (start, end): (u32, u32)) {
        let block = SackBlock { start, end };
        let next = flight.unacknowledged;
        if it.on_duplicate_ack(&Ack { next, sack: SackBlocks::new(next, [block].into_iter()), ..Ack::default() }, flight, window) {
            it.on_loss(flight, window);
        }
    }

    fn sent(it: &mut Prr, flight: &mut Flight, window: &Window) -> Vec<u32> {
        let mut sent: Vec<u32> = std::mem::take(&mut flight.resend).then_some(flight.unacknowledged).into_iter().collect();
        if flight.phase == Phase::Recovery {
            while let Some(seq) = it.next_segment(flight, window) {
                flight.high = flight.high.max(seq + 1);
                sent.push(seq);
            }
        }
        sent
    }

    #[test]
    fn ten_leave_while_eighteen_arrive_and_the_flight_is_ssthresh() {
        let (mut it, mut flight, mut window) = outstanding();
        for end in [2, 3] {
            assert!(duplicate(&mut it, &mut flight, &mut window, 1, end).is_empty());
        }
        // RecoverFS is 20 minus the two that had arrived. After the n-th arrival since then, ceil(10 n / 18) have been sent in all. One of
        // the 18 is lost, so with the 15th arrival 17 - 15 + 8 = 10 are in the network, which is ssthresh. From then on, each arrival
        // permits one segment, up to ssthresh.
        // per arrival, up to ssthresh.
        let all = [1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 7, 8, 8, 8, 9, 10];
        let mut out = Vec::new();
        for (end, total) in (4..=20).zip(all) {
            out.extend(duplicate(&mut it, &mut flight, &mut window, 1, end));
            assert_eq!((it.reduction.recover_flight, out.len()), (18, total), "block to {end}");
        }
        assert_eq!(out, [0, 20, 21, 22, 23, 24, 25, 26, 27, 28]);
        assert_eq!(flight.scoreboard.pipe(flight.outstanding()), 10);
        // An acknowledgement without new information permits nothing.
        assert!(duplicate(&mut it, &mut flight, &mut window, 1, 20).is_empty());
    }

    /// cwnd, inflight and the segments sent for each acknowledgement, with limited transmit. Each acknowledgement reports another segment,
    /// starting at `first`. These are the rows `c`, `i` and `s` of the figures of RFC 9937.
    fn figure(first: u32, acknowledgements: u32) -> Vec<(u32, u32, Vec<u32>)> {
        let (mut it, mut flight, mut window) = outstanding();
        let mut of_ack = |end| {
            acknowledge(&mut it, &mut flight, &mut window, (first, end));
            // The fast retransmit counts as sent as soon as the loss is detected.
            let in_flight = flight.scoreboard.pipe(flight.outstanding()) - u32::from(flight.resend);
            let out = if flight.phase == Phase::Recovery {
                sent(&mut it, &mut flight, &window)
            } else {
                (flight.next, flight.high) = (flight.next + 1, flight.high + 1);
                vec![flight.next - 1]
            };
            (window.size as u32, in_flight, out)
        };
        (1..=acknowledgements).map(|n| of_ack(first + n)).collect()
    }

    #[test]
    fn a_single_loss_is_as_in_figure_1_of_rfc_9937() {
        // Acknowledgement 22 ends the recovery, with ssthresh. At 19, inflight equals ssthresh. The figure continues the proportional
        // reduction there and sends the last segment but one, with 11 and 10 in its rows, and 10 and 10 at 20. Section 6.2 sends that
        // segment at 20.
        let cwnd = [20, 20, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 10, 10, 10];
        let in_flight = [19, 19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 9, 9];
        let seen = figure(1, 21);
        assert_eq!(seen.iter().map(|(cwnd, ..)| *cwnd).collect::<Vec<_>>(), cwnd);
        assert_eq!(seen.iter().map(|(_, in_flight, _)| *in_flight).collect::<Vec<_>>(), in_flight);
        let sent: Vec<(usize, u32)> = (1..).zip(seen).flat_map(|(n, (.., out))| out.into_iter().map(move |seq| (n, seq))).collect();
        let expected = [(1, 20), (2, 21), (3, 0), (5, 22), (7, 23), (9, 24), (11, 25), (13, 26), (15, 27), (17, 28), (20, 29), (21, 30)];
        assert_eq!(sent, expected);
    }

    #[test]
    fn fifteen_losses_are_as_in_figure_2_of_rfc_9937() {
        let expected =
            [(20, 19, 20), (20, 19, 21), (5, 4, 0), (5, 4, 1), (5, 4, 2)].map(|(cwnd, in_flight, seq)| (cwnd, in_flight, vec![seq]));
        assert_eq!(figure(15, 5), expected);
    }

    #[test]
    fn after_heavy_losses_it_conserves_packets_and_then_grows_as_slow_start_does() {
        let (mut it, mut flight, mut window) = outstanding();
        // Segments 0 to 14 are lost. While 2 are in the network, each arrival permits one segment.
        for (end, expected) in [(16, vec![]), (17, vec![]), (18, vec![0]), (19, vec![1]), (20, vec![2])] {
            assert_eq!(duplicate(&mut it, &mut flight, &mut window, 15, end), expected, "block to {end}");
        }
        // Each retransmission that arrives permits two segments, since the acknowledgement advances and shows no loss.
        for (next, expected) in [(1, vec![3, 4]), (2, vec![5, 6]), (3, vec![7, 8])] {
            flight.unacknowledged = next;
            flight.scoreboard.remove_below(next);
            assert!(it.on_partial_ack(1, &mut flight, &mut window));
            assert_eq!(sent(&mut it, &mut flight, &window), expected, "acknowledgement of {next}");
        }
        assert_eq!((window.size, flight.scoreboard.pipe(flight.outstanding())), (6.0, 6));
    }
}
