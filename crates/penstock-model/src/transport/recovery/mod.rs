//! Loss recovery decides which segments a sender considers lost, and repairs the losses.
//!
//! A recovery uses the [`Flight`] of a connection and its [`Window`], which it inflates and deflates during the repair. The [congestion
//! control](super::congestion_control) decides by how much congestion reduces the window.

mod flight;
pub mod new_reno;
pub mod prr;
pub mod rack;
mod recover_check;
mod reduction;
pub mod reno;
mod retransmit_delay;
pub mod sack;
pub mod sack1;
mod scoreboard;
mod sent_segments;
pub mod tahoe;
pub mod timeout_only;

use crate::packet::Ack;
use crate::registry::OpenKind;
use crate::site::Site;
use crate::transport::congestion_control::Window;
use dyn_clone::DynClone;
pub use flight::{Flight, LossDetection, Phase};
pub use rack::Detection;
pub(crate) use rack::Timer;
pub use recover_check::RecoverCheck;
pub(crate) use reduction::Reduction;
pub use retransmit_delay::RetransmitDelay;
pub(crate) use scoreboard::Scoreboard;
pub(crate) use sent_segments::{AckTimes, SendTimes, SentSegments};
use std::fmt;

/// Generates the plan, the running recovery and the dispatch between them from the list below.
macro_rules! recoveries {
    ($( $name:literal => $variant:ident($recovery:ty, $parameters:ty), )*) => {
        crate::component_plans! {
            /// A loss recovery with its parameters, as a scenario gives it.
            pub enum RecoveryPlan of "recovery" open Recoveries { $( $name => $variant($parameters), )* }
        }

        /// A running recovery. `Custom` is for users of the crate, in a box as small as the other variants.
        #[allow(missing_docs)] // a variant is documented by its component
        #[derive(Clone, Debug)]
        pub enum AnyRecovery {
            $( $variant($recovery), )*
            Custom(Box<Box<dyn Recovery + Send>>),
        }

        impl AnyRecovery {
            /// The recovery that `plan` describes.
            pub fn new(plan: &RecoveryPlan, site: &Site) -> AnyRecovery {
                match plan {
                    $( RecoveryPlan::$variant(parameters) => AnyRecovery::$variant(<$recovery>::new(parameters, site)), )*
                    RecoveryPlan::Custom(it) => AnyRecovery::Custom(Box::new(it.build(site))),
                }
            }
        }

        impl AnyRecovery {
            /// Calls [`Recovery::uses_blocks`].
            pub fn uses_blocks(&self) -> bool {
                match self {
                    $( AnyRecovery::$variant(it) => it.uses_blocks(), )*
                    AnyRecovery::Custom(it) => it.uses_blocks(),
                }
            }

            /// Calls [`Recovery::recover_check`].
            pub fn recover_check(&self) -> RecoverCheck {
                match self {
                    $( AnyRecovery::$variant(it) => it.recover_check(), )*
                    AnyRecovery::Custom(it) => it.recover_check(),
                }
            }

            /// Calls [`Recovery::retransmit_delay`].
            pub fn retransmit_delay(&self) -> RetransmitDelay {
                match self {
                    $( AnyRecovery::$variant(it) => it.retransmit_delay(), )*
                    AnyRecovery::Custom(it) => it.retransmit_delay(),
                }
            }

            /// Calls [`Recovery::detection`].
            pub fn detection(&self) -> Option<Detection> {
                match self {
                    $( AnyRecovery::$variant(it) => it.detection(), )*
                    AnyRecovery::Custom(it) => it.detection(),
                }
            }

            /// Calls [`Recovery::on_duplicate_ack`].
            pub fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, window: &mut Window) -> bool {
                match self {
                    $( AnyRecovery::$variant(it) => it.on_duplicate_ack(ack, flight, window), )*
                    AnyRecovery::Custom(it) => it.on_duplicate_ack(ack, flight, window),
                }
            }

            /// Calls [`Recovery::on_new_blocks`].
            pub fn on_new_blocks(&mut self, newly: u32, flight: &mut Flight) -> bool {
                match self {
                    $( AnyRecovery::$variant(it) => it.on_new_blocks(newly, flight), )*
                    AnyRecovery::Custom(it) => it.on_new_blocks(newly, flight),
                }
            }

            /// Calls [`Recovery::on_loss`].
            pub fn on_loss(&mut self, flight: &mut Flight, window: &mut Window) {
                match self {
                    $( AnyRecovery::$variant(it) => it.on_loss(flight, window), )*
                    AnyRecovery::Custom(it) => it.on_loss(flight, window),
                }
            }

            /// Calls [`Recovery::on_partial_ack`].
            pub fn on_partial_ack(&mut self, newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
                match self {
                    $( AnyRecovery::$variant(it) => it.on_partial_ack(newly, flight, window), )*
                    AnyRecovery::Custom(it) => it.on_partial_ack(newly, flight, window),
                }
            }

            /// Calls [`Recovery::next_segment`].
            pub fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
                match self {
                    $( AnyRecovery::$variant(it) => it.next_segment(flight, window), )*
                    AnyRecovery::Custom(it) => it.next_segment(flight, window),
                }
            }
        }
    };
}

