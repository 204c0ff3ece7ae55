//! Functions that Python runs as they are: functions of Python's own and of libraries, and the operators, properties and
//! constructors of the user's classes. To them, what stands for the lists, dicts and optional values of the graph would be a
//! list of one item or an object like any other, so they are refused where they may see it.

use std::sync::atomic::Ordering;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyList, PyString, PyTuple, PyType};

use gw_base::Code;

use crate::current::Tracing;
use crate::guards::{in_class, own};
use crate::host::Maybe;
use crate::maybe_structure::MaybeStructure;
use crate::tensor::Tensor;
use crate::{builtins, convert, current, errors, lists, tables, walk, written};

/// Functions that hand on what they are given, or keep it: they do not look into it.
const KEEP: &[&str] = &[
    "add",
    "append",
    "appendleft",
    "callable",
    "cast",
    "clear",
    "concat",
    "copy",
    "enumerate",
    "filter",
    "get",
    "getattr",
    "hasattr",
    "id",
    "insert",
    "isinstance",
    "iter",
    "map",
    "mul",
    "next",
    "partial",
    "print",
    "replace",
    "reversed",
    "setattr",
    "setdefault",
    "SimpleNamespace",
    "super",
    "type",
    "update",
    "zip",
];

/// Modules whose functions copy what they are given, or hand it on.
const COPY: &[&str] =
    &["abc", "contextlib", "copy", "dataclasses", "functools", "graphwright", "types", "typing"];

/// Functions that hand on the items of what they are given.
const HAND_ON_ITEMS: &[&str] = &["cycle", "dropwhile", "filterfalse", "islice", "repeat", "takewhile"];

/// Functions of Python's own, and the methods that they call.
const CALLS: &[(&str, &str)] = &[
    ("abs", "__abs__"),
    ("bool", "__bool__"),
    ("float", "__float__"),
    ("int", "__int__"),
    ("len", "__len__"),
    ("round", "__round__"),
];

/// So many objects are looked at, in structures and attributes so deep.
const MOST: usize = 200;
const DEEPEST: usize = 3;

/// A look for values of the graph among the objects that a function can see.
struct Look {
    left: usize,
    /// True if tensors count: Python itself refuses most of what can be done to one, but not to what stands for a list.
    tensors: bool,
}

impl Look {
    fn finds(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if let Ok(tensor) = value.cast::<Tensor>() {
            return self.tensors && tensor.get().is_staged();
        }
        if value.is_instance_of::<Maybe>() || value.is_instance_of::<MaybeStructure>() {
            return true;
        }
        let list = value.cast_exact::<PyList>();
        if list.as_ref().is_ok_and(|list| lists::has_rows(list))
            || !matches!(tables::list_of(value), Ok(None))
        {
            return true;
        }
        depth > 0 && self.parts(value).iter().any(|part| self.finds(part, depth - 1))
    }

    /// The items of a container of Python's own, and the attributes of an object of the user's.
    fn parts<'py>(&self, value: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
        if let Ok(list) = value.cast_exact::<PyList>() {
            return list.iter().take(self.left).collect();
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return tuple.iter().take(self.left).collect();
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return dict.values().iter().take(self.left).collect();
        }
        if value.is_instance_of::<PyType>() || !walk::is_users(value.get_type().as_any()).unwrap_or(false) {
            return Vec::new();
        }
        own(value).map(|own| own.values().iter().take(self.left).collect()).unwrap_or_default()
    }
}

/// The answer of a function of Python's own for an object of the user's that holds values of the graph: what the method gives
/// that it calls, which is converted as any other.
pub fn answer<'py>(name: &str, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some((_, method)) = CALLS.iter().find(|(function, _)| *function == name) else { return Ok(None) };
    let Some(object) = args.iter().next() else { return Ok(None) };
    let py = object.py();
    let mut method = PyString::new(py, method);
    if name == "bool" && in_class(&object, &method).is_none() {
        method = PyString::new(py, "__len__");
    }
    let Some(made) = converted(&object, &method)? else { return Ok(None) };
    let result = made.call1(args.get_slice(1, args.len()))?;
    if result.is_instance_of::<Tensor>() {
        return Ok(Some(result));
    }
    let class = py.import("builtins")?.getattr(if name == "len" { "int" } else { name })?;
    let fits = matches!(name, "abs" | "round") || result.is_instance(&class)? || method == "__len__";
    match fits {
        true if name == "bool" => Ok(Some(class.call1((result,))?)),
        true => Ok(Some(result)),
        // Python says what is wrong with it.
        false => Ok(None),
    }
}

