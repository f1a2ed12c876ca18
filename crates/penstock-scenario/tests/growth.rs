//! The time of reading and building grows linearly with the file: twice as much of anything takes about twice as long.

mod common;
use common::changed;
use common::FLOW;
use penstock_engine::Sim;
use penstock_scenario::load;
use std::fmt::Write as _;

/// CPU time of this thread in nanoseconds, where the system tells it.
fn cpu_nanoseconds() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// CPU time in nanoseconds of reading the scenario `times` times, and of building it if it is sound.
fn reading_time(text: &str, sound: bool, times: u32) -> u64 {
    let begin = cpu_nanoseconds().expect("looked at before");
    for _ in 0..times {
        let result = load(text, "t.toml", &[]);
        if let (true, Err(mistakes)) = (sound, &result) {
            panic!("{:?}", &mistakes[..mistakes.len().min(3)]);
        }
        assert_eq!(result.is_ok(), sound);
        let sim = result.map(|scenario| Sim::new(scenario.blueprint(None, 0)));
        assert!(!matches!(sim, Ok(Err(_))), "refused by the engine");
    }
    cpu_nanoseconds().expect("looked at before") - begin
}

/// Minimum time to measure: the system counts CPU time in steps of a few milliseconds.
const LONG_ENOUGH: u64 = 25_000_000;

/// Fails if reading the scenario of size 2n takes more than three times as long as reading that of size n. A quadratic algorithm
/// takes four times as long; sorting and caches cause a little more than two. At these sizes a quadratic part would dominate. The
/// minimum of five ratios counts, because other processes use the machine.
#[track_caller]
fn grows_with_its_size(n: usize, sound: bool, scenario: impl Fn(usize) -> String) {
    if cpu_nanoseconds().is_none() {
        return;
    }
    let (one, two) = (scenario(n), scenario(2 * n));
    let mut times = 1;
    while reading_time(&one, sound, times) < LONG_ENOUGH {
        times *= 2;
    }
    let ratio = || reading_time(&two, sound, times) as f64 / reading_time(&one, sound, times) as f64;
    let ratios: Vec<f64> =
        std::iter::repeat_with(ratio).scan(true, |go_on, ratio| std::mem::replace(go_on, ratio >= 3.0).then_some(ratio)).take(5).collect();
    assert!(ratios.last().is_some_and(|ratio| *ratio < 3.0), "twice as much takes {ratios:.1?} times as long");
}

/// The base scenario with n nodes, `line(i)` for each of them, and `rest(i)` n times.
fn with_nodes(n: usize, line: impl Fn(usize) -> String, rest: impl Fn(usize) -> String) -> String {
    let nodes: String = (0..n).map(line).collect();
    let rest: String = (0..n).map(rest).collect();
    changed("hosts = { count = 4 }\n", &nodes) + &rest
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut all, i| {
        let _ = writeln!(all, "{}", line(i));
        all
    })
}

fn base_and(n: usize, line: impl Fn(usize) -> String) -> String {
    changed("", "") + &lines(n, line)
}

fn link(from: &str, to: &str, more: &str) -> String {
    format!("[[links]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n{more}")
}

fn flow(name: &str, from: &str, to: &str, more: &str) -> String {
    format!("[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}")
}

const VOICE: &str = "source.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }";

#[test]
fn unconnected_nodes() {
    grows_with_its_size(20_000, true, |n| with_nodes(n, |i| format!("n{i} = {{}}\n"), |_| String::new()));
}

#[test]
fn measures() {
    grows_with_its_size(4_000, true, |n| base_and(n, |_| "[[measure]]\nmetric = \"throughput\"\nof = \"f\"".to_owned()));
    // Measurements of one group each, and of all groups.
    let groups = |n| lines(n, |i| flow(&format!("g{i}"), "a", "b", FLOW));
    grows_with_its_size(6_000, true, |n| {
        changed("", "") + &groups(n) + &lines(n, |i| format!("[[measure]]\nmetric = \"delay\"\nof = \"g{i}\"\nquantiles = [0.5]"))
    });
    let all = |n: usize| (0..n).map(|i| format!("\"g{i}\"")).collect::<Vec<_>>().join(", ");
    grows_with_its_size(6_000, true, |n| changed("", "") + &groups(n) + &format!("[[measure]]\nmetric = \"delay\"\nof = [{}]", all(n)));
}

#[test]
fn measures_of_many_links() {
    let many = |n: usize| changed("hosts = { count = 4 }", &format!("hosts = {{ count = {n} }}")) + &link("hosts", "a", "");
    grows_with_its_size(3_000, true, |n| {
        many(n) + "\n" + &lines(n, |_| "[[measure]]\nmetric = \"drops\"\nof = \"hosts-a\"\nby = [\"class\"]".to_owned())
    });
    grows_with_its_size(6_000, true, |n| {
        changed("", "")
            + &lines(n, |i| link("a", "b", &format!("name = \"l{i}\"")))
            + &lines(n, |i| {
                format!("[[measure]]\nmetric = \"ef-error\"\nof = \"l{i}\"\nclasses = [\"default\"]\nrate = \"{} bit/s\"", i + 1)
            })
    });
}

