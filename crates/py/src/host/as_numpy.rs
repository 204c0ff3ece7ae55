//! Single numbers of NumPy's where its rules are others than Python's: comparisons of integers with floats, and negative powers.

use gw_base::Code;
use gw_ir::{BinaryOp, Op, UnaryOp};
use gw_trace::calls::Call;
use gw_types::{DType, Kind, Number, Scalar, join_weak};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::{Operand, Side};
use crate::host::{meeting, operands, quotients};
use crate::optional::number_types;
use crate::session;
use crate::values::tensor::Tensor;

/// Up to here every integer is a float of 64 bits.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn is_single(side: Side<'_, '_>) -> bool {
    side.1.lengths().is_empty()
}

/// True of a single integer, and of a bool, which is one in arithmetic.
fn is_whole(side: Side<'_, '_>) -> bool {
    is_single(side) && side.1.dtype().kind().is_in(Kind::Int)
}

/// True if one of two operands is NumPy's, and the other one too, or a number of Python's.
fn are_numpys(sides: [Side<'_, '_>; 2]) -> bool {
    let is_numpys =
        |(object, _): &Side<'_, '_>| meeting::meets_as_numpys(object) || meeting::is_given(object);
    let (numpys, others): (Vec<_>, Vec<_>) = sides.iter().partition(|side| is_numpys(side));
    !numpys.is_empty() && others.iter().all(|(object, _)| number_types::is_number(object))
}

/// The number that an operand is, where that is known.
fn known((object, operand): Side<'_, '_>) -> Option<Scalar> {
    match operand {
        Operand::Number(number) => Some(*number),
        Operand::Tensor(buffer) => buffer.scalars().next().filter(|_| is_single((object, operand))),
        Operand::Staged(tracing, staged) => tracing.trace.known(staged.value),
    }
}

/// The float in which NumPy compares an integer with a float, where Python compares what they are: it rounds an integer of 64 bits, and
/// one of Python's to the float's own type.
pub fn compared(left: Side<'_, '_>, right: Side<'_, '_>) -> Option<DType> {
    let (int, float) = match [left, right].map(|side| side.1.dtype()) {
        [a, b] if a.is_int() && b.is_float() => (left, right),
        [a, b] if a.is_float() && b.is_int() => (right, left),
        [_, _] => return None,
    };
    let is_pythons = number_types::is_number(int.0);
    let narrow = !is_pythons && int.1.dtype().bits() <= 32;
    if narrow || !is_single(int) || !is_single(float) || known(float).is_some_and(is_small) {
        return None;
    }
    let to = if is_pythons { float.1.dtype() } else { DType::F64 };
    let rounds = |number: Scalar| number.cast(to).to_f64() as i128 != number.to_integer();
    (known(int).is_none_or(rounds) && are_numpys([left, right])).then_some(to)
}

/// The graph's integer that an operand is, where it is Python's on some paths and NumPy's on others.
fn mixed(side: Side<'_, '_>) -> Option<DType> {
    let Operand::Staged(tracing, staged) = side.1 else { return None };
    let is_mixed = staged.weak.is_none() && is_whole(side) && tracing.trace.is_mixed(staged.value);
    is_mixed.then(|| side.1.dtype())
}

/// Refuses an operator of an integer that is Python's on some paths and NumPy's on others, where they give different results: Python's
/// takes the dtype of what it meets, and goes below zero.
fn check_mixed(call: &Call, x: Side<'_, '_>, y: Side<'_, '_>) -> PyResult<()> {
    let (own, other) = match (mixed(x), mixed(y)) {
        (Some(own), _) => (own, y),
        (None, Some(own)) => (own, x),
        (None, None) => return Ok(()),
    };
    if matches!(call, Call::Binary(Op::Compare(_))) {
        return Ok(());
    }
    let differs = if number_types::is_number(other.0) || mixed(other) == Some(own) {
        let falls = *call == Call::binary(BinaryOp::Sub) && own.is_unsigned() && wraps(own);
        let fits = |number: Scalar| number.kind() > Kind::Int || own.holds(number.to_integer());
        falls
            || *call != Call::TrueDiv && known(other).is_some_and(|number| !fits(number))
            || *call == Call::Power && known(y).is_some_and(|exponent| exponent.to_f64() < 0.0)
    } else {
        let dtype = other.1.dtype();
        dtype.is_number() && own.join_arrays(dtype) != Some(join_weak(dtype, Number::Int))
    };
    if differs { Err(which(x.0.py(), own, "this operator")) } else { Ok(()) }
}

