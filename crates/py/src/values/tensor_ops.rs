//! Python's operators on tensors.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "pyo3's own wrappers, where a macro of ours writes the block around them"
)]

use gw_base::Code;
use gw_ir::{BinaryOp, CompareOp, UnaryOp};
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::{Call, Item};
use gw_types::{DType, Kind, Number, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp as Comparison;
use pyo3::types::{PyInt, PyIterator, PyList, PyTuple};

use crate::convert;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::{as_numpy, integers, meeting, operands, powers};
use crate::optional::used::Used;
use crate::optional::{self, number_types};
use crate::session::own_files;
use crate::session::top_frame::top_frame;
use crate::values::cell::Origin;
use crate::values::semantics::Semantics;
use crate::values::subscripts::{entries, has_staged_step};
use crate::values::tensor::{Payload, Tensor};
use crate::values::view::{self, part};
use crate::values::{array, store, strings};

/// A binary operator; `NotImplemented` for what cannot become a tensor, so that Python asks the other operand. `used` says
/// how the other operand is, and on which side it is.
pub fn binary<'py>(
    call: &Call,
    this: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    used: Used<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    refuse_range(this)?;
    refuse_range(other)?;
    if other.is_none() && optional::cannot(py, used)? {
        return binary(call, this, this, used);
    }
    let sequence = other.is_instance_of::<PyList>() || other.is_instance_of::<PyTuple>();
    let times = sequence && *call == Call::binary(BinaryOp::Mul) && !meeting::is_array_without_axes(this);
    if times && counts(&operands::operand(this)?) {
        if other.is_exact_instance_of::<PyList>()
            && this.cast::<Tensor>().is_ok_and(|tensor| tensor.get().is_staged())
        {
            let meanings = py.import("graphwright._meanings.iterables")?;
            return meanings.call_method1("repeated", (other, this));
        }
        return other.mul(this.call_method0("__index__")?);
    }
    if sequence && let Some(answer) = number_types::beside_sequence(call, this)? {
        return Ok(answer);
    }
    let plain = match natural_beside(this, other) {
        None if sequence => Some(beside(this, other)?),
        None => operands::plain_operand(other)?,
        natural => natural,
    };
    let plain = match plain {
        None => array::member(other)?.map(Operand::Number),
        plain => plain,
    };
    number_types::check_arithmetic(call, this, other)?;
    let Some(plain) = plain.or(string_beside(this, other)?.map(Operand::Tensor)) else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    let operand = operands::operand(this)?;
    let (plain, operand) =
        (of_double_precision(call, this, plain), of_double_precision(call, other, operand));
    let (own, given) = (operand.clone(), plain.clone());
    let sides @ [first, second] = in_order(used, (this, &own), (other, &given));
    integers::check(call, first, second)?;
    meeting::check_fits(call, &given, (this, &own))?;
    let [plain, operand] = meeting::together(py, call, (other, plain), (this, operand))?;
    let found = operands::apply(py, call, Vec::from(in_order(used, operand, plain)))?;
    integers::keep(call, sides, &found);
    result(py, found, &[this, other])
}

/// This operand and the other one as they stand in the expression.
fn in_order<T>(used: Used<'_, '_>, this: T, other: T) -> [T; 2] {
    if matches!(used, Used::Left(..)) { [other, this] } else { [this, other] }
}

