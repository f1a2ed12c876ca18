//! Reductions of the window as in Linux: from cwnd, and proportional after marks.

use super::harness::{parameters, text, Path};
use crate::parameters::Value;

#[test]
fn a_mark_reduces_in_proportion_to_arrivals_and_growth_pauses_for_a_window() {
    let given = [("ecn", Value::Switch(true)), ("initial-window", text("8 packets")), ("ecn-reduction", text("proportional"))];
    let mut path = Path::new(&parameters(&given)).marking(&[2]).start(None);
    path.run_ms(150);
    // ssthresh is 5, half of the 10 outstanding. The n-th arrival after the echo admits ceil(5 n / 10) segments in all.
    assert_eq!(path.sent(), "0: 0 1 2 3 4 5 6 7\n100: 8 9 10 11 12c 13 14");
    assert_eq!(path.sender.slow_start_threshold(), 5.0);
    path.run_ms(250);
    // The first acknowledgement beyond the 12 segments sent before the echo ends the reduction. The next one increases cwnd.
    assert_eq!(path.sent().lines().nth(2), Some("200: 15 16 17 18 19"));
    assert!(path.sender.congestion_window() > 5.0 && path.sender.congestion_window() < 5.5);
}

#[test]
fn a_timeout_in_a_recovery_keeps_its_threshold_if_it_is_taken_from_cwnd() {
    // 0 is lost twice: three duplicates halve 8, and the timeout occurs during this recovery.
    let threshold = |from: &str| {
        let given = [("initial-window", text("8 packets")), ("recovery", text("sack")), ("ssthresh-from", text(from))];
        let mut losses = 0;
        let lose = move |_, body| {
            let is_first = matches!(body, crate::packet::Body::Segment { seq: 0, .. });
            losses += u32::from(is_first);
            is_first && losses <= 2
        };
        let mut path = Path::new(&parameters(&given)).losing(lose).start(Some(12));
        path.run_ms(1300);
        path.sender.slow_start_threshold()
    };
    assert_eq!((threshold("cwnd"), threshold("flight-size")), (4.0, 2.0));
}
