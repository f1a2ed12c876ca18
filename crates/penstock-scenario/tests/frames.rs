//! Video from the scenario to the delays of its frames, and mistakes about it.

mod common;
use common::{lines, sound};
use penstock_engine::Sim;
use penstock_scenario::load;

/// I, B, P and B frames of 1000, 250, 500 and 250 bytes every 40 ms, in 3, 1, 2 and 1 packets; the two flows have a link each, and the
/// second one loses its first packet.
const VIDEO: &str = r#"duration = "150 ms"
[nodes]
a = { count = 2 }
b = {}
[[links]]
from = "a[0]"
to = "b"
rate = "1 Mbit/s"
delay = "10 ms"
[[links]]
from = "a[1]"
to = "b"
rate = "1 Mbit/s"
delay = "10 ms"
impairment.drop-list = { drop = [1] }
[[flows]]
name = "video"
from = "a"
to = "b"
source.video = { rate = "100 kbit/s", frame-rate = 25, group-length = 4, anchor-distance = 2, p-ratio = 0.5, b-ratio = 0.25, variation = 0, packet = "400 bytes", phase = "zero" }
"#;

/// `name label=value ... number`, one line for each, times in milliseconds.
fn numbers(text: &str) -> Vec<String> {
    let scenario = sound(text, &[]);
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let line = |metric: penstock_scenario::MetricValue| {
        let labels: String = metric.labels.iter().map(|(key, value)| format!("{key}={value} ")).collect();
        format!("{} {labels}{:.3}", metric.name, metric.value * if metric.unit == "s" { 1e3 } else { 1.0 })
    };
    scenario.metrics(&seen).into_iter().map(line).collect()
}

#[test]
fn frame_delays_and_incomplete_frames_by_hand() {
    let measured = |measure: &str| numbers(&format!("{VIDEO}[[measure]]\nof = \"video\"\n{measure}\n"));
    // 18, 12, 14 and 12 ms of the first flow, 12, 14 and 12 ms of the second.
    assert_eq!(
        measured("metric = \"frame-delay\""),
        ["frame-delay of=video statistic=mean 13.429", "frame-delay of=video statistic=max 18.000"]
    );
    assert_eq!(measured("metric = \"frame-delay\"\ntake = [\"max\"]\nquantiles = [1]").len(), 2);
    assert_eq!(measured("metric = \"incomplete-frames\""), ["incomplete-frames of=video statistic=mean 0.125"]);
    assert_eq!(
        measured("metric = \"incomplete-frames\"\nper = \"flow\""),
        ["incomplete-frames of=video flow=video[0] 0.000", "incomplete-frames of=video flow=video[1] 0.250"]
    );
}

#[test]
fn requests_change_the_rate() {
    // Frames of 1000, 500, 1000 and 500 bytes.
    let text =
        format!("{VIDEO}rate-requests = [{{ at = \"30 ms\", rate = \"200 kbit/s\" }}]\n[[measure]]\nof = \"video\"\nmetric = \"sent\"");
    let rate = 2.0 * 3000.0 * 8.0 / 0.15;
    assert_eq!(numbers(&text), [format!("sent of=video statistic=sum {rate:.3}")]);
}

#[test]
fn mistakes_say_what_is_allowed() {
    let mistake = |text: &str, expected: &str| {
        let found = lines(load(text, "t.toml", &[]));
        assert!(found.len() == 1 && found[0].ends_with(expected), "{found:#?}");
    };
    let with = |old: &str, new: &str| VIDEO.replace(old, new);
    let cbr = &VIDEO[..VIDEO.find("source.video").expect("it is there")].to_owned();
    let cbr = format!("{cbr}source.cbr = {{ rate = \"1 Mbit/s\", packet = \"1 kB\" }}\n");
    mistake(&with("rate = \"100 kbit/s\"", "rate = \"0 bit/s\""), "flows[0].source.video.rate: a rate must be above zero");
    mistake(
        &format!("{cbr}rate-requests = [{{ at = \"1 ms\", rate = \"1 Mbit/s\" }}]\n"),
        "flows[0].rate-requests: have no effect: source 'cbr' keeps its rate; video adapts its own",
    );
    mistake(
        &format!("{VIDEO}rate-requests = [{{ at = \"2 ms\", rate = \"1 Mbit/s\" }}, {{ at = \"2 ms\", rate = \"2 Mbit/s\" }}]\n"),
        "flows[0].rate-requests[1].at: 2 ms is not after 2 ms; write requests in the order of time",
    );
    mistake(
        &format!("{cbr}transport.scream = {{}}\n"),
        "flows[0].transport: scream cannot carry source 'cbr', which keeps its rate; video adapts its own",
    );
    mistake(
        &format!("{VIDEO}transport.scream = {{}}\nrate-requests = [{{ at = \"2 ms\", rate = \"1 Mbit/s\" }}]\n"),
        "flows[0].rate-requests: have no effect: scream sets the rate of the source; leave them out",
    );
    mistake(
        &format!("{VIDEO}rate-requests = [{{ at = \"2 ms\" }}]\n"),
        "flows[0].rate-requests[0].rate: is missing and has no default; write rate = \"1.5 Mbit/s\"",
    );
    mistake(
        &format!("{cbr}[[measure]]\nmetric = \"frame-delay\"\nof = \"video\"\n"),
        "measure[0].of: 'frame-delay' applies to sources with frames, such as video, but 'video' has another source",
    );
}
