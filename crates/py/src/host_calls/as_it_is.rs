//! Functions that Python runs as they are: functions of Python's own and of libraries, and the operators and properties of the
//! user's classes. To them, a stand-in for a list, dict or optional value of the graph would be a list of one item or an object
//! like any other, so they are refused where they may see it.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyBaseException, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyList, PyString, PyTuple, PyType};

use gw_base::Code;

use crate::containers::lists::row_objects;
use crate::containers::tables::entries;
use crate::convert;
use crate::effects::alias;
use crate::effects::attributes::{self, in_class};
use crate::exceptions::errors;
use crate::host::members::Member;
use crate::host_calls::host_value;
use crate::optional::maybe::Maybe;
use crate::optional::maybe_structure::MaybeStructure;
use crate::session::{self, Feature, FeatureSlot, Tracing, libraries, own_files};
use crate::values::tensor::Tensor;

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

/// Functions that ask whether objects are the same, of those whose class says nothing of equality.
const ASK_IDENTITY: &[&str] = &[
    "__contains__",
    "add",
    "count",
    "Counter",
    "dict",
    "discard",
    "frozenset",
    "get",
    "hash",
    "id",
    "index",
    "pop",
    "remove",
    "set",
    "setdefault",
];

/// Modules whose functions copy what they are given, or hand it on.
const COPY: &[&str] =
    &["abc", "contextlib", "copy", "dataclasses", "functools", "graphwright", "types", "typing"];

/// Functions that hand on the items of what they are given.
const HAND_ON_ITEMS: &[&str] = &["cycle", "dropwhile", "filterfalse", "islice", "repeat", "takewhile"];

/// So many objects are looked at, in structures and attributes so deep.
const MOST: usize = 200;
const DEEPEST: usize = 3;

/// A look for values of the graph among the objects that a function can see.
struct Look {
    left: usize,
    /// True if what the closures of functions hold counts.
    closures: bool,
    /// True if tensors count: Python itself refuses most of what can be done to one, but not to a stand-in for a list.
    tensors: bool,
}

/// True if a value of the graph is an object, or is among its items and attributes.
pub fn reaches_graph(object: &Bound<'_, PyAny>) -> bool {
    Look { left: MOST, closures: false, tensors: true }.finds(object, DEEPEST)
}

/// The same, of what the closures of functions hold too.
pub fn holds_graph(object: &Bound<'_, PyAny>) -> bool {
    Look { left: MOST, closures: true, tensors: true }.finds(object, DEEPEST)
}

/// True if what stands for a list, dict or optional value of the graph is an object, or is among its items and attributes and
/// what the closures of functions hold.
pub fn shows_stand_in(object: &Bound<'_, PyAny>) -> bool {
    Look { left: MOST, closures: true, tensors: false }.finds(object, DEEPEST)
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
        if value.is_instance_of::<Maybe>()
            || value.is_instance_of::<MaybeStructure>()
            || value.is_instance_of::<Member>()
            || host_value::is_in(value)
        {
            return true;
        }
        let list = value.cast_exact::<PyList>();
        if list.as_ref().is_ok_and(|list| row_objects::has_rows(list))
            || !matches!(entries::list_of(value), Ok(None))
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
        if self.closures && value.is_instance_of::<PyFunction>() {
            return closure(value);
        }
        if let Ok(error) = value.cast::<PyBaseException>() {
            return error.getattr("args").and_then(|args| args.extract()).unwrap_or_default();
        }
        if value.is_instance_of::<PyType>()
            || !libraries::is_users(value.get_type().as_any()).unwrap_or(false)
        {
            return Vec::new();
        }
        attributes::held_by(value).unwrap_or_default().into_iter().take(self.left).collect()
    }
}

/// The objects in the variables of a function's closure.
fn closure<'py>(function: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    let cells = function.getattr("__closure__").and_then(|cells| cells.extract::<Vec<Bound<'py, PyAny>>>());
    let held = |cell: &Bound<'py, PyAny>| cell.getattr("cell_contents").ok();
    cells.unwrap_or_default().iter().filter_map(held).collect()
}

