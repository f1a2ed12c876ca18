//! Random scenarios that shrink: trees of nodes with every component that the engine knows.

use crate::support::{
    above, class, discipline, impairment, meter, policer, scheduler, shaper, shared_buffer, size, source, time, transport, Net, Settings,
};
use penstock_engine::blueprint::{
    Blueprint, CallsPlan, EfPlan, FlowWatch, LinkWatch, MarkAt, MarkerPlan, PausePlan, PcnAt, QueuePlan, SourceQuenchPlan, SurgePlan,
    SwitchPlan, Ties,
};
use penstock_model::call::delay::DelayPlan;
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::parameters::Parameters;
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::units::{Duration, Rate};
use proptest::prelude::*;
use std::sync::Arc;

/// At the last one short packets take no time at all.
const RATES: [&str; 6] = ["1 Mbit/s", "100 kbit/s", "1.5 Mbit/s", "10 Mbit/s", "1 Gbit/s", "90000 Tbit/s"];
/// Towards the root there may be no delay at all; away from it there is, so that no circle is without.
const UP_DELAYS: [&str; 5] = ["1 ms", "0 s", "1 ps", "30 us", "10 ms"];
const DOWN_DELAYS: [&str; 5] = ["1 ms", "1 ps", "3 ns", "30 us", "10 ms"];
const DISCIPLINES: &[(&str, &str)] = &[
    ("tail-drop", "limit = 1000 packets"),
    ("tail-drop", "limit = 2 packets"),
    ("tail-drop", "limit = 3 packets; counts = in-system"),
    ("tail-drop", "limit = 4000 bytes"),
    ("red", "limit = 20 packets; min-threshold = 2 packets; max-threshold = 8 packets; max-probability = 0.1; weight = 0.1"),
    ("red", "limit = 9 kB; min-threshold = 1 kB; max-threshold = 5 kB; max-probability = 0.2; weight = 0.2; spacing = independent"),
    (
        "red-n",
        "limit = 20 packets; min-thresholds = [4 packets, 2 packets]; max-thresholds = [12 packets, 6 packets]; \
         max-probabilities = [0.1, 0.5]; weight = 0.2",
    ),
    (
        "red-n",
        "limit = 9 packets; min-thresholds = [2 packets, 1 packets, 1 packets]; max-thresholds = [8 packets, 5 packets, 3 packets]; \
         max-probabilities = [0.1, 0.3, 1]; weight = 0.5; updates = all; count = shared; idle = ignored",
    ),
    ("red", "limit = 20 packets; min-threshold = 2 packets; max-threshold = 8 packets; max-probability = 0.3; weight = 0.1; ecn = true"),
    ("step-marking", "limit = 20 packets; threshold = 3 packets"),
    ("step-marking", "limit = 9 kB; threshold = 10 ms; drop-incapable = true"),
    ("codel", "limit = 30 packets; interval = 20 ms; target = 2 ms; mtu = 500 bytes"),
    ("codel", "limit = 9 packets; interval = 5 ms; target = 1 ms; mtu = 1 bytes; ecn = true"),
    ("codel", ""),
];
/// Schedulers that make a queue for each flow.
const FLOW_QUEUES: [&str; 3] = ["", "quantum = 300 bytes; flows = 4; limit = 12 packets", "flows = 1; limit = 8 packets"];
/// Three classes under each scheduler; the last is two levels deep.
const SCHEDULERS: &[(&str, &str, [&str; 3])] = &[
    ("priority", "order = [a, b, c]", ["", "", ""]),
    ("priority", "order = [a, b, c]", ["| rate = 200 kbit/s; burst = 2 kB", "| rate = 90 kbit/s; burst = 600 bytes", ""]),
    ("priority", "order = [a, b, c]", ["| rate = 50 kbit/s; burst = 2 kB; exceeding = goes-last", "", "| rate = 80 kbit/s; burst = 1 kB"]),
    ("wrr", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wrr", "weighs = bytes", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wrr", "weighs = bytes; quantum = 100 bytes", ["weight = 70", "weight = 1", "weight = 29"]),
    ("wrr", "weighs = bytes; quantum = 600 bytes; debts = forgiven", ["weight = 3", "weight = 1", "weight = 2"]),
    ("drr", "", ["quantum = 1500 bytes", "quantum = 3 kB", "quantum = 1500 bytes"]),
    ("drr", "", ["quantum = 100 bytes", "quantum = 300 bytes", "quantum = 700 bytes"]),
    ("scfq", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("scfq", "", ["weight = 1", "weight = 1", "weight = 1"]),
    ("wf2q-plus", "", ["weight = 3", "weight = 1", "weight = 2"]),
    ("wf2q-plus", "", ["weight = 1", "weight = 1", "weight = 1"]),
    ("cbq", "", ["share = 0.3; borrows = false", "share = 0.2", "share = 0.5; priority = 2"]),
    (
        "cbq",
        "sharing = ancestor-only; burst = 2",
        ["share = 0.3", "share = 0.2; borrows = false; priority = 3", "share = 0.1; borrows = false"],
    ),
];
const SHAPERS: [&str; 3] =
    ["rate = 100 kbit/s; burst = 1500 bytes", "rate = 400 kbit/s; burst = 4 kB", "rate = 90 kbit/s; burst = 600 bytes; start = empty"];
const POLICERS: [&str; 2] = ["rate = 100 kbit/s; burst = 3 kB", "rate = 300 kbit/s; burst = 2 kB; start = empty"];
const METERS: &[(&str, &str, MarkAt)] = &[
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Arrival),
    ("token-bucket", "rate = 300 kbit/s; burst = 3 kB", MarkAt::Departure),
    ("two-rate-tcm", TWO_RATES, MarkAt::Arrival),
    ("two-rate-tcm", TWO_RATES, MarkAt::Departure),
];
const TWO_RATES: &str =
    "committed-rate = 200 kbit/s; committed-burst = 3 kB; peak-rate = 500 kbit/s; peak-burst = 3 kB; mode = colour-aware";
