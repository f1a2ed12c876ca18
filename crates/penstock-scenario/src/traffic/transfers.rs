//! The keys of `[[transfers]]`: finite transfers that arrive on their own, and their random draw for each run.

use super::foreign;
use super::group::{EdgeLocations, GroupDraft, GroupEndpoints};
use super::matrix::{Entry, Matrix};
use super::sizes;
use crate::network::nodes::{NodeSet, Nodes, MAX_ENTITIES};
use crate::read::csv::{self, Column};
use crate::read::section::{NoParameters, Section};
use crate::read::values::{FileName, Name, NodeName, Precedence, RunTime};
use penstock_engine::blueprint::{FlowGroup, Transfer};
use penstock_model::id::NodeId;
use penstock_model::parameters::{Check, ClassName, Count, Parameters, Reading};
use penstock_model::printable::quoted;
use penstock_model::rng::Key;
use penstock_model::source::transfer_size::TransferSize;
use penstock_model::source::SourcePlan;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Duration, Rate, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

penstock_model::parameters! {
    /// Transfers whose start times do not depend on the network (open loop): each opens a connection of its own, sends its bytes
    /// and ends.
    ///
    /// Either `file` lists them all: a CSV (or Parquet) file in the scenario's folder with the columns `start` in seconds, `from`,
    /// `to`, `bytes` and, if wanted, `class`. If the file has several classes, each becomes a group of its own, named after the
    /// group and the class, such as `jobs-bulk`.
    ///
    /// Or they are random: they arrive as a Poisson process, with a mean `interval` or a `load`, or at the times of `at`. `size`
    /// gives their sizes: constant, exponential, log-normal, Pareto, or a measured cumulative distribution, which is linear between
    /// its points. The package has three (`web-search` [Alizadeh10], `data-mining` [Greenberg09], `hadoop` [Roy15]). A distribution
    /// of your own is a CSV file with the columns `bytes` and `probability` or `percent`, or a text of two columns without a
    /// header, whose shares are percentages if the last is 100. Each transfer has two different nodes, one of `from` and one of
    /// `to`, drawn uniformly; this draw is the same for every seed, because routes depend on it. Times and sizes are drawn for each
    /// run, each from a stream of its own. Transfers that would arrive after the end are left out.
    ///
    /// Or a traffic `matrix` gives their loads: its first row and column name nodes, and each entry is the load from the node of
    /// its row to that of its column, without headers. Arrivals are one Poisson process with the sum of all loads. Each transfer
    /// belongs to an entry with a probability proportional to the entry's load, so that each pair of nodes has a Poisson process
    /// with its own load.
    ///
    /// Sizes are file sizes, without headers; the last segment is sent in full. Sizes above 4 GB are cut to 4 GB. The `mean` of a
    /// Pareto law does not include this cut: with `shape` 1.1 and a mean of 100 kB, the sizes have a mean of 75 kB. `load` and
    /// `matrix` use the mean with the cut. `completion-time` measures transfers.
    pub struct TransferKeys {
        /// The name in results.
        name: Name;
        /// A file that lists the transfers; it replaces all keys from `matrix` to `size`.
        file: Option<FileName>;
        /// A traffic matrix instead of `from`, `to` and `load`: rows, or a CSV (or Parquet) file. An entry is a rate such as `"2 Mbit/s"`, or a number of bit/s. An empty entry is zero; the diagonal must be zero.
        matrix: Option<Matrix>;
        /// The node or group where they begin.
        from: Option<NodeName>;
        /// Where they end.
        to: Option<NodeName>;
        /// Maximum number of transfers; those that would arrive after the end of the run are left out. Not with `at`.
        count: Option<Count>;
        /// Mean time between arrivals, over all nodes together.
        interval: Option<Duration>;
        /// Offered load, over all nodes together and without headers; instead of `interval`.
        load: Option<Rate>;
        /// Arrival times, in ascending order; instead of `interval` or `load`.
        at: Option<Vec<Duration>>;
        /// Bytes of each transfer.
        size: Option<TransferSize>;
        /// The traffic class of their packets, acknowledgements included; not with a file that has classes.
        class: ClassName = "default";
        /// The drop precedence that their packets begin with; 0 is the best protected.
        precedence: Precedence = "0";
        /// Offset that is added to all arrival times.
        start: RunTime = "0 s";
    }
}

