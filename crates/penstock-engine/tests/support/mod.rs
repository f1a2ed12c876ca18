//! A few lines per network, for tests that drive the engine without the scenario layer.

#![allow(dead_code)] // each test file uses its part

pub mod longest_drop;
pub mod statistics;

use penstock_engine::blueprint::{
    AtmPlan, Blueprint, CallsPlan, FastPaths, FlowGroup, FlowPlan, LinkPlan, MarkerPlan, PausePlan, PcnAt, PortPlan, QueuePlan, RouteSet,
    SamplePlan, SharedBufferPlan, SwitchPlan, Ties, WatchPlan, MAX_VISIT_EVENTS,
};
use penstock_engine::{Cancel, Observations, Sim};
use penstock_model::buffer::BufferPlan;
use penstock_model::call::counts::CallCounts;
use penstock_model::call::HoldingPlan;
use penstock_model::conditioner::{PolicerPlan, ShaperPlan};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::id::{LinkId, NodeId, RouteId};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::meter::MeterPlan;
use penstock_model::parameters::{default_value, AnyParameters, Declaration, Field, Parameters, Reader, Value};
use penstock_model::pcn_meter::PcnMeterPlan;
use penstock_model::registry::Registry;
use penstock_model::scheduler::class::{ClassPlan, LevelPlan, RateLimit};
use penstock_model::scheduler::{priority, SchedulerPlan};
use penstock_model::source::SourcePlan;
use penstock_model::transmission::Framing;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use proptest::test_runner::Config as ProptestConfig;
use std::sync::{Arc, OnceLock};

/// Returns a configuration of `count` random cases, scaled by the percentage in the environment variable `PENSTOCK_CASES`.
pub fn cases(count: u32) -> ProptestConfig {
    let percent = std::env::var("PENSTOCK_CASES").map_or(100, |percent| percent.parse().expect("PENSTOCK_CASES is a number"));
    ProptestConfig { cases: (count * percent / 100).max(1), failure_persistence: None, ..ProptestConfig::default() }
}

/// The components of plug-ins: the ones of tests, unless a test file has set its own before its first network.
pub static REGISTRY: OnceLock<Registry> = OnceLock::new();

pub fn registry() -> &'static Registry {
    REGISTRY.get_or_init(longest_drop::registry)
}

/// Parameters as `key = value; key = value`, read as a scenario would be.
pub struct Settings(pub Vec<(String, Value)>);

impl Settings {
    pub fn new(text: &str) -> Settings {
        let pair = |part: &str| {
            let (key, value) = part.split_once('=').expect("key = value");
            (key.trim().to_owned(), value_of(value.trim()))
        };
        Settings(text.split(';').filter(|part| !part.trim().is_empty()).map(pair).collect())
    }
}

/// A quantity or word, a list `[a, b]`, a law: `uniform [a, b]`, `exponential a`, `mix [a @ share, b @ share]`, or a component
/// with parameters, `name { key = value, key = value }`.
fn value_of(text: &str) -> Value {
    let items = |list: &str| -> Vec<String> {
        let inside = list.trim().strip_prefix('[').and_then(|list| list.strip_suffix(']')).expect("[a, b]");
        inside.split(',').map(|item| item.trim().to_owned()).collect()
    };
    let table = |key: &str, value: Value| Value::Table(vec![(key.to_owned(), value)]);
    let list = |list: &str| Value::List(items(list).iter().map(|item| default_value(item)).collect());
    if let Some((name, inner)) = text.strip_suffix('}').and_then(|text| text.split_once(" {")) {
        table(name, Value::Table(Settings::new(&inner.replace(',', ";")).0))
    } else if text.starts_with('[') {
        list(text)
    } else if let Some(bounds) = text.strip_prefix("uniform ") {
        table("uniform", list(bounds))
    } else if let Some(mean) = text.strip_prefix("exponential ") {
        table("exponential", table("mean", default_value(mean)))
    } else if let Some(shares) = text.strip_prefix("mix ") {
        let share = |item: &String| {
            let (size, share) = item.split_once(" @ ").expect("size @ share");
            Value::Table(vec![("size".to_owned(), default_value(size)), ("share".to_owned(), default_value(share))])
        };
        table("mix", Value::List(items(shares).iter().map(share).collect()))
    } else {
        default_value(text)
    }
}