/// The same for an operator of one operand.
pub fn check_mixed_alone(tensor: &Bound<'_, Tensor>, op: UnaryOp, symbol: &str) -> PyResult<()> {
    let operand = operands::operand(tensor.as_any())?;
    let Some(own) = mixed((tensor.as_any(), &operand)).filter(|dtype| dtype.is_unsigned()) else {
        return Ok(());
    };
    if op == UnaryOp::Not || op == UnaryOp::Neg && wraps(own) {
        return Err(which(tensor.py(), own, &format!("`{symbol}`")));
    }
    Ok(())
}

/// The same for a function of NumPy's on numbers, whose result has the dtype of the greatest of them.
pub fn check_operands(
    py: Python<'_>,
    operands: &[(Operand, Bound<'_, PyAny>)],
    function: &str,
) -> PyResult<()> {
    let own = operands.iter().find_map(|(operand, input)| mixed((input, operand)));
    let Some(own) = own else { return Ok(()) };
    let others = operands.iter().filter(|(operand, input)| {
        mixed((input, operand)).is_none() && !number_types::is_number(input) && operand.dtype().is_number()
    });
    let dtypes: Vec<_> = others.map(|(operand, _)| operand.dtype()).collect();
    let differs = |&dtype: &DType| own.join_arrays(dtype) != Some(join_weak(dtype, Number::Int));
    if dtypes.iter().any(differs) || dtypes.is_empty() && own != DType::I64 {
        return Err(which(py, own, &format!("`np.{function}`")));
    }
    Ok(())
}

/// Says of a result that it is Python's on some paths and NumPy's on others, if an operand is and the other one does not decide that.
pub fn keep_mixed(call: &Call, sides: [Side<'_, '_>; 2], result: &Operand) {
    let decides = |side: &Side<'_, '_>| mixed(*side).is_none() && !number_types::is_number(side.0);
    if matches!(call, Call::Binary(Op::Compare(_))) || sides.iter().any(decides) {
        return;
    }
    if let Operand::Staged(tracing, staged) = result
        && sides.iter().any(|side| mixed(*side).is_some())
        && result.dtype().is_int()
        && staged.weak.is_none()
    {
        tracing.trace.set_mixed(staged.value);
    }
}

/// True of integers that wrap where they leave their type.
fn wraps(dtype: DType) -> bool {
    let checks = session::current().is_some_and(|tracing| tracing.trace.build(|b| b.checks_overflow()));
    !checks || !dtype.is_checked()
}

/// The refusal of such an integer.
fn which(py: Python<'_>, dtype: DType, asked: &str) -> PyErr {
    let name = dtype.python_name();
    let message = format!(
        "{asked} gives one result for Python's integers and another for NumPy's `{name}`, and this number is either, as the graph decides"
    );
    let help =
        format!("give it one type on all paths: begin with `np.{name}(…)`, or convert NumPy's with `int(…)`");
    errors::here(py, Code::BranchTypesDiffer, message, &help)
}

/// True of a float that every comparison with an integer of 64 bits tells from its neighbours.
fn is_small(float: Scalar) -> bool {
    float.to_f64().abs() < EXACT || !float.to_f64().is_finite()
}

/// Fails where an operator of two numbers is another one for NumPy's than for Python's.
pub fn check(call: &Call, x: Side<'_, '_>, y: Side<'_, '_>) -> PyResult<()> {
    check_mixed(call, x, y)?;
    check_power(call, x, y)?;
    quotients::check(x.0.py(), call, x, y)
}

/// Fails as NumPy does for an integer to a negative power, which is a float for Python's integers.
fn check_power(call: &Call, base: Side<'_, '_>, exponent: Side<'_, '_>) -> PyResult<()> {
    let is_negative = || known(exponent).is_some_and(|exponent| exponent.to_f64() < 0.0);
    let is_asked = *call == Call::Power && is_whole(base) && is_whole(exponent) && is_negative();
    if !is_asked || !are_numpys([base, exponent]) {
        return Ok(());
    }
    Err(PyValueError::new_err("Integers to negative integer powers are not allowed."))
}
