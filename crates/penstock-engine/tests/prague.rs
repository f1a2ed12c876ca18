//! Prague over a queue that marks every arrival from a level on, with and without losses of acknowledgements.

mod support;

use penstock_engine::observations::TraceEvent;
use penstock_engine::series::{Sampling, SeriesPlan, SeriesRow, SeriesSubject};
use penstock_engine::{Observations, Sim};
use penstock_model::discipline::DropCause;
use penstock_model::id::FlowId;
use penstock_model::packet::Ecn;
use penstock_model::units::{Duration, Time};
use support::{discipline, impairment, one_link, source, time, transport, Net};

/// 100 Mbit/s and a round trip of 30.12 ms without a queue: 251 packets. Every arrival is marked that finds at least 51 packets waiting.
fn net(tcp: &str, loss_of_acks: Option<&str>) -> Net {
    let (mut net, route, link) =
        one_link("45 s", 1, "100 Mbit/s", "15 ms", discipline("step-marking", "limit = 2000 packets; threshold = 50 packets"));
    let (a, b) = (net.0.links[link.index()].from, net.0.links[link.index()].to);
    let back = net.link(b, a, "10 Gbit/s", "15 ms", discipline("tail-drop", "limit = 100000 packets"));
    if let Some(probability) = loss_of_acks {
        net.port(back).impairments = vec![impairment("loss", &format!("probability = {probability}"))];
    }
    let back = net.route(&[back]);
    let settings = transport("tcp", &format!("ecn = true; min-rto = 200 ms; initial-slow-start-threshold = 250 packets; {tcp}"));
    let group = net.group("bulk", source("ftp", ""), settings, ("0 s", "0 s"));
    net.flow(group, route, back);
    // The SYN exchange and the first segments may need the timer where acknowledgements are lost, so that the first mark, which halves the
    // window, comes after 14 s.
    net.0.warm_up = time("30 s");
    net
}

/// What a run shows, from 30 s on.
#[derive(Debug)]
struct Seen {
    /// The share of the link that is used.
    used: f64,
    /// The mean number of packets that wait.
    queue: f64,
    /// The share of the packets received that are marked.
    marked: f64,
    /// The mean of alpha over time.
    alpha: f64,
    dropped: u64,
}

fn run(mut net: Net) -> Seen {
    let every = Sampling::Every(Duration::from_ms(10));
    let of = SeriesSubject::Sender(FlowId(0));
    let (from, until) = (net.0.warm_up, net.0.end);
    net.0.watch.series = vec![SeriesPlan { of, what: vec![(None, "alpha")], sampling: every, from, until }];
    let mut sim = Sim::new(net.0).expect("sound");
    sim.run_events(Time::NEVER, u64::MAX);
    let mut rows: Vec<SeriesRow> = Vec::new();
    sim.take_series(&mut rows);
    let alpha = rows.iter().map(|row| row.value).sum::<f64>() / rows.len() as f64;
    let seen: Observations = sim.finish();
    let dropped = DropCause::ALL.iter().map(|cause| seen.links[0].dropped_packets[*cause as usize].iter().sum::<u64>()).sum();
    let flow = &seen.flows[0];
    let marked = flow.received.marked as f64 / flow.received.packets as f64;
    Seen { used: seen.links[0].busy.as_seconds() / 15.0, queue: seen.links[0].waiting_packet_ps as f64 / 15e12, marked, alpha, dropped }
}

#[test]
fn the_queue_stays_below_its_level_and_the_link_is_full() {
    let seen = run(net("congestion-control = prague", None));
    assert_eq!(seen.dropped, 0);
    assert!(seen.used > 0.99 && seen.queue < 51.0, "{seen:?}");
    assert!((seen.alpha / seen.marked - 1.0).abs() < 0.05, "{seen:?}");
}

#[test]
fn alpha_is_the_share_of_marks_though_acknowledgements_are_lost() {
    for (tcp, loss) in [("", "0.3"), ("; recovery = sack", "0.5"), ("; ack-every = 2", "0.3")] {
        let seen = run(net(&format!("congestion-control = prague{tcp}"), Some(loss)));
        assert_eq!(seen.dropped, 0);
        assert!(seen.used > 0.97 && seen.queue < 55.0, "{tcp}, {loss}: {seen:?}");
        assert!((seen.alpha / seen.marked - 1.0).abs() < 0.1, "{tcp}, {loss}: {seen:?}");
    }
}

#[test]
fn without_the_option_long_runs_of_lost_acknowledgements_count_as_marks() {
    let with = |loss| run(net("congestion-control = prague { accecn-option = false }", loss));
    // None of these is as long as seven acknowledgements: three bits do.
    let seen = with(Some("0.1"));
    assert!(seen.used > 0.97 && (seen.alpha / seen.marked - 1.0).abs() < 0.1, "{seen:?}");
    // With one of 2^7 segments a run begins that shows eight or more at once.
    let seen = with(Some("0.5"));
    assert!(seen.used < 0.8 && seen.alpha > seen.marked, "{seen:?}");
}

#[test]
fn packets_that_may_be_marked_are_segments_with_ect_1() {
    let mut net = net("congestion-control = prague", None);
    (net.0.end, net.0.warm_up, net.0.trace) = (time("200 ms"), time("0 s"), true);
    let trace = net.run().trace;
    let sent: Vec<_> = trace.iter().filter(|row| row.event == TraceEvent::Send).filter_map(|row| row.packet()).collect();
    assert!(sent.len() > 100);
    for packet in sent {
        let expected = if packet.body.is_data() { Ecn::Ect1 } else { Ecn::NotEct };
        assert_eq!(packet.ecn, expected, "{:?}", packet.body);
    }
}
