//! Steps of the probability, exceptions from drops, and both estimates of the delay.

use super::super::testing::{packet, port, queue};
use super::*;
use crate::packet::Ecn;
use crate::parameters::testing::read;

const EARLY: Verdict = Verdict::Drop(DropCause::Early);

fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

/// PIE, active since time zero.
fn pie(lines: &[&str]) -> Pie {
    let mut it = Pie::new(&read(lines).expect("sound"), &port());
    assert_eq!(it.next_deadline(), Time::NEVER);
    assert_eq!(arrive(&mut it, Ecn::NotEct), Verdict::Accept);
    it
}

/// Verdict on an arrival that finds 50 packets of 500 bytes.
fn arrive(it: &mut Pie, ecn: Ecn) -> Verdict {
    it.on_arrival(Time::ZERO, &Packet { ecn, ..packet(500, 0) }, &queue([50, 0, 0, 0]))
}

/// Performs the due update after the departure of a packet that had waited for `delay`.
fn update(it: &mut Pie, delay: Duration) -> f64 {
    let now = it.next_deadline();
    assert_eq!(it.on_departure(now, &packet(500, 0), delay, &queue([50, 0, 0, 0])), DepartureVerdict::Send);
    it.on_timer(now, &queue([50, 0, 0, 0]));
    assert_eq!(it.next_deadline(), now + ms(15));
    it.probability()
}

/// PIE without burst allowance, whose probability has reached 0.1 or more at a constant delay of 1 s.
fn congested(lines: &[&str]) -> Pie {
    let mut it = pie(&[&["max-burst = 0 s"], lines].concat());
    while update(&mut it, ms(1000)) < 0.1 {}
    it
}

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-12, "{value} for {expected}"); // sums of a few doubles
}

#[test]
fn steps_suit_the_probability() {
    let mut it = pie(&[]);
    // Delays of 0, then 30 ms: 0.125 (0.03 - 0.015) = 0.001875; the first update adds 1.25 * 0.03 = 0.0375.
    let first = 0.039375 / 2048.0;
    assert_near(update(&mut it, ms(30)), first);
    // At 1.92e-5 a step is divided by 128, as are the following ones up to 1e-4: 1.92e-5 + 5 * 1.46e-5 = 9.25e-5, then 1.071e-4.
    for n in 1..=6 {
        assert_near(update(&mut it, ms(30)), first + f64::from(n) * 0.001875 / 128.0);
    }
    let second = first + 6.0 * 0.001875 / 128.0;
    // From there steps are divided by 32: 16 steps of 5.86e-5 lead to 1.04e-3; then by 8.
    for n in 1..=16 {
        assert_near(update(&mut it, ms(30)), second + f64::from(n) * 0.001875 / 32.0);
    }
    let third = second + 16.0 * 0.001875 / 32.0;
    assert_near(update(&mut it, ms(30)), third + 0.001875 / 8.0);
    // A delay of 10 ms: 0.125 * -0.005 + 1.25 * -0.02 = -0.025625; an eighth of that exceeds the probability.
    assert_eq!(update(&mut it, ms(10)), 0.0);
}

#[test]
fn large_steps_are_capped_from_a_tenth_on() {
    // At 1 s: 0.125 * 0.985 = 0.123125.
    let (mut capped, mut free) = (congested(&[]), congested(&["cap = false"]));
    let (before, before_free) = (capped.probability(), free.probability());
    assert_near(update(&mut capped, ms(1000)), before + 0.02);
    assert_near(update(&mut free, ms(1000)), before_free + 0.123125);
    (0..50).for_each(|_| assert!(update(&mut capped, ms(1000)) <= 1.0));
    assert_eq!(capped.probability(), 1.0);
}

#[test]
fn without_congestion_the_probability_decays() {
    let mut it = congested(&[]);
    // From 1 s down to 7 ms: 0.125 * -0.008 - 1.25 * 0.993 = -1.24225 would be below zero at once, so small steps are tested.
    it.controller.probability = 0.9;
    it.controller.last_delay = ms(7);
    // 0.125 * -0.008 = -0.001, then 2 % less. 7.5 ms is half of the target, and not below it.
    assert_near(update(&mut it, ms(7)), 0.899 * 0.98);
    it.controller.probability = 0.9;
    assert_near(update(&mut it, Duration::from_us(7500)), 0.9 - 0.125 * 0.0075 + 1.25 * 0.0005);
}

