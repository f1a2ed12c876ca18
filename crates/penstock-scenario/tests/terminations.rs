//! Terminations by each scheme, in whole simulations that leave no choice.

mod common;
use common::sound;
use penstock_engine::{Executor, Sim};
use penstock_model::units::Duration;

/// A thousand calls on a link that supports half as many. The bucket is deep: the load is marked once all calls have begun.
const OVERLOAD: &str = r#"duration = "2 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
pcn.threshold = { rate = "32 Mbit/s", size = "100 ms", threshold = "50 ms" }
impairment.delay = { added = { uniform = ["0 ms", "50 ms"] } }
[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 1000, spread = "20 ms" }
termination.single-threshold = { receiving = "share" }
"#;

/// For each cut, the number of calls and the number that ended.
fn cuts(text: &str) -> Vec<(u32, u32)> {
    let observed = Sim::new(sound(text, &[]).blueprint(None, 0)).expect("validated").run();
    let [(_, calls)] = &observed.calls[..] else { panic!("one aggregate") };
    calls.terminations.iter().map(|(_, cut, left)| (left + cut, *cut)).collect()
}

#[test]
fn packets_that_overtake_each_other_are_not_lost() {
    let cuts = cuts(OVERLOAD);
    assert!(cuts.len() >= 14, "{cuts:?}");
    // Exactly 5 % of the calls, rounded, since 100 ms hold five packets of each: no packet counts as lost, however late it is.
    assert!(cuts.iter().all(|(live, cut)| *cut == (live + 10) / 20), "{cuts:?}");
    // Without a waiting time, packets in flight look lost.
    let hasty = self::cuts(&OVERLOAD.replacen("\"share\"", "\"share\", waiting-time = \"0 ms\"", 1));
    assert!(hasty[0].1 > 2 * cuts[0].1, "{hasty:?}");
}

#[test]
fn packets_that_overtake_each_other_hide_no_loss() {
    let cuts = cuts(&OVERLOAD.replacen("impairment.delay", "impairment.loss = { probability = 0.1 }\nimpairment.delay", 1));
    // The lowest of three shares of 1650 packets each: .9 less .85 standard errors of .0074, and one of .74 of that.
    let (live, cut) = cuts[1];
    let share = 1.0 - f64::from(cut) / f64::from(live);
    assert!((share - 0.95 * (0.9 - 0.85 * 0.0074)).abs() < 4.0 * 0.0055, "{cuts:?}");
}

/// A hundred calls from the beginning and another hundred from 5 s on, all for 10 s, on a link that supports a hundred.
const TWO_AGES: &str = r#"duration = "14 s"
warm-up = "11 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
pcn.threshold = { rate = "6.4 Mbit/s", size = "100 ms", threshold = "50 ms" }
[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 100, spread = "20 ms" }
surge = { at = "5 s", calls = 100, spread = "20 ms" }
holding.fixed = { time = "10 s" }
termination.single-threshold = { victims = "random" }
"#;

#[test]
fn the_calls_that_end_are_the_newest_the_oldest_or_any() {
    // Calls live from 11 s on, when all initial ones have ended, and the number of calls that the terminations left.
    let live = |victims: &str| {
        let text = TWO_AGES.replacen("\"random\"", &format!("\"{victims}\""), 1);
        let observed = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("validated").run();
        let (_, calls) = &observed.calls[0];
        let (last, _, left) = *calls.terminations.last().expect("there is an overload");
        // Fewer than all, and enough to tell whose calls are left.
        assert!(last < observed.from && (50..=101).contains(&left), "{left} are left at {last}");
        (calls.live_ps as f64 / observed.to.since(observed.from).as_ps() as f64, f64::from(left))
    };
    assert_eq!(live("newest").0, (live("newest").1 - 100.0).max(0.0));
    let (oldest, left) = live("oldest");
    assert_eq!(oldest, left);
    // As if the survivors were drawn from 200 calls, half of them of the surge; four standard deviations.
    let (random, left) = live("random");
    assert!((random - left / 2.0).abs() < 4.0 * (0.25 * left * (200.0 - left) / 199.0).sqrt(), "{random} of {left}");
}

