//! A tin: flows that take turns, with fairness between hosts.

use super::isolation::Hashes;
use super::overhead::Overhead;
use super::sets::{Hosts, Slots, SLOTS};
use super::tins::{bytes, TinPlan};
use super::Parameters;
use crate::discipline::cobalt;
use crate::queue_state::QueueState;
use crate::units::{Bytes, Duration, Rate, Time};
use std::collections::VecDeque;

/// Marks the absence of a queue.
const NONE: u32 = u32::MAX;
/// Steps of BLUE's probability.
const STEPS: (f64, f64) = (1.0 / 256.0, 1.0 / 4096.0);
/// Fractional bits of deficits, since quanta are divided by numbers of flows.
const FRACTION: u32 = 16;

/// Service state of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowSet {
    /// The flow has no packets, and its slot is free.
    Idle,
    /// The flow has packets and is served first.
    Sparse,
    /// The flow was sparse and was found empty, without credit. It is listed with bulk flows until its turn.
    SparseWait,
    /// The flow takes turns.
    Bulk,
    /// The flow has no packets, but its control law is not at rest, so its slot is reserved.
    Decaying,
}

/// A flow, or the flows that share a queue.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Tin of the flow.
    pub tin: usize,
    pub set: FlowSet,
    /// Deficit in fractions of a byte.
    deficit: i64,
    /// Slots of source and destination among the hosts of the tin.
    hosts: [usize; 2],
    /// Bytes that wait.
    pub bytes: u64,
    pub controller: cobalt::Controller,
}

/// A tin.
#[derive(Clone, Debug)]
pub struct Tin {
    pub settings: cobalt::Settings,
    pub plan: TinPlan,
    /// Bytes per turn of a flow.
    quantum: i64,
    /// Time from which the tin is within its threshold.
    pub ready: Time,
    /// Bytes that the tin may send in its turn.
    pub deficit: i64,
    /// Number of flows in the lists.
    pub listed: usize,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    slots: Slots,
    /// Queue of each slot.
    queues: Vec<u32>,
    hosts: [Hosts; 2],
    /// Waiting packets and bytes.
    pub waiting: (u32, u64),
}

/// Quantum and control law for a tin with this threshold.
fn settings(parameters: &Parameters, threshold: Option<Rate>) -> (i64, cobalt::Settings) {
    let quantum = threshold.map_or(1514, |rate| (bytes(rate) >> 12).clamp(300, 1514) as i64);
    let mtu_time = threshold.map_or(Duration::ZERO, |rate| rate.transmission_time(parameters.mtu));
    (quantum, cobalt::Settings::new(parameters.rtt.target(), parameters.rtt.0, mtu_time, STEPS))
}

impl Tin {
    pub fn new(parameters: &Parameters, plan: TinPlan) -> Tin {
        let (quantum, settings) = settings(parameters, plan.threshold);
        Tin {
            settings,
            plan,
            quantum,
            ready: Time::ZERO,
            deficit: 0,
            listed: 0,
            new: VecDeque::new(),
            old: VecDeque::new(),
            slots: Slots::new(),
            queues: vec![NONE; SLOTS],
            hosts: [Hosts::new(), Hosts::new()],
            waiting: (0, 0),
        }
    }

    /// Changes the threshold.
    pub fn change(&mut self, parameters: &Parameters, plan: TinPlan) {
        (self.quantum, self.settings) = settings(parameters, plan.threshold);
        self.plan = plan;
    }

    /// Queue of a flow in tin `own` with these hashes. A new queue gets the next number. Hosts count their bulk flows on the sides that
    /// `shares` names.
    pub fn queue_of(&mut self, now: Time, own: usize, hashes: Hashes, shares: [bool; 2], flows: &mut Vec<Flow>) -> usize {
        let Tin { slots, queues, settings, .. } = self;
        let (slot, is_assigned) = slots.find(hashes.flow, |slot| {
            let Some(flow) = flows.get_mut(queues[slot] as usize) else { return false };
            if flow.set == FlowSet::Decaying {
                flow.controller.decay(settings, now);
                if flow.controller.is_at_rest(now) {
                    flow.set = FlowSet::Idle;
                }
            }
            flow.set != FlowSet::Idle
        });
        if queues[slot] == NONE {
            queues[slot] = flows.len() as u32;
            flows.push(Flow {
                tin: own,
                set: FlowSet::Idle,
                deficit: 0,
                hosts: [0; 2],
                bytes: 0,
                controller: cobalt::Controller::with_first_drop_at_once(),
            });
        }
        let queue = queues[slot] as usize;
        if is_assigned {
            self.assign_hosts(&mut flows[queue], hashes.hosts, shares);
        }
        queue
    }

    /// Assigns the hosts of another flow to a queue.
    fn assign_hosts(&mut self, flow: &mut Flow, hashes: [u32; 2], shares: [bool; 2]) {
        let is_bulk = flow.set == FlowSet::Bulk;
        if is_bulk {
            self.count_bulk(flow, shares, false);
        }
        for side in 0..2 {
            if shares[side] {
                flow.hosts[side] = self.hosts[side].find(hashes[side]);
            }
        }
        if is_bulk {
            self.count_bulk(flow, shares, true);
        }
    }

