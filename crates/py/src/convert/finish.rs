//! Compiled code made to look like the user's: blocks bear the name of their function, qualified names are those of the
//! original, and a mark among the constants says that the code is ours.

use std::collections::BTreeSet;

use gw_syntax::Name;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFunction, PyString, PyTuple};

use crate::convert::emit::THUNK;

/// The names chosen by lowering.
pub struct Names<'a> {
    /// The names of generated functions.
    pub blocks: &'a BTreeSet<Name>,
    /// The qualified name that the function has in its stub.
    pub in_stub: &'a str,
}

/// Set on the code of functions, and not on that of class bodies.
const OPTIMIZED: u32 = 0x1;
/// Set on the code of a generator by `types.coroutine`, not by the compiler.
const ITERABLE_COROUTINE: u32 = 0x100;

struct Marks {
    converted: Py<PyAny>,
    block: Py<PyAny>,
}

static MARKS: PyOnceLock<Marks> = PyOnceLock::new();

fn marks(py: Python<'_>) -> PyResult<&'static Marks> {
    MARKS.get_or_try_init(py, || {
        let object = py.import("builtins")?.getattr("object")?;
        Ok(Marks { converted: object.call0()?.unbind(), block: object.call0()?.unbind() })
    })
}

/// Whether the code is ours.
pub fn is_converted(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(mark) = last_constant(code)? else { return Ok(false) };
    let marks = marks(code.py())?;
    Ok(mark.is(&marks.converted) || mark.is(&marks.block))
}

/// Whether the code is a block.
pub fn is_block(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(mark) = last_constant(code)? else { return Ok(false) };
    Ok(mark.is(&marks(code.py())?.block))
}

fn last_constant<'py>(code: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let constants = get!(code, "co_consts")?;
    let constants = constants.cast::<PyTuple>()?;
    Ok(if constants.is_empty() { None } else { Some(constants.get_item(constants.len() - 1)?) })
}

/// What a code object is called by the compiler, and what it is to be called.
#[derive(Clone)]
struct Called {
    name: String,
    compiled: String,
    wanted: String,
    /// The code of a class body: names in it follow a dot, not `<locals>`.
    is_class: bool,
}

/// Finishes the code of a function and all code inside it.
pub fn finish<'py>(
    function: &Bound<'py, PyFunction>,
    code: &Bound<'py, PyAny>,
    names: &Names<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let name: String = get!(code, "co_name")?.extract()?;
    let compiled = match get!(code, "co_qualname") {
        Ok(known) => known.extract()?,
        Err(_) => names.in_stub.to_owned(),
    };
    let wanted = get!(function, "__qualname__")?.extract()?;
    let finish = Finish { names, newer: code.hasattr(pyo3::intern!(code.py(), "co_qualname"))? };
    let finished = finish.code(code, &Called { name, compiled, wanted, is_class: false }, false)?;
    let own_flags: u32 = get!(get!(function, "__code__")?, "co_flags")?.extract()?;
    if own_flags & ITERABLE_COROUTINE == 0 {
        return Ok(finished);
    }
    let changes = PyDict::new(code.py());
    changes.set_item("co_flags", get!(finished, "co_flags")?.extract::<u32>()? | ITERABLE_COROUTINE)?;
    finished.call_method("replace", (), Some(&changes))
}

/// The qualified name given by the compiler; before 3.11 it is known only to the code around.
fn compiled_name(code: &Bound<'_, PyAny>, around: &Called) -> PyResult<String> {
    if let Ok(name) = get!(code, "co_qualname") {
        return name.extract();
    }
    let name: String = get!(code, "co_name")?.extract()?;
    let between = if around.is_class { "." } else { ".<locals>." };
    Ok(format!("{}{between}{name}", around.compiled))
}

/// What a qualified name among the constants is to be, if it is one of these: `(compiled, wanted)`.
fn wanted<'n>(constant: &Bound<'_, PyAny>, renamed: &'n [(String, String)]) -> Option<&'n String> {
    let text = constant.cast::<PyString>().ok()?.to_str().ok()?;
    let named = |(compiled, _): &&(String, String)| text.contains("<locals>.") && *compiled == *text;
    renamed.iter().find(named).map(|(_, wanted)| wanted)
}

struct Finish<'a> {
    names: &'a Names<'a>,
    /// Code objects know their qualified names (3.11).
    newer: bool,
}

impl Finish<'_> {
    fn code<'py>(
        &self,
        code: &Bound<'py, PyAny>,
        called: &Called,
        block: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = code.py();
        let mut constants = Vec::new();
        let mut renamed = vec![(called.compiled.clone(), called.wanted.clone())];
        for constant in get!(code, "co_consts")?.cast::<PyTuple>()? {
            if !constant.is_instance(&code.get_type())? {
                constants.push(constant);
                continue;
            }
            let (inner, is_block) = self.called(&constant, called)?;
            constants.push(self.code(&constant, &inner, is_block)?);
            renamed.push((inner.compiled, inner.wanted));
        }
        for constant in &mut constants {
            if let Some(wanted) = wanted(constant, &renamed) {
                *constant = crate::convert::nodes::text(py, wanted);
            }
        }
        let marks = marks(py)?;
        constants.push(if block { &marks.block } else { &marks.converted }.bind(py).clone());
        let changes = PyDict::new(py);
        changes.set_item(pyo3::intern!(py, "co_consts"), PyTuple::new(py, constants)?)?;
        changes.set_item(pyo3::intern!(py, "co_name"), &called.name)?;
        if self.newer {
            changes.set_item(pyo3::intern!(py, "co_qualname"), &called.wanted)?;
        }
        get!(code, "replace")?.call((), Some(&changes))
    }

    fn called(&self, code: &Bound<'_, PyAny>, around: &Called) -> PyResult<(Called, bool)> {
        let name: String = get!(code, "co_name")?.extract()?;
        let compiled = compiled_name(code, around)?;
        let variables = get!(code, "co_varnames")?;
        if self.names.blocks.contains(&*name) || variables.contains(THUNK)? {
            return Ok((Called { compiled, is_class: false, ..around.clone() }, true));
        }
        let wanted = match compiled.strip_prefix(&around.compiled) {
            Some(rest) => format!("{}{rest}", around.wanted),
            None => compiled.clone(),
        };
        let is_class = get!(code, "co_flags")?.extract::<u32>()? & OPTIMIZED == 0;
        Ok((Called { name, compiled, wanted, is_class }, false))
    }
}
