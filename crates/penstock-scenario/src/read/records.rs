//! Records of CSV text: fields in quotes with commas, quotes and line ends in them [RFC4180 s2], comments and empty lines.

use crate::read::files::is_parquet;
use penstock_model::printable::file_name;
use std::borrow::Cow;

/// The records of a text, one after the other.
pub(crate) struct Records<'a> {
    name: String,
    rest: &'a str,
    /// Rows of Parquet are counted and used as they are; lines of CSV may be comments or empty.
    is_parquet: bool,
    /// Line of the next record, or its row in Parquet, from 0.
    next: usize,
}

impl<'a> Records<'a> {
    /// The records of the file called `name`.
    ///
    /// # Errors
    /// If it is not UTF-8 text.
    pub fn new(content: &'a [u8], name: &str) -> Result<Records<'a>, String> {
        let is_parquet = is_parquet(name);
        let line_at = |end: usize| content[..end].iter().filter(|byte| **byte == b'\n').count();
        let at = |line| place(name, is_parquet, line);
        if content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff") {
            return Err(format!("{}: is UTF-16 text; save it as UTF-8", file_name(name)));
        }
        if content.starts_with(b"\x1f\x8b") {
            return Err(format!("{}: is compressed with gzip; unpack it first", file_name(name)));
        }
        let text = std::str::from_utf8(content).map_err(|error| format!("{}: is not UTF-8 text", at(line_at(error.valid_up_to()))))?;
        if let Some(end) = text.find('\0') {
            return Err(format!("{}: has a NUL byte, so it is no UTF-8 text", at(line_at(end))));
        }
        Ok(Records { name: name.to_owned(), rest: text.strip_prefix('\u{feff}').unwrap_or(text), is_parquet, next: 0 })
    }

    /// The place of a record, in messages.
    pub fn place(&self, record: usize) -> String {
        place(&self.name, self.is_parquet, record)
    }

    /// Reads the next record into `fields` and returns its number for [`Records::place`]; `None` at the end.
    ///
    /// # Errors
    /// With the number of a record whose quotes are wrong. A record with an unclosed quote is the last one.
    pub fn read(&mut self, fields: &mut Vec<Cow<'a, str>>) -> Option<Result<usize, (usize, String)>> {
        fields.clear();
        while !self.is_parquet && !self.rest.is_empty() {
            let line = self.rest.split_once('\n').map_or(self.rest, |(line, _)| line);
            if !line.starts_with('#') && !line.trim().is_empty() {
                break;
            }
            self.rest = &self.rest[(line.len() + 1).min(self.rest.len())..];
            self.next += 1;
        }
        if self.rest.is_empty() {
            return None;
        }
        let (record, mut lines) = (self.next, 1);
        let mut mistake = None;
        loop {
            let (field, end) = match quoted_field(self.rest) {
                None => plain_field(self.rest),
                Some(Ok((field, within, end))) => {
                    lines += within;
                    (field, end)
                }
                Some(Err((message, end))) => {
                    mistake.get_or_insert(message);
                    (Cow::Borrowed(""), end)
                }
            };
            fields.push(field);
            let at_comma = self.rest[end..].starts_with(',');
            self.rest = &self.rest[(end + 1).min(self.rest.len())..];
            if !at_comma {
                break;
            }
        }
        self.next += if self.is_parquet { 1 } else { lines };
        Some(mistake.map_or(Ok(record), |message| Err((record, message.to_owned()))))
    }
}

/// The place of a record: a line counted from 1, or a row of Parquet, which does not count the header.
fn place(name: &str, is_parquet: bool, record: usize) -> String {
    match is_parquet {
        true => format!("{}: row {record}", file_name(name)),
        false => format!("{}:{}", file_name(name), record + 1),
    }
}

/// A field up to the next comma or the end of the line, and the position of its end.
fn plain_field(text: &str) -> (Cow<'_, str>, usize) {
    let end = text.find([',', '\n']).unwrap_or(text.len());
    (Cow::Borrowed(text[..end].trim()), end)
}

