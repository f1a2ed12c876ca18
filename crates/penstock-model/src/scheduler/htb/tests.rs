//! Rates of classes, computed by hand.

use super::*;
use crate::scheduler::class::LevelPlan;
use crate::scheduler::testing::class;
use crate::scheduler::{drr, priority, AnyScheduler};

/// A class with these keys, and with this scheduler and these classes below it.
fn above(lines: &[&str], scheduler: SchedulerPlan, classes: Vec<ClassPlan>) -> ClassPlan {
    ClassPlan { below: Some(Box::new(LevelPlan { scheduler, classes })), ..class::<ClassParameters>(lines) }
}

/// A class of another scheduler that needs no parameters, with this scheduler and these classes below it.
fn below_other(scheduler: SchedulerPlan, classes: Vec<ClassPlan>) -> ClassPlan {
    ClassPlan { below: Some(Box::new(LevelPlan { scheduler, classes })), ..ClassPlan::default() }
}

fn htb() -> SchedulerPlan {
    SchedulerPlan::Htb(Parameters {})
}

/// A link that sends 1000 bytes per millisecond.
const LINK: Rate = Rate::from_bps(8_000_000);

/// Queues that always have packets of 1000 bytes (`busy`), or never.
fn states(busy: &[bool]) -> Vec<QueueState> {
    busy.iter()
        .map(|busy| QueueState { packets: u32::from(*busy), bytes: 1000 * u64::from(*busy), head: 1000 * u32::from(*busy) })
        .collect()
}

/// For each transmission until `until_ms`, the millisecond in which it begins and the queue.
fn sent(scheduler: &SchedulerPlan, classes: &[ClassPlan], busy: &[bool], until_ms: u64) -> Vec<(u64, usize)> {
    let mut it = AnyScheduler::new(scheduler, classes, LINK);
    let (queues, mut now, mut sent) = (states(busy), Time::ZERO, Vec::new());
    (0..busy.len()).filter(|queue| busy[*queue]).for_each(|queue| it.on_packet(now, queue, &queues));
    while now < Time::ZERO + Duration::from_ms(until_ms) {
        assert_eq!(it.next(now, &queues), it.next(now, &queues));
        match it.next(now, &queues) {
            Turn::Queue(queue) => {
                it.on_sent(now, queue, 1000, &queues);
                sent.push((now.as_ps() / 1_000_000_000, queue));
                now += Duration::from_ms(1);
            }
            Turn::NotBefore(time) => {
                assert!(time > now);
                now = time;
            }
        }
    }
    sent
}

/// Asserts the shares of the link over 10 s.
fn assert_shares(scheduler: &SchedulerPlan, classes: &[ClassPlan], busy: &[bool], expected: &[f64]) {
    let sent = sent(scheduler, classes, busy, 10_000);
    let seen: Vec<f64> = (0..busy.len()).map(|queue| sent.iter().filter(|(_, its)| *its == queue).count() as f64 / 1e4).collect();
    // Tolerance: bursts and debts of 3 packets, and the rest of a turn of at most 30 packets, in 10 000.
    let is_near = |(seen, expected): (&f64, &f64)| (seen - expected).abs() < 0.0033;
    assert!(seen.iter().zip(expected).all(is_near), "{busy:?}: {seen:?}, not {expected:?}");
}

/// The example of [Devera02]: A has www and smtp, B is alone, and all share the link.
fn agencies() -> Vec<ClassPlan> {
    let www = class::<ClassParameters>(&["rate = 2400 kbit/s", "ceiling = 8 Mbit/s"]);
    let smtp = class::<ClassParameters>(&["rate = 800 kbit/s", "ceiling = 8 Mbit/s"]);
    let a = above(&["rate = 3200 kbit/s", "ceiling = 8 Mbit/s"], htb(), vec![smtp, www]);
    let b = class::<ClassParameters>(&["rate = 4800 kbit/s", "ceiling = 8 Mbit/s"]);
    vec![above(&["rate = 8 Mbit/s"], htb(), vec![a, b])]
}

#[test]
fn assured_rates_hold_and_what_is_unused_stays_in_the_family_first() {
    assert_shares(&htb(), &agencies(), &[true, true, true], &[0.1, 0.3, 0.6]);
    assert_shares(&htb(), &agencies(), &[true, false, true], &[0.4, 0.0, 0.6]);
    assert_shares(&htb(), &agencies(), &[false, true, false], &[0.0, 1.0, 0.0]);
    assert_shares(&htb(), &agencies(), &[false, false, true], &[0.0, 0.0, 1.0]);
}

