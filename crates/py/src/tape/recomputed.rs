//! `graphwright.recompute_grad`: a function of the graph of its own, so that its way back runs it again and keeps nothing.

use gw_ir::ValueId;
use gw_trace::Staged;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::session::conv::conv;
use crate::session::{self, Tracing, frames};

/// Result of the call: its structure, and its leaves; those that are values of the graph stand in the list of
/// values.
struct Given {
    skeleton: Skeleton,
    leaves: Vec<(Py<PyAny>, bool)>,
    /// The variables that it assigned to, by their number among those that were met.
    assigned: Vec<usize>,
}

/// Calls a function as one of the graph that is built.
#[pyfunction]
pub fn recomputed<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let Some(tracing) = session::current() else { return function.call(args, Some(kwargs)) };
    let name: String = function.getattr("__name__").and_then(|name| name.extract()).unwrap_or_default();
    let converted = conv(function)?;
    if !tracing.tries().heard(py)?.is_empty() {
        // Exceptions that it raises are caught where it is called: it stays part of that.
        return converted.call(args, Some(kwargs));
    }
    let held: Vec<Staged> = tracing.tracked().iter().map(|known| known.value).collect();
    tracing.trace.set_place(frames::place(py));
    tracing.regions().enter_call(&tracing, true);
    let apart = tracing.trace.apart(&name, || {
        let result = converted.call(args, Some(kwargs))?;
        let mut values = Vec::new();
        let given = Given::of(&tracing, &result, &held, &mut values)?;
        Ok::<_, PyErr>((given, values))
    });
    tracing.regions().leave_call(true);
    tracing.restore(&held);
    let apart = apart?;
    tracing.tries().meets_call(&tracing, apart.function);
    let mut values = apart.values.into_iter().map(Staged::strong);
    let mut next = || values.next().ok_or_else(|| errors::InternalError::new_err("a call gives too little"));
    let mut leaves = Vec::with_capacity(apart.result.leaves.len());
    for (leaf, is_staged) in apart.result.leaves {
        let staged = |value| operands::tensor(py, Operand::Staged(tracing.clone(), value));
        leaves.push(if is_staged { staged(next()?)?.unbind() } else { leaf });
    }
    let mut now: Vec<Staged> = tracing.tracked().iter().map(|known| known.value).collect();
    for at in apart.result.assigned {
        now[at] = next()?;
    }
    tracing.restore(&now);
    apart.result.skeleton.rebuild(py, &mut leaves.into_iter())
}

impl Given {
    fn of(
        tracing: &Tracing,
        result: &Bound<'_, PyAny>,
        held: &[Staged],
        values: &mut Vec<ValueId>,
    ) -> PyResult<Self> {
        let py = result.py();
        let mut found = Vec::new();
        let skeleton = Skeleton::of(result, &mut found)?;
        let mut leaves = Vec::with_capacity(found.len());
        for leaf in found {
            let staged = match operands::plain_operand(leaf.bind(py))? {
                Some(Operand::Staged(_, staged)) => Some(staged.value),
                Some(Operand::Tensor(_) | Operand::Number(_)) | None => None,
            };
            values.extend(staged);
            leaves.push((leaf, staged.is_some()));
        }
        let mut assigned = Vec::new();
        for (at, known) in tracing.tracked().iter().enumerate() {
            let was = held.get(at).copied().unwrap_or(known.first);
            if known.value != was {
                assigned.push(at);
                values.extend(tracing.trace.lift(known.value.value));
            }
        }
        Ok(Self { skeleton, leaves, assigned })
    }
}