/// The method of the user's that Python would call of an object, converted; nothing if no value of the graph is in reach.
fn converted<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = object.get_type();
    if !current::is_tracing() || object.is_instance_of::<PyType>() || !walk::is_users(class.as_any())? {
        return Ok(None);
    }
    let Some((base, _)) = in_class(object, name) else { return Ok(None) };
    if !walk::is_users(&base)? || !(Look { left: MOST, tensors: true }).finds(object, DEEPEST) {
        return Ok(None);
    }
    builtins::conv(&object.getattr(name)?).map(Some)
}

/// The object that a class of the user's makes of values of the graph: its `__init__` is converted as any other function. Nothing
/// if it has a way of its own to make objects, or none of them is in reach.
pub fn made<'py>(
    class: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let object = py.get_type::<PyAny>();
    let is_plain = class.get_type().is(py.get_type::<PyType>()) && current::is_tracing();
    if !is_plain || !class.getattr(intern!(py, "__new__"))?.is(&object.getattr(intern!(py, "__new__"))?) {
        return Ok(None);
    }
    let Some((base, init)) = in_class(class, intern!(py, "__init__")) else { return Ok(None) };
    let mut look = Look { left: MOST, tensors: true };
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let is_ours = init.is_instance_of::<PyFunction>() && walk::is_users(&base)?;
    if !is_ours || !args.iter().chain(named).any(|arg| look.finds(&arg, DEEPEST)) {
        return Ok(None);
    }
    let made = class.call_method1(intern!(py, "__new__"), (class,))?;
    let given = builtins::conv(&made.getattr(intern!(py, "__init__"))?)?.call(args, kwargs)?;
    match given.is_none() {
        true => Ok(Some(made)),
        false => {
            let kind = given.get_type().name()?;
            Err(PyTypeError::new_err(format!("__init__() should return None, not '{kind}'")))
        }
    }
}

/// `bool(object)` of the user's, as [`answer`] gives it.
pub fn truth<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    answer("bool", &PyTuple::new(object.py(), [object])?)
}

/// Refuses a call of a function that is not converted with what stands for a list, dict or optional value of the graph.
pub fn check(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let py = function.py();
    let Some(tracing) = current::current().filter(|tracing| tracing.holds_containers()) else {
        return Ok(());
    };
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let owner = function.getattr_opt(intern!(py, "__self__"))?;
    let name = function.getattr_opt(intern!(py, "__name__"))?.and_then(|name| name.extract::<String>().ok());
    let depth = usize::from(!name.is_some_and(|name| HAND_ON_ITEMS.contains(&&*name)));
    let mut look = Look { left: MOST, tensors: false };
    let given = args.iter().chain(named).chain(owner);
    let is_container = |value: &Bound<'_, PyAny>| {
        value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || tables::kind(value).is_some()
    };
    if !given.into_iter().any(|value| is_container(&value) && look.finds(&value, depth)) || keeps(function)? {
        return Ok(());
    }
    drop(tracing);
    let name = function
        .getattr_opt(intern!(py, "__qualname__"))?
        .map_or_else(|| "a function".to_owned(), |name| name.to_string());
    let message = format!(
        "`{name}` is Python's own, and would see a list, dict or set of the graph as it stands there"
    );
    let help = "use its methods, an index, `len`, `in` or a `for` loop; `gw.stack` makes a tensor of a list";
    Err(errors::here(py, Code::ListInGraph, message, help))
}