impl Check for TransferKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let drawn = [
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("size", self.size.is_some()),
            ("count", self.count.is_some()),
            ("interval", self.interval.is_some()),
            ("load", self.load.is_some()),
            ("at", self.at.is_some()),
        ];
        if self.matrix.is_some() && self.file.is_some() {
            mistake("matrix", "cannot be combined with file, which lists the transfers; keep one of them".to_owned());
            return;
        }
        if self.matrix.is_some() {
            for (key, _) in drawn.iter().filter(|(key, written)| *written && !matches!(*key, "size" | "count")) {
                mistake(key, "has no effect: the matrix gives the ends and the loads of all transfers; leave it out".to_owned());
            }
            for (key, _) in drawn.iter().filter(|(key, written)| !*written && matches!(*key, "size" | "count")) {
                mistake(key, "is missing: transfers of a matrix need size, and count, which is their maximum number".to_owned());
            }
            return;
        }
        if self.file.is_some() {
            for (key, _) in drawn.iter().filter(|(_, written)| *written) {
                mistake(key, "has no effect: the file gives it for each transfer; leave it out".to_owned());
            }
            return;
        }
        for (key, _) in drawn[..3].iter().filter(|(_, written)| !written) {
            mistake(key, "is missing: without a file, transfers need from, to and size".to_owned());
        }
        let arrivals: Vec<&str> = drawn[4..].iter().filter(|(_, written)| *written).map(|(key, _)| *key).collect();
        match arrivals.as_slice() {
            [] => mistake("", "does not say when transfers arrive; write interval, load or at".to_owned()),
            [_] => {}
            [_, second, ..] => mistake(second, format!("there is {} already; keep one", arrivals[0])),
        }
        if self.at.is_some() && self.count.is_some() {
            mistake("count", "has no effect: there are as many transfers as times; leave it out".to_owned());
        }
        if self.at.is_none() && self.count.is_none() {
            mistake("count", "is missing: give the maximum number of transfers, as in count = 1000".to_owned());
        }
        for (key, is_zero) in [("interval", self.interval == Some(Duration::ZERO)), ("load", self.load == Some(Rate::ZERO))] {
            if is_zero {
                mistake(key, "must be above zero".to_owned());
            }
        }
        if let Some(place) = self.at.as_ref().and_then(|at| at.windows(2).position(|pair| pair[0] > pair[1])) {
            mistake("at", format!("item {} is before the previous one; write them in ascending order", place + 1));
        }
    }
}

/// The random part of a group's transfers, drawn for each run.
#[derive(Clone, Debug)]
pub(crate) struct TransferDraw {
    arrivals: Arrivals,
    size: TransferSize,
    start: Duration,
    count: usize,
}

#[derive(Clone, Debug)]
enum Arrivals {
    /// A Poisson process with this mean time between arrivals.
    Poisson(Duration),
    Given(Vec<Duration>),
}

impl TransferDraw {
    /// The transfers of a run; `key` is that of the group in the run.
    pub fn draw(&self, key: Key) -> Arc<[Transfer]> {
        let (mut gaps, mut sizes) = (key.child("arrivals").stream(), key.child("sizes").stream());
        let mut at = self.start.as_ps();
        let transfer = |i: usize| {
            let after = match &self.arrivals {
                Arrivals::Given(times) => self.start.as_ps().saturating_add(times[i].as_ps()),
                Arrivals::Poisson(interval) => {
                    let gap = gaps.exponential() * interval.as_ps() as f64 + 0.5;
                    at = at.saturating_add(gap as u64);
                    at
                }
            };
            // Limits the time to an instant that no run reaches: runs last 200 days at most.
            let start = Time::ZERO + Duration::from_ps(after.min(Duration::from_secs(201 * 86_400).as_ps()));
            Transfer { start, bytes: self.size.sample(&mut sizes) }
        };
        (0..self.count).map(transfer).collect()
    }
}

