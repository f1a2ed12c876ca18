//! Reading of scenarios: lines of mistakes, groups, routes, the canonical form.

mod common;
use common::{changed, flow, lines, link, names, sound, ways, BASE, FLOW, LINK, TCP, TOP};
use penstock_engine::blueprint::MarkAt;
use penstock_engine::Sim;
use penstock_model::source::SourcePlan;
use penstock_model::units::{Bytes, Duration, Rate, Time};
use penstock_scenario::{load, report};

#[test]
fn all_mistakes_come_at_once_in_the_order_of_the_file() {
    let text = "# voice.toml\nduration = \"10 s\"\nwarm-up = \"20 s\"\n\n[nodes]\na = {}\nb = {}\n\n[[links]]\nfrom = \"a\"\nto = \"c\"\nrate = 10\n\
                delay = \"1 ms\"\n[links.queue.red]\nlimit = \"60 packets\"\nmin-threshold = 20\nmax-threshold = \"40 packets\"\n\
                max-probability = 0.033\n\n[[flows]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nsource.cbrr = {}\n";
    let mistakes = load(text, "voice.toml", &[]).expect_err("mistaken");
    let sources = names(SourcePlan::NAMES);
    let expected = format!(
        "voice.toml:3: warm-up: 20 s is not before the end at 10 s, so nothing would be counted\n\
         voice.toml:11: links[0].to: unknown node 'c' (one of a, b)\n\
         voice.toml:12: links[0].rate: 10 has no unit; write \"10 Mbit/s\"\n\
         voice.toml:16: links[0].queue.red.min-threshold: 20 has no unit; write \"20 packets\" or \"20 KiB\"\n\
         voice.toml:24: flows[0].source: unknown source 'cbrr'; did you mean 'cbr'? ({sources})\n\
         5 mistakes, nothing was run.\n"
    );
    assert_eq!(report(&mistakes), expected);
    assert_eq!((mistakes[3].line, mistakes[3].column), (Some(16), Some(1)));
    assert!(report(&mistakes[..1]).ends_with("\n1 mistake, nothing was run.\n"));
}

#[test]
fn a_scenario_becomes_a_blueprint() {
    let more = "rate-changes = [ { at = \"2 s\", down = true }, { at = \"3 s\", rate = \"2 Mbit/s\" } ]\n\
                marker = { at = \"departure\", tcm = { committed-rate = \"64 kbit/s\", committed-burst = \"4 kB\" } }\n\
                impairment.loss = { probability = 0.01 }\nimpairment.delay = { added = \"1 ms\" }";
    let text = changed(LINK, &format!("{LINK}\n{more}")).replace(TOP, &format!("{TOP}\nwarm-up = \"1 s\"\nseed = 7\nties = \"random\""));
    let text = text.replace(FLOW, &format!("{FLOW}\nprecedence = 2\nstart = {{ uniform = [\"1 s\", \"2 s\"] }}\nstop = \"9 s\""));
    let scenario = sound(&text, &[]);
    let blueprint = scenario.blueprint(None, 3);
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    assert_eq!((blueprint.seed, blueprint.replication, blueprint.warm_up, blueprint.end), (7, 3, at(1), at(10)));
    assert_eq!(scenario.blueprint(Some(8), 0).seed, 8);
    let link = &blueprint.links[0];
    assert_eq!((link.path.as_str(), link.rate, link.delay), ("a-b", Rate::from_bps(1_000_000), Duration::from_ms(1)));
    assert_eq!(link.rate_changes, [(at(2), Rate::ZERO), (at(3), Rate::from_bps(2_000_000))]);
    assert_eq!(link.port.marker.as_ref().map(|marker| (marker.at, marker.meter.name())), Some((MarkAt::Departure, "tcm")));
    assert_eq!(link.port.impairments.iter().map(|impairment| impairment.name()).collect::<Vec<_>>(), ["loss", "delay"]);
    let group = &blueprint.groups[0];
    assert_eq!((group.precedence, group.start, group.stop, group.transport.name()), (2, (at(1), at(2)), at(9), "udp"));
}

