//! Shares of classes of a link that is overloaded for long: by their weights, whatever the sizes of their packets.

mod support;

use penstock_engine::blueprint::QueuePlan;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::SchedulerPlan;
use support::{above, class, discipline, one_link, scheduler, source, transport};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Returns the shares of classes on a link of 10 Mbit/s for 20 s. `traffic` gives the offered Mbit/s and the packet size in bytes of
/// each class. Queues have the numbers of their classes.
fn shares(plan: SchedulerPlan, classes: Vec<ClassPlan>, traffic: &[(u32, u32)]) -> Vec<f64> {
    let (mut net, route, link) = one_link("20 s", 1, "10 Mbit/s", "0 s", discipline("tail-drop", ""));
    net.0.classes = NAMES[..traffic.len()].iter().map(|name| (*name).to_owned()).collect();
    let port = net.port(link);
    let queue = |name: &&str| QueuePlan { name: (*name).to_owned(), discipline: discipline("tail-drop", "limit = 200 packets") };
    (port.scheduler, port.classes) = (plan, classes);
    port.queues = NAMES[..traffic.len()].iter().map(queue).collect();
    port.queue_of_class = (0..traffic.len() as u8).collect();
    for (number, (rate, size)) in traffic.iter().enumerate().filter(|(_, (rate, _))| *rate > 0) {
        let cbr = source("cbr", &format!("rate = {rate} Mbit/s; packet = {size} bytes; spacing-jitter = 0.1"));
        let group = net.group(NAMES[number], cbr, transport("udp", ""), ("0 s", "0 s"));
        net.0.groups[group as usize].class = number as u8;
        net.flow(group, route, route);
    }
    let seen = net.run();
    let mut bytes = vec![0.0; traffic.len()];
    let flows = traffic.iter().enumerate().filter(|(_, (rate, _))| *rate > 0);
    flows.zip(&seen.flows).for_each(|((number, _), flow)| bytes[number] = flow.received.bytes as f64);
    let sum: f64 = bytes.iter().sum();
    assert!(sum * 8.0 > 0.999 * 10e6 * 20.0, "the link was never idle");
    bytes.into_iter().map(|bytes| bytes / sum).collect()
}

/// Everything offers twice the link in packets of these sizes.
fn overload(name: &str, settings: &str, classes: &[&str], sizes: &[u32]) -> Vec<f64> {
    let traffic: Vec<(u32, u32)> = sizes.iter().map(|size| (20, *size)).collect();
    shares(scheduler(name, settings), classes.iter().map(|settings| class(settings)).collect(), &traffic)
}

/// Shares by weight, to within the packets that one round may move: less than 25 kB of 25 MB.
#[track_caller]
fn by_weight(what: &str, seen: &[f64], weights: &[f64]) {
    let sum: f64 = weights.iter().sum();
    for (share, weight) in seen.iter().zip(weights) {
        assert!((share - weight / sum).abs() < 0.001, "{what}: {seen:?}, not as {weights:?}");
    }
}

const SIZES: [[u32; 3]; 4] = [[500, 500, 500], [40, 1500, 576], [1500, 160, 1500], [1499, 1500, 41]];

#[test]
fn bytes_follow_weights_whatever_the_sizes() {
    let weighted = ["weight = 1", "weight = 2", "weight = 5"];
    for sizes in SIZES {
        for (name, settings) in
            [("scfq", ""), ("stfq", ""), ("wf2q-plus", ""), ("wrr", "weighs = bytes"), ("wrr", "weighs = bytes; quantum = 100 bytes")]
        {
            by_weight(&format!("{name} {settings} {sizes:?}"), &overload(name, settings, &weighted, &sizes), &[1.0, 2.0, 5.0]);
        }
        let quanta = ["quantum = 1500 bytes", "quantum = 3 kB", "quantum = 7500 bytes"];
        by_weight(&format!("drr {sizes:?}"), &overload("drr", "", &quanta, &sizes), &[1.0, 2.0, 5.0]);
        let shares = ["share = 0.125", "share = 0.25", "share = 0.625"];
        by_weight(&format!("cbq {sizes:?}"), &overload("cbq", "sharing = ancestor-only", &shares, &sizes), &[1.0, 2.0, 5.0]);
    }
}

