//! What a scenario may say of a node whose ports share a buffer, or that pauses the ports which feed it.

use crate::read::mistake::Place;
use crate::read::section::Section;
use penstock_engine::blueprint::PausePlan;
use penstock_model::buffer::BufferPlan;
use penstock_model::parameters::{Check, Parameters, Reading};
use penstock_model::units::{Bytes, Duration};

penstock_model::parameters! {
    /// PAUSE: a switch tells the ports that feed it to stop, and to go on.
    ///
    /// For each link into the node, the bytes held of what came over it are counted, from the arrival of a packet to the end of
    /// its transmission. The port at the link's other end completes the packet that it is sending. Messages take the
    /// propagation delay of the link back, and `processing`; they wait in no queue and take no bandwidth. Nothing is lost if
    /// the buffer has room, beyond `xoff` for each link, for a packet, what the link sends in the time of the message and of
    /// its own propagation, and another packet [IEEE8023 s31B].
    pub struct PauseKeys {
        /// A port is told to stop when more than this is held of what it sent.
        xoff: Bytes;
        /// It is told to go on when no more than this is; at most `xoff`.
        xon: Bytes;
        /// What a message takes beside the propagation of the link back.
        processing: Duration = "0 s";
    }
}
impl Check for PauseKeys {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if self.xon > self.xoff {
            mistake("xon", format!("{} is above xoff, {}; ports would be told to go on before they are told to stop", self.xon, self.xoff));
        }
    }
}

/// What the ports of a node, or of each member of a group, share.
#[derive(Clone, Debug)]
pub(crate) struct SwitchDraft {
    pub buffer: Option<BufferPlan>,
    pub pause: Option<PausePlan>,
    pub path: String,
    pub buffer_place: Place,
    pub pause_place: Place,
}

impl SwitchDraft {
    /// Reads what a node says of it; `None` after a mistake or if it says nothing.
    pub fn read(section: &mut Section<'_>) -> Reading<SwitchDraft> {
        let buffer = section.one_of("buffer", "buffer policy", BufferPlan::NAMES, &[], BufferPlan::read);
        let pause = read_pause(section);
        let (buffer, pause) = match (buffer, pause) {
            (Reading::Absent, Reading::Absent) => return Reading::Absent,
            (Reading::Broken, _) | (_, Reading::Broken) => return Reading::Broken,
            (buffer, pause) => (given(buffer), given(pause)),
        };
        let (buffer_place, pause_place) = (section.place_of("buffer"), section.place_of("pause"));
        Reading::Given(SwitchDraft { buffer, pause, path: section.path.clone(), buffer_place, pause_place })
    }
}

fn given<T>(part: Reading<T>) -> Option<T> {
    match part {
        Reading::Given(part) => Some(part),
        Reading::Absent | Reading::Broken => None,
    }
}

fn read_pause(section: &mut Section<'_>) -> Reading<PausePlan> {
    let table = section.table("pause");
    if !section.has("pause") {
        return Reading::Absent;
    }
    let keys = table.and_then(|mut table| {
        let keys = PauseKeys::read(&mut table);
        table.finish();
        keys
    });
    keys.map_or(Reading::Broken, |PauseKeys { xoff, xon, processing }| Reading::Given(PausePlan { xoff, xon, processing }))
}
