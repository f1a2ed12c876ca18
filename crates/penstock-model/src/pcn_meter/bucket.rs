//! Token bucket of the PCN meters, in exact integers. Unlike the bucket of the colour markers, it may give fewer tokens than a packet needs
//! or go into debt, and its thresholds are seldom whole bytes.

use super::bucket_integer::BucketInteger;
use super::depth::Depth;
use super::tokens::{Tokens, PER_BYTE};
use crate::meter::bucket::Start;
use crate::units::{Bytes, Duration, Rate, Time, PS_PER_SECOND};
use std::hint::select_unpredictable;

/// A bucket that fills with tokens at a rate and holds at most its size.
///
/// The unit is a grain: the GCD of the tokens per byte and the tokens per picosecond. The count is therefore exact, and nearly every bucket
/// fits in 64 bits. The bucket stores the grains missing from its size instead of its level, so that saturating arithmetic stays exact when
/// the inflow of a long silence overflows.
#[derive(Clone, Copy, Debug)]
pub struct Bucket<N> {
    missing: N,
    size: N,
    /// Grains per picosecond.
    rate: u64,
    /// Grains per byte.
    per_byte: u64,
    /// Tokens per grain.
    grain: u64,
}

impl<N: BucketInteger> Bucket<N> {
    /// A bucket of `size` that fills at `rate`; `None` if its levels do not fit.
    pub fn new(rate: Rate, size: Depth, start: Start) -> Option<Bucket<N>> {
        let grain = common_divisor(rate.as_bps(), PER_BYTE);
        let per_byte = PER_BYTE / grain;
        let size = N::new(size.at(rate) / u128::from(grain))?;
        let missing = match start {
            Start::Full => N::ZERO,
            Start::Empty => size,
        };
        Some(Bucket { missing, size, rate: rate.as_bps() / grain, per_byte, grain })
    }

    /// Same as [`Bucket::new`], for a bucket that may go into debt by the largest packet, of 2^32 - 1 bytes.
    pub fn with_debt(rate: Rate, size: Depth, start: Start) -> Option<Bucket<N>> {
        let bucket = Bucket::<N>::new(rate, size, start)?;
        let debt = u128::from(u32::MAX) * u128::from(bucket.per_byte);
        N::new(bucket.size.value().saturating_add(debt)).map(|_| bucket)
    }

    /// Adds the inflow of `elapsed`.
    #[inline]
    pub fn fill(&mut self, elapsed: Duration) {
        self.missing = self.missing_after(elapsed);
    }

    /// Grains of a packet of `size`.
    #[inline]
    pub fn grains(&self, size: Bytes) -> N {
        N::product(size.get(), self.per_byte)
    }

    /// Takes `grains`, or all remaining grains if there are fewer.
    #[inline]
    pub fn take(&mut self, grains: N) {
        self.missing = self.missing.plus(grains).min(self.size);
    }

    /// Takes `grains`, going into debt if they exceed the level.
    #[inline]
    pub fn take_with_debt(&mut self, grains: N) {
        self.missing = self.missing.plus(grains);
    }

    /// Grains missing from the size; more than the size if the bucket is in debt.
    #[inline]
    pub fn missing(&self) -> N {
        self.missing
    }

    /// Size in grains.
    #[inline]
    pub fn size(&self) -> N {
        self.size
    }

    /// Grains missing at a level of `depth`; zero for a depth above the size.
    pub fn missing_at(&self, depth: Depth) -> N {
        self.size.less(self.level(depth))
    }

    /// Grains of `depth`, at most the bucket's size.
    pub fn level(&self, depth: Depth) -> N {
        let rate = Rate::from_bps(self.rate * self.grain);
        N::new(depth.at(rate) / u128::from(self.grain)).map_or(self.size, |level| level.min(self.size))
    }

    /// Number of tokens in `grains`.
    #[inline]
    pub fn tokens(&self, grains: N) -> Tokens {
        grains.value() * u128::from(self.grain)
    }