/// A float or a complex number of Python's beside integers of NumPy's has double precision.
fn of_double_precision(call: &Call, this: &Bound<'_, PyAny>, number: Operand) -> Operand {
    let is_fraction = match &number {
        Operand::Number(number) => matches!(number, Scalar::Float(_) | Scalar::Complex(..)),
        Operand::Staged(_, staged) => has_double_precision(call, staged.weak),
        Operand::Tensor(_) => false,
    };
    let is_of_numpy = |tensor: &Bound<'_, Tensor>| {
        let tensor = tensor.get();
        tensor.element().kind().is_in(Kind::Int)
            && (meeting::is_array(tensor) || meeting::may_be_element(this))
    };
    if !(is_fraction && this.cast::<Tensor>().is_ok_and(is_of_numpy)) {
        return number;
    }
    match number {
        Operand::Number(float @ Scalar::Float(_)) => Operand::Tensor(Buffer::scalar(DType::F64, float)),
        Operand::Number(z @ Scalar::Complex(..)) => Operand::Tensor(Buffer::scalar(DType::C128, z)),
        Operand::Staged(tracing, staged) if has_double_precision(call, staged.weak) => {
            Operand::Staged(tracing, Staged { weak: None, ..staged })
        }
        other @ (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_)) => other,
    }
}

/// True of Python's floats and complex numbers, and of integers where they divide.
fn has_double_precision(call: &Call, weak: Option<Number>) -> bool {
    matches!(weak, Some(Number::Float | Number::Complex))
        || *call == Call::TrueDiv && weak == Some(Number::IntOrFloat)
}

/// An integer of Python's that only integers without a sign hold, beside a tensor of them.
fn natural_beside(this: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> Option<Operand> {
    let is_natural = this.cast::<Tensor>().is_ok_and(|tensor| tensor.get().element() == DType::U64);
    if !is_natural || !other.is_exact_instance_of::<PyInt>() {
        return None;
    }
    let number = other.extract::<u64>().ok().filter(|&number| i64::try_from(number).is_err())?;
    Some(Operand::Tensor(Buffer::scalar(DType::U64, Scalar::Nat(number))))
}

/// Result of an operator, with the semantics that its operands say.
fn result<'py>(
    py: Python<'py>,
    found: Operand,
    operands: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let tensor = Tensor::of(operands::payload(found));
    if tensor.is_staged() {
        // Without axes it is a number, which nothing changes.
        let semantics = if tensor.is_number() { Semantics::Value } else { Semantics::of_result(operands) };
        tensor.know(semantics);
    }
    Ok(Bound::new(py, tensor)?.into_any())
}

/// Result of an operator on one tensor.
fn unary<'py>(slf: &Bound<'py, Tensor>, op: UnaryOp) -> PyResult<Bound<'py, PyAny>> {
    refuse_range(slf.as_any())?;
    let operand = operands::operand(slf.as_any())?;
    let found = operands::apply(slf.py(), &Call::unary(op), vec![operand.clone()])?;
    integers::keep_alone(&operand, &found);
    result(slf.py(), found, &[slf.as_any()])
}

/// Refuses an operator of a `range` of Python's in the user's code: the range is a tensor in the graph, and has none.
fn refuse_range(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !object.cast::<Tensor>().is_ok_and(|tensor| tensor.get().origin() == Origin::Range) {
        return Ok(());
    }
    let py = object.py();
    let code = top_frame(py).map(|frame| frame.getattr(intern!(py, "f_code"))).transpose()?;
    let file = |code: Bound<'_, PyAny>| code.getattr(intern!(py, "co_filename"))?.extract::<String>();
    let file = code.map(file).transpose()?;
    if file.is_some_and(|file| own_files::is_ours(py, &file)) {
        return Ok(());
    }
    let message = "a `range` has no operators in the graph";
    let help = "add it to a list with `xs.extend(range(n))`; `gw.range(n)` is a tensor, which has them";
    Err(errors::here_for_all(object.py(), Code::NoMeaning, message, help))
}

/// A range of the graph as Python's, which has no operators.
#[pyfunction]
pub fn as_range(range: &Bound<'_, Tensor>) -> Tensor {
    Tensor::of(range.get().content()).with(Origin::Range)
}

/// A `str` or `bytes` beside a tensor of strings.
fn string_beside(this: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    match strings::is_text(other) && !operands::operand(this)?.dtype().is_number() {
        true => strings::from_python(other),
        false => Ok(None),
    }
}

