//! The recording plan: what measurements need beyond the counters.

use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::{EfPlan, FlowWatch, LinkWatch, SamplePlan, WatchPlan};
use penstock_model::id::LinkId;
use penstock_model::units::{Duration, Rate};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the engine must record for the measurements.
#[derive(Default)]
pub(crate) struct RecordingPlan {
    pub samples: Vec<SamplePlan>,
    pub meter_samples: Vec<SamplePlan>,
    /// Positions of groups, and the interval in which what they receive is counted.
    pub intervals: Vec<(usize, Duration)>,
    /// Positions of groups, and what is recorded of their flows.
    pub groups: BTreeMap<usize, FlowWatch>,
    /// By link, what is recorded there.
    pub links: BTreeMap<u32, LinkRecording>,
}

/// What is recorded at a link, by names of classes.
#[derive(Default)]
pub(crate) struct LinkRecording {
    pub classes: bool,
    /// Classes and the rate that they shall be served with.
    pub expedited: Vec<(Vec<String>, Rate)>,
}

impl RecordingPlan {
    /// Changes what is recorded at each of `links`.
    pub fn at_links(&mut self, links: Range<u32>, change: impl Fn(&mut LinkRecording)) {
        links.for_each(|link| change(self.links.entry(link).or_default()));
    }

    /// The plan, given the names of all classes.
    pub fn watch_plan(&self, classes: &[String]) -> WatchPlan {
        let at_link = |(link, recording): (&u32, &LinkRecording)| {
            let expedited = recording.expedited.iter().map(|(names, rate)| expedited(names, *rate, classes));
            (LinkId(*link), LinkWatch { classes: recording.classes, expedited: expedited.collect() })
        };
        WatchPlan {
            groups: self.groups.iter().map(|(group, watch)| (*group as u32, *watch)).collect(),
            links: self.links.iter().map(at_link).collect(),
        }
    }

    /// Sets the intervals of the groups whose bytes are counted in intervals.
    pub fn set_intervals(&self, flows: &mut [GroupDraft]) {
        for (group, every) in &self.intervals {
            flows[*group].plan.interval = Some(*every);
        }
    }
}

/// The plan of an aggregate, given the names of all classes.
pub(crate) fn expedited(names: &[String], rate: Rate, classes: &[String]) -> EfPlan {
    let number = |name: &String| classes.iter().position(|class| class == name).expect("checked when it was read") as u8;
    EfPlan { classes: names.iter().map(number).collect(), rate }
}
