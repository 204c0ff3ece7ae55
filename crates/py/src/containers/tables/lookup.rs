//! Where a key is in a dict or set: all keys are compared with it in one pass.

use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, ReduceOp};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet};

use super::entries::{kind, list_of, refused};
use super::is_staged_key;
use super::sets::set_operation;
use super::view::{Part, of_pairs};
use crate::containers::lists;
use crate::containers::lists::access::Index;
use crate::containers::lists::elements::{self, Elements, has_rows};
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::{checks, messages, operands};
use crate::values::tensor::Tensor;

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(key_place, module)?)?;
    module.add_function(wrap_pyfunction!(key_found, module)?)?;
    module.add_function(wrap_pyfunction!(set_operation, module)?)
}

/// Where a key is among pairs, or among the elements of a set: -1 if it is nowhere.
#[pyfunction]
fn key_place<'py>(
    list: &Bound<'py, PyList>,
    key: &Bound<'py, PyAny>,
    pairs: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    match place(list, key, pairs)? {
        None => Ok((-1i64).into_pyobject(py)?.into_any()),
        Some((_, at)) => at.shown(py),
    }
}

/// The same; if it is nowhere, the run fails with `KeyError`.
#[pyfunction]
fn key_found<'py>(
    list: &Bound<'py, PyList>,
    key: &Bound<'py, PyAny>,
    pairs: bool,
) -> PyResult<Bound<'py, PyAny>> {
    found(list, key, pairs)?.1.shown(list.py())
}

/// Where a key is, which is checked when the graph runs.
fn found(list: &Bound<'_, PyList>, key: &Bound<'_, PyAny>, pairs: bool) -> PyResult<(Elements, Index)> {
    let py = list.py();
    let Some((held, at)) = place(list, key, pairs)? else {
        if list.is_empty() {
            lists::missed(list);
        }
        return Err(PyKeyError::new_err(key.clone().unbind()));
    };
    let ok = held.arithmetic(Op::Compare(CompareOp::Ge), at.value(&held), held.number(0));
    let (pieces, operands) = messages::message(key, 1)?;
    let shown = operands.iter().map(|operand| operands::stage(&held.tracing, operand).value);
    let values: Vec<_> = std::iter::once(ok).chain(shown).collect();
    checks::check(py, &held.tracing, &values, CheckKind::Key, pieces)?;
    Ok((held, at))
}

/// `d[key]`, for the pairs of `d`.
pub fn item<'py>(pairs: &Bound<'py, PyList>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = pairs.py();
    if !has_rows(pairs) {
        let parts = |part: usize| {
            PyList::new(py, pairs.iter().map(|pair| pair.get_item(part)).collect::<PyResult<Vec<_>>>()?)
        };
        if let Some(lists) = lists::nested::lists_in(&parts(1)?) {
            let (_, at) = found(&parts(0)?, key, false)?;
            return lists::nested::chosen(&lists, &at);
        }
    }
    let (held, at) = found(pairs, key, true).map_err(|error| unfit(pairs, error))?;
    held.at(py, &at)?.get_item(1)
}

/// The same as [`lists::access::unfit`], for pairs.
fn unfit(pairs: &Bound<'_, PyList>, error: PyErr) -> PyErr {
    let values =
        || PyList::new(pairs.py(), pairs.iter().map(|pair| pair.get_item(1)).collect::<PyResult<Vec<_>>>()?);
    match (PyDict::from_sequence(pairs.as_any()), values()) {
        (Ok(dict), Ok(values)) if !has_rows(pairs) => lists::access::unfit(dict.as_any(), &values, error),
        (Ok(_) | Err(_), _) => error,
    }
}

/// `key in container`, for a dict or set; nothing where Python knows.
pub fn contains<'py>(
    key: &Bound<'py, PyAny>,
    container: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = key.py();
    let is_dict = container.is_exact_instance_of::<PyDict>();
    let holds_keys = kind(container).is_some()
        || container.is_instance_of::<PySet>()
        || container.is_instance_of::<PyFrozenSet>();
    let list = match list_of(container)? {
        Some(list) => list,
        None if holds_keys && is_staged_key(key)? => comparable(container, key)?,
        None => return Ok(None),
    };
    let truth = match place(&list, key, is_dict)? {
        None => false.into_pyobject(py)?.to_owned().into_any(),
        Some((held, at)) => {
            let is_there = held.arithmetic(Op::Compare(CompareOp::Ge), at.value(&held), held.number(0));
            let tensor = Tensor::staged(held.tracing.clone(), Staged::strong(is_there));
            Bound::new(py, tensor)?.into_any()
        }
    };
    Ok(Some(truth))
}

