//! The parts of values where branches and loops join them. A graph that calls all host code carries texts of the program as it carries
//! those of the host.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::Skeleton;
use crate::host::structure::Kind;
use crate::host_calls::host_value;
use crate::session::Tracing;

/// The structure of a value, and its leaves.
pub(super) fn flat(tracing: &Tracing, value: &Bound<'_, PyAny>) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    numbered(tracing, value.py(), skeleton, leaves)
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
    if tracing.host_side().observed().is_none() {
        return Ok((skeleton, leaves));
    }
    let (mut all, mut numbered) = (leaves.into_iter(), Vec::new());
    let skeleton = with_numbers(py, skeleton, &mut all, &mut numbered)?;
    Ok((skeleton, numbered))
}

/// The structure with the number of a text in place of the text.
fn with_numbers(
    py: Python<'_>,
    skeleton: Skeleton,
    leaves: &mut dyn Iterator<Item = Py<PyAny>>,
    numbered: &mut Vec<Py<PyAny>>,
) -> PyResult<Skeleton> {
    match skeleton {
        Skeleton::Leaf => {
            let Some(leaf) = leaves.next() else { return Ok(Skeleton::Leaf) };
            let Ok(text) = leaf.bind(py).cast_exact::<PyString>() else {
                numbered.push(leaf);
                return Ok(Skeleton::Leaf);
            };
            let number = host_value::number_of(text)?;
            numbered.push(number.into_pyobject(py)?.into_any().unbind());
            Ok(Skeleton::Node(Kind::OfHost(text.get_type().unbind()), vec![Skeleton::Leaf]))
        }
        Skeleton::Node(kind, parts) => {
            let part = |part| with_numbers(py, part, leaves, numbered);
            Ok(Skeleton::Node(kind, parts.into_iter().map(part).collect::<PyResult<_>>()?))
        }
        Skeleton::Rows(element) => {
            numbered.extend(leaves.take(element.count()));
            Ok(Skeleton::Rows(element))
        }
    }
}
