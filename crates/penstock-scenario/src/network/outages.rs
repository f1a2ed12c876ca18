//! Outages of a link: listed, or random.

use crate::read::section::Section;
use crate::read::tree::Item;
use crate::read::values::RunTime;
use penstock_model::parameters::{Check, Parameters};
use penstock_model::rng::Key;
use penstock_model::units::{Duration, Rate, Time};

penstock_model::parameters! {
    /// An outage of a link: the rate is zero and packets wait.
    pub struct OutageKeys {
        /// Start of the outage; after the end of the previous one.
        at: RunTime;
        /// Duration of the outage; afterwards the link has the rate that `rate-changes` give.
        duration: Duration;
    }
}
impl Check for OutageKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.duration == Duration::ZERO {
            mistake("duration", "is zero, so that the outage has no effect; leave it out".to_owned());
        }
    }
}

penstock_model::parameters! {
    /// Random outages of a link: it is up and down in turns, for exponentially distributed times.
    ///
    /// The link begins up. Each link draws from its own stream, once per run. The share of time that it is down is
    /// $"mean-down" / ("mean-up" + "mean-down")$ in the long run.
    pub struct RandomOutageKeys {
        /// Mean time from the end of an outage to the start of the next.
        mean_up: RunTime;
        /// Mean duration of an outage.
        mean_down: Duration;
    }
}
impl Check for RandomOutageKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        for (key, mean) in [("mean-up", self.mean_up.0), ("mean-down", self.mean_down)] {
            if mean < SHORTEST {
                mistake(key, format!("{mean} is too short; at least {SHORTEST}"));
            }
        }
    }
}

/// Bounds the number of outages of a run.
const SHORTEST: Duration = Duration::from_us(10);

/// Outages of a link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outages {
    /// Start and end of each outage, ascending.
    Listed(Vec<(Time, Time)>),
    /// Mean durations of the times up and down.
    Random { up: Duration, down: Duration },
}

impl Outages {
    /// Reads `outages` of a link; the outer `None` after a mistake.
    pub fn read(section: &mut Section<'_>, duration: Option<Duration>) -> Option<Option<Outages>> {
        match section.entry("outages").map(|entry| &entry.tree.item) {
            None => Some(None),
            Some(Item::Table(_)) => {
                let mut table = section.table("outages")?;
                let keys = RandomOutageKeys::read(&mut table);
                table.finish();
                let RandomOutageKeys { mean_up, mean_down } = keys?;
                Some(Some(Outages::Random { up: mean_up.0, down: mean_down }))
            }
            Some(item) => {
                let is_list = matches!(item, Item::List(_));
                let listed = listed(section, duration);
                listed.filter(|_| is_list).map(|listed| Some(Outages::Listed(listed)))
            }
        }
    }

    /// Expected number of outages before `end`.
    pub fn expected(&self, end: Duration) -> f64 {
        match self {
            Outages::Listed(listed) => listed.len() as f64,
            Outages::Random { up, down } => end.as_seconds() / (up.as_seconds() + down.as_seconds()),
        }
    }

    /// Changes of a link's rate, including its outages before `end`. Without outages, the rate begins with `first` and changes as in
    /// `changes`. `key` is the link's.
    pub fn apply(&self, first: Rate, changes: &[(Time, Rate)], end: Time, key: Key) -> Vec<(Time, Rate)> {
        match self {
            Outages::Listed(listed) => with_outages(first, changes, listed),
            Outages::Random { up, down } => {
                let mut stream = key.child("outages").stream();
                let mut draw = |mean: &Duration| Duration::from_ps((stream.exponential() * mean.as_ps() as f64) as u64 + 1);
                let (mut drawn, mut now) = (Vec::new(), Time::ZERO);
                loop {
                    let from = now + draw(up);
                    if from >= end {
                        return with_outages(first, changes, &drawn);
                    }
                    now = from + draw(down);
                    drawn.push((from, now));
                }
            }
        }
    }
}

