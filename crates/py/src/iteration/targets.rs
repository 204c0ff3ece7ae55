//! Targets that take values apart: Python's own code takes the items of lists and tuples, and would take what stands for the elements
//! of a list of the graph for one item.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::containers::lists;
use crate::iteration::progress;
use crate::operators::object::Operators;
use crate::session;

#[pymethods]
impl Operators {
    /// A value that a target takes apart, `shape`: a tuple of what each part is, a tuple in its turn, `'*'` or `None`.
    fn spread<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        shape: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        progress::advances(value)?;
        apart(value, shape)
    }

    /// An iterable whose items a comprehension takes apart.
    fn spread_items<'py>(
        &self,
        iterable: &Bound<'py, PyAny>,
        shape: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !session::current().is_some_and(|tracing| tracing.holds_containers()) {
            return Ok(iterable.clone());
        }
        let py = iterable.py();
        if let Ok(items) = iterable.cast_exact::<PyTuple>() {
            let items = items.iter().map(|item| apart(&item, shape)).collect::<PyResult<Vec<_>>>()?;
            return Ok(PyTuple::new(py, items)?.into_any());
        }
        let items = Spread { items: iterable.try_iter()?.into_any().unbind(), shape: shape.clone().unbind() };
        Ok(progress::made(Bound::new(py, items)?.into_any(), std::slice::from_ref(iterable)))
    }
}

/// The items of an iterable, each of which a target takes apart.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
struct Spread {
    items: Py<PyAny>,
    shape: Py<PyTuple>,
}

#[pymethods]
impl Spread {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut items = self.items.bind(py).try_iter()?;
        items.next().map(|item| apart(&lists::known(item?)?, self.shape.bind(py))).transpose()
    }
}

/// A list or tuple whose items are known, and so on in the parts that are taken apart; another value as it is.
fn apart<'py>(value: &Bound<'py, PyAny>, shape: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let value = lists::each(value)?;
    let is_deep = shape.iter().any(|part| part.is_instance_of::<PyTuple>());
    let is_sequence = value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>();
    if !is_deep || !is_sequence {
        return Ok(value);
    }
    let mut items = value.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    let count = items.len();
    let star = shape.iter().position(|part| part.is_instance_of::<PyString>());
    for (at, part) in shape.iter().enumerate() {
        // Parts behind the star are counted from the end.
        let is_behind = star.is_some_and(|star| at > star);
        let place = if is_behind { (count + at).checked_sub(shape.len()) } else { Some(at) };
        if let (Ok(part), Some(item)) = (part.cast::<PyTuple>(), place.and_then(|place| items.get_mut(place)))
        {
            *item = apart(item, part)?;
        }
    }
    Ok(PyList::new(value.py(), items)?.into_any())
}
