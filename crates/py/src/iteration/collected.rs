//! Lists of the items of generators: whoever takes all items of one at once takes them of a list that a loop of the graph
//! collects, since Python's own generator, whose code is not converted, sees a list of the graph as one item.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::comprehension::Comprehension;
use super::generators::{Generator, asked_last};
use super::iterable::Iterable;
use crate::session::conv::conv;

/// The items of an object for one who takes all of them: a list of a generator's, or the object.
pub fn all_items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(generator) = object.cast::<Generator>()
        && generator.get().can_emit(generator, false)?
    {
        return listed("collected", object);
    }
    if object.is_instance_of::<Comprehension>() {
        return listed("gathered", object);
    }
    match object.cast::<Iterable>() {
        Ok(iterable) if !iterable.get().is_counted(object.py())? => listed("collected", object),
        Ok(_) | Err(_) => Ok(object.clone()),
    }
}

/// The same of each argument.
pub fn all_items_of<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    let is_one = |arg: &Bound<'_, PyAny>| {
        arg.is_instance_of::<Generator>()
            || arg.is_instance_of::<Comprehension>()
            || arg.is_instance_of::<Iterable>()
    };
    if !args.iter().any(|arg| is_one(&arg)) {
        return Ok(args.clone());
    }
    let items = args.iter().map(|arg| all_items(&arg)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(args.py(), items)
}

/// True if Python cannot ask a generator among these arguments, or its own code would see lists of the graph.
pub fn is_graphs_among(args: &Bound<'_, PyTuple>) -> PyResult<bool> {
    let py = args.py();
    for arg in args {
        let is_graphs = match (arg.cast::<Generator>(), arg.cast::<Comprehension>()) {
            (Ok(generator), _) => generator.get().sees_stand_ins(py)?,
            (_, Ok(kept)) => kept.get().is_graphs(py),
            (Err(_), Err(_)) => false,
        };
        if is_graphs {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `item in items`, a loop of the graph that stops where it finds the item; nothing for what a loop cannot ask, or need not.
pub fn among<'py>(
    item: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = item.py();
    let is_asked = match (items.cast::<Generator>(), items.cast::<Iterable>()) {
        (Ok(generator), _) => generator.get().can_emit(generator, true)?,
        (_, Ok(iterable)) => !iterable.get().is_counted(py)?,
        (Err(_), Err(_)) => false,
    };
    if !is_asked {
        return Ok(None);
    }
    let generator = asked_last(items)?;
    let items = generator.as_ref().map_or(items, |generator| generator.as_any());
    let written = py.import("graphwright._meanings.written")?;
    conv(&written.getattr("among")?)?.call1((items, item)).map(Some)
}

fn listed<'py>(how: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("graphwright._meanings.iterables")?.call_method1(how, (object,))
}
