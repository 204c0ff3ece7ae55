//! Floats of the graph that are integers on some paths: beside integers of NumPy's, which give integers with the one and floats with the
//! other, the program is refused.

use gw_base::Code;
use gw_ir::{BinaryOp, Op};
use gw_trace::calls::Call;
use gw_types::{DType, Kind};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::errors;
use crate::host::operand::{Operand, Side};
use crate::host::{as_numpy, meeting, operands, quotients};
use crate::optional::number_types;
use crate::values::tensor::Tensor;

/// True of a float that is an integer on some paths.
fn may_be_int(operand: &Operand) -> bool {
    let Operand::Staged(tracing, staged) = operand else { return false };
    operand.dtype().is_float() && operand.lengths().is_empty() && tracing.trace.may_be_int(*staged)
}

/// True of a float that is an integer of NumPy's on some paths, which wraps where Python's does not.
fn may_wrap(operand: &Operand) -> bool {
    let Operand::Staged(tracing, staged) = operand else { return false };
    may_be_int(operand) && staged.weak.is_none() && tracing.trace.may_wrap(staged.value)
}

/// True of integers of NumPy's.
fn is_numpys((object, operand): Side<'_, '_>) -> bool {
    let is_int = operand.dtype().is_int() && !number_types::is_number(object);
    is_int && (meeting::meets_as_numpys(object) || meeting::is_given(object))
}

/// True if an operator gives the same for an integer of Python's and for the float that it is, beside integers of NumPy's. One of 64 bits
/// is carried as a float like Python's own.
fn is_alike(call: &Call, own: DType, other: &Operand) -> bool {
    let is = |op: BinaryOp| *call == Call::binary(op);
    let is_wide = other.dtype() == DType::I64 && other.lengths().is_empty();
    let is_carried = is_wide && [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul].into_iter().any(is);
    is_carried || *call == Call::TrueDiv && own == DType::F64
}

/// True of a float beside which integers of NumPy's and floats of this type have double precision.
fn makes_doubles(own: &Operand, (object, other): Side<'_, '_>) -> bool {
    let own = if number_types::is_number(object) { own.dtype() } else { other.dtype() };
    own == DType::F64 && other.dtype().is_float() && !may_be_int(other)
}

/// Refuses an operator where such a number meets what makes a difference.
pub fn check(call: &Call, x: Side<'_, '_>, y: Side<'_, '_>) -> PyResult<()> {
    as_numpy::check(call, x, y)?;
    if matches!(call, Call::Binary(Op::Compare(_))) {
        return Ok(());
    }
    let differs = |own: Side<'_, '_>, other: Side<'_, '_>| {
        may_wrap(own.1) && !makes_doubles(own.1, other)
            || may_be_int(own.1) && is_numpys(other) && !is_alike(call, own.1.dtype(), other.1)
    };
    if differs(x, y) || differs(y, x) { Err(either(x.0.py(), "this operator")) } else { Ok(()) }
}

/// The same for the sign of a number.
pub fn check_alone(tensor: &Bound<'_, Tensor>) -> PyResult<()> {
    let wraps = may_wrap(&operands::operand(tensor.as_any())?);
    if wraps { Err(either(tensor.py(), "`-`")) } else { Ok(()) }
}

/// The same for a function of NumPy's on numbers.
#[pyfunction]
fn check_inputs(inputs: &Bound<'_, PyTuple>, function: &str) -> PyResult<()> {
    quotients::check_function(inputs, function)?;
    let tensors = inputs.iter().filter(|input| input.cast::<Tensor>().is_ok_and(|it| it.get().is_staged()));
    let operands =
        tensors.map(|input| Ok((operands::operand(&input)?, input))).collect::<PyResult<Vec<_>>>()?;
    check_operands(inputs.py(), &operands, function)?;
    as_numpy::check_operands(inputs.py(), &operands, function)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check_inputs, module)?)
}

fn check_operands(py: Python<'_>, inputs: &[(Operand, Bound<'_, PyAny>)], function: &str) -> PyResult<()> {
    let meets = || inputs.iter().any(|(operand, input)| is_numpys((input, operand)));
    let differs = inputs.iter().any(|(operand, _)| may_wrap(operand))
        || inputs.iter().any(|(operand, _)| may_be_int(operand)) && meets();
    if differs { Err(either(py, &format!("`np.{function}`"))) } else { Ok(()) }
}

/// Says of a result that it is an integer on some paths, if an operand is and the other one does not decide that.
pub fn keep(call: &Call, sides: [Side<'_, '_>; 2], result: &Operand) {
    as_numpy::keep_mixed(call, sides, result);
    let decides = |operand: &Operand| operand.dtype().kind() > Kind::Int && !may_be_int(operand);
    let gives_floats = *call == Call::TrueDiv || matches!(call, Call::Binary(Op::Compare(_)));
    let is_open = sides.iter().any(|side| may_be_int(side.1)) && !sides.iter().any(|side| decides(side.1));
    if is_open && !gives_floats {
        set(result);
    }
}

/// The same for an operator on one number.
pub fn keep_alone(operand: &Operand, result: &Operand) {
    if may_be_int(operand) {
        set(result);
    }
    if let (Operand::Staged(tracing, of), Operand::Staged(_, staged)) = (operand, result)
        && tracing.trace.is_mixed(of.value)
        && result.dtype().is_int()
    {
        tracing.trace.set_mixed(staged.value);
    }
}

fn set(result: &Operand) {
    if let Operand::Staged(tracing, staged) = result
        && staged.weak.is_none()
        && result.dtype().is_float()
    {
        tracing.trace.set_may_be_int(staged.value);
    }
}

/// The refusal of such a number.
fn either(py: Python<'_>, asked: &str) -> PyErr {
    let message = format!(
        "{asked} gives one result for an integer and another for a float, and this number is either, as the graph decides"
    );
    let help = "give it one type on all paths: begin with a float, as `0.0`, or convert it with `float(…)`";
    errors::here(py, Code::BranchTypesDiffer, message, help)
}
