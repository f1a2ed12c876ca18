//! Distributions of packet sizes.

use crate::parameters::{Kind, Parameter, Value};
use crate::printable::quoted;
use crate::rng::Stream;
use crate::units::Bytes;
use std::sync::Arc;

/// Maximum size of a packet, by the length field of IPv4 [RFC791 s3.1].
pub const LARGEST: u64 = 65_535;

/// Size of a packet: `"160 bytes"`, `{ exponential = { mean = "1000 bytes" } }` or
/// `{ mix = [{ size = "160 bytes", share = 0.5 }, { size = "1500 bytes", share = 0.5 }] }`.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeLaw {
    /// Constant size.
    Constant(u32),
    /// Exponential with this mean in bytes, rounded to whole bytes, at least one and at most [`LARGEST`].
    Exponential(f64),
    /// One of several sizes, each with the sum of the shares up to and including its own.
    Mix(Arc<Vec<(f64, u32)>>),
}

impl SizeLaw {
    /// Mean size in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            SizeLaw::Constant(size) => f64::from(*size),
            // Sizes beyond the maximum are cut off there: a fraction e^(-LARGEST / mean).
            SizeLaw::Exponential(mean) => -mean * libm::expm1(-(LARGEST as f64) / mean),
            SizeLaw::Mix(sizes) => {
                let before = std::iter::once(0.0).chain(sizes.iter().map(|(up_to, _)| *up_to));
                sizes.iter().zip(before).map(|((up_to, size), before)| (up_to - before) * f64::from(*size)).sum()
            }
        }
    }

    /// Size if it is constant; `None` otherwise.
    pub fn constant(&self) -> Option<Bytes> {
        match self {
            SizeLaw::Constant(size) => Some(Bytes::new(u64::from(*size))),
            _ => None,
        }
    }

    /// Minimum size.
    pub fn smallest(&self) -> Bytes {
        Bytes::new(match self {
            SizeLaw::Constant(size) => u64::from(*size),
            SizeLaw::Exponential(_) => 1,
            SizeLaw::Mix(sizes) => sizes.iter().map(|(_, size)| u64::from(*size)).min().unwrap_or(0),
        })
    }

    /// Maximum size; `None` if only [`LARGEST`] bounds it.
    pub fn largest(&self) -> Option<Bytes> {
        match self {
            SizeLaw::Constant(size) => Some(Bytes::new(u64::from(*size))),
            SizeLaw::Exponential(_) => None,
            SizeLaw::Mix(sizes) => sizes.iter().map(|(_, size)| Bytes::new(u64::from(*size))).max(),
        }
    }

    /// Sizes that occur; empty if there are too many.
    pub fn sizes(&self) -> Vec<Bytes> {
        let bytes = |size: &u32| Bytes::new(u64::from(*size));
        match self {
            SizeLaw::Constant(size) => vec![bytes(size)],
            SizeLaw::Exponential(_) => Vec::new(),
            SizeLaw::Mix(sizes) => sizes.iter().map(|(_, size)| bytes(size)).collect(),
        }
    }

    /// Draws the size of the next packet. A constant draws nothing from `stream`.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> u32 {
        match self {
            SizeLaw::Constant(size) => *size,
            SizeLaw::Exponential(mean) => ((stream.exponential() * mean + 0.5) as u32).clamp(1, LARGEST as u32),
            SizeLaw::Mix(sizes) => {
                let u = stream.unit();
                // The first size whose sum exceeds the number. The last sum may be below 1 by rounding.
                let drawn = sizes.partition_point(|(up_to, _)| *up_to <= u);
                sizes[drawn.min(sizes.len() - 1)].1
            }
        }
    }
}

const FORMS: &str = r#""576 bytes", { exponential = { mean = "576 bytes" } } or { mix = [{ size = "160 bytes", share = 0.5 }, ...] }"#;

