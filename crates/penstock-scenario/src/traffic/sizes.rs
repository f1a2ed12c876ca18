//! Cumulative distributions of transfers' sizes: those that come with the package, and those of files.

use crate::read::csv;
use crate::read::section::Section;
use penstock_model::printable::{file_name, quoted};
use penstock_model::source::transfer_size::TransferSize;

/// Those that come with the package, by name; each file says where it is from.
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
            Err(message) => {
                let location = section.location_below(&["size", "distribution"]);
                section.mistakes.add(location, &section.join("size.distribution"), message);
                return None;
            }
        }
    }
    Some(size)
}

fn read(section: &Section<'_>, name: &str) -> Result<Vec<(f64, f64)>, String> {
    if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
        return points(text.as_bytes(), name);
    }
    if !name.contains('.') {
        let shipped: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no distribution {}; one of {}, or a file such as \"sizes.csv\"", quoted(name), shipped.join(", ")));
    }
    points(&section.mistakes.files.read(name)?, name)
}

/// Sizes, and the probabilities of at most so many bytes.
fn points(content: &[u8], name: &str) -> Result<Vec<(f64, f64)>, String> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    csv::rows(content, name, [("bytes", true), ("probability", true)], |[bytes, probability]| {
        let size: f64 = bytes
            .parse()
            .ok()
            .filter(|size| (0.0..=4e9).contains(size))
            .ok_or_else(|| format!("{} is not a number of bytes between 0 and 4e9", quoted(bytes)))?;
        let share: f64 = probability
            .parse()
            .ok()
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or_else(|| format!("{} is not a probability between 0 and 1", quoted(probability)))?;
        if let Some((size_before, share_before)) = points.last() {
            if size < *size_before {
                return Err(format!("{size} bytes are fewer than the {size_before} before them; sizes must ascend"));
            }
            if share < *share_before {
                return Err(format!(
                    "probability {share} is below the {share_before} before it; a cumulative distribution does not decrease"
                ));
            }
        }
        points.push((size, share));
        Ok(())
    })?;
    match points.last() {
        Some((_, 1.0)) => Ok(points),
        Some((_, share)) => Err(format!("{}: ends at probability {share}; the last must be 1", file_name(name))),
        None => Err(format!("{}: has no points", file_name(name))),
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
    fn mistakes_say_their_line() {
        let wrong = |rows: &str| points(format!("bytes,probability\n{rows}").as_bytes(), "d.csv").unwrap_err();
        assert_eq!(
            wrong("1,0.5\n2,0.4\n"),
            "d.csv:3: probability 0.4 is below the 0.5 before it; a cumulative distribution does not decrease"
        );
        assert_eq!(wrong("2,0.5\n1,1\n"), "d.csv:3: 1 bytes are fewer than the 2 before them; sizes must ascend");
        assert_eq!(wrong("1,1.5\n"), "d.csv:2: '1.5' is not a probability between 0 and 1");
        assert_eq!(wrong("-1,1\n"), "d.csv:2: '-1' is not a number of bytes between 0 and 4e9");
        assert_eq!(wrong("1,0.5\n"), "d.csv: ends at probability 0.5; the last must be 1");
        assert_eq!(wrong(""), "d.csv: has no points");
    }
}
