//! The public functions, with TensorFlow's names and parameters where it has the thing.

mod conv;
mod create;
mod custom_op;
mod elementwise;
mod files;
mod holds;
mod interchange;
mod linalg;
mod networks;
mod random;
mod reduce;
pub mod scatter;
mod shape;
mod strings;
mod wrapping;

use gw_trace::calls::Length;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    conv::register(module)?;
    create::register(module)?;
    custom_op::register(module)?;
    elementwise::register(module)?;
    files::register(module)?;
    holds::register(module)?;
    interchange::register(module)?;
    linalg::register(module)?;
    networks::register(module)?;
    random::register(module)?;
    reduce::register(module)?;
    scatter::register(module)?;
    shape::register(module)?;
    strings::register(module)?;
    wrapping::register(module)?;
    module.add_function(wrap_pyfunction!(operands::check_results, module)?)?;
    module.add_function(wrap_pyfunction!(crate::operators::print::print_, module)?)
}

/// One axis or several, as `axis=` takes them; `None` is all.
fn axes(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<i64>>> {
    let Some(axis) = axis.filter(|a| !a.is_none()) else { return Ok(None) };
    match errors::trying(|| axis.extract::<i64>()) {
        Ok(one) => Ok(Some(vec![one])),
        Err(_) => axis.extract().map(Some),
    }
}

/// A shape argument: a number, a sequence of numbers and scalar tensors, or a vector. Gives the operands for the lengths
/// that are tensors too.
fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<(Vec<Length>, Vec<Operand>)> {
    let mut lengths = Vec::new();
    let mut operands = Vec::new();
    let mut push = |item: &Bound<'_, PyAny>| {
        match errors::trying(|| item.extract::<i64>()) {
            Ok(n) => lengths.push(Length::Known(n)),
            Err(_) => {
                lengths.push(Length::Given);
                operands.push(operands::operand(item)?);
            }
        }
        Ok::<_, PyErr>(())
    };
    match errors::trying(|| shape.try_iter()) {
        Ok(items) => items.into_iter().try_for_each(|item| push(&item?))?,
        Err(_) => push(shape)?,
    }
    Ok((lengths, operands))
}
