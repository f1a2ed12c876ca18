//! The keys of `[[series]]`.

use crate::read::values::{Names, RunTime};
use penstock_model::parameters::Check;
use penstock_model::units::Duration;

penstock_model::choice! {
    /// When a state is read, if not at intervals.
    pub enum When {
        /// Whenever it has changed.
        "change" => Change,
    }
}

penstock_model::parameters! {
    /// What `penstock series` shows over time: the state of ports, of flows and of their components. Neither numbers nor
    /// digests depend on it.
    pub struct SeriesKeys {
        /// Of what: links, such as `r1-r2` or `hosts[3]-r1`, and groups of links; nodes, groups of nodes or members of them, which have the ports of the links that begin there; groups of flows or calls, or members such as `tcp[3]`.
        of: Names;
        /// Which variables: their names or, where several components have one of that name, with the component, as in `queue.red.average`; all if left out.
        what: Option<Names>;
        /// Reports, for each name of `of`, the sum of every variable of a component over all members, instead of a value for each member. Variables that are not amounts, such as a utilisation or a time, have no sum.
        sum: bool = "false";
        /// The interval at which they are read.
        every: Option<RunTime>;
        /// They are read whenever they have changed, in the place of an interval.
        on: Option<When>;
        /// When it begins, inclusive.
        start: RunTime = "0 s";
        /// When it ends, inclusive; with the run if left out.
        stop: Option<RunTime>;
    }
}
/// Smallest interval. The rows of a stretch of a run stay in memory until no earlier one can come, however many fall into it.
const LEAST_INTERVAL: Duration = Duration::from_ns(10);

impl Check for SeriesKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.every, self.on) {
            (None, None) => mistake("every", "is missing; write every = \"100 ms\", or on = \"change\"".to_owned()),
            (Some(_), Some(_)) => mistake("on", "stands beside every; leave one of them out".to_owned()),
            (Some(RunTime(every)), None) if every < LEAST_INTERVAL => {
                mistake("every", format!("must be at least {LEAST_INTERVAL}; on = \"change\" shows every state"));
            }
            _ => {}
        }
        let (RunTime(start), stop) = (self.start, self.stop.map_or(Duration::FOREVER, |stop| stop.0));
        if stop < start {
            mistake("stop", format!("{stop} is before the start at {start}, so nothing would be read"));
        }
    }
}
