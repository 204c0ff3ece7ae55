//! `x[…] = value` on a tensor: its object holds the new array from now on.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_trace::calls::{Call, End, Item};
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::effects::alias::Names;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::session;
use crate::values::cell::{self, Origin};
use crate::values::semantics::Semantics;
use crate::values::subscripts::entries;
use crate::values::tensor::{Payload, Tensor};

/// Stores a value; every name of the object sees it.
pub fn store(target: &Bound<'_, Tensor>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, tensor) = (target.py(), target.get());
    judge(py, tensor)?;
    let mut operands = vec![operands::operand(target.as_any())?];
    operands.push(stored(value, tensor.element()).or_else(|error| {
        judge_places(target, key)?;
        Err(error)
    })?);
    let mut items = Vec::new();
    entries(key, &mut items, &mut operands)?;
    let is_array = tensor.semantics() == Semantics::Reference;
    if is_array && is_one_element(&items, &operands) && !operands[1].lengths().is_empty() {
        return Err(PyValueError::new_err("setting an array element with a sequence."));
    }
    // `x[i] += y` changes the view `x[i]` and stores it where it is.
    if let Ok(value) = value.cast::<Tensor>()
        && value.get().view().is_some_and(|view| view.is_at(target, &items, &operands[2..]))
    {
        return Ok(());
    }
    if !session::is_tracing() {
        indices_as_operands(&mut items, &mut operands, &tensor.lengths());
    }
    keep(target, operands::payload(operands::apply(py, &Call::Store(items), operands)?))
}

/// Fails where a store at single indices would, whatever it stores: these are judged before the value is, as NumPy does.
fn judge_places(target: &Bound<'_, Tensor>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut operands = vec![operands::operand(target.as_any())?, Operand::Number(Scalar::Int(0))];
    let mut items = Vec::new();
    entries(key, &mut items, &mut operands)?;
    let are_single = operands[2..].iter().all(|index| index.lengths().is_empty());
    if are_single { operands::apply(target.py(), &Call::Store(items), operands).map(drop) } else { Ok(()) }
}

/// True if the entries are a number for each axis; `operands` are the tensor, the value, and those of the entries.
fn is_one_element(items: &[Item], operands: &[Operand]) -> bool {
    let is_number = |item: &Item| matches!(item, Item::At(_) | Item::Given);
    let is_single = |index: &Operand| index.lengths().is_empty() && index.dtype() != DType::Bool;
    items.len() == operands[0].lengths().len()
        && items.iter().all(is_number)
        && operands[2..].iter().all(is_single)
}

/// Puts a value of the same type and lengths in the place of all elements.
pub fn replace(target: &Bound<'_, Tensor>, value: Operand) -> PyResult<()> {
    let tensor = target.get();
    judge(target.py(), tensor)?;
    let known = |lengths: &[Option<usize>]| lengths.iter().all(Option::is_some);
    if known(&tensor.lengths()) && value.lengths() == tensor.lengths() {
        return keep(target, operands::payload(value));
    }
    let operands = vec![operands::operand(target.as_any())?, value];
    keep(
        target,
        operands::payload(operands::apply(target.py(), &Call::Store(vec![Item::Ellipsis]), operands)?),
    )
}

/// Puts what a tensor holds after a call that stores into it there.
pub fn put(target: &Bound<'_, Tensor>, after: Payload) -> PyResult<()> {
    judge(target.py(), target.get())?;
    keep(target, after)
}

fn keep(target: &Bound<'_, Tensor>, after: Payload) -> PyResult<()> {
    let tensor = target.get();
    if let Some(view) = tensor.view() {
        return view.write(target.py(), after);
    }
    let before = tensor.cell().store(after);
    if let Some(tracing) = session::current() {
        tracing.arrays().stored();
        tracing.regions().note(tensor.cell(), &before);
    }
    Ok(())
}

fn without_axes(py: Python<'_>) -> PyErr {
    let message = "a store into a NumPy array without axes changes it in place, which a graph cannot do";
    errors::here(
        py,
        Code::StoreUnclear,
        message,
        "pass a number, or an array of one element and store into `x[0]`",
    )
}

