//! A shard: processes that are run in turn, all of the network's or those of one core.

use crate::executor::sequencer::{Mode, Sequencer};
use crate::executor::windows::{Due, Window};
use crate::kernel::compact_ports::{CompactPorts, Forwarded};
use crate::kernel::event::{Arrival, TrainPacket};
use crate::kernel::inputs::Inputs;
use crate::kernel::logical_process::{LogicalProcess, PREFETCH_STAGES};
use crate::kernel::outbox::{LocalDeliveries, Outbox, OutboxBatch};
use crate::kernel::outputs::Outputs;
use crate::kernel::route::Routes;
use crate::merge::window_wheel::{Delivery, WindowWheel};
use penstock_model::id::{FlowId, ProcessId};
use penstock_model::units::Time;

/// In windows, the memory of a port is asked for so many ports before its turn.
const PORTS_AHEAD: usize = 16;
/// So many visits to other processes lie between two stages of asking for memory, and between the last and the visit.
const VISITS_OF_A_STAGE: usize = 2;

/// How many visits ahead memory is asked for in a stage.
fn visits_ahead(stage: usize) -> usize {
    (PREFETCH_STAGES - stage) * VISITS_OF_A_STAGE
}

const BETWEEN_VISITS: &str = "inputs are missing only during a visit";

/// The inputs of a process that is not being visited.
pub fn inputs_of(inputs: &Option<Box<Inputs>>) -> &Inputs {
    inputs.as_deref().expect(BETWEEN_VISITS)
}

/// A limit on the events to handle, and how many have been.
#[derive(Clone, Copy, Debug)]
pub struct EventBudget {
    limit: u64,
    /// Events handled so far. A visit counts as one at least, so that it is progress.
    pub handled: u64,
}

impl EventBudget {
    /// Nothing handled yet.
    pub fn new(limit: u64) -> EventBudget {
        EventBudget { limit, handled: 0 }
    }

    #[inline]
    fn count(&mut self, events: u64) {
        self.handled += events.max(1);
    }

    /// How many events are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.handled)
    }

    /// Whether no further visit is to be made.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_spent_by(self.handled)
    }

    /// Whether so many events, handled by several shards, are all or more.
    #[inline]
    pub fn is_spent_by(&self, handled: u64) -> bool {
        handled >= self.limit
    }
}

/// Called in a window, with the number of events handled so far, when nothing more is sent to other shards up to the end of the run.
pub type OnBorderDone<'a> = &'a mut dyn FnMut(u64, &mut Outbox);

/// Processes with consecutive numbers.
pub struct Shard<'a, P> {
    /// The number of the first.
    pub first: usize,
    /// The processes.
    pub processes: &'a mut [P],
    /// Each one's inputs; taken out during a visit, so that a process cannot send to itself.
    pub inputs: &'a mut [Option<Box<Inputs>>],
    /// The order of visits.
    pub sequencer: &'a mut Sequencer,
    /// All routes.
    pub routes: &'a Routes,
    /// A buffer for packet trains.
    pub train: Vec<TrainPacket>,
}

