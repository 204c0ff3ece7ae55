//! CPython's node classes, found once, and nodes made without calling their constructors.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use rustc_hash::FxHashMap;

/// The module `ast`, as far as it is needed.
pub struct Nodes {
    new: Py<PyAny>,
    classes: FxHashMap<String, Class>,
    /// `Load()`, `Add()` and so on: nodes without fields, which can be shared.
    shared: FxHashMap<String, Py<PyAny>>,
}

/// A node class with the dictionary that its nodes begin with: every place and field there, and `None` in it. A copy of
/// one that is complete is never resized.
struct Class {
    class: Py<PyAny>,
    blank: Py<PyDict>,
    fields: Vec<(String, Py<PyString>)>,
}

/// Where a node stands, in CPython's terms.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    /// `lineno`, `col_offset`.
    pub start: (u32, u32),
    /// `end_lineno`, `end_col_offset`.
    pub end: (u32, u32),
}

static NODES: PyOnceLock<Nodes> = PyOnceLock::new();
static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The node classes of the running Python.
pub fn nodes(py: Python<'_>) -> PyResult<&'static Nodes> {
    NODES.get_or_try_init(py, || {
        let module = py.import("ast")?;
        let base = module.getattr("AST")?;
        let mut nodes = Nodes {
            new: base.getattr("__new__")?.unbind(),
            classes: FxHashMap::default(),
            shared: FxHashMap::default(),
        };
        for (name, class) in module.dict() {
            let Ok(name) = name.extract::<String>() else { continue };
            let is_class = class.is_instance_of::<pyo3::types::PyType>();
            if name.starts_with('_')
                || !is_class
                || !class.cast::<pyo3::types::PyType>()?.is_subclass(&base)?
            {
                continue;
            }
            if class.getattr("_fields")?.len()? == 0 {
                let node = nodes.new.bind(py).call1((&class,))?;
                nodes.shared.insert(name.clone(), node.unbind());
            }
            nodes.classes.insert(name, Class::new(&class)?);
        }
        Ok(nodes)
    })
}

/// `types.CellType`.
pub fn cell_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    CELL.get_or_try_init(py, || Ok(py.import("types")?.getattr("CellType")?.unbind()))
        .map(|cell| cell.bind(py))
}

impl Class {
    fn new(class: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = class.py();
        let blank = PyDict::new(py);
        let mut fields = Vec::new();
        for names in ["_attributes", "_fields"] {
            for name in class.getattr(names)?.cast_into::<PyTuple>()? {
                let name = PyString::intern(py, &name.extract::<String>()?);
                blank.set_item(&name, py.None())?;
                fields.push((name.to_string(), name.unbind()));
            }
        }
        Ok(Self { class: class.clone().unbind(), blank: blank.unbind(), fields })
    }
}

impl Nodes {
    /// A shared node of a class without fields.
    pub fn shared<'py>(&self, py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.shared.get(class);
        found.map(|node| node.bind(py).clone()).ok_or_else(|| missing(class))
    }

    /// A new node with these fields, and `None` in all others; fields that this Python does not have are left out.
    pub fn make<'py>(
        &self,
        py: Python<'py>,
        class: &str,
        at: Option<Position>,
        fields: &[(&str, Bound<'py, PyAny>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.classes.get(class).ok_or_else(|| missing(class))?;
        let values = class.blank.bind(py).copy()?;
        if let Some(Position { start, end }) = at {
            values.set_item(pyo3::intern!(py, "lineno"), start.0)?;
            values.set_item(pyo3::intern!(py, "col_offset"), start.1)?;
            values.set_item(pyo3::intern!(py, "end_lineno"), end.0)?;
            values.set_item(pyo3::intern!(py, "end_col_offset"), end.1)?;
        }
        for (name, value) in fields {
            if let Some((_, name)) = class.fields.iter().find(|(known, _)| known == name) {
                values.set_item(name, value)?;
            }
        }
        let node = self.new.bind(py).call1((&class.class,))?;
        node.setattr(pyo3::intern!(py, "__dict__"), values)?;
        Ok(node)
    }
}

fn missing(class: &str) -> PyErr {
    let rule = format!("this Python has no `{class}` in its grammar");
    pyo3::exceptions::PySyntaxError::new_err(rule)
}

/// A Python string.
pub fn text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyAny> {
    PyString::new(py, text).into_any()
}
