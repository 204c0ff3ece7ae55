//! Elements of a list in the graph in order, and more of them from elsewhere.

use std::sync::Arc;

use gw_ir::{CheckKind, CompareOp, Op, Piece as Text, ReduceOp};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::access::Index;
use super::elements::{Elements, elements, list, put, refused};
use super::settled;
use crate::containers::tables;
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::{checks, operands};
use crate::values::tensor::{Payload, Tensor};

/// `xs.sort(reverse=…)`
pub fn sort(of: &Bound<'_, PyList>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(held) = settled(of)? else { return Ok(()) };
    put(of, &ordered(of.py(), &held, options)?)
}

/// `sorted(xs, reverse=…)`
pub fn sorted<'py>(
    of: &Bound<'py, PyList>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    match settled(of)? {
        None => Ok(PyList::empty(py).into_any()),
        Some(held) => Ok(list(py, &ordered(py, &held, options)?)?.into_any()),
    }
}

/// In order of the first leaf, those with equal ones in order of the second, and so on; with `key`, in order of what that
/// gives for each.
fn ordered(py: Python<'_>, held: &Elements, options: Option<&Bound<'_, PyDict>>) -> PyResult<Elements> {
    let (mut descending, mut key) = (false, None);
    for (name, value) in options.into_iter().flat_map(|options| options.iter()) {
        match name.extract::<String>()?.as_str() {
            "reverse" => descending = value.is_truthy()?,
            "key" if !value.is_none() => key = Some(value),
            _ => {}
        }
    }
    let ranks = key.map(|key| ranks(py, held, &key)).transpose()?;
    let mut all = held.clone();
    let own = ranks.map_or(0, |ranks| {
        all.leaves.splice(..0, ranks.iter().copied());
        ranks.len()
    });
    let sorted_by = if own == 0 { held.leaves.len() } else { own };
    for at in (0..sorted_by).rev() {
        let leaf = Operand::Staged(held.tracing.clone(), all.leaves[at]);
        if leaf.lengths().len() != 1 {
            return Err(refused(py, "a list of arrays in the graph is sorted"));
        }
        let leaf = match leaf.dtype() {
            DType::Bool => operands::apply(py, &Call::Cast(DType::I32), vec![leaf])?,
            DType::I32 | DType::I64 => leaf,
            DType::F32 | DType::F64 => without_nan(py, held, leaf)?,
            DType::Str => return Err(refused(py, "a list of strings in the graph is sorted")),
        };
        let places = operands::apply(py, &Call::Sort { axis: 0, descending, places: true }, vec![leaf])?;
        all = all.map(py, &Call::Gather { axis: 0 }, &[places])?;
    }
    all.leaves.drain(..own);
    Ok(all)
}

/// Python leaves NaN, and what stands around it, in an order that its comparisons happen to find.
fn without_nan(py: Python<'_>, held: &Elements, leaf: Operand) -> PyResult<Operand> {
    let same = operands::apply(py, &Call::binary(CompareOp::Eq), vec![leaf.clone(), leaf.clone()])?;
    let all = operands::apply(py, &Call::Reduce { op: ReduceOp::All, axes: None, keep: false }, vec![same])?;
    let ok = operands::stage(&held.tracing, &all).value;
    checks::check_limit(py, &held.tracing, &[ok], CheckKind::Value, vec![Text::Text(NAN.to_owned())])?;
    Ok(leaf)
}

const NAN: &str = "GW130: NaN has no order among the numbers that are sorted; `gw.sort` puts it last";

/// What a key gives for each element.
fn ranks(py: Python<'_>, held: &Elements, key: &Bound<'_, PyAny>) -> PyResult<Vec<Staged>> {
    let ranks = tables::written("ranked", (list(py, held)?, key), py)?;
    Ok(elements(ranks.cast()?)?.map(|ranks| ranks.leaves).unwrap_or_default())
}

/// `xs.extend(items)`, for a tensor: its rows.
pub fn extend(of: &Bound<'_, PyList>, items: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    let Ok(tensor) = items.cast::<Tensor>() else {
        // Python takes the items one by one, if their number is known.
        return items.try_iter()?.try_for_each(|item| of.append(item?));
    };
    let Payload::Staged(tracing, staged) = tensor.get().content() else {
        return items.try_iter()?.try_for_each(|item| of.append(item?));
    };
    if tensor.get().is_number() {
        return items.try_iter().map(drop);
    }
    tracing.lists().use_(py)?;
    let rows = Staged { value: staged.value, weak: staged.weak };
    let more = Elements { tracing, element: Arc::new(Skeleton::Leaf), leaves: vec![rows], bound: None };
    of.append(list(py, &more)?.get_item(0)?)
}

/// `min(xs)` and `max(xs)` of tuples: the first or last of them in order.
pub fn extreme<'py>(of: &Bound<'py, PyList>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    let held = super::access::some(of, settled(of)?, "list index out of range")?;
    let some = held.arithmetic(Op::Compare(CompareOp::Gt), held.length(), held.number(0));
    let is_new = py.version_info() >= (3, 12);
    let text = if is_new { "iterable argument is empty" } else { "arg is an empty sequence" };
    let text = format!("{name}() {text}");
    checks::check(py, &held.tracing, &[some], CheckKind::Value, vec![Text::Text(text)])?;
    let at = if name == "min" { 0 } else { -1 };
    ordered(py, &held, None)?.at(py, &Index::Known(at))
}
