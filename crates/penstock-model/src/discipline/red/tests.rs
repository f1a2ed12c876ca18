//! Averages, drops and their spacing, computed by hand.

use super::super::testing::{arrivals, gaps, packet, port, queue};
use super::*;
use crate::packet::Ecn;
use crate::parameters::testing::read;
use crate::units::Duration;

const FORCED: Verdict = Verdict::Drop(DropCause::Forced);
const EARLY: Verdict = Verdict::Drop(DropCause::Early);
const OVERFLOW: Verdict = Verdict::Drop(DropCause::Overflow);

fn plan(more: &[&str]) -> Result<Parameters, Vec<String>> {
    let mut lines = vec!["limit = 60 packets", "min-threshold = 20 packets", "max-threshold = 40 packets"];
    lines.retain(|line| !more.iter().any(|own| own.split(" = ").next() == line.split(" = ").next()));
    lines.extend(more);
    read(&lines)
}

/// RED whose average equals the queue (w = 1).
fn instant(more: &[&str]) -> Red {
    let lines: Vec<&str> = more.iter().copied().chain(["weight = 1"]).collect();
    Red::new(&plan(&lines).expect("sound"), &port())
}

fn holding(packets: u32) -> Occupancy {
    queue([packets, 0, 0, 0])
}

#[test]
fn certain_drops_have_their_causes() {
    let mut red = instant(&["max-probability = 1"]);
    assert_eq!(arrivals(&mut red, 0, &holding(19), 3), [Verdict::Accept; 3]);
    assert_eq!(arrivals(&mut red, 0, &holding(40), 2), [FORCED; 2]);
    assert_eq!(arrivals(&mut red, 0, &holding(60), 2), [OVERFLOW; 2]);
}

#[test]
fn the_first_arrival_above_the_minimum_only_starts_the_count() {
    let mut red = instant(&["max-probability = 1", "spacing = independent", "gentle = true"]);
    // At the maximum threshold p = max_p = 1.
    assert_eq!(arrivals(&mut red, 0, &holding(40), 3), [Verdict::Accept, EARLY, EARLY]);
    arrivals(&mut red, 0, &holding(19), 1);
    assert_eq!(arrivals(&mut red, 0, &holding(40), 2), [Verdict::Accept, EARLY]);
}

#[test]
fn nothing_is_dropped_while_at_most_one_packet_waits() {
    let mut red = Red::new(&plan(&["max-probability = 1"]).expect("sound"), &port());
    arrivals(&mut red, 0, &holding(59), 2000);
    assert!(red.average() > 57.0);
    assert_eq!(arrivals(&mut red, 0, &holding(1), 2), [Verdict::Accept; 2]);
    assert_eq!(arrivals(&mut red, 0, &holding(2), 1), [FORCED]);
}

/// RED with a constant average of `average`.
fn standing(average: f64, more: &[&str]) -> Red {
    let lines: Vec<&str> = more.iter().copied().chain(["weight = 1e-12"]).collect();
    Red { average, ..Red::new(&plan(&lines).expect("sound"), &port()) }
}

#[test]
fn an_arrival_that_finds_at_most_one_packet_restarts_is_spared_or_is_like_any_other() {
    // At 60 packets p = 1, so every arrival is dropped unless it is spared or is the first above the minimum.
    let found = |near_empty: &str, held: &[u32]| {
        let certain = ["limit = 200 packets", "max-probability = 1", "spacing = independent", "gentle = true", near_empty];
        let mut red = standing(60.0, &certain);
        held.iter().map(|packets| arrivals(&mut red, 0, &holding(*packets), 1)[0]).collect::<Vec<_>>()
    };
    const A: Verdict = Verdict::Accept;
    let held = [60, 60, 1, 60, 60, 0, 1, 60, 60];
    assert_eq!(found("near-empty = restart", &held), [A, EARLY, A, A, EARLY, A, A, A, EARLY]);
    assert_eq!(found("near-empty = spare", &held), [A, EARLY, A, EARLY, EARLY, A, A, EARLY, EARLY]);
    assert_eq!(found("near-empty = drop", &held), [A, EARLY, EARLY, EARLY, EARLY, EARLY, EARLY, EARLY, EARLY]);
    assert_eq!(found("near-empty = spare", &[1, 60, 60]), [A, A, EARLY]);
}

