//! Stores and imports of code, read from its instructions.

use std::collections::HashSet;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

/// Names in the code of a function that may store into globals which it does not name; its `locals()` are its own.
pub const OPEN_GLOBALS: [&str; 4] = ["globals", "vars", "exec", "modules"];

/// The names of a module that its import makes, which hold no state of a program.
pub const MADE_BY_IMPORT: [&str; 3] = ["__builtins__", "__loader__", "__spec__"];

/// The globals that code stores into, by where their names stand: a new one is a place too.
pub fn stored_globals(code: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    static STORE: PyOnceLock<u8> = PyOnceLock::new();
    let store = STORE.get_or_try_init(code.py(), || opcode(code.py(), "STORE_GLOBAL"))?;
    arguments_of(code, *store)
}

/// The globals that code reads, by where their names stand; the names of attributes stand there too.
pub fn loaded_globals(code: &Bound<'_, PyAny>) -> PyResult<HashSet<usize>> {
    static LOADS: PyOnceLock<Vec<(u8, usize)>> = PyOnceLock::new();
    let py = code.py();
    let loads = LOADS.get_or_try_init(py, || {
        // From 3.11 on the lowest bit says that the global is called.
        let shift = usize::from(py.version_info() >= (3, 11));
        let mut loads = vec![(opcode(py, "LOAD_GLOBAL")?, shift), (opcode(py, "LOAD_NAME")?, 0)];
        if py.version_info() >= (3, 12) {
            loads.push((opcode(py, "LOAD_FROM_DICT_OR_GLOBALS")?, 0));
        }
        Ok::<_, PyErr>(loads)
    })?;
    let mut found = HashSet::new();
    for &(load, shift) in loads {
        found.extend(arguments_of(code, load)?.into_iter().map(|at| at >> shift));
    }
    Ok(found)
}

/// The modules that code imports, by where their names stand.
pub fn imported(code: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    static IMPORT: PyOnceLock<u8> = PyOnceLock::new();
    let import = IMPORT.get_or_try_init(code.py(), || opcode(code.py(), "IMPORT_NAME"))?;
    arguments_of(code, *import)
}

fn opcode(py: Python<'_>, name: &str) -> PyResult<u8> {
    py.import("opcode")?.getattr("opmap")?.get_item(name)?.extract()
}

/// The arguments of each instruction of a kind.
fn arguments_of(code: &Bound<'_, PyAny>, kind: u8) -> PyResult<Vec<usize>> {
    static EXTENDED: PyOnceLock<u8> = PyOnceLock::new();
    let extended = *EXTENDED.get_or_try_init(code.py(), || opcode(code.py(), "EXTENDED_ARG"))?;
    let code = code.getattr(intern!(code.py(), "co_code"))?.cast_into::<PyBytes>().map_err(PyErr::from)?;
    let (mut found, mut high) = (Vec::new(), 0);
    for pair in code.as_bytes().chunks_exact(2) {
        let argument = high << 8 | usize::from(pair[1]);
        if pair[0] == kind {
            found.push(argument);
        }
        high = if pair[0] == extended { argument } else { 0 };
    }
    Ok(found)
}
