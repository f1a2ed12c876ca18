//! Metrics of a plug-in: measured, listed, identified, and refused where they do not apply.

use example_plugin::plugin;
use penstock_engine::{Cancel, Sim};
use penstock_model::registry::{Plugin, Registry, RegistryError, INTERFACE};
use penstock_scenario::metric::{AddMetric, Metric, MetricInfo, Targets};
use penstock_scenario::{catalogue, json_schema, load_with, metrics_with, report, ReadOptions, ValidScenario};

/// 3 packets of 500 bytes, and 1 of 1500, in classes of their own.
const SCENARIO: &str = r#"
duration = "1 s"
nodes = { a = {}, b = {} }
links = [{ name = "wire", from = "a", to = "b", rate = "10 Mbit/s", delay = "1 ms" }]
flows = [
    { name = "small", from = "a", to = "b", class = "low", source.packets = { at = ["1 ms", "2 ms", "3 ms"], sizes = ["500 bytes"] } },
    { name = "large", from = "a", to = "b", class = "high", source.packets = { at = ["1 ms"], sizes = ["1500 bytes"] } },
]
"#;

fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.load(plugin()).expect("a sound plug-in");
    registry
}

fn load(registry: Registry, measure: &str) -> Result<ValidScenario, String> {
    let options = ReadOptions { registry, ..ReadOptions::default() };
    load_with(&Cancel::default(), &format!("{SCENARIO}\n[[measure]]\n{measure}"), "t.toml", &[], options)
        .map_err(|mistakes| report(&mistakes))
}

/// The numbers of a run, each with its labels.
fn measured(measure: &str) -> Vec<String> {
    let scenario = load(registry(), measure).expect("sound");
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let row = |metric: &penstock_scenario::MetricValue| {
        let labels: Vec<String> = metric.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        format!("{} {} {} {}", metric.name, labels.join(" "), metric.value, metric.unit)
    };
    scenario.metrics(&seen).iter().map(row).collect()
}

#[test]
fn it_is_measured_of_flows_classes_and_links() {
    assert_eq!(
        measured("metric = \"mean-packet\"\nof = [\"small\", \"wire\"]"),
        ["mean-packet of=small statistic=mean 500 bytes", "mean-packet of=wire statistic=mean 750 bytes"]
    );
    assert_eq!(
        measured("metric = \"mean-packet\"\nof = \"wire\"\nby = [\"class\"]"),
        ["mean-packet of=wire class=low statistic=mean 500 bytes", "mean-packet of=wire class=high statistic=mean 1500 bytes"]
    );
    assert_eq!(measured("metric = \"mean-packet\"\nof = \"large\"\nper = \"flow\""), ["mean-packet of=large flow=large[0] 1500 bytes"]);
}

#[test]
fn mistakes_name_it() {
    let wrong = |measure: &str| load(registry(), measure).map(|_| ()).expect_err("a mistake");
    let unknown = wrong("metric = \"mean-packets\"\nof = \"wire\"");
    assert!(
        unknown.contains("metric: 'mean-packets' is not one of throughput, ") && unknown.contains("deadlocked, mean-packet"),
        "{unknown}"
    );
    let summed = wrong("metric = \"mean-packet\"\nof = \"wire\"\ntake = [\"sum\"]");
    assert!(summed.contains("take: 'sum' does not apply to 'mean-packet'; one of mean, min, max"), "{summed}");
    let other = wrong("metric = \"goodput\"\nof = \"wire\"");
    assert!(other.contains("'wire' is a link; metrics for it: ") && other.contains(", mean-packet"), "{other}");
    let without = load(Registry::default(), "metric = \"mean-packet\"\nof = \"wire\"").map(|_| ()).expect_err("no plug-in");
    assert!(without.contains("'mean-packet' is not one of"), "{without}");
}

#[test]
fn it_is_listed() {
    let all = catalogue(&registry());
    let entry = all["metrics"].as_array().expect("a list").last().expect("some").clone();
    assert_eq!((&entry["name"], &entry["unit"], &entry["applies-to"][1]), (&"mean-packet".into(), &"bytes".into(), &"links".into()));
    let section = all["sections"].as_array().expect("a list").iter().find(|section| section["name"] == "measure").expect("listed");
    let choices = section["parameters"][0]["choices"].as_array().expect("words");
    assert_eq!(choices.last().expect("some")["word"], "mean-packet");
    let words = json_schema(&registry())["$defs"]["measure"]["properties"]["metric"]["enum"].clone();
    assert_eq!(words.as_array().expect("words").last().expect("some"), "mean-packet");
    assert_eq!(json_schema(&Registry::default())["$defs"]["measure"]["properties"]["metric"]["enum"][0], "throughput");
}

#[test]
fn a_run_is_identified_by_its_source() {
    let scenario = load(registry(), "metric = \"mean-packet\"\nof = \"wire\"").expect("sound");
    assert!(scenario.canonical().contains(r#""components":{"metric.mean-packet":""#), "{}", scenario.canonical());
    let mut nameless = Registry::default();
    nameless.load(Plugin::new("nameless", INTERFACE, None).add_metric(&GOOD)).expect("sound");
    let scenario = load(nameless, "metric = \"good\"\nof = \"wire\"").expect("sound");
    assert_eq!(scenario.unidentified_components(), ["metric.good"]);
}

struct Named(&'static MetricInfo);

impl Metric for Named {
    fn info(&self) -> &'static MetricInfo {
        self.0
    }
}

const INFO: MetricInfo = MetricInfo { name: "good", unit: "1", targets: Targets::LINKS, is_ratio: true, ..MetricInfo::PLAIN };
static GOOD: Named = Named(&INFO);
static THROUGHPUT: Named = Named(&MetricInfo { name: "throughput", ..INFO });
static NO_KEY: Named = Named(&MetricInfo { name: "Good", ..INFO });

#[test]
fn names_that_clash_or_are_no_keys_are_refused() {
    let refused = |plugin: Plugin| Registry::default().load(plugin).expect_err("a mistake").to_string();
    let plugin = || Plugin::new("mine", INTERFACE, None);
    let taken = |name| RegistryError::TwoOfOneName { plugin: "mine".to_owned(), kind: "metric", name }.to_string();
    assert_eq!(refused(plugin().add_metric(&THROUGHPUT)), taken("throughput"));
    assert_eq!(refused(plugin().add_metric(&GOOD).add_metric(&GOOD)), taken("good"));
    assert_eq!(
        refused(plugin().add_metric(&NO_KEY)),
        RegistryError::NoKey { plugin: "mine".to_owned(), kind: "metric", name: "Good" }.to_string()
    );
}

#[test]
fn shares_are_known_as_such() {
    let mut with = Registry::default();
    with.load(Plugin::new("mine", INTERFACE, None).add_metric(&GOOD)).expect("sound");
    assert!(
        metrics_with("ratio", &with).expect("a property").contains(&"good")
            && !metrics_with("ratio", &Registry::default()).expect("a property").contains(&"good")
    );
}
