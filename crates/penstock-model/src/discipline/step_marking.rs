//! Step marking, as in the switches of DCTCP.

use super::early_drop::amount;
use super::{Discipline, DropCause, Hooks, Occupancy, PortContext, Verdict};
use crate::packet::Packet;
use crate::parameters::{own, Check, Limit, OwnLimit, QueueThreshold};
use crate::units::Time;
use std::any::Any;

crate::parameters! {
    /// Step marking: marks every ECN-capable arrival that finds more than a threshold in the queue.
    ///
    /// ## Decides
    /// An ECN-capable arrival is marked with CE if the instantaneous queue, without the arrival and the packet in service, is above
    /// `threshold` (K). Other arrivals are accepted unchanged; with `drop-incapable`, an arrival that is not ECN-capable is dropped
    /// above the threshold (cause `early`). An arrival that does not fit into `limit` is dropped (cause `overflow`), ECN-capable or
    /// not.
    ///
    /// ## State
    /// None; constant cost per packet.
    ///
    /// ## Departures
    /// None. [RFC8257 s3.1] leaves the algorithm to the switch; its example is this one, from [Alizadeh10 s3.1]. Neither document
    /// covers packets that are not ECN-capable. Here they are accepted, as in a switch that gives them their own queue, unless
    /// `drop-incapable` asks for the treatment of [RFC3168 s5].
    ///
    /// ## Example
    /// ```toml
    /// queue.step-marking = { limit = "200 packets", threshold = "20 packets" }
    /// ```
    ///
    /// ## References
    /// [Alizadeh10 s3.1], whose experiments have K at 20 packets of 1500 bytes for 1 Gbit/s and at 65 for 10 Gbit/s; [RFC8257 s3.1].
    pub struct Parameters {
        /// Maximum length of the queue.
        limit: OwnLimit = "1000 packets";
        /// Queue above which arrivals are marked (K); zero marks every arrival that finds a packet waiting.
        threshold: QueueThreshold, changeable;
        /// Drop packets that are not ECN-capable where others are marked.
        drop_incapable: bool = "false";
    }
}
impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        let is_out_of_reach = match (self.threshold.0, self.limit.0) {
            // An arrival that fits finds at most limit - 1 packets.
            (Limit::Packets(threshold), Some(Limit::Packets(limit))) => threshold >= limit - 1,
            (threshold @ Limit::Bytes(_), Some(limit @ Limit::Bytes(_))) => amount(threshold) >= amount(limit),
            _ => false,
        };
        if is_out_of_reach {
            mistake("threshold", "is never exceeded by an arrival that has room, so nothing would be marked; less than limit".to_owned());
        }
    }
}

/// State of step marking.
#[derive(Clone, Debug)]
pub struct StepMarking {
    limit: OwnLimit,
    threshold: Limit,
    drop_incapable: bool,
}

impl StepMarking {
    /// Step marking with these parameters.
    pub fn new(parameters: &Parameters, _: &PortContext) -> StepMarking {
        StepMarking { limit: parameters.limit, threshold: parameters.threshold.0, drop_incapable: parameters.drop_incapable }
    }
}

crate::state! {
    impl StepMarking, |_it, _now| {}
}

