//! Routes by weight, and the number of flows between two groups.

mod common;
use common::{added, changed, flow, link, sound, ways, BASE, FLOW, LINK, TCP};

/// Nodes `n0` to `n{nodes - 1}`, links with their weights, and a flow between every two.
fn network(nodes: usize, links: &[(usize, usize, u64)], top: &str, weigh: impl Fn(u64) -> String) -> String {
    let declared: String = (0..nodes).map(|i| format!("n{i} = {{}}\n")).collect();
    let links: String = links
        .iter()
        .enumerate()
        .map(|(i, (a, b, weight))| link(&format!("n{a}"), &format!("n{b}"), &format!("name = \"l{i}\"\n{}", weigh(*weight))))
        .collect();
    let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |b| *b != a).map(move |b| (a, b)));
    let flows: String = pairs.map(|(a, b)| flow(&format!("f{a}-{b}"), &format!("n{a}"), &format!("n{b}"), FLOW)).collect();
    format!("duration = \"1 s\"\n{top}\n[nodes]\n{declared}{links}{flows}")
}

/// All routes of minimum weight between two nodes, as positions of links, in the order of their first differing link.
fn least(nodes: usize, links: &[(usize, usize, u64)], from: usize, to: usize) -> Vec<Vec<usize>> {
    // Bellman's recursion, as often as a route can have links.
    let mut distances = vec![u64::MAX / 2; nodes];
    distances[to] = 0;
    for _ in 0..nodes {
        for (a, b, weight) in links {
            distances[*a] = distances[*a].min(distances[*b] + weight);
        }
    }
    let mut routes = Vec::new();
    let mut unfinished = vec![(from, Vec::new())];
    while let Some((node, route)) = unfinished.pop() {
        if node == to {
            routes.push(route);
            continue;
        }
        for (i, (a, b, weight)) in links.iter().enumerate().rev() {
            if *a == node && distances[node] == distances[*b] + weight {
                unfinished.push((*b, [&route[..], &[i]].concat()));
            }
        }
    }
    routes
}

