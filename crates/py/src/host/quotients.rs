//! Quotients of NumPy's single integers in handlers of the program: the graph raises where NumPy gives 0 or infinity, and no handler takes that
//! for an exception of the program.

use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, Piece};
use gw_trace::calls::Call;
use gw_types::{Kind, Scalar};
use pyo3::exceptions::PyZeroDivisionError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::operand::{Operand, Side};
use crate::host::{checks, operands};
use crate::session::{self, Tracing};
use crate::values::array;

/// Fails when the graph runs, past the handlers around, where integers of NumPy's are divided by zero.
pub fn check(py: Python<'_>, call: &Call, x: Side<'_, '_>, divisor: Side<'_, '_>) -> PyResult<()> {
    let is = |op: BinaryOp| *call == Call::binary(op);
    let Some(tracing) = session::current() else { return Ok(()) };
    let divides = *call == Call::TrueDiv || is(BinaryOp::FloorDiv) || is(BinaryOp::Mod);
    if !divides || ![x, divisor].iter().all(|side| is_whole(side.1)) || is_known(&tracing, divisor.1) {
        return Ok(());
    }
    let is_handled = tracing.tries().handle(py.get_type::<PyZeroDivisionError>().as_any());
    if !is_handled || !may_be_numpys(&tracing, [x, divisor]) {
        return Ok(());
    }
    let zero = Operand::Number(Scalar::Int(0));
    let ok = operands::apply(py, &Call::Binary(Op::Compare(CompareOp::Ne)), vec![divisor.1.clone(), zero])?;
    let text = match *call == Call::TrueDiv {
        true => "division by zero",
        false => "integer division or modulo by zero",
    };
    let value = operands::stage(&tracing, &ok).value;
    checks::check_limit(py, &tracing, &[value], CheckKind::ZeroDivision, vec![Piece::Text(text.to_owned())])
}

/// The same for a function of NumPy's on two numbers.
pub fn check_function(inputs: &Bound<'_, PyTuple>, function: &str) -> PyResult<()> {
    let call = match function {
        "floor_divide" | "divmod" => Call::binary(BinaryOp::FloorDiv),
        "remainder" | "fmod" => Call::binary(BinaryOp::Mod),
        "divide" => Call::TrueDiv,
        _ => return Ok(()),
    };
    let [x, y] = inputs.as_slice() else { return Ok(()) };
    let (Some(own), Some(other)) = (operands::plain_operand(x)?, operands::plain_operand(y)?) else {
        return Ok(());
    };
    check(inputs.py(), &call, (x, &own), (y, &other))
}

/// True of a single integer, and of a bool, which is one in arithmetic.
fn is_whole(operand: &Operand) -> bool {
    operand.lengths().is_empty() && operand.dtype().kind().is_in(Kind::Int)
}

/// True of a divisor that is known not to be zero.
fn is_known(tracing: &Tracing, divisor: &Operand) -> bool {
    let known = match divisor {
        Operand::Number(number) => Some(*number),
        Operand::Tensor(buffer) => buffer.scalars().next(),
        Operand::Staged(_, staged) => tracing.trace.known(staged.value),
    };
    known.is_some_and(|number| number.to_f64() != 0.0)
}

/// True if one of two integers may be NumPy's, and none is a tensor's, beside which NumPy's are tensors too.
fn may_be_numpys(tracing: &Tracing, sides: [Side<'_, '_>; 2]) -> bool {
    let is_tensor = |(object, operand): &Side<'_, '_>| match operand {
        Operand::Number(_) => false,
        Operand::Tensor(_) => !array::is_number_of_numpy(object) && !array::is_array(object),
        Operand::Staged(_, staged) => staged.weak.is_none() && tracing.trace.is_of_tensor(staged.value),
    };
    let is_strong = |(_, operand): &Side<'_, '_>| match operand {
        Operand::Number(_) => false,
        Operand::Tensor(_) => true,
        Operand::Staged(_, staged) => staged.weak.is_none(),
    };
    tracing.arrays().asked();
    let has_numpys =
        tracing.trace.has_numbers_of_library() || sides.iter().any(|side| array::is_number_of_numpy(side.0));
    has_numpys && sides.iter().any(is_strong) && !sides.iter().any(is_tensor)
}