#[test]
fn certain_drops_heed_the_length_of_the_queue_unless_told_otherwise() {
    let found = |near_empty: &str| {
        let mut red = standing(50.0, &["max-probability = 1", near_empty]);
        [0, 1, 2].map(|packets| arrivals(&mut red, 0, &holding(packets), 1)[0])
    };
    for near_empty in ["near-empty = restart", "near-empty = spare"] {
        assert_eq!(found(near_empty), [Verdict::Accept, Verdict::Accept, FORCED]);
    }
    assert_eq!(found("near-empty = drop"), [FORCED; 3]);
}

#[test]
fn the_count_goes_on_over_arrivals_that_are_spared() {
    // p = .1, and every other arrival finds one packet. Each of these restarts the count, or counts like the others, so that the tenth,
    // twelfth, ..., twentieth arrivals after a drop can be dropped.
    let all_gaps = |near_empty: &str| {
        let mut red = standing(30.001, &["max-probability = 0.2", near_empty]);
        let verdicts: Vec<Verdict> = (0..20_000).map(|i| arrivals(&mut red, 0, &holding(30 - 29 * (i % 2)), 1)[0]).collect();
        let mut gaps = gaps(&verdicts);
        gaps.sort_unstable();
        gaps.dedup();
        gaps
    };
    assert_eq!(all_gaps("near-empty = restart"), [0; 0]);
    assert_eq!(all_gaps("near-empty = spare"), [10, 12, 14, 16, 18, 20]);
    // If these arrivals can be dropped too, all gaps of `wait` occur.
    assert_eq!(all_gaps("near-empty = drop"), (10..=19).collect::<Vec<_>>());
}

#[test]
fn a_minimum_of_zero_drops_at_random_from_an_empty_average_on() {
    for (lines, mode) in [
        (["limit = 60 packets", "min-threshold = 0 packets", "max-threshold = 40 packets"], "mode = packets"),
        (["limit = 30 kB", "min-threshold = 0 bytes", "max-threshold = 20 kB"], "mode = packets"),
    ] {
        // 10 of 40 packets wait: p = .4 / 4.
        let mut red = instant(&[&lines[..], &["max-probability = 0.4", mode]].concat());
        assert_uniform(&gaps(&arrivals(&mut red, 0, &holding(10), 200_000)), 10..=19);
        // At zero p is 0. In bytes, too, no byte waits then.
        assert_eq!(arrivals(&mut red, 0, &holding(0), 100), [Verdict::Accept; 100]);
    }
}

#[test]
fn an_idle_port_ages_the_average() {
    let mut red = Red::new(&plan(&["max-probability = 0.1"]).expect("sound"), &port());
    arrivals(&mut red, 0, &holding(10), 1000);
    let before = red.average();
    let idle = Occupancy { idle_since: Some(Time::ZERO), ..Occupancy::default() };
    red.on_arrival(Time::ZERO + Duration::from_ms(100), &packet(500, 0), &idle);
    // 37 whole packet times, then the arrival's own sample of 0.
    assert!((red.average() - before * 0.998f64.powi(38)).abs() < 1e-12);
    // The remaining half makes it 37.5.
    let mut red = Red::new(&plan(&["max-probability = 0.1", "idle = exact"]).expect("sound"), &port());
    arrivals(&mut red, 0, &holding(10), 1000);
    red.on_arrival(Time::ZERO + Duration::from_ms(100), &packet(500, 0), &idle);
    assert!((red.average() - before * 0.998f64.powf(38.5)).abs() < 1e-12);
}

/// Gaps at p = .1: the average stays halfway between the thresholds.
fn gaps_at_a_tenth(spacing: &str) -> Vec<usize> {
    let mut red = instant(&["max-probability = 0.2", spacing]);
    gaps(&arrivals(&mut red, 0, &holding(30), 200_000))
}

/// Asserts that every gap of the range occurs equally often, within four and a half standard errors, and that no other occurs.
fn assert_uniform(gaps: &[usize], range: std::ops::RangeInclusive<usize>) {
    let share = 1.0 / range.clone().count() as f64;
    let (expected, error) = (gaps.len() as f64 * share, (gaps.len() as f64 * share * (1.0 - share)).sqrt());
    assert!(gaps.iter().all(|gap| range.contains(gap)));
    for gap in range {
        let seen = gaps.iter().filter(|seen| **seen == gap).count() as f64;
        assert!((seen - expected).abs() < 4.5 * error, "gap {gap}: {seen} of {}, expected {expected}", gaps.len());
    }
}