impl<P: LogicalProcess> Shard<'_, P> {
    /// Asks all processes for their next events, and goes on in `mode` if the shard may.
    pub fn begin(&mut self, mode: Mode) {
        if self.inputs.iter().any(|inputs| inputs_of(inputs).have_random_ties()) {
            self.sequencer.set_random_ties();
        }
        self.sequencer.adopt(mode);
        if self.sequencer.mode() == Mode::Windows {
            self.sequencer.windows = Some(self.open_windows());
        } else {
            self.ask_all();
        }
    }

    fn ask_all(&mut self) {
        self.sequencer.begin(self.processes.iter().zip(&*self.inputs).map(|(process, inputs)| process.next(inputs_of(inputs))));
        // What is not known yet arrives after the first event of all.
        let now = self.sequencer.due().first();
        for process in 0..self.processes.len() {
            let (silent_until, quiet_until) = self.silence(process, now);
            self.sequencer.set_silence(process, silent_until, quiet_until);
        }
    }

    /// Until when a process that has handled everything before `now` sends nothing, and until when nothing that causes an answer.
    fn silence(&self, process: usize, now: Time) -> (Time, Time) {
        let asked = &self.processes[process];
        let silent_before = |process: ProcessId, flow: FlowId| {
            let here = process.index().checked_sub(self.first)?;
            self.processes.get(here)?.silent_before_packet(flow, self.routes)
        };
        (asked.free_at().max(asked.silent_until(now)), asked.quiet_until(silent_before))
    }

    /// Handles everything that is due up to and including `until`, as long as `budget` lasts; returns whether nothing is
    /// left. Nothing may arrive from other shards up to `until` that is not here yet; what goes there is put into `outbox`. After a call
    /// of `on_border_done`, of which there is one at most, nothing is left at the end, whatever the budget is.
    pub fn run(
        &mut self,
        until: Time,
        outbox: &mut Outbox,
        budget: &mut EventBudget,
        mut on_border_done: Option<OnBorderDone<'_>>,
    ) -> bool {
        loop {
            if self.sequencer.mode() != Mode::Windows && self.sequencer.windows.is_some() {
                self.close_windows();
                self.ask_all();
            }
            let (mode, before) = (self.sequencer.mode(), budget.handled);
            let is_over = match mode {
                Mode::Plain => Some(self.run_plainly(until, outbox, budget)),
                Mode::Windows => self.run_windows(until, outbox, budget, &mut on_border_done),
                Mode::Sweeps => self.sweep(until, outbox, budget),
            };
            self.sequencer.count_events(mode, budget.handled - before);
            match is_over {
                Some(is_complete) => return is_complete,
                None if budget.is_spent() => return false,
                None => {}
            }
        }
    }

    /// Visits one process after the other, for one instant each; returns whether nothing is left.
    fn run_plainly(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        while !budget.is_spent() {
            if !self.step(until, outbox, budget) {
                return true;
            }
        }
        false
    }

    /// Handles the first instant of the first process; `false` if nothing is left to do up to `until`.
    fn step(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> bool {
        let Some((process, due)) = self.sequencer.first_due(until) else { return false };
        let (next, events) = self.visit(process, due, outbox);
        budget.count(events);
        self.sequencer.due().set(process, next);
        true
    }

    /// Makes one sweep; returns whether nothing is left, or `None` if that is still open.
    fn sweep(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> Option<bool> {
        if !self.sequencer.begin_sweep(until) {
            return Some(true);
        }
        while !budget.is_spent() {
            let Some((process, horizon)) = self.sequencer.next_stop() else {
                if self.sequencer.end_sweep() {
                    self.step(until, outbox, budget);
                }
                return None;
            };
            let (next, events) = self.visit(process, horizon, outbox);
            budget.count(events);
            let (silent_until, quiet_until) = self.silence(process, next.min(horizon.after()));
            self.sequencer.visited(process, next, silent_until, quiet_until, events);
        }
        Some(false)
    }

    /// Handles window after window; returns whether nothing is left, or `None` if another mode is to go on.
    fn run_windows(
        &mut self,
        until: Time,
        outbox: &mut Outbox,
        budget: &mut EventBudget,
        on_border_done: &mut Option<OnBorderDone<'_>>,
    ) -> Option<bool> {
        let (local, mut window) = match self.sequencer.windows.take() {
            Some(windows) => windows,
            None => self.open_windows(),
        };
        outbox.local = Some(local);
        let result = loop {
            let Some(local) = &mut outbox.local else { unreachable!("it is put back below") };
            if budget.is_spent() {
                break Some(false);
            }
            let Some(end) = self.sequencer.begin_window(until, local, &mut window) else { break Some(true) };
            let on_border_done = if end == until { on_border_done.take() } else { None };
            self.run_window(end, &mut window, outbox, budget, on_border_done);
            if self.sequencer.mode() != Mode::Windows {
                break None;
            }
        };
        self.sequencer.windows = outbox.local.take().map(|local| (local, window));
        result
    }

    /// Handles what a window holds, up to and including `end`, as long as `budget` lasts; all of the rest after `on_border_done`.
    fn run_window(
        &mut self,
        end: Time,
        window: &mut Window,
        outbox: &mut Outbox,
        budget: &mut EventBudget,
        on_border_done: Option<OnBorderDone<'_>>,
    ) {
        let (before, limit) = (budget.handled, budget.limit);
        self.forward_in_window(window.ports.border(), window, outbox, budget);
        self.visit_in_window(window.processes.border(), end, window, outbox, budget);
        if let Some(on_border_done) = on_border_done.filter(|_| window.is_border_done()) {
            on_border_done(budget.handled, outbox);
            budget.limit = u64::MAX;
        }
        self.forward_in_window(window.ports.len(), window, outbox, budget);
        self.visit_in_window(window.processes.len(), end, window, outbox, budget);
        let visits = window.visits();
        if budget.is_spent() {
            self.give_up(window, outbox);
        }
        budget.limit = limit;
        self.sequencer.end_window(visits, budget.handled - before);
    }

    /// Leaves the rest of a window for later.
    fn give_up(&mut self, window: &mut Window, outbox: &mut Outbox) {
        let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
        for process in window.give_up(&mut local.wheel) {
            let next = self.processes[process].next(inputs_of(&self.inputs[process]));
            self.sequencer.due().set(process, next);
        }
    }

    /// Lets the first `end` ports that processes have lent forward what arrives in a window, as long as `budget` lasts.
    #[inline(never)]
    fn forward_in_window(&mut self, end: usize, window: &mut Window, outbox: &mut Outbox, budget: &mut EventBudget) {
        let routes = self.routes;
        if window.ports.is_untouched() {
            (0..PORTS_AHEAD).for_each(|ahead| prefetch_port(ahead, window, outbox.wheel(), routes));
        }
        while !budget.is_spent() {
            window.prefetch_coming(outbox.wheel());
            prefetch_port(PORTS_AHEAD, window, outbox.wheel(), routes);
            if let Some(due) = window.ports.upcoming(PORTS_AHEAD / 4) {
                window.compact.prefetch_waiting(due.port);
            }
            let Some(Due { process, port, .. }) = window.ports.next(end) else { break };
            let (places, compact) = window.arrivals(process, outbox.wheel());
            for from in places {
                let arrival = &outbox.wheel().get(*from).item;
                let at = match compact.forward(port, arrival) {
                    Forwarded::Sent(at) => Some(at),
                    outcome => self.processes[process as usize].count_lent(arrival, outcome),
                };
                if let Some(at) = at {
                    let hop = arrival.packet.hop.next();
                    let next = routes.hop(hop);
                    let copy = outbox.add_copy(*from, next.process, next.input, at);
                    copy.at = at;
                    copy.packet.hop = hop;
                }
            }
            budget.count(places.len() as u64);
        }
    }

    /// Visits the first `end` other processes that are due in a window, as long as `budget` lasts.
    fn visit_in_window(&mut self, end: usize, until: Time, window: &mut Window, outbox: &mut Outbox, budget: &mut EventBudget) {
        if window.processes.is_untouched() {
            for stage in 0..PREFETCH_STAGES {
                (0..visits_ahead(stage)).for_each(|ahead| self.prefetch_process(stage, ahead, window, outbox.wheel()));
            }
        }
        while !budget.is_spent() {
            window.prefetch_coming(outbox.wheel());
            for stage in 0..PREFETCH_STAGES {
                self.prefetch_process(stage, visits_ahead(stage), window, outbox.wheel());
            }
            let Some(Due { process, .. }) = window.processes.next(end) else { break };
            window.fill_inputs(process, outbox.wheel());
            let process = process as usize;
            let next = self.visit_one_in_window(process, until, window, outbox, budget);
            self.sequencer.due().set(process, next);
            let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
            for (process, message) in local.messages.drain(..) {
                self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(message);
                window.set_mail(process, true);
                self.sequencer.due().advance(process, message.at);
            }
        }
    }

    #[inline(always)]
    fn prefetch_process(&self, stage: usize, ahead: usize, window: &Window, wheel: &WindowWheel<Arrival>) {
        if let Some(due) = window.processes.upcoming(ahead) {
            self.processes[due.process as usize].prefetch(stage, due.arrival(wheel), self.routes);
        }
    }

    /// Visits a process in a window, with what arrives in it; returns when its next event is due.
    #[inline]
    fn visit_one_in_window(
        &mut self,
        process: usize,
        end: Time,
        window: &mut Window,
        outbox: &mut Outbox,
        budget: &mut EventBudget,
    ) -> Time {
        if window.has_mail(process) {
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).swap_mailbox(&mut window.inputs);
        }
        let next = loop {
            let mut outputs = Outputs::new(self.first, &mut [], self.sequencer.due(), outbox, &mut self.train);
            let (next, events) = self.processes[process].run(end, &mut window.inputs, &mut outputs, self.routes);
            budget.count(events);
            // A visit that has handled very much ends early.
            if next > end || next == Time::NEVER {
                break next;
            }
            if budget.is_spent() {
                let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
                window.inputs.drain(|arrival| {
                    let input = self.routes.hop(arrival.packet.hop).input;
                    *local.wheel.add(process as u32, input, arrival.at) = *arrival;
                });
                break next;
            }
        };
        if window.has_mail(process) {
            let inputs = self.inputs[process].as_mut().expect(BETWEEN_VISITS);
            inputs.swap_mailbox(&mut window.inputs);
            window.set_mail(process, inputs.next_message() != Time::NEVER);
        }
        next
    }

    /// Takes what is on its way to all processes out of their inputs.
    fn open_windows(&mut self) -> (Box<LocalDeliveries>, Box<Window>) {
        let (mut local, mut window) = self.sequencer.empty_windows(self.first);
        for (place, inputs) in self.inputs.iter_mut().enumerate() {
            let inputs = inputs.as_mut().expect(BETWEEN_VISITS);
            inputs.drain(|arrival| {
                let input = self.routes.hop(arrival.packet.hop).input;
                *local.wheel.add(place as u32, input, arrival.at) = *arrival;
            });
            window.set_mail(place, inputs.next_message() != Time::NEVER);
        }
        self.ask_all();
        for (number, process) in self.processes.iter_mut().enumerate() {
            if let Some((port, kind, counted)) = process.lend_port() {
                window.compact.add(number, port, kind, counted);
            }
        }
        (local, window)
    }

    /// Puts what is on its way to all processes back into their inputs, and gives them back what they have lent.
    fn close_windows(&mut self) {
        let mut under_way = Vec::new();
        self.take_under_way(&mut under_way);
        for (process, input, arrival) in &under_way {
            self.inputs[*process as usize - self.first].as_mut().expect(BETWEEN_VISITS).add(*input as usize, arrival);
        }
    }

    /// Appends what is on its way to all processes in windows, if there are any, with the receiver and its input, and gives processes back
    /// what they have lent.
    pub fn take_under_way(&mut self, under_way: &mut Vec<(u32, u32, Arrival)>) {
        self.take_back_ports();
        let Some((mut local, _)) = self.sequencer.windows.take() else { return };
        under_way.reserve(local.wheel.len());
        let mut places = Vec::new();
        loop {
            let first = local.wheel.first();
            if first == Time::NEVER {
                return;
            }
            local.wheel.take(first, local.wheel.end_of_window(first), &mut places);
            // Where a stretch ended within the window, what a spent budget has left of it comes behind what is due later.
            places.sort_by_key(|place| local.wheel.get(*place).item.at);
            for place in places.drain(..) {
                let Delivery { receiver, input, item } = *local.wheel.get(place);
                under_way.push((self.first as u32 + receiver, input, item));
            }
        }
    }

    /// Puts a packet on its way to a process.
    pub fn add(&mut self, process: u32, input: u32, arrival: &Arrival) {
        let process = process as usize - self.first;
        if let Some((local, _)) = &mut self.sequencer.windows {
            *local.wheel.add(process as u32, input, arrival.at) = *arrival;
        } else {
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).add(input as usize, arrival);
            self.sequencer.due().advance(process, arrival.at);
        }
    }

    /// Gives processes back what they have lent; no further window is run before all are closed.
    pub fn take_back_ports(&mut self) {
        let Some((_, window)) = &mut self.sequencer.windows else { return };
        let accepted = window.compact.accepted();
        let lent = std::mem::replace(&mut window.compact, CompactPorts::new(0)).into_ports();
        self.sequencer.count_at_compact_ports(accepted);
        lent.for_each(|(process, port)| self.processes[process].take_back_port(&port));
    }

    #[inline]
    fn visit(&mut self, process: usize, until: Time, outbox: &mut Outbox) -> (Time, u64) {
        let mut inputs = self.inputs[process].take().expect(BETWEEN_VISITS);
        let mut outputs = Outputs::new(self.first, self.inputs, self.sequencer.due(), outbox, &mut self.train);
        let visit = self.processes[process].run(until, &mut inputs, &mut outputs, self.routes);
        self.inputs[process] = Some(inputs);
        visit
    }

    /// Takes over what another shard has sent.
    pub fn receive(&mut self, batch: &mut OutboxBatch) {
        for (process, input, arrival) in &batch.packets {
            self.add(process.0, *input, arrival);
        }
        for (process, message) in &batch.messages {
            let process = process.index() - self.first;
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(*message);
            self.sequencer.due().advance(process, message.at);
            if let Some((_, window)) = &mut self.sequencer.windows {
                window.set_mail(process, true);
            }
        }
        batch.clear();
    }
}

/// Asks for the memory that a port needs and where the packet goes, `ahead` ports before its turn.
#[inline(always)]
fn prefetch_port(ahead: usize, window: &Window, wheel: &WindowWheel<Arrival>, routes: &Routes) {
    let Some(due) = window.ports.upcoming(ahead) else { return };
    window.compact.prefetch(due.port);
    if let Some(arrival) = due.arrival(wheel) {
        routes.prefetch_hop(arrival.packet.hop.next());
    }
}
