//! Samples of the queues and meters of ports at regular times.

use crate::api::observations::{MeterSamples, Observations};
use crate::port::Port;
use penstock_model::units::{Duration, Time};

/// The samplers of a process.
#[derive(Clone, Default)]
pub(super) struct Samplers(Vec<Sampler>);

/// What is sampled of a port, and when next.
#[derive(Clone)]
struct Sampler {
    port: u32,
    every: Duration,
    next: Time,
    /// Position among the blueprint's plans of this kind.
    plan: u32,
    samples: Samples,
}

/// The samples taken so far.
#[derive(Clone)]
pub enum Samples {
    /// Packets that wait.
    Queue(Vec<u32>),
    /// The variables of meters.
    Meters(Vec<MeterSamples>),
}

impl Samples {
    fn take(&mut self, now: Time, port: &mut Port) {
        let samples = match self {
            Samples::Queue(lengths) => return lengths.push(port.waiting(now)),
            Samples::Meters(samples) => samples,
        };
        let mut i = 0;
        port.probe_meters(now, &mut |meter, variable, value| {
            if samples.len() == i {
                samples.push(MeterSamples { meter, variable: variable.name, unit: variable.unit, values: Vec::new() });
            }
            samples[i].values.push(value);
            i += 1;
        });
    }
}

impl Samplers {
    /// Adds a sampler of port `port`: each `every` from `next` on, into the results of sample plan `plan`.
    pub(super) fn add(&mut self, port: u32, every: Duration, next: Time, plan: u32, samples: Samples) {
        self.0.push(Sampler { port, every, next, plan, samples });
    }

    /// When the next sample is due.
    pub(super) fn next(&self) -> Time {
        self.0.iter().map(|sampler| sampler.next).min().unwrap_or(Time::NEVER)
    }

    /// Takes the samples that are due at `now`.
    pub(super) fn take_samples(&mut self, now: Time, ports: &mut [Port]) {
        for sampler in &mut self.0 {
            if sampler.next <= now {
                sampler.samples.take(now, &mut ports[sampler.port as usize]);
                sampler.next += sampler.every;
            }
        }
    }

    /// Writes the samples into the results.
    pub(super) fn report(self, observations: &mut Observations) {
        for Sampler { plan, samples, .. } in self.0 {
            match samples {
                Samples::Queue(lengths) => observations.samples[plan as usize] = lengths,
                Samples::Meters(samples) => observations.meter_samples[plan as usize] = samples,
            }
        }
    }
}
