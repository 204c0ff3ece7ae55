//! Attributes and methods of tensors as Python sees them.

use crate::convert::written::{self, Asked};
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::values::shapes::shape_object;
use crate::values::tensor::{Payload, Tensor};
use crate::values::{array, dtype};
use crate::{convert, session, tape};
use gw_base::Code;
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyTuple};

impl Tensor {
    /// GW124 where a statement stores what a tape watches into an array of NumPy's, which keeps the number alone.
    pub fn check_store(&self, py: Python<'_>) -> PyResult<()> {
        match tape::watched_by_tape(self) {
            true => py.import("graphwright._numpy")?.call_method0("check_store").map(drop),
            false => Ok(()),
        }
    }
}

#[pymethods]
impl Tensor {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        py: Python<'_>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let message =
            "the class of tensors is called, which makes none; `type(x)` is this class where `x` is a tensor";
        let help = "use `gw.constant` or `gw.cast(value, x.dtype)`, or name the type of Python's that is meant, `int(value)`";
        Err(errors::here_for_all(py, Code::NoMeaning, message, help))
    }

    /// Element type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.element())
    }

    /// Lengths of the axes, a `TensorShape`; `None` where a length is known only when the graph runs.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        shape_object(py, &self.lengths())
    }

    /// The number of axes.
    #[getter]
    pub fn ndim(&self) -> usize {
        self.lengths().len()
    }

    /// Returns the elements as a NumPy array, or a NumPy scalar if there is no axis.
    ///
    /// Returns:
    ///   Array.
    ///
    /// Raises:
    ///   TypeError: the tensor is one of a graph that is being built.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2]).numpy().dtype.name
    ///   'int32'
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = array::to_numpy(py, &self.elements(py, "a NumPy array")?)?;
        if self.ndim() == 0 { array.get_item(()) } else { Ok(array) }
    }

    /// Returns the only element as a Python number or bytes; of a tensor of the graph, as a number of the graph.
    ///
    /// Returns:
    ///   Number, bool or bytes.
    ///
    /// Raises:
    ///   TypeError: there are more elements, or none.
    ///
    /// Example:
    ///   >>> gw.constant([[7]]).item()
    ///   7
    pub fn item<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, tensor) = (slf.py(), slf.get());
        let is_open =
            matches!(tensor.content(), Payload::Staged(ref tracing, _) if !tracing.trace.is_finished());
        if is_open && tensor.element() != DType::Str {
            return py.import("graphwright._meanings.scalars")?.call_method1("item", (slf,));
        }
        tensor.known_number(py)
    }

    /// Returns the elements as nested lists.
    ///
    /// Returns:
    ///   List, or number if there is no axis.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2]]).tolist()
    ///   [[1, 2]]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::to_numpy(py, &self.elements(py, "a list")?)?.call_method0("tolist")
    }

    /// NumPy puts our operators before its own.
    #[classattr]
    fn __array_priority__() -> i32 {
        100
    }

    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        &self,
        py: Python<'py>,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("graphwright._numpy")?;
        numpy.call_method1("ufunc", (ufunc, method, inputs, kwargs))
    }

    #[pyo3(signature = (function, types, args, kwargs))]
    fn __array_function__<'py>(
        &self,
        py: Python<'py>,
        function: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = types;
        py.import("graphwright._numpy")?.call_method1("function", (function, args, kwargs))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        if let Payload::Staged(tracing, staged) = &self.made {
            if tracing.trace.is_finished() {
                return Err(Self::leaked(py, tracing, *staged));
            }
            if let Some(refusal) = convert::decided_by_tensor(py) {
                return Err(refusal);
            }
            if let Some(refusal) = written::refusal(py, Asked::Truth) {
                return Err(refusal);
            }
            let message = format!(
                "a tensor of the graph of `{}` is used as a Python `bool`, but it has no value yet",
                tracing.trace.name()
            );
            let help = "Python itself asks here, where nothing is staged (see the page of GW106): write `if` in a \
                        function of its own with `@gw.function` or called from one, or use `gw.where`, \
                        `gw.logical_and`, `gw.logical_or`";
            return Err(errors::here(py, Code::TensorAsBool, message, help));
        }
        let buffer = self.elements(py, "a Python `bool`")?;
        array::only(&buffer).map(Scalar::to_bool).ok_or_else(|| {
            PyValueError::new_err(format!(
                "the truth of a tensor of shape {:?} is ambiguous; use gw.reduce_any or gw.reduce_all",
                buffer.lengths()
            ))
        })
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let number = array::to_python(py, self.only(py, "a Python `int`")?)?;
        py.get_type::<pyo3::types::PyInt>().call1((number,))
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        self.check_store(py)?;
        match self.only(py, "a Python `float`")? {
            text @ Scalar::Text(_) => {
                py.get_type::<PyFloat>().call1((array::to_python(py, text)?,))?.extract()
            }
            Scalar::Complex(..) => Err(PyTypeError::new_err(
                "a complex number is no float; take its real part with `x.real`, or its size with `abs(x)`",
            )),
            number @ (Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) | Scalar::Float(_)) => {
                Ok(number.to_f64())
            }
        }
    }

    fn __index__(&self, py: Python<'_>) -> PyResult<i128> {
        let number = self.only(py, "a Python index")?;
        if self.element().is_int() {
            return Ok(number.to_integer());
        }
        Err(PyTypeError::new_err(format!("a tensor of `{}` is not an index", self.element().python_name())))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match self.lengths().first() {
            Some(Some(n)) => Ok(*n),
            None if !self.element().is_number() => {
                let message =
                    "a string in a tensor is bytes, whose number need not be what Python's `len` counts";
                let help = "count the bytes with `gw.strings.length`";
                Err(errors::here(py, Code::TensorAsNumber, message, help))
            }
            None => Err(PyTypeError::new_err("a tensor without axes has no length")),
            Some(None) => Err(errors::here(
                py,
                Code::TensorAsNumber,
                "the length of this tensor is known only when the graph runs",
                "use `gw.shape(x)[0]`",
            )),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        if let Payload::Staged(..) = self.made {
            let message = "a tensor of the graph has no value yet, so it cannot be a key or in a set";
            let help = "compare it with each key, e.g. `x == key`, or gather from a tensor by an index";
            return Err(errors::here(py, Code::TensorAsNumber, message, help));
        }
        Err(PyTypeError::new_err("a tensor is not hashable, since `==` compares elements; use `id(x)`"))
    }

    /// Returns a tensor of its own with the same elements.
    ///
    /// In a graph it is the graph's, also if the tensor is one from outside.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2]).copy().tolist()
    ///   [1, 2]
    fn copy(slf: &Bound<'_, Self>) -> PyResult<Self> {
        slf.get().check_fresh(slf.py())?;
        match slf.get().content() {
            Payload::Eager(_) if session::is_tracing() => {
                let held = operands::operand(slf.as_any())?;
                let Operand::Tensor(buffer) = held else { return Ok(Self::of(operands::payload(held))) };
                Ok(Self::of(operands::payload(operands::constant(buffer))))
            }
            Payload::Eager(_) | Payload::Staged(..) => Ok(slf.get().duplicate()),
        }
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.check_fresh(py)?;
        Ok(Self::of(self.content()))
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.__copy__(memo.py())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        let elements = array::to_numpy(py, &self.elements(py, "pickled")?)?;
        Ok((py.import("graphwright")?.getattr("constant")?, (elements,)))
    }
}
