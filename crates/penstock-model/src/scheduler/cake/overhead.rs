//! Bytes that packets occupy on the link behind the shaper.

use crate::parameters::{BytesOrZero, Kind, Parameter, Value};
use crate::printable::quoted;
use crate::units::Bytes;

crate::choice! {
    /// Framing of the link behind the shaper.
    pub enum LinkLayer {
        /// None beyond `overhead` and `mpu`.
        "noatm" => Plain,
        /// Cells of 53 bytes, 48 of them payload.
        "atm" => Atm,
        /// One more byte for each 64 bytes or part of them, as with the 64b/65b code of VDSL2.
        "ptm" => Ptm,
    }
}

/// Bytes that the link adds to each packet, or the words of tc-cake(8) for a link, which also imply a minimum size and a framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkOverhead {
    /// Bytes added to each packet.
    pub added: u64,
    /// Minimum size unless `mpu` is given.
    pub minimum: u64,
    /// Framing unless `framing` is given.
    pub layer: LinkLayer,
}

/// A VLAN tag, which can follow another word.
const VLAN: (&str, u64) = ("ether-vlan", 4);

/// Words of tc-cake(8) for links, with bytes added, minimum size and framing.
const LINKS: [(&str, u64, u64, LinkLayer); 14] = [
    ("raw", 0, 0, LinkLayer::Plain),
    ("conservative", 48, 0, LinkLayer::Atm),
    ("ethernet", 38, 84, LinkLayer::Plain),
    ("docsis", 18, 64, LinkLayer::Plain),
    ("pppoe-ptm", 30, 0, LinkLayer::Ptm),
    ("bridged-ptm", 22, 0, LinkLayer::Ptm),
    ("ipoa-vcmux", 8, 0, LinkLayer::Atm),
    ("ipoa-llcsnap", 16, 0, LinkLayer::Atm),
    ("bridged-vcmux", 24, 0, LinkLayer::Atm),
    ("bridged-llcsnap", 32, 0, LinkLayer::Atm),
    ("pppoa-vcmux", 10, 0, LinkLayer::Atm),
    ("pppoa-llc", 14, 0, LinkLayer::Atm),
    ("pppoe-vcmux", 32, 0, LinkLayer::Atm),
    ("pppoe-llcsnap", 40, 0, LinkLayer::Atm),
];

const NAMES: &str = "raw, conservative, ethernet, docsis, pppoe-ptm, bridged-ptm, ipoa-vcmux, ipoa-llcsnap, bridged-vcmux, \
                     bridged-llcsnap, pppoa-vcmux, pppoa-llc, pppoe-vcmux, pppoe-llcsnap, each also before ether-vlan";

impl LinkOverhead {
    /// Parses one or more words for a link; `None` if the first word names no link.
    fn of_words(text: &str) -> Option<Result<LinkOverhead, String>> {
        let mut words = text.split_whitespace();
        let first = words.clone().next()?;
        let link = LINKS.iter().find(|(word, ..)| *word == first);
        if link.is_some() {
            words.next();
        } else if first != VLAN.0 {
            return None;
        }
        let (_, added, minimum, layer) = *link.unwrap_or(&LINKS[0]);
        let mut tags = 0;
        for word in words {
            if word != VLAN.0 {
                return Some(Err(format!("{} cannot follow {}; only ether-vlan can", quoted(word), quoted(first))));
            }
            tags += 1;
        }
        Some(Ok(LinkOverhead { added: added + tags * VLAN.1, minimum, layer }))
    }
}

impl Parameter for LinkOverhead {
    const KIND: Kind = Kind::Quantity("38 bytes");
    const RANGE: &'static str = "zero or more, or a word of tc-cake(8) for a link, which also sets `mpu` and `framing`: raw, \
                                 conservative, ethernet, docsis, pppoe-ptm, bridged-ptm, ipoa-vcmux, ipoa-llcsnap, bridged-vcmux, \
                                 bridged-llcsnap, pppoa-vcmux, pppoa-llc, pppoe-vcmux, pppoe-llcsnap; ether-vlan can follow it";
    fn from_value(value: &Value) -> Result<Self, String> {
        let words = match value {
            Value::Text(text) => LinkOverhead::of_words(text),
            _ => None,
        };
        let bytes = || BytesOrZero::from_value(value).map_err(|message| format!("{message}, or one of {NAMES}"));
        words.unwrap_or_else(|| bytes().map(|bytes| LinkOverhead { added: bytes.0.get(), minimum: 0, layer: LinkLayer::Plain }))
    }
}

