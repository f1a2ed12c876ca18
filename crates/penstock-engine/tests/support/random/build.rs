//! The blueprint of a random scenario.

use crate::random::choices::{
    aggregation, AGGREGATIONS, CALL_DELAYS, CHANGES, DELIVERIES, DOWN_DELAYS, FRAMINGS, PARAMETER_CHANGES, PAUSES, PCN_AT, RATES, UP_DELAYS,
};
use crate::random::components::{
    Calls, BUFFERS, CALLS, DISCIPLINES, FLOW_QUEUES, IMPAIRMENTS, METERS, PCN, POLICERS, SCHEDULERS, SHAPERS, TRAFFIC,
};
use crate::random::drawn::Choice;
use crate::random::{Case, PortChoice};
use crate::support::{parameters, size, time, transport, Net, Settings};
use penstock_engine::blueprint::{
    Blueprint, CallsPlan, CongestionPointsPlan, DeliveryTimes, EfPlan, FlowPlan, FlowWatch, LinkPlan, LinkWatch, MarkerPlan, PortPlan,
    QueuePlan, SharedBufferPlan, SourceQuenchPlan, SurgePlan, SwitchPlan, Ties,
};
use penstock_model::call::counts::CallCounts;
use penstock_model::call::delay::DelayPlan;
use penstock_model::call::{ArrivalPlan, HoldingPlan};
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::id::{FlowId, LinkId, NodeId};
use penstock_model::parameters::Parameters;
use penstock_model::scheduler::class::{ClassPlan, LevelPlan};
use penstock_model::scheduler::SchedulerPlan;
use penstock_model::transmission::Framing;
use penstock_model::units::{Duration, Rate};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Case {
    /// The scenario with open-loop flows alone.
    pub fn with_datagrams_only(mut self) -> Case {
        self.flows.iter_mut().for_each(|flows| flows.traffic %= TRAFFIC.0.len());
        self
    }

    /// The scenario with ports that only queue and schedule.
    pub fn bare_blueprint(&self) -> Blueprint {
        let mut bare = self.blueprint();
        for link in &mut bare.links {
            link.rate_changes.clear();
            (link.deliveries, link.aggregation) = (None, None);
            let changed = link.port_changes.iter_mut().map(|(_, port)| port);
            for port in changed.chain([&mut link.port]).map(Arc::make_mut) {
                (port.shaper, port.marker) = (None, None);
                (port.policers, port.policer_of_class) = (Vec::new(), Vec::new());
                (port.pcn, port.impairments) = (Vec::new(), Vec::new());
            }
        }
        bare
    }

    pub fn blueprint(&self) -> Blueprint {
        let mut net = Net::new("200 ms", self.seed);
        net.0.ties = if self.random_ties { Ties::Random } else { Ties::Scenario };
        net.0.warm_up = time(if self.warm_up { "60 ms" } else { "0 s" });
        net.0.trace = self.traced;
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
            let calls = CALLS.get(flows.traffic.wrapping_sub(TRAFFIC.0.len() + TRAFFIC.1.len()));
            let traffic = TRAFFIC.0.iter().chain(&TRAFFIC.1).nth(flows.traffic);
            let source = traffic.map(|traffic| &traffic.source).or(calls.map(|calls| &calls.source)).expect("traffic or calls");
            let carrier = traffic.map_or_else(|| transport("udp", ""), |traffic| traffic.transport.plan());
            let starts = ("0 s", if flows.spread { "80 ms" } else { "0 s" });
            let group = net.group(&format!("g{i}"), source.plan(), carrier, starts);
            let plan = &mut net.0.groups[group as usize];
            if let Some(traffic) = traffic.filter(|_| flows.stops && plan.transport.is_reliable()) {
                let changed = traffic.transport.changed(self.seed as usize % PARAMETER_CHANGES + i);
                let as_it_was = Arc::new(plan.transport.clone());
                plan.transport_changes = vec![(time("50 ms"), Arc::new(changed)), (time("110 ms"), as_it_was)];
            }
            (plan.class, plan.precedence) = (flows.class, flows.precedence);
            plan.calls = calls.map(|calls| Arc::new(calls.plan(i)));
            // As a traffic matrix has them: each member at a rate of its own.
            let rates = |rate: Rate| (1..=flows.members as u64).map(|part| Rate::from_bps(rate.as_bps() * part / 2)).collect();
            plan.rates =
                plan.source.mean_rate().filter(|rate| calls.is_none() && flows.spread && plan.source.at_rate(*rate).is_some()).map(rates);
            let requests = [("30 ms", 700_000), ("31 ms", 500_000), ("90 ms", 100_000)];
            let requests = requests.map(|(at, bps)| (time(at), Rate::from_bps(bps)));
            plan.rate_requests = (plan.source.adapts_rate() && !plan.transport.requests_rates()).then(|| requests.into());
            plan.stop = time(if flows.stops { "140 ms" } else { "200 ms" });
            (0..flows.members).for_each(|_| net.flow(group, forward, backward));
        }
        for (link, every) in &self.samples {
            let (link, every) = (LinkId((link % net.0.links.len()) as u32), ["10 ms", "1 ms", "7 us"][*every]);
            net.sample(link, every);
            net.sample_meters(link, every);
        }
        for &(node, shared, pause, (quenches, notifies)) in &self.switches {
            let node = nodes[node % nodes.len()];
            if net.0.switches.iter().all(|switch| switch.node != node) {
                let shared = shared.map(|i| SharedBufferPlan { policy: BUFFERS[i].plan(), shares: Vec::new() });
                let pause = pause.map(|i| PAUSES[i].plan());
                // Quench messages go to the sources of all flows from other nodes.
                let node_index = node.index();
                let source_quench = quenches.then(|| {
                    let told = (0..net.0.flows.len()).filter(|flow| net.0.flows[*flow].from != node);
                    let route = |flow: usize| (FlowId(flow as u32), path(&parents, node_index, net.0.flows[flow].from.index()));
                    let ways: Vec<(FlowId, Vec<LinkId>)> = told.map(route).collect();
                    let routes = ways.into_iter().map(|(flow, way)| (flow, false, net.route(&way))).collect();
                    SourceQuenchPlan { interval: Duration::from_ms(3), packet: size("56 bytes"), routes }
                });
                let congestion_points = notifies.then(|| congestion_points(&mut net, node, &parents));
                net.0.switches.push(SwitchPlan { buffer: shared, pause, source_quench, congestion_points, ..SwitchPlan::new(node) });
            }
        }
        if net.0.switches.iter().any(|switch| switch.congestion_points.is_some()) {
            add_reaction_points(&mut net);
        }
        let all = FlowWatch {
            delays: true,
            variation: true,
            rtp_jitter: true,
            pages: true,
            completion: true,
            repeated_retransmissions: true,
            frames: true,
            bins: Some(Duration::from_ms(10)),
        };
        net.0.watch.groups = (0..net.0.groups.len() as u32).map(|group| (group, all)).collect();
        let rate = "300 kbit/s".parse::<Rate>().expect("a rate");
        let expedited = vec![EfPlan { classes: vec![0], rate }, EfPlan { classes: vec![0, 1], rate }];
        let watch = |link: u32| {
            (
                LinkId(link),
                LinkWatch {
                    classes: link.is_multiple_of(2),
                    ingresses: link.is_multiple_of(3),
                    circuits: false,
                    expedited: expedited.clone(),
                },
            )
        };
        net.0.watch.links = (0..net.0.links.len() as u32).map(watch).collect();
        net.0
    }
}