/// Refuses a call of a function that is not converted with what stands for a list, dict or optional value of the graph, or with
/// an object whose own attributes are in doubt where it looks at them.
pub fn check(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let py = function.py();
    let Some(tracing) = session::current() else { return Ok(()) };
    tracing.check_owners(function, args, kwargs)?;
    check_identities(function, args)?;
    if !tracing.holds_containers() {
        return Ok(());
    }
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let owner = function.getattr_opt(intern!(py, "__self__"))?;
    let name = text(function, intern!(py, "__name__"))?;
    let depth = usize::from(!HAND_ON_ITEMS.contains(&&*name));
    let mut look = Look { left: MOST, closures: false, tensors: false };
    let given = args.iter().chain(named).chain(owner);
    let is_container = |value: &Bound<'_, PyAny>| {
        value.is_instance_of::<PyList>()
            || value.is_instance_of::<PyTuple>()
            || entries::kind(value).is_some()
    };
    if !given.into_iter().any(|value| is_container(&value) && look.finds(&value, depth)) || keeps(function)? {
        return Ok(());
    }
    let name = match text(function, intern!(py, "__qualname__"))? {
        name if name.is_empty() => text(function.get_type().as_any(), intern!(py, "__qualname__"))?,
        name => name,
    };
    let message = format!(
        "`{name}` is Python's own, and would see a list, dict or set of the graph as it stands there"
    );
    let help = "use its methods, an index, `len`, `in` or a `for` loop; `gw.stack` makes a tensor of a list";
    Err(errors::here(py, Code::ListInGraph, message, help))
}

/// GW122 if a function that asks which object it is given gets one of which the graph decides that.
pub fn check_identities(function: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
    if !ASK_IDENTITY.contains(&&*text(function, intern!(function.py(), "__name__"))?) {
        return Ok(());
    }
    for arg in args {
        alias::check_identity(&arg)?;
        if let Ok(list) = arg.cast_exact::<PyList>() {
            list.iter().try_for_each(|item| alias::check_identity(&item))?;
        }
    }
    Ok(())
}

/// A `TypeError` of a function of Python's own that was given a tensor of the graph: it may take the number that the tensor is
/// without a graph, so no handler of the program takes it for the program's.
pub fn refused(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
    error: PyErr,
) -> PyErr {
    let py = function.py();
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let mut given = args.iter().chain(named);
    let module = text(function, intern!(py, "__module__")).unwrap_or_default();
    let is_coded = errors::code_of(py, &error).is_some();
    // Texts that such a library makes of a tensor are no concern of the user's.
    let is_own = libraries::is_out_of_sight(&module) || !(is_coded || is_of_user(py, function, &error));
    if !error.is_instance_of::<PyTypeError>(py)
        || !is_own
        // Python's builtins refuse a number as they refuse a tensor.
        || matches!(&*module, "" | "builtins")
        || !given.any(|one| reaches_graph(&one))
    {
        return error;
    }
    let name = text(function, intern!(py, "__qualname__")).unwrap_or_default();
    let reason = if is_coded { String::new() } else { format!(": {}", error.value(py)) };
    let message = format!("`{name}` is Python's own and takes no tensor of the graph{reason}");
    let help = "do it outside of the function, with functions of the graph, or in one that `gw.py_function` calls when it runs";
    errors::here_for_all(py, Code::NoMeaning, message, help)
}

/// True if code of the user's raised an exception.
fn is_of_user(py: Python<'_>, function: &Bound<'_, PyAny>, error: &PyErr) -> bool {
    let mut innermost = None;
    let mut next = error.traceback(py).map(Bound::into_any);
    while let Some(entry) = next.filter(|entry| !entry.is_none()) {
        next = entry.getattr("tb_next").ok();
        innermost = Some(entry);
    }
    let module = |entry: Bound<'_, PyAny>| {
        let globals = entry.getattr("tb_frame")?.getattr("f_globals")?;
        libraries::is_users_module(py, &globals.get_item("__name__")?.extract::<String>()?)
    };
    let of_user = innermost.map_or_else(|| libraries::is_users(function), module);
    of_user.unwrap_or(true)
}

