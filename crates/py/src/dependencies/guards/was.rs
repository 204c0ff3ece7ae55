//! Values that guards compare with those that are there now, without running code of the user's.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyCFunction, PyCode, PyDict, PyFloat, PyFunction, PyInt, PyList, PyModule, PySet,
    PyString, PyTuple, PyType,
};

use crate::dependencies::guards::recorder::Recorder;
use crate::dependencies::guards::{Guard, Place};
use crate::effects::location;
use crate::function::fingerprint;
use crate::function::held::Held;
use crate::optional::same_objects::same_number;
use crate::values::array;
use crate::values::tensor::Tensor;

/// A value as it was.
#[derive(Debug)]
pub enum Was {
    /// A number, a string, bytes or `None`, which counts by type and value.
    Value(Py<PyAny>),
    /// Any other object, which counts by identity.
    Object(Held),
    /// A method bound anew at each look, which counts by its function.
    Bound(Held),
    /// The items of what is there; of a dict, each key and then what it holds.
    Items(usize, Vec<Was>),
    /// The elements of a NumPy array, by their checksum.
    Elements(u64),
    /// The names in a class: their number, and the special methods among them.
    Special(usize, Vec<String>),
    /// Nothing.
    Absent,
    /// A value that the graph takes, whatever it is.
    Taken,
    /// A change in place by the function itself, which its graph does not repeat: a call makes another graph.
    Changed,
    /// Object that answers differently each time, and is asked once while the graph is built: a call makes
    /// another graph.
    Differing,
    /// More than a graph watches: a call makes another graph.
    Unwatched,
    /// An object of a library that changes where nobody sees it.
    OutOfSight,
}

/// The value in the user's words.
pub(super) fn word(value: Option<&Bound<'_, PyAny>>) -> String {
    match value {
        None => "gone".to_owned(),
        Some(value) if is_literal(value) => value.repr().map_or_else(|_| "…".to_owned(), |r| r.to_string()),
        Some(value) => format!("another `{}`", kind(value)),
    }
}

pub(super) fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

impl Was {
    /// The value that is there.
    pub fn of(value: Option<&Bound<'_, PyAny>>) -> Self {
        match value {
            None => Was::Absent,
            Some(value) if is_literal(value) || value.is_exact_instance_of::<PyBytes>() => {
                Was::Value(value.clone().unbind())
            }
            Some(value) if is_held_for_good(value) => Was::Object(Held::Strong(value.clone().unbind())),
            Some(value) => Was::Object(Held::of(value)),
        }
    }

    /// The items of a container.
    pub fn items(container: &Bound<'_, PyAny>) -> Self {
        let (count, values) = items(container);
        let item =
            |value: &Bound<'_, PyAny>| if is_staged(value) { Was::Taken } else { Was::of(Some(value)) };
        Was::Items(count, values.iter().map(item).collect())
    }

    /// An attribute as a class gives it: of a class method, its function counts.
    pub fn of_class(value: &Bound<'_, PyAny>) -> Self {
        match function_of(value) {
            Some(function) => Was::Bound(Held::of(&function)),
            None => Was::of(Some(value)),
        }
    }

    /// The special methods among the names of a class.
    pub fn special_methods(names: &Bound<'_, PyAny>) -> Self {
        Was::Special(names.len().unwrap_or(0), special_names(names))
    }

    pub(super) fn word(&self, py: Python<'_>) -> String {
        match self {
            Was::Value(value) => word(Some(value.bind(py))),
            Was::Object(held) | Was::Bound(held) => {
                held.get(py).map_or_else(|| "gone".to_owned(), |object| word(Some(&object)))
            }
            Was::Items(..) => "other items".to_owned(),
            Was::Elements(_) => "other numbers".to_owned(),
            Was::Special(..) => "other special methods".to_owned(),
            Was::Absent => "absent".to_owned(),
            Was::Taken => "what the graph takes".to_owned(),
            Was::Changed => "changed by the function itself".to_owned(),
            Was::Differing => "another answer".to_owned(),
            Was::Unwatched | Was::OutOfSight => "not watched".to_owned(),
        }
    }

    /// The reason for another graph where what is there now does not tell it.
    pub(super) fn reason_alone(&self, path: &str) -> Option<String> {
        match self {
            Was::Special(..) => Some(format!("`{path}` has other special methods than before")),
            Was::Differing => Some(format!(
                "`{path}` is done while the graph is built, and Python does it in each call anew: do it outside the function, or \
                 in one that `gw.host` marks"
            )),
            Was::Unwatched => Some(format!(
                "`{path}` can reach more functions and objects than a graph watches, so that each call makes another one: call \
                 it in a function that `gw.host` marks, or outside of the function"
            )),
            Was::OutOfSight => Some(format!(
                "`{path}` is of a library whose objects change where a graph does not see it, so that each call makes another one: \
                 pass its elements as an argument"
            )),
            Was::Changed => Some(format!(
                "the function changes `{path}` in place, which its graph does not do again: hold it in a `gw.Variable` or \
                 change it outside of the function"
            )),
            Was::Value(_)
            | Was::Object(_)
            | Was::Bound(_)
            | Was::Items(..)
            | Was::Elements(_)
            | Was::Absent
            | Was::Taken => None,
        }
    }

