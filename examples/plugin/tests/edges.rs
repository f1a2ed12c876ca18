//! Admission and termination schemes of a plug-in, as small as can be, in runs.

use penstock_engine::observations::{CallCounters, Observations};
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::edge::admission::cle::Marks;
use penstock_model::edge::admission::{AdmissionEgress, AdmissionIngress, AdmissionScheme, Admissions};
use penstock_model::edge::termination::{TerminationEgress, TerminationIngress, TerminationScheme, Terminations};
use penstock_model::edge::{Decision, Report, Victims};
use penstock_model::packet::PcnMark;
use penstock_model::parameters::{Check, Count};
use penstock_model::registry::{Plugin, Registry, RegistryError, INTERFACE};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load_with, report, ReadOptions, ValidScenario};

penstock_model::parameters! {
    /// A number of calls, and an interval.
    pub struct Parameters {
        /// Calls.
        calls: Count;
        /// Of reports.
        interval: Duration = "100 ms";
    }
}
impl Check for Parameters {}

/// What one call sends.
const CALL: u64 = 64_000;

/// At most n calls at a time, as the ingress counts them.
#[derive(Clone)]
struct Limit(u32);

impl AdmissionIngress for Limit {
    fn on_call(&mut self, _: Time, live: u32) -> Decision {
        match self.admits_now(live) {
            Some(true) => Decision::Admit,
            _ => Decision::Block,
        }
    }

    fn admits_now(&self, live: u32) -> Option<bool> {
        Some(live < self.0)
    }
}

/// Calls begin while the last report is of fewer than n calls.
#[derive(Clone)]
struct ByReport {
    calls: u32,
    admits: bool,
}

impl AdmissionIngress for ByReport {
    fn on_call(&mut self, _: Time, _: u32) -> Decision {
        if self.admits {
            Decision::Admit
        } else {
            Decision::Block
        }
    }

    fn on_report(&mut self, _: Time, report: Report) {
        self.admits = total(report) < CALL * u64::from(self.calls);
    }
}

fn total(report: Report) -> u64 {
    report.unmarked.as_bps() + report.threshold.as_bps() + report.excess.as_bps()
}

/// Asks the egress, which admits at most n calls at a time.
#[derive(Clone)]
struct Asks;

impl AdmissionIngress for Asks {
    fn on_call(&mut self, _: Time, _: u32) -> Decision {
        Decision::Ask
    }

    fn admits(&self, level: f64) -> bool {
        level < 1.0
    }

    fn tells_ends(&self) -> bool {
        true
    }
}

/// Answers with the share of the calls that it knows of, which it forgets every 300 ms.
#[derive(Clone)]
struct Answers {
    calls: u32,
    known: u32,
    packets: u32,
    forgets: Time,
}

impl AdmissionEgress for Answers {
    fn on_packet(&mut self, _: Time, _: Bytes, _: PcnMark) {
        self.packets += 1;
    }

    fn on_request(&mut self, _: Time, _: u32, _: &mut u32) -> f64 {
        let level = f64::from(self.known) / f64::from(self.calls);
        self.known += u32::from(level < 1.0);
        level
    }

    fn deadline(&self) -> Time {
        self.forgets
    }

    fn on_timer(&mut self, now: Time) {
        assert!(self.packets > 0, "calls have sent something by then");
        (self.known, self.forgets) = (0, now + Duration::from_ms(300));
    }
}

/// A report of more than n calls ends half of the live ones.
#[derive(Clone)]
struct Halves(u32);

impl TerminationIngress for Halves {
    fn on_report(&mut self, _: Time, report: Report, live: u32) -> u32 {
        if total(report) > CALL * u64::from(self.0) {
            live / 2
        } else {
            0
        }
    }
}

/// Keeps what the egress says, 10 ms after it has said so.
#[derive(Clone)]
struct Later {
    keep: u64,
    at: Time,
    sent: u32,
}

impl TerminationIngress for Later {
    fn on_sent(&mut self, _: Time, _: Bytes) {
        self.sent += 1;
    }

    fn on_sustainable(&mut self, now: Time, rate: Rate, _: u32) -> u32 {
        assert!(self.sent >= 100, "the egress has counted 100 packets");
        (self.keep, self.at) = (rate.as_bps() / CALL, now + Duration::from_ms(10));
        0
    }

    fn deadline(&self) -> Time {
        self.at
    }

    fn on_timer(&mut self, _: Time, live: u32) -> u32 {
        self.at = Time::NEVER;
        live.saturating_sub(self.keep as u32)
    }

