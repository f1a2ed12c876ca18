//! Open-loop sources.

use crate::declaration::Component;
use crate::hook::Hook;
use crate::kind::Kind;
use crate::parameters::{erased, Values};
use crate::record::Record;
use crate::views::{ps, views, Nothing, View};
use penstock_model::packet::FramePlace;
use penstock_model::parameters::Entry;
use penstock_model::registry::Plugin;
use penstock_model::rng::Stream;
use penstock_model::site::Site;
use penstock_model::source::size::LARGEST;
use penstock_model::source::{Emission, Source, SourceFacts, Sources};
use penstock_model::units::{Bytes, Duration, Rate, Time};
use std::sync::Arc;

/// Maximum number of consecutive packets without time between them; with more, the run would make no progress.
const MOST_AT_ONCE: u32 = 1_000_000;

/// The state of a source that has frames: number of the frame, position of its packet, and packets of the frame.
const FRAME: [&str; 3] = ["frame", "frame_packet", "frame_packets"];

/// Sources: the packet that a hook answers.
pub(crate) const KIND: Kind = Kind { name: "source", views: &[Emitted::LAYOUT], add };

views! {
    /// A packet that is to be sent.
    Emitted {
        /// Time since the previous packet (ps).
        after: i64 => written,
        /// Bytes on the wire.
        size: i64 => written,
    }
}

/// Adds the source that `component` declares.
fn add(plugin: Plugin, component: Arc<Component>) -> Plugin {
    let reading = Arc::clone(&component);
    plugin.add_read::<Sources, Values>(
        // Series do not show the state of a source.
        Entry { state: &[], ..component.entry() },
        move |reader| reading.parameters.read(reader),
        erased,
        move |values, site| {
            let (facts, source) = ForeignSource::new(&component, values, site)?;
            Ok((facts, Box::new(source)))
        },
    )
}

/// A source whose hooks are C functions. It draws from the stream that the engine passes, which the record holds during a call.
#[derive(Clone)]
struct ForeignSource {
    record: Record,
    first_packet: Hook,
    next_packet: Hook,
    on_rate_request: Option<Hook>,
    /// Positions of the state in [`FRAME`].
    frame: Option<[usize; 3]>,
    largest: u64,
    /// Time from the start of the flow to the last packet.
    elapsed: i64,
    /// Consecutive packets without time between them.
    at_once: u32,
}

impl ForeignSource {
    fn new(component: &Arc<Component>, values: &Values, site: &Site) -> Result<(SourceFacts, ForeignSource), String> {
        let hook = |name: &str| component.hooks.get(name).copied();
        let needed = |name: &str| hook(name).ok_or_else(|| format!("has no method {name}"));
        let (first_packet, next_packet, mean_rate) = (needed("first_packet")?, needed("next_packet")?, needed("mean_rate")?);
        let mut record = Record::new(component, values, site);
        let mut call = |name: &'static str, hook: Hook| record.call(name, hook, (&mut Nothing {}, &mut Nothing {}), [0, 0]);
        hook("on_start").map(|hook| call("on_start", hook));
        let mean_rate = match call("mean_rate", mean_rate) {
            rate @ 0.. => Rate::from_bps(rate as u64),
            rate => return Err(format!("mean_rate answers {rate} bit/s; zero or more")),
        };
        let largest = match hook("largest_packet").map(|hook| call("largest_packet", hook)) {
            None => None,
            Some(bytes) if (1..=LARGEST as i64).contains(&bytes) => Some(Bytes::new(bytes as u64)),
            Some(bytes) => return Err(format!("largest_packet answers {bytes} bytes; 1 to {LARGEST}")),
        };
        let positions = FRAME.map(|name| component.state_position(name));
        let frame = match positions {
            [Some(frame), Some(packet), Some(packets)] => Some([frame, packet, packets]),
            [None, None, None] => None,
            _ => return Err(format!("frames need the states {}", FRAME.join(", "))),
        };
        let on_rate_request = hook("on_rate_request");
        let facts = SourceFacts::new(mean_rate, largest, frame.is_some(), on_rate_request.is_some());
        let largest = largest.map_or(LARGEST, Bytes::get);
        Ok((facts, ForeignSource { record, first_packet, next_packet, on_rate_request, frame, largest, elapsed: 0, at_once: 0 }))
    }

    /// The packet that a hook answers.
    fn emission(&mut self, name: &'static str, hook: Hook, stream: &mut Stream) -> Emission {
        let (mut packet, arguments) = (Emitted::default(), [self.elapsed, 0]);
        self.record.call_with_stream(stream, name, hook, (&mut packet, &mut Nothing {}), arguments);
        let Emitted { after, size } = packet;
        let what = match (after, u64::try_from(size)) {
            (i64::MAX, _) => return Emission { after: Duration::FOREVER, size: 1 },
            (..0, _) => format!("{after} ps is not a time from packet to packet"),
            (0, _) if self.at_once == MOST_AT_ONCE => format!("more than {MOST_AT_ONCE} packets leave at one instant"),
            (_, Ok(1..=LARGEST)) if size as u64 <= self.largest => {
                self.at_once = if after == 0 { self.at_once + 1 } else { 0 };
                self.elapsed = self.elapsed.saturating_add(after);
                return Emission { after: Duration::from_ps(after as u64), size: size as u32 };
            }
            _ => format!("{size} bytes is not a size of a packet; 1 to {}", self.largest),
        };
        self.record.fail(None, name, what, (&Emitted::default(), &Nothing {}), arguments)
    }
}

impl Source for ForeignSource {
    fn first(&mut self, stream: &mut Stream) -> Emission {
        self.emission("first_packet", self.first_packet, stream)
    }

    fn next(&mut self, stream: &mut Stream) -> Emission {
        self.emission("next_packet", self.next_packet, stream)
    }

    fn frame(&self) -> (u16, FramePlace) {
        let word = |at: usize| self.record.state(at).clamp(0, 1 << 30) as u32;
        let Some([frame, packet, packets]) = self.frame else { return (0, FramePlace::Only) };
        (word(frame) as u16, FramePlace::of(word(packet), word(packets)))
    }

    fn on_rate_request(&mut self, now: Time, rate: Rate) -> Option<u32> {
        let hook = self.on_rate_request?;
        let arguments = [ps(now), rate.as_bps() as i64];
        match self.record.call("on_rate_request", hook, (&mut Nothing {}, &mut Nothing {}), arguments) {
            0 => None,
            size if (1..=self.largest as i64).contains(&size) => Some(size as u32),
            size => {
                let what = format!("{size} bytes is not a size of a packet; 1 to {}, or 0 if it stays", self.largest);
                self.record.fail(None, "on_rate_request", what, (&Nothing {}, &Nothing {}), arguments)
            }
        }
    }
}
