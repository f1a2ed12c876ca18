//! Conditioners make traffic keep to a profile: a shaper delays what exceeds it, a policer drops it [RFC2475 s2.3.3].

pub mod policer;
pub mod shaper;

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
