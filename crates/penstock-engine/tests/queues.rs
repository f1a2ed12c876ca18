//! Single queues against queueing theory.
//!
//! Each test runs 20 independent replications and requires that the exact value lies in their 99.9 % interval, and that this
//! interval is narrow enough to detect an error of a few per cent (more for rare events). Warm-ups exceed the relaxation time of
//! the busiest queue here, 1/(1 - sqrt .95)^2 = 1560 services, several times.

mod support;

use penstock_engine::Observations;
use support::statistics::{agrees, interval, replicate};
use support::{discipline, one_link, source, time, transport};

/// Poisson packets over one link of 1 ms (on average) a packet, after a warm-up of 10 s.
fn poisson(rho: f64, packet: &str, rate: u64, limit: &str, seconds: u64, seed: u64) -> Observations {
    let (mut net, route, link) =
        one_link(&format!("{} s", 10 + seconds), seed, &format!("{rate} bit/s"), "1 ms", discipline("tail-drop", limit));
    let offered = (rho * rate as f64).round();
    let traffic = source("poisson", &format!("rate = {offered} bit/s; packet = {packet}"));
    let group = net.group("poisson", traffic, transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.sample(link, "2.3 ms");
    net.0.warm_up = time("10 s");
    net.run()
}

fn mean_wait_ms(seen: &Observations) -> f64 {
    seen.links[0].wait_sum_ps as f64 / seen.links[0].waits as f64 / 1e9
}

fn lost_share(seen: &Observations) -> f64 {
    let link = &seen.links[0];
    let lost: u64 = link.dropped_packets.iter().flatten().sum();
    lost as f64 / link.offered_packets.iter().sum::<u64>() as f64
}

/// The time average of packets that wait or are in service.
fn mean_in_system(seen: &Observations) -> f64 {
    let span = seen.to.since(seen.from).as_ps();
    (seen.links[0].waiting_packet_ps + u128::from(seen.links[0].busy.as_ps())) as f64 / span as f64
}

#[test]
fn m_d_1_waits() {
    // rho/(2(1 - rho)), and P(W > t) [Erlang 1909]. The wait at an instant exceeds a whole number t >= 1 of services
    // exactly if t packets wait; an arrival of a Poisson stream sees what an instant sees.
    let cases = [
        (0.5, 0.5, &[(1, 0.17564), (2, 0.053039), (5, 0.0012357)][..]),
        (0.8, 2.0, &[(1, 0.55489), (2, 0.36548), (5, 0.1005), (10, 0.011657)]),
        (0.9, 4.5, &[(1, 0.75404), (2, 0.6164), (5, 0.33129), (10, 0.1176)]),
    ];
    for (rho, mean, tail) in cases {
        let runs = replicate(|seed| poisson(rho, "125 bytes", 1_000_000, "limit = 1000000 packets", 100, seed));
        agrees(&format!("mean at {rho}"), mean, interval(&runs, mean_wait_ms), 0.1);
        for (t, expected) in tail {
            let share = |seen: &Observations| {
                let waiting = &seen.samples[0];
                waiting.iter().filter(|waiting| *waiting >= t).count() as f64 / waiting.len() as f64
            };
            agrees(&format!("P(W > {t}) at {rho}"), *expected, interval(&runs, share), 0.25);
        }
    }
}

#[test]
fn m_m_1_k_blocking_and_length() {
    // Block (1-r) r^K / (1 - r^(K+1)); L = r/(1-r) - (K+1) r^(K+1) / (1 - r^(K+1)), K counting the packet in service.
    for (rho, k) in [(0.8f64, 10), (0.9, 20), (1.2, 20)] {
        let all = 1.0 - rho.powi(k + 1);
        let block = (1.0 - rho) * rho.powi(k) / all;
        let length = rho / (1.0 - rho) - f64::from(k + 1) * rho.powi(k + 1) / all;
        let limit = format!("limit = {k} packets; counts = in-system");
        let runs = replicate(|seed| poisson(rho, "exponential 1000 bytes", 8_000_000, &limit, 100, seed));
        agrees(&format!("block at {rho}, {k}"), block, interval(&runs, lost_share), 0.12);
        agrees(&format!("L at {rho}, {k}"), length, interval(&runs, mean_in_system), 0.05);
    }
}

#[test]
fn m_d_1_k_blocking() {
    // 1 - 1/(pi_0 + rho), pi the embedded chain's law. Losses come in bursts, so their share is known to a few per cent only.
    for (rho, k, block, seconds) in
        [(0.8, 10, 0.0036392, 200), (0.9, 20, 0.0018532, 400), (1.0, 20, 0.0252101, 100), (1.2, 20, 0.166763, 50)]
    {
        let limit = format!("limit = {k} packets; counts = in-system");
        let runs = replicate(|seed| poisson(rho, "125 bytes", 1_000_000, &limit, seconds, seed));
        agrees(&format!("block at {rho}, {k}"), block, interval(&runs, lost_share), 0.15);
    }
}

#[test]
fn m_g_1_waits_of_two_sizes() {
    // lambda E[S^2] / (2 (1 - rho)), half the packets of 160 and half of 1500 bytes, at 1.5 Mbit/s.
    for (rho, expected) in [(0.3, 1.5667), (0.6, 5.4834), (0.9, 32.9002)] {
        let mix = "mix [160 bytes @ 0.5, 1500 bytes @ 0.5]";
        let runs = replicate(|seed| poisson(rho, mix, 1_500_000, "limit = 1000000 packets", 400, seed));
        agrees(&format!("wait at {rho}"), expected, interval(&runs, mean_wait_ms), 0.1);
    }
}
