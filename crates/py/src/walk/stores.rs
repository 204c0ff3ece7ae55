//! Stores of code, read from its instructions.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

/// Names in code that may store into globals which it does not name.
pub const OPEN_GLOBALS: [&str; 5] = ["globals", "vars", "locals", "exec", "modules"];

/// The globals that code stores into, by where their names stand: a new one is a place too.
pub fn stored_globals(code: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    static STORE: PyOnceLock<[u8; 2]> = PyOnceLock::new();
    let py = code.py();
    let opcodes = || {
        let all = py.import("opcode")?.getattr("opmap")?;
        Ok::<_, PyErr>([all.get_item("STORE_GLOBAL")?.extract()?, all.get_item("EXTENDED_ARG")?.extract()?])
    };
    let [store, extended] = *STORE.get_or_try_init(py, opcodes)?;
    let code = code.getattr(intern!(py, "co_code"))?.cast_into::<PyBytes>().map_err(PyErr::from)?;
    let (mut found, mut high) = (Vec::new(), 0);
    for pair in code.as_bytes().chunks_exact(2) {
        let argument = high << 8 | usize::from(pair[1]);
        if pair[0] == store {
            found.push(argument);
        }
        high = if pair[0] == extended { argument } else { 0 };
    }
    Ok(found)
}
