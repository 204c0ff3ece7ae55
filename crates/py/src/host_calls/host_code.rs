//! Calls of host code where `host_code="run"`: noted where plain Python runs, calls of the graph where one is built.

use std::sync::Arc;

use gw_base::Loc;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyModule, PyString, PyTuple, PyType};

use super::Seen;
use super::answer_types::{self, Promises};
use super::ask::{Asked, Looked, name_of, place_of, refused};
use super::memory::Memory;
use super::observed::{self, Observed};
use super::replay;
use super::serving;
use crate::dependencies::guards::{is_container, is_literal};
use crate::function::fingerprint;
use crate::function::parameters::with_owner;
use crate::host::messages::Message;
use crate::host_calls::as_it_is;
use crate::host_calls::host_value::{self, HostMethod, HostValue};
use crate::session::{self, Tracing};
use crate::values::array;
use crate::values::tensor::Tensor;

/// The answer of a call of host code where `host_code="run"`: noted where it runs now, a call of the graph where one is built. None
/// for what is not host code.
pub fn answer<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let tracing = session::current();
    let observed = match &tracing {
        Some(tracing) => tracing.host_side().observed(),
        None => observed::observer(),
    };
    let Some(observed) = observed else { return Ok(None) };
    let (function, args) = &of_class(function, args)?;
    let named = || kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    // A NumPy array of plain Python may be a value of the graph later.
    let is_tensor = |given: &Bound<'_, PyAny>| given.is_instance_of::<Tensor>() || array::is_array(given);
    let has_tensor = args.iter().chain(named()).any(|given| is_tensor(&given));
    let pure = py.import("graphwright._meanings.pure")?;
    if let Some(answer) = of_its_class(function, args) {
        return Ok(Some(answer));
    }
    let is_pure = !pure.call_method1("is_host_code", (function, has_tensor))?.extract::<bool>()?;
    if is_pure && !is_about_host_value(tracing.is_some(), function, args, kwargs)? {
        return if tracing.is_none() { text_now(function, args, kwargs) } else { Ok(None) };
    }
    let Some(place) = place_of(py) else { return Ok(None) };
    let Some(tracing) = tracing else {
        return note_answer(&observed, place, is_pure, function, (args, kwargs)).map(Some);
    };
    as_it_is::check(function, args, kwargs)?;
    let args = &match pure.call_method1("only_looks", (function,))?.extract()? {
        true => with_lists(&tracing, &observed, args)?,
        false => args.clone(),
    };
    let known = known_texts(args)?;
    if !is_pure && !pure.call_method1("reaches_nothing", (function, known, kwargs))?.extract::<bool>()? {
        observed.reach_anything();
    }
    let name = name_of(function);
    if !args.iter().chain(named()).all(|given| is_same_each_time(&tracing, &given)) {
        let message =
            format!("`{name}` is given an object that it may change, and that is not one each time");
        return Err(refused(
            py,
            message,
            "give it tensors and numbers, or an object from around the function",
        ));
    }
    let Some((said, is_array)) = observed.at(py, &place) else {
        observed.lack();
        return Err(unobserved(py, &name));
    };
    let promises = Arc::new(Promises::of(&name, said.bind(py))?.exact());
    let memory = if is_array { Memory::Host } else { Memory::Tensors };
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    Asked { name: &name, function, promises: &promises, memory, seen: Seen::At(place) }
        .plainly(&tracing, args, &kwargs)
        .map(Some)
}

/// The text that `str` makes in plain Python, where a graph has the host make it; none for another function.
fn text_now<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !function.is(function.py().get_type::<PyString>()) {
        return Ok(None);
    }
    let text = function.call(args, kwargs)?;
    observed::note_given(&text);
    Ok(Some(text))
}

/// Says that no call of plain Python has come to a call of host code.
fn unobserved(py: Python<'_>, name: &str) -> PyErr {
    let message = format!("it is not known what `{name}` gives here: no call has come here yet");
    let help = "call the function once before its graph is asked for, or call it in a function that `gw.host` \
                marks and whose annotation says the type";
    refused(py, message, help)
}

/// A method of a value of host code as the function of its class, which gets the value first.
fn of_class<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let Ok(method) = function.cast::<HostMethod>() else { return Ok((function.clone(), args.clone())) };
    let (py, method) = (function.py(), method.get());
    let owner = method.owner.bind(py).clone().into_any();
    Ok((method.function.bind(py).clone(), with_owner(Some(&owner), args)?))
}

/// The answer of `isinstance(value, class)` and `type(value)` for a value of host code, whose class is known.
fn of_its_class<'py>(function: &Bound<'py, PyAny>, args: &Bound<'py, PyTuple>) -> Option<Bound<'py, PyAny>> {
    let py = function.py();
    let value = args.get_item(0).ok()?.cast_into::<HostValue>().ok()?;
    let class = value.get().class.bind(py).clone().into_any();
    if args.len() == 1 && function.is(py.get_type::<PyType>()) {
        return Some(class);
    }
    let builtins = py.import("builtins").ok()?;
    let is_asked = args.len() == 2 && function.is(builtins.getattr("isinstance").ok()?);
    is_asked.then(|| builtins.call_method1("issubclass", (class, args.get_item(1).ok()?)).ok())?
}

/// True of functions that say the class of an object, which is known while a graph is built.
fn asks_class(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = function.py();
    Ok(function.is(py.get_type::<PyType>()) || function.is(py.import("builtins")?.getattr("isinstance")?))
}

