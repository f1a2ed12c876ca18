//! Vectors computed by hand with the steps of sch_cake.

use super::*;
use crate::id::FlowId;
use crate::packet::testing::packet;
use crate::packet::{codepoint, Body, Ecn};
use crate::parameters::testing::read;
use crate::site::Site;
use crate::transmission::Framing;
use std::collections::VecDeque;

const CLASSES: [&str; 4] = ["default", "cs1", "af41", "ef"];

/// A port for packets of flows, each between two nodes.
struct Port {
    it: Cake,
    queues: Vec<VecDeque<u32>>,
    states: Vec<QueueState>,
    /// Flow of each queue.
    flows: Vec<u32>,
}

impl Port {
    fn new(lines: &[&str], ends: &[[u32; 2]]) -> Port {
        let codepoints = CLASSES.map(|class| codepoint::of_class(class, 0)).to_vec();
        let traffic = Arc::new(Traffic { ends: ends.to_vec(), codepoints });
        let context = SchedulerContext { site: Site::trial(), framing: Framing::default(), traffic };
        Port { it: Cake::new(&read(lines).expect("sound"), &[], context), queues: Vec::new(), states: Vec::new(), flows: Vec::new() }
    }

    /// Removes the head of a queue.
    fn take(&mut self, queue: usize) -> u32 {
        let size = self.queues[queue].pop_front().expect("it has a packet");
        self.states[queue].packets -= 1;
        self.states[queue].bytes -= u64::from(size);
        size
    }

    /// Drops the head of a queue if the limit requires it.
    fn drop_over_limit(&mut self, now: Time) -> Option<usize> {
        let Eviction { queue, position: 0, .. } = self.it.over_limit(&self.states)? else { panic!("only heads") };
        let size = self.take(queue);
        self.it.on_drop(now, queue, size, &self.states);
        Some(queue)
    }

    fn arrive(&mut self, now: Time, arrival: Packet) -> usize {
        let queue = self.it.classify(now, &arrival);
        if queue == self.queues.len() {
            self.queues.push(VecDeque::new());
            self.states.push(QueueState::default());
            self.flows.push(0);
        }
        self.flows[queue] = arrival.flow.0;
        self.queues[queue].push_back(arrival.size);
        self.states[queue].packets += 1;
        self.states[queue].bytes += u64::from(arrival.size);
        self.it.on_packet(now, queue, &self.states);
        queue
    }

    /// Adds `count` packets of a flow and a class.
    fn fill(&mut self, flow: u32, class: u8, size: u32, count: usize) {
        (0..count).for_each(|_| _ = self.arrive(Time::ZERO, of(flow, class, size)));
    }

    /// Flow that sends at `now`. Asks twice, which must make no difference.
    fn send(&mut self, now: Time) -> Result<u32, Time> {
        let turn = self.it.next(now, &self.states);
        assert_eq!(self.it.next(now, &self.states), turn);
        match turn {
            Turn::NotBefore(later) => Err(later),
            Turn::Queue(queue) => {
                let size = self.take(queue);
                self.it.on_sent(now, queue, size, &self.states);
                Ok(self.flows[queue])
            }
        }
    }

    fn send_all(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.send(Time::ZERO).expect("nothing holds packets back")).collect()
    }
}

