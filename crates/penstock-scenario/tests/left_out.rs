//! Keys that have no effect next to others: a mistake in a scenario, but left out at one of several points of a sweep.

mod common;
use common::{changed, flow, link, FLOW, LINK};
use penstock_engine::Cancel;
use penstock_scenario::{load, load_leaving_out, report, ReadOptions};

const TCP: &str = "source.ftp = {}\ntransport.tcp = { ack-every = 1 }";
const DRR: &str = "scheduler.drr = {}\nclass.default.quantum = \"1500 bytes\"";

/// A sound scenario, a setting that has no effect in it, and the reported path.
fn cases() -> Vec<(String, (&'static str, &'static str), &'static str)> {
    let both_ways = changed(LINK, &format!("{LINK}\nboth-ways = true"));
    let with_flow = |more: &str| both_ways.replacen(FLOW, more, 1);
    let with_link = |more: &str| changed(LINK, &format!("{LINK}\n{more}"));
    let measured = format!("{}\n[[measure]]\nmetric = \"loss\"\nof = \"f\"\n", common::BASE);
    vec![
        (with_flow(TCP), ("f.transport.tcp.ack-delay", "50 ms"), "flows[0].transport.tcp.ack-delay"),
        (with_flow("source.ftp = {}\ntransport.tcp = {}"), ("f.stop", "11 s"), "flows[0].stop"),
        (common::BASE.to_owned(), ("f.route-back", "[\"b\", \"a\"]"), "flows[0].route-back"),
        (with_link("queue.pie = { limit = \"60 packets\" }"), ("a-b.queue.pie.mark-threshold", "0.2"), "links[0].queue.pie.mark-threshold"),
        (with_link(DRR), ("a-b.class.default.weight", "3"), "links[0].class.default.weight"),
        (with_link(&format!("{DRR}\nclass.default.queue.tail-drop = {{}}")), ("a-b.queue.tail-drop.limit", "9 packets"), "links[0].queue"),
        (common::BASE.to_owned(), ("a-b.pcn-at", "offered"), "links[0].pcn-at"),
        (measured.clone(), ("measure[0].quantiles", "[0.5]"), "measure[0].quantiles"),
        (measured, ("measure[0].interval", "1 s"), "measure[0].interval"),
        (
            with_link("impairment.delay = { added = \"5 ms\" }"),
            ("a-b.impairment.delay.keep-order", "true"),
            "links[0].impairment.delay.keep-order",
        ),
    ]
}

#[test]
fn what_has_no_effect_is_left_out_of_one_point_and_refused_alone() {
    for (text, (path, value), told) in cases() {
        let sets = [(path.to_owned(), value.to_owned())];
        let plain = load(&text, "t.toml", &[]).unwrap_or_else(|mistakes| panic!("{path}: {}", report(&mistakes)));
        let refused = load(&text, "t.toml", &sets).expect_err(path);
        assert!(refused.iter().all(|mistake| mistake.is_ineffective), "{path}: {}", report(&refused));
        let read = load_leaving_out(&Cancel::default(), &text, "t.toml", &sets, ReadOptions::default());
        let read = read.unwrap_or_else(|mistakes| panic!("{path}: {}", report(&mistakes)));
        assert_eq!(read.canonical(), plain.canonical(), "{path}");
        assert_eq!(read.measure_texts(), plain.measure_texts(), "{path}");
        assert_eq!(read.left_out().iter().map(|mistake| mistake.path.as_str()).collect::<Vec<_>>(), [told], "{path}");
        assert!(plain.left_out().is_empty());
    }
}

#[test]
fn other_mistakes_stay_mistakes() {
    let text = format!("{}{}{}", common::BASE, link("b", "a", ""), flow("g", "b", "a", TCP));
    let sets = [("g.transport.tcp.ack-delay", "50 ms"), ("a-b.rate", "3")].map(|(path, value)| (path.to_owned(), value.to_owned()));
    let found = load_leaving_out(&Cancel::default(), &text, "t.toml", &sets, ReadOptions::default()).expect_err("a rate without a unit");
    assert_eq!(found.iter().filter(|mistake| !mistake.is_ineffective).count(), 1, "{}", report(&found));
}
