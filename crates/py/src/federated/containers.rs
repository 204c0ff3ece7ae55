//! Python's containers: which objects are structs, with their names, items and class.

use gw_federated::types::DEEPEST;
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple, PyType};

use crate::federated::python::Container;
use crate::federated::structure::{self, Struct};

/// The items of a container, named or not.
pub type Items<'py> = Vec<(Option<String>, Bound<'py, PyAny>)>;

/// A container with its class; a `Struct` has none.
pub struct Opened<'py> {
    pub items: Items<'py>,
    pub class: Option<Bound<'py, PyType>>,
}

impl Opened<'_> {
    pub fn container(&self) -> Option<Container> {
        self.class.as_ref().map(|class| Container(class.clone().unbind()))
    }
}

/// Tells if an object, or a class, is a named tuple.
pub fn is_named_tuple(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    Ok(object.hasattr(intern!(py, "_fields"))? && object.hasattr(intern!(py, "_asdict"))?)
}

/// Tells if a class is one of `attrs`.
pub fn is_attrs(class: &Bound<'_, PyType>) -> PyResult<bool> {
    class.hasattr(intern!(class.py(), "__attrs_attrs__"))
}

/// Tells if a class is a dataclass.
pub fn is_dataclass(class: &Bound<'_, PyType>) -> PyResult<bool> {
    class.hasattr(intern!(class.py(), "__dataclass_fields__"))
}

/// Tells if an object is a dataset, whatever its class is besides.
pub fn is_dataset(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.hasattr(intern!(object.py(), "element_spec"))
}

/// Opens a container; `None` for any other object.
pub fn open<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Opened<'py>>> {
    let class = object.get_type();
    if object.is_instance_of::<PyList>() {
        return listed(object, class).map(Some);
    }
    if object.is_instance_of::<PyTuple>() && !is_named_tuple(object)? {
        return listed(object, class).map(Some);
    }
    if object.is_exact_instance_of::<PyDict>() {
        return mapped(object, class).map(Some);
    }
    if object.is_instance_of::<Struct>() {
        let items = structure::elements_of(object)?.unwrap_or_default();
        return Ok(Some(Opened { items, class: None }));
    }
    open_record(object, class)
}

/// Opens a container whose class names its elements.
fn open_record<'py>(object: &Bound<'py, PyAny>, class: Bound<'py, PyType>) -> PyResult<Option<Opened<'py>>> {
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if is_attrs(&class)? {
        let attributes = class.getattr(intern!(object.py(), "__attrs_attrs__"))?;
        return fields(object, attributes, class).map(Some);
    }
    if is_named_tuple(object)? {
        let items = object.call_method0(intern!(object.py(), "_asdict"))?;
        return mapped(&items, class).map(Some);
    }
    if object.cast::<PyMapping>().is_ok() {
        return mapped(object, class).map(Some);
    }
    if is_dataclass(&class)? && !is_dataset(object)? {
        let fields_of = object.py().import(intern!(object.py(), "dataclasses"))?.getattr("fields")?;
        return fields(object, fields_of.call1((object,))?, class).map(Some);
    }
    Ok(None)
}

fn listed<'py>(object: &Bound<'py, PyAny>, class: Bound<'py, PyType>) -> PyResult<Opened<'py>> {
    let items = object.try_iter()?.map(|item| Ok((None, item?))).collect::<PyResult<_>>()?;
    Ok(Opened { items, class: Some(class) })
}

fn mapped<'py>(object: &Bound<'py, PyAny>, class: Bound<'py, PyType>) -> PyResult<Opened<'py>> {
    let mut items = Vec::new();
    for item in object.call_method0(intern!(object.py(), "items"))?.try_iter()? {
        let (name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item?.extract()?;
        items.push((Some(name_of(&name)?), value));
    }
    Ok(Opened { items, class: Some(class) })
}

fn name_of(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let refused = || {
        let found = name.repr().map(|text| text.to_string()).unwrap_or_default();
        pyo3::exceptions::PyTypeError::new_err(format!(
            "Expected the keys of a mapping to be strings, found {found}."
        ))
    };
    Ok(name.cast::<PyString>().map_err(|_| refused())?.to_str()?.to_owned())
}

fn fields<'py>(
    object: &Bound<'py, PyAny>,
    declared: Bound<'py, PyAny>,
    class: Bound<'py, PyType>,
) -> PyResult<Opened<'py>> {
    let mut items = Vec::new();
    for field in declared.try_iter()? {
        let name = field?.getattr(intern!(object.py(), "name"))?.cast_into::<PyString>()?;
        items.push((Some(name.to_str()?.to_owned()), object.getattr(&name)?));
    }
    Ok(Opened { items, class: Some(class) })
}

/// Counts how deeply a walk over containers has gone, and refuses to go deeper than types may be nested.
#[derive(Clone, Copy, Default)]
pub struct Depth(u32);

impl Depth {
    pub fn deeper(self) -> PyResult<Depth> {
        if self.0 < DEEPEST {
            return Ok(Depth(self.0 + 1));
        }
        Err(PyRecursionError::new_err(format!("containers are nested at most {DEEPEST} levels deep")))
    }
}