    pub(super) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Was::Object(held) | Was::Bound(held) => held.visit(visit),
            Was::Items(_, items) => items.iter().try_for_each(|item| item.visit(visit)),
            Was::Value(_)
            | Was::Absent
            | Was::Taken
            | Was::Changed
            | Was::Differing
            | Was::Unwatched
            | Was::OutOfSight
            | Was::Elements(_)
            | Was::Special(..) => Ok(()),
        }
    }

    /// True if a list or dict holds what it held, and more behind that, which each call puts there; a set grows while tracing alone.
    pub fn grew_to(&self, now: Option<&Bound<'_, PyAny>>) -> bool {
        let (Was::Items(_, was), Some(now)) = (self, now) else { return false };
        let (_, values) = items(now);
        let stays = |(at, was): (usize, &Was)| was.is(values.get(at));
        !now.is_instance_of::<PySet>() && values.len() > was.len() && was.iter().enumerate().all(stays)
    }

    pub fn is(&self, now: Option<&Bound<'_, PyAny>>) -> bool {
        match (self, now) {
            (Was::Changed | Was::Differing | Was::Unwatched | Was::OutOfSight, _) => false,
            (Was::Absent, now) => now.is_none(),
            (Was::Taken, now) => now.is_some(),
            (
                Was::Value(_)
                | Was::Object(_)
                | Was::Bound(_)
                | Was::Items(..)
                | Was::Elements(_)
                | Was::Special(..),
                None,
            ) => false,
            (Was::Special(count, names), Some(now)) => {
                now.len().is_ok_and(|now| now == *count) || special_names(now) == *names
            }
            (Was::Elements(sum), Some(now)) => fingerprint::of(now).is_ok_and(|now| now == *sum),
            (Was::Items(count, items), Some(now)) => same_items(*count, items, now),
            (Was::Value(value), Some(now)) => is_same(value.bind(now.py()), now),
            (Was::Object(held), Some(now)) => held.is(now),
            (Was::Bound(held), Some(now)) => function_of(now).is_some_and(|function| held.is(&function)),
        }
    }
}

/// True of objects that keep nothing else alive, or that stay for as long as the process: functions of C, code, and the
/// interpreter's own classes. A strong reference to them is compared faster than a weak one.
fn is_held_for_good(value: &Bound<'_, PyAny>) -> bool {
    /// `Py_TPFLAGS_HEAPTYPE`: the class was made while the process ran.
    const MADE: u64 = 1 << 9;
    let flags = |class: &Bound<'_, PyType>| class.getattr("__flags__")?.extract::<u64>();
    value.is_instance_of::<PyCFunction>()
        || value.is_exact_instance_of::<PyCode>()
        || value.cast::<PyType>().is_ok_and(|class| flags(class).is_ok_and(|flags| flags & MADE == 0))
}

/// True if an object is one whose items can change and are looked at without running code of the user's.
pub fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyDict>()
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyByteArray>()
        || location::deque(object.py()).is_ok_and(|deque| object.is_instance(deque).unwrap_or(false))
        || object.get_type().fully_qualified_name().is_ok_and(|name| name == "array.array")
}

/// The number of items of a container, and the items; of a dict, each key and then its value.
pub fn items<'py>(container: &Bound<'py, PyAny>) -> (usize, Vec<Bound<'py, PyAny>>) {
    if let Ok(list) = container.cast::<PyList>() {
        return (list.len(), list.iter().collect());
    }
    if let Ok(dict) = container.cast::<PyDict>() {
        let pairs = match has_own_order(dict) {
            true => ordered(dict).unwrap_or_default(),
            false => dict.iter().collect(),
        };
        return (dict.len() * 2, pairs.into_iter().flat_map(|(key, value)| [key, value]).collect());
    }
    let count = container.len().unwrap_or(0);
    let found = container.try_iter().map(|all| all.filter_map(Result::ok).collect());
    (count, found.unwrap_or_default())
}

/// True if a dict keeps the order of its keys apart, where `move_to_end` changes it.
fn has_own_order(dict: &Bound<'_, PyDict>) -> bool {
    !dict.is_exact_instance_of::<PyDict>()
        && dict.get_type().fully_qualified_name().is_ok_and(|name| name == "collections.OrderedDict")
}

