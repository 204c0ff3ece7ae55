//! What the watch looks at: what holds other objects and can be changed in place.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyString, PyType};

use crate::current;
use crate::host::{same_number, same_value, unbound};

/// What holds other objects and can be changed in place.
pub enum Holder<'py> {
    /// A variable that functions share.
    Cell(Bound<'py, PyAny>),
    /// A global, by its name.
    Global(Bound<'py, PyDict>, Bound<'py, PyAny>),
    /// A list, set or deque.
    Items(Bound<'py, PyAny>),
    /// A dict.
    Pairs(Bound<'py, PyDict>, Step),
    /// An attribute in a slot, or of a class.
    Slot(Bound<'py, PyAny>, String),
    /// Numbers of an array or `bytearray`.
    Bytes(Bound<'py, PyAny>),
    /// An iterator: how far it is.
    Progress(Bound<'py, PyAny>, &'static str),
}

/// What a key of a dict looks like in a path.
#[derive(Clone, Copy)]
pub enum Step {
    Attribute,
    Key,
}

impl Step {
    /// What stands in a path for a key.
    pub fn text(self, key: &Bound<'_, PyAny>) -> String {
        match self {
            Step::Attribute => format!(".{key}"),
            Step::Key => key.repr().map_or_else(|_| "[…]".to_owned(), |key| format!("[{key}]")),
        }
    }
}

impl<'py> Holder<'py> {
    /// Whether it is a list whose contents flow through the statements that change it.
    pub fn flows(&self) -> bool {
        let Holder::Items(items) = self else { return false };
        current::current().is_some_and(|tracing| tracing.lists.knows(items))
    }

    /// What it holds.
    pub fn held(&self) -> PyResult<Vec<Bound<'py, PyAny>>> {
        match self {
            Holder::Cell(cell) => match cell.getattr("cell_contents") {
                Ok(value) => Ok(vec![value]),
                Err(_) => Ok(vec![unbound(cell.py())?]),
            },
            Holder::Global(globals, name) => {
                Ok(vec![globals.get_item(name)?.map_or_else(|| unbound(name.py()), Ok)?])
            }
            Holder::Items(items) => items.try_iter()?.collect(),
            Holder::Pairs(pairs, _) => Ok(pairs.iter().flat_map(|(k, v)| [k, v]).collect()),
            Holder::Slot(class, name) if class.is_instance_of::<PyType>() => {
                let own = class.getattr("__dict__")?.call_method1("get", (name, unbound(class.py())?))?;
                Ok(vec![own])
            }
            Holder::Slot(object, name) => {
                Ok(vec![object.getattr_opt(name.as_str())?.map_or_else(|| unbound(object.py()), Ok)?])
            }
            Holder::Bytes(array) if array.is_instance_of::<PyByteArray>() => {
                Ok(vec![PyBytes::new(array.py(), &array.extract::<Vec<u8>>()?).into_any()])
            }
            Holder::Bytes(array) => Ok(vec![array.call_method0("tobytes")?]),
            Holder::Progress(iterator, "gi_frame") => match iterator.getattr("gi_frame")? {
                frame if frame.is_none() => Ok(vec![frame]),
                frame => Ok(vec![frame.getattr("f_lasti")?]),
            },
            Holder::Progress(iterator, method) => Ok(vec![iterator.call_method0(*method)?]),
        }
    }
}

/// Whether two holders hold the same.
pub fn same(a: &[Bound<'_, PyAny>], b: &[Bound<'_, PyAny>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.is(b) || same_number(a, b) || same_value(a, b) || equal(a, b))
}

fn equal(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let plain = |v: &Bound<'_, PyAny>| {
        v.is_exact_instance_of::<PyString>()
            || v.is_exact_instance_of::<PyBytes>()
            || v.is_exact_instance_of::<PyInt>()
    };
    plain(a) && plain(b) && a.eq(b).unwrap_or(false)
}