#[test]
fn groups_are_linked_member_by_member() {
    let groups = changed("hosts = { count = 4 }", "hosts = { count = 4 }\nr = { count = 2 }\nsinks = { count = 4 }");
    let links = [
        link("hosts", "a", "both-ways = true"),
        link("hosts", "sinks", "name = \"pairs\""),
        link("hosts", "r", ""),
        link("b", "hosts[2]", ""),
    ];
    let blueprint = sound(&(groups + &links.concat()), &[]).blueprint(None, 0);
    let paths: Vec<&str> = blueprint.links.iter().map(|link| link.path.as_str()).collect();
    let expected = [
        "a-b",
        "hosts[0]-a",
        "hosts[1]-a",
        "hosts[2]-a",
        "hosts[3]-a",
        "a-hosts[0]",
        "a-hosts[1]",
        "a-hosts[2]",
        "a-hosts[3]",
        "pairs[0]",
        "pairs[1]",
        "pairs[2]",
        "pairs[3]",
        "hosts[0]-r[0]",
        "hosts[1]-r[1]",
        "hosts[2]-r[0]",
        "hosts[3]-r[1]",
        "b-hosts[2]",
    ];
    assert_eq!(paths, expected);
    let ends =
        |i: usize| (blueprint.nodes[blueprint.links[i].from.index()].as_str(), blueprint.nodes[blueprint.links[i].to.index()].as_str());
    assert_eq!((ends(11), ends(15), ends(17)), (("hosts[2]", "sinks[2]"), ("hosts[2]", "r[0]"), ("b", "hosts[2]")));
}

#[test]
fn members_in_a_row_are_a_group() {
    let text = changed("hosts = { count = 4 }", "hosts = { count = 4 }\nsinks = { count = 6 }")
        + &link("hosts[1-2]", "a", "both-ways = true")
        + &link("b", "sinks[2-5]", "name = \"exit\"")
        + &link("b", "sinks[1-1]", "name = \"single\"")
        + &flow("g", "hosts[1-2]", "sinks[2-5]", &format!("{FLOW}\nroute = [\"hosts[1-2]\", \"a\", \"b\", \"sinks[2-5]\"]"))
        + "[[measure]]\nmetric = \"drops\"\nof = \"hosts[1-2]-a\"\n";
    let scenario = sound(&text, &[("hosts[1-2]-a.rate", "3 Mbit/s"), ("g.count", "5")]);
    let blueprint = scenario.blueprint(None, 0);
    let links: Vec<(&str, Rate)> = blueprint.links.iter().skip(1).map(|link| (link.path.as_str(), link.rate)).collect();
    let (fast, usual) = (Rate::from_bps(3_000_000), blueprint.links[0].rate);
    let expected = [("hosts[1]-a", fast), ("hosts[2]-a", fast), ("a-hosts[1]", fast), ("a-hosts[2]", fast)];
    assert_eq!(links[..4], expected);
    let exits = ["exit[0]", "exit[1]", "exit[2]", "exit[3]", "single[0]"];
    assert_eq!(links[4..], exits.map(|name| (name, usual)));
    let there: Vec<String> = ways(&scenario).into_iter().skip(1).map(|[there, _]| there).collect();
    let expected = [(1, 0), (2, 1), (1, 2), (2, 3), (1, 0)].map(|(host, exit)| format!("hosts[{host}]-a a-b exit[{exit}]"));
    assert_eq!(there, expected);
    let drops = scenario.metrics(&Sim::new(blueprint).expect("a sound blueprint").run());
    assert_eq!(drops[0].labels[0], ("of".to_owned(), "hosts[1-2]-a".to_owned()));
}

#[test]
fn the_way_back_has_a_plain_queue() {
    let text = changed(LINK, &format!("{LINK}\nboth-ways = true\nqueue.red = {{ limit = \"60 packets\", min-threshold = \"5 packets\", max-threshold = \"15 packets\", max-probability = 0.1 }}"));
    let blueprint = sound(&text, &[]).blueprint(None, 0);
    let names: Vec<(&str, &str)> = blueprint.links.iter().map(|link| (link.path.as_str(), link.port.queues[0].discipline.name())).collect();
    assert_eq!(names, [("a-b", "red"), ("b-a", "tail-drop")]);
    assert_eq!(blueprint.links[1].rate, Rate::from_bps(1_000_000));
}