#[test]
fn count_makes_gaps_uniform_up_to_the_inverse_probability() {
    // Mean (1/p + 1)/2 = 5.5 [Floyd93 s7].
    assert_uniform(&gaps_at_a_tenth("spacing = count"), 1..=10);
}

#[test]
fn wait_makes_gaps_uniform_from_the_inverse_probability_to_its_double() {
    // Mean 14.5, about 1.5/p.
    assert_uniform(&gaps_at_a_tenth("spacing = wait"), 10..=19);
}

#[test]
fn independent_drops_have_geometric_gaps() {
    let gaps = gaps_at_a_tenth("spacing = independent");
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<usize>() as f64 / n;
    // Mean 1/p, variance (1-p)/p^2 = 90; four standard errors.
    assert!((mean - 10.0).abs() < 4.0 * (90.0 / n).sqrt(), "{mean}");
    let ones = gaps.iter().filter(|gap| **gap == 1).count() as f64 / n;
    assert!((ones - 0.1).abs() < 4.0 * (0.09 / n).sqrt(), "{ones}");
}

#[test]
fn any_drop_restarts_the_count() {
    let mut red = instant(&["max-probability = 0.2"]);
    arrivals(&mut red, 0, &holding(30), 1);
    for _ in 0..300 {
        assert_eq!(arrivals(&mut red, 0, &holding(60), 1), [OVERFLOW]);
        // With wait and p = .1, the ninth arrival after a drop is still safe. Without a restart it would rarely be.
        assert_eq!(arrivals(&mut red, 0, &holding(30), 9), [Verdict::Accept; 9]);
    }
}

#[test]
fn thresholds_in_bytes_measure_bytes_and_drop_by_size() {
    let bytes = ["limit = 30 kB", "min-threshold = 10 kB", "max-threshold = 20 kB", "max-probability = 0.2", "spacing = independent"];
    let mut red = instant(&bytes);
    let mut drops = |size: u32| {
        let n = 100_000;
        let dropped = (0..n).filter(|_| red.on_arrival(Time::ZERO, &packet(size, 0), &holding(30)) == EARLY).count();
        f64::from(u32::try_from(dropped).expect("small")) / f64::from(n)
    };
    // 15 kB wait: p = .1 for a mean packet of 500 bytes, .2 for 1000, .008 for 40. Four standard errors.
    assert!((drops(1000) - 0.2).abs() < 4.0 * (0.16f64 / 1e5).sqrt());
    assert!((drops(40) - 0.008).abs() < 4.0 * (0.008f64 / 1e5).sqrt());
    let mut alike = instant(&[&bytes[..], &["mode = packets"]].concat());
    let n = gaps(&(0..100_000).map(|_| alike.on_arrival(Time::ZERO, &packet(1000, 0), &holding(30))).collect::<Vec<_>>()).len();
    assert!((n as f64 / 1e5 - 0.1).abs() < 4.0 * (0.09f64 / 1e5).sqrt());
    assert_eq!(instant(&bytes).on_arrival(Time::ZERO, &packet(501, 0), &holding(59)), OVERFLOW);
}

#[test]
fn thresholds_in_bytes_average_bytes() {
    // w = 1/4: packets of 1500 and 500 bytes wait, then one of 40 more: 500, then 375 + 510.
    let mut red = Red::new(
        &plan(&["limit = 30 kB", "min-threshold = 10 kB", "max-threshold = 20 kB", "max-probability = 0.2", "weight = 0.25"])
            .expect("sound"),
        &port(),
    );
    let mut queue = Occupancy::default();
    [1500, 500].iter().for_each(|size| queue.add(*size, 0));
    red.on_arrival(Time::ZERO, &packet(40, 0), &queue);
    assert_eq!(red.average(), 500.0);
    queue.add(40, 0);
    red.on_arrival(Time::ZERO, &packet(1500, 0), &queue);
    assert_eq!(red.average(), 375.0 + 510.0);
}

