//! The type that a value of the graph has for Python: one that came from Python's numbers alone is the number that it was
//! before a loop or branch staged it, for `isinstance`, `type` and `is`; what came in as a tensor stays a tensor. Operators that
//! are one thing for Python's numbers and another for NumPy's scalars and tensors give the answer where the type is known.

use gw_base::Code;
use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, Literal, Op, Piece, PrintFormat, Stream, UnaryOp, Unfit,
    ValueId,
};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Kind, Number, Scalar};
use pyo3::basic::CompareOp as Comparison;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple, PyType};

use crate::containers::lists::placed;
use crate::exceptions::errors;
use crate::host::answered::classes;
use crate::host::{meeting, operands};
use crate::host_calls::{self, host_value};
use crate::operators::logic;
use crate::optional::maybe::Maybe;
use crate::optional::undecided::{staged, undecided};
use crate::optional::{self, poison};
use crate::session::{self, Tracing};
use crate::values::semantics::Semantics;
use crate::values::sharing;
use crate::values::tensor::{Payload, Tensor};

/// `isinstance(value, kinds)`
pub fn is_instance(value: &Bound<'_, PyAny>, kinds: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let Some(number) = number_of(value) else {
        let answer = value.is_instance(kinds)?;
        if !answer && let Some(class) = class_of_numpy(value)? {
            let issubclass = py.import("builtins")?.getattr("issubclass")?;
            return issubclass.call1((class, kinds))?.is_truthy();
        }
        if !answer && let Some(class) = class_of_both(value) {
            // Python's number and NumPy's of 64 bits, of which the graph decides, are of it.
            let issubclass = py.import("builtins")?.getattr("issubclass")?;
            if issubclass.call1((class, kinds))?.is_truthy()? {
                return Ok(true);
            }
        }
        if !answer {
            deny(value, kinds)?;
        }
        return Ok(answer);
    };
    let answers = classes(py, number)
        .into_iter()
        .map(|class| class.call0()?.is_instance(kinds))
        .collect::<PyResult<Vec<_>>>()?;
    if answers.iter().any(|answer| *answer != answers[0]) {
        return Err(undecided(py, number, "isinstance"));
    }
    Ok(answers[0])
}

/// Answer of `type(value)`, where it is not Python's own answer.
pub fn type_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyType>>> {
    let Some(number) = number_of(value) else { return Ok(None) };
    match <[_; 1]>::try_from(classes(value.py(), number)) {
        Ok([class]) => Ok(Some(class)),
        Err(_) => Err(undecided(value.py(), number, "type")),
    }
}

/// `a is b`, if one of the two is a bool and the other a value of the graph: Python has one `True` and one `False`.
pub fn is_same<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if a.is(b) || !session::is_tracing() && !host_calls::observed::is_watched() {
        return Ok(None);
    }
    if let Some(known) = known_is(a, b) {
        return Ok(Some(PyBool::new(a.py(), known).to_owned().into_any()));
    }
    if (may_be_numpys(a) && is_numpys_bool(b)) || (may_be_numpys(b) && is_numpys_bool(a)) {
        return Err(which_bool(a.py(), "`is`"));
    }
    let (Some(left), Some(right)) = (bool_of(a)?, bool_of(b)?) else { return Ok(None) };
    if left == OfGraph::No && right == OfGraph::No {
        return Ok(None);
    }
    if may_be_numpys(a) || may_be_numpys(b) {
        return Err(which_bool(a.py(), "`is`"));
    }
    a.rich_compare(b, Comparison::Eq).map(Some)
}

/// The refusal of a question that NumPy's bools answer in another way than Python's.
pub fn which_bool(py: Python<'_>, asked: &str) -> PyErr {
    let message = format!(
        "{asked} asks whether a bool of arrays is Python's own `True` or `False`, which those of NumPy are not"
    );
    let help = "test the bool itself, compare it by `==`, or make it Python's with `bool`";
    errors::here(py, Code::BranchesDisagree, message, help)
}

/// True of `numpy.True_` and `numpy.False_`.
fn is_numpys_bool(object: &Bound<'_, PyAny>) -> bool {
    let class = object.py().import("numpy").and_then(|numpy| numpy.getattr("bool_"));
    class.and_then(|class| object.is_instance(&class)).unwrap_or(false)
}