#[test]
fn flows_go_round_their_groups() {
    let text = changed("hosts = { count = 4 }", "hosts = { count = 4 }\nsinks = { count = 2 }")
        + &link("hosts", "a", "")
        + &link("b", "sinks", "");
    let text = text + &flow("g", "hosts", "sinks", FLOW) + &flow("h", "hosts[3]", "sinks", &format!("{FLOW}\ncount = 3"));
    let scenario = sound(&text, &[]);
    let there: Vec<String> = ways(&scenario).into_iter().map(|[there, _]| there).collect();
    assert_eq!(
        there[1..5],
        ["hosts[0]-a a-b b-sinks[0]", "hosts[1]-a a-b b-sinks[1]", "hosts[2]-a a-b b-sinks[0]", "hosts[3]-a a-b b-sinks[1]"]
    );
    assert_eq!(there[5..], ["hosts[3]-a a-b b-sinks[0]", "hosts[3]-a a-b b-sinks[1]", "hosts[3]-a a-b b-sinks[0]"]);
    assert_eq!(scenario.flow_count(), 8);
}

#[test]
fn routes_are_shared_short_and_by_the_order_of_links() {
    // From a to d: via b and via c in two links, and via e in three. The link to c comes before the one to b.
    let nodes = "duration = \"1 s\"\n[nodes]\na = {}\nb = {}\nc = {}\nd = {}\ne = {}\n";
    let links = [
        link("a", "e", ""),
        link("e", "b", ""),
        link("a", "c", ""),
        link("a", "b", ""),
        link("b", "d", ""),
        link("c", "d", ""),
        link("d", "a", ""),
    ];
    let text = nodes.to_owned() + &links.concat() + &flow("f", "a", "d", TCP) + &flow("g", "a", "d", FLOW);
    let scenario = sound(&text, &[]);
    assert_eq!(ways(&scenario), [["a-c c-d", "d-a"], ["a-c c-d", "a-c c-d"]]);
    assert_eq!(scenario.blueprint(None, 0).routes.len(), 2);
    let given = text + &flow("h", "a", "d", &format!("{TCP}route = [\"a\", \"e\", \"b\", \"d\"]\nroute-back = [\"d\", \"a\"]"));
    assert_eq!(ways(&sound(&given, &[]))[2], ["a-e e-b b-d", "d-a"]);
}

#[test]
fn equal_routes_are_shared_by_a_hash_of_the_flow() {
    // Two nodes in the middle, twice: four routes from a host to a sink.
    let nodes = "duration = \"1 s\"\nrouting = \"ecmp\"\n[nodes]\nhosts = { count = 400 }\nsinks = { count = 400 }\na = {}\nz = {}\n";
    let middle = "m = { count = 2 }\nn = {}\no = { count = 2 }\n";
    let both = "both-ways = true";
    let links = [("hosts", "a"), ("a", "m"), ("m", "n"), ("n", "o"), ("o", "z"), ("z", "sinks")].map(|(from, to)| link(from, to, both));
    let text = nodes.to_owned() + middle + &links.concat() + &flow("f", "hosts", "sinks", TCP);
    let scenario = sound(&text, &[]);
    let ways = self::ways(&scenario);
    for (m, o) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let count =
            |way: usize, through: [String; 2]| ways.iter().filter(|ways| through.iter().all(|link| ways[way].contains(link))).count();
        // 400 / 4, with a standard deviation of sqrt(400 * 3/16) = 8.7; four of them.
        assert!(count(0, [format!("a-m[{m}]"), format!("n-o[{o}]")]).abs_diff(100) < 35, "{m} {o}");
        assert!(count(1, [format!("o[{o}]-n"), format!("m[{m}]-a")]).abs_diff(100) < 35, "{m} {o} back");
    }
    // The routes there and back are chosen independently.
    let alike = ways.iter().filter(|[there, back]| there.contains("a-m[0]") == back.contains("m[0]-a")).count();
    assert!(alike.abs_diff(200) < 40, "{alike}");
    // Neither another group in front nor another seed changes any route.
    let others = text.replace("[[flows]]", &(flow("e", "hosts", "sinks", FLOW) + "[[flows]]"));
    assert_eq!(self::ways(&sound(&others, &[("seed", "7")]))[400..], ways[..]);
    // A tree has only one route.
    let first = sound(&text.replace("m = { count = 2 }", "m = {}").replace("o = { count = 2 }", "o = {}"), &[]);
    assert_eq!(self::ways(&first)[7], ["hosts[7]-a a-m m-n n-o o-z z-sinks[7]", "sinks[7]-z z-o o-n n-m m-a a-hosts[7]"]);
}

