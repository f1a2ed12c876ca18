//! Settings: changes to a scenario by path and value.

mod common;
use common::{changed, lines, sound, BASE, LINK};
use penstock_scenario::load;

#[test]
fn settings_change_the_scenario() {
    let text = changed(LINK, &format!("{LINK}\nqueue.tail-drop = {{ limit = \"9 packets\" }}"));
    let end = |sets: &[(&str, &str)]| sound(&text, sets).end();
    assert_eq!(end(&[("duration", "10 ms")]), end(&[("duration", "\"10 ms\"")]));
    let queue = |sets: &[(&str, &str)]| sound(&text, sets).blueprint(None, 0).links[0].port.queues[0].discipline.clone();
    let red = "{ limit = \"60 packets\", min-threshold = \"5 packets\", max-threshold = \"15 packets\", max-probability = 0.1 }";
    // Another component replaces the one in the file, whole or key by key.
    assert_eq!(queue(&[("a-b.queue.red", red)]).name(), "red");
    assert_eq!(queue(&[("links.a-b.queue.red", red), ("a-b.queue.red.ecn", "true")]).name(), "red");
    assert_ne!(queue(&[("links[0].queue.tail-drop.limit", "30 packets")]), queue(&[]));
    let flows = |sets: &[(&str, &str)]| sound(&text, sets).flow_count();
    assert_eq!((flows(&[("f.count", "5")]), flows(&[("flows.f.count", "6")])), (5, 6));
    let transport = sound(&text, &[("f.source.ftp", "{}"), ("a-b.both-ways", "true"), ("f.transport.tcp.variant", "sack")]);
    assert_eq!(transport.blueprint(None, 0).groups[0].transport.name(), "tcp");
    assert_eq!(sound(&text, &[("nodes.hosts.count", "9")]).node_count(), 11);
}

#[test]
fn mistaken_settings_say_which() {
    let wrong = |path: &str, value: &str| lines(load(BASE, "t.toml", &[(path.to_owned(), value.to_owned())])).join("\n");
    assert_eq!(
        wrong("a-c.rate", "1 Mbit/s"),
        "--set a-c.rate: unknown key, link or group of flows or calls 'a-c'; did you mean 'a-b'? (a-b, f, description, duration, warm-up, seed, ties, routing, use, nodes, links, circuits, ...)"
    );
    assert_eq!(wrong("links.a-c.rate", "1 Mbit/s"), "--set links.a-c.rate: unknown link 'a-c'; did you mean 'a-b'? (a-b)");
    assert_eq!(wrong("nodes.host.count", "3"), "--set nodes.host.count: unknown node 'host'; did you mean 'hosts'? (a, b, hosts)");
    assert_eq!(wrong("a-b.rate", "3"), "--set a-b.rate: 3 has no unit; write \"3 Mbit/s\"");
    assert_eq!(wrong("a-b.rat", "3"), "--set a-b.rat: unknown key 'rat'; did you mean 'rate'? (from, to, rate, delay, name, weight, both-ways, overhead, min-frame, framing, cells, pcn-at, ...)");
    // The way back that both-ways adds has few keys of its own.
    let both = [("a-b.both-ways".to_owned(), "true".to_owned()), ("b-a.delay".to_owned(), "1 ms".to_owned())];
    let refused = lines(load(BASE, "t.toml", &both));
    assert!(refused[0].starts_with("--set b-a.delay: unknown key 'delay'"), "{refused:?}");
    assert_eq!(wrong("a-b", "3"), "--set a-b: 'a-b' has many keys; say which of them, as in a-b.rate");
    assert_eq!(wrong("a-b..rate", "3"), "--set a-b..rate: is not a path; write names with dots between, such as r1-r2.queue.red.limit");
    assert_eq!(wrong("links[3].rate", "3"), "--set links[3].rate: 'links' has 1 entries, counted from 0; there is no links[3]");
    assert_eq!(wrong("duration.x", "3"), "--set duration.x: leads nowhere: there is no table that could hold 'x'");
    assert_eq!(wrong("duration[0]", "3"), "--set duration[0]: 'duration' is not a list");
    assert_eq!(wrong("duration", "5"), "--set duration: 5 has no unit; write \"5 s\"");
    assert_eq!(wrong("f.start", "1"), "--set f.start: 1 has no unit; write \"1 s\"");
    assert_eq!(wrong("hosts.count", "3"), "--set hosts.count: 'hosts' is a node; write nodes.hosts.count");
    assert_eq!(wrong("hosts", "3"), "--set hosts: 'hosts' is a node; write nodes.hosts.count");
}

#[test]
fn a_setting_may_name_several() {
    let two = changed(LINK, &format!("{LINK}\n[[links]]\nfrom = \"b\"\nto = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\""));
    for path in ["a-b,b-a.rate", "links.a-b,b-a.rate"] {
        let links = sound(&two, &[(path, "3 Mbit/s")]).blueprint(None, 0).links;
        assert!(links.iter().all(|link| link.rate.as_bps() == 3_000_000), "{path}");
    }
    let wrong = lines(load(&two, "t.toml", &[("a-b,b-d.rate".to_owned(), "3 Mbit/s".to_owned())]));
    assert!(wrong[0].starts_with("--set a-b,b-d.rate: unknown key, link or group of flows or calls 'b-d'"), "{wrong:?}");
}

