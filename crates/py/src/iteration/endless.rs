//! Calls that Python does not come back from: taking all items of iterators of `itertools` that have no last one, and powers of
//! integers with too many digits. A graph that is built takes paths which a call may not.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFrame, PyInt, PyTuple};

/// Functions that take all items before they give anything.
const TAKE_ALL: &[&str] = &[
    "Counter",
    "array",
    "bytearray",
    "bytes",
    "dict",
    "dist",
    "extend",
    "frozenset",
    "fsum",
    "gcd",
    "join",
    "lcm",
    "list",
    "max",
    "mean",
    "min",
    "prod",
    "product",
    "set",
    "sorted",
    "sum",
    "tuple",
    "update",
];

/// Iterators that end with the first of those that they run over.
const END_WITH_FIRST: &[&str] = &["map", "zip"];

/// Iterators that may end earlier than what they run over.
const MAY_STOP: &[&str] = &["generator", "islice", "takewhile"];

/// A test for iterators of Python's.
type IsIterator = fn(&Bound<'_, PyAny>) -> bool;

/// The message for a function that takes all items of an iterator which has no last one; nothing for any other.
pub fn taken_by(
    function: &Bound<'_, PyAny>,
    iterators: &[Bound<'_, PyAny>],
    is_iterator: IsIterator,
) -> PyResult<Option<String>> {
    let name = function.getattr_opt(intern!(function.py(), "__name__"))?;
    let Some(name) = name.and_then(|name| name.extract::<String>().ok()) else { return Ok(None) };
    if !TAKE_ALL.contains(&&*name) {
        return Ok(None);
    }
    for iterator in iterators {
        if has_no_end(iterator, is_iterator)? {
            let class = iterator.get_type().name()?;
            return Ok(Some(format!(
                "`{name}` takes all items of a `{class}` that has no last one: it would not come to an end"
            )));
        }
    }
    Ok(None)
}

/// True for an iterator of `itertools` whose items do not end, and for one of Python's that runs over such.
pub fn has_no_end(iterator: &Bound<'_, PyAny>, is_iterator: IsIterator) -> PyResult<bool> {
    let class = iterator.get_type();
    let (module, name) = (class.module()?, class.name()?);
    let name = name.to_str()?;
    match (module.to_str()?, name) {
        ("itertools", "count" | "cycle") => Ok(true),
        // Only one that repeats so many times can say how many are left.
        ("itertools", "repeat") => Ok(iterator.call_method0("__length_hint__").is_err()),
        ("builtins" | "itertools", _) if !MAY_STOP.contains(&name) => {
            let inner = runs_over(iterator, is_iterator)?;
            let ends = inner
                .iter()
                .map(|inner| Ok(!has_no_end(inner, is_iterator)?))
                .collect::<PyResult<Vec<_>>>()?;
            let first_ends = END_WITH_FIRST.contains(&name) && ends.contains(&true);
            Ok(ends.contains(&false) && !first_ends)
        }
        _ => Ok(false),
    }
}

/// The iterators of Python's that one runs over itself.
fn runs_over<'py>(iterator: &Bound<'py, PyAny>, is_iterator: IsIterator) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut found = Vec::new();
    let mut waiting = vec![iterator.clone()];
    while let Some(object) = waiting.pop() {
        for part in iterator.py().import("gc")?.call_method1("get_referents", (&object,))?.try_iter()? {
            let part = part?;
            match is_iterator(&part) {
                true => found.push(part),
                false if holds_iterators(&part) => waiting.push(part),
                false => {}
            }
        }
    }
    Ok(found)
}

/// True of what an iterator of Python's keeps those in that it runs over.
pub fn holds_iterators(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyTuple>() || object.is_exact_instance_of::<PyFrame>()
}

/// So many binary digits Python computes in a second or so.
const MOST_DIGITS: u64 = 1 << 24;

/// True for `a ** b` of Python's integers with more digits than that.
pub fn has_too_many_digits(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (Ok(a), Ok(b)) = (a.cast_exact::<PyInt>(), b.cast_exact::<PyInt>()) else { return Ok(false) };
    if b.le(1000)? {
        return Ok(false);
    }
    let digits: u64 = a.call_method0(intern!(a.py(), "bit_length"))?.extract()?;
    // Powers of 0, 1 and -1 have one digit.
    Ok(digits > 1 && b.extract::<u64>().map_or(true, |b| digits.saturating_mul(b) > MOST_DIGITS))
}
