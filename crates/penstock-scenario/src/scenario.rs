//! A valid scenario: read, checked, and compiled into a blueprint.

use crate::decided::{self, Decided, WindowWatch};
use crate::measure;
use crate::measure::keys::{Durations, Measure};
use crate::measure::recording::RecordingPlan;
use crate::measure::target::{Measurable, MeasurableGroup, MeasurableLink, Target};
use crate::metrics::common::evaluation::{GroupMembers, MetricValue};
use crate::metrics::{self, evaluate};
use crate::network::circuits::read_circuits;
use crate::network::links::{LinkGroup, Links};
use crate::network::nodes::Nodes;
use crate::network::outages::Outages;
use crate::network::pause_checks::{check_headroom, headrooms, number_pause_classes, Headroom};
use crate::network::shaper_checks::check_shaped_rates;
use crate::network::switches::switches;
use crate::read::mistake::{Mistake, Mistakes};
use crate::read::section::Section;
use crate::read::suggest::Suggestions;
use crate::read::tree::{Item, Tree};
use crate::read::values::is_python_file;
use crate::read::{canonical, tree};
use crate::series::{self, SeriesPlans, SeriesRequest};
use crate::settings;
use crate::top_keys::{Routing, Ties, TopKeys};
use crate::trace::{self, Selector, TraceFilter, TraceNames};
use crate::traffic::atm_checks::{check_cell_links, check_circuits};
use crate::traffic::call_checks::check_calls;
use crate::traffic::classes::{check_classes, number_classes};
use crate::traffic::codepoint_checks::check_codepoints;
use crate::traffic::ecn_checks::{check_ecn, check_feedback};
use crate::traffic::group::GroupDraft;
use crate::traffic::rounding_checks::check_rounding;
use crate::traffic::transfers::TransferDraw;
use crate::traffic::{self, routing::route_all};
use penstock_engine::blueprint::{
    self, AtmPlan, Blueprint, CircuitPlan, FastPaths, FlowPlan, RouteSet, SwitchPlan, WatchPlan, MAX_VISIT_EVENTS,
};
use penstock_engine::injection::Arrival;
use penstock_engine::{Cancel, Observations, Sim};
use penstock_model::parameters::{Parameters, Value};
use penstock_model::registry::Registry;
use penstock_model::rng::Key;
use penstock_model::source::SourcePlan;
use penstock_model::units::{Bytes, Duration, Time};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Memory of a number with its labels, here and in the copy that is handed over.
const BYTES_OF_A_METRIC: u64 = 600;

/// A scenario without mistakes.
#[derive(Clone, Debug)]
pub struct ValidScenario {
    description: String,
    canonical: String,
    measure_texts: Vec<String>,
    blueprint: Blueprint,
    measures: Vec<Measure>,
    group_members: GroupMembers,
    /// The selectors of `[[trace]]`.
    traced: Vec<Selector>,
    /// The requests of `[[series]]`.
    series: Vec<SeriesRequest>,
    registry: Registry,
    /// Components of plug-ins that have no source.
    unidentified: Vec<String>,
    real_nodes: Vec<String>,
    /// Links whose delays are drawn, and the bounds.
    drawn_delays: Vec<(std::ops::Range<u32>, (Duration, Duration))>,
    /// Links with outages.
    outages: Vec<(std::ops::Range<u32>, Outages)>,
    /// Groups whose transfers are drawn, by position, and how.
    drawn_transfers: Vec<(usize, TransferDraw)>,
    pub(crate) warnings: Vec<Mistake>,
    /// Keys without effect that reading has left out.
    pub(crate) left_out: Vec<Mistake>,
}

