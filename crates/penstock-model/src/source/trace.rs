//! Packets from a file.

use super::packets::Packets;
use super::{Emission, OpenLoop, Source};
use crate::parameters::{Check, Kind, Parameter, Value};
use crate::rng::Stream;
use crate::site::Site;
use crate::units::{Bytes, Duration, Rate};
use std::collections::BTreeSet;
use std::sync::Arc;

crate::parameters! {
    /// Trace: packets with the times and sizes of a file, such as a capture of real traffic.
    ///
    /// ## Decides
    /// Packets are sent at the times of the file with its sizes; packets of the same time are sent in the order of the file. The
    /// source ends with the last packet. The path of the file is relative to the scenario:
    ///
    /// - CSV or Parquet with a column `time` in seconds from the start of the flow, and a column `size` in bytes on the wire. Other
    ///   columns are ignored, and in CSV also empty lines and lines that begin with `#`. Fields may be in quotes.
    /// - A capture, pcap or pcapng: times count from its first packet. Sizes are frame sizes on the wire, regardless of the snapshot
    ///   length, without preamble and frame check sequence.
    ///
    /// Times must not decrease. The content of the file identifies a run, not its name.
    ///
    /// ## State
    /// The position in the trace. No random numbers; all flows of a group send the same packets.
    ///
    /// ## Departures
    /// None.
    ///
    /// ## Example
    /// ```toml
    /// source.trace = { file = "trace.csv" }
    /// ```
    ///
    /// ## References
    /// None.
    pub struct Parameters {
        /// The file, relative to the scenario's folder; its name ends with `.csv`, `.parquet`, `.pcap` or `.pcapng`.
        file: TraceFile;
    }
}

impl Check for Parameters {}

impl Parameters {
    /// Sizes of the packets.
    fn sizes(&self) -> impl Iterator<Item = Bytes> + '_ {
        self.file.emissions.iter().map(|emission| Bytes::new(u64::from(emission.size)))
    }
}

impl OpenLoop for Parameters {
    const ENDLESS: bool = false;

    /// Rate after all packets have been sent.
    fn mean_rate(&self) -> Rate {
        Rate::ZERO
    }

    fn smallest_packet(&self) -> Bytes {
        self.sizes().min().unwrap_or(Bytes::new(0))
    }

    fn largest_packet(&self) -> Option<Bytes> {
        self.sizes().max()
    }

    fn packet_sizes(&self) -> Vec<Bytes> {
        self.sizes().collect::<BTreeSet<Bytes>>().into_iter().collect()
    }
}

/// A file of packets. The scenario gives its name, and the reader of the scenario fills in the packets.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Name of the file.
    pub name: String,
    /// Spacings and sizes of the packets; empty until the file has been read.
    pub emissions: Arc<[Emission]>,
}

impl TraceFile {
    /// Sets the packets, in ascending order of their times from the start of the flow.
    pub fn fill(&mut self, packets: &[(Duration, u32)]) {
        let before = std::iter::once(Duration::ZERO).chain(packets.iter().map(|(at, _)| *at));
        self.emissions = packets.iter().zip(before).map(|((at, size), before)| Emission { after: *at - before, size: *size }).collect();
    }
}

impl Parameter for TraceFile {
    const KIND: Kind = Kind::Name("file");
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(name) if !name.is_empty() => Ok(TraceFile { name: name.clone(), emissions: Arc::default() }),
            other => Err(format!("{} is not the name of a file; write it in quotes", other.quoted())),
        }
    }
}

/// State of a trace.
#[derive(Clone, Debug)]
pub struct Trace(Packets);

impl Trace {
    /// A source with these parameters.
    pub fn new(parameters: &Parameters, _: &Site) -> Trace {
        Trace(Packets::of(Arc::clone(&parameters.file.emissions)))
    }
}

impl Source for Trace {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        self.0.first(stream)
    }

    fn next(&mut self, stream: &mut Stream) -> Emission {
        self.0.next(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::rng::Key;

    #[test]
    fn the_packets_of_a_file_leave_at_their_times() {
        let mut parameters: Parameters = read(&["file = voice.csv"]).expect("sound");
        let us = |us: u64| Duration::from_ps(us * 1_000_000);
        parameters.file.fill(&[(us(5), 1500), (us(5), 40), (us(12), 576)]);
        let (mut source, mut stream) = (Trace::new(&parameters, &Site::trial()), Key::root(1, 0).stream());
        let first = source.first(&mut stream);
        let sent: Vec<Emission> = std::iter::once(first).chain((0..3).map(|_| source.next(&mut stream))).collect();
        let spacings: Vec<(Duration, u32)> = sent.iter().map(|emission| (emission.after, emission.size)).collect();
        assert_eq!(spacings, [(us(5), 1500), (us(0), 40), (us(7), 576), (Duration::FOREVER, 0)]);
    }
}