/// Congestion points that know a way to both ends of every flow.
fn congestion_points(net: &mut Net, node: NodeId, parents: &[(usize, LinkId, LinkId)]) -> CongestionPointsPlan {
    let flows: Vec<FlowPlan> = net.0.flows.clone();
    let mut routes = Vec::new();
    for (id, flow) in (0..).map(FlowId).zip(flows) {
        for (acknowledges, end) in [(false, flow.from), (true, flow.to)] {
            if end != node && (!acknowledges || flow.backward != flow.forward) {
                routes.push((id, acknowledges, net.route(&path(parents, node.index(), end.index()))));
            }
        }
    }
    let point = if uses_qcn(net) {
        CongestionPointPlan::Qcn(parameters("equilibrium = 2 kB; sample-base = 3 kB"))
    } else {
        CongestionPointPlan::Bcn(parameters("probability = 0.3; equilibrium = 2; severe = 30"))
    };
    CongestionPointsPlan { point, routes }
}

/// Returns whether congestion points send messages of QCN, not of BCN.
fn uses_qcn(net: &Net) -> bool {
    net.0.seed % 2 == 1
}

/// Gives every other node where flows begin a reaction point.
fn add_reaction_points(net: &mut Net) {
    let stations: BTreeSet<NodeId> = net.0.flows.iter().map(|flow| flow.from).filter(|node| node.0 % 2 == 0).collect();
    for node in stations {
        let of_qcn = "timer = 2 ms; byte-counter = 2 kB; floor = 20 kbit/s; active-increase = 50 kbit/s; hyper-increase = 200 kbit/s; \
                      limit = 20 packets";
        let settings = "rate-unit = 10 kbit/s; floor = 10 kbit/s; restart-rate = 50 kbit/s; restart-within = 5 ms; drift = 5 kbit/s; \
                        drift-interval = 3 ms; limit = 20 packets; decrease-gain = 0.05";
        let shared_by = if node.0 % 4 == 0 { "" } else { "; shared-by = flow" };
        let reaction_point = Some(if uses_qcn(net) {
            ReactionPointPlan::Qcn(parameters(&format!("{of_qcn}{shared_by}")))
        } else {
            ReactionPointPlan::Bcn(parameters(&format!("{settings}{shared_by}")))
        });
        match net.0.switches.iter_mut().find(|switch| switch.node == node) {
            Some(switch) => switch.reaction_point = reaction_point,
            None => net.0.switches.push(SwitchPlan { reaction_point, ..SwitchPlan::new(node) }),
        }
    }
}

