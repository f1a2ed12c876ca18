//! Sets of flows: groups, single flows, classes, and sets that span several groups, for comparisons and sums.

use crate::measure::target::Target;
use crate::measure::words::Between;
use crate::metrics::common::evaluation::{Evaluation, FlowSet};
use penstock_engine::observations::{FlowCounters, Timings};
use penstock_model::id::FlowId;

impl Evaluation<'_> {
    /// The sets of flows that a fairness compares, and the names of their groups.
    pub fn compared(&self, of: &[Target], between: Between) -> (String, Vec<Vec<usize>>) {
        let (names, groups) = self.joint_groups(of);
        let members = groups.iter().map(|group| self.group_members.flows[*group].1.clone());
        let compared = match between {
            Between::Flows => members.flatten().map(|flow| vec![flow]).collect(),
            Between::Groups => members.map(Iterator::collect).collect(),
        };
        (names, compared)
    }

    /// The groups that are measured jointly, and their names.
    pub fn joint_groups(&self, of: &[Target]) -> (String, Vec<usize>) {
        let group = |target: &Target| match target {
            Target::Flows(group) => Some(*group),
            Target::Links(_) => None,
        };
        let groups: Vec<usize> = of.iter().filter_map(group).collect();
        let names: Vec<&str> = groups.iter().map(|group| self.group_members.flows[*group].0.as_str()).collect();
        (names.join(", "), groups)
    }

    /// The sets of flows of a group that become one number each.
    pub fn flow_sets(&self, group: usize, single: bool) -> Vec<FlowSet> {
        let (name, members) = &self.group_members.flows[group];
        let of = ("of", name.clone());
        if !single {
            return vec![FlowSet { labels: vec![of], group, flows: members.clone().collect(), single: false }];
        }
        let one =
            |(i, flow)| FlowSet { labels: vec![of.clone(), ("flow", format!("{name}[{i}]"))], group, flows: vec![flow], single: true };
        members.clone().enumerate().map(one).collect()
    }

    /// The flows of each class, in whatever groups.
    pub fn by_class(&self, of: &[Target]) -> Vec<FlowSet> {
        let mut flow_sets: Vec<FlowSet> = Vec::new();
        for group in self.joint_groups(of).1 {
            let class = &self.blueprint.classes[usize::from(self.blueprint.groups[group].class)];
            let flows = self.group_members.flows[group].1.clone();
            match flow_sets.iter_mut().find(|flow_set| flow_set.labels[0].1 == *class) {
                Some(flow_set) => flow_set.flows.extend(flows),
                None => flow_sets.push(FlowSet { labels: vec![("class", class.clone())], group, flows: flows.collect(), single: false }),
            }
        }
        flow_sets
    }

    /// Records of a flow beyond the counters.
    pub fn timings(&self, flow: usize) -> &Timings {
        let found = self.seen.timings.binary_search_by_key(&FlowId(flow as u32), |(flow, _)| *flow);
        &self.seen.timings[found.expect("the metric asks for the record")].1
    }

    /// The sum of a counter over flows.
    pub fn sum(&self, flows: &[usize], count: fn(&FlowCounters) -> u64) -> u64 {
        flows.iter().map(|flow| count(&self.seen.flows[*flow])).sum()
    }

    /// The rate in bit/s of `bytes` over the window.
    pub fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / self.window
    }
}
