//! CPython's node classes, found once, and nodes made without calling their constructors.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

/// The module `ast`, as far as it is needed.
pub struct Nodes {
    new: Py<PyAny>,
    classes: HashMap<String, Py<PyAny>>,
    /// `Load()`, `Add()` and so on: nodes without fields, which can be shared.
    shared: HashMap<String, Py<PyAny>>,
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
        let mut nodes =
            Nodes { new: base.getattr("__new__")?.unbind(), classes: HashMap::new(), shared: HashMap::new() };
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
            nodes.classes.insert(name, class.unbind());
        }
        Ok(nodes)
    })
}

/// `types.CellType`.
pub fn cell_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    CELL.get_or_try_init(py, || Ok(py.import("types")?.getattr("CellType")?.unbind()))
        .map(|cell| cell.bind(py))
}

impl Nodes {
    /// A shared node of a class without fields.
    pub fn shared<'py>(&self, py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.shared.get(class);
        found.map(|node| node.bind(py).clone()).ok_or_else(|| missing(class))
    }

    /// A new node; its fields go into the dictionary that is returned with it.
    pub fn make<'py>(
        &self,
        py: Python<'py>,
        class: &str,
        at: Option<Position>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let class = self.classes.get(class).ok_or_else(|| missing(class))?;
        let node = self.new.bind(py).call1((class,))?;
        let fields = node.getattr(pyo3::intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
        if let Some(Position { start, end }) = at {
            fields.set_item(pyo3::intern!(py, "lineno"), start.0)?;
            fields.set_item(pyo3::intern!(py, "col_offset"), start.1)?;
            fields.set_item(pyo3::intern!(py, "end_lineno"), end.0)?;
            fields.set_item(pyo3::intern!(py, "end_col_offset"), end.1)?;
        }
        Ok((node, fields))
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