    /// Level after `elapsed`, in bits; negative if in debt. Does not change the bucket.
    pub fn bits_after(&self, elapsed: Duration) -> f64 {
        bits(self.tokens(self.size) as i128 - self.tokens(self.missing_after(elapsed)) as i128)
    }

    /// Bits missing after `elapsed`.
    pub fn missing_bits_after(&self, elapsed: Duration) -> f64 {
        bits(self.tokens(self.missing_after(elapsed)) as i128)
    }

    #[inline]
    fn missing_after(&self, elapsed: Duration) -> N {
        self.missing.less(N::product(self.rate, elapsed.as_ps()))
    }
}

/// Grains missing in a bucket before and after a packet.
#[derive(Clone, Copy, Debug)]
pub struct Taken<T> {
    /// Grains missing before the packet's grains are taken.
    pub before: T,
    /// Grains missing afterwards if the bucket could give all of them.
    pub needed: T,
    /// Grains missing afterwards.
    pub after: T,
    /// Grains of the packet.
    pub grains: T,
}

/// A bucket during a run of packets of one size. It stores the instant at which it will be full instead of the missing grains, as the
/// inflow from time zero until then (grains modulo 2^64). So it need not be filled before each packet.
#[derive(Clone, Copy, Debug)]
pub struct RunningBucket {
    full_at: u64,
    size: u64,
    rate: u64,
    grains: u64,
}

impl RunningBucket {
    /// Whether `packets` packets, starting at `clock` and without any refill between them, leave the missing grains below `low` and never
    /// empty the bucket. The bucket must be filled up to `clock`.
    #[inline]
    pub fn stays_below(&self, low: u64, clock: Clock, packets: usize) -> bool {
        let missing = u128::from(self.full_at.wrapping_sub(self.rate.wrapping_mul(clock.0.as_ps())));
        missing + u128::from(self.grains) * (packets as u128) < u128::from(low.min(self.size))
    }

    /// Takes a packet's grains at `now`; the bucket must hold enough.
    #[inline(always)]
    pub fn take_all(&mut self, now: Time) {
        let come = self.rate.wrapping_mul(now.as_ps());
        let before = self.full_at.wrapping_sub(come) as i64;
        self.full_at = select_unpredictable(before > 0, self.full_at, come).wrapping_add(self.grains);
    }

    /// Takes a packet's grains at `now` if it `asks` for them and the bucket holds enough. Returns whether it holds enough.
    #[inline(always)]
    pub fn take_if_enough(&mut self, now: Time, asks: bool) -> bool {
        let needed = self.missing(now) + self.grains;
        let is_enough = needed <= self.size;
        let full_at = self.rate.wrapping_mul(now.as_ps()).wrapping_add(needed);
        self.full_at = select_unpredictable(is_enough & asks, full_at, self.full_at);
        is_enough
    }

    /// Grains missing at `now`.
    #[inline(always)]
    fn missing(&self, now: Time) -> u64 {
        let missing = self.full_at.wrapping_sub(self.rate.wrapping_mul(now.as_ps()));
        select_unpredictable(missing as i64 > 0, missing, 0)
    }

    /// Takes a packet's grains at `now`, or all remaining grains if there are fewer.
    #[inline(always)]
    pub fn take(&mut self, now: Time) -> Taken<u64> {
        let come = self.rate.wrapping_mul(now.as_ps());
        let before = self.full_at.wrapping_sub(come);
        // Whether the bucket is full or empty is unpredictable, so branches would often be mispredicted.
        let before = select_unpredictable(before as i64 > 0, before, 0);
        let needed = before + self.grains;
        let after = select_unpredictable(needed < self.size, needed, self.size);
        self.full_at = come.wrapping_add(after);
        Taken { before, needed, after, grains: self.grains }
    }
}

impl<N: BucketInteger> Bucket<N> {
    /// Takes `grains`, or all remaining grains if there are fewer.
    #[inline(always)]
    pub fn take_and_tell(&mut self, grains: N) -> Taken<N> {
        let before = self.missing;
        self.take(grains);
        Taken { before, needed: before.plus(grains), after: self.missing, grains }
    }

