//! The declaration of a component: what its author wrote, and what the engine needs of it.

use crate::hook::{hook, leak, Hook};
use crate::parameters::{declared, Declared, ParameterDeclaration};
use penstock_model::parameters::{Entry, Field};
use penstock_model::probe::Variable;
use penstock_scenario::metric::Metric;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Maximum number of classes of a scheduler: the length of its lists over classes.
pub(crate) const MOST_CLASSES: usize = 32;

/// A component as its author declares it.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The kind, such as `discipline`.
    pub kind: String,
    /// The scenario key.
    pub name: String,
    /// The docstring (Markdown).
    pub doc: String,
    /// The names of its random streams.
    pub streams: Vec<String>,
    /// The parameters.
    pub parameters: Vec<ParameterDeclaration>,
    /// The parameters of each class of a scheduler.
    pub class_parameters: Vec<ParameterDeclaration>,
    /// The state.
    pub state: Vec<StateDeclaration>,
    /// The addresses of its hooks, by name.
    pub hooks: BTreeMap<String, usize>,
    /// Further facts that the kind defines, such as `marks`.
    pub facts: Vec<String>,
    /// Further arguments of the decorator, such as the unit of a metric.
    pub settings: BTreeMap<String, String>,
}

/// A variable of the state.
#[derive(Clone, Debug, Default)]
pub struct StateDeclaration {
    /// Its name in Python.
    pub name: String,
    /// Its meaning; empty for state that is not shown.
    pub doc: String,
    /// The unit of its values; `1` if it has none.
    pub unit: String,
    /// Whether its words are floating-point numbers.
    pub is_float: bool,
    /// Whether it is a list.
    pub is_list: bool,
    /// The words at the beginning.
    pub initial: Vec<u64>,
}

/// A component as the engine needs it. Its texts live as long as the process.
pub(crate) struct Component {
    pub kind: &'static str,
    pub name: &'static str,
    /// The name and the identity of its file.
    pub file: &'static str,
    pub identity: &'static str,
    pub streams: Vec<String>,
    pub parameters: Declared,
    /// The parameters of classes, each a list over them.
    pub class_parameters: Declared,
    pub hooks: BTreeMap<String, Hook>,
    pub facts: Vec<String>,
    settings: BTreeMap<String, String>,
    /// The metric that it is, once it has been added.
    pub metric: OnceLock<&'static dyn Metric>,
    /// The state at the beginning.
    pub initial: Vec<u64>,
    /// The declared state that is shown, and its words.
    pub variables: &'static [Variable],
    pub shown: Vec<Shown>,
    /// The names of the state, and the position of the first word of each.
    names: Vec<(String, usize)>,
    doc: &'static str,
}

/// The words of a variable, by their positions in the state.
pub(crate) struct Shown {
    pub words: Range<usize>,
    pub is_float: bool,
    pub is_list: bool,
}

impl Component {
    /// The component of a declaration.
    ///
    /// # Errors
    /// If the kind of a parameter is unknown, or a default is not an allowed value.
    pub fn new(it: Declaration, file: &'static str, identity: &'static str) -> Result<Arc<Component>, String> {
        let of_name = |message| format!("{}: {message}", it.name);
        let parameters = declared(&it.parameters).map_err(of_name)?;
        let class_parameters = declared(&it.class_parameters).map_err(of_name)?;
        let (mut shown, mut variables, mut names, mut next) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for state in &it.state {
            let words = next..next + state.initial.len();
            next = words.end;
            names.push((state.name.clone(), words.start));
            if !state.doc.is_empty() {
                variables.push(Variable { name: leak(&state.name.replace('_', "-")), unit: leak(&state.unit), doc: leak(&state.doc) });
                shown.push(Shown { words, is_float: state.is_float, is_list: state.is_list });
            }
        }
        Ok(Arc::new(Component {
            kind: leak(&it.kind),
            name: leak(&it.name),
            file,
            identity,
            doc: leak(&it.doc),
            parameters,
            class_parameters,
            hooks: it.hooks.into_iter().map(|(name, address)| (name, hook(address))).collect(),
            facts: it.facts,
            settings: it.settings,
            metric: OnceLock::new(),
            initial: it.state.into_iter().flat_map(|state| state.initial).collect(),
            streams: it.streams,
            variables: variables.leak(),
            shown,
            names,
        }))
    }

    /// Its entry in the catalogue.
    pub fn entry(&self) -> Entry {
        let fields: &'static [Field] = self.parameters.fields;
        Entry { name: self.name, doc: self.doc, fields, state: self.variables, class: None, profiles: &[] }
    }

    /// The argument of its decorator with this name.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str)
    }

    /// Whether it declares this fact.
    pub fn has(&self, fact: &str) -> bool {
        self.facts.iter().any(|it| it == fact)
    }

    /// The position of a variable among the words of the state.
    pub fn state_position(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(it, _)| it == name).map(|(_, position)| *position)
    }
}
