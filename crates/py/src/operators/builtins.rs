//! Callables that are called in place of the program's: converted Python functions, and Python's own functions for tensors.

use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyCFunction, PyDict, PyFunction, PyString, PyTuple, PyType};
use std::collections::HashMap;

use crate::calls::recursion;
use crate::containers::{lists, tables};
use crate::convert::{self, converted};
use crate::dependencies;
use crate::effects::{arguments, watch};
use crate::exceptions::errors;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host_calls::host_value::HostMethod;
use crate::host_calls::{self, as_it_is, observed};
use crate::iteration::unfilled::unfilled;
use crate::iteration::{generators, progress};
use crate::operators::builtin_table::is_staged;
use crate::operators::compare::members;
use crate::operators::{self, Decides, decides, library_calls, object, python_print, special_methods};
use crate::optional::maybe::Maybe;
use crate::optional::{self, number_types, poison};
use crate::session::libraries::{is_cached, stays};
use crate::session::own_functions::is_graph_function;
use crate::session::{self, log};

/// A function of Python's own with its meaning while a graph is built: a row of `graphwright._meanings`.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Overload {
    original: Py<PyAny>,
    meaning: Py<PyAny>,
    /// True if it may call functions or hold tensors that its arguments do not show.
    always: bool,
}

#[pymethods]
impl Overload {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for arg in args.iter() {
            if let Decides::Backend(backend) = decides(&arg)? {
                return backend.call(self.original.bind(py), args, kwargs);
            }
        }
        if session::is_tracing() {
            args.iter().try_for_each(|arg| poison::refuse(&arg))?;
        }
        if let Some(answer) = of_host_value(self.original.bind(py), args, kwargs)? {
            return Ok(answer);
        }
        library_calls::looked_after(self.original.bind(py), args, kwargs, || self.answer(py, args, kwargs))
    }
}

impl Overload {
    fn answer<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !session::is_tracing() {
            return self.original.bind(py).call(args, kwargs);
        }
        as_it_is::check_identities(self.original.bind(py), args)?;
        if let Some(answer) = members::answer(self.original.bind(py), args)? {
            return Ok(answer);
        }
        let iterated = self.iterated(args)?;
        let (is_iterated, args) = (iterated.is_some(), iterated.as_ref().unwrap_or(args));
        if let Some(answer) = special_methods::answer(self.original.bind(py), args)? {
            return Ok(answer);
        }
        if !(self.always || is_iterated || any_staged(args, kwargs)?) {
            return operators::texts::known(self.original.bind(py).call(args, kwargs)?);
        }
        let name: String = self.original.bind(py).getattr("__name__")?.extract()?;
        if let Some(answer) = lists::answer(&name, args, kwargs)? {
            return Ok(answer);
        }
        if let Some(answer) = number_types::answer(&name, args)? {
            return Ok(answer);
        }
        if let Some(answer) = optional::answer(&name, args)? {
            return Ok(answer);
        }
        let is_truth = self.original.bind(py).is(py.get_type::<PyBool>());
        let read = |arg: Bound<'py, PyAny>| match arg.cast::<Maybe>() {
            Ok(maybe) if !(is_truth && Maybe::optional(&arg).is_some()) => operands::value_of(maybe.as_any()),
            Ok(_) => Ok(arg),
            Err(_) => lists::argument(&name, arg),
        };
        let read = args.iter().map(read).collect::<PyResult<Vec<_>>>()?;
        let given = self.meaning.bind(py).call(PyTuple::new(py, read)?, kwargs)?;
        if matches!(&*name, "sum" | "max" | "min") {
            lists::folded(args, &name, &given)?;
        }
        Ok(given)
    }
}

/// Functions that take the items of arguments, with the places of these.
const ITERATES: &[(&str, std::ops::Range<usize>)] = &[
    ("all", 0..1),
    ("any", 0..1),
    ("enumerate", 0..1),
    ("filter", 1..2),
    ("iter", 0..1),
    ("list", 0..1),
    ("map", 1..usize::MAX),
    ("max", 0..1),
    ("min", 0..1),
    ("sorted", 0..1),
    ("sum", 0..1),
    ("tuple", 0..1),
    ("zip", 0..usize::MAX),
];

