use super::*;
use crate::merge::testing::Event;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the spacing, from many events at one instant to a few in an eternity.
    #[test]
    fn events_come_in_order(
        scale in 0u32..44,
        steps in prop::collection::vec((prop::collection::vec((0u64..4000, 0u64..5), 0..40), 0usize..60), 1..40),
    ) {
        let (mut calendar, mut plain) = (Calendar::<Event>::default(), std::collections::BTreeSet::new());
        let (mut now, mut number) = (0, 0);
        for (pushes, takes) in steps {
            for (after, input) in pushes {
                let (at, order) = (now + (after << scale), input << 40 | number);
                number += 1;
                *calendar.add(input as usize, Time::from_ps(at)) = Event { at: Time::from_ps(at), number: order };
                plain.insert((at, order));
            }
            for _ in 0..takes.min(plain.len()) {
                let Some(expected) = plain.pop_first() else { break };
                prop_assert_eq!(calendar.next().as_ps(), expected.0);
                let next = calendar.front().first().map(|event| (event.at.as_ps(), event.number));
                prop_assert_eq!(next, Some(expected));
                calendar.consume(1);
                now = expected.0;
            }
            for until in [now + 1, now + 1 + (2000 << scale), u64::MAX] {
                let before = plain.iter().filter(|(at, _)| *at < until).count();
                let counted = calendar.count_before(Time::from_ps(until));
                prop_assert!(before <= counted && counted <= plain.len(), "{} counted of {}", counted, before);
            }
            prop_assert_eq!(calendar.len(), plain.len());
            prop_assert_eq!(calendar.next().as_ps(), plain.first().map_or(u64::MAX, |(at, _)| *at));
        }
    }
}

/// Many events among which some are due in the far future, as with delays of seconds for some and days for others: the
/// work of an addition does not grow with their number.
#[test]
fn additions_before_the_far_future_stay_cheap() {
    let mut calendar = Calendar::<Event>::default();
    let mut largest = 0;
    let mut state = 1u64;
    for number in 0..100_000u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Up to 200 days, most of them before the latest so far.
        let at = Time::from_ps(number * 1_000_000 + (state >> 1));
        *calendar.add(0, at) = Event { at, number };
        largest = largest.max(calendar.current.len() - calendar.taken);
    }
    assert_eq!(calendar.len(), 100_000);
    assert!(largest <= MANY_EVENTS + 1, "{largest} events in one sorted list");
}

/// 3,000 events, a second apart, are far too few for more than [`MANY_BUCKETS`].
#[test]
fn buckets_do_not_outnumber_the_events_for_which_they_are() {
    let (mut calendar, mut largest) = (Calendar::<Event>::default(), 0);
    for number in 0..3_000 {
        let at = Time::from_ps(number * 1_000_000_000_000);
        *calendar.add(0, at) = Event { at, number };
    }
    while !calendar.front().is_empty() {
        calendar.consume(1);
        largest = largest.max(calendar.buckets.len());
    }
    assert!((1..=MANY_BUCKETS).contains(&largest), "{largest} buckets");
}

/// The number of buckets also stays bounded if the events due soon become dense all at once.
#[test]
fn additions_to_a_wide_bucket_stay_cheap() {
    let mut calendar = Calendar::<Event>::default();
    let mut largest = 0;
    let times = (0..100_000u64).map(|number| number << 30).chain((0..100_000).map(|number| ((number * 7919) % 100_000) << 12));
    let mut expected = Vec::new();
    for (number, at) in times.enumerate() {
        let at = Time::from_ps(at);
        *calendar.add(0, at) = Event { at, number: number as u64 };
        expected.push((at, number as u64));
        largest = largest.max(calendar.current.len() - calendar.taken);
    }
    assert!(largest <= MANY_EVENTS + 1, "{largest} events in one sorted list");
    expected.sort();
    let mut found = Vec::new();
    while calendar.len() > 0 {
        let next = calendar.front()[0];
        found.push((next.at, next.number));
        calendar.consume(1);
    }
    assert!(found == expected);
}