/// Overhead compensation by the rules of tc-cake(8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// Bytes added to each packet.
    pub added: u64,
    /// Minimum size after the addition (mpu).
    pub minimum: u64,
    /// Framing of the result.
    pub layer: LinkLayer,
}

impl Overhead {
    /// Bytes that a packet of `size` bytes occupies.
    #[inline]
    pub fn bytes(&self, size: u32) -> Bytes {
        let framed = (u64::from(size) + self.added).max(self.minimum);
        Bytes::new(match self.layer {
            LinkLayer::Plain => framed,
            LinkLayer::Atm => framed.div_ceil(48) * 53,
            LinkLayer::Ptm => framed + framed.div_ceil(64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<(u64, u64, LinkLayer), String> {
        LinkOverhead::from_value(&Value::Text(text.to_owned())).map(|it| (it.added, it.minimum, it.layer))
    }

    /// The equivalents that tc-cake(8) gives for its words.
    #[test]
    fn words_are_those_of_tc() {
        use LinkLayer::{Atm, Plain, Ptm};
        for (text, expected) in [
            ("12 bytes", (12, 0, Plain)),
            ("0 bytes", (0, 0, Plain)),
            ("raw", (0, 0, Plain)),
            ("conservative", (48, 0, Atm)),
            ("pppoa-vcmux", (10, 0, Atm)),
            ("pppoa-llc", (14, 0, Atm)),
            ("pppoe-vcmux", (32, 0, Atm)),
            ("pppoe-llcsnap", (40, 0, Atm)),
            ("bridged-vcmux", (24, 0, Atm)),
            ("bridged-llcsnap", (32, 0, Atm)),
            ("ipoa-vcmux", (8, 0, Atm)),
            ("ipoa-llcsnap", (16, 0, Atm)),
            ("pppoe-ptm", (30, 0, Ptm)),
            ("bridged-ptm", (22, 0, Ptm)),
            ("docsis", (18, 64, Plain)),
            ("ethernet", (38, 84, Plain)),
            ("ether-vlan", (4, 0, Plain)),
            ("ethernet ether-vlan", (42, 84, Plain)),
            ("pppoe-ptm ether-vlan ether-vlan", (38, 0, Ptm)),
        ] {
            assert_eq!(of(text), Ok(expected), "{text}");
        }
        assert_eq!(of("docsis ethernet"), Err("'ethernet' cannot follow 'docsis'; only ether-vlan can".to_owned()));
        assert!(of("cable").is_err_and(|message| message.contains("or one of raw, conservative, ethernet, docsis")));
    }

    #[test]
    fn sizes_are_those_of_tc() {
        for (added, minimum, layer, sizes) in [
            (0, 0, LinkLayer::Plain, [(40, 40), (1500, 1500)]),
            // ethernet: 38 bytes, mpu 84.
            (38, 84, LinkLayer::Plain, [(40, 84), (1500, 1538)]),
            // pppoe-llcsnap over ADSL: 40 bytes in cells. 80 bytes need 2, 1540 bytes 33.
            (40, 0, LinkLayer::Atm, [(40, 106), (1500, 1749)]),
            // One byte beyond 48 and 96 needs another cell.
            (8, 0, LinkLayer::Atm, [(40, 53), (41, 106)]),
            // pppoe-ptm over VDSL2: 30 bytes. 70 + 2, 1530 + 24.
            (30, 0, LinkLayer::Ptm, [(40, 72), (1500, 1554)]),
            // The minimum precedes the framing: 84 + 2 instead of 64 + 1.
            (14, 84, LinkLayer::Ptm, [(50, 86), (114, 130)]),
        ] {
            let overhead = Overhead { added, minimum, layer };
            for (size, expected) in sizes {
                assert_eq!(overhead.bytes(size).get(), expected, "{overhead:?} of {size}");
            }
        }
    }
}