#[test]
fn capable_packets_are_marked_instead_of_dropped_early() {
    let of = |ecn: Ecn, waiting: u32, lines: &[&str]| {
        let mut red = instant(&[&["max-probability = 1", "spacing = independent"], lines].concat());
        let packet = Packet { ecn, ..packet(500, 0) };
        // The first arrival only starts the count.
        red.on_arrival(Time::ZERO, &packet, &holding(39));
        let verdicts = [(); 40].map(|_| red.on_arrival(Time::ZERO, &packet, &holding(waiting)));
        verdicts.into_iter().find(|verdict| *verdict != Verdict::Accept)
    };
    for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        assert_eq!(of(ecn, 39, &["ecn = true"]), Some(Verdict::Mark));
        assert_eq!(of(ecn, 39, &[]), Some(EARLY));
    }
    assert_eq!(of(Ecn::NotEct, 39, &["ecn = true"]), Some(EARLY));
    // Above the maximum threshold, and without room, all arrivals are dropped [RFC3168 s7].
    assert_eq!(of(Ecn::Ect0, 40, &["ecn = true"]), Some(FORCED));
    assert_eq!(of(Ecn::Ect0, 60, &["ecn = true"]), Some(OVERFLOW));
}

#[test]
fn a_mark_restarts_the_count_as_a_drop_does() {
    let mut red = instant(&["max-probability = 0.2", "ecn = true"]);
    let packet = Packet { ecn: Ecn::Ect0, ..packet(500, 0) };
    let verdicts: Vec<Verdict> = (0..20_000).map(|_| red.on_arrival(Time::ZERO, &packet, &holding(30))).collect();
    assert_uniform(&gaps(&verdicts), 10..=19);
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Accept | Verdict::Mark)));
}

#[test]
fn a_maximum_threshold_above_the_limit_sets_the_slope() {
    // A queue of 10 holds at most 9 packets when an arrival has room: p = 0.5 (9 - 2) / (30 - 2) = 1/8, and no drop is forced.
    let lines = ["limit = 10 packets", "min-threshold = 2 packets", "max-threshold = 30 packets", "max-probability = 0.5"];
    let mut red = instant(&[&lines[..], &["spacing = independent"]].concat());
    assert_eq!(arrivals(&mut red, 0, &holding(10), 2), [OVERFLOW; 2]);
    let verdicts = arrivals(&mut red, 0, &holding(9), 20_000);
    let early = verdicts.iter().filter(|verdict| **verdict == EARLY).count() as f64;
    // Four standard errors of sqrt(20,000 x 1/8 x 7/8) = 46.8.
    assert!((early - 2500.0).abs() < 188.0, "{early}");
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Accept | Verdict::Drop(DropCause::Early))));
}

#[test]
fn settings_that_contradict_or_do_nothing_are_refused() {
    let mistakes = |more: &[&str]| plan(&[&["max-probability = 1/30"], more].concat()).expect_err("a mistake");
    assert_eq!(mistakes(&["min-threshold = 40 packets"]), ["max-threshold: must be above min-threshold"]);
    let unreached = "min-threshold: is not below limit, so the average never reaches it and nothing would be dropped early";
    assert_eq!(mistakes(&["limit = 20 packets"]), [unreached]);
    let unit = "must be in packets if limit is, otherwise in bytes or as a time";
    assert_eq!(mistakes(&["limit = 60 kB"]), [format!("min-threshold: {unit}"), format!("max-threshold: {unit}")]);
    assert_eq!(mistakes(&["min-threshold = 10 kB"]), [format!("min-threshold: {unit}")]);
    assert_eq!(mistakes(&["min-threshold = 0 bytes"]), [format!("min-threshold: {unit}")]);
    assert_eq!(mistakes(&["max-threshold = 0 packets"]), ["max-threshold: a queue size must be above zero"]);
    assert_eq!(
        mistakes(&["idle = ignored", "mean-packet = 576 bytes"]),
        ["mean-packet: has no effect with idle = \"ignored\" and mode = \"packets\"; leave it out"]
    );
    assert!(plan(&["max-probability = 1/30", "idle = ignored", "mean-packet = 576 bytes", "mode = bytes"]).is_ok());
    assert_eq!(plan(&["max-probability = 1/30"]).expect("sound").max_probability, Probability(1.0 / 30.0));
}
