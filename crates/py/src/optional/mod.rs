//! Values that may be `None`: a value of the graph and a bool that says whether it is there.
//!
//! `x is None` is that bool. Where it is used as a number, the graph checks the bool and raises the `TypeError` that
//! Python raises for `None`; inside `if x is not None:` there is nothing left to check.

pub mod denied;
pub mod leaves;
pub mod maybe;
pub mod maybe_structure;
pub mod maybe_structure_uses;
pub mod number_types;
pub mod poison;
pub mod possible;
pub mod same_objects;
pub mod undecided;
pub mod used;

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{Attr, BinaryOp, CheckKind, Literal, Piece, UnaryOp, ValueId};
use gw_trace::{Lack, Staged};
use gw_types::{DType, Number, Scalar};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use crate::exceptions::errors;
use crate::host::checks::{self, check, test_of};
use crate::host::operand::Operand;
use crate::host::operands::{self, LeafKind};
use crate::operators;
use crate::operators::logic::{Thunk, choose};
use crate::optional::maybe::{Maybe, known};
use crate::optional::maybe_structure::MaybeStructure;
use crate::optional::used::Used;
use crate::session::{self, Tracing, frames};
use crate::values::tensor::Tensor;

/// The value of a name that has none on some paths: `None` on those.
pub fn make<'py>(py: Python<'py>, maybe: &Maybe) -> PyResult<Bound<'py, PyAny>> {
    let Maybe { tracing, staged, bound, .. } = maybe;
    match known(tracing, *bound) {
        Some(true) => Ok(Bound::new(py, maybe.there(*staged))?.into_any()),
        Some(false) => Ok(py.None().into_bound(py)),
        None => {
            tracing.meets_optional(py)?;
            let (tracing, shares) = (tracing.clone(), maybe.shares.clone());
            let optional = Maybe { tracing, staged: *staged, bound: *bound, lack: Lack::Nothing, shares };
            Ok(Bound::new(py, optional)?.into_any())
        }
    }
}

/// The value and the bool as they may be used here.
fn here(maybe: &Maybe) -> (Staged, ValueId) {
    let here = |value| maybe.tracing.trace.lift(value).unwrap_or(value);
    (Staged { value: here(maybe.staged.value), ..maybe.staged }, here(maybe.bound))
}

/// `value is None`
pub fn is_none<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let answer = |answer: bool| Ok(PyBool::new(py, answer).to_owned().into_any());
    if let Ok(structure) = value.cast::<MaybeStructure>() {
        let there = structure.get().there(py);
        return match checks::staged_value(there)? {
            Some((tracing, staged)) if known(&tracing, staged.value) == Some(true) => answer(false),
            Some(_) | None => operators::logic::not(there),
        };
    }
    poison::refuse(value)?;
    let Some(maybe) = Maybe::optional(value) else { return answer(value.is_none()) };
    let maybe = maybe.get();
    let bound = here(maybe).1;
    match known(&maybe.tracing, bound) {
        Some(bound) => answer(!bound),
        None => tensor(py, &maybe.tracing, not(&maybe.tracing, py, bound)),
    }
}

fn not(tracing: &Tracing, py: Python<'_>, value: ValueId) -> ValueId {
    tracing.trace.set_place(frames::place(py));
    let made = tracing.trace.build(|b| b.op(UnaryOp::Not, Attr::None, &[value]));
    made.expect("a bool can be negated")
}

fn tensor<'py>(py: Python<'py>, tracing: &Arc<Tracing>, value: ValueId) -> PyResult<Bound<'py, PyAny>> {
    let staged = Staged { value, weak: Some(Number::Bool) };
    Ok(Bound::new(py, Tensor::staged(tracing.clone(), staged))?.into_any())
}

/// The value, which there must be for this use.
pub fn value<'py>(maybe: &Bound<'py, Maybe>, used: Used<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = maybe.py();
    let Maybe { tracing, .. } = maybe.get();
    let (staged, bound) = here(maybe.get());
    if known(tracing, bound) != Some(true) {
        check(py, tracing, &[bound], CheckKind::Type, vec![Piece::Text(used.text())])?;
    }
    let value = maybe.get().tensor(staged);
    value.check_fresh(py)?;
    Ok(Bound::new(py, value)?.into_any())
}

/// The value of a name that may have none, or of what may be `None`, for this use.
pub fn read<'py>(maybe: &Bound<'py, Maybe>, used: Used<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    match Maybe::optional(maybe.as_any()) {
        Some(maybe) => value(maybe, used),
        None => operands::value_of(maybe.as_any()),
    }
}

/// The value where it is true, so that it is there.
pub fn narrowed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Some(maybe) = Maybe::optional(object) else { return Ok(object.clone()) };
    let staged = here(maybe.get()).0;
    let value = maybe.get().tensor(staged);
    Ok(Bound::new(object.py(), value)?.into_any())
}

/// As a test: true if it is there and true. What is no single element is left for the test to refuse.
pub fn as_test(maybe: &Bound<'_, Maybe>) -> PyResult<(Arc<Tracing>, Staged)> {
    let py = maybe.py();
    let (tracing, (staged, bound)) = (&maybe.get().tracing, here(maybe.get()));
    if !tracing.trace.ty(staged.value).is_scalar() {
        return Ok((tracing.clone(), staged));
    }
    tracing.trace.set_place(frames::place(py));
    let truth = test_of(py, tracing, staged)?;
    let both = tracing.trace.build(|b| b.op(BinaryOp::And, Attr::None, &[bound, truth]));
    Ok((tracing.clone(), Staged::strong(both.map_err(|u| errors::unfit(py, u))?)))
}

