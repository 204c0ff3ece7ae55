//! Python objects as operands, and calls on them: in the graph if one is open, otherwise now.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphwright::EagerArg;
use gw_base::Code;
use gw_ir::Literal;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Number, Scalar, TensorType};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::captures;
use crate::frames;
use crate::host::Maybe;
use crate::maybe_structure::MaybeStructure;
use crate::run_errors;
use crate::semantics::Semantics;
use crate::session::{self, Tracing};
use crate::tensor::{Payload, Tensor};
use crate::variable::Variable;
use crate::world::{self, PythonHost};
use crate::{array, cell, errors, lists, operators, strings, structure, tape, unclear};

/// A Python object as an operand.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A value of a graph.
    Staged(Arc<Tracing>, Staged),
    /// Elements.
    Tensor(Buffer),
    /// A Python number.
    Number(Scalar),
}

impl Operand {
    /// Element type; for a Python number, that of the tensor made from it alone.
    pub fn dtype(&self) -> DType {
        match self {
            Operand::Staged(tracing, staged) => tracing.trace.ty(staged.value).dtype,
            Operand::Tensor(buffer) => buffer.dtype(),
            Operand::Number(n) => lone_dtype(*n),
        }
    }

    /// Lengths of the axes, where they are known.
    pub fn lengths(&self) -> Vec<Option<usize>> {
        match self {
            Operand::Staged(tracing, staged) => {
                tracing.trace.ty(staged.value).shape.0.iter().map(|d| d.fixed()).collect()
            }
            Operand::Tensor(buffer) => buffer.lengths().iter().map(|&n| Some(n)).collect(),
            Operand::Number(_) => Vec::new(),
        }
    }

    /// The operand with a type of its own: a Python number becomes a tensor.
    pub fn strong(self) -> Self {
        match self {
            Operand::Number(n) => Operand::Tensor(Buffer::scalar(lone_dtype(n), n)),
            other @ (Operand::Staged(..) | Operand::Tensor(_)) => other,
        }
    }
}

/// The dtype of `gw.constant(n)`: `int32` (`int64` where it does not fit), `float32`, `bool`.
pub fn lone_dtype(number: Scalar) -> DType {
    match number {
        Scalar::Text(_) => DType::Str,
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(i) if i32::try_from(i).is_err() => DType::I64,
        Scalar::Int(_) => Number::Int.default_dtype(),
        Scalar::Float(_) => Number::Float.default_dtype(),
    }
}

/// The object as an operand, if it is a tensor, a number, or a NumPy value.
pub fn plain_operand(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    if let Ok(tensor) = object.cast::<Tensor>() {
        if tensor.get().is_stale() {
            return Err(errors::at_call(object.py(), cell::stale()));
        }
        return Ok(Some(match tensor.get().content() {
            Payload::Eager(buffer) => {
                captures::note_outside(tensor, &buffer);
                Operand::Tensor(buffer)
            }
            Payload::Staged(tracing, staged) => {
                let staged = visible(object.py(), &tracing, staged)?;
                Operand::Staged(tracing, staged)
            }
        }));
    }
    if let Some(number) = array::number(object)? {
        return Ok(Some(Operand::Number(number)));
    }
    if let Ok(variable) = object.cast::<Variable>() {
        return Ok(Some(variable.get().operand()));
    }
    if let Ok(maybe) = object.cast::<Maybe>() {
        let value = crate::operators::read(object.py(), maybe)?;
        return plain_operand(&value);
    }
    if array::is_array(object)
        && let Some(tracing) = session::current()
    {
        tracing.recorder().read_elements(object, "a NumPy array", false)?;
    }
    Ok(array::from_numpy(object)?.map(Operand::Tensor))
}

/// A value of a graph can be used only while its region is open, and on the innermost graph of this thread; in a function
/// of the graph another value stands for it.
pub fn visible(py: Python<'_>, tracing: &Arc<Tracing>, staged: Staged) -> PyResult<Staged> {
    let innermost = session::current();
    let here = innermost.is_some_and(|t| Arc::ptr_eq(&t, tracing));
    if here && let Some(value) = tracing.trace.lift(staged.value) {
        return Ok(Staged { value, ..staged });
    }
    let made = if here { "branch or loop" } else { "function" };
    Err(errors::raise(&tracing.trace.leaked(staged.value, made, frames::place(py))))
}

