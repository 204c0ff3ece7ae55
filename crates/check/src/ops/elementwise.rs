//! Operations on elements: operands broadcast, and meet in one dtype.

use gw_types::{DType, Promotion, Shape, Unbroadcastable, broadcast, join_weak, true_division};

use super::operand::{Operand, operand};
use super::{Call, Judged, Misfit, Words};
use crate::rule::Rule;
use crate::value::{Tensor, UNKNOWN, Value};

/// The dtype of an operation's result, from the dtype in which its operands meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// The same.
    Same,
    /// Floats of integers.
    Divide,
    /// Of floats the same; of integers it depends on their values.
    Power,
    /// Bools.
    Compare,
}

/// An operation on two operands.
pub fn elementwise(op: Arithmetic, a: &Value, b: &Value, words: (String, String)) -> Judged {
    let (Some(x), Some(y)) = (operand(a), operand(b)) else { return Ok(Value::any_tensor()) };
    if is_python_text(a, &y) || is_python_text(b, &x) {
        return Ok(Value::Unknown);
    }
    let met = meet(&x, &y, &words)?;
    if op != Arithmetic::Compare {
        fits(a, &y, &words.0)?;
        fits(b, &x, &words.1)?;
    }
    let dtype = match op {
        Arithmetic::Same => met.filter(|dtype| *dtype != DType::Bool),
        Arithmetic::Divide => met.map(true_division),
        Arithmetic::Power => met.filter(|dtype| dtype.is_float()),
        Arithmetic::Compare => Some(DType::Bool),
    };
    let shape = broadcast_all(&[(&x.tensor, &words.0), (&y.tensor, &words.1)])?;
    Ok(Value::Tensor(Tensor { dtype, shape }))
}

/// True if a value is a text of Python's that meets what may be no tensor of strings: Python itself decides then.
fn is_python_text(value: &Value, other: &Operand) -> bool {
    matches!(value, Value::Str(_)) && other.tensor.dtype != Some(DType::Str)
}

/// A Python integer that meets a tensor of integers has to fit its dtype, unless they are only compared.
fn fits(value: &Value, other: &Operand, words: &str) -> Result<(), Misfit> {
    let (Some(number), Some(dtype), None) = (value.integer(), other.tensor.dtype, other.number) else {
        return Ok(());
    };
    if !dtype.is_int() || dtype.holds(number.into()) {
        return Ok(());
    }
    let message = format!("{words} does not fit {}, the dtype of the other operand", dtype.python_name());
    Err(Misfit::new(Rule::BadArgument, message, "cast the tensor to int64 first"))
}

/// The dtype in which several operands stand side by side, of which a string meets no number.
pub(super) fn together(operands: &[(&Operand, &str)]) -> Result<(), Misfit> {
    for pair in operands.windows(2) {
        meet(pair[0].0, pair[1].0, &(pair[0].1.to_owned(), pair[1].1.to_owned()))?;
    }
    Ok(())
}

/// The dtype in which two operands meet, where it is known. A string meets no number.
fn meet(x: &Operand, y: &Operand, words: &(String, String)) -> Result<Option<DType>, Misfit> {
    let is_text = |o: &Operand| o.tensor.dtype == Some(DType::Str);
    let is_number = |o: &Operand| o.number.is_some() || o.tensor.dtype.is_some_and(DType::is_number);
    if (is_text(x) && is_number(y)) || (is_number(x) && is_text(y)) {
        let (text, number) = if is_text(x) { (&words.0, &words.1) } else { (&words.1, &words.0) };
        let message =
            format!("{text} is a tensor of strings and {number} is none; strings and numbers do not mix");
        return Err(Misfit::new(
            Rule::DTypesDiffer,
            message,
            "make numbers of the strings before they become tensors",
        ));
    }
    Ok(match (x.number, y.number) {
        (None, None) => x.tensor.dtype.zip(y.tensor.dtype).and_then(|(a, b)| Promotion::Standard.join(a, b)),
        (Some(number), None) => y.tensor.dtype.map(|dtype| join_weak(dtype, number)),
        (None, Some(number)) => x.tensor.dtype.map(|dtype| join_weak(dtype, number)),
        (Some(_), Some(_)) => None,
    })
}

