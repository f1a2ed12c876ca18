//! Filter of acknowledgements.

use crate::packet::{Ack, Packet, SackBlock};
use crate::scheduler::Earlier;

crate::choice! {
    /// Which acknowledgements are dropped in favour of later ones.
    pub enum AckFilter {
        /// None.
        "off" => Off,
        /// The oldest of at least two that the arrival makes redundant.
        "conservative" => Conservative,
        /// Also the only one, if nothing lies between it and the arrival.
        "aggressive" => Aggressive,
    }
}

/// Flags CWR and ECE.
const ECN_ECHO: u32 = 0b011;
/// Flag AE, a reserved bit before AccECN.
const AE: u32 = 0b100;

/// All blocks of the SACK option, first the one that reports a duplicate (D-SACK).
fn blocks(ack: &Ack) -> impl Iterator<Item = SackBlock> + '_ {
    let duplicate = ack.duplicate().map(|segment| SackBlock { start: segment, end: segment.wrapping_add(1) });
    duplicate.into_iter().chain(ack.blocks())
}

/// Number of segments in the SACK blocks; a duplicate counts again.
fn covered(ack: &Ack) -> u32 {
    blocks(ack).map(|block| block.end.wrapping_sub(block.start)).sum()
}

/// Whether it reports a duplicate of a segment that the cumulative acknowledgement covers. No later acknowledgement reports it.
fn reports_duplicate(ack: &Ack) -> bool {
    ack.duplicate().is_some_and(|segment| segment < ack.next)
}

/// Whether the flags and options of an acknowledgement allow dropping it: the filter must know all of them.
fn is_plain(ack: &Ack) -> bool {
    ack.flags.ace() & AE == 0 && !reports_duplicate(ack) && (blocks(ack).count() == 3 || ack.sack.marks() == 0)
}

/// Whether `new` conveys all information of `old`, and more.
fn supersedes(new: &Ack, old: &Ack) -> bool {
    if old.next > new.next {
        return false;
    }
    // Each block of `old` must lie in a block of `new`.
    let is_covered = blocks(old).all(|block| blocks(new).any(|other| other.start <= block.start && other.end >= block.end));
    is_covered && (old.next < new.next || covered(new) > covered(old))
}

