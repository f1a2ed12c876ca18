//! Conditioners make traffic keep to a profile: a shaper delays what exceeds it, a policer drops it [RFC2475 s2.3.3].

pub mod policer;
pub mod shaper;

use crate::meter::bucket::Bucket;
use crate::units::{Bytes, Rate};

crate::component_plans! {
    /// A shaper with its parameters, as a scenario gives it.
    pub enum ShaperPlan of "shaper" {
        "token-bucket" => TokenBucket(shaper::Parameters) shows shaper::STATE,
    }
}

crate::component_plans! {
    /// A policer with its parameters, as a scenario gives it.
    pub enum PolicerPlan of "policer" {
        "token-bucket" => TokenBucket(policer::Parameters) shows policer::Policer::STATE,
    }
}

impl ShaperPlan {
    /// The bucket whose tokens packets wait for.
    pub fn bucket(&self) -> Bucket {
        let ShaperPlan::TokenBucket(parameters) = self;
        parameters.bucket()
    }

    /// The rate that it lets pass in the long run.
    pub fn rate(&self) -> Rate {
        let ShaperPlan::TokenBucket(parameters) = self;
        parameters.rate
    }

    /// The most that it lets pass at once; no larger packet ever passes.
    pub fn burst(&self) -> Bytes {
        let ShaperPlan::TokenBucket(parameters) = self;
        parameters.burst
    }
}

impl PolicerPlan {
    /// The policer at work.
    pub fn policer(&self) -> policer::Policer {
        let PolicerPlan::TokenBucket(parameters) = self;
        policer::Policer::new(parameters)
    }
}
