//! Attributes of objects and classes as they are stored: nothing of the program runs when they are looked up.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

/// The holder of an object's own attributes.
pub fn own<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    let own = object.getattr_opt(intern!(object.py(), "__dict__")).ok().flatten()?;
    own.cast_into().ok()
}

/// Whether `getattr` finds an attribute without running code of the user's: what `stored` gives.
pub fn is_plain(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = object.py();
    let class = object.get_type();
    let reads = intern!(py, "__getattribute__");
    if object.is_instance_of::<PyType>()
        || !class.getattr(reads)?.is(&py.get_type::<PyAny>().getattr(reads)?)
        || class.hasattr(intern!(py, "__getattr__"))?
    {
        return Ok(false);
    }
    for base in class.mro() {
        if let Ok(value) = base.getattr(intern!(py, "__dict__")).and_then(|names| names.get_item(name)) {
            return Ok(is_slot(&value) || !value.hasattr("__get__")?);
        }
    }
    Ok(true)
}

/// True for what a class holds for an attribute in a slot.
pub fn is_slot(value: &Bound<'_, PyAny>) -> bool {
    value.get_type().name().is_ok_and(|name| name == "member_descriptor")
}

/// What an object holds under a name, its own or its class's, without running code of the user's; `None` for properties,
/// methods and what is not there.
pub fn stored<'py>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    let py = object.py();
    if let Some(own) = own(object)
        && let Ok(Some(value)) = own.get_item(name)
    {
        return Some(value);
    }
    let (_, value) = in_class(object, name)?;
    match is_slot(&value) {
        true => object.getattr(name).ok(),
        false => (!value.hasattr(intern!(py, "__get__")).unwrap_or(true)).then_some(value),
    }
}

/// An attribute of the class of an object, or of a class, as it stands in a class, and that class.
pub fn in_class<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let class = match object.cast::<PyType>() {
        Ok(class) => class.clone(),
        Err(_) => object.get_type(),
    };
    let names = intern!(object.py(), "__dict__");
    class.mro().iter().find_map(|base| {
        let value = base.getattr(names).and_then(|names| names.get_item(name)).ok()?;
        Some((base, value))
    })
}
