//! Objects that a graph takes for one: arrays, numbers, methods and values under a condition.

use crate::optional::maybe::Maybe;
use crate::values::array;
use crate::values::cell::Origin;
use crate::values::tensor::Tensor;
use pyo3::prelude::*;
use std::sync::Arc;

/// Two tensor objects for one value of the graph.
pub fn same_value(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    use crate::values::tensor::Payload::Staged;
    let (Ok(a), Ok(b)) = (a.cast::<Tensor>(), b.cast::<Tensor>()) else { return false };
    matches!((a.get().content(), b.get().content()), (Staged(s, x), Staged(t, y)) if Arc::ptr_eq(&s, &t) && x == y)
}

/// True if two tensor objects are one array: the same object, or numbers and contents of one value of the graph. Two
/// arrays that hold the same now may hold different values later.
pub fn same_array(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let (Ok(x), Ok(y)) = (a.cast::<Tensor>(), b.cast::<Tensor>()) else { return a.is(b) };
    let original = |t: &Bound<'_, Tensor>| t.get().original().map_or(t.as_ptr(), Py::as_ptr);
    let plain = x.get().is_number() || [x, y].iter().any(|t| t.get().origin() == Origin::Content);
    original(x) == original(y) || (plain && same_value(a, b))
}

/// Two objects that have the same value under the same condition.
pub fn same_maybe(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let (Ok(a), Ok(b)) = (a.cast::<Maybe>(), b.cast::<Maybe>()) else { return false };
    let (a, b) = (a.get(), b.get());
    Arc::ptr_eq(&a.tracing, &b.tracing) && a.staged == b.staged && a.bound == b.bound && a.lack == b.lack
}

/// One method of one object, which is another Python object each time it is read.
pub fn same_method(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let is_method = |object: &Bound<'_, PyAny>| object.get_type().name().is_ok_and(|name| name == "method");
    let same = |name: &str| match (a.getattr(name), b.getattr(name)) {
        (Ok(x), Ok(y)) => x.is(&y),
        (Ok(_) | Err(_), _) => false,
    };
    is_method(a) && is_method(b) && same("__func__") && same("__self__")
}

/// Two equal Python numbers of one type; NaN equals NaN, `0.0` is not `-0.0`.
pub fn same_number(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let numbers = array::narrow_number(a).zip(array::narrow_number(b));
    numbers.is_some_and(|(x, y)| x.is(y))
}
