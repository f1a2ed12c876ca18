//! Model and states, with numbers computed by hand from the pseudocode of [Cardwell26 s5].

use super::super::testing::{at_ms, close, context};
use super::super::RateSample;
use super::*;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;

/// Packets of 1250 bytes: 10,000 bits.
fn bbr(lines: &[&str]) -> Bbr3 {
    let context = ConnectionContext { site: Site::trial().with_key(Key::root(1, 0)), packet_size: 1250, ..context(1210) };
    Bbr3::new(&read::<Parameters>(lines).expect("sound"), &context)
}

fn window() -> Window {
    Window { size: 10.0, threshold: 1000.0, max: 10_000 }
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
        in_flight_at_sending: 100,
        lost_since_sending: 0,
        in_recovery: false,
    }
}

fn lost(seq: u32, in_flight: u32, lost: u32) -> LostSegment {
    LostSegment { seq, in_flight, lost, delivered: 60, app_limited: false }
}

/// A control with a full pipe, in ProbeBW since 600 ms and, without a queue, immediately in ProbeBW_CRUISE: 1000 segments per second and
/// 100 ms, a BDP of 100 segments.
fn in_probe_bw(lines: &[&str]) -> (Bbr3, Window) {
    let (mut it, mut window) = (bbr(lines), window());
    it.on_rtt_sample(&RttSample { now: at_ms(0), rtt: Duration::from_ms(100), smoothed: Duration::from_ms(100) }, &mut window);
    (0..6).for_each(|round| it.on_report(&AckReport { in_flight: 50 + 100 * u32::from(round < 5), ..report(round, 1000) }, &mut window));
    assert_eq!((it.state, it.cycle_stamp), (State::ProbeBwCruise, at_ms(600)));
    close(it.bdp(), 100.0);
    (it, window)
}