/// `maybe < other` and the like. `None` equals nothing but `None`, and has no order.
pub fn compare<'py>(
    slf: &Bound<'py, Maybe>,
    other: &Bound<'py, PyAny>,
    operator: CompareOp,
) -> PyResult<Bound<'py, PyAny>> {
    let symbol = match operator {
        CompareOp::Eq | CompareOp::Ne if Maybe::optional(slf.as_any()).is_none() => {
            return read(slf, Used::Somehow)?.rich_compare(other, operator);
        }
        CompareOp::Eq => return equality(slf, other),
        CompareOp::Ne => return flipped(slf.py(), &equality(slf, other)?),
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    };
    let left = read(slf, Used::Before(symbol, other))?;
    match Maybe::optional(other) {
        Some(right) => left.rich_compare(value(right, Used::After(symbol, slf.as_any()))?, operator),
        None => left.rich_compare(other, operator),
    }
}

fn equality<'py>(maybe: &Bound<'py, Maybe>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let none = is_none(maybe.as_any())?;
    if other.is_none() {
        return Ok(none);
    }
    let values = narrowed(maybe.as_any())?.rich_compare(narrowed(other)?, CompareOp::Eq)?;
    let same = operators::logic::not(&none)?.bitand(values)?;
    if Maybe::optional(other).is_none() {
        return Ok(same);
    }
    let none_there = is_none(other)?;
    same.bitand(operators::logic::not(&none_there)?)?.bitor(none.bitand(&none_there)?)
}

fn flipped<'py>(py: Python<'py>, answer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match operands::plain_operand(answer)? {
        Some(operand @ (Operand::Staged(..) | Operand::Tensor(_))) => {
            let call = gw_trace::calls::Call::unary(UnaryOp::Not);
            operands::tensor(py, operands::apply(py, &call, vec![operand])?)
        }
        Some(Operand::Number(_)) | None => operators::logic::not(answer),
    }
}

/// An attribute of the value.
pub fn attribute<'py>(maybe: &Bound<'py, Maybe>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = maybe.py();
    let in_doubt = Maybe::optional(maybe.as_any())
        .is_some_and(|maybe| known(&maybe.get().tracing, here(maybe.get()).1) != Some(true));
    if in_doubt {
        let message = format!("`.{name}` is read of a value that may be `None`");
        let help = "read it under `if … is not None:`";
        return Err(errors::here(py, Code::BranchesDisagree, message, help));
    }
    read(maybe, Used::Somehow)?.getattr(name)
}

/// Answer of `isinstance`; nothing for other functions, and for names that may have no value.
pub fn answer<'py>(function: &str, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [value, kinds] = args.as_slice() else { return Ok(None) };
    if function != "isinstance" {
        return Ok(None);
    }
    let py = args.py();
    let known = |answer: bool| Ok(Some(PyBool::new(py, answer).to_owned().into_any()));
    let there = match value.cast::<MaybeStructure>() {
        Ok(structure) => structure.get().items(py)[1].clone(),
        Err(_) if Maybe::optional(value).is_some() => narrowed(value)?,
        Err(_) if value.is_instance_of::<Maybe>() => return Ok(None),
        Err(_) => return known(value.is_instance(kinds)?),
    };
    match (number_types::is_instance(&there, kinds)?, py.None().into_bound(py).is_instance(kinds)?) {
        (true, false) => operators::logic::not(&is_none(value)?).map(Some),
        (false, true) => is_none(value).map(Some),
        (with, _) => known(with),
    }
}

/// The first of these objects that may be `None`.
pub fn first<'py>(objects: &Bound<'py, PyTuple>) -> Option<(usize, Bound<'py, Maybe>)> {
    objects.iter().enumerate().find_map(|(at, object)| Some((at, Maybe::optional(&object)?.clone())))
}

/// Applies `with` to the value or to `None`; the graph decides if it is not known which.
pub fn either<'py>(
    maybe: &Bound<'py, Maybe>,
    with: &dyn Fn(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<()> {
    let py = maybe.py();
    let (tracing, (staged, bound)) = (&maybe.get().tracing, here(maybe.get()));
    let there = || Ok::<_, PyErr>(Bound::new(py, Tensor::staged(tracing.clone(), staged))?.into_any());
    match known(tracing, bound) {
        Some(true) => with(there()?).map(drop),
        Some(false) => with(py.None().into_bound(py)).map(drop),
        None => {
            let ways: [Thunk<'_, 'py>; 2] = [&|| with(there()?), &|| with(py.None().into_bound(py))];
            choose(py, tracing.clone(), bound, ways, &[]).map(drop)
        }
    }
}

/// True if `None` is used in a branch or loop of the graph where it will not do: that fails when the graph runs, and only
/// if it comes to it. `None` may always be compared by `==`.
pub fn cannot(py: Python<'_>, used: Used<'_, '_>) -> PyResult<bool> {
    let tracing = session::current().filter(|tracing| tracing.trace.in_region());
    let Some(tracing) = tracing.filter(|_| !matches!(used, Used::Somehow)) else { return Ok(false) };
    let never = tracing.trace.constant(Literal::scalar(DType::Bool, Scalar::Bool(false))).value;
    check(py, &tracing, &[never], CheckKind::Type, vec![Piece::Text(used.text())])?;
    Ok(true)
}

/// Values that may be `None`, as operands of a test.
pub const LEAF_KIND: LeafKind =
    LeafKind { there: |object| Maybe::optional(object).map(as_test).transpose(), ..LeafKind::NONE };
