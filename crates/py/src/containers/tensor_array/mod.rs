//! `graphwright.TensorArray`: elements of one dtype and shape, written and read by their numbers, in any order, in the graph
//! too. The object is a cell, as a tensor is: `ta.write(i, x)` changes it for all who hold it, and gives it back.

mod elements;
mod numbers;

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{CompareOp, Op};
use gw_trace::calls::{Call, Item, Length};
use gw_types::DType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::{dtype, shapes, spec};

pub use elements::Elements;

/// Collects elements of one dtype and shape by number.
///
/// Example:
///   >>> array = gw.TensorArray(gw.float32, size=2)
///   >>> array = array.write(0, 1.0).write(1, 2.0)
///   >>> array.stack().tolist()
///   [1.0, 2.0]
#[pyclass(frozen, weakref, name = "TensorArray", module = "graphwright")]
#[derive(Debug)]
pub struct TensorArray {
    elements: Arc<Elements>,
    /// True if writing behind the last element makes the array longer.
    grows: bool,
    /// True if an element is read once only.
    clears: bool,
}

#[pymethods]
impl TensorArray {
    #[new]
    #[pyo3(signature = (dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None, flow=None, infer_shape=true, element_shape=None, colocate_with_first_write_call=true, name=None))]
    #[allow(clippy::too_many_arguments, reason = "TensorFlow's signature")]
    fn new(
        py: Python<'_>,
        dtype: &Bound<'_, PyAny>,
        size: Option<&Bound<'_, PyAny>>,
        dynamic_size: Option<bool>,
        clear_after_read: Option<bool>,
        tensor_array_name: Option<&str>,
        handle: Option<&Bound<'_, PyAny>>,
        flow: Option<&Bound<'_, PyAny>>,
        infer_shape: bool,
        element_shape: Option<&Bound<'_, PyAny>>,
        colocate_with_first_write_call: bool,
        name: Option<&str>,
    ) -> PyResult<Self> {
        let _ = (tensor_array_name, flow, infer_shape, colocate_with_first_write_call, name);
        if handle.is_some() {
            return Err(PyValueError::new_err("a TensorArray is not made from a handle"));
        }
        let missing = "a TensorArray needs a size; with `dynamic_size=True` it may be 0";
        let size = size.ok_or_else(|| PyValueError::new_err(missing))?;
        let shape = match element_shape {
            Some(shape) if !spec::is_unranked(shape)? => Some(spec::lengths(shape)?),
            Some(_) | None => None,
        };
        let elements = Elements::new(py, dtype::parse(dtype)?, numbers::count(size)?, shape)?;
        let (grows, clears) = (dynamic_size.unwrap_or(false), clear_after_read.unwrap_or(true));
        Ok(Self { elements, grows, clears })
    }

