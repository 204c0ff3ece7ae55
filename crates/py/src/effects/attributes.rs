//! Attributes of objects and classes as they are stored: nothing of the program runs when they are looked up.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

/// The holder of an object's own attributes.
pub fn own<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    let own = object.getattr_opt(intern!(object.py(), "__dict__")).ok().flatten()?;
    own.cast_into().ok()
}

/// True if `getattr` finds an attribute without running code of the user's: what `stored` gives.
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

/// The value that an object holds under a name, its own or its class's, without running code of the user's; `None` for properties,
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

/// The attributes that an object of the user's has in slots, with what they hold.
pub fn held_in_slots<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let (py, mut held) = (object.py(), Vec::new());
    for name in slots(object)? {
        let name = PyString::new(py, &name);
        held.extend(object.getattr_opt(&name)?.map(|value| (name, value)));
    }
    Ok(held)
}

/// The values of the attributes of an object of the user's, those in slots last.
pub fn held_by<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let slots = held_in_slots(object)?.into_iter().map(|(_, value)| value);
    Ok(own(object).iter().flatten().map(|(_, value)| value).chain(slots).collect())
}

/// The names of an object's attributes in slots.
pub fn slots(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let mut all = Vec::new();
    for class in object.get_type().mro().iter() {
        let Some(slots) = class.getattr_opt(intern!(object.py(), "__slots__"))? else { continue };
        let one = slots.extract::<String>().map(|one| vec![one]);
        let slots = one.or_else(|_| slots.extract::<Vec<String>>()).unwrap_or_default();
        let own = class.getattr(intern!(object.py(), "__name__"))?.to_string();
        let whole = |name: String| match name.starts_with("__") && !name.ends_with("__") {
            true => format!("_{}{name}", own.trim_start_matches('_')),
            false => name,
        };
        all.extend(slots.into_iter().map(whole).filter(|name| is_slot_of(object, name)));
    }
    Ok(all)
}

/// True if an attribute is a slot, and none that a class below computes.
fn is_slot_of(object: &Bound<'_, PyAny>, name: &str) -> bool {
    let found = in_class(object, &PyString::intern(object.py(), name));
    let kind = found.and_then(|(_, raw)| raw.get_type().name().ok());
    kind.is_some_and(|kind| kind == "member_descriptor")
}
