//! The run that follows the wall clock.

use crate::headers;
use crate::in_flight::{InFlight, Leaving};
use crate::lateness::Lateness;
use crate::plan::{Plan, PERIOD};
use crate::ring::Ring;
use crate::system;
use penstock_engine::injection::{Arrival, Marking};
use penstock_engine::observations::{TraceEvent, TraceRow};
use penstock_engine::{Cancel, Observations, Sim};
use penstock_model::id::FlowId;
use penstock_model::units::{Bytes, Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Result;
use std::path::Path;

/// The engine is overloaded if more than this share of the packets of a second is late.
const OVERLOAD: f64 = 0.1;
/// Minimum number of packets in a second from which overload is judged.
const FEWEST: u64 = 100;
/// Shorter waits are busy waits, since the kernel takes about as long to wake a thread.
const SHORT_WAIT: Duration = Duration::from_us(20);
/// The longest time awake, and the rest that follows unless waits were as long. The kernel leaves 95 % of each second to real-time
/// threads, and would take the other 50 ms at once [sched(7)].
const TURN: Duration = Duration::from_us(900);
const REST: Duration = Duration::from_us(70);
/// Frames that are read from one interface before the next one has its turn.
const BURST: usize = 64;

/// The sockets of the real nodes.
pub struct Interfaces(Vec<Ring>);

impl Interfaces {
    /// Opens a socket on each of these interfaces of the namespace `path`.
    ///
    /// # Errors
    /// If this process may not do so, or an interface or the namespace does not exist.
    pub fn open(path: &Path, names: Vec<String>) -> Result<Interfaces> {
        system::in_namespace(path, move || names.iter().map(|name| Ring::open(name)).collect::<Result<_>>().map(Interfaces))
    }
}

/// The fate of the real packets.
#[derive(Default)]
pub struct Emulated {
    /// The counts of the run.
    pub observations: Observations,
    /// Packets that entered.
    pub injected: u64,
    /// These packets in order, if they are logged.
    pub log: Option<Vec<Arrival>>,
    /// Copies that links made of them.
    pub copied: u64,
    /// Packets handed to the kernel of the receiving node.
    pub delivered: u64,
    /// Packets among these with a mark that the network made.
    pub marked: u64,
    /// Packets dropped by the network.
    pub dropped: u64,
    /// Packets in the network at the end.
    pub in_flight: u64,
    /// Packets that were due, but for which the kernel had no room.
    pub unsent: u64,
    /// Frames that are not carried: ARP, broadcasts, and frames that lead to no other real node.
    pub not_carried: u64,
    /// Frames that the kernel dropped, since the emulation did not read them in time.
    pub unread: u64,
    /// Lateness of the packets.
    pub lateness: Lateness,
    /// Time at which the engine was first overloaded.
    pub overloaded_at: Option<Time>,
}

/// A run under way.
struct Follower<'a> {
    sim: Sim,
    plan: Plan,
    rings: &'a mut [Ring],
    /// The packets in the network, by flow.
    in_flight: Vec<InFlight>,
    /// The last arrival of each flow.
    last_arrival: Vec<Time>,
    /// Deliveries to come.
    deliveries: BinaryHeap<Reverse<(Time, FlowId, u32)>>,
    /// Memory of frames that have left.
    spare: Vec<Vec<u8>>,
    rows: Vec<TraceRow>,
    /// The real-time clock at the beginning of the run.
    begin: u64,
    /// The last instant that was simulated.
    horizon: Time,
    /// Time at which the thread must rest.
    next_rest: Time,
    seen: Emulated,
}

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Stop once the engine is overloaded.
    pub ends_on_overload: bool,
    /// Keep the arrivals, at 24 bytes per packet.
    pub keeps_log: bool,
}

