//! The ports of a process.

use crate::port::Port;
use std::ops::{Deref, DerefMut};

/// The ports of a process. A single port, such as every router's port, is stored in the process itself: the processes of a shard form a
/// dense table, and the data that a packet changes are adjacent.
#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "it is the usual one")]
pub enum Ports {
    /// A single port.
    One(Port),
    /// Any other number of ports.
    Several(Vec<Port>),
}

impl Ports {
    /// Stores these ports.
    pub fn new(mut ports: Vec<Port>) -> Ports {
        match (ports.pop(), ports.is_empty()) {
            (Some(only), true) => Ports::One(only),
            (last, _) => {
                ports.extend(last);
                Ports::Several(ports)
            }
        }
    }

    /// Returns the ports as a vector.
    pub fn into_vec(self) -> Vec<Port> {
        match self {
            Ports::One(port) => vec![port],
            Ports::Several(ports) => ports,
        }
    }
}

impl Deref for Ports {
    type Target = [Port];

    #[inline(always)]
    fn deref(&self) -> &[Port] {
        match self {
            Ports::One(port) => std::slice::from_ref(port),
            Ports::Several(ports) => ports,
        }
    }
}

impl DerefMut for Ports {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Port] {
        match self {
            Ports::One(port) => std::slice::from_mut(port),
            Ports::Several(ports) => ports,
        }
    }
}
