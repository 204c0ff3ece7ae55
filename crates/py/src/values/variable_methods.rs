//! Attributes and methods of variables as Python sees them.

use crate::exceptions::{errors, run_errors};
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host_calls::process_state::PythonHost;
use crate::session::{self, frames};
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;
use crate::values::{array, dtype, shapes};
use gw_base::Code;
use gw_runtime::Buffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyWeakrefReference};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Variables without a name of their own are numbered.
static MADE: AtomicU64 = AtomicU64::new(0);

#[pymethods]
impl Variable {
    #[new]
    #[pyo3(signature = (initial_value=None, trainable=true, validate_shape=true, caching_device=None, name=None, variable_def=None, dtype=None, shape=None, **others))]
    #[allow(clippy::too_many_arguments, reason = "TensorFlow's signature")]
    fn new(
        py: Python<'_>,
        initial_value: Option<&Bound<'_, PyAny>>,
        trainable: Option<bool>,
        validate_shape: bool,
        caching_device: Option<&Bound<'_, PyAny>>,
        name: Option<String>,
        variable_def: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        shape: Option<&Bound<'_, PyAny>>,
        others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let _ = (validate_shape, caching_device, variable_def, others);
        let Some(initial) = initial_value else {
            return Err(PyValueError::new_err("a Variable needs an initial value"));
        };
        if let Some(tracing) = session::current() {
            tracing.note_variable_made(frames::place(py));
        }
        let initial = if initial.is_callable() && !initial.is_instance_of::<Variable>() {
            session::outside(py, || initial.call0())?
        } else {
            initial.clone()
        };
        let value = elements(py, &initial)?;
        let wanted = dtype.map(dtype::parse).transpose()?;
        let value = wanted.map_or_else(|| Ok(value.clone()), |to| operands::held(py, &value, to))?;
        let lengths = match shape {
            Some(shape) if crate::values::spec::is_unranked(shape)? => None,
            Some(shape) => Some(crate::values::spec::lengths(shape)?),
            None => Some(value.lengths().iter().map(|&n| Some(n)).collect()),
        };
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = name.unwrap_or_else(|| format!("Variable_{number}"));
        Ok(Self { cell: Arc::new(Cell::new(name, value, lengths, trainable.unwrap_or(true))) })
    }

    /// Lets graphs that know what it holds find the variable.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __init__(
        slf: &Bound<'_, Self>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = slf.get().cell.object.set(PyWeakrefReference::new(slf)?.unbind());
        Ok(())
    }

    /// Element type.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, dtype::PyDType>> {
        dtype::object(py, self.cell.dtype)
    }

    /// Lengths of the axes, a `TensorShape`; `None` where values may differ.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.cell.lengths {
            Some(lengths) => shapes::shape_object(py, lengths),
            None => py.import("graphwright._shape")?.getattr("TensorShape")?.call1((py.None(),)),
        }
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.cell.lengths().len()
    }

    /// The user's name for it, with `:0` as TensorFlow has it.
    #[getter]
    fn name(&self) -> String {
        format!("{}:0", self.cell.name)
    }

    /// True if a `GradientTape` watches it.
    #[getter]
    fn trainable(&self) -> bool {
        self.cell.trainable
    }

    /// Returns the value.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).value()
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        operands::tensor(py, self.operand())
    }

    /// Returns the value.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).read_value()
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    fn read_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)
    }

    /// Returns the value, which a variable always has.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).initialized_value()
    ///   <gw.Tensor: shape=(), dtype=float32, numpy=1.0>
    fn initialized_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)
    }

    /// Returns `True`: a variable always has a value.
    ///
    /// Args:
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   bool.
    ///
    /// Example:
    ///   >>> gw.Variable(1.0).is_initialized()
    ///   True
    #[pyo3(signature = (name=None))]
    fn is_initialized(&self, name: Option<&str>) -> bool {
        let _ = (name, &self.cell);
        true
    }

    /// Returns the elements as a NumPy array, or a NumPy scalar if there is no axis.
    ///
    /// Returns:
    ///   Array.
    ///
    /// Example:
    ///   >>> gw.Variable([1.0, 2.0]).numpy().tolist()
    ///   [1.0, 2.0]
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)?.call_method0("numpy")
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)?.call_method1("__array__", (dtype, copy))
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
        py.import("graphwright._numpy")?.call_method1("ufunc", (ufunc, method, inputs, kwargs))
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

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)?.call_method0("__int__")
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)?.call_method0("__float__")
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)?.call_method0("__index__")
    }

    /// Variables are told apart as objects: two with equal values are two.
    fn __hash__(slf: &Bound<'_, Self>) -> isize {
        slf.as_ptr() as isize >> 4
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = self.cell.shape_text();
        let dtype = self.cell.dtype.python_name();
        let values = match session::is_tracing() {
            true => "in a graph".to_owned(),
            false => {
                let values = array::to_numpy(py, &self.cell.value())?;
                let values = if self.ndim() == 0 { values.call_method0("item")? } else { values };
                format!("numpy={}", values.repr()?)
            }
        };
        Ok(format!("<gw.Variable '{}' shape={shape} dtype={dtype}, {values}>", self.name()))
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.standing_in()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let this = slf.get();
        let elements = array::to_numpy(py, &this.cell.value())?;
        let parts =
            PyTuple::new(py, [elements, this.cell.trainable.into_pyobject(py)?.to_owned().into_any()])?;
        Ok((slf.get_type().into_any(), parts))
    }
}

/// The elements of an initial value. In a graph they are worked out at once: the variable is there before the graph runs.
fn elements(py: Python<'_>, initial: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    let initial = match initial.cast::<Variable>() {
        Ok(variable) => return Ok(variable.get().cell.value()),
        Err(_) => initial,
    };
    match operands::operand(initial)?.strong() {
        Operand::Tensor(buffer) => Ok(buffer),
        Operand::Staged(tracing, staged) => {
            let Some(graph) = tracing.trace.constant_graph(staged.value) else {
                let message = "the initial value of a variable depends on the function's arguments";
                let help = "make the variable before the call, or give the initial value as a function without arguments";
                return Err(errors::here(py, Code::VariableType, message, help));
            };
            let compiled = py.detach(|| graphwright::compile(graph)).map_err(|b| errors::broken(&b))?;
            let mut host = PythonHost::default();
            let results = compiled.executable.run::<Buffer>(&[], &mut host);
            Ok(results.map_err(|e| run_errors::run_failed(py, e, host.interrupt))?.remove(0))
        }
        Operand::Number(_) => Err(PyTypeError::new_err("a Variable needs a tensor, a number or a list")),
    }
}