/// A ring both ways, so that everything is reached, with more links across; weights from 1 to `most`.
fn random_links(nodes: usize, more: usize, most: u64, seed: u64) -> Vec<(usize, usize, u64)> {
    let mut state = seed;
    let mut below = move |n: u64| {
        // Knuth's MMIX generator; its upper bits.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let ring = (0..nodes).flat_map(|i| [(i, (i + 1) % nodes), ((i + 1) % nodes, i)]);
    let mut ends: Vec<(usize, usize)> = ring.collect();
    while ends.len() < 2 * nodes + more {
        let (a, b) = (below(nodes as u64) as usize, below(nodes as u64) as usize);
        if a != b {
            ends.push((a, b));
        }
    }
    ends.into_iter().map(|(a, b)| (a, b, 1 + below(most))).collect()
}

#[test]
fn routes_have_the_least_weight_whatever_the_network() {
    for seed in 0..12 {
        let (nodes, most) = (9, [1, 2, 5, 1000][seed as usize % 4]);
        let links = random_links(nodes, 16, most, seed);
        let pairs: Vec<(usize, usize)> = (0..nodes).flat_map(|a| (0..nodes).filter(move |b| *b != a).map(move |b| (a, b))).collect();
        // Weights of 0.001 and more: sums are exact.
        let weigh = |weight: u64| format!("weight = {}.{:03}", weight / 1000, weight % 1000);
        for routing in ["first", "ecmp"] {
            let text = network(nodes, &links, &format!("routing = \"{routing}\""), weigh);
            for ((from, to), [there, _]) in pairs.iter().zip(ways(&sound(&text, &[]))) {
                let expected = least(nodes, &links, *from, *to);
                let route: Vec<usize> = there.split(' ').map(|link| link[1..].parse().expect("a number")).collect();
                match routing {
                    "first" => assert_eq!(route, expected[0], "{seed}: from {from} to {to}"),
                    _ => assert!(expected.contains(&route), "{seed}: from {from} to {to}"),
                }
            }
        }
    }
}

#[test]
fn equal_weights_are_the_fewest_links() {
    let links = random_links(9, 16, 1, 5);
    for routing in ["first", "ecmp"] {
        let routed = |weigh: &dyn Fn(u64) -> String| ways(&sound(&network(9, &links, &format!("routing = \"{routing}\""), weigh), &[]));
        let without = routed(&|_| String::new());
        assert_eq!(routed(&|_| "weight = 7".to_owned()), without);
        // Links of another weight that no route takes make the search one by weight.
        let mut more = links.clone();
        more.push((0, 4, 1_000_000));
        let weigh = |weight: u64| if weight == 1 { String::new() } else { format!("weight = {weight}") };
        assert_eq!(ways(&sound(&network(9, &more, &format!("routing = \"{routing}\""), weigh), &[])), without);
    }
}

#[test]
fn a_weight_holds_both_ways_and_can_be_set() {
    let text = "duration = \"1 s\"\n[nodes]\na = {}\nb = {}\nc = {}\n".to_owned()
        + &link("a", "b", "both-ways = true\nweight = 3")
        + &link("a", "c", "both-ways = true")
        + &link("c", "b", "both-ways = true")
        + &flow("f", "a", "b", TCP);
    assert_eq!(ways(&sound(&text, &[])), [["a-c c-b", "b-c c-a"]]);
    assert_eq!(ways(&sound(&text, &[("a-b.weight", "1.999")])), [["a-b", "b-a"]]);
    // Of equal weight: the one that begins with the earlier link.
    assert_eq!(ways(&sound(&text, &[("a-b.weight", "2")])), [["a-b", "b-c c-a"]].map(|[there, _]| [there, "b-a"]));
}

#[test]
fn weights_that_mean_nothing_are_refused() {
    let allowed = "a number above zero, at most 1000000000, with up to three decimals";
    for wrong in ["0", "-1", "-0.5", "1000000001", "\"3\"", "nan", "inf"] {
        added(
            LINK,
            &format!("weight = {wrong}"),
            &format!(
                "t.toml:11: links[0].weight: {} is not a weight; {allowed}",
                match wrong {
                    "\"3\"" => "'3'",
                    "nan" => "NaN",
                    other => other,
                }
            ),
        );
    }
    added(LINK, "weight = 0.0005", &format!("t.toml:11: links[0].weight: 0.0005 has more than three decimals; a weight is {allowed}"));
    sound(&changed(LINK, &format!("{LINK}\nweight = 0.001")), &[]);
}

#[test]
fn groups_of_unequal_sizes_say_how_many_flows_they_make() {
    let text = |from: &str, to: &str, more: &str| {
        let nodes = "duration = \"1 s\"\n[nodes]\nhosts = { count = 5 }\nsinks = { count = 30 }\nothers = { count = 5 }\nr = {}\n";
        let links = ["hosts", "sinks", "others"].map(|group| link(group, "r", "both-ways = true"));
        nodes.to_owned() + &links.concat() + &flow("f", from, to, &format!("{FLOW}\n{more}"))
    };
    let warnings =
        |from, to, more| -> Vec<String> { sound(&text(from, to, more), &[]).warnings().iter().map(ToString::to_string).collect() };
    assert_eq!(
        warnings("hosts", "sinks", ""),
        ["t.toml:28: flows[0].to: 'sinks' has 30 nodes and 'hosts' has 5, which makes 30 flows: 6 begin at each of 'hosts'; \
          write count = 30 if that is meant, count = 5 for one each"]
    );
    assert_eq!(
        warnings("sinks[0-6]", "hosts", ""),
        ["t.toml:28: flows[0].to: 'hosts' has 5 nodes and 'sinks[0-6]' has 7, which makes 7 flows: 1 or 2 end at each of 'hosts'; \
          write count = 7 if that is meant, count = 5 for one each"]
    );
    for (from, to, more) in [("hosts", "sinks", "count = 30"), ("hosts", "others", ""), ("hosts", "r", ""), ("sinks[3]", "hosts", "")] {
        assert_eq!(warnings(from, to, more), [""; 0], "{from} to {to}");
    }
    assert_eq!(sound(BASE, &[]).warnings().len(), 0);
}
