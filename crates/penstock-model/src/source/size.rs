//! Laws of packet sizes.

use crate::parameters::{Kind, Parameter, Value};
use crate::rng::Stream;
use crate::units::Bytes;
use std::sync::Arc;

/// The largest packet: what the length field of IPv4 holds [RFC791 s3.1].
pub const LARGEST: u64 = 65_535;

/// How large a packet is: `"160 bytes"`, `{ exponential = { mean = "1000 bytes" } }` or
/// `{ mix = [{ size = "160 bytes", share = 0.5 }, { size = "1500 bytes", share = 0.5 }] }`.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeLaw {
    /// Always the same.
    Constant(u32),
    /// Exponential with this mean in bytes, rounded to whole bytes, at least one.
    Exponential(f64),
    /// One of several sizes, each with the sum of the shares up to and including its own.
    Mix(Arc<[(f64, u32)]>),
}

impl SizeLaw {
    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        match self {
            SizeLaw::Constant(size) => f64::from(*size),
            SizeLaw::Exponential(mean) => *mean,
            SizeLaw::Mix(sizes) => {
                let before = std::iter::once(0.0).chain(sizes.iter().map(|(up_to, _)| *up_to));
                sizes.iter().zip(before).map(|((up_to, size), before)| (up_to - before) * f64::from(*size)).sum()
            }
        }
    }

    /// The size of the next packet; a constant takes nothing from `stream`.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> u32 {
        match self {
            SizeLaw::Constant(size) => *size,
            SizeLaw::Exponential(mean) => ((stream.exponential() * mean + 0.5) as u32).max(1),
            SizeLaw::Mix(sizes) => {
                let u = stream.unit();
                let (_, size) = sizes.iter().find(|(up_to, _)| u < *up_to).unwrap_or(&sizes[sizes.len() - 1]);
                *size
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
            _ => Err(format!("unknown law '{law}'; write {FORMS}")),
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
    Ok(SizeLaw::Mix(sizes.into()))
}

/// The values of exactly these keys, in this order.
fn entries<'a, const N: usize>(fields: &'a [(String, Value)], keys: [&str; N]) -> Result<[&'a Value; N], String> {
    if let Some((key, _)) = fields.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        return Err(format!("unknown key '{key}'; {} expected", keys.join(" and ")));
    }
    let mut values = [const { &Value::Switch(false) }; N];
    for (slot, wanted) in values.iter_mut().zip(keys) {
        let (_, value) = fields.iter().find(|(key, _)| key == wanted).ok_or_else(|| format!("{wanted} is missing"))?;
        *slot = value;
    }
    Ok(values)
}
