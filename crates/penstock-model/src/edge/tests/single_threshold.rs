//! Ingress and egress of termination with single threshold marking, each driven by hand.

use super::{egress, ingress, kbps, ms, send, stm};
use crate::edge::termination::single_threshold::Parameters;
use crate::edge::{Egress, Signal, TerminationPlan};
use crate::packet::PcnMark;
use crate::parameters::testing::read;
use crate::rng::Key;
use crate::units::{Bytes, Rate, Time};

const SHORT: [&str; 3] = ["marked-run = 3", "unmarked-run = 2", "report-interval = 30 ms"];

/// Signals of the egress for packets of 125 bytes, one every 10 ms. In the input `#` is a marked packet; in the output `R` is a report and
/// `C` a cancel.
fn said(lines: &[&str], packets: &str) -> String {
    let mut egress = egress(&stm(lines));
    (0..).zip(packets.chars()).map(|(i, packet)| said_to(&mut egress, ms(10 * i), packet)).collect()
}

fn said_to(egress: &mut Egress, now: Time, packet: char) -> char {
    egress.on_packet(now, Bytes::new(125), if packet == '#' { PcnMark::Threshold } else { PcnMark::Unmarked });
    let said = match egress.next_signal() {
        Some(Signal::Receiving(_)) => 'R',
        Some(Signal::Cancel) => 'C',
        _ => '.',
    };
    assert_eq!(egress.next_signal(), None);
    said
}

#[test]
fn reports_need_a_run_and_go_on_as_asked() {
    let packets = "##-#######-##-##-######--###";
    assert_eq!(said(&SHORT, packets), ".....R..R..........R..R.C..R");
    assert_eq!(said(&[&SHORT[..], &["reports = until-cancel"]].concat(), packets), ".....R..R..R..R..R..R..RC..R");
}

#[test]
fn every_report_may_need_a_run_of_its_own() {
    let often = ["marked-run = 3", "unmarked-run = 2", "report-interval = 10 ms"];
    assert_eq!(said(&often, "#######-###"), "..RRRRR...R");
    assert_eq!(said(&[&often[..], &["reports = fresh-run"]].concat(), "#######-###"), "..R..R....R");
    // No report is sent before its time; meanwhile the run continues to grow.
    let seldom = ["marked-run = 2", "report-interval = 30 ms", "reports = fresh-run"];
    assert_eq!(said(&seldom, "########"), ".R..R..R");
}

#[test]
fn without_a_report_there_is_nothing_to_cancel() {
    assert_eq!(said(&SHORT, "--##----##"), "..........");
    assert_eq!(said(&SHORT, "###------###--"), "..R.C......R.C");
}

#[test]
fn no_signal_comes_before_the_packet_that_the_egress_names() {
    let mut stream = Key::root(1, 0).child("marks").stream();
    for counts in ["in-a-row", "since-run"] {
        for reports in ["while-marked", "until-cancel", "fresh-run"] {
            let (counts, reports) = (format!("counts-unmarked = {counts}"), format!("reports = {reports}"));
            let mut egress = egress(&stm(&["marked-run = 9", "unmarked-run = 4", "report-interval = 20 ms", &counts, &reports]));
            let (mut named, mut signals, mut first) = (0, 0, None);
            for i in 1..=20_000u32 {
                // A bound remains valid once given, and is exact while all packets are marked.
                named = egress.silent_before_packet().expect("no other reason for a signal").max(named);
                let marked = if i <= 9 { 1.0 } else { [0.1, 0.5, 0.97][(i / 100 % 3) as usize] };
                let said = said_to(&mut egress, ms(u64::from(i)), if stream.chance(marked) { '#' } else { '-' });
                if said != '.' {
                    assert!(i >= named, "a signal at packet {i}, none before {named} was promised");
                    (signals, first) = (signals + 1, first.or(Some((i, named))));
                }
                if stream.chance(0.001) {
                    egress.on_signal(ms(u64::from(i)), Signal::Restart, &mut 0);
                }
            }
            assert_eq!(first, Some((9, 9)));
            assert!(signals > 100, "{signals} signals");
        }
    }
    let cl = TerminationPlan::Cl(read(&[]).expect("sound"));
    assert_eq!(egress(&Some(cl)).silent_before_packet(), None);
}

#[test]
fn reports_tell_the_rate_of_the_window_or_since_the_last() {
    let told = |more: &[&str]| {
        let mut egress = egress(&stm(&[&SHORT, more].concat()));
        let mut told = vec![];
        for i in 0..10 {
            // Twice the bits from 40 ms on. The run of marks breaks at 70 ms.
            let (size, mark) = (if i > 3 { 250 } else { 125 }, if i == 7 { PcnMark::Unmarked } else { PcnMark::Threshold });
            egress.on_packet(ms(10 * i), Bytes::new(size), mark);
            told.extend(std::iter::from_fn(|| egress.next_signal()));
        }
        told
    };
    let rates = |rates: [Option<u64>; 2]| rates.map(|bps| Signal::Receiving(bps.map(Rate::from_bps)));
    // At 20 ms 3 x 1000 bits in 30 ms; at 50 ms 1000 + 2 x 2000.
    assert_eq!(told(&[]), rates([Some(100_000), Some(166_667)]));
    assert_eq!(told(&["receiving-window = 20 ms"]), rates([Some(100_000), Some(200_000)]));
    assert_eq!(told(&["receiving = between-reports"]), rates([None, Some(166_667)]));
}

