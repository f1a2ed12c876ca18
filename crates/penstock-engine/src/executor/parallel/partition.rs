//! Partition of the process graph into shards, one for each core.
//!
//! Few packets should pass between shards, the delays between shards should be long, and their loads equal. The load of a process is
//! estimated by the flows that pass through it ([`ProcessGraph::weights`]).

use crate::kernel::process_graph::{GraphChannel, ProcessGraph};
use std::collections::BTreeSet;

/// The speed-up below which a second core is not worth it.
const MIN_SPEEDUP: f64 = 1.25;
/// Longer delays between parts are preferred to an even split if the split reaches this fraction of the best speed-up.
const MIN_BALANCE: f64 = 0.85;

/// A division of a network into parts, one for each core.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// The part of each process.
    pub part_of: Vec<u32>,
    /// Number of parts.
    pub parts: usize,
    /// Load of all parts divided by the load of the largest: upper bound on the speed-up over one core.
    pub speedup: f64,
    /// The limit that the network imposes.
    pub limit: PartitionLimit,
}

/// The maximum number of parts of a network, and its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionLimit {
    /// Number of clusters with a load. Processes without delay between them form one cluster, and no cut goes through a cluster.
    pub clusters: usize,
    /// Maximum useful number of parts: the number of clusters, or total load / load of the busiest cluster (rounded up) if that is
    /// less. More parts would not relieve the part that holds the busiest cluster.
    pub most: usize,
    /// The process with the highest load in the cluster with the highest load.
    pub busiest: usize,
    /// The fraction of the total load that is in this cluster.
    pub share: f64,
}

impl PartitionLimit {
    fn new(graph: &ProcessGraph) -> PartitionLimit {
        let Clusters { of, weights, .. } = Clusters::new(&graph.weights, &graph.channels, 1);
        let most = (0..weights.len()).max_by_key(|cluster| (weights[*cluster], std::cmp::Reverse(*cluster))).unwrap_or(0);
        let within = (0..of.len()).filter(|process| of[*process] as usize == most);
        let (all, load) = (weights.iter().sum::<u64>().max(1), weights.get(most).copied().unwrap_or(0).max(1));
        let clusters = weights.iter().filter(|weight| **weight > 0).count();
        PartitionLimit {
            clusters,
            most: clusters.min(all.div_ceil(load) as usize).max(1),
            busiest: within.max_by_key(|process| (graph.weights[*process], std::cmp::Reverse(*process))).unwrap_or(0),
            share: load as f64 / all as f64,
        }
    }
}

/// Divides a network into `parts` parts, or fewer if it does not allow more; into one if several would bring no useful speed-up.
pub fn partition(graph: &ProcessGraph, parts: usize) -> Partition {
    let limit = PartitionLimit::new(graph);
    let parts = parts.min(limit.most);
    let whole = || Partition { part_of: vec![0; graph.weights.len()], parts: 1, speedup: 1.0, limit };
    let best = if parts > 1 { divide(graph, parts) } else { None };
    best.map_or_else(whole, |(speedup, mut part_of)| {
        let parts = number_in_use(&mut part_of);
        Partition { part_of, parts, speedup, limit }
    })
}

/// Renumbers the parts that have processes without gaps; returns their number.
fn number_in_use(part_of: &mut [u32]) -> usize {
    let mut used: Vec<u32> = part_of.to_vec();
    used.sort_unstable();
    used.dedup();
    part_of.iter_mut().for_each(|part| *part = used.partition_point(|before| *before < *part) as u32);
    used.len()
}

/// Returns the best division into `parts` parts, with its speed-up; `None` if no division reaches [`MIN_SPEEDUP`].
fn divide(graph: &ProcessGraph, parts: usize) -> Option<(f64, Vec<u32>)> {
    let ProcessGraph { weights, channels } = graph;
    let longest = channels.iter().map(|channel| channel.delay.as_ps()).max().unwrap_or(0);
    let mut best: Option<(f64, Vec<u32>)> = None;
    let mut before = 0;
    // Processes with a delay of less than `shortest` ps between them stay together; in the last step, only those without delay.
    for shortest in (0..=longest.checked_ilog2().unwrap_or(0)).rev().map(|power| 1u64 << power) {
        let clusters = Clusters::new(weights, channels, shortest);
        if clusters.weights.len() == before {
            continue;
        }
        before = clusters.weights.len();
        let split = clusters.split(parts);
        let speedup = clusters.speedup(&split, parts);
        if speedup >= MIN_SPEEDUP && best.as_ref().is_none_or(|(most, _)| speedup * MIN_BALANCE > *most) {
            best = Some((speedup, clusters.of.iter().map(|cluster| split[*cluster as usize]).collect()));
        }
        if speedup >= MIN_BALANCE * parts as f64 {
            break;
        }
    }
    best
}

