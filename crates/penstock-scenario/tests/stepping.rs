//! Runs that are advanced step by step.

use penstock_engine::{Cancel, Sim};
use penstock_model::units::{Duration, Time};
use penstock_scenario::{load, ReadOptions, StepError, SteppedRun};

const NET: &str = r#"
duration = "2 s"
warm-up = "1 s"

[nodes]
a = {}
r = {}
b = {}

[[links]]
from = "a"
to = "r"
rate = "20 Mbit/s"
delay = "2 ms"
both-ways = true
back.queue.codel.target = "5 ms"

[[links]]
from = "r"
to = "b"
rate = "2 Mbit/s"
delay = "10 ms"
both-ways = true
queue.red = { limit = "60 packets", min-threshold = "5 packets", max-threshold = "15 packets", max-probability = 0.1 }

[[flows]]
name = "web"
from = "a"
to = "b"
count = 2
source.ftp = {}
transport.tcp = { recovery.new-reno = {}, congestion-control.cubic = {} }
"#;

fn stepped(text: &str, observe: &[(&str, &str)]) -> Result<SteppedRun, StepError> {
    let observe: Vec<(String, String)> = observe.iter().map(|(of, what)| ((*of).to_owned(), (*what).to_owned())).collect();
    SteppedRun::new(&Cancel::default(), (text, "net.toml"), &[], ReadOptions::default(), (None, 0), &observe)
}

fn run_until(run: &mut SteppedRun, ms: u64) {
    while !run.run_events(Time::ZERO + Duration::from_ms(ms), 1000) {}
}

fn digest_of(text: &str) -> u64 {
    let scenario = load(text, "net.toml", &[]).expect("sound");
    Sim::new(scenario.blueprint(None, 0)).expect("sound").run().digest
}

#[test]
fn steps_change_nothing() {
    let mut run = stepped(NET, &[("r-b", "queue"), ("web", "cwnd")]).expect("sound");
    for step in 1..=40 {
        run_until(&mut run, 50 * step);
        assert!(run.values().iter().all(|value| value.is_finite()));
    }
    assert_eq!(run.now(), run.end());
    assert_eq!(run.finish().digest, digest_of(NET));
}

#[test]
fn a_set_parameter_is_a_change_that_the_scenario_writes() {
    let mut run = stepped(NET, &[]).expect("sound");
    run_until(&mut run, 700);
    run.set("r-b.queue.red.max-probability", "0.4").expect("may change");
    run.set("links.r-b.queue.red.max-threshold", "12 packets").expect("may change");
    run.set("r-a.queue.codel.target", "2 ms").expect("may change");
    run.set("web.transport.tcp.congestion-control.cubic.beta", "0.8").expect("may change");
    run_until(&mut run, 2000);
    let at = r#"at = "700000000001 ps""#;
    let change = |path: &str, value: &str| format!("{{ {at}, parameter = \"{path}\", value = {value} }}");
    let link = [change("queue.red.max-probability", "0.4"), change("queue.red.max-threshold", "\"12 packets\"")].join(", ");
    let back = change("queue.codel.target", "\"2 ms\"");
    let flow = change("transport.tcp.congestion-control.cubic.beta", "0.8");
    let text = NET
        .replace("queue.red = {", &format!("parameter-changes = [{link}]\nqueue.red = {{"))
        .replace("back.queue", &format!("back.parameter-changes = [{back}]\nback.queue"))
        .replace("source.ftp", &format!("parameter-changes = [{flow}]\nsource.ftp"));
    let seen = run.finish();
    assert_eq!(seen.digest, digest_of(&text));
    assert_ne!(seen.digest, digest_of(NET));
}

#[test]
fn a_clone_and_another_run_go_on_by_themselves() {
    let mut run = stepped(NET, &[("r-b", "queue")]).expect("sound");
    run_until(&mut run, 500);
    let mut clone = run.clone();
    clone.set("r-b.queue.red.max-probability", "0.9").expect("may change");
    run_until(&mut clone, 2000);
    let mut other = clone.another(&Cancel::default(), (None, 0)).expect("sound");
    run_until(&mut other, 2000);
    run_until(&mut run, 2000);
    assert_eq!([run, other].map(|run| run.finish().digest), [digest_of(NET); 2]);
}

#[test]
fn what_may_not_be_set_is_refused_and_changes_nothing() {
    let mut run = stepped(NET, &[]).expect("sound");
    let mut wrong = |path: &str, value: &str| run.set(path, value).expect_err("refused");
    assert_eq!(wrong("red", "1"), "is not the path of a parameter; write a name and a path, such as r1-r2.queue.red.max-probability");
    assert!(wrong("r-bb.queue.red.weight", "1").starts_with("unknown link or group of flows 'r-bb'; did you mean 'r-b'?"));
    assert!(wrong("r-b.rate", "1 Mbit/s").starts_with("'rate' is not the path of a parameter that can change"));
    assert!(wrong("r-b.queue.red.limit", "9 packets").contains("'limit' cannot be changed during a run"));
    // Even if the value is wrong, or would make another parameter wrong.
    for value in ["5 packets", "9 pakets"] {
        assert_eq!(wrong("r-b.queue.red.limit", value), "'limit' cannot be changed during a run");
    }
    let large = "1000000000000000000000";
    let too_large = format!("{large} is too large; whole numbers go up to 9223372036854775807");
    assert_eq!(wrong("r-b.queue.red.max-probability", large), too_large);
    assert!(wrong("r-b.queue.red.max-probability", "4").contains("4 is out of range; between 0 and 1"));
    assert!(wrong("r-b.queue.red.max-probability", "{").contains("is not TOML"));
    assert!(wrong("b-r.queue.tail-drop.limit", "9 packets").contains("the way back has no table 'back'"));
    assert!(wrong("web.transport.tcp.initial-window", "3 packets").contains("'initial-window'"));
    run_until(&mut run, 2000);
    assert_eq!(run.finish().digest, digest_of(NET));
}

#[test]
fn observations_have_units_and_mistakes_are_told() {
    let run = stepped(NET, &[("r-b", "queue.red.average"), ("r-b", "utilisation"), ("web", "srtt")]).expect("sound");
    assert_eq!(run.units(), ["packets", "1", "s"]);
    let wrong = |of: &str, what: &str| match stepped(NET, &[("r-b", "queue"), (of, what)]) {
        Err(StepError::Observation(1, why)) => why,
        _ => panic!("refused"),
    };
    assert!(wrong("r-bb", "queue").contains("did you mean 'r-b'?"));
    assert!(wrong("r-b", "cue").contains("unknown variable 'cue'"));
}
