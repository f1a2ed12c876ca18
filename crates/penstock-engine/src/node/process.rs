//! A process: a router's port, a host with all its interfaces, or a [switch](crate::node::switch). It has one entry point,
//! [`Process::run`].
//!
//! Within one instant: transmissions that end leave, then messages, timers (by flow and kind), arrivals (by input, then in the
//! sender's order), service decisions, samples. Nobody reads another process's state.

use crate::api::observations::{MeterSamples, Observations, TraceRow};
use crate::endpoints::host_context::HostContext;
use crate::kernel;
use crate::kernel::context::Context;
use crate::kernel::event::Arrival;
use crate::kernel::inputs::Inputs;
use crate::kernel::journal::Journal;
use crate::kernel::message::MessageBody;
use crate::kernel::outputs::Outputs;
use crate::kernel::route::{Hop, Routes};
use crate::merge::k_way::KWayMerge;
use crate::node::datagram_loop;
use crate::node::host::Host;
use crate::node::switch::Switch;
use crate::port::{Port, MANY};
use penstock_model::id::LinkId;
use penstock_model::units::{Duration, Time};

/// Packets that a port takes in one go.
const BATCH: usize = 64;

/// A process.
pub struct Process {
    /// Its name: the node's for a host, the link's for a router's port.
    name: String,
    pub(super) ports: Vec<Port>,
    pub(super) host: Option<Box<Host>>,
    /// What the ports share, if they do.
    pub(super) switch: Option<Box<Switch>>,
    samplers: Vec<Sampler>,
    /// No port in service mode and no samples: only arrivals, sources and timers.
    is_plain: bool,
    /// Ports elsewhere may tell one of its ports to stop.
    is_pausable: bool,
    pub(super) record: Journal,
    pub(super) packet_hops: u64,
    /// What the process has done by itself: sources, timers, messages.
    pub(super) own: u64,
}

/// What is sampled of a port.
struct Sampler {
    port: u32,
    every: Duration,
    next: Time,
    /// Position among the blueprint's plans of this kind.
    plan: u32,
    sampled: Sampled,
}

/// What was seen so far.
enum Sampled {
    Queue(Vec<u32>),
    Meters(Vec<MeterSamples>),
}

impl Sampled {
    fn take(&mut self, now: Time, port: &mut Port) {
        let samples = match self {
            Sampled::Queue(lengths) => return lengths.push(port.waiting(now)),
            Sampled::Meters(samples) => samples,
        };
        let mut i = 0;
        port.probe(now, &mut |meter, variable, unit, value| {
            if samples.len() == i {
                samples.push(MeterSamples { meter, variable, unit, values: Vec::new() });
            }
            samples[i].values.push(value);
            i += 1;
        });
    }
}

/// What a process hands over at the end.
pub struct Outcome {
    /// The process's name.
    pub name: String,
    /// Its digest.
    pub digest: u64,
    /// Packets that arrived here over links.
    pub packet_hops: u64,
    /// Its trace.
    pub trace: Vec<TraceRow>,
}

impl Process {
    /// A process of these ports, and of a host if flows begin or end here.
    pub fn new(name: String, ports: Vec<Port>, host: Option<Box<Host>>, trace: bool) -> Process {
        let mut record = Journal { trace: trace.then(Vec::new), ..Journal::default() };
        record.digest.name(&name);
        let is_plain = ports.iter().all(Port::commits);
        let samplers = Vec::new();
        Process { name, ports, host, switch: None, samplers, is_plain, is_pausable: false, record, packet_hops: 0, own: 0 }
    }

    /// The ports share what `switch` says.
    pub fn share(&mut self, switch: Switch) {
        self.ports.iter_mut().for_each(Port::report_releases);
        self.switch = Some(Box::new(switch));
        self.is_plain = false;
    }

    /// Port `port` may be told to stop.
    pub fn make_pausable(&mut self, port: u32) {
        self.ports[port as usize].make_pausable();
        self.is_pausable = true;
    }

    /// Samples the queue of port `port` each `every` after `from`, into the results of sample plan `plan`.
    pub fn sample(&mut self, port: u32, every: Duration, from: Time, plan: u32) {
        self.add_sampler(Sampler { port, every, next: from + every, plan, sampled: Sampled::Queue(Vec::new()) });
    }

    /// Samples the meters of port `port` likewise, into the results of plan `plan` of meter samples.
    pub fn sample_meters(&mut self, port: u32, every: Duration, from: Time, plan: u32) {
        self.add_sampler(Sampler { port, every, next: from + every, plan, sampled: Sampled::Meters(Vec::new()) });
    }

    fn add_sampler(&mut self, sampler: Sampler) {
        self.samplers.push(sampler);
        self.is_plain = false;
    }

    /// Its ports, to connect them.
    pub fn ports_mut(&mut self) -> impl Iterator<Item = &mut Port> {
        self.ports.iter_mut()
    }

    /// The host, to add flows to.
    pub fn host_mut(&mut self) -> Option<&mut Host> {
        self.host.as_deref_mut()
    }

