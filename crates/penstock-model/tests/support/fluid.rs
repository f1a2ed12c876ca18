//! Fluid servers: a link that could serve all classes at the same time.

use super::{takes, Arrival, LINK};

/// Arrival time in seconds.
fn seconds(arrival: &Arrival) -> f64 {
    arrival.at.as_seconds()
}

/// End of each packet under generalised processor sharing, in seconds. At every instant, each backlogged class is served in proportion to
/// its weight, and all classes together at the rate of the link [Parekh93 s2].
pub fn generalised_processor_sharing(weights: &[u32], arrivals: &[Arrival]) -> Vec<f64> {
    let rate = LINK.as_bps() as f64;
    let mut ends = vec![f64::NAN; arrivals.len()];
    // For each class, its packets, and the bits that the first of them still needs.
    let mut queues: Vec<std::collections::VecDeque<(usize, f64)>> = vec![Default::default(); weights.len()];
    let (mut now, mut next) = (0.0, 0);
    loop {
        let sum: f64 = weights.iter().zip(&queues).filter(|(_, queue)| !queue.is_empty()).map(|(weight, _)| f64::from(*weight)).sum();
        let pace = |class: usize| rate * f64::from(weights[class]) / sum;
        let finish = (0..weights.len())
            .filter_map(|class| queues[class].front().map(|(_, bits)| (now + bits / pace(class), class)))
            .min_by(|a, b| a.partial_cmp(b).expect("numbers"));
        let arrival = arrivals.get(next).map(seconds);
        let (until, ending) = match (finish, arrival) {
            (None, None) => return ends,
            (Some((at, class)), Some(arrival)) if at <= arrival => (at, Some(class)),
            (_, Some(arrival)) => (arrival, None),
            (Some((at, class)), None) => (at, Some(class)),
        };
        let served: Vec<f64> = (0..weights.len()).map(|class| pace(class) * (until - now)).collect();
        for (queue, served) in queues.iter_mut().zip(served) {
            if let Some((_, bits)) = queue.front_mut() {
                *bits -= served;
            }
        }
        now = until;
        match ending {
            Some(class) => ends[queues[class].pop_front().expect("it ends").0] = now,
            None => {
                queues[arrivals[next].class].push_back((next, f64::from(arrivals[next].size) * 8.0));
                next += 1;
            }
        }
    }
}

/// Start of each packet under packet-by-packet generalised processor sharing, in seconds: among the waiting packets, the one that would end
/// first in the fluid is sent next [Parekh93 s3].
pub fn packet_by_packet(weights: &[u32], arrivals: &[Arrival]) -> Vec<f64> {
    let ends = generalised_processor_sharing(weights, arrivals);
    let mut begins = vec![f64::NAN; arrivals.len()];
    let mut waiting: Vec<usize> = Vec::new();
    let (mut free, mut next) = (0.0f64, 0);
    for _ in 0..arrivals.len() {
        if waiting.is_empty() {
            free = free.max(seconds(&arrivals[next]));
        }
        while next < arrivals.len() && seconds(&arrivals[next]) <= free {
            waiting.push(next);
            next += 1;
        }
        let first = (0..waiting.len()).min_by(|a, b| ends[waiting[*a]].total_cmp(&ends[waiting[*b]])).expect("something waits");
        let packet = waiting.swap_remove(first);
        begins[packet] = free;
        free += takes(arrivals[packet].size).as_seconds();
    }
    begins
}

/// End of each packet of `class` on a separate link of `rate` bit/s, in seconds: the clock of guaranteed rates [Goyal97 s2].
pub fn own_link(rate: f64, class: usize, arrivals: &[Arrival]) -> Vec<(usize, f64)> {
    let mut clock = 0.0f64;
    let own = arrivals.iter().enumerate().filter(|(_, arrival)| arrival.class == class);
    own.map(|(i, arrival)| {
        clock = clock.max(seconds(arrival)) + f64::from(arrival.size) * 8.0 / rate;
        (i, clock)
    })
    .collect()
}