    /// Starts a run of packets of `size` from `clock`, up to which the bucket is filled, until `end`. `None` if the numbers are too large.
    pub fn run(&self, clock: Clock, end: Time, size: Bytes) -> Option<RunningBucket> {
        let narrow = |number: u128| u64::try_from(number).ok().filter(|number| *number < 1 << 61);
        narrow(u128::from(self.rate) * u128::from(clock.elapsed(end).as_ps()))?;
        let full_at = self.rate.wrapping_mul(clock.0.as_ps()).wrapping_add(narrow(self.missing.value())?);
        let grains = narrow(u128::from(size.get()) * u128::from(self.per_byte))?;
        Some(RunningBucket { full_at, size: narrow(self.size.value())?, rate: self.rate, grains })
    }

    /// Ends a run whose last packet passed at `end`: adopts the level of `running`.
    pub fn end_run(&mut self, running: RunningBucket, end: Time) {
        let missing = running.missing(end);
        self.missing = N::new(u128::from(missing)).expect("less than 2^61");
    }
}

/// Instant up to which the buckets of a meter have been filled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock(Time);

impl Clock {
    /// A clock set to `now`.
    pub fn at(now: Time) -> Clock {
        Clock(now)
    }

    /// Whether it is at or before `now`.
    pub fn is_before(&self, now: Time) -> bool {
        self.0 <= now
    }

    /// Advances to `now`; returns the time elapsed.
    #[inline]
    pub fn advance(&mut self, now: Time) -> Duration {
        let elapsed = self.elapsed(now);
        self.0 = self.0.max(now);
        elapsed
    }

    /// Time from the clock to `now`.
    #[inline]
    pub fn elapsed(&self, now: Time) -> Duration {
        now.since(self.0)
    }
}

/// Tokens as bits, for probes.
fn bits(tokens: i128) -> f64 {
    tokens as f64 / PS_PER_SECOND as f64
}