/// Runs to the end of the blueprint, or until `cancel` is set; the counts so far are returned then.
///
/// # Errors
/// If the blueprint contradicts itself (its error as text), or a system call fails.
pub fn follow(plan: Plan, interfaces: Interfaces, cancel: &Cancel, options: Options, started: impl FnOnce()) -> Result<Emulated> {
    let Interfaces(mut rings) = interfaces;
    let sim = Sim::new(plan.blueprint.clone()).map_err(|error| std::io::Error::other(error.to_string()))?;
    system::wake_promptly();
    // Frames from before the beginning are not carried.
    rings.iter_mut().for_each(|ring| while ring.receive(|_| ()).is_some() {});
    started();
    let flows = plan.flows.len();
    let mut follower = Follower {
        sim,
        plan,
        rings: &mut rings,
        in_flight: (0..flows).map(|_| InFlight::default()).collect(),
        last_arrival: vec![Time::ZERO; flows],
        deliveries: BinaryHeap::new(),
        spare: Vec::new(),
        rows: Vec::new(),
        begin: system::now(),
        horizon: Time::ZERO,
        next_rest: Time::ZERO + TURN,
        seen: Emulated { log: options.keeps_log.then(Vec::new), ..Emulated::default() },
    };
    follower.run(cancel, options.ends_on_overload)?;
    Ok(follower.finish())
}

