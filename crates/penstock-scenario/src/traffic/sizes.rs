//! Cumulative distributions of transfers' sizes: shipped with the package, or read from files.

use crate::read::csv::{self, FileMistakes};
use crate::read::records::Records;
use crate::read::section::Section;
use penstock_model::printable::{file_name, quoted};
use penstock_model::source::transfer_size::TransferSize;
use std::borrow::Cow;

/// Distributions shipped with the package, by name; each file says where it is from.
const SHIPPED: [(&str, &str); 3] = [
    ("web-search", include_str!("sizes/web-search.csv")),
    ("data-mining", include_str!("sizes/data-mining.csv")),
    ("hadoop", include_str!("sizes/hadoop.csv")),
];

/// The law with the points of its distribution, if it has one; `None` after a mistake.
pub(super) fn filled(section: &Section<'_>, mut size: TransferSize) -> Option<TransferSize> {
    if let TransferSize::Distribution(distribution) = &mut size {
        match read(section, &distribution.name) {
            Ok(points) => distribution.points = points.into(),
            Err(messages) => {
                let location = section.location_below(&["size", "distribution"]);
                section.mistakes.add_all(location, &section.join("size.distribution"), messages);
                return None;
            }
        }
    }
    Some(size)
}

fn read(section: &Section<'_>, name: &str) -> Result<Vec<(f64, f64)>, Vec<String>> {
    if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
        return points(text.as_bytes(), name);
    }
    if !name.contains('.') {
        let shipped: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        let shipped = shipped.join(", ");
        return Err(vec![format!("there is no distribution {}; one of {shipped}, or a file such as \"sizes.csv\"", quoted(name))]);
    }
    let columns = [("bytes", true), PROBABILITY.optional_column(), PERCENT.optional_column()];
    points(&section.mistakes.files.read(name, &columns).map_err(|message| vec![message])?, name)
}

/// A way to write cumulative shares.
#[derive(Clone, Copy)]
struct Share {
    column: &'static str,
    /// The name of a share in messages.
    name: &'static str,
    whole: f64,
}

const PROBABILITY: Share = Share { column: "probability", name: "probability", whole: 1.0 };
const PERCENT: Share = Share { column: "percent", name: "percentage", whole: 100.0 };

impl Share {
    const fn optional_column(self) -> (&'static str, bool) {
        (self.column, false)
    }
}

/// Sizes in bytes, and the probability of a size of at most that.
fn points(content: &[u8], name: &str) -> Result<Vec<(f64, f64)>, Vec<String>> {
    let mut points = Points { share: PROBABILITY, found: Vec::new() };
    let mut records = Records::new(content, name).map_err(|message| vec![message])?;
    let mut header = Vec::new();
    // A mistake in the first record is reported later, when all records are read.
    drop(records.read(&mut header));
    if header.first().is_some_and(|field| field.split_whitespace().next().is_some_and(|word| word.parse::<f64>().is_ok())) {
        without_header(content, name, &mut points)?;
    } else {
        if header.iter().any(|column| column == PERCENT.column) && header.iter().all(|column| column != PROBABILITY.column) {
            points.share = PERCENT;
        }
        csv::rows(content, name, [("bytes", true), (points.share.column, true)], |[bytes, share]| points.add(bytes, share))?;
    }
    let whole = points.share.whole;
    match points.found.last() {
        Some((_, last)) if *last == whole => Ok(points.found.iter().map(|(size, share)| (*size, share / whole)).collect()),
        Some((_, last)) => Err(vec![format!("{}: ends at {} {last}; the last must be {whole}", file_name(name), points.share.name)]),
        None => Err(vec![format!("{}: has no points", file_name(name))]),
    }
}

