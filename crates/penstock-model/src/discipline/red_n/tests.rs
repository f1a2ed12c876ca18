//! Averages, counts and drops, computed by hand.

use super::super::testing::{arrivals, gaps, packet, port, queue};
use super::*;
use crate::packet::Ecn;
use crate::parameters::testing::read;
use crate::units::Duration;

const FORCED: Verdict = Verdict::Drop(DropCause::Forced);
const THREE: [&str; 4] = [
    "limit = 60 packets",
    "min-thresholds = [20 packets, 20 packets, 20 packets]",
    "max-thresholds = [40 packets, 40 packets, 40 packets]",
    "max-probabilities = [1/30, 1/20, 1/10]",
];

fn red_n(more: &[&str]) -> RedN {
    RedN::new(&read(&[&THREE[..], more].concat()).expect("sound"), &port())
}

fn averages(it: &RedN) -> Vec<f64> {
    it.averages().collect()
}

#[test]
fn capable_packets_are_marked_instead_of_dropped_early() {
    let verdicts = |lines: &[&str], ecn: Ecn| {
        let mut it = red_n(&[&["weight = 1", "spacing = independent"], lines].concat());
        let packet = Packet { ecn, ..packet(500, 2) };
        (0..400).map(|_| it.on_arrival(Time::ZERO, &packet, &queue([0, 0, 30, 0]))).collect::<Vec<_>>()
    };
    let other = |verdicts: Vec<Verdict>| verdicts.into_iter().find(|verdict| *verdict != Verdict::Accept);
    assert_eq!(other(verdicts(&["ecn = true"], Ecn::Ect1)), Some(Verdict::Mark));
    assert_eq!(other(verdicts(&["ecn = true"], Ecn::NotEct)), Some(Verdict::Drop(DropCause::Early)));
    assert_eq!(other(verdicts(&[], Ecn::Ect1)), Some(Verdict::Drop(DropCause::Early)));
}

/// Averages after an arrival of each of the given precedences to a queue of 4, 6 and 10 packets, w = 1/2.
fn after(precedences: &[u8], more: &[&str]) -> Vec<f64> {
    let mut it = red_n(&[more, &["weight = 0.5"]].concat());
    for precedence in precedences {
        arrivals(&mut it, *precedence, &queue([4, 6, 10, 0]), 1);
    }
    averages(&it)
}

#[test]
fn coupled_averages_count_a_precedence_and_the_better_ones() {
    // The last average alone counts an arrival of precedence 2; all averages count one of precedence 0.
    assert_eq!(after(&[2], &[]), [0.0, 0.0, 10.0]);
    assert_eq!(after(&[2, 0], &[]), [2.0, 5.0, 15.0]);
    assert_eq!(after(&[2, 0, 1], &[]), [2.0, 7.5, 17.5]);
    assert_eq!(after(&[2], &["updates = all"]), [2.0, 5.0, 10.0]);
}

#[test]
fn arrivals_without_room_refresh_the_averages_or_change_nothing() {
    let full = queue([20, 40, 0, 0]);
    let mut it = red_n(&["weight = 0.5"]);
    assert_eq!(arrivals(&mut it, 0, &full, 1), [Verdict::Drop(DropCause::Overflow)]);
    assert_eq!(averages(&it), [10.0, 30.0, 30.0]);
    let mut it = red_n(&["weight = 0.5", "when-full = ignore"]);
    assert_eq!(arrivals(&mut it, 0, &full, 1), [Verdict::Drop(DropCause::Overflow)]);
    assert_eq!(averages(&it), [0.0; 3]);
}

#[test]
fn a_count_goes_on_over_arrivals_that_are_ignored() {
    // Halfway between the thresholds, precedence 1 has p = 1/40, so gaps are at most 40.
    let mut it = red_n(&["weight = 1", "spacing = count", "when-full = ignore"]);
    let (half, full) = (queue([0, 30, 0, 0]), queue([0, 60, 0, 0]));
    arrivals(&mut it, 1, &half, 1);
    for _ in 0..100 {
        let mut accepted = 0;
        while arrivals(&mut it, 1, &half, 1) == [Verdict::Accept] {
            accepted += 1;
            arrivals(&mut it, 1, &full, 1);
        }
        assert!(accepted < 40, "{accepted} in a row");
    }
}

