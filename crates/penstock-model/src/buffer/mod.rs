//! Buffer policies: how the ports of a switch share one memory.
//!
//! At each arrival, the policy decides whether there is room, before the queue discipline of the port decides. A packet holds memory from
//! its arrival to the end of its transmission.

pub mod dynamic_threshold;
pub mod minimum_allocation;
pub mod pool;
pub mod static_shares;

use crate::parameters::Limit;
use crate::probe::Variable;
use crate::registry::OpenKind;
use crate::site::Site;
use dyn_clone::DynClone;

/// Occupancy of one port, or of all ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Number of packets.
    pub packets: u64,
    /// Number of bytes.
    pub bytes: u64,
}

impl Held {
    /// Adds a packet of `size` bytes.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// Removes a packet of `size` bytes.
    #[inline]
    pub fn remove(&mut self, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
    }

    /// The smaller amount in each unit.
    pub fn least(self, other: Held) -> Held {
        Held { packets: self.packets.min(other.packets), bytes: self.bytes.min(other.bytes) }
    }

    /// Removes `part`.
    pub fn take(&mut self, part: Held) {
        self.packets -= part.packets;
        self.bytes -= part.bytes;
    }

    /// Amount in the unit of `limit`.
    #[inline]
    pub fn in_unit_of(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Packets(_) => self.packets,
            Limit::Bytes(_) => self.bytes,
        }
    }

    /// Whether the amount is at most `limit`.
    pub fn fits_into(&self, limit: Limit) -> bool {
        self.in_unit_of(limit) <= amount(limit)
    }

    /// Whether the amount plus a packet of `size` bytes is at most `limit`.
    #[inline]
    pub fn fits(&self, size: u32, limit: Limit) -> bool {
        self.in_unit_of(limit) + needed(size, limit) <= amount(limit)
    }
}

/// Number in a limit.
pub fn amount(limit: Limit) -> u64 {
    match limit {
        Limit::Packets(packets) => u64::from(packets),
        Limit::Bytes(bytes) => bytes.get(),
    }
}

/// Amount of `limit` that a packet of `size` bytes uses.
fn needed(size: u32, limit: Limit) -> u64 {
    match limit {
        Limit::Packets(_) => 1,
        Limit::Bytes(_) => u64::from(size),
    }
}

/// Occupancies of a switch: of each port, and of the memory that all ports share.
#[derive(Clone, Debug, Default)]
pub struct Occupancies {
    total: Held,
    /// Memory held outside the shared memory: headroom.
    beside: Held,
    of_port: Vec<Held>,
}

impl Occupancies {
    /// Occupancies of `ports` empty ports.
    pub fn new(ports: usize) -> Occupancies {
        Occupancies { total: Held::default(), beside: Held::default(), of_port: vec![Held::default(); ports] }
    }

    /// Shared memory that all ports hold.
    pub fn total(&self) -> Held {
        self.total
    }

    /// Memory that one port holds, headroom included.
    pub fn of_port(&self, port: usize) -> Held {
        self.of_port[port]
    }

    /// Memory that each port holds.
    pub fn ports(&self) -> impl Iterator<Item = &Held> {
        self.of_port.iter()
    }

    /// Adds a packet of `size` bytes to `port`.
    #[inline]
    pub fn add(&mut self, port: usize, size: u32) {
        self.total.add(size);
        self.of_port[port].add(size);
    }

    /// Removes a packet of `size` bytes from `port`.
    #[inline]
    pub fn remove(&mut self, port: usize, size: u32) {
        self.total.remove(size);
        self.of_port[port].remove(size);
    }

    /// Adds a packet of `size` bytes to `port`, outside the shared memory.
    pub fn add_beside(&mut self, port: usize, size: u32) {
        self.beside.add(size);
        self.of_port[port].add(size);
    }

    /// Removes a packet of `size` bytes from `port`. Frees `part` of it outside the shared memory and the rest in the shared memory.
    pub fn remove_beside(&mut self, port: usize, size: u32, part: Held) {
        self.of_port[port].remove(size);
        self.beside.take(part);
        self.total.take(Held { packets: 1 - part.packets, bytes: u64::from(size) - part.bytes });
    }

    /// Whether the ports' occupancies add up to the total.
    pub fn adds_up(&self) -> bool {
        let sum = |amount: fn(&Held) -> u64| self.of_port.iter().map(amount).sum::<u64>();
        let total = |amount: fn(&Held) -> u64| amount(&self.total) + amount(&self.beside);
        total(|held| held.packets) == sum(|held| held.packets) && total(|held| held.bytes) == sum(|held| held.bytes)
    }
}

crate::state! {
    impl Occupancies, |it, _now| {
        /// Packets held by all ports, those in transmission and in headroom included.
        "held", "packets", is (it.total.packets + it.beside.packets) as f64;
        /// Their bytes.
        "held-bytes", "bytes", is (it.total.bytes + it.beside.bytes) as f64;
    }
}

crate::state! {
    impl Held, |it, _now| {
        /// Packets held by the port, those in transmission and in headroom included.
        "port-held", "packets", is it.packets as f64;
        /// Their bytes.
        "port-held-bytes", "bytes", is it.bytes as f64;
    }
}

/// State variables of a shared buffer: the first two at its node, the others at each port.
const STATE: &[Variable] = &[Occupancies::STATE[0], Occupancies::STATE[1], Held::STATE[0], Held::STATE[1]];

