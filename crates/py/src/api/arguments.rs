//! Arguments that several functions take: axes, and lengths of which some are tensors.

use gw_trace::calls::Length;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;

/// One axis or several, as `axis=` takes them; `None` is all.
pub(super) fn axes(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<i64>>> {
    let Some(axis) = axis.filter(|a| !a.is_none()) else { return Ok(None) };
    match errors::trying(|| axis.extract::<i64>()) {
        Ok(one) => Ok(Some(vec![one])),
        Err(_) => axis.extract().map(Some),
    }
}

/// A shape argument: a number, a sequence of numbers and scalar tensors, or a vector. Gives the operands for the lengths
/// that are tensors too.
pub(super) fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<(Vec<Length>, Vec<Operand>)> {
    let mut lengths = Vec::new();
    let mut operands = Vec::new();
    let mut push = |item: &Bound<'_, PyAny>| {
        lengths.push(length(item, &mut operands)?);
        Ok::<_, PyErr>(())
    };
    match errors::trying(|| shape.try_iter()) {
        Ok(items) => items.into_iter().try_for_each(|item| push(&item?))?,
        Err(_) => push(shape)?,
    }
    Ok((lengths, operands))
}

/// One length: a number, or a scalar tensor, which joins the operands.
pub(super) fn length(item: &Bound<'_, PyAny>, operands: &mut Vec<Operand>) -> PyResult<Length> {
    if let Ok(number) = errors::trying(|| item.extract::<i64>()) {
        return Ok(Length::Known(number));
    }
    operands.push(operands::operand(item)?);
    Ok(Length::Given)
}
