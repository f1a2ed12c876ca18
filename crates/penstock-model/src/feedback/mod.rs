//! Backward congestion notification. Congestion points at the ports of switches send messages to the sources of sampled frames;
//! reaction points in the stations have rate limiters that follow these messages.

pub mod bcn;
pub mod limiter;
pub mod qcn;
pub mod reaction_point;
mod state;

pub use state::{LimitedFlowState, StationState};

use crate::probe::{Probe, ReportVariable};
use crate::rng::Key;
use crate::units::{Bytes, Time};
use state::REACTION_POINT;

/// Messages of BCN carry feedback as a whole number of 1/256 frames.
pub const PARTS_OF_A_FRAME: i32 = 256;

/// Maximum size of an Ethernet frame, and so of a message.
const MAX_MESSAGE: u64 = 1518;

/// Content of a message to a reaction point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Fb of BCN in 1/256 frames: positive asks for a higher rate, negative for a lower one.
    Change(i32),
    /// BCN: the queue is above its severe threshold. The limiter stops and restarts after a random time.
    Stop,
    /// |Fb| of QCN in six bits, 1 to 63: asks for a lower rate.
    Quantized(u8),
}

impl Feedback {
    /// Whether the message creates a rate limiter if there is none.
    pub fn asks_for_less(self) -> bool {
        matches!(self, Feedback::Change(..0) | Feedback::Stop | Feedback::Quantized(_))
    }
}

crate::choice! {
    /// What shares a rate limiter.
    pub enum SharedBy {
        /// All packets that a station sends through a port.
        "station" => Station,
        /// The packets of one flow.
        "flow" => Flow,
    }
}

crate::component_plans! {
    /// A congestion point with its parameters, as a scenario gives it.
    pub enum CongestionPointPlan of "congestion-point" {
        "bcn" => Bcn(bcn::congestion_point::Parameters) shows bcn::congestion_point::CongestionPoint::STATE,
        "qcn" => Qcn(qcn::congestion_point::Parameters) shows qcn::congestion_point::CongestionPoint::STATE,
    }
}

crate::component_plans! {
    /// A reaction point with its parameters, as a scenario gives it.
    pub enum ReactionPointPlan of "reaction-point" {
        "bcn" => Bcn(bcn::reaction_point::Parameters) shows REACTION_POINT,
        "qcn" => Qcn(qcn::reaction_point::Parameters) shows REACTION_POINT,
    }
}

impl CongestionPointPlan {
    /// Size of a message.
    pub fn message(&self) -> Bytes {
        match self {
            CongestionPointPlan::Bcn(parameters) => parameters.message,
            CongestionPointPlan::Qcn(parameters) => parameters.message,
        }
    }

    /// Maximum of |Fb| in frames among messages that ask for a lower rate; zero if the feedback is not in frames.
    pub fn greatest_feedback(&self) -> f64 {
        match self {
            CongestionPointPlan::Bcn(parameters) => parameters.greatest_feedback(),
            CongestionPointPlan::Qcn(_) => 0.0,
        }
    }
}

/// Description of an arriving frame for a congestion point.
#[derive(Clone, Copy, Debug)]
pub struct FrameArrival {
    /// Size of the frame in bytes.
    pub size: u32,
    /// Frames that wait at the port, including this one if it was accepted.
    pub frames: u32,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Whether the frame carries the tag of a rate limiter that belongs to this point.
    pub is_tagged: bool,
}

/// State of a congestion point.
#[derive(Clone, Debug)]
pub enum CongestionPoint {
    /// Congestion point of BCN.
    Bcn(bcn::congestion_point::CongestionPoint),
    /// Congestion point of QCN.
    Qcn(qcn::congestion_point::CongestionPoint),
}

impl CongestionPoint {
    /// Creates the congestion point that `plan` describes; it draws under `key`.
    pub fn new(plan: &CongestionPointPlan, key: Key) -> CongestionPoint {
        match plan {
            CongestionPointPlan::Bcn(parameters) => CongestionPoint::Bcn(bcn::congestion_point::CongestionPoint::new(parameters, key)),
            CongestionPointPlan::Qcn(parameters) => CongestionPoint::Qcn(qcn::congestion_point::CongestionPoint::new(parameters, key)),
        }
    }

    /// Returns the feedback for the source of an arriving frame, if any.
    #[inline]
    pub fn on_arrival(&mut self, frame: &FrameArrival) -> Option<Feedback> {
        match self {
            CongestionPoint::Bcn(point) => point.on_arrival(frame.size, frame.frames, frame.is_tagged),
            CongestionPoint::Qcn(point) => point.on_arrival(frame.size, frame.bytes),
        }
    }
}

impl Probe for CongestionPoint {
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>) {
        match self {
            CongestionPoint::Bcn(point) => point.probe(now, report),
            CongestionPoint::Qcn(point) => point.probe(now, report),
        }
    }
}
