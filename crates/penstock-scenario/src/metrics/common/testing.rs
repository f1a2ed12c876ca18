//! Metrics of counts made by hand, over ten seconds.

use penstock_engine::observations::{FlowCounters, LinkCounters, Observations, Timings};
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = {}, b = {} }
links = [{ name = "l", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", from = "a", to = "b", source.cbr = { rate = "64 kbit/s", packet = "160 bytes" } }]
"#;

/// The values of `metric` of a flow with these counts.
pub(crate) fn of_flow(metric: &str, counts: FlowCounters) -> Vec<f64> {
    measured(metric, "f", Observations { flows: vec![counts], ..without_counts() })
}

/// The values of `metric` of a flow whose delays, or what else `record_flows` requests, were recorded as given.
pub(crate) fn of_recorded_flow(metric: &str, recorded: Timings) -> Vec<f64> {
    measured(metric, "f", Observations { timings: vec![(FlowId(0), recorded)], ..without_counts() })
}

/// The values of `metric` of a link with these counts.
pub(crate) fn of_link(metric: &str, counts: LinkCounters) -> Vec<f64> {
    measured(metric, "l", Observations { links: vec![counts], ..without_counts() })
}

fn without_counts() -> Observations {
    let to = Time::ZERO + Duration::from_secs(10);
    let (flows, links) = (vec![FlowCounters::default()], vec![LinkCounters::default()]);
    Observations { from: Time::ZERO, to, flows, links, ..Observations::default() }
}

fn measured(metric: &str, of: &str, seen: Observations) -> Vec<f64> {
    let text = format!("{SCENARIO}[[measure]]\nmetric = \"{metric}\"\nof = \"{of}\"\n");
    let scenario = crate::load(&text, "t.toml", &[]).map_err(|mistakes| crate::report(&mistakes)).expect("sound");
    scenario.metrics(&seen).iter().map(|metric| metric.value).collect()
}

#[test]
fn the_counts_are_those_of_ten_seconds() {
    assert_eq!(of_flow("goodput", FlowCounters { goodput_bytes: 1000, ..FlowCounters::default() }), [800.0]);
    assert_eq!(of_link("utilisation", LinkCounters { busy: Duration::from_secs(4), ..LinkCounters::default() }), [0.4]);
}
