//! Compares routes with a plain table of next hops, for each pair of nodes.

use super::*;
use penstock_model::rng::Stream;

/// Links between these nodes, all alike.
fn links(ends: &[(usize, usize)]) -> Vec<LinkPlan> {
    let text = "duration = \"1 s\"\n[nodes]\na = {}\nb = {}\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
                [[flows]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nsource.cbr = { rate = \"64 kbit/s\", packet = \"160 bytes\" }\n";
    let scenario = crate::load(text, "t.toml", &[]).expect("a sound scenario");
    let link = &scenario.blueprint(None, 0).links[0];
    let node = |n: usize| NodeId(n as u32);
    ends.iter().map(|(from, to)| LinkPlan { from: node(*from), to: node(*to), ..link.clone() }).collect()
}

/// For each destination and each node, the links on routes of minimum weight, in the order of the scenario; without searching.
fn plain_table(nodes: usize, ends: &[(usize, usize)], weights: &[u64]) -> Vec<Vec<Vec<usize>>> {
    let weight = |link: usize| weights.get(link).copied().unwrap_or(1);
    let to_destination = |to: usize| {
        // Bellman's recursion, as often as a route can have links.
        let mut distances = vec![None; nodes];
        distances[to] = Some(0);
        for _ in 0..nodes {
            for (i, (a, b)) in ends.iter().enumerate() {
                let through = distances[*b].map(|rest: u64| rest + weight(i));
                distances[*a] = [distances[*a], through].into_iter().flatten().min();
            }
        }
        let leads_on = |i: &usize| distances[ends[*i].1].is_some_and(|rest| distances[ends[*i].0] == Some(rest + weight(*i)));
        let at = |node: usize| (0..ends.len()).filter(|i| ends[*i].0 == node).filter(leads_on).collect();
        (0..nodes).map(at).collect()
    };
    (0..nodes).map(to_destination).collect()
}

/// The route that a packet takes by the plain table; `None` if there is none.
fn hop_by_hop(table: &[Vec<Vec<usize>>], ends: &[(usize, usize)], routing: Routing, request: &RouteRequest) -> Option<Vec<LinkId>> {
    let mut node = request.from.index();
    let mut route = Vec::new();
    while node != request.to.index() {
        let choices = &table[request.to.index()][node];
        let chosen = match routing {
            Routing::First => 0,
            Routing::Ecmp => ((u128::from(request.key.hash([node as u64, 0])) * choices.len() as u128) >> 64) as usize,
        };
        let link = *choices.get(chosen)?;
        route.push(LinkId(link as u32));
        node = ends[link].1;
    }
    Some(route)
}

/// A network with the parts of large ones: a middle of links of any direction, some of them parallel, trees that hang there or on
/// each other, senders with a link to the network and none back, sinks with a link from it, and nodes without links.
fn random_network(stream: &mut Stream) -> (usize, Vec<(usize, usize)>) {
    let mut below = |n: usize| stream.below(n as u64) as usize;
    let middle = 1 + below(6);
    let nodes = middle + below(12);
    let mut ends = Vec::new();
    for _ in 0..below(4 * middle) {
        let (a, b) = (below(middle), below(middle));
        if a != b {
            ends.extend([(a, b), (b, a)].into_iter().take(1 + below(2)));
        }
    }
    for node in middle..nodes {
        let neighbour = below(node);
        match below(8) {
            0 => ends.push((node, neighbour)),
            1 => ends.push((neighbour, node)),
            2 => {}
            3 => ends.extend([(node, neighbour), (node, neighbour), (neighbour, node)]),
            _ => ends.extend([(node, neighbour), (neighbour, node)]),
        }
    }
    // Shuffles the links.
    for i in (1..ends.len()).rev() {
        ends.swap(i, below(i + 1));
    }
    (nodes, ends)
}

fn request(from: usize, to: usize, key: Key) -> RouteRequest {
    RouteRequest { from: NodeId(from as u32), to: NodeId(to as u32), key }
}

#[test]
fn routes_are_those_of_a_plain_table() {
    for seed in 0..400 {
        let key = Key::root(seed, 0);
        let mut stream = key.stream();
        let (nodes, ends) = random_network(&mut stream);
        let plans = links(&ends);
        let weights: Vec<u64> = ends.iter().map(|_| 1 + stream.below(3)).collect();
        let all: Vec<RouteRequest> =
            (0..nodes).flat_map(|a| (0..nodes).map(move |b| request(a, b, key.nth((a * nodes + b) as u64)))).collect();
        let (first, last) = (NodeId(0), NodeId(nodes as u32 - 1));
        // From one node to all, from all to one, and between all.
        let some: [Vec<RouteRequest>; 3] = [
            all.iter().filter(|request| request.from == first).copied().collect(),
            all.iter().filter(|request| request.to == last).copied().collect(),
            all.clone(),
        ];
        for weights in [Vec::new(), weights] {
            let table = plain_table(nodes, &ends, &weights);
            let routes = Routes::new(nodes, &plans, weights);
            for routing in [Routing::First, Routing::Ecmp] {
                for requests in &some {
                    let Ok(found) = routes.find(routing, requests) else { panic!("{seed}: too long") };
                    for (i, request) in requests.iter().enumerate() {
                        let expected = hop_by_hop(&table, &ends, routing, request);
                        assert_eq!(found.route(i).ok(), expected.as_deref(), "{seed}, {routing:?}: {request:?} over {ends:?}");
                    }
                }
            }
        }
    }
}

/// Four switches, each linked to all others, and `hosts` hosts linked both ways to the switches in turn.
fn switches_with_hosts(hosts: usize) -> (usize, Vec<(usize, usize)>) {
    let mesh = (0..4).flat_map(|a| (0..4).filter(move |b| *b != a).map(move |b| (a, b)));
    let access = (4..4 + hosts).flat_map(|host| [(host, host % 4), (host % 4, host)]);
    (4 + hosts, mesh.chain(access).collect())
}

#[test]
fn hosts_share_the_searches_of_their_switch() {
    // The effort of searching does not grow with hosts and flows, and the stored routes grow in proportion.
    for hosts in [100, 1_000, 10_000] {
        let (nodes, ends) = switches_with_hosts(hosts);
        let plans = links(&ends);
        for routing in [Routing::First, Routing::Ecmp] {
            let mut routes = Routes::new(nodes, &plans, Vec::new());
            let requests: Vec<RouteRequest> =
                (0..hosts).map(|i| request(4 + i, 4 + (7 * i + 1) % hosts, Key::root(0, 0).nth(i as u64))).collect();
            let Ok(found) = routes.find(routing, &requests) else { panic!("too long") };
            // Three links lead into each of four goals, from three nodes whose three outgoing links are looked at.
            assert!((1..=4 * (4 * 3 + 3 * 3)).contains(&routes.core.looked_at.get()), "{}", routes.core.looked_at.get());
            (0..hosts).for_each(|i| assert_eq!(routes.intern(found.route(i).expect("reached")), RouteId(i as u32)));
            assert!(routes.into_table().links().len() <= 3 * hosts);
        }
    }
}

#[test]
fn a_tree_needs_no_search() {
    // A binary tree: 0 above 1 and 2, these above 3 to 6, and so on.
    let nodes = 4095;
    let ends: Vec<(usize, usize)> = (1..nodes).flat_map(|node| [(node, (node - 1) / 2), ((node - 1) / 2, node)]).collect();
    let plans = links(&ends);
    let routes = Routes::new(nodes, &plans, Vec::new());
    let requests: Vec<RouteRequest> = (0..nodes).map(|node| request(node, nodes - 1 - node, Key::root(0, 0))).collect();
    let Ok(found) = routes.find(Routing::First, &requests) else { panic!("too long") };
    assert_eq!(routes.core.looked_at.get(), 0);
    // From the root down its right side, and back.
    assert_eq!((found.route(0).expect("reached").len(), found.route(nodes - 1).expect("reached").len()), (11, 11));
}