/// Reads a scenario with `sets` applied and without the keys in `left_out`; `None` after mistakes.
pub(crate) fn read(
    text: &str,
    sets: &[(String, String)],
    mistakes: &Mistakes,
    cancel: &Cancel,
    left_out: &[Mistake],
) -> Option<ValidScenario> {
    let goes_on = || (!cancel.is_set()).then_some(());
    let mut tree = tree::parse(text, mistakes)?;
    goes_on()?;
    for (i, (path, value)) in sets.iter().enumerate() {
        settings::apply(&mut tree, path, value, i, mistakes);
    }
    for key in left_out {
        if !tree.remove(&key.path) {
            mistakes.put(Mistake { is_ineffective: false, ..key.clone() });
        }
    }
    let mut top = Section::new(mistakes, String::new(), tree.location, &tree)?;
    let keys = TopKeys::read(&mut top);
    if let Some(Tree { item, location }) = tree.get("use") {
        // A value of another type has been reported, and the components that it should name are unknown.
        let Item::Text(file) = item else { return None };
        if !is_python_file(file) {
            return None;
        }
        match mistakes.files.components(file, mistakes.components.registry()) {
            Ok(registry) => mistakes.components.add(registry),
            Err(messages) => {
                mistakes.add_all(*location, "use", messages);
                return None;
            }
        }
    }
    goes_on()?;
    // Later checks against the end say nothing sensible if the end is not known.
    let duration = keys.as_ref().map(|keys| keys.duration.0);
    let nodes = Nodes::read(&mut top);
    goes_on()?;
    let mut links = Links::read(&mut top, &nodes, duration);
    goes_on()?;
    let (mut flows, flows_complete) = traffic::read_all(&mut top, &nodes, duration);
    goes_on()?;
    check_name_clashes(&flows, &links, &nodes, mistakes);
    let mut recording = RecordingPlan::default();
    let durations = keys.as_ref().map(|keys| Durations { run: keys.duration.0, window: keys.duration.0 - keys.warm_up.0 });
    let measures = measure::read_all(&mut top, &measurable(&flows, &links, flows_complete), durations, &mut recording);
    goes_on()?;
    let circuits = read_circuits(&mut top, &flows, flows_complete);
    if links.complete {
        check_cell_links(&nodes, &links, mistakes);
    }
    let group_members = group_members(&nodes, &flows, &links);
    let names = TraceNames { members: &group_members, links: &links.plans, suggestions: &mistakes.suggestions };
    let traced = trace::read_all(&mut top, (links.complete && flows_complete).then_some(&names), durations.map(|durations| durations.run));
    let written_series =
        series::read_all(&mut top, (links.complete && flows_complete).then_some(&names), durations.map(|durations| durations.run));
    goes_on()?;
    let mut switches = if links.complete { switches(&nodes, &links, mistakes) } else { Vec::new() };
    // The following steps need everything before them.
    let sound = mistakes.is_empty();
    let routing = keys.as_ref().map_or(Routing::First, |keys| keys.routing);
    let (plans, routes) = if sound { route_all(&flows, &nodes, &links, &mut switches, routing, &top).unzip() } else { (None, None) };
    goes_on()?;
    let classes = number_classes(&mut flows);
    if sound && flows_complete {
        number_pause_classes(&nodes, &classes, &mut switches, mistakes);
    }
    if let (Some(plans), Some(routes)) = (&plans, &routes) {
        check_classes(&flows, &links, plans, routes, mistakes);
        check_calls(&flows, &links, plans, routes, mistakes);
        check_codepoints(&flows, &links, plans, routes, mistakes);
        check_shaped_rates(&links, mistakes);
        check_ecn(&flows, &links, plans, routes, mistakes);
        check_feedback(&flows, mistakes);
        check_circuits((&flows, &circuits), (&nodes, &links), (plans, routes), mistakes);
        check_rounding(&flows, &links, plans, routes, mistakes);
    }
    if classes.len() > 256 {
        top.report("flows", format!("{} classes are more than the 256 that fit", classes.len()));
    }
    top.finish();
    if !mistakes.is_empty() {
        return None;
    }
    let (keys, plans, routes) = (keys?, plans?, routes?);
    goes_on()?;
    links.finish_ports(&classes);
    recording.set_intervals(&mut flows);
    let measures = measures.unwrap_or_else(|| default_measures(&flows, &links, &mut recording));
    let watch = recording.watch_plan(&classes);
    let drawn = links.groups.iter().filter(|link| link.delay.0 < link.delay.1);
    let drawn_delays = drawn.map(|link| (link.members.clone(), link.delay)).collect();
    let outages = links.groups.iter().filter_map(|link| Some((link.members.clone(), link.outages.clone()?))).collect();
    let draws = flows.iter_mut().enumerate().filter_map(|(i, group)| Some((i, group.draw.take()?)));
    let drawn_transfers = draws.collect();
    let name_of = |target: Target| match target {
        Target::Flows(group) => flows[group].plan.name.as_str(),
        Target::Links(group) => links.groups[group].name.as_str(),
    };
    let measure_texts = measure::measure_texts(canonical::measures(&tree), &measures, &name_of);
    goes_on()?;
    let circuits = circuits.into_iter().map(|circuit| circuit.plan).collect();
    let blueprint = blueprint(&keys, (&nodes, switches, circuits), links, (plans, routes), (flows, classes), recording, watch);
    // After validation, the engine refuses nothing but cycles of links without delay.
    if blueprint.links.iter().any(|link| link.delay == Duration::ZERO) {
        if let Err(error) = Sim::check(&blueprint) {
            top_level(mistakes, &tree, "links", error.to_string());
            return None;
        }
    }
    check_headroom(&nodes, &blueprint, mistakes);
    series::check_all(&written_series, &blueprint, mistakes);
    if !mistakes.is_empty() {
        return None;
    }
    let description = keys.description.map(|text| text.0).unwrap_or_default();
    let used = mistakes.components.used();
    let canonical = canonical::write(&tree, &mistakes.files.digests(), &used);
    Some(ValidScenario {
        description,
        canonical,
        measure_texts,
        blueprint,
        measures,
        group_members,
        traced,
        series: written_series.into_iter().map(|written| written.request).collect(),
        real_nodes: nodes.real(),
        drawn_delays,
        outages,
        drawn_transfers,
        registry: mistakes.components.registry().clone(),
        unidentified: used.iter().filter(|(_, digest)| digest.is_none()).map(|(name, _)| name.clone()).collect(),
        warnings: Vec::new(),
        left_out: Vec::new(),
    })
}

