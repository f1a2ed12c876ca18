//! Reading of calls, PCN meters and drawn delays.

mod common;
use common::{changed, lines, sound, BASE, LINK};
use penstock_engine::blueprint::{CallsPlan, PcnAt};
use penstock_engine::Sim;
use penstock_model::call::counts::CallCounts;
use penstock_model::units::{Duration, Rate, Time};
use penstock_scenario::{load, ValidScenario};

const METERS: &str = "pcn.virtual-queue = { admissible-rate = \"400 kbit/s\" }\npcn.pre-emption = { supportable-rate = \"800 kbit/s\" }\n";

const CALLS: &str = r#"[[calls]]
name = "voice"
from = "a"
to = "b"
count = 2
class = "ef"
precedence = 1
start = { uniform = ["1 s", "2 s"] }
stop = "9 s"
source.on-off = { packet = "160 bytes", spacing = "20 ms", on = "340 ms", off = "660 ms" }
arrivals.poisson = { interval = "100 ms" }
holding.exponential = { mean = "60 s" }
initial = { calls = 5, spread = "30 ms" }
admission.cle = { threshold = 0.05 }
termination.cl = {}
signalling = { processing = "1 ms", packet = "100 bytes" }
"#;

fn scenario(link: &str, calls: &str, sets: &[(&str, &str)]) -> ValidScenario {
    sound(&format!("{}{calls}", changed(LINK, &format!("{LINK}\n{METERS}{link}"))), sets)
}

fn plan(scenario: &ValidScenario) -> CallsPlan {
    CallsPlan::clone(scenario.blueprint(None, 0).groups[1].calls.as_ref().expect("calls come after flows"))
}

#[test]
fn calls_become_a_group_of_flows() {
    let scenario = scenario("", CALLS, &[]);
    let blueprint = scenario.blueprint(None, 0);
    let group = &blueprint.groups[1];
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    assert_eq!((group.name.as_str(), group.precedence, group.start, group.stop), ("voice", 1, (at(1), at(2)), at(9)));
    assert_eq!(
        (group.source.name(), group.transport.name(), blueprint.classes[usize::from(group.class)].as_str()),
        ("on-off", "udp", "ef")
    );
    assert_eq!(blueprint.flows.iter().map(|flow| (flow.group, flow.member)).collect::<Vec<_>>(), [(0, 0), (1, 0), (1, 1)]);
    let calls = plan(&scenario);
    assert_eq!((calls.initial, calls.initial_spread), (CallCounts::same(5), Duration::from_ms(30)));
    assert_eq!((calls.arrivals.map(|it| it.name()), calls.holding.name()), (Some("poisson"), "exponential"));
    assert_eq!((calls.admission.map(|it| it.name()), calls.termination.map(|it| it.name())), (Some("cle"), Some("cl")));
    assert_eq!((calls.processing, calls.request_packet), (Duration::from_ms(1), Some(100)));
    // 64 kbit/s in 34 % of the time.
    assert_eq!(calls.call_rate, Rate::from_bps(21_760));
    assert!(Sim::new(scenario.blueprint(None, 0)).is_ok());
}

#[test]
fn what_calls_leave_out() {
    let text = "[[calls]]\nname = \"voice\"\nfrom = \"a\"\nto = \"b\"\nsource.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n";
    let initial = plan(&scenario("", &format!("{text}initial = {{ calls = 1 }}\n"), &[]));
    assert_eq!((initial.holding.name(), initial.arrivals, initial.initial_spread), ("infinite", None, Duration::from_ms(20)));
    let arriving = plan(&scenario(
        "",
        &format!("{text}arrivals.batch = {{ interval = \"1 s\", mean-size = 5 }}\nholding.fixed = {{ time = \"3 s\" }}\n"),
        &[],
    ));
    assert_eq!((arriving.initial, arriving.admission, arriving.request_packet), (CallCounts::same(0), None, None));
    let none = plan(&scenario("", &format!("{text}arrivals.none = {{}}\ninitial = {{ calls = 1 }}\n"), &[]));
    assert_eq!(none.arrivals, None);
}

#[test]
fn a_group_covers_part_of_its_nodes_with_calls_of_each() {
    // hosts[1] to hosts[3] send to a by links of their own.
    let text = format!(
        "{BASE}[[links]]\nfrom = \"hosts[1-3]\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
         [[calls]]\nname = \"v\"\nfrom = \"hosts[1-3]\"\nto = \"a\"\n\
         source.cbr = {{ rate = \"64 kbit/s\", packet = \"160 bytes\" }}\n\
         initial = {{ calls = [3, 0, 2] }}\nsurge = {{ at = \"5 s\", calls = [1, 4, 0] }}\n\
         [[measure]]\nmetric = \"calls\"\nof = \"v\"\nper = \"flow\"\n"
    );
    let scenario = sound(&text, &[]);
    let blueprint = scenario.blueprint(None, 0);
    let from: Vec<&str> = blueprint.flows[1..].iter().map(|flow| blueprint.nodes[flow.from.index()].as_str()).collect();
    assert_eq!(from, ["hosts[1]", "hosts[2]", "hosts[3]"]);
    let seen = |scenario: &ValidScenario| Sim::new(scenario.blueprint(None, 0)).expect("a sound blueprint").run();
    let live = |scenario: &ValidScenario| seen(scenario).calls.iter().map(|(_, calls)| calls.live_at_end).collect::<Vec<u64>>();
    assert_eq!(live(&scenario), [4, 4, 2]);
    assert_eq!(live(&sound(&text, &[("v.surge.calls", "1"), ("v.initial.calls", "[1, 1, 6]")])), [2, 2, 7]);
    // One number for all equals a list that repeats it, to the last bit.
    let same = |calls: &str| seen(&sound(&text, &[("v.initial.calls", calls)]));
    assert!(same("5") == same("[5, 5, 5]"));
}