fn of(flow: u32, class: u8, size: u32) -> Packet {
    Packet { flow: FlowId(flow), class, ..packet(size, 0) }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// The word for a link gives three settings; `mpu` and `framing` override two of them.
#[test]
fn a_word_for_the_link_stands_for_three_settings() {
    let bytes = |lines: &[&str], size| {
        let all = [&["rate = 1 Mbit/s"], lines].concat();
        read::<Parameters>(&all).expect("sound").overhead().bytes(size).get()
    };
    assert_eq!((bytes(&["overhead = docsis"], 40), bytes(&["overhead = docsis"], 1500)), (64, 1518));
    assert_eq!(bytes(&["overhead = docsis", "mpu = 84 bytes"], 40), 84);
    // 70 bytes and 2 of the 64b/65b code, or in cells.
    assert_eq!((bytes(&["overhead = pppoe-ptm"], 40), bytes(&["overhead = pppoe-ptm", "framing = atm"], 40)), (72, 106));
    assert_eq!(bytes(&["overhead = pppoe-llcsnap", "framing = noatm"], 1500), 1540);
}

#[test]
fn the_shaper_counts_overhead() {
    // 1000 + 250 bytes at 1 Mbit/s: 10 ms.
    let mut port = Port::new(&["rate = 1 Mbit/s", "overhead = 250 bytes"], &[]);
    port.fill(0, 0, 1000, 3);
    assert_eq!([port.send(ms(0)), port.send(ms(0)), port.send(ms(9))], [Ok(0), Err(ms(10)), Err(ms(10))]);
    // A late packet does not delay the packets after it while others wait.
    assert_eq!([port.send(ms(14)), port.send(ms(14)), port.send(ms(20))], [Ok(0), Err(ms(20)), Ok(0)]);
    // After a pause the shaper restarts.
    port.arrive(ms(50), of(0, 0, 1000));
    port.arrive(ms(50), of(0, 0, 1000));
    assert_eq!([port.send(ms(50)), port.send(ms(51))], [Ok(0), Err(ms(60))]);
}

#[test]
fn tins_within_their_thresholds_go_first() {
    // 8 Mbit/s: a packet of 1000 bytes takes 1 ms on the link, 4 ms at the threshold of voice and 16 ms at that of bulk.
    let mut port = Port::new(&["rate = 8 Mbit/s"], &[]);
    for (flow, class) in [(0, 0), (1, 1), (2, 3)] {
        port.fill(flow, class, 1000, 40);
    }
    let sent: Vec<u32> = (0..21).map(|now| port.send(ms(now)).expect("each ms")).collect();
    assert_eq!(sent, [2, 1, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 2]);
}

#[test]
fn a_tin_beyond_its_threshold_uses_what_is_left() {
    let mut port = Port::new(&["rate = 8 Mbit/s"], &[]);
    port.fill(2, 3, 1000, 40);
    assert!((0..20).all(|now| port.send(ms(now)) == Ok(2)));
    // Voice is within its threshold 4 ms after its last packet, at 23 ms.
    port.fill(0, 0, 1000, 40);
    let sent: Vec<u32> = (20..25).map(|now| port.send(ms(now)).expect("each ms")).collect();
    assert_eq!(sent, [0, 0, 0, 2, 0]);
}

#[test]
fn tins_take_turns_without_a_shaper() {
    // Quanta of 1024, 64, 512 and 256 bytes. A tin with a credit of zero or more sends 1000, and then gets its quantum.
    let mut port = Port::new(&["tins = diffserv4"], &[]);
    for flow in 0..4 {
        port.fill(flow, flow as u8, 1000, 2000);
    }
    assert_eq!(port.send_all(11), [0, 1, 2, 3, 0, 0, 2, 0, 0, 2, 3]);
    let sent = port.send_all(2900);
    let count = [0, 1, 2, 3].map(|flow| sent.iter().filter(|sent| **sent == flow).count());
    // Proportions of 16 : 1 : 8 : 4 in 2900 packets, within two packets.
    for (seen, expected) in count.into_iter().zip([1600, 100, 800, 400]) {
        assert!(seen.abs_diff(expected) <= 2, "{count:?}");
    }
}

#[test]
fn a_large_packet_of_a_light_tin_costs_no_time() {
    let mut port = Port::new(&["tins = diffserv8"], &[]);
    port.fill(0, 3, 2_000_000_000, 3);
    assert_eq!(port.send_all(3), [0, 0, 0]);
}

/// Share of flow 4, which shares no host, in 4000 packets; flows 0 to 3 have a source, a destination or both in common.
fn share(isolation: &str, ends: &[[u32; 2]; 5]) -> f64 {
    let mut port = Port::new(&[&format!("isolation = {isolation}")], ends);
    (0..5).for_each(|flow| port.fill(flow, 0, 1000, 4000));
    let sent = port.send_all(4000);
    sent.iter().filter(|flow| **flow == 4).count() as f64 / 4000.0
}

#[test]
fn hosts_share_by_the_mode_of_isolation() {
    // Hosts whose hashes differ under the key of the test. Two hosts that are new at the same time may share a slot.
    let by_source = [[0, 12], [0, 13], [0, 14], [0, 15], [1, 16]];
    let by_destination = by_source.map(|[source, destination]| [destination, source]);
    let by_both = [[0, 12], [0, 12], [0, 12], [0, 12], [1, 13]];
    for (isolation, expected) in [
        ("flows", [0.2, 0.2, 0.2]),
        ("dual-srchost", [0.5, 0.2, 0.5]),
        ("dual-dsthost", [0.2, 0.5, 0.5]),
        ("triple-isolate", [0.5, 0.5, 0.5]),
        ("srchost", [0.5, 0.2, 0.5]),
        ("dsthost", [0.2, 0.5, 0.5]),
        ("hosts", [0.2, 0.2, 0.5]),
    ] {
        let seen = [by_source, by_destination, by_both].map(|ends| share(isolation, &ends));
        // Credits are in fractions of a byte, so the error is a few packets in 4000.
        assert!(seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 0.002), "{isolation}: {seen:?}");
    }
}