/// The targets that `[[measure]]` may name.
fn measurable<'a>(flows: &'a [GroupDraft], links: &'a Links, flows_complete: bool) -> Measurable<'a> {
    let group = |group: &'a GroupDraft| MeasurableGroup {
        name: &group.plan.name,
        is_reliable: group.plan.transport.is_reliable(),
        retransmits_segments: group.plan.transport.retransmits_segments(),
        is_http: group.plan.source.asks_for_pages(),
        has_frames: group.plan.source.has_frames(),
        has_size: group.has_size(),
        spacing: group.plan.source.spacing().filter(|_| group.plan.rates.is_none()),
        class: &group.class,
        count: group.count,
        calls: group.plan.calls.as_deref(),
    };
    let link = |link: &'a LinkGroup| MeasurableLink {
        name: &link.name,
        members: link.members.clone(),
        has_meters: link.port.has_meters(),
        has_sampled_meters: link.port.has_sampled_meters(),
        carries_cells: links.plans[link.members.start as usize].cells,
    };
    let complete = links.complete && flows_complete;
    Measurable::new(flows.iter().map(group).collect(), links.groups.iter().map(link).collect(), complete)
}

/// The run of the scenario's own seed.
fn blueprint(
    keys: &TopKeys,
    (nodes, switches, circuits): (&Nodes, Vec<SwitchPlan>, Vec<CircuitPlan>),
    links: Links,
    (plans, routes): (Vec<FlowPlan>, RouteSet),
    (flows, classes): (Vec<GroupDraft>, Vec<String>),
    recording: RecordingPlan,
    watch: WatchPlan,
) -> Blueprint {
    Blueprint {
        seed: keys.seed.0,
        replication: 0,
        end: Time::ZERO + keys.duration.0,
        warm_up: Time::ZERO + keys.warm_up.0,
        ties: match keys.ties {
            Ties::Scenario => blueprint::Ties::Scenario,
            Ties::Random => blueprint::Ties::Random,
        },
        nodes: nodes.names(),
        latencies: nodes.latencies(),
        switches,
        atm: AtmPlan { cell_switches: nodes.cell_switches(), circuits },
        links: links.plans,
        routes,
        classes,
        groups: flows.into_iter().map(|group| group.plan).collect(),
        flows: plans,
        arrivals: Vec::new().into(),
        samples: recording.samples,
        meter_samples: recording.meter_samples,
        trace: false,
        watch,
        fast_paths: FastPaths::default(),
        max_visit_events: MAX_VISIT_EVENTS,
        cancel: Cancel::default(),
    }
}