#[test]
fn excess_is_shared_by_quanta() {
    // B is silent. The remaining 0.6 are shared by quanta of 10 kB and 30 kB (a tenth of a second of 800 and of 2400 kbit/s).
    assert_shares(&htb(), &agencies(), &[true, true, false], &[0.25, 0.75, 0.0]);
    // Two classes of 0.1 share the remaining 0.8 by quanta of 3 kB and 1 kB.
    let two = [("3000 bytes", "first"), ("1000 bytes", "second")]
        .map(|(quantum, _)| class::<ClassParameters>(&["rate = 800 kbit/s", "ceiling = 8 Mbit/s", &format!("quantum = {quantum}")]));
    assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two.to_vec())], &[true, true], &[0.7, 0.3]);
}

#[test]
fn a_ceiling_holds_while_the_wire_is_idle() {
    let two = [class::<ClassParameters>(&["rate = 800 kbit/s", "ceiling = 1600 kbit/s"]), class::<ClassParameters>(&["rate = 800 kbit/s"])];
    // No class above lends.
    assert_shares(&htb(), &two, &[true, true], &[0.1, 0.1]);
    let one = [above(&["rate = 8 Mbit/s"], htb(), two.to_vec())];
    assert_shares(&htb(), &one, &[true, true], &[0.2, 0.1]);
    // In any time t, at most ceiling x t + burst, plus a packet that overdraws it.
    let starts: Vec<u64> = sent(&htb(), &one, &[true, false], 3000).iter().map(|(ms, _)| *ms).collect();
    for (i, from) in starts.iter().enumerate() {
        for (k, to) in starts.iter().enumerate().skip(i) {
            assert!((k - i + 1) as u64 * 1000 <= (to - from) * 200 + 1600 + 1000, "from {from} to {to} ms");
        }
    }
}

#[test]
fn a_ceiling_above_binds_what_is_borrowed_and_not_an_assured_rate() {
    // A leaf of 400 kbit/s lends to itself, although the class above, whose rate and ceiling are 200 kbit/s, is in debt.
    let leaf = || class::<ClassParameters>(&["rate = 400 kbit/s", "ceiling = 4 Mbit/s"]);
    let family = |leaves| [above(&["rate = 8 Mbit/s"], htb(), vec![above(&["rate = 200 kbit/s"], htb(), leaves)])];
    assert_shares(&htb(), &family(vec![leaf()]), &[true], &[0.05]);
    assert_shares(&htb(), &family(vec![leaf(), leaf()]), &[true, true], &[0.05, 0.05]);
    // 1600 bytes, 50 more in a millisecond and two packets: 350 owed at 1 ms, which take 7 ms; then one packet every 20 ms. The class above
    // owes 375 at 1 ms and, at 25 bytes per millisecond, would be open at 16 ms. It lends nothing before that.
    let starts: Vec<u64> = sent(&htb(), &family(vec![leaf()]), &[true], 60).iter().map(|(ms, _)| *ms).collect();
    assert_eq!(starts, [0, 1, 8, 28, 48]);
}

#[test]
fn tokens_are_spent_and_earned_exactly() {
    // 1600 bytes: 1000 leave 600, with the 100 of the next millisecond 700. Another 1000 overdraw by 300, which takes 3 ms: at 4 ms, then
    // every 10 ms, since the bucket is at zero when it opens.
    let one = [class::<ClassParameters>(&["rate = 800 kbit/s"])];
    let starts: Vec<u64> = sent(&htb(), &one, &[true], 40).iter().map(|(ms, _)| *ms).collect();
    assert_eq!(starts, [0, 1, 4, 14, 24, 34]);
}

#[test]
fn priority_says_who_gets_the_excess() {
    let of = |ceiling: &str, priority: &str| class::<ClassParameters>(&["rate = 800 kbit/s", ceiling, priority]);
    let two = |ceiling| vec![of(ceiling, "priority = 1"), of("ceiling = 8 Mbit/s", "priority = 2")];
    assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two("ceiling = 4 Mbit/s"))], &[true, true], &[0.5, 0.5]);
    assert_shares(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), two("ceiling = 8 Mbit/s"))], &[true, true], &[0.9, 0.1]);
}

