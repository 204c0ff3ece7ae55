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
    /// Replaces the value.
    ///
    /// Args:
    ///   value: tensor of the variable's dtype and shape.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///   read_value: whether to return the variable.
    ///
    /// Returns:
    ///   The variable, or `None`.
    ///
    /// Raises:
    ///   ValueError: the shape is another one (GW304).
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).assign(2.0).numpy().item()
    ///   2.0
    assign value None;
    /// Adds to the value.
    ///
    /// Args:
    ///   delta: tensor of the variable's dtype and shape.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///   read_value: whether to return the variable.
    ///
    /// Returns:
    ///   The variable, or `None`.
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).assign_add(2.0).numpy().item()
    ///   3.0
    assign_add delta Some(Op::Binary(BinaryOp::Add));
    /// Subtracts from the value.
    ///
    /// Args:
    ///   delta: tensor of the variable's dtype and shape.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///   read_value: whether to return the variable.
    ///
    /// Returns:
    ///   The variable, or `None`.
    ///
    /// Example:
    ///   >>> gw.Variable(3.0).assign_sub(2.0).numpy().item()
    ///   1.0
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
    /// Writes rows of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_update(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 4.0, 3.0]
    scatter_update
    /// Writes slices at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_update([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 4.0, 3.0]
    scatter_nd_update Way::Keep(Keep::Last);
    /// Adds rows of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_add(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 6.0, 3.0]
    scatter_add
    /// Adds slices at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_add([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 6.0, 3.0]
    scatter_nd_add Way::Keep(Keep::Sum);
    /// Subtracts rows of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_sub(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, -2.0, 3.0]
    scatter_sub
    /// Subtracts slices at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_sub([[1]], [4.0]).numpy().tolist()
    ///   [1.0, -2.0, 3.0]
    scatter_nd_sub Way::Subtract;
    /// Multiplies by rows of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_mul(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 8.0, 3.0]
    scatter_mul
    /// Multiplies by slices at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_mul([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 8.0, 3.0]
    scatter_nd_mul Way::Keep(Keep::Product);
    /// Divides by rows of `gw.IndexedSlices` at their numbers; integers as `//` does.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_div(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 0.5, 3.0]
    scatter_div
    /// Divides by slices at `indices`; integers as `//` does.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_div([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 0.5, 3.0]
    scatter_nd_div Way::Divide;
    /// Keeps the greater of rows and elements of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_max(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 4.0, 3.0]
    scatter_max
    /// Keeps the greater of slices and elements at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_max([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 4.0, 3.0]
    scatter_nd_max Way::Keep(Keep::Greatest);
    /// Keeps the lesser of rows and elements of `gw.IndexedSlices` at their numbers.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_min(gw.IndexedSlices(gw.constant([4.0]), gw.constant([1]))).numpy().tolist()
    ///   [1.0, 2.0, 3.0]
    scatter_min
    /// Keeps the lesser of slices and elements at `indices`.
    ///
    /// Args:
    ///   indices: tensor of integers, whose last axis names slices.
    ///   updates: slices.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Raises:
    ///   IndexError: there is no such index.
    ///
    /// Example:
    ///   >>> v = gw.Variable([1.0, 2.0, 3.0])
    ///   >>> v.scatter_nd_min([[1]], [4.0]).numpy().tolist()
    ///   [1.0, 2.0, 3.0]
    scatter_nd_min Way::Keep(Keep::Least);
}

#[pymethods]
impl Variable {
    /// Writes the rows of `IndexedSlices` into each batch.
    ///
    /// The indices have the variable's first axes, and one more.
    ///
    /// Args:
    ///   sparse_delta: `gw.IndexedSlices`.
    ///   use_locking: accepted as in TensorFlow; has no effect.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The variable.
    ///
    /// Example:
    ///   >>> v = gw.Variable([[1, 2], [3, 4]])
    ///   >>> v.batch_scatter_update(gw.IndexedSlices(gw.constant([[9], [8]]), gw.constant([[0], [1]]))).numpy().tolist()
    ///   [[9, 2], [3, 8]]
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

    /// Gathers rows by their numbers.
    ///
    /// Args:
    ///   indices: tensor of integers.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.Variable([[1, 2], [3, 4]]).sparse_read([1]).tolist()
    ///   [[3, 4]]
    #[pyo3(signature = (indices, name=None))]
    fn sparse_read<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        operands::call(slf.py(), &Call::Gather { axis: 0 }, &[slf.as_any(), indices])
    }

    /// Gathers the slices that the last axis of `indices` names.
    ///
    /// Args:
    ///   indices: tensor of integers.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.Variable([[1, 2], [3, 4]]).gather_nd([[0, 1]]).tolist()
    ///   [2]
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