impl ValidScenario {
    /// The scenario's description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The seed written in the scenario.
    pub fn seed(&self) -> u64 {
        self.blueprint.seed
    }

    /// The run of this seed (the scenario's own, if none is given) and replication.
    pub fn blueprint(&self, seed: Option<u64>, replication: u64) -> Blueprint {
        let seed = seed.unwrap_or(self.blueprint.seed);
        // Copies of a flag are the same flag.
        let mut blueprint = Blueprint { seed, replication, cancel: Cancel::default(), ..self.blueprint.clone() };
        let key = Key::root(blueprint.seed, replication).child("links");
        for (members, (least, most)) in &self.drawn_delays {
            for link in &mut blueprint.links[members.start as usize..members.end as usize] {
                let beyond = key.child(&link.path).child("delay").stream().below((*most - *least).as_ps() + 1);
                let latency = blueprint.latencies.get(&link.to).copied().unwrap_or(Duration::ZERO);
                link.delay = *least + Duration::from_ps(beyond) + latency;
            }
        }
        for (members, outages) in &self.outages {
            for link in &mut blueprint.links[members.start as usize..members.end as usize] {
                link.rate_changes = outages.apply(link.rate, &link.rate_changes, blueprint.end, key.child(&link.path));
            }
        }
        let key = Key::root(blueprint.seed, replication).child("transfers");
        for (group, draw) in &self.drawn_transfers {
            let group = &mut blueprint.groups[*group];
            group.transfers = Some(draw.draw(key.child(&group.name)));
        }
        blueprint
    }

    /// The scenario in which the flows of `groups` send only packets from outside: `arrivals`, and packets that a program injects.
    /// They have at least `smallest` and at most `largest` bytes.
    #[must_use]
    pub fn with_arrivals(&self, groups: &[String], (smallest, largest): (Bytes, Bytes), arrivals: Arc<[Arrival]>) -> ValidScenario {
        let mut opened = self.clone();
        for group in opened.blueprint.groups.iter_mut().filter(|group| groups.contains(&group.name)) {
            group.source = SourcePlan::from_outside(smallest, largest);
        }
        opened.blueprint.arrivals = arrivals;
        opened
    }

    /// The nodes that stand for real hosts.
    pub fn real_nodes(&self) -> &[String] {
        &self.real_nodes
    }

    /// The looks at the senders of a run that [`ValidScenario::decided`] needs.
    pub fn window_watch(&self) -> WindowWatch {
        WindowWatch::new(&self.blueprint)
    }

    /// Decisions that affect the results of a run although no metric shows them.
    pub fn decided(&self, seen: &Observations, windows: &WindowWatch) -> Vec<Decided> {
        decided::decided(&self.blueprint, &self.group_members, seen, windows)
    }

    /// Estimate of the peak memory of a run in bytes, including its metrics, without the scenario itself.
    pub fn memory(&self) -> u64 {
        // The number of transfers open at the same time and that of outages depend on the drawn ones.
        let of_run = if self.drawn_transfers.is_empty() && self.outages.is_empty() {
            Sim::memory(&self.blueprint)
        } else {
            Sim::memory(&self.blueprint(None, 0))
        };
        of_run + BYTES_OF_A_METRIC * self.metric_count()
    }

    /// Estimate of the number of metrics that a run yields.
    fn metric_count(&self) -> u64 {
        let members = |target: &Target| match target {
            Target::Flows(group) => self.group_members.flows[*group].1.len(),
            Target::Links(group) => self.group_members.links[*group].1.len(),
        };
        let of_measure = |measure: &Measure| -> usize {
            let each = measure.metric.info().rows * (measure.take.len() + measure.quantiles.len()).max(1) * (measure.sizes.len() + 1);
            let targets: usize = measure.of.iter().map(|target| if measure.single { members(target) } else { 1 }).sum();
            if measure.if_dropped {
                0
            } else {
                targets * each
            }
        };
        self.measures.iter().map(of_measure).sum::<usize>() as u64
    }

