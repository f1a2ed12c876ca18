//! Macros that declare parameters, words, and lists of components.

/// Declares a component's parameters; see the [module](mod@crate::parameters).
///
/// A scheduler names the declaration of its class parameters: `pub struct Parameters with class ClassParameters { ... }`. A component with
/// [profiles](crate::parameters::Profile) names their list, `with profiles PROFILES`, and has a parameter `profile`.
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident $(with profiles $profiles:ident)? $(with class $class:ty)? {
            $( $(#[doc = $field_doc:literal])* $field:ident : $type:ty $(= $default:literal)? $(, $changeable:ident)? ; )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $crate::parameters::Parameters for $name {
            const DOC: &'static str = concat!($($doc, "\n"),*);
            const FIELDS: &'static [$crate::parameters::Field] = &[
                $( $crate::parameters::Field {
                    name: $crate::parameters::plain(stringify!($field)),
                    doc: concat!($($field_doc, "\n"),*),
                    kind: <$type as $crate::parameters::Parameter>::KIND,
                    default: $crate::parameters!(@default $($default)?),
                    optional: <$type as $crate::parameters::Parameter>::OPTIONAL,
                    range: <$type as $crate::parameters::Parameter>::RANGE,
                    is_changeable: $crate::parameters!(@changeable $($changeable)?),
                }, )*
            ];
            const PROFILES: &'static [$crate::parameters::Profile] = $crate::parameters!(@profiles $($profiles)?);
            const CLASS: Option<$crate::parameters::Declaration> = $crate::parameters!(@class $($class)?);

            #[allow(unused_variables, unused_mut, unused_assignments)] // components without parameters
            fn read(reader: &mut dyn $crate::parameters::Reader) -> Option<Self> {
                $crate::parameters!(@profiled reader $($profiles)?);
                let mut fields = Self::FIELDS.iter();
                $( let $field = $crate::parameters::read_field::<$type>(fields.next().expect("one field each"), reader); )*
                let parameters = Self { $( $field: $field?, )* };
                let mut sound = true;
                $crate::parameters::Check::check(&parameters, &mut |key, message| {
                    sound = false;
                    reader.mistake(key, message);
                });
                sound.then_some(parameters)
            }

            #[allow(unused_mut, unused_variables)] // components without parameters
            fn check_change(&self, other: &Self) -> Result<(), $crate::parameters::ChangeError> {
                let mut fields = Self::FIELDS.iter();
                $( $crate::parameters::check_field(Self::FIELDS, fields.next().expect("one field each"), &self.$field, &other.$field)?; )*
                Ok(())
            }
        }
    };
    (@default $default:literal) => { Some($default) };
    (@default) => { None };
    (@profiles $profiles:ident) => { $profiles };
    (@profiles) => { &[] };
    (@profiled $reader:ident $profiles:ident) => {
        let mut profiled = $crate::parameters::Profiled::new($reader, $profiles, Self::FIELDS);
        let $reader: &mut dyn $crate::parameters::Reader = &mut profiled;
    };
    (@profiled $reader:ident) => {};
    (@class $class:ty) => { Some($crate::parameters::Declaration::of::<$class>()) };
    (@class) => { None };
    (@changeable changeable) => { true };
    (@changeable) => { false };
}

/// Declares a parameter whose value is one of several documented words.
///
/// Words must not select between algorithms that deserve separate components.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $word_doc:literal])* $word:literal => $variant:ident, )* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $word_doc])* $variant, )* }

        impl $crate::parameters::Parameter for $name {
            const KIND: $crate::parameters::Kind =
                $crate::parameters::Kind::Choice(&[$( ($word, concat!($($word_doc),*)), )*]);

            fn from_value(value: &$crate::parameters::Value) -> Result<Self, String> {
                match value {
                    $( $crate::parameters::Value::Text(text) if text == $word => Ok(Self::$variant), )*
                    other => Err(format!(
                        "{} is not one of {}",
                        other.quoted(),
                        $crate::parameters::join_words([$($word),*].into_iter()),
                    )),
                }
            }
        }
    };
}