/// True if a tensor is a number of times: `[0] * n` repeats the list, and does not multiply its elements.
fn counts(tensor: &Operand) -> bool {
    tensor.dtype().is_int() && tensor.lengths().is_empty()
}

/// A list beside a tensor takes the tensor's dtype, where its numbers are of no higher kind, and has to fit it; beside an array of
/// NumPy's it is an array.
fn beside(this: &Bound<'_, PyAny>, list: &Bound<'_, PyAny>) -> PyResult<Operand> {
    let py = this.py();
    if this.cast::<Tensor>().is_ok_and(|tensor| tensor.get().semantics() == Semantics::Reference)
        && let Some(array) = operands::array_of_numbers(list)?
    {
        return Ok(Operand::Tensor(array));
    }
    let dtype = operands::operand(this)?.dtype();
    match operands::operand(list)? {
        Operand::Tensor(buffer) if buffer.dtype().kind().is_in(dtype.kind()) => {
            operands::held(py, &buffer, dtype).map(Operand::Tensor)
        }
        other @ (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_)) => Ok(other),
    }
}

macro_rules! binary_operators {
    ($($name:ident $reflected:ident $symbol:literal $call:expr;)*) => {$(
        #[pymethods]
        impl Tensor {
            fn $name<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                binary(&$call, slf.as_any(), other, Used::Right($symbol, slf.as_any()))
            }

            fn $reflected<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                binary(&$call, slf.as_any(), other, Used::Left($symbol, slf.as_any()))
            }
        }
    )*};
}

binary_operators! {
    __add__ __radd__ "+" Call::binary(BinaryOp::Add);
    __sub__ __rsub__ "-" Call::binary(BinaryOp::Sub);
    __mul__ __rmul__ "*" Call::binary(BinaryOp::Mul);
    __truediv__ __rtruediv__ "/" Call::TrueDiv;
    __floordiv__ __rfloordiv__ "//" Call::binary(BinaryOp::FloorDiv);
    __mod__ __rmod__ "%" Call::binary(BinaryOp::Mod);
    __and__ __rand__ "&" Call::binary(BinaryOp::And);
    __or__ __ror__ "|" Call::binary(BinaryOp::Or);
    __xor__ __rxor__ "^" Call::binary(BinaryOp::Xor);
    __lshift__ __rlshift__ "<<" Call::binary(BinaryOp::Shl);
    __rshift__ __rrshift__ ">>" Call::binary(BinaryOp::Shr);
    __matmul__ __rmatmul__ "@" Call::Matmul { transpose_x: false, transpose_y: false };
}