#[test]
fn what_no_link_leads_to_is_not_reached_by_any_route() {
    let text = "duration = \"1 s\"\nrouting = \"ecmp\"\n[nodes]\na = {}\nb = {}\nc = {}\n".to_owned()
        + &link("a", "b", "")
        + &link("c", "b", "")
        + &flow("f", "a", "c", FLOW);
    assert!(lines(load(&text, "t.toml", &[]))[0].contains("no route from 'a' to 'c'"));
}

#[test]
fn a_shift_counts_from_another_member() {
    let text = "duration = \"1 s\"\n[nodes]\nhosts = { count = 3 }\na = {}\n".to_owned()
        + &link("hosts", "a", "both-ways = true")
        + &flow("f", "hosts", "hosts", &format!("{FLOW}\nshift = 2"));
    let there: Vec<String> = ways(&sound(&text, &[])).into_iter().map(|[there, _]| there).collect();
    assert_eq!(there, ["hosts[0]-a a-hosts[2]", "hosts[1]-a a-hosts[0]", "hosts[2]-a a-hosts[1]"]);
}

#[test]
fn a_ring_of_one_way_links_is_followed_round() {
    let ring = "duration = \"1 s\"\n[nodes]\na = {}\nb = {}\nc = {}\nd = {}\n".to_owned()
        + &link("a", "b", "")
        + &link("b", "c", "")
        + &link("c", "a", "");
    assert_eq!(ways(&sound(&(ring.clone() + &flow("f", "b", "a", TCP)), &[])), [["b-c c-a", "a-b"]]);
    assert!(lines(load(&(ring + &flow("f", "a", "d", FLOW)), "t.toml", &[]))[0].contains("no route from 'a' to 'd'"));
}

#[test]
fn classes_get_queues_of_their_own() {
    let port = "scheduler.priority = { order = [\"ef\", \"default\"] }\nclass.default.queue.tail-drop = { limit = \"7 packets\" }";
    let text = changed(LINK, &format!("{LINK}\n{port}")) + &flow("g", "a", "b", &format!("{FLOW}\nclass = \"ef\""));
    let blueprint = sound(&text, &[]).blueprint(None, 0);
    assert_eq!(blueprint.classes, ["default", "ef"]);
    let port = &blueprint.links[0].port;
    assert_eq!(port.queues.iter().map(|queue| queue.name.as_str()).collect::<Vec<_>>(), ["ef", "default"]);
    assert_eq!(port.queue_of_class, [1, 0]);
    assert_ne!(port.queues[0].discipline, port.queues[1].discipline);
}

