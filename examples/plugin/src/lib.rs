//! A plug-in: three components and a metric in a crate of their own, and a core of Penstock that has them.
//!
//! Each component is a file: parameters, state and the trait of its kind. A metric is one too, without parameters. [`plugin`] lists them with their scenario keys. Built as an
//! extension module, the crate takes the place of Penstock's core:
//!
//! ```sh
//! cargo build --release --package penstock-example-plugin
//! cp target/release/libexample_plugin.so example_plugin.abi3.so
//! PENSTOCK_CORE=example_plugin PYTHONPATH=. penstock run examples/plugin/queue.toml
//! ```

pub mod go_back_n;
pub mod linear_drop;
pub mod mean_packet;
pub mod periodic_loss;

use penstock_model::discipline::{Discipline, Disciplines, PortContext};
use penstock_model::impairment::{Impairment, Impairments};
use penstock_model::registry::{Plugin, INTERFACE};
use penstock_model::site::Site;
use penstock_model::transport::Transports;
use penstock_scenario::metric::AddMetric;

/// What decides about the components' numbers: stored runs are named by it.
const SOURCE: &str =
    concat!(include_str!("go_back_n.rs"), include_str!("linear_drop.rs"), include_str!("mean_packet.rs"), include_str!("periodic_loss.rs"));

/// The components of this crate.
pub fn plugin() -> Plugin {
    Plugin::new("example-plugin", INTERFACE, Some(SOURCE))
        .add::<Disciplines, linear_drop::Parameters>("linear-drop", linear_drop::LinearDrop::STATE, build_linear_drop)
        .add::<Impairments, periodic_loss::Parameters>("periodic-loss", periodic_loss::PeriodicLoss::STATE, build_periodic_loss)
        .add::<Transports, go_back_n::Parameters>("go-back-n", go_back_n::Sender::STATE, |parameters, _| go_back_n::build(parameters))
        .add_metric(&mean_packet::MeanPacket)
}

fn build_linear_drop(parameters: &linear_drop::Parameters, port: &PortContext) -> Result<Box<dyn Discipline + Send>, String> {
    Ok(Box::new(linear_drop::LinearDrop::new(parameters, port)))
}

fn build_periodic_loss(parameters: &periodic_loss::Parameters, _: &Site) -> Result<Box<dyn Impairment + Send>, String> {
    Ok(Box::new(periodic_loss::PeriodicLoss::new(parameters)?))
}

/// The extension module. Its `core` is Penstock's with the components above.
#[pyo3::pymodule]
mod example_plugin {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("core", penstock_core::core_with(module.py(), vec![super::plugin()])?)
    }
}
