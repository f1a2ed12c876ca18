//! Adds the endpoints of every flow to its hosts.

use crate::api::blueprint::{Blueprint, FlowGroup, FlowPlan, FlowWatch};
use crate::build::flow_layout::{flow_site, flows_in_layout_order, start};
use crate::build::places::Places;
use crate::build::processes::tie_key;
use crate::build::switches::waiting_hosts;
use crate::endpoints::application::Application;
use crate::endpoints::calls::egress::CallsEgress;
use crate::endpoints::calls::ingress::{setup::CallsSetup, CallsIngress};
use crate::endpoints::connections::{Connections, SenderTimers};
use crate::endpoints::counts::Received;
use crate::endpoints::custom::{CustomReceiver, CustomSender, CustomTransport};
use crate::endpoints::open_loop::OpenLoopSource;
use crate::endpoints::packet_template::PacketTemplate;
use crate::endpoints::timers::Timers;
use crate::kernel::journal::Measurement;
use crate::kernel::message::{MessageOrder, Peer};
use crate::kernel::route::{Departure, FlowSlots};
use crate::node::host::Host;
use crate::node::process::changes::Changed;
use crate::node::process::Process;
use penstock_model::edge::{EdgeContext, Egress};
use penstock_model::id::{FlowId, LinkId, NodeId, ProcessId};
use penstock_model::impairment::ImpairmentPlan;
use penstock_model::rng::Key;
use penstock_model::site::Site;
use penstock_model::source::{AnySource, Source, SourcePlan};
use penstock_model::transport::connection::ConnectionSender;
use penstock_model::transport::custom::TransportEnds;
use penstock_model::transport::roce;
use penstock_model::transport::tcp::{Parameters as TcpParameters, Receiver, Sender};
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Duration, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Adds both endpoints of every flow to its hosts; returns the slots of each flow there.
///
/// # Errors
/// If signals between the edges of calls take no time.
pub fn add_flows(places: &Places<'_>, key: Key, processes: &mut [Process]) -> Vec<FlowSlots> {
    let blueprint = places.blueprint;
    // By group: all its flows share the parameters.
    let mut tcp: Vec<Option<Arc<TcpParameters>>> = vec![None; blueprint.groups.len()];
    let waiting = waiting_hosts(blueprint);
    let mut flows = vec![FlowSlots::NONE; blueprint.flows.len()];
    for i in blueprint.cancel.until_set(flows_in_layout_order(blueprint, key)) {
        let flow = &blueprint.flows[i as usize];
        let group = &blueprint.groups[flow.group as usize];
        let site = flow_site(blueprint, flow, key);
        let waits = |host: NodeId| group.transport.waits_for_port() && waiting.contains(&host);
        let template = PacketTemplate {
            flow: FlowId(i),
            departure: places.departure(flow.forward),
            class: group.class,
            precedence: group.precedence,
            ecn: group.transport.datagram_ecn(),
            waits: waits(flow.from),
        };
        let endpoints = FlowEndpoints {
            blueprint,
            flow,
            group,
            template,
            answers_wait: waits(flow.to),
            watch: blueprint.watch.groups.get(&flow.group).copied().unwrap_or_default(),
            ties: tie_key(blueprint, key, &blueprint.nodes[flow.from.index()]),
            start: start(blueprint, flow, site.key),
            site,
            process: (places.host(flow.from), places.host(flow.to)),
        };
        let backward = || places.departure(flow.backward);
        flows[i as usize] = match &group.transport {
            TransportPlan::Tcp(parameters) => {
                let shared = tcp[flow.group as usize].get_or_insert_with(|| Arc::new(parameters.clone()));
                endpoints.add_tcp(processes, shared, backward())
            }
            TransportPlan::Roce(parameters) => endpoints.add_roce(processes, parameters, backward()),
            TransportPlan::Udp(udp) if group.calls.is_some() => {
                endpoints.add_calls(processes, udp.header.get() as u32, places.messages.calls[&FlowId(i)])
            }
            TransportPlan::Udp(udp) => endpoints.add_open_loop(processes, udp.header.get() as u32),
            _ => endpoints.add_custom(processes, backward()),
        };
    }
    processes.iter_mut().filter_map(|process| process.host.as_mut()).for_each(|host| host.complete());
    add_transport_changes(places, &flows, processes);
    flows
}

