//! Tests of video.

use super::*;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::site::Site;

/// I, B, P and B frames of 10,000, 2500, 5000 and 2500 bytes at 1 Mbit/s, every 40 ms.
const SMALL: [&str; 9] = [
    "rate = 1 Mbit/s",
    "frame-rate = 25",
    "group-length = 4",
    "anchor-distance = 2",
    "p-ratio = 0.5",
    "b-ratio = 0.25",
    "variation = 0",
    "packet = 1500 bytes",
    "phase = zero",
];

fn video(more: &[&str]) -> Video {
    let lines: Vec<&str> = SMALL.iter().chain(more).copied().collect();
    Video::new(&read(&lines).expect("sound"), &Site::trial())
}

fn stream() -> Stream {
    Key::root(1, 0).child("video").stream()
}

/// Spacing in ns, size, frame and position of the first `n` packets.
fn sent(video: &mut Video, n: usize) -> Vec<(u64, u32, u16, FramePlace)> {
    let mut stream = stream();
    let mut given = |i: usize| {
        let emission = if i == 0 { video.first(&mut stream) } else { video.next(&mut stream) };
        let (frame, place) = video.frame();
        (emission.after.as_ps() / 1000, emission.size, frame, place)
    };
    (0..n).map(&mut given).collect()
}

#[test]
fn frames_follow_the_pattern_and_their_packets_are_of_one_size() {
    use FramePlace::{First, Last, Middle};
    let i = [(0, 1429, 0, First), (0, 1429, 0, Middle), (0, 1429, 0, Middle), (0, 1429, 0, Middle), (0, 1428, 0, Middle)];
    let rest = [(0, 1428, 0, Middle), (0, 1428, 0, Last)];
    let b = [(40_000_000, 1250, 1, First), (0, 1250, 1, Last)];
    let p = [(40_000_000, 1250, 2, First), (0, 1250, 2, Middle), (0, 1250, 2, Middle), (0, 1250, 2, Last)];
    let b2 = [(40_000_000, 1250, 3, First), (0, 1250, 3, Last), (40_000_000, 1429, 4, First)];
    let expected: Vec<_> = i.into_iter().chain(rest).chain(b).chain(p).chain(b2).collect();
    assert_eq!(sent(&mut video(&[]), 16), expected);
}

#[test]
fn paced_packets_fill_their_share_and_frames_keep_their_times() {
    let spacings: Vec<u64> = sent(&mut video(&["paced = 0.5"]), 14).iter().map(|sent| sent.0).collect();
    // 20 ms over 7, 2 and 4 packets.
    let (seventh, then) = (2_857_142, 22_857_142);
    assert_eq!(spacings[..9], [0, seventh, seventh, seventh, seventh, seventh, seventh, then, 10_000_000]);
    assert_eq!(spacings[9..], [30_000_000, 5_000_000, 5_000_000, 5_000_000, 25_000_000]);
}

#[test]
fn a_frame_of_one_packet_is_whole() {
    let (mut video, mut stream) = (video(&["paced = 1"]), stream());
    video.first(&mut stream);
    video.on_rate_request(Time::ZERO, Rate::from_bps(100_000));
    assert_eq!((video.0.size(), video.frame()), (1000, (0, FramePlace::Only)));
    assert_eq!(video.next(&mut stream), Emission { after: Duration::from_ms(40), size: 250 });
}

