//! N constant-rate flows of random phases, nD/D/1, against its exact law.

mod support;

use penstock_engine::blueprint::{CallsPlan, FastPaths};
use penstock_engine::{Blueprint, Observations, Sim};
use penstock_model::call::counts::CallCounts;
use penstock_model::units::Duration;
use std::sync::Arc;
use support::statistics::{agrees, interval, replicate};
use support::{discipline, endless_calls, one_link, source, time, transport};

/// N flows, one packet of 1 ms in each of D ms. From the third period on every period is the same.
fn run(n: u32, d: u32, replication: u64) -> Observations {
    let queue = discipline("tail-drop", "limit = 100000 packets");
    let (mut net, route, link) = one_link(&format!("{} ms", 3 * d), 1, &format!("{} kbit/s", 10 * d), "0 s", queue);
    let bytes = 10 * d / 8;
    assert_eq!(bytes * 8, 10 * d, "D is a multiple of 4");
    let traffic = source("cbr", &format!("rate = 10 kbit/s; packet = {bytes} bytes"));
    let group = net.group("cbr", traffic, transport("udp", ""), ("0 s", "0 s"));
    (0..n).for_each(|_| net.flow(group, route, route));
    net.sample(link, "0.7 ms");
    net.0.warm_up = time(&format!("{} ms", 2 * d));
    net.0.replication = replication;
    net.run()
}

/// 20 batches of runs with many sets of phases: one set is one sample only.
fn batches(n: u32, d: u32, sets: u64) -> Vec<Vec<Observations>> {
    replicate(|i| (0..sets).map(|set| run(n, d, i * sets + set)).collect())
}

/// The mean over the phases of a batch.
fn mean(measure: impl Fn(&Observations) -> f64) -> impl Fn(&Vec<Observations>) -> f64 {
    move |batch| batch.iter().map(&measure).sum::<f64>() / batch.len() as f64
}

#[test]
fn virtual_waits() {
    // P(V > x) = sum over n in x+1..=N of C(N,n) ((n-x)/D)^n (1-(n-x)/D)^(N-n) (D-N+x)/(D-n+x) [Roberts and Virtamo 1991].
    // V exceeds a whole number x >= 1 of services exactly if x packets wait.
    for (n, d, sets, tail) in
        [(80, 100, 100, &[(1, 0.5391), (2, 0.33089), (5, 0.056445)]), (1000, 1100, 5, &[(1, 0.7724), (2, 0.63948), (5, 0.34962)])]
    {
        let batches = batches(n, d, sets);
        for (x, expected) in tail {
            let share = mean(|seen| {
                let waiting = &seen.samples[0];
                waiting.iter().filter(|waiting| *waiting >= x).count() as f64 / waiting.len() as f64
            });
            agrees(&format!("P(V > {x}), N {n}, D {d}"), *expected, interval(&batches, share), 0.2);
        }
    }
}

#[test]
fn an_arrival_finds_the_link_busy_with_the_load_of_the_others() {
    // (N-1)/D exactly, by the ballot theorem. A packet waited if its delay is more than its own millisecond.
    for (n, d, sets) in [(80, 100, 100), (30, 40, 200)] {
        let busy = mean(|seen| {
            let waited = seen.flows.iter().filter(|flow| flow.received.delay_max.as_ps() > 1_000_000_000).count();
            waited as f64 / f64::from(n)
        });
        agrees(&format!("N {n}, D {d}"), f64::from(n - 1) / f64::from(d), interval(&batches(n, d, sets), busy), 0.02);
    }
}

/// A visit to an ingress sends about 2,000 packets of its calls, more than a port accepts at once. They get the same numbers as at a port
/// that accepts one at a time.
#[test]
fn many_packets_of_a_visit_are_numbered_in_order() {
    let (mut net, route, _) = one_link("2 s", 1, "1 Gbit/s", "1 ms", discipline("tail-drop", "limit = 100000 packets"));
    let group = net.group("calls", source("cbr", "rate = 64 kbit/s; packet = 160 bytes"), transport("udp", ""), ("0 s", "0 s"));
    let calls = CallsPlan { initial: CallCounts::same(400), initial_spread: Duration::from_ms(20), ..endless_calls() };
    net.0.groups[group as usize].calls = Some(Arc::new(calls));
    net.flow(group, route, route);
    let fast_paths = FastPaths { batches: false, ..FastPaths::default() };
    let single = Blueprint { fast_paths, ..net.0.clone() };
    let (together, single) = (net.run(), Sim::new(single).expect("it is sound").run());
    assert!(together.packet_hops > 35_000, "{}", together.packet_hops);
    assert_eq!(together.digest, single.digest);
}
