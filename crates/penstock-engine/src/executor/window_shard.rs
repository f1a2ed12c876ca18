//! How a shard runs in [windows](crate::executor::windows).

use crate::executor::sequencer::Mode;
use crate::executor::shard::{inputs_of, EventBudget, Shard, BETWEEN_VISITS};
use crate::executor::windows::{window_length, Due, Window};
use crate::kernel::event::Arrival;
use crate::kernel::logical_process::{WindowProcess, PREFETCH_STAGES};
use crate::kernel::outbox::{LocalDeliveries, Outbox};
use crate::kernel::outputs::Outputs;
use crate::merge::window_wheel::{Delivery, WindowWheel};
use penstock_model::units::Time;

/// Number of stages in which the memory of a hot port is prefetched, and the distance between stages, in ports.
const PORT_STAGES: usize = 2;
const PORTS_OF_A_STAGE: usize = 6;

/// Returns how many ports ahead a stage prefetches memory.
fn ports_ahead(stage: usize) -> usize {
    (PORT_STAGES - stage) * PORTS_OF_A_STAGE
}

/// Number of visits to other processes between two stages of prefetching, and between the last stage and the visit.
const VISITS_OF_A_STAGE: usize = 2;

/// Returns how many visits ahead a stage prefetches memory.
fn visits_ahead(stage: usize) -> usize {
    (PREFETCH_STAGES - stage) * VISITS_OF_A_STAGE
}