#[test]
fn a_mix_of_sizes() {
    grows_with_its_size(8_000, true, |n| {
        let items: Vec<String> = (0..n).map(|i| format!("{{ size = \"{} bytes\", share = {:?} }}", i % 1500 + 1, 1.0 / n as f64)).collect();
        let mix = format!("packet = {{ mix = [{}] }}", items.join(", "));
        changed("packet = \"160 bytes\"", &mix)
    });
}

#[test]
fn many_flows_of_a_mix() {
    let items: Vec<String> = (0..1000).map(|i| format!("{{ size = \"{} bytes\", share = 0.001 }}", i + 1)).collect();
    let mix = format!("packet = {{ mix = [{}] }}", items.join(", "));
    let groups = |n: usize| (0..n).map(|i| format!("voice{i} = {{ quantum = \"1500 bytes\" }}\n")).collect::<String>();
    grows_with_its_size(100, true, |n| {
        let link =
            format!("delay = \"1 ms\"\nscheduler.drr = {{}}\n[links.class]\ndefault = {{ quantum = \"1500 bytes\" }}\n{}", groups(n));
        let text = changed("delay = \"1 ms\"", &link);
        text + &lines(n, |i| {
            flow(&format!("g{i}"), "a", "b", &format!("class = \"voice{i}\"\n{}", VOICE.replace("packet = \"160 bytes\"", &mix)))
        })
    });
}

#[test]
fn lines_of_any_length() {
    // All nodes on one line.
    grows_with_its_size(20_000, true, |n| {
        let nodes: Vec<String> = (0..n).map(|i| format!("n{i} = {{}}")).collect();
        let all = format!("nodes = {{ a = {{}}, b = {{}}, {} }}", nodes.join(", "));
        let text = changed("[nodes]\na = {}\nb = {}\nhosts = { count = 4 }\n", "");
        format!("{all}\n{text}")
    });
}

#[test]
fn groups_of_flows_and_their_routes() {
    for routing in ["first", "ecmp"] {
        let base = |text: String| text.replacen("duration", &format!("routing = \"{routing}\"\nduration"), 1);
        grows_with_its_size(2_000, true, |n| base(base_and(n, |i| flow(&format!("g{i}"), "a", "b", FLOW))));
        // Every flow from another host to another, over two routers.
        let pairs = |n: usize| {
            let nodes = changed("hosts = { count = 4 }", &format!("left = {{ count = {n} }}\nright = {{ count = {n} }}"));
            nodes
                + &link("left", "a", "both-ways = true")
                + "\n"
                + &link("b", "right", "both-ways = true")
                + "\n"
                + &link("b", "a", "")
                + "\n"
        };
        grows_with_its_size(2_000, true, |n| {
            base(pairs(n) + &lines(n, |i| flow(&format!("g{i}"), &format!("left[{i}]"), &format!("right[{i}]"), FLOW)))
        });
        grows_with_its_size(10_000, true, |n| base(pairs(n) + &flow("g", "left", "right", FLOW)));
        // Many separate small networks.
        grows_with_its_size(3_000, true, |n| {
            let nodes = changed("hosts = { count = 4 }", &format!("l = {{ count = {n} }}\nr = {{ count = {n} }}"));
            base(
                nodes
                    + &link("l", "r", "both-ways = true")
                    + "\n"
                    + &lines(n, |i| flow(&format!("g{i}"), &format!("l[{i}]"), &format!("r[{i}]"), FLOW)),
            )
        });
    }
    // Explicit routes through a hub.
    grows_with_its_size(2_000, true, |n| {
        let nodes = changed("hosts = { count = 4 }", &format!("right = {{ count = {n} }}"));
        nodes
            + &link("b", "right", "")
            + "\n"
            + &lines(n, |i| flow(&format!("g{i}"), "a", &format!("right[{i}]"), &format!("route = [\"a\", \"b\", \"right[{i}]\"]\n{FLOW}")))
    });
    // One long explicit route.
    grows_with_its_size(3_000, true, |n| {
        let nodes = changed("hosts = { count = 4 }", &lines(n, |i| format!("n{i} = {{}}")));
        let names: Vec<String> = (0..n).map(|i| format!("\"n{i}\"")).collect();
        let links = lines(n - 1, |i| link(&format!("n{i}"), &format!("n{}", i + 1), ""));
        nodes + &links + &flow("g", "n0", &format!("n{}", n - 1), &format!("route = [{}]\n{FLOW}", names.join(", ")))
    });
}

