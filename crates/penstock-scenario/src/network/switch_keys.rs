//! The keys of a switch: shared buffer, PAUSE, source quench, congestion points; and of a station: its reaction point.

use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use penstock_engine::blueprint::{PausePlan, SourceQuenchPlan};
use penstock_model::buffer::BufferPlan;
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::parameters::{Check, Parameters, Reading};
use penstock_model::units::{Bytes, Duration};

penstock_model::parameters! {
    /// PAUSE: a switch pauses and resumes the ports that feed it.
    ///
    /// For each link into the node, the bytes held of what came over it are counted, from the arrival of a packet to the end of
    /// its transmission. The port at the link's other end completes the packet that it is sending. Messages take the
    /// propagation delay of the link back, and `processing`; they wait in no queue and take no bandwidth. Nothing is lost if
    /// the buffer has room, beyond `xoff` for each link, for a packet, what the link sends in the time of the message and of
    /// its own propagation, and another packet [IEEE8023 s31B].
    pub struct PauseKeys {
        /// A port is paused when more than this is held of what it sent.
        xoff: Bytes;
        /// It is resumed when no more than this is; at most `xoff`.
        xon: Bytes;
        /// What a message takes beside the propagation of the link back.
        processing: Duration = "0 s";
    }
}
impl Check for PauseKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.xon > self.xoff {
            mistake("xon", format!("{} is above xoff, {}; ports would be resumed before they are paused", self.xon, self.xoff));
        }
    }
}

penstock_model::parameters! {
    /// ICMP Source Quench: a switch asks the sources of packets that it drops to send less.
    ///
    /// Whatever drops the packet, at most one quench per `interval` goes back from the node, over the route with the fewest links.
    /// It takes bandwidth, waits in queues, and may be lost. A TCP sender begins a slow start with one segment, and keeps its
    /// threshold [RFC1122 s4.2.3.9]; open loops and calls ignore it. Dropped acknowledgements cause none. Deprecated
    /// [RFC6633]; here as a historic baseline [RFC792] [RFC1016].
    pub struct SourceQuenchKeys {
        /// At most one is sent in this time.
        interval: Duration;
        /// Its size; the default is that of IP and ICMP headers and of what they quote.
        packet: Bytes = "56 bytes";
    }
}
impl Check for SourceQuenchKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.packet.get() > MAX_QUENCH {
            mistake("packet", format!("{} is larger than any quench; at most {MAX_QUENCH} bytes", self.packet));
        }
    }
}

/// [RFC1812 s4.3.2.3]
const MAX_QUENCH: u64 = 576;

/// A switch as written: a node, or each member of a group.
#[derive(Clone, Debug)]
pub(crate) struct SwitchDraft {
    pub buffer: Option<BufferPlan>,
    pub pause: Option<PausePlan>,
    /// Without its routes.
    pub source_quench: Option<SourceQuenchPlan>,
    pub congestion_point: Option<CongestionPointPlan>,
    pub reaction_point: Option<ReactionPointPlan>,
    pub path: String,
    pub buffer_location: SourceLocation,
    pub pause_location: SourceLocation,
    pub quench_location: SourceLocation,
    pub congestion_location: SourceLocation,
    pub reaction_location: SourceLocation,
}

impl SwitchDraft {
    /// Reads the keys of a switch at a node; `None` after a mistake or if there are none.
    pub fn read(section: &mut Section<'_>) -> Reading<SwitchDraft> {
        let buffer = section.one_of("buffer", "buffer policy", BufferPlan::NAMES, &[], BufferPlan::read);
        let pause = read_table(section, "pause", |PauseKeys { xoff, xon, processing }| PausePlan { xoff, xon, processing });
        let source_quench = read_table(section, "source-quench", |SourceQuenchKeys { interval, packet }| SourceQuenchPlan {
            interval,
            packet,
            routes: Vec::new(),
        });
        let congestion_point =
            section.one_of("congestion-point", "congestion point", CongestionPointPlan::NAMES, &[], CongestionPointPlan::read);
        let reaction_point = section.one_of("reaction-point", "reaction point", ReactionPointPlan::NAMES, &[], ReactionPointPlan::read);
        let state = |reading: &Reading<()>| matches!(reading, Reading::Broken);
        let all = [kind_of(&buffer), kind_of(&pause), kind_of(&source_quench), kind_of(&congestion_point), kind_of(&reaction_point)];
        if all.iter().any(state) {
            return Reading::Broken;
        }
        if all.iter().all(|reading| matches!(reading, Reading::Absent)) {
            return Reading::Absent;
        }
        let (buffer, pause, source_quench) = (given(buffer), given(pause), given(source_quench));
        let (congestion_point, reaction_point) = (given(congestion_point), given(reaction_point));
        let keys = ["buffer", "pause", "source-quench", "congestion-point", "reaction-point"];
        let [buffer_location, pause_location, quench_location, congestion_location, reaction_location] =
            keys.map(|key| section.location_of(key));
        Reading::Given(SwitchDraft {
            buffer,
            pause,
            source_quench,
            congestion_point,
            reaction_point,
            path: section.path.clone(),
            buffer_location,
            pause_location,
            quench_location,
            congestion_location,
            reaction_location,
        })
    }
}

/// Whether a part is given.
fn kind_of<T>(part: &Reading<T>) -> Reading<()> {
    match part {
        Reading::Given(_) => Reading::Given(()),
        Reading::Absent => Reading::Absent,
        Reading::Broken => Reading::Broken,
    }
}

fn given<T>(part: Reading<T>) -> Option<T> {
    match part {
        Reading::Given(part) => Some(part),
        Reading::Absent | Reading::Broken => None,
    }
}

fn read_table<K: Parameters, T>(section: &mut Section<'_>, key: &str, plan: impl FnOnce(K) -> T) -> Reading<T> {
    let table = section.table(key);
    if !section.has(key) {
        return Reading::Absent;
    }
    let keys = table.and_then(|mut table| {
        let keys = K::read(&mut table);
        table.finish();
        keys
    });
    keys.map_or(Reading::Broken, |keys| Reading::Given(plan(keys)))
}
