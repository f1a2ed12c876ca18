//! On-off sources by hand, and their average traffic.

use super::*;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;

const VBR: [&str; 4] = ["packet = 160 bytes", "spacing = 20 ms", "on = 340 ms", "off = 660 ms"];

fn plan(more: &[&str]) -> Parameters {
    read(&[&VBR, more].concat()).expect("sound")
}

fn stream(name: &str) -> Stream {
    Key::root(1, 0).child(name).stream()
}

/// Mean, standard deviation and third central moment.
fn moments(samples: &[f64]) -> (f64, f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let of_order = |order: i32| samples.iter().map(|sample| (sample - mean).powi(order)).sum::<f64>() / n;
    (mean, of_order(2).sqrt(), of_order(3))
}

#[test]
fn very_many_on_periods_in_a_spacing_take_as_long_as_they_should() {
    // 40 s of on-time at 1 ms are 40,000 periods on average, and silences of 3 ms between them: a compound Poisson law with
    // the mean 120 s, the variance 2 x 40,000 x (3 ms)^2 and the third moment 6 x 40,000 x (3 ms)^3.
    let lines = ["packet = 160 bytes", "spacing = 40 s", "on = 1 ms", "off = 3 ms"];
    let n = 40_000;
    let silence = |spacing: &Duration| spacing.as_seconds() - 40.0;
    let samples: Vec<f64> = spacings(&read(&lines).expect("sound"), n).iter().map(silence).collect();
    let (mean, deviation, third) = moments(&samples);
    let expected = (0.003f64.powi(2) * 80_000.0).sqrt();
    let error = 1.0 / f64::from(n).sqrt();
    assert!((mean - 120.0).abs() < 4.0 * expected * error, "{mean}");
    // Standard errors of a standard deviation and of a third moment, as for a normal law.
    assert!((deviation / expected - 1.0).abs() < 4.0 * error / 2f64.sqrt(), "{deviation} instead of {expected}");
    assert!((third - 240_000.0 * 0.003f64.powi(3)).abs() < 4.0 * 6f64.sqrt() * expected.powi(3) * error, "{third}");
}

#[test]
fn what_is_left_after_very_many_on_periods_has_the_law_of_a_whole_one() {
    let mut source =
        OnOff::new(&read(&["packet = 160 bytes", "spacing = 40 s", "on = 1 ms", "off = 3 ms"]).expect("sound"), &Site::trial());
    let (mut stream, n) = (stream("left"), 40_000);
    source.first(&mut stream);
    let left = |_| {
        source.next(&mut stream);
        source.left.as_seconds()
    };
    let (mean, deviation, _) = moments(&(0..n).map(left).collect::<Vec<f64>>());
    // The standard deviation of an exponential law equals its mean, with a relative standard error of sqrt(2 / n).
    let error = 4.0 * (2.0 / f64::from(n)).sqrt();
    assert!((mean / 0.001 - 1.0).abs() < error && (deviation / 0.001 - 1.0).abs() < error, "{mean} +- {deviation}");
}

#[test]
fn below_ten_thousand_periods_each_is_drawn() {
    // The state of the stream is different afterwards.
    let draws = |spacing: &str| {
        let mut source = OnOff::new(&read(&["packet = 160 bytes", spacing, "on = 1 ms", "off = 3 ms"]).expect("sound"), &Site::trial());
        let (mut used, mut stream) = (0, stream("draws"));
        source.first(&mut stream);
        let mut other = stream.clone();
        source.next(&mut stream);
        let after = stream.unit();
        while other.unit() != after {
            used += 1;
        }
        used
    };
    assert!(draws("spacing = 9.5 s") > 18_000);
    assert!(draws("spacing = 10.5 s") < 10);
}

fn spacings(parameters: &Parameters, n: u32) -> Vec<Duration> {
    let (mut source, mut stream) = (OnOff::new(parameters, &Site::trial()), stream("on-off"));
    source.first(&mut stream);
    (0..n).map(|_| source.next(&mut stream).after).collect()
}

#[test]
fn the_mean_rates_are_those_of_the_documents() {
    assert_eq!(plan(&[]).mean_rate(), Rate::from_bps(21_760));
    let svd: Parameters = read(&["packet = 1500 bytes", "spacing = 1 ms", "on = 340 ms", "off = 660 ms"]).expect("sound");
    assert_eq!(svd.mean_rate(), Rate::from_bps(4_080_000));
    // 17.5049 packets a second; 17.0265 in 1.000530 s.
    assert_eq!(plan(&["remainder = restarted"]).mean_rate(), Rate::from_bps(22_406));
    assert_eq!(plan(&["remainder = whole"]).mean_rate(), Rate::from_bps(21_782));
}