#[test]
fn directions_of_a_flow_have_queues() {
    let mut port = Port::new(&[], &[[0, 1]]);
    let data = port.arrive(Time::ZERO, of(0, 0, 1500));
    let back = port.arrive(Time::ZERO, Packet { body: Body::ack(crate::packet::Ack::default()), ..of(0, 0, 40) });
    assert_eq!((data, back), (0, 1));
    let mut blind = Port::new(&["isolation = flowblind"], &[[0, 1]]);
    assert_eq!([0, 7].map(|flow| blind.arrive(Time::ZERO, of(flow, 0, 100))), [0, 0]);
}

#[test]
fn a_new_flow_goes_first_and_then_takes_turns() {
    // The quantum of 1514 bytes is used up after two packets of 1000.
    let mut port = Port::new(&[], &[]);
    port.fill(0, 0, 1000, 9);
    assert_eq!(port.send_all(3), [0, 0, 0]);
    port.fill(1, 0, 1000, 9);
    assert_eq!(port.send_all(6), [1, 1, 0, 1, 1, 0]);
}

#[test]
fn quanta_and_the_control_law_follow_the_thresholds() {
    // 200 000 byte/s, and a sixteenth for bulk: 1514 bytes take 7.57 ms and 121.12 ms.
    let port = Port::new(&["rate = 1600 kbit/s", "tins = diffserv4"], &[]);
    let us = |tin: usize| {
        let settings = port.it.tins[tin].settings;
        [settings.target, settings.interval, settings.longest].map(|time| time.as_ps() / 1_000_000)
    };
    assert_eq!(us(0), [11_355, 106_355, 30_280]);
    assert_eq!(us(1), [181_680, 363_360, 484_480]);
    let port = Port::new(&["rtt = lan"], &[]);
    assert_eq!(port.it.tins[0].settings.target, Duration::from_us(50));
    // A turn of 2441 bytes is above the maximum, 976 is used as it is, and 244 is below the minimum.
    for (rate, sent) in [("80 Mbit/s", 16), ("32 Mbit/s", 10), ("8 Mbit/s", 3)] {
        let mut port = Port::new(&[&format!("rate = {rate}"), "tins = besteffort"], &[]);
        (0..2).for_each(|flow| port.fill(flow, 0, 100, 99));
        let first = (0..99).map(|now| port.send(ms(now)).expect("each ms")).take_while(|flow| *flow == 0).count();
        assert_eq!(first, sent, "{rate}");
    }
}

#[test]
fn the_longest_queue_loses_its_head_at_the_limit() {
    let mut port = Port::new(&["limit = 5 kB"], &[]);
    port.fill(0, 0, 1000, 2);
    port.fill(1, 0, 1500, 2);
    assert_eq!(port.drop_over_limit(Time::ZERO), None);
    port.fill(0, 0, 100, 1);
    assert_eq!([port.drop_over_limit(Time::ZERO), port.drop_over_limit(Time::ZERO)], [Some(1), None]);
    assert_eq!(port.it.flows[1].controller.probability, 1.0 / 256.0);
    let limit = |lines: &[&str]| read::<Parameters>(lines).expect("sound").limit().get();
    // Unlimited: 10240 packets. Four round trips at 100 Mbit/s. 4 MiB.
    assert_eq!(
        [limit(&[]), limit(&["rate = 100 Mbit/s"]), limit(&["rate = 10 Mbit/s"]), limit(&["rate = 1 Gbit/s"])],
        [15_503_360, 5_000_000, 4_194_304, 15_503_360]
    );
}

#[test]
fn cobalt_marks_and_drops_all_but_the_last() {
    let mut port = Port::new(&[], &[]);
    port.fill(0, 0, 1000, 3);
    let mut depart = |now: u64, ecn: Ecn, states: &[QueueState]| {
        port.it.on_departure(ms(now), &Packet { ecn, ..of(0, 0, 1000) }, Duration::from_ms(50), 0, states)
    };
    let many = [QueueState { packets: 2, bytes: 2000, head: 0 }];
    let last = [QueueState { packets: 1, bytes: 1000, head: 0 }];
    assert_eq!(depart(1000, Ecn::NotEct, &many), DepartureVerdict::Send);
    // The first drop of a new queue is due at once; the next ones follow after 100 / sqrt(2) and 100 / sqrt(3) ms.
    assert_eq!(depart(1001, Ecn::Ect0, &many), DepartureVerdict::Mark);
    assert_eq!(depart(1070, Ecn::NotEct, &many), DepartureVerdict::Send);
    assert_eq!(depart(1071, Ecn::NotEct, &many), DepartureVerdict::Drop(DropCause::Early));
    assert_eq!(depart(1129, Ecn::NotEct, &last), DepartureVerdict::Send);
}