impl Reader for Settings {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let index = self.0.iter().position(|(key, _)| *key == field.key())?;
        Some(self.0.remove(index).1)
    }
    fn registry(&self) -> &Registry {
        registry()
    }
    fn mistake(&mut self, key: &str, message: String) {
        panic!("{key}: {message}");
    }
}

pub fn discipline(name: &str, settings: &str) -> DisciplinePlan {
    DisciplinePlan::read(name, &mut Settings::new(settings)).expect("a discipline")
}
pub fn source(name: &str, settings: &str) -> SourcePlan {
    SourcePlan::read(name, &mut Settings::new(settings)).expect("a source")
}
pub fn transport(name: &str, settings: &str) -> TransportPlan {
    TransportPlan::read(name, &mut Settings::new(settings)).expect("a transport")
}
pub fn impairment(name: &str, settings: &str) -> ImpairmentPlan {
    ImpairmentPlan::read(name, &mut Settings::new(settings)).expect("an impairment")
}

pub fn meter(name: &str, settings: &str) -> MeterPlan {
    MeterPlan::read(name, &mut Settings::new(settings)).expect("a meter")
}
pub fn pcn_meter(name: &str, settings: &str) -> PcnMeterPlan {
    PcnMeterPlan::read(name, &mut Settings::new(settings)).expect("a PCN meter")
}
pub fn scheduler(name: &str, settings: &str) -> SchedulerPlan {
    SchedulerPlan::read(name, &mut Settings::new(settings)).expect("a scheduler")
}

/// A buffer that all ports of a node share.
pub fn shared_buffer(name: &str, settings: &str) -> SharedBufferPlan {
    let policy = BufferPlan::read(name, &mut Settings::new(settings)).expect("a buffer");
    SharedBufferPlan { policy, shares: Vec::new() }
}

pub fn size(text: &str) -> Bytes {
    text.parse().expect("a size")
}

pub fn shaper(name: &str, settings: &str) -> ShaperPlan {
    ShaperPlan::read(name, &mut Settings::new(settings)).expect("a shaper")
}
pub fn policer(name: &str, settings: &str) -> PolicerPlan {
    PolicerPlan::read(name, &mut Settings::new(settings)).expect("a policer")
}

/// A class, as `weight = 3`, of the first scheduler whose classes have these parameters; after a `|` the rate limit of a class of
/// strict priority, as `rate = 1 Mbit/s; burst = 3 kB`.
pub fn class(settings: &str) -> ClassPlan {
    if let Some((_, limit)) = settings.split_once('|') {
        let rate_limit = Some(RateLimit::read(&mut Settings::new(limit)).expect("a rate limit"));
        return ClassPlan { parameters: Some(AnyParameters::new(priority::ClassParameters { rate_limit })), ..ClassPlan::default() };
    }
    let written = Settings::new(settings);
    let is_written = |field: &Field| written.0.iter().any(|(key, _)| field.has_key(key));
    let has_all = |class: &Declaration| {
        let is_known = |key: &str| class.fields.iter().any(|field| field.has_key(key));
        let is_optional = |field: &Field| field.optional || field.default.is_some();
        written.0.iter().all(|(key, _)| is_known(key)) && class.fields.iter().all(|field| is_optional(field) || is_written(field))
    };
    if written.0.is_empty() {
        return ClassPlan::default();
    }
    let declaration = SchedulerPlan::with_classes(Registry::NONE).map(|(_, class)| class).find(has_all).expect("parameters of a class");
    ClassPlan { parameters: declaration.read(&mut Settings::new(settings)), ..ClassPlan::default() }
}

/// A class with a scheduler of its own.
pub fn above(settings: &str, scheduler: SchedulerPlan, classes: Vec<ClassPlan>) -> ClassPlan {
    ClassPlan { below: Some(Box::new(LevelPlan { scheduler, classes })), ..class(settings) }
}

/// The parameters of a component whose plan is known.
pub fn parameters<P: Parameters>(settings: &str) -> P {
    P::read(&mut Settings::new(settings)).expect("parameters")
}