#[test]
fn unmarked_packets_may_add_up_until_marked_ones_make_up_a_run() {
    // Every other packet is marked: two unmarked packets in a row never occur, but two since the run do.
    assert_eq!(said(&SHORT, "###-#-#-#-#"), "..R........");
    let since = [&SHORT[..], &["counts-unmarked = since-run"]].concat();
    assert_eq!(said(&since, "###-#-#-#-#"), "..R..C.....");
    // A whole run in between restarts the count, except for reports that are due with it.
    assert_eq!(said(&since, "###-###-#-#"), "..R...".to_owned() + "R.." + "C.");
}

#[test]
fn a_window_within_the_run_is_told_once_it_is_over() {
    let lines = ["marked-run = 3", "report-interval = 30 ms", "receiving = within-run", "receiving-window = 50 ms"];
    let told = |packets: &str| {
        let mut egress = egress(&stm(&lines));
        let mut told = vec![];
        for (i, packet) in (0..).zip(packets.chars()) {
            egress.on_packet(ms(10 * i), Bytes::new(125), if packet == '#' { PcnMark::Threshold } else { PcnMark::Unmarked });
            told.extend(std::iter::from_fn(|| egress.next_signal()));
        }
        told
    };
    let (none, known) = (Signal::Receiving(None), Signal::Receiving(Some(kbps(100))));
    // Reports at 20, 50 and 80 ms. Only at the third have 50 ms passed since the first.
    assert_eq!(told("#########"), [none, none, known]);
    // After a broken run, the next report is a first one again.
    assert_eq!(told("#########-#########"), [none, none, known, none, none, known]);
}

#[test]
fn a_broken_run_makes_the_next_report_the_first_again() {
    let told = |reports: &str| {
        let mut egress = egress(&stm(&[&SHORT[..], &["receiving = between-reports", reports]].concat()));
        let mut told = vec![];
        for (i, packet) in (0..).zip("######-###".chars()) {
            egress.on_packet(ms(10 * i), Bytes::new(125), if packet == '#' { PcnMark::Threshold } else { PcnMark::Unmarked });
            told.extend(std::iter::from_fn(|| egress.next_signal()));
        }
        told
    };
    let (first, later) = (Signal::Receiving(None), Signal::Receiving(Some(kbps(100))));
    assert_eq!(told("reports = while-marked"), [first, later, first]);
    // At 80 ms, by the marks of 70 and 80 ms and the earlier reports.
    assert_eq!(told("reports = until-cancel"), [first, later, later]);
}

#[test]
fn the_share_that_arrives_is_of_the_packets_whose_fate_is_known() {
    let mut egress = egress(&stm(&[&SHORT[..], &["receiving = share", "waiting-time = 15 ms"]].concat()));
    let mut told = vec![];
    // Packets 4 and 5 are lost, 8 and 7 arrive in reverse order, and numbers wrap around.
    for (i, number) in (0..).zip([u32::MAX - 1, u32::MAX, 0, 1, 2, 3, 6, 8, 7, 9, 10]) {
        egress.on_number(ms(10 * i), number, 0);
        egress.on_packet(ms(10 * i), Bytes::new(125), if i == 0 { PcnMark::Unmarked } else { PcnMark::Threshold });
        told.extend(std::iter::from_fn(|| egress.next_signal()));
    }
    // At 30 ms the whole run; at 60 ms 2 and 3, since 4 and 5 may still arrive; at 90 ms 6 to 9 of 4 to 9.
    assert_eq!(told, [1.0, 1.0, 4.0 / 6.0].map(Signal::Arriving));
}

#[test]
fn of_the_sending_rate_the_lowest_share_arrives() {
    let mut ingress = ingress(&stm(&["receiving = share"]));
    ingress.on_signal(ms(0), Signal::Arriving(1.0), 200);
    ingress.on_signal(ms(33), Signal::Arriving(0.7), 200);
    ingress.on_signal(ms(66), Signal::Arriving(0.8), 200);
    send(&mut ingress, ms(70), 1000);
    ingress.on_timer(ms(100), 200);
    // 10 Mbit/s minus 0.95 x 7: as many calls as for a report of 7 Mbit/s.
    assert_eq!(ingress.next_cut(), 52);
    ingress.on_signal(ms(120), Signal::Arriving(1.0), 148);
    send(&mut ingress, ms(170), 640);
    ingress.on_timer(ms(200), 148);
    // Nothing is lost: 5 % of 6.4 Mbit/s are 5 calls.
    assert_eq!(ingress.next_cut(), 5);
}

