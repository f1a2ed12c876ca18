//! The examples run, and their numbers make sense.

use penstock_engine::{Observations, Sim};
use penstock_scenario::{load, report, Metric, ValidScenario};

fn example(name: &str, sets: &[(&str, &str)]) -> ValidScenario {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the example exists");
    let sets: Vec<(String, String)> = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    load(&text, name, &sets).unwrap_or_else(|mistakes| panic!("{}", report(&mistakes)))
}

fn run(scenario: &ValidScenario) -> Observations {
    Sim::new(scenario.blueprint(None, 0)).expect("validated").run()
}

fn value(metrics: &[Metric], name: &str, labels: &[(&str, &str)]) -> f64 {
    let is_it = |metric: &&Metric| {
        metric.name == name && labels.iter().all(|(key, value)| metric.labels.iter().any(|(k, v)| k == key && v == value))
    };
    metrics.iter().find(is_it).unwrap_or_else(|| panic!("no {name} {labels:?} in {metrics:#?}")).value
}

#[test]
fn first_shares_the_bottleneck() {
    let scenario = example("first.toml", &[]);
    let metrics = scenario.metrics(&run(&scenario));
    let throughput = |of| value(&metrics, "throughput", &[("of", of), ("statistic", "sum")]);
    assert!(throughput("video") > 350e3 && throughput("video") < 410e3, "{metrics:#?}");
    assert!(throughput("transfers") > 800e3 && throughput("transfers") < 1.2e6, "{metrics:#?}");
    assert!(value(&metrics, "utilisation", &[("of", "r1-r2")]) > 0.9);
}

#[test]
fn af_separates_tcp_from_udp() {
    let scenario = example("af.toml", &[]);
    assert_eq!((scenario.flow_count(), scenario.link_count(), scenario.node_count()), (50, 50 * 2 + 5 * 2 + 2 + 50 * 2, 107));
    let metrics = scenario.metrics(&run(&scenario));
    let total = 45.0 * value(&metrics, "throughput", &[("of", "tcp"), ("statistic", "mean")]);
    assert!(total > 0.5e6 && total < 1.2e6, "{metrics:#?}");
    assert!(value(&metrics, "fairness", &[]) > 0.3, "{metrics:#?}");
}

#[test]
fn pcn_admission_holds_the_admissible_rate() {
    let scenario = example("pcn-admission.toml", &[]);
    assert!(scenario.warnings().is_empty());
    let metrics = scenario.metrics(&run(&scenario));
    println!("{metrics:#?}");
    let throughput = value(&metrics, "throughput", &[("of", "voice"), ("statistic", "sum")]);
    assert!(throughput > 5.8e6 && throughput < 7.0e6, "{metrics:#?}");
    assert!(value(&metrics, "blocking", &[("of", "voice")]) > 0.7, "{metrics:#?}");
    assert_eq!(metrics.iter().filter(|metric| metric.labels.iter().any(|(key, _)| key == "until")).count(), 15);
}

#[test]
fn pcn_termination_reaches_the_supportable_rate() {
    let scenario = example("pcn-termination.toml", &[]);
    let metrics = scenario.metrics(&run(&scenario));
    println!("{metrics:#?}");
    let since_start = value(&metrics, "termination-time", &[("from", "start")]);
    assert!(since_start > 0.0 && since_start < 5.0, "{metrics:#?}");
    let terminated = value(&metrics, "calls", &[("what", "terminated")]);
    assert!(terminated > 200.0 && terminated < 260.0, "{metrics:#?}");
}

#[test]
fn a_shared_buffer_keeps_room_for_the_stream() {
    let losses = |sets: &[(&str, &str)]| {
        let scenario = example("shared-buffer.toml", sets);
        let metrics = scenario.metrics(&run(&scenario));
        let buffer_drops = |of| value(&metrics, "drops", &[("of", of), ("cause", "buffer")]);
        (buffer_drops("switch-client"), buffer_drops("switch-viewer"))
    };
    // alpha / (1 + alpha) of the memory for the busy port alone: a burst of 20 kB finds room. A pool is full when it comes.
    let (client, viewer) = losses(&[]);
    assert!(client > 0.0 && viewer == 0.0, "{client} {viewer}");
    let (client, viewer) = losses(&[("nodes.switch.buffer.pool", "{ size = \"200 kB\" }")]);
    assert!(client > 0.0 && viewer > 0.0, "{client} {viewer}");
}
