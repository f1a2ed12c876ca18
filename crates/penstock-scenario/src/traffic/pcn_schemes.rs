//! Which marks the meters of a way set, and whether admission and termination can read them.

use penstock_model::edge::admission::cle::Marks;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::packet::PcnMark;
use penstock_model::pcn_meter::PcnMeterPlan;

/// Why a scheme and the meters on the way of its calls do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The scheme would never do anything; else it would do something else than it is made for.
    pub is_useless: bool,
    /// What is wrong, after "on the way of so-and-so".
    pub message: String,
}

fn useless(message: &str) -> Option<Misfit> {
    Some(Misfit { is_useless: true, message: message.to_owned() })
}

fn doubtful(message: String) -> Option<Misfit> {
    Some(Misfit { is_useless: false, message })
}

/// The meters of a way.
pub(crate) struct Meters<'a>(pub Vec<&'a PcnMeterPlan>);

impl Meters<'_> {
    /// Whether admission by `plan` can live on their marks; there is at least one meter.
    pub fn fit_admission(&self, plan: &AdmissionPlan) -> Option<Misfit> {
        match plan {
            AdmissionPlan::Count(_) => None,
            AdmissionPlan::Cle(it) => self.seen(it.marks).or_else(|| self.late(it.marks)),
            AdmissionPlan::Rfc6661(_) if !self.any(Marks::Threshold) => {
                let these = self.names(Marks::Excess);
                doubtful(format!(
                    "nothing sets threshold marks, by which RFC 6661 admits: calls would be refused only once {these} marks; write pcn.threshold too"
                ))
            }
            AdmissionPlan::Rfc6661(_) => None,
            AdmissionPlan::Rfc6662(_) if !self.any(Marks::Excess) => {
                let these = self.names(Marks::Threshold);
                doubtful(format!(
                    "nothing sets excess-traffic marks, by which RFC 6662 admits ({these} does not); write pcn.excess instead"
                ))
            }
            AdmissionPlan::Rfc6662(_) => self.late(Marks::Any),
        }
    }

    /// Whether termination by `plan` can live on their marks; there is at least one meter.
    pub fn fit_termination(&self, plan: &TerminationPlan) -> Option<Misfit> {
        match plan {
            TerminationPlan::SingleThreshold(_) => self.runs(),
            TerminationPlan::Cl(it) => {
                let advice = if it.marks == Marks::Any && self.any(Marks::Excess) {
                    "marks = \"excess\""
                } else {
                    "pcn.pre-emption and leave marks out"
                };
                self.seen(it.marks).or_else(|| self.measures(it.marks, advice))
            }
            TerminationPlan::Sm(_) => self.measures(Marks::Any, "pcn.excess alone").or_else(|| self.twice()),
            TerminationPlan::Rfc6661(_) => self.seen(Marks::Excess),
            TerminationPlan::Rfc6662(_) => {
                self.seen(Marks::Excess).or_else(|| self.measures(Marks::Any, "pcn.excess alone")).or_else(|| self.twice())
            }
        }
    }

    /// Marks that nobody sets are not seen.
    fn seen(&self, marks: Marks) -> Option<Misfit> {
        match marks {
            _ if self.any(marks) => None,
            Marks::Threshold => {
                useless("nothing sets threshold marks, the only ones that it looks at; write pcn.threshold or leave marks out")
            }
            Marks::Excess | Marks::Any => {
                useless("nothing sets excess-traffic marks, the only ones that it looks at; write pcn.excess or pcn.pre-emption")
            }
        }
    }

    /// What marks only above the supportable rate admits up to there.
    fn late(&self, marks: Marks) -> Option<Misfit> {
        let mut those = self.setting(marks).peekable();
        those.peek()?;
        those.all(|meter| matches!(meter, PcnMeterPlan::PreEmption(_))).then_some(())?;
        doubtful("only pre-emption marks, so calls would be admitted up to the supportable rate; write pcn.virtual-queue too".to_owned())
    }

    /// A long run of marked packets is to mean that the supportable rate is exceeded.
    fn runs(&self) -> Option<Misfit> {
        if self.0.iter().any(|meter| matches!(meter, PcnMeterPlan::SingleThreshold(_) | PcnMeterPlan::Fractional(_))) {
            return None;
        }
        let advice = "it is made for pcn.single-threshold or pcn.fractional";
        if self.any(Marks::Threshold) {
            let these = self.names(Marks::Threshold);
            return doubtful(format!("{these} marks every packet above its rate, so calls would end down to that rate; {advice}"));
        }
        let these = self.names(Marks::Excess);
        doubtful(format!("{these} marks only what exceeds its rate, so that long runs of marked packets are rare; {advice}"))
    }

    /// What is unmarked is to be what may stay.
    fn measures(&self, marks: Marks, advice: &str) -> Option<Misfit> {
        if marks == Marks::Excess || !self.any(Marks::Threshold) {
            return None;
        }
        let these = self.names(Marks::Threshold);
        doubtful(format!("{these} sets threshold marks, which do not tell how much is too much, so that all calls may end; write {advice}"))
    }

    /// What may stay is to be a multiple of the admissible rate.
    fn twice(&self) -> Option<Misfit> {
        self.0.iter().all(|meter| matches!(meter, PcnMeterPlan::PreEmption(_))).then_some(())?;
        doubtful(
            "pre-emption marks above the supportable rate, and u times that would stay; write pcn.excess at the admissible rate".to_owned(),
        )
    }

    fn setting(&self, marks: Marks) -> impl Iterator<Item = &PcnMeterPlan> {
        self.0.iter().copied().filter(move |meter| marks.count(mark_of(meter)))
    }

    fn any(&self, marks: Marks) -> bool {
        self.setting(marks).next().is_some()
    }

    fn names(&self, marks: Marks) -> String {
        let mut names: Vec<String> = self.setting(marks).map(|meter| format!("'{}'", meter.name())).collect();
        names.sort_unstable();
        names.dedup();
        names.join(" or ")
    }
}

/// The mark that a meter sets.
fn mark_of(meter: &PcnMeterPlan) -> PcnMark {
    match meter {
        PcnMeterPlan::SingleThreshold(_) | PcnMeterPlan::Fractional(_) | PcnMeterPlan::VirtualQueue(_) | PcnMeterPlan::Threshold(_) => {
            PcnMark::Threshold
        }
        PcnMeterPlan::PreEmption(_) | PcnMeterPlan::Excess(_) => PcnMark::Excess,
    }
}
