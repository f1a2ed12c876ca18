//! A run that is advanced step by step: between steps its state is read, and parameters of its components are set.

mod written;

use crate::read::files::ReadOptions;
use crate::read::mistake::{Mistake, Mistakes};
use crate::read::suggest::{unknown, Suggestions};
use crate::read::tree::{parse, Tree};
use crate::scenario::ValidScenario;
use crate::series::{is_amount, plans, read_one, unit_of};
use crate::settings::{apply, written_entry};
use crate::trace::TraceNames;
use penstock_engine::blueprint::{Blueprint, MarkAt, WatchPlan};
use penstock_engine::changes::PlanChangeError;
use penstock_engine::series::{SeriesPlan, SeriesRow};
use penstock_engine::{BlueprintError, Cancel, Observations, Sim};
use penstock_model::id::{FlowId, LinkId};
use penstock_model::parameters::Value;
use penstock_model::printable::quoted;
use penstock_model::units::Time;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use written::{Changed, EntryKind, WrittenEntry};

/// A run that is advanced step by step. A clone continues on its own from the same instant.
///
/// Counting begins at the start, whatever warm-up the scenario gives.
#[derive(Clone)]
pub struct SteppedRun {
    scenario: Arc<ValidScenario>,
    /// The scenario as it is written.
    written: Arc<Tree>,
    options: ReadOptions,
    /// Entries with parameters that have been set, by name.
    entries: BTreeMap<String, WrittenEntry>,
    sim: Sim,
    now: Time,
    observed: Arc<Observed>,
    rows: Vec<SeriesRow>,
}

/// Why a stepped run cannot begin.
#[derive(Debug)]
pub enum StepError {
    /// Mistakes of the scenario.
    Scenario(Vec<Mistake>),
    /// The observation at this position names what does not exist.
    Observation(usize, String),
    /// The run cannot be built.
    Build(BlueprintError),
}

impl SteppedRun {
    /// Builds a run of a scenario. `observe` has pairs of a name, such as a link or a group of flows, and a variable, as in
    /// `[[series]]`.
    ///
    /// # Errors
    /// If the scenario has mistakes, or an observation does not exist.
    pub fn new(
        cancel: &Cancel,
        (text, name): (&str, &str),
        sets: &[(String, String)],
        options: ReadOptions,
        (seed, replication): (Option<u64>, u64),
        observe: &[(String, String)],
    ) -> Result<SteppedRun, StepError> {
        let mut sets = sets.to_vec();
        sets.push(("warm-up".to_owned(), "0 s".to_owned()));
        let scenario = crate::load_with(cancel, text, name, &sets, options.clone()).map_err(StepError::Scenario)?;
        let mistakes = Mistakes::new(name, sets.iter().map(|(path, _)| path.clone()).collect(), options.clone());
        let Some(mut written) = parse(text, &mistakes) else { return Err(StepError::Scenario(mistakes.sorted())) };
        for (i, (path, value)) in sets.iter().enumerate() {
            apply(&mut written, path, value, i, &mistakes);
        }
        let observed = Observed::new(&scenario, observe)?;
        Ok(SteppedRun {
            sim: observed.built(&scenario, seed, replication, cancel).map_err(StepError::Build)?,
            // The registry includes the components of a file that the scenario uses.
            options: ReadOptions { registry: scenario.registry().clone(), ..options },
            scenario: Arc::new(scenario),
            written: Arc::new(written),
            entries: BTreeMap::new(),
            now: Time::ZERO,
            observed: Arc::new(observed),
            rows: Vec::new(),
        })
    }

    /// Another run of the same scenario, as it is written, with the same observations.
    ///
    /// # Errors
    /// If it is cancelled while it is built.
    pub fn another(&self, cancel: &Cancel, (seed, replication): (Option<u64>, u64)) -> Result<SteppedRun, BlueprintError> {
        let sim = self.observed.built(&self.scenario, seed, replication, cancel)?;
        let (scenario, written, observed) = (Arc::clone(&self.scenario), Arc::clone(&self.written), Arc::clone(&self.observed));
        let (options, entries) = (self.options.clone(), BTreeMap::new());
        Ok(SteppedRun { scenario, written, options, entries, sim, now: Time::ZERO, observed, rows: Vec::new() })
    }

    /// The scenario.
    pub fn scenario(&self) -> Arc<ValidScenario> {
        Arc::clone(&self.scenario)
    }

    /// The unit of each observation.
    pub fn units(&self) -> &[&'static str] {
        &self.observed.units
    }

    /// The instant up to which the run has come, inclusive.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time at which the run ends.
    pub fn end(&self) -> Time {
        self.sim.end()
    }

    /// Handles events up to and including `until` (never beyond the end), at most about `budget` of them; returns whether none is left.
    pub fn run_events(&mut self, until: Time, budget: u64) -> bool {
        let until = until.min(self.end());
        let is_complete = self.sim.run_events(until, budget);
        self.now = self.now.max(until);
        is_complete
    }

    /// The value of each observation: amounts are added up over members, classes and queues, times and shares averaged. NaN where
    /// there is none yet, such as a round-trip time before the first measurement.
    pub fn values(&mut self) -> Vec<f64> {
        self.rows.clear();
        self.sim.read_series(&mut self.rows);
        let mut sums = vec![(0.0, 0u32, true); self.observed.units.len()];
        for row in &self.rows {
            let (sum, count, is_sum) = &mut sums[self.observed.observation_of[row.plan as usize] as usize];
            *sum += row.value;
            *count += 1;
            *is_sum = is_amount(row.variable);
        }
        let value = |(sum, count, is_sum): (f64, u32, bool)| match count {
            0 => f64::NAN,
            _ if is_sum => sum,
            _ => sum / f64::from(count),
        };
        sums.into_iter().map(value).collect()
    }

