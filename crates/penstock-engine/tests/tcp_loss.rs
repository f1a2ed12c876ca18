//! TCP under random loss against the formulas that predict its rate.

mod support;

use support::statistics::{interval, replicate};
use support::{discipline, impairment, one_link, source, time, transport};

const ROUND_TRIP: f64 = 0.1;
const FIRST_TIMEOUT: f64 = 1.0;
const SEGMENT_MBIT: f64 = 1460.0 * 8.0 / 1e6;

/// Mbit/s by the full model of [Padhye98 s2], every segment acknowledged and no window limit.
fn padhye(p: f64) -> f64 {
    let q = 1.0 - p;
    let window = 1.0 + (8.0 * q / (3.0 * p) + 1.0).sqrt();
    let timeouts = ((1.0 - q.powi(3)) * (1.0 + q.powi(3) * (1.0 - q.powf(window - 3.0))) / (1.0 - q.powf(window))).min(1.0);
    let backed_off = 1.0 + p + 2.0 * p.powi(2) + 4.0 * p.powi(3) + 8.0 * p.powi(4) + 16.0 * p.powi(5) + 32.0 * p.powi(6);
    let segments = q / p + window + timeouts / q;
    SEGMENT_MBIT * segments / (ROUND_TRIP * (window / 2.0 + 1.0) + timeouts * FIRST_TIMEOUT * backed_off / q)
}

/// Mbit/s by the square root of [Mathis97 s2], which knows no timeouts.
fn mathis(p: f64) -> f64 {
    SEGMENT_MBIT / ROUND_TRIP * (1.5 / p).sqrt()
}

/// Mbit/s that one flow sends with loss probability `p`, over a link that costs next to no time.
fn rate(variant: &str, p: f64, seconds: u64, seed: u64) -> f64 {
    let queue = || discipline("tail-drop", "limit = 100000 packets");
    let (mut net, route, link) = one_link(&format!("{} s", 50 + seconds), seed, "1 Tbit/s", "50 ms", queue());
    net.port(link).impairments = vec![impairment("loss", &format!("probability = {p}"))];
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "1 Tbit/s", "50 ms", queue());
    let back = net.route(&[back]);
    let tcp = format!("variant = {variant}; max-window = 100000 packets; min-rto = 1 s");
    let group = net.group("bulk", source("ftp", ""), transport("tcp", &tcp), ("0 s", "100 ms"));
    net.flow(group, route, back);
    net.0.warm_up = time("50 s");
    net.run().flows[0].sent.packets as f64 * SEGMENT_MBIT / seconds as f64
}

/// The mean of 20 runs, known within 5 % so that a band of 15 % means something.
fn mean_rate(variant: &str, p: f64, seconds: u64) -> f64 {
    let (mean, half) = interval(&replicate(|seed| rate(variant, p, seconds, seed)), |rate| *rate);
    assert!(half < 0.05 * mean, "{variant} at {p}: {mean} +- {half}");
    mean
}

#[test]
fn the_formulas_are_those_that_were_worked_out() {
    for (p, root, full) in [(1e-4, 14.305, 14.245), (1e-3, 4.5236, 4.3987), (0.01, 1.4305, 1.1543), (0.03, 0.8259, 0.4914)] {
        assert!((mathis(p) / root - 1.0).abs() < 1e-4, "{p}: {}", mathis(p));
        assert!((padhye(p) / full - 1.0).abs() < 1e-4, "{p}: {}", padhye(p));
    }
}

#[test]
fn reno_and_sack_send_what_padhye_predicts() {
    // The model loses everything behind the first loss of a round; ours are independent, which costs fewer timeouts and puts
    // TCP above it, by 4 to 5 % for Reno and 6 to 15 % for SACK. 15 % is the accuracy asked of the model up to p = .01.
    for variant in ["reno", "sack"] {
        for (p, seconds) in [(1e-3, 300), (0.01, 300)] {
            let ratio = mean_rate(variant, p, seconds) / padhye(p);
            assert!((0.85..1.15).contains(&ratio), "{variant} at {p}: {ratio}");
        }
    }
}

#[test]
fn sack_avoids_timeouts_that_reno_takes() {
    // At p = .03 most of Reno's time goes into timeouts. SACK lies between the model with Reno's timeouts and the one
    // without any.
    let [reno, new_reno, sack] = ["reno", "new-reno", "sack"].map(|variant| mean_rate(variant, 0.03, 600));
    assert!((0.85..1.15).contains(&(reno / padhye(0.03))), "{reno}");
    for better in [new_reno, sack] {
        assert!((1.15 * padhye(0.03)..mathis(0.03)).contains(&better), "{better}");
    }
}

/// SACK repairs several losses of a window in a round trip where NewReno repairs one. The 99.9 % intervals are about 0.2 to 1.6 %.
#[test]
fn sack_does_not_lose_to_new_reno() {
    for p in [0.003, 0.01, 0.03, 0.06] {
        let gain = |seed| rate("sack", p, 600, seed) / rate("new-reno", p, 600, seed) - 1.0;
        let (mean, half) = interval(&replicate(gain), |gain| *gain);
        assert!(mean > 0.0, "{p}: {mean} +- {half}");
    }
}

#[test]
fn recovery_by_slow_start_costs_rate() {
    let [tahoe, reno, new_reno] = ["tahoe", "reno", "new-reno"].map(|variant| mean_rate(variant, 0.01, 300));
    assert!(tahoe < reno && reno < new_reno, "{tahoe}, {reno}, {new_reno}");
}