#[test]
fn schedulers_stand_below_one_another() {
    let port = r#"scheduler.priority = { order = ["ef", "data"] }
queue.tail-drop = { limit = "9 packets" }
class.ef = { rate-limit = { rate = "300 kbit/s", burst = "2 kB" }, queue.tail-drop = { limit = "7 packets" } }
class.data.scheduler.drr = {}
class.data.class.web = { quantum = "1500 bytes", policer.token-bucket = { rate = "1 Mbit/s", burst = "3 kB" } }
class.data.class.default.quantum = "3 kB"
shaper.token-bucket = { rate = "900 kbit/s", burst = "1500 bytes" }"#;
    let of_class = |name: &str| flow(name, "a", "b", &format!("{FLOW}\nclass = \"{name}\""));
    let text = changed(LINK, &format!("{LINK}\n{port}")) + &of_class("ef") + &of_class("web");
    let blueprint = sound(&text, &[]).blueprint(None, 0);
    assert_eq!(blueprint.classes, ["default", "ef", "web"]);
    let port = &blueprint.links[0].port;
    let queues: Vec<String> = port.queues.iter().map(|queue| format!("{} {:?}", queue.name, queue.discipline)).collect();
    assert!(queues[0].starts_with("ef") && queues[0].contains("Packets(7)"), "{queues:?}");
    // Classes without an order of their own are in the order of their names; a class without a queue of its own has the link's.
    assert!(queues[1].starts_with("default") && queues[1].contains("Packets(9)"), "{queues:?}");
    assert!(queues[2].starts_with("web") && queues[2].contains("Packets(9)"), "{queues:?}");
    assert_eq!((port.queue_of_class.as_slice(), port.policer_of_class.as_slice()), (&[1, 0, 2][..], &[None, None, Some(0)][..]));
    let below = port.classes[1].below.as_ref().expect("a scheduler");
    assert_eq!((port.scheduler.name(), below.scheduler.name(), below.classes.len()), ("priority", "drr", 2));
    assert_eq!(below.scheduler.class_facts(&below.classes[0]).quantum.map(Bytes::get), Some(3000));
    assert!(port.scheduler.class_facts(&port.classes[0]).rate_limit.is_some() && port.shaper.is_some());
    // A setting reaches every key of a class.
    let quantum = sound(&text, &[("a-b.class.data.class.web.quantum", "9 kB")]).blueprint(None, 0);
    let below = quantum.links[0].port.classes[1].below.as_ref().expect("a scheduler");
    assert_eq!(below.scheduler.class_facts(&below.classes[1]).quantum.map(Bytes::get), Some(9000));
}