#[test]
fn settings_that_overwrite_each_other_are_refused_with_both_names() {
    let text = changed(LINK, &format!("{LINK}\nqueue.tail-drop = {{ limit = \"9 packets\" }}"));
    let red = r#"{ red = { limit = "60 packets", min-threshold = "5 packets", max-threshold = "15 packets", max-probability = 0.1 } }"#;
    let read = |sets: &[(&str, &str)]| {
        let sets: Vec<(String, String)> = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        load(&text, "t.toml", &sets)
    };
    let replaced = |first: (&str, &str), second: (&str, &str)| {
        let told = lines(read(&[first, second]));
        let expected = format!("--set {}: replaces what '{}' sets; ", second.0, first.0);
        assert!(told[0].starts_with(&expected), "{told:?}");
    };
    // Another discipline, a table over a part of it, a part of a table that was set before, and another spelling of the same path.
    replaced(("a-b.queue", red), ("a-b.queue.tail-drop.limit", "20 packets"));
    replaced(("a-b.queue.red.limit", "20 packets"), ("a-b.queue.codel.limit", "20 packets"));
    replaced(("a-b.queue.tail-drop.limit", "20 packets"), ("a-b.queue", red));
    replaced(("a-b.queue", "{ tail-drop = { limit = \"7 packets\" } }"), ("a-b.queue.tail-drop.limit", "20 packets"));
    replaced(("a-b.rate", "2 Mbit/s"), ("links.a-b.rate", "3 Mbit/s"));
    replaced(("a-b.rate", "2 Mbit/s"), ("links[0].rate", "3 Mbit/s"));
    replaced(("f.source.cbr.rate", "2 kbit/s"), ("f.source", r#"{ poisson = { rate = "3 kbit/s", packet = "99 bytes" } }"#));
    // Additions to a table overwrite nothing, and a repeated path is a later value of the same setting.
    for sound in [
        [("a-b.queue", red), ("a-b.queue.red.ecn", "true")],
        [("a-b.queue", "{ tail-drop = {} }"), ("a-b.queue.tail-drop.limit", "20 packets")],
        [("a-b.rate", "2 Mbit/s"), ("a-b.rate", "3 Mbit/s")],
        [("a-b.rate", "2 Mbit/s"), ("a-b.delay", "3 ms")],
    ] {
        read(&sound).unwrap_or_else(|mistakes| panic!("{sound:?}: {}", penstock_scenario::report(&mistakes)));
    }
}

#[test]
fn a_setting_takes_one_value() {
    let wrong = |path: &str, value: &str| lines(load(BASE, "t.toml", &[(path.to_owned(), value.to_owned())])).join("\n");
    for several in ["10 packets,50 packets", r#""10 packets","50 packets""#, "31,40,50"] {
        assert_eq!(
            wrong("a-b.queue.tail-drop.limit", several),
            format!("--set a-b.queue.tail-drop.limit: {several} are several values where there is room for one; 'penstock run' makes a sweep of them")
        );
    }
    assert!(wrong("a-b.queue.tail-drop", "{ limit = 60 packets }")
        .starts_with("--set a-b.queue.tail-drop: { limit = 60 packets } is not TOML: "));
    assert_eq!(sound(BASE, &[("description", "[draft] one, two")]).description(), "[draft] one, two");
}

#[test]
fn a_setting_of_a_component_that_is_not_on_the_page_asks_for_all_of_it() {
    let wrong = |sets: &[(&str, &str)]| {
        let sets: Vec<(String, String)> = sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        lines(load(BASE, "t.toml", &sets))
    };
    let found = wrong(&[("a-b.queue.red.limit", "50 packets")]);
    let advice = "; 'red' is not in the file, so write the whole table, as in --set 'a-b.queue.red={ ... }'";
    assert_eq!(found.iter().filter(|line| line.contains("is missing")).count(), 3, "{found:?}");
    assert_eq!(found.iter().filter(|line| line.ends_with(advice)).count(), 1, "{found:?}");
    // A user who writes the whole table, or sets one parameter after another, needs no such advice.
    assert!(wrong(&[("a-b.queue.red", "{ limit = \"50 packets\" }")]).iter().all(|line| !line.contains("on the page")));
    let one_by_one =
        [("limit", "50 packets"), ("min-threshold", "10 packets"), ("max-threshold", "30 packets"), ("max-probability", "0.1")];
    let paths = one_by_one.map(|(key, _)| format!("a-b.queue.red.{key}"));
    let sets: Vec<(&str, &str)> = paths.iter().zip(one_by_one).map(|(path, (_, value))| (path.as_str(), value)).collect();
    sound(BASE, &sets);
}
