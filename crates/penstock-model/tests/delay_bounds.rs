//! Network calculus: traffic within a token bucket is delayed by no more than its scheduler guarantees, whatever the other classes send.
//!
//! A server that gives a class the rate R after a latency of T delays traffic within (burst b, rate r <= R) by at most
//! T + b/R. Delays run from the arrival of a packet as a whole to the end of its transmission.

mod support;

use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{AnyScheduler, Scheduler};
use proptest::prelude::*;
use support::traffic::{arrivals, classes, Class};
use support::{limited, plan, scheduler, serve, takes, LINK};

const C: f64 = LINK.as_bps() as f64;

/// Longest delay of `class`, in seconds.
fn longest(it: &mut impl Scheduler, all: &[Class], class: usize, guaranteed: f64, fixed: bool) -> f64 {
    let traffic = arrivals(all, |i| (i == class).then_some(guaranteed), fixed);
    let begins = serve(it, all.len(), &traffic);
    let delays = traffic.iter().zip(begins).filter(|(arrival, _)| arrival.class == class);
    delays.map(|(arrival, begin)| (begin + takes(arrival.size)).since(arrival.at).as_seconds()).fold(0.0, f64::max)
}

fn bits(bytes: u32) -> f64 {
    f64::from(bytes) * 8.0
}

/// Sum over all classes except one.
fn others(all: &[Class], class: usize, what: impl Fn(&Class) -> f64) -> f64 {
    all.iter().enumerate().filter(|(i, _)| *i != class).map(|(_, it)| what(it)).sum()
}

fn weights(all: &[Class]) -> Vec<String> {
    all.iter().map(|class| format!("weight = {}", class.weight)).collect()
}

/// Share of the class in the sum of the weights.
fn share(all: &[Class], class: usize) -> f64 {
    f64::from(all[class].weight) / all.iter().map(|class| f64::from(class.weight)).sum::<f64>()
}