#[test]
fn the_lowest_report_decides_and_an_interval_without_one_is_the_last() {
    let mut ingress = ingress(&stm(&[]));
    let report = |rate: u64| Signal::Receiving(Some(kbps(rate)));
    assert_eq!(ingress.on_signal(ms(0), report(9_000), 200), None);
    ingress.on_signal(ms(33), report(7_000), 200);
    ingress.on_signal(ms(66), report(8_000), 200);
    send(&mut ingress, ms(70), 1000);
    assert_eq!(ingress.deadline(), ms(100));
    ingress.on_timer(ms(100), 200);
    // 10 Mbit/s minus 0.95 x 7: 3.35 Mbit/s are 52.3 calls.
    assert_eq!((ingress.next_cut(), ingress.next_cut(), ingress.deadline()), (52, 0, ms(200)));
    send(&mut ingress, ms(110), 1000);
    ingress.on_timer(ms(200), 148);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (0, Time::NEVER));
}

#[test]
fn a_receiving_rate_above_the_sending_rate_counts_as_that() {
    let mut ingress = ingress(&stm(&[]));
    ingress.on_signal(ms(0), Signal::Receiving(Some(kbps(20_000))), 200);
    send(&mut ingress, ms(50), 1000);
    ingress.on_timer(ms(100), 200);
    // 5 % of 10 Mbit/s are 7.8 calls.
    assert_eq!(ingress.next_cut(), 8);
}

#[test]
fn a_cancel_stops_the_measurement() {
    let mut ingress = ingress(&stm(&[]));
    ingress.on_signal(ms(0), Signal::Receiving(None), 200);
    ingress.on_signal(ms(99), Signal::Cancel, 200);
    assert_eq!(ingress.deadline(), Time::NEVER);
    // Earlier reports do not count in the next interval.
    ingress.on_signal(ms(200), Signal::Receiving(Some(kbps(1_000))), 200);
    ingress.on_signal(ms(201), Signal::Cancel, 200);
    ingress.on_signal(ms(300), Signal::Receiving(None), 200);
    send(&mut ingress, ms(350), 1000);
    ingress.on_timer(ms(400), 200);
    assert_eq!(ingress.next_cut(), 8);
}

#[test]
fn the_next_interval_may_wait_for_a_report_that_comes_late_enough() {
    let mut ingress = ingress(&stm(&["next-interval = next-report", "settle = 150 ms"]));
    ingress.on_signal(ms(0), Signal::Receiving(None), 200);
    send(&mut ingress, ms(50), 1000);
    ingress.on_timer(ms(100), 200);
    assert_eq!((ingress.next_cut(), ingress.deadline()), (8, Time::NEVER));
    ingress.on_signal(ms(249), Signal::Receiving(None), 192);
    assert_eq!(ingress.deadline(), Time::NEVER);
    ingress.on_signal(ms(250), Signal::Receiving(None), 192);
    assert_eq!(ingress.deadline(), ms(350));
}

#[test]
fn an_ingress_that_knows_the_rate_to_keep_stops_there() {
    let mut ingress = ingress(&stm(&["keep-rate = 10 Mbit/s"]));
    for (from, packets, cut) in [(0, 1001, 8), (200, 1000, 0)] {
        ingress.on_signal(ms(from), Signal::Receiving(None), 200);
        send(&mut ingress, ms(from + 50), packets);
        ingress.on_timer(ms(from + 100), 200);
        assert_eq!(ingress.next_cut(), cut);
        ingress.on_signal(ms(from + 150), Signal::Cancel, 200);
    }
}

#[test]
fn the_egress_may_begin_anew_after_a_cut() {
    let plan = stm(&[&SHORT[..], &["after-cut = restart"]].concat());
    let mut ingress = ingress(&plan);
    ingress.on_signal(ms(0), Signal::Receiving(None), 200);
    send(&mut ingress, ms(50), 1000);
    ingress.on_timer(ms(100), 200);
    assert_eq!((ingress.next_cut(), ingress.next_signal(), ingress.next_signal()), (8, Some(Signal::Restart), None));
    let mut egress = egress(&plan);
    let said: String = (0..3).map(|i| said_to(&mut egress, ms(10 * i), '#')).collect();
    egress.on_signal(ms(25), Signal::Restart, &mut 0);
    let more: String = (5..9).map(|i| said_to(&mut egress, ms(10 * i), '#')).collect();
    assert_eq!(said + &more, "..R..R.");
}

#[test]
fn settings_that_contradict_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("mistakes");
    assert_eq!(
        mistakes(&["report-interval = 100 ms", "extra = 1", "settle = 1 ms", "receiving-window = 0 ms"]),
        [
            "receiving-window: must be above zero",
            "report-interval: 100 ms is not shorter than sending-interval, 100 ms",
            "extra: 1 terminates every call at the first cut; must be below 1",
            "settle: has an effect only with next-interval = \"next-report\"; leave it out",
        ]
    );
    assert_eq!(
        mistakes(&["receiving = between-reports", "receiving-window = 50 ms"]),
        ["receiving-window: has an effect only with receiving = \"sliding\" and \"within-run\"; leave it out"]
    );
    assert_eq!(mistakes(&["report-interval = 0 ms"]), ["report-interval: must be above zero"]);
    assert_eq!(mistakes(&["reports = always"]), ["reports: 'always' is not one of while-marked, until-cancel, fresh-run"]);
}
