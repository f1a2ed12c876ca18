//! Jain's fairness index.

use std::fmt;

/// Reason why a set of shares has no fairness index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIndex {
    /// There are no shares.
    Empty,
    /// All shares are zero: 0/0.
    AllZero,
    /// A share is negative or not a number.
    NotAShare,
}

impl fmt::Display for NoIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoIndex::Empty => "fairness of no shares is undefined",
            NoIndex::AllZero => "fairness of shares that are all zero is undefined",
            NoIndex::NotAShare => "a share must be a number, zero or more",
        })
    }
}

impl std::error::Error for NoIndex {}

/// Jain's fairness index of `shares`: (sum x)^2 / (n sum x^2) [Jain84 s2]. It lies between 1/n (one share has everything) and 1 (all shares
/// are equal), and does not depend on the unit.
///
/// # Errors
/// If the index is undefined: no shares, all of them zero, or one that is negative or not finite.
pub fn jain_index(shares: &[f64]) -> Result<f64, NoIndex> {
    if shares.iter().any(|share| !share.is_finite() || *share < 0.0) {
        return Err(NoIndex::NotAShare);
    }
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if shares.is_empty() {
        return Err(NoIndex::Empty);
    }
    if largest == 0.0 {
        return Err(NoIndex::AllZero);
    }
    // Relative to the largest share, so that no square overflows or vanishes.
    let (sum, squares) = shares.iter().map(|share| share / largest).fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    Ok(sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(groups: &[(usize, f64)]) -> Vec<f64> {
        groups.iter().flat_map(|(n, x)| std::iter::repeat_n(*x, *n)).collect()
    }

    #[test]
    fn k_equal_shares_of_n_give_k_over_n() {
        assert_eq!(jain_index(&shares(&[(7, 3.0)])), Ok(1.0));
        assert_eq!(jain_index(&shares(&[(5, 2.0), (15, 0.0)])), Ok(0.25));
    }

    #[test]
    fn two_classes_follow_their_closed_form() {
        // (45 x .21 + 5 x 298.16)^2 / (50 (45 x .21^2 + 5 x 298.16^2)) = .1013: [Goyal99 Table 2], first row.
        let index = jain_index(&shares(&[(45, 0.21), (5, 298.16)])).expect("defined");
        assert!((index - 0.1013).abs() < 0.000_05, "{index}");
    }

    #[test]
    fn the_unit_does_not_matter() {
        let index = |unit: f64| jain_index(&[unit, 2.0 * unit, 3.0 * unit]).expect("defined");
        // 36 / (3 x 14)
        for unit in [1e-200, 1.0, 1e200] {
            assert!((index(unit) - 6.0 / 7.0).abs() < 1e-15);
        }
    }

    #[test]
    fn what_is_undefined_is_an_error() {
        assert_eq!(jain_index(&[]), Err(NoIndex::Empty));
        assert_eq!(jain_index(&[0.0, 0.0]), Err(NoIndex::AllZero));
        assert_eq!(jain_index(&[1.0, -1.0]), Err(NoIndex::NotAShare));
        assert_eq!(jain_index(&[1.0, f64::NAN]), Err(NoIndex::NotAShare));
    }
}
