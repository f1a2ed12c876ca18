//! Components as parameters of other components: `congestion-control = { cubic = { beta = 0.7 } }`.
//!
//! Every plan made by [`component_plans!`](crate::component_plans) is a parameter type. A bare name, as in `congestion-control = "cubic"`,
//! selects the component with all its defaults.

use super::reader::visit_component;
use super::{Field, Kind, Reader, Reading, Value};
use crate::registry::Registry;

/// Function that reads the parameters of the component with a given name.
type ReadParameters<P> = fn(&str, &mut dyn Reader) -> Option<P>;

/// Reads the component that `reader` has for `field`.
#[doc(hidden)]
pub fn read_component<P>(field: &Field, reader: &mut dyn Reader, read: ReadParameters<P>) -> Reading<P> {
    let mut plan = None;
    let is_written = reader.component(field, &mut |name, parameters| plan = read(name, parameters));
    match (is_written, plan) {
        (false, _) => Reading::Absent,
        (true, Some(plan)) => Reading::Given(plan),
        (true, None) => Reading::Broken,
    }
}

/// Reads a component of `kind` from a plain value, such as the default of a parameter.
#[doc(hidden)]
pub fn component_from_value<P>(value: &Value, kind: &Kind, read: ReadParameters<P>) -> Result<P, String> {
    let (mut plan, mut mistakes) = (None, Vec::new());
    let mut mistake = |key: &str, message: String| {
        mistakes.push(if key.is_empty() { message } else { format!("{key}: {message}") });
    };
    visit_component(value, (kind, Registry::NONE), &mut mistake, &mut |name, parameters| plan = read(name, parameters));
    match plan {
        Some(plan) if mistakes.is_empty() => Ok(plan),
        _ => Err(mistakes.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(dead_code)] // these made-up components do not change during a run
    use super::super::{Check, Parameter, Parameters as _, Positive, Probability};
    use super::*;

    /// A congestion control with one required parameter.
    mod fixed {
        use crate::parameters::{Check, Count};
        crate::parameters! {
            /// A fixed window.
            pub struct Parameters {
                /// Its size in segments.
                window: Count;
            }
        }
        impl Check for Parameters {}
    }

    /// A congestion control with defaults and a relation between its parameters.
    mod curve {
        use super::{Check, Positive, Probability};
        crate::parameters! {
            /// A window that follows a curve.
            pub struct Parameters {
                /// Factor of the window after a loss.
                beta: Probability = "0.7";
                /// How steep the curve is.
                scale: Positive = "0.4";
            }
        }
        impl Check for Parameters {
            fn check(&self, mistake: &mut dyn FnMut(&str, String)) {
                if self.beta.0 > self.scale.0 * 2.0 {
                    mistake("beta", "is above twice the scale".to_owned());
                }
            }
        }
    }

    crate::component_plans! {
        /// A made-up congestion control.
        pub enum WindowPlan of "window-rule" {
            "fixed" => Fixed(fixed::Parameters),
            "curve" => Curve(curve::Parameters),
        }
    }

    crate::parameters! {
        /// A made-up transport.
        struct Transport {
            /// What sets the window.
            window_rule: WindowPlan = "curve";
            /// What sets it after a loss.
            after_loss: Option<WindowPlan>;
        }
    }
    impl Check for Transport {}

    crate::parameters! {
        /// A transport whose rule must be given.
        struct Strict {
            /// What sets the window.
            window_rule: WindowPlan;
        }
    }
    impl Check for Strict {}

    /// A page of plain values, and its mistakes.
    struct Page(Vec<(&'static str, Value)>, Vec<String>);

    impl Reader for Page {
        fn take(&mut self, field: &Field) -> Option<Value> {
            self.0.iter().find(|(key, _)| *key == field.key()).map(|(_, value)| value.clone())
        }
        fn mistake(&mut self, key: &str, message: String) {
            self.1.push(format!("{key}: {message}"));
        }
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn table(entries: &[(&str, Value)]) -> Value {
        Value::Table(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn curve(beta: f64) -> WindowPlan {
        WindowPlan::Curve(curve::Parameters { beta: Probability(beta), scale: Positive(0.4) })
    }

    fn mistakes<P: super::super::Parameters>(given: Vec<(&'static str, Value)>) -> Vec<String> {
        let mut page = Page(given, vec![]);
        assert!(P::read(&mut page).is_none());
        page.1
    }

    #[test]
    fn a_component_is_a_parameter() {
        let mut page = Page(vec![("window-rule", table(&[("curve", table(&[("beta", Value::Float(0.5))]))]))], vec![]);
        assert_eq!(Transport::read(&mut page), Some(Transport { window_rule: curve(0.5), after_loss: None }));
        assert_eq!(Transport::FIELDS[0].kind, Kind::Component { of: "window-rule", names: &["fixed", "curve"] });
        assert!(Transport::FIELDS[1].optional && !Transport::FIELDS[0].optional);
        assert_eq!(WindowPlan::ENTRIES[1].name, curve(0.5).name());
    }

    #[test]
    fn a_name_alone_stands_for_all_defaults() {
        let mut page = Page(vec![("after-loss", text("curve"))], vec![]);
        assert_eq!(Transport::read(&mut page), Some(Transport { window_rule: curve(0.7), after_loss: Some(curve(0.7)) }));
    }

    #[test]
    fn every_mistake_stands_at_its_path() {
        let both = table(&[("curve", table(&[("beta", text("much")), ("bta", Value::Integer(1))]))]);
        assert_eq!(
            mistakes::<Transport>(vec![("window-rule", both), ("after-loss", text("fixed"))]),
            [
                "window-rule.curve.beta: 'much' is not a number between 0 and 1",
                "window-rule.curve.bta: unknown key 'bta'",
                "after-loss.fixed.window: is missing and has no default; write window = 1",
            ]
        );
        let steep = table(&[("curve", table(&[("beta", Value::Float(0.9))]))]);
        assert_eq!(mistakes::<Strict>(vec![("window-rule", steep)]), ["window-rule.curve.beta: is above twice the scale"]);
    }

    #[test]
    fn there_is_exactly_one_component_of_a_known_name() {
        let of = |value: Value| mistakes::<Strict>(vec![("window-rule", value)]).remove(0);
        let empty = table(&[]);
        assert_eq!(of(text("cubic")), "window-rule: unknown window-rule 'cubic'; one of fixed, curve");
        assert_eq!(of(empty.clone()), "window-rule: names no window-rule; one of fixed, curve");
        assert_eq!(of(table(&[("fixed", empty.clone()), ("curve", empty)])), "window-rule: names two, 'fixed' and 'curve'; keep one");
        assert_eq!(of(table(&[("curve", Value::Integer(3))])), "window-rule.curve: 3 is not a table; write { key = value }");
        assert_eq!(of(Value::Integer(3)), "window-rule: 3 is not the name of a window-rule; one of fixed, curve");
        assert_eq!(mistakes::<Strict>(vec![]), ["window-rule: is missing and has no default; one of fixed, curve"]);
    }

    #[test]
    fn a_default_must_be_sound_by_itself() {
        assert_eq!(WindowPlan::from_value(&text("curve")), Ok(curve(0.7)));
        assert_eq!(WindowPlan::from_value(&text("fixed")), Err("fixed.window: is missing and has no default; write window = 1".to_owned()));
    }
}
