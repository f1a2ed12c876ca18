//! The columns of a trace: plain numbers, a byte string for each column, from which callers build data frames.

use super::keys::EventKind;
use crate::metrics::common::evaluation::GroupMembers;
use penstock_engine::blueprint::Blueprint;
use penstock_engine::observations::{TimerKind, TraceEvent, TraceRow, TraceSubject};
use penstock_model::discipline::DropCause;
use penstock_model::packet::{Body, Packet};

/// How to read the values of a column. A missing value is the largest number of its type, or NaN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Signed, of 64 bits; always there.
    Integer,
    /// Unsigned, of 32 bits.
    Natural,
    /// Unsigned, of 8 bits.
    Small,
    /// 0 or 1, of 8 bits.
    Switch,
    /// Of 64 bits.
    Float,
    /// The position of one of these words, of as many bytes as [`word_bytes`] says.
    Word(Vec<String>),
}

/// Bytes of the position of one of `words` words, including one more position for a missing word.
pub fn word_bytes(words: usize) -> usize {
    match words {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceColumn {
    /// Its name.
    pub name: &'static str,
    /// How to read its values.
    pub kind: ColumnKind,
}

/// Some rows of a trace, by column: little-endian numbers.
#[derive(Clone, Debug, Default)]
pub struct TraceColumns {
    /// Number of rows.
    pub rows: usize,
    /// In the order of the columns.
    pub values: Vec<Vec<u8>>,
}

/// Marker of a missing number.
const NONE: u32 = u32::MAX;

const TIMERS: [(TimerKind, &str); 8] = [
    (TimerKind::Start, "start"),
    (TimerKind::Sender, "retransmission"),
    (TimerKind::Pacing, "pacing"),
    (TimerKind::DelayedRetransmission, "delayed-retransmission"),
    (TimerKind::Receiver, "delayed-acknowledgement"),
    (TimerKind::Page, "page"),
    (TimerKind::Stop, "stop"),
    (TimerKind::Egress, "report"),
];
const MARKERS: [&str; 2] = ["discipline", "pcn-meter"];
const PACKETS: [&str; 15] = [
    "datagram",
    "segment",
    "acknowledgement",
    "media",
    "request",
    "source-quench",
    "syn",
    "syn-ack",
    "congestion-notification",
    "roce-data",
    "roce-acknowledgement",
    "cnp",
    "cell",
    "transport-data",
    "transport-acknowledgement",
];
const ECN: [&str; 4] = ["not-ect", "ect1", "ect0", "ce"];
const PCN: [&str; 3] = ["unmarked", "threshold", "excess"];

/// All columns of the traces of a scenario.
pub(crate) fn columns(blueprint: &Blueprint, members: &GroupMembers) -> Vec<TraceColumn> {
    let words = |words: &[&str]| ColumnKind::Word(words.iter().map(|word| (*word).to_owned()).collect());
    let causes = DropCause::ALL.iter().map(|cause| cause.name()).chain(MARKERS).chain(TIMERS.map(|(_, name)| name));
    let places = blueprint.nodes.iter().cloned().chain(blueprint.links.iter().map(|link| link.path.clone()));
    let flows = members.flows.iter().flat_map(|(name, members)| (0..members.len()).map(move |i| format!("{name}[{i}]")));
    let column = |name, kind| TraceColumn { name, kind };
    vec![
        column("time_ps", ColumnKind::Integer),
        column("event", words(&EventKind::WORDS)),
        column("cause", words(&causes.collect::<Vec<_>>())),
        column("place", ColumnKind::Word(places.collect())),
        column("flow", ColumnKind::Word(flows.collect())),
        column("class", ColumnKind::Word(blueprint.classes.clone())),
        column("packet", words(&PACKETS)),
        column("sequence", ColumnKind::Natural),
        column("acknowledgement", ColumnKind::Natural),
        column("retransmission", ColumnKind::Switch),
        column("size", ColumnKind::Natural),
        column("precedence", ColumnKind::Small),
        column("ecn", words(&ECN)),
        column("pcn", words(&PCN)),
        column("cwnd", ColumnKind::Float),
        column("ssthresh", ColumnKind::Float),
    ]
}

/// The class of each flow.
pub(crate) fn classes(blueprint: &Blueprint) -> Vec<u8> {
    blueprint.flows.iter().map(|flow| blueprint.groups[flow.group as usize].class).collect()
}

/// Number of rows that stay in the cache while all their columns are filled.
const BLOCK: usize = 256;

/// Columns that are being filled, block by block.
pub(super) struct Filling {
    values: Vec<Vec<u8>>,
    /// Bytes of a position, for each column of words; 0 for other columns.
    word_bytes: Vec<usize>,
    /// Number of rows so far.
    rows: usize,
    /// Number of rows in the end.
    size: usize,
    /// The column to fill next.
    next: usize,
}

impl Filling {
    /// Prepares these columns for `size` rows.
    pub fn new(columns: &[TraceColumn], size: usize) -> Filling {
        let word_bytes = columns.iter().map(|column| match &column.kind {
            ColumnKind::Word(words) => word_bytes(words.len()),
            _ => 0,
        });
        Filling { values: Vec::new(), word_bytes: word_bytes.collect(), rows: 0, size, next: 0 }
    }

    /// Number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Appends the values of these rows; `classes` has the class of each flow.
    pub fn append(&mut self, rows: &[TraceRow], classes: &[u8]) {
        rows.chunks(BLOCK).for_each(|block| self.append_block(block, classes));
        self.rows += rows.len();
    }

    /// The columns of all rows.
    pub fn finish(self) -> TraceColumns {
        TraceColumns { rows: self.rows, values: self.values }
    }

    /// Appends the values of a block, column after column.
    fn append_block(&mut self, rows: &[TraceRow], classes: &[u8]) {
        self.next = 0;
        self.column(rows, |row| row.time.as_ps().to_le_bytes());
        self.word(rows, |row| EventKind::of(row.event) as u32);
        self.word(rows, |row| cause(row.event));
        self.word(rows, |row| row.place);
        self.word(rows, TraceRow::flow);
        self.word(rows, |row| u32::from(classes[row.flow() as usize]));
        self.word_of_packet(rows, |packet| kind(&packet.body));
        self.of_packet(rows, |packet| sequence(&packet.body));
        self.of_packet(rows, |packet| match packet.body {
            Body::Ack { next, .. } | Body::RoceAck { next, .. } | Body::TransportAck { next, .. } => next,
            _ => NONE,
        });
        self.column(rows, |row| [u8::from(row.packet().is_some_and(|packet| packet.body.is_retransmission()))]);
        self.of_packet(rows, |packet| packet.size);
        self.column(rows, |row| [row.packet().map_or(u8::MAX, |packet| packet.precedence)]);
        self.word_of_packet(rows, |packet| packet.ecn as u32);
        self.word_of_packet(rows, |packet| packet.pcn as u32);
        self.column(rows, |row| match row.subject {
            TraceSubject::Window { window, .. } => window.to_le_bytes(),
            _ => f64::NAN.to_le_bytes(),
        });
        self.column(rows, |row| match row.subject {
            TraceSubject::Window { threshold, .. } => threshold.to_le_bytes(),
            _ => f64::NAN.to_le_bytes(),
        });
    }

    #[inline]
    fn column<const N: usize>(&mut self, rows: &[TraceRow], value: impl Fn(&TraceRow) -> [u8; N]) {
        if self.next == self.values.len() {
            self.values.push(Vec::with_capacity(N * self.size));
        }
        let column = &mut self.values[self.next];
        let first = column.len();
        column.resize(first + N * rows.len(), 0);
        for (place, row) in column[first..].as_chunks_mut().0.iter_mut().zip(rows) {
            *place = value(row);
        }
        self.next += 1;
    }

    #[inline]
    fn natural(&mut self, rows: &[TraceRow], value: impl Fn(&TraceRow) -> u32) {
        self.column(rows, |row| value(row).to_le_bytes());
    }

    /// Appends positions of words; a missing word has all bits set, whatever the width.
    #[inline]
    fn word(&mut self, rows: &[TraceRow], value: impl Fn(&TraceRow) -> u32) {
        match self.word_bytes[self.next] {
            1 => self.column(rows, |row| [value(row) as u8]),
            2 => self.column(rows, |row| (value(row) as u16).to_le_bytes()),
            _ => self.natural(rows, value),
        }
    }

    #[inline]
    fn word_of_packet(&mut self, rows: &[TraceRow], value: impl Fn(&Packet) -> u32) {
        self.word(rows, |row| row.packet().map_or(NONE, &value));
    }

    #[inline]
    fn of_packet(&mut self, rows: &[TraceRow], value: impl Fn(&Packet) -> u32) {
        self.natural(rows, |row| row.packet().map_or(NONE, &value));
    }
}

/// The position of an event's cause among the words for causes.
fn cause(event: TraceEvent) -> u32 {
    let (drops, markers) = (DropCause::ALL.len() as u32, MARKERS.len() as u32);
    match event {
        TraceEvent::Drop(cause) => cause as u32,
        TraceEvent::Mark => drops,
        TraceEvent::PcnMark => drops + 1,
        TraceEvent::Timer(kind) => drops + markers + TIMERS.iter().position(|(timer, _)| *timer == kind).expect("all are listed") as u32,
        _ => NONE,
    }
}

/// The kind of a packet, as traces name it.
pub fn packet_word(body: &Body) -> &'static str {
    PACKETS[kind(body) as usize]
}

fn kind(body: &Body) -> u32 {
    match body {
        Body::Datagram { .. } | Body::TaggedDatagram { .. } => 0,
        Body::Segment { .. } | Body::TaggedSegment { .. } => 1,
        Body::Ack { .. } => 2,
        Body::Media { .. } => 3,
        Body::Request { .. } => 4,
        Body::SourceQuench { .. } => 5,
        Body::Syn { .. } => 6,
        Body::SynAck { .. } => 7,
        Body::CongestionNotification { .. } => 8,
        Body::RoceData { .. } | Body::TaggedRoceData { .. } => 9,
        Body::RoceAck { .. } => 10,
        Body::CongestionNotificationPacket { .. } => 11,
        Body::Cell { .. } => 12,
        Body::TransportData { .. } | Body::TaggedTransportData { .. } => 13,
        Body::TransportAck { .. } => 14,
    }
}

fn sequence(body: &Body) -> u32 {
    match *body {
        Body::Datagram { seq, .. } | Body::Segment { seq, .. } | Body::Media { seq, .. } => seq,
        Body::Request { call, .. } => call,
        Body::TaggedDatagram { seq, .. } | Body::TaggedSegment { seq, .. } => seq,
        Body::SourceQuench { number } | Body::CongestionNotification { number, .. } => number,
        Body::RoceData { psn, .. } | Body::TaggedRoceData { psn, .. } => psn,
        Body::Cell { frame, .. } => frame,
        Body::CongestionNotificationPacket { number } => number,
        Body::TransportData { seq, .. } | Body::TaggedTransportData { seq, .. } => seq,
        Body::Ack { .. } | Body::RoceAck { .. } | Body::TransportAck { .. } | Body::Syn { .. } | Body::SynAck { .. } => NONE,
    }
}
