//! Autotuning: whether a run is faster on several cores or on one, found by trying both.
//!
//! How long cores wait for each other depends on what else the machine does, so only the clock can decide. This crate has
//! none, but the caller of a [`crate::Sim`] may have one, and run it in stretches of events. No result depends on it.

/// How fast stretches of a run were, on one core and on several.
#[derive(Debug)]
pub struct Autotune {
    /// Events handled in a second on one core, and on several.
    rates: [Option<f64>; 2],
    uses_one: bool,
    /// The next stretch is the first after a change, which takes time that others do not.
    has_changed: bool,
    /// The next stretch is one of a trial of the slower choice.
    is_trial: bool,
    /// So many more stretches until a trial, and how many there are from one to the next.
    left: u32,
    interval: u32,
}

/// Stretches shorter than this, in seconds, are not measured.
const SHORTEST_STRETCH: f64 = 0.004;
/// Stretches of a trial have this part of the events of others: the slower choice is not to take long, and what it would be like shows
/// soon.
const TRIAL_PART: u64 = 4;
/// Stretches between trials: at first, and at most, as each that changes nothing makes it eight times as many.
const FIRST_INTERVAL: u32 = 10;
const LONGEST_INTERVAL: u32 = 200;

/// Stretches are slowed by what comes in between, and never hastened: so the fastest lately counts, and each fades to this share of
/// itself from stretch to stretch.
const FADING: f64 = 0.9;

impl Default for Autotune {
    fn default() -> Autotune {
        Autotune { rates: [None; 2], uses_one: false, has_changed: true, is_trial: false, left: FIRST_INTERVAL, interval: FIRST_INTERVAL }
    }
}

impl Autotune {
    /// Whether the next stretch is for several cores.
    pub fn uses_cores(&self) -> bool {
        !self.uses_one
    }

    /// How many events the next stretch is to handle where one that is no trial handles so many.
    pub fn budget(&self, events: u64) -> u64 {
        if self.is_trial {
            events / TRIAL_PART
        } else {
            events
        }
    }

    /// Events handled in a second on one core and on several, as far as they have been measured.
    pub fn rates(&self) -> [Option<f64>; 2] {
        self.rates
    }

    /// The last stretch has handled so many events in so many seconds.
    pub fn record(&mut self, events: u64, seconds: f64) {
        if seconds < SHORTEST_STRETCH || std::mem::take(&mut self.has_changed) {
            return;
        }
        let uses_one = self.uses_one;
        self.uses_one = self.choose(events as f64 / seconds);
        self.has_changed = self.uses_one != uses_one;
    }

    /// Whether the next stretch is for one core, after one at this rate.
    fn choose(&mut self, last: f64) -> bool {
        let rate = &mut self.rates[usize::from(!self.uses_one)];
        // What the slower choice was like at its last trial says little about now.
        let before = rate.filter(|_| !self.is_trial).unwrap_or(0.0);
        *rate = Some(last.max(before * FADING));
        let [one, several] = self.rates;
        let one_is_faster = one > several;
        if self.is_trial {
            let is_better = self.uses_one == one_is_faster;
            self.interval = if is_better { FIRST_INTERVAL } else { (self.interval * 8).min(LONGEST_INTERVAL) };
            self.left = self.interval;
        } else {
            self.left -= 1;
        }
        self.is_trial = self.left == 0;
        one_is_faster != self.is_trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of 1,000 stretches are for several cores, which handle so many events in a second where one handles 100.
    fn stretches_on_cores(several: u64) -> usize {
        let mut autotune = Autotune::default();
        let stretch = |_: &usize| {
            let uses_cores = autotune.uses_cores();
            autotune.record(if uses_cores { several } else { 100 }, 1.0);
            uses_cores
        };
        (0..1_000).filter(stretch).count()
    }

    #[test]
    fn the_faster_choice_is_taken_and_the_other_one_tried_now_and_then() {
        // Trials of two stretches each, after about 10 and 80 of the faster choice, and then after 200 each time...
        assert_eq!(stretches_on_cores(150), 1_000 - 6 * 2);
        // ... of which several cores are the first.
        assert_eq!(stretches_on_cores(50), 11 + 6 * 2);
    }

    #[test]
    fn trials_are_short() {
        let mut autotune = Autotune::default();
        let budget = |_: u32| {
            let budget = autotune.budget(100);
            autotune.record(if autotune.uses_cores() { 3 * budget } else { 2 * budget }, 1.0);
            budget
        };
        // The first stretch is not counted, and neither is the first of a trial.
        let budgets: Vec<u64> = (0..15).map(budget).collect();
        assert_eq!(budgets, [[100; 11].as_slice(), &[25; 2], &[100; 2]].concat());
    }

    #[test]
    fn what_comes_in_between_now_and_then_changes_no_choice() {
        let mut autotune = Autotune::default();
        let mut on_one = 0;
        for stretch in 0..1_000 {
            let uses_cores = autotune.uses_cores();
            on_one += usize::from(!uses_cores);
            let events = if uses_cores { 150 } else { 100 };
            autotune.record(if stretch % 5 == 0 { events / 3 } else { events }, 1.0);
        }
        assert_eq!(on_one, 6 * 2);
    }

    #[test]
    fn a_choice_that_has_become_faster_is_found() {
        let mut autotune = Autotune::default();
        for stretch in 0..400 {
            let several = if stretch < 200 { 50 } else { 150 };
            autotune.record(if autotune.uses_cores() { several } else { 100 }, 1.0);
        }
        assert!(autotune.uses_cores());
    }
}