#[test]
fn it_stands_above_and_below_other_schedulers() {
    // Deficit round robin shares the rate of its class, including what it borrows, 3 to 1.
    let drr = SchedulerPlan::Drr(drr::Parameters {});
    let shared = ["quantum = 3000 bytes", "quantum = 1000 bytes"].map(|quantum| class::<drr::ClassParameters>(&[quantum])).to_vec();
    let lent = vec![above(&["rate = 1600 kbit/s", "ceiling = 4 Mbit/s"], drr, shared), class::<ClassParameters>(&["rate = 4 Mbit/s"])];
    let classes = [above(&["rate = 8 Mbit/s"], htb(), lent)];
    assert_shares(&htb(), &classes, &[true, true, true], &[0.375, 0.125, 0.5]);
    assert_shares(&htb(), &classes, &[false, true, true], &[0.0, 0.5, 0.5]);
    // Below strict priority, the classes of HTB borrow from each other. The capacity that they may not use goes to the next class.
    let order = ["a", "b"].map(|name| priority::ClassName(name.to_owned())).to_vec();
    let root = SchedulerPlan::Priority(priority::Parameters { order });
    let inner =
        vec![class::<ClassParameters>(&["rate = 800 kbit/s", "ceiling = 1600 kbit/s"]), class::<ClassParameters>(&["rate = 800 kbit/s"])];
    let first = below_other(htb(), vec![above(&["rate = 2400 kbit/s"], htb(), inner)]);
    assert_shares(&root, &[first.clone(), ClassPlan::default()], &[true, true, true], &[0.2, 0.1, 0.7]);
    assert_shares(&root, &[first, ClassPlan::default()], &[true, false, true], &[0.2, 0.0, 0.8]);
}

/// A class with these keys whose classes `x` and `y` have strict priority; `x` has these classes of HTB.
fn through_priority(lines: &[&str], x: Vec<ClassPlan>) -> ClassPlan {
    let order = ["x", "y"].map(|name| priority::ClassName(name.to_owned())).to_vec();
    above(lines, SchedulerPlan::Priority(priority::Parameters { order }), vec![below_other(htb(), x), ClassPlan::default()])
}

/// Two classes that share the whole link: A, made by [`through_priority`], and B with this rate.
fn with_neighbour(a: ClassPlan, b: &str) -> Vec<ClassPlan> {
    vec![above(&["rate = 8 Mbit/s"], htb(), vec![a, class::<ClassParameters>(&[&format!("rate = {b}"), "ceiling = 8 Mbit/s"])])]
}

#[test]
fn classes_borrow_through_another_scheduler_up_to_their_ceilings() {
    let x = [("800 kbit/s", "1600 kbit/s"), ("800 kbit/s", "800 kbit/s")]
        .map(|(rate, ceiling)| class::<ClassParameters>(&[&format!("rate = {rate}"), &format!("ceiling = {ceiling}")]));
    let a = through_priority(&["rate = 4 Mbit/s", "ceiling = 8 Mbit/s"], x.to_vec());
    let classes = with_neighbour(a, "4 Mbit/s");
    // A and B are guaranteed half each. In A, x goes first: 0.1 of its own for each class, and another 0.1 of A for the first.
    assert_shares(&htb(), &classes, &[true, true, true, true], &[0.2, 0.1, 0.2, 0.5]);
    // A borrows the capacity that B leaves, and y gets it.
    assert_shares(&htb(), &classes, &[true, true, true, false], &[0.2, 0.1, 0.7, 0.0]);
    assert_shares(&htb(), &classes, &[true, true, false, true], &[0.2, 0.1, 0.0, 0.7]);
    // The first class of x has practically no rate of its own: A lends everything that it sends, and A may send 0.3.
    let poor = class::<ClassParameters>(&["rate = 8 bit/s", "ceiling = 8 Mbit/s"]);
    let a = through_priority(&["rate = 1600 kbit/s", "ceiling = 2400 kbit/s"], vec![poor]);
    let classes = with_neighbour(a, "6400 kbit/s");
    assert_shares(&htb(), &classes, &[true, true, true], &[0.2, 0.0, 0.8]);
    assert_shares(&htb(), &classes, &[true, true, false], &[0.3, 0.0, 0.0]);
    assert_shares(&htb(), &classes, &[false, true, false], &[0.0, 0.3, 0.0]);
}

