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
    /// `Load()`, which the blank of what has a context holds.
    load: Py<PyAny>,
}

/// A node class with the dictionary that its nodes begin with: every place and field there, and in it `None`, or `Load()`.
/// A copy of one that is complete is never resized.
struct Class {
    class: Py<PyAny>,
    blank: Py<PyDict>,
    /// In the order of the grammar.
    fields: Vec<(String, Py<PyString>)>,
    /// A node that does not say on which line it ends, ends where it begins; patterns have to say it. (Before 3.11 code
    /// does not know where anything ends.)
    may_lack_end: bool,
}

/// Position of a node, in CPython's terms.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    /// `lineno`, `col_offset`.
    pub start: (u32, u32),
    /// `end_lineno`, `end_col_offset`.
    pub end: (u32, u32),
}

static NODES: PyOnceLock<Nodes> = PyOnceLock::new();

/// The node classes of the running Python.
pub fn nodes(py: Python<'_>) -> PyResult<&'static Nodes> {
    NODES.get_or_try_init(py, || {
        let module = py.import("ast")?;
        let base = module.getattr("AST")?;
        let new = base.getattr("__new__")?;
        let load = new.call1((module.getattr("Load")?,))?;
        let mut nodes = Nodes {
            new: new.unbind(),
            load: load.clone().unbind(),
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
            nodes.classes.insert(name, Class::new(&class, &load)?);
        }
        Ok(nodes)
    })
}

impl Class {
    fn new(class: &Bound<'_, PyAny>, load: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = class.py();
        let blank = PyDict::new(py);
        for name in class.getattr("_attributes")?.cast_into::<PyTuple>()? {
            blank.set_item(PyString::intern(py, &name.extract::<String>()?), py.None())?;
        }
        let mut fields = Vec::new();
        for name in class.getattr("_fields")?.cast_into::<PyTuple>()? {
            let name = PyString::intern(py, &name.extract::<String>()?);
            let value = if name == "ctx" { load.clone() } else { py.None().into_bound(py) };
            blank.set_item(&name, value)?;
            fields.push((name.to_string(), name.unbind()));
        }
        let may_lack_end = class.hasattr("end_lineno")?;
        Ok(Self { class: class.clone().unbind(), blank: blank.unbind(), fields, may_lack_end })
    }
}

impl Nodes {
    /// A shared node of a class without fields.
    pub fn shared<'py>(&self, py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        if class == "Load" {
            return Ok(self.load.bind(py).clone());
        }
        let found = self.shared.get(class);
        found.map(|node| node.bind(py).clone()).ok_or_else(|| missing(class))
    }

    /// A new node with these fields, and `None` in all others; fields that this Python does not have are left out. It
    /// takes least time if they come in the order of the grammar.
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
            if end.0 != start.0 || !class.may_lack_end {
                values.set_item(pyo3::intern!(py, "end_lineno"), end.0)?;
            }
            values.set_item(pyo3::intern!(py, "end_col_offset"), end.1)?;
        }
        let mut rest = &class.fields[..];
        for (name, value) in fields {
            if value.is_none() || value.is(&self.load) {
                continue;
            }
            let at = |fields: &[(String, _)]| fields.iter().position(|(known, _)| known == name);
            if let Some(next) = at(rest) {
                values.set_item(&rest[next].1, value)?;
                rest = &rest[next + 1..];
            } else if let Some(before) = at(&class.fields) {
                values.set_item(&class.fields[before].1, value)?;
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