impl Calls {
    fn plan(&self, number: usize) -> CallsPlan {
        CallsPlan {
            arrivals: ArrivalPlan::read("poisson", &mut Settings::new("interval = 3 ms")),
            holding: HoldingPlan::read("exponential", &mut Settings::new("mean = 50 ms")).expect("a law"),
            initial: CallCounts::same(number as u32 % 4),
            initial_spread: Duration::from_ms(20),
            surge: (number % 2 == 1).then(|| SurgePlan { at: time("70 ms"), calls: CallCounts::same(5), spread: Duration::from_ms(10) }),
            delay: CALL_DELAYS[number % 3].and_then(|settings| DelayPlan::read(&mut Settings::new(settings))),
            admission: self.admission.as_ref().map(Choice::plan),
            termination: self.termination.as_ref().map(Choice::plan),
            // Signals must take some time, whatever the links.
            processing: Duration::from_ps([1, 1_000_000, 1_000_000_000][number % 3]),
            request_packet: self.request_packet,
            call_rate: Rate::from_bps(64_000),
        }
    }
}

impl PortChoice {
    fn build(&self, net: &mut Net, from: NodeId, to: NodeId, delays: [&str; 6]) -> LinkId {
        let queue = || DISCIPLINES[self.discipline].plan();
        // A link that costs no time has a long delay, or TCP would fill an eternity with round trips.
        let delay = if self.rate == 5 || self.changes == Some(0) || self.deliveries.is_some() { delays[4] } else { delays[self.delay] };
        let link = net.link(from, to, RATES[self.rate], delay, queue());
        let changes = self.changes.map_or(&[][..], |i| CHANGES[i]);
        net.0.links[link.index()].rate_changes =
            changes.iter().map(|(at, rate)| (time(at), rate.parse::<Rate>().expect("a rate"))).collect();
        let plan = &mut net.0.links[link.index()];
        plan.framing = self.framing.map_or(Framing::default(), |i| FRAMINGS[i]);
        if let Some(i) = self.deliveries {
            plan.rate_changes.clear();
            plan.deliveries = DeliveryTimes::new(DELIVERIES[i].iter().map(|ms| Duration::from_ms(*ms)).collect()).map(Arc::new);
        }
        plan.aggregation = self.aggregation.filter(|_| plan.deliveries.is_none()).map(|i| aggregation(AGGREGATIONS[i]));
        let port = net.port(link);
        port.queue_of_class = vec![0, 0, 0];
        if let Some(i) = self.flow_queues {
            port.scheduler = FLOW_QUEUES[i].plan();
        }
        if let Some((i, inner)) = self.scheduler {
            port.queues = ["b", "a", "c"].map(|name| QueuePlan { name: name.to_owned(), discipline: queue() }).into();
            port.queue_of_class = vec![1, 0, 2];
            (port.scheduler, port.classes) = scheduler_with_classes((i, inner), None);
        }
        port.shaper = self.shaper.map(|i| SHAPERS[i].plan());
        if let Some((i, only_b)) = self.policer {
            port.policers = vec![POLICERS[i].plan()];
            port.policer_of_class = if only_b { vec![None, Some(0), None] } else { vec![Some(0); 3] };
        }
        port.marker = self.meter.map(|i| MarkerPlan { meter: METERS[i].0.plan(), at: METERS[i].1 });
        port.pcn = self.pcn.iter().map(|i| PCN[*i].plan()).collect();
        port.pcn_at = PCN_AT[self.pcn_at];
        port.impairments = self.impairments.iter().map(|i| IMPAIRMENTS[*i].plan()).collect();
        if let Some(i) = self.parameter_changes {
            self.change_parameters(&mut net.0.links[link.index()], i);
        }
        link
    }