impl Follower<'_> {
    fn run(&mut self, cancel: &Cancel, ends_on_overload: bool) -> Result<()> {
        let files: Vec<i32> = self.rings.iter().map(Ring::file).collect();
        let (end, second) = (self.sim.end(), Duration::from_secs(1));
        let (mut next_slice, mut next_second) = (Time::ZERO, Time::ZERO + second);
        loop {
            let now = self.time();
            if now >= end || cancel.is_set() {
                return Ok(());
            }
            let has_arrivals = self.read();
            if has_arrivals || now >= next_slice {
                self.advance(now);
                next_slice = now + PERIOD;
            }
            let has_departures = self.deliver();
            if now >= next_second {
                next_second += second;
                let (packets, late) = self.seen.lateness.begin_period();
                if packets >= FEWEST && late as f64 > packets as f64 * OVERLOAD {
                    self.seen.overloaded_at.get_or_insert(now);
                    if ends_on_overload {
                        return Ok(());
                    }
                }
            }
            if !has_arrivals && !has_departures {
                let due = self.deliveries.peek().map_or(next_slice, |Reverse((due, ..))| (*due).min(next_slice)).min(end);
                let wait = due.since(self.time().min(due));
                if wait > SHORT_WAIT {
                    self.sleep(&files, wait - SHORT_WAIT)?;
                }
            }
            if now >= self.next_rest {
                self.sleep(&[], REST)?;
            }
        }
    }

    /// Sleeps for this time, or until one of the files can be read; the next rest is put off in proportion.
    fn sleep(&mut self, files: &[i32], time: Duration) -> Result<()> {
        let before = self.time();
        system::wait(files, std::time::Duration::from_nanos(time.as_ps() / 1000))?;
        let now = self.time();
        let earned = now.since(before).times(TURN.as_ps() / REST.as_ps());
        self.next_rest = (self.next_rest + earned).min(now + TURN);
        Ok(())
    }

    /// Time since the beginning.
    fn time(&self) -> Time {
        self.of_clock(system::now())
    }

    fn of_clock(&self, clock: u64) -> Time {
        Time::from_ps(clock.saturating_sub(self.begin).saturating_mul(1000))
    }

    /// Passes the frames that the kernel has received into the network; returns whether there were any.
    fn read(&mut self) -> bool {
        let mut has_any = false;
        for from in 0..self.rings.len() {
            for _ in 0..BURST {
                let mut memory = self.spare.pop().unwrap_or_default();
                let received = self.rings[from].receive(|received| {
                    let fields = headers::read(received.frame);
                    memory.clear();
                    memory.extend_from_slice(if fields.is_some() { received.frame } else { &[] });
                    (fields, received.stamp)
                });
                let Some((fields, stamp)) = received else {
                    self.spare.push(memory);
                    break;
                };
                has_any = true;
                let stamp = self.of_clock(stamp);
                if fields.and_then(|fields| self.enter(from, memory, &fields, stamp)).is_none() {
                    self.seen.not_carried += 1;
                }
            }
        }
        has_any
    }

    /// Passes a frame into the network; `None` if it leads to no other real node, or is larger than the MTU.
    fn enter(&mut self, from: usize, frame: Vec<u8>, fields: &headers::Fields, stamp: Time) -> Option<()> {
        let services = self.plan.services.get_mut(&(from, fields.to))?;
        let matching = services.iter().enumerate().find_map(|(i, it)| Some((i, it.codepoint.precedence_of(fields.dscp)?)));
        let (service, precedence) = matching.unwrap_or((0, 0));
        let service = &mut services[service];
        let marking = Marking { ecn: fields.ecn, precedence: precedence.max(service.precedence) };
        let flow = service.flow_of(fields.conversation);
        let at = stamp.max(self.horizon.after()).max(self.last_arrival[flow.index()]);
        let arrival = Arrival { at, flow, size: fields.size, marking: Some(marking) };
        self.sim.add_arrival(&arrival).ok()?;
        self.last_arrival[flow.index()] = at;
        self.in_flight[flow.index()].enter(frame, fields, marking.precedence, at.since(stamp));
        self.seen.injected += 1;
        self.seen.log.iter_mut().for_each(|log| log.push(arrival));
        Some(())
    }

    /// Continues the run up to `now`, and records the fate of real packets.
    fn advance(&mut self, now: Time) {
        self.sim.run_until(now);
        self.horizon = self.horizon.max(now);
        let mut rows = std::mem::take(&mut self.rows);
        self.sim.take_trace(|_| true, &mut rows);
        rows.iter().for_each(|row| self.note(row));
        rows.clear();
        self.rows = rows;
    }

    fn note(&mut self, row: &TraceRow) {
        let Some(packet) = row.packet() else { return };
        let flow = packet.flow;
        let Some(real) = self.plan.flows.get(flow.index()).and_then(Option::as_ref) else { return };
        let (number, in_flight) = (packet.sequence(), &mut self.in_flight[flow.index()]);
        in_flight.update(packet);
        match (row.event, &real.last.plan) {
            (TraceEvent::Drop(_), _) => {
                self.seen.dropped += 1;
                self.spare.extend(in_flight.remove(number));
            }
            (TraceEvent::Duplicate, _) => {
                self.seen.copied += 1;
                in_flight.duplicate(number);
            }
            (TraceEvent::Transmit, Some(link)) if row.place as usize == self.plan.blueprint.nodes.len() + real.last.link.index() => {
                let transmission = link.rate.transmission_time(link.wire_size(Bytes::new(u64::from(packet.size))));
                self.deliveries.push(Reverse((row.time + transmission + link.delay, flow, number)));
            }
            (TraceEvent::Receive, None) => self.deliveries.push(Reverse((row.time, flow, number))),
            _ => {}
        }
    }

    /// Hands over the packets that are due; returns whether there were any.
    fn deliver(&mut self) -> bool {
        let mut has_any = false;
        let now = self.time();
        while let Some(Reverse((due, flow, number))) = self.deliveries.peek().copied().filter(|Reverse((due, ..))| *due <= now) {
            has_any = true;
            self.deliveries.pop();
            let Some(real) = &self.plan.flows[flow.index()] else { continue };
            let Some(Leaving { frame, dscp, ecn, came_with, precedence, delayed }) = self.in_flight[flow.index()].leaving(number) else {
                continue;
            };
            let after = real.codepoint.after(dscp, precedence);
            if (dscp, came_with) != (after, ecn) {
                headers::write(frame, after, ecn);
            }
            if self.rings[real.to].send(frame) {
                self.seen.delivered += 1;
                self.seen.marked += u64::from(ecn != came_with);
            } else {
                self.seen.unsent += 1;
            }
            let lateness = self.of_clock(system::now()).since(due) + delayed;
            self.seen.lateness.add(lateness);
            self.spare.extend(self.in_flight[flow.index()].remove(number));
        }
        self.rings.iter_mut().for_each(Ring::flush);
        has_any
    }

    fn finish(mut self) -> Emulated {
        let end = self.sim.end();
        self.advance(end);
        self.seen.in_flight = self.in_flight.iter().map(InFlight::count).sum();
        self.seen.unread = self.rings.iter().map(Ring::lost).sum();
        self.seen.observations = self.sim.finish();
        self.seen
    }
}
