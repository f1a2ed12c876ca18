//! The keys at the top of a scenario.

use crate::read::values::{PythonFile, RunTime, Seed, Text};
use penstock_model::parameters::Check;
use penstock_model::units::Duration;

penstock_model::choice! {
    /// The order of simultaneous events of one kind at one node.
    pub enum Ties {
        /// The order of the links and flows in the scenario; calls after flows.
        "scenario" => Scenario,
        /// A random order, drawn from the seed for each instant.
        "random" => Random,
    }
}

penstock_model::choice! {
    /// How a flow chooses between several routes of minimum weight.
    pub enum Routing {
        /// The route whose first differing link is listed earlier in the scenario.
        "first" => First,
        /// At every node one of the next links, by a hash of the flow and the node (equal-cost multi-path); the same
        /// for every seed.
        "ecmp" => Ecmp,
    }
}

penstock_model::parameters! {
    /// A scenario: a network, its traffic, and measurements.
    pub struct TopKeys {
        /// What the scenario is about, in a sentence.
        description: Option<Text>;
        /// When the run ends; at most 200 days.
        duration: RunTime;
        /// When counting begins; before `duration`.
        warm_up: RunTime = "0 s";
        /// Seed of all random numbers; the command line overrides it.
        seed: Seed = "1";
        /// The order of simultaneous events of one kind at one node.
        ties: Ties = "scenario";
        /// How a flow without a given route chooses between several routes of minimum weight (`weight` of links; the fewest links, if they have none).
        routing: Routing = "first";
        /// A Python file with components of your own, relative to the scenario's folder; reading the scenario runs the file.
        r#use: Option<PythonFile>;
    }
}
impl Check for TopKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let (RunTime(duration), RunTime(warm_up)) = (self.duration, self.warm_up);
        if duration == Duration::ZERO {
            mistake("duration", "a run must last longer than 0 s".to_owned());
        } else if duration > Duration::from_secs(200 * 86_400) {
            mistake("duration", format!("{duration} is longer than any run; at most 200 days"));
        } else if warm_up >= duration {
            mistake("warm-up", format!("{warm_up} is not before the end at {duration}, so nothing would be counted"));
        }
    }
}