/// True if two bools are one, false if not; nothing if one is not known.
pub fn known_is(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Option<bool> {
    Some(known_bool(a)? == known_bool(b)?)
}

/// A bool that is not of the graph, as the graph would have it that the call is observed for.
fn known_bool(object: &Bound<'_, PyAny>) -> Option<bool> {
    if let Ok(known) = object.cast::<PyBool>() {
        return Some(known.is_true());
    }
    let Payload::Eager(buffer) = object.cast::<Tensor>().ok()?.get().content() else { return None };
    let is_bool =
        host_calls::observed::is_watched() && buffer.dtype() == DType::Bool && buffer.lengths().is_empty();
    buffer.scalars().next().filter(|_| is_bool).map(Scalar::to_bool)
}

/// True if a bool is a value of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfGraph {
    No,
    Yes,
}

/// True if a single bool may be computed of elements of arrays, and `bool` has not made it Python's.
pub fn may_be_numpys(object: &Bound<'_, PyAny>) -> bool {
    let may_be = |(tracing, staged): (std::sync::Arc<Tracing>, Staged)| {
        let ty = tracing.trace.ty(staged.value);
        let is_bool = ty.is_scalar() && ty.dtype == DType::Bool;
        is_bool && staged.weak.is_none() && tracing.trace.may_be_of_arrays(staged.value)
    };
    staged(object).is_some_and(may_be)
}

/// True if a value is computed of elements of arrays, and no function has made it Python's.
pub fn is_of_arrays(object: &Bound<'_, PyAny>) -> bool {
    staged(object)
        .is_some_and(|(tracing, staged)| staged.weak.is_none() && tracing.trace.is_of_arrays(staged.value))
}

/// True if a value may be computed of elements of arrays, in a branch or loop too, and no function has made it Python's.
pub fn may_be_of_arrays(object: &Bound<'_, PyAny>) -> bool {
    staged(object).is_some_and(|(tracing, staged)| {
        staged.weak.is_none() && tracing.trace.may_be_of_arrays(staged.value)
    })
}

/// True if an object is a single bool, perhaps one that may be `None`.
fn bool_of(object: &Bound<'_, PyAny>) -> PyResult<Option<OfGraph>> {
    if object.is_instance_of::<PyBool>() {
        return Ok(Some(OfGraph::No));
    }
    poison::refuse(object)?;
    let value = optional::narrowed(object)?;
    let Some((tracing, staged)) = staged(&value) else { return Ok(None) };
    if let Some(number) = staged.weak.filter(|number| number.is_open()) {
        return Err(undecided(object.py(), number, "is"));
    }
    let ty = tracing.trace.ty(staged.value);
    if !ty.is_scalar() || ty.dtype == DType::Bool {
        return Ok(ty.is_scalar().then_some(OfGraph::Yes));
    }
    // A bool has become a number where paths meet, like those of the other paths.
    let is_sure = staged.weak.is_some() || !tracing.trace.may_be_bool(staged.value);
    if is_sure { Ok(None) } else { Err(undecided(object.py(), Number::BoolOrInt, "is")) }
}

/// The Python number that a value of the graph is.
fn number_of(value: &Bound<'_, PyAny>) -> Option<Number> {
    let (tracing, staged) = staged(value)?;
    staged.weak.filter(|_| tracing.trace.ty(staged.value).is_scalar())
}

/// Python's class of a number that is one of Python's or of NumPy's with 64 bits, where a loop or branch decides.
fn class_of_both<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyType>> {
    let (tracing, staged) = staged(value)?;
    let ty = tracing.trace.ty(staged.value);
    let is_decided =
        ty.is_scalar() && tracing.arrays().are_present() && tracing.trace.may_be_of_arrays(staged.value);
    if !is_decided || ty.dtype.bits() < 64 {
        return None;
    }
    match ty.dtype.kind() {
        Kind::Float => Some(value.py().get_type::<PyFloat>()),
        Kind::Complex if ty.dtype == DType::C128 => Some(value.py().get_type::<PyComplex>()),
        Kind::Bool | Kind::Int | Kind::Complex | Kind::Text => None,
    }
}

