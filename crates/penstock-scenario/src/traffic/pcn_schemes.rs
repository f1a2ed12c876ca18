//! Checks that admission and termination can interpret the marks of the meters on a route.

use penstock_model::edge::admission::cle::Marks;
use penstock_model::edge::{AdmissionPlan, TerminationPlan};
use penstock_model::pcn_meter::PcnMeterPlan;

/// Why a scheme does not fit the meters on the routes of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The scheme would never act; otherwise it would act at the wrong rate.
    pub is_useless: bool,
    /// The mistake, to follow "on the route of ...".
    pub message: String,
}

fn useless(message: &str) -> Option<Mismatch> {
    Some(Mismatch { is_useless: true, message: message.to_owned() })
}

fn doubtful(message: String) -> Option<Mismatch> {
    Some(Mismatch { is_useless: false, message })
}

/// The meters of a route.
pub(crate) struct Meters<'a>(pub Vec<&'a PcnMeterPlan>);

impl Meters<'_> {
    /// Why admission by `plan` cannot work with the marks of these meters, at least one; `None` if it can.
    pub fn fit_admission(&self, plan: &AdmissionPlan) -> Option<Mismatch> {
        match plan {
            AdmissionPlan::Cle(it) => {
                self.unset_marks(it.marks).or_else(|| self.admits_late(it.marks)).or_else(|| self.diluted_level(it.marks))
            }
            AdmissionPlan::Rfc6661(_) if !self.sets_any(Marks::Threshold) => {
                let these = self.names(Marks::Excess);
                doubtful(format!(
                    "nothing sets threshold marks, by which RFC 6661 admits: calls would be refused only once {these} marks; write pcn.threshold too"
                ))
            }
            AdmissionPlan::Rfc6661(_) => None,
            AdmissionPlan::Rfc6662(_) if !self.sets_any(Marks::Excess) => {
                let these = self.names(Marks::Threshold);
                doubtful(format!(
                    "nothing sets excess-traffic marks, by which RFC 6662 admits ({these} does not); write pcn.excess instead"
                ))
            }
            AdmissionPlan::Rfc6662(_) => self.admits_late(Marks::Any).or_else(|| self.diluted_level(Marks::Any)),
            _ => plan.declared_marks().and_then(|marks| self.unset_marks(marks)),
        }
    }

    /// Why termination by `plan` cannot work with the marks of these meters, at least one; `None` if it can.
    pub fn fit_termination(&self, plan: &TerminationPlan) -> Option<Mismatch> {
        match plan {
            TerminationPlan::SingleThreshold(_) => self.unreliable_runs(),
            TerminationPlan::Cl(it) => {
                let advice = if it.marks == Marks::Any && self.sets_any(Marks::Excess) {
                    "marks = \"excess\""
                } else {
                    "pcn.pre-emption and leave marks out"
                };
                self.unset_marks(it.marks).or_else(|| self.unmeasurable_excess(it.marks, advice)).or_else(|| self.unmarked_excess())
            }
            TerminationPlan::Sm(_) => {
                self.unmeasurable_excess(Marks::Any, "pcn.excess alone").or_else(|| self.doubled_rate()).or_else(|| self.unmarked_excess())
            }
            TerminationPlan::Rfc6661(_) => self.unset_marks(Marks::Excess).or_else(|| self.unmarked_excess()),
            TerminationPlan::Rfc6662(_) => self
                .unset_marks(Marks::Excess)
                .or_else(|| self.unmeasurable_excess(Marks::Any, "pcn.excess alone"))
                .or_else(|| self.doubled_rate())
                .or_else(|| self.unmarked_excess()),
            _ => plan.declared_marks().and_then(|marks| self.unset_marks(marks)),
        }
    }

    /// Reports marks that are read and never set.
    fn unset_marks(&self, marks: Marks) -> Option<Mismatch> {
        match marks {
            _ if self.sets_any(marks) => None,
            Marks::Threshold => {
                useless("nothing sets threshold marks, the only ones that it looks at; write pcn.threshold or leave marks out")
            }
            Marks::Excess | Marks::Any => {
                useless("nothing sets excess-traffic marks, the only ones that it looks at; write pcn.excess or pcn.pre-emption")
            }
        }
    }

    /// Reports meters that mark only above the supportable rate, up to which calls would be admitted.
    fn admits_late(&self, marks: Marks) -> Option<Mismatch> {
        let mut those = self.setting(marks).peekable();
        those.peek()?;
        those.all(|meter| meter.parameters().marks_only_above_supportable()).then_some(())?;
        doubtful("only pre-emption marks, so calls would be admitted up to the supportable rate; write pcn.virtual-queue too".to_owned())
    }

    /// Reports meters whose long runs of marked packets do not mean that the supportable rate is exceeded.
    fn unreliable_runs(&self) -> Option<Mismatch> {
        if self.0.iter().any(|meter| meter.parameters().marks_runs_above_supportable()) {
            return None;
        }
        let advice = "it is made for pcn.single-threshold or pcn.fractional";
        if self.sets_any(Marks::Threshold) {
            let these = self.names(Marks::Threshold);
            return doubtful(format!("{these} marks every packet above its rate, so calls would end down to that rate; {advice}"));
        }
        let these = self.names(Marks::Excess);
        doubtful(format!("{these} marks only what exceeds its rate, so that long runs of marked packets are rare; {advice}"))
    }

    /// Reports threshold marks for a scheme that takes the rate of unmarked traffic as the supportable rate.
    fn unmeasurable_excess(&self, marks: Marks, advice: &str) -> Option<Mismatch> {
        if marks == Marks::Excess || !self.sets_any(Marks::Threshold) {
            return None;
        }
        let these = self.names(Marks::Threshold);
        doubtful(format!(
            "{these} sets threshold marks, which do not say how much exceeds the rate, so that all calls may end; write {advice}"
        ))
    }

    /// Reports pre-emption marks for a scheme that takes a multiple of the marking rate as the supportable rate.
    fn doubled_rate(&self) -> Option<Mismatch> {
        self.0.iter().all(|meter| meter.parameters().marks_only_above_supportable()).then_some(())?;
        doubtful(
            "pre-emption marks above the supportable rate, and u times that would stay; write pcn.excess at the admissible rate".to_owned(),
        )
    }

    /// Reports unmarked excess for a scheme that takes the rate of unmarked traffic as the supportable rate.
    fn unmarked_excess(&self) -> Option<Mismatch> {
        self.0.iter().any(|meter| meter.parameters().marks_part_of_excess()).then_some(())?;
        doubtful("mark-every above 1 leaves excess unmarked, which is measured as sustainable, so that too few calls may end; leave mark-every out".to_owned())
    }

    /// Reports a scheme that reads the marked share although all meters mark only a part of the excess.
    fn diluted_level(&self, marks: Marks) -> Option<Mismatch> {
        self.setting(marks).all(|meter| meter.parameters().marks_part_of_excess()).then_some(())?;
        doubtful("mark-every above 1 leaves excess unmarked, so that the marked share is too low and calls are admitted late; leave mark-every out".to_owned())
    }

    fn setting(&self, marks: Marks) -> impl Iterator<Item = &PcnMeterPlan> {
        self.0.iter().copied().filter(move |meter| marks.count(meter.parameters().mark()))
    }

    fn sets_any(&self, marks: Marks) -> bool {
        self.setting(marks).next().is_some()
    }

    fn names(&self, marks: Marks) -> String {
        let mut names: Vec<String> = self.setting(marks).map(|meter| format!("'{}'", meter.name())).collect();
        names.sort_unstable();
        names.dedup();
        names.join(" or ")
    }
}
