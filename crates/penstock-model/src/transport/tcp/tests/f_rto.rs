//! F-RTO [RFC5682], as the exact segments after a timeout.

use super::harness::{parameters, text, Path};
use crate::packet::Body;
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;
use crate::units::Duration;

fn path(more: &[(&str, Value)]) -> Path {
    let mut given = vec![("f-rto", Value::Switch(true))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

fn window(text_of: &str) -> [(&'static str, Value); 1] {
    [("initial-window", text(text_of))]
}

#[test]
fn a_timeout_of_a_held_window_is_spurious() {
    // 0 to 3 are delayed by 1.5 s. The first acknowledgement sends two new segments, and the second restores the window of 4. 0*, the fifth
    // packet, arrives after them.
    let hold = |n| {
        Duration::from_ms(match n {
            0..=4 => 1500,
            5 => 600,
            _ => 0,
        })
    };
    let mut path = path(&window("4 packets")).delaying(hold).start(None);
    path.run_ms(1640);
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1600: 4 5 6 7 8 9");
    assert_eq!((path.sender.congestion_window(), path.sender.slow_start_threshold()), (6.0, 1000.0));
}

#[test]
fn after_a_real_timeout_slow_start_follows_one_round_trip_later() {
    let mut path = path(&window("4 packets")).losing_once(&[0, 1, 2, 3]).start(None);
    path.run_ms(1250);
    // Step 2b sends 4 and 5, whose duplicates trigger step 3a.
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1100: 4 5\n1200: 1* 2*");
    assert_eq!(path.sender.slow_start_threshold(), 2.0);
}

#[test]
fn without_new_data_or_when_all_is_acknowledged_the_timeout_is_handled_as_usual() {
    let mut without = path(&window("4 packets")).losing_once(&[0, 1, 2, 3]).start(Some(4));
    without.run_ms(1150);
    assert_eq!(without.sent(), "0: 0 1 2 3\n1000: 0*\n1100: 1* 2*");
    let mut whole = path(&window("2 packets")).losing_once(&[0]).start(None);
    whole.run_ms(1150);
    assert_eq!(whole.sent(), "0: 0 1\n100: 2\n200: 3\n1000: 0*\n1100: 4 5");
}

#[test]
fn a_block_of_before_the_timeout_shows_it_to_be_spurious() {
    // 0 and 1 are lost, and 2 to 4 are delayed by 1080 ms: their blocks arrive after 5 and 6 are sent.
    let hold = |n| Duration::from_ms(if (3..=5).contains(&n) { 1080 } else { 0 });
    let sack = [("initial-window", text("5 packets")), ("recovery", text("sack")), ("keep-scoreboard", Value::Switch(true))];
    let mut path = path(&sack).losing_once(&[0, 1]).delaying(hold).start(None);
    path.run_ms(1190);
    assert!(path.sent().starts_with("0: 0 1 2 3 4\n1000: 0*\n1100: 5 6\n"), "{}", path.sent());
    // The first block restores the window. The third shows that 1 is lost: half of the six outstanding, where the timeout had left two.
    assert_eq!(path.sender.slow_start_threshold(), 3.0);
    path.run_ms(1290);
    assert!(path.sent().contains("1*") && !path.sent().contains("2*"), "{}", path.sent());
}

#[test]
fn a_kept_scoreboard_leaves_out_what_has_arrived() {
    // Every second segment is lost, as is its first retransmission. After the timeout, an acknowledgement reports three of eight blocks;
    // the others are known only from before.
    let sent = |keep: bool| {
        let given = [("initial-window", text("16 packets")), ("recovery", text("sack")), ("keep-scoreboard", Value::Switch(keep))];
        let mut losses = [0; 16];
        let lose = move |_, body| {
            let Body::Segment { seq, .. } = body else { return false };
            let Some(losses) = losses.get_mut(seq as usize).filter(|_| seq % 2 == 0) else { return false };
            *losses += 1;
            *losses <= 2
        };
        let mut path = Path::new(&parameters(&given)).losing(lose).start(Some(16));
        path.run_ms(4000);
        assert!(path.sender.is_finished());
        path.log.iter().filter(|(_, body)| matches!(body, Body::Segment { seq, retransmission: true, .. } if seq % 2 == 1)).count()
    };
    assert_eq!(sent(true), 0);
    assert!(sent(false) > 0);
}
