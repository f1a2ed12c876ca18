//! The pseudocode of RFC 8298, with numbers computed by hand.

use super::feedback::Report;
use super::media_rate::MediaRate;
use super::receiver::Receiver;
use super::sent_packets::{Acknowledged, SentPackets};
use super::window::{CongestionWindow, Event};
use super::window_maximum::WindowMaximum;
use super::*;
use crate::packet::{Ecn, FramePlace};
use crate::parameters::testing::read;
use crate::transport::custom::{DataPacket, FramePart, TransportReceiver, TransportSender};
use crate::units::{Duration, Rate, Time};

const RTT: Duration = Duration::from_ms(100);

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

fn parameters(lines: &[&str]) -> Parameters {
    read(lines).expect("sound")
}

/// A window for packets of 1000 bytes, with a maximum of `most` bytes in flight so far.
fn window(lines: &[&str], most: u64) -> CongestionWindow {
    let mut it = CongestionWindow::new(&parameters(lines), Bytes::new(1000));
    it.on_sent(Time::ZERO, most);
    it
}

#[track_caller]
fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value} for {expected}");
    // sums of a few doubles
}

fn acknowledge(it: &mut CongestionWindow, ms: u64, bytes: u64, in_flight: u64) -> Event {
    it.on_feedback(at(ms), (bytes, in_flight), (false, false), RTT)
}

#[test]
fn the_trend_is_the_prediction_times_the_average_fraction() {
    let mut it = window(&[], 0);
    it.delay = 0.05;
    it.sample_delay(at(50));
    // 0.5 behind 19 zeros, with mean 0.025: R(1) = 18 * 0.025^2 - 0.025 * 0.475 = -0.000625.
    close(it.trend, 0.0);
    it.delay = 0.1;
    it.sample_delay(at(100));
    // Mean 0.075; R(1) = 17 * 0.005625 - 0.031875 + 0.393125, R(0) = 18 * 0.005625 + 0.180625 + 0.855625; average 0.9 * 0.05 + 0.1.
    let second = 0.456875 / 1.1375 * 0.145;
    close(it.trend, second);
    close(it.trend_memory, second);
    it.delay = 0.0;
    it.sample_delay(at(150));
    // The same two values further back: R(1) = 16 * 0.005625 - 0.031875 + 0.393125 - 0.069375, average 0.1305.
    close(it.trend, 0.381875 / 1.1375 * 0.1305);
    close(it.trend_memory, 0.99 * second);
}

#[test]
fn fast_increase_adds_what_is_acknowledged_while_the_window_is_used() {
    let mut it = window(&[], 10_000);
    acknowledge(&mut it, 0, 1000, 1400);
    close(it.window, 4000.0); // 2100 + 1000 > 3000
    acknowledge(&mut it, 1, 1000, 2000);
    close(it.window, 4000.0); // 3000 + 1000 is not above it
    it.trend = 0.2;
    acknowledge(&mut it, 2, 2000, 2000);
    assert!(!it.in_fast_increase);
    close(it.window, 4500.0); // off target by 1: 2000 * 1000 / 4000
}

#[test]
fn later_the_window_follows_the_distance_from_the_target() {
    let mut it = window(&[], 10_000);
    (it.in_fast_increase, it.window) = (false, 8000.0);
    it.delay = 0.075;
    acknowledge(&mut it, 0, 2000, 5000);
    close(it.window, 8062.5); // 0.25 * 2000 * 1000 / 8000, as 6250 + 2000 > 8000
    acknowledge(&mut it, 1, 1000, 5000);
    close(it.window, 8062.5); // not used
    it.delay = 0.15;
    acknowledge(&mut it, 2, 2000, 1000);
    close(it.window, 8062.5 - 0.5 * 2000.0 * 1000.0 / 8062.5); // down, used or not
    it.window = 20_000.0;
    acknowledge(&mut it, 3, 0, 0);
    close(it.window, 11_000.0); // 1.1 times the maximum of the last five seconds
    it.on_sent(at(4000), 2000);
    acknowledge(&mut it, 5001, 0, 0);
    close(it.window, 3000.0); // 1.1 times 2000 are below MIN_CWND
}

