//! Positions of dotted keys with too many parts: the TOML parser reports them without a position.

/// Maximum number of parts of a dotted key, and of the path of a setting.
pub(crate) const MOST_PARTS: usize = 80;

/// The parser's message for a key with more parts.
pub(crate) const PARSER_MESSAGE: &str = "recursion limit";

/// The positions of the keys with more than [`MOST_PARTS`] parts, in the order of the text.
pub(crate) fn deep_keys(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut found, mut dots, mut start, mut at) = (Vec::new(), 0, None, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'.' => dots += 1,
            b' ' | b'\t' => {}
            b'"' | b'\'' => {
                start.get_or_insert(at);
                at = end_of_string(bytes, at);
                continue;
            }
            b'#' | b'\n' | b'=' | b',' | b'[' | b']' | b'{' | b'}' => {
                if dots >= MOST_PARTS {
                    found.extend(start);
                }
                (dots, start) = (0, None);
                if bytes[at] == b'#' {
                    at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count();
                    continue;
                }
            }
            _ => {
                start.get_or_insert(at);
            }
        }
        at += 1;
    }
    if dots >= MOST_PARTS {
        found.extend(start);
    }
    found
}

/// The position behind the string that begins at `at`; strings in three quotes may have several lines.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let is_long = bytes[at..].starts_with(&[quote; 3]);
    let closing: &[u8] = if is_long { &[quote; 3] } else { &[quote] };
    let mut i = at + closing.len();
    while i < bytes.len() {
        if bytes[i..].starts_with(closing) {
            return i + closing.len();
        }
        if bytes[i] == b'\n' && !is_long {
            return i;
        }
        i += if bytes[i] == b'\\' && quote == b'"' { 2 } else { 1 };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: usize) -> String {
        vec!["a"; parts].join(".")
    }

    #[test]
    fn keys_are_found_outside_strings_and_comments() {
        let deep = key(81);
        for (before, after) in [
            ("", " = 1"),
            ("x = 1\n", " = 1\n"),
            ("[", "]"),
            ("x = { y = \"a.b\", ", " = 1 }"),
            ("s = \"\"\"\n\"a\\\"b\n\"\"\"\n", " = 1"),
            ("s = '''\n'#\n'''\n", " = 1"),
            ("# \"\n", " = 1"),
        ] {
            assert_eq!(deep_keys(&format!("{before}{deep}{after}")), [before.len()], "{before}");
        }
        let quoted = vec!["\"a.b\""; 81].join(" . ");
        assert_eq!(deep_keys(&format!("x.y = 1\n{quoted} = 1\n{deep} = 2")), [8, 8 + quoted.len() + 5]);
        for sound in [key(80), format!("x = \"{deep}\""), format!("# {deep}"), format!("'{deep}' = 1"), "x = [1.5, 2.5]".repeat(100)] {
            assert_eq!(deep_keys(&sound), [0; 0], "{sound}");
        }
    }
}
