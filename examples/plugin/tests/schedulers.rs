//! A scheduler of one's own, with parameters of its classes and random numbers, alone and in a tree.

use penstock_engine::observations::Observations;
use penstock_engine::{Cancel, Executor, Sim};
use penstock_model::parameters::{Check, Count};
use penstock_model::registry::{Plugin, Registry, INTERFACE};
use penstock_model::rng::Stream;
use penstock_model::scheduler::class::ClassPlan;
use penstock_model::scheduler::{ClassContext, QueueState, Scheduler, SchedulerFacts, Schedulers, Turn};
use penstock_model::units::Time;
use penstock_scenario::{catalogue, json_schema, load_with, report, ReadOptions, ValidScenario};
use std::any::Any;

penstock_model::parameters! {
    /// Lottery scheduling: each packet is that of a random class.
    pub struct Parameters with class ClassParameters {}
}
impl Check for Parameters {}

penstock_model::parameters! {
    /// A class of the lottery.
    pub struct ClassParameters {
        /// Its chance to send next is its share of the tickets of all classes with packets.
        tickets: Count, changeable;
    }
}
impl Check for ClassParameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.tickets.0 > 1000 {
            mistake("tickets", "at most 1000".to_owned());
        }
    }
}

fn tickets(classes: &[ClassPlan]) -> Vec<u64> {
    classes.iter().map(|class| class.parameters().map_or(1, |class: &ClassParameters| u64::from(class.tickets.0))).collect()
}

#[derive(Clone, Debug)]
struct Lottery {
    tickets: Vec<u64>,
    stream: Stream,
    /// Decides who sends next, however often that is asked.
    drawn: f64,
}

impl Lottery {
    fn build(_: &Parameters, context: &ClassContext<'_>) -> Result<(SchedulerFacts, Box<dyn Scheduler + Send>), String> {
        let tickets = tickets(context.classes);
        if tickets.len() == 1 {
            return Err("a lottery needs two classes".to_owned());
        }
        let mut stream = context.site.key.child("lottery").stream();
        let drawn = stream.unit();
        Ok((SchedulerFacts::default(), Box::new(Lottery { tickets, stream, drawn })))
    }
}

penstock_model::state! {
    impl Lottery, |it, _now| {
        /// The number that decides who sends next.
        "drawn", "1", is it.drawn;
    }
}

impl Scheduler for Lottery {
    fn next(&mut self, _: Time, queues: &[QueueState]) -> Turn {
        let waiting = || (0..queues.len()).filter(|queue| queues[*queue].packets > 0);
        let mut number = (self.drawn * waiting().map(|queue| self.tickets[queue]).sum::<u64>() as f64) as u64;
        for queue in waiting() {
            match number.checked_sub(self.tickets[queue]) {
                None => return Turn::Queue(queue),
                Some(rest) => number = rest,
            }
        }
        unreachable!("asked only while a queue has a packet, and a ticket is drawn")
    }

    fn on_sent(&mut self, _: Time, _: usize, _: u32, _: &[QueueState]) {
        self.drawn = self.stream.unit();
    }

    fn reads_heads(&self) -> bool {
        false
    }

    fn change(&mut self, _: Time, _: &dyn Any, classes: &[ClassPlan], _: &[QueueState]) -> Option<Box<dyn Scheduler + Send>> {
        self.tickets = tickets(classes);
        None
    }
}

fn registry() -> Registry {
    let plugin = Plugin::new("lottery", INTERFACE, None).add::<Schedulers, Parameters>("lottery", Lottery::STATE, Lottery::build);
    let mut registry = Registry::default();
    registry.load(plugin).expect("sound");
    registry
}

/// Three Poisson sources of 10 Mbit/s each and of packets of random sizes, in a class each, on a link of 10 Mbit/s with this scheduler.
fn load(link: &str) -> Result<ValidScenario, String> {
    let flow = |class: &str| {
        format!(
            r#"{{ name = "{class}", class = "{class}", from = "a", to = "b",
                  source.poisson = {{ rate = "10 Mbit/s", packet = {{ mix = [{{ size = "200 bytes", share = 0.5 }}, {{ size = "1400 bytes", share = 0.5 }}] }} }} }}"#
        )
    };
    let text = format!(
        r#"
        duration = "4 s"
        nodes = {{ a = {{}}, b = {{}} }}
        links = [{{ from = "a", to = "b", rate = "10 Mbit/s", delay = "1 ms", {link} }}]
        flows = [{}, {}, {}]
        "#,
        flow("x"),
        flow("y"),
        flow("z")
    );
    let options = ReadOptions { registry: registry(), ..ReadOptions::default() };
    load_with(&Cancel::default(), &text, "t.toml", &[], options).map_err(|mistakes| report(&mistakes))
}

/// Runs it; both executors must agree.
fn run(link: &str, seed: u64) -> Observations {
    let scenario = load(link).expect("sound");
    let run = |executor| Sim::new(scenario.blueprint(Some(seed), 0)).expect("sound").with_executor(executor).run();
    let (seen, plain) = (run(Executor::default()), run(Executor::Plain));
    assert_eq!(seen.digest, plain.digest);
    seen
}

/// The shares of the three flows in the packets that arrive.
fn shares(seen: &Observations) -> Vec<f64> {
    let all: u64 = seen.flows.iter().map(|flow| flow.received.packets).sum();
    seen.flows.iter().map(|flow| flow.received.packets as f64 / all as f64).collect()
}