/// True if a function hands on what it is given, or keeps it.
fn keeps(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    let text =
        |name| Ok::<_, PyErr>(function.getattr_opt(name)?.and_then(|text| text.extract::<String>().ok()));
    let name = text(intern!(py, "__name__"))?.unwrap_or_default();
    let module = text(intern!(py, "__module__"))?.unwrap_or_default();
    if KEEP.contains(&&*name) || COPY.contains(&module.split('.').next().unwrap_or_default()) {
        return Ok(true);
    }
    // The watch sees what a constructor of the user's does with it.
    let Some((base, _)) = in_class(function, intern!(py, "__init__")) else { return Ok(false) };
    Ok(function.is_instance_of::<PyType>() && walk::is_users(&base)?)
}

impl Tracing {
    /// True if lists, dicts or sets are in the graph.
    pub fn holds_containers(&self) -> bool {
        self.lists.is_used() || self.tables.is_used()
    }

    /// Says that a value may be `None` in the graph.
    pub fn meets_optional(&self, py: Python<'_>) -> PyResult<()> {
        if self.has_optional.swap(true, Ordering::Relaxed) { Ok(()) } else { watch(py) }
    }
}

/// Watches the functions of the user's that Python runs as they are on this thread, as long as a graph is built.
pub fn watch(py: Python<'_>) -> PyResult<()> {
    let sys = py.import("sys")?;
    // A profiler that is at work is left alone.
    if sys.call_method0("getprofile")?.is_none() {
        sys.call_method1("setprofile", (watcher(py)?,))?;
    }
    Ok(())
}

/// Ends that.
pub fn unwatch(py: Python<'_>) -> PyResult<()> {
    let sys = py.import("sys")?;
    if sys.call_method0("getprofile")?.is(watcher(py)?) {
        sys.call_method1("setprofile", (py.None(),))?;
    }
    Ok(())
}

/// The function that Python tells of each call.
fn watcher(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static THE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || {
        let told = |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
            let event = args.get_item(1)?;
            if event.cast::<PyString>()? == "call" { entered(&args.get_item(0)?) } else { Ok(()) }
        };
        Ok::<_, PyErr>(PyCFunction::new_closure(py, None, None, told)?.into_any().unbind())
    };
    Ok(THE.get_or_try_init(py, make)?.bind(py))
}

/// Refuses a function of the user's that Python runs as it is, if what it is given, or names, holds what stands for a list.
fn entered(frame: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = frame.py();
    if !current::is_tracing() {
        return Ok(());
    }
    let code = frame.getattr(intern!(py, "f_code"))?;
    let globals = frame.getattr(intern!(py, "f_globals"))?.cast_into::<PyDict>()?;
    let module = globals.get_item(intern!(py, "__name__"))?.map(|name| name.to_string()).unwrap_or_default();
    if convert::is_converted(&code)? || !walk::is_users_module(py, &module)? || is_part(&code)? {
        return Ok(());
    }
    let mut look = Look { left: MOST, tensors: false };
    let given = frame.getattr(intern!(py, "f_locals"))?.call_method0("values")?;
    let mut sees = false;
    for value in given.try_iter()? {
        sees = sees || look.finds(&value?, DEEPEST);
    }
    for name in code.getattr(intern!(py, "co_names"))?.cast::<PyTuple>()?.iter() {
        let Some(value) = globals.get_item(name)? else { continue };
        sees = sees || look.finds(&value, DEEPEST - 1);
    }
    if !sees {
        return Ok(());
    }
    let name = code.getattr_opt(intern!(py, "co_qualname"))?.map_or_else(|| code.getattr("co_name"), Ok)?;
    let message = format!(
        "`{name}` is run by Python as it is, and reaches a list, dict or optional value of the graph"
    );
    let help = "make it a method or function, and call that where a value is needed: what a function calls is converted, \
                properties, operators and constructors are not";
    Err(errors::here(py, Code::ListInGraph, message, help))
}

/// True if code is no function by itself, or one that Python wrote and that only stores what it is given.
fn is_part(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let text = |name| Ok::<_, PyErr>(code.getattr(name)?.to_string());
    let (file, name) = (text("co_filename")?, text("co_name")?);
    let stores = written::is_made(&file, &name) && matches!(&*name, "__init__" | "__new__");
    Ok(stores || name.starts_with('<') && name != "<lambda>" || current::is_ours(code.py(), &file))
}