/// True of a call that is given a value of host code, or is one of its methods: the run alone can make it.
pub fn is_about_host_value(
    is_tracing: bool,
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<bool> {
    let is_one = if is_tracing { host_value::is_in } else { observed::is_given };
    if !is_tracing && asks_class(function)? {
        return Ok(false);
    }
    let owner = function.getattr_opt(intern!(function.py(), "__self__"))?;
    // A container keeps what it is given: its methods are no calls of the host.
    let is_value = |owner: &Bound<'_, PyAny>| {
        is_literal(owner) || owner.is_instance_of::<PyModule>() || owner.is_instance_of::<PyType>()
    };
    if owner.as_ref().is_some_and(|owner| !is_one(owner) && !is_value(owner)) {
        return Ok(false);
    }
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    Ok(args.iter().chain(named).chain(owner).any(|given| is_one(&given)))
}

/// The arguments of a function that looks at lists alone: a list from around the function is one object for all calls, which the graph
/// may not change behind; of one that the function makes, the function looks at a copy.
fn with_lists<'py>(
    tracing: &Tracing,
    observed: &Observed,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = args.py();
    let one = |arg: Bound<'py, PyAny>| {
        let Ok(list) = arg.cast_exact::<PyList>() else { return Ok(arg) };
        let looked = if tracing.recorder().is_of_the_world(&arg) {
            observed.look_around();
            list.clone()
        } else if list.iter().all(|item| is_literal(&item)) {
            list.get_slice(0, list.len())
        } else {
            return Ok(arg);
        };
        Ok(Bound::new(py, Looked(looked.unbind()))?.into_any())
    };
    PyTuple::new(py, args.iter().map(one).collect::<PyResult<Vec<_>>>()?)
}

/// The arguments, with a text in place of those that are known later.
fn known_texts<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    let known = |arg: Bound<'py, PyAny>| match is_known_later(&arg) {
        true => PyString::new(arg.py(), "").into_any(),
        false => arg,
    };
    PyTuple::new(args.py(), args.iter().map(known))
}

/// True of texts and values that the run alone knows, and of lists that are only looked at.
fn is_known_later(arg: &Bound<'_, PyAny>) -> bool {
    arg.is_instance_of::<Message>() || arg.is_instance_of::<HostValue>() || arg.is_instance_of::<Looked>()
}

/// The answer of a call of host code in plain Python, whose type is noted for its place.
fn note_answer<'py>(
    observed: &Observed,
    place: Loc,
    is_pure: bool,
    function: &Bound<'py, PyAny>,
    (args, kwargs): (&Bound<'py, PyTuple>, Option<&Bound<'py, PyDict>>),
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let arrays = Arrays::among(args.iter().chain(named))?;
    // A run has asked a pure function if it got a value of host code, and not if it got the same text from elsewhere.
    let before = if is_pure { replay::answer_if_next(py, &place) } else { replay::answer(py, &place)? };
    let is_again = before.is_some();
    let given = before.unwrap_or_else(|| observed::apart(|| function.call(args, kwargs)));
    let given = match given {
        Ok(given) => given,
        Err(error) => {
            note_raised(observed, place, &error, is_again, py)?;
            if is_again {
                serving::in_context(error.value(py).as_any())?;
            }
            return Err(error);
        }
    };
    // No graph holds what is no tensor of ours, nor arrays that are stored into.
    let said = if arrays.hold()? { answer_types::said(&given).ok().flatten() } else { None };
    answer_types::host_values(&given)?.iter().for_each(observed::note_given);
    observed.note(py, place, said, array::is_array(&given))?;
    Ok(given)
}

/// Notes what host code raises in plain Python. No graph is made any more where one has met an exception that no graph holds.
fn note_raised(
    observed: &Observed,
    place: Loc,
    error: &PyErr,
    has_ended_run: bool,
    py: Python<'_>,
) -> PyResult<()> {
    let held = match serving::held_of(error, py)? {
        Some(held) => observed.note_raised(place.clone(), &error.get_type(py), &held)?,
        None => false,
    };
    if !held && has_ended_run {
        observed.note(py, place, None, false)?;
    }
    let args = error.value(py).getattr(intern!(py, "args"))?;
    answer_types::host_values(&args)?.iter().for_each(observed::note_given);
    Ok(())
}

/// The NumPy arrays that host code is given, with what they hold.
struct Arrays<'py>(Vec<(Bound<'py, PyAny>, u64)>);

impl<'py> Arrays<'py> {
    fn among(given: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Self> {
        let arrays = given.filter(array::is_array);
        arrays.map(|array| fingerprint::of(&array).map(|sum| (array, sum))).collect::<PyResult<_>>().map(Self)
    }

    /// True if they hold the same now.
    fn hold(&self) -> PyResult<bool> {
        self.0.iter().try_fold(true, |hold, (array, sum)| Ok(hold && fingerprint::of(array)? == *sum))
    }
}

/// True of values, and of objects from around the function, which a call may change. What the function makes would be one object for all
/// calls of the graph, and containers are made anew for each call of the host.
fn is_same_each_time(tracing: &Tracing, given: &Bound<'_, PyAny>) -> bool {
    if let Ok(items) = given.cast_exact::<PyTuple>() {
        return items.iter().all(|item| is_same_each_time(tracing, &item));
    }
    let is_value = is_literal(given)
        || given.is_instance_of::<Tensor>()
        || given.is_instance_of::<Message>()
        || given.is_instance_of::<HostValue>()
        || given.is_instance_of::<Looked>()
        || given.is_instance_of::<PyType>();
    is_value || !is_container(given) && tracing.recorder().is_of_the_world(given)
}
