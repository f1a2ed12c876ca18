//! Quantities as integers: time in picoseconds, rates in bit/s, sizes in bytes.
//!
//! One picosecond is the transmission time of one bit at 1 Tbit/s, and a `u64` of them lasts 213 days. Arithmetic saturates at
//! [`Time::NEVER`], so a time that never comes compares later than all others.

use crate::printable::{quoted, shortened};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

/// Picoseconds in a second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the simulation began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span between two instants, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// A rate in bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Time {
    /// The beginning of the simulation.
    pub const ZERO: Time = Time(0);
    /// Later than every instant that can happen.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the beginning.
    #[inline]
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// Picoseconds since the beginning.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Last instant before this one; the beginning returns itself.
    #[inline]
    pub const fn before(self) -> Time {
        Time(self.0.saturating_sub(1))
    }

    /// First instant after this one; [`Time::NEVER`] returns itself.
    #[inline]
    pub const fn after(self) -> Time {
        Time(self.0.saturating_add(1))
    }

    /// Seconds since the beginning, for results that a person reads. Must not decide what happens next.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// Span from `earlier` to this instant; zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// Zero time.
    pub const ZERO: Duration = Duration(0);
    /// Longer than every span that can happen.
    pub const FOREVER: Duration = Duration(u64::MAX);

    /// A span of `ps` picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }

    /// A span of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Duration {
        Duration(ns.saturating_mul(1_000))
    }

    /// A span of `us` microseconds.
    pub const fn from_us(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000_000))
    }

    /// A span of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000_000))
    }

    /// A span of `s` seconds.
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(PS_PER_SECOND))
    }

    /// Span nearest to `seconds`. Negative values give zero, and values out of range [`Duration::FOREVER`]. For samples of random laws,
    /// which are real numbers.
    #[inline]
    pub fn from_seconds(seconds: f64) -> Duration {
        Duration((seconds * PS_PER_SECOND as f64 + 0.5) as u64)
    }

    /// Picoseconds in the span.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds in the span, for results and for the arguments of random laws.
    #[inline]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// `self` times `factor`, saturating.
    #[inline]
    pub const fn times(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }
}

impl Rate {
    /// Rate of a failed link.
    pub const ZERO: Rate = Rate(0);

    /// A rate of `bps` bit/s.
    pub const fn from_bps(bps: u64) -> Rate {
        Rate(bps)
    }

    /// The rate in bit/s.
    #[inline]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Transmission time of `size` at this rate, rounded half up to a picosecond; forever at rate zero.
    #[inline]
    pub fn transmission_time(self, size: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::FOREVER;
        }
        match size.0.checked_mul(8 * PS_PER_SECOND) {
            Some(bit_ps) => Duration((bit_ps / self.0) + u64::from(bit_ps % self.0 >= self.0.div_ceil(2))),
            None => {
                let bit_ps = u128::from(size.0) * u128::from(8 * PS_PER_SECOND);
                let rounded = (bit_ps + u128::from(self.0 / 2)) / u128::from(self.0);
                Duration(u64::try_from(rounded).unwrap_or(u64::MAX))
            }
        }
    }
}

impl Bytes {
    /// A size of `bytes` bytes.
    #[inline]
    pub const fn new(bytes: u64) -> Bytes {
        Bytes(bytes)
    }

