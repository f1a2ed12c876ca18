//! The exact text of every mistake about schedulers, their classes and conditioners.

mod common;
use common::{added, changed, class_schedulers, lines, names, FLOW, LINK};
use penstock_model::discipline::DisciplinePlan;
use penstock_model::registry::Registry;
use penstock_model::scheduler::SchedulerPlan;
use penstock_scenario::load;

#[test]
fn each_scheduler_reads_keys_of_its_own() {
    added(
        LINK,
        "scheduler.wrr = {}",
        "t.toml:11: links[0].scheduler.wrr: has no classes; write class.NAME = { ... } for each, with weight",
    );
    added(
        LINK,
        "scheduler.wrr = {}\nclass.default.queue.tail-drop = {}",
        "t.toml:12: links[0].class.default.weight: is missing and has no default; write weight = 1",
    );
    added(
        LINK,
        "scheduler.drr = {}\nclass.default = {}",
        "t.toml:12: links[0].class.default.quantum: is missing and has no default; write quantum = \"1500 bytes\"",
    );
    added(
        LINK,
        "scheduler.drr = {}\nclass.default = { quantum = \"1500 bytes\", weight = 2 }",
        "t.toml:12: links[0].class.default.weight: has no effect with scheduler.drr, which reads quantum; leave it out",
    );
    added(
        LINK,
        "scheduler.scfq = {}\nclass.default = { weight = 1, rate-limit = { rate = \"1 kbit/s\", burst = \"1 kB\" } }",
        "t.toml:12: links[0].class.default.rate-limit: has no effect with scheduler.scfq, which reads weight; leave it out",
    );
    added(
        LINK,
        "scheduler.wrr.quantum = \"3 kB\"\nclass.default.weight = 1",
        "t.toml:11: links[0].scheduler.wrr.quantum: has no effect with weighs = \"packets\"; leave it out",
    );
}

#[test]
fn weights_are_whole_and_above_zero() {
    let weight = |written: &str, message: &str| {
        let line = format!("scheduler.wf2q-plus = {{}}\nclass.default.weight = {written}");
        added(LINK, &line, &format!("t.toml:12: links[0].class.default.weight: {message}"));
    };
    weight("0", "0 would never be served; a whole number, 1 to 10000");
    weight("10001", "10001 is not a weight; a whole number, 1 to 10000");
    weight("0.31", "0.31 is not a weight; a whole number, 1 to 10000");
}

#[test]
fn shares_are_those_of_the_link() {
    let second =
        "\n[[flows]]\nname = \"g\"\nfrom = \"a\"\nto = \"b\"\nclass = \"ef\"\nsource.cbr = { rate = \"1 kbit/s\", packet = \"1 kB\" }";
    let text = |port: &str| changed(LINK, &format!("{LINK}\n{port}")) + second;
    let mistakes = |port: &str| lines(load(&text(port), "t.toml", &[]));
    assert_eq!(
        mistakes("scheduler.cbq = {}\nclass.ef.share = 0.31\nclass.default.share = 0.7"),
        ["t.toml:11: links[0].scheduler.cbq: the shares of its classes add up to 1.0100 of the link; at most 1"]
    );
    assert_eq!(
        mistakes("scheduler.cbq = {}\nclass.ef.share = 0\nclass.default.priority = 2"),
        [
            "t.toml:12: links[0].class.ef.share: 0 would never be served; above 0, at most 1",
            "t.toml:13: links[0].class.default.share: is missing and has no default; write share = 0.5",
        ]
    );
    // Neither bytes are allowed nor, although it belongs to a link, a time.
    for limit in ["1 MB", "5 ms"] {
        let message = format!("'{limit}' is not a number of packets above zero; write \"60 packets\"");
        let found = mistakes(&format!("scheduler.fq-codel = {{ limit = \"{limit}\" }}"));
        assert_eq!(found, [format!("t.toml:11: links[0].scheduler.fq-codel.limit: {message}")]);
    }
    assert_eq!(
        mistakes("scheduler.fq-codel = {}\nclass.ef.quantum = \"1500 bytes\""),
        ["t.toml:12: links[0].class: has no effect with scheduler.fq-codel, which makes a queue for each flow; leave it out"]
    );
    assert_eq!(
        mistakes("scheduler.scfq = {}\nclass.ef.weight = 1\nclass.default = { weight = 1, scheduler.fq-codel = {} }"),
        ["t.toml:13: links[0].class.default.scheduler: fq-codel makes queues by flow, so it can only be set at the link itself"]
    );
    let can = DisciplinePlan::with_ecn(Registry::NONE).join(", ");
    assert_eq!(
        mistakes("queue.tail-drop = { ecn = true }"),
        [format!("t.toml:11: links[0].queue.tail-drop.ecn: tail-drop cannot mark packets ({can} can)")]
    );
    assert_eq!(
        mistakes("queue.step-marking = { threshold = \"20 packets\", ecn = true }"),
        ["t.toml:11: links[0].queue.step-marking.ecn: step-marking always marks ECN-capable packets; leave it out"]
    );
    assert_eq!(
        mistakes("scheduler.scfq = {}\nclass.ef.weight = 1\nclass.x = { weight = 1, scheduler.cbq = {}, class.default.share = 1 }"),
        ["t.toml:13: links[0].class.x.scheduler: cbq holds its classes to shares of the link, so it can only be set at the link itself"]
    );
    assert!(load(&text("scheduler.cbq = {}\nclass.ef.share = \"1/3\"\nclass.default.share = \"2/3\""), "t.toml", &[]).is_ok());
}