/// Adds the changes of transports, in the order of time.
fn add_transport_changes(places: &Places<'_>, slots: &[FlowSlots], processes: &mut [Process]) {
    let blueprint = places.blueprint;
    let of_flow = |((id, flow), slots): ((u32, &FlowPlan), &FlowSlots)| {
        let (process, slot) = (places.host(flow.from), slots.source);
        let changes = &blueprint.groups[flow.group as usize].transport_changes;
        changes.iter().map(move |(at, plan)| (*at, process, Changed::Transport(FlowId(id), slot, Arc::clone(plan)))).collect::<Vec<_>>()
    };
    let mut changes: Vec<_> = (0..).zip(&blueprint.flows).zip(slots).flat_map(of_flow).collect();
    changes.sort_by_key(|(at, ..)| *at);
    changes.into_iter().for_each(|(at, process, changed)| processes[process as usize].change(at, changed));
}

/// A flow whose endpoints are to be added to its two hosts.
struct FlowEndpoints<'a> {
    blueprint: &'a Blueprint,
    flow: &'a FlowPlan,
    group: &'a FlowGroup,
    template: PacketTemplate,
    /// Whether packets sent back wait for the port at the sink.
    answers_wait: bool,
    watch: FlowWatch,
    site: Site,
    /// The key of random ties at its source.
    ties: Option<Key>,
    start: Time,
    /// The processes of its source and its sink.
    process: (u32, u32),
}

impl FlowEndpoints<'_> {
    fn received(&self, header: u32) -> Received {
        let watch = FlowWatch { frames: self.watch.frames && self.group.source.has_frames(), ..self.watch };
        Received::new(self.template.flow, header, watch, self.start >= self.blueprint.warm_up)
    }

    /// Adds the sender and the receiver of a connection at its hosts, to the endpoints of its transport. The receiver comes with the header
    /// bytes of each data packet, and with the departure of its acknowledgements.
    fn connect<S: SenderTimers, R>(
        &self,
        processes: &mut [Process],
        (sender, application): (S, Option<Box<Application>>),
        (receiver, header, departure): (R, u32, Departure),
        endpoints_of: fn(&mut Host) -> (&mut Connections<S, R>, &mut Timers),
    ) -> FlowSlots {
        let FlowEndpoints { group, template, answers_wait, start, process: (from, to), .. } = *self;
        let answers = PacketTemplate { departure, waits: answers_wait, ..template };
        let sink = endpoints_of(host(processes, to)).0.add_receiver(answers, receiver, self.received(header));
        let (connections, timers) = endpoints_of(host(processes, from));
        FlowSlots { source: connections.add_sender(template, sender, application, (start, group.stop), timers), sink }
    }

    /// The application that waits for its data to arrive, if there is one, and in how many packets of so much payload it has data to send
    /// from the start, without an end if `None`.
    fn application(&self, payload: u64) -> (Option<Box<Application>>, Option<u64>) {
        let FlowEndpoints { group, watch, start, .. } = *self;
        let ftp = match &group.source {
            SourcePlan::Http(http) => {
                let mut user = Application::web(http, self.site.key.child("source"), payload, watch.pages);
                let page = user.next_segments(start);
                return (Some(Box::new(user)), Some(u64::from(page)));
            }
            SourcePlan::Ftp(ftp) => ftp,
            _ => unreachable!("checked: a connection without users has a file to send"),
        };
        let transfer = group.transfers.as_ref().map(|transfers| Bytes::new(transfers[self.flow.member as usize].bytes));
        let size = transfer.or(ftp.size);
        let file = || Box::new(Application::file(start, size.map_or(0, Bytes::get)));
        (watch.completion.then(file), size.map(|size| size.get().div_ceil(payload)))
    }

    fn add_tcp(&self, processes: &mut [Process], parameters: &Arc<TcpParameters>, backward: Departure) -> FlowSlots {
        let mut sender = Sender::new(parameters, clock_offset(parameters, self.site.key), &self.site);
        if self.watch.repeated_retransmissions {
            sender.record_repeats(self.blueprint.warm_up);
        }
        let (application, offer) = self.application(parameters.packet.get() - parameters.header.get());
        sender.offer(self.start, offer.map(saturate));
        let receiver = (Receiver::new(parameters), parameters.header.get() as u32, backward);
        self.connect(processes, (sender, application), receiver, |host| (&mut host.connections, &mut host.timers))
    }

    fn add_roce(&self, processes: &mut [Process], parameters: &roce::Parameters, backward: Departure) -> FlowSlots {
        let mut sender = roce::Sender::new(&Arc::new(parameters.clone()), &self.site);
        let (application, offer) = self.application(parameters.packet.get() - parameters.header.get());
        sender.offer(self.start, offer.map(saturate));
        let receiver = (roce::Receiver::new(&parameters.feedback()), parameters.header.get() as u32, backward);
        self.connect(processes, (sender, application), receiver, |host| (&mut host.roce, &mut host.timers))
    }

    fn add_custom(&self, processes: &mut [Process], backward: Departure) -> FlowSlots {
        let group = self.group;
        let ends = group.transport.ends(&group.source_of(self.flow.member), &self.site);
        let TransportEnds { sender, receiver, facts } = ends.expect("all other transports have endpoints of their own");
        let transport = CustomTransport { name: group.transport.name(), facts };
        // Applications count in bytes here. A source with times of its own is part of the sender.
        let (application, offer) = if group.transport.is_reliable() { self.application(1) } else { (None, None) };
        let receiver = (CustomReceiver::new(transport, receiver), facts.header().get() as u32, backward);
        let sender = (CustomSender::new(transport, sender, offer), application);
        self.connect(processes, sender, receiver, |host| (&mut host.custom, &mut host.timers))
    }

    fn add_open_loop(&self, processes: &mut [Process], header: u32) -> FlowSlots {
        let FlowEndpoints { group, template, start, process: (from, to), .. } = *self;
        let site = self.site.child("source");
        let source =
            AnySource::new(&group.source_of(self.flow.member), &site).expect("checked: datagrams have a source with times of its own");
        let sink = host(processes, to).add_sink(self.received(header));
        let has_more = group.source.has_frames() || group.source.adapts_rate();
        let requests = has_more.then(|| group.rate_requests.clone().unwrap_or_default());
        let (stream, spacing) = (site.key.stream(), source.spacing());
        let (source, first) = OpenLoopSource::new(template, (source, stream), requests, (start, group.stop), self.blueprint.end);
        FlowSlots { source: host(processes, from).add_source(source, first, spacing), sink }
    }

    /// Signals between the edges take the routes' propagation and the processing, and no queueing.
    fn add_calls(&self, processes: &mut [Process], header: u32, (there, back): (Duration, Duration)) -> FlowSlots {
        let FlowEndpoints { blueprint, flow, group, template, start, process: (from, to), .. } = *self;
        let plan = group.calls.as_ref().expect("a group of calls");
        let measured = Measurement { from: blueprint.warm_up, to: blueprint.end };
        let initial = plan.initial.of(flow.member);
        let context = EdgeContext { site: self.site.clone(), call_rate: plan.call_rate, initial };
        let egress = Egress::new(&plan.admission, &plan.termination, &context);
        let peer =
            |process, delay, to_egress| Peer { process: ProcessId(process), delay, order: MessageOrder::of_call(template.flow, to_egress) };
        let end = CallsEgress::new(self.received(header), egress, peer(from, back, false), measured, group.interval);
        let sink = host(processes, to).add_egress(end, flow.group, initial);
        let makes_copies = |link: &LinkId| blueprint.links[link.index()].port.impairments.iter().any(ImpairmentPlan::makes_copies);
        let calls = CallsIngress::new(CallsSetup {
            template,
            place: flow.from.0,
            member: flow.member,
            plan: Arc::clone(plan),
            source: Arc::new(group.source.clone()),
            site: self.site.clone(),
            start,
            stop: group.stop,
            egress: peer(to, there, true),
            may_be_copied: blueprint.routes[flow.forward.index()].iter().any(makes_copies),
            measured,
            ties: self.ties,
            cancel: blueprint.cancel.clone(),
        });
        let source = host(processes, from).add_calls(calls);
        FlowSlots { source, sink }
    }
}

