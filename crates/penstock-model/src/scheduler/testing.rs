//! Classes and queues for the tests of schedulers.

use super::class::ClassPlan;
use super::{weights, QueueState, Scheduler, Turn};
use crate::parameters::testing::read;
use crate::parameters::{AnyParameters, Parameters};
use crate::rng::{Key, Stream};
use crate::units::{Duration, Time};
use std::collections::VecDeque;
use std::fmt::Debug;

/// A class with these parameters, such as `weight = 3`.
pub(super) fn class<P: Parameters + Debug + Send + Sync + 'static>(lines: &[&str]) -> ClassPlan {
    ClassPlan { parameters: Some(AnyParameters::new(read::<P>(lines).expect("sound"))), ..ClassPlan::default() }
}

/// Classes with these weights.
pub(super) fn weighted(weights: &[u32]) -> Vec<ClassPlan> {
    weights.iter().map(|weight| class::<weights::ClassParameters>(&[&format!("weight = {weight}")])).collect()
}

/// Queues, as (packets, bytes of each packet).
pub(super) struct Queues(pub Vec<(u32, u32)>);

impl Queues {
    pub fn states(&self) -> Vec<QueueState> {
        let state = |(packets, size): &(u32, u32)| QueueState {
            packets: *packets,
            bytes: u64::from(packets * size),
            head: if *packets > 0 { *size } else { 0 },
        };
        self.0.iter().map(state).collect()
    }

    /// Reports everything that waits to the scheduler.
    pub fn announce(&self, it: &mut impl Scheduler) {
        let states = self.states();
        (0..states.len()).filter(|queue| states[*queue].packets > 0).for_each(|queue| it.on_backlog(Time::ZERO, queue, &states));
    }

    /// Sends `n` packets, all at time zero. Asks twice each time, which must make no difference.
    pub fn send(&mut self, it: &mut impl Scheduler, n: usize) -> Vec<usize> {
        let mut sent = Vec::new();
        while sent.len() < n && self.0.iter().any(|(packets, _)| *packets > 0) {
            let Turn::Queue(queue) = it.next(Time::ZERO, &self.states()) else { panic!("nothing holds packets back") };
            assert_eq!(it.next(Time::ZERO, &self.states()), Turn::Queue(queue));
            self.0[queue].0 -= 1;
            it.on_sent(Time::ZERO, queue, self.0[queue].1, &self.states());
            sent.push(queue);
        }
        sent
    }
}

/// Two schedulers serve the same random packets of three classes, whose backlogs come and go, on a link of 8 kbit/s. Their decisions must
/// be equal.
pub(super) fn decide_alike(a: &mut impl Scheduler, b: &mut impl Scheduler, packets: usize) -> RandomQueues {
    let mut it = RandomQueues { stream: Key::root(1, 0).stream(), queues: vec![VecDeque::new(); 3], now: Time::ZERO };
    it.go_on(a, b, packets);
    it
}

/// Queues of [`decide_alike`].
pub(super) struct RandomQueues {
    stream: Stream,
    queues: Vec<VecDeque<u32>>,
    pub now: Time,
}

impl RandomQueues {
    pub fn states(&self) -> Vec<QueueState> {
        let state = |queue: &VecDeque<u32>| QueueState {
            packets: queue.len() as u32,
            bytes: queue.iter().map(|size| u64::from(*size)).sum(),
            head: queue.front().map_or(0, |size| *size),
        };
        self.queues.iter().map(state).collect()
    }

    /// Serves more packets.
    pub fn go_on(&mut self, a: &mut impl Scheduler, b: &mut impl Scheduler, packets: usize) {
        for _ in 0..packets {
            let (class, size) = (self.stream.below(3) as usize, 1 + self.stream.below(1500) as u32);
            self.queues[class].push_back(size);
            if self.queues[class].len() == 1 {
                a.on_backlog(self.now, class, &self.states());
                b.on_backlog(self.now, class, &self.states());
            }
            // At least one packet always waits, so that no busy period ends.
            while self.queues.iter().map(VecDeque::len).sum::<usize>() as u64 > 2 + self.stream.below(10) {
                let turn = a.next(self.now, &self.states());
                assert_eq!(turn, b.next(self.now, &self.states()));
                let Turn::Queue(class) = turn else { panic!("nothing holds packets back") };
                let size = self.queues[class].pop_front().expect("it has a packet");
                a.on_sent(self.now, class, size, &self.states());
                b.on_sent(self.now, class, size, &self.states());
                self.now += Duration::from_ms(u64::from(size));
            }
        }
    }
}
