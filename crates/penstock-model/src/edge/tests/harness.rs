//! An aggregate of CBR calls between two edges, with only a marker between them.

use super::super::{EdgeContext, Egress, Ingress, Signal, TerminationPlan};
use crate::packet::PcnMark;
use crate::rng::{Key, Stream};
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate, Time};
use std::collections::VecDeque;

const PACKET: Bytes = Bytes::new(160);
const SPACING: Duration = Duration::from_ms(20);

/// An aggregate of 64 kbit/s calls that records its cuts.
pub struct Domain<M> {
    ingress: Ingress,
    egress: Egress,
    /// Mark of a packet, given its time and the number of live calls.
    marker: M,
    delay: Duration,
    emissions: VecDeque<(Time, u32)>,
    packets: VecDeque<(Time, PcnMark)>,
    to_egress: VecDeque<(Time, Signal)>,
    to_ingress: VecDeque<(Time, Signal)>,
    live: Vec<u32>,
    is_live: Vec<bool>,
    picks: Stream,
    /// Time of each cut, and the number of calls left.
    pub cuts: Vec<(Time, u32)>,
    /// Arrival time of the first marked packet.
    pub first_mark: Option<Time>,
}

impl<M: FnMut(Time, usize) -> PcnMark> Domain<M> {
    /// An aggregate of `calls` calls with random phases. Packets and signals take `delay` in each direction.
    pub fn new(termination: &Option<TerminationPlan>, calls: u32, delay: Duration, marker: M) -> Domain<M> {
        let key = Key::root(1, 0).child("domain");
        let mut phases = key.child("phases").stream();
        let mut emissions: Vec<(Time, u32)> = (0..calls).map(|call| (Time::from_ps(phases.below(SPACING.as_ps())), call)).collect();
        emissions.sort_unstable();
        let context = EdgeContext { site: Site::trial().with_key(key), call_rate: Rate::from_bps(64_000), initial: 0 };
        Domain {
            ingress: Ingress::new(&None, termination, &context),
            egress: Egress::new(&None, termination, &context),
            marker,
            delay,
            emissions: emissions.into(),
            packets: VecDeque::new(),
            to_egress: VecDeque::new(),
            to_ingress: VecDeque::new(),
            live: (0..calls).collect(),
            is_live: vec![true; calls as usize],
            picks: key.child("picks").stream(),
            cuts: vec![],
            first_mark: None,
        }
    }

    /// Runs until `end`. Order within an instant: messages, timers, arrivals, emissions.
    pub fn run(mut self, end: Time) -> Domain<M> {
        fn front<T>(queue: &VecDeque<(Time, T)>) -> Time {
            queue.front().map_or(Time::NEVER, |(at, _)| *at)
        }
        loop {
            let due = [
                front(&self.to_ingress),
                front(&self.to_egress),
                self.ingress.deadline(),
                self.egress.deadline(),
                front(&self.packets),
                front(&self.emissions),
            ];
            let (which, now) = due.into_iter().enumerate().min_by_key(|(_, at)| *at).expect("six kinds");
            if now >= end {
                return self;
            }
            let live = self.live.len() as u32;
            match which {
                0 => {
                    let (_, signal) = self.to_ingress.pop_front().expect("due");
                    self.ingress.on_signal(now, signal, live);
                }
                1 => {
                    let (_, signal) = self.to_egress.pop_front().expect("due");
                    self.egress.on_signal(now, signal, &mut 0);
                }
                2 => self.ingress.on_timer(now, live),
                3 => self.egress.on_timer(now),
                4 => {
                    let (_, mark) = self.packets.pop_front().expect("due");
                    if mark > PcnMark::Unmarked {
                        self.first_mark.get_or_insert(now);
                    }
                    self.egress.on_packet(now, PACKET, mark);
                }
                _ => self.emit(now),
            }
            self.follow_up(now);
        }
    }

    fn emit(&mut self, now: Time) {
        let (_, call) = self.emissions.pop_front().expect("due");
        if self.is_live[call as usize] {
            self.ingress.on_sent(now, PACKET);
            self.packets.push_back((now + self.delay, (self.marker)(now, self.live.len())));
            self.emissions.push_back((now + SPACING, call));
        }
    }

    fn follow_up(&mut self, now: Time) {
        let cut = self.ingress.next_cut();
        for _ in 0..cut {
            let call = self.live.swap_remove(self.picks.below(self.live.len() as u64) as usize);
            self.is_live[call as usize] = false;
        }
        if cut > 0 {
            self.cuts.push((now, self.live.len() as u32));
        }
        self.to_egress.extend(std::iter::from_fn(|| self.ingress.next_signal()).map(|signal| (now + self.delay, signal)));
        self.to_ingress.extend(std::iter::from_fn(|| self.egress.next_signal()).map(|signal| (now + self.delay, signal)));
    }
}
