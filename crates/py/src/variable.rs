//! `graphwright.Variable`: a tensor that can be replaced by another of its type, by eager code and by graphs.
//!
//! A graph takes the values of the variables that it reads as parameters and gives new ones as results; the caller writes
//! them back. While a graph is built the value of a variable is a value of the graph, and each region carries it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gw_base::Code;
use gw_ir::Op;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyWeakrefMethods, PyWeakrefReference};

use crate::frames;
use crate::pack::{self, Operand};
use crate::run_errors;
use crate::session;
use crate::tensor::{self, Tensor};
use crate::turn::{self, OfVariable, Taken};
use crate::world::PythonHost;
use crate::{array, dtype, errors, served, tape};

/// What a variable holds, and what it may hold.
#[derive(Debug)]
pub struct Cell {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes; `None` where values may differ, or where even the number of axes may.
    lengths: Option<Vec<Option<usize>>>,
    /// The user's name for it, or one made of a number.
    pub name: String,
    /// Whether a `GradientTape` watches it.
    pub trainable: bool,
    value: Mutex<Buffer>,
    /// Who reads it now to give it another value.
    pub turn: OfVariable,
    /// The user's object.
    object: OnceLock<Py<PyWeakrefReference>>,
}

impl Cell {
    /// For values of this one's type.
    pub fn of(name: &str, value: Buffer) -> Self {
        let lengths = Some(value.lengths().iter().map(|&n| Some(n)).collect());
        let (dtype, name) = (value.dtype(), name.to_owned());
        let (value, object) = (Mutex::new(value), OnceLock::new());
        Self { dtype, lengths, name, trainable: false, value, turn: OfVariable::default(), object }
    }

    /// The value now.
    pub fn value(&self) -> Buffer {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the value by one of the cell's type; gives the one that was there.
    pub fn replace(&self, value: Buffer) -> Buffer {
        served::note_assigned(self);
        std::mem::replace(&mut *self.value.lock().unwrap_or_else(PoisonError::into_inner), value)
    }

    /// A cell of the same type with the same value: what stands for an argument while a graph is built.
    pub fn stand_in(&self) -> Self {
        let value = Mutex::new(self.value());
        let object = OnceLock::new();
        let (lengths, name) = (self.lengths.clone(), self.name.clone());
        let (dtype, trainable, turn) = (self.dtype, self.trainable, OfVariable::default());
        Self { dtype, lengths, name, trainable, value, turn, object }
    }

    /// What it holds, in words.
    pub fn text(&self) -> String {
        let shape = self.shape_text();
        format!("VariableSpec(shape={shape}, dtype={}, name='{}')", self.dtype.python_name(), self.name)
    }

    /// Lengths of the axes; `None` where values may differ. Where the number of axes may, it is that of the value.
    pub fn lengths(&self) -> Vec<Option<usize>> {
        self.lengths.clone().unwrap_or_else(|| vec![None; self.rank()])
    }

    /// Whether these are the lengths of the axes.
    pub fn is_of(&self, lengths: &[Option<usize>]) -> bool {
        match &self.lengths {
            Some(own) => own == lengths,
            None => lengths.len() == self.rank() && lengths.iter().all(Option::is_none),
        }
    }

    /// Whether values may have any number of axes.
    pub fn is_unranked(&self) -> bool {
        self.lengths.is_none()
    }

    /// How many axes the value has now.
    pub fn rank(&self) -> usize {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        value.lengths().len()
    }

    fn takes(&self, lengths: &[Option<usize>]) -> bool {
        let Some(own) = &self.lengths else { return true };
        let same = |(w, f): (&Option<usize>, &Option<usize>)| w.is_none() || f.is_none() || w == f;
        own.len() == lengths.len() && own.iter().zip(lengths).all(same)
    }

    /// The shape as it is said in messages.
    fn shape_text(&self) -> String {
        self.lengths.as_ref().map_or_else(|| "<unknown>".to_owned(), |lengths| tensor::plain_shape(lengths))
    }
}

/// A tensor that can be replaced.
#[pyclass(frozen, weakref, subclass, dict, name = "Variable", module = "graphwright")]
#[derive(Debug)]
pub struct Variable {
    /// What it holds.
    pub cell: Arc<Cell>,
}

impl Variable {
    /// A variable for what another one holds while a graph is built.
    pub fn standing_in(&self) -> Self {
        Self { cell: Arc::new(self.cell.stand_in()) }
    }

