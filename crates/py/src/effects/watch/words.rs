//! Diagnostics of objects that a region of the graph changes in place.

use gw_base::{Code, Diagnostic};
use pyo3::prelude::*;

use crate::session::frames;

/// The error of a container that a statement changes in place.
pub fn changed_in_place(path: &str, code: Code) -> Diagnostic {
    let help = "return what is new and assign it to a name in the statement itself; to collect values, store \
                them into a tensor, `out[i] = v`, or join tensors with `gw.concat`";
    Diagnostic::new(code, format!("`{path}` is changed in place {}", where_(code))).help(help)
}

/// The error of a place that has a value on some paths only.
pub fn half(code: Code, name: &str) -> Diagnostic {
    let help = "give it a value before the statement: only names of the function may be without one";
    Diagnostic::new(code, format!("`{name}` has a value {} only", one_way(code))).help(help)
}

/// The error of an object that is dropped on some paths only, where its class says what happens then.
pub fn finalized(name: &str, class: &str, code: Code) -> Diagnostic {
    let message = format!(
        "`{name}` may hold a `{class}` {} only, and when its `__del__` runs depends on that",
        one_way(code)
    );
    let help = "keep the object in a name that the statement does not change";
    Diagnostic::new(code, message).help(help)
}

fn where_(code: Code) -> &'static str {
    if code == Code::LoopChangesObject {
        "by a loop that is in the graph, which would do it once instead of once per iteration"
    } else {
        "in a branch that a tensor decides, which would do it whether or not the branch is taken"
    }
}

fn one_way(code: Code) -> &'static str {
    if code == Code::LoopChangesObject { "after some iterations" } else { "after one branch" }
}

/// A value that a function reads by another way than its arguments, where each call may find another one.
pub fn not_given(error: &PyErr, by: &str, py: Python<'_>) -> Diagnostic {
    let message = format!(
        "a number or array that each call may find changed is read here by {by}, and is not among its arguments"
    );
    let help = "give it to the function as an argument, and return what is new, in place of a `nonlocal`, a `global` or an attribute";
    let found = Diagnostic::new(Code::LeakedTensor, message).help(help);
    frames::place_of(error, py).into_iter().fold(found, |found, at| found.at(at, "read here"))
}