/// GCD of two numbers (Euclid's algorithm).
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;
    use proptest::prelude::*;

    /// Reference bucket that follows the definition: stores the level in tokens.
    struct Defined {
        rate: u64,
        size: i128,
        fill: i128,
    }

    impl Defined {
        fn settle(&mut self, elapsed: Duration) {
            let inflow = (u128::from(self.rate) * u128::from(elapsed.as_ps())) as i128;
            self.fill = self.size.min(self.fill + inflow);
        }
    }

    /// One operation on a bucket: picoseconds since the previous one, bytes of the packet, and whether it is `take_with_debt`
    /// (otherwise `take`).
    type Step = (u64, u32, bool);

    /// Whether a bucket of type `N` agrees with the reference bucket over all steps; `None` if it does not fit.
    fn as_defined<N: BucketInteger>(rate: u64, depth: Depth, threshold: Depth, steps: &[Step]) -> Option<bool> {
        let rate = Rate::from_bps(rate);
        let owes = steps.iter().any(|(.., owes)| *owes);
        let make = if owes { Bucket::<N>::with_debt } else { Bucket::<N>::new };
        let mut bucket = make(rate, depth, Start::Full)?;
        let size = depth.at(rate) as i128;
        let mut defined = Defined { rate: rate.as_bps(), size, fill: size };
        let low = threshold.at(rate).min(depth.at(rate)) as i128;
        let above = bucket.missing_at(threshold);
        Some(steps.iter().all(|&(elapsed, bytes, owes)| {
            let (elapsed, bytes) = (Duration::from_ps(elapsed), Bytes::new(u64::from(bytes)));
            let read = bucket.bits_after(elapsed);
            bucket.fill(elapsed);
            defined.settle(elapsed);
            let (grains, needed) = (bucket.grains(bytes), tokens(bytes) as i128);
            let same = read == bits(defined.fill)
                && (bucket.missing() > above) == (defined.fill < low)
                && (bucket.missing() >= above) == (defined.fill <= low)
                && (bucket.missing() > N::ZERO) == (defined.fill < size)
                && (bucket.missing().plus(grains) > bucket.size()) == (defined.fill < needed)
                && bucket.tokens(bucket.missing()) as i128 == size - defined.fill;
            // As in meters, a bucket in debt goes into no further debt.
            if owes && defined.fill >= 0 {
                bucket.take_with_debt(grains);
                defined.fill -= needed;
            } else if !owes {
                bucket.take(grains);
                defined.fill = (defined.fill - needed).max(0);
            }
            same && bucket.tokens(bucket.missing()) as i128 == size - defined.fill
        }))
    }

    fn depth() -> impl Strategy<Value = Depth> {
        let times = (0u32..50).prop_flat_map(|log| (1u64 << log..2u64 << log).prop_map(|ps| Depth::Time(Duration::from_ps(ps))));
        prop_oneof![times, (1u64..1 << 40).prop_map(|bytes| Depth::Bytes(Bytes::new(bytes)))]
    }

    fn rate() -> impl Strategy<Value = u64> {
        prop_oneof![0u64..1000, 0u64..1 << 40, (0u64..200_000).prop_map(|k| 1000 * k), (0u64..1000).prop_map(|m| 1_000_000 * m)]
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let elapsed = prop_oneof![Just(0), 0u64..1 << 20, 0u64..1 << 34, any::<u64>()];
        let bytes = prop_oneof![0u32..2000, any::<u32>()];
        let steps = prop::collection::vec((elapsed, bytes, any::<bool>()), 1..60);
        (steps, any::<bool>())
            .prop_map(|(steps, owes)| steps.into_iter().map(|(ps, bytes, take_with_debt)| (ps, bytes, take_with_debt && owes)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn levels_in_grains_are_those_in_tokens(rate in rate(), size in depth(), threshold in depth(), steps in steps()) {
            prop_assert_eq!(as_defined::<u128>(rate, size, threshold, &steps), Some(true));
            prop_assert_ne!(as_defined::<u64>(rate, size, threshold, &steps), Some(false));
        }
    }

    #[test]
    fn ordinary_buckets_fit_64_bits() {
        let fits = |bps: u64, depth| Bucket::<u64>::new(Rate::from_bps(bps), depth, Start::Full).is_some();
        for bps in [64_000_000, 70_502_400, 115_200_000, 1_000_003, 100_000_000_000] {
            assert!(fits(bps, Depth::Time(Duration::from_ms(20))), "{bps}");
            assert!(fits(bps, Depth::Bytes(Bytes::new(1_000_000))), "{bps}");
        }
        // The grain is one token, and 2^64 tokens are 2.3 MB.
        assert!(!fits(1_000_003, Depth::Bytes(Bytes::new(2_400_000))));
        let owes = |bps: u64| Bucket::<u64>::with_debt(Rate::from_bps(bps), Depth::Bytes(Bytes::new(1)), Start::Full).is_some();
        assert_eq!((owes(8_000), owes(1_000_003)), (true, false));
    }

    #[test]
    fn the_fill_is_exact_and_bounded() {
        // 8 kbit/s is a byte a millisecond.
        let ms = Duration::from_ms;
        let mut bucket = Bucket::<u64>::new(Rate::from_bps(8_000), Depth::Time(ms(100)), Start::Full).expect("fits");
        assert_eq!(bucket.bits_after(ms(0)), 800.0);
        bucket.take(bucket.grains(Bytes::new(70)));
        assert_eq!((bucket.bits_after(ms(5)), bucket.bits_after(ms(200))), (280.0, 800.0));
        bucket.take(bucket.grains(Bytes::new(31)));
        assert_eq!(bucket.bits_after(ms(0)), 0.0);
        bucket.take_with_debt(bucket.grains(Bytes::new(4)));
        bucket.fill(ms(1));
        assert_eq!((bucket.bits_after(ms(0)), bucket.missing_bits_after(ms(1))), (-24.0, 816.0));
        let empty = Bucket::<u64>::new(Rate::from_bps(8_000), Depth::Bytes(Bytes::new(9)), Start::Empty).expect("fits");
        assert_eq!(empty.bits_after(ms(0)), 0.0);
    }
}