/// True if a function hands on what it is given, or keeps it.
pub fn keeps(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    let name = text(function, intern!(py, "__name__"))?;
    let module = text(function, intern!(py, "__module__"))?;
    if KEEP.contains(&&*name) || COPY.contains(&module.split('.').next().unwrap_or_default()) {
        return Ok(true);
    }
    // The watch sees what a constructor of the user's does with it.
    let Some((base, _)) = in_class(function, intern!(py, "__init__")) else { return Ok(false) };
    Ok(function.is_instance_of::<PyType>() && libraries::is_users(&base)?)
}

/// A text among the attributes of a function; an empty one if it has none by this name.
fn text(function: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(function.getattr_opt(name)?.and_then(|text| text.extract().ok()).unwrap_or_default())
}

/// Values of a graph that may be `None`.
#[derive(Debug, Default)]
struct Optionals {
    /// True once there is one.
    is_met: AtomicBool,
}

impl Feature for Optionals {
    fn slot() -> FeatureSlot {
        FeatureSlot::Optionals
    }
}

impl Tracing {
    /// True if lists, dicts or sets are in the graph.
    pub fn holds_containers(&self) -> bool {
        self.lists().is_used() || self.tables().is_used()
    }

    /// A refusal ends the watch: where the statement is traced once more, it begins again.
    pub fn watch_again(&self, py: Python<'_>) -> PyResult<()> {
        let watches = self.holds_containers()
            || self.feature::<Optionals>().is_met.load(Ordering::Relaxed)
            || self.natively().is_used();
        if watches { watch(py) } else { Ok(()) }
    }

    /// Says that a value may be `None` in the graph.
    pub fn meets_optional(&self, py: Python<'_>) -> PyResult<()> {
        if self.feature::<Optionals>().is_met.swap(true, Ordering::Relaxed) { Ok(()) } else { watch(py) }
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

/// True if the functions of the user's are watched; a profiler of the program's is not.
pub fn is_watching(py: Python<'_>) -> PyResult<bool> {
    Ok(py.import("sys")?.call_method0("getprofile")?.is(watcher(py)?))
}

/// Ends that.
pub fn unwatch(py: Python<'_>) -> PyResult<()> {
    let sys = py.import("sys")?;
    if is_watching(py)? {
        sys.call_method1("setprofile", (py.None(),))?;
    }
    Ok(())
}

/// The function that Python tells of each call.
fn watcher(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static THE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || {
        let told = |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<()> {
            let (frame, event, given): (Bound<'_, PyAny>, Bound<'_, PyString>, Bound<'_, PyAny>) =
                args.extract()?;
            let Some(tracing) = session::current() else { return Ok(()) };
            match () {
                () if event == "call" => entered(&frame).and_then(|()| tracing.sees_call(&frame, None)),
                () if event == "c_call" => tracing.sees_call(&frame, Some(&given)),
                () => Ok(()),
            }
        };
        Ok::<_, PyErr>(PyCFunction::new_closure(py, None, None, told)?.into_any().unbind())
    };
    Ok(THE.get_or_try_init(py, make)?.bind(py))
}

/// Refuses a function of the user's that Python runs as it is, if what it is given, or names, holds what stands for a list.
fn entered(frame: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = frame.py();
    if !session::is_tracing() {
        return Ok(());
    }
    let code = frame.getattr(intern!(py, "f_code"))?;
    let globals = frame.getattr(intern!(py, "f_globals"))?.cast_into::<PyDict>()?;
    let module = globals.get_item(intern!(py, "__name__"))?.map(|name| name.to_string()).unwrap_or_default();
    if convert::is_converted(&code)? || !libraries::is_users_module(py, &module)? || is_part(&code)? {
        return Ok(());
    }
    let mut look = Look { left: MOST, closures: false, tensors: false };
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
    let help = "make it a method or function, and call that where a value is needed: a function converts what it calls, but no \
                properties and operators";
    Err(errors::here(py, Code::ListInGraph, message, help))
}

/// True if code is no function by itself, or one that Python wrote and that only stores what it is given.
fn is_part(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let text = |name| Ok::<_, PyErr>(code.getattr(name)?.to_string());
    let (file, name) = (text("co_filename")?, text("co_name")?);
    let stores = own_files::is_made(&file, &name) && matches!(&*name, "__init__" | "__new__");
    Ok(stores || name.starts_with('<') && name != "<lambda>" || own_files::is_ours(code.py(), &file))
}