#[test]
fn meters_keep_their_order() {
    let port = |link: &str| scenario(link, CALLS, &[]).blueprint(None, 0).links[0].port.clone();
    let names = |link: &str| port(link).pcn.iter().map(|meter| meter.name()).collect::<Vec<_>>();
    assert_eq!(names(""), ["virtual-queue", "pre-emption"]);
    assert_eq!(port("").pcn_at, PcnAt::Accepted);
    assert_eq!(port("pcn-at = \"offered\"").pcn_at, PcnAt::Offered);
    assert_eq!(port("pcn-at = \"departure\"").pcn_at, PcnAt::Departure);
    let mut turned: Vec<&str> = METERS.lines().collect();
    turned.reverse();
    let text = |meters: &str| changed(LINK, &format!("{LINK}\n{meters}"));
    assert_ne!(sound(&text(METERS), &[]).canonical(), sound(&text(&turned.join("\n")), &[]).canonical());
}

#[test]
fn settings_reach_calls() {
    let sets = [
        ("voice.initial.calls", "7"),
        ("calls.voice.admission.count.limit", "3"),
        ("voice.holding.infinite", "{}"),
        ("voice.termination.sm.u", "1.5"),
    ];
    let calls = plan(&scenario("", CALLS, &sets));
    assert_eq!((calls.initial, calls.holding.name()), (CallCounts::same(7), "infinite"));
    assert_eq!((calls.admission.map(|it| it.name()), calls.termination.map(|it| it.name())), (Some("count"), Some("sm")));
    let set = |path: &str| load(&format!("{BASE}{CALLS}"), "t.toml", &[(path.to_owned(), "1".to_owned())]);
    assert_eq!(lines(set("calls.vioce.count")), ["--set calls.vioce.count: unknown group of calls 'vioce'; did you mean 'voice'? (voice)"]);
}

#[test]
fn a_group_may_be_called_calls() {
    let text = changed("name = \"f\"", "name = \"calls\"");
    assert_eq!(sound(&text, &[("calls.count", "3")]).flow_count(), 3);
    assert_eq!(sound(&text, &[("flows.calls.count", "3")]).flow_count(), 3);
    // If there is a list of that name, it comes first.
    let found = lines(load(&(text + CALLS), "t.toml", &[("calls.count".to_owned(), "3".to_owned())]));
    assert_eq!(found[0], "--set calls.count: leads nowhere: there is no table that could hold 'count'");
}

#[test]
fn calls_alone_are_traffic() {
    let (before, _) = BASE.split_once("[[flows]]").expect("the base has flows");
    let text = before.replace(LINK, &format!("{LINK}\n{METERS}")) + CALLS;
    assert_eq!(sound(&text, &[]).flow_count(), 2);
}

#[test]
fn delays_are_drawn_once_per_run_and_link() {
    let drawn = "delay = { uniform = [\"1 ms\", \"100 ms\"] }";
    let access = format!("[[links]]\nfrom = \"hosts\"\nto = \"a\"\nrate = \"unlimited\"\n{drawn}\nboth-ways = true\n");
    let scenario = sound(&format!("{BASE}{access}"), &[]);
    let delays = |scenario: &ValidScenario, seed, replication| {
        let links = scenario.blueprint(Some(seed), replication).links;
        links.into_iter().map(|link| (link.path, link.delay)).collect::<Vec<_>>()
    };
    let first = delays(&scenario, 1, 0);
    assert_eq!(first, delays(&scenario, 1, 0));
    assert_eq!((first.len(), first[0].1), (9, Duration::from_ms(1)));
    let within = |delay: Duration| delay >= Duration::from_ms(1) && delay <= Duration::from_ms(100);
    assert!(first[1..].iter().all(|(_, delay)| within(*delay)), "{first:?}");
    let mut distinct: Vec<Duration> = first[1..].iter().map(|(_, delay)| *delay).collect();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 8, "{first:?}");
    assert!(delays(&scenario, 1, 1).iter().zip(&first).skip(1).all(|(other, one)| other.1 != one.1));
    assert!(delays(&scenario, 2, 0).iter().zip(&first).skip(1).all(|(other, one)| other.1 != one.1));
    // A link's draw does not depend on the rest of the scenario.
    let more = access.replace("hosts", "others").replace("a\"\n", "b\"\n");
    let more = sound(&format!("{}{more}{access}", BASE.replace("hosts =", "others = { count = 3 }\nhosts =")), &[]);
    let among = delays(&more, 1, 0);
    assert!(first.iter().all(|link| among.contains(link)), "{first:?} {among:?}");
}

#[test]
fn a_delay_that_may_be_nothing_counts_as_nothing() {
    let back = "[[links]]\nfrom = \"b\"\nto = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"0 s\"\n[[flows]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\nsource.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n";
    let text = |least: &str| changed("\"1 ms\"", &format!("{{ uniform = [\"{least}\", \"1 ms\"] }}")) + back;
    sound(&text("1 ps"), &[]);
    let found = lines(load(&text("0 s"), "t.toml", &[]));
    assert!(found.len() == 1 && found[0].starts_with("t.toml:6: links: "), "{found:?}");
}

#[test]
fn an_unlimited_link_has_the_largest_rate() {
    let scenario = sound(&changed("\"1 Mbit/s\"", "\"unlimited\""), &[]);
    assert_eq!(scenario.blueprint(None, 0).links[0].rate, Rate::from_bps(100_000_000_000_000));
}
