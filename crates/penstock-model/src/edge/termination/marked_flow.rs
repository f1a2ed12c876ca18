//! Marked flow termination.

use crate::edge::Signal;
use crate::packet::PcnMark;
use crate::parameters::Check;

crate::parameters! {
    /// Marked flow termination: terminates each call that has an excess-traffic-marked packet.
    ///
    /// ## Decides
    /// For each packet with an excess-traffic mark, the egress names the packet's call to the ingress, which terminates the call
    /// if it is live. Nothing is measured, so neither the size of aggregates nor their paths matter.
    ///
    /// The load falls as long as packets are in excess, and then for the delay D, in which a mark reaches the ingress and its
    /// effect returns to the meter. Let calls send packets of one size every T, let their load exceed the meter's `rate` by E, let
    /// one in N bytes in excess be marked (`mark-every` of `pcn.excess`), and let each mark name another call. Then
    /// $E'(t) = -E(t - D) / (N T)$:
    ///
    /// - For D far below N T, the excess decays with the time constant N T.
    /// - The load does not fall below `rate` if $D <= N T / e$ (e is Euler's number).
    ///
    /// Evenly spaced packets of fixed phases mark the same calls again and again, which slows the decay.
    ///
    /// ## State
    /// None. Constant cost per packet; each marked packet costs a signal and a search among the live calls.
    ///
    /// ## Departures
    /// Only the abstracts of the documents were at hand. They describe simple edges that terminate the calls of marked packets
    /// gradually, whatever paths these take. The rules are the simplest with these properties, and are ours: a signal per marked
    /// packet, no measurement, no protected calls, and the rule of `mark-every`.
    ///
    /// ## Example
    /// ```toml
    /// termination.marked-flow = {}
    /// ```
    ///
    /// ## References
    /// [Babiarz07], [Menth11].
    pub struct Parameters {}
}

impl Check for Parameters {}

/// Egress of marked flow termination.
#[derive(Clone, Debug, Default)]
pub struct Egress {
    /// Call of the next packet; `None` for a request.
    call: Option<u32>,
}

impl Egress {
    /// Announces that the next packet belongs to `call`.
    #[inline]
    pub fn on_call_packet(&mut self, call: u32) {
        self.call = Some(call);
    }

    /// Handles the arrival of a packet.
    #[inline]
    pub fn on_packet(&mut self, mark: PcnMark) -> Option<Signal> {
        self.call.take().filter(|_| mark == PcnMark::Excess).map(Signal::Marked)
    }
}
