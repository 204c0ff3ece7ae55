//! The matrix product.

use gw_types::{DType, Dim, Promotion, Shape, broadcast};

use super::elementwise::together;
use super::operand::operand;
use super::{Call, Judged, Misfit, Words};
use crate::rule::Rule;
use crate::value::{Tensor, UNKNOWN, Value};

/// `a @ b`; a vector on either side is a row or column whose axis goes away again.
pub fn matmul(a: &Value, b: &Value, transpose_a: bool, transpose_b: bool, words: (String, String)) -> Judged {
    let (Some(x), Some(y)) = (operand(a), operand(b)) else { return Ok(Value::any_tensor()) };
    together(&[(&x, &words.0), (&y, &words.1)])?;
    let dtype = x.tensor.dtype.zip(y.tensor.dtype).and_then(|(a, b)| Promotion::Standard.join(a, b));
    let dtype = dtype.filter(|dtype| *dtype != DType::Bool);
    let (Some(left), Some(right)) = (&x.tensor.shape, &y.tensor.shape) else {
        return Ok(Value::Tensor(Tensor { dtype, shape: None }));
    };
    let (mut rows, inner) = split(left, transpose_a, true);
    let (columns, other) = split(right, transpose_b, false);
    let differ = inner.fixed().zip(other.fixed()).filter(|(m, n)| m != n);
    let misfit = |reason: &str| {
        let (left, right) = (Words::shape(left), Words::shape(right));
        let message = format!("{} has shape {left} and {} has shape {right}: {reason}", words.0, words.1);
        Misfit::new(Rule::WrongShape, message, "transpose or reshape one of the operands")
    };
    if left.rank() == 0 || right.rank() == 0 {
        return Err(misfit("a product of matrices needs axes on both sides"));
    }
    if let Some((m, n)) = differ {
        return Err(misfit(&format!("the inner lengths of the product, {m} and {n}, differ")));
    }
    let batch = |shape: &Shape| Shape(shape.0[..shape.rank().saturating_sub(2)].to_vec());
    let joined = broadcast(&batch(left), &batch(right), || UNKNOWN);
    let mut dims = joined.map_err(|_| misfit("the axes in front of the matrices do not broadcast"))?.0;
    rows.extend(columns);
    dims.extend(rows);
    Ok(Value::Tensor(Tensor { dtype, shape: Some(Shape(dims)) }))
}

/// The outer lengths and the inner one of an operand of known rank.
fn split(shape: &Shape, is_transposed: bool, is_left: bool) -> (Vec<Dim>, Dim) {
    match shape.0[..] {
        [.., m, n] if is_transposed != is_left => (vec![m], n),
        [.., m, n] => (vec![n], m),
        [n] => (Vec::new(), n),
        [] => (Vec::new(), Dim::Fixed(1)),
    }
}

/// `gw.matmul(a, b, transpose_a=…, transpose_b=…)`
pub(super) fn matmul_call(call: &Call) -> Judged {
    let flag = |position: usize, name: &str| match call.args.get(position, name) {
        None => Some(false),
        Some(value) => value.truth(),
    };
    let (Some(transpose_a), Some(transpose_b)) = (flag(2, "transpose_a"), flag(3, "transpose_b")) else {
        return Ok(Value::any_tensor());
    };
    let (a, b) = (call.value(0, "a"), call.value(1, "b"));
    matmul(&a, &b, transpose_a, transpose_b, (call.named(0, "a"), call.named(1, "b")))
}
