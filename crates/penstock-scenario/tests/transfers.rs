//! Transfers that arrive on their own: from files, and drawn.

mod common;
use common::{changed, lines, BASE, FLOW, LINK};
use penstock_engine::blueprint::Transfer;
use penstock_engine::{Cancel, Sim};
use penstock_model::units::Time;
use penstock_scenario::{load_with, Mistake, ReadOptions, ValidScenario};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The small scenario with links both ways between `hosts` and `a` and these transfers, whose files are in `folder`.
fn read(folder: &Path, transfers: &str) -> Result<ValidScenario, Vec<Mistake>> {
    let links = "delay = \"1 ms\"\nboth-ways = true\n[[links]]\nfrom = \"hosts\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nboth-ways = true";
    let text = changed(LINK, links) + "[[transfers]]\nname = \"jobs\"\n" + transfers;
    load_with(
        &Cancel::default(),
        &text,
        "t.toml",
        &[],
        ReadOptions { folder: Some(folder.to_owned()), parquet: None, ..ReadOptions::default() },
    )
}

/// An empty folder of this test, with a file.
fn folder(name: &str, file: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transfers").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(file), content).expect("written");
    folder
}

fn drawn(keys: &str) -> ValidScenario {
    read(Path::new("."), keys).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

/// The transfers of the last group in a run of this seed and replication.
fn transfers(scenario: &ValidScenario, seed: u64, replication: u64) -> Vec<Transfer> {
    scenario.blueprint(Some(seed), replication).groups.last().and_then(|group| group.transfers.clone()).expect("transfers").to_vec()
}

/// The mistakes without the place, which ends with the first `: ` after the path.
fn mistakes(result: Result<ValidScenario, Vec<Mistake>>) -> Vec<String> {
    let short = |line: String| line.split_once("transfers[0]").map_or(line.clone(), |(_, rest)| rest.to_owned());
    lines(result).into_iter().map(short).collect()
}

#[test]
fn a_listed_transfer_takes_as_long_as_a_file_transfer_of_its_own() {
    let folder = folder("alone", "jobs.csv", "start,from,to,bytes\n0.5,hosts[1],b,20000\n");
    let measure = "[[measure]]\nmetric = \"completion-time\"\nof = \"jobs\"\ntake = [\"max\"]\n";
    let took = |scenario: &ValidScenario| {
        let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
        scenario.metrics(&seen)[0].value
    };
    let listed = read(&folder, &format!("file = \"jobs.csv\"\nstart = \"1 s\"\n{measure}")).expect("sound");
    let text = "[[flows]]\nname = \"jobs\"\nfrom = \"hosts[1]\"\nto = \"b\"\nstart = \"1.5 s\"\nsource.ftp = { size = \"20 kB\" }\ntransport.tcp = {}\n";
    let links = "delay = \"1 ms\"\nboth-ways = true\n[[links]]\nfrom = \"hosts\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nboth-ways = true";
    let alone = penstock_scenario::load(&(changed(LINK, links) + text + measure), "t.toml", &[]).expect("sound");
    assert_eq!(took(&listed), took(&alone));
    // 20 kB at 1 Mbit/s take at least 160 ms.
    assert!(took(&listed) > 0.16, "{}", took(&listed));
}

#[test]
fn classes_of_a_file_are_groups_of_their_own() {
    let rows = "class,bytes,from,to,start\nbulk,5000,hosts[0],b,0\nquick,100,hosts[1],hosts[2],0.25\nbulk,6000,b,hosts[3],0.125\n";
    let scenario = read(&folder("classes", "jobs.csv", rows), "file = \"jobs.csv\"\n").expect("sound");
    let blueprint = scenario.blueprint(None, 0);
    assert_eq!(blueprint.classes, ["default", "bulk", "quick"]);
    let names: Vec<&str> = blueprint.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["f", "jobs-bulk", "jobs-quick"]);
    let flows: Vec<(&str, &str, Transfer)> = blueprint.flows[1..]
        .iter()
        .map(|flow| {
            let transfers = blueprint.groups[flow.group as usize].transfers.as_ref().expect("listed");
            (blueprint.nodes[flow.from.index()].as_str(), blueprint.nodes[flow.to.index()].as_str(), transfers[flow.member as usize])
        })
        .collect();
    let transfer = |ms: u64, bytes| Transfer { start: Time::ZERO + penstock_model::units::Duration::from_ms(ms), bytes };
    assert_eq!(
        flows,
        [("hosts[0]", "b", transfer(0, 5000)), ("b", "hosts[3]", transfer(125, 6000)), ("hosts[1]", "hosts[2]", transfer(250, 100))]
    );
}