    /// The size in bytes.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The size in bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl Time {
    /// Time that is `span` later, which must be below [`Time::NEVER`]; [`Add`] saturates instead.
    #[inline]
    pub const fn plus(self, span: Duration) -> Time {
        Time(self.0 + span.0)
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl Sub for Duration {
    type Output = Duration;
    /// Difference, saturating at zero.
    #[inline]
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    #[inline]
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl fmt::Display for Duration {
    /// Uses the largest unit that keeps the number whole, e.g. `30 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0, &[(PS_PER_SECOND, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")])
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}

impl fmt::Display for Rate {
    /// Uses the largest unit that keeps the number whole, e.g. `1500 kbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0, &[(1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s"), (1, "bit/s")])
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

fn write_scaled(f: &mut fmt::Formatter<'_>, value: u64, scales: &[(u64, &str)]) -> fmt::Result {
    let (scale, unit) =
        scales.iter().find(|(scale, _)| value.is_multiple_of(*scale) && value != 0).or(scales.first()).expect("at least one unit");
    write!(f, "{} {unit}", value / scale)
}

const TIME_UNITS: &[(&str, u64)] =
    &[("s", PS_PER_SECOND), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1), ("min", 60 * PS_PER_SECOND)];
const RATE_UNITS: &[(&str, u64)] = &[
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
    ("cells/s", 8 * crate::atm::CELL as u64),
    ("kcells/s", 8_000 * crate::atm::CELL as u64),
];
const SIZE_UNITS: &[(&str, u64)] = &[
    ("bytes", 1),
    ("byte", 1),
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

impl Duration {
    /// Reads a time like `parse`; `example` is a typical value for messages.
    pub(crate) fn read(text: &str, example: &str) -> Result<Duration, String> {
        parse_quantity(text, TIME_UNITS, example).map(Duration)
    }
}

impl FromStr for Duration {
    type Err = String;
    /// Reads `30 ms`; units s, ms, us, ns, ps, min.
    fn from_str(text: &str) -> Result<Duration, String> {
        Duration::read(text, "30 ms")
    }
}

impl FromStr for Rate {
    type Err = String;
    /// Reads `1.5 Mbit/s`; units bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s (powers of 1000), and cells/s, kcells/s of 53 bytes.
    fn from_str(text: &str) -> Result<Rate, String> {
        parse_quantity(text, RATE_UNITS, "1.5 Mbit/s").map(Rate)
    }
}

impl FromStr for Bytes {
    type Err = String;
    /// Reads `576 bytes`; units bytes, B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024).
    fn from_str(text: &str) -> Result<Bytes, String> {
        parse_quantity(text, SIZE_UNITS, "576 bytes").map(Bytes)
    }
}

/// Splits `1.5 Mbit/s` into its number and its unit.
pub fn split_quantity(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_'))).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// Returns `number`, written without a unit, with the unit of `example`; returns the example itself if `number` is not a short number or is
/// negative.
pub(crate) fn with_unit_of(example: &str, number: &str) -> String {
    if number.len() <= 20 && number.parse::<f64>().is_ok_and(|number| number >= 0.0) {
        format!("{number} {}", split_quantity(example).1)
    } else {
        example.to_owned()
    }
}

/// Reads a number with a unit exactly: decimals are scaled in integers, and the result must be whole.
fn parse_quantity(text: &str, units: &[(&str, u64)], example: &str) -> Result<u64, String> {
    let (number, unit) = split_quantity(text);
    let allowed = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    if number.is_empty() {
        return Err(format!("{} is not a quantity; write a number and a unit such as \"{example}\" (units: {})", quoted(text), allowed()));
    }
    if unit.is_empty() {
        let instead = with_unit_of(example, number);
        return Err(format!("{} has no unit; write \"{instead}\" (units: {})", shortened(number, 60), allowed()));
    }
    let Some((_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(format!("unknown unit {} in {}; write \"{example}\" (units: {})", quoted(unit), quoted(text), allowed()));
    };
    if number.starts_with('-') {
        return Err(format!("{} is negative; a quantity here is zero or more", quoted(text)));
    }
    scale_decimal(number, *scale).ok_or_else(|| {
        format!("{} is not a number that fits; at most {} {unit} in whole steps of the smallest unit", quoted(text), u64::MAX / scale)
    })
}

/// `number` (plain decimal digits with at most one point) times `scale`, if the product is whole and fits.
fn scale_decimal(number: &str, scale: u64) -> Option<u64> {
    let number = number.strip_prefix('+').unwrap_or(number);
    let number = if number.contains('_') { Cow::Owned(number.replace('_', "")) } else { Cow::Borrowed(number) };
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.len() > 18 {
        return None;
    }
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u64>().ok() };
    let (whole, parts) = (digits(whole)?, digits(fraction)?);
    let denominator = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    let scaled = u128::from(parts) * u128::from(scale);
    if scaled % denominator != 0 {
        return None;
    }
    let total = u128::from(whole) * u128::from(scale) + scaled / denominator;
    u64::try_from(total).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmission_times_are_rounded_half_up() {
        // 576 bytes at 1.5 Mbit/s: 4608 bits / 1.5e6 = 3.072 ms exactly.
        assert_eq!(Rate::from_bps(1_500_000).transmission_time(Bytes::new(576)), Duration::from_us(3_072));
        // One byte at 3 Tbit/s: 8/3 ps = 2.67 -> 3; at 16 Tbit/s: 0.5 -> 1; at 17 Tbit/s: 0.47 -> 0.
        assert_eq!(Rate::from_bps(3_000_000_000_000).transmission_time(Bytes::new(1)), Duration::from_ps(3));
        assert_eq!(Rate::from_bps(16_000_000_000_000).transmission_time(Bytes::new(1)), Duration::from_ps(1));
        assert_eq!(Rate::from_bps(17_000_000_000_000).transmission_time(Bytes::new(1)), Duration::from_ps(0));
    }

    #[test]
    fn large_packets_use_wide_products() {
        let gigabyte = Bytes::new(1_000_000_000);
        assert_eq!(Rate::from_bps(8_000_000_000).transmission_time(gigabyte), Duration::from_secs(1));
        assert_eq!(Rate::ZERO.transmission_time(gigabyte), Duration::FOREVER);
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::NEVER + Duration::from_secs(1), Time::NEVER);
        assert_eq!(Time::ZERO.since(Time::from_ps(5)), Duration::ZERO);
    }

    #[test]
    fn quantities_are_read_exactly() {
        assert_eq!("155.52 Mbit/s".parse(), Ok(Rate::from_bps(155_520_000)));
        assert_eq!("64 KiB".parse(), Ok(Bytes::new(65_536)));
        assert_eq!("0.1 us".parse(), Ok(Duration::from_ns(100)));
        assert_eq!("1_000 bytes".parse(), Ok(Bytes::new(1_000)));
    }

    #[test]
    fn mistaken_quantities_say_what_is_allowed() {
        assert_eq!("20".parse::<Duration>().unwrap_err(), "20 has no unit; write \"20 ms\" (units: s, ms, us, ns, ps, min)");
        for unreadable in ["-20", "2.0.0", "1_000", "100000000000000000000"] {
            let message = unreadable.parse::<Duration>().unwrap_err();
            assert!(message.contains(" has no unit; write \"30 ms\" ("), "{message}");
        }
        assert_eq!(
            "10 Mb".parse::<Rate>().unwrap_err(),
            "unknown unit 'Mb' in '10 Mb'; write \"1.5 Mbit/s\" (units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, cells/s, kcells/s)"
        );
        assert_eq!("-1 s".parse::<Duration>().unwrap_err(), "'-1 s' is negative; a quantity here is zero or more");
        assert!("0.5 ps".parse::<Duration>().unwrap_err().contains("is not a number that fits"));
        assert!("fast".parse::<Rate>().unwrap_err().contains("is not a quantity"));
    }

    #[test]
    fn quantities_print_as_they_are_written() {
        assert_eq!(Duration::from_ms(30).to_string(), "30 ms");
        assert_eq!(Rate::from_bps(1_500_000).to_string(), "1500 kbit/s");
        assert_eq!(Duration::ZERO.to_string(), "0 s");
    }
}