#[test]
fn the_slot_of_a_flow_is_reserved_until_its_control_law_rests() {
    let mut port = Port::new(&["limit = 1 kB"], &[]);
    port.fill(0, 0, 1000, 2);
    assert_eq!(port.drop_over_limit(Time::ZERO), Some(0));
    assert_eq!(port.send_all(1), [0]);
    // Another flow finds queue 0 empty.
    port.fill(1, 0, 100, 1);
    assert_eq!(port.send_all(1), [1]);
    port.fill(1, 0, 100, 1);
    port.fill(2, 0, 100, 1);
    assert_eq!(port.send_all(2), [1, 2]);
    assert_eq!(port.it.flows[0].set, tin::FlowSet::Decaying);
    // BLUE's probability falls from 1/256 by 1/4096 every 5 ms.
    let flow = &mut port.it.flows[0];
    flow.controller.decay(&port.it.tins[0].settings, ms(79));
    assert_eq!((flow.controller.probability * 4096.0, flow.controller.is_at_rest(ms(79))), (1.0, false));
    flow.controller.decay(&port.it.tins[0].settings, ms(100));
    assert!(flow.controller.is_at_rest(ms(100)));
}

#[test]
fn another_rate_holds_from_its_change_on() {
    let mut port = Port::new(&["rate = 1 Mbit/s"], &[]);
    port.fill(0, 0, 1000, 9);
    assert_eq!([port.send(ms(0)), port.send(ms(0))], [Ok(0), Err(ms(8))]);
    let states = port.states.clone();
    assert!(port.it.change(ms(4), &read::<Parameters>(&["rate = 2 Mbit/s"]).expect("sound"), &[], &states).is_none());
    assert_eq!([port.send(ms(8)), port.send(ms(8))], [Ok(0), Err(ms(12))]);
}

/// Four round trips at 100 and 200 Mbit/s; at 60 Mbit/s, 4 MiB is more. The default queue has room at any rate.
#[test]
fn the_limit_follows_a_change_of_the_rate_and_the_default_queue_does_not_change() {
    let at = |rate: &str| read::<Parameters>(&[rate]).expect("sound");
    let rates = ["rate = 100 Mbit/s", "rate = 200 Mbit/s", "rate = 60 Mbit/s"];
    let mut port = Port::new(&rates[..1], &[]);
    let limits = rates.map(|rate| {
        assert!(port.it.change(ms(1), &at(rate), &[], &[]).is_none());
        port.it.limit
    });
    assert_eq!(limits, [5_000_000, 10_000_000, 4_194_304]);
    let queues = rates.map(|rate| at(rate).facts().default_queue);
    assert!(queues[0] == queues[1] && queues[0] == queues[2]);
    let limit_of = |lines: &[&str]| read::<Parameters>(lines).expect("sound").facts().default_queue.and_then(|queue| queue.limit());
    // 10240 packets of 1514 bytes or the given limit, plus 64 KiB for the arrival.
    assert_eq!(limit_of(&rates[..1]), Some(Limit::Bytes(Bytes::new(15_503_360 + 65_536))));
    assert_eq!(limit_of(&["limit = 9 MB"]), Some(Limit::Bytes(Bytes::new(9_000_000 + 65_536))));
}

#[test]
fn settings_without_effect_are_refused() {
    let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
    assert_eq!(mistakes(&["overhead = 8 bytes"]), ["overhead: has no effect without rate: there is no shaper then"]);
    assert_eq!(mistakes(&["framing = atm"]), ["framing: has no effect without rate: there is no shaper then"]);
    assert_eq!(mistakes(&["rate = 1 Mbit/s", "mpu = 300 bytes"]), ["mpu: 300 bytes are more than any link adds; at most 256 bytes"]);
    let [message] = &mistakes(&["rtt = moon"])[..] else { panic!("one mistake") };
    assert!(message.ends_with("satellite, interplanetary"), "{message}");
    assert_eq!(mistakes(&["rtt = 10 ns"]), ["rtt: 10 ns is too short; at least 1 us"]);
}
