//! Parameters of a type that only those know who declare and use them.

use super::{Field, Parameters, Reader};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A declaration of further parameters of a component, such as the parameters of its classes.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The documentation.
    pub doc: &'static str,
    /// The parameters, in order.
    pub fields: &'static [Field],
    read: fn(&mut dyn Reader) -> Option<AnyParameters>,
}

impl Declaration {
    /// The declaration of `P`.
    pub const fn of<P: Parameters + fmt::Debug + Send + Sync + 'static>() -> Declaration {
        Declaration { doc: P::DOC, fields: P::FIELDS, read: |reader| P::read(reader).map(AnyParameters::new) }
    }

    /// Reads all parameters, reporting every mistake to `reader`; `None` if there was any.
    pub fn read(&self, reader: &mut dyn Reader) -> Option<AnyParameters> {
        (self.read)(reader)
    }
}

/// Parameters that have been read by a [`Declaration`].
#[derive(Clone)]
pub struct AnyParameters {
    values: Arc<dyn Any + Send + Sync>,
    /// Tells two of the same type apart.
    text: Arc<str>,
}

impl AnyParameters {
    /// These parameters.
    pub fn new<P: fmt::Debug + Send + Sync + 'static>(parameters: P) -> AnyParameters {
        let text = format!("{parameters:?}").into();
        AnyParameters { values: Arc::new(parameters), text }
    }

    /// The parameters by their own type.
    ///
    /// # Panics
    /// If they are of another one.
    pub fn get<P: 'static>(&self) -> &P {
        let expected = std::any::type_name::<P>();
        self.values.downcast_ref().unwrap_or_else(|| panic!("{} where {expected} are used", self.text))
    }
}

impl PartialEq for AnyParameters {
    fn eq(&self, other: &AnyParameters) -> bool {
        ((*self.values).type_id(), &self.text) == ((*other.values).type_id(), &other.text)
    }
}

impl fmt::Debug for AnyParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
