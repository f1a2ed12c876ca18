//! The blocks of a pcapng file: one section with one interface, and its packets with times in nanoseconds [PCAPNG].

use penstock_model::units::{Rate, Time};

/// The file's byte order, least significant first; readers detect it from this number [PCAPNG s4.1].
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
/// Ethernet, as a link type [PCAPNG s4.2].
const ETHERNET: u16 = 1;
/// Maximum number of bytes of a packet in a file: all headers fit.
const SNAP_LENGTH: u32 = 128;
/// Bytes of a block without its body: its type, and its length at both ends.
const FRAME: usize = 12;

/// Appends the section header and the description of the interface, which is the port of a link.
pub(super) fn begin(out: &mut Vec<u8>, link: &str, rate: Rate) {
    block(out, 0x0A0D_0D0A, |out| {
        out.extend(BYTE_ORDER.to_le_bytes());
        out.extend([1, 0, 0, 0]); // version 1.0
        out.extend((-1_i64).to_le_bytes()); // of a length that is not given
        option(out, 4, b"Penstock");
        option(out, 0, &[]);
    });
    block(out, 1, |out| {
        out.extend(ETHERNET.to_le_bytes());
        out.extend([0, 0]);
        out.extend(SNAP_LENGTH.to_le_bytes());
        option(out, 2, link.as_bytes());
        option(out, 8, &rate.as_bps().to_le_bytes());
        option(out, 9, &[9]); // times in units of 10^-9 s
        option(out, 0, &[]);
    });
}

/// Appends the `captured` part of a packet that has `length` bytes.
pub(super) fn packet(out: &mut Vec<u8>, now: Time, captured: &[u8], length: u32) {
    debug_assert!(captured.len() <= SNAP_LENGTH as usize && captured.len() <= length as usize);
    let nanoseconds = now.as_ps() / 1000;
    block(out, 6, |out| {
        out.extend(0_u32.to_le_bytes()); // the only interface
        out.extend(((nanoseconds >> 32) as u32).to_le_bytes());
        out.extend((nanoseconds as u32).to_le_bytes());
        out.extend((captured.len() as u32).to_le_bytes());
        out.extend(length.to_le_bytes());
        padded(out, captured);
    });
}

/// A block with its length at both ends.
fn block(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let first = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    body(out);
    let length = (out.len() - first + FRAME - 8) as u32;
    out[first + 4..first + 8].copy_from_slice(&length.to_le_bytes());
    out.extend(length.to_le_bytes());
}

fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    padded(out, value);
}

/// Fills up to a multiple of four bytes.
fn padded(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
    out.extend_from_slice(&[0; 3][..bytes.len().wrapping_neg() % 4]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::units::Duration;

    #[test]
    fn a_block_is_what_the_document_says() {
        let mut out = Vec::new();
        // 2^32 ns and 5 ns, and half of another one, which is cut off.
        packet(&mut out, Time::ZERO + Duration::from_ps(4_294_967_301_500), &[0xAA, 0xBB, 0xCC, 0xDD, 0xEE], 99);
        let words: Vec<u32> = out.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words, [6, 40, 0, 1, 5, 5, 99, 0xDDCC_BBAA, 0xEE, 40]);
    }

    #[test]
    fn every_block_ends_with_its_length() {
        let mut out = Vec::new();
        begin(&mut out, "a-b", Rate::from_bps(1_000_000));
        let number = |at: usize| u32::from_le_bytes(out[at..at + 4].try_into().expect("four bytes")) as usize;
        let mut at = 0;
        for kind in [0x0A0D_0D0A, 1] {
            let length = number(at + 4);
            assert_eq!((number(at), length % 4), (kind, 0));
            assert_eq!(number(at + length - 4), length);
            at += length;
        }
        assert_eq!(at, out.len());
    }
}