/// Same control in ProbeBW_UP since the end of round 10.
fn in_probe_bw_up(lines: &[&str]) -> (Bbr3, Window) {
    let (mut it, mut window) = in_probe_bw(lines);
    it.on_report(&AckReport { in_flight: 50, ..report(6, 1000) }, &mut window);
    assert_eq!((it.state, it.ack_phase), (State::ProbeBwCruise, AckPhase::Init));
    it.on_report(&AckReport { now: at_ms(3601), ..report(7, 1000) }, &mut window);
    assert_eq!((it.state, it.is_bw_probe_sample), (State::ProbeBwRefill, false));
    it.on_report(&AckReport { now: at_ms(3701), ..report(8, 1000) }, &mut window);
    assert_eq!((it.state, it.is_bw_probe_sample, it.full_bw), (State::ProbeBwUp, true, 1000.0));
    (it, window)
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_growth_by_a_quarter() {
    let (mut it, mut window) = (bbr(&[]), window());
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
    assert_eq!(it.state, State::Drain);
    // 99 % of half of 270 segments a second.
    assert_eq!(it.pacing_rate(at_ms(0), &window), Some(Rate::from_bps(1_336_500)));
    it.on_report(&AckReport { in_flight: 28, ..report(9, 270) }, &mut window);
    assert_eq!(it.state, State::Drain);
    it.on_report(&AckReport { in_flight: 27, ..report(10, 270) }, &mut window);
    assert_eq!(it.state, State::ProbeBwCruise);
    assert_eq!(it.pacing_rate(at_ms(0), &window), Some(Rate::from_bps(2_673_000)));
}

#[test]
fn drain_ends_after_three_rounds() {
    let (mut it, mut window) = (bbr(&[]), window());
    let states: Vec<State> = (0..9)
        .map(|round| {
            it.on_report(&report(round, 1000), &mut window);
            it.state
        })
        .collect();
    assert_eq!(states[2], State::Startup);
    assert_eq!(states[3..7], [State::Drain; 4]);
    assert_eq!(states[7], State::ProbeBwDown);
}

/// Losses have halved bw. max_bw is 1000 segments per second, with which 100 segments are in flight without a queue.
#[test]
fn cruising_begins_at_max_bw() {
    let (mut it, mut window) = in_probe_bw(&[]);
    (it.state, it.bw_shortterm) = (State::ProbeBwDown, 500.0);
    for (round, in_flight, state) in [(6, 101, State::ProbeBwDown), (7, 100, State::ProbeBwCruise)] {
        it.on_report(&AckReport { in_flight, ..report(round, 1000) }, &mut window);
        assert_eq!((it.state, it.bw), (state, 500.0));
    }
}

/// Losses above 2 % in six ranges, one round trip after the first of them.
#[test]
fn startup_ends_with_many_losses() {
    for (ranges, state) in [(5, State::Startup), (6, State::Drain)] {
        let (mut it, mut window) = (bbr(&[]), window());
        it.on_report(&report(0, 1000), &mut window);
        it.on_recovery_start(at_ms(100), &mut window);
        for range in 0..ranges {
            it.on_lost_segment(at_ms(100), &LostSegment { delivered: 20, ..lost(10 + 2 * range, 100, range + 1) });
            it.on_lost_segment(at_ms(100), &LostSegment { delivered: 20, ..lost(11 + 2 * range + 100 * (range % 2), 100, range + 1) });
        }
        it.lost_ranges.0 = ranges;
        it.on_report(&AckReport { in_recovery: true, lost_since_sending: 3, ..report(1, 2000) }, &mut window);
        assert_eq!(it.state, State::Startup);
        it.on_report(&AckReport { in_recovery: true, lost_since_sending: 3, ..report(2, 4000) }, &mut window);
        assert_eq!(it.state, state);
    }
    let mut it = bbr(&[]);
    [4, 5, 7, 8, 10].into_iter().for_each(|seq| it.on_lost_segment(at_ms(0), &lost(seq, 100, 1)));
    assert_eq!(it.lost_ranges, (3, Some(10)));
}

/// 60 rounds come first. With a BDP of 100 segments, a flow waits for its random time of 2 to 3 s, but at most 63 round trips.
#[test]
fn a_probe_begins_after_a_random_time_or_63_rounds() {
    let (mut it, mut window) = in_probe_bw(&[]);
    assert!(it.bw_probe_wait >= Duration::from_ms(2000) && it.bw_probe_wait < Duration::from_ms(3000));
    it.bw_probe_wait = Duration::from_ms(1_000_000);
    it.rounds_since_probe_up = 61;
    it.on_report(&AckReport { in_flight: 101, ..report(6, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwCruise);
    it.on_report(&AckReport { in_flight: 100, ..report(7, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwRefill);
    // With a BDP of 30 segments, after 30 round trips.
    let (mut it, mut window) = in_probe_bw(&[]);
    it.min_rtt = Some(Duration::from_ms(30));
    it.bw_probe_wait = Duration::from_ms(1_000_000);
    it.rounds_since_probe_up = 28;
    it.on_report(&AckReport { in_flight: 101, ..report(6, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwCruise);
    it.on_report(&AckReport { in_flight: 100, ..report(7, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwRefill);
}

/// max_bw forgets a cycle after the next one. The cycle advances one round trip after ProbeBW_UP.
#[test]
fn bandwidth_is_the_maximum_of_two_cycles() {
    let (mut it, mut window) = in_probe_bw_up(&[]);
    assert_eq!(it.cycle_count, 1);
    for (round, cycles) in [(9, 1), (10, 1), (11, 1), (12, 2)] {
        it.on_report(&AckReport { now: at_ms(3700 + u64::from(round)), ..report(round, 900) }, &mut window);
        assert_eq!((it.cycle_count, it.max_bw.max()), (cycles, 1000.0), "{round}");
    }
    assert_eq!(it.state, State::ProbeBwDown); // three rounds without growth
    it.cycle_count = 3;
    it.on_report(&AckReport { now: at_ms(3720), ..report(13, 900) }, &mut window);
    close(it.max_bw.max(), 900.0);
}

/// By hand: 3 of 101 segments in flight are lost, 2 of the 100 before, so the threshold is at 100. At 50, one of 49 exceeds it.
#[test]
fn losses_of_a_probe_bound_the_window() {
    let (mut it, mut window) = in_probe_bw_up(&[]);
    close(it.inflight_at_loss(101.0, 3.0), 100.0);
    close(it.inflight_at_loss(50.0, 2.0), 49.0 - 0.02 / 0.98);
    it.on_lost_segment(at_ms(3750), &lost(500, 150, 3));
    assert_eq!((it.state, it.inflight_longterm), (State::ProbeBwUp, f64::INFINITY));
    it.on_lost_segment(at_ms(3750), &lost(501, 101, 3));
    close(it.inflight_longterm, 100.0);
    close(State::ProbeBwDown.pacing_gain(), 0.9);
    assert_eq!((it.state, it.prev_probe_too_high, it.is_bw_probe_sample), (State::ProbeBwDown, true, false));
    it.on_report(&AckReport { now: at_ms(3751), in_flight: 86, ..report(9, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwDown);
    it.on_report(&AckReport { now: at_ms(3752), in_flight: 85, ..report(10, 1000) }, &mut window);
    assert_eq!((it.state, window.size), (State::ProbeBwCruise, 85.0)); // 15 % are left to others
    it.on_lost_segment(at_ms(3753), &lost(502, 50, 9));
    close(it.inflight_longterm, 100.0); // one reaction for each probe
                                        // At least 70 % of the BDP.
    let (mut it, _) = in_probe_bw_up(&[]);
    it.on_lost_segment(at_ms(3750), &lost(500, 10, 1));
    close(it.inflight_longterm, 70.0);
}

/// A probe after one that went too high ends where the earlier one did. Without losses, the next begins at once.
#[test]
fn a_probe_after_losses_is_brief() {
    let (mut it, mut window) = in_probe_bw_up(&[]);
    (it.inflight_longterm, it.prev_probe_too_high) = (100.0, true);
    it.on_report(&AckReport { now: at_ms(3702), in_flight: 99, ..report(9, 1000) }, &mut window);
    assert_eq!(it.state, State::ProbeBwUp);
    it.on_report(&AckReport { now: at_ms(3703), in_flight: 100, ..report(10, 1000) }, &mut window);
    assert_eq!((it.state, it.prev_probe_precautionary), (State::ProbeBwDown, true));
    it.on_report(&AckReport { now: at_ms(3704), ..report(11, 1000) }, &mut window);
    assert_eq!((it.state, it.prev_probe_precautionary), (State::ProbeBwRefill, false));
}

/// With a window of 100, the bound grows by one segment per 100 acknowledged ones, then per 50, 25, ...
#[test]
fn the_bound_grows_faster_in_each_round() {
    let (mut it, mut window) = in_probe_bw_up(&[]);
    (it.inflight_longterm, it.cwnd, it.probe_up_acked_per_inc) = (100.0, 100.0, 100.0);
    for (round, newly, longterm, per_inc) in [(9, 90, 100.0, 50.0), (10, 20, 102.0, 25.0), (11, 51, 104.0, 12.75)] {
        window.size = it.cwnd;
        it.on_sent(&SentSegment { now: at_ms(3701), seq: 0, retransmission: false, in_flight: 200, app_limited: false }, &mut window);
        let report = AckReport { now: at_ms(3692 + u64::from(round)), newly_acknowledged: newly, in_flight: 90, ..report(round, 1000) };
        it.on_report(&report, &mut window);
        close(it.inflight_longterm, longterm);
        close(it.probe_up_acked_per_inc, per_inc);
        assert_eq!(it.state, State::ProbeBwUp);
    }
}

/// In ProbeBW_CRUISE, 600 segments per second are less than 70 % of 1000, and 10 delivered are less than 70 % of the window.
#[test]
fn other_losses_reduce_the_short_term_model() {
    let (mut it, mut window) = in_probe_bw(&[]);
    it.on_report(&AckReport { in_flight: 50, ..report(6, 1000) }, &mut window);
    it.on_lost_segment(at_ms(750), &LostSegment { delivered: 70, ..lost(90, 100, 1) });
    let cwnd = it.cwnd;
    it.bw_latest = 0.0;
    it.on_report(&report(7, 600), &mut window);
    close(it.bw_shortterm, 700.0);
    close(it.inflight_shortterm, 0.7 * cwnd);
    close(it.bw, 700.0);
    close(it.pacing_rate, 693.0);
    it.bw_probe_wait = Duration::ZERO;
    it.on_report(&report(8, 600), &mut window);
    assert_eq!((it.state, it.bw_shortterm, it.bw), (State::ProbeBwRefill, f64::INFINITY, 1000.0));
}

/// 5 s after the last shorter round trip: half of a BDP of 100 segments for 200 ms and one round trip.
#[test]
fn the_round_trip_is_measured_again() {
    let (mut it, mut window) = in_probe_bw(&[]);
    it.on_report(&AckReport { in_flight: 50, ..report(6, 1000) }, &mut window);
    it.bw_probe_wait = Duration::from_ms(1_000_000);
    let cwnd = it.cwnd;
    let at = |round: u32, ms: u64, in_flight: u32| AckReport { now: at_ms(ms), in_flight, ..report(round, 1000) };
    it.on_report(&at(7, 5100, 90), &mut window);
    assert_eq!(it.state, State::ProbeBwCruise);
    it.on_report(&at(8, 5101, 90), &mut window);
    assert_eq!((it.state, window.size, it.limits_rate()), (State::ProbeRtt, 50.0, true));
    for (round, ms, in_flight) in [(9, 5200, 51), (10, 5300, 50), (11, 5400, 50), (12, 5500, 50)] {
        it.on_report(&at(round, ms, in_flight), &mut window);
        assert_eq!(it.state, State::ProbeRtt, "{ms}");
    }
    it.on_report(&at(13, 5501, 50), &mut window);
    assert_eq!((it.state, it.probe_rtt_min_stamp), (State::ProbeBwCruise, at_ms(5501)));
    assert!(window.size >= cwnd.min(200.0), "{} of {cwnd}", window.size);
}

#[test]
fn the_window_after_a_recovery_is_that_before() {
    let (mut it, mut window) = in_probe_bw(&[]);
    it.cwnd = 150.0;
    it.on_timeout(&Timeout { now: at_ms(650), in_flight: 100, repeated: false }, &mut window);
    it.on_report(&AckReport { in_recovery: true, ..report(6, 1000) }, &mut window);
    assert_eq!(window.size, 11.0);
    it.on_report(&report(7, 1000), &mut window);
    assert_eq!(window.size, 160.0);
    it.on_recovery_start(at_ms(800), &mut window);
    it.cwnd = 20.0;
    it.on_recovery_end(at_ms(800), &mut window);
    assert_eq!(window.size, 160.0);
}

#[test]
fn parameters_out_of_range_are_mistakes() {
    for line in ["min-rtt-filter-len = \"4 s\"", "loss-thresh = 1", "headroom = 1"] {
        assert!(read::<Parameters>(&[line]).is_err(), "{line}");
    }
}
