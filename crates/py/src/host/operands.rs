//! Python objects as operands, and calls on them: in the graph if one is open, otherwise now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use graphwright::EagerArg;
use gw_base::Code;
use gw_ir::Literal;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Scalar, TensorType};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::exceptions::{errors, run_errors};
use crate::host::operand::{Operand, lone_dtype};
use crate::host::{answered, captures, nesting};
use crate::host_calls::process_state::{self, PythonHost};
use crate::optional::maybe::Maybe;
use crate::session::{self, Tracing, frames};
use crate::tape::recording;
use crate::values::semantics::Semantics;
use crate::values::strings::{self, ragged};
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;
use crate::values::{array, cell};

/// A value of a graph that is being built.
pub type InGraph = (Arc<Tracing>, Staged);

/// A kind of objects in which a feature keeps values of a graph, as operands: features are built on operands, so their kinds are
/// made known when the module is.
#[derive(Debug, Clone, Copy)]
pub struct LeafKind {
    /// Gives the value in place of which an object stands.
    pub read: for<'py> fn(&Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>>,
    /// Gives the bool that says whether an object is there, and true.
    pub there: fn(&Bound<'_, PyAny>) -> PyResult<Option<InGraph>>,
    /// Gives the number of elements of a container, which says whether it is true.
    pub length: fn(&Bound<'_, PyAny>) -> PyResult<Option<InGraph>>,
    /// Gives an object as one operand.
    pub operand: fn(&Bound<'_, PyAny>) -> PyResult<Option<Operand>>,
    /// Says why an object is no operand.
    pub refusal: fn(&Bound<'_, PyAny>) -> Option<PyErr>,
}

impl LeafKind {
    /// A kind about which nothing is known.
    pub const NONE: Self = Self {
        read: |_| Ok(None),
        there: |_| Ok(None),
        length: |_| Ok(None),
        operand: |_| Ok(None),
        refusal: |_| None,
    };
}

static KINDS: OnceLock<Vec<LeafKind>> = OnceLock::new();

/// Makes the kinds of leaves known.
pub fn register(kinds: Vec<LeafKind>) {
    let _ = KINDS.set(kinds);
}

/// The kinds of leaves.
pub fn kinds() -> &'static [LeafKind] {
    KINDS.get().map_or(&[], Vec::as_slice)
}

/// The value in place of which an object stands; the object itself if there is none.
pub fn value_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok(read(object)?.unwrap_or_else(|| object.clone()))
}

/// The value in place of which an object stands.
fn read<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for kind in kinds() {
        if let Some(value) = (kind.read)(object)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
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
    if let Some(value) = read(object)? {
        return plain_operand(&value);
    }
    if let Some(tracing) = session::current() {
        if array::is_array(object) {
            tracing.recorder().read_elements(object, "a NumPy array", false)?;
        } else if let Some(array) = array::of_another_library(object)? {
            tracing.recorder().read_elements(&array, "an array", false)?;
        }
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
    if !object.is_exact_instance_of::<Tensor>()
        && let Some(value) = read(object)?
    {
        return operand(&value);
    }
    if let Some(operand) = plain_operand(object)? {
        return Ok(operand);
    }
    for kind in kinds() {
        if let Some(operand) = (kind.operand)(object)? {
            return Ok(operand);
        }
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return sequence(object);
    }
    if let Some(string) = strings::from_python(object)? {
        return Ok(Operand::Tensor(string));
    }
    match array::from_columns(object)? {
        Some(buffer) => Ok(Operand::Tensor(buffer)),
        None => Err(not_a_tensor(object)),
    }
}

/// The diagnostic of an object that cannot become a tensor.
pub fn not_a_tensor(object: &Bound<'_, PyAny>) -> PyErr {
    if let Some(refusal) = kinds().iter().find_map(|kind| (kind.refusal)(object)) {
        return refusal;
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

/// The array that NumPy makes of nested lists of numbers; nothing of lists with tensors or strings in them.
pub fn array_of_numbers(list: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    if has_tensor(list, 0)? || strings::begins(list)? {
        return Ok(None);
    }
    let array = list.py().import("numpy")?.call_method1("asarray", (list,));
    let array = array.map_err(|error| ragged(list.py(), error))?;
    Ok(array::from_numpy(&array)?.filter(|buffer| buffer.dtype().is_number()))
}

/// Python's own numbers in a list are `int32` and `float32`, as they are alone.
fn narrow(buffer: Buffer) -> Buffer {
    let fits = || scalars(&buffer).all(|number| DType::I32.holds(number.to_integer()));
    if buffer.dtype() == DType::F64 {
        convert(&buffer, DType::F32)
    } else if buffer.dtype() == DType::C128 {
        convert(&buffer, DType::C64)
    } else if buffer.dtype() == DType::I64 && fits() {
        convert(&buffer, DType::I32)
    } else {
        buffer
    }
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

/// The elements in another type, which has to hold the integers among them.
pub fn held(py: Python<'_>, buffer: &Buffer, to: DType) -> PyResult<Buffer> {
    let is_outside = |number: Scalar| to.is_int() && !to.holds(number.to_integer());
    if buffer.dtype().is_int() && scalars(buffer).any(is_outside) {
        let message = format!("this number does not fit `{}`", to.python_name());
        return Err(errors::here(py, Code::NotATensor, message, "choose a dtype that holds it"));
    }
    Ok(convert(buffer, to))
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
    if depth == nesting::DEEPEST {
        return Err(nesting::too_deep(object.py()));
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
    checked(py, run(py, call, operands)?, "an operation")
}

/// A result, which is looked at for infinity and NaN where that is asked for.
pub fn checked(py: Python<'_>, result: Operand, of: &str) -> PyResult<Operand> {
    if !CHECKS.load(Ordering::Relaxed) || !result.dtype().is_fractional() {
        return Ok(result);
    }
    let debugging = py.import("graphwright.debugging")?;
    operand(&debugging.call_method1("check_numerics", (tensor(py, result)?, of))?)
}

fn run(py: Python<'_>, call: &Call, operands: Vec<Operand>) -> PyResult<Operand> {
    if let Some(tracing) = session::current() {
        let staged: Vec<_> = operands.iter().map(|o| stage(&tracing, o)).collect();
        tracing.trace.set_place(frames::place(py));
        let result = tracing.trace.build(|b| emit(call, b, &staged));
        let result = result.map_err(|found| answered::unfit(py, (&tracing, call, &staged), found))?;
        return Ok(Operand::Staged(tracing, result));
    }
    let args: Vec<_> = operands.into_iter().map(eager_arg).collect();
    let mut host = PythonHost::default();
    let result = process_state::eager().run(call, &args, &mut host);
    let result = result.map_err(|e| run_errors::eager_failed(py, e, host.interrupt))?;
    let result = recording::ran(py, call, &args, result)?;
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

/// Payload of a tensor object for an operand.
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
            Scalar::Int(_) | Scalar::Nat(_) => "a Python `int`".to_owned(),
            Scalar::Float(_) => "a Python `float`".to_owned(),
            Scalar::Complex(..) => "a Python `complex`".to_owned(),
            Scalar::Text(_) => "a Python `str`".to_owned(),
        },
    }
}

/// The result of a call or generator: a name without a value, which only another function may have read, is an error.
pub fn given(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    match Maybe::unbound(&value) {
        Some(maybe) => value_of(maybe.as_any()),
        None => Ok(value),
    }
}
