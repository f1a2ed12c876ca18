//! The recording plan: what measurements need beyond the counters.

use crate::network::nodes::MAX_ENTITIES;
use crate::traffic::group::GroupDraft;
use penstock_engine::blueprint::{EfPlan, FlowWatch, LinkWatch, SamplePlan, WatchPlan};
use penstock_model::id::LinkId;
use penstock_model::units::{Duration, Rate};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The records that the engine must keep for the measurements.
#[derive(Default)]
pub struct RecordingPlan {
    pub(crate) samples: Vec<SamplePlan>,
    pub(crate) meter_samples: Vec<SamplePlan>,
    /// For positions of groups, the interval in which their received bytes are counted.
    pub(crate) intervals: BTreeMap<usize, Duration>,
    /// For positions of groups, what to record of their flows.
    pub(crate) groups: BTreeMap<usize, FlowWatch>,
    /// For each group of links, by its first link, what to record at each link.
    links: BTreeMap<u32, LinkRecording>,
    /// Number of aggregates at all links together.
    expedited: usize,
}

/// The records to keep at each of some links, by names of classes.
#[derive(Default)]
pub struct LinkRecording {
    members: Range<u32>,
    /// Counts and waits by class.
    pub classes: bool,
    /// Counts by the link over which packets came.
    pub ingresses: bool,
    /// Counts by circuit.
    pub circuits: bool,
    /// Aggregates of classes, each with the rate of its ideal server, in the order of the measurements.
    expedited: Vec<(Vec<String>, Rate)>,
    known: BTreeSet<(Vec<String>, Rate)>,
}

impl RecordingPlan {
    /// The records to keep at each of the links of a group; empty at first.
    pub fn at_links(&mut self, members: Range<u32>) -> &mut LinkRecording {
        self.links.entry(members.start).or_insert_with(|| LinkRecording { members, ..LinkRecording::default() })
    }

    /// Records the treatment of an aggregate at each of the links of a group; returns false if there are too many aggregates.
    pub fn record_expedited(&mut self, members: Range<u32>, classes: Vec<String>, rate: Rate) -> bool {
        let (count, aggregate) = (members.len(), (classes, rate));
        if self.at_links(members.clone()).known.contains(&aggregate) {
            return true;
        }
        self.expedited += count;
        if self.expedited > MAX_ENTITIES {
            return false;
        }
        let recording = self.at_links(members);
        recording.known.insert(aggregate.clone());
        recording.expedited.push(aggregate);
        true
    }

    /// The plan, given the names of all classes.
    pub fn watch_plan(&self, classes: &[String]) -> WatchPlan {
        let at_links = |recording: &LinkRecording| {
            let expedited = recording.expedited.iter().map(|(names, rate)| expedited(names, *rate, classes));
            let LinkRecording { classes, ingresses, circuits, .. } = *recording;
            let watch = LinkWatch { classes, ingresses, circuits, expedited: expedited.collect() };
            recording.members.clone().map(move |link| (LinkId(link), watch.clone()))
        };
        WatchPlan {
            groups: self.groups.iter().map(|(group, watch)| (*group as u32, *watch)).collect(),
            links: self.links.values().flat_map(at_links).collect(),
            series: Vec::new(),
        }
    }

    /// Sets the intervals of the groups whose bytes are counted in intervals.
    pub(crate) fn set_intervals(&self, flows: &mut [GroupDraft]) {
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
