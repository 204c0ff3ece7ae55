//! Uses of a value that would not do if it were `None`, and what Python says of them.

use crate::host::operands;
use crate::optional::maybe::Maybe;
use pyo3::prelude::*;

/// A use of a value that would not do if it were `None`.
#[derive(Debug, Clone, Copy)]
pub enum Used<'a, 'py> {
    /// `None + other`
    Left(&'static str, &'a Bound<'py, PyAny>),
    /// `other + None`
    Right(&'static str, &'a Bound<'py, PyAny>),
    /// `None < other`
    Before(&'static str, &'a Bound<'py, PyAny>),
    /// `other < None`
    After(&'static str, &'a Bound<'py, PyAny>),
    /// `-None`
    Alone(&'static str),
    /// `len(None)`
    Measured,
    /// `None[0]`
    Indexed,
    /// `for item in None`
    Iterated,
    /// In another way.
    Somehow,
}

impl Used<'_, '_> {
    /// The text of Python's exception for it.
    pub fn text(self) -> String {
        match self {
            Used::Left(symbol, other) => {
                format!("unsupported operand type(s) for {symbol}: 'NoneType' and '{}'", kind(other))
            }
            Used::Right(symbol, other) => {
                format!("unsupported operand type(s) for {symbol}: '{}' and 'NoneType'", kind(other))
            }
            Used::Before(symbol, other) => {
                format!("'{symbol}' not supported between instances of 'NoneType' and '{}'", kind(other))
            }
            Used::After(symbol, other) => {
                format!("'{symbol}' not supported between instances of '{}' and 'NoneType'", kind(other))
            }
            Used::Alone("abs()") => "bad operand type for abs(): 'NoneType'".to_owned(),
            Used::Alone(symbol) => format!("bad operand type for {symbol}: 'NoneType'"),
            Used::Measured => "object of type 'NoneType' has no len()".to_owned(),
            Used::Indexed => "'NoneType' object is not subscriptable".to_owned(),
            Used::Iterated => "'NoneType' object is not iterable".to_owned(),
            Used::Somehow => "GW130: a value is needed here, but this is None".to_owned(),
        }
    }
}

/// The type that Python would name: that of the number which a tensor of one element stands for.
fn kind(object: &Bound<'_, PyAny>) -> String {
    let dtype = match object.cast::<Maybe>() {
        Ok(maybe) => Some(maybe.get().tracing.trace.ty(maybe.get().staged.value).dtype),
        Err(_) => operands::plain_operand(object).ok().flatten().map(|operand| operand.dtype()),
    };
    match dtype {
        Some(dtype) => dtype.kind().class_name().to_owned(),
        None => object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string()),
    }
}