#[test]
fn classes_must_be_those_that_pass() {
    added(
        LINK,
        "scheduler.scfq = {}\nclass.default.weight = 1\nclass.ef.weight = 1",
        "t.toml:13: links[0].class.ef: names class 'ef', but no flow of that class passes here (those that do: default); leave it out",
    );
    added(
        LINK,
        "scheduler.scfq = {}\nclass.ef.weight = 1",
        "t.toml:11: links[0].scheduler.scfq: class 'default' of flows 'f' passes here and is not named\n\
         t.toml:12: links[0].class.ef: names class 'ef', but no flow of that class passes here (those that do: default); leave it out",
    );
    added(
        LINK,
        "scheduler.scfq = {}\nclass.default.weight = 1\nclass.x = { weight = 1, scheduler.drr = {}, class.default.quantum = \"1 kB\" }",
        "t.toml:13: links[0].class.x.class.default: a second queue for class 'default'; its packets can wait in one only",
    );
}

#[test]
fn schedulers_below_others() {
    added(
        LINK,
        "scheduler.scfq = {}\nclass.default = { weight = 1, scheduler.fifo = {} }",
        "t.toml:12: links[0].class.default.scheduler: has no effect: without it the class has one queue too; leave it out",
    );
    added(
        LINK,
        "scheduler.priority.order = [\"x\"]\nclass.x = { scheduler.drr = {}, policer.token-bucket = { rate = \"1 kbit/s\", burst = \"1 kB\" }, class.default.quantum = \"1 kB\" }",
        "t.toml:12: links[0].class.x.policer: has no effect at a class with a scheduler; write one for each class below it",
    );
    added(
        LINK,
        "scheduler.priority.order = [\"x\"]\nclass.x.class.default.queue.tail-drop = {}",
        &format!(
            "t.toml:12: links[0].class.x.class: has no effect with one queue; write a scheduler ({}) or leave it out",
            class_schedulers()
        ),
    );
}

#[test]
fn sizes_must_let_packets_pass() {
    added(
        LINK,
        "shaper.token-bucket = { rate = \"64 kbit/s\", burst = \"159 bytes\" }",
        "t.toml:11: links[0].shaper.token-bucket.burst: 159 bytes are less than the 160 bytes of a packet of flows 'f', which would never be within the profile",
    );
    added(
        LINK,
        "scheduler.priority.order = [\"default\"]\nclass.default.rate-limit = { rate = \"64 kbit/s\", burst = \"159 bytes\" }",
        "t.toml:12: links[0].class.default.rate-limit.burst: 159 bytes are less than the 160 bytes of a packet of flows 'f', which would never be within the limit",
    );
    // Shares do not need quanta of at least a packet; only the cost of a decision does.
    let warnings = |quantum: &str| {
        let text = changed(LINK, &format!("{LINK}\nscheduler.drr = {{}}\nclass.default.quantum = \"{quantum}\""));
        common::sound(&text, &[]).warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("159 bytes"),
        [
            "t.toml:12: links[0].class.default.quantum: 159 bytes are less than the 160 bytes of a packet of flows 'f': rounds pass without serving the class, and a decision no longer takes constant time, though the quanta still set the shares; better at least the largest packet"
        ]
    );
    assert_eq!(warnings("160 bytes"), [""; 0]);
    // Sizes without a bound are doubtful, not wrong.
    let poisson = "source.poisson = { rate = \"64 kbit/s\", packet = { exponential = { mean = \"160 bytes\" } } }";
    let text = changed(LINK, &format!("{LINK}\nscheduler.drr = {{}}\nclass.default.quantum = \"1500 bytes\"")).replace(FLOW, poisson);
    let warnings = common::sound(&text, &[]).warnings().to_vec();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().contains("some packets of flows 'f', whose sizes have no bound: rounds pass"), "{}", warnings[0]);
}

