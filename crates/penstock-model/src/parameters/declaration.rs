//! Parameters of a type that only the code that declares and uses them knows.

use super::{own, ChangeError, Field, Parameters, Reader};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A declaration of further parameters of a component, such as the parameters of its classes.
#[derive(Clone, Copy)]
pub struct Declaration {
    /// Documentation.
    pub doc: &'static str,
    /// Parameters, in order.
    pub fields: &'static [Field],
    read: &'static Read,
}

type Read = dyn Fn(&mut dyn Reader) -> Option<AnyParameters> + Send + Sync;

impl Declaration {
    /// The declaration of `P`.
    pub const fn of<P: Parameters + fmt::Debug + Send + Sync + 'static>() -> Declaration {
        Declaration { doc: P::DOC, fields: P::FIELDS, read: &|reader| P::read(reader).map(AnyParameters::new) }
    }

    /// A declaration that is created at run time and lives until the program ends.
    pub fn read_by(
        doc: &'static str,
        fields: &'static [Field],
        read: impl Fn(&mut dyn Reader) -> Option<AnyParameters> + Send + Sync + 'static,
    ) -> Declaration {
        Declaration { doc, fields, read: Box::leak(Box::new(read)) }
    }

    /// Reads all parameters and reports every mistake to `reader`; `None` if there was any.
    pub fn read(&self, reader: &mut dyn Reader) -> Option<AnyParameters> {
        (self.read)(reader)
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration").field("doc", &self.doc).field("fields", &self.fields).finish_non_exhaustive()
    }
}

/// Parameters that have been read by a [`Declaration`].
#[derive(Clone)]
pub struct AnyParameters {
    values: Arc<dyn Any + Send + Sync>,
    /// Values as text, which distinguishes parameters of the same type.
    text: Arc<str>,
    fields: &'static [Field],
    check_change: fn(&dyn Any, &dyn Any) -> Result<(), ChangeError>,
}

impl AnyParameters {
    /// Wraps these parameters.
    pub fn new<P: Parameters + fmt::Debug + Send + Sync + 'static>(parameters: P) -> AnyParameters {
        AnyParameters::shared(Arc::new(parameters))
    }

    /// Wraps these parameters, which others share.
    pub fn shared<P: Parameters + fmt::Debug + Send + Sync + 'static>(parameters: Arc<P>) -> AnyParameters {
        let text = format!("{parameters:?}").into();
        let check_change: fn(&dyn Any, &dyn Any) -> _ = |one, other| own::<P>(one).check_change(own(other));
        AnyParameters { values: parameters, text, fields: P::FIELDS, check_change }
    }

    /// Wraps values whose declarations, `fields`, are created at run time.
    pub fn declared<V: fmt::Debug + Send + Sync + 'static>(
        values: Arc<V>,
        fields: &'static [Field],
        check_change: fn(&dyn Any, &dyn Any) -> Result<(), ChangeError>,
    ) -> AnyParameters {
        let text = format!("{values:?}").into();
        AnyParameters { values, text, fields, check_change }
    }

    /// Parameters in the declared type.
    pub fn values(&self) -> &dyn Any {
        &*self.values
    }

    /// Declarations of the parameters.
    pub fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// Checks that a running component can change from these parameters to `other`, of the same type.
    ///
    /// # Errors
    /// If a parameter differs that is not changeable.
    pub fn check_change(&self, other: &AnyParameters) -> Result<(), ChangeError> {
        (self.check_change)(self.values(), other.values())
    }

    /// Parameters in their own type.
    ///
    /// # Panics
    /// If `P` is another type.
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