/// Lines of a size and a share, with blanks or a comma between them; shares are percentages if the last is above 1.
fn without_header(content: &[u8], name: &str, points: &mut Points) -> Result<(), Vec<String>> {
    let rows = csv::table(content, name)?;
    let words = |fields: &[Cow<'_, str>]| -> Vec<String> {
        fields.iter().flat_map(|field| field.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let rows: Vec<(String, Vec<String>)> = rows.iter().map(|(place, fields)| (place.clone(), words(fields))).collect();
    let last = rows.last().and_then(|(_, words)| words.last()).and_then(|word| word.parse::<f64>().ok());
    if last.is_some_and(|last| last > 1.0) {
        points.share = PERCENT;
    }
    if rows.iter().all(|(_, words)| words.len() == 3) {
        let file = file_name(name);
        return Err(vec![format!(
            "{file}: has three columns, as ns-2's have: packets, a count and a probability; for packets of 1460 bytes, \
             awk '{{ print $1 * 1460, $3 }}' {file} > sizes.txt makes the file that is read"
        )]);
    }
    let mut mistakes = FileMistakes::default();
    for (place, words) in &rows {
        let added = match words.as_slice() {
            [bytes, share] => points.add(bytes, share),
            _ => Err(format!("has {} fields; a size in bytes and a share, such as \"1500 0.25\"", words.len())),
        };
        if let Err(message) = added {
            mistakes.add(|| format!("{place}: {message}"));
        }
    }
    mistakes.result(name)
}

/// Points of a distribution while they are read.
struct Points {
    share: Share,
    /// Sizes and shares as they are written.
    found: Vec<(f64, f64)>,
}

impl Points {
    fn add(&mut self, bytes: &str, share: &str) -> Result<(), String> {
        let size: f64 = bytes
            .parse()
            .ok()
            .filter(|size| (0.0..=4e9).contains(size))
            .ok_or_else(|| format!("{} is not a number of bytes between 0 and 4e9", quoted(bytes)))?;
        let Share { name, whole, .. } = self.share;
        let share: f64 = share
            .parse()
            .ok()
            .filter(|share| (0.0..=whole).contains(share))
            .ok_or_else(|| format!("{} is not a {name} between 0 and {whole}", quoted(share)))?;
        if let Some((size_before, share_before)) = self.found.last() {
            if size < *size_before {
                return Err(format!("{size} bytes are fewer than the {size_before} before them; sizes must ascend"));
            }
            if share < *share_before {
                return Err(format!("{name} {share} is below the {share_before} before it; a cumulative distribution does not decrease"));
            }
        }
        self.found.push((size, share));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_distributions_are_sound() {
        // Means in bytes: the sums of the trapezoids between the points.
        let mean = |name: &str| {
            let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name).unwrap();
            let points = points(text.as_bytes(), name).unwrap();
            points.windows(2).map(|pair| (pair[1].1 - pair[0].1) * (pair[0].0 + pair[1].0) / 2.0).sum::<f64>()
        };
        assert!((mean("web-search") - 1_711_250.0).abs() < 1.0, "{}", mean("web-search"));
        assert!((mean("data-mining") - 12_658_198.6).abs() < 1.0, "{}", mean("data-mining"));
        assert!((mean("hadoop") - 120_420.75).abs() < 1.0, "{}", mean("hadoop"));
    }

    #[test]
    fn a_header_may_be_missing_and_shares_may_be_percentages() {
        let expected = [(0.0, 0.0), (1000.0, 0.5), (10_000.0, 0.9), (100_000.0, 1.0)];
        for text in [
            "bytes,probability\n0,0\n1000,0.5\n10000,0.9\n100000,1\n",
            "percent,bytes\n0,0\n50,1000\n90,10000\n100,100000\n",
            "# measured\n0 0\n1000 50\n10000 90\n100000 100\n",
            "0\t0\n1000\t.5\n10000  0.9\n100000 1.0",
            "0,0\n1e3, 50\n10000,90\n100000,100",
        ] {
            assert_eq!(points(text.as_bytes(), "d.txt").unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_say_their_line() {
        let wrong = |rows: &str| points(format!("bytes,probability\n{rows}").as_bytes(), "d.csv").unwrap_err();
        let decreasing = "d.csv:3: probability 0.4 is below the 0.5 before it; a cumulative distribution does not decrease";
        assert_eq!(wrong("1,0.5\n2,0.4\n1,1\n"), [decreasing]);
        assert_eq!(wrong("2,0.5\n1,1\n"), ["d.csv:3: 1 bytes are fewer than the 2 before them; sizes must ascend"]);
        let several = ["d.csv:2: '1.5' is not a probability between 0 and 1", "d.csv:3: '-1' is not a number of bytes between 0 and 4e9"];
        assert_eq!(wrong("1,1.5\n-1,1\n"), several);
        assert_eq!(wrong("1,0.5\n"), ["d.csv: ends at probability 0.5; the last must be 1"]);
        assert_eq!(wrong(""), ["d.csv: has no points"]);
        let wrong = |text: &str| points(text.as_bytes(), "d.txt").unwrap_err();
        assert_eq!(wrong("0 0\n5 90\n"), ["d.txt: ends at percentage 90; the last must be 100"]);
        assert_eq!(wrong("0 0\n5\n9 100\n"), ["d.txt:2: has 1 fields; a size in bytes and a share, such as \"1500 0.25\""]);
        let converted = "awk '{ print $1 * 1460, $3 }' d.txt > sizes.txt makes the file that is read";
        assert!(wrong("1 1 0\n2 1 0.5\n5 1 1\n")[0].ends_with(converted));
    }
}