    fn restarts(&self) -> bool {
        true
    }
}

/// Signals after 100 packets, and after 100 more once the ingress has cut, what n calls send.
#[derive(Clone)]
struct Counts {
    calls: u32,
    packets: u32,
}

impl TerminationEgress for Counts {
    fn on_packet(&mut self, _: Time, _: Bytes, _: PcnMark) -> Option<Rate> {
        self.packets += 1;
        (self.packets == 100).then(|| Rate::from_bps(CALL * u64::from(self.calls)))
    }

    fn on_restart(&mut self) {
        (self.packets, self.calls) = (0, self.calls - 1);
    }
}

fn plugin() -> Plugin {
    Plugin::new("edges", INTERFACE, None)
        .add::<Admissions, Parameters>("limit", &[], |it, _| match it.calls.0 {
            1001.. => Err("a thousand calls are enough".to_owned()),
            calls => Ok(AdmissionScheme::alone(Limit(calls))),
        })
        .add::<Admissions, Parameters>("by-report", &[], |it, _| {
            let ingress = ByReport { calls: it.calls.0, admits: true };
            Ok(AdmissionScheme::reported(ingress, it.interval)?.reading(Marks::Excess))
        })
        .add::<Admissions, Parameters>("asks", &[], |it, _| {
            let forgets = Time::ZERO + Duration::from_ms(300);
            Ok(AdmissionScheme::asking(Asks, Answers { calls: it.calls.0, known: 0, packets: 0, forgets }))
        })
        .add::<Terminations, Parameters>("halves", &[], |it, _| {
            Ok(TerminationScheme::reported(Halves(it.calls.0), it.interval)?.choosing(Victims::Newest))
        })
        .add::<Terminations, Parameters>("counts", &[], |it, context| {
            assert_eq!(context.call_rate.as_bps(), CALL);
            let ingress = Later { keep: 0, at: Time::NEVER, sent: 0 };
            Ok(TerminationScheme::signalled(ingress, Counts { calls: it.calls.0, packets: 0 }).reading(Marks::Threshold))
        })
}

/// Reads calls of 64 kbit/s, a packet each 20 ms, on a link of 100 Mbit/s with this PCN meter.
fn load(meter: &str, calls: &str) -> Result<ValidScenario, String> {
    let text = format!(
        r#"
        duration = "1 s"
        nodes = {{ a = {{}}, b = {{}} }}
        links = [{{ from = "a", to = "b", rate = "100 Mbit/s", delay = "1 ms", both-ways = true, {meter} }}]

        [[calls]]
        name = "v"
        from = "a"
        to = "b"
        source.cbr = {{ rate = "64 kbit/s", packet = "160 bytes" }}
        {calls}
        "#
    );
    let mut registry = Registry::default();
    registry.load(plugin()).expect("sound");
    let options = ReadOptions { registry, ..ReadOptions::default() };
    load_with(&Cancel::default(), &text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes))
}

const THRESHOLD: &str = r#"pcn.threshold = { rate = "1 Mbit/s", size = "20 ms", threshold = "10 ms" }"#;
const EXCESS: &str = r#"pcn.excess = { rate = "1 Mbit/s", size = "20 ms" }"#;
/// A call each 2 ms, which does not end.
const ARRIVALS: &str = "arrivals.poisson = { interval = \"2 ms\" }\nholding.infinite = {}\n";

/// What became of the calls; all executors must agree.
fn run(meter: &str, calls: &str) -> CallCounters {
    let scenario = load(meter, calls).expect("sound");
    let run = |executor| -> Observations { Sim::new(scenario.blueprint(None, 0)).expect("sound").with_executor(executor).run() };
    let (seen, plain) = (run(Executor::default()), run(Executor::Plain));
    assert_eq!(seen.digest, plain.digest);
    seen.calls[0].1.clone()
}

#[test]
fn an_ingress_alone_limits_the_calls() {
    let calls = run(THRESHOLD, &format!("{ARRIVALS}admission.limit = {{ calls = 7 }}"));
    assert_eq!((calls.admitted, calls.live_at_end), (7, 7));
    assert!(calls.blocked == calls.offered - 7 && calls.offered > 400, "{calls:?}");
}

#[test]
fn reports_decide_about_calls() {
    // Calls come until the first report of 20 of them, which are there after 40 ms: at the end of the second interval at the latest.
    let calls = run(EXCESS, &format!("{ARRIVALS}admission.by-report = {{ calls = 20, interval = \"50 ms\" }}"));
    let most = calls.offered / 5;
    assert!(calls.admitted >= 20 && calls.admitted < most, "{calls:?}");
    assert_eq!(calls.admitted + calls.blocked, calls.offered);
}