#[test]
fn rates_beyond_the_link() {
    added(
        LINK,
        "shaper.token-bucket = { rate = \"2 Mbit/s\", burst = \"3 kB\" }",
        "t.toml:11: links[0].shaper.token-bucket.rate: 2 Mbit/s is above the rate of the link, 1 Mbit/s, so it would delay nothing; leave it out",
    );
    added(
        LINK,
        "scheduler.priority.order = [\"default\"]\nclass.default.rate-limit = { rate = \"2 Mbit/s\", burst = \"3 kB\" }",
        "t.toml:12: links[0].class.default.rate-limit.rate: 2 Mbit/s is above the rate of the link, 1 Mbit/s, so it would limit nothing",
    );
    // The highest rate of the link counts.
    let text = "rate-changes = [{ at = \"1 s\", rate = \"3 Mbit/s\" }]\nshaper.token-bucket = { rate = \"2 Mbit/s\", burst = \"3 kB\" }";
    assert!(load(&changed(LINK, &format!("{LINK}\n{text}")), "t.toml", &[]).is_ok());
}

#[test]
fn an_automatic_threshold_that_the_limit_keeps_out_of_reach() {
    // 1 Mbit/s are 250 packets of 500 bytes per second: 125 in half a second.
    const WHY: &str = "so the average never reaches it and nothing would be dropped early; write more than";
    added(
        LINK,
        "queue.adaptive-red = { limit = \"125 packets\", target-delay = \"1 s\" }",
        &format!(
            "t.toml:11: links[0].queue.adaptive-red.limit: 125 packets are not above the automatic min-threshold, 125 packets at 1 Mbit/s, {WHY} 125 packets, or a shorter target-delay"
        ),
    );
    added(
        LINK,
        "scheduler.drr = {}\nclass.default = { quantum = \"1500 bytes\", queue.adaptive-red.target-delay = \"10 s\" }",
        &format!(
            "t.toml:12: links[0].class.default.queue.adaptive-red.limit: 1000 packets are not above the automatic min-threshold, 1250 packets at 1 Mbit/s, {WHY} 1250 packets, or a shorter target-delay"
        ),
    );
    let sound = "queue.adaptive-red = { limit = \"126 packets\", target-delay = \"1 s\" }";
    // The threshold follows from the first rate.
    for more in ["", "rate-changes = [{ at = \"1 s\", rate = \"3 Mbit/s\" }]"] {
        assert!(load(&changed(LINK, &format!("{LINK}\n{sound}\n{more}")), "t.toml", &[]).is_ok());
    }
}

#[test]
fn one_policer_for_each_packet() {
    let policer = "policer.token-bucket = { rate = \"1 kbit/s\", burst = \"1 kB\" }";
    added(
        LINK,
        &format!("scheduler.scfq = {{}}\n{policer}\nclass.default = {{ weight = 1, {policer} }}"),
        "t.toml:12: links[0].policer: is set at the link and at class 'default'; a packet passes only one of them, so write it for the classes",
    );
    let several = lines(load(&changed(LINK, &format!("{LINK}\n{policer}\nscheduler.wfq = {{}}")), "t.toml", &[]));
    assert_eq!(
        several,
        [format!("t.toml:12: links[0].scheduler: unknown scheduler 'wfq'; did you mean 'sfq'? ({})", names(SchedulerPlan::NAMES))]
    );
}

#[test]
fn a_tail_drop_in_the_place_of_a_schedulers_own_discipline() {
    let warnings = |keys: &str| -> Vec<String> {
        let text = changed(LINK, &format!("{LINK}\n{keys}"));
        common::sound(&text, &[]).warnings().iter().map(ToString::to_string).collect()
    };
    for (scheduler, usual) in [("fq-codel", "codel"), ("fq-pie", "pie")] {
        let queue = "queue.tail-drop = { limit = \"100 packets\" }";
        let expected = format!(
            "t.toml:11: links[0].queue.tail-drop: replaces the {usual} of {scheduler}, so its queues only drop at their limit; leave it out \
             to use {usual}"
        );
        assert_eq!(warnings(&format!("{queue}\nscheduler.{scheduler} = {{}}")), [expected]);
        assert_eq!(warnings(&format!("queue.{usual} = {{}}\nscheduler.{scheduler} = {{}}")), [""; 0]);
        assert_eq!(warnings(&format!("scheduler.{scheduler} = {{}}")), [""; 0]);
        assert_eq!(warnings(&format!("{queue}\nscheduler.sfq = {{}}")), [""; 0]);
    }
}

