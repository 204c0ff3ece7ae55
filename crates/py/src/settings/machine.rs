//! The door to facts about the machine and this process, for `graphwright doctor`.

use pyo3::prelude::*;

/// Bits of the vector registers that the code of loops uses.
#[pyfunction]
fn lanes() -> usize {
    graphwright::config::lanes()
}

/// `(path, bytes)`: the folder of code for other processes, and about how much it may hold; none if there is none.
#[pyfunction]
fn code_folder() -> Option<(String, u64)> {
    graphwright::config::code_folder().map(|folder| (folder.path.display().to_string(), folder.bytes))
}

/// `(name, value)` of the variables of the environment that are ours.
#[pyfunction]
fn environment() -> Vec<(String, String)> {
    graphwright::config::environment()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(lanes, module)?)?;
    module.add_function(wrap_pyfunction!(environment, module)?)?;
    module.add_function(wrap_pyfunction!(code_folder, module)?)
}
