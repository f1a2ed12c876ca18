//! Shapers, rate limits and policers against brute force: what they let go in any interval, and that they hold back no more.

mod support;

use penstock_engine::blueprint::QueuePlan;
use penstock_engine::observations::{TraceEvent, TraceRow};
use penstock_engine::Observations;
use penstock_model::units::{Bytes, Rate, Time, PS_PER_SECOND};
use proptest::prelude::*;
use support::{class, discipline, one_link, policer, scheduler, shaper, source, time, transport, Net};

/// A rate in bit/s and a burst in bytes.
type Profile = (u64, u64);

const LINK: Rate = Rate::from_bps(1_000_000);

/// Two Poisson flows of packets of two sizes over 1 Mbit/s for 2 s, in the classes `a` and `b`.
fn net(seed: u64, kbps: [u32; 2]) -> Net {
    let (mut net, route, _) = one_link("2 s", seed, "1 Mbit/s", "0 s", discipline("tail-drop", "limit = 20 packets"));
    net.0.trace = true;
    net.0.classes = vec!["a".to_owned(), "b".to_owned()];
    for (number, kbps) in kbps.into_iter().enumerate().filter(|(_, kbps)| *kbps > 0) {
        let traffic = source("poisson", &format!("rate = {kbps} kbit/s; packet = mix [160 bytes @ 0.7, 1500 bytes @ 0.3]"));
        let group = net.group(["a", "b"][number], traffic, transport("udp", ""), ("0 s", "0 s"));
        let plan = &mut net.0.groups[group as usize];
        (plan.class, plan.stop) = (number as u8, time("1 s"));
        net.flow(group, route, route);
    }
    let port = &mut net.port(penstock_model::id::LinkId(0));
    port.queue_of_class = vec![0, 0];
    net
}

fn settings((rate, burst): Profile) -> String {
    format!("rate = {rate} bit/s; burst = {burst} bytes")
}

fn rows(seen: &Observations, event: TraceEvent) -> Vec<&TraceRow> {
    seen.trace.iter().filter(|row| row.event == event).collect()
}

/// When the transmission of each packet that arrived began, and its size.
fn begun(seen: &Observations, flow: Option<u32>) -> Vec<(Time, u32)> {
    let received = rows(seen, TraceEvent::Receive).into_iter().filter(|row| flow.is_none_or(|flow| row.flow() == flow));
    let start = |row: &TraceRow| {
        let takes = LINK.transmission_time(Bytes::new(u64::from(row.size()))).as_ps();
        (Time::from_ps(row.time.as_ps() - takes), row.size())
    };
    received.map(start).collect()
}

/// In bit/s x ps, as far as possible from how buckets count.
fn work(bytes: u64) -> i128 {
    i128::from(bytes) * 8 * i128::from(PS_PER_SECOND)
}

/// In every interval between two packets, both included, at most burst + rate x length begins.
fn conforms(begun: &[(Time, u32)], (rate, burst): Profile) -> Result<(), TestCaseError> {
    for (i, (first, _)) in begun.iter().enumerate() {
        let mut sum = 0;
        for (at, size) in &begun[i..] {
            sum += work(u64::from(*size));
            let allowed = work(burst) + i128::from(rate) * i128::from(at.since(*first).as_ps());
            prop_assert!(sum <= allowed, "from {first} to {at}");
        }
    }
    Ok(())
}

fn profile() -> impl Strategy<Value = Profile> {
    (50_000u64..900_000, 1500u64..6000)
}

proptest! {
    #![proptest_config(support::cases(60))]

    #[test]
    fn a_shaper_keeps_its_profile_and_the_order_and_wastes_nothing(seed in any::<u64>(), profile in profile(), force in any::<bool>()) {
        let mut net = net(seed, [800, 0]);
        let port = net.port(penstock_model::id::LinkId(0));
        (port.shaper, port.force_event_driven) = (Some(shaper("token-bucket", &settings(profile))), force);
        let seen = net.run();
        let begun = begun(&seen, None);
        conforms(&begun, profile)?;
        let numbers: Vec<u32> = rows(&seen, TraceEvent::Receive).iter().map(|row| row.sequence()).collect();
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "order");
        // A picosecond earlier each would have found the wire busy, not have been there, or have been too much.
        let accepted: Vec<&TraceRow> = rows(&seen, TraceEvent::Accept);
        let mut free = Time::ZERO;
        for (k, ((at, size), arrival)) in begun.iter().zip(&accepted).enumerate() {
            let earlier = at.before();
            let too_much = (0..=k).any(|i| {
                let sum: i128 = begun[i..=k].iter().map(|(_, size)| work(u64::from(*size))).sum();
                sum > work(profile.1) + i128::from(profile.0) * i128::from(earlier.since(begun[i].0).as_ps())
            });
            prop_assert!(*at == free || *at == arrival.time || too_much, "packet {k} at {at} could have gone before");
            free = *at + LINK.transmission_time(Bytes::new(u64::from(*size)));
        }
    }

    #[test]
    fn a_limited_class_keeps_its_profile(seed in any::<u64>(), profile in profile()) {
        let mut net = net(seed, [700, 600]);
        let port = net.port(penstock_model::id::LinkId(0));
        port.scheduler = scheduler("priority", "order = [a, b]");
        port.queues = ["a", "b"].map(|name| QueuePlan { name: name.to_owned(), discipline: discipline("tail-drop", "limit = 30 packets") }).into();
        port.queue_of_class = vec![0, 1];
        port.classes = vec![class(&format!("| {}", settings(profile))), class("")];
        let seen = net.run();
        conforms(&begun(&seen, Some(0)), profile)?;
        prop_assert!(begun(&seen, Some(0)).len() > 10);
    }

    #[test]
    fn a_policer_passes_what_a_leaky_bucket_passes(seed in any::<u64>(), profile in profile()) {
        // The other form of the same rule: a bucket that leaks at the rate and must not overflow.
        let mut net = net(seed, [800, 300]);
        let port = net.port(penstock_model::id::LinkId(0));
        port.policers = vec![policer("token-bucket", &settings(profile))];
        port.policer_of_class = vec![Some(0), None];
        port.queues[0].discipline = discipline("tail-drop", "limit = 100000 packets");
        let seen = net.run();
        let (mut level, mut last, mut dropped) = (0i128, Time::ZERO, 0);
        let judged = seen.trace.iter().filter(|row| row.flow() == 0 && matches!(row.event, TraceEvent::Accept | TraceEvent::Drop(_)));
        for row in judged {
            level = (level - i128::from(profile.0) * i128::from(row.time.since(last).as_ps())).max(0);
            last = row.time;
            let passes = level + work(u64::from(row.size())) <= work(profile.1);
            prop_assert_eq!(passes, row.event == TraceEvent::Accept, "at {}", row.time);
            level += if passes { work(u64::from(row.size())) } else { 0 };
            dropped += u64::from(!passes);
        }
        let port = &seen.links[0];
        let policed: u64 = port.dropped_packets[penstock_model::discipline::DropCause::Policed as usize].iter().sum();
        prop_assert_eq!((policed, port.dropped_packets.iter().flatten().sum::<u64>()), (dropped, dropped));
        prop_assert_eq!(port.offered_packets.iter().sum::<u64>(), seen.flows.iter().map(|flow| flow.sent.packets).sum::<u64>());
    }
}
