//! Arrays of a call of a function of the graph: those that it stores into, and those that it hands back.

use std::sync::Arc;

use gw_trace::{CalleeOf, Host, Seen};
use pyo3::prelude::*;

use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::values::cell::{self, Cell};
use crate::values::roots;
use crate::values::tensor::{Payload, Tensor};

type Value = Arc<Py<PyAny>>;

/// An array that the function stores into must not be one that it reads by another way.
pub fn check_stores<'py>(
    host: &PyHost<'py>,
    callee: &CalleeOf<PyHost<'py>>,
    values: &[Value],
) -> PyResult<()> {
    for &at in callee.stores() {
        let shares =
            |value: &Value| host.same(value, &values[at]) || share_memory(host.py(), value, &values[at]);
        let twice = values.iter().enumerate().any(|(other, value)| other != at && shares(value));
        let read = matches!(host.see(&values[at])?, Seen::Staged(staged) if callee.captures(staged.value));
        if twice || read || reads_array_of(host, callee, &values[at]) {
            return Err(cell::unclear(host.py()));
        }
    }
    Ok(())
}

/// True if two tensors are or may be parts of one array.
fn share_memory(py: Python<'_>, a: &Value, b: &Value) -> bool {
    let (Ok(a), Ok(b)) = (a.bind(py).cast::<Tensor>(), b.bind(py).cast::<Tensor>()) else { return false };
    let others = roots::cells(b.get());
    roots::cells(a.get()).iter().any(|cell| others.iter().any(|other| Arc::ptr_eq(cell, other)))
}

/// True if a function reads the array that an argument is a part of.
fn reads_array_of<'py>(host: &PyHost<'py>, callee: &CalleeOf<PyHost<'py>>, value: &Value) -> bool {
    let Ok(tensor) = value.bind(host.py()).cast::<Tensor>() else { return false };
    match roots::root(tensor.get()).content() {
        Payload::Staged(_, staged) => callee.captures(staged.value),
        Payload::Eager(_) => false,
    }
}

/// An array that is returned may be one of the arguments: what is stored into one would not be seen in the other.
pub fn link(returned: &Bound<'_, PyAny>, values: &[Value]) -> PyResult<()> {
    for one in arrays(returned)? {
        for value in values {
            for other in arrays(value.bind(returned.py()))? {
                [&one, &other].iter().for_each(|tensor| tensor.get().cell().is_of(tensor));
                Cell::link(one.get().cell(), other.get().cell());
            }
        }
    }
    Ok(())
}

/// The tensors with axes in a value.
pub fn arrays<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Tensor>>> {
    let mut leaves = Vec::new();
    Skeleton::of(value, &mut leaves)?;
    let tensors =
        leaves.into_iter().filter_map(|leaf| leaf.into_bound(value.py()).cast_into::<Tensor>().ok());
    Ok(tensors.filter(|tensor| !tensor.get().is_number()).collect())
}