const IMPAIRMENTS: &[(&str, &str)] = &[
    ("loss", "probability = 0.05"),
    ("loss", "probability = 0.3"),
    ("delay", "added = uniform [0 ms, 5 ms]"),
    ("delay", "added = uniform [1 ms, 9 ms]; keep-order = true"),
    ("delay", "added = 2 ms"),
];
/// Steps of the rate; the last one never recovers.
const CHANGES: [&[(&str, &str)]; 4] = [
    &[("50 ms", "200 kbit/s"), ("90 ms", "90000 Tbit/s"), ("120 ms", "1 Mbit/s")],
    &[("50 ms", "200 kbit/s"), ("120 ms", "3 Mbit/s")],
    &[("40 ms", "0 bit/s"), ("90 ms", "1 Mbit/s"), ("91 ms", "0 bit/s"), ("150 ms", "700 kbit/s")],
    &[("100 ms", "0 bit/s")],
];
/// The first so many of [`TRAFFIC`] are open loops.
const OPEN: usize = 9;
const TRAFFIC: &[(&str, &str, &str)] = &[
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes; phase = zero", ""),
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes", "ecn = ect-0"),
    ("cbr", "rate = 400 kbit/s; packet = 500 bytes", ""),
    ("cbr", "rate = 64 kbit/s; packet = 160 bytes; spacing-jitter = 0.1", ""),
    ("poisson", "rate = 300 kbit/s; packet = exponential 500 bytes", ""),
    ("cbr", "rate = 300 kbit/s; packet = mix [160 bytes @ 0.5, 1500 bytes @ 0.5]", ""),
    ("poisson", "rate = 500 kbit/s; packet = mix [160 bytes @ 0.5, 1500 bytes @ 0.5]", ""),
    ("on-off", "packet = 160 bytes; spacing = 2 ms; on = 9 ms; off = 5 ms", ""),
    ("on-off", "packet = 160 bytes; spacing = 1 ms; on = 3 ms; off = 9 ms; remainder = whole", ""),
    ("ftp", "", "variant = tahoe; min-rto = 20 ms; initial-rto = 100 ms"),
    ("http", "page = exponential 5 kB; objects = 1; think = uniform [0 ms, 30 ms]", "variant = reno; min-rto = 20 ms; initial-rto = 50 ms"),
    ("ftp", "size = 20 kB", "variant = reno; min-rto = 0 s; initial-rto = 50 ms; timer-tick = 10 ms"),
    ("ftp", "", "variant = new-reno; min-rto = 20 ms; initial-rto = 100 ms; ack-every = 2; ack-delay = 20 ms"),
    ("ftp", "", "variant = sack; min-rto = 20 ms; initial-rto = 100 ms; syn = false"),
    ("ftp", "", "variant = new-reno; packet = 300 bytes; min-rto = 0 s; initial-rto = 50 ms; initial-window = 2 packets"),
    ("ftp", "", "ecn = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
    ("ftp", "", "recovery = sack; congestion-control = cubic; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms; ecn = true"),
    ("ftp", "", "congestion-control = cubic { hystart = true }; pacing = true; packet = 300 bytes; min-rto = 20 ms; initial-rto = 100 ms"),
];

const PCN: &[(&str, &str)] = &[
    ("single-threshold", "admissible-rate = 200 kbit/s; supportable-rate = 400 kbit/s"),
    ("threshold", "rate = 200 kbit/s; size = 20 ms; threshold = 10 ms"),
    ("excess", "rate = 300 kbit/s; size = 20 ms"),
    ("fractional", "admissible-rate = 200 kbit/s; supportable-rate = 400 kbit/s"),
];
const PCN_AT: [PcnAt; 3] = [PcnAt::Accepted, PcnAt::Offered, PcnAt::Departure];
/// What a call sends, who may begin, who must stop, and the size of a request's packet.
const CALLS: &[Calls] = &[
    Calls(VOICE, Some(("cle", "threshold = 0.01; weight = 0.3")), None, None),
    Calls(BURSTS, Some(("cle", "threshold = 0.1; weight = 0.3; update = interval; interval = 7 ms")), None, Some(160)),
    Calls(VOICE, Some(("count", "limit = 9")), Some(("single-threshold", "marked-run = 5; unmarked-run = 3")), None),
    Calls(BURSTS, None, Some(("cl", "sar-interval = 10 ms; sending-interval = 10 ms; marks = any")), None),
    Calls(BURSTS, Some(("rfc-6662", "measuring-interval = 10 ms")), Some(("rfc-6662", "measuring-interval = 10 ms")), None),
];
const VOICE: (&str, &str) = ("cbr", "rate = 64 kbit/s; packet = 160 bytes; phase = zero");
const BURSTS: (&str, &str) = ("on-off", "packet = 160 bytes; spacing = 5 ms; on = 34 ms; off = 66 ms");
const CALL_DELAYS: [Option<&str>; 3] =
    [None, Some("added = uniform [0 ms, 15 ms]"), Some("added = uniform [0 ms, 15 ms]; keep-order = true")];
type Named = (&'static str, &'static str);
struct Calls(Named, Option<Named>, Option<Named>, Option<u32>);

/// Buffers that the ports of a node share, small enough to refuse packets.
const BUFFERS: &[(&str, &str)] = &[
    ("static-shares", "size = 9 kB"),
    ("pool", "size = 8 packets"),
    ("pool", "size = 4000 bytes"),
    ("dynamic-threshold", "size = 12 kB; alpha = 0.5"),
    ("dynamic-threshold", "size = 20 packets; alpha = 2"),
];
/// Thresholds of PAUSE.
const PAUSES: [(&str, &str); 3] = [("1500 bytes", "1500 bytes"), ("3 kB", "600 bytes"), ("1 byte", "1 byte")];

/// One direction of an edge.
#[derive(Clone, Debug)]
pub struct Way {
    rate: usize,
    delay: usize,
    discipline: usize,
    /// The scheduler of the port, and whether its last class is one level down, below which scheduler.
    scheduler: Option<(usize, Option<usize>)>,
    /// Flow queues, where there is no scheduler of classes.
    flow_queues: Option<usize>,
    shaper: Option<usize>,
    /// A policer, and whether for class b alone.
    policer: Option<(usize, bool)>,
    meter: Option<usize>,
    pcn: Vec<usize>,
    pcn_at: usize,
    impairments: Vec<usize>,
    changes: Option<usize>,
}

/// A group of flows.
#[derive(Clone, Debug)]
pub struct Flows {
    from: usize,
    to: usize,
    traffic: usize,
    members: usize,
    class: u8,
    precedence: u8,
    spread: bool,
    stops: bool,
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Case {
    seed: u64,
    random_ties: bool,
    warm_up: bool,
    /// Node i + 1 hangs on one of the nodes before it; the ways up and down.
    edges: Vec<(usize, Way, Way)>,
    flows: Vec<Flows>,
    samples: Vec<(usize, usize)>,
    /// Nodes whose ports share a buffer, when they pause the ports that feed them, and whether they quench sources.
    switches: Vec<(usize, Option<usize>, Option<usize>, bool)>,
}

fn way() -> impl Strategy<Value = Way> {
    let impairments = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0..IMPAIRMENTS.len(), 1..3)];
    let rare = |n: usize| prop::option::weighted(0.25, 0..n);
    let scheduler = prop::option::weighted(0.3, (0..SCHEDULERS.len(), prop::option::weighted(0.3, 0..SCHEDULERS.len())));
    let flow_queues = prop::option::weighted(0.2, 0..FLOW_QUEUES.len());
    let shape = (0..RATES.len(), 0..UP_DELAYS.len(), 0..DISCIPLINES.len(), scheduler, flow_queues);
    let conditioners = (prop::option::weighted(0.15, 0..SHAPERS.len()), prop::option::weighted(0.1, (0..POLICERS.len(), any::<bool>())));
    let pcn = (prop::collection::vec(0..PCN.len(), 0..3), 0..PCN_AT.len());
    (shape, conditioners, rare(METERS.len()), pcn, impairments, prop::option::weighted(0.15, 0..CHANGES.len())).prop_map(
        |((rate, delay, discipline, scheduler, flow_queues), (shaper, policer), meter, (pcn, pcn_at), impairments, changes)| Way {
            rate,
            delay,
            discipline,
            scheduler,
            flow_queues,
            shaper,
            policer,
            meter,
            pcn,
            pcn_at,
            impairments,
            changes,
        },
    )
}

