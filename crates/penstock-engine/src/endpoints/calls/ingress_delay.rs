//! A random delay of packets between their calls and the ingress.

use crate::merge::calendar::Calendar;
use crate::merge::Timed;
use penstock_model::call::delay::DelayPlan;
use penstock_model::rng::{Key, Stream};
use penstock_model::units::Time;

/// A delayed packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct DelayedPacket {
    /// When it reaches the ingress.
    pub at: Time,
    /// The call's slot.
    pub slot: u32,
    /// The call's serial number.
    pub serial: u32,
    /// Bytes.
    pub size: u32,
}

impl Timed for DelayedPacket {
    #[inline]
    fn at(&self) -> Time {
        self.at
    }
}

/// The delayed packets of an aggregate, by time, then in the order of sending.
#[derive(Clone, Debug)]
pub struct IngressDelay {
    /// The delay of each packet, and its fate when its call ends.
    pub(super) plan: DelayPlan,
    stream: Stream,
    /// Packets in the delay.
    pub(super) calendar: Calendar<DelayedPacket>,
}

impl IngressDelay {
    /// No packet yet; delays are drawn from the stream `delay` below `key`.
    pub fn new(plan: &DelayPlan, key: Key) -> IngressDelay {
        IngressDelay { plan: plan.clone(), stream: key.child("delay").stream(), calendar: Calendar::default() }
    }

    /// Delays a packet sent at `now`, at least until `earliest` if packets keep their order; returns when it reaches the ingress.
    #[inline]
    pub fn add(&mut self, now: Time, earliest: Time, slot: u32, serial: u32, size: u32) -> Time {
        let mut at = now + self.plan.added.draw(&mut self.stream);
        if self.plan.keep_order {
            at = at.max(earliest);
        }
        *self.calendar.add(0, at) = DelayedPacket { at, slot, serial, size };
        at
    }

    /// Removes the packets that reach the ingress before `bound`, or up to the instant of the `most`th, in order: `forward` gets
    /// each. Returns how many.
    #[inline]
    pub fn forward_before(&mut self, mut bound: Time, most: u64, mut forward: impl FnMut(&DelayedPacket)) -> u64 {
        let mut forwarded = 0;
        while self.calendar.next() < bound {
            if forwarded >= most {
                bound = bound.min(self.calendar.next().after());
            }
            let front = self.calendar.front();
            let mut taken = 0;
            for packet in front.iter().take_while(|packet| packet.at < bound) {
                forward(packet);
                taken += 1;
            }
            self.calendar.consume(taken);
            forwarded += taken as u64;
        }
        forwarded
    }
}
