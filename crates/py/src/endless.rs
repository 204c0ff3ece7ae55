//! Iterators of `itertools` whose items do not end: Python never comes back from a function that takes them all, and a graph
//! that is built takes paths which a call may not.

use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;

use crate::{current, errors, progress};

/// Functions that take all items before they give anything.
const TAKE_ALL: &[&str] = &[
    "Counter",
    "array",
    "bytearray",
    "bytes",
    "collected",
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

/// Refuses a function that takes all items of an iterator which has no last one.
pub fn check(function: &Bound<'_, PyAny>, iterators: &[Bound<'_, PyAny>]) -> PyResult<()> {
    let name = function.getattr_opt(intern!(function.py(), "__name__"))?;
    let Some(name) = name.and_then(|name| name.extract::<String>().ok()) else { return Ok(()) };
    if !TAKE_ALL.contains(&&*name) || !current::is_tracing() {
        return Ok(());
    }
    for iterator in iterators {
        if has_no_end(iterator)? {
            let class = iterator.get_type().name()?;
            let message = format!(
                "`{name}` takes all items of a `{class}` that has no last one: it would not come to an end"
            );
            let help = "take some of them, `itertools.islice(iterator, n)`";
            return Err(errors::here(function.py(), Code::EndlessLoop, message, help));
        }
    }
    Ok(())
}

/// True for an iterator of `itertools` whose items do not end, and for one of Python's that runs over such.
pub fn has_no_end(iterator: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = iterator.get_type();
    let module = class.module()?;
    let name = class.name()?;
    let (module, name) = (module.to_str()?, name.to_str()?);
    match (module, name) {
        ("itertools", "count" | "cycle") => Ok(true),
        // Only one that repeats so many times can say how many are left.
        ("itertools", "repeat") => Ok(iterator.call_method0("__length_hint__").is_err()),
        ("builtins" | "itertools", _) if !MAY_STOP.contains(&name) => {
            let inner = progress::runs_over(iterator)?;
            let ends = inner.iter().map(|inner| Ok(!has_no_end(inner)?)).collect::<PyResult<Vec<_>>>()?;
            let first_ends = END_WITH_FIRST.contains(&name) && ends.contains(&true);
            Ok(ends.contains(&false) && !first_ends)
        }
        _ => Ok(false),
    }
}