fn flows() -> impl Strategy<Value = Flows> {
    let ends = (0usize..10, 0usize..10);
    (ends, 0..TRAFFIC.len() + CALLS.len(), 1usize..4, 0u8..3, 0u8..3, any::<bool>(), any::<bool>()).prop_map(
        |((from, to), traffic, members, class, precedence, spread, stops)| Flows {
            from,
            to,
            traffic,
            members,
            class,
            precedence,
            spread,
            stops,
        },
    )
}

pub fn case() -> impl Strategy<Value = Case> {
    // Mostly near the root, so that some nodes have many neighbours.
    let parent = prop_oneof![2 => Just(0), 1 => 0usize..6];
    let edges = prop::collection::vec((parent, way(), way()), 1..10);
    let samples = prop::collection::vec((0usize..10, 0usize..3), 0..3);
    let switch = (0usize..6, prop::option::weighted(0.8, 0..BUFFERS.len()), prop::option::weighted(0.4, 0..PAUSES.len()), any::<bool>());
    let switches = prop::collection::vec(switch, 0..3);
    (any::<u64>(), any::<bool>(), any::<bool>(), edges, prop::collection::vec(flows(), 1..8), samples, switches).prop_map(
        |(seed, random_ties, warm_up, edges, flows, samples, switches)| Case {
            seed,
            random_ties,
            warm_up,
            edges,
            flows,
            samples,
            switches,
        },
    )
}