#[test]
fn arrivals_and_sizes_are_drawn_for_each_run_and_ends_once() {
    let n = 20_000.0;
    let scenario =
        drawn("from = \"hosts\"\nto = \"hosts\"\ncount = 20000\ninterval = \"100 us\"\nsize = { exponential = { mean = \"10 kB\" } }\n");
    let first = transfers(&scenario, 1, 0);
    assert_eq!(first, transfers(&scenario, 1, 0));
    assert_ne!(first, transfers(&scenario, 1, 1));
    assert_ne!(first, transfers(&scenario, 2, 0));
    assert!(first.windows(2).all(|pair| pair[0].start <= pair[1].start));
    // Means of exponential variables: four standard errors, mean / sqrt n each.
    let span = first[first.len() - 1].start.as_seconds();
    assert!((span / n - 1e-4).abs() < 4.0 * 1e-4 / n.sqrt(), "{span}");
    let bytes = first.iter().map(|transfer| transfer.bytes as f64).sum::<f64>() / n;
    assert!((bytes - 10_000.0).abs() < 4.0 * 10_000.0 / n.sqrt(), "{bytes}");
    let ends = |seed| scenario.blueprint(Some(seed), 0).flows[1..].iter().map(|flow| (flow.from, flow.to)).collect::<Vec<_>>();
    assert_eq!(ends(1), ends(2));
    assert!(ends(1).iter().all(|(from, to)| from != to));
    // Each of the 12 pairs of 4 hosts: a twelfth of the draws.
    let pairs: BTreeSet<_> = ends(1).into_iter().collect();
    assert_eq!(pairs.len(), 12);
    for pair in pairs {
        let share = ends(1).iter().filter(|other| **other == pair).count() as f64 / n;
        assert!((share - 1.0 / 12.0).abs() < 4.0 * (11.0 / 144.0 / n).sqrt(), "{pair:?}: {share}");
    }
}

#[test]
fn a_load_is_met_by_the_mean_of_the_sizes() {
    // The mean of the file is .5 x 1000 + .5 x 2000 bytes = 12 kbit: 100 a second.
    let folder = folder("load", "d.csv", "bytes,probability\n1000,0.5\n3000,1\n");
    let keys = "from = \"hosts\"\nto = \"b\"\ncount = 10000\nload = \"1.2 Mbit/s\"\nsize = { distribution = \"d.csv\" }\n";
    let all = transfers(&read(&folder, keys).expect("sound"), 1, 0);
    let span = all[all.len() - 1].start.as_seconds();
    assert!((span / 100.0 - 1.0).abs() < 4.0 / 100.0, "{span}");
    // The content of a distribution is part of a run's identity, as that of all files.
    assert!(read(&folder, keys).expect("sound").canonical().contains("\"files\":{\"d.csv\""));
    for shipped in ["web-search", "data-mining", "hadoop"] {
        drawn(&format!("from = \"hosts\"\nto = \"b\"\ncount = 10\nload = \"1 Mbit/s\"\nsize = {{ distribution = \"{shipped}\" }}\n"));
    }
}

#[test]
fn a_load_is_met_by_pareto_sizes_although_they_are_cut() {
    // The mean of the sizes up to 4 GB is 75,211 bytes = 601.69 kbit: 100 a second.
    let size = "size = { pareto = { shape = 1.1, mean = \"100 kB\" } }";
    let all = transfers(&drawn(&format!("from = \"hosts\"\nto = \"b\"\ncount = 10000\nload = \"60.169 Mbit/s\"\n{size}\n")), 1, 0);
    let span = all[all.len() - 1].start.as_seconds();
    // The standard error of the sum of 10,000 exponential gaps is a hundredth of it.
    assert!((span / 100.0 - 1.0).abs() < 4.0 / 100.0, "{span}");
}

#[test]
fn given_arrivals_are_kept_and_what_comes_after_the_end_is_left_out() {
    let keys = "from = \"hosts\"\nto = \"b\"\nat = [\"0 s\", \"1 s\", \"60 s\"]\nsize = \"1 kB\"\n";
    let scenario = drawn(keys);
    let starts: Vec<f64> = transfers(&scenario, 1, 0).iter().map(|transfer| transfer.start.as_seconds()).collect();
    assert_eq!(starts, [0.0, 1.0, 60.0]);
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let sent: Vec<u64> = seen.flows[1..].iter().map(|flow| flow.sent.packets).collect();
    assert_eq!(sent, [1, 1, 0]);
    // Transfers that have not arrived are not counted.
    let counts: Vec<f64> = scenario.metrics(&seen).iter().filter(|metric| metric.name == "transfers").map(|metric| metric.value).collect();
    assert_eq!(counts, [2.0, 2.0, 0.0]);
}