    /// The events that a trace keeps, as in `[[trace]]`. The keys and values in `instead`, if any, replace `[[trace]]`.
    ///
    /// # Errors
    /// All mistakes of `instead`, each with its key.
    pub fn trace_filter(&self, instead: &[(String, Value)]) -> Result<TraceFilter, Vec<(String, String)>> {
        let suggestions = Suggestions::default();
        let names = TraceNames { members: &self.group_members, links: &self.blueprint.links, suggestions: &suggestions };
        let selectors = match instead {
            [] => self.traced.clone(),
            given => vec![trace::read_one(given, &names, self.end().since(Time::ZERO))?],
        };
        Ok(TraceFilter::new(selectors, self.end()))
    }

    /// Whether it has a `[[series]]`.
    pub fn has_series(&self) -> bool {
        !self.series.is_empty()
    }

    /// The series of a run, as in `[[series]]`. The keys and values in `instead`, if any, replace `[[series]]`.
    ///
    /// # Errors
    /// All mistakes of `instead`, each with its key.
    pub fn series_plans(&self, instead: &[(String, Value)]) -> Result<SeriesPlans, Vec<(String, String)>> {
        let suggestions = Suggestions::default();
        let names = TraceNames { members: &self.group_members, links: &self.blueprint.links, suggestions: &suggestions };
        let requests = match instead {
            [] => self.series.clone(),
            given => vec![series::read_one(given, &names, self.end().since(Time::ZERO))?],
        };
        series::plans(&requests, &self.blueprint, &self.registry, &suggestions)
    }

    /// The components of plug-ins that it was read with.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The plug-in components that it uses without a source, as `KIND.NAME`. Without one, a stored run cannot be identified.
    pub fn unidentified_components(&self) -> &[String] {
        &self.unidentified
    }

    /// The names of all classes.
    pub(crate) fn classes(&self) -> &[String] {
        &self.blueprint.classes
    }

    /// The names of groups, and their members.
    pub(crate) fn members(&self) -> &GroupMembers {
        &self.group_members
    }

    /// The warnings, in the order of the file; the scenario runs all the same.
    pub fn warnings(&self) -> &[Mistake] {
        &self.warnings
    }

    /// Keys without effect that [`crate::load_leaving_out`] has left out.
    pub fn left_out(&self) -> &[Mistake] {
        &self.left_out
    }

    /// The numbers that the scenario asks for, from what a run of it counted.
    pub fn metrics(&self, seen: &Observations) -> Vec<MetricValue> {
        self.metrics_until(&Cancel::default(), seen).0
    }

    /// Like [`ValidScenario::metrics`], but only the first of them once `cancel` is set. Also returns how many belong to each of
    /// [`ValidScenario::measure_texts`].
    pub fn metrics_until(&self, cancel: &Cancel, seen: &Observations) -> (Vec<MetricValue>, Vec<usize>) {
        evaluate(cancel.until_set(&self.measures), &self.group_members, &self.blueprint, seen)
    }

    /// The rows that runs have, computed from the counts of a run before its first event, and whether every run has them: some rows
    /// are left out if nothing was dropped. Rows by ingress or circuit, which depend on the arrivals, are not among them.
    pub fn rows(&self, unrun: &Observations) -> Vec<(MetricValue, bool)> {
        let of_measure = |measure: &Measure| {
            let whole = Measure { if_dropped: false, ..measure.clone() };
            let (rows, _) = evaluate(std::iter::once(&whole), &self.group_members, &self.blueprint, unrun);
            rows.into_iter().map(|row| (row, !measure.if_dropped)).collect::<Vec<_>>()
        };
        self.measures.iter().flat_map(of_measure).collect()
    }

    /// The simulated scenario, after all settings, as JSON with sorted keys. It is equal for scenarios that differ only in layout,
    /// comments, the order of keys, `description`, measurements, or `seed`, which a run receives separately. Values keep their
    /// spelling, so `"0.1 s"` and `"100 ms"` differ.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The measurements, each `[[measure]]` in the form of [`ValidScenario::canonical`]; the last one represents the numbers that
    /// every run of the scenario has.
    pub fn measure_texts(&self) -> &[String] {
        &self.measure_texts
    }

