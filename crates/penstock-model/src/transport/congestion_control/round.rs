//! Round trips counted by acknowledgements.

use super::Acknowledgement;

/// Detects the end of round trips: a round trip ends with the acknowledgement of a segment that was sent after it began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    end: u32,
}

impl Round {
    /// Whether a round trip ends with `ack`. If so, the next one begins.
    pub fn ends_with(&mut self, ack: &Acknowledgement) -> bool {
        let ends = ack.acknowledged > self.end;
        if ends {
            self.end = ack.next;
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::ack;
    use super::*;

    #[test]
    fn a_round_ends_with_the_first_segment_sent_in_it() {
        let mut it = Round::default();
        let mut ends = |acknowledged, next| it.ends_with(&Acknowledgement { acknowledged, next, ..ack(0) });
        assert!(ends(1, 4));
        assert!(!ends(4, 8));
        assert!(ends(5, 9));
        assert!(!ends(9, 12));
        assert!(ends(12, 20));
    }
}
