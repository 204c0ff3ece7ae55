//! Arguments of a call as a function of the graph takes them.

use std::sync::Arc;

use gw_trace::{Argument, Growing};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::values::array;
use crate::values::tensor::Tensor;

type Value = Arc<Py<PyAny>>;

/// The lists among the arguments of a call, and what else it is given.
pub fn growing(host: &PyHost<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Growing<Value>> {
    let mut growing = Growing::default();
    for (at, arg) in args.iter().enumerate() {
        if arg.is_exact_instance_of::<PyList>() {
            growing.containers.push((at, arg.as_ptr() as usize));
            continue;
        }
        let mut leaves = Vec::new();
        Skeleton::of(&arg, &mut leaves)?;
        for leaf in leaves {
            growing.others.push(argument(host, &Arc::new(leaf))?);
        }
    }
    Ok(growing)
}

/// The kind of a leaf of the arguments; objects that hold values stay themselves.
pub fn argument(host: &PyHost<'_>, leaf: &Value) -> PyResult<Argument<Value>> {
    let object = leaf.bind(host.py());
    let staged =
        object.cast::<Tensor>().is_ok_and(|t| t.get().is_staged()) || object.is_instance_of::<Maybe>();
    let number = array::number(object)?.is_some();
    if staged || number { Ok(Argument::of(host, leaf)?) } else { Ok(Argument::Object(leaf.clone())) }
}
