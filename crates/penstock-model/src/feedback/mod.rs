//! Backward congestion notification: congestion points at the ports of switches, which send frames back to the sources of what
//! they sample, and reaction points in the stations, whose rate limiters follow these frames.

pub mod bcn;

crate::component_plans! {
    /// A congestion point with its parameters, as a scenario gives it.
    pub enum CongestionPointPlan of "congestion-point" { "bcn" => Bcn(bcn::congestion_point::Parameters), }
}

crate::component_plans! {
    /// A reaction point with its parameters, as a scenario gives it.
    pub enum ReactionPointPlan of "reaction-point" { "bcn" => Bcn(bcn::reaction_point::Parameters), }
}