#[track_caller]
fn assert_near(seen: &[f64], expected: &[f64]) {
    // Four standard errors of a share of half of 6250 packets (5 MB of 800 bytes) are 0.025.
    assert!(seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 0.025), "{seen:?}, not {expected:?}");
}

const LOTTERY: &str = "scheduler.lottery = {}, class.x.tickets = 5, class.y.tickets = 3, class.z.tickets = 2";

#[test]
fn each_class_has_the_parameters_that_it_is_given() {
    assert_near(&shares(&run(LOTTERY, 1)), &[0.5, 0.3, 0.2]);
}

#[test]
fn it_stands_above_and_below_other_schedulers() {
    let below = "scheduler.wrr = {}, class.x.weight = 1, \
                 class.others = { weight = 1, scheduler.lottery = {}, class.y.tickets = 3, class.z.tickets = 2 }";
    assert_near(&shares(&run(below, 1)), &[0.5, 0.3, 0.2]);
    let above = "scheduler.lottery = {}, class.x.tickets = 1, \
                 class.others = { tickets = 4, scheduler.wrr = {}, class.y.weight = 3, class.z.weight = 1 }";
    assert_near(&shares(&run(above, 1)), &[0.2, 0.6, 0.2]);
    let both = "scheduler.lottery = {}, class.x.tickets = 1, \
                class.others = { tickets = 1, scheduler.lottery = {}, class.y.tickets = 3, class.z.tickets = 2 }";
    assert_near(&shares(&run(both, 1)), &[0.5, 0.3, 0.2]);
}

#[test]
fn tickets_change_during_a_run() {
    // Over 2 of 4 s as at first, then with 0.1, 0.3 and 0.6; in the second case a level further down.
    let changes = |path: &str, values: [u32; 2]| {
        let change = |class: &str, value: u32| format!(r#"{{ at = "2 s", parameter = "{path}.{class}.tickets", value = {value} }}"#);
        format!("parameter-changes = [{}, {}]", change("y", values[0]), change("z", values[1]))
    };
    assert_near(&shares(&run(&format!("{LOTTERY}, {}", changes("class", [15, 30])), 1)), &[0.3, 0.3, 0.4]);
    let below = "scheduler.wrr = {}, class.x.weight = 1, \
                 class.others = { weight = 1, scheduler.lottery = {}, class.y.tickets = 3, class.z.tickets = 2 }";
    assert_near(&shares(&run(&format!("{below}, {}", changes("class.others.class", [2, 3])), 1)), &[0.5, 0.25, 0.25]);
}

#[test]
fn random_numbers_are_its_own() {
    let [first, again, other] = [1, 1, 2].map(|seed| run(LOTTERY, seed));
    assert_eq!(first.digest, again.digest);
    assert_ne!(first.digest, other.digest);
    // Sources that draw times and sizes send the same whichever scheduler draws, or none does.
    let sent = |seen: &Observations| seen.flows.iter().map(|flow| (flow.sent.packets, flow.sent.bytes)).collect::<Vec<_>>();
    let wrr = run("scheduler.wrr = {}, class.x.weight = 5, class.y.weight = 3, class.z.weight = 2", 1);
    assert_eq!(sent(&first), sent(&wrr));
    assert_ne!(first.digest, wrr.digest);
}

#[test]
fn mistakes_are_told_at_their_place() {
    let wrong = |link: &str| load(link).expect_err("a mistake");
    let unknown = wrong("scheduler.lottery = {}, class.x = { tickets = 5, weight = 2 }, class.y.tickets = 3, class.z.tickets = 2");
    assert!(unknown.contains("class.x.weight: has no effect with scheduler.lottery, which reads tickets"), "{unknown}");
    let other = wrong("scheduler.wrr = {}, class.x = { weight = 5, tickets = 1 }, class.y.weight = 3, class.z.weight = 2");
    assert!(other.contains("class.x.tickets: has no effect with scheduler.wrr, which reads weight"), "{other}");
    let misspelt = wrong("scheduler.lottery = {}, class.x.tikets = 5, class.y.tickets = 3, class.z.tickets = 2");
    assert!(misspelt.contains("unknown key 'tikets'; did you mean 'tickets'?"), "{misspelt}");
    assert!(misspelt.contains("class.x.tickets: is missing and has no default; write tickets = 1"), "{misspelt}");
    let many = wrong("scheduler.lottery = {}, class.x.tickets = 1001, class.y.tickets = 3, class.z.tickets = 2");
    assert!(many.contains("class.x.tickets: at most 1000"), "{many}");
    let few = wrong("scheduler.lottery = {}, class.all = { tickets = 1, scheduler.wrr = {}, class.x.weight = 1, class.y.weight = 1, class.z.weight = 1 }");
    assert!(few.contains("links[0].scheduler.lottery: the factory of scheduler 'lottery' failed: a lottery needs two classes"), "{few}");
}

#[test]
fn it_is_listed_with_the_parameters_of_its_classes() {
    let all = catalogue(&registry());
    let schedulers = all["components"]["scheduler"].as_array().expect("a list");
    let entry = schedulers.iter().find(|entry| entry["name"] == "lottery").expect("listed");
    assert_eq!((&entry["classes"]["parameters"][0]["key"], &entry["state"][0]["name"]), (&"tickets".into(), &"drawn".into()));
    let schema = json_schema(&registry());
    assert_eq!(schema["$defs"]["class"]["properties"]["tickets"]["type"], "integer");
    assert!(schema["$defs"]["scheduler.lottery"].is_object());
}
