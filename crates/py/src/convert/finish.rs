//! Compiled code made to look like the user's: blocks bear the name of their function, qualified names are those of the
//! original, the operators are among the constants, and a mark there says that the code is ours.

use std::collections::BTreeSet;

use gw_syntax::Name;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyFunction, PyString, PyTuple};

use crate::convert::emit::{OPERATORS, THUNK};
use crate::convert::marks::marks;
use crate::convert::nodes::text;

/// The names chosen by lowering.
pub struct Names<'a> {
    /// The names of generated functions.
    pub blocks: &'a BTreeSet<Name>,
    /// The qualified name that the function has in its stub.
    pub in_stub: &'a str,
}

/// True if a constant stands for the operators.
fn is_operators(constant: &Bound<'_, PyAny>) -> bool {
    constant.cast_exact::<PyFloat>().is_ok_and(|number| number.value().to_bits() == OPERATORS)
}

/// Set on the code of functions, and not on that of class bodies.
const OPTIMIZED: u32 = 0x1;
/// Set on the code of a generator by `types.coroutine`, not by the compiler.
const ITERABLE_COROUTINE: u32 = 0x100;

/// Names of a code object: the compiler's, and those that it is to have.
#[derive(Clone)]
struct Called<'py> {
    name: Bound<'py, PyAny>,
    compiled: Bound<'py, PyAny>,
    wanted: Bound<'py, PyAny>,
    /// The code of a class body: names in it follow a dot, not `<locals>`.
    is_class: bool,
}

/// Finishes the code of a function and all code inside it.
pub fn finish<'py>(
    function: &Bound<'py, PyFunction>,
    code: &Bound<'py, PyAny>,
    names: &Names<'_>,
    operators: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = code.py();
    let known = code.getattr_opt(pyo3::intern!(py, "co_qualname"))?;
    let finish = Finish { names, operators, newer: known.is_some() };
    let compiled = known.unwrap_or_else(|| text(py, names.in_stub));
    let (name, wanted) = (get!(code, "co_name")?, get!(function, "__qualname__")?);
    let finished = finish.code(code, &Called { name, compiled, wanted, is_class: false }, false)?;
    let own_flags: u32 = get!(get!(function, "__code__")?, "co_flags")?.extract()?;
    if own_flags & ITERABLE_COROUTINE == 0 {
        return Ok(finished);
    }
    let changes = PyDict::new(py);
    changes.set_item("co_flags", get!(finished, "co_flags")?.extract::<u32>()? | ITERABLE_COROUTINE)?;
    finished.call_method("replace", (), Some(&changes))
}

/// Replacement for a qualified name among the constants, if it is one of these: `(compiled, wanted)`. From 3.11
/// on code objects know their own, and only that of a class body has it among its constants too.
fn wanted<'py>(constant: &Bound<'py, PyAny>, renamed: &[Called<'py>]) -> Option<Bound<'py, PyAny>> {
    if renamed.is_empty() || !constant.cast::<PyString>().ok()?.to_str().ok()?.contains("<locals>.") {
        return None;
    }
    let named = |called: &&Called<'_>| called.compiled.eq(constant).unwrap_or(false);
    renamed.iter().find(named).map(|called| called.wanted.clone())
}

struct Finish<'a, 'py> {
    names: &'a Names<'a>,
    operators: &'a Bound<'py, PyAny>,
    /// Code objects know their qualified names (3.11).
    newer: bool,
}

impl<'py> Finish<'_, 'py> {
    fn code(
        &self,
        code: &Bound<'py, PyAny>,
        called: &Called<'py>,
        block: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = code.py();
        let constants = get!(code, "co_consts")?;
        let constants = constants.cast::<PyTuple>()?;
        let mut finished = Vec::with_capacity(constants.len() + 1);
        let mut renamed = Vec::new();
        if !self.newer || called.is_class {
            renamed.push(called.clone());
        }
        for constant in constants {
            if !constant.get_type().is(code.get_type()) {
                finished.push(constant);
                continue;
            }
            let (inner, is_block) = self.called(&constant, called)?;
            finished.push(self.code(&constant, &inner, is_block)?);
            if !self.newer {
                renamed.push(inner);
            }
        }
        for constant in &mut finished {
            if is_operators(constant) {
                *constant = self.operators.clone();
            } else if let Some(wanted) = wanted(constant, &renamed) {
                *constant = wanted;
            }
        }
        let marks = marks(py)?;
        finished.push(if block { &marks.block } else { &marks.converted }.bind(py).clone());
        let changes = PyDict::new(py);
        changes.set_item(pyo3::intern!(py, "co_consts"), PyTuple::new(py, finished)?)?;
        changes.set_item(pyo3::intern!(py, "co_name"), &called.name)?;
        if self.newer {
            changes.set_item(pyo3::intern!(py, "co_qualname"), &called.wanted)?;
        }
        get!(code, "replace")?.call((), Some(&changes))
    }

    /// Names of code inside other code; true with them if it is a block.
    fn called(&self, code: &Bound<'py, PyAny>, around: &Called<'py>) -> PyResult<(Called<'py>, bool)> {
        let name = get!(code, "co_name")?;
        let compiled = self.compiled_name(code, &name, around)?;
        if self.is_block(code, name.cast::<PyString>()?.to_str()?)? {
            return Ok((Called { compiled, is_class: false, ..around.clone() }, true));
        }
        let rest = compiled
            .cast::<PyString>()?
            .to_str()?
            .strip_prefix(around.compiled.cast::<PyString>()?.to_str()?);
        let wanted = match rest {
            Some(rest) => text(code.py(), &format!("{}{rest}", around.wanted.cast::<PyString>()?.to_str()?)),
            None => compiled.clone(),
        };
        let is_class = get!(code, "co_flags")?.extract::<u32>()? & OPTIMIZED == 0;
        Ok((Called { name, compiled, wanted, is_class }, false))
    }

    fn is_block(&self, code: &Bound<'py, PyAny>, name: &str) -> PyResult<bool> {
        let is_thunk = || get!(code, "co_varnames")?.contains(pyo3::intern!(code.py(), THUNK));
        Ok(self.names.blocks.contains(name) || (name == "<lambda>" && is_thunk()?))
    }

    /// The qualified name given by the compiler; before 3.11 it is known only to the code around.
    fn compiled_name(
        &self,
        code: &Bound<'py, PyAny>,
        name: &Bound<'py, PyAny>,
        around: &Called<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.newer {
            return get!(code, "co_qualname");
        }
        let between = if around.is_class { "." } else { ".<locals>." };
        Ok(text(code.py(), &format!("{}{between}{name}", around.compiled)))
    }
}