#[test]
fn ecn_and_calls() {
    grows_with_its_size(4_000, true, |n| {
        base_and(n, |i| {
            flow(
                &format!("g{i}"),
                "a",
                "b",
                "count = 2\nsource.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\ntransport.udp = { ecn = \"ect-0\" }",
            )
        })
    });
    grows_with_its_size(3_000, true, |n| {
        let metered = "pcn.threshold = { rate = \"500 kbit/s\", size = \"20 ms\", threshold = \"10 ms\" }";
        base_and(n, |i| format!("[[calls]]\nname = \"c{i}\"\nfrom = \"a\"\nto = \"b\"\n{FLOW}\ninitial = {{ calls = 2 }}\narrivals.poisson = {{ interval = \"1 s\" }}\nholding.exponential = {{ mean = \"60 s\" }}\nadmission.cle = {{ threshold = 0.05 }}"))
            .replacen("delay = \"1 ms\"", &format!("delay = \"1 ms\"\n{metered}"), 1)
    });
}

#[test]
fn switches() {
    let hub = |n: usize, switch: &str| {
        let nodes = changed("hosts = { count = 4 }", &format!("hosts = {{ count = {n}, {switch} }}"));
        nodes + &link("hosts", "a", "both-ways = true") + "\n" + &flow("g", "hosts", "a", FLOW)
    };
    for switch in
        ["buffer.pool = { size = \"1 MB\" }", "pause = { xoff = \"50 kB\", xon = \"20 kB\" }", "source-quench = { interval = \"1 ms\" }"]
    {
        grows_with_its_size(3_000, true, |n| hub(n, switch));
        grows_with_its_size(3_000, true, |n| hub(n, "").replacen("a = {}", &format!("a = {{ {switch} }}"), 1).replacen(",  }", " }", 1));
    }
    grows_with_its_size(1_000, true, |n| {
        let shares: Vec<String> = (0..n).map(|i| format!("a-hosts{i} = \"1 kB\"")).collect();
        let switch = format!("a = {{ buffer.static-shares = {{ size = \"1 GB\", shares = {{ {} }} }} }}", shares.join(", "));
        let nodes = changed("hosts = { count = 4 }", &lines(n, |i| format!("hosts{i} = {{}}"))).replacen("a = {}", &switch, 1);
        nodes + &lines(n, |i| link("a", &format!("hosts{i}"), ""))
    });
}

#[test]
fn mistakes() {
    // References to missing nodes, among many that exist.
    grows_with_its_size(2_000, false, |n| with_nodes(n, |i| format!("n{i} = {{}}\n"), |i| link(&format!("m{i}"), "a", "") + "\n"));
    // References to nodes that could not be read.
    grows_with_its_size(2_000, false, |n| {
        with_nodes(n, |i| format!("n{i} = {{ count = 0 }}\n"), |i| link(&format!("n{i}"), "a", "") + "\n")
    });
    // Measures of missing targets, links of the same name, unknown keys, groups without a route.
    grows_with_its_size(2_000, false, |n| {
        base_and(n, |i| flow(&format!("g{i}"), "a", "b", FLOW))
            + &lines(n, |i| format!("[[measure]]\nmetric = \"throughput\"\nof = \"x{i}\""))
    });
    grows_with_its_size(10_000, false, |n| base_and(n, |_| link("a", "b", "")));
    grows_with_its_size(10_000, false, |n| lines(n, |i| format!("key{i} = 1")) + &changed("", ""));
    grows_with_its_size(5_000, false, |n| lines(n, |i| format!("key{i} = ")) + &changed("", ""));
    grows_with_its_size(2_000, false, |n| base_and(n, |i| flow(&format!("g{i}"), "b", "a", FLOW)));
    // A cycle that leads nowhere else.
    grows_with_its_size(2_000, false, |n| {
        let nodes = changed("hosts = { count = 4 }", &format!("ring = {{ count = {n} }}\nnext = {{ count = {n} }}"));
        let circle = link("ring", "next", "") + "\n" + &lines(n, |i| link(&format!("next[{i}]"), &format!("ring[{}]", (i + 1) % n), ""));
        nodes + &circle + &flow("g", "ring", "a", FLOW)
    });
    // Classes that are not named, and names without classes.
    grows_with_its_size(1_000, false, |n| {
        let order: Vec<String> = (0..n).map(|i| format!("\"c{i}\"")).collect();
        let text = base_and(n, |i| flow(&format!("g{i}"), "a", "b", &format!("class = \"d{i}\"\n{FLOW}")));
        text.replacen("delay = \"1 ms\"", &format!("delay = \"1 ms\"\nscheduler.priority = {{ order = [{}] }}", order.join(", ")), 1)
    });
    grows_with_its_size(5_000, false, |n| {
        let classes = lines(n, |i| format!("e{i} = {{ queue.tail-drop = {{}} }}"));
        changed(
            "delay = \"1 ms\"",
            &format!("delay = \"1 ms\"\nscheduler.priority = {{ order = [\"default\"] }}\n[links.class]\n{classes}"),
        )
    });
}