#[pymethods]
impl Tensor {
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match modulo {
            None => match powers::by_number_of_numpys(slf, other)? {
                Some(found) => result(slf.py(), found, &[slf.as_any(), other]),
                None => binary(&Call::Power, slf.as_any(), other, Used::Right("** or pow()", slf.as_any())),
            },
            Some(modulo) => {
                let meaning = slf.py().import("graphwright._meanings.scalars")?.getattr("pow")?;
                meaning.call1((slf, other, modulo))
            }
        }
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = modulo;
        binary(&Call::Power, slf.as_any(), other, Used::Left("** or pow()", slf.as_any()))
    }

    fn __divmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let quotient = binary(
            &Call::binary(BinaryOp::FloorDiv),
            slf.as_any(),
            other,
            Used::Right("divmod()", slf.as_any()),
        )?;
        Ok((
            quotient,
            binary(&Call::binary(BinaryOp::Mod), slf.as_any(), other, Used::Right("divmod()", slf.as_any()))?,
        ))
    }

    fn __rdivmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let quotient = binary(
            &Call::binary(BinaryOp::FloorDiv),
            slf.as_any(),
            other,
            Used::Left("divmod()", slf.as_any()),
        )?;
        Ok((
            quotient,
            binary(&Call::binary(BinaryOp::Mod), slf.as_any(), other, Used::Left("divmod()", slf.as_any()))?,
        ))
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        number_types::check_sign(slf, "-")?;
        if slf.get().element() == DType::Bool && slf.get().is_number() && meeting::is_numpys(slf.as_any()) {
            let text = "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the \
                        logical_not function instead.";
            return Err(PyTypeError::new_err(text));
        }
        as_numpy::check_mixed_alone(slf, UnaryOp::Neg, "-")?;
        integers::check_alone(slf)?;
        unary(slf, UnaryOp::Neg)
    }

    fn __pos__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        number_types::check_sign(slf, "+")?;
        if slf.get().element() == DType::Bool {
            return operands::call(slf.py(), &Call::unary(UnaryOp::Neg), &[slf.as_any()])?.neg();
        }
        slf.get().check_fresh(slf.py())?;
        Ok(Bound::new(slf.py(), slf.get().duplicate())?.into_any())
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        number_types::check_sign(slf, "abs")?;
        unary(slf, UnaryOp::Abs)
    }

    fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        as_numpy::check_mixed_alone(slf, UnaryOp::Not, "~")?;
        match number_types::inverted(slf)? {
            Some(integer) => Ok(integer),
            None => unary(slf, UnaryOp::Not),
        }
    }

    fn __floor__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        integer(slf, "floor").unwrap_or_else(|| rounded(slf, UnaryOp::Floor))
    }

    fn __ceil__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        integer(slf, "ceil").unwrap_or_else(|| rounded(slf, UnaryOp::Ceil))
    }

    #[pyo3(signature = (ndigits=None))]
    fn __round__<'py>(slf: &Bound<'py, Self>, ndigits: Option<i32>) -> PyResult<Bound<'py, PyAny>> {
        match ndigits {
            None => integer(slf, "round").unwrap_or_else(|| rounded(slf, UnaryOp::Round)),
            Some(digits) => to_digits(slf, digits),
        }
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        op: Comparison,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (op, used) = match op {
            Comparison::Lt => (CompareOp::Lt, Used::After("<", slf.as_any())),
            Comparison::Le => (CompareOp::Le, Used::After("<=", slf.as_any())),
            Comparison::Eq => (CompareOp::Eq, Used::Somehow),
            Comparison::Ne => (CompareOp::Ne, Used::Somehow),
            Comparison::Gt => (CompareOp::Gt, Used::After(">", slf.as_any())),
            Comparison::Ge => (CompareOp::Ge, Used::After(">=", slf.as_any())),
        };
        if let Some(name) = order(op)
            && slf.get().element().is_complex()
            && !slf.get().is_number()
            && meeting::is_numpys(slf.as_any())
        {
            return slf.py().import("numpy")?.call_method1(name, (slf, other));
        }
        binary(&Call::binary(op), slf.as_any(), other, used)
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if slf.get().is_staged() && has_staged_step(key) {
            return py.import("graphwright._numpy.stepped")?.call_method1("read", (slf, key));
        }
        let mut operands = vec![operands::operand(slf.as_any())?];
        let mut items = Vec::new();
        entries(key, &mut items, &mut operands)?;
        let takes_axis = items.iter().any(|item| !matches!(item, Item::NewAxis | Item::Ellipsis));
        if takes_axis && slf.get().is_staged() && operands[0].lengths().is_empty() {
            let message = format!("{} indices for a tensor of 0 axes", items.len());
            let help = "index a tensor with axes; whether Python's number or NumPy's scalar is meant, which raise \
                        `TypeError` and `IndexError`, is not known";
            return Err(errors::here_for_all(py, Code::IndexPastEnd, message, help));
        }
        let copied = operands[1..].iter().any(|index| !index.lengths().is_empty());
        let read = operands::payload(operands::apply(py, &Call::Subscript(items.clone()), operands.clone())?);
        let tensor = Tensor::of(read);
        if !copied {
            operands.remove(0);
            let part = part(slf, tensor, items, operands);
            if slf.get().is_number() && slf.get().is_staged() {
                part.know(slf.get().semantics());
            }
            return Ok(Bound::new(py, part)?.into_any());
        }
        if tensor.is_staged() {
            tensor.know(slf.get().semantics());
        }
        Ok(Bound::new(py, tensor)?.into_any())
    }

    fn __setitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if slf.get().is_staged() && has_staged_step(key) {
            let stepped = slf.py().import("graphwright._numpy.stepped")?;
            return stepped.call_method1("store", (slf, key, value)).map(drop);
        }
        store::store(slf, key, value)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = key;
        Err(PyValueError::new_err("cannot delete array elements"))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        let py = slf.py();
        let count = match slf.get().lengths().first() {
            Some(Some(n)) => *n as i64,
            None => return Err(PyTypeError::new_err("a tensor without axes cannot be iterated")),
            Some(None) => {
                if let Some(refusal) = convert::decided_by_tensor(py) {
                    return Err(refusal);
                }
                return Err(errors::here(
                    py,
                    gw_base::Code::TensorIterated,
                    "Python iterates over a tensor whose length is known only when the graph runs",
                    "loop over it with `for` in converted code, or give the axis a fixed length",
                ));
            }
        };
        view::Rows::of(slf, count)?.try_iter()
    }

    fn __contains__(slf: &Bound<'_, Self>, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        crate::operators::compare::holds(item, slf.as_any())?.is_truthy()
    }
}

