//! The entries between the brackets of a subscript.

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::array;
use crate::values::tensor::Tensor;
use gw_base::Code;
use gw_trace::calls::{End, Item};
use gw_types::Scalar;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice, PyTuple};

/// Reads the entries between the brackets.
pub fn entries(key: &Bound<'_, PyAny>, items: &mut Vec<Item>, operands: &mut Vec<Operand>) -> PyResult<()> {
    match key.cast::<PyTuple>() {
        Ok(keys) => keys.iter().try_for_each(|k| item(&k, items, operands)),
        Err(_) => item(key, items, operands),
    }
}

/// One entry between the brackets.
fn item(key: &Bound<'_, PyAny>, items: &mut Vec<Item>, operands: &mut Vec<Operand>) -> PyResult<()> {
    if key.is_none() {
        items.push(Item::NewAxis);
    } else if key.is_instance_of::<PyEllipsis>() {
        items.push(Item::Ellipsis);
    } else if let Ok(slice) = key.cast::<PySlice>() {
        items.push(slice_item(slice, operands)?);
    } else {
        match index_or(key, PyIndexError::new_err::<String>)? {
            Index::Known(i) => items.push(Item::At(i)),
            Index::Given(operand) => {
                items.push(Item::Given);
                operands.push(operand);
            }
        }
    }
    Ok(())
}

pub enum Index {
    Known(i64),
    Given(Operand),
}

/// An index, known now or given when the graph runs.
pub fn index(key: &Bound<'_, PyAny>) -> PyResult<Index> {
    index_or(key, PyTypeError::new_err::<String>)
}

/// An index; of a float and a text NumPy raises an `IndexError` where they stand alone, and a `TypeError` as ends of slices.
fn index_or(key: &Bound<'_, PyAny>, wrong: impl FnOnce(String) -> PyErr) -> PyResult<Index> {
    match operands::operand(key)? {
        Operand::Number(number @ (Scalar::Int(_) | Scalar::Nat(_))) => Ok(Index::Known(number.to_index())),
        Operand::Number(Scalar::Float(_) | Scalar::Complex(..) | Scalar::Text(_)) => {
            let key = key.repr()?;
            Err(wrong(format!(
                "{key} is not an index: use integers, slices, `...`, `None` or arrays of integers or bools"
            )))
        }
        Operand::Number(Scalar::Bool(_)) => {
            Err(PyTypeError::new_err(format!("{} is not an index", key.repr()?)))
        }
        // Eager and of one element: a number in an eager call, so that bounds are checked at once.
        Operand::Tensor(buffer) if buffer.lengths().is_empty() && buffer.dtype().is_int() => {
            Ok(Index::Known(array::only(&buffer).expect("no axes, one element").to_index()))
        }
        operand @ (Operand::Staged(..) | Operand::Tensor(_)) => Ok(Index::Given(operand)),
    }
}

/// True of an index in which the graph decides the step of a slice.
pub fn has_staged_step(key: &Bound<'_, PyAny>) -> bool {
    let is_staged = |entry: &Bound<'_, PyAny>| {
        let step = entry.cast::<PySlice>().ok().and_then(|slice| slice.getattr("step").ok());
        step.is_some_and(|step| step.cast::<Tensor>().is_ok_and(|step| step.get().is_staged()))
    };
    match key.cast::<PyTuple>() {
        Ok(entries) => entries.iter().any(|entry| is_staged(&entry)),
        Err(_) => is_staged(key),
    }
}

fn slice_item(slice: &Bound<'_, PySlice>, operands: &mut Vec<Operand>) -> PyResult<Item> {
    let step = slice.getattr("step")?;
    let step = if step.is_none() {
        1
    } else {
        match index(&step)? {
            Index::Known(0) => return Err(PyValueError::new_err("slice step cannot be zero")),
            Index::Known(step) => step,
            Index::Given(_) => {
                let message = "the graph decides the step of a slice, which says how many elements there are";
                let help = "collect the elements in a loop, `for i in range(start, stop, step): out.append(xs[i])`, or give the step as a \
                            Python number";
                return Err(errors::here_for_all(step.py(), Code::TensorAsNumber, message, help));
            }
        }
    };
    let start = end(&slice.getattr("start")?, operands)?;
    Ok(Item::Slice(start, end(&slice.getattr("stop")?, operands)?, step))
}

fn end(bound: &Bound<'_, PyAny>, operands: &mut Vec<Operand>) -> PyResult<End> {
    if bound.is_none() {
        return Ok(End::Open);
    }
    Ok(match index(bound)? {
        Index::Known(i) => End::At(i),
        Index::Given(operand) => {
            operands.push(operand);
            End::Given
        }
    })
}