/// NumPy's class of an array, or of a single element of one, which is one of Python's `float` or `complex` too where it has 64 bits.
fn class_of_numpy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some((tracing, staged)) = staged(value) else { return Ok(None) };
    let is_array =
        value.cast::<Tensor>().is_ok_and(|it| it.get().known_semantics() == Some(Semantics::Reference));
    if is_array && !(tracing.trace.ty(staged.value).is_scalar() && is_of_arrays(value)) {
        return value.py().import("numpy")?.getattr("ndarray").map(Some);
    }
    let ty = tracing.trace.ty(staged.value);
    let is_element = ty.is_scalar() && tracing.arrays().are_present() && is_of_arrays(value);
    if !is_element || !ty.dtype.is_number() || ty.dtype == DType::BF16 {
        return Ok(None);
    }
    let dtype = value.py().import("numpy")?.call_method1("dtype", (ty.dtype.python_name(),))?;
    dtype.getattr("type").map(Some)
}

/// Remembers that a tensor without axes was no Python number for `isinstance`, where one of its kind would have been.
fn deny(value: &Bound<'_, PyAny>, kinds: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    let Some((tracing, staged)) = staged(value) else { return Ok(()) };
    let ty = tracing.trace.ty(staged.value);
    let number = match ty.dtype.kind() {
        Kind::Bool => Number::Bool,
        Kind::Int => Number::Int,
        Kind::Float => Number::Float,
        Kind::Complex => Number::Complex,
        Kind::Text => return Ok(()),
    };
    if !ty.is_scalar() || !classes(py, number)[0].call0()?.is_instance(kinds)? {
        return Ok(());
    }
    let name = tracing.trace.name_of(staged.value);
    let name = name.map_or_else(|| "a value".to_owned(), |name| format!("`{name}`"));
    let class = number.text().trim_start_matches("a Python ").to_owned();
    let note = format!(
        "{name} is a tensor of {}, for which `isinstance` says that it is no {class}: call the function with a \
         Python number, or leave this check out for tensors",
        ty.dtype.python_name(),
    );
    tracing.denied().note(note);
    Ok(())
}

/// The answer of `id`, `isinstance` and `type` for a value of the graph; nothing for other functions and objects.
pub fn answer<'py>(function: &str, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    match (function, args.as_slice()) {
        ("id", [value]) if sharing::may_be_another(value) => Err(which_array(value.py(), "`id`")),
        ("type", [value]) => Ok(type_of(value)?.map(Bound::into_any)),
        ("isinstance", [value, kinds]) if value.is_instance_of::<Tensor>() => {
            let answer = is_instance(value, kinds)?;
            Ok(Some(PyBool::new(args.py(), answer).to_owned().into_any()))
        }
        _ => Ok(None),
    }
}

/// True if an object is a Python number, perhaps one that a graph has staged.
#[pyfunction]
pub fn is_number(value: &Bound<'_, PyAny>) -> bool {
    number_of(value).is_some()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyComplex>()
}

/// Says of numbers that were items of a list, of which `rows` is made, that they are Python's if those put into it were.
#[pyfunction]
pub fn were_items(rows: &Bound<'_, Tensor>, items: Vec<Bound<'_, Tensor>>) {
    let Payload::Staged(tracing, rows) = rows.get().content() else { return };
    for item in items {
        if let Payload::Staged(_, item) = item.get().content() {
            gw_trace::taken(&tracing.trace, rows.value, item.value);
        }
    }
}

/// The number that a tensor is in a graph, of the type that Python's conversions give.
#[pyfunction]
pub fn as_number<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, Tensor>> {
    let Payload::Staged(tracing, staged) = tensor.get().content() else { return Ok(tensor.clone()) };
    let ty = tracing.trace.ty(staged.value);
    let number = match ty.dtype.kind() {
        Kind::Bool => Number::Bool,
        Kind::Int => Number::Int,
        Kind::Float if ty.dtype != DType::F32 => Number::Float,
        Kind::Complex if ty.dtype == DType::C128 => Number::Complex,
        Kind::Float | Kind::Complex | Kind::Text => return Ok(tensor.clone()),
    };
    if !ty.is_scalar() {
        return Ok(tensor.clone());
    }
    let value = tracing.trace.build(|b| wide_number(b, staged.value));
    let value = value.map_err(|unfit| errors::unfit(tensor.py(), unfit))?;
    Bound::new(tensor.py(), Tensor::staged(tracing, Staged { weak: Some(number), value }))
}

