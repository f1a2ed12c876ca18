//! Model and states, with numbers computed by hand from [Cardwell17 s4].

use super::super::testing::context;
use super::super::RateSample;
use super::*;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;

/// Packets of 1250 bytes: 10,000 bits.
fn bbr(key: u64) -> Bbr {
    let context = ConnectionContext { site: Site::trial().with_key(Key::root(key, 0)), packet_size: 1250, ..context(1210) };
    Bbr::new(&read::<Parameters>(&[]).expect("sound"), &context)
}

fn window() -> Window {
    Window { size: 10.0, threshold: 1000.0, max: 1000 }
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// Report of ten segments that were sent one round ago, at `rate` segments per second. One round trip is 100 ms.
fn report(round: u32, rate: u32) -> AckReport {
    let interval = Duration::from_ps(10 * 1_000_000_000_000 / u64::from(rate));
    let sample = RateSample { delivered: 10, interval, prior_delivered: 10 * round, is_app_limited: false };
    AckReport {
        now: at_ms(100 * u64::from(round + 1)),
        acknowledged: 10 * (round + 1),
        newly_acknowledged: 10,
        newly_sacked: 0,
        newly_lost: 0,
        in_flight_before: 500,
        in_flight: 490,
        delivered: 10 * (round + 1),
        rtt: Some(Duration::from_ms(100)),
        rate: Some(sample),
        in_flight_at_sending: 0,
        lost_since_sending: 0,
        in_recovery: false,
    }
}

/// A control with a full pipe in ProbeBW: 1000 segments per second and 100 ms, a BDP of 100 segments.
fn in_probe_bw(key: u64) -> (Bbr, Window) {
    let (mut it, mut window) = (bbr(key), window());
    it.on_rtt_sample(&RttSample { now: at_ms(0), rtt: Duration::from_ms(100), smoothed: Duration::from_ms(100) }, &mut window);
    (0..5).for_each(|round| it.on_report(&AckReport { in_flight: 50, ..report(round, 1000) }, &mut window));
    assert_eq!(it.state, State::ProbeBw);
    (it, window)
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_growth_by_a_quarter() {
    let (mut it, mut window) = (bbr(1), window());
    let growth = [(100, 0), (200, 0), (240, 1), (249, 2), (251, 0), (252, 1), (260, 2)];
    for (round, (rate, count)) in (0..).zip(growth) {
        it.on_report(&report(round, rate), &mut window);
        assert_eq!((it.full_bw_count, it.state), (count, State::Startup), "round {round}");
    }
    // A sample limited by the application does not count.
    let limited = report(7, 260);
    let sample = limited.rate.map(|sample| RateSample { is_app_limited: true, ..sample });
    it.on_report(&AckReport { rate: sample, ..limited }, &mut window);
    assert_eq!(it.state, State::Startup);
    it.on_report(&report(8, 270), &mut window);
    assert_eq!((it.state, it.cwnd_gain), (State::Drain, HIGH_GAIN));
    assert_eq!(it.pacing_rate(at_ms(0), &window), Some(Rate::from_bps((270.0 / HIGH_GAIN * 10_000.0) as u64)));
    // BDP 27 segments, and three bursts of one segment (below 1.2 Mbit/s).
    it.on_report(&AckReport { in_flight: 31, ..report(9, 270) }, &mut window);
    assert_eq!(it.state, State::Drain);
    it.on_report(&AckReport { in_flight: 30, ..report(10, 270) }, &mut window);
    assert_eq!((it.state, it.cwnd_gain), (State::ProbeBw, 2.0));
}

#[test]
fn startup_paces_the_initial_window_over_the_round_trip_and_doubles() {
    let (mut it, mut window) = (bbr(1), window());
    it.on_rtt_sample(&RttSample { now: at_ms(0), rtt: Duration::from_ms(100), smoothed: Duration::from_ms(100) }, &mut window);
    assert_eq!(it.pacing_rate, HIGH_GAIN * 10.0 / 0.1);
    // A lower rate does not slow down the sender before the pipe is full.
    it.on_report(&report(0, 50), &mut window);
    assert_eq!(it.pacing_rate, HIGH_GAIN * 100.0);
    it.on_report(&report(1, 200), &mut window);
    assert_eq!(it.pacing_rate, HIGH_GAIN * 200.0);
    // Ten segments were delivered each time. The target of 2.89 x 5 + 3 exceeds 10, and that of 2.89 x 20 + 3 x 2 exceeds 20.
    assert_eq!(window.size, 30.0);
}

#[test]
fn the_phases_of_probe_bw_begin_at_random_but_not_with_the_low_one() {
    let mut first: Vec<usize> = (0..200).map(|key| in_probe_bw(key).0.cycle_index).collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!(first, [0, 2, 3, 4, 5, 6, 7]);
    let (mut it, mut window) = in_probe_bw(3);
    (it.cycle_index, it.pacing_gain, it.cycle_stamp) = (7, 1.0, at_ms(500));
    let gains = [(550, 1.0), (600, 1.0), (601, 1.25), (702, 0.75), (803, 1.0), (904, 1.0)];
    for (now, gain) in gains {
        it.on_report(&AckReport { now: at_ms(now), ..report(5, 1000) }, &mut window);
        assert_eq!(it.pacing_gain, gain, "at {now} ms");
        assert_eq!(it.pacing_rate, gain * 1000.0);
    }
    // The high gain lasts until its target is in the network: 125 segments and three bursts of 2.
    (it.cycle_index, it.pacing_gain, it.cycle_stamp) = (0, 1.25, at_ms(1000));
    for (now, in_flight_before, newly_lost, gain) in [(1150, 130, 0, 1.25), (1160, 131, 0, 0.75), (1161, 107, 0, 0.75), (1162, 106, 0, 1.0)]
    {
        it.on_report(&AckReport { now: at_ms(now), in_flight_before, newly_lost, ..report(5, 1000) }, &mut window);
        assert_eq!(it.pacing_gain, gain, "at {now} ms");
    }
    // cwnd: two BDPs and three bursts.
    (6..40).for_each(|round| it.on_report(&report(round, 1000), &mut window));
    assert_eq!(window.size, 206.0);
}

#[test]
fn the_minimum_round_trip_lasts_ten_seconds_and_is_then_probed_for() {
    let (mut it, mut window) = in_probe_bw(1);
    let longer = |now| AckReport { now: at_ms(now), rtt: Some(Duration::from_ms(150)), ..report(5, 1000) };
    it.rtprop_stamp = at_ms(500);
    it.on_report(&longer(10_500), &mut window);
    assert_eq!((it.state, it.rtprop), (State::ProbeBw, Some(Duration::from_ms(100))));
    let cwnd = window.size;
    it.on_report(&longer(10_501), &mut window);
    assert_eq!((it.state, it.rtprop, window.size), (State::ProbeRtt, Some(Duration::from_ms(150)), 4.0));
    assert!(it.limits_rate());
    // The time counts from when four segments are in the network, and one round trip must pass.
    it.on_report(&AckReport { in_flight: 4, ..longer(10_600) }, &mut window);
    it.on_report(&AckReport { in_flight: 4, rate: None, ..longer(10_801) }, &mut window);
    assert_eq!(it.state, State::ProbeRtt);
    let round = AckReport { in_flight: 4, now: at_ms(10_802), ..report(6, 1000) };
    it.on_report(&round, &mut window);
    assert_eq!(it.state, State::ProbeBw);
    assert!(window.size >= cwnd, "{} after {cwnd}", window.size);
    assert_eq!(it.rtprop_stamp, at_ms(10_802));
}

#[test]
fn a_recovery_conserves_packets_for_a_round_and_then_restores_the_window() {
    let (mut it, mut window) = in_probe_bw(1);
    it.cwnd = 200.0;
    it.on_recovery_start(at_ms(700), &mut window);
    let of = |rate, in_flight, newly_lost| AckReport {
        newly_acknowledged: 0,
        newly_sacked: 1,
        newly_lost,
        in_flight,
        rate,
        delivered: 100,
        ..report(9, 1000)
    };
    it.on_report(&of(None, 150, 1), &mut window);
    assert_eq!(window.size, 151.0);
    it.on_report(&of(None, 149, 0), &mut window);
    assert_eq!(window.size, 151.0);
    it.on_report(&of(None, 147, 5), &mut window);
    assert_eq!(window.size, 148.0); // 151 - 5, but 147 + 1 may be in the network
    let next_round = report(10, 1000).rate;
    it.on_report(&AckReport { newly_sacked: 3, ..of(next_round, 140, 0) }, &mut window);
    assert_eq!(window.size, 151.0);
    it.on_recovery_end(at_ms(900), &mut window);
    assert_eq!(window.size, 200.0);
    it.on_timeout(&Timeout { now: at_ms(1000), in_flight: 100, repeated: false }, &mut window);
    it.on_report(&AckReport { in_recovery: true, newly_lost: 100, ..of(None, 0, 0) }, &mut window);
    assert_eq!(window.size, 4.0);
    it.on_report(&of(None, 3, 0), &mut window);
    assert_eq!(window.size, 201.0);
}

#[test]
fn a_connection_without_a_round_trip_waits_ten_seconds_for_one_from_its_beginning_on() {
    let (mut it, mut window) = (bbr(1), window());
    let first = SentSegment { now: at_ms(60_000), seq: 0, retransmission: false, in_flight: 0, app_limited: false };
    it.on_sent(&first, &mut window);
    // The first segment was lost: its retransmission gives no round trip.
    let without = |now| AckReport { now: at_ms(now), rtt: None, rate: None, ..report(0, 100) };
    it.on_report(&without(70_000), &mut window);
    assert_eq!(it.state, State::Startup);
    it.on_report(&without(70_001), &mut window);
    assert_eq!(it.state, State::ProbeRtt);
}