    /// The port has other parameters for a while, and then those that it began with.
    fn change_parameters(&self, link: &mut LinkPlan, n: usize) {
        let mut port = PortPlan::clone(&link.port);
        port.queues.iter_mut().for_each(|queue| queue.discipline = DISCIPLINES[self.discipline].changed(n));
        if let Some((i, _)) = self.policer {
            port.policers = vec![POLICERS[i].changed(n)];
        }
        if let Some(choice) = self.scheduler {
            (port.scheduler, port.classes) = scheduler_with_classes(choice, Some(n));
        } else if let Some(i) = self.flow_queues {
            port.scheduler = FLOW_QUEUES[i].changed(n);
        }
        port.shaper = self.shaper.map(|i| SHAPERS[i].changed(n));
        if let (Some(marker), Some(i)) = (&mut port.marker, self.meter) {
            marker.meter = METERS[i].0.changed(n);
        }
        link.port_changes = vec![(time("41 ms"), Arc::new(port)), (time("120 ms"), Arc::clone(&link.port))];
    }
}

/// A scheduler and its classes, with changed parameters as a number decides; the second of two classes may have two of another
/// scheduler.
fn scheduler_with_classes((outer, inner): (usize, Option<usize>), change: Option<usize>) -> (SchedulerPlan, Vec<ClassPlan>) {
    let level = |i: usize| change.map_or_else(|| SCHEDULERS[i].plans(), |n| SCHEDULERS[i].changed(n));
    let (plan, [a, b, c]) = level(outer);
    match inner.map(level) {
        None => (plan, vec![a, b, c]),
        Some((scheduler, [first, second, _])) => {
            let below = LevelPlan { scheduler, classes: vec![first, second] };
            (plan, vec![a, ClassPlan { below: Some(Box::new(below)), ..b }])
        }
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