impl<P: WindowProcess> Shard<'_, P> {
    /// Handles window after window; returns whether no event is left up to `until`, or `None` if another mode must continue.
    pub(super) fn run_windows(&mut self, until: Time, outbox: &mut Outbox, budget: &mut EventBudget) -> Option<bool> {
        let (local, mut window) = match self.sequencer.windows.take() {
            Some(windows) => windows,
            None => self.open_windows(),
        };
        outbox.local = Some(local);
        let result = loop {
            let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
            if budget.is_spent() {
                break Some(false);
            }
            let Some(end) = self.sequencer.begin_window(until, local, &mut window) else { break Some(true) };
            let before = budget.handled;
            self.forward_in_window(&mut window, outbox, budget);
            self.visit_in_window(end, &mut window, outbox, budget);
            let visits = (window.ports.visited + window.processes.visited) as u64;
            if budget.is_spent() {
                // The rest of the window returns to the wheel.
                let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
                for process in window.give_up(&mut local.wheel) {
                    let next = self.processes[process].next(inputs_of(&self.inputs[process]));
                    self.sequencer.due.set(process, next);
                }
            }
            self.sequencer.end_window(visits, budget.handled - before);
            if self.sequencer.mode != Mode::Windows {
                break None;
            }
        };
        self.sequencer.windows = outbox.local.take().map(|local| (local, window));
        result
    }

    /// Makes the due hot ports forward the arrivals of a window, as long as `budget` lasts.
    #[inline(never)]
    fn forward_in_window(&mut self, window: &mut Window, outbox: &mut Outbox, budget: &mut EventBudget) {
        let routes = self.routes;
        if window.ports.is_untouched() {
            for stage in 0..PORT_STAGES {
                (0..ports_ahead(stage)).for_each(|ahead| self.prefetch_port(stage, ahead, window, outbox.wheel()));
            }
        }
        while !budget.is_spent() {
            window.prefetch_coming(outbox.wheel());
            for stage in 0..PORT_STAGES {
                self.prefetch_port(stage, ports_ahead(stage), window, outbox.wheel());
            }
            let Some(Due { process, .. }) = window.ports.next() else { break };
            let slots = window.arrivals.of(process, outbox.wheel());
            let port = &mut self.processes[process as usize];
            for from in slots {
                let arrival = outbox.wheel().get(*from).item;
                if let Some(at) = port.forward(&arrival) {
                    let hop = arrival.packet.hop.next();
                    let next = routes.hop(hop);
                    let slot = outbox.add_local(next.process, next.input, at);
                    (slot.at, slot.packet, slot.packet.hop) = (at, arrival.packet, hop);
                }
            }
            budget.count(slots.len() as u64);
        }
    }

    /// Visits the due processes of a window that are not hot ports, as long as `budget` lasts.
    fn visit_in_window(&mut self, until: Time, window: &mut Window, outbox: &mut Outbox, budget: &mut EventBudget) {
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
            let Some(Due { process, .. }) = window.processes.next() else { break };
            let queue = window.inputs.queue(0).expect("there is one input");
            window.arrivals.of(process, outbox.wheel()).iter().for_each(|slot| *queue.add() = outbox.wheel().get(*slot).item);
            let process = process as usize;
            let next = self.visit_one_in_window(process, until, window, outbox, budget);
            self.sequencer.due.set(process, next);
            let Some(local) = &mut outbox.local else { unreachable!("it is there while windows run") };
            for (process, message) in local.messages.drain(..) {
                let at = message.at;
                self.inputs[process].as_mut().expect(BETWEEN_VISITS).mailbox().push(message);
                window.has_mail[process] = true;
                self.sequencer.due.advance(process, at);
            }
        }
    }

    #[inline(always)]
    fn prefetch_port(&self, stage: usize, ahead: usize, window: &Window, wheel: &WindowWheel<Arrival>) {
        let Some(due) = window.ports.upcoming(ahead) else { return };
        self.processes[due.process as usize].prefetch_port(stage);
        if let Some(arrival) = due.arrival(wheel).filter(|_| stage == 0) {
            self.routes.prefetch_hop(arrival.packet.hop.next());
        }
    }

    #[inline(always)]
    fn prefetch_process(&self, stage: usize, ahead: usize, window: &Window, wheel: &WindowWheel<Arrival>) {
        if let Some(due) = window.processes.upcoming(ahead) {
            self.processes[due.process as usize].prefetch(stage, due.arrival(wheel), self.routes);
        }
    }

    /// Visits a process in a window, with its arrivals in `window.inputs`; returns the time of its next event.
    #[inline]
    fn visit_one_in_window(
        &mut self,
        process: usize,
        end: Time,
        window: &mut Window,
        outbox: &mut Outbox,
        budget: &mut EventBudget,
    ) -> Time {
        if window.has_mail[process] {
            self.inputs[process].as_mut().expect(BETWEEN_VISITS).swap_mailbox(&mut window.inputs);
        }
        let next = loop {
            let mut outputs = Outputs { first: self.first, inputs: &mut [], due: &mut self.sequencer.due, outbox, train: &mut self.train };
            let (next, events) = self.processes[process].run(end, &mut window.inputs, &mut outputs, self.routes);
            budget.count(events);
            // A visit that has handled very many events ends before `end`, so another one follows.
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
        if window.has_mail[process] {
            let inputs = self.inputs[process].as_mut().expect(BETWEEN_VISITS);
            inputs.swap_mailbox(&mut window.inputs);
            window.has_mail[process] = inputs.next_message() != Time::NEVER;
        }
        next
    }

    /// Moves the packets in flight to all processes from their inputs to a new wheel.
    pub(super) fn open_windows(&mut self) -> (Box<LocalDeliveries>, Box<Window>) {
        let (first, count) = (self.first as u32, self.processes.len() as u32);
        let wheel = WindowWheel::new(window_length(self.sequencer.shortest));
        let mut local = Box::new(LocalDeliveries { first, count, wheel, messages: Vec::new() });
        let mut window = Box::new(Window::new(self.processes.iter().map(WindowProcess::is_hot_port).collect()));
        for (slot, inputs) in self.inputs.iter_mut().enumerate() {
            let inputs = inputs.as_mut().expect(BETWEEN_VISITS);
            inputs.drain(|arrival| {
                let input = self.routes.hop(arrival.packet.hop).input;
                *local.wheel.add(slot as u32, input, arrival.at) = *arrival;
            });
            window.has_mail[slot] = inputs.next_message() != Time::NEVER;
        }
        self.ask_all();
        (local, window)
    }

    /// Puts the packets in flight to all processes back into their inputs.
    pub(super) fn close_windows(&mut self) {
        let mut under_way = Vec::new();
        self.take_under_way(&mut under_way);
        for (process, input, arrival) in &under_way {
            self.inputs[*process as usize - self.first].as_mut().expect(BETWEEN_VISITS).add(*input as usize, arrival);
        }
    }

    /// Closes windows, and appends the packets in flight on their wheel with the receiver and its input; nothing without windows.
    pub fn take_under_way(&mut self, under_way: &mut Vec<(u32, u32, Arrival)>) {
        let Some((mut local, _)) = self.sequencer.windows.take() else { return };
        under_way.reserve(local.wheel.len());
        let mut slots = Vec::new();
        loop {
            let first = local.wheel.first();
            if first == Time::NEVER {
                return;
            }
            local.wheel.take(first, local.wheel.end_of_window(first), &mut slots);
            // If the budget was spent within the window, the rest of it was put back behind later arrivals.
            slots.sort_by_key(|slot| local.wheel.get(*slot).item.at);
            for slot in slots.drain(..) {
                let Delivery { receiver, input, item } = *local.wheel.get(slot);
                under_way.push((self.first as u32 + receiver, input, item));
            }
        }
    }
}
