//! Recoveries before RFC 5681 and RFC 6675, as the exact segments that they send; in the notation of `losses.rs`.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;
use crate::transport::connection::ConnectionSender;

fn path(recovery: &str, initial_window: &str, more: &[(&str, Value)]) -> Path {
    let mut given = vec![("recovery", text(recovery)), ("initial-window", text(initial_window))];
    given.extend_from_slice(more);
    Path::new(&parameters(&given))
}

#[test]
fn duplicates_do_nothing_where_only_the_timer_repairs() {
    let mut path = path("timeout-only", "8 packets", &[]).losing_once(&[2]).start(Some(14));
    path.run_ms(600);
    // Two acknowledgements admit 8 to 11; nine duplicates follow.
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11");
    assert_eq!(path.sender.congestion_window(), 10.0);
    path.run_ms(2000);
    // The timer was restarted at 100 ms. The ACK of 2* covers everything, and the window of one has grown to two.
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11\n1100: 2*\n1200: 12 13");
    assert!(path.sender.is_finished());
}

#[test]
fn what_follows_the_loss_is_sent_again_too() {
    // 0 and 2 are lost; 1* had arrived.
    let mut path = path("timeout-only", "4 packets", &[]).losing_once(&[0, 2]).start(Some(4));
    path.run_ms(2000);
    assert_eq!(path.sent(), "0: 0 1 2 3\n1000: 0*\n1100: 2* 3*");
    assert_eq!(path.receiver.duplicates(), 1);
}

#[test]
fn pipe_falls_by_one_a_duplicate_and_by_two_a_partial_acknowledgement() {
    let mut path = path("sack1", "10 packets", &[]).losing_once(&[2, 4, 6]).start(None);
    path.run_ms(350);
    // The third duplicate finds 14 outstanding, and a window of 12 becomes 6: pipe = 14 - 3 = 11, and 9 after two more. The ACKs of 10 to
    // 13 reduce it to 5, and 4* is sent; each of the next two admits one segment. The ACK of 2* is partial: it admits two segments. So does
    // that of 4*. The ACK of 6* ends the recovery, with 16 to 20 outstanding and cwnd 6.
    let start = "0: 0 1 2 3 4 5 6 7 8 9\n100: 10 11 12 13 14 15 2*";
    assert_eq!(path.sent(), format!("{start}\n200: 4* 6* 16 17 18\n300: 19 20 21 22 23 24"));
    assert_eq!(path.sender.slow_start_threshold(), 6.0);
}

#[test]
fn half_of_a_window_is_repaired_as_in_a_slow_start() {
    // Three duplicates of 12 outstanding: pipe = 9 and cwnd = 6. Three more reduce pipe to 6, which is not below cwnd.
    let lost = &[0, 1, 2, 3, 4, 5];
    let mut early = path("sack1", "12 packets", &[]).losing_once(lost).start(Some(12));
    early.run_ms(2000);
    assert_eq!(early.sent(), "0: 0 1 2 3 4 5 6 7 8 9 10 11\n100: 0*\n200: 1* 2*\n300: 3* 4* 5*");
    // RFC 6675 subtracts all six from pipe when the third segment beyond them has arrived.
    let mut today = path("sack", "12 packets", &[]).losing_once(lost).start(Some(12));
    today.run_ms(2000);
    assert_eq!(today.sent(), "0: 0 1 2 3 4 5 6 7 8 9 10 11\n100: 0* 1* 2* 3* 4* 5*");
    assert!(early.sender.is_finished() && today.sender.is_finished());
}

#[test]
fn three_arrivals_reported_at_once_are_one_duplicate() {
    // The ACKs of 1 and 2 are lost: that of 3 is the first duplicate, although it shows three arrivals beyond 0.
    let off = [("limited-transmit", Value::Switch(false))];
    for (recovery, sent) in [("sack1", "0: 0 1 2 3\n1000: 0*"), ("sack", "0: 0 1 2 3\n100: 0*")] {
        let mut path = path(recovery, "4 packets", &off).losing_once(&[0]).losing_back(|n, _| n < 2).start(Some(4));
        path.run_ms(2000);
        assert_eq!(path.sent(), sent, "{recovery}");
    }
}
