//! Metrics of counts made by hand, over ten seconds.

use penstock_engine::observations::{FlowCounters, LinkCounters, Observations, Timings};
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = { count = COUNT }, b = {} }
links = [{ name = "l", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", from = "a", to = "b", source.cbr = { rate = "64 kbit/s", packet = "160 bytes" } }]
"#;

/// The values of `metric` of a flow with these counts.
pub(crate) fn of_flow(metric: &str, counts: FlowCounters) -> Vec<f64> {
    of_flows(metric, vec![counts])
}

/// The values of `metric` of a group of flows with these counts.
pub(crate) fn of_flows(metric: &str, counts: Vec<FlowCounters>) -> Vec<f64> {
    measured(metric, "f", counts.len(), Observations { flows: counts, ..without_counts() })
}

/// The values of `metric` of a flow whose delays, or what else `record_flows` requests, were recorded as given.
pub(crate) fn of_recorded_flow(metric: &str, recorded: Timings) -> Vec<f64> {
    measured(metric, "f", 1, Observations { timings: vec![(FlowId(0), recorded)], ..without_counts() })
}

/// The values of `metric` of a link with these counts.
pub(crate) fn of_link(metric: &str, counts: LinkCounters) -> Vec<f64> {
    of_links(metric, vec![counts])
}

/// The values of `metric` of a group of links with these counts.
pub(crate) fn of_links(metric: &str, counts: Vec<LinkCounters>) -> Vec<f64> {
    measured(metric, "l", counts.len(), Observations { links: counts, ..without_counts() })
}

fn without_counts() -> Observations {
    let to = Time::ZERO + Duration::from_secs(10);
    let (flows, links) = (vec![FlowCounters::default()], vec![LinkCounters::default()]);
    Observations { from: Time::ZERO, to, flows, links, ..Observations::default() }
}

fn measured(metric: &str, of: &str, count: usize, seen: Observations) -> Vec<f64> {
    let scenario = SCENARIO.replace("COUNT", &count.to_string());
    let text = format!("{scenario}[[measure]]\nmetric = \"{metric}\"\nof = \"{of}\"\n");
    let scenario = crate::load(&text, "t.toml", &[]).map_err(|mistakes| crate::report(&mistakes)).expect("sound");
    scenario.metrics(&seen).iter().map(|metric| metric.value).collect()
}

#[test]
fn the_counts_are_those_of_ten_seconds() {
    assert_eq!(of_flow("goodput", FlowCounters { goodput_bytes: 1000, ..FlowCounters::default() }), [800.0]);
    assert_eq!(of_link("utilisation", LinkCounters { busy: Duration::from_secs(4), ..LinkCounters::default() }), [0.4]);
    let goodput = |goodput_bytes| FlowCounters { goodput_bytes, ..FlowCounters::default() };
    assert_eq!(of_flows("goodput", vec![goodput(1000), goodput(2000)]), [2400.0]);
    let busy = |s| LinkCounters { busy: Duration::from_secs(s), ..LinkCounters::default() };
    assert_eq!(of_links("utilisation", vec![busy(4), busy(6)]), [0.5]);
}