impl Parameter for SizeLaw {
    const KIND: Kind = Kind::Law(FORMS);
    const RANGE: &'static str = "1 to 65535 bytes";

    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Table(laws) = value else {
            return size(value).map(SizeLaw::Constant);
        };
        let [(law, value)] = laws.as_slice() else {
            return Err(format!("a packet size is one law: {FORMS}"));
        };
        match (law.as_str(), value) {
            ("exponential", Value::Table(fields)) => {
                let [mean] = entries(fields, ["mean"]).map_err(|message| format!("exponential: {message}"))?;
                let mean = size(mean).map_err(|message| format!("exponential.mean: {message}"))?;
                Ok(SizeLaw::Exponential(f64::from(mean)))
            }
            ("mix", Value::List(items)) => mix(items).map_err(|message| format!("mix: {message}")),
            ("exponential", _) => Err("exponential needs a mean; write { exponential = { mean = \"576 bytes\" } }".to_owned()),
            ("mix", _) => Err("mix needs a list; write { mix = [{ size = \"160 bytes\", share = 0.5 }, ...] }".to_owned()),
            _ => Err(format!("unknown law {}; write {FORMS}", quoted(law))),
        }
    }
}

fn size(value: &Value) -> Result<u32, String> {
    match Bytes::from_value(value)?.get() {
        bytes @ 1..=LARGEST => Ok(bytes as u32),
        bytes => Err(format!("{bytes} bytes is larger than any packet; at most {LARGEST} bytes")),
    }
}

fn mix(items: &[Value]) -> Result<SizeLaw, String> {
    if items.is_empty() {
        return Err("the list is empty".to_owned());
    }
    let mut sizes = Vec::with_capacity(items.len());
    let mut sum = 0.0;
    for (i, item) in items.iter().enumerate() {
        let at = |message: String| format!("item {i}: {message}");
        let Value::Table(fields) = item else {
            return Err(at(format!("{} is not {{ size = \"160 bytes\", share = 0.5 }}", item.quoted())));
        };
        let [bytes, share] = entries(fields, ["size", "share"]).map_err(at)?;
        let share = crate::parameters::Probability::from_value(share).map_err(|message| at(format!("share: {message}")))?.0;
        if share == 0.0 {
            return Err(at("share: a size that never occurs; leave it out".to_owned()));
        }
        sum += share;
        sizes.push((sum, size(bytes).map_err(|message| at(format!("size: {message}")))?));
    }
    // Shares such as 1/3 add up only within rounding.
    if (sum - 1.0).abs() > 1e-9 {
        return Err(format!("the shares add up to {sum}; they must add up to 1"));
    }
    Ok(SizeLaw::Mix(Arc::new(sizes)))
}