/// The shape that tensors broadcast to, if all ranks are known.
pub(super) fn broadcast_all(tensors: &[(&Tensor, &str)]) -> Result<Option<Shape>, Misfit> {
    let mut found = Shape::scalar();
    let mut before: Option<&str> = None;
    for (tensor, words) in tensors {
        let Some(shape) = &tensor.shape else { return Ok(None) };
        found = broadcast(&found, shape, || UNKNOWN)
            .map_err(|misfit| unbroadcastable(misfit, (&found, before.unwrap_or("it")), (shape, words)))?;
        before = Some(words);
    }
    Ok(Some(found))
}

fn unbroadcastable(misfit: Unbroadcastable, a: (&Shape, &str), b: (&Shape, &str)) -> Misfit {
    let message = format!(
        "{} has shape {} and {} has shape {}, which do not broadcast: {} and {} differ",
        a.1,
        Words::shape(a.0),
        b.1,
        Words::shape(b.0),
        misfit.0,
        misfit.1
    );
    Misfit::new(Rule::WrongShape, message, "reshape, slice or transpose one of the operands")
}

/// A value stored into a place of a tensor: it broadcasts to the place, which does not grow.
pub fn stored(place: &Value, value: &Value, words: (String, String)) -> Judged {
    let (Some(Tensor { shape: Some(room), .. }), Some(given)) = (place.tensor(), operand(value)) else {
        return Ok(Value::Unknown);
    };
    let Some(shape) = &given.tensor.shape else { return Ok(Value::Unknown) };
    let at = |shape: &Shape, from_end: usize| shape.rank().checked_sub(from_end + 1).map(|i| shape.0[i]);
    for from_end in 0..shape.rank().min(room.rank()) {
        let (Some(has), Some(gets)) = (at(room, from_end), at(shape, from_end)) else { break };
        let differ = has.fixed().zip(gets.fixed()).is_some_and(|(has, gets)| gets != has && gets != 1);
        if differ {
            return Err(not_stored(room, shape, &words));
        }
    }
    let more = shape.rank().saturating_sub(room.rank());
    if shape.0[..more].iter().any(|dim| dim.fixed().is_some_and(|n| n != 1)) {
        return Err(not_stored(room, shape, &words));
    }
    Ok(Value::Unknown)
}

fn not_stored(room: &Shape, shape: &Shape, words: &(String, String)) -> Misfit {
    let (mine, theirs) = (Words::shape(room), Words::shape(shape));
    let message = format!("{} has shape {theirs}, and the place in {} has shape {mine}", words.1, words.0);
    Misfit::new(Rule::WrongShape, message, "store what broadcasts to the place")
}

/// `f(x, y)`
pub(super) fn two(op: Arithmetic, call: &Call, names: (&str, &str)) -> Judged {
    let (a, b) = (call.value(0, names.0), call.value(1, names.1));
    elementwise(op, &a, &b, (call.named(0, names.0), call.named(1, names.1)))
}

/// `f(x)` of the same shape, with the dtype that `dtype` makes of that of the operand.
pub(super) fn one(call: &Call, name: &str, dtype: impl Fn(DType) -> Option<DType>) -> Judged {
    let Some(x) = operand(&call.value(0, name)) else { return Ok(Value::any_tensor()) };
    let dtype = if x.number.is_some() { None } else { x.tensor.dtype.and_then(dtype) };
    Ok(Value::Tensor(Tensor { dtype, shape: x.tensor.shape }))
}

/// `where(condition, x, y)`
pub(super) fn chosen(call: &Call) -> Judged {
    let names = ["condition", "x", "y"];
    let operands: Option<Vec<Operand>> = (0..3).map(|i| operand(&call.value(i, names[i]))).collect();
    let Some(operands) = operands else { return Ok(Value::any_tensor()) };
    let words: Vec<String> = (0..3).map(|i| call.named(i, names[i])).collect();
    let pairs: Vec<(&Tensor, &str)> =
        operands.iter().map(|o| &o.tensor).zip(words.iter().map(String::as_str)).collect();
    together(&[(&operands[1], &words[1]), (&operands[2], &words[2])])?;
    let shape = broadcast_all(&pairs)?;
    let (x, y) = (operands[1].tensor.dtype, operands[2].tensor.dtype);
    Ok(Value::Tensor(Tensor { dtype: x.filter(|_| x == y), shape }))
}