/// Rounding to picoseconds in a few hundred transmissions.
const ROUNDING: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strict_priority(all in classes(2..6)) {
        // The first class: R = C, T = the largest packet of the others / C.
        let order: Vec<String> = (0..all.len()).map(|i| format!("c{i}")).collect();
        let plan = plan("priority", &format!("order = [{}]", order.join(", ")));
        let mut it = AnyScheduler::new(&plan, &vec![ClassPlan::default(); all.len()], LINK);
        let latency = all[1..].iter().map(|class| bits(class.largest)).fold(0.0, f64::max) / C;
        let delay = longest(&mut it, &all, 0, C, false);
        prop_assert!(delay <= latency + bits(all[0].burst()) / C + ROUNDING, "{delay}");
    }

    #[test]
    fn the_second_priority(all in classes(3..6)) {
        // Behind a first class within (b1, r1): R = C - r1, T = (b1 + the largest packet of the lower classes) / (C - r1).
        let order: Vec<String> = (0..all.len()).map(|i| format!("c{i}")).collect();
        let plan = plan("priority", &format!("order = [{}]", order.join(", ")));
        let mut it = AnyScheduler::new(&plan, &vec![ClassPlan::default(); all.len()], LINK);
        let first = C * 0.5 * f64::from(all[0].percent) / 100.0 + 1.0;
        let left = C - first;
        let traffic = arrivals(&all, |i| match i { 0 => Some(C * 0.5), 1 => Some(left), _ => None }, false);
        let begins = serve(&mut it, all.len(), &traffic);
        let lower = all[2..].iter().map(|class| bits(class.largest)).fold(0.0, f64::max);
        let bound = (bits(all[0].burst()) + lower + bits(all[1].burst())) / left;
        for (arrival, begin) in traffic.iter().zip(begins).filter(|(arrival, _)| arrival.class == 1) {
            let delay = (begin + takes(arrival.size)).since(arrival.at).as_seconds();
            prop_assert!(delay <= bound + ROUNDING, "{delay} > {bound}");
        }
    }

    #[test]
    fn a_limited_class_leaves_the_rest_to_others(all in classes(2..4), percent in 5u32..60) {
        // The limit keeps the first class within (b1, r1), however much it has to send.
        let rate = LINK.as_bps() * u64::from(percent) / 100;
        let limit = format!("rate = {rate} bit/s; burst = {} bytes", all[0].burst());
        let order: Vec<String> = (0..all.len()).map(|i| format!("c{i}")).collect();
        let mut plans = vec![ClassPlan::default(); all.len()];
        plans[0] = limited(&limit);
        let mut it = AnyScheduler::new(&plan("priority", &format!("order = [{}]", order.join(", "))), &plans, LINK);
        let left = C - rate as f64;
        let lower = all[2..].iter().map(|class| bits(class.largest)).fold(0.0, f64::max);
        let delay = longest(&mut it, &all, 1, left, false);
        let bound = (bits(all[0].burst()) + lower + bits(all[1].burst())) / left;
        prop_assert!(delay <= bound + ROUNDING, "{delay} > {bound}");
    }

    #[test]
    fn weighted_round_robin_of_packets(all in classes(2..6), class in 0usize..5) {
        // Quanta q = weight x packet, with packets of one size per class: R = C q / sum of q, T = sum of the others' q / C.
        let class = class % all.len();
        let quantum = |class: &Class| f64::from(class.weight) * bits(class.largest);
        let rate = C * quantum(&all[class]) / all.iter().map(quantum).sum::<f64>();
        let delay = longest(&mut scheduler("wrr", "", &weights(&all)), &all, class, rate, true);
        let bound = others(&all, class, quantum) / C + bits(all[class].burst()) / rate;
        prop_assert!(delay <= bound + ROUNDING, "{delay} > {bound}");
    }

    #[test]
    fn weighted_round_robin_of_bytes(all in classes(2..6), class in 0usize..5, quantum in 200u32..3000) {
        // A turn may exceed its quantum q by a packet L, which is missing later. Before a class has had m turns, the others send at most m
        // q_j + L_j each, and in m turns it sends at least m q - L: R = C q / sum of q, T = (sum of the others' q x (1 + L/q) + sum of the
        // others' L) / C.
        let class = class % all.len();
        let own = |i: usize| f64::from(quantum) * 8.0 * all.len() as f64 * share(&all, i);
        let rate = C * share(&all, class);
        let mut it = scheduler("wrr", &format!("weighs = bytes; quantum = {quantum} bytes"), &weights(&all));
        let delay = longest(&mut it, &all, class, rate, false);
        let other_quanta: f64 = (0..all.len()).filter(|i| *i != class).map(own).sum();
        let overdrawn = others(&all, class, |it| bits(it.largest));
        let latency = (other_quanta * (1.0 + bits(all[class].largest) / own(class)) + overdrawn) / C;
        prop_assert!(delay <= latency + bits(all[class].burst()) / rate + ROUNDING, "{delay}");
    }

    #[test]
    fn deficit_round_robin(all in classes(2..6), class in 0usize..5) {
        // T = (3 F - 2 q) / C and R = C q / F for quanta q of at least the largest packet, whose sum is F [Stiliadis98].
        let class = class % all.len();
        let quantum = |class: &Class| 1500 + 100 * class.weight;
        let settings: Vec<String> = all.iter().map(|class| format!("quantum = {} bytes", quantum(class))).collect();
        let (own, sum) = (bits(quantum(&all[class])), all.iter().map(|class| bits(quantum(class))).sum::<f64>());
        let rate = C * own / sum;
        let delay = longest(&mut scheduler("drr", "", &settings), &all, class, rate, false);
        let bound = (3.0 * sum - 2.0 * own) / C + bits(all[class].burst()) / rate;
        prop_assert!(delay <= bound + ROUNDING, "{delay} > {bound}");
    }

    #[test]
    fn fair_queueing(all in classes(2..6), class in 0usize..5) {
        // WF2Q+: b/g + the largest packet / C, as for the exact reference. SCFQ: b/g + the others' largest packets / C. The same with STFQ,
        // except that a packet of l bits ends l (1/g - 1/C) earlier.
        let class = class % all.len();
        let rate = C * share(&all, class);
        let largest = all.iter().map(|class| bits(class.largest)).fold(0.0, f64::max);
        let late = [("wf2q-plus", largest), ("scfq", others(&all, class, |it| bits(it.largest))), ("stfq", others(&all, class, |it| bits(it.largest)))];
        for (name, late) in late {
            let delay = longest(&mut scheduler(name, "", &weights(&all)), &all, class, rate, false);
            let bound = bits(all[class].burst()) / rate + late / C;
            prop_assert!(delay <= bound + ROUNDING, "{name}: {delay} > {bound}");
        }
    }
}
