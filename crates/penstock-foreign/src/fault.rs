//! Faults of hooks, which end the run.

use crate::checkpoint::Checkpoint;
use penstock_model::packet::{Body, Packet};
use penstock_scenario::packet_word;

/// A hook that failed, and all that it saw, so that it can be called again outside of the run.
#[derive(Debug)]
pub struct Fault {
    /// Kind and name of the component.
    pub component: (&'static str, &'static str),
    /// The name of the file that it is in.
    pub file: &'static str,
    /// Identity of that file.
    pub identity: &'static str,
    /// Name of its place, such as a link.
    pub site: String,
    /// The packet of the call, if the hook is about one.
    pub(crate) packet: Option<Packet>,
    /// The hook.
    pub hook: &'static str,
    /// The fault of its answer or of the state that it left; empty if it raised an exception.
    pub what: String,
    /// The time and the other argument.
    pub arguments: [i64; 2],
    /// The component's own words before the call.
    pub(crate) checkpoint: Checkpoint,
    /// The words of the views before the call.
    pub views: [Vec<u64>; 2],
}

impl Fault {
    /// The packet of the call and its flow, such as `packet 7 of flow 0` and `acknowledgement 8 of flow 0`.
    pub fn packet(&self) -> Option<String> {
        let packet = self.packet?;
        let word = if packet.body.is_data() { "packet" } else { packet_word(&packet.body) };
        Some(match packet.sequence() {
            Body::NO_SEGMENT => format!("{} of flow {}", word.to_uppercase(), packet.flow.0),
            number => format!("{word} {number} of flow {}", packet.flow.0),
        })
    }

    /// The component's own words before the call, with the addresses of its streams, which live as long as the fault.
    pub fn words(&mut self) -> Vec<u64> {
        self.checkpoint.before_last_call().to_vec()
    }

    /// Ends the run: unwinds without the message of a panic, since the mistake is the author's.
    pub(crate) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}
