//! Untrusted text in messages: shown on one line, with bounded length, and without characters that control a terminal or are
//! invisible.
//!
//! A scenario may come from a stranger. Its names must not move the cursor, or colour, reorder or hide the message around them [UAX9 s2].
//! Such characters are shown as in a basic string of TOML: `\u001B`.

/// Maximum number of characters of a value in a message.
const QUOTED: usize = 60;
/// Maximum number of characters of a file name in a message.
const FILE: usize = 300;
/// Replacement of the omitted rest.
const MORE: &str = "...";

/// Ranges of the characters that are shown escaped, in ascending order: control characters (C0, DEL, C1), changes of the direction of
/// writing [UAX9 s2], line and paragraph separators, and characters that most terminals do not show (the default ignorable ones except
/// variation selectors, which belong to emoji).
pub const ESCAPED: [(char, char); 18] = [
    ('\0', '\u{1F}'),
    ('\u{7F}', '\u{9F}'),
    ('\u{AD}', '\u{AD}'),
    ('\u{34F}', '\u{34F}'),
    ('\u{61C}', '\u{61C}'),
    ('\u{115F}', '\u{1160}'),
    ('\u{17B4}', '\u{17B5}'),
    ('\u{180B}', '\u{180F}'),
    ('\u{200B}', '\u{200F}'),
    ('\u{2028}', '\u{202E}'),
    ('\u{2060}', '\u{206F}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFA0}', '\u{FFA0}'),
    ('\u{FFF0}', '\u{FFFB}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{E0000}', '\u{E0FFF}'),
];

/// Whether `c` is shown escaped.
pub fn is_escaped(c: char) -> bool {
    ESCAPED.iter().take_while(|(first, _)| *first <= c).any(|(_, last)| c <= *last)
}

/// Whole `text`, with the characters of [`is_escaped`] written as in TOML.
pub fn printable(text: &str) -> String {
    shortened(text, usize::MAX)
}

/// Same as [`printable`], with at most `most` characters.
pub fn shortened(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most.saturating_mul(4)));
    // `cut` is the last position at which the dots fit, so that no escape is split.
    let (mut length, mut cut) = (0, 0);
    for c in text.chars() {
        length += if is_escaped(c) { push_escaped(&mut shown, c) } else { push(&mut shown, c) };
        if length > most {
            shown.truncate(cut);
            shown.push_str(MORE);
            return shown;
        }
        if length + MORE.len() <= most {
            cut = shown.len();
        }
    }
    shown
}

/// Quotes a value for a message, shortened: `'rr1'`.
pub fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text, QUOTED))
}

/// Name of a file for a message.
pub fn file_name(name: &str) -> String {
    shortened(name, FILE)
}

/// Appends the escape of a character. Returns the number of characters written.
fn push_escaped(shown: &mut String, c: char) -> usize {
    let code = u32::from(c);
    let escape = if code <= 0xFFFF { format!("\\u{code:04X}") } else { format!("\\U{code:08X}") };
    shown.push_str(&escape);
    escape.len()
}

fn push(shown: &mut String, c: char) -> usize {
    shown.push(c);
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_as_in_toml() {
        assert_eq!(printable("a\u{1b}[31mred\n\tb"), "a\\u001B[31mred\\u000A\\u0009b");
        assert_eq!(printable("\u{7f}\u{9b}2J"), "\\u007F\\u009B2J");
        assert_eq!(printable("\u{202e}txt.exe\u{2069}"), "\\u202Etxt.exe\\u2069");
        assert_eq!(printable("a\u{2028}b\u{200b}\u{feff}"), "a\\u2028b\\u200B\\uFEFF");
        assert_eq!(printable("\u{e0041}"), "\\U000E0041");
    }

    #[test]
    fn every_control_and_bidirectional_character_is_escaped() {
        // [UAX9 s2] has twelve: marks, embeddings and overrides, isolates, and the Arabic letter mark.
        let bidirectional = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        assert_eq!(bidirectional.chars().filter(|c| is_escaped(*c)).count(), 12);
        assert_eq!(('\0'..='\u{ffff}').filter(|c| c.is_control() && !is_escaped(*c)).count(), 0);
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["r1-r2.queue", "Größe 10 µs ±2", "流れ", "مرحبا", "שלום", "\u{2764}\u{fe0f}", "a b", "C:\\x"] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("abcdefgh", 8), "abcdefgh");
        assert_eq!(shortened("abcdefghi", 8), "abcde...");
        assert_eq!(shortened("ab\u{1b}\u{1b}\u{1b}", 12), "ab\\u001B...");
        assert_eq!(shortened("\u{1b}\u{1b}", 8), "...");
        assert_eq!(quoted(&"x".repeat(10_000)), format!("'{}...'", "x".repeat(57)));
        assert_eq!(file_name(&"é".repeat(10_000)).chars().count(), 300);
    }
}
