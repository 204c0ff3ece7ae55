//! The parts of values where branches and loops join them. A graph that calls all host code carries texts of the program as it carries
//! those of the host; members of enumerations by their positions.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::Skeleton;
use crate::host::members;
use crate::host::structure::Kind;
use crate::host_calls::host_value;
use crate::session::Tracing;

/// The structure of a value, and its leaves.
pub(super) fn flat(tracing: &Tracing, value: &Bound<'_, PyAny>) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    numbered(tracing, value.py(), skeleton, leaves)
}

/// The same where texts stay what they are.
pub fn parts(value: &Bound<'_, PyAny>) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    with_positions(value.py(), skeleton, leaves, false)
}

/// The same, where objects of plain classes are leaves.
pub(super) fn flat_by_class(
    tracing: &Tracing,
    value: &Bound<'_, PyAny>,
) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::by_class(value, &mut leaves)?;
    numbered(tracing, value.py(), skeleton, leaves)
}

fn numbered(
    tracing: &Tracing,
    py: Python<'_>,
    skeleton: Skeleton,
    leaves: Vec<Py<PyAny>>,
) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    with_positions(py, skeleton, leaves, tracing.host_side().observed().is_some())
}

fn with_positions(
    py: Python<'_>,
    skeleton: Skeleton,
    leaves: Vec<Py<PyAny>>,
    takes_texts: bool,
) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let is_member = |leaf: &Py<PyAny>| Ok::<_, PyErr>(members::position(leaf.bind(py))?.is_some());
    if !takes_texts && !leaves.iter().map(is_member).collect::<PyResult<Vec<_>>>()?.contains(&true) {
        return Ok((skeleton, leaves));
    }
    let (mut all, mut numbered) = (leaves.into_iter(), Vec::new());
    let skeleton = with_numbers(py, skeleton, takes_texts, &mut all, &mut numbered)?;
    Ok((skeleton, numbered))
}

/// The structure with the numbers of texts in place of the texts, if the graph takes them, and those of members of enumerations.
fn with_numbers(
    py: Python<'_>,
    skeleton: Skeleton,
    takes_texts: bool,
    leaves: &mut dyn Iterator<Item = Py<PyAny>>,
    numbered: &mut Vec<Py<PyAny>>,
) -> PyResult<Skeleton> {
    match skeleton {
        Skeleton::Leaf => {
            let Some(leaf) = leaves.next() else { return Ok(Skeleton::Leaf) };
            if let Some(position) = members::position(leaf.bind(py))? {
                numbered.push(position.into_pyobject(py)?.into_any().unbind());
                return Ok(Skeleton::Node(
                    Kind::Member(leaf.bind(py).get_type().unbind()),
                    vec![Skeleton::Leaf],
                ));
            }
            let text = leaf.bind(py).cast_exact::<PyString>().cloned();
            let (Ok(text), true) = (text, takes_texts) else {
                numbered.push(leaf);
                return Ok(Skeleton::Leaf);
            };
            let number = host_value::number_of(&text)?;
            numbered.push(number.into_pyobject(py)?.into_any().unbind());
            Ok(Skeleton::Node(Kind::OfHost(text.get_type().unbind()), vec![Skeleton::Leaf]))
        }
        Skeleton::Node(kind, parts) => {
            let part = |part| with_numbers(py, part, takes_texts, leaves, numbered);
            Ok(Skeleton::Node(kind, parts.into_iter().map(part).collect::<PyResult<_>>()?))
        }
        Skeleton::Rows(element) => {
            numbered.extend(leaves.take(element.count()));
            Ok(Skeleton::Rows(element))
        }
    }
}
