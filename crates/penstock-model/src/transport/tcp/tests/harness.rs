//! A path of 50 ms in each direction without queues, for the tests of this folder.

use super::super::{Parameters, Receiver, SegmentHeader, Segments, Sender};
use crate::packet::{Ack, AckFlags, Body, Ecn, SackBlocks};
use crate::parameters::{Field, Parameters as _, Reader, Value};
use crate::site::Site;
use crate::transport::connection::ConnectionSender;
use crate::units::{Duration, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Delay in one direction; a round trip takes twice as long.
pub const DELAY: Duration = Duration::from_ms(50);

struct Scenario<'a>(&'a [(&'a str, Value)], Vec<String>);

impl Reader for Scenario<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        self.0.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
    }
    fn mistake(&mut self, key: &str, message: String) {
        self.1.push(format!("{key}: {message}"));
    }
}

/// Reads parameters as a scenario would give them. Returns the mistakes if there are any.
pub fn read(given: &[(&str, Value)]) -> Result<Arc<Parameters>, Vec<String>> {
    let mut scenario = Scenario(given, vec![]);
    Parameters::read(&mut scenario).map(Arc::new).ok_or(scenario.1)
}

pub fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// Parameters `given`, with two other defaults: no SYN, and an initial window of one.
pub fn parameters(given: &[(&str, Value)]) -> Arc<Parameters> {
    let mut all = given.to_vec();
    for (key, value) in [("syn", Value::Switch(false)), ("initial-window", text("1 packet"))] {
        if !given.iter().any(|(name, _)| *name == key) {
            all.push((key, value));
        }
    }
    read(&all).expect("sound parameters")
}

/// A queue with a constant rate.
struct Bottleneck {
    spacing: Duration,
    limit: u64,
    /// Time at which the queue will be empty.
    free: Time,
    drops: u64,
}

impl Bottleneck {
    /// Delay of a packet that arrives `now`; `None` if it is lost.
    fn pass(&mut self, now: Time) -> Option<Duration> {
        let backlog = if self.free > now { self.free.since(now) } else { Duration::ZERO };
        if backlog.as_ps() >= self.spacing.as_ps() * self.limit {
            self.drops += 1;
            return None;
        }
        self.free = now + backlog + self.spacing;
        Some(backlog + self.spacing)
    }
}

/// A sender, a receiver and the packets in flight between them.
pub struct Path {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    /// Decide whether to lose the n-th data or SYN packet (from zero), and the n-th packet back.
    lose_forward: Box<dyn FnMut(usize, Body) -> bool>,
    lose_back: Box<dyn FnMut(usize, Body) -> bool>,
    /// Decides whether to mark the n-th ECN-capable data packet.
    mark: Box<dyn FnMut(usize, Body) -> bool>,
    /// Additional delay of the n-th packet of both directions together.
    extra_delay: Box<dyn FnMut(usize) -> Duration>,
    /// Bottleneck in the forward direction, if there is one.
    bottleneck: Option<Bottleneck>,
    sent: [usize; 2],
    in_transit: BTreeMap<(Time, usize), (bool, Body, Ecn)>,
    /// Packets sent forward, including lost ones.
    pub log: Vec<(Time, Body)>,
    /// Codepoints of these packets.
    pub codepoints: Vec<Ecn>,
    /// Packets sent back.
    pub log_back: Vec<(Time, Body)>,
    /// Codepoints of these packets.
    pub codepoints_back: Vec<Ecn>,
}

impl Path {
    pub fn new(parameters: &Arc<Parameters>) -> Path {
        Path {
            sender: Sender::new(parameters, Duration::ZERO, &Site::trial()),
            receiver: Receiver::new(parameters),
            now: Time::ZERO,
            lose_forward: Box::new(|_, _| false),
            lose_back: Box::new(|_, _| false),
            mark: Box::new(|_, _| false),
            extra_delay: Box::new(|_| Duration::ZERO),
            bottleneck: None,
            sent: [0; 2],
            in_transit: BTreeMap::new(),
            log: vec![],
            codepoints: vec![],
            log_back: vec![],
            codepoints_back: vec![],
        }
    }

    pub fn losing(mut self, lose: impl FnMut(usize, Body) -> bool + 'static) -> Path {
        self.lose_forward = Box::new(lose);
        self
    }

    /// Loses the first transmission of each of these segments.
    pub fn losing_once(self, segments: &'static [u32]) -> Path {
        self.losing(move |_, body| matches!(body, Body::Segment { seq, retransmission: false, .. } if segments.contains(&seq)))
    }

    pub fn losing_back(mut self, lose: impl FnMut(usize, Body) -> bool + 'static) -> Path {
        self.lose_back = Box::new(lose);
        self
    }

    /// Adds a forward queue of `limit` packets that take `spacing` each. A packet that finds it full is lost.
    pub fn through(mut self, spacing: Duration, limit: u64) -> Path {
        self.bottleneck = Some(Bottleneck { spacing, limit, free: Time::ZERO, drops: 0 });
        self
    }

    /// Number of packets lost at the bottleneck.
    pub fn drops(&self) -> u64 {
        self.bottleneck.as_ref().map_or(0, |it| it.drops)
    }

    /// Marks the first transmission of each of these segments.
    pub fn marking(mut self, segments: &'static [u32]) -> Path {
        self.mark = Box::new(move |_, body| matches!(body, Body::Segment { seq, .. } if segments.contains(&seq)));
        self
    }

    pub fn delaying(mut self, extra: impl FnMut(usize) -> Duration + 'static) -> Path {
        self.extra_delay = Box::new(extra);
        self
    }

    pub fn start(mut self, segments: Option<u32>) -> Path {
        self.sender.offer(self.now, segments);
        self.sender.start(self.now);
        self.collect();
        self
    }

    /// Offers `segments` more segments at this instant.
    pub fn offer(&mut self, segments: u32) {
        self.sender.offer(self.now, Some(segments));
        self.collect();
    }

    /// Processes all events up to `end`.
    pub fn run_until(&mut self, end: Time) -> &mut Path {
        while self.next_event() <= end {
            self.step();
        }
        self.now = end;
        self
    }

    pub fn run_ms(&mut self, ms: u64) -> &mut Path {
        self.run_until(Time::ZERO + Duration::from_ms(ms))
    }

    pub fn next_event(&self) -> Time {
        let arrival = self.in_transit.keys().next().map_or(Time::NEVER, |(time, _)| *time);
        arrival.min(self.sender.deadline()).min(self.receiver.deadline())
    }

    /// Processes the next event, arrivals before timers. Returns the arrival, if it was one.
    pub fn step(&mut self) -> Option<Body> {
        self.now = self.next_event();
        let arrived = self.in_transit.first_entry().filter(|entry| entry.key().0 == self.now).map(|entry| entry.remove());
        // Enough for a test, and not too much for a long one.
        let predicted = arrived.filter(|_| self.log.len() < 500).and_then(|(_, body, _)| self.predicted(body));
        let logged = (self.log.len(), self.log_back.len());
        let coded = (self.codepoints.len(), self.codepoints_back.len());
        match arrived {
            Some((true, body @ Body::Segment { seq, .. }, ecn)) => self.receiver.on_segment(self.now, seq, ecn, SegmentHeader::of(&body)),
            Some((true, Body::Syn { ecn, .. }, _)) => self.receiver.on_syn(self.now, ecn),
            Some((false, body @ Body::Ack { .. }, _)) => self.sender.on_ack(self.now, &body.to_ack().expect("it is one")),
            Some((false, Body::SynAck { ecn, .. }, _)) => self.sender.on_syn_ack(self.now, ecn),
            Some(other) => unreachable!("{other:?} went the wrong way"),
            None if self.sender.deadline() == self.now => _ = self.sender.on_deadline(self.now),
            None => self.receiver.on_timeout(self.now),
        }
        self.collect();
        if let Some((sent, end)) = predicted {
            let bodies = self.log[logged.0..].iter().chain(&self.log_back[logged.1..]).map(|(_, body)| *body);
            let codepoints = self.codepoints[coded.0..].iter().chain(&self.codepoints_back[coded.1..]).copied();
            assert_eq!(bodies.zip(codepoints).collect::<Vec<_>>(), sent, "at {:?}", self.now);
            let reached = arrived.is_some_and(|(forward, ..)| forward);
            assert_eq!(if reached { format!("{:?}", self.receiver) } else { format!("{:?}", self.sender) }, end);
        }
        arrived.map(|(_, body, _)| body)
    }

    /// Packets that header prediction would send, and the resulting state of the receiving end; `None` if the arrival is not predicted.
    fn predicted(&self, arrived: Body) -> Option<(Vec<(Body, Ecn)>, String)> {
        match arrived {
            Body::Ack { next, flags, sack, sack_rest } if SackBlocks::join(sack, sack_rest).is_empty() => {
                let mut sender = self.sender.clone();
                let Segments { first, end, new_from } = sender.on_predicted_ack(self.now, next, flags)?;
                let segment = |seq| {
                    let retransmission = seq < new_from;
                    let (ecn, flags) = sender.mark(retransmission);
                    (Body::Segment { seq, retransmission, flags }, ecn)
                };
                let sent = (first..end).map(segment).collect();
                Some((sent, format!("{sender:?}")))
            }
            Body::Segment { seq, .. } => {
                let mut receiver = self.receiver.clone();
                let acknowledges = receiver.on_predicted_segment(self.now, seq, SegmentHeader::of(&arrived))?;
                let ack = (Body::ack(Ack { next: receiver.delivered(), flags: AckFlags::NONE, sack: SackBlocks::default() }), Ecn::NotEct);
                Some((acknowledges.then_some(ack).into_iter().collect(), format!("{receiver:?}")))
            }
            _ => None,
        }
    }

    fn collect(&mut self) {
        while let Some(out) = self.sender.next_transmission(self.now) {
            self.log.push((self.now, out.body));
            self.codepoints.push(out.ecn);
            let lost = (self.lose_forward)(self.sent[0], out.body);
            let marked = out.ecn.is_capable() && (self.mark)(self.sent[0], out.body);
            self.sent[0] += 1;
            self.put(true, out.body, if marked { out.ecn.marked() } else { out.ecn }, lost);
        }
        while let Some(out) = self.receiver.next_transmission(self.now) {
            self.log_back.push((self.now, out.body));
            let lost = (self.lose_back)(self.sent[1], out.body);
            self.sent[1] += 1;
            self.codepoints_back.push(out.ecn);
            self.put(false, out.body, out.ecn, lost);
        }
    }

    fn put(&mut self, forward: bool, body: Body, ecn: Ecn, lost: bool) {
        let wait = match &mut self.bottleneck {
            Some(bottleneck) if forward && !lost => bottleneck.pass(self.now),
            _ => Some(Duration::ZERO),
        };
        if let Some(wait) = wait.filter(|_| !lost) {
            let number = self.sent[0] + self.sent[1];
            let arrival = self.now + wait + DELAY + (self.extra_delay)(number);
            self.in_transit.insert((arrival, number), (forward, body, ecn));
        }
    }

    /// Segments sent, as lines of `milliseconds: segments`. Retransmissions have a star; CWR is `c`, PSH is `p`, SYN is `S`.
    pub fn sent(&self) -> String {
        lines(&self.log, |body| match body {
            Body::Segment { seq, retransmission, flags } => {
                let marks = [(retransmission, "*"), (flags.cwr(), "c"), (flags.psh(), "p")];
                format!("{seq}{}", marks.map(|(is_set, mark)| if is_set { mark } else { "" }).concat())
            }
            Body::Syn { .. } => "S".to_owned(),
            other => unreachable!("{other:?} from the sender"),
        })
    }

    /// Acknowledgements sent, as lines of `milliseconds: acknowledgement[start-end,...]`. ECE is `e`.
    pub fn answered(&self) -> String {
        lines(&self.log_back, |body| match body {
            Body::Ack { .. } => {
                let Ack { next, flags, sack } = body.to_ack().expect("it is one");
                let blocks: String = sack.beyond(next).map(|block| format!("[{}-{}]", block.start, block.end)).collect();
                format!("{next}{}{blocks}", if flags.ece() { "e" } else { "" })
            }
            Body::SynAck { .. } => "SA".to_owned(),
            other => unreachable!("{other:?} from the receiver"),
        })
    }
}

/// Lines of `milliseconds: packets`, one for each instant.
pub fn lines<T: Copy>(log: &[(Time, T)], write: impl Fn(T) -> String) -> String {
    let mut text = String::new();
    let mut last = None;
    for (time, body) in log {
        if last != Some(*time) {
            let ms = time.as_ps() as f64 / 1e9;
            text.push_str(&format!("{}{ms}:", if last.is_some() { "\n" } else { "" }));
            last = Some(*time);
        }
        text.push(' ');
        text.push_str(&write(*body));
    }
    text
}