#[test]
fn a_loss_counts_once_per_round_trip_and_so_does_a_mark() {
    let mut it = window(&[], 100_000);
    it.window = 10_000.0;
    let mut feedback = |ms, losses_and_marks| (it.on_feedback(at(ms), (0, 0), losses_and_marks, RTT), it.window, it.in_fast_increase);
    assert_eq!(feedback(0, (true, true)), (Event::Loss, 8000.0, false));
    assert_eq!(feedback(99, (true, false)), (Event::Acknowledgement, 8000.0, false));
    assert_eq!(feedback(99, (true, true)), (Event::Mark, 7200.0, false));
    assert_eq!(feedback(100, (true, true)), (Event::Loss, 5760.0, false));
    assert_eq!(feedback(198, (false, true)), (Event::Acknowledgement, 5760.0, false));
    assert_eq!(feedback(199, (false, true)), (Event::Mark, 5184.0, false));
    (1..9).for_each(|n| assert_eq!(feedback(200 * n, (true, false)).0, Event::Loss));
    assert_eq!(it.window, 3000.0);
}

#[test]
fn fast_increase_resumes_after_five_seconds_without_congestion() {
    let mut it = window(&[], 100_000);
    it.on_feedback(at(1000), (0, 0), (true, false), RTT);
    it.set_past_delays(true);
    it.sample_delay(at(2000));
    it.set_past_delays(false);
    for (ms, resumed) in [(6999, false), (7000, true)] {
        acknowledge(&mut it, ms, 0, 0);
        assert_eq!(it.in_fast_increase, resumed, "{ms}");
    }
}

#[test]
fn the_target_rises_with_delays_that_stay_and_falls_back() {
    let mut it = window(&["min-delay-target = 100 ms"], 0);
    it.delay = 0.2;
    let mut targets = |n: usize, delay: f64| {
        it.delay = delay;
        (0..n).for_each(|i| _ = acknowledge(&mut it, i as u64, 0, 0));
        it.target
    };
    // One value of 2 among 200: mean of 50 is 0.04, variance 2^2 / 200 - 0.01^2 = 0.0199.
    close(targets(1, 0.2), 0.1 * (0.04f64 + 0.0199f64.sqrt()).max(1.0));
    // All values are 2: no variance.
    close(targets(199, 0.2), 0.2);
    close(targets(200, 0.6), 0.4); // 6 x 100 ms, above the upper limit
                                   // Half of the samples still are 6 and the variance 9: slowly down from 0.4, until the average and deviation are below the target.
    close(targets(1, 0.0), 0.1 * (6.0 * 49.0 / 50.0 + (36.0 / 200.0 * 199.0 / 200.0f64).sqrt()).min(4.0));
    close(targets(400, 0.0), 0.1);
}

#[test]
fn losses_let_the_target_rise_at_once() {
    let mut it = window(&[], 0);
    it.delay = 0.3;
    let mut until = |rounds: std::ops::Range<u64>| {
        rounds.for_each(|round| _ = it.on_feedback(at(100 * round), (0, 0), (true, false), RTT));
        (it.target, it.loss_rate())
    };
    let (target, rate) = until(0..1);
    close(rate, 0.01);
    // Mean of 50: 3 / 50; variance 9 / 200 - (3 / 200)^2; times 1.5, still below the lower limit.
    close(target, (0.15 * (0.06 + (0.045 - 0.000225f64).sqrt())).max(0.1));
    let (target, rate) = until(1..100);
    close(rate, 1.0 - 0.99f64.powi(100));
    // 100 of 200 values are 3, as are all of the last 50: variance 9 / 4.
    close(target, 0.4f64.min(0.15 * 4.5));
}

#[test]
fn the_send_window_has_a_packet_more_below_the_target() {
    let mut it = window(&[], 0);
    (it.window, it.delay) = (5000.0, 0.1);
    close(it.send_window(4500), 1500.0);
    it.delay = 0.101;
    close(it.send_window(5500), -500.0);
}

