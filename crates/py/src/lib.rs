//! The door to Python.

pub mod convert;

/// The native module.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;
    use pyo3::types::PyFunction;

    /// The converted twin of a function.
    #[pyfunction]
    fn convert<'py>(
        f: &Bound<'py, PyFunction>,
        operators: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyFunction>> {
        crate::convert::convert(f, operators)
    }

    /// The lowered source of a function.
    #[pyfunction]
    fn to_code(f: &Bound<'_, PyFunction>) -> PyResult<String> {
        crate::convert::to_code(f)
    }

    /// Whether code was made by `convert`.
    #[pyfunction]
    fn is_converted(code: &Bound<'_, PyAny>) -> PyResult<bool> {
        crate::convert::is_converted(code)
    }

    /// Whether code is a block.
    #[pyfunction]
    fn is_block(code: &Bound<'_, PyAny>) -> PyResult<bool> {
        crate::convert::is_block(code)
    }

    /// A Python text, read and written again.
    #[pyfunction]
    fn read_and_write(text: &str) -> String {
        gw_syntax::to_source(&gw_syntax::parse(&gw_base::Source::new("text", text)).value)
    }
}
