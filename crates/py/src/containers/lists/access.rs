//! Indices and slices of Python's for lists in the graph.

use gw_base::Code;
use gw_ir::CheckKind;
use gw_trace::calls::Call;
use gw_trace::{Staged, objects};
use gw_types::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use super::elements::{Elements, elements, list, refused};
use super::{nested, settled};
use crate::containers::heap::{given, heap, value};
use crate::containers::list_object::ListObject;
use crate::convert::written::{self, Asked};
use crate::exceptions::errors;
use crate::host::checks::is_staged_index;
use crate::host::operands;
use crate::optional::number_types::as_number;
use crate::session;
use crate::values::subscripts;
use crate::values::tensor::Tensor;

pub use gw_trace::objects::Index;

/// `xs[key]`
pub fn get<'py>(of: &Bound<'py, PyList>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    if let (Some(lists), false) = (nested::lists_in(of), key.is_instance_of::<PySlice>()) {
        return nested::chosen(&lists, &index_of(key)?);
    }
    let held = if super::has_rows(of) {
        settled(of)?
    } else {
        elements(of).map_err(|e| unfit(of.as_any(), of, e))?
    };
    if let Ok(slice) = key.cast::<PySlice>() {
        let Some(held) = held else { return Ok(PyList::empty(py).into_any()) };
        return Ok(list(py, &sliced(&held, slice)?)?.into_any());
    }
    let index = index_of(key)?;
    Ok(objects::at(&heap(py)?, &ListObject::new(of), held, &index)?.bind(py).clone())
}

fn sliced(held: &Elements, slice: &Bound<'_, PySlice>) -> PyResult<Elements> {
    let (mut items, mut others) = (Vec::new(), Vec::new());
    subscripts::entries(slice.as_any(), &mut items, &mut others)?;
    let others: Vec<_> = others.into_iter().map(given).collect();
    Ok(held.map(&heap(slice.py())?, &Call::Subscript(items), &others)?)
}

/// The diagnostic where a tensor chooses among `items`, those of a list or dict that is `held`: the first that a graph cannot
/// choose is named, if that is why it failed.
pub fn unfit<'py>(held: &Bound<'py, PyAny>, items: &Bound<'py, PyList>, error: PyErr) -> PyErr {
    let py = held.py();
    let first = items.iter().find(|item| !super::elements::is_element(item).unwrap_or(true));
    let Some(kind) = first.and_then(|item| item.get_type().name().ok()) else { return error };
    written::refusal(py, Asked::Item(held, &kind.to_string_lossy())).unwrap_or(error)
}

/// `xs[key] = item`
pub fn set(of: &Bound<'_, PyList>, key: &Bound<'_, PyAny>, item: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Ok(slice) = key.cast::<PySlice>() {
        return set_slice(of, slice, item);
    }
    let index = index_of(key)?;
    Ok(objects::set(&heap(of.py())?, &ListObject::new(of), &index, &value(item))?)
}

fn set_slice(of: &Bound<'_, PyList>, slice: &Bound<'_, PySlice>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    let part = |name| slice.getattr(name);
    if !part("step")?.is_none() || !part("start")?.is_none() && !part("stop")?.is_none() {
        return Err(refused(py, "a part in the middle of a list in the graph is assigned"));
    }
    let Ok(value) = value.cast::<PyList>() else {
        return Err(refused(py, "a part of a list in the graph is assigned what is no list"));
    };
    let (start, stop) = (part("start")?, part("stop")?);
    let rest = |start: Bound<'_, PyAny>, stop: Bound<'_, PyAny>| -> PyResult<Vec<Py<PyAny>>> {
        let slice = py.get_type::<PySlice>().call1((start, stop))?;
        let rest = get(of, &slice)?;
        Ok(rest.cast::<PyList>()?.iter().map(Bound::unbind).collect())
    };
    let none = py.None().into_bound(py);
    let value: Vec<Py<PyAny>> = value.iter().map(Bound::unbind).collect();
    let all = match (start.is_none(), stop.is_none()) {
        (true, true) => value,
        (true, false) => [value, rest(stop, none)?].concat_refs(py),
        (false, _) => [rest(none, start)?, value].concat_refs(py),
    };
    if let Some(tracing) = session::current() {
        tracing.lists().placed.resize(of);
    }
    of.set_slice(0, of.len(), PyList::new(py, all)?.as_any())
}

