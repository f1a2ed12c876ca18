//! Metrics of counts made by hand, over ten seconds.

use penstock_engine::observations::{FlowCounters, LinkCounters, Observations};
use penstock_model::units::{Duration, Time};

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = {}, b = {} }
links = [{ name = "l", from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", from = "a", to = "b", source.cbr = { rate = "64 kbit/s", packet = "160 bytes" } }]
"#;

/// The values of `metric` of a flow with these counts.
pub(crate) fn of_flow(metric: &str, counts: FlowCounters) -> Vec<f64> {
    measured(metric, "f", counts, LinkCounters::default())
}

/// The values of `metric` of a link with these counts.
pub(crate) fn of_link(metric: &str, counts: LinkCounters) -> Vec<f64> {
    measured(metric, "l", FlowCounters::default(), counts)
}

fn measured(metric: &str, of: &str, flow: FlowCounters, link: LinkCounters) -> Vec<f64> {
    let text = format!("{SCENARIO}[[measure]]\nmetric = \"{metric}\"\nof = \"{of}\"\n");
    let scenario = crate::load(&text, "t.toml", &[]).map_err(|mistakes| crate::report(&mistakes)).expect("sound");
    let to = Time::ZERO + Duration::from_secs(10);
    let seen = Observations { from: Time::ZERO, to, flows: vec![flow], links: vec![link], ..Observations::default() };
    scenario.metrics(&seen).iter().map(|metric| metric.value).collect()
}

#[test]
fn the_counts_are_those_of_ten_seconds() {
    assert_eq!(of_flow("goodput", FlowCounters { goodput_bytes: 1000, ..FlowCounters::default() }), [800.0]);
    assert_eq!(of_link("utilisation", LinkCounters { busy: Duration::from_secs(4), ..LinkCounters::default() }), [0.4]);
}
