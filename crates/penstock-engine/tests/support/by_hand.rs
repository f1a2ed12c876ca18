//! Common to cases worked by hand: 125 bytes at 1 Mbit/s, so that a transmission lasts 1 ms, over a wire of 10 ms.

#![allow(dead_code)] // each test file uses its part

use crate::support::{discipline, one_link, Net};
use penstock_engine::observations::TraceEvent;
use penstock_engine::Observations;
use penstock_model::discipline::DropCause;
use penstock_model::id::{LinkId, RouteId};

pub const MS: u64 = 1_000_000_000;

pub fn link(limit: &str) -> (Net, RouteId, LinkId) {
    one_link("100 ms", 1, "1 Mbit/s", "10 ms", discipline("tail-drop", &format!("limit = {limit}")))
}

/// When each flow's only packet was received, in half milliseconds; `None` if it was not.
pub fn received(seen: &Observations) -> Vec<Option<u64>> {
    let row = |flow: usize| seen.trace.iter().find(|row| row.event == TraceEvent::Receive && row.flow() as usize == flow);
    (0..seen.flows.len()).map(|flow| row(flow).map(|row| row.time.as_ps() / (MS / 2))).collect()
}

pub fn dropped(seen: &Observations, cause: DropCause) -> u64 {
    seen.links[0].dropped_packets[cause as usize].iter().sum()
}