/// Returns the given parts, changed so that processes without delay between them are in the same part.
pub fn merge_zero_delay(wanted: &[u32], graph: &ProcessGraph) -> Vec<u32> {
    let clusters = Clusters::new(&vec![1; wanted.len()], &graph.channels, 1);
    let mut part = vec![None; clusters.weights.len()];
    clusters.of.iter().zip(wanted).map(|(cluster, wanted)| *part[*cluster as usize].get_or_insert(*wanted)).collect()
}

/// Processes that stay together.
struct Clusters {
    /// The cluster of each process.
    of: Vec<u32>,
    weights: Vec<u64>,
    /// For each cluster, its neighbours with the number of flows to and from them.
    neighbours: Vec<Vec<(u32, u64)>>,
}

impl Clusters {
    /// Joins processes with less than `shortest` picoseconds between them.
    fn new(weights: &[u64], channels: &[GraphChannel], shortest: u64) -> Clusters {
        let mut root: Vec<u32> = (0..weights.len() as u32).collect();
        for channel in channels.iter().filter(|channel| channel.delay.as_ps() < shortest) {
            let (a, b) = (find(&mut root, channel.from), find(&mut root, channel.to));
            root[a.max(b) as usize] = a.min(b);
        }
        let (mut of, mut sums) = (Vec::with_capacity(weights.len()), Vec::new());
        for (process, weight) in weights.iter().enumerate() {
            let first = find(&mut root, process as u32);
            // The first of a cluster has the smallest number, so it is known already.
            let cluster = if first as usize == process { sums.len() as u32 } else { of[first as usize] };
            if first as usize == process {
                sums.push(0);
            }
            sums[cluster as usize] += weight;
            of.push(cluster);
        }
        let mut neighbours: Vec<Vec<(u32, u64)>> = vec![Vec::new(); sums.len()];
        for channel in channels {
            let (a, b) = (of[channel.from as usize], of[channel.to as usize]);
            if a != b {
                neighbours[a as usize].push((b, channel.flows));
                neighbours[b as usize].push((a, channel.flows));
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup_by(|next, first| {
                next.0 == first.0 && {
                    first.1 += next.1;
                    true
                }
            });
        }
        Clusters { of, weights: sums, neighbours }
    }

    /// Returns the part of each cluster. Parts grow one after the other, by the cluster that the fewest flows tie to the rest; then
    /// clusters move to another part if that leaves fewer flows between parts.
    fn split(&self, parts: usize) -> Vec<u32> {
        let mut growth = Growth { clusters: self, part: vec![u32::MAX; self.weights.len()], first_free: 0 };
        let mut left: u64 = self.weights.iter().sum();
        let mut sums = vec![0; parts];
        for (number, sum) in sums.iter_mut().enumerate().take(parts - 1) {
            *sum = growth.grow(number as u32, left / (parts - number) as u64);
            left -= *sum;
        }
        let mut part = growth.part;
        part.iter_mut().filter(|part| **part == u32::MAX).for_each(|part| *part = parts as u32 - 1);
        sums[parts - 1] = left;
        self.improve(&mut part, &mut sums);
        part
    }

    /// Moves clusters to parts with which they share more flows, as long as the loads stay about equal.
    fn improve(&self, part: &mut [u32], sums: &mut [u64]) {
        let most = (sums.iter().sum::<u64>() / sums.len() as u64 * 103 / 100).max(sums.iter().copied().max().unwrap_or(0));
        for _ in 0..8 {
            let mut changed = false;
            for cluster in 0..part.len() {
                let mut flows = vec![0; sums.len()];
                self.neighbours[cluster].iter().for_each(|(other, count)| flows[part[*other as usize] as usize] += count);
                let (here, weight) = (part[cluster] as usize, self.weights[cluster]);
                let room = |there: &usize| sums[*there] + weight <= most;
                let better = (0..sums.len()).filter(room).max_by_key(|there| (flows[*there], std::cmp::Reverse(*there)));
                if let Some(there) = better.filter(|there| flows[*there] > flows[here] && sums[here] > weight) {
                    part[cluster] = there as u32;
                    sums[here] -= weight;
                    sums[there] += weight;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Returns the bound on the speed-up over one core: the load of all parts divided by that of the largest.
    fn speedup(&self, part: &[u32], parts: usize) -> f64 {
        let mut sums = vec![0; parts];
        part.iter().zip(&self.weights).for_each(|(part, weight)| sums[*part as usize] += weight);
        let (all, most) = (sums.iter().sum::<u64>(), sums.iter().copied().max().unwrap_or(0));
        all as f64 / most.max(1) as f64
    }
}

/// State of the growth of parts.
struct Growth<'a> {
    clusters: &'a Clusters,
    /// The part of each cluster; `u32::MAX` for one that is free.
    part: Vec<u32>,
    /// Lower bound on the index of the first free cluster.
    first_free: usize,
}

impl Growth<'_> {
    /// Grows part `number` to about `share`; returns its load.
    fn grow(&mut self, number: u32, share: u64) -> u64 {
        let mut sum = 0;
        let mut gains = vec![0; self.part.len()];
        let mut border: BTreeSet<(i64, u32)> = BTreeSet::new();
        while sum < share {
            let cluster = match border.pop_first() {
                Some((_, cluster)) => cluster,
                None => self.next_free(),
            };
            let Some(weight) = self.clusters.weights.get(cluster as usize) else { break };
            // Stop as near to the share as possible.
            if sum > 0 && sum + weight > share && sum + weight - share > share - sum {
                break;
            }
            self.part[cluster as usize] = number;
            sum += weight;
            self.extend_border(cluster, &mut gains, &mut border);
        }
        sum
    }

    fn next_free(&mut self) -> u32 {
        while self.part.get(self.first_free).is_some_and(|part| *part != u32::MAX) {
            self.first_free += 1;
        }
        self.first_free as u32
    }

    /// Adds the free neighbours of a cluster to the border of its part, by how many more flows tie them to the rest than to
    /// the part.
    fn extend_border(&self, cluster: u32, gains: &mut [i64], border: &mut BTreeSet<(i64, u32)>) {
        for (other, flows) in &self.clusters.neighbours[cluster as usize] {
            let i = *other as usize;
            if self.part[i] != u32::MAX {
                continue;
            }
            if !border.remove(&(gains[i], *other)) {
                gains[i] = self.clusters.neighbours[i].iter().map(|(_, flows)| *flows as i64).sum();
            }
            gains[i] -= 2 * *flows as i64;
            border.insert((gains[i], *other));
        }
    }
}

fn find(root: &mut [u32], of: u32) -> u32 {
    let mut at = of;
    while root[at as usize] != at {
        root[at as usize] = root[root[at as usize] as usize];
        at = root[at as usize];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_model::units::Duration;

    /// Processes of these loads; each channel has a sender, a receiver, a delay in picoseconds and a number of flows.
    fn graph(weights: &[u64], channels: &[(u32, u32, u64, u64)]) -> ProcessGraph {
        let channel = |&(from, to, ps, flows): &(u32, u32, u64, u64)| GraphChannel { from, to, delay: Duration::from_ps(ps), flows };
        ProcessGraph { weights: weights.to_vec(), channels: channels.iter().map(channel).collect() }
    }

    fn clusters(weights: &[u64], channels: &[(u32, u32, u64, u64)]) -> Clusters {
        let ProcessGraph { weights, channels } = graph(weights, channels);
        Clusters::new(&weights, &channels, 1)
    }

    #[test]
    fn only_processes_without_any_delay_are_merged() {
        assert_eq!(merge_zero_delay(&[0, 1, 2], &graph(&[1; 3], &[(0, 1, 1, 1), (1, 2, 0, 1)])), [0, 1, 1]);
    }

    #[test]
    fn neighbours_are_listed_once_with_the_flows_of_both_directions() {
        let neighbours = clusters(&[1; 3], &[(0, 1, 9, 2), (1, 0, 9, 3), (0, 2, 9, 4)]).neighbours;
        assert_eq!(neighbours, [vec![(1, 5), (2, 4)], vec![(0, 5)], vec![(0, 4)]]);
    }

    /// The first part begins with process 0 and needs one more: 3, since it shares flows with 0.
    #[test]
    fn a_part_grows_along_the_flows() {
        assert_eq!(clusters(&[1; 4], &[(0, 3, 9, 5), (1, 2, 9, 5)]).split(2), [0, 1, 1, 0]);
    }

    /// Process 2 shares more flows with the other part, which it fills to exactly the load of the largest part.
    #[test]
    fn a_cluster_moves_to_the_part_with_which_it_shares_more_flows() {
        let clusters = clusters(&[1, 1, 1, 2], &[(0, 2, 9, 5), (2, 3, 9, 1)]);
        let (mut part, mut sums) = (vec![0, 0, 1, 1], vec![2, 3]);
        clusters.improve(&mut part, &mut sums);
        assert_eq!((part, sums), (vec![0, 0, 0, 1], vec![3, 2]));
    }
}
