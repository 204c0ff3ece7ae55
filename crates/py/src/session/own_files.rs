//! Code that is not the user's: files of this package and of NumPy, and methods that Python makes of texts of its own.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// True if a file belongs to this package (the gallery does not count: it is a user) or to NumPy, whose functions call it.
pub fn is_ours(py: Python<'_>, file: &str) -> bool {
    static FOLDERS: [PyOnceLock<Option<String>>; 2] = [PyOnceLock::new(), PyOnceLock::new()];
    let [own, numpy] = &FOLDERS;
    let within = |folder: &'_ PyOnceLock<Option<String>>, package| {
        let folder = folder.get_or_init(py, || folder_of(py, package)).as_ref()?;
        file.strip_prefix(folder.as_str()).map(|rest| !rest.starts_with("demo"))
    };
    within(own, "graphwright").or_else(|| within(numpy, "numpy")).unwrap_or(false)
}

fn folder_of(py: Python<'_>, package: &str) -> Option<String> {
    let path: String = py.import(package).ok()?.getattr("__file__").ok()?.extract().ok()?;
    path.strip_suffix("__init__.py").map(str::to_owned)
}

/// True if code is a method that Python makes of a text of its own, such as `__eq__` of a dataclass.
pub fn is_made(file: &str, function: &str) -> bool {
    file == "<string>" && function.starts_with("__") && function.ends_with("__")
}
