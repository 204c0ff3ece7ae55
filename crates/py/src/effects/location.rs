//! A place of Python's that holds one object and can hold another: what functions store into.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::containers::tables::dict_class;
use crate::containers::tables::entries::Entries;
use crate::effects::attributes::own;
use crate::optional::maybe::unbound;

/// A place that holds one object.
#[derive(Debug)]
pub enum Location {
    /// A variable that functions share.
    Cell(Py<PyAny>),
    /// Entry of a dict under a key: a global, an attribute of an object, an item.
    Entry(Py<PyDict>, Py<PyAny>),
    /// An attribute in a slot, or of a class.
    Slot(Py<PyAny>, Py<PyString>),
    /// Items of a list or deque behind its first elements, so many.
    Tail(Py<PyAny>, usize),
    /// All that a list or deque holds.
    Items(Py<PyAny>),
}

impl Location {
    /// The place of an attribute that an object holds itself.
    pub fn of_attribute(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> Self {
        match own(object) {
            Some(dict) => Location::Entry(dict.unbind(), name.clone().into_any().unbind()),
            None => Location::Slot(object.clone().unbind(), name.clone().unbind()),
        }
    }

    /// Content of the location; the mark of a name without a value if there is none.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = match self {
            Location::Cell(cell) => cell.bind(py).getattr(intern!(py, "cell_contents")).ok(),
            Location::Entry(dict, key) => dict.bind(py).get_item(key)?,
            Location::Slot(object, name) => match object.bind(py).cast::<PyType>() {
                Ok(class) => class.getattr(intern!(py, "__dict__"))?.get_item(name).ok(),
                Err(_) => object.bind(py).getattr_opt(name)?,
            },
            Location::Tail(list, first) => Some(items(list.bind(py), *first)?),
            Location::Items(list) => Some(items(list.bind(py), 0)?),
        };
        held.map_or_else(|| unbound(py), Ok)
    }

    /// Puts an object there, without running code of the user's; the mark of a name without a value takes it away.
    pub fn set(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let gone = value.is(&unbound(py)?);
        match self {
            Location::Cell(cell) if gone => cell.bind(py).delattr(intern!(py, "cell_contents")),
            Location::Cell(cell) => cell.bind(py).setattr(intern!(py, "cell_contents"), value),
            Location::Entry(dict, key) if gone => match dict.bind(py).contains(key)? {
                true => {
                    let dict = dict.bind(py);
                    dict_class(dict)?.call_method1(intern!(py, "__delitem__"), (dict, key)).map(drop)
                }
                false => Ok(()),
            },
            Location::Entry(dict, key) => match dict.bind(py) {
                plain if plain.is_exact_instance_of::<PyDict>() => plain.set_item(key, value),
                other => {
                    let name = intern!(py, "__setitem__");
                    dict_class(other)?.call_method1(name, (other, key, value)).map(drop)
                }
            },
            Location::Slot(object, name) => {
                let object = object.bind(py);
                let class = object.is_instance_of::<PyType>();
                let owner = if class { py.get_type::<PyType>() } else { py.get_type::<PyAny>() };
                if !gone {
                    return owner.call_method1(intern!(py, "__setattr__"), (object, name, value)).map(drop);
                }
                match self.get(py)?.is(value) {
                    true => Ok(()),
                    false => owner.call_method1(intern!(py, "__delattr__"), (object, name)).map(drop),
                }
            }
            Location::Tail(list, first) => {
                let (list, class) = (list.bind(py), class_of_items(list.bind(py))?);
                while class.call_method1(intern!(py, "__len__"), (list,))?.gt(*first)? {
                    class.call_method1(intern!(py, "pop"), (list,))?;
                }
                self.put(value)
            }
            Location::Items(list) => {
                let (list, class) = (list.bind(py), class_of_items(list.bind(py))?);
                class.call_method1(intern!(py, "clear"), (list,))?;
                class.call_method1(intern!(py, "extend"), (list, value)).map(drop)
            }
        }
    }

    /// Puts an object there as a call of the function does: behind what a list holds by then.
    pub fn put(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match self {
            Location::Tail(list, _) => {
                let (list, name) = (list.bind(value.py()), intern!(value.py(), "extend"));
                class_of_items(list)?.call_method1(name, (list, value)).map(drop)
            }
            Location::Cell(_) | Location::Entry(..) | Location::Slot(..) | Location::Items(_) => {
                self.set(value)
            }
        }
    }

    /// The same place with references of its own: what the collector is told of has to be held by who tells it.
    pub fn copy(&self, py: Python<'_>) -> Self {
        match self {
            Location::Cell(cell) => Location::Cell(cell.clone_ref(py)),
            Location::Entry(dict, key) => Location::Entry(dict.clone_ref(py), key.clone_ref(py)),
            Location::Slot(object, name) => Location::Slot(object.clone_ref(py), name.clone_ref(py)),
            Location::Tail(list, first) => Location::Tail(list.clone_ref(py), *first),
            Location::Items(list) => Location::Items(list.clone_ref(py)),
        }
    }

    /// True if each trace of a function meets it again: the pairs of a dict in the graph stand under another key each time.
    pub fn lasts(&self, py: Python<'_>) -> bool {
        match self {
            Location::Entry(_, key) => !key.bind(py).is_instance_of::<Entries>(),
            Location::Cell(_) | Location::Slot(..) | Location::Tail(..) | Location::Items(_) => true,
        }
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Location::Cell(object) | Location::Slot(object, _) => visit.call(object),
            Location::Tail(list, _) | Location::Items(list) => visit.call(list),
            Location::Entry(dict, _) => visit.call(dict),
        }
    }

    /// True if two are one and the same place.
    pub fn is(&self, other: &Location, py: Python<'_>) -> bool {
        match (self, other) {
            (Location::Cell(a), Location::Cell(b)) => a.is(b),
            (Location::Entry(a, k), Location::Entry(b, l)) => a.is(b) && is_key(k.bind(py), l.bind(py)),
            (Location::Slot(a, k), Location::Slot(b, l)) => a.is(b) && is_key(k.bind(py), l.bind(py)),
            (Location::Tail(a, _), Location::Tail(b, _)) | (Location::Items(a), Location::Items(b)) => {
                a.is(b)
            }
            (
                Location::Cell(_)
                | Location::Entry(..)
                | Location::Slot(..)
                | Location::Tail(..)
                | Location::Items(_),
                _,
            ) => false,
        }
    }
}

/// Python's own class of a list or deque, whose methods run no code of the user's.
fn class_of_items<'py>(list: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyType>> {
    match list.is_instance_of::<PyList>() {
        true => Ok(list.py().get_type::<PyList>()),
        false => deque(list.py()).cloned(),
    }
}

/// `collections.deque`
pub fn deque(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DEQUE.import(py, "collections", "deque")
}

/// Items of a list or deque behind its first elements.
fn items<'py>(list: &Bound<'py, PyAny>, first: usize) -> PyResult<Bound<'py, PyAny>> {
    let all = class_of_items(list)?.call_method1(intern!(list.py(), "__iter__"), (list,))?;
    let items = all.try_iter()?.skip(first).collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(list.py(), items)?.into_any())
}

/// True if two keys of a dict are one: keys of a class of the user's are compared by what they are.
pub fn is_key(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    a.is(b) || crate::dependencies::guards::is_same(a, b)
}
