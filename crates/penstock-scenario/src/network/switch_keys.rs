//! The keys of a switch: shared buffer, PAUSE, source quench, congestion points; and of a station: its reaction point.

use crate::read::mistake::SourceLocation;
use crate::read::section::Section;
use penstock_engine::blueprint::{PausePlan, SourceQuenchPlan};
use penstock_model::buffer::BufferPlan;
use penstock_model::feedback::{CongestionPointPlan, ReactionPointPlan};
use penstock_model::parameters::{Check, ClassName, Count, Parameters, Reading};
use penstock_model::printable::quoted;
use penstock_model::units::{Bytes, Duration};

penstock_model::parameters! {
    /// PAUSE, or priority flow control (PFC) with `classes`: a switch pauses and resumes the ports that feed it.
    ///
    /// For each link into the node, and each of `classes`, the node counts the bytes that it holds of packets from that link, from a
    /// packet's arrival to the end of its transmission. Above `xoff` it sends a pause frame back, and at `xon` another one that ends
    /// the pause. The frame is sent on the link back as soon as the packet in transmission there has ended, ahead of all waiting
    /// packets and even if that port is paused; then it needs the propagation delay and `processing`. The port at the other end
    /// completes the packet that it is sending. A queue there is paused while any of the classes that it serves is paused; a port
    /// with one queue is paused as a whole. A pause lasts for the time of `quanta` times 512 bits on the link. Whenever half of this
    /// time has passed, the pause is renewed, if that half is at least 1 us [IEEE8023 s31B] [IEEE8021Qbb s36].
    ///
    /// With `headroom`, packets from a paused link (of a paused class) go into memory reserved for it, next to the shared buffer.
    /// So does a packet for which the shared buffer has no room, and it pauses its link at once. Departures free headroom first,
    /// and a pause ends when all of it is free. Without `headroom`, packets that arrive after the pause must find room in the shared
    /// buffer. Drops for lack of headroom have the cause `headroom`. No packet of a paused link is lost for lack of memory if
    /// headroom is at least C (t + T + D) + 2 L; a smaller one is rejected:
    ///
    /// - C is the rate of the link, D its delay, and L the largest packet.
    /// - t is the longest time that a pause frame waits, for a largest packet and the frames of all classes on the link back.
    /// - T is the time of the frame from then on: the delay of the link back and `processing`.
    ///
    /// Each frame concerns one class, and carries the state at the start of its transmission. Impairments and shapers of the link
    /// back do not affect it.
    pub struct PauseKeys {
        /// A port is paused when the node holds more than this of the packets that the port has sent (of the class).
        xoff: Bytes;
        /// The port is resumed when the node holds at most this; at most `xoff`.
        xon: Bytes;
        /// The traffic classes that are paused, each on its own; the whole link if left out.
        classes: Option<Vec<ClassName>>;
        /// Memory for each link (and class) that is reserved for packets which arrive during a pause; none if left out.
        headroom: Option<Bytes>;
        /// Length of a pause, in times of 512 bits on the link; at most 65535.
        quanta: Count = "65535";
        /// The size of a pause frame; 84 bytes where the sizes of packets include preamble and gap.
        frame: Bytes = "64 bytes";
        /// The time that the port needs to stop, in addition to the propagation delay of the link back.
        processing: Duration = "0 s";
    }
}
impl Check for PauseKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.xon > self.xoff {
            mistake("xon", format!("{} is above xoff, {}; ports would be resumed before they are paused", self.xon, self.xoff));
        }
        if self.quanta.0 > u32::from(u16::MAX) {
            mistake("quanta", format!("{} do not fit a pause frame; at most {}", self.quanta.0, u16::MAX));
        }
        if self.frame.get() > MAX_FRAME {
            mistake("frame", format!("{} is larger than any pause frame; at most {MAX_FRAME} bytes", self.frame));
        }
        let Some(classes) = &self.classes else { return };
        for (_, class) in classes.iter().enumerate().filter(|(i, class)| classes[..*i].contains(class)) {
            mistake("classes", format!("has {} twice", quoted(&class.0)));
        }
    }
}

/// Maximum size of an Ethernet frame with preamble and gap [IEEE8023 s3].
const MAX_FRAME: u64 = 1538;

/// Pauses as written, with the names of their classes.
#[derive(Clone, Debug)]
pub(crate) struct PauseDraft {
    /// The plan, without its classes.
    pub plan: PausePlan,
    pub classes: Option<Vec<String>>,
}

impl PauseDraft {
    fn new(keys: PauseKeys) -> PauseDraft {
        let PauseKeys { xoff, xon, classes, headroom, quanta, frame, processing } = keys;
        let plan = PausePlan { headroom, quanta: quanta.0 as u16, frame, processing, ..PausePlan::new(xoff, xon) };
        PauseDraft { plan, classes: classes.map(|classes| classes.into_iter().map(|class| class.0).collect()) }
    }
}

penstock_model::parameters! {
    /// ICMP Source Quench: a switch asks the sources of packets that it drops to send less.
    ///
    /// For dropped packets, whatever the cause, the node sends at most one quench per `interval`, over the route of minimum
    /// weight. It takes bandwidth, waits in queues, and may be lost. A TCP sender that receives it restarts with one segment in
    /// slow start, and keeps its threshold [RFC1122 s4.2.3.9]; open-loop sources and calls ignore it. Dropped acknowledgements
    /// cause none. Source Quench is deprecated [RFC6633], and serves as a historic baseline [RFC792] [RFC1016].
    pub struct SourceQuenchKeys {
        /// Time in which the node sends at most one quench.
        interval: Duration;
        /// Size of a quench; the default counts the IP and ICMP headers and the part of the packet that they quote.
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

/// Maximum size of a quench [RFC1812 s4.3.2.3].
const MAX_QUENCH: u64 = 576;

/// A switch as written: a node, or each member of a group.
#[derive(Clone, Debug)]
pub(crate) struct SwitchDraft {
    pub buffer: Option<BufferPlan>,
    pub pause: Option<PauseDraft>,
    /// The plan, without its routes.
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
        let buffer = section.one_of::<BufferPlan>("buffer", "buffer policy", &[]);
        let pause = read_table(section, "pause", PauseDraft::new);
        let source_quench = read_table(section, "source-quench", |SourceQuenchKeys { interval, packet }| SourceQuenchPlan {
            interval,
            packet,
            routes: Vec::new(),
        });
        let congestion_point = section.one_of::<CongestionPointPlan>("congestion-point", "congestion point", &[]);
        let reaction_point = section.one_of::<ReactionPointPlan>("reaction-point", "reaction point", &[]);
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

impl SwitchDraft {
    /// The first key that does not work where cells arrive, at a cell switch or elsewhere: these messages are packets, and an AAL5
    /// end is not a switch.
    pub fn unfit_for_cells(&self, is_cell_switch: bool) -> Option<&'static str> {
        let parts = [
            (self.pause.is_some(), "pause"),
            (self.source_quench.is_some(), "source-quench"),
            (self.congestion_point.is_some(), "congestion-point"),
            (self.reaction_point.is_some(), "reaction-point"),
            (self.buffer.is_some() && !is_cell_switch, "buffer"),
        ];
        parts.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
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

fn read_table<K: Parameters, T>(section: &mut Section<'_>, key: &'static str, plan: impl FnOnce(K) -> T) -> Reading<T> {
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