/// Twenty ingresses right at a bottleneck that is overloaded from 100 ms on, and an egress that measures for 100 ms.
const MANY_INGRESSES: &str = r#"duration = "1 s"
[nodes]
ingress = { count = 20 }
a = {}
b = {}
[[links]]
from = "ingress"
to = "a"
rate = "1 Gbit/s"
delay = "0 s"
[[links]]
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
pcn.excess = { rate = "9 Mbit/s", size = "20 ms" }
[[calls]]
name = "v"
from = "ingress"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 4, spread = "20 ms" }
surge = { at = "100 ms", calls = 6, spread = "20 ms" }
termination.cl = { sar-interval = "100 ms" }
"#;

/// While the egress measures, its possible messages do not limit other processes: a visit of an ingress handles many packets.
#[test]
fn who_measures_before_it_tells_bounds_no_visits() {
    let run = |text: &str, executor| {
        let mut sim = Sim::new(sound(text, &[]).blueprint(None, 0)).expect("validated").with_executor(executor);
        assert!(sim.run_events(sim.end(), u64::MAX));
        let (steps, events) = (sim.executor_steps(), sim.events());
        let observed = sim.run();
        assert!(observed.calls.iter().any(|(_, calls)| !calls.terminations.is_empty()), "calls are terminated");
        (events as f64 / steps as f64, observed.digest)
    };
    let (measuring, digest) = run(MANY_INGRESSES, Executor::Horizon);
    assert_eq!(digest, run(MANY_INGRESSES, Executor::Plain).1);
    // With single thresholds and runs of one marked packet, the egress may send a message with any packet.
    let telling = MANY_INGRESSES
        .replace(
            "pcn.excess = { rate = \"9 Mbit/s\", size = \"20 ms\" }",
            "pcn.threshold = { rate = \"9 Mbit/s\", size = \"20 ms\", threshold = \"10 ms\" }",
        )
        .replace("termination.cl = { sar-interval = \"100 ms\" }", "termination.single-threshold = { marked-run = 1 }");
    let (telling, _) = run(&telling, Executor::Horizon);
    assert!(measuring > 2.5 * telling, "{measuring} events a visit, {telling} where any packet may be answered");
}

/// Twelve ingresses, and from 3 s on twice as many calls as are supported.
const TWELVE_INGRESSES: &str = r#"duration = "4 s"
[nodes]
ingress = { count = 12 }
d = {}
f = {}
[[links]]
from = "ingress"
to = "d"
rate = "1 Tbit/s"
delay = "0 s"
[[links]]
from = "d"
to = "f"
rate = "20 Mbit/s"
delay = "1 ms"
pcn.single-threshold = { admissible-rate = "2 Mbit/s", supportable-rate = "4 Mbit/s" }
[[calls]]
name = "v"
from = "ingress"
to = "f"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes", phase = "zero" }
initial = { calls = 2, spread = "20 ms" }
surge = { at = "3 s", calls = 8, spread = "20 ms" }
delay = { added = { uniform = ["0 s", "50 ms"] } }
termination.single-threshold = { marked-run = 40, unmarked-run = 20 }
"#;