#[test]
fn a_burst_is_allowed_for_ten_updates_and_renewed_once_congestion_is_over() {
    let mut it = pie(&["max-burst = 150 ms", "cap = false"]);
    for n in 0..10 {
        it.controller.probability = 1.0;
        assert_eq!(arrive(&mut it, Ecn::NotEct), Verdict::Accept, "after {n} updates");
        update(&mut it, ms(1000));
    }
    it.controller.probability = 1.0;
    assert_eq!(arrive(&mut it, Ecn::NotEct), EARLY);
    // Congestion is over once the last update and the last packet sent both show less than 7.5 ms.
    for (delay, renewed) in [(ms(8), false), (ms(7), true)] {
        update(&mut it, delay);
        it.controller.probability = 0.0;
        it.on_departure(it.next_deadline(), &packet(500, 0), ms(7), &queue([50, 0, 0, 0]));
        arrive(&mut it, Ecn::NotEct);
        assert_eq!(it.burst_allowance == ms(150), renewed, "{delay}");
    }
}

#[test]
fn neither_short_delays_nor_two_packets_are_dropped() {
    let mut it = congested(&[]);
    let mut verdict = |probability, last_delay, bytes| {
        it.controller.probability = probability;
        it.controller.last_delay = last_delay;
        let queue = Occupancy { packets: 9, bytes, ..Occupancy::default() };
        let n = (0..200).filter(|_| it.on_arrival(Time::ZERO, &packet(500, 0), &queue) == EARLY).count();
        n > 0
    };
    // At 0.19, the probability that at least one of 200 is dropped is 1 - 5e-19.
    assert!(!verdict(0.19, ms(7), 9000) && verdict(0.19, ms(8), 9000) && verdict(0.2, ms(7), 9000));
    assert!(!verdict(1.0, ms(100), 3000) && verdict(1.0, ms(100), 3001));
}

#[test]
fn the_share_of_drops_is_the_probability() {
    let mut it = congested(&[]);
    it.controller.probability = 0.1;
    let dropped = (0..100_000).filter(|_| arrive(&mut it, Ecn::NotEct) == EARLY).count() as f64 / 1e5;
    // Four standard errors of sqrt(.1 * .9 / 100 000).
    assert!((dropped - 0.1).abs() < 0.0038, "{dropped}");
}

#[test]
fn small_packets_have_less_in_byte_mode_and_large_ones_no_more() {
    let share = |lines: &[&str], size: u32| {
        let mut it = congested(&[lines, &["mean-packet = 1000 bytes"]].concat());
        it.controller.probability = 0.4;
        let queue = queue([50, 0, 0, 0]);
        (0..100_000).filter(|_| it.on_arrival(Time::ZERO, &packet(size, 0), &queue) == EARLY).count() as f64 / 1e5
    };
    // Four standard errors are below 0.0062.
    for (size, expected) in [(50, 0.02), (500, 0.2), (1000, 0.4), (1500, 0.4)] {
        let seen = share(&["mode = bytes"], size);
        assert!((seen - expected).abs() < 0.0062, "{size} bytes: {seen}");
        let seen = share(&[], size);
        assert!((seen - 0.4).abs() < 0.0062, "{size} bytes by packets: {seen}");
    }
    // The sum of derandomised drops grows by the effective probability: 500 of 1000 bytes give half of 0.2.
    let mut it = congested(&["mode = bytes", "mean-packet = 1000 bytes", "derandomise = true"]);
    it.controller.probability = 0.2;
    for n in 1..=8 {
        assert_eq!(arrive(&mut it, Ecn::NotEct), Verdict::Accept);
        assert_near(it.accumulated, 0.1 * f64::from(n));
    }
}

