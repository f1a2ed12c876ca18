//! Laws that PCN meters follow over many packets.

use super::testing::{share, site};
use super::{excess, fractional, pre_emption, single_threshold, threshold, virtual_queue, PcnMeter};
use crate::packet::testing::with_mark;
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::rng::Stream;
use crate::stats::moments::Moments;
use crate::units::{Duration, Time};
use proptest::prelude::*;

fn stream(name: &str) -> Stream {
    site().key.child(name).stream()
}

/// Asserts that the mean of the samples lies within four standard errors of `expected`.
fn assert_mean(samples: &Moments, expected: f64, what: &str) {
    let (mean, variance) = (samples.mean().expect("samples"), samples.variance().expect("samples"));
    let error = (variance / samples.count() as f64).sqrt();
    assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} +- {error}, expected {expected}");
}

/// STM that marks every packet that finds the marking bucket not full, since its threshold is out of reach and N is 1.
fn shallow(supportable: &str) -> single_threshold::SingleThreshold<u64> {
    let lines = ["admissible-rate = 1 kbit/s", supportable, "marking-size = 10 s", "marking-threshold = 1 byte", "mark-every = 1"];
    single_threshold::SingleThreshold::<u64>::new(&read(&lines).expect("sound"), &site()).expect("fits")
}

#[test]
fn cbr_flows_of_random_phase_find_the_bucket_not_full_with_probability_n_less_one_over_d() {
    // N flows of 160 bytes every 20 ms, D packets of supportable rate in that time [ballot theorem].
    let period = 20_000_000_000;
    for (flows, d, supportable) in [(20, 100, "6.4 Mbit/s"), (80, 100, "6.4 Mbit/s"), (95, 100, "6.4 Mbit/s"), (30, 40, "2.56 Mbit/s")] {
        let mut phases = stream("phases");
        let mut samples = Moments::default();
        for _ in 0..2000 {
            let mut meter = shallow(&format!("supportable-rate = {supportable}"));
            let mut at: Vec<u64> = (0..flows).map(|_| phases.below(period)).collect();
            at.sort_unstable();
            // The states of the bucket repeat from the second period on.
            let mut marked = 0;
            for (turn, phase) in (0..3).flat_map(|turn| at.iter().map(move |phase| (turn, *phase))) {
                let mark = meter.on_packet(Time::from_ps(turn * period + phase), &with_mark(160, PcnMark::Unmarked));
                marked += u32::from(turn == 2 && mark == PcnMark::Threshold);
            }
            samples.add(f64::from(marked) / flows as f64);
        }
        assert_mean(&samples, (flows - 1) as f64 / f64::from(d), &format!("{flows} flows, {d} places"));
    }
}

/// Marked share of Poisson packets of 160 bytes at `mbps`, in batches after a second of warm-up.
fn poisson(meter: &mut impl PcnMeter, mbps: f64) -> Moments {
    let mut gaps = stream("poisson");
    let (mut now, mean) = (Time::ZERO, 1280.0 / (mbps * 1e6));
    let mut next = |n: u32| {
        (0..n).fold(0, |marked, _| {
            now += Duration::from_seconds(gaps.exponential() * mean);
            marked + u32::from(meter.on_packet(now, &with_mark(160, PcnMark::Unmarked)) > PcnMark::Unmarked)
        })
    };
    next((1.0 / mean) as u32);
    let mut samples = Moments::default();
    (0..40).for_each(|_| samples.add(f64::from(next(10_000)) / 1e4));
    samples
}

#[test]
fn poisson_packets_find_the_bucket_not_full_as_often_as_the_load_says() {
    for load in [0.3, 0.8] {
        assert_mean(&poisson(&mut shallow("supportable-rate = 100 Mbit/s"), 100.0 * load), load, "PASTA");
    }
}

const RATES: [&str; 2] = ["admissible-rate = 64 Mbit/s", "supportable-rate = 115.2 Mbit/s"];

