//! Operators on single values of a graph that are one thing for Python's numbers and another for NumPy's scalars and for
//! tensors: the answer is given where the type is known, and refused elsewhere.

use gw_base::Code;
use gw_ir::Op;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::prelude::*;

use crate::errors;
use crate::number_types::is_of_arrays;
use crate::pack;
use crate::tensor::{Payload, Tensor};

/// True of a single value of a graph that is no NumPy scalar.
fn is_number(tensor: &Bound<'_, PyAny>) -> bool {
    let is_single = |tensor: &Bound<'_, Tensor>| tensor.get().is_staged() && tensor.get().is_number();
    tensor.cast::<Tensor>().is_ok_and(is_single) && !is_of_arrays(tensor)
}

/// True of a value that Python's own numbers gave alone.
fn is_pythons(tensor: &Bound<'_, Tensor>) -> bool {
    matches!(tensor.get().content(), Payload::Staged(_, staged) if staged.weak.is_some())
}

/// What an operator gives for a single value beside a list or tuple; nothing where it works element by element.
pub fn beside_sequence<'py>(call: &Call, this: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = this.py();
    if !is_number(this) || matches!(call, Call::Matmul { .. }) {
        return Ok(None);
    }
    if matches!(call, Call::Binary(Op::Eq | Op::Ne)) && is_pythons(this.cast()?) {
        // Python asks the other side, and then whether they are one object.
        return Ok(Some(py.NotImplemented().into_bound(py)));
    }
    let message = "a single value stands beside a list or tuple, which are no operands of Python's numbers and become arrays \
                   beside a tensor";
    let help = "write `gw.constant(xs)` where the elements are meant; a number never equals a list or tuple";
    Err(errors::here_for_all(py, Code::NoMeaning, message, help))
}

/// Refuses `-b` of a bool that may be NumPy's, which raises where Python's gives an integer.
pub fn check_negated(tensor: &Bound<'_, Tensor>) -> PyResult<()> {
    if !is_single_bool(tensor) || !is_of_arrays(tensor.as_any()) {
        return Ok(());
    }
    let message =
        "`-` negates a bool of arrays, of which Python's own gives an integer and NumPy's raises `TypeError`";
    let help = "make it Python's with `bool`, or use `~` or `gw.logical_not`";
    Err(errors::here_for_all(tensor.py(), Code::NoMeaning, message, help))
}

/// `~b` of a single bool of Python's, which is an integer; nothing for what is inverted element by element.
pub fn inverted<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_single_bool(tensor) || !is_number(tensor.as_any()) {
        return Ok(None);
    }
    let py = tensor.py();
    if is_pythons(tensor) {
        return pack::call(py, &Call::Unary(Op::Not), &[&tensor.as_any().pos()?]).map(Some);
    }
    let message =
        "`~` of a single bool is an integer for Python's and the other truth for NumPy's and for tensors";
    let help = "write `not b` or `gw.logical_not(b)`, or `~int(b)` for the integer";
    Err(errors::here_for_all(py, Code::NoMeaning, message, help))
}

/// Refuses a bool that may be NumPy's where Python asks for an integer, which NumPy's bools are not.
#[pyfunction]
pub fn check_integer(value: &Bound<'_, PyAny>, function: &str) -> PyResult<()> {
    let is_numpys = |tensor: &Bound<'_, Tensor>| is_single_bool(tensor) && is_of_arrays(tensor.as_any());
    if !value.cast::<Tensor>().is_ok_and(is_numpys) {
        return Ok(());
    }
    let message = format!(
        "`{function}` takes an integer, which a bool of Python's is and one of NumPy's is not: this one was computed by NumPy"
    );
    let help = "make it an integer with `int`";
    Err(errors::here_for_all(value.py(), Code::NoMeaning, message, help))
}

fn is_single_bool(tensor: &Bound<'_, Tensor>) -> bool {
    tensor.get().element() == DType::Bool && tensor.get().ndim() == 0
}
