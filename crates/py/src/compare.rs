//! Chained comparisons and membership, each operand evaluated once.

use gw_ir::Op;
use gw_trace::calls::Call;
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::operators::{and, not, or, staged_value};
use crate::pack;

/// A link of a chain: the operator's text and a thunk for its right side.
pub type Link<'py> = (String, Bound<'py, PyAny>);

/// `left < a() < b()`: a link is evaluated only if those before it hold.
pub fn chain<'py>(left: Bound<'py, PyAny>, links: &[Link<'py>]) -> PyResult<Bound<'py, PyAny>> {
    let Some(((operator, right), rest)) = links.split_first() else { return Ok(left) };
    let right = right.call0()?;
    let holds = one(operator, &left, &right)?;
    if rest.is_empty() {
        return Ok(holds);
    }
    let blocks: Vec<_> = rest.iter().map(|(_, thunk)| thunk).collect();
    and(&holds, &|| chain(right.clone(), rest), &blocks)
}

fn one<'py>(
    operator: &str,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    use pyo3::basic::CompareOp;
    let rich = match operator {
        "<" => CompareOp::Lt,
        "<=" => CompareOp::Le,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::Ge,
        "==" => CompareOp::Eq,
        "!=" => CompareOp::Ne,
        "in" => return contains(left, right),
        "not in" => return not(&contains(left, right)?),
        "is" => return truth(left.py(), left.is(right)),
        "is not" => return truth(left.py(), !left.is(right)),
        other => return Err(PySystemError::new_err(format!("`{other}` does not compare"))),
    };
    left.rich_compare(right, rich)
}

fn truth(py: Python<'_>, value: bool) -> PyResult<Bound<'_, PyAny>> {
    Ok(value.into_pyobject(py)?.to_owned().into_any())
}

/// `item in container`: in a tensor, any element equal; in a list or tuple with a tensor on either side, the items'
/// comparisons joined by `or`; otherwise Python's own.
pub fn contains<'py>(item: &Bound<'py, PyAny>, container: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = item.py();
    if staged_value(container)?.is_some() {
        return holds(item, container);
    }
    let sequence = container.is_exact_instance_of::<PyList>() || container.is_exact_instance_of::<PyTuple>();
    if sequence && any_staged(item, container)? {
        let items: Vec<_> = container.try_iter()?.collect::<PyResult<_>>()?;
        return any_equal(item, &items);
    }
    truth(py, container.contains(item)?)
}

/// Whether any element of a tensor equals `item`.
pub fn holds<'py>(item: &Bound<'py, PyAny>, tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let equal = tensor.rich_compare(item, pyo3::basic::CompareOp::Eq)?;
    pack::call(item.py(), &Call::Reduce { op: Op::ReduceAny, axes: None, keep: false }, &[&equal])
}

fn any_staged(item: &Bound<'_, PyAny>, container: &Bound<'_, PyAny>) -> PyResult<bool> {
    if staged_value(item)?.is_some() {
        return Ok(true);
    }
    for other in container.try_iter()? {
        if staged_value(&other?)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn any_equal<'py>(item: &Bound<'py, PyAny>, items: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let Some((first, rest)) = items.split_first() else { return truth(item.py(), false) };
    let equal = item.rich_compare(first, pyo3::basic::CompareOp::Eq)?;
    if rest.is_empty() {
        return Ok(equal);
    }
    or(&equal, &|| any_equal(item, rest), &[])
}