#[test]
fn a_request_holds_from_the_next_frame_on() {
    let (mut video, mut stream) = (video(&["min-rate = 200 kbit/s", "max-rate = 2 Mbit/s"]), stream());
    assert_eq!(video.first(&mut stream).size, 1429);
    // The first packet, of an I frame, has not been sent: the frame shrinks to 5000 bytes in four packets.
    assert_eq!(video.on_rate_request(Time::ZERO, Rate::from_bps(500_000)), Some(1250));
    assert_eq!(video.next(&mut stream), Emission { after: Duration::ZERO, size: 1250 });
    // In the middle of a frame, its size stays. The B frame after it has 2500 x 2 bytes, since no rate is above 2 Mbit/s.
    assert_eq!(video.on_rate_request(Time::ZERO, Rate::from_bps(9_000_000)), None);
    assert_eq!([video.next(&mut stream).size, video.next(&mut stream).size], [1250, 1250]);
    assert_eq!((video.next(&mut stream).size, video.0.bytes), (1250, 5000));
    // No rate is below 200 kbit/s: 500 bytes.
    assert_eq!(video.on_rate_request(Time::ZERO, Rate::from_bps(1)), Some(500));
    assert_eq!(video.frame(), (1, FramePlace::Only));
}

#[test]
fn groups_have_their_frames() {
    let kinds = |lines: &[&str], n: u32| -> String {
        let more = ["rate = 1 Mbit/s", "p-ratio = 0.5", "b-ratio = 0.25"];
        let parameters: Parameters = read(&more.iter().chain(lines).copied().collect::<Vec<_>>()).expect("sound");
        let weights: Vec<f64> = (0..n).map(|place| parameters.weight(place)).collect();
        assert!((weights.iter().sum::<f64>() - f64::from(n)).abs() < 1e-9);
        let kind = |weight: &f64| match weight / weights[0] {
            ratio if ratio > 0.9 => 'I',
            ratio if ratio > 0.4 => 'P',
            _ => 'B',
        };
        weights.iter().map(kind).collect()
    };
    assert_eq!(kinds(&[], 12), "IBBPBBPBBPBB");
    assert_eq!(kinds(&["group-length = 5", "anchor-distance = 1"], 5), "IPPPP");
    assert_eq!(kinds(&["group-length = 5", "anchor-distance = 2"], 5), "IBPBP");
    assert_eq!(kinds(&["group-length = 1"], 1), "I");
    assert_eq!(kinds(&["group-length = 3", "anchor-distance = 7"], 3), "IBB");
}

#[test]
fn numbers_of_frames_wrap() {
    let (mut video, mut stream) = (video(&[]), stream());
    video.first(&mut stream);
    video.0.frame = u16::MAX;
    let numbers: Vec<u16> = (0..8).map(|_| (video.next(&mut stream), video.frame().0).1).collect();
    assert_eq!(numbers[5..], [u16::MAX, 0, 0]);
}

#[test]
fn sizes_of_frames_have_the_moments_of_the_log_normal_law() {
    let (frames, variation) = (200_000u32, 0.3f64);
    let parameters: Parameters = read(&["rate = 80 Mbit/s", "frame-rate = 100", "variation = 0.3", "packet = 65535 bytes"]).expect("sound");
    let (mut video, mut stream) = (Video::new(&parameters, &Site::trial()), stream());
    video.first(&mut stream);
    // For each position in the group, with x the size over its mean of 100,000 x weight bytes: sums of x, (x - 1)^2 and (x - 1)^3; and the
    // total bytes.
    let (mut sums, mut bytes, mut seen) = ([0.0; 3], 0.0, 0);
    while seen < frames {
        if video.frame().1.is_first() {
            let x = f64::from(video.0.bytes) / (100_000.0 * parameters.weight(video.0.place));
            (0..3).for_each(|k| sums[k] += (x - if k == 0 { 0.0 } else { 1.0 }).powi(k as i32 + 1));
            bytes += f64::from(video.0.bytes);
            seen += 1;
        }
        video.next(&mut stream);
    }
    let n = f64::from(frames);
    // With w = 1 + v^2, moment k about zero is w^(k (k - 1) / 2).
    let w = 1.0 + variation * variation;
    let raw = |k: i32| w.powi(k * (k - 1) / 2);
    // Central moments from raw ones about the mean 1.
    let binomial = |k: i32, j: i32| (0..j).fold(1.0, |product, i| product * f64::from(k - i) / f64::from(i + 1));
    let central = |k: i32| (0..=k).map(|j| binomial(k, j) * (-1f64).powi(k - j) * raw(j)).sum::<f64>();
    assert!((central(2) - variation * variation).abs() < 1e-12);
    let within = |sum: f64, mean: f64, square: f64| {
        let error = ((square - mean * mean) / n).sqrt();
        assert!((sum / n - mean).abs() < 5.0 * error, "{} instead of {mean}, standard error {error}", sum / n);
    };
    within(sums[0], 1.0, 1.0 + central(2));
    within(sums[1], central(2), central(4));
    within(sums[2], central(3), central(6));
    // Error of the rate: frames with the mean squared weight m2 over a group have the variance v^2 m2 in units of their mean. All groups
    // but one are whole.
    let squares = (0..12).map(|place| parameters.weight(place).powi(2)).sum::<f64>() / 12.0;
    let error = 100_000.0 * (variation * variation * squares / n).sqrt() + 100_000.0 * 12.0 / n;
    assert!((bytes / n - 100_000.0).abs() < 5.0 * error, "{} bytes a frame", bytes / n);
}

