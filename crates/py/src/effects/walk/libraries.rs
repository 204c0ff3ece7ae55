//! Modules of the standard library whose objects hold what a program gives them.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefReference};

/// The modules of the standard library whose objects hold what a program stores as their attributes.
const NAMESPACES: [&str; 3] = ["_thread", "argparse", "types"];

/// The same of those whose methods store it.
const CONTAINERS: [&str; 12] = [
    "_weakrefset",
    "collections",
    "configparser",
    "contextlib",
    "email",
    "graphlib",
    "http",
    "logging",
    "os",
    "queue",
    "sched",
    "weakref",
];

/// Classes of Python's own whose objects hold others out of sight, and the attributes that give these.
const PARTS: [((&str, &str), &[&str]); 9] = [
    (("builtins", "builtin_function_or_method"), &["__self__"]),
    (("builtins", "method"), &["__self__", "__func__"]),
    (("builtins", "method-wrapper"), &["__self__"]),
    (("builtins", "property"), &["fget", "fset", "fdel"]),
    (("functools", "_lru_cache_wrapper"), &["__wrapped__"]),
    (("functools", "cached_property"), &["func"]),
    (("functools", "partial"), &["func", "args", "keywords"]),
    (("functools", "partialmethod"), &["func", "args", "keywords"]),
    (("functools", "singledispatchmethod"), &["func", "dispatcher"]),
];

/// The objects that one of such a class holds; nothing if it is of none.
pub fn parts<'py>(
    object: &Bound<'py, PyAny>,
    module: &str,
    class: &str,
) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let py = object.py();
    let class = (module, class);
    let mut parts = Vec::new();
    let names = PARTS.iter().find(|(known, _)| *known == class).map(|(_, names)| *names);
    for name in names.unwrap_or_default() {
        parts.push(object.getattr(*name)?);
    }
    let is_view = class == ("builtins", "mappingproxy");
    if is_view {
        parts.extend(referents(object)?);
    }
    if class == ("functools", "_lru_cache_wrapper") {
        parts.extend(cached(object)?);
    }
    let is_reference = object.is_instance_of::<PyWeakrefReference>();
    if is_reference {
        parts.push(object.call0()?);
    }
    let is_variable = class == ("_contextvars", "ContextVar");
    if is_variable {
        parts.push(object.call_method1(intern!(py, "get"), (py.None(),))?);
    }
    Ok((names.is_some() || is_view || is_reference || is_variable).then_some(parts))
}

/// The objects that an object refers to.
fn referents<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = object.py();
    let held = py.import(intern!(py, "gc"))?.call_method1(intern!(py, "get_referents"), (object,))?;
    held.try_iter()?.collect()
}

/// The results that a cached function keeps, but not what keeps them, which calls change.
fn cached<'py>(function: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut results = Vec::new();
    for dict in referents(function)?.iter().filter_map(|held| held.cast::<PyDict>().ok()) {
        for kept in dict.values() {
            match &*kept.get_type().name()?.to_string_lossy() {
                "_lru_list_elem" => results.extend(referents(&kept)?),
                _ => results.push(kept),
            }
        }
    }
    Ok(results)
}

/// True of a module whose objects hold what a program stores as their attributes.
pub fn is_namespace(module: &str) -> bool {
    NAMESPACES.contains(&module)
}

/// True of a module of the standard library whose objects' methods store what a program gives them.
pub fn is_container(module: &str) -> bool {
    CONTAINERS.contains(&module.split('.').next().unwrap_or_default())
}