#[test]
fn the_canonical_form_knows_content_only() {
    let canonical = |text: &str| sound(text, &[]).canonical().to_owned();
    let layout = BASE
        .replace("from = \"a\"\nto = \"b\"\nrate", "to   = \"b\" # end\nfrom = \"a\"\nrate")
        .replace("a = {}\nb = {}", "b = {}\na = {}");
    assert_ne!(layout, BASE);
    assert_eq!(canonical(&layout), canonical(BASE));
    assert_eq!(canonical(BASE), sound(&changed("\"10 s\"", "\"11 s\""), &[("duration", "10 s")]).canonical());
    assert_ne!(canonical(BASE), canonical(&changed("\"10 s\"", "\"11 s\"")));
    assert!(canonical(BASE).starts_with(
        r#"{"duration":"10 s","flows":[{"from":"a","name":"f","source":{"cbr":{"packet":"160 bytes","rate":"64 kbit/s"}},"to":"b"}],"#
    ));
    // The description changes no number, and the seed is separate; measurements are stored with a run.
    for line in ["description = \"another\"", "seed = 7"] {
        assert_eq!(canonical(&format!("{line}\n{BASE}")), canonical(BASE));
    }
    let measured = sound(&format!("{BASE}\n[[measure]]\nof = \"f\"\nmetric = \"loss\"\n"), &[]);
    assert_eq!(measured.canonical(), canonical(BASE));
    assert_eq!(measured.measure_texts(), [r#"{"metric":"loss","of":"f"}"#, "always"]);
    assert_eq!(sound(BASE, &[]).measure_texts(), ["default", "always"]);
    // The order of impairments has a meaning.
    let [loss, delay] = ["impairment.loss = { probability = 0.01 }", "impairment.delay = { added = \"1 ms\" }"];
    let impaired = |first: &str, second: &str| canonical(&changed(LINK, &format!("{LINK}\n{first}\n{second}")));
    assert_ne!(impaired(loss, delay), impaired(delay, loss));
}

#[test]
fn what_is_far_too_large_is_refused_at_once() {
    let with = |count: &str, more: &str| lines(load(&(changed("count = 4", &format!("count = {count}")) + more), "t.toml", &[]));
    let far = link("hosts", "a", "both-ways = true") + &flow("g", "hosts", "b", FLOW);
    // Entries that name nodes which do not fit are not checked.
    assert_eq!(with("4_000_000_000", &far), ["t.toml:2: nodes: 4000000002 nodes are more than the 16000000 that fit"]);
    // As many nodes as fit may still have more flows and links than fit.
    let rest = with("15_999_998", &(far + &flow("h", "hosts", "b", FLOW)));
    assert_eq!(rest[0], "t.toml:11: flows: 31999997 flows are more than the 16000000 that fit");
    assert_eq!(rest[1], "t.toml:16: links[1]: more than 16000000 links are too many");
}

#[test]
fn no_text_is_too_odd_to_be_read() {
    let odd = [
        "",
        "0",
        "-1",
        "1e300",
        "nan",
        "\"\"",
        "\"a\"",
        "\"0 s\"",
        "\"1 bit/s\"",
        "[]",
        "[[]]",
        "{}",
        "{ a = {} }",
        "true",
        "1979-05-27",
        "4294967295",
    ];
    for name in ["first.toml", "af.toml"] {
        let text = std::fs::read_to_string(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))).expect("the example");
        let lines: Vec<&str> = text.lines().collect();
        let mut refused = 0;
        let mut read = |line: usize, instead: &str| {
            let all = [&lines[..line], &[instead], &lines[line + 1..]].concat().join("\n");
            match load(&all, name, &[]) {
                Ok(_) => {}
                Err(mistakes) => {
                    assert!(!mistakes.is_empty(), "line {line} as {instead}: refused without a word");
                    refused += 1;
                }
            }
        };
        for (i, line) in lines.iter().enumerate() {
            read(i, "");
            read(i, &format!("{line}\n{line}"));
            if let Some((key, _)) = line.split_once('=') {
                odd.iter().for_each(|value| read(i, &format!("{key}= {value}")));
            }
        }
        assert!(refused > 500, "{refused}");
    }
}

#[test]
fn a_scenario_has_a_largest_size() {
    let text = format!("{BASE}#{}", "x".repeat(penstock_scenario::LARGEST_TEXT - BASE.len()));
    let message = "t.toml: is larger than 64 MiB, which is the most; a group such as hosts = { count = 24 } makes many nodes at once";
    assert_eq!(lines(load(&text, "t.toml", &[])), [message]);
    assert!(load(&text[..text.len() - 1], "t.toml", &[]).is_ok());
}

#[test]
fn what_is_too_deep_has_a_line() {
    let refused = |text: &str| lines(load(text, "t.toml", &[]));
    let deep = vec!["a"; 81].join(".");
    let message = |line: usize| format!("t.toml:{line}: a key has more than 80 parts with dots between; no key of a scenario has as many");
    assert_eq!(refused(&format!("# deep\n{deep} = 1\n")), [message(2)]);
    assert_eq!(refused(&format!("x = 1\n[{deep}]\ny = 1\n{deep} = 1")), [message(2), message(4)]);
    assert_eq!(refused(&format!("x = [1,\n {{ {deep} = 2 }}]")), [message(2)]);
    let brackets = refused(&format!("x = 1\n\ny = {}1{}", "[".repeat(100), "]".repeat(100)));
    assert!(brackets[0].starts_with("t.toml:3: this is not TOML: cannot recurse further"), "{brackets:?}");
    let tables = refused(&format!("x = 1\ny = {}1{}", "{ a = ".repeat(100), " }".repeat(100)));
    assert!(tables[0].starts_with("t.toml:2: this is not TOML: cannot recurse further"), "{tables:?}");
    let set = ("nodes.".to_owned() + &vec!["a"; 60_000].join("."), "1".to_owned());
    assert_eq!(lines(load(BASE, "t.toml", &[set]))[0].rsplit(": ").next(), Some("has 60001 parts with dots between; at most 80"));
}
