//! Functions that are several calls, and that say in their own words which arguments they do not take.

use gw_ir::Unfit;
use gw_trace::calls::{Call, Equation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::create;
use crate::host::operand::Operand;
use crate::host::operands;

/// The sum of products that an equation names.
#[pyfunction]
fn einsum<'py>(equation: &Bound<'py, PyAny>, inputs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tensors = inputs.try_iter()?.map(|one| create::typed(&one?, None)).collect::<PyResult<Vec<_>>>()?;
    let ranks: Vec<_> = tensors.iter().map(|one| one.lengths().len()).collect();
    let equation = Equation::read(equation.extract()?, &ranks).map_err(refused)?;
    composed(inputs.py(), &Call::composed(equation), tensors)
}

/// Runs a call on operands whose lengths are looked at first.
fn composed<'py>(py: Python<'py>, call: &Call, operands: Vec<Operand>) -> PyResult<Bound<'py, PyAny>> {
    let lengths: Vec<_> = operands.iter().map(Operand::lengths).collect();
    call.check(&lengths).map_err(refused)?;
    operands::tensor(py, operands::apply(py, call, operands)?)
}

/// The exception of arguments that do not fit, without a place: the caller is a function of the package.
fn refused(unfit: Unfit) -> PyErr {
    PyValueError::new_err(unfit.message)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(einsum, module)?)
}
