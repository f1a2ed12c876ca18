//! Rows of CSV files, and the numbers in them.

use crate::read::files::is_parquet;
use penstock_model::printable::{file_name, quoted};

/// A column: its name, and whether it must be there.
pub(crate) type Column = (&'static str, bool);

/// Where a row is, counted from zero, in messages.
fn place(name: &str, line: usize) -> String {
    match is_parquet(name) {
        true => format!("{}: row {line}", file_name(name)),
        false => format!("{}:{}", file_name(name), line + 1),
    }
}

/// The lines of a file with their numbers, without empty ones and those that begin with `#`.
fn lines<'a>(content: &'a [u8], name: &str) -> Result<impl Iterator<Item = (usize, &'a str)>, String> {
    let text = std::str::from_utf8(content).map_err(|error| {
        let line = content[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("{}: is not UTF-8 text", place(name, line))
    })?;
    let written = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate().filter(written))
}

/// All fields of all rows, each row with its place for messages; there need not be any.
///
/// # Errors
/// If the file is no text.
pub(crate) fn table<'a>(content: &'a [u8], name: &str) -> Result<Vec<(String, Vec<&'a str>)>, String> {
    Ok(lines(content, name)?.map(|(number, line)| (place(name, number), line.split(',').map(unquoted).collect())).collect())
}

/// Calls `row` with the fields of `columns` of each row, in their order; an optional column that is not there gives empty fields.
/// A header names the columns; others than these are ignored, as are empty lines and those that begin with `#`.
///
/// # Errors
/// Of the first row that is wrong, with the file's name and the line.
pub(crate) fn rows<'a, const N: usize>(
    content: &'a [u8],
    name: &str,
    columns: [Column; N],
    mut row: impl FnMut([&'a str; N]) -> Result<(), String>,
) -> Result<(), String> {
    let at = |line: usize| place(name, line);
    let mut lines = lines(content, name)?;
    let Some((first, header)) = lines.next() else { return Err(format!("{}: is empty", file_name(name))) };
    let header: Vec<&str> = header.split(',').map(unquoted).collect();
    let mut places = [None; N];
    for (place, (column, required)) in places.iter_mut().zip(columns) {
        *place = header.iter().position(|written| *written == column);
        if place.is_none() && required {
            let wanted: Vec<&str> = columns.iter().map(|(column, _)| *column).collect();
            let has = header.iter().map(|column| quoted(column)).collect::<Vec<String>>().join(", ");
            return Err(format!(
                "{}: has no column '{column}' but {has}; the first line names the columns: {}",
                at(first),
                wanted.join(",")
            ));
        }
    }
    for (number, line) in lines {
        let mut fields = [""; N];
        let mut count = 0;
        for (i, field) in line.split(',').enumerate() {
            count = i + 1;
            for (wanted, place) in fields.iter_mut().zip(&places) {
                if *place == Some(i) {
                    *wanted = unquoted(field);
                }
            }
        }
        if count != header.len() {
            return Err(format!("{}: has {count} fields under a header of {}", at(number), header.len()));
        }
        row(fields).map_err(|message| format!("{}: {message}", at(number)))?;
    }
    Ok(())
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

/// A decimal number of seconds, such as `0.25` or `2.5e-6`, in picoseconds.
///
/// # Errors
/// If it is none, is negative or is longer than any run.
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
/// If it is none.
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
            seen.push(row);
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
            "t.csv:1: has no column 'size' but \"time\", \"bytes\"; the first line names the columns: time,size".replace('"', "'")
        );
        assert_eq!(read(b"time,size\n0,1\n-1,1\n", "t.csv"), "t.csv:3: '-1' is a negative time");
        assert_eq!(read(b"time,size\n0,1\n-1,1\n", "t.parquet"), "t.parquet: row 2: '-1' is a negative time");
        assert_eq!(read(b"time,size\n0\n", "t.csv"), "t.csv:2: has 1 fields under a header of 2");
        assert_eq!(read(b"\n\n", "t.csv"), "t.csv: is empty");
        assert_eq!(read(b"time,size\n\xff,1\n", "t.csv"), "t.csv:2: is not UTF-8 text");
    }
}