#[test]
fn what_transfers_need() {
    let wrong = |keys: &str| mistakes(read(Path::new("."), keys));
    assert_eq!(
        wrong("count = 3\ninterval = \"1 s\"\n"),
        ["from", "to", "size"].map(|key| format!(".{key}: is missing: without a file, transfers need from, to and size"))
    );
    let ends = "from = \"hosts\"\nto = \"b\"\nsize = \"1 kB\"\n";
    assert_eq!(wrong(&format!("{ends}count = 3\n")), [": does not say when transfers arrive; write interval, load or at"]);
    assert_eq!(
        wrong(&format!("{ends}interval = \"1 s\"\n")),
        [".count: is missing: give the maximum number of transfers, as in count = 1000"]
    );
    assert_eq!(
        wrong(&format!("{ends}count = 3\ninterval = \"1 s\"\nload = \"1 Mbit/s\"\n")),
        [".load: there is interval already; keep one"]
    );
    assert_eq!(wrong(&format!("{ends}count = 3\ninterval = \"0 s\"\n")), [".interval: must be above zero"]);
    assert_eq!(
        wrong(&format!("{ends}at = [\"2 s\", \"1 s\"]\n")),
        [".at: item 1 is before the previous one; write them in ascending order"]
    );
    assert_eq!(
        wrong(&format!("{ends}at = [\"2 s\"]\ntransport.udp = {{}}\n")),
        [".transport: udp cannot carry transfers, which must arrive complete; leave it out (tcp)"]
    );
    assert_eq!(wrong("from = \"b\"\nto = \"b\"\nsize = \"1 kB\"\nat = [\"0 s\"]\n"), [".to: transfers would begin and end at 'b'"]);
    assert_eq!(
        wrong("from = \"a\"\nto = \"b\"\nsize = { distribution = \"web-serch\" }\nat = [\"0 s\"]\n"),
        [".size.distribution: there is no distribution 'web-serch'; one of web-search, data-mining, hadoop, or a file such as \"sizes.csv\""]
    );
}

#[test]
fn wrong_files_are_named_with_their_line() {
    let wrong =
        |name: &str, rows: &str| mistakes(read(&folder(name, "j.csv", &format!("start,from,to,bytes\n{rows}")), "file = \"j.csv\"\n"));
    assert_eq!(wrong("negative", "-1,a,b,10\n"), [".file: j.csv:2: '-1' is a negative time"]);
    assert_eq!(wrong("bytes", "0,a,b,10\n0,a,b,x\n"), [".file: j.csv:3: 'x' is not a number of bytes between 1 and 4000000000"]);
    assert_eq!(wrong("same", "0,a,a,10\n"), [".file: j.csv:2: begins and ends at 'a'"]);
    assert_eq!(wrong("group", "0,hosts,b,10\n"), [".file: j.csv:2: 'hosts' is a group of 4; name one of its members, such as hosts[0]"]);
    assert_eq!(wrong("empty", ""), [".file: j.csv: has no transfers"]);
    assert!(wrong("unknown", "0,x,b,10\n")[0].starts_with(".file: j.csv:2: unknown node 'x'"));
    let both = mistakes(read(&folder("both", "j.csv", "start,from,to,bytes\n0,a,b,10\n"), "file = \"j.csv\"\ncount = 3\n"));
    assert_eq!(both, [".count: has no effect: the file gives it for each transfer; leave it out"]);
    assert!(BASE.contains(FLOW));
}

#[test]
fn a_matrix_shares_its_load_between_pairs() {
    // 300, 100 and 400 kbit/s of 1 kB each: 100 transfers a second.
    let n = 10_000.0;
    let csv = "# bit/s\n,b,hosts[0],hosts[1]\nhosts[0],300000,0,100 kbit/s\nb,,4e5,0\n";
    let folder = folder("matrix", "loads.csv", csv);
    let keys = |matrix: &str| format!("matrix = {matrix}\ncount = 10000\nsize = \"1 kB\"\n");
    let scenario = read(&folder, &keys("\"loads.csv\"")).expect("sound");
    let all = transfers(&scenario, 1, 0);
    let span = all[all.len() - 1].start.as_seconds();
    // The standard error of the sum of 10,000 exponential gaps is a hundredth of it.
    assert!((span / 100.0 - 1.0).abs() < 4.0 / 100.0, "{span}");
    let blueprint = scenario.blueprint(None, 0);
    let name = |node: penstock_model::id::NodeId| blueprint.nodes[node.index()].as_str();
    for ((from, to), part) in [(("hosts[0]", "b"), 0.375), (("hosts[0]", "hosts[1]"), 0.125), (("b", "hosts[0]"), 0.5)] {
        let count = blueprint.flows[1..].iter().filter(|flow| (name(flow.from), name(flow.to)) == (from, to)).count();
        // Four standard errors of a binomial share.
        assert!((count as f64 / n - part).abs() < 4.0 * (part * (1.0 - part) / n).sqrt(), "{from} to {to}: {count}");
    }
    let inline = r#"[["", "b", "hosts[0]", "hosts[1]"], ["hosts[0]", "300 kbit/s", "", 1e5], ["b", 0, 400000, 0.0]]"#;
    let same = read(&folder, &keys(inline)).expect("sound");
    assert_eq!(transfers(&same, 1, 0), all);
    let ends = |scenario: &ValidScenario| scenario.blueprint(None, 0).flows.iter().map(|flow| (flow.from, flow.to)).collect::<Vec<_>>();
    assert_eq!(ends(&same), ends(&scenario));
    assert!(scenario.canonical().contains("\"files\":{\"loads.csv\""));
}