impl AckFilter {
    /// Position of the `earlier` acknowledgement that `packet` makes redundant.
    pub fn redundant(self, packet: &Packet, earlier: Earlier<'_>) -> Option<u32> {
        let new = packet.body.to_ack()?;
        let echo_of = |ack: &Ack| ack.flags.ace() & ECN_ECHO;
        let mut eligible: Option<(u32, u32)> = None;
        let (mut found, mut count) = (0, 0);
        for (position, old) in (0..).zip(earlier) {
            count += 1;
            let Some(ack) = old.body.to_ack().filter(|_| old.flow == packet.flow) else { continue };
            if eligible.is_some_and(|(_, echo)| echo != echo_of(&ack)) {
                // Otherwise the sender would not notice the change of the flags.
                eligible = None;
                found -= 1;
            }
            if !is_plain(&ack) || !supersedes(&new, &ack) {
                continue;
            }
            let (oldest, _) = *eligible.get_or_insert((position, echo_of(&ack)));
            found += 1;
            if found > 1 {
                return Some(oldest);
            }
        }
        let (only, echo) = eligible?;
        let follows = only + 1 == count && echo == echo_of(&new);
        (self == AckFilter::Aggressive && follows).then_some(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::FlowId;
    use crate::packet::testing::packet;
    use crate::packet::{AckFlags, Body, SackBlock, SackBlocks};

    fn ack(next: u32, flags: AckFlags, blocks: &[(u32, u32)]) -> Packet {
        let sack = SackBlocks::new(next, blocks.iter().map(|(start, end)| SackBlock { start: *start, end: *end }));
        Packet { body: Body::ack(Ack { next, flags, sack }), ..packet(40, 0) }
    }

    fn plain(next: u32) -> Packet {
        ack(next, AckFlags::NONE, &[])
    }

    /// An acknowledgement with a D-SACK of a segment before its blocks.
    fn report(next: u32, duplicate: u32, blocks: &[(u32, u32)]) -> Packet {
        let mut told = ack(next, AckFlags::NONE, blocks).body.to_ack().expect("an acknowledgement");
        told.sack = told.sack.with_duplicate(next, duplicate);
        Packet { body: Body::ack(told), ..packet(40, 0) }
    }

    /// Position that the last of these packets makes redundant, with the conservative and with the aggressive filter.
    fn redundant(packets: &[Packet]) -> [Option<u32>; 2] {
        let (last, earlier) = packets.split_last().expect("a packet");
        [AckFilter::Conservative, AckFilter::Aggressive].map(|filter| filter.redundant(last, &mut earlier.iter()))
    }

    #[test]
    fn the_oldest_of_two_goes_or_the_only_one_if_aggressive() {
        assert_eq!(redundant(&[plain(9)]), [None, None]);
        assert_eq!(redundant(&[plain(8), plain(9)]), [None, Some(0)]);
        assert_eq!(redundant(&[plain(7), plain(8), plain(9)]), [Some(0), Some(0)]);
        // Data of the same flow or of another flow, at the head and in between.
        let data = packet(1500, 0);
        assert_eq!(redundant(&[data, plain(7), data, plain(8), plain(9)]), [Some(1), Some(1)]);
        assert_eq!(redundant(&[plain(8), data, plain(9)]), [None, None], "they do not follow each other");
        assert_eq!(redundant(&[plain(7), plain(8), data]), [None, None], "only acknowledgements make others redundant");
        let of_other = Packet { flow: FlowId(5), ..plain(7) };
        assert_eq!(redundant(&[of_other, plain(8), plain(9)]), [None, Some(1)]);
    }

    #[test]
    fn duplicates_and_later_ones_stay() {
        assert_eq!(redundant(&[plain(9), plain(9), plain(9)]), [None, None]);
        assert_eq!(redundant(&[plain(10), plain(8), plain(9)]), [None, Some(1)]);
    }

    #[test]
    fn blocks_must_be_covered() {
        let with = |next, blocks: &[(u32, u32)]| ack(next, AckFlags::NONE, blocks);
        // The same cumulative acknowledgement: more blocks, and less.
        assert_eq!(redundant(&[plain(3), with(3, &[(5, 6)]), with(3, &[(5, 7)])]), [Some(0), Some(0)]);
        assert_eq!(redundant(&[with(3, &[(5, 7)]), with(3, &[(5, 6)])]), [None, None]);
        assert_eq!(redundant(&[with(3, &[(5, 6)]), with(3, &[(5, 6)])]), [None, None], "the same again");
        assert_eq!(redundant(&[with(3, &[(5, 6)]), with(4, &[(5, 6)])]), [None, Some(0)]);
        // Without the block, although everything is acknowledged.
        assert_eq!(redundant(&[with(3, &[(5, 6)]), plain(9)]), [None, None]);
    }

    #[test]
    fn a_report_of_a_duplicate_below_the_acknowledgement_is_kept() {
        let with = |next, blocks: &[(u32, u32)]| ack(next, AckFlags::NONE, blocks);
        // Later acknowledgements do not convey the duplicate, not even with the same report.
        assert_eq!(redundant(&[report(7, 3, &[]), plain(8), plain(9)]), [None, Some(1)]);
        assert_eq!(redundant(&[report(7, 3, &[]), report(8, 3, &[])]), [None, None]);
        assert_eq!(redundant(&[plain(6), report(7, 3, &[]), plain(8)]), [None, None]);
        assert_eq!(redundant(&[report(7, 3, &[(12, 14)]), with(9, &[(12, 14)])]), [None, None]);
        // As a block, the duplicate makes a plain acknowledgement redundant.
        assert_eq!(redundant(&[plain(7), report(7, 3, &[])]), [None, Some(0)]);
    }

    #[test]
    fn a_report_of_a_duplicate_above_the_acknowledgement_is_a_block() {
        let with = |next, blocks: &[(u32, u32)]| ack(next, AckFlags::NONE, blocks);
        assert_eq!(redundant(&[report(7, 12, &[(12, 14)]), with(8, &[(12, 14)])]), [None, Some(0)]);
        assert_eq!(redundant(&[report(7, 12, &[]), plain(8)]), [None, None]);
        // The duplicate segment counts twice, so both acknowledgements cover three segments.
        assert_eq!(redundant(&[report(7, 12, &[(12, 14)]), with(7, &[(12, 15)])]), [None, None]);
        assert_eq!(redundant(&[report(7, 12, &[(12, 14)]), with(7, &[(12, 16)])]), [None, Some(0)]);
        // A third block in the place of AccECN's option.
        assert_eq!(redundant(&[report(7, 12, &[(12, 14), (16, 18)]), with(8, &[(12, 14), (16, 18)])]), [None, Some(0)]);
    }

    #[test]
    fn changes_of_flags_are_kept() {
        let echo = |next| ack(next, AckFlags::ECE, &[]);
        assert_eq!(redundant(&[plain(7), echo(8), echo(9)]), [None, Some(1)]);
        assert_eq!(redundant(&[echo(8), plain(9)]), [None, None]);
        assert_eq!(redundant(&[plain(6), echo(7), echo(8), echo(9)]), [Some(1), Some(1)]);
        // Flag AE and the option of AccECN.
        let ae = |next| ack(next, AckFlags::of_count(4), &[]);
        assert_eq!(redundant(&[ae(7), ae(8), ae(9)]), [None, None]);
        let with_option = |next| {
            let sack = SackBlocks::new(next, std::iter::empty()).with_marks(5);
            Packet { body: Body::ack(Ack { next, flags: AckFlags::NONE, sack }), ..packet(40, 0) }
        };
        assert_eq!(redundant(&[with_option(7), with_option(8), plain(9)]), [None, None]);
    }
}