impl Case {
    /// The scenario with open-loop flows alone.
    pub fn with_datagrams_alone(mut self) -> Case {
        self.flows.iter_mut().for_each(|flows| flows.traffic %= OPEN);
        self
    }

    /// The scenario with ports that only queue and schedule.
    pub fn bare_blueprint(&self) -> Blueprint {
        let mut bare = self.blueprint();
        for link in &mut bare.links {
            link.rate_changes.clear();
            let port = Arc::make_mut(&mut link.port);
            (port.shaper, port.marker) = (None, None);
            (port.policers, port.policer_of_class) = (Vec::new(), Vec::new());
            (port.pcn, port.impairments) = (Vec::new(), Vec::new());
        }
        bare
    }

    pub fn blueprint(&self) -> Blueprint {
        let mut net = Net::new("200 ms", self.seed);
        net.0.ties = if self.random_ties { Ties::Random } else { Ties::Scenario };
        net.0.warm_up = time(if self.warm_up { "60 ms" } else { "0 s" });
        net.0.trace = true;
        net.0.classes = ["a", "b", "c"].map(str::to_owned).into();
        let nodes: Vec<NodeId> = (0..=self.edges.len()).map(|i| net.node(&format!("n{i}"))).collect();
        let mut parents = vec![(0, LinkId(0), LinkId(0))];
        for (i, (parent, up, down)) in self.edges.iter().enumerate() {
            let (parent, child) = (parent % (i + 1), i + 1);
            let up = up.build(&mut net, nodes[child], nodes[parent], UP_DELAYS);
            let down = down.build(&mut net, nodes[parent], nodes[child], DOWN_DELAYS);
            parents.push((parent, up, down));
        }
        for (i, flows) in self.flows.iter().enumerate() {
            let (from, to) = (flows.from % nodes.len(), flows.to % nodes.len());
            let to = if from == to { (to + 1) % nodes.len() } else { to };
            let (forward, backward) = (net.route(&path(&parents, from, to)), net.route(&path(&parents, to, from)));
            let calls = CALLS.get(flows.traffic.wrapping_sub(TRAFFIC.len()));
            let (name, settings, tcp) = match calls {
                Some(Calls((name, settings), ..)) => (*name, *settings, ""),
                None => TRAFFIC[flows.traffic],
            };
            let carrier = transport(if ["ftp", "http"].contains(&name) { "tcp" } else { "udp" }, tcp);
            let starts = ("0 s", if flows.spread { "80 ms" } else { "0 s" });
            let group = net.group(&format!("g{i}"), source(name, settings), carrier, starts);
            let plan = &mut net.0.groups[group as usize];
            (plan.class, plan.precedence) = (flows.class, flows.precedence);
            plan.calls = calls.map(|calls| Arc::new(calls.plan(i)));
            plan.stop = time(if flows.stops { "140 ms" } else { "200 ms" });
            (0..flows.members).for_each(|_| net.flow(group, forward, backward));
        }
        for (link, every) in &self.samples {
            let (link, every) = (LinkId((link % net.0.links.len()) as u32), ["10 ms", "1 ms", "7 us"][*every]);
            net.sample(link, every);
            net.sample_meters(link, every);
        }
        for &(node, shared, pause, quenches) in &self.switches {
            let node = nodes[node % nodes.len()];
            if net.0.switches.iter().all(|switch| switch.node != node) {
                let shared = shared.map(|i| shared_buffer(BUFFERS[i].0, BUFFERS[i].1));
                let pause = pause.map(|i| PausePlan { xoff: size(PAUSES[i].0), xon: size(PAUSES[i].1), processing: Duration::from_us(1) });
                // The sources of all flows that come by are told.
                let node_index = node.index();
                let source_quench = quenches.then(|| {
                    let told = (0..net.0.flows.len()).filter(|flow| net.0.flows[*flow].from != node);
                    let route = |flow: usize| (FlowId(flow as u32), path(&parents, node_index, net.0.flows[flow].from.index()));
                    let ways: Vec<(FlowId, Vec<LinkId>)> = told.map(route).collect();
                    let routes = ways.into_iter().map(|(flow, way)| (flow, net.route(&way))).collect();
                    SourceQuenchPlan { interval: Duration::from_ms(3), packet: size("56 bytes"), routes }
                });
                net.0.switches.push(SwitchPlan { node, buffer: shared, pause, source_quench });
            }
        }
        let all = FlowWatch { delays: true, variation: true, rtp_jitter: true, pages: true };
        net.0.watch.groups = (0..net.0.groups.len() as u32).map(|group| (group, all)).collect();
        let rate = "300 kbit/s".parse::<Rate>().expect("a rate");
        let expedited = vec![EfPlan { classes: vec![0], rate }, EfPlan { classes: vec![0, 1], rate }];
        let watch = |link: u32| (LinkId(link), LinkWatch { classes: link.is_multiple_of(2), expedited: expedited.clone() });
        net.0.watch.links = (0..net.0.links.len() as u32).map(watch).collect();
        net.0
    }
}