/// The object as an operand; lists and tuples become tensors too. GW301 for anything else.
pub fn operand(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    if let Ok(maybe) = object.cast::<Maybe>() {
        return operand(&operators::read(object.py(), maybe)?);
    }
    if let Some(operand) = plain_operand(object)? {
        return Ok(operand);
    }
    if let Some(list) = lists::staged(object)
        && let Some(elements) = lists::elements(&list)?
    {
        let rows = elements.only().ok_or_else(|| {
            lists::refused(object.py(), "a list of tuples in the graph is used as one tensor")
        })?;
        return Ok(Operand::Staged(elements.tracing, rows));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return sequence(object);
    }
    if let Some(string) = strings::from_python(object)? {
        return Ok(Operand::Tensor(string));
    }
    Err(not_a_tensor(object))
}

/// What is said of an object that cannot become a tensor.
pub fn not_a_tensor(object: &Bound<'_, PyAny>) -> PyErr {
    if object.is_instance_of::<lists::Rows>() {
        return lists::unknown(object.py());
    }
    if let Err(read) = unclear::refuse(object) {
        return read;
    }
    if object.is_instance_of::<MaybeStructure>() {
        return MaybeStructure::refused(object.py(), "a tensor is made of");
    }
    let kind = object.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
    let message = format!("a value of type `{kind}` cannot become a tensor");
    errors::here(
        object.py(),
        Code::NotATensor,
        message,
        "use numbers, strings, NumPy arrays, or nested lists of them",
    )
}

/// A list: of numbers alone, or of strings, a constant, with tensors among them a stack.
fn sequence(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    if has_tensor(object, 0)? {
        let parts = object.try_iter()?.map(|item| operand(&item?)).collect::<PyResult<Vec<_>>>()?;
        return apply(object.py(), &Call::Stack { axis: 0 }, parts);
    }
    if strings::begins(object)? {
        return strings::from_lists(object).map(Operand::Tensor);
    }
    let array = object.py().import("numpy")?.call_method1("asarray", (object,));
    let array = array.map_err(|error| ragged(object.py(), error))?;
    let buffer = array::from_numpy(&array)?.ok_or_else(|| not_a_tensor(object))?;
    if !buffer.dtype().is_number() {
        return strings::from_lists(object).map(Operand::Tensor);
    }
    Ok(Operand::Tensor(narrow(buffer)))
}

/// What is said of nested lists of different lengths.
pub fn ragged(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<pyo3::exceptions::PyValueError>(py) {
        return error;
    }
    if error.value(py).to_string().contains("maximum number of dimension") {
        return structure::too_deep(py);
    }
    uneven(py)
}

/// The same, of lists that were found to be so.
pub fn uneven(py: Python<'_>) -> PyErr {
    let message = "lists of different lengths cannot become a tensor";
    errors::here(py, Code::NotATensor, message, "give all rows one length, e.g. by padding them")
}

/// Python's own numbers in a list are `int32` and `float32`, as they are alone.
fn narrow(buffer: Buffer) -> Buffer {
    let to = match buffer.dtype() {
        DType::F64 => DType::F32,
        DType::I64 if scalars(&buffer).all(|s| i32::try_from(s.to_i64()).is_ok()) => DType::I32,
        DType::Bool | DType::I32 | DType::I64 | DType::F32 | DType::Str => return buffer,
    };
    convert(&buffer, to)
}

fn scalars(buffer: &Buffer) -> impl Iterator<Item = Scalar> + '_ {
    let dtype = buffer.dtype();
    buffer.bytes().chunks_exact(dtype.size()).map(move |bytes| Scalar::read(dtype, bytes))
}

/// The elements in another type, now.
pub fn convert(buffer: &Buffer, to: DType) -> Buffer {
    let mut bytes = Vec::with_capacity(buffer.bytes().len());
    scalars(buffer).for_each(|s| s.cast(to).write(to, &mut bytes));
    Buffer::from_bytes(to, buffer.lengths(), &bytes)
}

