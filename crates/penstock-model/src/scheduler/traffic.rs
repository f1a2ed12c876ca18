//! Facts of the traffic of a run, beyond the fields of a packet, that schedulers may use.

use crate::discipline::PRECEDENCES;
use crate::packet::{Body, Packet};

/// Hosts and codepoints of the traffic of a run, for schedulers that classify by these ([`SchedulerFacts::reads_headers`]).
///
/// [`SchedulerFacts::reads_headers`]: super::SchedulerFacts::reads_headers
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// For each flow, the nodes where it begins and ends.
    pub ends: Vec<[u32; 2]>,
    /// For each class, the differentiated services codepoint of each drop precedence.
    pub codepoints: Vec<[u8; PRECEDENCES]>,
}

impl Traffic {
    /// Differentiated services codepoint of a packet.
    #[inline]
    pub fn codepoint(&self, packet: &Packet) -> u8 {
        self.codepoints.get(usize::from(packet.class)).map_or(0, |codepoints| codepoints[usize::from(packet.precedence)])
    }

    /// Source and destination of a packet. Notifications of congestion go to the source of the flow.
    #[inline]
    pub fn hosts(&self, packet: &Packet) -> [u32; 2] {
        let [from, to] = self.ends.get(packet.flow.index()).copied().unwrap_or_default();
        if is_backward(&packet.body) {
            [to, from]
        } else {
            [from, to]
        }
    }
}

/// Whether a packet goes to the source of its flow.
#[inline]
pub fn is_backward(body: &Body) -> bool {
    match body {
        Body::Cell { backward, .. } => *backward,
        Body::SourceQuench { .. } | Body::CongestionNotification { .. } => true,
        body => body.is_from_receiver(),
    }
}
