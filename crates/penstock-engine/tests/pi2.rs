//! PI2 ports in whole simulations: what the controller comes to.

mod support;

use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use support::{discipline, one_link, source, time, transport};

/// A link of 100 Mbit/s at which Poisson traffic of `rate` arrives that does not respond, from 10 s on.
fn overload(settings: &str, rate: &str, udp: &str) -> Observations {
    let (mut net, route, _) = one_link("40 s", 1, "100 Mbit/s", "10 ms", discipline("pi2", settings));
    let poisson = source("poisson", &format!("rate = {rate}; packet = 500 bytes"));
    let group = net.group("poisson", poisson, transport("udp", udp), ("0 s", "0 s"));
    net.flow(group, route, route);
    net.0.warm_up = time("10 s");
    net.run()
}

#[test]
fn an_overload_waits_for_the_target_and_loses_the_rest() {
    for (settings, rate, udp, target, share) in [
        ("", "125 Mbit/s", "", 15.0, 0.2),
        ("target = 30 ms", "125 Mbit/s", "", 30.0, 0.2),
        // p'^2 is below 1/k^2: Classic traffic with ECN would be marked without end, so this holds for what cannot be marked.
        ("ecn = true", "125 Mbit/s", "", 15.0, 0.2),
        // Scalable traffic is marked up to p' = 1/2; beyond, p'^2 = 1/3 is dropped.
        ("", "150 Mbit/s", "ecn = ect-1", 15.0, 1.0 / 3.0),
        ("ecn = true", "150 Mbit/s", "ecn = ect-0", 15.0, 1.0 / 3.0),
    ] {
        let seen = overload(settings, rate, udp);
        let link = &seen.links[0];
        let dropped = link.dropped_packets[DropCause::Early as usize][0] as f64;
        let wait = link.wait_sum_ps as f64 / link.waits as f64 / 1e9;
        assert!((wait - target).abs() < 0.2, "{settings} {udp}: {wait} ms");
        // As for PIE: a standard error of 968 of 937 500 arrivals, four of which move the share by 0.0033.
        let dropped = dropped / (dropped + link.waits as f64);
        assert!((dropped - share).abs() < 0.0033, "{settings} {udp}: {dropped}");
    }
}
