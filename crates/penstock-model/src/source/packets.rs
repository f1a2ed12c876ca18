//! Packets from a list.

use super::size::LARGEST;
use super::{Emission, OpenLoop, Source};
use crate::parameters::Check;
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};
use std::collections::BTreeSet;
use std::sync::Arc;

crate::parameters! {
    /// Packets: a list of packets with times and sizes, for tests and teaching.
    ///
    /// ## Decides
    /// Packets are sent at the times of `at`, counted from the start of the flow, with the sizes of `sizes`: one for each packet, or
    /// one for all. Packets of the same time are sent in the order of the list. The source ends with the last packet.
    ///
    /// ## State
    /// The position in the list. No random numbers.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// source.packets = { at = ["0 s", "1 ms", "1 ms", "2.5 ms"], sizes = ["1500 bytes", "40 bytes", "576 bytes", "1500 bytes"] }
    /// # all alike
    /// source.packets = { at = ["0 s", "0 s", "30 ms"], sizes = ["1000 bytes"] }
    /// ```
    ///
    /// ## References
    /// None.
    pub struct Parameters {
        /// Time of each packet after the start of the flow, in ascending order.
        at: Vec<Duration>;
        /// Bytes of each packet on the wire, or of all.
        sizes: Vec<Bytes>;
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(place) = self.at.windows(2).position(|pair| pair[0] > pair[1]) {
            mistake("at", format!("item {}: {} is before the previous one; write them in ascending order", place + 1, self.at[place + 1]));
        }
        if self.sizes.len() != 1 && self.sizes.len() != self.at.len() {
            mistake("sizes", format!("has {} items for {} packets; one for each, or one for all", self.sizes.len(), self.at.len()));
        }
        if let Some(place) = self.sizes.iter().position(|size| size.get() > LARGEST) {
            mistake("sizes", format!("item {place}: {} is larger than any packet; at most {LARGEST} bytes", self.sizes[place]));
        }
    }
}

impl OpenLoop for Parameters {
    const ENDLESS: bool = false;

    /// Rate after all packets have been sent.
    fn mean_rate(&self) -> Rate {
        Rate::ZERO
    }

    fn smallest_packet(&self) -> Bytes {
        self.sizes.iter().copied().min().unwrap_or(Bytes::new(0))
    }

    fn largest_packet(&self) -> Option<Bytes> {
        self.sizes.iter().copied().max()
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        self.sizes.iter().copied().collect::<BTreeSet<Bytes>>().into_iter().collect()
    }
}

/// State of a list of packets.
#[derive(Clone, Debug)]
pub struct Packets {
    /// Spacings and sizes.
    emissions: Arc<[Emission]>,
    next: usize,
}

impl Packets {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Packets {
        let before = std::iter::once(Duration::ZERO).chain(parameters.at.iter().copied());
        let emission = |(i, (at, before)): (usize, (&Duration, Duration))| {
            let size = parameters.sizes.get(i).unwrap_or(&parameters.sizes[0]);
            Emission { after: *at - before, size: size.get() as u32 }
        };
        Packets::of(parameters.at.iter().zip(before).enumerate().map(emission).collect())
    }

    /// A source of these packets.
    pub(super) fn of(emissions: Arc<[Emission]>) -> Packets {
        Packets { emissions, next: 0 }
    }

    /// Time from the start of the flow to the last packet.
    pub fn span(&self) -> Duration {
        self.emissions.iter().fold(Duration::ZERO, |span, emission| span + emission.after)
    }

    fn take(&mut self) -> Emission {
        let emission = self.emissions.get(self.next);
        self.next += 1;
        emission.copied().unwrap_or(Emission { after: Duration::FOREVER, size: 0 })
    }
}

impl Source for Packets {
    fn first(&mut self, _stream: &mut Stream) -> Emission {
        self.take()
    }

    fn next(&mut self, _stream: &mut Stream) -> Emission {
        self.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    /// Spacings in us and sizes of the first `n` packets.
    fn sent(lines: &[&str], n: usize) -> Vec<(u64, u32)> {
        let (mut source, mut stream) = (Packets::new(&read(lines).expect("sound"), &Site::trial()), Key::root(1, 0).stream());
        let first = source.first(&mut stream);
        let more = (1..n).map(|_| source.next(&mut stream));
        std::iter::once(first).chain(more).map(|emission| (emission.after.as_ps() / 1_000_000, emission.size)).collect()
    }

    #[test]
    fn each_packet_has_its_time_and_size() {
        let lines = ["at = [2 ms, 2 ms, 2.5 ms]", "sizes = [1500 bytes, 40 bytes, 576 bytes]"];
        assert_eq!(sent(&lines, 3), [(2000, 1500), (0, 40), (500, 576)]);
    }

    #[test]
    fn one_size_may_do_for_all() {
        assert_eq!(sent(&["at = [0 s, 30 ms]", "sizes = [1 kB]"], 2), [(0, 1000), (30_000, 1000)]);
    }

    #[test]
    fn after_the_last_packet_there_is_none() {
        let mut source = Packets::new(&read(&["at = [1 ms]", "sizes = [1 kB]"]).expect("sound"), &Site::trial());
        let mut stream = Key::root(1, 0).stream();
        source.first(&mut stream);
        assert!((0..3).all(|_| source.next(&mut stream).after == Duration::FOREVER));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        assert_eq!(
            mistakes(&["at = [0 s, 3 ms, 2 ms]", "sizes = [1 kB]"]),
            ["at: item 2: 2 ms is before the previous one; write them in ascending order"]
        );
        assert_eq!(
            mistakes(&["at = [0 s, 3 ms, 4 ms]", "sizes = [1 kB, 2 kB]"]),
            ["sizes: has 2 items for 3 packets; one for each, or one for all"]
        );
        assert_eq!(
            mistakes(&["at = [0 s, 3 ms]", "sizes = [1 kB, 64 KiB]"]),
            ["sizes: item 1: 65536 bytes is larger than any packet; at most 65535 bytes"]
        );
        assert_eq!(mistakes(&["at = []", "sizes = [1 kB]"]).len(), 1);
    }
}