#[test]
fn every_rule_has_the_mean_rate_that_it_tells() {
    for remainder in ["remainder = carried", "remainder = restarted", "remainder = whole"] {
        let parameters = plan(&[remainder]);
        let n = 2_000_000;
        let seconds: f64 = spacings(&parameters, n).iter().map(|span| span.as_seconds()).sum();
        let rate = f64::from(n) * 1280.0 / seconds;
        // About 117,600 cycles, whose length has a standard deviation of 0.74 s against a mean of 1 s and whose packets
        // vary by as much: the ratio's relative error is sqrt(.66^2 + .66^2)/343 = .0027; four of them would be .011.
        let relative = rate / parameters.mean_rate().as_bps() as f64 - 1.0;
        assert!(relative.abs() < 0.011, "{remainder}: {relative}");
    }
}

#[test]
fn runs_of_packets_are_those_that_come_one_by_one() {
    for remainder in ["remainder = carried", "remainder = restarted", "remainder = whole"] {
        let one_by_one = spacings(&plan(&[remainder]), 20_000);
        let (mut source, mut stream) = (OnOff::new(&plan(&[remainder]), &Site::trial()), stream("on-off"));
        source.first(&mut stream);
        let mut in_runs = Vec::new();
        while in_runs.len() < one_by_one.len() {
            let (next, more) = source.next_run(&mut stream);
            assert_eq!(next.size, 160);
            in_runs.push(next.after);
            in_runs.extend((0..more).map(|_| Duration::from_ms(20)));
        }
        assert!(in_runs.iter().zip(&one_by_one).all(|(in_run, one)| in_run == one), "{remainder}");
    }
}

#[test]
fn sizes_may_vary() {
    let mixed = Parameters { packet: SizeLaw::Mix(vec![(0.75, 160), (1.0, 1500)].into()), ..plan(&[]) };
    // A mean of 495 bytes every 20 ms, 34 % of the time.
    assert_eq!(mixed.mean_rate(), Rate::from_bps(67_320));
    let (mut source, mut stream) = (OnOff::new(&mixed, &Site::trial()), stream("sizes"));
    let n = 10_000u32;
    assert_eq!(source.next_run(&mut stream).1, 0);
    let short = (0..n).filter(|_| source.next(&mut stream).size == 160).count() as f64 / f64::from(n);
    // Standard error sqrt(.1875 / n); four of them.
    assert!((short - 0.75).abs() < 4.0 * (0.1875 / f64::from(n)).sqrt(), "{short}");
}

#[test]
fn carried_packets_come_at_one_spacing_of_on_time() {
    let mut source = OnOff { left: Duration::from_ms(50), ..OnOff::new(&plan(&[]), &Site::trial()) };
    let mut stream = stream("carried");
    let mut next = || (source.next(&mut stream).after, source.left);
    assert_eq!(next(), (Duration::from_ms(20), Duration::from_ms(30)));
    assert_eq!(next(), (Duration::from_ms(20), Duration::from_ms(10)));
    // 10 ms of on-time are left, so the next packet follows after 10 ms, an off period and 10 ms of the next on period.
    let mut same = self::stream("carried");
    let (off, on) = (draw(Duration::from_ms(660), &mut same), draw(Duration::from_ms(340), &mut same));
    assert_eq!(next(), (Duration::from_ms(20) + off, on - Duration::from_ms(10)));
}

#[test]
fn restarted_periods_begin_with_a_packet() {
    let mut source = OnOff { left: Duration::from_ms(10), ..OnOff::new(&plan(&["remainder = restarted"]), &Site::trial()) };
    let (mut stream, mut same) = (stream("restarted"), stream("restarted"));
    let (off, on) = (draw(Duration::from_ms(660), &mut same), draw(Duration::from_ms(340), &mut same));
    assert_eq!((source.next(&mut stream).after, source.left), (Duration::from_ms(10) + off, on));
}

#[test]
fn whole_periods_have_at_least_one_packet_and_end_a_spacing_after_the_last() {
    let all = spacings(&plan(&["remainder = whole"]), 50_000);
    assert!(all.iter().all(|span| *span >= Duration::from_ms(20)));
    let in_period = all.iter().filter(|span| **span == Duration::from_ms(20)).count() as f64 / 50_000.0;
    // 17.0265 packets a period: 16.0265/17.0265 of the spacings; standard error below .0011.
    assert!((in_period - 16.0265 / 17.0265).abs() < 0.0044, "{in_period}");
}

