//! Rows of CSV files, and the numbers in them.

pub(crate) use crate::read::files::Column;
use crate::read::records::Records;
use penstock_model::printable::{file_name, quoted};
use std::borrow::Cow;

/// Mistakes of a file that are listed.
const SHOWN: usize = 10;

/// The mistakes of a file, up to the number that is shown.
#[derive(Debug, Default)]
pub(crate) struct FileMistakes {
    shown: Vec<String>,
    count: usize,
}

impl FileMistakes {
    /// Adds a mistake.
    pub fn add(&mut self, message: impl FnOnce() -> String) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(message());
        }
    }

    /// Returns `Ok` if there are no mistakes.
    ///
    /// # Errors
    /// With the messages; if some are not shown, the last message counts them for the file called `name`.
    pub fn result(mut self, name: &str) -> Result<(), Vec<String>> {
        if self.count > self.shown.len() {
            self.shown.push(format!("{}: and {} more mistakes", file_name(name), self.count - self.shown.len()));
        }
        if self.shown.is_empty() {
            Ok(())
        } else {
            Err(self.shown)
        }
    }
}

/// A row with its place for messages.
pub(crate) type Row<'a> = (String, Vec<Cow<'a, str>>);

/// All fields of all rows; there may be no rows.
///
/// # Errors
/// If the file is no text, or quotes are wrong.
pub(crate) fn table<'a>(content: &'a [u8], name: &str) -> Result<Vec<Row<'a>>, Vec<String>> {
    let mut records = Records::new(content, name).map_err(|message| vec![message])?;
    let (mut rows, mut mistakes) = (Vec::new(), FileMistakes::default());
    let mut fields = Vec::new();
    while let Some(record) = records.read(&mut fields) {
        match record {
            Ok(record) => rows.push((records.place(record), std::mem::take(&mut fields))),
            Err((record, message)) => mistakes.add(|| format!("{}: {message}", records.place(record))),
        }
    }
    mistakes.result(name).map(|()| rows)
}

/// Calls `row` with the fields of `columns` of each row, in their order; an optional column that is not there gives empty fields.
/// A header names the columns; others than these are ignored, as are empty lines and those that begin with `#`.
///
/// # Errors
/// With the mistakes of all rows, each with the file's name and the line.
pub(crate) fn rows<const N: usize>(
    content: &[u8],
    name: &str,
    columns: [Column; N],
    mut row: impl FnMut([&str; N]) -> Result<(), String>,
) -> Result<(), Vec<String>> {
    let mut records = Records::new(content, name).map_err(|message| vec![message])?;
    let (mut fields, mut mistakes) = (Vec::new(), FileMistakes::default());
    let first = match records.read(&mut fields) {
        None => return Err(vec![format!("{}: is empty", file_name(name))]),
        Some(Ok(first)) => first,
        Some(Err((first, message))) => return Err(vec![format!("{}: {message}", records.place(first))]),
    };
    let count = fields.len();
    let places = places(&fields, columns).map_err(|message| vec![format!("{}: {message}", records.place(first))])?;
    while let Some(record) = records.read(&mut fields) {
        let read = record.and_then(|record| {
            let told = |message| (record, message);
            if fields.len() != count {
                return Err(told(format!("has {} fields under a header of {count}", fields.len())));
            }
            row(places.map(|place| place.map_or("", |place| fields[place].as_ref()))).map_err(told)
        });
        if let Err((record, message)) = read {
            mistakes.add(|| format!("{}: {message}", records.place(record)));
        }
    }
    mistakes.result(name)
}