#[test]
fn derandomised_drops_are_neither_close_nor_far_apart() {
    let mut it = congested(&["derandomise = true"]);
    it.controller.probability = 0.1;
    let verdicts: Vec<Verdict> = (0..100_000).map(|_| arrive(&mut it, Ecn::NotEct)).collect();
    let gaps = super::super::testing::gaps(&verdicts);
    // Eight arrivals add up to 0.8, nine to 0.9. From then on each is dropped with probability 0.1, so gaps are 8 plus a geometric number
    // with mean 10.
    assert_eq!(gaps.iter().min(), Some(&9));
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<usize>() as f64 / n;
    // Variance (1 - p) / p^2 = 90; four standard errors.
    assert!((mean - 18.0).abs() < 4.0 * (90.0 / n).sqrt(), "{mean}");
    // With a negligible probability of its own, an arrival is dropped only at a sum of 8.5.
    it.controller.probability = 1e-9;
    for (accumulated, verdict) in [(8.4, Verdict::Accept), (8.5, EARLY)] {
        it.accumulated = accumulated;
        assert_eq!(arrive(&mut it, Ecn::NotEct), verdict, "{accumulated}");
    }
    // A drop for lack of room restarts the sum.
    it.controller.probability = 0.1;
    it.on_arrival(Time::ZERO, &packet(500, 0), &queue([1000, 0, 0, 0]));
    assert!((0..8).all(|_| arrive(&mut it, Ecn::NotEct) == Verdict::Accept));
}

/// The limit of all queues of FQ-PIE refuses an arrival before PIE sees it.
#[test]
fn a_refusal_by_the_scheduler_restarts_the_sum() {
    let mut it = congested(&["derandomise = true"]);
    it.controller.probability = 0.1;
    it.accumulated = 0.8;
    it.on_refusal(Time::ZERO, &packet(500, 0));
    assert!((0..8).all(|_| arrive(&mut it, Ecn::NotEct) == Verdict::Accept));
}

#[test]
fn a_mark_and_a_probability_of_zero_restart_the_sum() {
    let mut it = congested(&["derandomise = true", "ecn = true"]);
    it.controller.probability = 0.05;
    it.accumulated = 8.5;
    assert_eq!(arrive(&mut it, Ecn::Ect0), Verdict::Mark);
    assert_eq!(it.accumulated, 0.0);
    arrive(&mut it, Ecn::Ect0);
    assert_near(it.accumulated, 0.05);
    it.controller.probability = 0.0;
    arrive(&mut it, Ecn::Ect0);
    assert_eq!(it.accumulated, 0.0);
}

#[test]
fn capable_packets_are_marked_below_the_threshold() {
    let decided = |lines: &[&str], probability, ecn| {
        let mut it = congested(lines);
        it.controller.probability = probability;
        (0..2000).map(|_| arrive(&mut it, ecn)).find(|verdict| *verdict != Verdict::Accept)
    };
    // At a probability of 0.09, no drop among 2000 arrivals would have the probability 0.91^2000.
    assert_eq!(decided(&["ecn = true"], 0.09, Ecn::Ect0), Some(Verdict::Mark));
    assert_eq!(decided(&["ecn = true"], 0.1, Ecn::Ect0), Some(EARLY));
    assert_eq!(decided(&["ecn = true", "mark-threshold = 0.3"], 0.29, Ecn::Ect1), Some(Verdict::Mark));
    assert_eq!(decided(&["ecn = true"], 0.09, Ecn::NotEct), Some(EARLY));
    assert_eq!(decided(&[], 0.09, Ecn::Ect0), Some(EARLY));
    assert!(congested(&["ecn = true"]).hooks().has(Hooks::MARK) && !congested(&[]).hooks().has(Hooks::MARK));
}