    /// Counts a flow as a bulk flow of its hosts, or no longer counts it.
    fn count_bulk(&mut self, flow: &Flow, shares: [bool; 2], is_more: bool) {
        for ((hosts, slot), _) in self.hosts.iter_mut().zip(flow.hosts).zip(shares).filter(|(_, shares)| *shares) {
            let bulk = &mut hosts.bulk[slot];
            *bulk = if is_more { *bulk + 1 } else { *bulk - 1 };
        }
    }

    /// Credit of a flow per turn: the quantum divided by the number of bulk flows of the busier of its hosts.
    fn credit(&self, flow: &Flow, shares: [bool; 2]) -> i64 {
        let bulk = (0..2).filter(|side| shares[*side]).map(|side| self.hosts[side].bulk[flow.hosts[side]]).max();
        (self.quantum << FRACTION) / i64::from(bulk.unwrap_or(0).max(1))
    }

    /// Records that a packet has joined a queue.
    pub fn on_packet(&mut self, queue: usize, shares: [bool; 2], flows: &mut [Flow]) {
        let flow = &mut flows[queue];
        match flow.set {
            FlowSet::Idle | FlowSet::Decaying => {
                flow.set = FlowSet::Sparse;
                flow.deficit = self.credit(flow, shares);
                self.listed += 1;
                self.new.push_back(queue as u32);
            }
            FlowSet::SparseWait => {
                flow.set = FlowSet::Bulk;
                self.count_bulk(flow, shares, true);
            }
            FlowSet::Sparse | FlowSet::Bulk => {}
        }
    }

    /// Records that a packet of this number of bytes is sent.
    pub fn on_sent(&mut self, flow: &mut Flow, bytes: i64) {
        flow.deficit -= bytes << FRACTION;
        self.deficit -= bytes;
    }

    /// Queue whose turn it is; `None` if the first flow was found empty, and has therefore left.
    pub fn next(&mut self, now: Time, shares: [bool; 2], flows: &mut [Flow], states: &[QueueState]) -> Option<usize> {
        let mut turns = 0;
        loop {
            let is_new = !self.new.is_empty();
            let queue = *(if is_new { &self.new } else { &self.old }).front()? as usize;
            let flow = &mut flows[queue];
            let has_packets = states[queue].packets > 0;
            if flow.deficit <= 0 {
                if flow.set == FlowSet::Sparse {
                    flow.set = if has_packets { FlowSet::Bulk } else { FlowSet::SparseWait };
                    if has_packets {
                        self.count_bulk(flow, shares, true);
                    }
                }
                flow.deficit += self.credit(flow, shares);
                let list = if is_new { &mut self.new } else { &mut self.old };
                list.pop_front();
                self.old.push_back(queue as u32);
                turns += 1;
                if turns > 2 * self.listed {
                    self.skip_rounds(shares, flows);
                    turns = 0;
                }
            } else if has_packets {
                return Some(queue);
            } else {
                if flow.set == FlowSet::Bulk {
                    self.count_bulk(flow, shares, false);
                }
                flow.controller.on_empty(&self.settings, now);
                flow.set = if flow.controller.is_at_rest(now) { FlowSet::Idle } else { FlowSet::Decaying };
                self.listed -= 1;
                let list = if is_new { &mut self.new } else { &mut self.old };
                list.pop_front();
                return None;
            }
        }
    }

    /// Skips the rounds in which no flow would have credit. There are many after packets much larger than the quantum.
    #[cold]
    fn skip_rounds(&self, shares: [bool; 2], flows: &mut [Flow]) {
        let queues = || self.old.iter().map(|queue| *queue as usize);
        let rounds = queues().map(|queue| -flows[queue].deficit.min(0) / self.credit(&flows[queue], shares)).min().unwrap_or(0);
        queues().for_each(|queue| flows[queue].deficit += rounds * self.credit(&flows[queue], shares));
    }

    /// Records that a packet that occupies `size` is sent: moves the time from which the tin is within its threshold again.
    pub fn advance(&mut self, now: Time, size: Bytes) {
        let Some(threshold) = self.plan.threshold else { return };
        let duration = threshold.transmission_time(size);
        self.ready = if self.ready < now { self.ready + duration } else { self.ready.max(now + duration) };
    }
}

/// Shaper of all tins.
#[derive(Clone, Debug)]
pub struct Shaper {
    pub rate: Option<Rate>,
    pub overhead: Overhead,
    /// Time from which the next packet may be sent.
    pub ready: Time,
}

impl Shaper {
    /// Records that a packet that occupies `size` is sent.
    pub fn advance(&mut self, size: Bytes) {
        if let Some(rate) = self.rate {
            self.ready += rate.transmission_time(size);
        }
    }
}
