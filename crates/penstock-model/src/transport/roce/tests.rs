//! Exact sequences of packets, computed by hand.

use super::*;
use crate::packet::{Body, Echo, Ecn};
use crate::parameters::testing::read;
use crate::probe::{Probe, ReportVariable};
use crate::site::Site;
use crate::transport::connection::ConnectionSender;
use crate::transport::rate_control::{AnyRateControl, HopRecord, RateAck, RateControl};
use crate::units::{Rate, Time};
use std::sync::{Arc, Mutex};

/// Packets of 1000 bytes at 8 Mbit/s: one per millisecond.
fn sender(lines: &[&str], packets: u32) -> Sender {
    let lines = [&["packet = 1000 bytes", "rate-control = fixed"], lines].concat();
    let mut it = Sender::new(&Arc::new(read(&lines).expect("sound")), &Site { rate: Rate::from_bps(8_000_000), ..Site::trial() });
    it.offer(Time::ZERO, Some(packets));
    it.start(Time::ZERO);
    it
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// Next packet that leaves: its number, whether it requests an acknowledgement, and whether it is sent again.
fn leaves(it: &mut Sender, at: u64) -> Option<(u32, bool, bool)> {
    match it.next_transmission(ms(at))?.body {
        Body::RoceData { psn, asks_for_ack, retransmission } => Some((psn, asks_for_ack, retransmission)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn packets_leave_at_the_rate() {
    let mut it = sender(&["ack-every = 2"], 3);
    assert_eq!(leaves(&mut it, 5), Some((0, false, false)));
    assert_eq!((leaves(&mut it, 5), it.deadline()), (None, ms(6)));
    assert_eq!(leaves(&mut it, 6), Some((1, true, false)));
    // The last packet of a message also requests an acknowledgement. Then only the timer is left, which runs from the first packet on.
    assert_eq!(leaves(&mut it, 7), Some((2, true, false)));
    assert_eq!(it.deadline(), ms(5) + Duration::from_ns(4_194_304));
    it.on_ack(ms(8), 2, false, Echo::NONE);
    assert!(!it.is_finished());
    it.on_ack(ms(9), 3, false, Echo::NONE);
    assert_eq!((it.is_finished(), it.deadline()), (true, Time::NEVER));
    // The numbers of another message continue.
    it.offer(ms(20), Some(1));
    assert_eq!(leaves(&mut it, 20), Some((3, true, false)));
}

#[test]
fn a_nak_sends_everything_again_from_the_gap_on() {
    let mut it = sender(&[], 10);
    for psn in 0..5 {
        assert_eq!(leaves(&mut it, u64::from(psn)), Some((psn, false, false)));
    }
    // Packet 1 is missing: the NAK acknowledges packet 0.
    it.on_ack(ms(4), 1, true, Echo::NONE);
    assert_eq!(leaves(&mut it, 4), None);
    for psn in 1..5 {
        assert_eq!(leaves(&mut it, 4 + u64::from(psn)), Some((psn, false, true)));
    }
    assert_eq!(leaves(&mut it, 9), Some((5, false, false)));
    // An acknowledgement from before the gap does not move the sender back. One beyond the packets to resend moves it forward.
    it.on_ack(ms(9), 1, false, Echo::NONE);
    assert_eq!(leaves(&mut it, 10), Some((6, false, false)));
    it.on_ack(ms(10), 3, true, Echo::NONE);
    it.on_ack(ms(10), 7, false, Echo::NONE);
    assert_eq!(leaves(&mut it, 11), Some((7, false, false)));
}

#[test]
fn without_progress_the_sender_goes_back() {
    let mut it = sender(&["timeout = 3 ms"], 10);
    assert_eq!(leaves(&mut it, 0), Some((0, false, false)));
    assert_eq!(leaves(&mut it, 1), Some((1, false, false)));
    it.on_ack(ms(2), 1, false, Echo::NONE);
    assert_eq!(leaves(&mut it, 2), Some((2, false, false)));
    it.on_deadline(ms(4));
    assert!(!it.is_timeout_due(ms(4)) && it.is_timeout_due(ms(5)));
    it.on_deadline(ms(5));
    assert_eq!(leaves(&mut it, 5), Some((1, false, true)));
    assert!(it.is_timeout_due(ms(8)) && !it.is_timeout_due(ms(7)));
}

#[test]
fn so_many_may_be_outstanding() {
    let mut it = sender(&["max-outstanding = 2", "ack-every = 2"], 10);
    assert_eq!([leaves(&mut it, 0), leaves(&mut it, 1), leaves(&mut it, 2)], [Some((0, false, false)), Some((1, true, false)), None]);
    assert_eq!(it.deadline(), Time::ZERO + Duration::from_ns(4_194_304));
    it.on_ack(ms(3), 2, false, Echo::NONE);
    assert_eq!(leaves(&mut it, 3), Some((2, false, false)));
}

#[test]
fn what_is_withdrawn_is_not_sent() {
    let mut it = sender(&[], 10);
    leaves(&mut it, 0);
    it.withdraw(ms(1));
    assert_eq!((leaves(&mut it, 1), it.is_finished()), (None, false));
    // The packet had not requested an acknowledgement. Sent again, it is the last one and does.
    it.on_deadline(ms(5));
    assert_eq!(leaves(&mut it, 5), Some((0, true, true)));
}

fn receiver(lines: &[&str]) -> Receiver {
    Receiver::new(&read::<Parameters>(lines).expect("sound").feedback())
}

/// Answer of a receiver to a packet.
fn answers(it: &mut Receiver, at_us: u64, (psn, asks_for_ack, ecn): (u32, bool, Ecn)) -> (bool, Option<(u32, bool)>) {
    let [notification, answer] =
        it.on_packet(Time::ZERO + Duration::from_us(at_us), DataPacket { psn, asks_for_ack, ecn, sent: Time::ZERO });
    let answer = answer.map(|answer| match answer.body {
        Body::RoceAck { next, is_nak, echo: Echo::NONE } => (next, is_nak),
        other => panic!("{other:?}"),
    });
    (notification.is_some(), answer)
}

#[test]
fn packets_beyond_a_gap_are_refused_once() {
    let mut it = receiver(&[]);
    let mut answer = |psn, asks_for_ack| answers(&mut it, 0, (psn, asks_for_ack, Ecn::Ect0)).1;
    assert_eq!(answer(0, false), None);
    assert_eq!(answer(1, true), Some((2, false)));
    assert_eq!(answer(3, false), Some((2, true)));
    assert_eq!(answer(4, true), None);
    assert_eq!(answer(5, false), None);
    // In order again from the gap on. Another gap causes another refusal.
    assert_eq!(answer(2, false), None);
    assert_eq!(answer(3, true), Some((4, false)));
    assert_eq!(answer(6, false), Some((4, true)));
    // A duplicate is acknowledged if it requests that.
    assert_eq!(answer(1, true), Some((4, false)));
    assert_eq!(answer(1, false), None);
    assert_eq!(it.delivered(), 4);
}

#[test]
fn marks_are_told_at_most_once_per_interval() {
    let mut it = receiver(&[]);
    let mut is_told = |at_us, psn, ecn| answers(&mut it, at_us, (psn, false, ecn)).0;
    assert!(!is_told(0, 0, Ecn::Ect0));
    assert!(is_told(10, 1, Ecn::Ce));
    assert!(!is_told(59, 2, Ecn::Ce));
    assert!(!is_told(60, 3, Ecn::Ect0));
    assert!(is_told(61, 4, Ecn::Ce));
    assert!(!is_told(110, 5, Ecn::Ce));
    // At a fixed rate, marks have no effect.
    let mut it = receiver(&["rate-control = fixed"]);
    assert!(!answers(&mut it, 0, (0, false, Ecn::Ce)).0);
}

#[test]
fn mistakes_are_told() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["packet = 62 bytes"]), ["packet: must be larger than header, 62 bytes"]);
    assert_eq!(mistakes(&["max-outstanding = 8"]), ["ack-every: is more than max-outstanding, 8 packets, so only timeouts would go on"]);
    assert_eq!(mistakes(&["timeout = 0 s"]), ["timeout: must be above 0 s"]);
}

/// Records its inputs. Sends at 8 Mbit/s with a window of 1500 bytes.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

impl Listener {
    fn note(&self, what: String) {
        self.0.lock().expect("one thread").push(what);
    }
}

impl Probe for Listener {
    fn probe(&self, _now: Time, _report: &mut ReportVariable<'_>) {}
}

impl RateControl for Listener {
    fn rate(&mut self, _now: Time) -> Rate {
        Rate::from_bps(8_000_000)
    }

    fn feedback(&self) -> Feedback {
        Feedback { ack_every: Some(1), telemetry: true, ..Feedback::default() }
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(1500))
    }

    fn on_sent(&mut self, _now: Time, size: u32) {
        self.note(format!("sent {size}"));
    }

    fn on_ack(&mut self, ack: &RateAck<'_>) {
        let queues: Vec<u64> = ack.telemetry.iter().map(|record| record.queue).collect();
        self.note(format!("{} before {} after {}, queues {queues:?}", ack.next, ack.next_to_send, ack.rtt));
    }

    fn on_message_complete(&mut self, _now: Time) {
        self.note("complete".to_owned());
    }
}

#[test]
fn a_rate_control_is_told_of_acknowledgements_with_their_telemetry() {
    let heard = Listener::default();
    let parameters = Arc::new(read(&["packet = 1000 bytes"]).expect("sound"));
    let mut it = Sender::controlled_by(AnyRateControl::Custom(Box::new(heard.clone())), &parameters);
    it.offer(Time::ZERO, Some(3));
    it.start(Time::ZERO);
    // Every packet requests an acknowledgement; the third does not fit the window.
    assert_eq!([leaves(&mut it, 0), leaves(&mut it, 1), leaves(&mut it, 2)], [Some((0, true, false)), Some((1, true, false)), None]);
    let record = |hop, queue| HopRecord { hop, queue, sent: 0, at: ms(0), rate: Rate::from_bps(8_000_000) };
    // A record of the first packet arrives, and its acknowledgement is lost; the records of the second packet are ordered by hop.
    it.on_telemetry(ms(0), record(1, 10));
    it.on_telemetry(ms(1), record(2, 22));
    it.on_telemetry(ms(1), record(1, 21));
    it.on_ack(ms(4), 2, false, Echo::of(ms(1)));
    assert_eq!(leaves(&mut it, 4), Some((2, true, false)));
    it.on_ack(ms(7), 3, false, Echo::of(ms(4)));
    let expected =
        ["sent 1000", "sent 1000", "2 before 2 after 3 ms, queues [21, 22]", "sent 1000", "complete", "3 before 3 after 3 ms, queues []"];
    assert_eq!(*heard.0.lock().expect("one thread"), expected);
}

#[test]
fn a_receiver_echoes_the_time_of_sending_where_the_rate_control_asks_for_it() {
    let echo = |lines: &[&str]| {
        let [_, answer] = receiver(lines).on_packet(ms(5), DataPacket { psn: 0, asks_for_ack: true, ecn: Ecn::NotEct, sent: ms(3) });
        match answer.expect("asked for").body {
            Body::RoceAck { echo, .. } => echo.time(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([echo(&["rate-control = timely"]), echo(&["rate-control = hpcc"])], [Some(ms(3)); 2]);
    assert_eq!([echo(&["rate-control = dcqcn"]), echo(&["rate-control = fixed"])], [None; 2]);
}