#[test]
fn visits_worth_less_than_a_packet_give_the_same_shares() {
    // A packet of 1500 bytes takes up to 1500 rounds of a byte, or of weights that make as little.
    for sizes in SIZES {
        let quanta = ["quantum = 1 byte", "quantum = 2 bytes", "quantum = 5 bytes"];
        by_weight(&format!("drr {sizes:?}"), &overload("drr", "", &quanta, &sizes), &[1.0, 2.0, 5.0]);
        let weighted = ["weight = 1", "weight = 2", "weight = 5"];
        by_weight(&format!("wrr {sizes:?}"), &overload("wrr", "weighs = bytes; quantum = 1 byte", &weighted, &sizes), &[1.0, 2.0, 5.0]);
    }
    // One large quantum and a small one: 1 of 1501 bytes, which is a packet of 40 bytes after as many rounds.
    let seen = overload("drr", "", &["quantum = 1 byte", "quantum = 1500 bytes"], &[40, 1500]);
    by_weight("drr 1:1500", &seen, &[1.0, 1500.0]);
}

#[test]
fn packets_follow_weights_in_round_robin_of_packets() {
    for sizes in SIZES {
        let weights: Vec<f64> = [1.0, 2.0, 5.0].iter().zip(sizes).map(|(weight, size)| weight * f64::from(size)).collect();
        let seen = overload("wrr", "", &["weight = 1", "weight = 2", "weight = 5"], &sizes);
        by_weight(&format!("{sizes:?}"), &seen, &weights);
    }
}

#[test]
fn what_one_class_does_not_need_the_others_share() {
    // The second class offers 1 of 10 Mbit/s, which is less than its share: it gets that, and the others the rest as 1 to 5.
    let traffic = [(20, 1500), (1, 160), (20, 576)];
    let weighted = || ["weight = 1", "weight = 2", "weight = 5"].map(class).into();
    for (name, settings) in [("scfq", ""), ("stfq", ""), ("wf2q-plus", ""), ("wrr", "weighs = bytes")] {
        by_weight(name, &shares(scheduler(name, settings), weighted(), &traffic), &[1.5, 1.0, 7.5]);
    }
    let quanta = ["quantum = 1500 bytes", "quantum = 3 kB", "quantum = 7500 bytes"].map(class).into();
    by_weight("drr", &shares(scheduler("drr", ""), quanta, &traffic), &[1.5, 1.0, 7.5]);
}

#[test]
fn classes_below_a_class_share_what_it_gets() {
    // A quarter for the first class, three quarters for a class with two below, as 1 to 2.
    for outer in ["scfq", "stfq", "wf2q-plus", "wrr"] {
        for inner in ["scfq", "stfq", "wf2q-plus", "drr"] {
            for sizes in [SIZES[1], SIZES[2]] {
                let below = match inner {
                    "drr" => ["quantum = 1500 bytes", "quantum = 3 kB"],
                    _ => ["weight = 1", "weight = 2"],
                };
                let classes = || vec![class("weight = 1"), above("weight = 3", scheduler(inner, ""), below.map(class).into())];
                let plan = || scheduler(outer, if outer == "wrr" { "weighs = bytes" } else { "" });
                let what = format!("{outer} above {inner} {sizes:?}");
                let all = shares(plan(), classes(), &sizes.map(|size| (20, size)));
                by_weight(&what, &all, &[1.0, 1.0, 2.0]);
                // What one of the two leaves goes to the other before it goes to the first class.
                let [a, b, c] = sizes;
                let without = shares(plan(), classes(), &[(20, a), (0, b), (20, c)]);
                by_weight(&what, &without, &[1.0, 0.0, 3.0]);
            }
        }
    }
}