/// Lists the components of one kind, and generates the plan (parameters, as read from a scenario), the names and the catalogue entries.
///
/// `"red" => Red(red::Parameters) shows red::Red::STATE,` adds the variant `Red` under the scenario key `red`, with its
/// [state](crate::state), if any. The plan is itself a [`Parameter`], so that a component may contain one of another kind: `queue:
/// DisciplinePlan = "tail-drop";`. A kind that is `open` to plug-ins names its [`OpenKind`](crate::registry::OpenKind) and gets a variant
/// `Custom`.
///
/// [`Parameter`]: crate::parameters::Parameter
#[macro_export]
macro_rules! component_plans {
    ( $(#[doc = $doc:literal])* $vis:vis enum $plan:ident of $kind:literal $(open $open:ty)? { $( $name:literal => $variant:ident($parameters:ty) $(shows $state:expr)?, )* } ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // a variant is documented by its parameters
        #[allow(clippy::large_enum_variant)] // plans are few, one for each port or group of flows
        $vis enum $plan {
            $( $variant($parameters), )*
            $( Custom($crate::registry::Custom<$open>), )?
        }

        impl $plan {
            /// The kind of these components.
            pub const OF: &'static str = $kind;

            /// The scenario keys, in the order of the list.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The catalogue entries, in the order of the list.
            pub const ENTRIES: &'static [$crate::parameters::Entry] = &[
                $( $crate::parameters::Entry {
                    name: $name,
                    doc: <$parameters as $crate::parameters::Parameters>::DOC,
                    fields: <$parameters as $crate::parameters::Parameters>::FIELDS,
                    state: $crate::component_plans!(@state $($state)?),
                    class: <$parameters as $crate::parameters::Parameters>::CLASS,
                    profiles: <$parameters as $crate::parameters::Parameters>::PROFILES,
                }, )*
            ];

            /// Reads the parameters of the component `name`; `None` after a reported mistake or for an unknown name.
            pub fn read(name: &str, reader: &mut dyn $crate::parameters::Reader) -> Option<Self> {
                match name {
                    $( $name => <$parameters as $crate::parameters::Parameters>::read(reader).map(Self::$variant), )*
                    $( other => $crate::registry::Registry::read::<$open>(other, reader).map(Self::Custom), )?
                    #[allow(unreachable_patterns)] // if plug-ins may add components
                    _ => None,
                }
            }

            /// The scenario key of this plan's component.
            pub fn name(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => $name, )*
                    $( Self::Custom(it) => <$crate::registry::Custom<$open>>::name(it), )?
                }
            }

            /// Parameters in the type that the component declares.
            pub fn own_parameters(&self) -> &dyn ::std::any::Any {
                match self {
                    $( Self::$variant(it) => it, )*
                    $( Self::Custom(it) => <$crate::registry::Custom<$open>>::own_parameters(it), )?
                }
            }

            /// Parameters in the type that the component declares; `None` if none can be set during a run.
            pub fn changeable(&self) -> Option<&dyn ::std::any::Any> {
                let fields = match self {
                    $( Self::$variant(_) => <$parameters as $crate::parameters::Parameters>::FIELDS, )*
                    $( Self::Custom(it) => <$crate::registry::Custom<$open>>::fields(it), )?
                };
                fields.iter().any(|field| field.is_changeable).then(|| self.own_parameters())
            }

            /// Checks that a running component can change from these parameters to `other` without being rebuilt.
            ///
            /// # Errors
            /// If `other` is another component, or a parameter that is not changeable differs.
            pub fn check_change(&self, other: &Self) -> Result<(), $crate::parameters::ChangeError> {
                match (self, other) {
                    $( (Self::$variant(one), Self::$variant(other)) => $crate::parameters::Parameters::check_change(one, other), )*
                    $( (Self::Custom(one), Self::Custom(other)) if one.name() == other.name() => {
                        <$crate::registry::Custom<$open>>::check_change(one, other)
                    } )?
                    #[allow(unreachable_patterns)] // a kind with one component
                    _ => Err($crate::parameters::ChangeError::OtherComponent { from: self.name(), to: other.name() }),
                }
            }
        }

        impl $crate::parameters::Plan for $plan {
            const OF: &'static str = Self::OF;
            const NAMES: &'static [&'static str] = Self::NAMES;
            const ENTRIES: &'static [$crate::parameters::Entry] = Self::ENTRIES;

            fn read(name: &str, reader: &mut dyn $crate::parameters::Reader) -> Option<Self> {
                Self::read(name, reader)
            }
        }

        impl $crate::parameters::Parameter for $plan {
            const KIND: $crate::parameters::Kind = $crate::parameters::Kind::Component { of: Self::OF, names: Self::NAMES };

            fn from_value(value: &$crate::parameters::Value) -> Result<Self, String> {
                $crate::parameters::component_from_value(value, &Self::KIND, Self::read)
            }

            fn read_from(
                field: &$crate::parameters::Field,
                reader: &mut dyn $crate::parameters::Reader,
            ) -> $crate::parameters::Reading<Self> {
                $crate::parameters::read_component(field, reader, Self::read)
            }

            fn check_change(&self, other: &Self) -> Result<(), $crate::parameters::ChangeError> {
                Self::check_change(self, other)
            }
        }
    };
    (@state $state:expr) => { $state };
    (@state) => { &[] };
}

/// Declares, in the trait of a kind of components, the method by which a component adopts new values of changeable parameters.
///
/// A kind whose method needs more arguments declares its own, as [schedulers](crate::scheduler::Scheduler::change) do.
#[macro_export]
macro_rules! takes_changes {
    () => {
        /// Adopts new values of changeable parameters from `now` on, and keeps its state; `parameters` are of the type that it declares
        /// (see [`own`](crate::parameters::own)). Called at each change of parameters of its port or flow, even if its own do not change,
        /// after all else at this instant. Properties that it reports before it runs, such as the hooks that it uses, must not depend on
        /// these parameters.
        fn change(&mut self, now: $crate::units::Time, parameters: &dyn ::std::any::Any) {
            let _ = (now, parameters);
            panic!("a component with changeable parameters takes them");
        }
    };
}
