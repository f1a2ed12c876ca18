//! Sources that send at one spacing and so keep their order.

use crate::kernel::event::Arrival;
use penstock_model::id::{FlowId, HopId};
use penstock_model::packet::{Body, Ecn, Packet, PcnMark};
use penstock_model::units::{Duration, Time};

/// A source in a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn<N = ()> {
    /// When it sends next.
    pub at: Time,
    /// The flow's serial number, which orders simultaneous sources.
    pub flow: u32,
    /// Its slot at the host.
    pub slot: u32,
    /// What it sends next, if that stands here.
    pub next: N,
}

/// The next packet of a source whose packets differ by nothing but their numbers: what stands here need not be looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Next {
    /// The first arrival of its route.
    pub hop: HopId,
    /// Bytes.
    pub size: u32,
    /// Its number.
    pub seq: u32,
    /// The port of the host that it leaves by.
    pub port: u16,
    /// Its precedence.
    pub precedence: u8,
    /// Its class.
    pub class: u8,
}

const _: () = assert!(std::mem::size_of::<Turn>() == 16 && std::mem::size_of::<Turn<Next>>() == 32);

impl Turn<Next> {
    /// The packet that a source repeats, arriving at its port.
    #[inline(always)]
    pub fn arrival(&self) -> Arrival {
        let Next { hop, size, seq, precedence, class, .. } = self.next;
        let packet = Packet {
            created: self.at,
            flow: FlowId(self.flow),
            hop,
            size,
            precedence,
            class,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body: Body::Datagram { seq },
        };
        Arrival { at: self.at, packet }
    }
}

impl<N> Turn<N> {
    /// What the order of turns goes by.
    #[inline(always)]
    pub fn order(&self) -> u128 {
        u128::from(self.at.as_ps()) << 64 | u128::from(self.flow)
    }
}

/// Sources in the order of their turns. Whoever has sent goes to the end of the next round, one spacing later; those that repeat
/// one packet for ever never leave, so they stay where they are, and the next round is only for those that join.
#[derive(Debug)]
pub struct TimingWheel<N = ()> {
    spacing: Duration,
    /// Whether its sources repeat one packet for ever, and say so in [`Turn::next`].
    repeats: bool,
    /// Who is still to send in this round, from `passed` on; nobody only if the wheel is empty.
    round: Vec<Turn<N>>,
    passed: usize,
    next_round: Vec<Turn<N>>,
}

/// A source that does not go on at the wheel's spacing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaver<N = ()> {
    /// The turn that it has had.
    pub turn: Turn<N>,
    /// When it sends next.
    pub next: Time,
}

/// What may stand in a turn.
pub trait Repeated: Copy + Default + Ord {
    /// The one after it.
    #[must_use]
    fn after(self) -> Self;
}

impl Repeated for () {
    fn after(self) {}
}

impl Repeated for Next {
    #[inline(always)]
    fn after(self) -> Next {
        Next { seq: self.seq.wrapping_add(1), ..self }
    }
}

impl<N: Repeated> TimingWheel<N> {
    /// An empty wheel of this spacing, for sources that repeat one packet for ever or for others.
    pub fn new(spacing: Duration, repeats: bool) -> TimingWheel<N> {
        TimingWheel { spacing, repeats, round: Vec::new(), passed: 0, next_round: Vec::new() }
    }

    /// Whether it is for sources of this spacing that do, or do not, repeat one packet for ever.
    pub fn is_for(&self, spacing: Duration, repeats: bool) -> bool {
        (self.spacing, self.repeats) == (spacing, repeats)
    }

    /// Whether its sources repeat one packet for ever.
    #[inline(always)]
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn first(&self) -> Option<&Turn<N>> {
        self.round.get(self.passed)
    }

    /// Adds a source, if it comes last, but before the first one's next turn: then the wheel stays sorted as it turns.
    pub fn add(&mut self, turn: Turn<N>) -> bool {
        let first = self.first().copied();
        let has_turned = self.repeats && self.passed > 0;
        let last = match self.next_round.last() {
            None if has_turned => self.round[..self.passed].last(),
            None => self.round.last(),
            // Of those that repeat, whoever has had a turn since may come later than the last that has joined.
            last if has_turned => last.max(self.round[..self.passed].last()),
            last => last,
        }
        .copied();
        let last_round = if self.next_round.is_empty() && !has_turned { &mut self.round } else { &mut self.next_round };
        let fits = match (first, last) {
            (Some(first), Some(last)) => last < turn && turn < Turn { at: first.at + self.spacing, ..first },
            _ => true,
        };
        if fits {
            last_round.push(turn);
        }
        fits
    }

