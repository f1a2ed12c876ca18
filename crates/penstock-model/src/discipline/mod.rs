//! Disciplines decide on a packet's arrival whether a queue takes it.
//!
//! The port owns the packets and tells the discipline what is queued; the discipline returns a [`Verdict`].

mod early_drop;
pub mod red;
pub mod red_n;
pub mod tail_drop;

use crate::packet::Packet;
use crate::parameters::Limit;
use crate::rng::Key;
use crate::units::{Rate, Time};

/// Makes the plan, the discipline at work and the dispatch between them from the list below.
macro_rules! disciplines {
    ($( $name:literal => $variant:ident($discipline:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A discipline with its parameters, as a scenario gives it.
            pub enum DisciplinePlan { $( $name => $variant($parameters), )* }
        }

        /// A discipline at work. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
        pub enum AnyDiscipline {
            $( $variant($discipline), )*
            Custom(Box<dyn Discipline + Send>),
        }

        impl AnyDiscipline {
            /// Builds the discipline that `plan` describes.
            pub fn new(plan: &DisciplinePlan, port: &PortContext) -> AnyDiscipline {
                match plan { $( DisciplinePlan::$variant(parameters) => AnyDiscipline::$variant(<$discipline>::new(parameters, port)), )* }
            }
        }

        impl Discipline for AnyDiscipline {
            #[inline(always)]
            fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict {
                match self {
                    $( AnyDiscipline::$variant(it) => it.on_arrival(now, packet, queue), )*
                    AnyDiscipline::Custom(it) => it.on_arrival(now, packet, queue),
                }
            }

            fn counting(&self) -> Counting {
                match self {
                    $( AnyDiscipline::$variant(it) => it.counting(), )*
                    AnyDiscipline::Custom(it) => it.counting(),
                }
            }
        }
    };
}

disciplines! {
    "tail-drop" => TailDrop(tail_drop::TailDrop, tail_drop::Parameters),
    "red" => Red(red::Red, red::Parameters),
    "red-n" => RedN(red_n::RedN, red_n::Parameters),
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The queue takes it.
    Accept,
    /// The queue takes it and marks it as having met congestion.
    Mark,
    /// It is refused.
    Drop(DropCause),
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropCause {
    /// The buffer was full.
    Overflow,
    /// RED's random drop between the thresholds.
    Early,
    /// RED's certain drop above the maximum threshold.
    Forced,
    /// Lost on the wire by an impairment.
    Loss,
    /// Refused by a policer.
    Policed,
    /// No room in the buffer that the ports of a switch share.
    Buffer,
}

impl DropCause {
    /// All causes, in the order of the counters.
    pub const ALL: [DropCause; 6] =
        [DropCause::Overflow, DropCause::Early, DropCause::Forced, DropCause::Loss, DropCause::Policed, DropCause::Buffer];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            DropCause::Overflow => "overflow",
            DropCause::Early => "early",
            DropCause::Forced => "forced",
            DropCause::Loss => "loss",
            DropCause::Policed => "policed",
            DropCause::Buffer => "buffer",
        }
    }
}

/// What stands in the queue when a packet arrives (the packet itself not included).
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Packets.
    pub packets: u32,
    /// Bytes.
    pub bytes: u64,
    /// Packets per precedence.
    pub of_precedence: [u32; PRECEDENCES],
    /// Since when the port has had nothing to send; `None` while it is busy.
    pub idle_since: Option<Time>,
}

impl Occupancy {
    /// A packet joins.
    #[inline]
    pub fn add(&mut self, size: u32, precedence: u8) {
        self.packets += 1;
        self.bytes += u64::from(size);
        self.of_precedence[usize::from(precedence)] += 1;
    }

    /// A packet leaves.
    #[inline]
    pub fn remove(&mut self, size: u32, precedence: u8) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.of_precedence[usize::from(precedence)] -= 1;
    }

    /// Whether `packet` still fits: fewer than `limit` packets stand here, or its bytes do not exceed `limit` bytes.
    #[inline]
    pub fn has_room(&self, packet: &Packet, limit: Limit) -> bool {
        limit.has_room(self.packets, self.bytes, packet.size)
    }
}

/// How many drop precedences a packet may have [RFC2597 s2: three; a fourth for experiments].
pub const PRECEDENCES: usize = 4;

/// Whether the packet in service counts as queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Only packets that wait; as ns-2 does it.
    Waiting,
    /// The packet in service too; as M/D/1/K does it.
    InSystem,
}

/// What a discipline learns about its port when it is built.
#[derive(Clone, Copy, Debug)]
pub struct PortContext {
    /// The random streams under this port.
    pub key: Key,
    /// The link's rate at the beginning.
    pub rate: Rate,
}

/// A queue discipline. Decisions may use `now`, the packet, the occupancy and the discipline's own state and streams.
pub trait Discipline {
    /// Decides on `packet`, arriving at `now` to a queue that holds `queue`.
    fn on_arrival(&mut self, now: Time, packet: &Packet, queue: &Occupancy) -> Verdict;

    /// Whether the packet in service counts in the occupancy that [`Discipline::on_arrival`] is told.
    fn counting(&self) -> Counting {
        Counting::Waiting
    }
}

/// Packets, queues and ports for the tests of disciplines.
#[cfg(test)]
mod testing {
    use super::{Counting, Discipline, Occupancy, PortContext, Verdict, PRECEDENCES};
    use crate::id::{FlowId, HopId};
    use crate::packet::{Body, Ecn, Packet, PcnMark};
    use crate::rng::Key;
    use crate::units::{Rate, Time};

    pub(super) fn packet(size: u32, precedence: u8) -> Packet {
        let body = Body::Datagram { seq: 0 };
        Packet {
            created: Time::ZERO,
            flow: FlowId(0),
            hop: HopId(0),
            size,
            precedence,
            class: 0,
            ecn: Ecn::NotEct,
            pcn: PcnMark::Unmarked,
            body,
        }
    }

    /// A busy port's queue of so many packets of 500 bytes per precedence.
    pub(super) fn queue(of_precedence: [u32; PRECEDENCES]) -> Occupancy {
        let packets = of_precedence.iter().sum();
        Occupancy { packets, bytes: 500 * u64::from(packets), of_precedence, idle_since: None }
    }

    /// 1.5 Mbit/s: 375 packets of 500 bytes a second.
    pub(super) fn port() -> PortContext {
        PortContext { key: Key::root(1, 0).child("port"), rate: Rate::from_bps(1_500_000) }
    }

    /// What `n` arrivals of 500 bytes of precedence `precedence` to a queue that stays as it is meet.
    pub(super) fn arrivals(it: &mut impl Discipline, precedence: u8, queue: &Occupancy, n: usize) -> Vec<Verdict> {
        assert_eq!(it.counting(), Counting::Waiting);
        (0..n).map(|_| it.on_arrival(Time::ZERO, &packet(500, precedence), queue)).collect()
    }

    /// Arrivals from one drop to the next.
    pub(super) fn gaps(verdicts: &[Verdict]) -> Vec<usize> {
        let drops: Vec<usize> = (0..verdicts.len()).filter(|i| verdicts[*i] != Verdict::Accept).collect();
        drops.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}