/// Values of exactly these keys, in this order.
pub(super) fn entries<'a, const N: usize>(fields: &'a [(String, Value)], keys: [&str; N]) -> Result<[&'a Value; N], String> {
    if let Some((key, _)) = fields.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        return Err(format!("unknown key {}; {} expected", quoted(key), keys.join(" and ")));
    }
    let mut values = [const { &Value::Switch(false) }; N];
    for (slot, wanted) in values.iter_mut().zip(keys) {
        let (_, value) = fields.iter().find(|(key, _)| key == wanted).ok_or_else(|| format!("{wanted} is missing"))?;
        *slot = value;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn table(entries: &[(&str, Value)]) -> Value {
        Value::Table(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn item(size: &str, share: f64) -> Value {
        table(&[("size", text(size)), ("share", Value::Float(share))])
    }

    fn mix_of(items: &[Value]) -> Value {
        table(&[("mix", Value::List(items.to_vec()))])
    }

    fn exponential(mean: &str) -> Value {
        table(&[("exponential", table(&[("mean", text(mean))]))])
    }

    fn mistake(value: &Value) -> String {
        SizeLaw::from_value(value).expect_err("a mistake")
    }

    #[test]
    fn laws_are_read_with_their_means() {
        let mean = |value: &Value| SizeLaw::from_value(value).expect("sound").mean();
        assert_eq!(mean(&text("160 bytes")), 160.0);
        assert_eq!(mean(&exponential("1 kB")), 1000.0);
        assert_eq!(mean(&mix_of(&[item("160 bytes", 0.5), item("1500 bytes", 0.5)])), 830.0);
        let thirds = mix_of(&[item("100 bytes", 1.0 / 3.0), item("200 bytes", 1.0 / 3.0), item("300 bytes", 1.0 / 3.0)]);
        assert!((mean(&thirds) - 200.0).abs() < 1e-9);
    }

    #[test]
    fn mistakes_say_where_and_what_is_allowed() {
        assert_eq!(mistake(&Value::Integer(160)), "160 has no unit; write \"160 bytes\"");
        assert_eq!(mistake(&text("64 KiB")), "65536 bytes is larger than any packet; at most 65535 bytes");
        assert!(mistake(&table(&[("pareto", text("1"))])).starts_with("unknown law 'pareto'; write \"576 bytes\", {"));
        assert!(mistake(&table(&[])).starts_with("a packet size is one law: "));
        assert_eq!(mistake(&exponential("0 bytes")), "exponential.mean: a size must be above zero");
        assert_eq!(mistake(&table(&[("exponential", table(&[]))])), "exponential: mean is missing");
        assert_eq!(
            mistake(&table(&[("exponential", table(&[("median", text("1 kB"))]))])),
            "exponential: unknown key 'median'; mean expected"
        );
        assert!(mistake(&table(&[("exponential", text("1 kB"))])).starts_with("exponential needs a mean; write "));
        assert!(mistake(&table(&[("mix", text("1 kB"))])).starts_with("mix needs a list; write "));
    }

    #[test]
    fn a_mix_must_be_complete() {
        assert_eq!(mistake(&mix_of(&[])), "mix: the list is empty");
        assert_eq!(mistake(&mix_of(&[item("1 kB", 0.5), item("2 kB", 0.25)])), "mix: the shares add up to 0.75; they must add up to 1");
        assert_eq!(mistake(&mix_of(&[text("1 kB")])), "mix: item 0: '1 kB' is not { size = \"160 bytes\", share = 0.5 }");
        assert_eq!(mistake(&mix_of(&[item("1 kB", 1.0), item("2 kB", 0.0)])), "mix: item 1: share: a size that never occurs; leave it out");
        assert_eq!(mistake(&mix_of(&[table(&[("size", text("1 kB"))])])), "mix: item 0: share is missing");
        assert_eq!(
            mistake(&mix_of(&[item("1", 1.0)])),
            "mix: item 0: size: 1 has no unit; write \"1 bytes\" (units: bytes, byte, B, kB, MB, GB, KiB, MiB, GiB)"
        );
    }

    #[test]
    fn samples_follow_their_law() {
        let mut stream = Key::root(1, 0).child("sizes").stream();
        let n = 200_000;
        let mut mean = |law: &SizeLaw| (0..n).map(|_| f64::from(law.sample(&mut stream))).sum::<f64>() / f64::from(n);
        // Standard errors: 1000/447 for the exponential, 670/447 for the mix; four of each.
        assert!((mean(&SizeLaw::Exponential(1000.0)) - 1000.0).abs() < 9.0);
        let mix = SizeLaw::from_value(&mix_of(&[item("160 bytes", 0.5), item("1500 bytes", 0.5)])).expect("sound");
        assert!((mean(&mix) - 830.0).abs() < 6.0);
        assert!((0..1000).all(|_| [160, 1500].contains(&mix.sample(&mut stream))));
        // No packet is larger than the maximum, and the reported mean is that of the sent sizes: 65535 (1 - 1/e). The cut leaves a standard
        // deviation below the mean.
        let wide = SizeLaw::Exponential(65_535.0);
        let sizes: Vec<f64> = (0..n).map(|_| f64::from(wide.sample(&mut stream))).collect();
        assert!(sizes.iter().all(|size| *size <= 65_535.0));
        assert!((wide.mean() - 65_535.0 * (1.0 - (-1f64).exp())).abs() < 1e-6);
        let mean = sizes.iter().sum::<f64>() / f64::from(n);
        assert!((mean - wide.mean()).abs() < 4.0 * wide.mean() / f64::from(n).sqrt(), "{mean} instead of {}", wide.mean());
        assert_eq!(SizeLaw::Exponential(1500.0).mean(), 1500.0);
        // A mean of one byte: two in five samples would round to zero.
        assert!((0..1000).all(|_| SizeLaw::Exponential(1.0).sample(&mut stream) >= 1));
    }

    #[test]
    fn a_constant_draws_nothing() {
        let (mut used, mut fresh) = (Key::root(1, 0).stream(), Key::root(1, 0).stream());
        assert_eq!(SizeLaw::Constant(40).sample(&mut used), 40);
        assert_eq!(used.bits(), fresh.bits());
    }
}
