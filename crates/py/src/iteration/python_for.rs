//! `for` over a Python iterable, which runs as Python while the graph is built, and what a tensor that stops it means.

use gw_base::Code;
use gw_trace::objects::{Walking, check_walked};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple, PyType};

use crate::calls::callable::callable;
use crate::containers::heap::{heap, value};
use crate::containers::list_object::ListObject;
use crate::containers::lists::{self, elements};
use crate::containers::references;
use crate::containers::tables::{self, Undisturbed, entries};
use crate::effects::places::PyState;
use crate::exceptions::errors;
use crate::iteration::generators::OF_CALL;
use crate::iteration::loop_rolling::Candidate;
use crate::iteration::{loop_settings, progress};
use crate::operators::statements::branch;
use crate::operators::{Decides, OneByOne, decides};
use crate::session::{self, recursion_limit};

/// `for item in iterable: body(item)`, while `extra_test()`. The iterator is not advanced past a stop.
pub fn python_for<'py>(
    iterable: &Bound<'py, PyAny>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    progress::advances(iterable)?;
    if let Ok(list) = iterable.cast_exact::<PyList>()
        && session::is_tracing()
    {
        return over_list(list, extra_test, body, state);
    }
    let alone = extra_test.is_some() && session::is_tracing() && references::count(iterable)? <= OF_CALL;
    let mut undisturbed = undisturbed(iterable)?;
    let host = undisturbed.as_ref().map(|_| heap(body.py())).transpose()?;
    let table = undisturbed.as_ref().map(|watched| value(watched.table()));
    let _walking = host.as_ref().zip(table).map(|(host, table)| Walking::over(host, table));
    let mut items = iterable.try_iter()?;
    let mut watch = loop_settings::Watch::begin();
    for turn in 0.. {
        if let Some(rest) = Candidate::of_for(iterable, body, state)?
            && rest.rest_of_for(turn, &watch, extra_test)?
        {
            return Ok(());
        }
        if let Some(test) = extra_test {
            let go = test.call0()?;
            if !matches!(decides(&go)?, Decides::Python) {
                check_may_run_ahead(iterable, alone)?;
                progress::leave_inner(iterable)?;
                if let Ok(rows) = iterable.cast::<OneByOne>() {
                    rows.get().leave();
                }
                return unrolled((items, undisturbed), test, body, state, watch);
            }
            if !go.is_truthy()? {
                return Ok(());
            }
        }
        advance(undisturbed.as_mut(), body.py())?;
        progress::check_asked(&items)?;
        match items.next() {
            None => return Ok(()),
            Some(item) => {
                let item = item.map_err(|error| of_size(error, undisturbed.as_ref(), body.py()))?;
                drop(recursion_limit::call(body, (lists::known(item)?,))?);
            }
        }
        host.as_ref().map_or(Ok(()), check_walked)?;
        watch.iterated(body.py())?;
    }
    Ok(())
}

/// The refusal where Python finds that the number of entries changed while a loop runs over them in a block of the graph: a trace of
/// the block that does not know yet which of them flow may meet other ones than the program.
fn of_size(error: PyErr, undisturbed: Option<&Undisturbed<'_>>, py: Python<'_>) -> PyErr {
    let in_region = session::current().is_some_and(|tracing| tracing.trace.in_region());
    match undisturbed.filter(|_| in_region && error.is_instance_of::<PyRuntimeError>(py)) {
        Some(undisturbed) => moves(py, undisturbed.kind()),
        None => error,
    }
}

/// The watch over the entries of a dict or set of Python's that a loop runs over while a graph is built.
fn undisturbed<'py>(iterable: &Bound<'py, PyAny>) -> PyResult<Option<Undisturbed<'py>>> {
    let Some(tracing) = session::current() else { return Ok(None) };
    match tables::iterated_table(iterable, entries::is_set)? {
        Some(table) if entries::list_of(&table)?.is_none() => {
            Undisturbed::begin(table, tracing.tables().traced()).map(Some)
        }
        Some(_) | None => Ok(None),
    }
}

