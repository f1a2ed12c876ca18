//! Probes report the state variables of components. Each variable is declared once; time series, the reference pages and `penstock explain`
//! are generated from the declarations.

use crate::units::Time;

/// A state variable of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name in series.
    pub name: &'static str,
    /// Unit of the values; `1` if they have none.
    pub unit: &'static str,
    /// Description, with the symbol.
    pub doc: &'static str,
}

/// Receives a state variable, its index if there are several of the kind (queues, precedences), and its value.
pub type ReportVariable<'a> = dyn FnMut(&'static Variable, Option<u32>, f64) + 'a;

/// A component that reports its state.
pub trait Probe {
    /// Reports the state at `now` in the order of the declaration, without changing it.
    fn probe(&self, now: Time, report: &mut ReportVariable<'_>);
}

/// Concatenates the variables of a part and of the whole; `N` in total.
#[doc(hidden)]
pub const fn joined<const N: usize>(part: &[Variable], own: &[Variable]) -> [Variable; N] {
    let mut all = [Variable { name: "", unit: "", doc: "" }; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < part.len() { part[i] } else { own[i - part.len()] };
        i += 1;
    }
    all
}

/// Declares the state variables that a component reports: the name, unit, description and value of each.
///
/// ```
/// use penstock_model::probe::{Probe, Variable};
/// use penstock_model::units::Time;
///
/// struct Line {
///     waiting: u32,
///     last: Option<f64>,
///     deficits: Vec<f64>,
/// }
/// penstock_model::state! {
///     impl Line, |it, _now| {
///         /// Packets that wait.
///         "waiting", "packets", is f64::from(it.waiting);
///         /// Size of the last packet, once there was one.
///         "last", "bytes", maybe it.last;
///         /// What each queue may still send.
///         "deficit", "bytes", each it.deficits.iter().copied();
///     }
/// }
///
/// let line = Line { waiting: 2, last: None, deficits: vec![500.0, 0.0] };
/// let mut seen = Vec::new();
/// line.probe(Time::ZERO, &mut |variable, part, value| seen.push((variable.name, part, value)));
/// assert_eq!(seen, [("waiting", None, 2.0), ("deficit", Some(0), 500.0), ("deficit", Some(1), 0.0)]);
/// assert_eq!(Line::STATE[1].unit, "bytes");
/// ```
///
/// A type with parameters is written `impl Meter<N> where [N: Word], |it, now| { ... }`. A component without state has empty
/// braces. A component that also reports the state of a part names its field and type: `impl Epd, frames: FrameQueue, |it,
/// now| { ... }`.
#[macro_export]
macro_rules! state {
    ( impl $type:ty $(where [$($generics:tt)*])?, |$it:ident, $now:ident| { $( $(#[doc = $doc:literal])+ $name:literal, $unit:literal, $how:ident $value:expr; )* } ) => {
        impl $(<$($generics)*>)? $type {
            /// State variables that it reports.
            pub const STATE: &'static [$crate::probe::Variable] =
                &[$( $crate::probe::Variable { name: $name, unit: $unit, doc: concat!($($doc, "\n"),+) }, )*];
        }

        impl $(<$($generics)*>)? $crate::probe::Probe for $type {
            #[allow(unused_variables, unused_mut)] // components without state
            fn probe(&self, $now: $crate::units::Time, report: &mut $crate::probe::ReportVariable<'_>) {
                let $it = self;
                let mut variables = Self::STATE.iter();
                $( $crate::state!(@report $how, variables.next().expect("one each"), $value, report); )*
            }
        }
    };
    ( impl $type:ty, $part:ident: $of:ty, |$it:ident, $now:ident| { $( $(#[doc = $doc:literal])+ $name:literal, $unit:literal, $how:ident $value:expr; )* } ) => {
        impl $type {
            const OWN_STATE: &'static [$crate::probe::Variable] =
                &[$( $crate::probe::Variable { name: $name, unit: $unit, doc: concat!($($doc, "\n"),+) }, )*];

            /// State variables that it reports.
            pub const STATE: &'static [$crate::probe::Variable] =
                &$crate::probe::joined::<{ <$of>::STATE.len() + Self::OWN_STATE.len() }>(<$of>::STATE, Self::OWN_STATE);
        }

        impl $crate::probe::Probe for $type {
            #[allow(unused_variables, unused_mut)] // components without state of their own
            fn probe(&self, $now: $crate::units::Time, report: &mut $crate::probe::ReportVariable<'_>) {
                $crate::probe::Probe::probe(&self.$part, $now, report);
                let $it = self;
                let mut variables = Self::OWN_STATE.iter();
                $( $crate::state!(@report $how, variables.next().expect("one each"), $value, report); )*
            }
        }
    };
    (@report is, $variable:expr, $value:expr, $report:ident) => {
        $report($variable, None, $value)
    };
    (@report maybe, $variable:expr, $value:expr, $report:ident) => {
        let variable = $variable;
        if let Some(value) = $value {
            $report(variable, None, value);
        }
    };
    (@report each, $variable:expr, $value:expr, $report:ident) => {
        let variable = $variable;
        for (i, value) in (0..).zip($value) {
            $report(variable, Some(i), value);
        }
    };
}
