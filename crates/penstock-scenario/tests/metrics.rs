//! Metrics from counts made by hand.

mod common;
use common::{changed, sound, BASE, FLOW, LINK};
use penstock_engine::observations::{FlowCounters, LinkCounters, MeterSamples, Observations, OptionalCauses, ReceivedCounts, SentCounts};
use penstock_engine::Sim;
use penstock_model::id::FlowId;
use penstock_model::units::{Duration, Time};
use penstock_scenario::ValidScenario;

/// Two flows `f` of 100 and 300 bytes/s over ten seconds; the link sent the packets that arrived, and lost the rest except two
/// packets that are in flight.
fn seen() -> Observations {
    let second = 1_000_000_000_000u128;
    let flow = |scale: u64, sent, delay_ms| FlowCounters {
        sent: SentCounts { packets: sent, bytes: 100 * sent, retransmissions: scale, timeouts: 4 + scale },
        lost_packets: 2 * scale,
        lost_retransmissions: scale - 1,
        received: ReceivedCounts {
            packets: 10 * scale,
            bytes: 1_000 * scale,
            marked: 2 * scale,
            delay_sum_ps: u128::from(10 * scale) * delay_ms * second / 1_000,
            delay_max: Duration::from_ms(2 * delay_ms as u64),
        },
        received_payload: 900 * scale,
        goodput_bytes: 800 * scale,
    };
    let link = LinkCounters {
        offered_packets: [30, 20, 0, 0],
        offered_bytes: 5_000,
        sent_packets: 40,
        sent_bytes: 4_000,
        dropped_packets: [[1, 2, 0, 0], [3, 4, 0, 0], [0; 4], [0; 4], [0; 4], [0; 4], [0; 4], [0; 4], [0; 4], [0; 4]],
        causes: OptionalCauses::default(),
        tied_drops: 0,
        dropped_bytes: 1_000,
        marked_packets: 8,
        marked_bytes: 800,
        busy: Duration::from_secs(4),
        waiting_packet_ps: 25 * second,
        waiting_byte_ps: 2_500 * second,
        pauses: None,
        wait_sum_ps: 20 * second,
        waits: 40,
    };
    Observations {
        from: Time::ZERO + Duration::from_secs(5),
        to: Time::ZERO + Duration::from_secs(15),
        flows: vec![flow(1, 12, 10), flow(3, 38, 30)],
        links: vec![link],
        samples: vec![vec![0, 3, 6]],
        ..Observations::default()
    }
}

fn scenario(measure: &str) -> ValidScenario {
    sound(&changed(FLOW, &format!("{FLOW}\ncount = 2\n{measure}")), &[])
}

/// `name label=value ... number unit`, one line for each.
fn numbers(scenario: &ValidScenario, seen: &Observations) -> Vec<String> {
    let line = |metric: penstock_scenario::MetricValue| {
        let labels: String = metric.labels.iter().map(|(key, value)| format!("{key}={value} ")).collect();
        format!("{} {labels}{} {}", metric.name, metric.value, metric.unit)
    };
    scenario.metrics(seen).into_iter().map(line).collect()
}

#[track_caller]
fn check(metric: &str, of: &str, more: &str, expected: &[&str]) {
    let measure = format!("[[measure]]\nmetric = \"{metric}\"\nof = \"{of}\"\n{more}");
    assert_eq!(numbers(&scenario(&measure), &seen()), expected);
}

