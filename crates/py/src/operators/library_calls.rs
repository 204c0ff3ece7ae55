//! Calls of functions and classes that are not converted, while a graph is built.

use crate::exceptions::errors;
use crate::host::made_object;
use crate::host_calls::opaque::{is_changeable, is_file, is_opaque, is_random, only_looks};
use crate::host_calls::{self, as_it_is, observed};
use crate::iteration::collected;
use crate::iteration::endless;
use crate::iteration::progress::{advances, check_source, is_iterator, made_inside, runs_while_tracing};
use crate::operators::special_methods;
use crate::optional::poison;
use crate::session;
use crate::session::conv::meaning;
use crate::session::libraries::is_users;
use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyTuple, PyType};

/// A function or class that is not converted, called while a graph is built: it may ask iterators for items, and make some.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Called {
    function: Py<PyAny>,
}

/// Gives the callable that stands for a function or class that is not converted.
pub fn called(function: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if !session::is_tracing() && !observed::is_watched() {
        return Ok(function);
    }
    let py = function.py();
    Ok(Bound::new(py, Called { function: function.unbind() })?.into_any())
}

#[pymethods]
impl Called {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.function.bind(py);
        if let Some(answer) = host_calls::answer(function, args, kwargs)? {
            return Ok(answer);
        }
        let args = &with_callbacks(function, args)?;
        let args = &with_items(function, args)?;
        if let Some(answer) = special_methods::answer(function, args)? {
            return Ok(answer);
        }
        args.iter().try_for_each(|arg| poison::refuse(&arg))?;
        as_it_is::check(function, args, kwargs)?;
        if let Some(tracing) = session::current() {
            tracing.met_getter(function, args)?;
        }
        let given =
            looked_after(function, args, kwargs, || match special_methods::made(function, args, kwargs)? {
                Some(made) => Ok(made),
                None => function
                    .call(args, kwargs)
                    .map_err(|error| as_it_is::refused(function, args, kwargs, error)),
            })?;
        if let Ok(class) = function.cast::<PyType>()
            && given.is_exact_instance(class)
            && is_users(function)?
            && let Some(tracing) = session::current()
        {
            tracing.made_objects().note(&given)?;
            made_object::note_inside(&given, 0)?;
        }
        Ok(given)
    }
}

/// Calls a function of Python's own or of a library: looks after the iterators that it takes and gives.
pub fn looked_after<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    call: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(tracing) = session::current() else { return call() };
    // An object that is called, a mock for one, is not asked for items by that.
    let own = usize::from(is_call(function)?);
    let given = args.iter().skip(own).chain(kwargs.into_iter().flat_map(|kwargs| kwargs.values()));
    let wraps = wraps(function)?;
    // What runs over a file asks it; other functions read and write it by its methods.
    let is_asked =
        |object: &Bound<'py, PyAny>| is_iterator(object) && (wraps || !is_file(object).unwrap_or(false));
    let taken: Vec<_> = given.filter(is_asked).collect();
    if !taken.is_empty() && !only_looks(function)? {
        match wraps {
            true => taken.iter().try_for_each(|iterator| check_source(&tracing, iterator))?,
            false => {
                taken.iter().try_for_each(advances)?;
                check_ends(function, &taken)?;
            }
        }
    }
    let made = call()?;
    let is_new = !taken.iter().any(|one| one.is(&made));
    if is_new
        && (is_iterator(&made)
            || is_seeded(&made, args, kwargs)?
            || is_opaque(&made)?
            || is_changeable(&made)?)
    {
        tracing.homes().made(&tracing, &made, &taken);
    }
    // An iterator of the graph that is asked for an attribute is Python's from then on.
    if function.is_instance_of::<PyType>() && !is_ours(&made) {
        made_inside(&tracing, &made)?;
    }
    Ok(made)
}

