//! Whether a run is faster on several cores or on one: whoever tries both knows.
//!
//! How long cores wait for each other depends on what else the machine does, so only the clock can tell. This crate has
//! none; who runs a [`crate::Sim`] in stretches may have one. The results do not depend on it.

/// How fast stretches of a run were made in either way.
#[derive(Debug)]
pub struct Autotune {
    /// What was done in a second on one core, and on several.
    rates: [Option<f64>; 2],
    on_one: bool,
    /// The next stretch is a trial of the slower way.
    tries: bool,
    /// So many more stretches until a trial, and how many there are from one to the next.
    left: u32,
    between: u32,
}

/// Shorter stretches, in seconds, tell little.
const TELLING: f64 = 0.004;
/// Stretches between trials: at first, and at most, as each that changes nothing doubles them.
const FEWEST: u32 = 25;
const MOST: u32 = 1_600;

impl Default for Autotune {
    fn default() -> Autotune {
        Autotune { rates: [None; 2], on_one: false, tries: false, left: FEWEST, between: FEWEST }
    }
}

impl Autotune {
    /// Whether the next stretch is for several cores.
    pub fn is_spread(&self) -> bool {
        !self.on_one
    }

    /// In the last stretch, so much was done in so many seconds.
    pub fn note(&mut self, done: u64, seconds: f64) {
        if seconds < TELLING {
            return;
        }
        let rate = &mut self.rates[usize::from(self.is_spread())];
        let last = done as f64 / seconds;
        *rate = Some(rate.map_or(last, |before| (before + last) / 2.0));
        let [Some(one), Some(several)] = self.rates else {
            self.on_one = self.rates[0].is_none();
            return;
        };
        let one_is_faster = one > several;
        if self.tries {
            let is_better = self.on_one == one_is_faster;
            self.between = if is_better { FEWEST } else { (self.between * 2).min(MOST) };
            self.left = self.between;
        } else {
            self.left -= 1;
        }
        self.tries = self.left == 0;
        self.on_one = one_is_faster != self.tries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of 1,000 stretches are for several cores, which do so much in a second where one does 100.
    fn spread(several: u64) -> usize {
        let mut pace = Autotune::default();
        let stretch = |_: &usize| {
            let spread = pace.is_spread();
            pace.note(if spread { several } else { 100 }, 1.0);
            spread
        };
        (0..1_000).filter(stretch).count()
    }

    #[test]
    fn the_faster_way_is_taken_and_the_other_one_tried_now_and_then() {
        // At first, and then after about 25, 50, 100, 200 and 400 more.
        assert_eq!(spread(150), 1_000 - 6);
        assert_eq!(spread(50), 6);
    }

    #[test]
    fn a_way_that_has_become_faster_is_found() {
        let mut pace = Autotune::default();
        for stretch in 0..400 {
            let several = if stretch < 200 { 50 } else { 150 };
            pace.note(if pace.is_spread() { several } else { 100 }, 1.0);
        }
        assert!(pace.is_spread());
    }
}
