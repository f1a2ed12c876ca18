//! Differentiated services codepoints (DSCP) of traffic classes.

use crate::discipline::PRECEDENCES;

/// Expedited Forwarding [RFC3246 s2.7].
const EF: u8 = 0b10_1110;
/// Voice Admit [RFC5865 s5].
const VOICE_ADMIT: u8 = 0b10_1100;
/// Lower Effort [RFC8622 s4].
const LE: u8 = 1;

/// Classes with the names of per-hop behaviours, for messages.
pub const BEHAVIOURS: &str = "default, ef, va, le, cs0 to cs7, af1 to af4, af11 to af43";

/// Codepoint for each drop precedence of a class whose name, in upper or lower case, is that of a per-hop behaviour; `None` for other
/// names.
pub fn of_behaviour(class: &str) -> Option<[u8; PRECEDENCES]> {
    Some(match class.to_ascii_lowercase().as_bytes() {
        b"default" | b"df" | b"be" | b"best-effort" => [0; PRECEDENCES],
        b"ef" => [EF; PRECEDENCES],
        b"va" | b"voice-admit" => [VOICE_ADMIT; PRECEDENCES],
        b"le" => [LE; PRECEDENCES],
        // Class selectors [RFC2474 s4.2.2].
        [b'c', b's', class @ b'0'..=b'7'] => [(class - b'0') << 3; PRECEDENCES],
        // Assured Forwarding: the precedence decides, not the name [RFC2597 s6].
        [b'a', b'f', class @ b'1'..=b'4'] | [b'a', b'f', class @ b'1'..=b'4', b'1'..=b'3'] => {
            [1, 2, 3, 3].map(|precedence| (class - b'0') << 3 | precedence << 1)
        }
        _ => return None,
    })
}

/// Codepoint of a class for each drop precedence: that of the per-hop behaviour with its name, otherwise one of the pool for local use,
/// xxxx11, by the class's `position` [RFC2474 s6].
pub fn of_class(class: &str, position: usize) -> [u8; PRECEDENCES] {
    of_behaviour(class).unwrap_or([((position % 16) as u8) << 2 | 0b11; PRECEDENCES])
}

#[cfg(test)]
mod tests {
    use super::of_class;

    #[test]
    fn behaviours_have_their_codepoints() {
        for (class, expected) in [
            ("default", [0; 4]),
            ("ef", [46; 4]),
            ("va", [44; 4]),
            ("le", [1; 4]),
            ("cs6", [48; 4]),
            // AF21, AF22, AF23 [RFC2597 s6].
            ("af2", [18, 20, 22, 22]),
            ("af21", [18, 20, 22, 22]),
            ("AF2", [18, 20, 22, 22]),
            ("EF", [46; 4]),
            ("af5", [7; 4]),
            ("voice", [7; 4]),
        ] {
            assert_eq!(of_class(class, 1), expected, "{class}");
        }
    }
}
