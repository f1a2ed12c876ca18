//! Identifiers: `u32` newtypes, so that a flow cannot be confused with a port.

macro_rules! ids {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Index into the table of these items.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Serial number of a flow, never reused within a run.
    FlowId;
    /// A node of the scenario.
    NodeId;
    /// A one-way link, and the port that feeds it.
    LinkId;
    /// A route: the links that a packet takes, in order.
    RouteId;
    /// Position of a packet on its route: an index into the table of hops.
    HopId;
    /// A process: a router's port, or a host with all its interfaces.
    ProcessId;
}

impl HopId {
    /// Next hop of the same route.
    #[inline]
    #[must_use]
    pub const fn next(self) -> HopId {
        HopId(self.0 + 1)
    }
}
