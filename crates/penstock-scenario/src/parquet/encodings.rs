//! Encodings of values as bits: bit packing, runs and differences [Parquet].

use super::thrift::{varint, zigzag};

/// Number of differences in a block.
const BLOCK: usize = 128;

/// Number of differences in a miniblock; they have the same width in bits.
const MINIBLOCK: usize = 32;

/// The number of bits that a number needs.
pub(super) fn bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Appends numbers of `width` bits, from 1 to 64, the lowest bits first; the last byte is filled up with zeros.
#[inline]
pub(super) fn pack(numbers: impl Iterator<Item = u64>, width: u32, bytes: &mut Vec<u8>) {
    let (mut word, mut used) = (0_u64, 0);
    for number in numbers {
        word |= number << used;
        used += width;
        if used >= u64::BITS {
            bytes.extend(word.to_le_bytes());
            used -= u64::BITS;
            // The bits that did not fit, if any.
            word = if used == 0 { 0 } else { number >> (width - used) };
        }
    }
    bytes.extend(&word.to_le_bytes()[..used.div_ceil(8) as usize]);
}

/// Appends small numbers of `width` bits as one run: of a repeated number, or bit-packed (the hybrid of RLE and bit packing).
///
/// The compression of the page afterwards finds shorter runs, too.
pub(super) fn run(numbers: &[u32], width: u32, bytes: &mut Vec<u8>) {
    let Some(&first) = numbers.first() else { return };
    if numbers.iter().all(|number| *number == first) {
        repeated(first, numbers.len(), width, bytes);
    } else {
        let groups = numbers.len().div_ceil(8);
        varint((groups as u64) << 1 | 1, bytes);
        let end = bytes.len() + groups * width as usize;
        pack(numbers.iter().map(|number| u64::from(*number)), width, bytes);
        bytes.resize(end, 0);
    }
}

/// Appends a run of one number of `width` bits.
pub(super) fn repeated(number: u32, count: usize, width: u32, bytes: &mut Vec<u8>) {
    varint((count as u64) << 1, bytes);
    bytes.extend(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Appends numbers by their differences (DELTA_BINARY_PACKED).
pub(super) fn differences(numbers: &[i64], bytes: &mut Vec<u8>) {
    for head in [BLOCK, BLOCK / MINIBLOCK, numbers.len()] {
        varint(head as u64, bytes);
    }
    zigzag(numbers.first().copied().unwrap_or(0), bytes);
    let mut differences = [0_i64; BLOCK];
    for (i, ends) in numbers.get(1..).unwrap_or_default().chunks(BLOCK).enumerate() {
        let before = &numbers[i * BLOCK..];
        for ((difference, end), start) in differences.iter_mut().zip(ends).zip(before) {
            *difference = end.wrapping_sub(*start);
        }
        block(&differences[..ends.len()], bytes);
    }
}

/// Appends a block of differences: the minimum, the number of bits of each miniblock, and the excesses over the minimum.
fn block(differences: &[i64], bytes: &mut Vec<u8>) {
    let least = differences.iter().copied().min().unwrap_or(0);
    zigzag(least, bytes);
    let above = |difference: &i64| difference.wrapping_sub(least) as u64;
    let first = bytes.len();
    bytes.resize(first + BLOCK / MINIBLOCK, 0);
    for (i, part) in differences.chunks(MINIBLOCK).enumerate() {
        let width = bits(part.iter().map(above).fold(0, |all, number| all | number));
        bytes[first + i] = width as u8;
        if width > 0 {
            let end = bytes.len() + MINIBLOCK / 8 * width as usize;
            pack(part.iter().map(above), width, bytes);
            bytes.resize(end, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes);
        bytes
    }

    #[test]
    fn numbers_are_packed_from_the_lowest_bits() {
        // The example of the format's description: 0 to 7 in 3 bits each.
        assert_eq!(bytes(|it| pack(0..8, 3, it)), [0b1000_1000, 0b1100_0110, 0b1111_1010]);
        // A number across the border of two words of 64 bits, and all 64 bits of one.
        let packed = bytes(|it| pack([1, (1 << 40) - 1, 3].into_iter(), 40, it));
        assert_eq!(packed, [1, 0, 0, 0, 0, 255, 255, 255, 255, 255, 3, 0, 0, 0, 0]);
        assert_eq!(bytes(|it| pack([u64::MAX, 1].into_iter(), 64, it)), [[255; 8], [1, 0, 0, 0, 0, 0, 0, 0]].concat());
    }

    #[test]
    fn a_run_is_of_one_number_or_packed_in_groups_of_eight() {
        assert_eq!(bytes(|it| run(&[5; 100], 3, it)), [200, 1, 5]);
        assert_eq!(bytes(|it| run(&[1, 0, 1], 1, it)), [3, 0b101]);
        assert_eq!(bytes(|it| run(&[1, 2, 3, 0, 0, 0, 0, 0, 3], 2, it)), [5, 0b11_1001, 0, 3, 0]);
        assert!(bytes(|it| run(&[], 1, it)).is_empty());
    }

    #[test]
    fn differences_are_packed_above_the_least_of_their_block() {
        // The two examples of the format's description.
        assert_eq!(bytes(|it| differences(&[1, 2, 3, 4, 5], it)), [0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0]);
        let packed = bytes(|it| differences(&[7, 5, 3, 1, 2, 3, 4, 5], it));
        assert_eq!(packed, [0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0b1100_0000, 0b11_1111, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(|it| differences(&[9], it)), [0x80, 1, 4, 1, 18]);
    }
}
