//! Code that is not the user's: files of this package, and methods that Python makes of texts of its own.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// True if a file belongs to this package (the gallery does not count: it is a user).
pub fn is_ours(py: Python<'_>, file: &str) -> bool {
    static FOLDER: PyOnceLock<Option<String>> = PyOnceLock::new();
    let folder = FOLDER.get_or_init(py, || {
        let path: String = py.import("graphwright").ok()?.getattr("__file__").ok()?.extract().ok()?;
        path.strip_suffix("__init__.py").map(str::to_owned)
    });
    folder.as_ref().is_some_and(|f| file.starts_with(f.as_str()) && !file[f.len()..].starts_with("demo"))
}

/// True if code is a method that Python makes of a text of its own, such as `__eq__` of a dataclass.
pub fn is_made(file: &str, function: &str) -> bool {
    file == "<string>" && function.starts_with("__") && function.ends_with("__")
}