    /// The same where ports decide who goes next, or queues are sampled, which comes last at an instant.
    fn run_with_decisions(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        loop {
            let sample = self.next_sample();
            let next = self.run_plain(until.min(sample), inputs, outputs, routes);
            for port in &mut self.ports {
                port.decide(until.min(sample), &mut Context { routes, record: &mut self.record, outputs });
            }
            if sample > until || sample == Time::NEVER {
                return next.min(self.next_decision()).min(sample);
            }
            self.take_samples(sample);
        }
    }

    /// Messages, timers, sources and arrivals up to and including `until`, in this order at each instant; returns when the
    /// next of them is due.
    #[inline]
    fn run_plain(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> Time {
        let context = Context { routes, record: &mut self.record, outputs };
        let host_context = &mut HostContext { ports: &mut self.ports, is_switch: false, context };
        let Some(host) = self.host.as_deref_mut() else {
            loop {
                let message = inputs.next_message();
                self.packet_hops += pass_on(until.min(message.before()), inputs, host_context);
                if message > until || message == Time::NEVER {
                    return inputs.next().min(message);
                }
                on_message(None, inputs, host_context);
                self.own += 1;
            }
        };
        let has_datagrams_alone = host.has_datagrams_alone() && host_context.context.record.trace.is_none();
        loop {
            let message = inputs.next_message();
            if has_datagrams_alone {
                let (hops, own) = datagram_loop::run(host, until.min(message.before()), inputs, host_context);
                self.packet_hops += hops;
                self.own += own;
            }
            let next = inputs.next().min(host.next());
            if next.min(message) > until || next.min(message) == Time::NEVER {
                host_context.drain_transmit_batch();
                return next.min(message);
            }
            if message <= next {
                on_message(Some(host), inputs, host_context);
                self.own += 1;
            } else {
                let (hops, own) = attend(host, until.min(message.before()), inputs, host_context);
                self.packet_hops += hops;
                self.own += own;
            }
        }
    }

    fn next_decision(&self) -> Time {
        self.ports.iter().map(Port::next_decision).min().unwrap_or(Time::NEVER)
    }

    fn next_release(&self) -> Time {
        self.switch.as_ref().map_or(Time::NEVER, |switch| switch.next_event())
    }

    pub(super) fn next_sample(&self) -> Time {
        self.samplers.iter().map(|sampler| sampler.next).min().unwrap_or(Time::NEVER)
    }

    pub(super) fn take_samples(&mut self, now: Time) {
        for sampler in &mut self.samplers {
            if sampler.next <= now {
                sampler.sampled.take(now, &mut self.ports[sampler.port as usize]);
                sampler.next += sampler.every;
            }
        }
    }

    /// Packets at the ports that are not yet on their way to another process.
    pub fn held(&self) -> u64 {
        self.ports.iter().map(Port::held).sum()
    }

    /// Hands over everything that was counted.
    pub fn finish(mut self, seen: &mut Observations) -> Outcome {
        let shares_buffer = self.switch.as_ref().is_some_and(|switch| switch.has_buffer());
        for port in self.ports {
            self.record.digest.number(port.digest());
            port.losses().into_iter().for_each(|losses| self.record.digest.number(losses));
            let link = port.link().index();
            let (mut counters, mut timings) = port.into_counters();
            let of_classes = timings.iter_mut().flat_map(|timings| &mut timings.classes).map(|class| &mut class.counters);
            of_classes.chain([&mut counters]).for_each(|counters| counters.shares_buffer = shares_buffer);
            seen.links[link] = counters;
            seen.ports.extend(timings.map(|timings| (LinkId(link as u32), timings)));
        }
        if let Some(host) = self.host {
            host.report(seen);
        }
        for sampler in self.samplers {
            let plan = sampler.plan as usize;
            match sampler.sampled {
                Sampled::Queue(lengths) => seen.samples[plan] = lengths,
                Sampled::Meters(samples) => seen.meter_samples[plan] = samples,
            }
        }
        Outcome {
            name: self.name,
            digest: self.record.digest.value(),
            packet_hops: self.packet_hops,
            trace: self.record.trace.unwrap_or_default(),
        }
    }
}

/// Takes the next message. Ports have taken everything that came before it.
pub(super) fn on_message(host: Option<&mut Host>, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) {
    let message = inputs.mailbox().pop().expect("a message is due");
    match message.body {
        MessageBody::Call(signal) => {
            let host = host.expect("calls begin and end at hosts");
            host.on_call_signal(message.at, &signal, message.order.number, host_context);
        }
        MessageBody::Pause(pause) => {
            host_context.drain_transmit_batch();
            let HostContext { ports, context, .. } = host_context;
            context.record.digest.number(message.at.as_ps() ^ u64::from(pause.port) << 32 ^ u64::from(pause.stops));
            ports[pause.port as usize].on_pause(message.at, pause.stops, context);
        }
    }
}

impl kernel::process::Process for Process {
    #[inline]
    fn next(&self, inputs: &Inputs) -> Time {
        let next = match &self.host {
            Some(host) => inputs.next().min(host.next()).min(inputs.next_message()),
            None => inputs.next(),
        };
        if self.is_plain {
            next
        } else {
            next.min(inputs.next_message()).min(self.next_decision()).min(self.next_sample()).min(self.next_release())
        }
    }