#[test]
fn a_source_starts_as_it_is_told() {
    let firsts = |more: &[&str]| {
        let (parameters, mut stream) = (plan(more), stream("first"));
        (0..20_000).map(|_| OnOff::new(&parameters, &Site::trial()).first(&mut stream).after).collect::<Vec<_>>()
    };
    assert!(firsts(&["initial = on"]).iter().all(|after| *after == Duration::ZERO));
    let mean = |all: &[Duration]| all.iter().map(|after| after.as_seconds()).sum::<f64>() / 20_000.0;
    // Exponential of mean 660 ms; four standard errors.
    assert!((mean(&firsts(&["initial = off"])) - 0.66).abs() < 4.0 * 0.66 / 20_000f64.sqrt());
    // One packet for each spacing of on-time: one in the first 20 ms if the source is on for all of them, and never two.
    let at_first = firsts(&[]).iter().filter(|after| **after < Duration::from_ms(20)).count() as f64 / 20_000.0;
    assert!((at_first - 0.34).abs() < 4.0 * (0.34 * 0.66 / 20_000f64).sqrt(), "{at_first}");
    // Half of the sources start at once, the others after an off period.
    let either = firsts(&["initial = either"]);
    let at_once = either.iter().filter(|after| **after == Duration::ZERO).count() as f64;
    assert!((at_once / 20_000.0 - 0.5).abs() < 4.0 * 0.5 / 20_000f64.sqrt());
    assert!((mean(&either) - 0.33).abs() < 4.0 * 0.58 / 20_000f64.sqrt());
    let random = firsts(&["initial = on", "phase = random"]);
    let within = random.iter().filter(|after| **after < Duration::from_ms(20)).count() as f64 / 20_000.0;
    // Except if the on period ends before: the mean of exp(-t/340 ms) over 20 ms.
    let sure = (1.0 - (-20.0f64 / 340.0).exp()) * 340.0 / 20.0;
    assert!((within - sure).abs() < 4.0 * (sure * (1.0 - sure) / 20_000.0).sqrt(), "{within}");
}

/// Packets in each of the first twenty windows: mean over many sources, and its standard error.
fn packets_by_window(parameters: &Parameters, window: Duration) -> Vec<(f64, f64)> {
    const SOURCES: u32 = 60_000;
    let (mut stream, mut sums) = (stream("windows"), [(0u64, 0u64); 20]);
    for _ in 0..SOURCES {
        let (mut source, mut counts) = (OnOff::new(parameters, &Site::trial()), [0u64; 20]);
        let mut at = source.first(&mut stream).after;
        while at < window.times(20) {
            counts[(at.as_ps() / window.as_ps()) as usize] += 1;
            at = at + source.next(&mut stream).after;
        }
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = (sum.0 + count, sum.1 + count * count));
    }
    let n = f64::from(SOURCES);
    let mean_and_error = |(sum, squares): (u64, u64)| {
        let mean = sum as f64 / n;
        (mean, ((squares as f64 / n - mean * mean) / n).sqrt())
    };
    sums.into_iter().map(mean_and_error).collect()
}

#[test]
fn a_stationary_source_sends_its_mean_rate_from_the_start_on() {
    // Voice in windows of a tenth of a second, and on periods of about one packet in windows of a fifth of a spacing.
    const BRIEF: [&str; 4] = ["packet = 160 bytes", "spacing = 20 ms", "on = 20 ms", "off = 10 ms"];
    for (format, window) in [(VBR, Duration::from_ms(100)), (BRIEF, Duration::from_ms(4))] {
        for remainder in ["remainder = carried", "remainder = restarted", "remainder = whole"] {
            let parameters: Parameters = read(&[&format, &[remainder][..]].concat()).expect("sound");
            let expected = parameters.mean_rate().as_bps() as f64 / 1280.0 * window.as_seconds();
            for (n, (mean, error)) in packets_by_window(&parameters, window).into_iter().enumerate() {
                // One in 16,000 such differences exceeds this by chance; the seed is fixed.
                assert!((mean - expected).abs() < 4.0 * error, "{remainder}, window {n}: {mean} {error} {expected}");
            }
        }
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let zeros = read::<Parameters>(&["packet = 160 bytes", "spacing = 0 ms", "on = 0 s", "off = 0 s"]).expect_err("mistakes");
    assert_eq!(zeros, ["spacing: must be above zero", "on: must be above zero", "off: must be above zero"]);
    let phase = read::<Parameters>(&[&VBR, &["phase = zero"][..]].concat()).expect_err("a mistake");
    assert_eq!(phase, ["phase: zero contradicts initial = \"stationary\", where any phase is as likely; leave it out"]);
    let large = read::<Parameters>(&["packet = 64 KiB", "spacing = 1 ms", "on = 1 s", "off = 1 s"]).expect_err("a mistake");
    assert_eq!(large, ["packet: 65536 bytes is larger than any packet; at most 65535 bytes"]);
}