fn ordered<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    dict.call_method0("items")?.try_iter()?.map(|pair| pair?.extract()).collect()
}

/// True if a container holds what it held: looked at one by one, since most calls find nothing else.
fn same_items(count: usize, was: &[Was], now: &Bound<'_, PyAny>) -> bool {
    if let Ok(list) = now.cast::<PyList>() {
        return list.len() == count && was.iter().zip(list.iter()).all(|(was, now)| was.is(Some(&now)));
    }
    if let Ok(dict) = now.cast::<PyDict>()
        && !has_own_order(dict)
    {
        let pair = |(was, (key, value)): (&[Was], (Bound<'_, PyAny>, Bound<'_, PyAny>))| {
            was[0].is(Some(&key)) && was[1].is(Some(&value))
        };
        return dict.len() * 2 == count && was.chunks_exact(2).zip(dict.iter()).all(pair);
    }
    let (found, values) = items(now);
    found == count && was.iter().zip(&values).all(|(was, now)| was.is(Some(now)))
}

/// The item of a list, tuple or dict under a key.
pub fn item<'py>(container: &Bound<'py, PyAny>, key: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if let Ok(dict) = container.cast::<PyDict>() {
        return dict.get_item(key).ok().flatten();
    }
    let at: isize = key.extract().ok()?;
    let place = |count: usize| usize::try_from(if at < 0 { at + count as isize } else { at }).ok();
    if let Ok(list) = container.cast::<PyList>() {
        return list.get_item(place(list.len())?).ok();
    }
    let tuple = container.cast::<PyTuple>().ok()?;
    tuple.get_item(place(tuple.len())?).ok()
}

/// True if two numbers, strings or `None`s are of one type and value.
pub fn is_same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    a.is(b) || same_number(a, b) || same_text(a, b)
}

/// True if it is a value of a graph.
pub fn is_staged(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<Tensor>().is_ok_and(|tensor| tensor.get().is_staged())
}

/// True if it is a number, a string or `None`.
pub fn is_literal(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || matches!(array::number(value), Ok(Some(_)) | Err(_))
}

impl Was {
    /// True of a function, class or module.
    fn is_code(&self, py: Python<'_>) -> bool {
        let Self::Object(held) = self else { return false };
        held.get(py).is_some_and(|object| {
            object.is_instance_of::<PyFunction>()
                || object.is_instance_of::<PyType>()
                || object.is_instance_of::<PyModule>()
        })
    }
}

impl Recorder {
    /// True if a guard compares state of the program.
    pub fn reads_state(&self, py: Python<'_>) -> PyResult<bool> {
        self.guards.iter().try_fold(false, |found, guard| Ok(found || guard.is_of_state(py)?))
    }
}

impl Guard {
    /// True if it compares what code may change of the program's state: not what modules, classes and functions are made of, nor globals
    /// that no function of their module assigns.
    fn is_of_state(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.place {
            Place::Attribute(held, ..) => {
                let holder = held.get(py);
                let is_fixed = holder.is_some_and(|holder| {
                    holder.is_instance_of::<PyModule>() || holder.is_instance_of::<PyType>()
                });
                Ok(!is_fixed && !matches!(self.was, Was::Bound(_)))
            }
            Place::Global(globals, name) => {
                let pure = py.import("graphwright._meanings.pure")?;
                pure.call_method1("is_assigned", (globals, name))?.extract()
            }
            Place::Cell(_) => Ok(!self.was.is_code(py)),
            // A method that is looked up in the class is not hidden by the object's own names.
            Place::Own(..) => Ok(!matches!(self.was, Was::Absent)),
            Place::Item(..) | Place::Contents(_) => Ok(true),
            Place::Method(..) | Place::Made(..) | Place::Answer(_) => Ok(false),
        }
    }
}

/// Names of a class that Python itself adds to it later.
const ADDED_LATER: [&str; 3] = ["__annotations__", "__abstractmethods__", "__doc__"];

/// The names of special methods among those of a class.
fn special_names(names: &Bound<'_, PyAny>) -> Vec<String> {
    let is_special = |name: &String| {
        name.starts_with("__") && name.ends_with("__") && !ADDED_LATER.contains(&name.as_str())
    };
    let Ok(all) = names.try_iter() else { return Vec::new() };
    all.filter_map(|name| name.ok()?.extract().ok()).filter(is_special).collect()
}

/// The function of a bound method.
fn function_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    value.getattr_opt(intern!(value.py(), "__func__")).ok().flatten()
}

fn same_text(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let text = |v: &Bound<'_, PyAny>| v.is_exact_instance_of::<PyString>();
    let bytes = |v: &Bound<'_, PyAny>| v.is_exact_instance_of::<PyBytes>();
    ((text(a) && text(b)) || (bytes(a) && bytes(b))) && a.eq(b).unwrap_or(false)
}
