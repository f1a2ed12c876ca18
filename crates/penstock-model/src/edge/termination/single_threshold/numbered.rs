//! Loss detection by sequence numbers on paths with reordering.

use crate::units::{Duration, Time};
use std::collections::VecDeque;

/// Share of the sent packets that arrive, by their sequence numbers. A missing packet counts as lost only after a waiting time
/// (Tmax in [RFC7680 s2.2]), so that reordering within that time is no loss.
#[derive(Clone, Debug)]
pub(super) struct NumberedArrivals {
    waiting_time: Duration,
    /// Highest number so far plus 1; `None` before the first packet.
    next: Option<u32>,
    /// Packets from the first undecided one up to the highest number, in the order of their numbers.
    pending: VecDeque<Pending>,
    /// Number of pending packets that belong to the run. These are the last ones.
    of_run: usize,
    /// Number of packets of the run that were decided (arrived or lost) since the last report.
    known: u32,
    /// Number of packets among `known` that have arrived.
    arrived: u32,
}

/// An undecided packet, or one that follows an undecided packet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// Time at which the packet counts as lost if it has not arrived.
    until: Time,
    has_come: bool,
}

impl NumberedArrivals {
    pub(super) fn new(waiting_time: Duration) -> NumberedArrivals {
        NumberedArrivals { waiting_time, next: None, pending: VecDeque::new(), of_run: 0, known: 0, arrived: 0 }
    }

    /// Handles the arrival of the packet with this number.
    #[inline(always)]
    pub(super) fn on_packet(&mut self, now: Time, number: u32) {
        if !self.is_in_order(number) {
            self.settle(now);
        }
        if self.is_in_order(number) {
            // No packet is pending.
            self.next = Some(number.wrapping_add(1));
            (self.known, self.arrived) = (self.known + 1, self.arrived + 1);
        } else {
            self.on_reordered(now, number);
        }
    }

    /// Whether the packet with this number is the next one and all packets before it are decided.
    #[inline(always)]
    fn is_in_order(&self, number: u32) -> bool {
        self.pending.is_empty() && self.next.is_none_or(|next| number == next)
    }

    /// Handles a packet that arrives out of order, or while packets are pending.
    #[inline(never)]
    fn on_reordered(&mut self, now: Time, number: u32) {
        // Numbers wrap around. A number less than half the range ahead is a later one.
        let ahead = self.next.map_or(0, |next| number.wrapping_sub(next));
        if ahead >= u32::MAX / 2 {
            self.on_late(ahead.wrapping_neg() as usize);
            return;
        }
        self.next = Some(number.wrapping_add(1));
        let until = now + self.waiting_time;
        self.pending.extend((0..ahead).map(|_| Pending { until, has_come: false }));
        self.pending.push_back(Pending { until, has_come: true });
        self.of_run += ahead as usize + 1;
    }

    /// Handles a packet whose number is `behind` less than the next one. A packet that already counts as lost stays lost.
    fn on_late(&mut self, behind: usize) {
        if let Some(index) = self.pending.len().checked_sub(behind) {
            self.pending[index].has_come = true;
        }
    }

    /// Starts a run of the packets with numbers above the highest so far.
    #[inline]
    pub(super) fn begin_run(&mut self) {
        (self.of_run, self.known, self.arrived) = (0, 0, 0);
    }

    /// Share of arrived packets among the packets of the run decided since the last call; 1 if there are none.
    pub(super) fn take_share(&mut self, now: Time) -> f64 {
        self.settle(now);
        let (known, arrived) = (std::mem::take(&mut self.known), std::mem::take(&mut self.arrived));
        if known == 0 {
            return 1.0;
        }
        f64::from(arrived) / f64::from(known)
    }

    /// Counts the decided packets in the order of their numbers, up to the first undecided one.
    #[inline(never)]
    fn settle(&mut self, now: Time) {
        while let Some(first) = self.pending.front().filter(|first| first.has_come || first.until <= now) {
            if self.pending.len() <= self.of_run {
                (self.known, self.arrived) = (self.known + 1, self.arrived + u32::from(first.has_come));
                self.of_run -= 1;
            }
            self.pending.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn arrivals(waiting_ms: u64, packets: &[(u64, u32)]) -> NumberedArrivals {
        let mut arrivals = NumberedArrivals::new(Duration::from_ms(waiting_ms));
        packets.iter().for_each(|(at, number)| arrivals.on_packet(ms(*at), *number));
        arrivals
    }

    #[test]
    fn what_is_in_order_is_not_remembered() {
        let mut all = arrivals(100, &[(0, 7), (1, 8), (2, 9)]);
        assert_eq!((all.pending.len(), all.take_share(ms(2)), all.known), (0, 1.0, 0));
    }

    #[test]
    fn a_packet_that_is_overtaken_is_not_lost() {
        let mut late = arrivals(100, &[(0, 0), (1, 3), (2, 4), (3, 1)]);
        // Packets 0 and 1 have arrived; 2 is undecided, so 3 and 4 are still pending.
        assert_eq!((late.known + 1, late.take_share(ms(3))), (2, 1.0));
        late.on_packet(ms(100), 2);
        assert_eq!((late.take_share(ms(100)), late.pending.len()), (1.0, 0));
    }

    #[test]
    fn a_packet_is_lost_when_the_waiting_time_is_over() {
        let mut lost = arrivals(100, &[(0, 0), (1, 3), (2, 4)]);
        assert_eq!(lost.take_share(ms(100)), 1.0);
        // Packets 1 and 2 count as lost at 101 ms, which also decides 3 and 4.
        assert_eq!(lost.take_share(ms(101)), 0.5);
        lost.on_packet(ms(102), 2);
        assert_eq!((lost.take_share(ms(102)), lost.pending.len()), (1.0, 0));
    }

    #[test]
    fn a_run_counts_what_is_sent_after_its_beginning() {
        let mut run = arrivals(10, &[(0, 0), (1, 4)]);
        run.begin_run();
        run.on_packet(ms(2), 5);
        run.on_packet(ms(3), 7);
        // Packets 1 to 3 do not count although they are lost during the run; one of 5, 6 and 7 is lost.
        assert_eq!((run.take_share(ms(13)), run.pending.len()), (2.0 / 3.0, 0));
    }

    #[test]
    fn numbers_wrap_around() {
        let mut around = arrivals(10, &[(0, u32::MAX - 1), (1, 1), (2, u32::MAX), (3, 0), (4, 3)]);
        assert_eq!(around.take_share(ms(4)), 1.0);
        assert_eq!(around.take_share(ms(14)), 0.5);
    }
}