/// True if a tensor stands among nested lists. Lists that nest deeper than any structure, or contain themselves, are
/// refused: nothing behind this looks at them.
fn has_tensor(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<bool> {
    if object.is_instance_of::<Tensor>() || object.is_instance_of::<Maybe>() {
        return Ok(true);
    }
    if !(object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
        return Ok(false);
    }
    if depth == structure::DEEPEST {
        return Err(structure::too_deep(object.py()));
    }
    for item in object.try_iter()? {
        if has_tensor(&item?, depth + 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The operand as a value of this graph.
pub fn stage(tracing: &Tracing, operand: &Operand) -> Staged {
    match operand {
        Operand::Staged(_, staged) => *staged,
        Operand::Tensor(buffer) => {
            let staged = tracing.bring(buffer);
            Staged { value: tracing.trace.lift(staged.value).unwrap_or(staged.value), ..staged }
        }
        Operand::Number(n) => tracing.trace.number(*n),
    }
}

/// True if the floats that each call gives are looked at for infinity and NaN.
static CHECKS: AtomicBool = AtomicBool::new(false);

/// Says whether they are.
#[pyfunction]
pub fn check_results(on: bool) -> bool {
    CHECKS.swap(on, Ordering::Relaxed)
}

/// Runs a call: in the innermost graph of this thread, or now if there is none.
pub fn apply(py: Python<'_>, call: &Call, operands: Vec<Operand>) -> PyResult<Operand> {
    let result = run(py, call, operands)?;
    if !CHECKS.load(Ordering::Relaxed) || !result.dtype().is_float() {
        return Ok(result);
    }
    let debugging = py.import("graphwright.debugging")?;
    operand(&debugging.call_method1("_checked", (tensor(py, result)?,))?)
}

fn run(py: Python<'_>, call: &Call, operands: Vec<Operand>) -> PyResult<Operand> {
    if let Some(tracing) = session::current() {
        let staged: Vec<_> = operands.iter().map(|o| stage(&tracing, o)).collect();
        tracing.trace.set_place(frames::place(py));
        let result = tracing.trace.build(|b| emit(call, b, &staged)).map_err(|u| errors::unfit(py, u))?;
        return Ok(Operand::Staged(tracing, result));
    }
    let args: Vec<_> = operands.into_iter().map(eager_arg).collect();
    let mut host = PythonHost::default();
    let result = world::eager().run(call, &args, &mut host);
    let result = result.map_err(|e| run_errors::eager_failed(py, e, host))?;
    let result = if tape::is_recording() { tape::ran(py, call, &args, result)? } else { result };
    Ok(Operand::Tensor(result))
}

fn eager_arg(operand: Operand) -> EagerArg {
    match operand {
        Operand::Tensor(buffer) => EagerArg::Tensor(buffer),
        Operand::Number(n) => EagerArg::Number(n),
        // Visibility was checked when the operand was made, so without an open graph there is none.
        Operand::Staged(..) => EagerArg::Number(Scalar::Int(0)),
    }
}

/// A tensor object for an operand, with value semantics.
pub fn tensor(py: Python<'_>, operand: Operand) -> PyResult<Bound<'_, PyAny>> {
    let tensor = Tensor::of(payload(operand));
    if tensor.is_staged() {
        tensor.know(Semantics::Value);
    }
    Ok(Bound::new(py, tensor)?.into_any())
}

/// What a tensor object for an operand holds.
pub fn payload(operand: Operand) -> Payload {
    match operand.strong() {
        Operand::Tensor(buffer) => Payload::Eager(buffer),
        Operand::Staged(tracing, staged) => Payload::Staged(tracing, staged),
        Operand::Number(n) => Payload::Eager(Buffer::scalar(lone_dtype(n), n)),
    }
}

/// Runs a call on objects; gives a tensor.
pub fn call<'py>(py: Python<'py>, call: &Call, args: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let operands = args.iter().map(|a| operand(a)).collect::<PyResult<Vec<_>>>()?;
    tensor(py, apply(py, call, operands)?)
}

/// A constant of the open graph, or elements. A tensor that the graph takes from outside stays that: a tape may watch it.
pub fn constant(buffer: Buffer) -> Operand {
    match session::current() {
        None => Operand::Tensor(buffer),
        Some(tracing) if tracing.captured_tensor(&buffer).is_some() => {
            let staged = stage(&tracing, &Operand::Tensor(buffer));
            Operand::Staged(tracing, staged)
        }
        Some(tracing) => {
            let literal = Literal::new(buffer.dtype(), buffer.lengths().to_vec(), buffer.bytes());
            let staged = tracing.trace.constant(literal);
            Operand::Staged(tracing, staged)
        }
    }
}

/// The type of an operand in the user's words.
pub fn describe_type(operand: &Operand) -> String {
    match operand {
        Operand::Staged(tracing, s) => gw_trace::describe(&tracing.trace.ty(s.value), s.weak),
        Operand::Tensor(b) => {
            let ty = TensorType::new(b.dtype(), gw_types::Shape::fixed(b.lengths()));
            gw_trace::describe(&ty, None)
        }
        Operand::Number(n) => match n {
            Scalar::Bool(_) => "a Python `bool`".to_owned(),
            Scalar::Int(_) => "a Python `int`".to_owned(),
            Scalar::Float(_) => "a Python `float`".to_owned(),
            Scalar::Text(_) => "a Python `str`".to_owned(),
        },
    }
}
