//! Sources that send at one spacing and so keep their order.

use penstock_model::units::{Duration, Time};

/// A source in a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// When it sends next.
    pub at: Time,
    /// The flow's serial number, which orders simultaneous sources.
    pub flow: u32,
    /// Its slot at the host.
    pub slot: u32,
}

/// Sources in the order of their turns. Whoever has sent goes to the end of the next round, one spacing later.
#[derive(Debug)]
pub struct Wheel {
    spacing: Duration,
    /// Who is still to send in this round, from `passed` on; nobody only if the wheel is empty.
    round: Vec<Turn>,
    passed: usize,
    next_round: Vec<Turn>,
}

/// A source that does not go on at the wheel's spacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaver {
    /// The turn that it has had.
    pub turn: Turn,
    /// When it sends next.
    pub next: Time,
}

impl Wheel {
    /// An empty wheel of this spacing.
    pub fn new(spacing: Duration) -> Wheel {
        Wheel { spacing, round: Vec::new(), passed: 0, next_round: Vec::new() }
    }

    /// The spacing.
    pub fn spacing(&self) -> Duration {
        self.spacing
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn first(&self) -> Option<&Turn> {
        self.round.get(self.passed)
    }

    /// Adds a source, if it comes last, but before the first one's next turn: then the wheel stays sorted as it turns.
    pub fn add(&mut self, turn: Turn) -> bool {
        let first = self.first().copied();
        let last_round = if self.next_round.is_empty() { &mut self.round } else { &mut self.next_round };
        let fits = match (first, last_round.last()) {
            (Some(first), Some(last)) => *last < turn && turn < Turn { at: first.at + self.spacing, ..first },
            _ => true,
        };
        if fits {
            last_round.push(turn);
        }
        fits
    }

    /// Lets the first source send, and the others as long as they are due before `bound`; `send` is told when and which
    /// slot, and says when that source sends next. Ends early with a source that leaves. Returns how many have sent, at
    /// least one. Panics if the wheel is empty.
    #[inline(always)]
    pub fn turn(&mut self, bound: Time, mut send: impl FnMut(Time, u32) -> Time) -> (usize, Option<Leaver>) {
        let (mut sent, mut leaver) = (0, None);
        let due = &self.round[self.passed..];
        assert!(!due.is_empty(), "a wheel that turns has somebody in it");
        for turn in due {
            let next = send(turn.at, turn.slot);
            sent += 1;
            if next != turn.at + self.spacing {
                leaver = Some(Leaver { turn: *turn, next });
                break;
            }
            self.next_round.push(Turn { at: next, ..*turn });
            if due.get(sent).is_some_and(|turn| turn.at >= bound) {
                break;
            }
        }
        self.passed += sent;
        if self.passed == self.round.len() {
            self.begin_round();
        }
        (sent, leaver)
    }

    fn begin_round(&mut self) {
        self.round.clear();
        self.passed = 0;
        std::mem::swap(&mut self.round, &mut self.next_round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(at: u64, flow: u32) -> Turn {
        Turn { at: Time::from_ps(at), flow, slot: flow }
    }

    fn wheel(turns: &[(u64, u32)]) -> Wheel {
        let mut wheel = Wheel::new(Duration::from_ps(10));
        turns.iter().for_each(|&(at, flow)| assert!(wheel.add(turn(at, flow))));
        wheel
    }

    #[test]
    fn it_takes_who_keeps_it_sorted() {
        let mut wheel = wheel(&[(5, 3), (7, 1), (7, 2)]);
        assert!(!wheel.add(turn(7, 0)), "before the last");
        assert!(!wheel.add(turn(15, 4)), "after the first one's next turn");
        assert!(wheel.add(turn(15, 2)));
    }

    #[test]
    fn it_goes_round_as_far_as_the_bound() {
        let mut wheel = wheel(&[(5, 0), (7, 1), (9, 2)]);
        let mut seen = Vec::new();
        // A round ends whatever the bound, and the first one sends whatever the bound.
        for (bound, sent) in [(9, 2), (100, 1), (16, 1), (0, 1)] {
            let turned = wheel.turn(Time::from_ps(bound), |at, slot| {
                seen.push((at.as_ps(), slot));
                at + Duration::from_ps(10)
            });
            assert_eq!(turned, (sent, None));
        }
        assert_eq!(seen, [(5, 0), (7, 1), (9, 2), (15, 0), (17, 1)]);
    }

    #[test]
    fn who_does_not_keep_the_spacing_leaves() {
        let mut wheel = wheel(&[(5, 0), (7, 1)]);
        let turned = wheel.turn(Time::from_ps(100), |_, _| Time::from_ps(100));
        assert_eq!(turned, (1, Some(Leaver { turn: turn(5, 0), next: Time::from_ps(100) })));
        assert_eq!(wheel.first(), Some(&turn(7, 1)));
    }
}