#[test]
fn an_egress_answers() {
    // Five calls in each 300 ms; a second has room for four of these.
    let calls = run(THRESHOLD, &format!("{ARRIVALS}admission.asks = {{ calls = 5 }}"));
    assert_eq!(calls.admitted, 20);
    assert!(calls.blocked > 380, "{calls:?}");
}

#[test]
fn a_report_ends_calls() {
    // 16 calls, 8, 4, and those are not more than 5.
    let calls = run("", "initial = { calls = 16 }\ntermination.halves = { calls = 5 }");
    let cuts: Vec<(u32, u32)> = calls.terminations.iter().map(|(_, cut, left)| (*cut, *left)).collect();
    assert_eq!(cuts, [(8, 8), (4, 4)]);
}

#[test]
fn an_egress_signals_what_may_stay() {
    let calls = run(THRESHOLD, "initial = { calls = 10 }\ntermination.counts = { calls = 6 }");
    let cuts: Vec<(u32, u32)> = calls.terminations.iter().map(|(_, cut, left)| (*cut, *left)).collect();
    // Each cut makes the egress count again, and then ask for a call less.
    assert_eq!(cuts, [(4, 6), (1, 5), (1, 4)]);
    // The tenth packet of the last call leaves 180 ms after its first, which comes within 40 ms; 1 ms there, 1 ms back, and 10 ms.
    let first = calls.terminations[0].0.since(Time::ZERO);
    assert!(first > Duration::from_ms(192) && first < Duration::from_ms(233), "{first}");
}

#[test]
fn mistakes_have_their_place() {
    let wrong = |meter: &str, calls: &str| load(meter, calls).map(|_| ()).expect_err("a mistake");
    let failed = wrong(THRESHOLD, &format!("{ARRIVALS}admission.limit = {{ calls = 1001 }}"));
    assert!(failed.contains("calls[0].admission.limit: the factory of admission 'limit' failed: a thousand calls are enough"), "{failed}");
    let zero = wrong(THRESHOLD, "initial = { calls = 16 }\ntermination.halves = { calls = 5, interval = \"0 s\" }");
    assert!(zero.contains("the factory of termination 'halves' failed: an interval of reports must be above zero"), "{zero}");
    let unset = wrong(THRESHOLD, &format!("{ARRIVALS}admission.by-report = {{ calls = 20 }}"));
    assert!(unset.contains("calls[0].admission.by-report: on the routes of 'v', nothing sets excess-traffic marks"), "{unset}");
    let unset = wrong(EXCESS, "initial = { calls = 10 }\ntermination.counts = { calls = 6 }");
    assert!(unset.contains("nothing sets threshold marks"), "{unset}");
    let unmarked = wrong("", "initial = { calls = 10 }\ntermination.counts = { calls = 6 }");
    assert!(unmarked.contains("no link on the routes of 'v' has a PCN meter"), "{unmarked}");
    let differ = format!("{ARRIVALS}admission.by-report = {{ calls = 20 }}\ntermination.halves = {{ calls = 5, interval = \"50 ms\" }}");
    assert!(wrong(EXCESS, &differ).contains("share the egress' reports: measuring-interval is 100 ms for one and 50 ms"));
    let unknown = wrong(THRESHOLD, "initial = { calls = 16 }\ntermination.halve = { calls = 5 }");
    assert!(unknown.contains("unknown termination 'halve'; did you mean 'halves'?"), "{unknown}");
}

#[test]
fn names_are_taken_once() {
    let limit = |_: &Parameters, _: &_| Ok(AdmissionScheme::alone(Limit(1)));
    let halves = |_: &Parameters, _: &_| TerminationScheme::reported(Halves(1), Duration::from_ms(1));
    let plugins = [
        ("admission", "cle", Plugin::new("mine", INTERFACE, None).add::<Admissions, Parameters>("cle", &[], limit)),
        ("admission", "limit", plugin().add::<Admissions, Parameters>("limit", &[], limit)),
        ("termination", "sm", Plugin::new("mine", INTERFACE, None).add::<Terminations, Parameters>("sm", &[], halves)),
        ("termination", "halves", plugin().add::<Terminations, Parameters>("halves", &[], halves)),
    ];
    for (kind, name, plugin) in plugins {
        let error = Registry::default().load(plugin).expect_err("taken");
        assert!(matches!(error, RegistryError::TwoOfOneName { kind: of, name: found, .. } if (of, found) == (kind, name)), "{error}");
    }
}