    /// Sets a parameter that may change while a run goes on, such as `r1-r2.queue.red.max-probability` or
    /// `web.transport.tcp.congestion-control.cubic.beta`, from the next instant on. The value is written as after `--set`.
    ///
    /// # Errors
    /// If the path does not exist, the parameter may not change, or the value is not allowed; then nothing has changed.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), String> {
        let below = path.strip_prefix("links.").or_else(|| path.strip_prefix("flows.")).unwrap_or(path);
        let Some((name, rest)) = below.split_once('.') else {
            return Err("is not the path of a parameter; write a name and a path, such as r1-r2.queue.red.max-probability".to_owned());
        };
        let (members, kind) = self.members(name)?;
        let entry = match self.entries.get(name) {
            Some(entry) => entry.clone(),
            None => {
                let (tree, is_reverse) = written_entry(&self.written, name).ok_or_else(|| format!("{} is not written", quoted(name)))?;
                WrittenEntry { tree, kind: if is_reverse { EntryKind::Reverse } else { kind } }
            }
        };
        let ((entry, changed), at) = (entry.with(rest, value, self.scenario.classes(), &self.options)?, self.now.after());
        // All members have the same plan: a change that one refuses, the first has refused, unless no flow uses its link.
        let (mut unused, mut is_changed) = (None, false);
        for member in members {
            let done = match &changed {
                Changed::Port(port) => self.sim.change_port(LinkId(member as u32), at, (**port).clone()),
                Changed::Transport(transport) => self.sim.change_flow(FlowId(member as u32), at, (**transport).clone()),
            };
            match done {
                Ok(()) => is_changed = true,
                Err(error @ PlanChangeError::NoLink(_)) => unused = Some(error),
                Err(error) => return Err(error.to_string()),
            }
        }
        if let (false, Some(_)) = (is_changed, unused) {
            return Err(format!("no flow uses {}", quoted(name)));
        }
        self.entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// The links or flows that `name` stands for.
    fn members(&self, name: &str) -> Result<(Range<usize>, EntryKind), String> {
        let members = self.scenario.members();
        let find = |groups: &[(String, Range<usize>)]| groups.iter().find(|(group, _)| group == name).map(|(_, members)| members.clone());
        if let Some(links) = find(&members.links) {
            return Ok((links, EntryKind::Link));
        }
        if let Some(flows) = find(&members.flows) {
            return Ok((flows, EntryKind::Flows));
        }
        let known: Vec<&str> = members.links.iter().chain(&members.flows).map(|(name, _)| name.as_str()).collect();
        Err(unknown("link or group of flows", name, &known))
    }

    /// Returns the counts, once the run has come to its end.
    pub fn finish(self) -> Observations {
        self.sim.finish()
    }
}

/// The observed series and their units.
struct Observed {
    /// The series of the observations, read on request.
    series: Vec<SeriesPlan>,
    /// For each series, the position of the observation that it belongs to.
    observation_of: Vec<u32>,
    /// The unit of each observation.
    units: Vec<&'static str>,
}

impl Observed {
    fn new(scenario: &ValidScenario, observe: &[(String, String)]) -> Result<Observed, StepError> {
        let (blueprint, suggestions) = (scenario.blueprint(None, 0), Suggestions::default());
        let names = TraceNames { members: scenario.members(), links: &blueprint.links, suggestions: &suggestions };
        let mut observed = Observed { series: Vec::new(), observation_of: Vec::new(), units: Vec::new() };
        for (i, (of, what)) in observe.iter().enumerate() {
            let refused = |mistakes: Vec<(String, String)>| {
                let told: Vec<String> = mistakes.into_iter().map(|(_, message)| message).collect();
                StepError::Observation(i, told.join("; "))
            };
            let keys = [("of", of.as_str()), ("what", what.as_str()), ("on", "change")];
            let keys = keys.map(|(key, value)| (key.to_owned(), Value::Text(value.to_owned())));
            let request = read_one(&keys, &names, blueprint.end.since(Time::ZERO)).map_err(refused)?.on_request();
            let plans = plans(&[request], &blueprint, scenario.registry(), &suggestions).map_err(refused)?.plans;
            let mut units: Vec<&str> = plans.iter().flat_map(|plan| &plan.what).map(|it| unit_of(*it, scenario.registry())).collect();
            units.dedup();
            let [unit] = units[..] else {
                let message = format!("'{what}' names several variables; name the component too, as in queue.red.average");
                return Err(StepError::Observation(i, message));
            };
            observed.units.push(unit);
            observed.observation_of.extend(plans.iter().map(|_| i as u32));
            observed.series.extend(plans);
        }
        Ok(observed)
    }

    fn built(&self, scenario: &ValidScenario, seed: Option<u64>, replication: u64, cancel: &Cancel) -> Result<Sim, BlueprintError> {
        let mut blueprint = scenario.blueprint(seed, replication);
        for link in &mut blueprint.links {
            // Parameters of shapers and of markers at departure may be set, so departures cannot be precomputed.
            if link.port.shaper.is_some() || link.port.marker.as_ref().is_some_and(|marker| marker.at == MarkAt::Departure) {
                Arc::make_mut(&mut link.port).force_event_driven = true;
            }
        }
        let watch = WatchPlan { series: self.series.clone(), ..blueprint.watch.clone() };
        Sim::new(Blueprint { cancel: cancel.clone(), watch, ..blueprint })
    }
}
