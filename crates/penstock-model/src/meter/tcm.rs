//! The three-colour marker with one rate.

use super::bucket::{Bucket, Start};
use super::{colour_of, demotion_mistake, Demotion, Meter, Mode};
use crate::parameters::Check;
use crate::units::{Bytes, Rate, Time};

crate::parameters! {
    /// Three Colour Marker, also known as the single-rate one (srTCM): one rate fills a committed bucket, and what it cannot hold an excess bucket.
    ///
    /// ## Decides
    /// Tokens come at `committed-rate` (CIR) into bucket C, and into bucket E while C is full. A packet of B bytes is green
    /// if C holds B, else yellow if E holds B, and takes B from that bucket; else it is red and takes nothing. In mode
    /// `colour-aware` only packets that arrive green may use C, and only those that arrive green or yellow may use E. Under
    /// a lasting overload green gets CIR, and yellow no more than E held at first.
    ///
    /// ## State
    /// The tokens of two buckets, exact, and when they were counted. Constant cost per packet.
    ///
    /// ## Departures
    /// The draft knows no mode `colour-aware`; that is the rule of \[RFC2697 s3\]. It gives the CIR in bytes per second; here it
    /// is a rate like any other. Without `excess-burst` there are two colours: what finds no tokens in C gets precedence 1,
    /// and what C cannot hold is lost, as \[Goyal99 s2\] has it with two drop precedences. `demotion` answers what
    /// \[Goyal99\] leaves open; the RFC has `next-bucket`.
    ///
    /// ## Example
    /// ```toml
    /// marker.tcm = { committed-rate = "192 kbit/s", committed-burst = "4 kB", excess-burst = "4 kB", mode = "colour-aware" }
    /// ```
    ///
    /// ## References
    /// draft-heinanen-diffserv-tcm-00; \[RFC2697 s3\].
    pub struct Parameters {
        /// Rate of the tokens (CIR).
        committed_rate: Rate;
        /// Depth of bucket C (CBS).
        committed_burst: Bytes;
        /// Depth of bucket E (EBS); left out, there are two colours.
        excess_burst: Option<Bytes>;
        /// Whether the colour that a packet arrives with matters; default of the draft.
        mode: Mode = "colour-blind";
        /// Where a packet that arrives green goes when C is short; default of RFC 2697.
        demotion: Demotion = "next-bucket";
        /// What the buckets hold at the beginning; default of the draft.
        start: Start = "full";
    }
}

impl Check for Parameters {
    fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
        if let Some(message) = demotion_mistake(self.demotion, self.mode, 1 + usize::from(self.excess_burst.is_some())) {
            mistake("demotion", message);
        }
    }
}

/// A TCM at work.
#[derive(Clone, Debug)]
pub struct Tcm {
    committed: Bucket,
    excess: Option<Bucket>,
    mode: Mode,
    demotion: Demotion,
}

impl Tcm {
    /// A marker with these parameters.
    pub fn new(parameters: &Parameters) -> Tcm {
        Tcm {
            committed: Bucket::new(parameters.committed_rate, parameters.committed_burst, parameters.start),
            excess: parameters.excess_burst.map(|burst| Bucket::new(Rate::ZERO, burst, parameters.start)),
            mode: parameters.mode,
            demotion: parameters.demotion,
        }
    }
}

impl Meter for Tcm {
    #[inline]
    fn colour(&mut self, now: Time, size: Bytes, incoming: u8) -> u8 {
        let spilt = self.committed.settle(now);
        if let Some(excess) = &mut self.excess {
            excess.pour(spilt);
        }
        colour_of(&mut self.committed, self.excess.as_mut(), size, self.mode.admits(incoming), self.demotion)
    }
}
