//! Transports under extreme parameters: bursts are finite, deadlines are in the future, and sizes are as declared.

use super::random_parameters::Palette;
use super::{instants, stream, walk, EXTREMES, STEPS};
use penstock_model::parameters::{Entry, Reader};
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use penstock_model::source::SourcePlan;
use penstock_model::transport::connection::ConnectionSender;
use penstock_model::transport::custom::{AckPacket, DataPacket, TransportEnds};
use penstock_model::transport::tcp::Sender;
use penstock_model::transport::TransportPlan;
use penstock_model::units::{Bytes, Duration, Time};
use std::sync::Arc;

/// Maximum number of packets of one end in an instant, as in the engine.
const MOST_AT_ONCE: usize = 1 << 20;
/// Number of packets and deadlines after which a connection ends; more would take too long without optimisation.
const MOST_EVENTS: usize = 10 * STEPS;
/// Number of packets that arrive at one instant in each direction.
const ARRIVALS: usize = 4;

/// Both ends of a connection, and the last packets that they have sent, with their times.
struct Connection {
    ends: TransportEnds,
    data: Vec<(Time, DataPacket)>,
    acks: Vec<(Time, AckPacket)>,
    /// Number of packets sent and deadlines handled.
    events: usize,
}

impl Connection {
    /// Offers endless data.
    fn start(mut ends: TransportEnds) -> Connection {
        ends.sender.on_data(Time::ZERO, None);
        let mut it = Connection { ends, data: Vec::new(), acks: Vec::new(), events: 0 };
        it.collect(Time::ZERO);
        it
    }

    /// Collects the packets that both ends send at this instant.
    fn collect(&mut self, now: Time) {
        let (ends, before) = (&mut self.ends, self.data.len() + self.acks.len());
        let sizes = ends.facts.smallest_packet()..=ends.facts.packet();
        while let Some(packet) = ends.sender.next_packet(now) {
            assert!(sizes.contains(&Bytes::new(u64::from(packet.size))), "{packet:?} is not within {sizes:?}");
            self.data.push((now, packet));
            assert!(self.data.len() + self.acks.len() - before <= MOST_AT_ONCE, "a burst without end");
        }
        while let Some(ack) = ends.receiver.next_ack(now) {
            self.acks.push((now, ack));
            assert!(self.data.len() + self.acks.len() - before <= MOST_AT_ONCE, "acknowledgements without end");
        }
        self.events += self.data.len() + self.acks.len() - before;
        assert!(self.deadline() > now, "the deadline {} is not in the future", self.deadline());
    }

    fn deadline(&self) -> Time {
        self.ends.sender.deadline().min(self.ends.receiver.deadline())
    }

    fn serve_deadline(&mut self) {
        let now = self.deadline();
        self.events += 1;
        if self.ends.sender.deadline() == now {
            self.ends.sender.on_deadline(now);
        } else {
            self.ends.receiver.on_deadline(now);
        }
        self.collect(now);
    }

    /// Delivers the first packets in flight. A fifth of them, and all others, are lost.
    fn deliver(&mut self, now: Time, stream: &mut Stream) {
        let (data, acks) = (std::mem::take(&mut self.data), std::mem::take(&mut self.acks));
        for (sent, packet) in data.into_iter().take(ARRIVALS).filter(|(sent, _)| *sent < now && stream.below(5) > 0) {
            let before = self.ends.receiver.delivered();
            self.ends.receiver.on_packet(now, &packet, sent);
            assert!(self.ends.receiver.delivered() >= before, "delivered bytes are taken back");
            self.collect(now);
        }
        for (sent, ack) in acks.into_iter().take(ARRIVALS).filter(|(sent, _)| *sent < now && stream.below(5) > 0) {
            self.ends.sender.on_ack(now, &ack, sent);
            self.collect(now);
        }
    }
}

fn exercise(ends: TransportEnds, stream: &mut Stream) {
    let steps: Vec<Time> = instants(stream).map(|(now, _)| now).collect();
    let mut connection = Connection::start(ends);
    for now in steps {
        while connection.deadline() <= now && connection.events < MOST_EVENTS {
            connection.serve_deadline();
        }
        if connection.events >= MOST_EVENTS {
            return;
        }
        connection.deliver(now, stream);
    }
}

/// Values for media rates: packets wait in the sender, so extreme rates would fill the memory.
const MEDIA: Palette = Palette {
    times: &["1 ms", "20 ms", "100 ms"],
    rates: &["100 kbit/s", "500 kbit/s", "2 Mbit/s"],
    sizes: &["40 bytes", "300 bytes", "1200 bytes"],
    numbers: &[0.1, 0.5, 0.8, 1.0, 25.0],
    integers: &[1, 2, 12],
    ..EXTREMES
};

#[test]
fn both_ends_of_a_transport_keep_their_contract() {
    let ftp = drawn("ftp", SourcePlan::ENTRIES, SourcePlan::read).remove(0);
    walk(TransportPlan::ENTRIES, TransportPlan::read, move |plan, stream| {
        let ends = plan.carries(&ftp).then(|| plan.ends(&ftp, &Site::trial())).flatten();
        ends.into_iter().for_each(|ends| exercise(ends, stream));
    });
}

#[test]
fn both_ends_of_scream_keep_their_contract() {
    let mut stream = stream("media");
    let videos = drawn("video", SourcePlan::ENTRIES, SourcePlan::read);
    for (video, plan) in videos.iter().zip(drawn("scream", TransportPlan::ENTRIES, TransportPlan::read)) {
        exercise(plan.ends(video, &Site::trial()).expect("it has two ends"), &mut stream);
    }
}

/// Twenty components of this name with parameters of media.
fn drawn<P>(name: &str, entries: &[Entry], read: fn(&str, &mut dyn Reader) -> Option<P>) -> Vec<P> {
    let entry = entries.iter().find(|entry| entry.name == name).expect("it is listed");
    let drawn: Vec<P> = MEDIA.plans(entry, 20, &mut stream(name), read).into_iter().map(|(plan, _)| plan).collect();
    assert!(drawn.len() == 20, "{} sound settings of {name}", drawn.len());
    drawn
}

#[test]
fn a_sender_that_hears_nothing_waits_longer_and_longer() {
    walk(TransportPlan::ENTRIES, TransportPlan::read, |plan, _| {
        let TransportPlan::Tcp(parameters) = plan else { return };
        let mut sender = Sender::new(&Arc::new(parameters.clone()), Duration::ZERO, &Site::trial());
        sender.offer(Time::ZERO, None);
        sender.start(Time::ZERO);
        let (mut now, mut sent) = (Time::ZERO, 0);
        if sender.next_transmission(now).is_some() {
            sender.on_syn_ack(now, true);
        }
        for _ in 0..STEPS {
            while sender.next_transmission(now).is_some() {
                sent += 1;
                assert!(sent <= (1 << 20) + 3 * STEPS, "a burst of {sent} segments");
            }
            if sender.deadline() == Time::NEVER {
                return;
            }
            assert!(sender.deadline() > now, "a timer that is due at once, for ever");
            now = sender.deadline();
            sender.on_deadline(now);
        }
    });
}