/// A flow that sends packets of a list, so that more may be injected.
#[derive(Clone, Copy, Debug)]
pub struct InjectionSite {
    /// The process of its source.
    pub process: u32,
    /// Bytes of the smallest and the largest packet of the list: the promises between processes rest on these.
    pub sizes: (u64, u64),
}

/// The flows whose packets come from a list.
pub fn injection_sites(places: &Places<'_>) -> BTreeMap<FlowId, InjectionSite> {
    let site = |flow: &FlowPlan| {
        let group = &places.blueprint.groups[flow.group as usize];
        let is_list = matches!((&group.source, &group.transport), (SourcePlan::Packets(_), TransportPlan::Udp(_)));
        let largest = group.source.largest_packet().filter(|_| is_list && group.calls.is_none())?;
        Some(InjectionSite { process: places.host(flow.from), sizes: (group.source.smallest_packet().get(), largest.get()) })
    };
    (0..).map(FlowId).zip(&places.blueprint.flows).filter_map(|(id, flow)| Some((id, site(flow)?))).collect()
}

fn host(processes: &mut [Process], index: u32) -> &mut Host {
    processes[index as usize].host.as_mut().expect("flows end at hosts")
}

/// Where in a tick a sender's clock begins.
fn clock_offset(tcp: &TcpParameters, flow: Key) -> Duration {
    match tcp.timer_tick.as_ps() {
        0 => Duration::ZERO,
        tick => Duration::from_ps(flow.child("clock").stream().below(tick)),
    }
}

fn saturate(packets: u64) -> u32 {
    u32::try_from(packets).unwrap_or(u32::MAX)
}