#[test]
fn priority_above_fair_queueing() {
    // The urgent class sends 2 Mbit/s and is limited to 1; the 9 that are left are shared as 1 to 2, and one of the two
    // halves has a priority of its own below.
    let limit = "| rate = 1 Mbit/s; burst = 3 kB";
    let below = vec![class("weight = 1"), above("weight = 2", scheduler("priority", "order = [c, d]"), vec![class(""), class("")])];
    let classes = vec![class(limit), above("", scheduler("wf2q-plus", ""), below)];
    let seen = shares(scheduler("priority", "order = [a, rest]"), classes.clone(), &[(2, 160), (20, 1500), (4, 576), (20, 1500)]);
    by_weight("limited", &seen, &[1.0, 3.0, 4.0, 2.0]);
    // What the limit holds back is no backlog.
    let seen = shares(scheduler("priority", "order = [a, rest]"), classes, &[(20, 1500), (20, 1500), (0, 0), (20, 160)]);
    by_weight("limited", &seen, &[1.0, 3.0, 0.0, 6.0]);
}

#[test]
fn a_limited_class_below_a_fair_queue_leaves_its_share_to_others() {
    // Half of the link for a class whose own first class is limited to 1 Mbit/s and whose second sends 2: three in all.
    let below = vec![class("| rate = 1 Mbit/s; burst = 3 kB"), class("")];
    let classes = vec![class("weight = 1"), above("weight = 1", scheduler("priority", "order = [b, c]"), below)];
    for outer in ["scfq", "stfq", "wf2q-plus"] {
        let seen = shares(scheduler(outer, ""), classes.clone(), &[(20, 1500), (20, 500), (2, 1000)]);
        by_weight(outer, &seen, &[7.0, 1.0, 2.0]);
    }
}

#[test]
fn classes_of_htb_borrow_through_strict_priority() {
    // Half for the first two levels, in which 1 is assured for each of two urgent classes and lent to one of them; the third has the rest.
    let urgent = ["rate = 1 Mbit/s; ceiling = 2 Mbit/s", "rate = 1 Mbit/s"].map(class);
    let between = vec![above("", scheduler("htb", ""), urgent.into()), class("")];
    let half = "rate = 5 Mbit/s; ceiling = 10 Mbit/s";
    let below = vec![above(half, scheduler("priority", "order = [u, c]"), between), class(half)];
    let classes = vec![above("rate = 10 Mbit/s", scheduler("htb", ""), below)];
    let seen = shares(scheduler("htb", ""), classes.clone(), &[(20, 500), (20, 500), (20, 500), (20, 500)]);
    by_weight("all", &seen, &[2.0, 1.0, 2.0, 5.0]);
    let seen = shares(scheduler("htb", ""), classes, &[(20, 500), (20, 500), (20, 500), (0, 500)]);
    by_weight("the half of the last class is lent", &seen, &[2.0, 1.0, 7.0, 0.0]);
}

#[test]
fn class_based_queueing_lends_what_is_left() {
    // Formal sharing: the urgent class has its 30 % before others borrow, and the last, which does not borrow, its 10 %.
    let classes = ["share = 0.3", "share = 0.6; priority = 2", "share = 0.1; priority = 3; borrows = false"].map(class);
    let seen = shares(scheduler("cbq", ""), classes.clone().into(), &[(2, 160), (20, 1500), (20, 576)]);
    assert!((seen[0] - 0.2).abs() < 0.001, "all of what it sends: {seen:?}");
    // The estimator forgets a sixteenth of what was sent too early, and lets 16 packets go in advance.
    assert!((seen[2] - 0.1).abs() < 0.1 / 16.0 + 0.001, "its share: {seen:?}");
    assert!(seen[1] > 0.69, "the rest: {seen:?}");
}