/// Refuses to go on where a statement of the graph has moved the entries.
fn advance(undisturbed: Option<&mut Undisturbed<'_>>, py: Python<'_>) -> PyResult<()> {
    let (Some(undisturbed), Some(tracing)) = (undisturbed, session::current()) else { return Ok(()) };
    let moved = undisturbed.advance(tracing.tables().traced());
    let staged = entries::list_of(undisturbed.table())?.map(|_| undisturbed.kind());
    moved.or(staged).map_or(Ok(()), |kind| Err(moves(py, kind)))
}

fn moves(py: Python<'_>, kind: &str) -> PyErr {
    let message = format!(
        "a loop or branch of the graph takes out or puts in keys of the {kind} that this loop runs over, which moves them"
    );
    let help = "loop over a copy of the keys: `for key in list(d):`";
    errors::here(py, Code::LoopChangesObject, message, help)
}

/// The same over a list, by position, as Python does it: once the graph knows the list, the rest is a loop in the graph.
fn over_list<'py>(
    list: &Bound<'py, PyList>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = list.py();
    let mut watch = loop_settings::Watch::begin();
    let host = if session::is_tracing() { Some(heap(py)?) } else { None };
    let _walking = host.as_ref().map(|host| Walking::new(host, &ListObject::new(list)));
    let mut at = 0;
    loop {
        if elements::staged(list.as_any()).is_some() {
            return lists::each_element(list, at, extra_test, body, state);
        }
        let go = extra_test.map(|test| test.call0()).transpose()?;
        let decided = go.as_ref().map(|go| decides(go)).transpose()?;
        let staged = !matches!(decided, None | Some(Decides::Python));
        if !staged && go.as_ref().map_or(Ok(false), |go| go.is_truthy().map(|go| !go))? || at >= list.len() {
            return Ok(());
        }
        let item = list.get_item(at)?;
        at += 1;
        match go.filter(|_| staged) {
            None => drop(recursion_limit::call(body, (item,))?),
            Some(go) => if_goes_on(&go, body, &item, state)?,
        }
        host.as_ref().map_or(Ok(()), check_walked)?;
        watch.iterated(py)?;
    }
}

/// Rest of a loop that a tensor may stop: `if go: body(item)` for each item.
fn unrolled<'py>(
    (mut items, mut undisturbed): (Bound<'py, PyIterator>, Option<Undisturbed<'py>>),
    test: &Bound<'py, PyAny>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
    mut watch: loop_settings::Watch,
) -> PyResult<()> {
    loop {
        advance(undisturbed.as_mut(), body.py())?;
        progress::check_asked(&items)?;
        let Some(item) = items.next() else { return Ok(()) };
        let (item, go) = (item.and_then(lists::known), test.call0()?);
        let item = match item {
            Ok(item) => item,
            Err(error) => return fails_if_it_goes_on(&go, error, body, state),
        };
        if !matches!(decides(&go)?, Decides::Python) {
            if_goes_on(&go, body, &item, state)?;
        } else if go.is_truthy()? {
            recursion_limit::call(body, (item,))?;
        } else {
            return Ok(());
        }
        watch.iterated(body.py())?;
    }
}

/// An iterator failed that Python asks only if the loop goes on.
fn fails_if_it_goes_on<'py>(
    go: &Bound<'py, PyAny>,
    error: PyErr,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = body.py();
    if matches!(decides(go)?, Decides::Python) {
        return if go.is_truthy()? { Err(error) } else { Ok(()) };
    }
    let fails = callable(py, move |py| Err(error.clone_ref(py)))?;
    branch(go, [&fails, &callable(py, |py| Ok(py.None()))?], state, &[body])
}

