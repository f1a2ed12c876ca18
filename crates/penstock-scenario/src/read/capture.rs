//! Times and sizes of the packets of captures: pcap and pcapng.

/// The magic number of a section header block [PCAPNG s4.1].
const SECTION: u32 = 0x0a0d_0d0a;

/// A packet: picoseconds on the capture's clock, and bytes on the wire.
type Stamped = (i128, u32);

/// Maximum duration of a run: 200 days.
const LONGEST_PS: i128 = 200 * 86_400 * 1_000_000_000_000;

/// The packets of a capture in its order: picoseconds since the first of them, and bytes on the wire.
///
/// # Errors
/// Says what is wrong with the capture.
pub(crate) fn packets(content: &[u8]) -> Result<Vec<Stamped>, String> {
    let stamped = match word(content, 0, false) {
        Some(SECTION) => pcapng(content)?,
        Some(0xa1b2_c3d4) => pcap(content, false, Fraction::MICROSECONDS)?,
        Some(0xd4c3_b2a1) => pcap(content, true, Fraction::MICROSECONDS)?,
        Some(0xa1b2_3c4d) => pcap(content, false, Fraction::NANOSECONDS)?,
        Some(0x4d3c_b2a1) => pcap(content, true, Fraction::NANOSECONDS)?,
        _ if content.starts_with(b"\x1f\x8b") => return Err("is compressed with gzip; unpack it first".to_owned()),
        _ => return Err("is neither pcap nor pcapng".to_owned()),
    };
    let Some((first, _)) = stamped.first().copied() else { return Err("holds no packets".to_owned()) };
    let since_first = |(at, size): &Stamped| match at - first {
        since if since.abs() <= LONGEST_PS => Ok((since, *size)),
        _ => Err("spans more than 200 days".to_owned()),
    };
    stamped.iter().map(since_first).collect()
}

/// The unit below the second of stamps in the classic format.
#[derive(Clone, Copy)]
struct Fraction {
    name: &'static str,
    per_second: u32,
}

impl Fraction {
    const MICROSECONDS: Fraction = Fraction { name: "us", per_second: 1_000_000 };
    const NANOSECONDS: Fraction = Fraction { name: "ns", per_second: 1_000_000_000 };
}

/// The classic format; read as little-endian, unless it is `swapped`.
fn pcap(content: &[u8], swapped: bool, unit: Fraction) -> Result<Vec<Stamped>, String> {
    let (mut found, mut at) = (Vec::new(), 24);
    if content.len() < at {
        return Err(cut(0));
    }
    while at < content.len() {
        let read = |offset| word(content, at + offset, swapped).ok_or_else(|| cut(found.len()));
        let (seconds, fraction, captured, size) = (read(0)?, read(4)?, read(8)? as usize, read(12)?);
        if fraction >= unit.per_second {
            let Fraction { name, per_second } = unit;
            let most = per_second - 1;
            return Err(format!("packet {} has {fraction} {name} beyond its second; at most {most}", found.len() + 1));
        }
        let ps = i128::from(fraction) * (1_000_000_000_000 / i128::from(unit.per_second));
        found.push((i128::from(seconds) * 1_000_000_000_000 + ps, size));
        at = at.saturating_add(16).saturating_add(captured);
        if at > content.len() {
            return Err(cut(found.len() - 1));
        }
    }
    Ok(found)
}

/// An interface's clock: the picoseconds of a tick as a fraction, and the offset added to its stamps.
#[derive(Clone, Copy)]
struct Clock {
    ps: i128,
    per_ticks: i128,
    offset_ps: i128,
}

/// Blocks of sections, each with interfaces of its own [PCAPNG s4].
fn pcapng(content: &[u8]) -> Result<Vec<Stamped>, String> {
    let (mut found, mut at, mut swapped) = (Vec::new(), 0, false);
    let mut clocks: Vec<Clock> = Vec::new();
    while at < content.len() {
        let broken = || cut(found.len());
        let kind = word(content, at, swapped).ok_or_else(broken)?;
        if kind == SECTION {
            swapped = match word(content, at + 8, false).ok_or_else(broken)? {
                0x1a2b_3c4d => false,
                0x4d3c_2b1a => true,
                _ => return Err(broken()),
            };
            clocks.clear();
        }
        let length = word(content, at + 4, swapped).ok_or_else(broken)? as usize;
        if length < 12 || !length.is_multiple_of(4) || length > content.len() - at {
            return Err(broken());
        }
        let trailing = word(content, at + length - 4, swapped).ok_or_else(broken)?;
        if trailing as usize != length {
            let packets = found.len();
            return Err(format!("is damaged after packet {packets}: a block of {length} bytes ends with the length {trailing}"));
        }
        let body = &content[at + 8..at + length - 4];
        let read = |offset| word(body, offset, swapped).ok_or_else(broken);
        match kind {
            1 => clocks.push(clock(body, swapped).ok_or_else(broken)?),
            3 => return Err("has packets without times (simple packet blocks)".to_owned()),
            // An enhanced packet block, and the obsolete packet block with a shorter number of the interface.
            2 | 6 => {
                let interface = if kind == 6 { read(0)? as usize } else { half(body, 0, swapped).ok_or_else(broken)? as usize };
                let clock = *clocks.get(interface).ok_or_else(broken)?;
                let ticks = i128::from(read(4)?) << 32 | i128::from(read(8)?);
                found.push((ticks * clock.ps / clock.per_ticks + clock.offset_ps, read(16)?));
            }
            _ => {}
        }
        at += length;
    }
    Ok(found)
}