/// A number in the type of Python's own where its own is narrow. A word that Python's integers of the graph have no room for is a limit of
/// the graph.
fn wide_number(b: &mut Builder, value: ValueId) -> Result<ValueId, Unfit> {
    let dtype = b.ty(value).dtype;
    if dtype.register() == dtype {
        return Ok(value);
    }
    let to = if dtype.is_float() { DType::F64 } else { DType::I64 };
    let wide = b.op(Op::Cast, Attr::To(to), &[value])?;
    if dtype == DType::U64 {
        let zero = b.constant(Literal::scalar(DType::I64, Scalar::Int(0)));
        let fits = b.op(CompareOp::Ge, Attr::None, &[wide, zero])?;
        let text = "an integer of `uint64` does not fit 64 bits with a sign, in which the graph has Python's integers";
        let pieces = vec![Piece::Text(text.to_owned())];
        let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
        b.effect(Op::Check, Attr::Check { kind: CheckKind::Overflow, message, limit: true }, &[fits])?;
    }
    Ok(wide)
}

/// The result of a reduction over the items of a tensor, which is a number of Python's if they are.
#[pyfunction]
pub fn like_items<'py>(
    result: &Bound<'py, PyAny>,
    items: &Bound<'py, Tensor>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_number = matches!(items.get().content(), Payload::Staged(_, staged) if staged.weak.is_some());
    match result.cast::<Tensor>() {
        Ok(tensor) if is_number => Ok(as_number(tensor)?.into_any()),
        Ok(_) | Err(_) => Ok(result.clone()),
    }
}

/// `a is b`
pub fn is<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if b.is_none() {
        return optional::is_none(a);
    }
    if a.is_none() {
        return optional::is_none(b);
    }
    if let Some(answer) = placed::is_one(a, b)? {
        return Ok(answer);
    }
    let known = |answer: bool| Ok(PyBool::new(a.py(), answer).to_owned().into_any());
    if host_value::is_in(a) || host_value::is_in(b) {
        return Err(host_value::unknown());
    }
    if let Some(answer) = is_same(a, b)? {
        return Ok(answer);
    }
    if a.is(b) || !session::is_tracing() {
        return known(crate::effects::alias::is(a, b)?);
    }
    if may_be_one(&optional::narrowed(a)?, &optional::narrowed(b)?) {
        let message = "`is` asks whether two numbers are one object, which the graph does not know";
        let help = "compare what they are with `==`";
        return Err(errors::here(a.py(), Code::BranchesDisagree, message, help));
    }
    if sharing::may_be_one(a, b) {
        return Err(which_array(a.py(), "`is`"));
    }
    match (Maybe::optional(a), Maybe::optional(b)) {
        (Some(_), Some(_)) => optional::is_none(a)?.bitand(optional::is_none(b)?),
        (None, _) | (_, None) => known(crate::effects::alias::is(a, b)?),
    }
}

fn which_array(py: Python<'_>, asked: &str) -> PyErr {
    let message =
        format!("{asked} asks which array this is, and a branch, a loop or a call in the graph decides that");
    let help = "keep a bool beside the array that says which it is";
    errors::here(py, Code::StoreUnclear, message, help)
}

/// True if two values may be one Python number: a graph has staged one of them, and they may be of one type.
fn may_be_one(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let kind = |value: &Bound<'_, PyAny>| {
        number_of(value).or_else(|| Number::of(crate::values::array::narrow_number(value)?))
    };
    let is_staged = number_of(a).is_some() || number_of(b).is_some();
    let (Some(one), Some(other)) = (kind(a), kind(b)) else { return false };
    let py = a.py();
    let other = classes(py, other);
    is_staged && classes(py, one).iter().any(|class| other.iter().any(|other| other.is(class)))
}

/// `a is not b`
pub fn is_not<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    logic::not(&is(a, b)?)
}

/// True of a single value of a graph that is no NumPy scalar.
fn is_single_number(tensor: &Bound<'_, PyAny>) -> bool {
    let is_single = |tensor: &Bound<'_, Tensor>| tensor.get().is_staged() && tensor.get().is_number();
    tensor.cast::<Tensor>().is_ok_and(is_single) && !is_of_arrays(tensor)
}

/// True of a value that Python's own numbers gave alone.
fn is_pythons(tensor: &Bound<'_, Tensor>) -> bool {
    matches!(tensor.get().content(), Payload::Staged(_, staged) if staged.weak.is_some())
}

