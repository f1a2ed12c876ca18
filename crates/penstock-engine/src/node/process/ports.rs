//! The ports of a process.

use crate::port::Port;
use std::ops::{Deref, DerefMut};

/// The ports of a process. The only one, as that of a router always is, lies in the process itself: the processes of a shard are a dense
/// table, and what a packet changes there lies side by side.
#[repr(u8)] // a tag of its own is read faster than one hidden in a field of a variant
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "it is the usual one")]
pub enum Ports {
    /// One.
    One(Port),
    /// Any other number.
    Several(Vec<Port>),
}

impl Ports {
    /// These ports.
    pub fn new(mut ports: Vec<Port>) -> Ports {
        match (ports.pop(), ports.is_empty()) {
            (Some(only), true) => Ports::One(only),
            (last, _) => {
                ports.extend(last);
                Ports::Several(ports)
            }
        }
    }

    /// Takes the ports out.
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