/// NumPy's function of a comparison by order, which its arrays of complex numbers have.
fn order(op: CompareOp) -> Option<&'static str> {
    match op {
        CompareOp::Lt => Some("less"),
        CompareOp::Le => Some("less_equal"),
        CompareOp::Gt => Some("greater"),
        CompareOp::Ge => Some("greater_equal"),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}

/// The tensor rounded to so many digits: a single number by its exact value, as Python and the graph do; arrays as NumPy's.
fn to_digits<'py>(slf: &Bound<'py, Tensor>, digits: i32) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    if let Payload::Eager(buffer) = slf.get().content()
        && buffer.lengths().is_empty()
        && matches!(buffer.dtype().kind(), Kind::Int | Kind::Float)
    {
        let number = slf.call_method0(intern!(py, "item"))?;
        let rounded = py.import("builtins")?.call_method1("round", (number, digits))?;
        if let Some(rounded) = array::number(&rounded)? {
            let buffer = Buffer::scalar(buffer.dtype(), rounded);
            return Ok(Bound::new(py, Tensor::eager(buffer))?.into_any());
        }
    }
    let scale = 10f64.powi(digits).into_pyobject(py)?.into_any();
    let scaled = binary(&Call::binary(BinaryOp::Mul), slf.as_any(), &scale, Used::Somehow)?;
    let whole = operands::call(py, &Call::unary(UnaryOp::Round), &[&scaled])?;
    binary(&Call::TrueDiv, &whole, &scale, Used::Somehow)
}

/// Integers are round already.
/// Integer that Python gives for a rounded single number of the graph; nothing for other tensors.
fn integer<'py>(slf: &Bound<'py, Tensor>, name: &str) -> Option<PyResult<Bound<'py, PyAny>>> {
    let is_one = slf.get().is_staged() && slf.get().ndim() == 0;
    is_one.then(|| {
        let py = slf.py();
        let meanings = py.import("graphwright._meanings.mathematics")?.getattr("ROUNDED")?;
        meanings.get_item(name)?.call1((slf,))
    })
}

fn rounded<'py>(slf: &Bound<'py, Tensor>, op: UnaryOp) -> PyResult<Bound<'py, PyAny>> {
    if !slf.get().element().is_fractional() {
        slf.get().check_fresh(slf.py())?;
        return Ok(Bound::new(slf.py(), slf.get().duplicate())?.into_any());
    }
    unary(slf, op)
}