/// Refuses a function that takes all items of iterators one of which has no last one.
fn check_ends(function: &Bound<'_, PyAny>, iterators: &[Bound<'_, PyAny>]) -> PyResult<()> {
    let Some(message) = endless::taken_by(function, iterators, is_iterator)? else { return Ok(()) };
    let help = "take some of them, `itertools.islice(iterator, n)`";
    Err(errors::here(function.py(), Code::EndlessLoop, message, help))
}

/// True of a generator of random numbers that gives the same ones each time it is made.
fn is_seeded(
    made: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<bool> {
    let mut given = args.iter().chain(kwargs.into_iter().flat_map(|kwargs| kwargs.values()));
    Ok(is_random(made)? && given.any(|seed| !seed.is_none()))
}

/// True of what makes an iterator of others and asks them only when it is asked itself.
fn wraps(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(class) = function.cast::<PyType>() else { return Ok(false) };
    class.hasattr(intern!(function.py(), "__next__"))
}

/// True of a `__call__` that a class defines in Python.
fn is_call(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = intern!(function.py(), "__name__");
    Ok(function.is_instance_of::<PyFunction>() && function.getattr(name)?.eq("__call__")?)
}

/// A method whose answers differ from call to call, as the graph calls it; none for any other callable.
pub fn impure<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if runs_while_tracing()
        || session::current().is_some_and(|tracing| tracing.host_side().observed().is_some())
    {
        return Ok(None);
    }
    let py = function.py();
    let class = function.get_type();
    let is_method = function.is_instance_of::<PyCFunction>()
        || class.name()?.to_string_lossy().ends_with("method") && !is_users(class.as_any())?;
    if !is_method {
        return Ok(None);
    }
    let Some(owner) = function.getattr_opt(intern!(py, "__self__"))? else { return Ok(None) };
    let is_concerned = is_random(&owner)? || owner.is_instance_of::<PyType>() || is_file(&owner)?;
    if !is_concerned && !is_changeable(&owner)? && (!is_opaque(&owner)? || is_of_users(function)?) {
        return Ok(None);
    }
    let found = py.import("graphwright._meanings.impure")?.getattr("method")?.call1((owner, function))?;
    Ok(Some(found).filter(|found| !found.is_none()))
}

/// The arguments of a function whose iterators call what they are given: Python's own functions with their meaning, since
/// `len` itself sees one item where the graph's elements stand in a list.
fn with_callbacks<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let module = function.getattr_opt("__module__")?.and_then(|module| module.extract::<String>().ok());
    if !module.is_some_and(|module| CALL_BACK.contains(&&*module)) {
        return Ok(args.clone());
    }
    let meanings = args.iter().map(|arg| meaning(&arg)).collect::<PyResult<Vec<_>>>()?;
    // A tuple more refers to a generator once more, which is then not this call's alone.
    if meanings.iter().all(Option::is_none) {
        return Ok(args.clone());
    }
    PyTuple::new(function.py(), args.iter().zip(meanings).map(|(arg, meaning)| meaning.unwrap_or(arg)))
}

/// The arguments of a function that takes all items of iterators: lists of the items of generators that Python cannot ask.
fn with_items<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    if !collected::is_graphs_among(args)? || wraps(function)? || as_it_is::keeps(function)? {
        return Ok(args.clone());
    }
    collected::all_items_of(args)
}

/// The modules whose functions and classes call what they are given.
const CALL_BACK: &[&str] = &["_functools", "functools", "itertools"];

/// True of an object of this package's or Python's own.
fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().module().map(|module| module.to_string());
    module.is_ok_and(|module| module == "builtins" || module.split('.').next() == Some("graphwright"))
}

/// True of a method that the user wrote, in a class that inherits from one of Python's own.
fn is_of_users(method: &Bound<'_, PyAny>) -> PyResult<bool> {
    match method.getattr_opt(intern!(method.py(), "__func__"))? {
        Some(function) => Ok(function.is_instance_of::<PyFunction>() && is_users(&function)?),
        None => Ok(false),
    }
}