recoveries! {
    "tahoe" => Tahoe(tahoe::Tahoe, tahoe::Parameters),
    "reno" => Reno(reno::Reno, reno::Parameters),
    "new-reno" => NewReno(new_reno::NewReno, new_reno::Parameters),
    "sack" => Sack(sack::Sack, sack::Parameters),
    "prr" => Prr(prr::Prr, prr::Parameters),
    "rack" => Rack(rack::Rack, rack::Parameters),
    "sack1" => Sack1(sack1::Sack1, sack1::Parameters),
    "timeout-only" => TimeoutOnly(timeout_only::TimeoutOnly, timeout_only::Parameters),
}

impl RecoveryPlan {
    /// Whether receivers report the blocks that they hold [RFC2018].
    pub fn uses_blocks(&self) -> bool {
        AnyRecovery::new(self, &Site::trial()).uses_blocks()
    }
}

/// The kind of loss recoveries.
pub struct Recoveries;

impl OpenKind for Recoveries {
    const OF: &'static str = RecoveryPlan::OF;
    const BUILT_IN: &'static [&'static str] = RecoveryPlan::NAMES;
    type Context<'a> = Site;
    type Component = Box<dyn Recovery + Send>;

    fn on_trial<T>(build: impl FnOnce(&Site) -> T) -> T {
        build(&Site::trial())
    }
}

/// A loss recovery. After a timeout, the sender itself starts the retransmission, which is the same for all recoveries.
pub trait Recovery: DynClone + fmt::Debug {
    /// Whether receivers report the blocks that they hold [RFC2018]; always the same for the same parameters.
    fn uses_blocks(&self) -> bool {
        false
    }

    /// Rule that says from which acknowledgement on duplicates may indicate a further loss; always the same for the same parameters.
    fn recover_check(&self) -> RecoverCheck {
        RecoverCheck::AfterTimeout
    }

    /// Delay of the first retransmission; always the same for the same parameters.
    fn retransmit_delay(&self) -> RetransmitDelay {
        RetransmitDelay::None
    }

    /// Initial state of detection by time; `None` for a recovery that does not detect losses by time.
    fn detection(&self) -> Option<Detection> {
        None
    }

    /// Handles an acknowledgement that reports nothing new while segments are outstanding. Returns whether it shows a first loss.
    fn on_duplicate_ack(&mut self, ack: &Ack, flight: &mut Flight, window: &mut Window) -> bool {
        let _ = ack;
        if flight.phase == Phase::Recovery {
            window.size += 1.0; // a segment has left the network [RFC5681 s3.2 (4)]
        }
        flight.count_duplicate()
    }

    /// Handles an acknowledgement of new data, outside of recovery, whose blocks cover new segments. In all, it shows `newly` segments to
    /// have arrived. Returns whether it shows a first loss.
    fn on_new_blocks(&mut self, newly: u32, flight: &mut Flight) -> bool {
        let _ = (newly, flight);
        false
    }

    /// Starts the repair of a loss, after the congestion control has set the threshold. If [`Recovery::retransmit_delay`] requests it, the
    /// sender postpones the first retransmission.
    fn on_loss(&mut self, flight: &mut Flight, window: &mut Window);

    /// Handles an acknowledgement of `newly` segments in fast recovery that does not cover everything sent before the recovery. Returns
    /// whether it restarts the timer.
    fn on_partial_ack(&mut self, newly: u32, flight: &mut Flight, window: &mut Window) -> bool {
        let _ = (newly, flight, window);
        true
    }

    /// Next segment to send in fast recovery, if the window has room. Counts it as sent.
    fn next_segment(&mut self, flight: &mut Flight, window: &Window) -> Option<u32> {
        flight.next_in_order(window)
    }
}

dyn_clone::clone_trait_object!(Recovery);