/// True if what is stored into this object is seen by all who should see it.
fn judge(py: Python<'_>, tensor: &Tensor) -> PyResult<()> {
    match tensor.origin() {
        _ if tensor.is_number() && tensor.is_staged() && tensor.semantics() == Semantics::Reference => {
            return Err(without_axes(py));
        }
        _ if tensor.is_number() && tensor.is_staged() => {
            return Err(PyTypeError::new_err(
                "a tensor without axes is one number and has no items; assign to the name",
            ));
        }
        Origin::Part => return Err(cell::part(py)),
        Origin::Doubtful => return Err(cell::doubtful(py)),
        Origin::Host => return Err(cell::of_host(py)),
        Origin::Range => return Err(PyTypeError::new_err("'range' object does not support item assignment")),
        Origin::Own | Origin::Content => {}
    }
    if session::is_tracing() && matches!(tensor.content(), Payload::Eager(_)) {
        return Err(cell::outside(py));
    }
    if let Some(tracing) = session::current()
        && tracing.regions().is_beyond_call(tensor.cell())
    {
        return Err(cell::beyond_call(py));
    }
    let is_shared = tensor.cell_if_any().map_or(Ok(false), |cell| {
        cell.is_shared(|| Names::now(py).map(|names| move |address| names.of_address(address)))
    })?;
    if !tensor.may_be_part() && !is_shared {
        return Ok(());
    }
    if let Some(tracing) = session::current() {
        tracing.regions().ask_for_itself(tensor.cell());
    }
    Err(cell::unclear(py))
}

/// The value, with Python's own numbers in the tensor's type, as NumPy assigns them.
pub fn stored(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Operand> {
    let list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    match operands::operand(value)? {
        Operand::Number(number) => judge_number(number, dtype).map(Operand::Number),
        Operand::Tensor(buffer) if list && buffer.dtype().kind().is_in(dtype.kind()) => {
            buffer.scalars().try_for_each(|number| judge_number(number, dtype).map(drop))?;
            Ok(Operand::Tensor(operands::convert(&buffer, dtype)))
        }
        Operand::Tensor(buffer) if buffer.lengths().is_empty() && dtype.is_int() => {
            // A number of NumPy's is cast as one of Python's is.
            buffer.scalars().try_for_each(|number| judge_number(number, dtype).map(drop))?;
            Ok(Operand::Tensor(buffer))
        }
        other @ (Operand::Staged(..) | Operand::Tensor(_)) => Ok(other),
    }
}

/// A number that can be cast to `dtype`: NumPy's errors where it cannot.
fn judge_number(number: Scalar, dtype: DType) -> PyResult<Scalar> {
    let whole = match number {
        Scalar::Float(x) if dtype.is_int() && x.is_nan() => {
            return Err(PyValueError::new_err("cannot convert float NaN to integer"));
        }
        Scalar::Float(x) if dtype.is_int() && x.is_infinite() => {
            return Err(PyOverflowError::new_err("cannot convert float infinity to integer"));
        }
        Scalar::Float(x) if dtype.is_int() && !dtype.holds_cut(x) => x.trunc().to_string(),
        Scalar::Int(i) if dtype.is_int() && !dtype.holds(i.into()) => i.to_string(),
        Scalar::Nat(n) if dtype.is_int() && !dtype.holds(n.into()) => n.to_string(),
        Scalar::Complex(..) if !dtype.is_complex() => {
            let message = format!("cannot store a complex number in an array of {}", dtype.python_name());
            return Err(PyTypeError::new_err(message));
        }
        Scalar::Complex(..) => return Ok(number),
        Scalar::Float(_) | Scalar::Int(_) | Scalar::Nat(_) => return Ok(number),
        Scalar::Bool(_) | Scalar::Text(_) => return Ok(number),
    };
    let message = format!("the number {whole} is out of bounds for {}", dtype.python_name());
    Err(PyOverflowError::new_err(message))
}

/// Numbers between the brackets as operands, so that one compiled store serves every index.
fn indices_as_operands(items: &mut [Item], operands: &mut Vec<Operand>, lengths: &[Option<usize>]) {
    let takes = |item: &Item| usize::from(!matches!(item, Item::NewAxis | Item::Ellipsis));
    let taken: usize = items.iter().map(takes).sum();
    if taken > lengths.len() || items.iter().any(|item| matches!(item, Item::Ellipsis)) {
        return;
    }
    let (mut axis, mut at) = (0, 2);
    for item in items {
        let number = if let Item::At(i) = item { Some(*i) } else { None };
        if let (Some(i), Some(n)) = (number, lengths[axis.min(lengths.len() - 1)])
            && (-(n as i64)..n as i64).contains(&i)
        {
            operands.insert(at, Operand::Tensor(Buffer::scalar(DType::I64, Scalar::Int(i))));
            *item = Item::Given;
        }
        at += given(item);
        axis += takes(item);
    }
}

/// The number of operands that an entry takes.
fn given(item: &Item) -> usize {
    let one = |end: &End| usize::from(*end == End::Given);
    match item {
        Item::Given => 1,
        Item::Slice(start, stop, _) => one(start) + one(stop),
        Item::At(_) | Item::NewAxis | Item::Ellipsis => 0,
    }
}