    /// Needed and given headroom of the switches that pause.
    pub fn headrooms(&self) -> Vec<Headroom> {
        headrooms(&self.blueprint)
    }

    /// Number of flows; an aggregate of calls counts as one.
    pub fn flow_count(&self) -> usize {
        self.blueprint.flows.len()
    }

    /// Number of one-way links.
    pub fn link_count(&self) -> usize {
        self.blueprint.links.len()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.blueprint.nodes.len()
    }

    /// Time at which counting begins.
    pub fn warm_up(&self) -> Time {
        self.blueprint.warm_up
    }

    /// Time at which the run ends.
    pub fn end(&self) -> Time {
        self.blueprint.end
    }
}

fn top_level(mistakes: &Mistakes, tree: &Tree, key: &str, message: String) {
    let location = tree.get(key).map_or(tree.location, |tree| tree.location);
    mistakes.add(location, key, message);
}

/// Reports groups of flows with the name of a link, and links with that of a node: `[[measure]]`, settings, series and traces find
/// them by name.
fn check_name_clashes(flows: &[GroupDraft], links: &Links, nodes: &Nodes, mistakes: &Mistakes) {
    let of_nodes: BTreeSet<String> = nodes.members().into_iter().map(|(name, _)| name).collect();
    for link in links.groups.iter().filter(|link| of_nodes.contains(&link.name)) {
        let message = format!("'{}' is the name of a node too; give one of them another name", link.name);
        mistakes.add(link.location, &format!("{}.name", link.path), message);
    }
    let of_links: BTreeSet<&str> = links.groups.iter().map(|link| link.name.as_str()).collect();
    for group in flows.iter().filter(|group| of_links.contains(group.plan.name.as_str())) {
        let message = format!("'{}' is the name of a link too; give one of them another name", group.plan.name);
        mistakes.add(group.location, &format!("{}.name", group.path), message);
    }
}

fn group_members(nodes: &Nodes, flows: &[GroupDraft], links: &Links) -> GroupMembers {
    let mut first = 0;
    let flows = flows.iter().map(|group| {
        let members = first..first + group.count;
        first = members.end;
        (group.plan.name.clone(), members)
    });
    let member = |range: &std::ops::Range<u32>| range.start as usize..range.end as usize;
    GroupMembers {
        nodes: nodes.members(),
        flows: flows.collect(),
        links: links.groups.iter().map(|link| (link.name.clone(), member(&link.members))).collect(),
    }
}

/// The measurements of a scenario without `[[measure]]`.
fn default_measures(flows: &[GroupDraft], links: &Links, recording: &mut RecordingPlan) -> Vec<Measure> {
    let groups: Vec<Target> = (0..flows.len()).map(Target::Flows).collect();
    let measure = |metric: &str, of| Measure::with_defaults(metrics::find(metric).expect("listed"), of);
    let mut measures: Vec<Measure> =
        ["throughput", "goodput", "delay", "loss"].into_iter().map(|metric| measure(metric, groups.clone())).collect();
    let calls = |admission: bool| {
        let counts = |group: &GroupDraft| group.plan.calls.as_ref().is_some_and(|calls| !admission || calls.admission.is_some());
        groups.iter().zip(flows).filter(|(_, group)| counts(group)).map(|(target, _)| *target).collect::<Vec<Target>>()
    };
    measures.push(measure("calls", calls(false)));
    measures.push(measure("blocking", calls(true)));
    let sized: Vec<usize> = (0..flows.len()).filter(|group| flows[*group].has_size()).collect();
    sized.iter().for_each(|group| recording.groups.entry(*group).or_default().completion = true);
    measures.push(measure("transfers", sized.into_iter().map(Target::Flows).collect()));
    if flows.iter().map(|group| group.count).sum::<usize>() > 1 {
        measures.push(measure("fairness", groups));
    }
    for (i, link) in links.groups.iter().enumerate() {
        for metric in ["utilisation", "drops", "queue"] {
            measures.push(Measure { if_dropped: !link.port.is_configured, ..measure(metric, vec![Target::Links(i)]) });
        }
    }
    measures
}
