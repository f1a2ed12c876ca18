//! Proportional rate reduction in the whole simulator: the flight at the end of recoveries, and how steadily segments leave in them.

mod support;

use penstock_engine::series::{Sampling, SeriesPlan, SeriesRow, SeriesSubject};
use penstock_engine::Sim;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};
use support::{discipline, one_link, source, transport};

/// A recovery: ssthresh in it, the flight when it ends, and the longest time without a new segment in it.
#[derive(Clone, Copy, Debug)]
struct Repair {
    threshold: f64,
    flight: f64,
    silence: Duration,
}

/// The recoveries of one flow over 10 Mbit/s and a round trip of 41.2 ms, 34 packets, with room for 60.
fn recoveries(tcp: &str) -> Vec<Repair> {
    let (mut net, route, link) = one_link("40 s", 1, "10 Mbit/s", "20 ms", discipline("tail-drop", "limit = 60 packets"));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "10 Gbit/s", "20 ms", discipline("tail-drop", "limit = 100000 packets"));
    let back = net.route(&[back]);
    let settings = transport("tcp", &format!("initial-slow-start-threshold = 60 packets; {tcp}"));
    let group = net.group("bulk", source("ftp", ""), settings, ("0 s", "0 s"));
    net.flow(group, route, back);
    let what = ["in-recovery", "ssthresh", "in-flight"].map(|name| (None, name)).to_vec();
    let (of, until) = (SeriesSubject::Sender(FlowId(0)), net.0.end);
    net.0.watch.series = vec![SeriesPlan { of, what, sampling: Sampling::OnChange, from: Time::ZERO, until }];
    let mut sim = Sim::new(net.0).expect("sound");
    sim.run_events(Time::NEVER, u64::MAX);
    let mut rows: Vec<SeriesRow> = Vec::new();
    sim.take_series(&mut rows);
    let (mut repairs, mut began) = (Vec::new(), None);
    let (mut threshold, mut flight, mut sent, mut silence, mut ended) = (0.0, 0.0, Time::ZERO, Duration::ZERO, None);
    for row in rows {
        if ended.is_some_and(|ended| row.time > ended) {
            repairs.push(Repair { threshold, flight, silence });
            ended = None;
        }
        match row.variable.name {
            "ssthresh" => threshold = row.value,
            "in-recovery" if row.value == 1.0 => (began, sent, silence) = (Some(row.time), row.time, Duration::ZERO),
            "in-recovery" => ended = began.take().map(|_| row.time),
            _ => {
                if row.value > flight && began.is_some() {
                    silence = silence.max(row.time.since(sent));
                    sent = row.time;
                }
                flight = row.value;
            }
        }
    }
    repairs
}

#[test]
fn the_flight_is_ssthresh_at_the_end_and_segments_leave_steadily() {
    for control in ["reno", "cubic"] {
        let tcp = |recovery: &str| format!("congestion-control = {control}; recovery = {recovery}");
        let (prr, sack) = (recoveries(&tcp("prr")), recoveries(&tcp("sack")));
        assert!(prr.len() >= 5 && sack.len() >= 5, "{control}: {} and {}", prr.len(), sack.len());
        for repair in prr {
            assert!((repair.flight - repair.threshold.floor()).abs() <= 2.0, "{control}: {repair:?}");
            // A packet takes 1.2 ms on the link. Reno lets one out for every second that arrives, CUBIC seven for ten.
            assert!(repair.silence <= Duration::from_ms(6), "{control}: {repair:?}");
        }
        // Until pipe has fallen to ssthresh RFC 6675 sends nothing: for half of 94 packets with Reno, three tenths with CUBIC.
        assert!(sack.iter().all(|repair| repair.silence > Duration::from_ms(25)), "{control}: {sack:?}");
    }
}