pub fn time(text: &str) -> Time {
    Time::ZERO + text.parse::<Duration>().expect("a time")
}

/// A blueprint under construction.
pub struct Net(pub Blueprint);

impl Net {
    pub fn new(end: &str, seed: u64) -> Net {
        Net(Blueprint {
            seed,
            replication: 0,
            end: time(end),
            warm_up: Time::ZERO,
            ties: Ties::Scenario,
            nodes: Vec::new(),
            switches: Vec::new(),
            atm: AtmPlan::default(),
            links: Vec::new(),
            routes: RouteSet::default(),
            classes: vec!["default".to_owned()],
            groups: Vec::new(),
            flows: Vec::new(),
            arrivals: Vec::new().into(),
            samples: Vec::new(),
            meter_samples: Vec::new(),
            trace: false,
            watch: WatchPlan::default(),
            latencies: std::collections::BTreeMap::new(),
            fast_paths: FastPaths::default(),
            max_visit_events: MAX_VISIT_EVENTS,
            cancel: Cancel::default(),
        })
    }

    pub fn node(&mut self, name: &str) -> NodeId {
        self.0.nodes.push(name.to_owned());
        NodeId(self.0.nodes.len() as u32 - 1)
    }

    pub fn link(&mut self, from: NodeId, to: NodeId, rate: &str, delay: &str, discipline: DisciplinePlan) -> LinkId {
        let path = format!("{}-{}", self.0.nodes[from.index()], self.0.nodes[to.index()]);
        let port = PortPlan {
            policers: Vec::new(),
            policer_of_class: Vec::new(),
            marker: None,
            scheduler: scheduler("fifo", ""),
            classes: Vec::new(),
            queues: vec![QueuePlan { name: String::new(), discipline }],
            queue_of_class: vec![0],
            pcn: Vec::new(),
            pcn_at: PcnAt::Accepted,
            shaper: None,
            impairments: Vec::new(),
            force_event_driven: false,
        };
        self.0.links.push(LinkPlan {
            port_changes: Vec::new(),
            path,
            from,
            to,
            rate: rate.parse::<Rate>().expect("a rate"),
            rate_changes: Vec::new(),
            deliveries: None,
            aggregation: None,
            framing: Framing::default(),
            delay: delay.parse::<Duration>().expect("a delay"),
            cells: false,
            port: Arc::new(port),
        });
        LinkId(self.0.links.len() as u32 - 1)
    }

    /// The ports of `node` share a buffer.
    pub fn share(&mut self, node: NodeId, buffer: &str, settings: &str) {
        self.0.switches.push(SwitchPlan { buffer: Some(shared_buffer(buffer, settings)), ..SwitchPlan::new(node) });
    }

    /// The node shared last pauses the ports that feed it.
    pub fn pause(&mut self, xoff: &str, xon: &str) {
        let pause = PausePlan::new(size(xoff), size(xon));
        self.0.switches.last_mut().expect("a switch").pause = Some(pause);
    }

    pub fn port(&mut self, link: LinkId) -> &mut PortPlan {
        Arc::make_mut(&mut self.0.links[link.index()].port)
    }

    pub fn marker(&mut self, link: LinkId, marker: MarkerPlan) {
        self.port(link).marker = Some(marker);
    }

    pub fn route(&mut self, links: &[LinkId]) -> RouteId {
        if let Some(known) = self.0.routes.iter().position(|route| route == links) {
            return RouteId(known as u32);
        }
        self.0.routes.push(links)
    }

    pub fn group(&mut self, name: &str, source: SourcePlan, transport: TransportPlan, start: (&str, &str)) -> u32 {
        let start = (time(start.0), time(start.1));
        let stop = self.0.end;
        self.0.groups.push(FlowGroup {
            name: name.to_owned(),
            source,
            transport,
            class: 0,
            precedence: 0,
            start,
            stop,
            calls: None,
            interval: None,
            transfers: None,
            rates: None,
            rate_requests: None,
            transport_changes: Vec::new(),
        });
        self.0.groups.len() as u32 - 1
    }