#[test]
fn an_assured_rate_holds_below_another_scheduler_and_is_charged_above() {
    // The class of x is guaranteed 0.4 although A is guaranteed only 0.1; the debt of A leaves nothing to y.
    let rich = class::<ClassParameters>(&["rate = 3200 kbit/s"]);
    let a = through_priority(&["rate = 800 kbit/s", "ceiling = 8 Mbit/s"], vec![rich]);
    let classes = with_neighbour(a.clone(), "4800 kbit/s");
    assert_shares(&htb(), &classes, &[true, true, true], &[0.4, 0.0, 0.6]);
    // Without it, A is within its rate again: quanta of 10 kB and 60 kB share the 0.3 beyond 0.1 and 0.6.
    assert_shares(&htb(), &classes, &[false, true, true], &[0.0, 0.1 + 0.3 / 7.0, 0.6 + 1.8 / 7.0]);
    // B is guaranteed only 0.3. Packets that x pays for are also charged to A and to the class of the whole link, so that y and B share the
    // rest: A owes more than it earns, and B and y take turns at the 0.3 beyond 0.4 and 0.3, by quanta of 30 kB and 10 kB.
    assert_shares(&htb(), &with_neighbour(a, "2400 kbit/s"), &[true, true, true], &[0.4, 0.075, 0.525]);
}

#[test]
fn deficit_round_robin_stands_above() {
    let drr = SchedulerPlan::Drr(drr::Parameters {});
    let of = |rate: &str| {
        let two = ["800 kbit/s", "1600 kbit/s"].map(|rate| class::<ClassParameters>(&[&format!("rate = {rate}"), "ceiling = 8 Mbit/s"]));
        let inner = above(&[&format!("rate = {rate}")], htb(), two.to_vec());
        let first = ClassPlan {
            parameters: class::<drr::ClassParameters>(&["quantum = 3000 bytes"]).parameters,
            ..below_other(htb(), vec![inner])
        };
        [first, class::<drr::ClassParameters>(&["quantum = 1000 bytes"])]
    };
    // The first class gets 0.75 of the link: 0.1 and 0.2 are guaranteed, and quanta of 10 kB and 20 kB share another 0.45.
    assert_shares(&drr, &of("8 Mbit/s"), &[true, true, true], &[0.25, 0.5, 0.25]);
    // It may send only 0.3, and the second class gets the rest.
    assert_shares(&drr, &of("2400 kbit/s"), &[true, true, true], &[0.1, 0.2, 0.7]);
}

/// Leaf that sends at 100 ms, when both have packets. Before that, the first has sent a packet of 200 bytes at each of these times, and the
/// second has sent one at the beginning.
fn first_after_pause(rate: &str, burst: &str, sent_at_ms: &[u64]) -> Turn {
    let leaf = || {
        class::<ClassParameters>(&[&format!("rate = {rate}"), "ceiling = 8 Mbit/s", &format!("burst = {burst}"), "quantum = 1500 bytes"])
    };
    let mut it = AnyScheduler::new(&htb(), &[above(&["rate = 8 Mbit/s"], htb(), vec![leaf(), leaf()])], LINK);
    let ms = |ms| Time::ZERO + Duration::from_ms(ms);
    let mut send = |at: u64, queue: usize| {
        let before = states(&[queue == 0, queue == 1]);
        it.on_packet(ms(at), queue, &before);
        assert_eq!(it.next(ms(at), &before), Turn::Queue(queue));
        it.on_sent(ms(at), queue, 200, &states(&[false, false]));
    };
    send(0, 1);
    sent_at_ms.iter().for_each(|at| send(*at, 0));
    it.on_packet(ms(100), 0, &states(&[true, false]));
    it.on_packet(ms(100), 1, &states(&[true, true]));
    it.next(ms(100), &states(&[true, true]))
}

#[test]
fn the_turn_of_an_empty_leaf_ends_if_it_sends_at_its_own_rate() {
    // The first packet begins a turn of 1500 bytes for the next time; the second leaves 1100 of it.
    assert_eq!(first_after_pause("8 Mbit/s", "1600 bytes", &[10, 20]), Turn::Queue(1));
    // The same holds from the second packet on if the class above lends it. At that class the leaf keeps its turn.
    assert_eq!(first_after_pause("8 bit/s", "1 byte", &[10, 20, 30]), Turn::Queue(0));
}