#[test]
fn the_marked_share_of_stm_is_that_of_figure_2() {
    for form in ["form = first", "form = second"] {
        let at = |mbps: f64| {
            let parameters = read(&[&RATES[..], &[form]].concat()).expect("sound");
            poisson(&mut single_threshold::SingleThreshold::<u64>::new(&parameters, &site()).expect("fits"), mbps)
        };
        assert_eq!((at(57.6).mean(), at(126.72).mean()), (Some(0.0), Some(1.0)));
        for mbps in [72.0, 96.0] {
            assert_mean(&at(mbps), mbps / 115.2 / 3.0, &format!("{form}, {mbps} Mbit/s"));
        }
    }
}

#[test]
fn the_marked_share_of_fractional_marking_is_that_of_figure_e_1() {
    let at = |mbps: f64| {
        poisson(&mut fractional::Fractional::<u64>::new(&read(&RATES).expect("sound"), &site()).expect("fits"), mbps)
            .mean()
            .expect("samples")
    };
    assert_eq!((at(57.6), at(126.72)), (0.0, 1.0));
    // A counter marks one packet in three, within one packet per batch.
    assert!((at(72.0) - 1.0 / 3.0).abs() < 1e-4);
    assert!((at(96.0) - 1.0 / 3.0).abs() < 1e-4);
}

#[test]
fn excess_marking_marks_what_exceeds_the_rate() {
    // Packets of 125 bytes at multiples of 8 Mbit/s, whose spacings are whole picoseconds.
    for (ns, load) in [(250_000, 0.5), (125_000, 1.0), (100_000, 1.25), (62_500, 2.0), (25_000, 5.0)] {
        let spacing = Duration::from_ps(ns * 1000);
        let expected = f64::max(0.0, 1.0 - 1.0 / load);
        let near = |share: f64| (share - expected).abs() < 2e-4;
        for metering in ["metering = size-independent", "metering = classic"] {
            let parameters: excess::Parameters = read(&["rate = 8 Mbit/s", "size = 5 ms", metering]).expect("sound");
            assert!(
                near(share(&mut excess::Excess::<u64>::new(&parameters, &site()).expect("fits"), 125, spacing, 20_000)),
                "{metering}, {load}"
            );
        }
        let parameters: pre_emption::Parameters = read(&["supportable-rate = 8 Mbit/s"]).expect("sound");
        assert!(
            near(share(&mut pre_emption::PreEmption::<u64>::new(&parameters, &site()).expect("fits"), 125, spacing, 20_000)),
            "pre-emption, {load}"
        );
        let parameters: excess::Parameters = read(&["rate = 8 Mbit/s", "size = 5 ms", "metering = drained"]).expect("sound");
        let all = share(&mut excess::Excess::<u64>::new(&parameters, &site()).expect("fits"), 125, spacing, 20_000);
        assert_eq!(all, if load > 1.0 { 1.0 } else { 0.0 }, "drained, {load}");
        let parameters: threshold::Parameters = read(&["rate = 8 Mbit/s", "size = 20 ms", "threshold = 10 ms"]).expect("sound");
        let all = share(&mut threshold::Threshold::<u64>::new(&parameters, &site()).expect("fits"), 125, spacing, 20_000);
        assert_eq!(all, if load > 1.0 { 1.0 } else { 0.0 }, "threshold, {load}");
    }
}

/// Marked share of packets of 1500 bytes minus that of packets of 100 bytes, in batches. Half of the packets have each size, and the load
/// is 1.5 times the rate.
fn size_bias(metering: &str) -> Moments {
    let parameters: excess::Parameters = read(&["rate = 8 Mbit/s", "size = 5 ms", metering]).expect("sound");
    let mut meter = excess::Excess::<u64>::new(&parameters, &site()).expect("fits");
    let (mut gaps, mut now) = (stream("sizes"), Time::ZERO);
    let mut batches = Moments::default();
    for _ in 0..50 {
        let mut counts = [[0u32; 2]; 2];
        for _ in 0..4000 {
            now += Duration::from_seconds(gaps.exponential() * 6400.0 / 12e6);
            let large = gaps.chance(0.5);
            let size = if large { 1500 } else { 100 };
            let marked = meter.on_packet(now, &with_mark(size, PcnMark::Unmarked)) == PcnMark::Excess;
            counts[usize::from(large)][usize::from(marked)] += 1;
        }
        let [small, large] = counts.map(|[without, with]| f64::from(with) / f64::from(with + without));
        batches.add(large - small);
    }
    batches
}