    fn run(&mut self, until: Time, inputs: &mut Inputs, outputs: &mut Outputs<'_>, routes: &Routes) -> (Time, u64) {
        let before = self.packet_hops + self.own;
        let next = if self.is_plain {
            self.run_plain(until, inputs, outputs, routes)
        } else if self.switch.is_some() {
            self.run_switch(until, inputs, outputs, routes)
        } else {
            self.run_with_decisions(until, inputs, outputs, routes)
        };
        (next, self.packet_hops + self.own - before)
    }

    #[inline]
    fn free_at(&self) -> Time {
        if self.host.as_ref().is_some_and(|host| host.signals()) || self.switch.as_ref().is_some_and(|switch| switch.signals()) {
            return Time::ZERO;
        }
        self.ports.iter().map(Port::free_at).min().unwrap_or(Time::ZERO)
    }

    #[inline]
    fn quiet_until(&self) -> Time {
        match &self.host {
            Some(host) if !self.is_pausable => host.quiet_until(),
            _ => Time::ZERO,
        }
    }
}

/// Hands a router's port all packets that arrive up to and including `until`; returns how many.
#[inline]
fn pass_on(until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> u64 {
    let [port] = host_context.ports else { unreachable!("a router's port is a process of its own") };
    if let Some(pair) = inputs.pair() {
        return pass_on_of_two(until, pair, port, &mut host_context.context);
    }
    let mut digest = host_context.context.record.digest;
    let mut passed = 0;
    loop {
        let front = inputs.front(until);
        let front = &front[..front.len().min(BATCH)];
        // The port must not be told of a packet that others may still precede: by then more would have left its queue.
        let Some(first) = front.first().filter(|first| first.at <= until) else {
            host_context.context.record.digest = digest;
            return passed;
        };
        let mut taken = 0;
        let due = front.iter().take_while(|arrival| arrival.at <= until);
        let packets = due.map(|arrival| {
            digest.packet(arrival.at, &arrival.packet, 0);
            taken += 1;
            (arrival, arrival.packet.hop.next())
        });
        // Much may be under way and little due.
        let are_many = front.get(MANY - 1).is_some_and(|arrival| arrival.at <= until);
        let most = if are_many { front.len() } else { front.len().min(MANY - 1) };
        port.on_arrivals(packets, (first.at, most), &mut host_context.context);
        inputs.consume(taken);
        passed += taken as u64;
    }
}

/// The same of two inputs.
fn pass_on_of_two(until: Time, inputs: &mut KWayMerge<Arrival>, port: &mut Port, context: &mut Context<'_, '_>) -> u64 {
    let mut digest = context.record.digest;
    let mut passed = 0;
    loop {
        let mut batch = [&Arrival::NOTHING; BATCH];
        let (ones, others) = inputs.list(until, &mut batch);
        let listed = ones + others;
        if listed == 0 {
            context.record.digest = digest;
            return passed;
        }
        let packets = batch[..listed].iter().map(|arrival| {
            digest.packet(arrival.at, &arrival.packet, 0);
            (*arrival, arrival.packet.hop.next())
        });
        port.on_arrivals(packets, (batch[0].at, listed), context);
        inputs.consume_both((ones, others));
        passed += listed as u64;
    }
}

/// Does what is due at a host up to and including `until`, before which no message comes: its own timers and sources, then
/// packets that arrive. Returns how many packets have arrived, and how much else it did.
#[inline(never)]
fn attend(host: &mut Host, until: Time, inputs: &mut Inputs, host_context: &mut HostContext<'_, '_>) -> (u64, u64) {
    let (mut hops, mut done) = (0, host.run_calls(until, host_context));
    // The host does nothing by itself before, and nothing from then on may be done yet.
    let mut bound = host.next().min(until.after());
    loop {
        let front = inputs.front(until);
        let mut taken = 0;
        let is_over = loop {
            let arrival = front.get(taken);
            let at = arrival.map_or(Time::NEVER, |arrival| arrival.at);
            if at >= bound {
                if arrival.is_none() && taken > 0 {
                    // What comes next may stand elsewhere.
                    break false;
                }
                done += host.run(until.min(at), host_context);
                if at > until {
                    break true;
                }
                bound = host.next().min(until.after());
            }
            let Some(Arrival { packet, .. }) = arrival else { break true };
            if host.takes(packet, host_context.context.record) {
                taken += host.take(&front[taken..], bound, host_context);
                bound = bound.min(host.next_timer());
                continue;
            }
            host_context.context.record.digest.packet(at, packet, 0);
            let port = if host.passes_on { host_context.context.routes.hop(packet.hop).port } else { Hop::DELIVER };
            if port != Hop::DELIVER {
                host_context.pass_on(at, port, packet, packet.hop.next());
            } else if host.deliver(at, packet, host_context) {
                bound = bound.min(host.next_timer());
            }
            taken += 1;
        };
        inputs.consume(taken);
        hops += taken as u64;
        if is_over {
            return (hops, done);
        }
    }
}