/// Those of these functions that give an iterator of Python's.
const GIVE_ITERATORS: &[&str] = &["enumerate", "filter", "iter", "map", "zip"];

impl Overload {
    /// The arguments, of containers of the user's their iterators; nothing if there is no such container.
    fn iterated<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let py = args.py();
        let name: String = self.original.bind(py).getattr("__name__")?.extract()?;
        let Some((_, places)) = ITERATES.iter().find(|(iterates, _)| *iterates == name) else {
            return Ok(None);
        };
        // `max(a, b)` compares its arguments.
        let compares = matches!(&*name, "max" | "min") && args.len() > 1;
        let lazily = GIVE_ITERATORS.contains(&&*name);
        let taken = |(at, arg): (usize, Bound<'py, PyAny>)| {
            if !places.contains(&at) || compares {
                return Ok(arg);
            }
            let empty = if lazily { unfilled(&arg)? } else { None };
            let own =
                if empty.is_some() || name == "iter" { empty } else { special_methods::iterator(&arg)? };
            Ok::<_, PyErr>(own.unwrap_or(arg))
        };
        let all = args.iter().enumerate().map(taken).collect::<PyResult<Vec<_>>>()?;
        let is_one = all.iter().zip(args).any(|(taken, arg)| !taken.is(&arg));
        is_one.then(|| PyTuple::new(py, all)).transpose()
    }
}

/// The answer of a function that is given a value of host code.
fn of_host_value<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_tracing = session::is_tracing();
    if !(is_tracing || observed::is_watched())
        || !host_calls::is_about_host_value(is_tracing, function, args, kwargs)?
    {
        return Ok(None);
    }
    host_calls::answer(function, args, kwargs)
}

fn any_staged(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<bool> {
    for arg in args.iter() {
        if is_staged(&arg)? {
            return Ok(true);
        }
    }
    for (_, arg) in kwargs.into_iter().flat_map(|k| k.iter()) {
        if is_staged(&arg)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A function of Python's own: the object at an address, or a method of the class there, which is another object each time.
type Known = (usize, Option<String>);

/// The overload that stands for a function, if there is one.
fn overload<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<&'py Py<Overload>>> {
    Ok(overloads(function.py())?.get(&known(function)?))
}

fn known(function: &Bound<'_, PyAny>) -> PyResult<Known> {
    if function.is_instance_of::<PyCFunction>()
        && let Ok(class) = function.getattr(intern!(function.py(), "__self__"))?.cast::<PyType>()
    {
        return Ok((class.as_ptr() as usize, Some(function.getattr("__name__")?.extract()?)));
    }
    Ok((function.as_ptr() as usize, None))
}

/// Overloads by the function that they stand for.
fn overloads(py: Python<'_>) -> PyResult<&HashMap<Known, Py<Overload>>> {
    static ALL: PyOnceLock<HashMap<Known, Py<Overload>>> = PyOnceLock::new();
    ALL.get_or_try_init(py, || {
        let mut all = HashMap::new();
        for row in py.import("graphwright._meanings")?.getattr("TABLE")?.try_iter()? {
            let (original, meaning, always): (Py<PyAny>, Py<PyAny>, bool) = row?.extract()?;
            let key = known(original.bind(py))?;
            all.insert(key, Py::new(py, Overload { original, meaning, always })?);
        }
        Ok(all)
    })
}

/// The meaning of a function of Python's own, if it has one while a graph is built.
pub fn meaning<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    if !function.is_instance_of::<PyCFunction>() {
        return Ok(None);
    }
    let overload = overload(function)?;
    Ok(overload.map(|overload| overload.bind(py).clone().into_any()))
}

/// Callable for use in place of `function`.
pub fn conv<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if session::is_tracing() {
        check_method(function)?;
    }
    if function.is_instance_of::<HostMethod>() {
        return library_calls::called(function.clone());
    }
    if let Some(impure) = library_calls::impure(function)? {
        return Ok(impure);
    }
    if let Some(print) = python_print::staged(function)? {
        return Ok(print);
    }
    if let Some(text) = operators::texts::staged(function)? {
        return Ok(text);
    }
    if let Some(overload) = overload(function)? {
        return Ok(overload.bind(py).clone().into_any());
    }
    if let Ok(plain) = function.cast::<PyFunction>() {
        return converted(plain);
    }
    if let Some(bar) = of_bar(function)? {
        return Ok(bar);
    }
    if let Some(method) = of_container(function)? {
        return Ok(method);
    }
    if let Some(constructor) = tables::constructor(function)? {
        return Ok(constructor);
    }
    if function.is_instance_of::<PyCFunction>() || function.is_exact_instance_of::<PyType>() {
        return library_calls::called(function.clone());
    }
    if is_graph_function(function) {
        return Ok(function.clone());
    }
    of_callable(function)
}

