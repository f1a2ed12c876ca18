//! Tins: their codepoints, thresholds and weights.

use crate::units::Rate;

crate::choice! {
    /// Tins by differentiated services codepoint.
    pub enum Diffserv {
        /// One tin for everything.
        "besteffort" => BestEffort,
        /// Eight tins by IP precedence, the first three bits of the codepoint.
        "precedence" => Precedence,
        /// Bulk, best effort and voice.
        "diffserv3" => Diffserv3,
        /// Bulk, best effort, video and voice.
        "diffserv4" => Diffserv4,
        /// Eight tins from lower effort to network control.
        "diffserv8" => Diffserv8,
    }
}

/// Threshold and weight of a tin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinPlan {
    /// Rate up to which the tin has its priority, if there is a shaper.
    pub threshold: Option<Rate>,
    /// Bytes that the tin may send in its turn, if there is no shaper.
    pub weight: i64,
}

/// Codepoints of the tins other than best effort, by tin. sch_cake names them LE, CS1, AF, EF, and so on.
type Codepoints = &'static [(usize, &'static [u8])];

const OF_DIFFSERV3: Codepoints = &[(1, &[1, 8]), (2, &[4, 44, 46, 48, 56])];
const OF_DIFFSERV4: Codepoints = &[(1, &[1, 8]), (2, &[4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38]), (3, &[32, 40, 44, 46, 48, 56])];
const OF_DIFFSERV8: Codepoints = &[
    (0, &[1]),
    (1, &[2, 8, 10, 12, 14]),
    (3, &[24, 26, 28, 30, 34, 36, 38]),
    (4, &[4, 18, 20, 22]),
    (5, &[16]),
    (6, &[32, 40, 44, 46]),
    (7, &[48, 56]),
];

impl Diffserv {
    /// The tin of each codepoint.
    pub fn table(self) -> [u8; 64] {
        let (best_effort, others): (u8, Codepoints) = match self {
            Diffserv::BestEffort => (0, &[]),
            Diffserv::Precedence => return std::array::from_fn(|codepoint| (codepoint / 8) as u8),
            Diffserv::Diffserv3 => (0, OF_DIFFSERV3),
            Diffserv::Diffserv4 => (0, OF_DIFFSERV4),
            Diffserv::Diffserv8 => (2, OF_DIFFSERV8),
        };
        let mut table = [best_effort; 64];
        for (tin, codepoints) in others {
            codepoints.iter().for_each(|codepoint| table[usize::from(*codepoint)] = *tin as u8);
        }
        table
    }

    /// Tins under a shaper of `rate`. The first has all of it. Shares are whole bytes per second, rounded down, as in sch_cake.
    pub fn plans(self, rate: Option<Rate>) -> Vec<TinPlan> {
        let share = |shift: u32| TinPlan { threshold: rate.map(|rate| of_bytes(bytes(rate) >> shift)), weight: 1024 >> shift };
        let of_all = |weight| TinPlan { threshold: rate, weight };
        match self {
            Diffserv::BestEffort => vec![of_all(65_535)],
            Diffserv::Diffserv3 => vec![of_all(1024), share(4), share(2)],
            Diffserv::Diffserv4 => vec![of_all(1024), share(4), share(1), share(2)],
            Diffserv::Precedence | Diffserv::Diffserv8 => {
                let eighths = |previous: &TinPlan| TinPlan {
                    threshold: previous.threshold.map(|rate| of_bytes(bytes(rate) * 7 / 8)),
                    weight: previous.weight * 7 / 8,
                };
                std::iter::successors(Some(of_all(256)), |previous| Some(eighths(previous))).take(8).collect()
            }
        }
    }
}

/// Rate in bytes per second.
pub fn bytes(rate: Rate) -> u64 {
    rate.as_bps() / 8
}

/// Converts bytes per second, at least 64, to a rate.
fn of_bytes(bytes: u64) -> Rate {
    Rate::from_bps(8 * bytes.max(64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are the first three bits of a codepoint, columns the others.
    #[test]
    fn codepoints_have_the_tins_of_sch_cake() {
        let rows = |diffserv: Diffserv| -> Vec<String> {
            let table = diffserv.table().map(|tin| tin.to_string());
            table.chunks(8).map(<[String]>::concat).collect()
        };
        assert_eq!(rows(Diffserv::BestEffort), ["00000000"; 8]);
        assert_eq!(rows(Diffserv::Precedence).concat(), "0000000011111111222222223333333344444444555555556666666677777777");
        let none = "00000000";
        assert_eq!(rows(Diffserv::Diffserv3), ["01002000", "10000000", none, none, none, "00002020", "20000000", "20000000"]);
        let expected = ["01002000", "10000000", "20202020", "20202020", "30202020", "30003030", "30000000", "30000000"];
        assert_eq!(rows(Diffserv::Diffserv4), expected);
        let expected = ["20124222", "12121212", "52424242", "32323232", "62323232", "62226262", "72222222", "72222222"];
        assert_eq!(rows(Diffserv::Diffserv8), expected);
    }

    #[test]
    fn thresholds_and_weights_are_those_of_sch_cake() {
        let plans = |diffserv: Diffserv| -> Vec<(u64, i64)> {
            let plans = diffserv.plans(Some(Rate::from_bps(80_000_000)));
            plans.iter().map(|plan| (plan.threshold.map_or(0, bytes), plan.weight)).collect()
        };
        assert_eq!(plans(Diffserv::BestEffort), [(10_000_000, 65_535)]);
        assert_eq!(plans(Diffserv::Diffserv3), [(10_000_000, 1024), (625_000, 64), (2_500_000, 256)]);
        assert_eq!(plans(Diffserv::Diffserv4), [(10_000_000, 1024), (625_000, 64), (5_000_000, 512), (2_500_000, 256)]);
        let eighths = [10_000_000, 8_750_000, 7_656_250, 6_699_218, 5_861_815, 5_129_088, 4_487_952, 3_926_958];
        assert_eq!(plans(Diffserv::Diffserv8), eighths.into_iter().zip([256, 224, 196, 171, 149, 130, 113, 98]).collect::<Vec<_>>());
        assert_eq!(plans(Diffserv::Precedence), plans(Diffserv::Diffserv8));
        assert!(Diffserv::Diffserv4.plans(None).iter().all(|plan| plan.threshold.is_none()));
    }
}