/// Reads one `[[transfers]]`: a group, or one for each class of a file.
pub(crate) fn read(section: &mut Section<'_>, nodes: &Nodes, duration: Option<Duration>) -> Option<Vec<GroupDraft>> {
    let keys = TransferKeys::read(section);
    let transport = transport(section);
    let ends = if section.has("file") || section.has("matrix") { GroupEndpoints(None, None) } else { GroupEndpoints::read(section, nodes) };
    let (keys, transport) = (keys?, transport?);
    let end = duration.map_or(Time::NEVER, |duration| Time::ZERO + duration);
    if let Some(end) = duration.filter(|duration| keys.start.0 >= *duration) {
        section.report("start", format!("{} is not before the end at {end}, so it would never send", keys.start.0));
        return None;
    }
    let group = |name: String, class: String, (from, to): (NodeSet, NodeSet), pairs: Vec<(NodeId, NodeId)>| {
        let plan = FlowGroup {
            name,
            source: SourcePlan::files(),
            transport: transport.clone(),
            transport_changes: Vec::new(),
            class: 0,
            precedence: keys.precedence.0,
            start: (Time::ZERO, Time::ZERO),
            stop: end,
            calls: None,
            interval: None,
            transfers: None,
            rates: None,
            rate_requests: None,
        };
        let (path, location, count, edges) = (section.path.clone(), section.location, pairs.len(), EdgeLocations::NONE);
        let pairs = Some(pairs);
        GroupDraft { plan, class, path, location, from, to, count, route: None, route_back: None, edges, pairs, draw: None }
    };
    if let Some(file) = &keys.file {
        let read = section.mistakes.files.read(&file.0, &COLUMNS).map_err(|message| vec![message]);
        let listed = read.and_then(|content| match foreign::conversion(&content, &file.0) {
            Some(message) => Err(vec![message]),
            None => listed(&content, &file.0, nodes, section, keys.start.0),
        });
        let told = |messages| section.mistakes.add_all(section.location_of("file"), &section.join("file"), messages);
        let listed = listed.map_err(told).ok()?;
        let starts = listed.values().flat_map(|group| &group.transfers).map(|transfer| transfer.start);
        warn_if_late(section, "file", starts.min(), end);
        let several = listed.len() > 1;
        let drafts = listed.into_iter().map(|(class, Listed { ends, pairs, transfers })| {
            let name = if several { format!("{}-{class}", keys.name.0) } else { keys.name.0.clone() };
            let class = if class.is_empty() { keys.class.0.clone() } else { class };
            let mut draft = group(name, class, ends, pairs);
            draft.plan.transfers = Some(transfers.into());
            draft
        });
        return Some(drafts.collect());
    }
    let size = sizes::filled(section, keys.size?)?;
    if let Some(matrix) = &keys.matrix {
        let entries = matrix.entries(section, nodes, Rate::from_bps(1))?;
        let load = entries.iter().fold(0, |sum: u64, (_, _, rate)| sum.saturating_add(rate.as_bps()));
        let count = checked_count(section, keys.count?.0 as usize)?;
        let arrivals = Arrivals::Poisson(interval_of(section, "matrix", &size, load)?);
        let pairs = weighted_pairs(&keys.name.0, &entries, load, count);
        let mut draft = group(keys.name.0, keys.class.0, (entries[0].0, entries[0].1), pairs);
        draft.draw = Some(TransferDraw { arrivals, size, start: keys.start.0, count });
        return Some(vec![draft]);
    }
    let (from, to) = (ends.0?, ends.1?);
    if from.len() == 1 && to.len() == 1 && from.node(0) == to.node(0) {
        section.report("to", format!("transfers would begin and end at '{}'", nodes.name(from.node(0))));
        return None;
    }
    let (arrivals, count) = match (keys.at, keys.count, keys.interval, keys.load) {
        (Some(at), ..) => {
            let first = at.first().map(|at| Time::ZERO + Duration::from_ps(keys.start.0.as_ps().saturating_add(at.as_ps())));
            warn_if_late(section, "at", first, end);
            (Arrivals::Given(at.clone()), at.len())
        }
        (_, Some(count), Some(interval), _) => (Arrivals::Poisson(interval), count.0 as usize),
        (_, Some(count), _, Some(load)) => (Arrivals::Poisson(interval_of(section, "load", &size, load.as_bps())?), count.0 as usize),
        _ => return None,
    };
    let count = checked_count(section, count)?;
    let pairs = drawn_pairs(&keys.name.0, from, to, count);
    let mut draft = group(keys.name.0, keys.class.0, (from, to), pairs);
    draft.draw = Some(TransferDraw { arrivals, size, start: keys.start.0, count });
    Some(vec![draft])
}

/// Warns if the `first` of the transfers that `key` gives begins at the end of the run or later.
fn warn_if_late(section: &Section<'_>, key: &str, first: Option<Time>, end: Time) {
    if let Some(first) = first.filter(|first| *first >= end) {
        let message = format!("the first transfer begins at {first}, not before the end at {end}, so none is sent");
        section.mistakes.warn(section.location_of(key), &section.join(key), message);
    }
}

/// The mean time between transfers for a load in bit/s; `None` after a mistake.
fn interval_of(section: &Section<'_>, key: &str, size: &TransferSize, load: u64) -> Option<Duration> {
    let interval = Duration::from_seconds(size.mean() * 8.0 / load as f64);
    if interval == Duration::ZERO {
        section.report(key, "is so high that all would arrive at once; use at".to_owned());
        return None;
    }
    Some(interval)
}