    /// The user's variable that this is the cell of; another one with the same cell if that is gone.
    pub fn of_cell<'py>(py: Python<'py>, cell: &Arc<Cell>) -> PyResult<Bound<'py, PyAny>> {
        match cell.object.get().and_then(|object| object.bind(py).upgrade()) {
            Some(object) => Ok(object),
            None => Ok(Bound::new(py, Self { cell: cell.clone() })?.into_any()),
        }
    }

    /// Its value, a tensor.
    pub fn read<'py>(py: Python<'py>, variable: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        pack::tensor(py, variable.get().operand())
    }

    /// Its value: in the innermost graph of this thread, or now if there is none.
    pub fn operand(&self) -> Operand {
        match session::current() {
            Some(tracing) => {
                let staged = tracing.variable(&self.cell);
                let here = tracing.trace.lift(staged.value).unwrap_or(staged.value);
                let staged = Staged { value: here, ..staged };
                tape::met_in_graph(&self.cell, &tracing, staged);
                Operand::Staged(tracing, staged)
            }
            None => {
                let value = self.cell.value();
                tape::met(&self.cell, &value);
                Operand::Tensor(value)
            }
        }
    }

    /// The new value as one of the variable's type; GW206 if it is none.
    fn fitting<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Operand> {
        let operand = pack::operand(value)?;
        let weak = match &operand {
            Operand::Number(_) => true,
            Operand::Staged(_, staged) => staged.weak.is_some(),
            Operand::Tensor(_) => !value.is_instance_of::<Tensor>(),
        };
        let found = operand.dtype();
        let takes = found == self.cell.dtype || (weak && found.kind().is_in(self.cell.dtype.kind()));
        if !takes || !self.cell.takes(&operand.lengths()) {
            let message = format!(
                "`{}` is `{}` of shape {}, but is assigned {}",
                self.cell.name,
                self.cell.dtype.python_name(),
                self.cell.shape_text(),
                pack::describe_type(&operand)
            );
            let help = "cast or reshape the value, or make the variable with `shape=` and `None` for lengths that change";
            return Err(errors::here(py, Code::VariableType, message, help));
        }
        match operand {
            Operand::Tensor(buffer) if buffer.dtype() == self.cell.dtype => Ok(Operand::Tensor(buffer)),
            Operand::Tensor(buffer) => Ok(Operand::Tensor(pack::convert(&buffer, self.cell.dtype))),
            Operand::Number(n) => Ok(Operand::Tensor(Buffer::scalar(self.cell.dtype, n))),
            staged @ Operand::Staged(..) => pack::apply(py, &Call::Cast(self.cell.dtype), vec![staged]),
        }
    }

    /// Gives it a value of its type.
    pub fn put(&self, value: Operand) -> PyResult<()> {
        match (session::current(), value) {
            (Some(tracing), value) => tracing.set_variable(&self.cell, pack::stage(&tracing, &value)),
            (None, Operand::Tensor(buffer)) => drop(self.cell.replace(buffer)),
            (None, Operand::Number(_) | Operand::Staged(..)) => {
                return Err(errors::InternalError::new_err("a variable was given a value of no graph"));
            }
        }
        Ok(())
    }

    /// Gives it another value, or what an op makes of its own and the other one.
    pub fn change(&self, py: Python<'_>, op: Option<Op>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(op) = op else {
            let value = self.fitting(py, other)?;
            let _turn = self.turn(py)?;
            return self.put(value);
        };
        let other = pack::operand(other)?;
        let _turn = self.turn(py)?;
        let value = pack::apply(py, &Call::Binary(op), vec![self.operand(), other])?;
        self.put(self.fitting(py, &pack::tensor(py, value)?)?)
    }

    /// This thread's turn to read it and give it another value; in a graph, calls of the graph take it.
    pub fn turn(&self, py: Python<'_>) -> PyResult<Option<Taken<'_>>> {
        if session::is_tracing() {
            return Ok(None);
        }
        turn::take(py, std::iter::once(&self.cell.turn)).map(Some)
    }
}

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
        let value = wanted.map_or(value.clone(), |to| pack::convert(&value, to));
        let lengths = match shape {
            Some(shape) if crate::spec::is_unranked(shape)? => None,
            Some(shape) => Some(crate::spec::lengths(shape)?),
            None => Some(value.lengths().iter().map(|&n| Some(n)).collect()),
        };
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = name.unwrap_or_else(|| format!("Variable_{number}"));
        let (dtype, trainable) = (value.dtype(), trainable.unwrap_or(true));
        let (value, object) = (Mutex::new(value), OnceLock::new());
        let turn = OfVariable::default();
        Ok(Self { cell: Arc::new(Cell { dtype, lengths, name, trainable, value, turn, object }) })
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
            Some(lengths) => tensor::shape_object(py, lengths),
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

    /// Whether a `GradientTape` watches it.
    #[getter]
    fn trainable(&self) -> bool {
        self.cell.trainable
    }

    /// The value, a tensor.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pack::tensor(py, self.operand())
    }

    /// The value, a tensor.
    fn read_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)
    }

    /// The value, a tensor: a variable is never without one.
    fn initialized_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py)
    }

    /// `True`: a variable is never without a value.
    #[pyo3(signature = (name=None))]
    fn is_initialized(&self, name: Option<&str>) -> bool {
        let _ = (name, &self.cell);
        true
    }

    /// A NumPy array with the same elements (a NumPy scalar if there is no axis).
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
    match pack::operand(initial)?.strong() {
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
            Ok(results.map_err(|e| run_errors::run_failed(py, e, host))?.remove(0))
        }
        Operand::Number(_) => Err(PyTypeError::new_err("a Variable needs a tensor, a number or a list")),
    }
}