/// Context from which the policy of a switch is built.
#[derive(Clone, Debug)]
pub struct BufferContext<'a> {
    /// Site of the switch.
    pub site: Site,
    /// Share of each port, in the order of ports, if the scenario gives one by the name of its link.
    pub shares: &'a [Option<Limit>],
}

impl<'a> BufferContext<'a> {
    /// Context of a switch with these shares, at no particular site.
    pub fn of(shares: &'a [Option<Limit>]) -> BufferContext<'a> {
        BufferContext { site: Site::trial(), shares }
    }
}

/// A buffer policy.
pub trait Buffer: DynClone {
    /// Whether there is room for a packet of `size` bytes that arrives for `port` while the memory is occupied as in `held`. If there is
    /// room, there must also be room whenever ports hold less.
    fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool;

    /// Size of the memory.
    fn size(&self) -> Limit;

    /// Key at fault and mistake if this number of ports cannot share the memory; `None` if it can.
    fn mistake_at(&self, ports: usize) -> Option<(&'static str, String)> {
        let _ = ports;
        None
    }
}

dyn_clone::clone_trait_object!(Buffer);

/// Generates the plan, the running policy and the dispatch between them from the list below.
macro_rules! buffers {
    ($( $name:literal => $variant:ident($buffer:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A buffer policy with its parameters, as a scenario gives it.
            pub enum BufferPlan of "buffer" open Buffers { $( $name => $variant($parameters) shows STATE, )* }
        }

        /// A running buffer policy. `Custom` is for users of the crate.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone)]
        pub enum AnyBuffer {
            $( $variant($buffer), )*
            Custom(Box<dyn Buffer + Send>),
        }

        impl AnyBuffer {
            /// Builds the policy that `plan` describes.
            pub fn new(plan: &BufferPlan, context: &BufferContext<'_>) -> AnyBuffer {
                match plan {
                    $( BufferPlan::$variant(parameters) => AnyBuffer::$variant(<$buffer>::new(parameters, context)), )*
                    BufferPlan::Custom(it) => AnyBuffer::Custom(it.build(context)),
                }
            }
        }

        impl Buffer for AnyBuffer {
            #[inline]
            fn has_room(&self, port: usize, size: u32, held: &Occupancies) -> bool {
                match self {
                    $( AnyBuffer::$variant(it) => it.has_room(port, size, held), )*
                    AnyBuffer::Custom(it) => it.has_room(port, size, held),
                }
            }

            fn size(&self) -> Limit {
                match self {
                    $( AnyBuffer::$variant(it) => it.size(), )*
                    AnyBuffer::Custom(it) => it.size(),
                }
            }

            fn mistake_at(&self, ports: usize) -> Option<(&'static str, String)> {
                match self {
                    $( AnyBuffer::$variant(it) => it.mistake_at(ports), )*
                    AnyBuffer::Custom(it) => it.mistake_at(ports),
                }
            }
        }
    };
}

buffers! {
    "static-shares" => StaticShares(static_shares::StaticShares, static_shares::Parameters),
    "pool" => Pool(pool::Pool, pool::Parameters),
    "dynamic-threshold" => DynamicThreshold(dynamic_threshold::DynamicThreshold, dynamic_threshold::Parameters),
    "minimum-allocation" => MinimumAllocation(minimum_allocation::MinimumAllocation, minimum_allocation::Parameters),
}

impl BufferPlan {
    /// Size of the memory.
    pub fn size(&self) -> Limit {
        Buffers::on_trial(|context| AnyBuffer::new(self, context)).size()
    }

    /// Mistake if this number of ports cannot share the buffer; see [`Buffer::mistake_at`].
    pub fn mistake_at(&self, ports: usize) -> Option<(&'static str, String)> {
        Buffers::on_trial(|context| AnyBuffer::new(self, context)).mistake_at(ports)
    }

    /// Shares that the plan gives to ports by the names of their links, with the key; `None` if the plan gives none.
    pub fn named_shares(&self) -> Option<(&'static str, &[(String, Limit)])> {
        match self {
            BufferPlan::StaticShares(static_shares::Parameters { shares: Some(shares), .. }) => Some(("shares", &shares.0)),
            _ => None,
        }
    }
}

/// The kind of buffer policies.
pub struct Buffers;

impl OpenKind for Buffers {
    const OF: &'static str = BufferPlan::OF;
    const BUILT_IN: &'static [&'static str] = BufferPlan::NAMES;
    type Context<'a> = BufferContext<'a>;
    type Component = Box<dyn Buffer + Send>;

    fn on_trial<T>(build: impl FnOnce(&BufferContext<'_>) -> T) -> T {
        build(&BufferContext::of(&[]))
    }
}

/// Arrivals at switches whose ports send nothing, for tests of policies.
#[cfg(test)]
mod testing {
    use super::{Buffer, Occupancies};

    /// Offers packets of `size` bytes to the ports in `ports`, in this order; returns which were accepted.
    pub(super) fn offer(buffer: &impl Buffer, held: &mut Occupancies, size: u32, ports: &[usize]) -> Vec<bool> {
        let offer_one = |port: &usize| {
            let has_room = buffer.has_room(*port, size, held);
            if has_room {
                held.add(*port, size);
            }
            assert!(held.adds_up());
            has_room
        };
        ports.iter().map(offer_one).collect()
    }
}
