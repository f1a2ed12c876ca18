//! Distances between fair queueing schedulers and their fluid reference.

mod support;

use penstock_model::scheduler::AnyScheduler;
use proptest::prelude::*;
use support::fluid::{generalised_processor_sharing, own_link, packet_by_packet};
use support::traffic::{arrivals, classes, Class};
use support::{scheduler, serve, takes, Arrival, LINK};

const C: f64 = LINK.as_bps() as f64;
/// Rounding to picoseconds, here and in the clock of the fluid, in seconds.
const ROUNDING: f64 = 1e-8;

fn fair(name: &str, all: &[Class]) -> AnyScheduler {
    scheduler(name, "", &all.iter().map(|class| format!("weight = {}", class.weight)).collect::<Vec<_>>())
}

fn weights(all: &[Class]) -> Vec<u32> {
    all.iter().map(|class| class.weight).collect()
}

/// Guaranteed rate of a class, in bit/s.
fn guaranteed(all: &[Class], class: usize) -> f64 {
    C * f64::from(all[class].weight) / all.iter().map(|class| f64::from(class.weight)).sum::<f64>()
}

fn bits(size: u32) -> f64 {
    f64::from(size) * 8.0
}

fn largest(all: &[Class]) -> f64 {
    all.iter().map(|class| bits(class.largest)).fold(0.0, f64::max)
}

/// End of the transmission of each packet, in seconds.
fn ends(name: &str, all: &[Class], traffic: &[Arrival]) -> Vec<f64> {
    let begins = serve(&mut fair(name, all), all.len(), traffic);
    traffic.iter().zip(begins).map(|(arrival, begin)| (begin + takes(arrival.size)).as_seconds()).collect()
}

/// Buckets that together demand less than the link, some of them for more than the share of their class; or no bounds.
fn traffic(all: &[Class], greedy: u8) -> Vec<Arrival> {
    arrivals(all, |i| (greedy >> i & 1 == 0).then_some(2.0 * guaranteed(all, i)), false)
}

