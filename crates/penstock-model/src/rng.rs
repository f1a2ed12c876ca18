//! Named random streams, one per component path and purpose.
//!
//! A [`Key`] is a hash of the seed, the replication and the names on the path to a component. So adding a component does not change the
//! draws of any other, and variants of a scenario share common random numbers. A [`Stream`] is Philox4x32-10 [Salmon11 s3.3] in counter
//! mode under such a key: its n-th number is a pure function of the key and n.

use rand_core::TryRng;
use std::convert::Infallible;

/// Identifies a random stream by hashing the path that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

impl Key {
    /// Key of one run, from which all its random streams derive.
    pub fn root(seed: u64, replication: u64) -> Key {
        Key(mix(mix(0x7065_6e73_746f_636b ^ seed) ^ replication))
    }

    /// Key of the child called `name`.
    #[must_use]
    pub fn child(self, name: &str) -> Key {
        // FNV-1a over the name, then mixed into the parent.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Key(mix(self.0 ^ mix(hash)))
    }

    /// Key of the `index`-th child of a group.
    #[must_use]
    pub fn nth(self, index: u64) -> Key {
        Key(mix(self.0.rotate_left(17) ^ mix(index ^ 0x5851_f42d_4c95_7f2d)))
    }

    /// Stream under this key.
    pub fn stream(self) -> Stream {
        Stream { key: self.0, counter: 0, buffer: [0; 2], left: 0 }
    }

    /// Hash of `words` under this key: a random order that needs no state.
    #[inline]
    pub fn hash(self, words: [u64; 2]) -> u64 {
        mix(mix(self.0 ^ words[0]) ^ words[1])
    }
}

/// The finaliser of SplitMix64 [Steele14]: a bijection whose every output bit depends on every input bit.
#[inline]
const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers; 40 bytes.
#[derive(Clone, Debug)]
pub struct Stream {
    key: u64,
    counter: u64,
    buffer: [u64; 2],
    left: u8,
}

impl Stream {
    /// Next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        if self.left == 0 {
            let counter = [self.counter as u32, (self.counter >> 32) as u32, 0, 0];
            let [a, b, c, d] = philox(counter, [self.key as u32, (self.key >> 32) as u32]);
            self.buffer = [u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32];
            self.counter += 1;
            self.left = 2;
        }
        self.left -= 1;
        self.buffer[usize::from(1 - self.left)]
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in (0, 1], for laws that take a logarithm.
    #[inline]
    pub fn open_unit(&mut self) -> f64 {
        1.0 - self.unit()
    }

    /// A uniform integer in [0, `below`); `below` is at least 1. The bias is below 2^-64 x `below`.
    #[inline]
    pub fn below(&mut self, below: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(below)) >> 64) as u64
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Exponential with mean 1, by inversion.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.open_unit())
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// Ten rounds of Philox4x32 [Salmon11 s3.3].
#[inline]
fn philox(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
        }
        let a = u64::from(c[0]) * 0xd251_1f53;
        let b = u64::from(c[2]) * 0xcd9e_8d57;
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_vectors() {
        // Known-answer vectors of Random123 [Salmon11].
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn streams_differ_by_name_index_seed_and_replication() {
        let root = Key::root(1, 0);
        let first = |key: Key| key.stream().bits();
        let all =
            [root.child("a"), root.child("b"), root.child("a").nth(0), root.child("a").nth(1), root, Key::root(2, 0), Key::root(1, 1)];
        for (i, x) in all.iter().enumerate() {
            for y in &all[i + 1..] {
                assert_ne!(first(*x), first(*y));
            }
        }
        assert_eq!(first(root.child("a")), first(Key::root(1, 0).child("a")));
    }

    #[test]
    fn laws_have_their_means() {
        let mut stream = Key::root(1, 0).child("laws").stream();
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        // Standard errors: 0.289/447 = 0.0006 and 1/447 = 0.0022; the tolerance is four of them.
        assert!((mean(&mut || stream.unit()) - 0.5).abs() < 0.0026);
        assert!((mean(&mut || stream.exponential()) - 1.0).abs() < 0.009);
        assert!((0..1000).all(|_| stream.below(7) < 7));
    }
}