impl Calls {
    fn plan(&self, number: usize) -> CallsPlan {
        let Calls(_, admission, termination, request_packet) = self;
        CallsPlan {
            arrivals: ArrivalPlan::read("poisson", &mut Settings::new("interval = 3 ms")),
            holding: HoldingPlan::read("exponential", &mut Settings::new("mean = 50 ms")).expect("a law"),
            initial: number as u32 % 4,
            initial_spread: Duration::from_ms(20),
            surge: (number % 2 == 1).then(|| SurgePlan { at: time("70 ms"), calls: 5, spread: Duration::from_ms(10) }),
            delay: CALL_DELAYS[number % 3].and_then(|settings| DelayPlan::read(&mut Settings::new(settings))),
            admission: admission.and_then(|(name, settings)| AdmissionPlan::read(name, &mut Settings::new(settings))),
            termination: termination.and_then(|(name, settings)| TerminationPlan::read(name, &mut Settings::new(settings))),
            // Signals must take some time, whatever the links.
            processing: Duration::from_ps([1, 1_000_000, 1_000_000_000][number % 3]),
            request_packet: *request_packet,
            call_rate: Rate::from_bps(64_000),
        }
    }
}

impl Way {
    fn build(&self, net: &mut Net, from: NodeId, to: NodeId, delays: [&str; 5]) -> LinkId {
        let queue = || {
            let (name, settings) = DISCIPLINES[self.discipline];
            discipline(name, settings)
        };
        // A link that costs no time has a long delay, or TCP would fill an eternity with round trips.
        let delay = if self.rate == 5 || self.changes == Some(0) { delays[4] } else { delays[self.delay] };
        let link = net.link(from, to, RATES[self.rate], delay, queue());
        let changes = self.changes.map_or(&[][..], |i| CHANGES[i]);
        net.0.links[link.index()].rate_changes =
            changes.iter().map(|(at, rate)| (time(at), rate.parse::<Rate>().expect("a rate"))).collect();
        let port = net.port(link);
        port.queue_of_class = vec![0, 0, 0];
        if let Some(i) = self.flow_queues {
            port.scheduler = scheduler("fq-codel", FLOW_QUEUES[i]);
        }
        if let Some((i, inner)) = self.scheduler {
            let (name, settings, [a, b, c]) = SCHEDULERS[i];
            port.scheduler = scheduler(name, settings);
            port.queues = ["b", "a", "c"].map(|name| QueuePlan { name: name.to_owned(), discipline: queue() }).into();
            port.queue_of_class = vec![1, 0, 2];
            port.classes = [a, b, c].map(class).into();
            if let Some(inner) = inner {
                // The second of two classes has two.
                let (name, settings, [first, second, _]) = SCHEDULERS[inner];
                let below = scheduler(name, settings);
                port.classes = vec![class(a), above(b, below, [first, second].map(class).into())];
            }
        }
        port.shaper = self.shaper.map(|i| shaper(SHAPERS[i]));
        if let Some((i, only_b)) = self.policer {
            port.policers = vec![policer(POLICERS[i])];
            port.policer_of_class = if only_b { vec![None, Some(0), None] } else { vec![Some(0); 3] };
        }
        port.marker = self.meter.map(|i| MarkerPlan { meter: meter(METERS[i].0, METERS[i].1), at: METERS[i].2 });
        let pcn = |i: &usize| PcnMeterPlan::read(PCN[*i].0, &mut Settings::new(PCN[*i].1)).expect("a meter");
        port.pcn = self.pcn.iter().map(pcn).collect();
        port.pcn_at = PCN_AT[self.pcn_at];
        port.impairments = self.impairments.iter().map(|i| impairment(IMPAIRMENTS[*i].0, IMPAIRMENTS[*i].1)).collect();
        link
    }
}

/// The links of the tree from one node to another.
fn path(parents: &[(usize, LinkId, LinkId)], mut from: usize, mut to: usize) -> Vec<LinkId> {
    let (mut ups, mut downs) = (Vec::new(), Vec::new());
    // A parent has a smaller number than its children, so the larger one climbs.
    while from != to {
        if from > to {
            ups.push(parents[from].1);
            from = parents[from].0;
        } else {
            downs.push(parents[to].2);
            to = parents[to].0;
        }
    }
    ups.extend(downs.into_iter().rev());
    ups
}
