//! Arrays where a graph and the host meet: NumPy's side of a tensor, and whose memory the arrays are that a call gives.

use gw_runtime::Buffer;
use gw_types::DType;
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::cell::{Cell, Origin};
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;
use crate::values::{array, dtype};

/// Other users of the arrays that a call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// They are tensors, which operators never change.
    Tensors,
    /// Nobody: each call makes new NumPy arrays.
    New,
    /// The host may: they are parts of its own objects.
    Host,
}

impl Memory {
    /// The one that the Python package calls by a name.
    pub fn named(name: &str) -> PyResult<Self> {
        match name {
            "tensors" => Ok(Self::Tensors),
            "new" => Ok(Self::New),
            "host" => Ok(Self::Host),
            other => Err(PySystemError::new_err(format!("no memory is called `{other}`"))),
        }
    }

    /// A result of a call as an object of the graph. Numbers have no memory.
    pub fn hold(self, py: Python<'_>, result: Operand) -> PyResult<Py<PyAny>> {
        if self == Self::Tensors || result.lengths().is_empty() {
            return Ok(operands::tensor(py, result)?.unbind());
        }
        let mut array = Tensor::of(operands::payload(result));
        array.know(Semantics::Reference);
        if self == Self::Host {
            array = array.with(Origin::Host);
            Cell::link(array.cell(), &Cell::of_nobody());
        }
        Ok(Bound::new(py, array)?.into_any().unbind())
    }
}

/// Elements that NumPy looks at where they are, and cannot change.
#[pyclass(frozen, name = "Elements", module = "graphwright")]
#[derive(Debug)]
struct View(Buffer);

#[pymethods]
impl View {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let described = PyDict::new(py);
        let kind = match self.0.dtype() {
            DType::Bool => "|b1",
            DType::I8 => "|i1",
            DType::I16 => "<i2",
            DType::U8 => "|u1",
            DType::U16 | DType::BF16 => "<u2",
            DType::U32 => "<u4",
            DType::U64 => "<u8",
            DType::F16 => "<f2",
            DType::I32 => "<i4",
            DType::I64 => "<i8",
            DType::F32 => "<f4",
            DType::F64 => "<f8",
            DType::C64 => "<c8",
            DType::C128 => "<c16",
            DType::Str => "|O",
        };
        described.set_item("version", 3)?;
        described.set_item("typestr", kind)?;
        described.set_item("shape", PyTuple::new(py, self.0.lengths())?)?;
        described.set_item("data", (self.0.as_ptr() as usize, true))?;
        Ok(described)
    }
}

/// A NumPy array of a tensor's elements, or the scalar of its one element; strings are `bytes`.
pub(super) fn to_array(py: Python<'_>, buffer: &Buffer) -> PyResult<Py<PyAny>> {
    let (dtype, is_scalar) = (buffer.dtype(), buffer.lengths().is_empty());
    if is_scalar && let Some(number) = buffer.scalars().next() {
        let number = array::to_python(py, number)?;
        let class = scalar_class(py, dtype)?;
        return Ok(class.map_or(Ok(number.clone()), |class| class.call1((number,)))?.unbind());
    }
    lent(py, buffer).map(Bound::unbind)
}

/// A NumPy array that reads a tensor's elements where they lie and cannot change them; of strings a copy.
pub fn lent<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    if buffer.dtype() == DType::Str {
        return array::to_numpy(py, buffer);
    }
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let asarray = ASARRAY.import(py, "numpy", "asarray")?;
    let elements = asarray.call1((Bound::new(py, View(buffer.clone()))?,))?;
    if buffer.dtype() == DType::BF16 {
        // NumPy names no such element type in its interface of arrays, so the bits are lent.
        return elements.call_method1("view", (dtype::numpy_type(py, buffer.dtype())?,));
    }
    Ok(elements)
}

/// NumPy's class of scalars of an element type; strings have none.
fn scalar_class(py: Python<'_>, dtype: DType) -> PyResult<Option<Bound<'_, PyAny>>> {
    static CLASSES: PyOnceLock<Py<PyTuple>> = PyOnceLock::new();
    if dtype == DType::BF16 {
        return dtype::numpy_type(py, dtype).map(Some);
    }
    let numbers = || DType::ALL.iter().filter(|&&dtype| dtype.is_number() && dtype != DType::BF16);
    let Some(at) = numbers().position(|&number| number == dtype) else { return Ok(None) };
    let make = || {
        let classes = numbers().map(|&dtype| dtype::numpy_type(py, dtype));
        let classes = classes.collect::<PyResult<Vec<_>>>()?;
        Ok::<_, PyErr>(PyTuple::new(py, classes)?.unbind())
    };
    CLASSES.get_or_try_init(py, make)?.bind(py).get_item(at).map(Some)
}
