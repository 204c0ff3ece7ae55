//! Updates of variables: `assign` and its kin, and the scatter updates, with TensorFlow's names.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "pyo3's own wrappers, where a macro of ours writes the block around them"
)]

use gw_ir::{BinaryOp, Keep, Op};
use gw_trace::calls::Call;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::api::scatter::{self, Way};
use crate::host::operands;
use crate::values::variable::Variable;

macro_rules! assigns {
    ($($(#[$doc:meta])* $name:ident $argument:ident $does:expr;)*) => {
        #[pymethods]
        impl Variable {
            $(
                $(#[$doc])*
                #[pyo3(signature = ($argument, use_locking=false, name=None, read_value=true))]
                fn $name<'py>(
                    slf: &Bound<'py, Self>,
                    $argument: &Bound<'py, PyAny>,
                    use_locking: bool,
                    name: Option<&str>,
                    read_value: bool,
                ) -> PyResult<Option<Bound<'py, Self>>> {
                    let _ = (use_locking, name);
                    slf.get().change(slf.py(), $does, $argument)?;
                    Ok(read_value.then(|| slf.clone()))
                }
            )*
        }
    };
}

assigns! {
    /// Replaces the value; gives the variable, or `None` without `read_value`.
    assign value None;
    /// Adds to the value; gives the variable, or `None` without `read_value`.
    assign_add delta Some(Op::Binary(BinaryOp::Add));
    /// Takes from the value; gives the variable, or `None` without `read_value`.
    assign_sub delta Some(Op::Binary(BinaryOp::Sub));
}

macro_rules! scatters {
    ($($(#[$doc:meta])* $name:ident $(#[$doc_nd:meta])* $name_nd:ident $way:expr;)*) => {
        #[pymethods]
        impl Variable {
            $(
                $(#[$doc])*
                #[pyo3(signature = (sparse_delta, use_locking=false, name=None))]
                fn $name<'py>(
                    slf: &Bound<'py, Self>,
                    sparse_delta: &Bound<'py, PyAny>,
                    use_locking: bool,
                    name: Option<&str>,
                ) -> PyResult<Bound<'py, Self>> {
                    let _ = (use_locking, name);
                    let (indices, values) = rows(sparse_delta)?;
                    scattered(slf, $way, &named(&indices)?, &values)
                }

                $(#[$doc_nd])*
                #[pyo3(signature = (indices, updates, name=None))]
                fn $name_nd<'py>(
                    slf: &Bound<'py, Self>,
                    indices: &Bound<'py, PyAny>,
                    updates: &Bound<'py, PyAny>,
                    name: Option<&str>,
                ) -> PyResult<Bound<'py, Self>> {
                    let _ = name;
                    scattered(slf, $way, indices, updates)
                }
            )*
        }
    };
}

scatters! {
    /// Puts the rows of an `IndexedSlices` in their places; of several in one place the last stays.
    scatter_update
    /// Puts `updates` at `indices`, whose last axis names slices; of several at one place the last stays.
    scatter_nd_update Way::Keep(Keep::Last);
    /// Adds the rows of an `IndexedSlices` in their places.
    scatter_add
    /// Adds `updates` at `indices`, whose last axis names slices.
    scatter_nd_add Way::Keep(Keep::Sum);
    /// Subtracts the rows of an `IndexedSlices` in their places.
    scatter_sub
    /// Subtracts `updates` at `indices`, whose last axis names slices.
    scatter_nd_sub Way::Subtract;
    /// Multiplies by the rows of an `IndexedSlices` in their places.
    scatter_mul
    /// Multiplies by `updates` at `indices`, whose last axis names slices.
    scatter_nd_mul Way::Keep(Keep::Product);
    /// Divides by the rows of an `IndexedSlices` in their places; integers as `//` does.
    scatter_div
    /// Divides by `updates` at `indices`, whose last axis names slices; integers as `//` does.
    scatter_nd_div Way::Divide;
    /// Keeps the greater elements of the rows of an `IndexedSlices` and those in their places.
    scatter_max
    /// Keeps the greater of `updates` and the elements at `indices`, whose last axis names slices.
    scatter_nd_max Way::Keep(Keep::Greatest);
    /// Keeps the lesser elements of the rows of an `IndexedSlices` and those in their places.
    scatter_min
    /// Keeps the lesser of `updates` and the elements at `indices`, whose last axis names slices.
    scatter_nd_min Way::Keep(Keep::Least);
}

#[pymethods]
impl Variable {
    /// Puts the rows of an `IndexedSlices` in their places, of which each batch has its own: the indices have the
    /// variable's first axes, and one more.
    #[pyo3(signature = (sparse_delta, use_locking=false, name=None))]
    fn batch_scatter_update<'py>(
        slf: &Bound<'py, Self>,
        sparse_delta: &Bound<'py, PyAny>,
        use_locking: bool,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let _ = (use_locking, name);
        let (indices, values) = rows(sparse_delta)?;
        let batch_dims = operands::operand(&indices)?.lengths().len().saturating_sub(1);
        let places = scatter::in_batches(slf.as_any(), &named(&indices)?, batch_dims)?;
        scattered(slf, Way::Keep(Keep::Last), &places, &values)
    }

    /// The rows with these numbers.
    #[pyo3(signature = (indices, name=None))]
    fn sparse_read<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        operands::call(slf.py(), &Call::Gather { axis: 0 }, &[slf.as_any(), indices])
    }

    /// The slices that the last axis of `indices` names.
    #[pyo3(signature = (indices, name=None))]
    fn gather_nd<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        scatter::gather_nd(slf.as_any(), indices, 0, name)
    }
}

/// The indices and the values of an `IndexedSlices`.
fn rows<'py>(delta: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = delta.py();
    let class = py.import("graphwright._indexed_slices")?.getattr("IndexedSlices")?;
    if !delta.is_instance(&class)? {
        let kind = delta.get_type().name()?.to_string();
        let message = format!("sparse_delta is `gw.IndexedSlices(values, indices)`, not `{kind}`");
        return Err(PyTypeError::new_err(message));
    }
    Ok((delta.getattr("indices")?, delta.getattr("values")?))
}

/// Row numbers as indices whose last axis names slices.
fn named<'py>(rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let axis = operands::operand(rows)?.lengths().len() as i64;
    operands::call(rows.py(), &Call::ExpandDims(axis), &[rows])
}

fn scattered<'py>(
    variable: &Bound<'py, Variable>,
    way: Way,
    indices: &Bound<'py, PyAny>,
    updates: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, Variable>> {
    let _turn = variable.get().turn(variable.py())?;
    let value = Variable::read(variable.py(), variable)?;
    let value = scatter::scatter(way, &value, indices, updates)?;
    variable.get().change(variable.py(), None, &value)?;
    Ok(variable.clone())
}