/// An ingress runs ahead of its egress, which counts marked packets before it sends a message; the message still arrives in time.
#[test]
fn what_an_ingress_sends_before_its_egress_has_counted_changes_nothing() {
    let cbr = r#"source.cbr = { rate = "64 kbit/s", packet = "160 bytes", phase = "zero" }"#;
    let on_off = r#"source.on-off = { packet = "160 bytes", spacing = "20 ms", on = "340 ms", off = "160 ms" }"#;
    let restarted = on_off.replacen(" }", r#", remainder = "restarted" }"#, 1);
    let delay = r#"delay = { added = { uniform = ["0 s", "50 ms"] } }"#;
    for source in [cbr, on_off, &restarted] {
        for added in [delay, &delay.replacen("50 ms", "250 ms", 1), ""] {
            let events_of_a_visit = [1, 12, 40, 90].map(|run| {
                let text = TWELVE_INGRESSES.replacen(cbr, source, 1).replacen(delay, added, 1);
                let text = text.replacen("marked-run = 40", &format!("marked-run = {run}"), 1);
                let [plain, ahead] = [Executor::Plain, Executor::Horizon].map(|executor| {
                    let mut sim = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("validated").with_executor(executor);
                    assert!(sim.run_events(sim.end(), u64::MAX));
                    let events_of_a_visit = sim.events() as f64 / sim.executor_steps() as f64;
                    (sim.run(), events_of_a_visit)
                });
                let terminations: usize = plain.0.calls.iter().map(|(_, calls)| calls.terminations.len()).sum();
                assert!(terminations >= 12, "{terminations} cuts");
                assert_eq!(plain.0.digest, ahead.0.digest, "{text}");
                ahead.1
            });
            // For sources that may send two packets at once, no lookahead is known.
            let gain = events_of_a_visit[3] / events_of_a_visit[0];
            assert_eq!(gain > 1.5, source != restarted, "{events_of_a_visit:?} with {source} {added}");
        }
    }
}

/// An egress may count copies that the network has made.
#[test]
fn what_arrives_twice_is_no_promise() {
    let bottleneck = "rate = \"20 Mbit/s\"";
    let text = TWELVE_INGRESSES.replacen(bottleneck, &format!("{bottleneck}\nimpairment.duplication = {{ probability = 0.9 }}"), 1);
    let [plain, ahead] = [Executor::Plain, Executor::Horizon]
        .map(|executor| Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("validated").with_executor(executor).run());
    assert!(plain.calls.iter().any(|(_, calls)| !calls.terminations.is_empty()), "calls are terminated");
    assert_eq!(plain.digest, ahead.digest);
}

/// A hundred calls: about half talk all the time, more than the 20 that are supported, and the others never.
const TALKERS: &str = r#"duration = "7 s"
warm-up = "3 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "1 ms"
pcn.excess = { rate = "1.28 Mbit/s", size = "5 ms" }
[[calls]]
name = "v"
from = "a"
to = "b"
source.on-off = { packet = "160 bytes", spacing = "20 ms", on = "100000 s", off = "100000 s", initial = "either" }
initial = { calls = 100, spread = "20 ms" }
termination.marked-flow = {}
"#;

#[test]
fn the_call_that_ends_is_the_one_whose_packet_was_marked() {
    // Packets travel in batches, through a delay, or one by one to a queue with a discipline.
    for (queue, delay) in [("", ""), ("", "delay = { added = { uniform = [\"0 s\", \"50 ms\"] } }\n"), ("queue.codel = {}\n", "")] {
        let text =
            TALKERS.replacen("[[calls]]", &format!("{queue}[[calls]]"), 1).replacen("termination", &format!("{delay}termination"), 1);
        let run = |text: &str, executor| {
            let observed = Sim::new(sound(text, &[]).blueprint(None, 0)).expect("validated").with_executor(executor).run();
            let ended: u32 = observed.calls[0].1.terminations.iter().map(|(_, cut, _)| cut).sum();
            // In 4 s a call sends 200 packets, plus or minus those delayed at the ends.
            (((observed.flows[0].sent.packets + 100) / 200) as u32, ended, observed.digest)
        };
        let (talkers, none, _) = run(&text.replacen("termination.marked-flow = {}", "", 1), Executor::Plain);
        let (left, ended, digest) = run(&text, Executor::Plain);
        assert!((40..=60).contains(&talkers) && none == 0, "{talkers} talk");
        // Not one silent call ended.
        assert_eq!(left, talkers - ended, "{queue}{delay}");
        assert!((1..=20).contains(&left), "{left} are left of {talkers} {queue}{delay}");
        for executor in [Executor::Horizon, Executor::Sweeps, Executor::Windows] {
            assert_eq!(run(&text, executor).2, digest, "{queue}{delay}{executor:?}");
        }
    }
}

/// Calls that arrive all the time and never end on their own: 30 are admitted at a time, and 20 are supported.
const MORE_THAN_SUPPORTED: &str = r#"duration = "20 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "1 ms"
pcn.excess = { rate = "1.28 Mbit/s", size = "5 ms" }
[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
arrivals.poisson = { interval = "50 ms" }
holding.infinite = {}
admission.count = { limit = 30 }
termination.marked-flow = {}
"#;

#[test]
fn admission_counts_the_calls_that_marks_have_ended() {
    let observed = Sim::new(sound(MORE_THAN_SUPPORTED, &[]).blueprint(None, 0)).expect("validated").run();
    let (_, calls) = &observed.calls[0];
    let ended: u64 = calls.terminations.iter().map(|(_, cut, _)| u64::from(*cut)).sum();
    assert_eq!(calls.admitted, calls.live_at_end + ended);
    // Each mark ends one call beyond the 20, and the next call has its place: none is refused.
    assert!(ended > 300 && calls.blocked == 0, "{ended} ended, {} refused", calls.blocked);
    assert!(calls.terminations.iter().all(|(_, cut, _)| *cut == 1));
}

/// From 1 s on a tenth more calls than the link supports, with packets in random order, and 40 ms for the path and the signal back.
const A_TENTH_TOO_MANY: &str = r#"duration = "3 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "20 ms"
pcn.excess = { rate = "640 Mbit/s", size = "5 ms", mark-every = 1 }
[[calls]]
name = "v"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
initial = { calls = 10000, spread = "20 ms" }
surge = { at = "1 s", calls = 1000, spread = "0 s" }
delay = { added = { uniform = ["0 s", "20 ms"] }, at-end = "lost" }
termination.marked-flow = {}
"#;

/// Calls beyond those supported, from the first termination on: the law E'(t) = -E(t - D) / (N T) in steps of 10 us.
fn excess(every: f64, steps: usize) -> Vec<f64> {
    let (delay, step) = (4000, 0.01 / (every * 20.0));
    let mut excess = vec![1000.0_f64; delay + 1];
    for i in delay..delay + steps {
        excess.push(excess[i] - step * excess[i - delay].max(0.0));
    }
    excess.split_off(delay)
}

#[test]
fn the_excess_decays_as_the_delay_and_the_share_of_marks_say() {
    for every in [1, 6, 8, 16] {
        let text = A_TENTH_TOO_MANY.replacen("mark-every = 1", &format!("mark-every = {every}"), 1);
        let observed = Sim::new(sound(&text, &[]).blueprint(None, 0)).expect("validated").run();
        let terminations = &observed.calls[0].1.terminations;
        let left_after = |ms: u64| {
            let until = terminations[0].0 + Duration::from_ms(ms);
            let last = terminations.iter().rfind(|(at, ..)| *at <= until).expect("the first");
            f64::from(last.2) - 10_000.0
        };
        let law = excess(f64::from(every), 200_000);
        // The number of packets that have arrived from 11,000 calls at random instants varies by half the root of 11,000; one in N ends a
        // call. Calls marked again before they end are ended once, which has the opposite effect.
        let deviation = 4.0 * 0.5 * 11_000_f64.sqrt() / f64::from(every);
        let marked: f64 = 1000.0 - law.last().expect("some");
        let twice = marked * marked * (40.0 / (20.0 * f64::from(every))).min(1.0) / (2.0 * 11_000.0);
        for ms in [10, 50, 100, 200, 1900] {
            let (found, expected) = (left_after(ms), law[100 * ms as usize]);
            let range = expected - deviation..=expected + deviation + twice;
            assert!(range.contains(&found), "{found} after {ms} ms with N = {every}, by the law {expected}: {range:?}");
        }
        // With D = 2 T the smallest N for D <= N T / e is 6.
        assert_eq!(law.iter().any(|it| *it < 0.0), every < 6);
    }
}
