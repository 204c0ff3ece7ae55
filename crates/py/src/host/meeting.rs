//! The rule by which NumPy's arrays of different dtypes meet in a graph: integers and floats in a float that holds both.

use gw_ir::{BinaryOp, Op};
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::host::operand::Operand;
use crate::host::{as_numpy, operands};
use crate::optional::number_types;
use crate::optional::undecided::staged;
use crate::session;
use crate::values::array;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

/// True of an object that is a NumPy array in plain Python, or a single number that is computed of one's elements.
pub fn is_numpys(object: &Bound<'_, PyAny>) -> bool {
    let Ok(tensor) = object.cast::<Tensor>() else {
        return array::is_array(object) || array::is_number_of_numpy(object);
    };
    let tensor = tensor.get();
    let is_element = || tensor.is_number() && has_arrays() && number_types::is_of_arrays(object);
    is_array(tensor) || (tensor.is_staged() && is_element())
}

/// True of a tensor of the graph that is an array of NumPy's in plain Python: one of another library in its place makes another graph.
pub fn is_array(tensor: &Tensor) -> bool {
    if !tensor.is_staged() {
        return false;
    }
    ask();
    tensor.semantics() == Semantics::Reference
}

/// Says that the graph depends on which of its arguments are arrays.
fn ask() {
    if let Some(tracing) = session::current() {
        tracing.arrays().asked();
    }
}

/// True if there are arrays of NumPy's; without them the graph is another one.
fn has_arrays() -> bool {
    ask();
    session::current().is_some_and(|tracing| tracing.arrays().are_present())
}

/// The same, and of a number that a branch or loop may have from an array.
pub fn meets_as_numpys(object: &Bound<'_, PyAny>) -> bool {
    is_numpys(object) || may_be_element(object)
}

/// True of a single number of the graph that may be computed of elements of arrays. Of a number alone nobody knows whose element it is
/// where the graph has arrays of NumPy's.
pub fn may_be_element(object: &Bound<'_, PyAny>) -> bool {
    let is_number = object.cast::<Tensor>().is_ok_and(|it| it.get().is_number());
    is_number && has_arrays() && number_types::may_be_of_arrays(object)
}

/// True of an array of NumPy's without axes, which operators take for an array and not for one of its numbers.
pub fn is_array_without_axes(object: &Bound<'_, PyAny>) -> bool {
    let Ok(tensor) = object.cast::<Tensor>() else { return false };
    let tensor = tensor.get();
    let is_known = tensor.known_semantics() == Some(Semantics::Reference);
    tensor.is_staged() && tensor.is_number() && is_known && !number_types::is_of_arrays(object)
}

/// The element type in which two arrays of NumPy's meet, where tensors meet in another one or in none.
pub fn met(left: (&Bound<'_, PyAny>, &Operand), right: (&Bound<'_, PyAny>, &Operand)) -> Option<DType> {
    let (a, b) = (left.1.dtype(), right.1.dtype());
    if a == b || !(a.is_int() || b.is_int()) || a.join(b) == a.join_arrays(b) {
        return None;
    }
    let is_tensor = |operand: &Operand| match operand {
        Operand::Tensor(_) => true,
        Operand::Staged(_, staged) => staged.weak.is_none(),
        Operand::Number(_) => false,
    };
    let are_tensors = is_tensor(left.1) && is_tensor(right.1);
    let is_staged = |object: &Bound<'_, PyAny>| object.cast::<Tensor>().is_ok_and(|it| it.get().is_staged());
    let is_of_graph = is_staged(left.0) || is_staged(right.0);
    let found = (are_tensors && is_of_graph).then(|| a.join_arrays(b)).flatten()?;
    // A list beside an array is one.
    let is_row = |it: &Bound<'_, PyAny>| it.is_instance_of::<PyList>() || it.is_instance_of::<PyTuple>();
    let are_numpys =
        [left.0, right.0].into_iter().all(|it| meets_as_numpys(it) || is_row(it) || is_given(it));
    are_numpys.then_some(found)
}

/// True of a single number that is computed of a number of NumPy's among the arguments: a tensor in its place makes another graph.
pub fn is_given(object: &Bound<'_, PyAny>) -> bool {
    let found =
        staged(object).filter(|(tracing, it)| it.weak.is_none() && tracing.trace.ty(it.value).is_scalar());
    found.is_some_and(|(tracing, it)| {
        tracing.arrays().asked();
        tracing.trace.may_be_of_given(it.value)
    })
}

/// True of the operators of integers alone.
fn is_of_bits(call: &Call) -> bool {
    let all = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Shl, BinaryOp::Shr];
    all.into_iter().any(|op| *call == Call::binary(op))
}

/// Both operands in the type in which NumPy's arrays meet; as they are where they are no arrays of NumPy's. Comparisons round only single
/// numbers that NumPy rounds.
pub fn together(
    py: Python<'_>,
    call: &Call,
    left: (&Bound<'_, PyAny>, Operand),
    right: (&Bound<'_, PyAny>, Operand),
) -> PyResult<[Operand; 2]> {
    let sides = ((left.0, &left.1), (right.0, &right.1));
    let found = match matches!(call, Call::Binary(Op::Compare(_))) {
        true => as_numpy::compared(sides.0, sides.1),
        false => met(sides.0, sides.1).filter(|_| !is_of_bits(call)),
    };
    let Some(dtype) = found else { return Ok([left.1, right.1]) };
    let cast = |operand: Operand| match operand.dtype() == dtype {
        true => Ok(operand),
        false => operands::apply(py, &Call::Cast(dtype), vec![operand]),
    };
    Ok([cast(left.1)?, cast(right.1)?])
}

/// Fails as NumPy does for an integer that is written beside an array of NumPy's, whose type does not hold it.
pub fn check_fits(call: &Call, number: &Operand, array: (&Bound<'_, PyAny>, &Operand)) -> PyResult<()> {
    let (Operand::Number(Scalar::Int(n)), Operand::Staged(_, staged)) = (number, array.1) else {
        return Ok(());
    };
    let takes_any = matches!(call, Call::Binary(Op::Compare(_)) | Call::TrueDiv);
    let dtype = array.1.dtype();
    let is_held = staged.weak.is_some() || !dtype.is_int() || dtype.holds((*n).into());
    if takes_any || is_held || !meets_as_numpys(array.0) {
        return Ok(());
    }
    Err(PyOverflowError::new_err(format!("Python integer {n} out of bounds for {}", dtype.python_name())))
}

/// The dtype in which NumPy computes with two arrays of the graph, where it is another one than that of tensors.
#[pyfunction]
pub fn met_by_numpy<'py>(
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (a, b) = (operands::operand(x)?, operands::operand(y)?);
    let found = met((x, &a), (y, &b)).map(|dtype| crate::values::dtype::object(x.py(), dtype));
    Ok(found.transpose()?.map(Bound::into_any))
}

/// True of an object that is a NumPy array in plain Python, or a single number that is computed of one's elements.
#[pyfunction]
fn is_of_numpy(x: &Bound<'_, PyAny>) -> bool {
    is_numpys(x)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_of_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(met_by_numpy, module)?)
}
