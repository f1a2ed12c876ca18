//! Components that users write in Python: their declarations, their functions, and their faults.

use penstock_foreign::{functions, views, Components, Declaration, ParameterDeclaration, StateDeclaration, ViewField, PARAMETER_KINDS};
use penstock_model::registry::Registry;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

create_exception!(_core, ComponentError, PyValueError, "A component of the user's own that failed during a run.");

/// A file as `penstock.own` returns it: its identity and its components.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OwnFile {
    /// Distinguishes it from all other files, and its compiled from its interpreted form.
    key: String,
    identity: String,
    components: Vec<OwnComponent>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OwnComponent {
    kind: String,
    name: String,
    doc: String,
    streams: Vec<String>,
    parameters: Vec<OwnParameter>,
    class_parameters: Vec<OwnParameter>,
    state: Vec<OwnState>,
    hooks: BTreeMap<String, usize>,
    facts: Vec<String>,
    settings: BTreeMap<String, String>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OwnParameter {
    name: String,
    doc: String,
    kind: String,
    words: Vec<(String, String)>,
    default: Option<String>,
    changeable: bool,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OwnState {
    name: String,
    doc: String,
    unit: String,
    is_float: bool,
    is_list: bool,
    initial: Vec<u64>,
}

/// The components of files that have been read: they live as long as the process.
static FILES: Mutex<BTreeMap<String, Components>> = Mutex::new(BTreeMap::new());

/// The components in a Python file and `others`.
pub fn with_file(file: &Path, others: &Registry) -> Result<Registry, Vec<String>> {
    let read = |py: Python<'_>| py.import("penstock.own.files")?.call_method1("read", (file,))?.extract::<OwnFile>();
    let own = Python::attach(|py| read(py).map_err(|error| message(py, &error)));
    let own = own.map_err(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())?;
    let mut known = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let components = match known.get(&own.key) {
        Some(components) => components.clone(),
        None => {
            let declarations = own.components.into_iter().map(declaration).collect();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let components = Components::new(&name, &own.identity, declarations).map_err(|message| vec![message])?;
            known.insert(own.key, components.clone());
            components
        }
    };
    let mut registry = others.clone();
    registry.load(components.plugin()).map_err(|error| vec![error.to_string()])?;
    Ok(registry)
}

/// The message of an exception; its type if it has none.
fn message(py: Python<'_>, error: &PyErr) -> String {
    let text = error.value(py).to_string();
    if text.is_empty() {
        error.to_string().trim_end_matches(": ").to_owned()
    } else {
        text
    }
}

/// All components that a scenario with this `use` has.
///
/// # Errors
/// `ValueError` with the mistakes of the file, a line each.
pub fn registry_with(py: Python<'_>, file: Option<PathBuf>) -> PyResult<Registry> {
    let all = crate::plugins::registry();
    match file {
        None => Ok(all.clone()),
        Some(file) => py.detach(|| with_file(&file, all)).map_err(|messages| PyValueError::new_err(messages.join("\n"))),
    }
}

fn declaration(it: OwnComponent) -> Declaration {
    let parameter = |it: OwnParameter| ParameterDeclaration {
        name: it.name,
        doc: it.doc,
        kind: it.kind,
        words: it.words,
        default: it.default,
        is_changeable: it.changeable,
    };
    let state = |it: OwnState| StateDeclaration {
        name: it.name,
        doc: it.doc,
        unit: it.unit,
        is_float: it.is_float,
        is_list: it.is_list,
        initial: it.initial,
    };
    Declaration {
        kind: it.kind,
        name: it.name,
        doc: it.doc,
        streams: it.streams,
        parameters: it.parameters.into_iter().map(parameter).collect(),
        class_parameters: it.class_parameters.into_iter().map(parameter).collect(),
        state: it.state.into_iter().map(state).collect(),
        hooks: it.hooks,
        facts: it.facts,
        settings: it.settings,
    }
}

/// The functions that hooks may call: symbol, signature, and address of each.
#[pyfunction]
pub fn component_functions() -> Vec<(&'static str, &'static str, usize)> {
    functions::functions().into_iter().map(|it| (it.symbol, it.signature, it.address)).collect()
}

/// The kinds of parameters that a component may declare.
#[pyfunction]
pub fn component_parameter_kinds() -> Vec<&'static str> {
    PARAMETER_KINDS.to_vec()
}

/// A field of a view: its name, whether it is floating-point (`f`) or whole (`i`), how many words it has, and whether hooks write it.
type FieldOfView = (&'static str, char, usize, bool);

/// The views of hooks: the name and fields of each.
#[pyfunction]
pub fn component_views() -> Vec<(&'static str, Vec<FieldOfView>)> {
    let field = |it: &ViewField| (it.name, if it.is_float { 'f' } else { 'i' }, it.length, it.is_written);
    views().into_iter().map(|it| (it.name, it.fields.iter().map(field).collect())).collect()
}

/// A call of a hook that failed.
#[pyclass(frozen, module = "penstock._core")]
pub struct Fault(Mutex<penstock_foreign::Fault>);

impl Fault {
    fn get<T>(&self, value: impl FnOnce(&mut penstock_foreign::Fault) -> T) -> T {
        value(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Fault {
    /// Kind and name of the component.
    #[getter]
    fn component(&self) -> (&'static str, &'static str) {
        self.get(|it| it.component)
    }

    /// The name of the file that the component is in.
    #[getter]
    fn file(&self) -> &'static str {
        self.get(|it| it.file)
    }

    /// What identifies that file.
    #[getter]
    fn identity(&self) -> &'static str {
        self.get(|it| it.identity)
    }

    /// The name of the component's place, such as a link.
    #[getter]
    fn site(&self) -> String {
        self.get(|it| it.site.clone())
    }

    /// The packet of the call and its flow, if the hook is about one.
    #[getter]
    fn packet(&self) -> Option<String> {
        self.get(|it| it.packet())
    }

    /// The hook.
    #[getter]
    fn hook(&self) -> &'static str {
        self.get(|it| it.hook)
    }

    /// What was wrong with its answer; empty if it raised an exception.
    #[getter]
    fn what(&self) -> String {
        self.get(|it| it.what.clone())
    }

    /// The time, and the other argument.
    #[getter]
    fn arguments(&self) -> [i64; 2] {
        self.get(|it| it.arguments)
    }

    /// The component's words before the call, with the addresses of its streams, which live as long as this object.
    #[getter]
    fn words(&self) -> Vec<u64> {
        self.get(penstock_foreign::Fault::words)
    }

    /// The words of the views before the call.
    #[getter]
    fn views(&self) -> [Vec<u64>; 2] {
        self.get(|it| it.views.clone())
    }
}

/// The exception for a hook that failed: the package says where and why.
pub fn fault_error(py: Python<'_>, fault: penstock_foreign::Fault) -> PyErr {
    let tell = || py.import("penstock.own.faults")?.call_method1("message", (Fault(Mutex::new(fault)),))?.extract::<String>();
    match tell() {
        Ok(message) => ComponentError::new_err(message),
        Err(error) => error,
    }
}