/// The rates of `changes`, and zero during `outages`.
fn with_outages(first: Rate, changes: &[(Time, Rate)], outages: &[(Time, Time)]) -> Vec<(Time, Rate)> {
    let mut all = Vec::with_capacity(changes.len() + 2 * outages.len());
    let (mut rate, mut rest) = (first, changes);
    for &(from, until) in outages {
        let before = rest.partition_point(|(at, _)| *at < from);
        all.extend_from_slice(&rest[..before]);
        let during = rest.partition_point(|(at, _)| *at <= until);
        rate = rest[..during].last().map_or(rate, |(_, rate)| *rate);
        rest = &rest[during..];
        all.extend([(from, Rate::ZERO), (until, rate)]);
    }
    all.extend_from_slice(rest);
    all
}

fn listed(section: &mut Section<'_>, duration: Option<Duration>) -> Option<Vec<(Time, Time)>> {
    let mut outages: Vec<(Time, Time)> = Vec::new();
    let mut sound = true;
    for mut outage in section.tables("outages") {
        let keys = OutageKeys::read(&mut outage);
        if let Some(keys) = &keys {
            let from = Time::ZERO + keys.at.0;
            let before = outages.last().map_or(Time::ZERO, |(_, until)| *until);
            if from <= before {
                let message = format!("{from} is not after {before}; outages must ascend without touching, and start after 0 s");
                outage.report("at", message);
                sound = false;
            } else if let Some(end) = duration.filter(|end| *end <= keys.at.0) {
                let message = format!("{from} is not before the end at {end}, so it has no effect");
                outage.mistakes.warn(outage.location_of("at"), &outage.join("at"), message);
            }
            outages.push((from, from + keys.duration));
        }
        sound &= keys.is_some();
        outage.finish();
    }
    sound.then_some(outages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn mbit(rate: u64) -> Rate {
        Rate::from_bps(rate * 1_000_000)
    }

    #[test]
    fn rates_continue_after_an_outage_as_they_would_without_it() {
        let changes = [(at(10), mbit(2)), (at(20), mbit(3)), (at(30), mbit(4))];
        let outages = [(at(5), at(7)), (at(15), at(20)), (at(25), at(40)), (at(50), at(60))];
        assert_eq!(
            with_outages(mbit(1), &changes, &outages),
            [
                (at(5), Rate::ZERO),
                (at(7), mbit(1)),
                (at(10), mbit(2)),
                (at(15), Rate::ZERO),
                (at(20), mbit(3)),
                (at(25), Rate::ZERO),
                (at(40), mbit(4)),
                (at(50), Rate::ZERO),
                (at(60), mbit(4)),
            ]
        );
        assert_eq!(with_outages(mbit(1), &changes, &[]), changes);
        // An outage that begins at a change postpones the change to its end.
        assert_eq!(with_outages(mbit(1), &changes[..1], &[(at(10), at(12))]), [(at(10), Rate::ZERO), (at(12), mbit(2))]);
    }

    #[test]
    fn random_outages_have_their_means() {
        let outages = Outages::Random { up: Duration::from_ms(30), down: Duration::from_ms(10) };
        let changes = outages.apply(mbit(1), &[], at(40_000_000), Key::root(1, 0));
        let pairs: Vec<(Time, Time)> = changes.chunks(2).map(|pair| (pair[0].0, pair[1].0)).collect();
        assert!(changes.chunks(2).all(|pair| (pair[0].1, pair[1].1) == (Rate::ZERO, mbit(1))));
        let (n, down) = (pairs.len() as f64, pairs.iter().map(|(from, until)| until.since(*from).as_seconds()).sum::<f64>());
        // A renewal each 40 ms with variance 30^2 + 10^2 ms^2: standard deviation of the count sqrt(n) x 31.6 / 40, of the mean
        // 10 / sqrt(n) ms; four of them.
        assert!((n - 1e6).abs() < 4.0 * 1e3 * 0.79, "{n}");
        assert!((down / n - 0.01).abs() < 4.0 * 0.01 / n.sqrt(), "{}", down / n);
        assert!((outages.expected(Duration::from_secs(40_000)) - 1e6).abs() < 1e-3);
    }
}
