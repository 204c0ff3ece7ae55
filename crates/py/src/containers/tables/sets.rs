//! The operators of sets that functions make while a graph is built.

use gw_ir::UnaryOp;
use gw_trace::calls::Call;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyList, PySet, PyTuple};

use super::entries::{Kind, list_of, set_class, unknown};
use super::making::{make, settled};
use super::methods::taken;
use super::view::{Part, View};
use super::written;
use crate::host::{checks, operands};

/// The result of an operator of a set, given by the name of its method.
#[pyfunction]
#[pyo3(signature = (name, own, *others))]
pub fn set_operation<'py>(
    name: &str,
    own: &Bound<'py, PyAny>,
    others: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = own.py();
    let Ok(other) = others.get_item(0) else {
        return if list_of(own)?.is_some() { Err(unknown(py)) } else { pythons(name, own, others) };
    };
    if name == "__contains__" {
        return if list_of(own)?.is_some() { Err(unknown(py)) } else { pythons(name, own, others) };
    }
    if !other.is_instance_of::<PySet>() && !other.is_instance_of::<PyFrozenSet>() {
        return Ok(py.NotImplemented().into_bound(py));
    }
    if list_of(own)?.is_none() && list_of(&other)?.is_none() {
        return pythons(name, own, others);
    }
    match operated(name, taken(own)?, taken(&other)?)? {
        Some(given) => Ok(given),
        None => changed(name, own, &taken(&other)?),
    }
}

/// The result of an operator that makes something new; nothing for one that changes its left side.
fn operated<'py>(
    name: &str,
    a: Bound<'py, PyList>,
    b: Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = a.py();
    let set = |list: PyResult<Bound<'py, PyAny>>| make(Kind::Set, list?.cast()?);
    let given = match name {
        "__or__" | "__ror__" => set(written("union", (a, b), py)),
        "__and__" | "__rand__" => set(written("intersection", (a, b), py)),
        "__xor__" | "__rxor__" => set(written("symmetric_difference", (a, b), py)),
        "__sub__" => set(written("difference", (a, b), py)),
        "__rsub__" => set(written("difference", (b, a), py)),
        "__le__" => written("is_subset", (a, b), py),
        "__ge__" => written("is_subset", (b, a), py),
        "__lt__" => written("is_less", (a, b), py),
        "__gt__" => written("is_less", (b, a), py),
        "__eq__" => written("equal_sets", (a, b), py),
        "__ne__" => not(&written("equal_sets", (a, b), py)?),
        _ => return Ok(None),
    };
    given.map(Some)
}

/// Operators of `d.keys()` and `d.items()`, which are those of sets.
#[pymethods]
impl View {
    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__or__", slf, other)
    }

    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__ror__", slf, other)
    }

    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__and__", slf, other)
    }

    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__rand__", slf, other)
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__sub__", slf, other)
    }

    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        of_view("__xor__", slf, other)
    }
}

fn of_view<'py>(
    name: &str,
    view: &Bound<'py, View>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = view.py();
    let given = match view.get().part {
        Part::Keys | Part::Items => operated(name, taken(view.as_any())?, taken(other)?)?,
        Part::Values => None,
    };
    Ok(given.unwrap_or_else(|| py.NotImplemented().into_bound(py)))
}

/// Result of Python's own set; a new set is one of ours again.
fn pythons<'py>(
    name: &str,
    own: &Bound<'py, PyAny>,
    others: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = own.py();
    if name == "__repr__" {
        let plain = PySet::new(py, super::keys_of(own)?)?;
        return Ok(plain.repr()?.into_any());
    }
    let args: Vec<_> = std::iter::once(own.clone()).chain(others.iter()).collect();
    let given = py.get_type::<PySet>().getattr(name)?.call1(PyTuple::new(py, args)?)?;
    if given.is_exact_instance_of::<PySet>() { set_class(py)?.call1((given,)) } else { Ok(given) }
}

/// `s |= t` and the like.
fn changed<'py>(
    name: &str,
    own: &Bound<'py, PyAny>,
    others: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = own.py();
    let items = settled(own)?;
    let method = match name {
        "__ior__" => return written("add_all", (items, others), py).map(|_| own.clone()),
        "__iand__" => "intersection",
        "__isub__" => "difference",
        _ => "symmetric_difference",
    };
    let kept = written(method, (&items, others), py)?;
    items.set_slice(0, items.len(), &kept)?;
    Ok(own.clone())
}

/// `not equal`, which may be a value of the graph.
pub fn not<'py>(equal: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = equal.py();
    match checks::staged_test(equal)? {
        Some(_) => operands::call(py, &Call::unary(UnaryOp::Not), &[equal]),
        None => Ok((!equal.is_truthy()?).into_pyobject(py)?.to_owned().into_any()),
    }
}
