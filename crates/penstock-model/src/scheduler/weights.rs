//! Weights of classes, and the cost of a byte by weight.

use super::class::{ClassPlan, ClassWeight};
use crate::parameters::Check;

crate::parameters! {
    /// A class that shares by its weight.
    pub struct ClassParameters {
        /// Weight; the share of a class is its weight divided by the sum of all weights.
        weight: ClassWeight, changeable;
    }
}
impl Check for ClassParameters {}

/// Weights of the classes. A class without parameters, in a blueprint made by hand, has weight 1.
pub(super) fn weights(classes: &[ClassPlan]) -> Vec<u64> {
    classes.iter().map(|class| class.parameters().map_or(1, |class: &ClassParameters| u64::from(class.weight.0))).collect()
}

/// Cost of a byte for each class if all classes together pay `unit`: `unit` x (sum of the weights) / weight, rounded to the nearest
/// integer.
pub(super) fn costs(unit: u128, classes: &[ClassPlan]) -> Vec<u128> {
    let weights = weights(classes);
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let cost = |weight: &u64| (unit * sum + u128::from(weight / 2)) / u128::from(*weight);
    weights.iter().map(cost).collect()
}

/// Least common multiple of the weights, a unit for which [`costs`] are exact; `None` above `most`.
pub(super) fn exact_unit(classes: &[ClassPlan], most: u64) -> Option<u64> {
    let join = |multiple: u64, weight: u64| {
        let multiple = multiple / common_divisor(u128::from(multiple), u128::from(weight)) as u64 * weight;
        (multiple <= most).then_some(multiple)
    };
    weights(classes).into_iter().try_fold(1, join)
}

/// Unit for [`costs`]: exact if the least common multiple is at most 2^32; otherwise the cost of a byte is rounded to 2^-32.
pub(super) fn unit(classes: &[ClassPlan]) -> u128 {
    const ROUNDED: u64 = 1 << 32;
    u128::from(exact_unit(classes, ROUNDED).unwrap_or(ROUNDED))
}

/// Greatest common divisor.
pub(super) fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::testing::weighted;
    use super::*;

    #[test]
    fn costs_are_exact_where_weights_have_a_small_multiple() {
        assert_eq!(exact_unit(&weighted(&[4, 6, 9]), 100), Some(36));
        assert_eq!(exact_unit(&weighted(&[4, 6, 9]), 35), None);
        assert_eq!(costs(36, &weighted(&[4, 6, 9])), [171, 114, 76]);
        assert_eq!(costs(1, &weighted(&[1, 9])), [10, 1], "10/9 is rounded");
    }
}