    /// Whose turn it is before `bound`, at most `most` of them, of this round.
    #[inline]
    pub fn due(&self, bound: Time, most: usize) -> &[Turn<N>] {
        let left = &self.round[self.passed..];
        let left = &left[..left.len().min(most)];
        &left[..left.partition_point(|turn| turn.at < bound)]
    }

    /// The first `count` sources of [`TimingWheel::due`] have repeated their packets.
    #[inline]
    pub fn repeated(&mut self, count: usize) {
        for turn in &mut self.round[self.passed..self.passed + count] {
            turn.at += self.spacing;
            turn.next = turn.next.after();
        }
        self.pass(count);
    }

    /// Who is still to send in this round.
    #[inline]
    pub fn left(&self) -> &[Turn<N>] {
        &self.round[self.passed..]
    }

    /// Lets the first source send, and the others as long as they are due before `bound`, at most `most`; `send` is told when
    /// and which slot, and says when that source sends next. Ends early with a source that leaves. Returns how many have sent,
    /// at least one. Panics if the wheel is empty.
    #[inline(always)]
    pub fn turn(&mut self, bound: Time, most: usize, mut send: impl FnMut(Time, u32) -> Time) -> (usize, Option<Leaver<N>>) {
        let (mut sent, mut leaver) = (0, None);
        let due = &self.round[self.passed..];
        let due = &due[..due.len().min(most)];
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
        self.pass(sent);
        (sent, leaver)
    }

    fn pass(&mut self, count: usize) {
        self.passed += count;
        if self.passed == self.round.len() {
            self.begin_round();
        }
    }

    fn begin_round(&mut self) {
        self.passed = 0;
        if self.repeats {
            if !self.next_round.is_empty() {
                self.round.append(&mut self.next_round);
                // Two sorted runs.
                self.round.sort();
            }
            return;
        }
        self.round.clear();
        std::mem::swap(&mut self.round, &mut self.next_round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(at: u64, flow: u32) -> Turn<Next> {
        Turn { at: Time::from_ps(at), flow, slot: flow, next: Next::default() }
    }

    fn wheel(turns: &[(u64, u32)]) -> TimingWheel<Next> {
        wheel_of(false, turns)
    }

    fn wheel_of(repeats: bool, turns: &[(u64, u32)]) -> TimingWheel<Next> {
        let mut wheel = TimingWheel::new(Duration::from_ps(10), repeats);
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
            let turned = wheel.turn(Time::from_ps(bound), 9, |at, slot| {
                seen.push((at.as_ps(), slot));
                at + Duration::from_ps(10)
            });
            assert_eq!(turned, (sent, None));
        }
        assert_eq!(seen, [(5, 0), (7, 1), (9, 2), (15, 0), (17, 1)]);
    }

    #[test]
    fn who_repeats_one_packet_goes_on_for_ever() {
        let mut wheel = wheel_of(true, &[(5, 0), (7, 1), (9, 2)]);
        let mut seen = Vec::new();
        for (bound, most) in [(9, 9), (100, 9), (100, 2), (16, 9), (100, 9)] {
            let due: Vec<_> = wheel.due(Time::from_ps(bound), most).iter().map(|turn| (turn.at.as_ps(), turn.next.seq)).collect();
            wheel.repeated(due.len());
            seen.extend(due);
        }
        assert_eq!(seen, [(5, 0), (7, 0), (9, 0), (15, 1), (17, 1), (19, 1)]);
    }

    #[test]
    fn those_that_repeat_can_join_at_any_time() {
        let mut wheel = wheel_of(true, &[(5, 0), (9, 2)]);
        wheel.repeated(1);
        assert!(!wheel.add(turn(14, 4)), "before one that has had its turn");
        assert!(!wheel.add(turn(20, 4)), "after the first one's next turn");
        assert!(wheel.add(turn(16, 4)));
        assert!(!wheel.add(turn(15, 5)), "before the last that has joined");
        wheel.repeated(1);
        assert!(!wheel.add(turn(25, 5)), "after the first one's next turn");
        assert!(wheel.add(turn(23, 5)));
        let due: Vec<_> = wheel.due(Time::from_ps(100), 9).iter().map(|turn| turn.at.as_ps()).collect();
        assert_eq!(due, [15, 16, 19, 23]);
    }

    #[test]
    fn who_does_not_keep_the_spacing_leaves() {
        let mut wheel = wheel(&[(5, 0), (7, 1)]);
        let turned = wheel.turn(Time::from_ps(100), 9, |_, _| Time::from_ps(100));
        assert_eq!(turned, (1, Some(Leaver { turn: turn(5, 0), next: Time::from_ps(100) })));
        assert_eq!(wheel.first(), Some(&turn(7, 1)));
    }
}