#[test]
fn updates_are_at_multiples_of_the_interval_and_cease_at_rest() {
    let mut it = Pie::new(&read(&[]).expect("sound"), &port());
    it.on_arrival(Time::ZERO + ms(31), &packet(500, 0), &Occupancy::default());
    assert_eq!(it.next_deadline(), Time::ZERO + ms(45));
    // A wait of 20 ms with packets behind it. Then the last packet of the queue, whose own wait does not count.
    it.on_departure(Time::ZERO + ms(44), &packet(500, 0), ms(20), &queue([1, 0, 0, 0]));
    it.on_timer(Time::ZERO + ms(45), &queue([1, 0, 0, 0]));
    // 0.125 * 0.005 + 1.25 * 0.02 = 0.025625.
    assert_near(it.probability(), 0.025625 / 2048.0);
    it.on_departure(Time::ZERO + ms(59), &packet(500, 0), ms(28), &Occupancy::default());
    assert_eq!(it.next_deadline(), Time::ZERO + ms(60));
    it.on_timer(Time::ZERO + ms(60), &Occupancy::default());
    assert_eq!((it.probability(), it.next_deadline()), (0.0, Time::NEVER));
    // An arrival at an instant of the timer, which precedes it, makes the next instant count.
    it.on_arrival(Time::ZERO + ms(90), &packet(500, 0), &Occupancy::default());
    assert_eq!((it.next_deadline(), it.burst_allowance), (Time::ZERO + ms(105), ms(150)));
}

#[test]
fn a_queue_below_its_level_stays_inactive() {
    let mut it = Pie::new(&read(&["limit = 90 packets", "active-from = 30 packets"]).expect("sound"), &port());
    for (waiting, active) in [(29, false), (30, true)] {
        it.on_arrival(Time::ZERO, &packet(500, 0), &queue([waiting, 0, 0, 0]));
        assert_eq!(it.next_deadline() != Time::NEVER, active, "{waiting} waiting");
    }
}

#[test]
fn the_departure_rate_makes_bytes_into_a_delay() {
    let mut it = pie(&["delay = departure-rate", "max-burst = 0 s"]);
    // 512 bytes take 2.730 666 667 ms at 1.5 Mbit/s, and 32 of them, 2^14 bytes, 87.381 333 344 ms.
    let spacing = port().site.rate.transmission_time(Bytes::new(512));
    let depart = |it: &mut Pie, n: u64, behind: u64| {
        let queue = Occupancy { packets: 9, bytes: behind, ..Occupancy::default() };
        it.on_departure(Time::ZERO + spacing.times(n), &packet(512, 0), ms(999), &queue);
        it.delay(&queue)
    };
    // The queue behind the first packet is too short. The second packet starts a measurement, which the 32nd after it ends.
    assert_eq!(depart(&mut it, 0, 16_383), Duration::ZERO);
    (1..33).for_each(|n| assert_eq!(depart(&mut it, n, 16_384), Duration::ZERO));
    assert_eq!(depart(&mut it, 33, 16_384), spacing.times(32));
    assert_eq!(depart(&mut it, 34, 4096), spacing.times(8));
    // That packet has started another measurement: 31 more packets at half the rate, with a weight of a quarter.
    (0..30).for_each(|n| _ = depart(&mut it, 36 + 2 * n, 4096));
    let taken = (35 + 2 * 30 - 33) as f64 + 1.0;
    let expected = spacing.as_seconds() * (0.25 * taken + 0.75 * 32.0);
    assert!((depart(&mut it, 96, 16_384).as_seconds() - expected).abs() < 1e-9);
}

#[test]
fn settings_that_contradict_or_do_nothing_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["target = 0 s", "update-interval = 0 s"]), ["target: must be above zero", "update-interval: must be above zero"]);
    assert_eq!(
        mistakes(&["departure-threshold = 8 KiB"]),
        ["departure-threshold: has no effect without delay = \"departure-rate\"; leave it out"]
    );
    assert_eq!(
        mistakes(&["delay = departure-rate", "departure-threshold = 65537 bytes"]),
        ["departure-threshold: 65537 bytes would weigh more than everything; at most 64 KiB"]
    );
    assert_eq!(mistakes(&["mark-threshold = 0.2"]), ["mark-threshold: has no effect without ecn = true; leave it out"]);
    assert_eq!(
        mistakes(&["limit = 30 packets", "active-from = 30 packets"]),
        ["active-from: is never found by an arrival that has room, so nothing would be dropped early; less than limit"]
    );
}
