//! Structs become the containers of their types.

use gw_federated::packing;
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyTuple, PyType};

use crate::federated::containers::{is_attrs, is_dataclass, is_named_tuple};
use crate::federated::python::{PyHost, Ty};
use crate::federated::structure::Struct;
use crate::federated::types::to_type;

/// Puts the structs of a value into the containers of a type.
///
/// Args:
///   value: value with structs.
///   type_spec: type with containers.
///
/// Returns:
///   Value with containers.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> kind = tff.StructWithPythonType([("a", np.int32)], dict)
///   >>> tff.framework.type_to_py_container(tff.structure.Struct.named(a=1), kind)
///   {'a': 1}
#[pyfunction]
pub fn type_to_py_container<'py>(
    value: &Bound<'py, PyAny>,
    type_spec: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    restore(value, &to_type::to_type(type_spec)?)
}

/// Returns a value with its structs in the containers of a type.
pub fn restore<'py>(value: &Bound<'py, PyAny>, ty: &Ty) -> PyResult<Bound<'py, PyAny>> {
    if let Some(federated) = ty.federated().filter(|federated| !federated.all_equal) {
        return each(value, &federated.member, &format!("non-all-equal type {ty}"));
    }
    let ty = ty.unplaced();
    if let (Some(element), true) = (ty.sequence(), value.is_instance_of::<PyList>()) {
        return each(value, element, "sequence");
    }
    match (ty.fields(), value.cast::<Struct>()) {
        (Some(fields), Ok(found)) => restore_struct(found, fields),
        _ => Ok(value.clone()),
    }
}

fn each<'py>(value: &Bound<'py, PyAny>, element: &Ty, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let Ok(list) = value.cast::<PyList>() else {
        let found = value.get_type();
        return Err(PyTypeError::new_err(format!(
            "Unexpected Python type for {what}: expected `list`, found `{found}`."
        )));
    };
    let items: Vec<_> = list.iter().map(|item| restore(&item, element)).collect::<PyResult<_>>()?;
    Ok(PyList::new(value.py(), items)?.into_any())
}

fn restore_struct<'py>(
    found: &Bound<'py, Struct>,
    fields: &gw_federated::types::Fields<PyHost>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = found.py();
    let elements = &found.get().elements;
    let class = fields.container.as_ref().map(|container| container.0.bind(py));
    let accepts = class.map(Accepts::of).transpose()?;
    packing::check_container(
        fields,
        elements.iter().map(|element| element.name.as_deref()),
        accepts.map(Accepts::names),
    )
    .map_err(crate::federated::raised::error)?;
    let mut values = Vec::with_capacity(elements.len());
    for (element, field) in elements.iter().zip(&fields.elements) {
        values.push((field.name.as_deref(), restore(element.value.bind(py), &field.ty)?));
    }
    build(py, class, accepts, values)
}

/// The way in which the constructor of a container takes its elements.
#[derive(Clone, Copy)]
enum Accepts {
    /// As keywords.
    Keywords,
    /// As an iterable of pairs.
    Pairs,
    /// As an iterable of values.
    Values,
}

impl Accepts {
    fn of(class: &Bound<'_, PyType>) -> PyResult<Accepts> {
        if is_named_tuple(class)? || is_attrs(class)? || is_dataclass(class)? {
            return Ok(Accepts::Keywords);
        }
        let mapping = class.is_subclass(&PyMapping::type_object(class.py()))?;
        Ok(if mapping { Accepts::Pairs } else { Accepts::Values })
    }

    fn names(self) -> bool {
        match self {
            Accepts::Keywords | Accepts::Pairs => true,
            Accepts::Values => false,
        }
    }
}

fn build<'py>(
    py: Python<'py>,
    class: Option<&Bound<'py, PyType>>,
    accepts: Option<Accepts>,
    values: Vec<(Option<&str>, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let named = values.iter().any(|(name, _)| name.is_some());
    match (class, accepts) {
        (Some(class), Some(Accepts::Keywords)) => {
            let keywords = PyDict::new(py);
            values.iter().try_for_each(|(name, value)| keywords.set_item(name, value))?;
            class.call((), Some(&keywords))
        }
        (Some(class), Some(Accepts::Pairs)) => class.call1((values,)),
        (Some(class), Some(Accepts::Values)) => {
            class.call1((values.into_iter().map(|(_, value)| value).collect::<Vec<_>>(),))
        }
        _ if named => py.import("collections")?.getattr("OrderedDict")?.call1((values,)),
        _ => Ok(PyTuple::new(py, values.into_iter().map(|(_, value)| value))?.into_any()),
    }
}