#[test]
fn classes_without_a_codepoint_of_their_own() {
    let warnings = |class: &str, tins: &str| -> Vec<String> {
        let link = format!("{LINK}\nscheduler.cake = {{ tins = \"{tins}\" }}");
        let text = common::changed(FLOW, &format!("{FLOW}\nclass = \"{class}\"")).replacen(LINK, &link, 1);
        common::sound(&text, &[]).warnings().iter().map(ToString::to_string).collect()
    };
    let expected =
        "t.toml:11: links[0].scheduler.cake: class 'voice' of flows 'f' is not named after a per-hop behaviour (default, ef, va, \
                    le, cs0 to cs7, af1 to af4, af11 to af43), so its codepoint is one for local use, which has no tin of its own";
    assert_eq!(warnings("voice", "diffserv4"), [expected]);
    assert_eq!(warnings("voice", "besteffort"), [""; 0]);
    for class in ["default", "ef", "af21", "cs1", "le", "va"] {
        assert_eq!(warnings(class, "diffserv3"), [""; 0], "{class}");
    }
    added(
        LINK,
        "scheduler.cake = { tins = \"diffserv5\", rtt = \"moon\", ack-filter = true, mpu = \"84 bytes\" }",
        "t.toml:11: links[0].scheduler.cake.tins: 'diffserv5' is not one of besteffort, precedence, diffserv3, diffserv4, diffserv8; \
         did you mean 'diffserv3'?\n\
         t.toml:11: links[0].scheduler.cake.rtt: 'moon' is not a quantity; write a number and a unit such as \"100 ms\" \
         (units: s, ms, us, ns, ps, min), or one of datacentre, lan, metro, regional, internet, oceanic, satellite, interplanetary\n\
         t.toml:11: links[0].scheduler.cake.ack-filter: true is not one of off, conservative, aggressive",
    );
}

#[test]
fn a_shaper_faster_than_its_link() {
    // The link has 1 Mbit/s.
    let warnings = |rate: &str, more: &str| -> Vec<String> {
        let link = format!("{LINK}\nscheduler.cake = {{ rate = \"{rate}\" }}\n{more}");
        let text = common::changed(LINK, &link);
        common::sound(&text, &[]).warnings().iter().map(ToString::to_string).collect()
    };
    let expected = "t.toml:11: links[0].scheduler.cake.rate: 2 Mbit/s is above the 1 Mbit/s of the link, so the shaper delays no packet, and thresholds are shares of a rate that the link does not have; write a lower one";
    assert_eq!(warnings("2 Mbit/s", ""), [expected]);
    assert_eq!(warnings("1 Mbit/s", ""), [""; 0]);
    // The shaper has an effect later.
    assert_eq!(warnings("2 Mbit/s", "rate-changes = [{ at = \"1 s\", rate = \"3 Mbit/s\" }]"), [""; 0]);
}

/// The automatic limit depends on the rate above 84 Mbit/s, and may change with it.
#[test]
fn the_rate_of_cake_can_change() {
    for rate in ["90 Mbit/s", "60 Mbit/s", "300 Mbit/s"] {
        let change = format!("parameter-changes = [{{ at = \"1 s\", parameter = \"scheduler.cake.rate\", value = \"{rate}\" }}]");
        let text = changed("rate = \"1 Mbit/s\"", "rate = \"1 Gbit/s\"");
        let text = text.replacen(LINK, &format!("{LINK}\nscheduler.cake = {{ rate = \"100 Mbit/s\" }}\n{change}"), 1);
        assert_eq!(common::sound(&text, &[]).warnings().len(), 0);
    }
}

#[test]
fn a_link_that_cake_does_not_know() {
    added(
        LINK,
        "scheduler.cake = { rate = \"900 kbit/s\", overhead = \"docsis pppoe-ptm\" }",
        "t.toml:11: links[0].scheduler.cake.overhead: 'pppoe-ptm' cannot follow 'docsis'; only ether-vlan can",
    );
}