/// The result of an operator for a single value beside a list or tuple; nothing where it works element by element.
pub fn beside_sequence<'py>(call: &Call, this: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = this.py();
    if !is_single_number(this) || matches!(call, Call::Matmul { .. }) {
        return Ok(None);
    }
    if matches!(call, Call::Binary(Op::Compare(op)) if op.is_equality()) && is_pythons(this.cast()?) {
        // Python asks the other side, and then whether they are one object.
        return Ok(Some(py.NotImplemented().into_bound(py)));
    }
    let message = "a single value stands beside a list or tuple, which are no operands of Python's numbers and become arrays \
                   beside a tensor";
    let help = "write `gw.constant(xs)` where the elements are meant; a number never equals a list or tuple";
    Err(errors::here_for_all(py, Code::NoMeaning, message, help))
}

/// Refuses `-b`, `+b` and `abs(b)` of a bool that may be NumPy's, of which Python's give integers, and NumPy's raise or give
/// bools.
pub fn check_sign(tensor: &Bound<'_, Tensor>, symbol: &str) -> PyResult<()> {
    if !may_be_numpys(tensor.as_any()) {
        return Ok(());
    }
    let message = format!(
        "`{symbol}` of a bool of arrays: of Python's own it gives an integer, and NumPy's raise `TypeError` or give a bool"
    );
    let help = "make it Python's with `bool`, or use `~` or `gw.logical_not`";
    Err(errors::here_for_all(tensor.py(), Code::NoMeaning, message, help))
}

/// Operators that count with Python's bools and join NumPy's.
const COUNTS: [(Op, &str); 3] =
    [(Op::Binary(BinaryOp::Add), "+"), (Op::Binary(BinaryOp::Sub), "-"), (Op::Binary(BinaryOp::Mul), "*")];

/// Refuses `a + b`, `a - b` and `a * b` of two bools of which one may be NumPy's: Python's own are added as integers, and
/// NumPy's by `or` and `and`, or not at all.
pub fn check_arithmetic(call: &Call, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some((_, symbol)) = COUNTS.iter().find(|(op, _)| matches!(call, Call::Binary(own) if own == op))
    else {
        return Ok(());
    };
    let is_bool = |object| Ok::<_, PyErr>(bool_of(object)?.is_some());
    if !(may_be_numpys(a) || may_be_numpys(b)) || !is_bool(a)? || !is_bool(b)? {
        return Ok(());
    }
    let message = format!(
        "`{symbol}` of two bools, at least one of them of arrays: Python's own are integers for it, NumPy's are not"
    );
    let help = "make them Python's with `bool` or `int`, or use `gw.logical_or` or `gw.logical_and`";
    Err(errors::here_for_all(a.py(), Code::NoMeaning, message, help))
}

/// `~b` of a single bool of Python's, which is an integer; nothing for what is inverted element by element.
pub fn inverted<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_single_bool(tensor) || !is_single_number(tensor.as_any()) {
        return Ok(None);
    }
    let py = tensor.py();
    if is_pythons(tensor) {
        return operands::call(py, &Call::unary(UnaryOp::Not), &[&tensor.as_any().pos()?]).map(Some);
    }
    let message =
        "`~` of a single bool is an integer for Python's and the other truth for NumPy's and for tensors";
    let help = "write `not b` or `gw.logical_not(b)`, or `~int(b)` for the integer";
    Err(errors::here_for_all(py, Code::NoMeaning, message, help))
}

/// Refuses a bool that may be NumPy's where Python asks for an integer, which NumPy's bools are not.
#[pyfunction]
pub fn check_integer(value: &Bound<'_, PyAny>, function: &str) -> PyResult<()> {
    let is_given_bool = || {
        let is_bool = value.cast::<Tensor>().is_ok_and(is_single_bool);
        is_bool && meeting::is_given(value)
    };
    if !may_be_numpys(value) && !is_given_bool() {
        return Ok(());
    }
    let message = format!(
        "`{function}` takes an integer, which a bool of Python's is and one of NumPy's is not: this one was computed by NumPy"
    );
    let help = "make it an integer with `int`";
    Err(errors::here_for_all(value.py(), Code::NoMeaning, message, help))
}

fn is_single_bool(tensor: &Bound<'_, Tensor>) -> bool {
    tensor.get().element() == DType::Bool && tensor.get().ndim() == 0
}