    pub fn flow(&mut self, group: u32, forward: RouteId, backward: RouteId) {
        // The last one of the group has the highest number.
        let member = self.0.flows.iter().rev().find(|flow| flow.group == group).map_or(0, |flow| flow.member + 1);
        let links = &self.0.routes[forward.index()];
        let from = self.0.links[links[0].index()].from;
        let to = self.0.links[links[links.len() - 1].index()].to;
        self.0.flows.push(FlowPlan { group, member, from, to, forward, backward });
    }

    /// A flow of its own that sends one packet, at `at`; returns its number.
    pub fn packet(&mut self, at: &str, bytes: u32, route: RouteId) -> usize {
        let number = self.0.flows.len();
        let one = source("cbr", &format!("rate = 1 bit/s; packet = {bytes} bytes; phase = zero"));
        let group = self.group(&format!("packet{number}"), one, transport("udp", ""), (at, at));
        self.0.groups[group as usize].stop = time(at);
        self.flow(group, route, route);
        number
    }

    /// Several at once.
    pub fn burst(&mut self, at: &str, packets: u32, bytes: u32, route: RouteId) {
        for _ in 0..packets {
            self.packet(at, bytes, route);
        }
    }

    pub fn sample(&mut self, link: LinkId, every: &str) {
        self.0.samples.push(SamplePlan { link, every: every.parse().expect("a time") });
    }

    pub fn sample_meters(&mut self, link: LinkId, every: &str) {
        self.0.meter_samples.push(SamplePlan { link, every: every.parse().expect("a time") });
    }

    pub fn run(&self) -> Observations {
        Sim::new(self.0.clone()).expect("a sound blueprint").run()
    }
}

/// Plan of endless calls of 64 kbit/s; none arrives.
pub fn endless_calls() -> CallsPlan {
    CallsPlan {
        arrivals: None,
        holding: HoldingPlan::Infinite(parameters("")),
        initial: CallCounts::same(0),
        initial_spread: Duration::ZERO,
        surge: None,
        delay: None,
        admission: None,
        termination: None,
        processing: Duration::from_ms(1),
        request_packet: None,
        call_rate: Rate::from_bps(64_000),
    }
}

/// One link `a-b` with this discipline.
pub fn one_link(end: &str, seed: u64, rate: &str, delay: &str, queue: DisciplinePlan) -> (Net, RouteId, LinkId) {
    let mut net = Net::new(end, seed);
    let (a, b) = (net.node("a"), net.node("b"));
    let link = net.link(a, b, rate, delay, queue);
    let route = net.route(&[link]);
    (net, route, link)
}

/// `sides` hosts on each side of one bottleneck `r1-r2`, and TCP flows from left to right, flow i on host i mod sides.
pub struct Dumbbell<'a> {
    pub sides: usize,
    pub flows: usize,
    pub access: (&'a str, &'a str),
    pub bottleneck: (&'a str, &'a str, DisciplinePlan),
    pub tcp: &'a str,
    pub starts: &'a str,
    pub end: &'a str,
}

impl Dumbbell<'_> {
    pub fn net(self, seed: u64) -> Net {
        let large = || discipline("tail-drop", "limit = 100000 packets");
        let mut net = Net::new(self.end, seed);
        let (r1, r2) = (net.node("r1"), net.node("r2"));
        let there = net.link(r1, r2, self.bottleneck.0, self.bottleneck.1, self.bottleneck.2);
        let back = net.link(r2, r1, self.bottleneck.0, self.bottleneck.1, large());
        let mut ways = Vec::new();
        for i in 0..self.sides {
            let (left, right) = (net.node(&format!("left[{i}]")), net.node(&format!("right[{i}]")));
            let up = net.link(left, r1, self.access.0, self.access.1, large());
            let down = net.link(r2, right, self.access.0, self.access.1, large());
            let up_back = net.link(right, r2, self.access.0, self.access.1, large());
            let down_back = net.link(r1, left, self.access.0, self.access.1, large());
            ways.push((net.route(&[up, there, down]), net.route(&[up_back, back, down_back])));
        }
        let group = net.group("bulk", source("ftp", ""), transport("tcp", self.tcp), ("0 s", self.starts));
        for i in 0..self.flows {
            let (forward, backward) = ways[i % self.sides];
            net.flow(group, forward, backward);
        }
        net
    }
}