/// A field, the line ends within it, and where the comma or line end behind it is.
type Quoted<'a> = (Cow<'a, str>, usize, usize);

/// The field at the beginning of a text if it is in quotes, or its mistake and the position at which to continue.
fn quoted_field(text: &str) -> Option<Result<Quoted<'_>, (&'static str, usize)>> {
    let start = text.len() - text.trim_start_matches([' ', '\t']).len();
    let inner = text[start..].strip_prefix('"')?;
    let (mut end, mut escaped) = (0, false);
    loop {
        let Some(found) = inner[end..].find('"') else { return Some(Err(("a field in quotes is not closed", text.len()))) };
        end += found;
        if !inner[end + 1..].starts_with('"') {
            break;
        }
        escaped = true;
        end += 2;
    }
    let behind = &inner[end + 1..];
    let next = behind.find([',', '\n']).unwrap_or(behind.len());
    let at = text.len() - behind.len() + next;
    if !behind[..next].trim().is_empty() {
        return Some(Err(("text follows a field in quotes; a quote within one is doubled", at)));
    }
    let field = &inner[..end];
    let lines = field.bytes().filter(|byte| *byte == b'\n').count();
    let field = if escaped { Cow::Owned(field.replace("\"\"", "\"")) } else { Cow::Borrowed(field) };
    Some(Ok((field, lines, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Result<(usize, Vec<String>), (usize, String)>;

    fn all(text: &str, name: &str) -> Vec<Found> {
        let mut records = Records::new(text.as_bytes(), name).expect("text");
        let (mut fields, mut found) = (Vec::new(), Vec::new());
        while let Some(record) = records.read(&mut fields) {
            found.push(record.map(|number| (number, fields.iter().map(|field| field.to_string()).collect())));
        }
        found
    }

    fn row(number: usize, fields: &[&str]) -> Found {
        Ok((number, fields.iter().map(|field| (*field).to_owned()).collect()))
    }

    #[test]
    fn fields_in_quotes_hold_commas_quotes_and_line_ends() {
        let text = "a,\"b,c\" , d \r\n\"x \"\"y\"\"\",\"two\nlines\",\"\"\n\n# \"no\nz,,\"#\"";
        let rows = [row(0, &["a", "b,c", "d"]), row(1, &["x \"y\"", "two\nlines", ""]), row(5, &["z", "", "#"])];
        assert_eq!(all(text, "t.csv"), rows);
    }

    #[test]
    fn a_quote_inside_a_plain_field_is_part_of_it() {
        assert_eq!(all("5\" disk,1", "t.csv"), [row(0, &["5\" disk", "1"])]);
    }

    #[test]
    fn wrong_quotes_are_mistakes_of_their_record_alone() {
        let behind = "text follows a field in quotes; a quote within one is doubled";
        assert_eq!(all("\"a\"b,c\nd", "t.csv"), [Err((0, behind.to_owned())), row(1, &["d"])]);
        assert_eq!(all("a\n\"b,c\nd", "t.csv"), [row(0, &["a"]), Err((1, "a field in quotes is not closed".to_owned()))]);
    }

    #[test]
    fn rows_of_parquet_are_taken_as_they_are() {
        let rows = [row(0, &["a"]), row(1, &["#"]), row(2, &[""]), row(3, &["two\nlines"]), row(4, &["b"])];
        assert_eq!(all("a\n#\n\n\"two\nlines\"\nb\n", "t.parquet"), rows);
    }

    #[test]
    fn other_encodings_are_told() {
        let wrong = |content: &[u8]| Records::new(content, "t.csv").err().expect("a mistake");
        assert_eq!(wrong(b"\xff\xfet\0"), "t.csv: is UTF-16 text; save it as UTF-8");
        assert_eq!(wrong(b"\x1f\x8b\x08"), "t.csv: is compressed with gzip; unpack it first");
        assert_eq!(wrong(b"a\nb\0"), "t.csv:2: has a NUL byte, so it is no UTF-8 text");
        assert_eq!(wrong(b"a\n\xff"), "t.csv:2: is not UTF-8 text");
    }
}
