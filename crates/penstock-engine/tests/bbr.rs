//! BBR in the whole simulator: one flow over a bottleneck with a deep buffer.

mod support;

use penstock_engine::series::{Sampling, SeriesPlan, SeriesRow, SeriesSubject};
use penstock_engine::{Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::FlowId;
use penstock_model::units::Time;
use support::{discipline, impairment, one_link, source, time, transport, Net};

/// 100 Mbit/s and a round trip of 40 ms without a queue: a BDP of 333 packets, and room for twelve times as many.
fn net(tcp: &str) -> Net {
    let (mut net, route, link) = one_link("30 s", 1, "100 Mbit/s", "20 ms", discipline("tail-drop", "limit = 4000 packets"));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "10 Gbit/s", "20 ms", discipline("tail-drop", "limit = 100000 packets"));
    let back = net.route(&[back]);
    let settings = transport("tcp", &format!("max-window = 8000 packets; {tcp}"));
    let group = net.group("bulk", source("ftp", ""), settings, ("0 s", "0 s"));
    net.flow(group, route, back);
    net.0.warm_up = time("2 s");
    net
}

/// The share of the link that is used, the mean number of packets that wait, and drops.
fn use_and_queue(seen: &Observations) -> (f64, f64, u64) {
    let dropped = DropCause::ALL.iter().map(|cause| seen.links[0].dropped_packets[*cause as usize].iter().sum::<u64>()).sum();
    (seen.links[0].busy.as_seconds() / 28.0, seen.links[0].waiting_packet_ps as f64 / 28e12, dropped)
}

#[test]
fn one_flow_fills_the_link_and_keeps_the_queue_below_a_bdp() {
    let (used, queue, dropped) = use_and_queue(&net("congestion-control = bbr").run());
    assert_eq!(dropped, 0);
    assert!(used > 0.9, "{used} of the link is used");
    assert!(queue < 333.0, "{queue} packets wait on average");
    // CUBIC fills the same buffer.
    let (_, of_cubic, _) = use_and_queue(&net("congestion-control = cubic; recovery = sack").run());
    assert!(of_cubic > 1000.0, "{of_cubic} packets wait on average with cubic");
}

#[test]
fn the_round_trip_is_probed_every_ten_seconds() {
    let mut blueprint = net("congestion-control = bbr").0;
    let (of, sampling) = (SeriesSubject::Sender(FlowId(0)), Sampling::OnChange);
    blueprint.watch.series = vec![SeriesPlan { of, what: vec![(None, "bbr-state")], sampling, from: Time::ZERO, until: blueprint.end }];
    let mut sim = Sim::new(blueprint).expect("sound");
    let mut rows: Vec<SeriesRow> = Vec::new();
    sim.run_events(Time::NEVER, u64::MAX);
    sim.take_series(&mut rows);
    // Startup, Drain, ProbeBW, and then ProbeRTT and ProbeBW in turn.
    let states: Vec<f64> = rows.iter().map(|row| row.value).collect();
    assert_eq!(states, [0.0, 1.0, 2.0, 3.0, 2.0, 3.0, 2.0]);
    let entered: Vec<f64> = rows.iter().filter(|row| row.value == 3.0).map(|row| row.time.as_seconds()).collect();
    // The minimum is of the first second. A probe waits for the flight to fall to four segments, which takes up to two round trips, and
    // lasts 200 ms and a round trip. The minimum is seen again until a phase with the high gain, up to six round trips later.
    assert!(entered[0] > 10.0 && entered[0] < 11.0, "{entered:?}");
    assert!(entered[1] - entered[0] > 10.2 && entered[1] - entered[0] < 10.6, "{entered:?}");
}

#[test]
fn losses_do_not_slow_it() {
    // 100 Mbit/s, a round trip of 100 ms, and a buffer of one BDP; 1 % of the packets are lost on the wire.
    let goodput = |control: &str| {
        let (mut net, route, link) = one_link("15 s", 1, "100 Mbit/s", "50 ms", discipline("tail-drop", "limit = 833 packets"));
        net.port(link).impairments = vec![impairment("loss", "probability = 0.01")];
        let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
        let back = net.link(b, a, "10 Gbit/s", "50 ms", discipline("tail-drop", "limit = 100000 packets"));
        let back = net.route(&[back]);
        let settings = transport("tcp", &format!("profile = linux-6; congestion-control = {control}"));
        let group = net.group("bulk", source("ftp", ""), settings, ("0 s", "0 s"));
        net.flow(group, route, back);
        net.0.warm_up = time("5 s");
        net.run().flows[0].goodput_bytes as f64 * 8.0 / 10.0
    };
    // BBRv1 does not reduce its rate at a loss; CUBIC does at each.
    assert!(goodput("bbr") > 80e6, "{}", goodput("bbr"));
    assert!(goodput("cubic") < 5e6, "{}", goodput("cubic"));
}