#[test]
fn size_independent_metering_marks_all_sizes_alike_and_classic_does_not() {
    assert_mean(&size_bias("metering = size-independent"), 0.0, "size-independent");
    assert!(size_bias("metering = classic").range().expect("batches").0 > 0.05);
}

/// Time in ms of the first mark when packets of 125 bytes arrive at `load` times 1 Gbit/s.
fn first_mark(meter: &mut impl PcnMeter, load: f64) -> f64 {
    let spacing = 1e-6 / load;
    let times = (0..).map(|i| Time::ZERO + Duration::from_seconds(f64::from(i) * spacing));
    let mut marked = times.skip_while(|now| meter.on_packet(*now, &with_mark(125, PcnMark::Unmarked)) == PcnMark::Unmarked);
    marked.next().expect("a mark").as_seconds() * 1e3
}

#[test]
fn thresholds_are_reached_after_the_fluid_time() {
    // At 1 Gbit/s a packet arrives every 1 us. The fluid time is the distance to the threshold divided by load - 1.
    let near = |ms: f64, fluid: f64, what: &str| assert!((ms - fluid).abs() < 0.02, "{what}: {ms}, fluid {fluid}");
    for (load, fluid) in [(1.05, 200.0), (1.25, 40.0), (2.0, 10.0), (5.0, 2.5)] {
        let lines = ["admissible-rate = 1 Gbit/s", "supportable-rate = 100 Gbit/s", "counted = arrivals", "mark-every = 2"];
        let mut meter = single_threshold::SingleThreshold::<u64>::new(&read(&lines).expect("sound"), &site()).expect("fits");
        near(first_mark(&mut meter, load), fluid, "switch");
    }
    for (load, fluid) in [(1.25, 8.0), (2.0, 2.0)] {
        let lines = ["admissible-rate = 1 kbit/s", "supportable-rate = 1 Gbit/s", "mark-every = 4000000000"];
        let mut meter = single_threshold::SingleThreshold::<u64>::new(&read(&lines).expect("sound"), &site()).expect("fits");
        near(first_mark(&mut meter, load), fluid, "marking bucket");
    }
    let step: virtual_queue::Parameters = read(&["admissible-rate = 1 Gbit/s", "max-threshold = 5 ms"]).expect("sound");
    near(first_mark(&mut virtual_queue::VirtualQueue::<u64>::new(&step, &site()).expect("fits"), 1.05), 100.0, "virtual queue");
    let parameters: pre_emption::Parameters = read(&["supportable-rate = 1 Gbit/s"]).expect("sound");
    near(first_mark(&mut pre_emption::PreEmption::<u64>::new(&parameters, &site()).expect("fits"), 1.25), 20.0, "pre-emption");
}

/// Marked share of each of `flows` flows that send 125 bytes every 10 ms, each 0.1 ms after the previous flow.
fn shares_in_step(flows: u64) -> Vec<f64> {
    // A packet takes the tokens of 0.5 ms. The first packet of a period finds the bucket full, the others do not.
    let lines = ["admissible-rate = 100 kbit/s", "supportable-rate = 2 Mbit/s", "marking-threshold = 1 ms"];
    let mut meter = single_threshold::SingleThreshold::<u64>::new(&read(&lines).expect("sound"), &site()).expect("fits");
    let mut marked = vec![0; flows as usize];
    for (period, flow) in (0..700).flat_map(|period| (0..flows).map(move |flow| (period, flow))) {
        let now = Time::ZERO + Duration::from_us(10_000 * period + 100 * flow);
        let mark = meter.on_packet(now, &with_mark(125, PcnMark::Unmarked));
        marked[flow as usize] += u32::from(period >= 100 && mark == PcnMark::Threshold);
    }
    marked.into_iter().map(|marked| f64::from(marked) / 600.0).collect()
}

