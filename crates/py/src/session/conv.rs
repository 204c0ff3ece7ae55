//! Callables of the program as features call them: converted, or with their meaning in a graph. The conversion of callables is
//! built on those features, so it is made known when the module is.

use std::sync::OnceLock;

use gw_base::Broken;
use pyo3::prelude::*;

use crate::exceptions::errors::broken;

/// The conversion of callables.
#[derive(Debug, Clone, Copy)]
pub struct Conversion {
    /// Gives the callable to call in place of one of the program's.
    pub conv: for<'py> fn(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    /// Gives the meaning of a function of Python's own, if it has one while a graph is built.
    pub meaning: for<'py> fn(&Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>>,
}

static CONVERSION: OnceLock<Conversion> = OnceLock::new();

/// Makes the conversion known.
pub fn register(conversion: Conversion) {
    let _ = CONVERSION.set(conversion);
}

fn conversion() -> PyResult<&'static Conversion> {
    let early = || broken(&Broken::new("conv", "the module is made before callables are converted"));
    CONVERSION.get().ok_or_else(early)
}

/// The callable to call in place of `function`.
///
/// # Errors
/// The refusals of the conversion.
pub fn conv<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    (conversion()?.conv)(function)
}

/// The meaning of a function of Python's own, if it has one while a graph is built.
///
/// # Errors
/// A table of meanings that cannot be read.
pub fn meaning<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    (conversion()?.meaning)(function)
}