impl Discipline for StepMarking {
    #[inline]
    fn on_arrival(&mut self, _now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
        let is_above = match self.threshold {
            Limit::Packets(threshold) => queue.packets > threshold,
            Limit::Bytes(threshold) => queue.bytes > threshold.get(),
        };
        if !self.limit.has_room(queue.packets, queue.bytes, packet.size) {
            Verdict::Drop(DropCause::Overflow)
        } else if is_above && packet.ecn.is_capable() {
            Verdict::Mark
        } else if is_above && self.drop_incapable {
            Verdict::Drop(DropCause::Early)
        } else {
            Verdict::Accept
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.limit.0
    }

    fn always_marks() -> bool {
        true
    }

    fn change(&mut self, _now: Time, parameters: &dyn Any) {
        self.threshold = own::<Parameters>(parameters).threshold.0;
    }

    fn hooks(&self) -> Hooks {
        Hooks::MARK
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packet, port, queue};
    use super::*;
    use crate::packet::Ecn;
    use crate::parameters::testing::read;

    /// Verdict on an arrival that finds this many packets of 500 bytes.
    fn verdict(lines: &[&str], waiting: u32, ecn: Ecn) -> Verdict {
        let mut it = StepMarking::new(&read(lines).expect("sound"), &port());
        it.on_arrival(Time::ZERO, &Packet { ecn, ..packet(500, 0) }, &queue([waiting, 0, 0, 0]))
    }

    const PACKETS: [&str; 2] = ["limit = 60 packets", "threshold = 20 packets"];
    const OVERFLOW: Verdict = Verdict::Drop(DropCause::Overflow);

    #[test]
    fn each_queue_length_has_its_verdict() {
        for (waiting, expected) in [(0, Verdict::Accept), (20, Verdict::Accept), (21, Verdict::Mark), (59, Verdict::Mark), (60, OVERFLOW)] {
            for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
                assert_eq!(verdict(&PACKETS, waiting, ecn), expected, "{waiting} waiting, {ecn:?}");
            }
        }
    }

    #[test]
    fn incapable_packets_are_left_alone_or_dropped() {
        let dropping = ["limit = 60 packets", "threshold = 20 packets", "drop-incapable = true"];
        for (waiting, left_alone, dropped) in
            [(20, Verdict::Accept, Verdict::Accept), (21, Verdict::Accept, Verdict::Drop(DropCause::Early)), (60, OVERFLOW, OVERFLOW)]
        {
            assert_eq!(verdict(&PACKETS, waiting, Ecn::NotEct), left_alone, "{waiting} waiting");
            assert_eq!(verdict(&dropping, waiting, Ecn::NotEct), dropped, "{waiting} waiting");
        }
        assert_eq!(verdict(&dropping, 21, Ecn::Ect0), Verdict::Mark);
    }

    #[test]
    fn a_threshold_may_be_in_bytes() {
        // 8 packets of 500 bytes are 4000 bytes, 9 are 4500.
        for threshold in ["threshold = 4000 bytes", "threshold = 4499 bytes"] {
            let verdicts = [8, 9].map(|waiting| verdict(&["limit = 60 packets", threshold], waiting, Ecn::Ect0));
            assert_eq!(verdicts, [Verdict::Accept, Verdict::Mark], "{threshold}");
        }
        assert_eq!(verdict(&["limit = 60 packets", "threshold = 3999 bytes"], 8, Ecn::Ect0), Verdict::Mark);
        for nothing in ["threshold = 0 bytes", "threshold = 0 packets"] {
            let verdicts = [0, 1].map(|waiting| verdict(&[nothing], waiting, Ecn::Ect0));
            assert_eq!(verdicts, [Verdict::Accept, Verdict::Mark], "{nothing}");
        }
    }

    #[test]
    fn without_a_limit_everything_has_room() {
        let lines = ["limit = none", "threshold = 20 packets"];
        assert_eq!(verdict(&lines, u32::MAX, Ecn::Ect0), Verdict::Mark);
        assert_eq!(verdict(&lines, u32::MAX, Ecn::NotEct), Verdict::Accept);
        let limit = |lines: &[&str]| StepMarking::new(&read(lines).expect("sound"), &port()).limit();
        assert_eq!((limit(&lines), limit(&PACKETS)), (None, Some(Limit::Packets(60))));
    }

    #[test]
    fn a_threshold_out_of_reach_is_refused() {
        let mistakes = |lines: &[&str]| read::<Parameters>(lines).expect_err("a mistake");
        let unreachable = "threshold: is never exceeded by an arrival that has room, so nothing would be marked; less than limit";
        assert_eq!(mistakes(&["limit = 21 packets", "threshold = 20 packets"]), [unreachable]);
        assert!(read::<Parameters>(&["limit = 22 packets", "threshold = 20 packets"]).is_ok());
        assert_eq!(mistakes(&["limit = 30 kB", "threshold = 30 kB"]), [unreachable]);
        assert!(read::<Parameters>(&["limit = 30 packets", "threshold = 30 kB"]).is_ok());
        assert_eq!(mistakes(&["threshold = 20 flows"]).len(), 1);
    }
}