#[test]
fn separate_averages_count_one_precedence_each() {
    assert_eq!(after(&[1], &["averages = separate"]), [0.0, 3.0, 0.0]);
    assert_eq!(after(&[1, 2], &["averages = separate"]), [0.0, 3.0, 5.0]);
    assert_eq!(after(&[1, 2], &["averages = separate", "updates = all"]), [3.0, 4.5, 7.5]);
}

#[test]
fn one_total_average_counts_everything_on_every_arrival() {
    assert_eq!(after(&[2], &["averages = total"]), [10.0, 10.0, 10.0]);
    assert_eq!(after(&[2, 0], &["averages = total"]), [15.0, 15.0, 15.0]);
}

#[test]
fn idle_time_ages_every_average() {
    let mut it = red_n(&["weight = 0.5"]);
    arrivals(&mut it, 0, &queue([4, 6, 10, 0]), 1);
    let idle = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
    // In 10 ms, three packets of 500 bytes leave at 1.5 Mbit/s: an eighth remains, and half of that in averages that count the arrival.
    it.on_arrival(Time::ZERO + Duration::from_ms(10), &packet(500, 1), &idle);
    assert_eq!(averages(&it), [2.0 / 8.0, 5.0 / 16.0, 10.0 / 16.0]);
}

const THREE_IN_BYTES: [&str; 4] = [
    "limit = 60 kB",
    "min-thresholds = [20 kB, 20 kB, 20 kB]",
    "max-thresholds = [40 kB, 40 kB, 40 kB]",
    "max-probabilities = [0.1, 0.2, 0.5]",
];

/// Averages of bytes, w = 1/2, after arrivals of 1000, 400, 600 and 1500 bytes of precedence 0, 1, 2 and 0, the departure of the first, and
/// an arrival of 40 bytes of precedence 1.
fn after_in_bytes(more: &[&str]) -> Vec<f64> {
    let mut it = RedN::new(&read(&[&THREE_IN_BYTES[..], &["weight = 0.5"], more].concat()).expect("sound"), &port());
    let mut held = Occupancy::default();
    let arrive = |it: &mut RedN, held: &mut Occupancy, size: u32, precedence: u8| {
        assert_eq!(it.on_arrival(Time::ZERO, &packet(size, precedence), held), Verdict::Accept);
        held.add(size, precedence);
    };
    for (size, precedence) in [(1000, 0), (400, 1), (600, 2), (1500, 0)] {
        arrive(&mut it, &mut held, size, precedence);
    }
    held.remove(1000, 0);
    if it.hooks().has(Hooks::LEAVE) {
        it.on_leave(Time::ZERO, &packet(1000, 0), Leave::Sent);
    }
    arrive(&mut it, &mut held, 40, 1);
    averages(&it)
}

#[test]
fn thresholds_in_bytes_average_the_bytes_of_precedences() {
    // The first average sees 0, then 1000. The second sees 0, 1000, then 1400 and 1900. The last counts all: 0, 1000, 1400, 2000, 2500.
    assert_eq!(after_in_bytes(&[]), [500.0, 1425.0, 1987.5]);
    // Bytes of the own precedence only: 0 and 1000 of the first precedence, 0 and 400 of the second, 0 of the third.
    assert_eq!(after_in_bytes(&["averages = separate"]), [500.0, 200.0, 0.0]);
    assert_eq!(after_in_bytes(&["averages = total"]), [1987.5; 3]);
}

#[test]
fn only_averages_of_bytes_that_tell_precedences_apart_follow_what_leaves() {
    let leaves = |lines: &[&str]| RedN::new(&read(lines).expect("sound"), &port()).hooks().has(Hooks::LEAVE);
    assert!(leaves(&THREE_IN_BYTES) && leaves(&[&THREE_IN_BYTES[..], &["averages = separate"]].concat()));
    assert!(!leaves(&THREE) && !leaves(&[&THREE_IN_BYTES[..], &["averages = total"]].concat()));
    let marking = RedN::new(&read(&[&THREE_IN_BYTES[..], &["ecn = true"]].concat()).expect("sound"), &port()).hooks();
    assert!(marking.has(Hooks::LEAVE.and(Hooks::MARK)));
}

