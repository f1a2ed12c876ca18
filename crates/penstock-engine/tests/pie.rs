//! PIE ports in whole simulations: what the controller comes to.

mod support;

use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use support::{discipline, one_link, source, time, transport};

/// A link of 100 Mbit/s at which Poisson traffic of 125 Mbit/s arrives that does not respond, from 10 s on.
fn overload(settings: &str) -> Observations {
    let (mut net, route, _) = one_link("40 s", 1, "100 Mbit/s", "10 ms", discipline("pie", settings));
    let poisson = source("poisson", "rate = 125 Mbit/s; packet = 500 bytes");
    let group = net.group("poisson", poisson, transport("udp", ""), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.0.warm_up = time("10 s");
    net.run()
}

/// The mean wait in ms and the share of drops.
fn outcome(settings: &str) -> (f64, f64) {
    let seen = overload(settings);
    let link = &seen.links[0];
    let dropped = link.dropped_packets[DropCause::Early as usize][0] as f64;
    (link.wait_sum_ps as f64 / link.waits as f64 / 1e9, dropped / (dropped + link.waits as f64))
}

#[test]
fn an_overload_waits_for_the_target_and_loses_the_rest() {
    for (settings, target) in
        [("", 15.0), ("target = 30 ms", 30.0), ("delay = departure-rate", 15.0), ("limit = 2000 packets; active-from = 700 packets", 15.0)]
    {
        let (wait, dropped) = outcome(settings);
        // The deviations from the target add up to what the probability has moved, over alpha: 0.02 / 0.125 over 2000 updates are
        // 0.08 ms. 33 packets exceed 2^14 bytes by 0.7 %, by which a departure rate makes delays too long: 0.1 ms.
        assert!((wait - target).abs() < 0.2, "{settings}: {wait} ms");
        // A fifth; the number of 937 500 arrivals has a standard error of 968, and a thousandth of 0.8 moves the share by 0.0008.
        assert!((dropped - 0.2).abs() < 0.0033, "{settings}: {dropped}");
    }
}

#[test]
fn derandomised_drops_lose_the_rest_too() {
    // The probability is higher, as not every packet may be dropped: 2 + 1/p packets from drop to drop are 5 at p = 1/3.
    let (wait, dropped) = outcome("derandomise = true");
    assert!((dropped - 0.2).abs() < 0.0033, "{dropped}");
    assert!(wait > 10.0 && wait < 20.0, "{wait} ms");
}
