//! Integer arithmetic that wraps around whatever the setting says, for hashes in the package.

use gw_ir::BinaryOp;
use gw_trace::calls::Call;
use pyo3::prelude::*;

use crate::host::operands;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(wrapping_add, module)?)?;
    module.add_function(wrap_pyfunction!(wrapping_multiply, module)?)
}

/// `x + y` of which the low bits count, for hashes in the package.
#[pyfunction]
fn wrapping_add<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(x.py(), &Call::wrapping(BinaryOp::Add), &[x, y])
}

/// `x * y` of which the low bits count, for hashes in the package.
#[pyfunction]
fn wrapping_multiply<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(x.py(), &Call::wrapping(BinaryOp::Mul), &[x, y])
}