/// Methods of what `functools.cache` makes that tell or change how often its function was called.
const COUNTING: &[&str] = &["cache_clear", "cache_info"];

/// Methods of iterators that take an item, or end them.
const TAKING: &[&str] = &["__next__", "close", "send", "throw"];

/// Refuses such methods where they would be called once, while the graph is built.
fn check_method(function: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = function.py();
    let class = function.get_type().name()?;
    if !function.is_instance_of::<PyCFunction>() && class != "method-wrapper" {
        return Ok(());
    }
    let name: String = function.getattr(pyo3::intern!(py, "__name__"))?.extract()?;
    match function.getattr_opt(pyo3::intern!(py, "__self__"))? {
        Some(owner) if TAKING.contains(&&*name) => progress::advances(&owner),
        Some(owner) if COUNTING.contains(&&*name) && is_cached(&owner)? => {
            let message = format!(
                "`{name}` depends on how often a function was called, which is not known while the graph is built"
            );
            Err(errors::here(py, Code::FrozenCall, message, "call it outside of the function"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Stand-in for a class of `tqdm`, if that is imported, while a graph is built.
fn of_bar<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let Ok(class) = function.cast::<PyType>() else { return Ok(None) };
    if !session::is_tracing() {
        return Ok(None);
    }
    let modules = py.import("sys")?.getattr("modules")?;
    let Ok(known) = modules.get_item("tqdm.std") else { return Ok(None) };
    if !class.is_subclass(&known.getattr("tqdm")?)? {
        return Ok(None);
    }
    let meaning = py.import("graphwright._meanings.bars")?.getattr("bar")?;
    let meaning = py.import("functools")?.call_method1("partial", (meaning, class))?;
    let row = Overload { original: function.clone().unbind(), meaning: meaning.unbind(), always: true };
    Ok(Some(Bound::new(py, row)?.into_any()))
}

/// Stand-in for a method of a list, dict or set while a graph is built.
fn of_container<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !session::is_tracing() || !function.is_exact_instance_of::<PyCFunction>() {
        return Ok(None);
    }
    let py = function.py();
    let owner = function.getattr(pyo3::intern!(py, "__self__"))?;
    let name = function.getattr(pyo3::intern!(py, "__name__"))?;
    let name = name.cast::<PyString>()?.to_string_lossy();
    arguments::called(py, &owner, &name);
    match lists::method(&owner, &name, function)? {
        Some(method) => Ok(Some(method)),
        None => tables::method(&owner, &name, function),
    }
}

/// Bound methods, partial functions and objects with a `__call__` of their own.
fn of_callable<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let method_type = py.import("types")?.getattr("MethodType")?;
    dependencies::met_parts(function)?;
    if function.is_instance(&method_type)? {
        let inner = conv(&function.getattr("__func__")?)?;
        dependencies::met_method(&function.getattr("__func__")?, &function.getattr("__self__")?)?;
        return method_type.call1((inner, function.getattr("__self__")?));
    }
    let partial = py.import("functools")?.getattr("partial")?;
    if function.get_type().is(&partial) {
        let mut args = vec![conv(&function.getattr("func")?)?];
        args.extend(function.getattr("args")?.cast::<PyTuple>()?.iter());
        let keywords = function.getattr("keywords")?;
        return partial.call(PyTuple::new(py, args)?, Some(keywords.cast::<PyDict>()?));
    }
    if is_cached(function)? && session::is_tracing() {
        return Ok(Bound::new(py, Cached(function.clone().unbind()))?.into_any());
    }
    match function.get_type().getattr("__call__") {
        Ok(call) if call.is_instance_of::<PyFunction>() => {
            dependencies::met_method(&call, function)?;
            method_type.call1((converted(call.cast::<PyFunction>()?)?, function))
        }
        Ok(_) | Err(_) => library_calls::called(function.clone()),
    }
}

/// A function whose results `functools.cache` keeps, while a graph is built. Values of the graph are no keys: for them the
/// function itself is called, whose operations are the same each time.
#[pyclass(frozen, name = "CachedFunction", module = "graphwright")]
#[derive(Debug)]
struct Cached(Py<PyAny>);

#[pymethods]
impl Cached {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (kept, mut leaves) = (self.0.bind(py), Vec::new());
        Skeleton::of(args.as_any(), &mut leaves)?;
        kwargs.map(|kwargs| Skeleton::of(kwargs.as_any(), &mut leaves)).transpose()?;
        let mut is_any_staged = false;
        for leaf in &leaves {
            is_any_staged |= is_staged(leaf.bind(py))?;
        }
        let in_region = session::current().is_some_and(|tracing| tracing.trace.in_region());
        let wrapped = kept.getattr("__wrapped__")?;
        let by = "a function whose results are kept, and the graph decides how often it is called";
        if is_any_staged {
            return watch::called(&wrapped, Vec::new(), by, || conv(&wrapped)?.call(args, kwargs));
        }
        session::current().map_or(Ok(()), |tracing| tracing.asks_cache(kept))?;
        let answer = match in_region {
            // A region that is traced again calls the function again, so that the error comes again too.
            true => watch::called(&wrapped, Vec::new(), by, || kept.call(args, kwargs))
                .or_else(|error| kept.call_method0("cache_clear").and(Err(error))),
            false => kept.call(args, kwargs),
        }?;
        py.import("graphwright._meanings.pure")?.call_method1("guard_cache", (kept,))?;
        Ok(answer)
    }
}

/// The function converted, or itself where it is not to be: the library's and the standard library's own, those marked
/// with `do_not_convert`, and those whose source cannot be found (their errors then say that they are not converted).
fn converted<'py>(function: &Bound<'py, PyFunction>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if convert::is_converted(&function.getattr("__code__")?)? {
        return callee(function.clone(), function);
    }
    if stays(function)? {
        return library_calls::called(function.as_any().clone());
    }
    let operators = object::the(py)?.into_any();
    match errors::trying(|| converted::convert(function, &operators)) {
        Ok(converted) => callee(converted, function),
        Err(error) if error.is_instance_of::<errors::ConversionError>(py) => {
            let found = dependencies::met_without_text(function)?;
            let name = function.getattr("__qualname__")?;
            log::say(py, log::STEPS, || Ok(format!("`{name}` stays as it is: {}", error.value(py))))?;
            Ok(found)
        }
        Err(error) => Err(error),
    }
}

/// Callable for use in place of a converted function.
fn callee<'py>(
    converted: Bound<'py, PyFunction>,
    own: &Bound<'py, PyFunction>,
) -> PyResult<Bound<'py, PyAny>> {
    let entered = recursion::entered(converted.into_any(), own.as_any())?;
    dependencies::given(generators::made_by(entered, own)?, own)
}
