//! Parameters of a type that is known only to the code that declares and uses them.

use super::{own, ChangeError, Field, Parameters, Reader};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A declaration of further parameters of a component, such as the parameters of its classes.
#[derive(Clone, Copy)]
pub struct Declaration {
    /// The documentation.
    pub doc: &'static str,
    /// The parameters, in order.
    pub fields: &'static [Field],
    read: &'static Read,
}

type Read = dyn Fn(&mut dyn Reader) -> Option<AnyParameters> + Send + Sync;

impl Declaration {
    /// The declaration of `P`.
    pub const fn of<P: Parameters + fmt::Debug + Send + Sync + 'static>() -> Declaration {
        Declaration { doc: P::DOC, fields: P::FIELDS, read: &|reader| P::read(reader).map(AnyParameters::new) }
    }

    /// A declaration that is known only while the program runs, and lives until it ends.
    pub fn read_by(
        doc: &'static str,
        fields: &'static [Field],
        read: impl Fn(&mut dyn Reader) -> Option<AnyParameters> + Send + Sync + 'static,
    ) -> Declaration {
        Declaration { doc, fields, read: Box::leak(Box::new(read)) }
    }

    /// Reads all parameters, reporting every mistake to `reader`; `None` if there was any.
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
    /// The values as text, which tells parameters of the same type apart.
    text: Arc<str>,
    fields: &'static [Field],
    check_change: fn(&dyn Any, &dyn Any) -> Result<(), ChangeError>,
}

impl AnyParameters {
    /// These parameters.
    pub fn new<P: Parameters + fmt::Debug + Send + Sync + 'static>(parameters: P) -> AnyParameters {
        AnyParameters::shared(Arc::new(parameters))
    }

    /// These parameters, shared with other users.
    pub fn shared<P: Parameters + fmt::Debug + Send + Sync + 'static>(parameters: Arc<P>) -> AnyParameters {
        let text = format!("{parameters:?}").into();
        let check_change: fn(&dyn Any, &dyn Any) -> _ = |one, other| own::<P>(one).check_change(own(other));
        AnyParameters { values: parameters, text, fields: P::FIELDS, check_change }
    }

    /// Values whose declarations, `fields`, are known only while the program runs.
    pub fn declared<V: fmt::Debug + Send + Sync + 'static>(
        values: Arc<V>,
        fields: &'static [Field],
        check_change: fn(&dyn Any, &dyn Any) -> Result<(), ChangeError>,
    ) -> AnyParameters {
        let text = format!("{values:?}").into();
        AnyParameters { values, text, fields, check_change }
    }

    /// The parameters, of the type that was declared.
    pub fn values(&self) -> &dyn Any {
        &*self.values
    }

    /// Their declarations.
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