/// Lists of objects, joined.
trait ConcatRefs {
    fn concat_refs(self, py: Python<'_>) -> Vec<Py<PyAny>>;
}

impl ConcatRefs for [Vec<Py<PyAny>>; 2] {
    fn concat_refs(self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.iter().flatten().map(|item| item.clone_ref(py)).collect()
    }
}

/// `del xs[key]`
pub fn delete(of: &Bound<'_, PyList>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    if let Ok(slice) = key.cast::<PySlice>() {
        return set_slice(of, slice, PyList::empty(py).as_any());
    }
    Ok(objects::delete(&heap(py)?, &ListObject::new(of), &index_of(key)?)?)
}

/// Takes the element at an index out of a list, and gives it.
pub fn remove_at<'py>(of: &Bound<'py, PyList>, index: &Index, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    Ok(objects::remove_at(&heap(py)?, &ListObject::new(of), index, text)?.bind(py).clone())
}

/// `xs.insert(index, item)`
pub fn insert(of: &Bound<'_, PyList>, index: &Index, item: &Bound<'_, PyAny>) -> PyResult<()> {
    Ok(objects::insert(&heap(of.py())?, &ListObject::new(of), index, &value(item))?)
}

/// The first position of an item; the run fails with `text` if it is nowhere.
pub fn find<'py>(
    of: &Bound<'py, PyList>,
    item: &Bound<'py, PyAny>,
    text: &Bound<'py, PyAny>,
) -> PyResult<Index> {
    Ok(objects::find(&heap(of.py())?, &ListObject::new(of), &value(item), &text.clone().unbind())?)
}

/// `xs.count(item)`
pub fn count<'py>(of: &Bound<'py, PyList>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, host) = (of.py(), heap(of.py())?);
    match objects::count(&host, &ListObject::new(of), &value(item))? {
        None => Ok(0i64.into_pyobject(py)?.into_any()),
        Some(count) => Ok(Bound::new(py, Tensor::staged(host.tracing().clone(), count))?.into_any()),
    }
}

/// `item in xs`
pub fn contains<'py>(of: &Bound<'py, PyList>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, host) = (of.py(), heap(of.py())?);
    match objects::contains(&host, &ListObject::new(of), &value(item))? {
        None => Ok(false.into_pyobject(py)?.to_owned().into_any()),
        // Python's own bool, of whatever the list holds.
        Some(truth) => Ok(as_number(host.tensor(truth)?.cast()?)?.into_any()),
    }
}

/// The elements, which a list that is empty while tracing has not.
pub fn some(of: &Bound<'_, PyList>, held: Option<Elements>, text: &str) -> PyResult<Elements> {
    Ok(objects::some(&heap(of.py())?, &ListObject::new(of), held, (CheckKind::Index, text))?)
}

/// Reads the index between the brackets.
pub fn index_of(key: &Bound<'_, PyAny>) -> PyResult<Index> {
    let py = key.py();
    if is_staged_index(key) {
        let operand = operands::operand(key)?;
        let tracing = session::current().expect("a value of the graph has one");
        if !operand.dtype().is_int() || !operand.lengths().is_empty() {
            let message = "the index of a list must be one integer";
            let help = "give an integer tensor without axes";
            return Err(errors::here(py, Code::BadArgument, message, help));
        }
        let wide = operands::apply(py, &Call::Cast(DType::I64), vec![operand])?;
        return Ok(Index::Given(operands::stage(&tracing, &wide)));
    }
    match key.call_method0("__index__") {
        Ok(index) => Ok(Index::Known(index.extract()?)),
        Err(_) => {
            let kind = key.get_type().name()?;
            Err(PyTypeError::new_err(format!("list indices must be integers or slices, not {kind}")))
        }
    }
}

/// An index as Python sees it.
pub fn shown(py: Python<'_>, index: Index) -> PyResult<Bound<'_, PyAny>> {
    match index {
        Index::Known(i) => Ok(i.into_pyobject(py)?.into_any()),
        Index::Given(staged) => {
            let host = heap(py)?;
            let weak = Staged { value: staged.value, weak: Some(gw_types::Number::Int) };
            Ok(Bound::new(py, Tensor::staged(host.tracing().clone(), weak))?.into_any())
        }
    }
}
