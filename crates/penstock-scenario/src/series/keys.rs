//! The keys of `[[series]]`.

use crate::read::values::{Names, RunTime};
use penstock_model::parameters::Check;
use penstock_model::units::Duration;

penstock_model::choice! {
    /// When a state is read, if not at intervals.
    pub enum When {
        /// Whenever a variable has changed.
        "change" => Change,
    }
}

penstock_model::parameters! {
    /// State that `penstock series` shows over time: of ports, of flows and of their components. No number or digest
    /// depends on this.
    pub struct SeriesKeys {
        /// What has the state: links such as `r1-r2` or `hosts[3]-r1`, nodes, groups of links or nodes, groups of flows or calls, or members such as `tcp[3]`. A node includes the ports of the links that begin there.
        of: Names;
        /// Names of the variables; all if left out. If several components have a variable of the same name, put the component first, as in `queue.red.average`.
        what: Option<Names>;
        /// Reports, for each name of `of`, the sum of every variable of a component over all members, instead of a value for each member. Variables that are not amounts, such as a utilisation or a time, have no sum.
        sum: bool = "false";
        /// Interval between readings.
        every: Option<RunTime>;
        /// When variables are read, instead of at an interval.
        on: Option<When>;
        /// Start of the series, inclusive.
        start: RunTime = "0 s";
        /// End of the series, inclusive; the end of the run if left out.
        stop: Option<RunTime>;
    }
}
/// Smallest interval. The rows of a stretch of a run stay in memory until no earlier one can come, however many fall into it.
const LEAST_INTERVAL: Duration = Duration::from_ns(10);

impl Check for SeriesKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        match (self.every, self.on) {
            (None, None) => mistake("every", "is missing; write every = \"100 ms\", or on = \"change\"".to_owned()),
            (Some(_), Some(_)) => mistake("on", "cannot be combined with every; leave one of them out".to_owned()),
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
