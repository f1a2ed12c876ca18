//! Changes of parameters during a run.

use super::{join_words, Field, Parameter};
use std::any::Any;
use std::fmt;

/// Reason why a running component cannot adopt other parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// The parameters belong to another component.
    OtherComponent {
        /// Scenario key of the running component.
        from: &'static str,
        /// Scenario key of the other component.
        to: &'static str,
    },
    /// A parameter that is not changeable differs.
    NotChangeable {
        /// Key of the parameter.
        key: String,
        /// Keys of the changeable parameters.
        changeable: Vec<String>,
    },
    /// A component or a table is given in one version and left out in the other.
    Existence,
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeError::OtherComponent { from, to } => {
                write!(f, "'{from}' cannot become '{to}' during a run; change parameters of '{from}'")
            }
            ChangeError::NotChangeable { key, changeable } if changeable.is_empty() => {
                write!(f, "'{key}' cannot be changed during a run, nor can any other parameter of this component")
            }
            ChangeError::Existence => f.write_str("a component or table cannot be added or removed during a run"),
            ChangeError::NotChangeable { key, changeable } => {
                write!(f, "'{key}' cannot be changed during a run; one of {}", join_words(changeable.iter().map(String::as_str)))
            }
        }
    }
}

impl std::error::Error for ChangeError {}

/// Checks whether the value `one` of `field`, which is among the fields `all` of a component, can become `other`.
#[doc(hidden)]
pub fn check_field<T: Parameter + PartialEq>(all: &[Field], field: &Field, one: &T, other: &T) -> Result<(), ChangeError> {
    if one == other {
        Ok(())
    } else if field.is_changeable {
        one.check_change(other)
    } else {
        let changeable = all.iter().filter(|field| field.is_changeable).map(Field::key).collect();
        Err(ChangeError::NotChangeable { key: field.key(), changeable })
    }
}

/// Converts the parameters that the method `change` receives to the component's own type.
///
/// # Panics
/// If the parameters are of another type.
pub fn own<P: 'static>(parameters: &dyn Any) -> &P {
    parameters.downcast_ref().expect("a component gets parameters of the type that it declares")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::testing::read;
    use crate::parameters::{Check, Count, Parameters};

    crate::parameters! {
        /// A component with one changeable parameter.
        struct Sample {
            /// A fixed number.
            fixed: Count = "1";
            /// A number that can be changed.
            free: Count = "2", changeable;
        }
    }
    impl Check for Sample {}

    #[test]
    fn only_changeable_parameters_change() {
        let sample = |lines: &[&str]| read::<Sample>(lines).expect("sound");
        assert_eq!(Sample::FIELDS.iter().map(|field| field.is_changeable).collect::<Vec<_>>(), [false, true]);
        assert_eq!(sample(&[]).check_change(&sample(&["free = 7"])), Ok(()));
        let error = sample(&[]).check_change(&sample(&["free = 7", "fixed = 3"])).expect_err("not changeable");
        assert_eq!(error.to_string(), "'fixed' cannot be changed during a run; one of free");
        assert_eq!(own::<Sample>(&sample(&["free = 7"])).free, Count(7));
    }
}