    /// Element type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.elements.dtype)
    }

    /// The shape of an element, a `TensorShape`, as far as it is known.
    #[getter]
    fn element_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.elements.shape() {
            Some(lengths) => shapes::shape_object(py, &lengths),
            None => py.import("graphwright._shape")?.getattr("TensorShape")?.call1((py.None(),)),
        }
    }

    /// True if writing behind the last element makes the array longer.
    #[getter]
    fn dynamic_size(&self) -> bool {
        self.grows
    }

    /// Counts the elements.
    ///
    /// Args:
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   `int32` tensor.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 3).size().item()
    ///   3
    #[pyo3(signature = (name=None))]
    fn size<'py>(&self, py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        self.elements.judge(py)?;
        let size = self.elements.size(py)?;
        operands::tensor(py, operands::apply(py, &Call::Cast(DType::I32), vec![size.strong()])?)
    }

    /// Writes an element.
    ///
    /// Args:
    ///   index: number of the element.
    ///   value: tensor of the array's dtype.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The array.
    ///
    /// Raises:
    ///   IndexError: there is no such number, and the array does not grow.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).write(0, 7).read(0).item()
    ///   7
    #[pyo3(signature = (index, value, name=None))]
    fn write<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let _ = name;
        let (py, this) = (slf.py(), slf.get());
        this.elements.judge_write(py)?;
        let (index, value) = (numbers::one(index)?, this.elements.fitting(py, value)?);
        this.put(py, &index, value)?;
        Ok(slf.clone())
    }

    /// Reads an element; zeros where nothing was written.
    ///
    /// Args:
    ///   index: number of the element.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Raises:
    ///   IndexError: there is no such number.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 3).unstack([1, 2, 3]).read(1).item()
    ///   2
    #[pyo3(signature = (index, name=None))]
    fn read<'py>(&self, index: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        let py = index.py();
        if self.clears {
            self.elements.judge_write(py)?;
        } else {
            self.elements.judge(py)?;
        }
        let index = numbers::one(index)?;
        self.elements.within(py, &index, "read from")?;
        let rows = self.elements.rows(py)?;
        if self.clears {
            self.elements.take(py, &index)?;
        }
        let at = Call::Subscript(vec![Item::Given]);
        operands::tensor(py, operands::apply(py, &at, vec![rows, numbers::index(&index)])?)
    }

    /// Stacks all elements along a new first axis.
    ///
    /// Args:
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).unstack([1, 2]).stack().tolist()
    ///   [1, 2]
    #[pyo3(signature = (name=None))]
    fn stack<'py>(&self, py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        operands::tensor(py, self.all(py)?)
    }

    /// Stacks the elements of given numbers.
    ///
    /// Args:
    ///   indices: vector of integers.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Raises:
    ///   IndexError: there is no such number.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 3).unstack([1, 2, 3]).gather([2, 0]).tolist()
    ///   [3, 1]
    #[pyo3(signature = (indices, name=None))]
    fn gather<'py>(&self, indices: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        let py = indices.py();
        self.elements.judge(py)?;
        let indices = numbers::several(indices)?;
        self.elements.all_within(py, &indices, "read from")?;
        let rows = self.elements.rows(py)?;
        self.elements.untaken(py, Some(&indices))?;
        operands::tensor(py, operands::apply(py, &Call::Gather { axis: 0 }, vec![rows, indices])?)
    }

    /// Joins all elements along their first axis.
    ///
    /// Args:
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).unstack([[1, 2], [3, 4]]).concat().tolist()
    ///   [1, 2, 3, 4]
    #[pyo3(signature = (name=None))]
    fn concat<'py>(&self, py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        let rows = self.all(py)?;
        let rank = rows.lengths().len();
        if rank < 2 {
            let message = "elements without axes cannot be joined along one";
            return Err(errors::here(py, Code::WrongShape, message, "use `stack`"));
        }
        let mut operands = vec![rows.clone()];
        let mut axes = vec![Length::Known(-1)];
        for axis in 2..rank {
            axes.push(numbers::given(self.elements.length_of(py, &rows, axis)?, &mut operands));
        }
        operands::tensor(py, operands::apply(py, &Call::Reshape(axes), operands)?)
    }

    /// Writes the rows of a tensor as the elements.
    ///
    /// Args:
    ///   value: tensor with at least one axis.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The array.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).unstack([1, 2]).read(0).item()
    ///   1
    #[pyo3(signature = (value, name=None))]
    fn unstack<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let _ = name;
        let (py, this) = (slf.py(), slf.get());
        this.elements.judge_write(py)?;
        let value = this.elements.fitting(py, value)?;
        this.replace(py, value, Op::Compare(CompareOp::Le))?;
        Ok(slf.clone())
    }

    /// Writes the rows of a tensor at given numbers.
    ///
    /// Args:
    ///   indices: vector of integers.
    ///   value: tensor with a row for each of them.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The array.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).scatter([1, 0], [10, 20]).stack().tolist()
    ///   [20, 10]
    #[pyo3(signature = (indices, value, name=None))]
    fn scatter<'py>(
        slf: &Bound<'py, Self>,
        indices: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let _ = name;
        let (py, this) = (slf.py(), slf.get());
        this.elements.judge_write(py)?;
        let (indices, value) = (numbers::several(indices)?, this.elements.fitting(py, value)?);
        if value.lengths().is_empty() {
            return Err(numbers::no_rows(py));
        }
        this.put(py, &indices, value)?;
        Ok(slf.clone())
    }

    /// Writes parts of a tensor, all of one length, as the elements.
    ///
    /// Args:
    ///   value: tensor with at least one axis.
    ///   lengths: vector of equal lengths.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   The array.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 2).split([1, 2, 3, 4], [2, 2]).read(1).tolist()
    ///   [3, 4]
    #[pyo3(signature = (value, lengths, name=None))]
    fn split<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        lengths: &Bound<'py, PyAny>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, Self>> {
        let _ = name;
        let (py, this) = (slf.py(), slf.get());
        this.elements.judge_write(py)?;
        let value = this.elements.fitting(py, value)?;
        let parts = this.elements.parts(py, value, &numbers::several(lengths)?)?;
        this.replace(py, parts, Op::Compare(CompareOp::Eq))?;
        Ok(slf.clone())
    }

    /// Returns the array itself.
    ///
    /// Returns:
    ///   The array.
    ///
    /// Example:
    ///   >>> gw.TensorArray(gw.int32, 1).identity().size().item()
    ///   1
    fn identity<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __repr__(&self) -> String {
        let shape = self.elements.shape().map_or_else(|| "<unknown>".to_owned(), |s| shapes::plain_shape(&s));
        format!("<gw.TensorArray: element_shape={shape}, dtype={}>", self.elements.dtype.python_name())
    }
}

impl Drop for TensorArray {
    fn drop(&mut self) {
        self.elements.leave();
    }
}

impl TensorArray {
    /// All elements, none of which was read and cleared.
    fn all(&self, py: Python<'_>) -> PyResult<Operand> {
        self.elements.judge(py)?;
        let rows = self.elements.rows(py)?;
        self.elements.untaken(py, None)?;
        Ok(rows)
    }

    /// Puts an element at a number, or elements at several; the array makes room for them if it grows.
    fn put(&self, py: Python<'_>, at: &Operand, value: Operand) -> PyResult<()> {
        let is_one = at.lengths().is_empty();
        self.elements.learn(py, &value, usize::from(!is_one))?;
        match (self.grows, is_one) {
            (true, _) => self.elements.grow_for(py, at)?,
            (false, true) => self.elements.within(py, at, "write to")?,
            (false, false) => self.elements.all_within(py, at, "write to")?,
        }
        self.elements.put(py, at, value)
    }

    /// Other elements: as many as there are, or at most as many, unless the array grows.
    fn replace(&self, py: Python<'_>, rows: Operand, room: Op) -> PyResult<()> {
        if rows.lengths().is_empty() {
            return Err(numbers::no_rows(py));
        }
        self.elements.learn(py, &rows, 1)?;
        if !self.grows {
            let count = self.elements.length_of(py, &rows, 0)?;
            self.elements.has_room(py, &count, room)?;
        }
        self.elements.replace(py, rows)
    }
}
