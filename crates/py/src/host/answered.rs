//! Operators on operands that a graph does not take: where plain Python gives an answer, that is a refusal, which no handler of the program
//! takes for an error of its own.

use gw_base::Code;
use gw_ir::{BinaryOp, CompareOp, Op, Unfit};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple, PyType};

use crate::exceptions::errors;
use crate::session::Tracing;

/// The exception for operands of an operator that do not fit.
pub fn unfit(py: Python<'_>, of: (&Tracing, &Call, &[Staged]), found: Unfit) -> PyErr {
    let is_of_types = matches!(found.code, Code::WrongDType | Code::DTypesDiffer);
    if is_of_types && is_answered(py, of).unwrap_or(false) {
        return errors::unfit_in_graph(py, found);
    }
    errors::unfit(py, found)
}

/// True if plain Python gives an answer for operands of these types. Those of tensors fail there as here.
fn is_answered(py: Python<'_>, (tracing, call, operands): (&Tracing, &Call, &[Staged])) -> PyResult<bool> {
    let (Some(name), [x, y]) = (name(call), operands) else { return Ok(false) };
    let is_pythons = operands.iter().all(|operand| operand.weak.is_some());
    if !is_pythons && !tracing.trace.has_numbers_of_library() {
        return Ok(false);
    }
    tracing.arrays().asked();
    if operands.iter().any(|operand| operand.weak.is_none() && tracing.trace.is_of_tensor(operand.value)) {
        return Ok(false);
    }
    let operator = py.import("operator")?.getattr(name)?;
    let (xs, ys) = (samples(py, tracing, *x)?, samples(py, tracing, *y)?);
    let answers = |x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>| operator.call1((x, y)).is_ok();
    Ok(xs.iter().any(|x| ys.iter().any(|y| answers(x, y))))
}

/// The types that a number may be of.
pub fn classes(py: Python<'_>, number: Number) -> Vec<Bound<'_, PyType>> {
    let [bool_, int, float] = [py.get_type::<PyBool>(), py.get_type::<PyInt>(), py.get_type::<PyFloat>()];
    let complex = py.get_type::<PyComplex>();
    match number {
        Number::Bool => vec![bool_],
        Number::BoolOrInt => vec![bool_, int],
        Number::Int => vec![int],
        Number::IntOrFloat => vec![bool_, int, float],
        Number::Float => vec![float],
        Number::FloatOrComplex => vec![bool_, int, float, complex],
        Number::Complex => vec![complex],
    }
}

/// One value of each type that a value of the graph may have in plain Python.
fn samples<'py>(py: Python<'py>, tracing: &Tracing, staged: Staged) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Some(number) = staged.weak {
        return classes(py, number).iter().map(|class| class.call1((1,))).collect();
    }
    let (trace, ty) = (&tracing.trace, tracing.trace.ty(staged.value));
    let numpy = py.import("numpy")?;
    let ones = numpy.call_method1("ones", (vec![1; ty.rank()], ty.dtype.python_name()))?;
    // Without axes it is NumPy's number, and no array.
    let mut all = vec![if ty.is_scalar() { ones.get_item(PyTuple::empty(py))? } else { ones }];
    if trace.is_mixed(staged.value) || trace.may_be_int(staged) {
        all.push(1_i64.into_pyobject(py)?.into_any());
    }
    if trace.may_be_bool(staged.value) {
        all.push(numpy.getattr("bool_")?.call1((true,))?);
    }
    Ok(all)
}

/// The function of Python's module `operator` for an operator.
fn name(call: &Call) -> Option<&'static str> {
    if let Call::Binary(Op::Compare(op)) = call {
        return Some(match op {
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
        });
    }
    let names = [
        (Call::TrueDiv, "truediv"),
        (Call::Power, "pow"),
        (Call::binary(BinaryOp::Add), "add"),
        (Call::binary(BinaryOp::Sub), "sub"),
        (Call::binary(BinaryOp::Mul), "mul"),
        (Call::binary(BinaryOp::FloorDiv), "floordiv"),
        (Call::binary(BinaryOp::Mod), "mod"),
        (Call::binary(BinaryOp::And), "and_"),
        (Call::binary(BinaryOp::Or), "or_"),
        (Call::binary(BinaryOp::Xor), "xor"),
        (Call::binary(BinaryOp::Shl), "lshift"),
        (Call::binary(BinaryOp::Shr), "rshift"),
    ];
    names.into_iter().find_map(|(known, name)| (known == *call).then_some(name))
}