#[test]
fn the_target_rate_ramps_up_in_fast_increase() {
    let network = window(&[], 0);
    let mut it = MediaRate::new(&parameters(&["max-rate = 2 Mbit/s"]), Rate::from_bps(1_000_000));
    it.on_media(50_000); // 2 Mbit/s over 0.2 s
    it.adjust(&network, 0.0);
    close(it.target, 1_040_000.0);
    it.note_maximum();
    it.adjust(&network, 0.0);
    close(it.target, 1_048_000.0); // at the last maximum a fifth; the median is 2 Mbit/s of [0, 2 Mbit/s]
    it.on_event(Event::Loss);
    close(it.target, 943_200.0);
    it.on_event(Event::Mark);
    close(it.target, 848_880.0);
    // The relative change from 943,200 to 848,880 is -0.1: (0.4)^2 is below a fifth.
    it.on_media(50_000);
    it.adjust(&network, 0.0);
    close(it.target, 856_880.0);
    it.on_event(Event::Acknowledgement);
    close(it.target, 856_880.0);
}

#[test]
fn later_the_rtp_queue_and_the_trend_reduce_the_target_rate() {
    let mut network = window(&[], 0);
    network.in_fast_increase = false;
    let mut it = MediaRate::new(&parameters(&["max-rate = 2 Mbit/s"]), Rate::from_bps(1_000_000));
    let mut adjust = |network: &CongestionWindow, sent: u32, acknowledged: u64, queue: f64| {
        it.on_sent(sent);
        it.on_acknowledged(acknowledged);
        it.on_media(25_000);
        it.adjust(network, queue);
        it.target
    };
    // The faster of both, 1 Mbit/s, plus the ramp of 40 kbit/s.
    close(adjust(&network, 20_000, 25_000, 0.0), 1_040_000.0);
    // A queue of 20 ms is 20 kbit. A longer one scales the rate by 0.95.
    close(adjust(&network, 25_000, 20_000, 20_000.0), 1_080_000.0);
    close(adjust(&network, 25_000, 20_000, 30_000.0), 1_120_000.0 * 0.95);
    // More is in the queue than is sent in a second.
    close(adjust(&network, 25_000, 0, 1_100_000.0), (1_064_000.0 - 100_000.0) * 0.95);
    // Effects of the trend: 1 Mbit/s x (1 - 0.1) is still far above the ramp; the memory of the trend halves the limit of twice the rate.
    network.trend_memory = 0.95;
    network.trend = 1.0;
    close(adjust(&network, 25_000, 0, 0.0), 955_800.0);
    close(adjust(&network, 25_000, 0, 0.0), 995_800.0);
    close(adjust(&network, 25_000, 0, 0.0), 1_035_800.0);
    close(adjust(&network, 25_000, 0, 0.0), 1_050_000.0);
    (0..10).for_each(|_| _ = adjust(&network, 0, 0, 1e7));
    close(it.target, 150_000.0);
}

#[test]
fn bytes_in_flight_are_those_after_the_newest_acknowledged_packet() {
    let mut it = SentPackets::default();
    (0..6).for_each(|seq| it.push(at(seq), 1000 + seq as u32));
    // Packet 2 is missing. It counts as acknowledged, and is lost at once.
    let report = |newest, before| Report { newest, before, ..Report::default() };
    let told = it.on_report(at(50), &report(3, 0b110));
    assert_eq!(told, Acknowledged { bytes: 4006, has_loss: true, newest_sent: Some(at(3)) });
    assert_eq!(it.in_flight(), 2009);
    assert_eq!(it.on_report(at(60), &report(3, 0b110)), Acknowledged::default());
    // It arrives 30 ms after it was found missing. This becomes the reordering window.
    let told = it.on_report(at(80), &report(3, 0b111));
    assert_eq!((told, it.reordering_window()), (Acknowledged::default(), Duration::from_ms(30)));
    let has_loss = |it: &mut SentPackets, ms| it.on_report(at(ms), &report(5, 0b1110)).has_loss;
    assert_eq!([90, 119, 120, 130].map(|ms| has_loss(&mut it, ms)), [false, false, true, false]);
    assert_eq!(it.in_flight(), 0);
}

#[test]
fn packets_that_no_report_can_name_any_more_are_lost() {
    let mut it = SentPackets::default();
    (0..70).for_each(|_| it.push(Time::ZERO, 100));
    let told = it.on_report(at(1), &Report { newest: 64, before: u64::MAX, ..Report::default() });
    assert_eq!((told.bytes, told.has_loss), (6500, false));
    it.push(at(2), 100);
    (0..64).for_each(|_| it.push(at(3), 100));
    let told = it.on_report(at(4), &Report { newest: 134, before: u64::MAX, ..Report::default() });
    assert_eq!((told.bytes, told.has_loss, it.in_flight()), (7000, true, 0)); // 65 to 69 were in no report
}