#[test]
fn stm_spreads_marks_over_flows_in_step_unless_n_divides_those_that_count() {
    // Contrary to [Satoh10 s4.1], a flow can have all of its packets marked: with N = 3 and 3 or 6 packets per period that
    // find the bucket not full, the counter has the same value at the same point of every period.
    let third = 1.0 / 3.0;
    assert_eq!(shares_in_step(3), [0.0, third, third]);
    assert_eq!(shares_in_step(5), [0.0, third, third, third, third]);
    let stuck = |flows: u64| shares_in_step(flows).iter().filter(|share| **share == 1.0).count();
    assert_eq!((stuck(4), stuck(7)), (1, 2));
}

/// Whether two meters mark all packets equally and report the same state.
fn alike(one: &mut dyn PcnMeter, other: &mut dyn PcnMeter, packets: &[(u64, u64, PcnMark)]) -> bool {
    let mut now = Time::ZERO;
    packets.iter().all(|&(after, size, mark)| {
        now += Duration::from_ps(after);
        let read = |meter: &dyn PcnMeter| {
            let mut told = Vec::new();
            meter.probe(now, &mut |_, _, value| told.push(value));
            told
        };
        let same = read(one) == read(other);
        same && one.on_packet(now, &with_mark(size as u32, mark)) == other.on_packet(now, &with_mark(size as u32, mark))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn meters_of_64_bits_are_those_of_128(
        kbps in 1u64..200_000,
        faster in 0u64..100_000,
        packets in prop::collection::vec(
            (
                prop_oneof![0u64..200_000_000, 0u64..20_000_000_000],
                prop_oneof![Just(160u64), 0u64..1501],
                prop::sample::select(vec![PcnMark::Unmarked, PcnMark::Threshold, PcnMark::Excess]),
            ),
            1..300,
        ),
    ) {
        let rate = format!("{kbps} kbit/s");
        let (admissible, supportable) = (format!("admissible-rate = {rate}"), format!("supportable-rate = {} kbit/s", kbps + faster));
        let (rate, both) = (format!("rate = {rate}"), [&admissible[..], &supportable[..]]);
        let bucket = [&rate[..], "size = 5 ms"];
        macro_rules! alike {
            ($module:ident, $meter:ident, $lines:expr) => {{
                let parameters = read(&$lines).expect("sound");
                let mut narrow = $module::$meter::<u64>::new(&parameters, &site()).expect("fits");
                let mut wide = $module::$meter::<u128>::new(&parameters, &site()).expect("fits");
                prop_assert!(alike(&mut narrow, &mut wide, &packets), stringify!($module));
            }};
        }
        alike!(single_threshold, SingleThreshold, both);
        alike!(single_threshold, SingleThreshold, [both[0], both[1], "form = first", "counted = arrivals"]);
        alike!(fractional, Fractional, both);
        alike!(virtual_queue, VirtualQueue, [both[0]]);
        alike!(pre_emption, PreEmption, [both[1]]);
        alike!(threshold, Threshold, [bucket[0], bucket[1], "threshold = 2 ms"]);
        // A debt of the largest packet fits at any rate that is a multiple of 8 kbit/s.
        let rate = format!("rate = {} kbit/s", 8 * kbps);
        alike!(excess, Excess, [&rate[..], "size = 5 ms"]);
        alike!(excess, Excess, [&rate[..], "size = 8 kB", "metering = classic"]);
        alike!(excess, Excess, [&rate[..], "size = 5 ms", "metering = drained"]);
    }
}