#[test]
fn the_fluid_by_hand() {
    // Weights 1 and 3; a packet of 1000 bytes each at 0, another of the second class at 4 ms, at 1 Mbit/s. While both are backlogged, the
    // classes get 250 and 750 kbit/s: the second's first packet ends at 10.667 ms. Its other one has 8000 bits from then on and ends at
    // 21.333 ms, when the first has sent 5333 bits. The rest is sent at full rate until 24 ms.
    let packet = |ms: u64, class| Arrival { at: penstock_model::units::Time::from_ps(ms * 1_000_000_000), class, size: 1000 };
    let ends = generalised_processor_sharing(&[1, 3], &[packet(0, 0), packet(0, 1), packet(4, 1)]);
    for (end, expected) in ends.iter().zip([0.024, 0.032 / 3.0, 0.064 / 3.0]) {
        assert!((end - expected).abs() < 1e-12, "{ends:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reference_itself_is_a_packet_late_at_most(all in classes(2..6), greedy in any::<u8>()) {
        // PGPS ends each packet at most L/C later than the fluid [Parekh93 theorem 1].
        let traffic = traffic(&all, greedy);
        let fluid = generalised_processor_sharing(&weights(&all), &traffic);
        let begins = packet_by_packet(&weights(&all), &traffic);
        for (i, arrival) in traffic.iter().enumerate() {
            let late = begins[i] + takes(arrival.size).as_seconds() - fluid[i];
            prop_assert!(late <= largest(&all) / C + ROUNDING, "packet {i}: {late}");
        }
    }

    #[test]
    fn wf2q_plus_is_never_late_by_more_than_a_packet(all in classes(2..6), greedy in any::<u8>()) {
        // Compared with a separate link of the guaranteed rate: L/C [Bennett97 theorem 4], as for PGPS.
        let traffic = traffic(&all, greedy);
        let ends = ends("wf2q-plus", &all, &traffic);
        for class in 0..all.len() {
            for (i, end) in own_link(guaranteed(&all, class), class, &traffic) {
                prop_assert!(ends[i] - end <= largest(&all) / C + ROUNDING, "packet {i}: {}", ends[i] - end);
            }
        }
    }

    #[test]
    fn wf2q_plus_is_worst_case_fair(all in classes(2..6), greedy in any::<u8>()) {
        // A packet that finds the backlog Q of its class (itself included) leaves within Q/r + A, r A = L_i + (L - L_i) r/C
        // with the largest packets L_i of the class and L of all [Bennett97 theorem 4].
        let traffic = traffic(&all, greedy);
        let ends = ends("wf2q-plus", &all, &traffic);
        for (i, arrival) in traffic.iter().enumerate() {
            let (at, class) = (arrival.at.as_seconds(), arrival.class);
            let before = traffic[..i].iter().zip(&ends).filter(|(other, end)| other.class == class && **end > at);
            let backlog = bits(arrival.size) + before.map(|(other, _)| bits(other.size)).sum::<f64>();
            let rate = guaranteed(&all, class);
            let own = bits(all[class].largest);
            let bound = backlog / rate + own / rate + (largest(&all) - own) / C;
            prop_assert!(ends[i] - at <= bound + ROUNDING, "packet {i}: {} > {bound}", ends[i] - at);
        }
    }

    #[test]
    fn wf2q_plus_is_never_early_by_more_than_a_packet(all in classes(2..6)) {
        // With all classes backlogged, the fluid is a separate link for each. The service of a class is ahead of it by at most its largest
        // packet, since no packet begins before the fluid begins it.
        let traffic = arrivals(&all, |_| None, false);
        let ends = ends("wf2q-plus", &all, &traffic);
        let shortest = (0..all.len()).map(|class| own_link(guaranteed(&all, class), class, &traffic).last().expect("packets").1);
        let together = shortest.fold(f64::INFINITY, f64::min);
        for class in 0..all.len() {
            for (i, end) in own_link(guaranteed(&all, class), class, &traffic).into_iter().filter(|(_, end)| *end <= together) {
                let began = ends[i] - takes(traffic[i].size).as_seconds();
                let fluid = end - bits(traffic[i].size) / guaranteed(&all, class);
                prop_assert!(began >= fluid - ROUNDING, "packet {i} begins {} before the fluid", fluid - began);
            }
        }
    }

    #[test]
    fn self_clocking_adds_a_packet_of_each_other_class(all in classes(2..6), greedy in any::<u8>()) {
        // Compared with a separate link: the sum of the others' largest packets / C [Goyal97 theorem 3].
        let traffic = traffic(&all, greedy);
        let ends = ends("scfq", &all, &traffic);
        for class in 0..all.len() {
            let late: f64 = (0..all.len()).filter(|i| *i != class).map(|i| bits(all[i].largest)).sum::<f64>() / C;
            for (i, end) in own_link(guaranteed(&all, class), class, &traffic) {
                prop_assert!(ends[i] - end <= late + ROUNDING, "packet {i}: {} > {late}", ends[i] - end);
            }
        }
    }

    #[test]
    fn start_times_are_late_by_a_packet_of_each_class(all in classes(2..6), greedy in any::<u8>()) {
        // Counted from when it would begin on a separate link (EAT): itself and the sum of the others' largest packets / C [Goyal96 theorem
        // 4].
        let traffic = traffic(&all, greedy);
        let ends = ends("stfq", &all, &traffic);
        for class in 0..all.len() {
            let rate = guaranteed(&all, class);
            let others: f64 = (0..all.len()).filter(|i| *i != class).map(|i| bits(all[i].largest)).sum();
            for (i, end) in own_link(rate, class, &traffic) {
                let own = bits(traffic[i].size);
                let late = ends[i] - (end - own / rate);
                prop_assert!(late <= (own + others) / C + ROUNDING, "packet {i}: {late}");
            }
        }
    }

    #[test]
    fn self_clocking_and_start_times_are_fair_between_any_two(all in classes(2..6), starts in any::<bool>()) {
        // While both are backlogged, service per weight differs by at most L_i/w_i + L_j/w_j [Golestani94 theorem 1],
        // [Goyal96 theorem 1].
        let traffic = arrivals(&all, |_| None, false);
        let begins = serve(&mut fair(if starts { "stfq" } else { "scfq" }, &all), all.len(), &traffic);
        let mut order: Vec<usize> = (0..traffic.len()).collect();
        order.sort_by_key(|i| begins[*i]);
        let mut left: Vec<usize> = (0..all.len()).map(|class| traffic.iter().filter(|arrival| arrival.class == class).count()).collect();
        let mut served = vec![0.0; all.len()];
        for i in order {
            let Arrival { class, size, .. } = traffic[i];
            served[class] += bits(size) / f64::from(all[class].weight);
            left[class] -= 1;
            for (a, b) in (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|(a, b)| left[*a] > 0 && left[*b] > 0) {
                let share = |i: usize| bits(all[i].largest) / f64::from(all[i].weight);
                let apart: f64 = served[a] - served[b];
                prop_assert!(apart.abs() <= share(a) + share(b) + 1e-6, "{a} and {b}: {apart}");
            }
        }
    }
}