fn data(seq: u32, size: u32, ecn: Ecn) -> DataPacket {
    DataPacket { seq, size, ecn, ..DataPacket::default() }
}

#[test]
fn reports_tell_what_has_arrived_and_when_the_newest_did() {
    let mut it = Receiver::new(Bytes::new(40), None);
    it.on_packet(at(5), &data(1, 1000, Ecn::Ect0), Time::ZERO);
    let report = |it: &mut Receiver, ms| it.next_ack(at(ms)).map(|ack| Report::of_ack(&ack));
    assert_eq!(report(&mut it, 5), Some(Report { newest: 1, arrived_us: 5000, before: 0, marked: 0 }));
    assert_eq!((report(&mut it, 5), it.deadline()), (None, Time::NEVER));
    it.on_packet(at(6), &data(4, 1000, Ecn::Ce), Time::ZERO);
    it.on_packet(at(7), &data(0, 1000, Ecn::Ect0), Time::ZERO);
    it.on_packet(at(8), &data(4, 1000, Ecn::Ce), Time::ZERO);
    assert_eq!((report(&mut it, 24), it.deadline()), (None, at(25)));
    // Packets 1 and 0 are three and four before packet 4. The copy counts as a mark, but not as data.
    assert_eq!(report(&mut it, 25), Some(Report { newest: 4, arrived_us: 6000, before: 0b1100, marked: 2 }));
    assert_eq!(it.delivered(), 3 * 960);
    it.on_packet(at(26), &data(69, 1000, Ecn::Ect0), Time::ZERO);
    it.on_packet(at(27), &data(2, 1000, Ecn::Ect0), Time::ZERO);
    assert_eq!(report(&mut it, 45).map(|report| report.before), Some(0)); // packet 4 is 65 before
}

#[test]
fn the_interval_of_reports_follows_the_rate() {
    let deadlines = |size: u32, fixed| {
        let mut it = Receiver::new(Bytes::new(40), fixed);
        // One packet per 10 ms.
        (0..200).for_each(|n| {
            it.on_packet(at(10 * n), &data(n as u32, size, Ecn::Ect0), Time::ZERO);
            it.next_ack(at(10 * n));
        });
        it.on_packet(at(2000), &data(200, size, Ecn::Ect0), Time::ZERO);
        it.next_ack(at(2000));
        let last = it.report_time().expect("reports were sent");
        it.on_packet(at(2001), &data(201, size, Ecn::Ect0), Time::ZERO);
        it.deadline().since(last)
    };
    // 240 kbit/s: 24 per second; 80 kbit/s: 8; 8 kbit/s: 2.5; 1.2 Mbit/s: 50.
    assert_eq!(deadlines(300, None), Duration::from_seconds(1.0 / 24.0));
    assert_eq!(deadlines(100, None), Duration::from_ms(125));
    assert_eq!(deadlines(10, None), Duration::from_ms(400));
    assert_eq!(deadlines(1500, None), Duration::from_ms(20));
    assert_eq!(deadlines(1500, Some(Duration::from_ms(70))), Duration::from_ms(70));
}

#[test]
fn many_packets_do_not_wait_for_the_interval() {
    let mut it = Receiver::new(Bytes::new(40), None);
    let reported: Vec<u32> = (0..97)
        .filter(|n| {
            it.on_packet(at(1), &data(*n, 1000, Ecn::Ect0), Time::ZERO);
            it.next_ack(at(1)).is_some()
        })
        .collect();
    assert_eq!(reported, [0, 32, 64, 96]);
}

/// A frame of 3600 bytes every 40 ms, in three packets.
fn sender(lines: &[&str]) -> Box<dyn TransportSender + Send> {
    let settings = ["rate = 720 kbit/s", "frame-rate = 25", "group-length = 1", "variation = 0", "phase = zero"];
    let source = SourcePlan::Video(read(&settings).expect("sound"));
    let mut sender = parameters(lines).ends(&source, &Site::trial()).sender;
    sender.on_data(Time::ZERO, None);
    sender
}