#[test]
fn mistakes_in_a_matrix_have_their_place() {
    let in_file = |csv: &str| {
        let folder = folder("matrix-mistakes", "m.csv", csv);
        mistakes(read(&folder, "matrix = \"m.csv\"\ncount = 10\nsize = \"1 kB\"\n"))
    };
    assert_eq!(in_file(",a,b\na,0,1\nb,1\n"), [".matrix: m.csv:3: has 2 fields under a first row of 3"]);
    assert_eq!(in_file(",a,b\n\na,0,-1\n"), [".matrix: m.csv:3, column 3 (from a to b): '-1' is negative; a rate is zero or more"]);
    assert_eq!(
        in_file(",a,b\na,5,1\n"),
        [".matrix: m.csv:2, column 2 (from a to a): would begin and end at one node; 0 or nothing on the diagonal"]
    );
    assert!(in_file(",a,bb\na,0,1\n")[0].starts_with(".matrix: m.csv:1, column 3: unknown node 'bb'"), "{:?}", in_file(",a,bb\na,0,1\n"));
    assert!(in_file(",a,b\nhosts,0,1\n")[0].starts_with(".matrix: m.csv:2, column 1: 'hosts' is a group of 4"));
    assert_eq!(in_file(",a,a\nb,0,1\n"), [".matrix: m.csv:1, column 3: 'a' is listed twice"]);
    assert_eq!(in_file(",a\nb,1\nb,1\n"), [".matrix: m.csv:3, column 1: 'b' is listed twice"]);
    assert!(in_file(",a\nb,x\n")[0].starts_with(".matrix: m.csv:2, column 2 (from b to a): "));
    assert_eq!(in_file(",a\nb,0\n"), [".matrix: m.csv has no entry above zero"]);
    assert_eq!(in_file(",a\n"), [".matrix: m.csv has no rows under a first one with the nodes where traffic ends"]);
    let inline = |matrix: &str, more: &str| mistakes(read(Path::new("."), &format!("matrix = {matrix}\n{more}")));
    let needed = "count = 10\nsize = \"1 kB\"\n";
    assert_eq!(
        inline("[[\"\", \"a\", \"b\"], [\"a\", 0, -2]]", needed),
        [".matrix: row 1, column 3 (from a to b): '-2' is negative; a rate is zero or more"]
    );
    assert!(inline("[1, 2]", needed)[0].contains("is no matrix; write"));
    let sound = "[[\"\", \"b\"], [\"a\", 1000]]";
    assert_eq!(
        inline(sound, &format!("{needed}load = \"1 Mbit/s\"\n")),
        [".load: has no effect: the matrix gives the ends and the loads of all transfers; leave it out"]
    );
    assert_eq!(
        inline(sound, "size = \"1 kB\"\n"),
        [".count: is missing: transfers of a matrix need size, and count, which is their maximum number"]
    );
    assert_eq!(inline(sound, "file = \"x.csv\"\n"), [".matrix: cannot be combined with file, which lists the transfers; keep one of them"]);
}

#[test]
fn transfers_that_all_begin_after_the_end_are_told() {
    let warnings = |keys: &str| drawn(keys).warnings().iter().map(ToString::to_string).collect::<Vec<_>>();
    let at = |times: &str, more: &str| warnings(&format!("from = \"a\"\nto = \"b\"\nsize = \"1 kB\"\nat = [{times}]\n{more}"));
    assert_eq!(at("\"9.9 s\", \"20 s\"", ""), [""; 0]);
    let told =
        |path: &str, first: &str| format!("{path}: the first transfer begins at {first}, not before the end at 10 s, so none is sent");
    assert_eq!(at("\"10 s\", \"20 s\"", ""), [told("t.toml:28: transfers[0].at", "10 s")]);
    assert_eq!(at("\"5 s\"", "start = \"6 s\""), [told("t.toml:28: transfers[0].at", "11 s")]);
    let folder = folder("late", "jobs.csv", "start,from,to,bytes,class\n12,a,b,20000,x\n11,a,b,20000,y\n");
    let listed = read(&folder, "file = \"jobs.csv\"\n").expect("sound");
    assert_eq!(listed.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(), [told("t.toml:25: transfers[0].file", "11 s")]);
}
