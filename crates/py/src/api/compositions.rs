//! Functions that are several calls, and that say in their own words which arguments they do not take.

use gw_ir::Unfit;
use gw_trace::calls::{Border, Call, Equation, Grid, Layout};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arguments::{length, lengths};
use super::create;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::dtype;

/// The sum of products that an equation names.
#[pyfunction]
fn einsum<'py>(equation: &Bound<'py, PyAny>, inputs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tensors = inputs.try_iter()?.map(|one| create::typed(&one?, None)).collect::<PyResult<Vec<_>>>()?;
    let ranks: Vec<_> = tensors.iter().map(|one| one.lengths().len()).collect();
    let equation = Equation::read(equation.extract()?, &ranks).map_err(refused)?;
    composed(inputs.py(), &Call::composed(equation), tensors)
}

/// The elements side by side, a number of times along each axis.
#[pyfunction]
fn tile<'py>(input: &Bound<'py, PyAny>, multiples: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (times, given) = lengths(multiples)?;
    layout(input, Layout::Tile(times), given)
}

/// Each element a number of times in a row along an axis.
#[pyfunction]
fn repeat<'py>(
    input: &Bound<'py, PyAny>,
    repeats: &Bound<'py, PyAny>,
    axis: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = Vec::new();
    let times = length(repeats, &mut given)?;
    layout(input, Layout::Repeat { axis, times }, given)
}

/// The last element first, along axes.
#[pyfunction]
fn reverse<'py>(input: &Bound<'py, PyAny>, axes: Vec<i64>) -> PyResult<Bound<'py, PyAny>> {
    layout(input, Layout::Reverse(axes), Vec::new())
}

/// The elements shifted along axes.
#[pyfunction]
fn roll<'py>(
    input: &Bound<'py, PyAny>,
    shift: &Bound<'py, PyAny>,
    axes: Vec<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (places, given) = lengths(shift)?;
    layout(input, Layout::Roll { axes, places }, given)
}

/// The elements with others around; two numbers of them for each axis in a row.
#[pyfunction]
fn pad<'py>(
    input: &Bound<'py, PyAny>,
    paddings: &Bound<'py, PyAny>,
    mode: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let border = match mode {
        "CONSTANT" => Border::Constant,
        "REFLECT" => Border::Reflect,
        "SYMMETRIC" => Border::Symmetric,
        other => return Err(PyValueError::new_err(format!("`mode` is '{other}'"))),
    };
    let (places, given) = lengths(paddings)?;
    let places = places.as_chunks().0.to_vec();
    let operands = std::iter::once(operands::operand(value)?).chain(given).collect();
    layout(input, Layout::Pad { border, places }, operands)
}

/// Ones on the diagonal of a matrix of zeros.
#[pyfunction]
fn eye<'py>(
    rows: &Bound<'py, PyAny>,
    columns: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = Vec::new();
    let [rows, columns] = [length(rows, &mut given)?, length(columns, &mut given)?];
    let call = Call::composed(Grid::Eye { rows, columns, dtype: dtype::parse(dtype)? });
    composed(dtype.py(), &call, given)
}

/// Numbers at equal distances along a new axis.
#[pyfunction]
fn linspace<'py>(
    start: &Bound<'py, PyAny>,
    stop: &Bound<'py, PyAny>,
    num: &Bound<'py, PyAny>,
    axis: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let mut operands = vec![operands::operand(start)?, operands::operand(stop)?];
    let count = length(num, &mut operands)?;
    composed(start.py(), &Call::composed(Grid::Linspace { count, axis }), operands)
}

fn layout<'py>(
    input: &Bound<'py, PyAny>,
    layout: Layout,
    others: Vec<Operand>,
) -> PyResult<Bound<'py, PyAny>> {
    let operands = std::iter::once(create::typed(input, None)?).chain(others).collect();
    composed(input.py(), &Call::composed(layout), operands)
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
    module.add_function(wrap_pyfunction!(einsum, module)?)?;
    module.add_function(wrap_pyfunction!(tile, module)?)?;
    module.add_function(wrap_pyfunction!(repeat, module)?)?;
    module.add_function(wrap_pyfunction!(reverse, module)?)?;
    module.add_function(wrap_pyfunction!(roll, module)?)?;
    module.add_function(wrap_pyfunction!(pad, module)?)?;
    module.add_function(wrap_pyfunction!(eye, module)?)?;
    module.add_function(wrap_pyfunction!(linspace, module)?)
}