/// Times in us and sizes of the packets sent until `ms`.
fn sent(it: &mut dyn TransportSender, ms: u64) -> Vec<(u64, DataPacket)> {
    let mut all = Vec::new();
    let mut now = Time::ZERO;
    loop {
        while let Some(packet) = it.next_packet(now) {
            all.push((now.as_ps() / 1_000_000, packet));
        }
        assert!(it.deadline() > now);
        now = it.deadline();
        if now > at(ms) {
            return all;
        }
        it.on_deadline(now);
    }
}

#[test]
fn without_feedback_the_window_closes_and_a_minimum_rate_stays() {
    let packets = sent(&mut *sender(&["ecn = true"]), 500);
    // Three packets of 1200 bytes fit into 3000 + 1200 bytes. Then each takes the time that it needs at 50 kbit/s, 192 ms.
    let times: Vec<u64> = packets.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [0, 0, 0, 192_000, 384_000]);
    assert!(packets.iter().all(|(_, packet)| (packet.size, packet.ecn) == (1200, Ecn::Ect0)));
    assert_eq!(packets.iter().map(|(_, packet)| packet.seq).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    // The packets carry their frames and the times of the frames.
    let receiver = Receiver::new(Bytes::new(40), None);
    let parts: Vec<FramePart> = packets.iter().filter_map(|(_, packet)| receiver.frame_part(packet)).collect();
    let frames: Vec<(u16, FramePlace, Time)> = parts.iter().map(|part| (part.frame, part.place, part.generated)).collect();
    let (zero, first) = (at(0), at(40));
    use FramePlace::{First, Last, Middle};
    assert_eq!(frames, [(0, First, zero), (0, Middle, zero), (0, Last, zero), (1, First, first), (1, Middle, first)]);
}

#[test]
fn feedback_opens_the_window_and_paces_at_the_window_per_round_trip() {
    let mut it = sender(&[]);
    (0..3).for_each(|_| assert!(it.next_packet(Time::ZERO).is_some()));
    // All three arrive after 50 ms, and the report after 100 ms. In fast increase the window grows by 3600 to 6600 bytes.
    let report = Report { newest: 2, arrived_us: 50_000, before: 0b11, marked: 0 };
    it.on_ack(at(100), &report.to_ack(), at(50));
    // Two frames wait, from 40 and 80 ms, and the packets of the third arrive at 120 ms: 1200 bytes take 1200 / 6600 of 100 ms.
    let packets = (0..6).map(|_| {
        let now = it.deadline().max(at(100));
        it.on_deadline(now);
        it.next_packet(now).map(|packet| (now.as_ps() / 1_000_000_000, packet.seq))
    });
    assert_eq!(packets.flatten().collect::<Vec<_>>(), [(100, 3), (118, 4), (136, 5), (154, 6)]);
}

#[test]
fn the_sender_falls_silent_when_its_source_stops() {
    let mut it = sender(&[]);
    assert!(it.next_packet(Time::ZERO).is_some());
    it.on_stop(at(30));
    let packets = sent(&mut *it, 10_000);
    assert_eq!((packets.len(), it.deadline()), (2, Time::NEVER));
}

#[test]
fn the_maximum_forgets_what_is_older_than_its_window() {
    let mut it = WindowMaximum::new(Duration::from_ms(5));
    assert_eq!(it.get(Time::ZERO), 0);
    [(0, 7), (2, 3), (4, 5)].iter().for_each(|(ms, value)| it.add(at(*ms), *value));
    assert_eq!([5, 6, 9, 100].map(|ms| it.get(at(ms))), [7, 5, 5, 5]);
}

#[test]
fn limits_that_cross_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["min-rate = 2 Mbit/s"]), ["min-rate: 2 Mbit/s is above the max-rate of 1500 kbit/s"]);
    assert_eq!(mistakes(&["max-delay-target = 50 ms"]), ["min-delay-target: 100 ms is above the max-delay-target of 50 ms"]);
    let zeros = ["min-delay-target = 0 s", "feedback-interval = 0 s", "report = 65536 bytes"];
    let expected = [
        "min-delay-target: must be above 0 s",
        "feedback-interval: must be above 0 s",
        "report: 65536 bytes is larger than an IP packet can be, 65535 bytes",
    ];
    assert_eq!(mistakes(&zeros), expected);
}