/// The clock of an interface description block: `if_tsresol` and `if_tsoffset` among its options [PCAPNG s4.2].
fn clock(body: &[u8], swapped: bool) -> Option<Clock> {
    let mut clock = Clock { ps: 1_000_000, per_ticks: 1, offset_ps: 0 };
    let mut at = 8;
    while let (Some(code), Some(length)) = (half(body, at, swapped), half(body, at + 2, swapped)) {
        let value = body.get(at + 4..at + 4 + usize::from(length))?;
        match (code, value) {
            (0, _) => break,
            (9, [resolution]) if resolution & 0x80 != 0 => {
                (clock.ps, clock.per_ticks) =
                    (1_000_000_000_000, 1i128.checked_shl(u32::from(resolution & 0x7f)).filter(|_| resolution & 0x7f < 64)?);
            }
            (9, [resolution]) => {
                (clock.ps, clock.per_ticks) = (1_000_000_000_000, 10i128.checked_pow(u32::from(*resolution)).filter(|_| *resolution < 25)?)
            }
            (14, [..]) if value.len() == 8 => {
                let (low, high) = (word(value, 0, swapped)?, word(value, 4, swapped)?);
                let (low, high) = if swapped { (high, low) } else { (low, high) };
                let seconds = (u64::from(high) << 32 | u64::from(low)) as i64;
                clock.offset_ps = i128::from(seconds) * 1_000_000_000_000;
            }
            _ => {}
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    Some(clock)
}

/// Four bytes, little-endian unless `swapped`.
fn word(content: &[u8], at: usize, swapped: bool) -> Option<u32> {
    let bytes: [u8; 4] = content.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(if swapped { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
}

/// Two bytes, little-endian unless `swapped`.
fn half(content: &[u8], at: usize, swapped: bool) -> Option<u16> {
    let bytes: [u8; 2] = content.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(if swapped { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

fn cut(packets: usize) -> String {
    format!("is damaged or cut short after packet {packets}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32], swapped: bool) -> Vec<u8> {
        words.iter().flat_map(|word| if swapped { word.to_be_bytes() } else { word.to_le_bytes() }).collect()
    }

    #[test]
    fn classic_captures_of_both_orders_and_resolutions() {
        for (magic, second) in [(0xa1b2_c3d4u32, 1_000_000u32), (0xa1b2_3c4d, 1_000_000_000)] {
            for swapped in [false, true] {
                let header = [magic, 0x0004_0002, 0, 0, 65535, 1];
                // The second packet is cut to four bytes by the snapshot length; the third follows 1.5 s after the first.
                let records = [100, second / 4, 0, 60, 100, second / 2, 4, 1514, 0xdead_beef, 101, second / 4 * 3, 0, 64];
                let content = [words(&header, swapped), words(&records, swapped)].concat();
                let ms = 1_000_000_000;
                assert_eq!(packets(&content), Ok(vec![(0, 60), (250 * ms, 1514), (1500 * ms, 64)]));
                assert_eq!(packets(&content[..content.len() - 3]), Err("is damaged or cut short after packet 2".to_owned()));
                let beyond = [words(&header, swapped), words(&[100, second, 0, 60], swapped)].concat();
                let unit = if second == 1_000_000 { "us" } else { "ns" };
                let told = format!("packet 1 has {second} {unit} beyond its second; at most {}", second - 1);
                assert_eq!(packets(&beyond), Err(told));
            }
        }
    }

    #[test]
    fn blocks_of_pcapng_with_clocks_of_their_own() {
        for swapped in [false, true] {
            let section = words(&[SECTION, 28, 0x1a2b_3c4d, if swapped { 0x0001_0000 } else { 1 }, u32::MAX, u32::MAX, 28], swapped);
            // Microseconds by default; nanoseconds by an option of the code 9 and one byte.
            let plain = words(&[1, 20, 1, 0, 20], swapped);
            let mut nanoseconds = words(&[1, 28, 1, 0], swapped);
            let pair = |a: u16, b: u16| {
                if swapped {
                    [a.to_be_bytes(), b.to_be_bytes()].concat()
                } else {
                    [a.to_le_bytes(), b.to_le_bytes()].concat()
                }
            };
            nanoseconds.extend(pair(9, 1));
            nanoseconds.extend([9, 0, 0, 0]);
            nanoseconds.extend(words(&[28], swapped));
            let packet = |interface: u32, ticks: u64, size: u32| {
                words(&[6, 36, interface, (ticks >> 32) as u32, ticks as u32, 4, size, 0, 36], swapped)
            };
            let unknown = words(&[0x0bad, 12, 12], swapped);
            let of =
                |packets: &[Vec<u8>]| [section.clone(), plain.clone(), nanoseconds.clone(), unknown.clone(), packets.concat()].concat();
            let second = 1_000_000_000_000;
            let content = of(&[packet(0, 7_000_000_000, 60), packet(1, 7_000_500_000_000, 1514)]);
            assert_eq!(packets(&content), Ok(vec![(0, 60), (second / 2, 1514)]));
            assert_eq!(packets(&of(&[packet(0, 9, 60), packet(0, 8, 60)])), Ok(vec![(0, 60), (-1_000_000, 60)]));
            let mut wrong = packet(0, 9, 60);
            wrong.splice(32.., words(&[40], swapped));
            let told = "is damaged after packet 1: a block of 36 bytes ends with the length 40";
            assert_eq!(packets(&of(&[packet(0, 8, 60), wrong])), Err(told.to_owned()));
            assert_eq!(packets(&of(&[packet(2, 9, 60)])), Err("is damaged or cut short after packet 0".to_owned()));
            assert_eq!(packets(&of(&[])), Err("holds no packets".to_owned()));
        }
        assert_eq!(packets(b"time,size\n"), Err("is neither pcap nor pcapng".to_owned()));
        assert_eq!(packets(b""), Err("is neither pcap nor pcapng".to_owned()));
    }
}