#[test]
fn random_phases_are_uniform_in_interval_and_group() {
    let parameters: Parameters = read(&["rate = 1 Mbit/s", "frame-rate = 50"]).expect("sound");
    let mut stream = stream();
    let n = 60_000;
    let (mut places, mut sum) = ([0u32; 12], 0.0);
    for _ in 0..n {
        let mut video = Video::new(&parameters, &Site::trial());
        sum += video.first(&mut stream).after.as_seconds() / 0.02;
        places[video.0.place as usize] += 1;
    }
    // Standard deviations: sqrt(1/12) over sqrt(n); binomial, 67.7 of 5000.
    assert!((sum / f64::from(n) - 0.5).abs() < 5.0 * (1.0 / 12.0f64 / f64::from(n)).sqrt());
    assert!(places.iter().all(|count| count.abs_diff(5000) < 339), "{places:?}");
}

#[test]
fn without_variation_and_phase_nothing_is_drawn() {
    let (mut used, mut fresh) = (stream(), stream());
    let mut video = video(&[]);
    video.first(&mut used);
    for _ in 0..100 {
        video.next(&mut used);
    }
    assert_eq!(used.bits(), fresh.bits());
}

#[test]
fn mistakes_say_what_is_allowed() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["frame-rate = 25"]).len(), 1);
    let of = |line: &str| mistakes(&["rate = 1 Mbit/s", line]);
    assert_eq!(of("frame-rate = 2e6"), ["frame-rate: 2000000 frames per second are no video; between 0.001 and 1000000"]);
    assert_eq!(of("frame-rate = 0"), ["frame-rate: 0 is out of range; above 0"]);
    assert_eq!(of("packet = 64 KiB"), ["packet: 65536 bytes is larger than any packet; at most 65535 bytes"]);
    assert_eq!(of("group-length = 0").len(), 1);
    assert_eq!(of("variation = 1.5"), ["variation: 1.5 is out of range; between 0 and 1"]);
    assert_eq!(of("min-rate = 2 Mbit/s"), ["rate: 1 Mbit/s is below the min-rate of 2 Mbit/s"]);
    // 10^10 / (8 x 30 x 1200) = 34,722 packets per mean frame.
    assert!(mistakes(&["rate = 10 Gbit/s"])[0].ends_with("packets in the largest frames; at most 10000"));
    assert!(read::<Parameters>(&["rate = 100 Mbit/s"]).is_ok());
    assert_eq!(of("max-rate = 500 kbit/s"), ["rate: 1 Mbit/s is above the max-rate of 500 kbit/s"]);
    let both = ["rate = 1 Mbit/s", "min-rate = 2 Mbit/s", "max-rate = 500 kbit/s"];
    assert_eq!(mistakes(&both), ["min-rate: 2 Mbit/s is above the max-rate of 500 kbit/s"]);
}