#[test]
fn what_is_refused_is_not_counted_as_queued() {
    let mut it = RedN::new(&read(&[&THREE_IN_BYTES[..], &["weight = 1", "averages = separate"]].concat()).expect("sound"), &port());
    let full = Occupancy { packets: 120, bytes: 60_000, ..Occupancy::default() };
    assert_eq!(it.on_arrival(Time::ZERO, &packet(500, 0), &full), Verdict::Drop(DropCause::Overflow));
    it.on_arrival(Time::ZERO, &packet(500, 0), &Occupancy::default());
    it.on_arrival(Time::ZERO, &packet(500, 0), &Occupancy::default());
    assert_eq!(averages(&it), [500.0, 0.0, 0.0]);
}

#[test]
fn minima_of_zero_leave_no_arrival_safe() {
    // Half of 40 packets: p = .5. Of two drops, the first only starts the count.
    let zero = ["min-thresholds = [0 packets, 20 packets]", "max-thresholds = [40 packets, 40 packets]", "max-probabilities = [1, 1]"];
    let mut it = RedN::new(&read(&[&["limit = 60 packets", "weight = 1", "spacing = wait"], &zero[..]].concat()).expect("sound"), &port());
    // p/(2 - 2p) = 1/2 at the second arrival after a drop, then 1: gaps of two or three.
    let early = gaps(&arrivals(&mut it, 0, &queue([20, 0, 0, 0]), 2_000));
    assert!(early.contains(&2) && early.contains(&3) && early.iter().all(|gap| (2..=3).contains(gap)), "{early:?}");
    assert_eq!(arrivals(&mut it, 1, &queue([19, 0, 0, 0]), 100), [Verdict::Accept; 100]);
}

#[test]
fn near_empty_is_over_what_the_own_average_counts() {
    // Precedence 0 has one packet among 60. Certain drops spare it or do not, depending on `near-empty`.
    let found = |near_empty: &str| {
        let mut it = red_n(&["weight = 1e-12", near_empty]);
        it.classes.iter_mut().for_each(|class| class.average = 50.0);
        let held = queue([1, 40, 0, 0]);
        [0, 1].map(|precedence| arrivals(&mut it, precedence, &held, 1)[0])
    };
    assert_eq!(found("near-empty = restart"), [Verdict::Accept, FORCED]);
    assert_eq!(found("near-empty = drop"), [FORCED, FORCED]);
}

#[test]
fn the_worse_are_dropped_before_the_better() {
    let mut it = red_n(&["weight = 1"]);
    let full_of_worst = queue([15, 4, 30, 0]);
    assert_eq!(arrivals(&mut it, 2, &full_of_worst, 2), [FORCED; 2]);
    assert_eq!(arrivals(&mut it, 0, &full_of_worst, 50), [Verdict::Accept; 50]);
    assert_eq!(arrivals(&mut it, 1, &full_of_worst, 50), [Verdict::Accept; 50]);
    assert_eq!(arrivals(&mut it, 0, &queue([0, 0, 60, 0]), 1), [Verdict::Drop(DropCause::Overflow)]);
}

#[test]
fn precedences_beyond_the_lists_share_the_last_entry() {
    let mut it = red_n(&["weight = 1", "averages = separate"]);
    assert_eq!(arrivals(&mut it, 3, &queue([0, 0, 15, 25]), 1), [FORCED]);
    assert_eq!(averages(&it), [0.0, 0.0, 40.0]);
}

#[test]
fn one_precedence_is_red() {
    for (limit, min, max) in [("60 packets", "20 packets", "40 packets"), ("30 kB", "10 kB", "20 kB"), ("30 kB", "0 bytes", "20 kB")] {
        for more in ["near-empty = restart", "near-empty = drop", "mode = bytes", "idle = exact"] {
            let [limit, p] = [format!("limit = {limit}"), "max-probabilit".to_owned()];
            let lists =
                [&limit, &format!("min-thresholds = [{min}]"), &format!("max-thresholds = [{max}]"), &format!("{p}ies = [0.2]"), more];
            let mut red_n = RedN::new(&read(&lists).expect("sound"), &port());
            let ones = [&limit, &format!("min-threshold = {min}"), &format!("max-threshold = {max}"), &format!("{p}y = 0.2"), more];
            let mut red = super::super::red::Red::new(&read(&ones).expect("sound"), &port());
            for packets in (0..=60).chain((0..60).rev()).cycle().take(20_000) {
                let held = queue([packets / 2, packets - packets / 2, 0, 0]);
                assert_eq!(arrivals(&mut red_n, 0, &held, 1), arrivals(&mut red, 0, &held, 1), "{lists:?}");
            }
        }
    }
}