#[test]
fn rates_of_flows() {
    let all = r#"take = ["sum", "mean", "min", "max"]"#;
    check(
        "throughput",
        "f",
        all,
        &[
            "throughput of=f statistic=sum 3200 bit/s",
            "throughput of=f statistic=mean 1600 bit/s",
            "throughput of=f statistic=min 800 bit/s",
            "throughput of=f statistic=max 2400 bit/s",
        ],
    );
    check("payload-throughput", "f", "", &["payload-throughput of=f statistic=sum 2880 bit/s"]);
    check("goodput", "f", r#"per = "flow""#, &["goodput of=f flow=f[0] 640 bit/s", "goodput of=f flow=f[1] 1920 bit/s"]);
    check("sent", "f", "", &["sent of=f statistic=sum 4000 bit/s"]);
}

#[test]
fn delay_and_loss_are_taken_over_packets() {
    // 10 packets at 10 ms and 30 at 30 ms: 25 ms.
    check("delay", "f", "", &["delay of=f statistic=mean 0.025 s", "delay of=f statistic=max 0.06 s"]);
    check(
        "delay",
        "f",
        "per = \"flow\"\ntake = [\"mean\"]",
        &["delay of=f flow=f[0] statistic=mean 0.01 s", "delay of=f flow=f[1] statistic=mean 0.03 s"],
    );
    // 8 of 50 sent packets are lost, 2 of 12 and 6 of 38 of the single flows, whatever number has arrived.
    check("loss", "f", "", &["loss of=f statistic=mean 0.16 1"]);
    check(
        "loss",
        "f",
        r#"per = "flow""#,
        &[&format!("loss of=f flow=f[0] {} 1", 2.0 / 12.0), &format!("loss of=f flow=f[1] {} 1", 6.0 / 38.0)],
    );
    check("loss", "f", r#"take = ["min"]"#, &[&format!("loss of=f statistic=min {} 1", 6.0 / 38.0)]);
    check("loss", "a-b", "", &["loss of=a-b statistic=mean 0.2 1"]);
}

#[test]
fn retransmissions_are_counted_for_each_flow() {
    // `f` as TCP with two flows. The second lost two retransmissions and sent five segments a third time.
    let seen = Observations { repeated_retransmissions: vec![(FlowId(1), 5)], ..seen() };
    let check = |metric: &str, expected: [&str; 2]| {
        let flows = "source.ftp = {}\ntransport.tcp = {}\ncount = 2";
        let measure = format!("[[measure]]\nmetric = \"{metric}\"\nof = \"f\"\nper = \"flow\"");
        let text = changed(FLOW, &format!("{flows}\n{measure}")).replace(LINK, &format!("{LINK}\nboth-ways = true"));
        assert_eq!(numbers(&sound(&text, &[]), &seen), expected);
    };
    check("retransmissions", ["retransmissions of=f flow=f[0] 1 packets", "retransmissions of=f flow=f[1] 3 packets"]);
    check("lost-retransmissions", ["lost-retransmissions of=f flow=f[0] 0 packets", "lost-retransmissions of=f flow=f[1] 2 packets"]);
    check(
        "repeated-retransmissions",
        ["repeated-retransmissions of=f flow=f[0] 0 packets", "repeated-retransmissions of=f flow=f[1] 5 packets"],
    );
}

#[test]
fn fairness_is_over_all_flows() {
    // (1 + 3)^2 / (2 * (1 + 9)) = 0.8
    check("fairness", "f", "", &["fairness of=f 0.8 1"]);
}

#[test]
fn counts_of_a_link_are_split_as_asked() {
    check("drops", "a-b", "", &["drops of=a-b statistic=sum 10 packets"]);
    let causes = ["overflow 3", "early 7", "forced 0", "loss 0", "policed 0"].map(|row| {
        let (cause, count) = row.split_once(' ').unwrap();
        format!("drops of=a-b statistic=sum cause={cause} {count} packets")
    });
    check("drops", "a-b", r#"by = ["cause"]"#, &causes.each_ref().map(String::as_str));
    let by_precedence = [
        "drops of=a-b link=a-b precedence=0 4 packets",
        "drops of=a-b link=a-b precedence=1 6 packets",
        "drops of=a-b link=a-b precedence=2 0 packets",
        "drops of=a-b link=a-b precedence=3 0 packets",
    ];
    check("drops", "a-b", "per = \"link\"\nby = [\"precedence\"]", &by_precedence);
    let both = numbers(&scenario("[[measure]]\nmetric = \"drops\"\nof = \"a-b\"\nby = [\"precedence\", \"cause\"]"), &seen());
    assert_eq!((both.len(), both[5].as_str()), (20, "drops of=a-b statistic=sum cause=early precedence=1 4 packets"));
    check("offered", "a-b", "", &["offered of=a-b statistic=sum 50 packets"]);
    check("marks", "a-b", "", &["marks of=a-b statistic=sum 8 packets"]);
    check("marks", "f", "", &["marks of=f statistic=sum 8 packets"]);
}

#[test]
fn flows_have_drops_wherever_they_were_dropped() {
    check("drops", "f", "", &["drops of=f statistic=sum 8 packets"]);
    check("drops", "f", r#"per = "flow""#, &["drops of=f flow=f[0] 2 packets", "drops of=f flow=f[1] 6 packets"]);
    check("drops", "f", r#"per = "class""#, &["drops class=default statistic=sum 8 packets"]);
    check("marks", "f", r#"per = "class""#, &["marks class=default statistic=sum 8 packets"]);
}

#[test]
fn a_link_is_averaged_over_time() {
    check("queue", "a-b", "", &["queue of=a-b statistic=mean 2.5 packets"]);
    check("queue-bytes", "a-b", "", &["queue-bytes of=a-b statistic=mean 250 bytes"]);
    check("in-system", "a-b", "", &["in-system of=a-b statistic=mean 2.9 packets"]);
    check("utilisation", "a-b", "", &["utilisation of=a-b statistic=mean 0.4 1"]);
    check("wait", "a-b", "", &["wait of=a-b statistic=mean 0.5 s"]);
    check("throughput", "a-b", r#"per = "link""#, &["throughput of=a-b link=a-b 3200 bit/s"]);
}

#[test]
fn an_extreme_of_one_time_average_is_said() {
    let warnings = |measure: &str| -> Vec<String> {
        scenario(&format!("[[measure]]\n{measure}\nof = \"a-b\"")).warnings().iter().map(ToString::to_string).collect()
    };
    let said = warnings("metric = \"queue\"\ntake = [\"mean\", \"max\"]");
    assert!(said[0].ends_with("'max' of one link is its average over time, as 'mean' is; sample = \"10 ms\" gives sampled-max, the longest queue of the samples"), "{said:?}");
    for silent in ["metric = \"queue\"", "metric = \"wait\"\ntake = [\"max\"]", "metric = \"throughput\"\ntake = [\"max\"]"] {
        assert_eq!(warnings(silent), [""; 0], "{silent}");
    }
}

#[test]
fn sampled_queues_have_a_mean_a_deviation_and_a_maximum() {
    let expected = [
        "queue of=a-b statistic=mean 2.5 packets",
        "queue of=a-b statistic=sampled-mean 3 packets",
        "queue of=a-b statistic=sampled-deviation 2.449489742783178 packets",
        "queue of=a-b statistic=sampled-max 6 packets",
    ];
    check("queue", "a-b", r#"sample = "1 ms""#, &expected);
    let scenario = scenario("[[measure]]\nmetric = \"queue\"\nof = \"a-b\"\nper = \"link\"\nsample = \"1 ms\"");
    assert_eq!(scenario.blueprint(None, 0).samples.len(), 1);
    assert_eq!(numbers(&scenario, &seen())[3], "queue of=a-b link=a-b statistic=sampled-max 6 packets");
}

#[test]
fn states_of_meters_are_sampled() {
    let meters = format!(
        "{LINK}\nmarker.token-bucket = {{ rate = \"1 Mbit/s\", burst = \"1 kB\" }}\npcn.single-threshold = {{ admissible-rate = \"400 kbit/s\", supportable-rate = \"800 kbit/s\" }}"
    );
    let measured = |more: &str| {
        let text = changed(LINK, &meters).replace(FLOW, &format!("{FLOW}\n[[measure]]\nmetric = \"meter-state\"\nof = \"a-b\"\n{more}"));
        sound(&text, &[])
    };
    let mut seen = seen();
    let state = |meter, variable, unit, values: &[f64]| MeterSamples { meter, variable, unit, values: values.to_vec() };
    seen.meter_samples = vec![vec![
        state(0, "fill", "bit", &[8e3, 4e3, 3e3]),
        state(1, "switch-fill", "bit", &[9e3; 3]),
        state(1, "count", "packets", &[0.0, 1.0, 5.0]),
    ]];
    let scenario = measured("sample = \"1 ms\"\ntake = [\"mean\", \"min\"]");
    assert_eq!(scenario.blueprint(None, 0).meter_samples.len(), 1);
    let expected = [
        "statistic=mean meter=token-bucket variable=fill 5000 bit",
        "statistic=min meter=token-bucket variable=fill 3000 bit",
        "statistic=mean meter=single-threshold variable=switch-fill 9000 bit",
        "statistic=min meter=single-threshold variable=switch-fill 9000 bit",
        "statistic=mean meter=single-threshold variable=count 2 packets",
        "statistic=min meter=single-threshold variable=count 0 packets",
    ];
    assert_eq!(numbers(&scenario, &seen), expected.map(|line| format!("meter-state of=a-b {line}")));
    let single = numbers(&measured("sample = \"1 ms\"\nper = \"link\""), &seen);
    assert_eq!(
        (single.len(), single[8].as_str()),
        (9, "meter-state of=a-b link=a-b statistic=max meter=single-threshold variable=count 5 packets")
    );
}

#[test]
fn a_sampled_meter_runs_in_time_with_the_traffic() {
    // A packet of 125 bytes every 10 ms takes 1000 bits; 100 kbit/s bring them back just before the next. At 5 ms half are there.
    let text = "duration = \"1 s\"\n[nodes]\na = {}\nb = {}\n[[links]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\npcn.threshold = { rate = \"100 kbit/s\", size = \"40 ms\", threshold = \"20 ms\" }\n[[flows]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nsource.cbr = { rate = \"100 kbit/s\", packet = \"125 bytes\", phase = \"zero\" }\n[[measure]]\nmetric = \"meter-state\"\nof = \"a-b\"\nsample = \"5 ms\"\n";
    let scenario = sound(text, &[]);
    let seen = Sim::new(scenario.blueprint(None, 0)).expect("sound").run();
    let expected = ["mean 3250", "min 3000", "max 3500"].map(|line| line.split_once(' ').expect("two words"));
    let line = |(statistic, value)| format!("meter-state of=a-b statistic={statistic} meter=threshold variable=fill {value} bit");
    assert_eq!(numbers(&scenario, &seen), expected.map(line));
}

#[test]
fn groups_of_links_are_combined_and_sampled_each() {
    let text = BASE.to_owned() + "[[links]]\nfrom = \"hosts\"\nto = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[measure]]\nmetric = \"queue\"\nof = [\"a-b\", \"hosts-a\"]\ntake = [\"mean\", \"max\"]\nsample = \"1 ms\"\n";
    let scenario = sound(&text, &[]);
    assert_eq!(scenario.blueprint(None, 0).samples.iter().map(|sample| sample.link.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let mut seen = seen();
    for i in 0..4u32 {
        seen.links.push(LinkCounters { waiting_packet_ps: u128::from(i) * 10_000_000_000_000, ..LinkCounters::default() });
        seen.samples.push(vec![i, i]);
    }
    let expected = [
        "queue of=hosts-a statistic=mean 1.5 packets",
        "queue of=hosts-a statistic=max 3 packets",
        "queue of=hosts-a statistic=sampled-mean 1.5 packets",
        "queue of=hosts-a statistic=sampled-deviation 1.118033988749895 packets",
        "queue of=hosts-a statistic=sampled-max 3 packets",
    ];
    assert_eq!(numbers(&scenario, &seen)[5..], expected);
}

#[test]
fn the_usual_measures_show_flows_and_the_links_that_dropped() {
    let mut seen = seen();
    let names = |scenario: &ValidScenario, seen: &Observations| scenario.metrics(seen).iter().map(|metric| metric.name).collect::<Vec<_>>();
    let flows = ["throughput", "goodput", "delay", "delay", "loss", "fairness"];
    let links = ["utilisation", "drops", "queue"];
    assert_eq!(names(&scenario(""), &seen), [&flows[..], &links].concat());
    seen.links[0].dropped_packets = Default::default();
    assert_eq!(names(&scenario(""), &seen), flows);
    let special = sound(&changed(LINK, &format!("{LINK}\nqueue.tail-drop = {{}}")).replace(FLOW, &format!("{FLOW}\ncount = 2")), &[]);
    assert_eq!(names(&special, &seen), [&flows[..], &links].concat());
}

#[test]
fn nothing_to_average_is_not_a_number() {
    let mut seen = seen();
    seen.flows = vec![FlowCounters::default(); 2];
    let metrics = scenario("[[measure]]\nmetric = \"delay\"\nof = \"f\"").metrics(&seen);
    assert!(metrics.iter().all(|metric| metric.value.is_nan()), "{metrics:?}");
}

#[test]
fn marks_are_a_share_of_what_arrived() {
    // 2 of 10 and 6 of 30 were marked; 8 of the 50 that the link was offered.
    check("marking-ratio", "f", "", &["marking-ratio of=f statistic=mean 0.2 1"]);
    check("marking-ratio", "f", r#"per = "flow""#, &["marking-ratio of=f flow=f[0] 0.2 1", "marking-ratio of=f flow=f[1] 0.2 1"]);
    check("marking-ratio", "a-b", "", &["marking-ratio of=a-b statistic=mean 0.16 1"]);
}