/// The pairs or elements of a dict or set of Python's whose keys may equal a key.
pub fn comparable<'py>(
    container: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let py = key.py();
    let wanted = Skeleton::of(key, &mut Vec::new())?;
    let list = PyList::empty(py);
    for other in container.try_iter()? {
        let other = other?;
        let mut leaves = Vec::new();
        let alike = wanted.same(&Skeleton::of(&other, &mut leaves)?, py);
        let mut numbers =
            leaves.iter().map(|leaf| operands::plain_operand(leaf.bind(py)).is_ok_and(|o| o.is_some()));
        if !alike || !numbers.all(|number| number) {
            continue;
        }
        match container.cast_exact::<PyDict>() {
            Ok(dict) => list.append((&other, dict.as_any().get_item(&other)?))?,
            Err(_) => list.append(other)?,
        }
    }
    Ok(list)
}

/// Where a key is, and what the pairs are; nothing where no key can equal it.
fn place(
    list: &Bound<'_, PyList>,
    key: &Bound<'_, PyAny>,
    pairs: bool,
) -> PyResult<Option<(Elements, Index)>> {
    let py = list.py();
    let held = if has_rows(list) { lists::settled(list)? } else { elements::elements(list)? };
    let Some(held) = held else { return Ok(None) };
    let keys = if pairs { of_pairs(&held, py, Part::Keys)? } else { held.clone() };
    let mut leaves = Vec::new();
    if !keys.element.same(&Skeleton::of(key, &mut leaves)?, py) {
        return Ok(None);
    }
    let mut equal: Option<Operand> = None;
    for (&rows, leaf) in keys.leaves.iter().zip(leaves) {
        let Some(leaf) = operands::plain_operand(leaf.bind(py))? else { return Ok(None) };
        if !leaf.lengths().is_empty() {
            return Err(refused(py, "an array is the key of a dict or set"));
        }
        let rows = Operand::Staged(held.tracing.clone(), rows);
        let [rows, leaf] = alike(py, [rows, leaf])?;
        let same = operands::apply(py, &Call::binary(CompareOp::Eq), vec![rows, leaf])?;
        equal = Some(match equal {
            None => same,
            Some(equal) => operands::apply(py, &Call::binary(BinaryOp::And), vec![equal, same])?,
        });
    }
    let Some(equal) = equal else { return Ok(None) };
    let at = position(py, &held, equal)?;
    Ok(Some((held, at)))
}

/// Two numbers in a type in which they compare as Python's do.
fn alike(py: Python<'_>, both: [Operand; 2]) -> PyResult<[Operand; 2]> {
    let [x, y] = both;
    let is_float = |operand: &Operand| matches!(operand.dtype(), DType::F32 | DType::F64);
    let wide = if is_float(&x) || is_float(&y) { DType::F64 } else { DType::I64 };
    let cast = |operand: Operand| {
        if operand.dtype() == wide && !matches!(operand, Operand::Number(_)) {
            return Ok(operand.strong());
        }
        operands::apply(py, &Call::Cast(wide), vec![operand])
    };
    Ok([cast(x)?, cast(y)?])
}

/// The position of the only one that is true, or -1: keys differ, so a sum finds it, and of no keys too.
fn position(py: Python<'_>, held: &Elements, equal: Operand) -> PyResult<Index> {
    let operand = |value| Operand::Staged(held.tracing.clone(), Staged::strong(value));
    let (one, zero) = (operand(held.number(1)), Operand::Number(Scalar::Int(0)));
    let end = operand(held.arithmetic(Op::Binary(BinaryOp::Add), held.length(), held.number(1)));
    let counted = operands::apply(py, &Call::Range(Some(DType::I64)), vec![one.clone(), end, one.clone()])?;
    let marked = operands::apply(py, &Call::Select, vec![equal, counted, zero])?;
    let sum = Call::Reduce { op: ReduceOp::Sum, axes: None, keep: false };
    let sum = operands::apply(py, &sum, vec![marked])?;
    let at = operands::apply(py, &Call::wrapping(BinaryOp::Sub), vec![sum, one])?;
    Ok(Index::Given(operands::stage(&held.tracing, &at)))
}