/// Gaps between drops if precedences 0 and 1 alternate at p = .1: in all arrivals, and in the arrivals of precedence 0.
fn alternating(count: &str) -> (Vec<usize>, Vec<usize>) {
    let two = [
        "limit = 60 packets",
        "min-thresholds = [20 packets, 20 packets]",
        "max-thresholds = [40 packets, 40 packets]",
        "max-probabilities = [0.2, 0.2]",
        "averages = total",
        "weight = 1",
        count,
    ];
    let mut it = RedN::new(&read(&two).expect("sound"), &port());
    let verdicts: Vec<Verdict> = (0..20_000u32).map(|i| arrivals(&mut it, (i % 2) as u8, &queue([15, 15, 0, 0]), 1)[0]).collect();
    let own: Vec<Verdict> = verdicts.iter().step_by(2).copied().collect();
    (gaps(&verdicts), gaps(&own))
}

#[test]
fn the_count_is_kept_per_precedence_or_shared() {
    let least = |gaps: Vec<usize>| gaps.into_iter().min().expect("drops");
    let (all, own) = alternating("count = per-precedence");
    assert!(least(all) < 10 && least(own) == 10);
    let (all, own) = alternating("count = shared");
    assert!(least(all) == 10 && least(own) < 10);
}

fn mistakes(lines: &[&str]) -> Vec<String> {
    read::<Parameters>(lines).expect_err("a mistake")
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let short = ["limit = 60 packets", "min-thresholds = [20 packets, 50 packets]", "max-thresholds = [70 packets, 50 packets]"];
    assert_eq!(
        mistakes(&[&short[..], &["max-probabilities = [0.1]"]].concat()),
        [
            "max-probabilities: has 1 entries and min-thresholds has 2; one for each precedence",
            "max-thresholds: item 1: must be above item 1 of min-thresholds",
        ]
    );
    let high = ["limit = 20 packets", "min-thresholds = [5 packets, 20 packets]", "max-thresholds = [40 packets, 50 packets]"];
    assert_eq!(
        mistakes(&[&high[..], &["max-probabilities = [0.1, 0.1]"]].concat()),
        ["min-thresholds: item 1: is not below limit, so the average never reaches it and nothing would be dropped early"]
    );
    let five = |what: &str, item: &str| format!("{what} = [{}]", [item; 5].join(", "));
    let (min, max, p) = (five("min-thresholds", "2 packets"), five("max-thresholds", "4 packets"), five("max-probabilities", "0.1"));
    assert_eq!(mistakes(&["limit = 9 packets", &min, &max, &p]), ["min-thresholds: has 5 entries; a packet has at most 4 precedences"]);
    let unit = "must be in packets if limit is, otherwise in bytes or as a time";
    let mixed = ["limit = 60 packets", "min-thresholds = [20 packets, 9 kB]", "max-thresholds = [40 kB, 40 packets]"];
    assert_eq!(
        mistakes(&[&mixed[..], &["max-probabilities = [0.1, 0.2]"]].concat()),
        [format!("min-thresholds: item 1: {unit}"), format!("max-thresholds: item 0: {unit}")]
    );
}

#[test]
fn settings_without_effect_are_refused() {
    let with = |more: &[&str]| mistakes(&[&THREE[..], more].concat());
    assert!(with(&["averages = total", "updates = all"])[0].starts_with("updates: has no effect with averages = \"total\""));
    assert!(with(&["count = shared", "spacing = independent"])[0].starts_with("count: has no effect"));
    assert!(with(&["mean-packet = 576 bytes", "idle = ignored"])[0].starts_with("mean-packet: has no effect"));
    let one = ["limit = 60 packets", "min-thresholds = [20 packets]", "max-thresholds = [40 packets]", "max-probabilities = [0.2]"];
    let idle = mistakes(&[&one[..], &["averages = separate", "updates = all", "count = shared"]].concat());
    assert_eq!(idle.len(), 3);
    assert!(idle.iter().all(|mistake| mistake.ends_with("has no effect with one precedence; leave it out")));
}
