//! Marks by which code that we compiled is known: its last constant.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// The last constants of the code that we compile.
#[derive(Debug)]
pub struct Marks {
    /// Of functions.
    pub converted: Py<PyAny>,
    /// Of blocks of statements.
    pub block: Py<PyAny>,
}

static MARKS: PyOnceLock<Marks> = PyOnceLock::new();

/// Both, made at the first call.
pub fn marks(py: Python<'_>) -> PyResult<&'static Marks> {
    MARKS.get_or_try_init(py, || {
        let object = py.import("builtins")?.getattr("object")?;
        Ok(Marks { converted: object.call0()?.unbind(), block: object.call0()?.unbind() })
    })
}

/// True if a code object is of a converted function, the code of nested functions and blocks included.
pub fn is_converted(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(mark) = last_constant(code)? else { return Ok(false) };
    let marks = marks(code.py())?;
    Ok(mark.is(&marks.converted) || mark.is(&marks.block))
}

/// True if a call of a code object gives a generator or coroutine.
pub fn makes_generator(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    const FLAGS: u32 = 0x20 | 0x80 | 0x200;
    Ok(code.getattr(intern!(code.py(), "co_flags"))?.extract::<u32>()? & FLAGS != 0)
}

/// True if a code object is a block: a part of the user's function that runs as a function of its own.
pub fn is_block(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(mark) = last_constant(code)? else { return Ok(false) };
    Ok(mark.is(&marks(code.py())?.block))
}

fn last_constant<'py>(code: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let constants = code.getattr(intern!(code.py(), "co_consts"))?;
    let constants = constants.cast::<PyTuple>()?;
    Ok(if constants.is_empty() { None } else { Some(constants.get_item(constants.len() - 1)?) })
}
