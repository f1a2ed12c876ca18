//! Profiles: named sets of parameters. An author can override each parameter.

use super::reader::visit_component;
use super::types::LineRate;
use super::{default_value, Field, Reader, Value};
use crate::registry::Registry;

/// A named set of parameters of one component.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Word that selects the profile.
    pub name: &'static str,
    /// Settings of the profile. A component comes before its parameters.
    pub settings: &'static [Setting],
}

/// A parameter that a profile sets unless the scenario does.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Keys joined by dots, such as `min-rto` or `congestion-control.cubic.hystart`.
    pub path: &'static str,
    /// Value as an author would write it.
    pub value: &'static str,
    /// A parameter and a value. If the scenario gives this value, the profile omits the setting.
    pub unless: Option<(&'static str, &'static str)>,
}

/// Key of the parameter that selects a profile.
const KEY: &str = "profile";

/// A reader that supplies the values of a profile for parameters that are not written.
#[doc(hidden)]
pub struct Profiled<'a> {
    reader: &'a mut dyn Reader,
    /// Fields that were read before their turn, and the values written for them.
    taken: Vec<(&'static str, Option<Value>)>,
    settings: Vec<(&'static str, &'static str)>,
}

impl<'a> Profiled<'a> {
    /// Reads which of `profiles` is selected; `fields` are the parameters of the component.
    pub fn new(reader: &'a mut dyn Reader, profiles: &[Profile], fields: &[Field]) -> Profiled<'a> {
        let mut it = Profiled { reader, taken: Vec::new(), settings: Vec::new() };
        let name = it.take_early(KEY, fields);
        let chosen = profiles.iter().find(|profile| name == Some(Value::Text(profile.name.to_owned())));
        for setting in chosen.map_or(&[][..], |profile| profile.settings) {
            if setting.unless.is_none_or(|(key, value)| it.take_early(key, fields) != Some(default_value(value))) {
                it.settings.push((setting.path, setting.value));
            }
        }
        it
    }

    fn take_early(&mut self, key: &str, fields: &[Field]) -> Option<Value> {
        let field = fields.iter().find(|field| field.has_key(key)).expect("profiles name parameters");
        let value = self.take(field);
        if self.taken.iter().all(|(name, _)| *name != field.name) {
            self.taken.push((field.name, value.clone()));
        }
        value
    }

    /// Value that the profile sets for `field`.
    fn of_profile(&self, field: &Field) -> Option<Value> {
        self.settings.iter().find(|(path, _)| field.has_key(path)).map(|(_, value)| default_value(value))
    }
}

/// Settings for the parameters of the component `name` at `field`.
fn below(settings: &[(&'static str, &'static str)], field: &Field, name: &str) -> Vec<(&'static str, &'static str)> {
    let prefix = format!("{}.{name}.", field.key());
    settings.iter().filter_map(|(path, value)| Some((path.strip_prefix(&prefix)?, *value))).collect()
}

impl Reader for Profiled<'_> {
    fn take(&mut self, field: &Field) -> Option<Value> {
        let taken = self.taken.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value.clone());
        let written = taken.unwrap_or_else(|| self.reader.take(field));
        written.or_else(|| self.of_profile(field))
    }

    fn mistake(&mut self, key: &str, message: String) {
        self.reader.mistake(key, message);
    }

    fn line(&self) -> Option<LineRate> {
        self.reader.line()
    }

    fn registry(&self) -> &Registry {
        self.reader.registry()
    }

    fn component(&mut self, field: &Field, read: &mut dyn FnMut(&str, &mut dyn Reader)) -> bool {
        let settings = &self.settings;
        let mut read_with = |name: &str, reader: &mut dyn Reader| {
            read(name, &mut Profiled { reader, taken: Vec::new(), settings: below(settings, field, name) });
        };
        if self.reader.component(field, &mut read_with) {
            return true;
        }
        let Some(value) = self.of_profile(field) else { return false };
        let mut mistake = |key: &str, message: String| unreachable!("a profile is sound: {key}: {message}");
        visit_component(&value, (&field.kind, Registry::NONE), &mut mistake, &mut read_with);
        true
    }

    fn table(&mut self, field: &Field, read: &mut dyn FnMut(&mut dyn Reader)) -> bool {
        self.reader.table(field, read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(dead_code)] // these made-up components do not run
    use super::super::testing::read;
    use super::*;
    use crate::parameters::{Check, Count, Limit};

    mod window {
        use crate::parameters::{Check, Count};
        crate::parameters! {
            /// A made-up window.
            pub struct Parameters {
                /// Its size.
                size: Count = "1";
                /// Its step.
                step: Count = "1";
            }
        }
        impl Check for Parameters {}
    }

    crate::component_plans! {
        /// A made-up rule.
        pub enum RulePlan of "rule" {
            "fixed" => Fixed(window::Parameters),
            "growing" => Growing(window::Parameters),
        }
    }

    crate::choice! {
        /// A profile.
        enum Host {
            /// Nothing.
            "plain" => Plain,
            /// All.
            "real" => Real,
        }
    }

    const PROFILES: &[Profile] = &[Profile {
        name: "real",
        settings: &[
            Setting { path: "limit", value: "7 packets", unless: None },
            Setting { path: "rule", value: "growing", unless: None },
            Setting { path: "rule.growing.size", value: "5", unless: None },
            Setting { path: "delay", value: "3", unless: Some(("every", "1")) },
        ],
    }];

    crate::parameters! {
        /// A made-up host.
        struct Sample with profiles PROFILES {
            /// Which settings.
            profile: Host = "plain";
            /// How much.
            limit: Limit = "60 packets";
            /// Its rule.
            rule: RulePlan = "fixed";
            /// How often.
            every: Count = "1";
            /// How late.
            delay: Option<Count>;
        }
    }
    impl Check for Sample {}

    fn sample(lines: &[&str]) -> (u32, (&'static str, u32, u32), Option<u32>) {
        let it: Sample = read(lines).expect("sound");
        let Limit::Packets(limit) = it.limit else { panic!("packets") };
        let (RulePlan::Fixed(rule) | RulePlan::Growing(rule)) = &it.rule;
        (limit, (it.rule.name(), rule.size.0, rule.step.0), it.delay.map(|delay| delay.0))
    }

    #[test]
    fn what_is_not_written_comes_from_the_profile_and_then_from_the_defaults() {
        assert_eq!(sample(&[]), (60, ("fixed", 1, 1), None));
        assert_eq!(sample(&["profile = plain"]), (60, ("fixed", 1, 1), None));
        assert_eq!(sample(&["profile = real"]), (7, ("growing", 5, 1), Some(3)));
        assert_eq!(sample(&["profile = real", "limit = 9 packets"]), (9, ("growing", 5, 1), Some(3)));
        assert_eq!(sample(&["profile = real", "rule = growing"]).1, ("growing", 5, 1));
        assert_eq!(sample(&["profile = real", "rule = fixed"]).1, ("fixed", 1, 1));
        // This value makes the setting ineffective, but only if it is written.
        assert_eq!([1, 2].map(|every| sample(&["profile = real", &format!("every = {every}")]).2), [None, Some(3)]);
    }

    #[test]
    fn an_unknown_profile_is_refused_by_name() {
        assert_eq!(read::<Sample>(&["profile = other"]).expect_err("refused"), ["profile: 'other' is not one of plain, real"]);
    }
}
