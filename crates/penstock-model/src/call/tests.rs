//! Laws of arrivals and holding times.

use super::*;
use crate::parameters::testing::read;
use crate::rng::Key;

fn stream(name: &str) -> Stream {
    Key::root(1, 0).child(name).stream()
}

const N: u32 = 100_000;

fn mean(samples: impl Iterator<Item = f64>) -> f64 {
    samples.sum::<f64>() / f64::from(N)
}

#[test]
fn poisson_calls_come_one_by_one_at_exponential_intervals() {
    let plan = ArrivalPlan::Poisson(read(&["interval = 12 ms"]).expect("sound"));
    let mut stream = stream("poisson");
    let all: Vec<(Duration, u32)> = (0..N).map(|_| plan.next_arrival(&mut stream)).collect();
    assert!(all.iter().all(|(_, calls)| *calls == 1));
    // Standard deviation 12 ms; P(X > mean) = 1/e; four standard errors of each.
    assert!((mean(all.iter().map(|(after, _)| after.as_seconds())) - 0.012).abs() < 4.0 * 0.012 / f64::from(N).sqrt());
    let longer = mean(all.iter().map(|(after, _)| f64::from(u8::from(*after > Duration::from_ms(12)))));
    assert!((longer - (-1f64).exp()).abs() < 4.0 * (0.2325 / f64::from(N)).sqrt());
    assert!((plan.mean_rate() - 1.0 / 0.012).abs() < 1e-9);
}

#[test]
fn batches_have_geometric_sizes() {
    let plan = ArrivalPlan::Batch(read(&["interval = 60 ms"]).expect("sound"));
    let mut stream = stream("batch");
    let sizes: Vec<u32> = (0..N).map(|_| plan.next_arrival(&mut stream).1).collect();
    assert!(sizes.iter().all(|size| *size >= 1));
    // Mean 5, variance m(m - 1) = 20; P(1) = 1/5, P(2) = 4/25.
    assert!((mean(sizes.iter().map(|size| f64::from(*size))) - 5.0).abs() < 4.0 * (20.0 / f64::from(N)).sqrt());
    for (size, p) in [(1, 0.2f64), (2, 0.16), (3, 0.128)] {
        let share = mean(sizes.iter().map(|drawn| f64::from(u8::from(*drawn == size))));
        assert!((share - p).abs() < 4.0 * (p * (1.0 - p) / f64::from(N)).sqrt(), "{size}: {share}");
    }
    assert!((plan.mean_rate() - 5.0 / 0.06).abs() < 1e-9);
    let single = ArrivalPlan::Batch(read(&["interval = 60 ms", "mean-size = 1"]).expect("sound"));
    assert!((0..1000).all(|_| single.next_arrival(&mut stream).1 == 1));
}

#[test]
fn no_arrivals_never_come() {
    assert_eq!(ArrivalPlan::Never(read(&[]).expect("sound")).next_arrival(&mut stream("none")), (Duration::FOREVER, 0));
}

#[test]
fn holding_times_follow_their_law() {
    let plan = HoldingPlan::Exponential(read(&["mean = 60 s"]).expect("sound"));
    let mut stream = stream("holding");
    let all: Vec<f64> = (0..N).map(|_| plan.holding(&mut stream).as_seconds()).collect();
    let held = mean(all.iter().copied());
    assert!((held - 60.0).abs() < 4.0 * 60.0 / f64::from(N).sqrt(), "{held}");
    // P(X > mean) = 1/e, four standard errors.
    let longer = mean(all.iter().map(|held| f64::from(u8::from(*held > 60.0))));
    assert!((longer - (-1f64).exp()).abs() < 4.0 * (0.2325 / f64::from(N)).sqrt(), "{longer}");
    let fixed = HoldingPlan::Fixed(read(&["time = 60 s"]).expect("sound"));
    assert_eq!((fixed.holding(&mut stream), fixed.mean()), (Duration::from_secs(60), Duration::from_secs(60)));
    assert_eq!(HoldingPlan::Infinite(read(&[]).expect("sound")).holding(&mut stream), Duration::FOREVER);
}

#[test]
fn settings_out_of_range_are_refused() {
    assert_eq!(read::<poisson::Parameters>(&["interval = 0 s"]).expect_err("a mistake"), ["interval: must be above zero"]);
    assert_eq!(
        read::<batch::Parameters>(&["interval = 0 s", "mean-size = 0.5"]).expect_err("mistakes"),
        ["interval: must be above zero", "mean-size: 0.5 is less than a call; at least 1"]
    );
    assert_eq!(
        read::<batch::Parameters>(&["interval = 1 s", "mean-size = 2000000"]).expect_err("a mistake"),
        ["mean-size: 2000000 is out of range; at most 1000000"]
    );
    assert_eq!(read::<exponential::Parameters>(&["mean = 0 s"]).expect_err("a mistake"), ["mean: must be above zero"]);
    assert_eq!(read::<fixed::Parameters>(&["time = 0 s"]).expect_err("a mistake"), ["time: must be above zero"]);
}
