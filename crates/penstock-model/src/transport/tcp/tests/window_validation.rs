//! Windows that the application does not use, as in Linux.

use super::harness::{parameters, text, Path};

fn path() -> Path {
    Path::new(&parameters(&[("initial-window", text("10 packets")), ("window-validation", text("linux"))]))
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut path = path().start(Some(4));
    path.run_ms(150);
    assert_eq!(path.sender.congestion_window(), 10.0);
    // Eight segments are outstanding here. In slow start, a window below 16 counts as used, so it grows: to 11, then to 12.
    path.offer(8);
    path.run_ms(290);
    assert_eq!(path.sender.congestion_window(), 12.0);
}

#[test]
fn a_window_that_is_not_used_falls_half_way_to_the_initial_one_per_timeout() {
    let mut path = path().start(Some(200));
    path.run_ms(900);
    // Two segments every 300 ms, within the timeout of 1 s. Less than the initial window of ten is used.
    let mut windows = vec![path.sender.congestion_window()];
    for step in 1..60 {
        path.offer(2);
        path.run_ms(900 + step * 300);
        if windows.last() != Some(&path.sender.congestion_window()) {
            windows.push(path.sender.congestion_window());
        }
    }
    assert!(windows[0] > 40.0 && windows.last() == Some(&10.0), "{windows:?}");
    // The first step still counts the use at the end of the 200 segments.
    assert!(windows[1..].windows(2).all(|pair| pair[1] == ((pair[0] + 10.0) / 2.0).floor()), "{windows:?}");
}
