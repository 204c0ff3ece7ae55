//! Powers of tensors by numbers of NumPy's: eagerly by the ways that graphs take, in which such a number is a constant.

use gw_ir::{BinaryOp, KnownPower};
use gw_trace::calls::Call;
use gw_types::{Kind, Scalar};
use pyo3::prelude::*;

use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::array;
use crate::values::tensor::Tensor;

/// An eager tensor to the power of a number of NumPy's, where that has a way of its own; `None` elsewhere.
pub fn by_number_of_numpys(
    base: &Bound<'_, Tensor>,
    exponent: &Bound<'_, PyAny>,
) -> PyResult<Option<Operand>> {
    let py = base.py();
    let tensor = base.get();
    if tensor.is_staged() || tensor.is_number() || !array::is_number_of_numpy(exponent) {
        return Ok(None);
    }
    let Operand::Tensor(number) = operands::operand(exponent)? else { return Ok(None) };
    let met = graphwright::promotion::said().join(tensor.element(), number.dtype());
    let (Some(met), Some(value)) = (met, array::only(&number)) else { return Ok(None) };
    let value = match (met.kind(), value) {
        (Kind::Int, Scalar::Int(value)) if value > 0 => Scalar::Int(value),
        (Kind::Float, Scalar::Int(_) | Scalar::Float(_)) => Scalar::Float(value.to_f64()),
        (Kind::Bool | Kind::Int | Kind::Float | Kind::Complex | Kind::Text, _) => return Ok(None),
    };
    let Some(way) = KnownPower::of(value.to_f64()) else { return Ok(None) };
    if tensor.element().kind() < Kind::Int {
        return Ok(None);
    }
    // A number of Python's asks for NumPy's root, one of NumPy's for C's power.
    let call = if way == KnownPower::Root { Call::binary(BinaryOp::Pow) } else { Call::Power };
    let base = operands::apply(py, &Call::Cast(met), vec![operands::operand(base.as_any())?])?;
    operands::apply(py, &call, vec![base, Operand::Number(value)]).map(Some)
}