/// `if go: body(item)`, which reaches what the item holds too.
fn if_goes_on<'py>(
    go: &Bound<'py, PyAny>,
    body: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = body.py();
    let (block, given) = (body.clone().unbind(), item.clone().unbind());
    let each = callable(py, move |py| block.call1(py, (&given,)))?;
    branch(go, [&each, &callable(py, |py| Ok(py.None()))?], state, &[body, item])
}

/// Accepts iterables that may be read to their end although the loop may stop before: containers of Python's own,
/// and iterators over them that nobody else holds. Others would lose items.
fn check_may_run_ahead(iterable: &Bound<'_, PyAny>, alone: bool) -> PyResult<()> {
    if is_container(iterable)
        || iterable.is_instance_of::<OneByOne>()
        || (alone && runs_over_containers(iterable)?)
    {
        return Ok(());
    }
    let message =
        "a tensor decides whether this loop over a Python iterator ends, but the loop is not in the graph";
    let help = "loop over a list, a tensor or `gw.range`, or use a `while` loop";
    Err(errors::here(iterable.py(), Code::StagedStopInPython, message, help))
}

/// Containers of Python's own, whose iterators do nothing but give the items.
const CONTAINERS: &[&str] = &[
    "range",
    "list",
    "tuple",
    "dict",
    "dict_keys",
    "dict_values",
    "dict_items",
    "set",
    "frozenset",
    "str",
    "bytes",
    "OrderedDict",
    "odict_keys",
    "odict_values",
    "odict_items",
];

/// Iterators of Python's own, and what they are made of when they are pickled, does nothing but give the items either.
const ITERATORS: &[&str] = &[
    "enumerate",
    "zip",
    "reversed",
    "range_iterator",
    "list_iterator",
    "list_reverseiterator",
    "tuple_iterator",
    "dict_keyiterator",
    "dict_valueiterator",
    "dict_itemiterator",
    "set_iterator",
    "str_ascii_iterator",
    "str_iterator",
    "bytes_iterator",
    "odict_iterator",
];

/// True of these containers, and of those of derived classes whose iterator is theirs, such as a named tuple.
fn is_container(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let Ok(iterates) = class.getattr(intern!(object.py(), "__iter__")) else { return false };
    let same = |base: &Bound<'_, PyType>| {
        let own = base.getattr(intern!(base.py(), "__iter__"));
        is_builtin(base, CONTAINERS) && own.is_ok_and(|own| own.is(&iterates))
    };
    class.mro().iter().any(|base| base.cast::<PyType>().is_ok_and(same))
}

fn is_builtin(class: &Bound<'_, PyType>, names: &[&str]) -> bool {
    let module = class.getattr(intern!(class.py(), "__module__"));
    let is_pythons = |module: &str| ["builtins", "collections"].contains(&module);
    module.is_ok_and(|module| module.extract().is_ok_and(is_pythons))
        && class.name().is_ok_and(|name| names.contains(&&*name.to_string_lossy()))
}

/// True of containers of Python's own and of iterators over them alone.
fn runs_over_containers(iterator: &Bound<'_, PyAny>) -> PyResult<bool> {
    containers_under(iterator, &mut Vec::new())
}

/// Collects the containers that an iterator runs over; false if there is anything else under it.
pub fn containers_under<'py>(
    iterator: &Bound<'py, PyAny>,
    found: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<bool> {
    if is_container(iterator) {
        found.push(iterator.clone());
        return Ok(true);
    }
    if !is_builtin(&iterator.get_type(), ITERATORS) {
        return Ok(false);
    }
    let parts: (Bound<'py, PyAny>, Bound<'py, PyTuple>) = iterator
        .call_method0("__reduce__")?
        .get_item(pyo3::types::PySlice::new(iterator.py(), 0, 2, 1))?
        .extract()?;
    for part in parts.1.iter() {
        if crate::values::array::number(&part)?.is_none() && !containers_under(&part, found)? {
            return Ok(false);
        }
    }
    Ok(true)
}
