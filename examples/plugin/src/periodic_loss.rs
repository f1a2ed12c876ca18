//! An impairment: loses every n-th packet.

use penstock_model::impairment::{Fate, Impairment};
use penstock_model::packet::Packet;
use penstock_model::parameters::{Check, Count};
use penstock_model::units::{Duration, Time};

penstock_model::parameters! {
    /// Periodic loss: loses every n-th packet of the link.
    ///
    /// ## Decides
    /// Every n-th packet that leaves the port is lost, with n = `every`.
    ///
    /// ## State
    /// A counter; constant cost per packet.
    ///
    /// ## Departures
    /// None: it is made up for this example.
    ///
    /// ## Example
    /// ```toml
    /// impairment.periodic-loss = { every = 100 }
    /// ```
    ///
    /// ## References
    /// None.
    pub struct Parameters {
        /// Period of the losses in packets (n); at least 2.
        every: Count;
    }
}

impl Check for Parameters {}

/// Periodic loss at work.
#[derive(Clone, Debug)]
pub struct PeriodicLoss {
    every: u32,
    count: u32,
}

impl PeriodicLoss {
    /// With these parameters.
    ///
    /// # Errors
    /// If every packet would be lost.
    pub fn new(parameters: &Parameters) -> Result<PeriodicLoss, String> {
        match parameters.every.0 {
            0 | 1 => Err("every packet would be lost; write every = 2 or more".to_owned()),
            every => Ok(PeriodicLoss { every, count: 0 }),
        }
    }
}

penstock_model::state! {
    impl PeriodicLoss, |it, _now| {
        /// Packets since the last loss.
        "since-loss", "packets", is f64::from(it.count);
    }
}

impl Impairment for PeriodicLoss {
    fn on_departure(&mut self, _now: Time, _packet: &Packet) -> Fate {
        self.count = (self.count + 1) % self.every;
        if self.count == 0 {
            Fate::Lost
        } else {
            Fate::Delayed(Duration::ZERO)
        }
    }

    fn reorders(&self) -> bool {
        false
    }
}
