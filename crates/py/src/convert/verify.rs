//! Verification that a `def` in a text is the code that runs: the text of the `def` alone is compiled, and must give the same.
//!
//! `def f(…)` of a class `C` with the free variable `x` stands under `def factory(x):` and `class C:`, on its own lines.

use std::collections::BTreeSet;

use gw_base::{Source, Span};
use gw_syntax::Name;
use pyo3::exceptions::{PyRecursionError, PySyntaxError};
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyTuple};

use crate::convert::compile::{compiler, futures};
use crate::convert::same_code::same_code;

/// A `def`, its decorators included.
pub struct Definition<'a> {
    /// The text of the file.
    pub source: &'a Source,
    /// Position of the node.
    pub span: Span,
    /// The innermost class around it.
    pub class: Option<&'a Name>,
    /// The names that the module imports.
    pub imports: &'a BTreeSet<Name>,
}

/// True if the function's code is what the definition compiles to. `false` may also mean that it cannot be said.
pub fn is_text_of(function: &Bound<'_, PyFunction>, definition: &Definition<'_>) -> PyResult<bool> {
    let py = function.py();
    let code = get!(function, "__code__")?;
    let free: Vec<String> = get!(code, "co_freevars")?.extract()?;
    let Some(mut text) = definition.alone(&free) else { return Ok(false) };
    if py.version_info() >= (3, 12) {
        // The compiler treats calls of attributes of imported names in its own way.
        definition.imports.iter().for_each(|name| text += &format!("import {name}\n"));
    }
    let arguments = (text, get!(code, "co_filename")?, "exec", futures(function)?, true);
    let compiled = match compiler(py)?.call1(arguments) {
        Ok(compiled) => compiled,
        Err(error) if error.is_instance_of::<PySyntaxError>(py) => return Ok(false),
        Err(error) if error.is_instance_of::<PyRecursionError>(py) => return Ok(false),
        Err(error) => return Err(error),
    };
    contains(&compiled, &code)
}

/// True if the same code object is among the constants, or among those of code among them.
///
/// Code objects compare their constants twice, so that `==` would take a time exponential in the depth of functions.
fn contains(around: &Bound<'_, PyAny>, code: &Bound<'_, PyAny>) -> PyResult<bool> {
    for constant in get!(around, "co_consts")?.cast::<PyTuple>()? {
        if constant.get_type().is(code.get_type())
            && (is_same(&constant, code)? || contains(&constant, code)?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the code is the same and stands at the same place.
fn is_same(compiled: &Bound<'_, PyAny>, code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = code.py();
    for attribute in
        [pyo3::intern!(py, "co_firstlineno"), pyo3::intern!(py, "co_name"), pyo3::intern!(py, "co_linetable")]
    {
        if !compiled.getattr(attribute)?.eq(code.getattr(attribute)?)? {
            return Ok(false);
        }
    }
    same_code(code, compiled)
}

impl Definition<'_> {
    /// A text in which the definition stands alone, on the same lines and columns; none where there is no room for it.
    fn alone(&self, free: &[String]) -> Option<String> {
        let (first, _) = self.source.line_column(self.span.start);
        let (last, _) = self.source.line_column(self.span.end);
        let start = self.source.line_start(first) as usize;
        let lines = &self.source.text[start..self.source.line_start(last + 1) as usize];
        let own: Vec<&str> = free.iter().map(String::as_str).filter(|name| *name != "__class__").collect();
        let mut heads = Vec::new();
        if !own.is_empty() {
            heads.push(format!("def factory({}):", own.join(", ")));
        }
        if let Some(class) = self.class {
            heads.push(format!("{}class {class}:", " ".repeat(heads.len())));
        }
        let room = lines.len() - lines.trim_start_matches([' ', '\t']).len();
        if heads.is_empty() != (room == 0) || room < heads.len() {
            return None;
        }
        let above = (first as usize).checked_sub(1 + heads.len())?;
        let heads: String = heads.into_iter().map(|head| head + "\n").collect();
        Some(format!("{}{heads}{lines}\n", "\n".repeat(above)))
    }
}
