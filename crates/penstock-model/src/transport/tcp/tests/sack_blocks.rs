//! Blocks that a receiver reports, and their order [RFC2018 s4].

use super::harness::{parameters, text};
use crate::packet::{Ack, Ecn};
use crate::transport::tcp::{Receiver, SegmentHeader};
use crate::units::Time;

/// Blocks in the acknowledgement of each of these segments; "2-4" means the segments 2 and 3.
fn blocks_after(segments: &[u32]) -> Vec<String> {
    let mut receiver = Receiver::new(&parameters(&[("variant", text("sack"))]));
    let mut answer = |seq: &u32| {
        receiver.on_segment(Time::ZERO, *seq, Ecn::NotEct, SegmentHeader::default());
        let Some(Ack { next, sack, .. }) = receiver.next_transmission(Time::ZERO).and_then(|sent| sent.body.to_ack()) else {
            panic!("an out-of-order segment is acknowledged at once");
        };
        sack.beyond(next).map(|block| format!("{}-{}", block.start, block.end)).collect::<Vec<_>>().join(" ")
    };
    segments.iter().map(&mut answer).collect()
}

#[test]
fn the_block_of_the_latest_segment_comes_first_and_the_others_as_they_were_told() {
    // The fourth block displaces the first. 3 joins 2 and 4, and 11 joins the two latest blocks, which makes room for another one.
    let found = blocks_after(&[2, 4, 6, 8, 3, 10, 12, 11]);
    let expected = ["2-3", "4-5 2-3", "6-7 4-5 2-3", "8-9 6-7 4-5", "2-5 8-9 6-7", "10-11 2-5 8-9", "12-13 10-11 2-5", "10-13 2-5 8-9"];
    assert_eq!(found, expected);
}

#[test]
fn a_block_that_grows_comes_before_one_told_since() {
    assert_eq!(blocks_after(&[10, 2, 6, 3]), ["10-11", "2-3 10-11", "6-7 2-3 10-11", "2-4 6-7 10-11"]);
    assert_eq!(blocks_after(&[2, 10, 6, 3]), ["2-3", "10-11 2-3", "6-7 10-11 2-3", "2-4 6-7 10-11"]);
}
