//! Complete terminations: number and times of the cuts, and the calls left.

use super::harness::Domain;
use super::{cl, ms, stm};
use crate::edge::TerminationPlan;
use crate::packet::testing::packet;
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::pcn_meter::{pre_emption, single_threshold, PcnMeter};
use crate::site::Site;
use crate::units::{Duration, Time};

/// Number of calls that fit into the supportable rate.
const ROOM: u32 = 2000;

/// Marks every packet while more than `ROOM` calls are live, once the measurement windows are full.
fn ideal(now: Time, live: usize) -> PcnMark {
    if now >= ms(200) && live > ROOM as usize {
        PcnMark::Threshold
    } else {
        PcnMark::Unmarked
    }
}

/// Cuts of STM, each as the time since the first cut and the number of calls left.
fn stm_cuts(lines: &[&str], calls: u32, delay: Duration) -> Vec<(f64, u32)> {
    let cuts = Domain::new(&stm(lines), calls, delay, ideal).run(ms(3000)).cuts;
    let first = cuts[0].0;
    cuts.into_iter().map(|(at, left)| (at.since(first).as_seconds(), left)).collect()
}

fn over_termination(left: u32) -> f64 {
    100.0 * (f64::from(ROOM) - f64::from(left)) / f64::from(ROOM)
}

#[test]
fn without_loss_stm_cuts_a_share_per_interval() {
    // ceil(ln x / -ln(1 - y)) cuts, the last leaving x (1 - y)^k [Satoh10 table C.1: 0.400 and 1.300 s].
    for (calls, rounds, span, over) in [(2500, 5, 0.4, 3.277), (4000, 14, 1.3, 2.465)] {
        // While calls only end, the receiving rate over 100 ms is never below the sending rate.
        let cuts = stm_cuts(&["receiving-window = 100 ms"], calls, Duration::from_ms(1));
        assert_eq!(cuts.len(), rounds, "{cuts:?}");
        let (after, left) = cuts[rounds - 1];
        assert_eq!(after, span);
        // Each cut is rounded to a whole call: an error of at most half a call per round, reduced by later cuts.
        assert!((over_termination(left) - over).abs() < 0.2, "{left}");
    }
}

#[test]
fn a_window_that_is_no_whole_number_of_spacings_cuts_a_little_more() {
    // 33.3 ms hold one or two packets of each call, so the lowest of three samples is about 1 % below the rate. Each cut is therefore about
    // 6 %, and ceil(ln x / -ln 0.94) cuts are needed.
    for lines in ["receiving = between-reports", "receiving = sliding"] {
        for (calls, rounds) in [(2500, 4), (4000, 12)] {
            let cuts = stm_cuts(&[lines], calls, Duration::from_ms(1));
            assert_eq!(cuts.len(), rounds, "{cuts:?}");
            assert!(cuts.windows(2).all(|pair| (pair[1].0 - pair[0].0 - 0.1).abs() < 1e-9));
        }
    }
}

#[test]
fn a_sliding_window_that_reaches_back_before_the_load_rose_cuts_more_at_once() {
    // The calls start at 0 and are marked from then on, so the first report comes after a few ms of traffic.
    let at_once = |lines: &[&str]| {
        let marker = |_: Time, live: usize| if live > ROOM as usize { PcnMark::Threshold } else { PcnMark::Unmarked };
        Domain::new(&stm(lines), 2500, Duration::from_ms(1), marker).run(ms(1000)).cuts[0].1
    };
    assert!(at_once(&[]) < 200);
    assert!((2300..=2375).contains(&at_once(&["receiving = between-reports"])));
}

#[test]
fn a_longer_way_back_costs_another_round() {
    // Signals take 60 ms. A report sent before the last cut arrives after it, and before the cancel.
    let cuts = stm_cuts(&["receiving-window = 100 ms"], 2500, Duration::from_ms(60));
    assert_eq!(cuts.len(), 6);
    assert!((over_termination(cuts[5].1) - 8.114).abs() < 0.2);
}

#[test]
fn the_literal_marker_goes_on_marking_until_its_bucket_is_full_again() {
    let lines = ["admissible-rate = 64 Mbit/s", "supportable-rate = 128 Mbit/s"];
    let mut meter = single_threshold::SingleThreshold::<u64>::new(&read(&lines).expect("sound"), &Site::trial()).expect("fits");
    let marker = |now: Time, _: usize| {
        let mark = meter.on_packet(now, &packet(160, 0));
        if now >= ms(200) {
            mark
        } else {
            PcnMark::Unmarked
        }
    };
    let cuts = Domain::new(&stm(&["receiving-window = 100 ms"]), 2500, Duration::from_ms(1), marker).run(ms(3000)).cuts;
    // 8 ms at the supportable rate are recovered in 244 ms at 3.28 % below it, and sooner after two further cuts of 5 %.
    assert_eq!(cuts.len(), 7);
    assert!((over_termination(cuts[6].1) - 100.0 * (1.0 - 1.25 * 0.95f64.powi(7))).abs() < 0.2);
}

fn cl_domain(plan: &Option<TerminationPlan>) -> Domain<impl FnMut(Time, usize) -> PcnMark> {
    let mut meter =
        pre_emption::PreEmption::<u64>::new(&read(&["supportable-rate = 128 Mbit/s"]).expect("sound"), &Site::trial()).expect("fits");
    let marker = move |now: Time, _: usize| meter.on_packet(now, &packet(160, 0));
    Domain::new(plan, 2500, Duration::from_ms(1), marker).run(ms(2000))
}

#[test]
fn cl_cuts_down_to_the_supportable_rate_200_ms_after_the_first_mark() {
    let domain = cl_domain(&cl(&[]));
    let (at, left) = domain.cuts[0];
    // Two intervals, and the message between them.
    assert_eq!(at.since(domain.first_mark.expect("marks")), Duration::from_ms(201));
    assert!((1995..=2000).contains(&left), "{left}");
    let guarded = cl_domain(&cl(&["trigger-margin = 5 %", "cut-margin = 5 %"])).cuts;
    assert!(guarded.len() == 1 && (1895..=1900).contains(&guarded[0].1), "{guarded:?}");
}

#[test]
fn cl_may_measure_at_both_edges_at_once() {
    let domain = cl_domain(&cl(&["sar-interval = 200 ms", "sending = all-the-time"]));
    let (at, left) = domain.cuts[0];
    assert_eq!(at.since(domain.first_mark.expect("marks")), Duration::from_ms(201));
    // The sliding 100 ms hold five packets of every call.
    assert!((1995..=2000).contains(&left), "{left}");
}