fn checked_count(section: &Section<'_>, count: usize) -> Option<usize> {
    if count > MAX_ENTITIES {
        section.report("count", format!("{count} transfers are more than the {MAX_ENTITIES} that fit"));
        return None;
    }
    Some(count)
}

/// The nodes of an entry for each transfer, drawn in proportion to the entry's share of the `load`; the same for every seed.
fn weighted_pairs(name: &str, entries: &[Entry], load: u64, count: usize) -> Vec<(NodeId, NodeId)> {
    let mut stream = Key::root(0, 0).child("transfers").child(name).stream();
    let mut up_to = 0;
    let ends: Vec<u64> = entries
        .iter()
        .map(|(_, _, rate)| {
            up_to = rate.as_bps().saturating_add(up_to);
            up_to
        })
        .collect();
    let pair = |_| {
        let at = stream.below(load);
        let (from, to, _) = &entries[ends.partition_point(|end| *end <= at)];
        (from.node(0), to.node(0))
    };
    (0..count).map(pair).collect()
}

/// Two different nodes for each transfer; the same for every seed.
fn drawn_pairs(name: &str, from: NodeSet, to: NodeSet, count: usize) -> Vec<(NodeId, NodeId)> {
    let mut stream = Key::root(0, 0).child("transfers").child(name).stream();
    let pair = |_| loop {
        let (a, b) = (from.node(stream.below(from.len() as u64) as usize), to.node(stream.below(to.len() as u64) as usize));
        if a != b {
            return (a, b);
        }
    };
    (0..count).map(pair).collect()
}

/// The transfers of one class of a file.
struct Listed {
    /// The ends of the first transfer.
    ends: (NodeSet, NodeSet),
    pairs: Vec<(NodeId, NodeId)>,
    transfers: Vec<Transfer>,
}

/// The columns of a file of transfers.
const COLUMNS: [Column; 5] = [("start", true), ("from", true), ("to", true), ("bytes", true), ("class", false)];

/// Transfers by class.
type Classes = BTreeMap<String, Listed>;

/// The transfers of a file by class; all in one without a name if it has no classes.
fn listed(content: &[u8], name: &str, nodes: &Nodes, section: &Section<'_>, after: Duration) -> Result<Classes, Vec<String>> {
    let mut classes = Classes::new();
    let mut known: BTreeMap<String, NodeSet> = BTreeMap::new();
    let mut count = 0;
    csv::rows(content, name, COLUMNS, |[start, from, to, bytes, class]| {
        let mut node = |name: &str| match known.get(name) {
            Some(set) => Ok(*set),
            None => {
                let set = nodes.single(name, &section.mistakes.suggestions)?;
                known.insert(name.to_owned(), set);
                Ok::<NodeSet, String>(set)
            }
        };
        let ends = (node(from)?, node(to)?);
        let pair = (ends.0.node(0), ends.1.node(0));
        if pair.0 == pair.1 {
            return Err(format!("begins and ends at {}", quoted(from)));
        }
        count += 1;
        if count > MAX_ENTITIES {
            return Err(format!("is one of more transfers than the {MAX_ENTITIES} that fit"));
        }
        let start = Time::ZERO + Duration::from_ps(csv::picoseconds(start)?) + after;
        let transfer = Transfer { start, bytes: csv::bytes(bytes, 4_000_000_000)? };
        let listed = match classes.get_mut(class) {
            Some(listed) => listed,
            None => {
                if !class.is_empty() {
                    crate::read::values::check_name(class)?;
                }
                classes.entry(class.to_owned()).or_insert(Listed { ends, pairs: Vec::new(), transfers: Vec::new() })
            }
        };
        listed.pairs.push(pair);
        listed.transfers.push(transfer);
        Ok(())
    })?;
    if classes.is_empty() {
        return Err(vec![format!("{}: has no transfers", penstock_model::printable::file_name(name))]);
    }
    Ok(classes)
}

/// The transport: TCP with its defaults if none is written; `None` after a mistake.
fn transport(section: &mut Section<'_>) -> Option<TransportPlan> {
    match section.one_of::<TransportPlan>("transport", "transport", &[]) {
        Reading::Given(transport) if transport.is_reliable() => Some(transport),
        Reading::Given(transport) => {
            section.report(
                "transport",
                format!("{} cannot carry transfers, which must arrive complete; leave it out (tcp)", transport.name()),
            );
            None
        }
        Reading::Absent => TransportPlan::read("tcp", &mut NoParameters),
        Reading::Broken => None,
    }
}