/// Positions of the columns in a header.
fn places<const N: usize>(header: &[Cow<'_, str>], columns: [Column; N]) -> Result<[Option<usize>; N], String> {
    let mut places = [None; N];
    let mut missing = Vec::new();
    for (place, (column, required)) in places.iter_mut().zip(columns) {
        let mut found = header.iter().enumerate().filter(|(_, written)| *written == column);
        *place = found.next().map(|(i, _)| i);
        if found.next().is_some() {
            return Err(format!("has the column '{column}' twice; keep one"));
        }
        if place.is_none() && required {
            missing.push(format!("'{column}'"));
        }
    }
    if missing.is_empty() {
        return Ok(places);
    }
    let has = header.iter().map(|column| quoted(column)).collect::<Vec<String>>().join(", ");
    let wanted = columns.map(|(column, _)| column).join(",");
    let plural = if missing.len() == 1 { "" } else { "s" };
    Err(format!("has no column{plural} {} but {has}; the first line names the columns: {wanted}", missing.join(", ")))
}

/// A decimal number of seconds, such as `0.25` or `2.5e-6`, in picoseconds.
///
/// # Errors
/// If it is not such a number, is negative or is longer than any run.
pub(crate) fn picoseconds(text: &str) -> Result<u64, String> {
    let none = || format!("{} is not a number of seconds", quoted(text));
    let digits_of = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = digits_of.strip_prefix('-').map_or((1, digits_of), |rest| (-1, rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| none())?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if (whole.is_empty() && fraction.is_empty()) || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(none());
    }
    let (mut number, mut places) = (0u128, 0i32);
    for byte in whole.bytes().chain(fraction.bytes().take(24)) {
        number = number.checked_mul(10).and_then(|number| number.checked_add(u128::from(byte - b'0'))).ok_or_else(none)?;
    }
    places += fraction.len().min(24) as i32;
    if sign < 0 && number > 0 {
        return Err(format!("{} is a negative time", quoted(text)));
    }
    let shift = 12i32.saturating_sub(places).saturating_add(exponent);
    let power = |digits: i32| 10u128.checked_pow(digits.unsigned_abs());
    let ps = match (shift, power(shift)) {
        (0.., Some(factor)) => number.checked_mul(factor),
        (0.., None) => (number == 0).then_some(0),
        (_, Some(divisor)) => Some((number + divisor / 2) / divisor),
        (_, None) => Some(0),
    };
    let longest = 200 * 86_400 * 1_000_000_000_000u128;
    match ps.filter(|ps| *ps <= longest) {
        Some(ps) => Ok(ps as u64),
        None => Err(format!("{} s is longer than any run; at most 200 days", quoted(text))),
    }
}

/// A whole number of bytes, at least one and at most `most`.
///
/// # Errors
/// If it is not such a number.
pub(crate) fn bytes(text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(size) if (1..=most).contains(&size) => Ok(size),
        _ => Err(format!("{} is not a number of bytes between 1 and {most}", quoted(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_exactly() {
        let all = ["0", "0.25", "1e-6", "2.5E-6", "3.", ".000000000001", "1.0000000000005", "12e3"].map(|text| picoseconds(text).unwrap());
        assert_eq!(all, [0, 250_000_000_000, 1_000_000, 2_500_000, 3_000_000_000_000, 1, 1_000_000_000_001, 12_000_000_000_000_000]);
        for wrong in
            ["", ".", "x", "1s", "1e", "1.2.3", "-1", "-1e-9", "nan", "inf", "2e9", "1e99", "99999999999999999999999999999999999999999"]
        {
            assert!(picoseconds(wrong).is_err(), "{wrong}");
        }
        assert_eq!(picoseconds("1e-99"), Ok(0));
        assert_eq!(picoseconds("-0.0"), Ok(0));
    }

    #[test]
    fn columns_are_found_by_name() {
        let mut seen = Vec::new();
        let text = b"# made by hand\nflow,\"size\", time\n\n7,\"40\",0.5\r\n8,41,0.6\n";
        rows(text, "t.csv", [("time", true), ("size", true), ("class", false)], |row| {
            seen.push(row.map(str::to_owned));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [["0.5", "40", ""], ["0.6", "41", ""]]);
    }

    #[test]
    fn mistakes_say_their_line() {
        let read = |text: &[u8], name| rows(text, name, [("time", true), ("size", true)], |row| picoseconds(row[0]).map(drop)).unwrap_err();
        assert_eq!(
            read(b"time,bytes\n", "t.csv"),
            ["t.csv:1: has no column 'size' but 'time', 'bytes'; the first line names the columns: time,size"]
        );
        assert_eq!(read(b"a\n", "t.csv"), ["t.csv:1: has no columns 'time', 'size' but 'a'; the first line names the columns: time,size"]);
        assert_eq!(read(b"time,size,time\n", "t.csv"), ["t.csv:1: has the column 'time' twice; keep one"]);
        assert_eq!(read(b"time,size\n0,1\n-1,1\n", "t.parquet"), ["t.parquet: row 2: '-1' is a negative time"]);
        assert_eq!(read(b"\n\n", "t.csv"), ["t.csv: is empty"]);
        assert_eq!(read(b"time,size\n\xff,1\n", "t.csv"), ["t.csv:2: is not UTF-8 text"]);
        let several = read(b"time,size\n-1,1\n0,1\n0\n\"a\"b,1\n", "t.csv");
        let quotes = "t.csv:5: text follows a field in quotes; a quote within one is doubled";
        assert_eq!(several, ["t.csv:2: '-1' is a negative time", "t.csv:4: has 1 fields under a header of 2", quotes]);
        let many = read(["time,size\n", &"-1,1\n".repeat(25)].concat().as_bytes(), "t.csv");
        assert_eq!(
            (many.len(), many[9].as_str(), many[10].as_str()),
            (11, "t.csv:11: '-1' is a negative time", "t.csv: and 15 more mistakes")
        );
    }
}
