//! Functions that are called as they are: of libraries, of the standard library, and marked ones.

use crate::session::backends;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFunction, PyString, PyType};

/// The name under which `do_not_convert` marks a function.
const MARK: &str = "__graphwright_do_not_convert__";

/// Modules of this package that are written as users write theirs, and converted as theirs is.
const WRITTEN_PLAINLY: [&str; 7] = [
    "graphwright.demo",
    "graphwright.federated._execution.staged",
    "graphwright.federated.learning",
    "graphwright.keras",
    "graphwright.data",
    "graphwright.nest",
    "graphwright._meanings.written",
];

/// Packages of arrays, tables and pictures: their code takes no tensor of a graph, so it runs as it is, and their objects hold tens
/// of thousands of others that are no concern of a graph.
const OUT_OF_SIGHT: [&str; 11] = [
    "dask",
    "jax",
    "jaxlib",
    "matplotlib",
    "mpl_toolkits",
    "pandas",
    "polars",
    "pyarrow",
    "tensorflow",
    "torch",
    "xarray",
];

/// Those among them whose arrays never change.
const IMMUTABLE_ARRAYS: [&str; 3] = ["jax", "jaxlib", "pyarrow"];

/// True of an object of such a package whose elements may change where no graph sees it.
pub fn changes_out_of_sight(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = object.get_type();
    let module: String = class.getattr(intern!(object.py(), "__module__"))?.extract().unwrap_or_default();
    let root = module.split('.').next().unwrap_or_default();
    Ok(OUT_OF_SIGHT.contains(&root) && !IMMUTABLE_ARRAYS.contains(&root))
}

/// True if a function is called as it is: of a library, of the standard library, or marked.
pub fn stays(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let py = function.py();
    if function.hasattr(pyo3::intern!(py, MARK))? {
        return Ok(true);
    }
    let module = function.getattr(pyo3::intern!(py, "__module__"))?;
    let Ok(module) = module.cast::<PyString>() else { return Ok(false) };
    let module = module.to_string_lossy();
    let root = module.split('.').next().unwrap_or_default();
    if root == "graphwright" {
        return Ok(!WRITTEN_PLAINLY.iter().any(|part| module.starts_with(part)));
    }
    is_librarys(py, root)
}

/// True if a module is one of a library or of the standard library.
pub fn is_librarys(py: Python<'_>, module: &str) -> PyResult<bool> {
    let root = module.split('.').next().unwrap_or_default();
    let is_numpys = root == "numpy" || OUT_OF_SIGHT.contains(&root);
    if is_numpys || root == "__main__" || backends::has_package(root) {
        return Ok(root != "__main__");
    }
    py.import("sys")?.getattr("stdlib_module_names")?.contains(root)
}

/// True if an object is what `functools.cache` or `lru_cache` makes of a function.
pub fn is_cached(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = function.py().import("functools")?.getattr("_lru_cache_wrapper")?;
    Ok(function.get_type().is(&class))
}

/// True if a function or class is the user's: not this package's, NumPy's or the standard library's.
pub fn is_users(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module: String = object.getattr(intern!(object.py(), "__module__"))?.extract().unwrap_or_default();
    if module == "builtins" {
        return is_of_python(object);
    }
    is_users_module(object.py(), &module)
}

/// True if a function or class that says that it is of `builtins` is written in Python: globals without a `__name__`, as
/// `exec` makes them, name that module, whose own types cannot be changed.
fn is_of_python(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    const IMMUTABLE: u64 = 1 << 8;
    match object.cast::<PyType>() {
        Ok(class) => Ok(class.getattr(intern!(object.py(), "__flags__"))?.extract::<u64>()? & IMMUTABLE == 0),
        Err(_) => Ok(object.is_instance_of::<PyFunction>()),
    }
}

/// True if a module is the user's. A bar of `tqdm` is none: the graph moves it by calls.
pub fn is_users_module(py: Python<'_>, module: &str) -> PyResult<bool> {
    let root = module.split('.').next().unwrap_or_default();
    if root == "graphwright" {
        return Ok(module.starts_with("graphwright.demo"));
    }
    static STANDARD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let names = || Ok::<_, PyErr>(py.import("sys")?.getattr("stdlib_module_names")?.unbind());
    let standard = STANDARD.get_or_try_init(py, names)?.bind(py);
    let library =
        matches!(root, "numpy" | "tqdm") || OUT_OF_SIGHT.contains(&root) || backends::has_package(root);
    Ok(root == "__main__" || (!library && !standard.contains(root)?))
}

/// The packages whose arrays, columns and tables are no arguments of graphs: their methods are not those of NumPy's arrays.
const OF_OTHER_METHODS: [&str; 7] = ["dask", "pandas", "polars", "pyarrow", "tensorflow", "torch", "xarray"];

/// True if a module is of a package whose objects no graph looks into.
pub fn is_out_of_sight(module: &str) -> bool {
    OUT_OF_SIGHT.contains(&module.split('.').next().unwrap_or_default())
}

/// The package of a class of arrays, columns or tables, or of what it inherits from; none of any other class.
pub fn package_of_other_methods(class: &Bound<'_, PyType>) -> PyResult<Option<&'static str>> {
    let py = class.py();
    if !class.hasattr(intern!(py, "__getitem__"))? {
        return Ok(None);
    }
    for base in class.mro() {
        let module: String = base.getattr(intern!(py, "__module__"))?.extract().unwrap_or_default();
        let root = module.split('.').next().unwrap_or_default();
        if let Some(package) = OF_OTHER_METHODS.iter().find(|package| **package == root) {
            return Ok(Some(package));
        }
    }
    Ok(None)
}
