//! Elements out of scalars.

use gw_ir::Attr;
use gw_types::{DType, Scalar};

use crate::array::Array;
use crate::fault::misused;
use crate::{EvalError, Failure};

/// The literal itself.
pub(crate) fn constant(attr: &Attr, _args: &[&Array]) -> Result<Array, EvalError> {
    let Attr::Literal(literal) = attr else { return Err(misused(attr)) };
    Ok(Array::from(literal))
}

/// `start, start + step, …` up to and without `stop`.
pub(crate) fn range(_attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let [first, stop, step] = [args[0], args[1], args[2]].map(|x| x.first().to_i64());
    if step == 0 {
        return Err(EvalError::new(Failure::Value, "the step of a range must not be zero"));
    }
    let distance =
        if step > 0 { i128::from(stop) - i128::from(first) } else { i128::from(first) - i128::from(stop) };
    let stride = i128::from(step).abs();
    let count = if distance <= 0 { 0 } else { (distance + stride - 1) / stride };
    let count = usize::try_from(count).ok().filter(|&count| count <= isize::MAX as usize / 8);
    let count = count.ok_or_else(|| EvalError::new(Failure::Value, "a range is too long"))?;
    let elements = (0..count).map(|i| Scalar::Int(first.wrapping_add((i as i64).wrapping_mul(step))));
    Ok(Array::new(args[0].dtype, vec![count], elements))
}

/// The length of an axis.
pub(crate) fn dim(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let Attr::Axis(axis) = attr else { return Err(misused(attr)) };
    Ok(Array::scalar(DType::I64, Scalar::Int(args[0].lengths[*axis] as i64)))
}
