//! Stand-ins for a list between `xs` and `[i]`, and between `xs` and `==`, while a graph is built: Python's own list, as
//! long as neither it nor the index is in the graph.

use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, Piece as Text, ReduceOp, UnaryOp};
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::access;
use super::elements::{Elements, elements, has_rows, may_fill, refused, staged};
use super::{nested, settled};
use crate::effects::arguments;
use crate::host::checks::{self, is_staged_index};
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::session;

/// A list whose items are read, assigned or deleted.
#[pyclass(frozen, name = "ListItems", module = "graphwright")]
#[derive(Debug)]
pub struct Items {
    /// The list.
    pub list: Py<PyList>,
    /// True if its items are wanted as places of their own, which those in the graph are not.
    pub places: bool,
}

impl Items {
    /// What stands for a value, itself if it is no list.
    pub fn of<'py>(value: &Bound<'py, PyAny>, places: bool) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyList>() {
            Ok(list) if session::is_tracing() => {
                Ok(Bound::new(value.py(), Items { list: list.clone().unbind(), places })?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl Items {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.list.bind(key.py());
        if is_pythons(list, key) {
            return list.as_any().get_item(key);
        }
        if self.places {
            return Err(PyLookupError::new_err("an item in the graph is no place of its own"));
        }
        access::get(list, key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = self.list.bind(key.py());
        if Maybe::unbound(value).is_some() && staged(list).is_some() {
            // Branches leave it so where one of them has deleted it; the elements of the list have met already.
            return Ok(());
        }
        arguments::changing(key.py(), list);
        nested::changing(list, || match is_pythons(list, key) {
            true => list.as_any().set_item(key, value),
            false => access::set(list, key, value),
        })
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = self.list.bind(key.py());
        arguments::changing(key.py(), list);
        nested::changing(list, || match is_pythons(list, key) {
            true => list.as_any().del_item(key),
            false => access::delete(list, key),
        })
    }
}

/// True if what is done with an item is Python's own.
fn is_pythons(list: &Bound<'_, PyList>, key: &Bound<'_, PyAny>) -> bool {
    let fills = may_fill(list) && !key.is_instance_of::<pyo3::types::PySlice>();
    !fills && !is_staged_index(key) && staged(list).is_none()
}

/// A list that is compared.
#[pyclass(frozen, name = "ComparedList", module = "graphwright")]
#[derive(Debug)]
pub struct Whole(pub Py<PyList>);

impl Whole {
    /// What stands for a value, itself if it is no list.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match value.cast_exact::<PyList>() {
            Ok(list) if session::is_tracing() => {
                Ok(Bound::new(value.py(), Whole(list.clone().unbind()))?.into_any())
            }
            Ok(_) | Err(_) => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl Whole {
    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.0.bind(other.py());
        match other.cast_exact::<PyList>() {
            Ok(right) if staged(list).is_some() || staged(right).is_some() => equal(list, right),
            Ok(_) | Err(_) => list.rich_compare(other, pyo3::basic::CompareOp::Eq),
        }
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let list = self.0.bind(other.py());
        match other.cast_exact::<PyList>() {
            Ok(right) if staged(list).is_some() || staged(right).is_some() => {
                let equal = equal(list, right)?;
                operands::call(other.py(), &Call::unary(UnaryOp::Not), &[&equal])
            }
            Ok(_) | Err(_) => list.rich_compare(other, pyo3::basic::CompareOp::Ne),
        }
    }
}

/// Why the graph cannot tell whether NaN is equal to NaN.
const DOUBT: &str = "GW130: NaN is in a container what it is as an object, and the graph does not know whether these two are \
                     one; test with `x != x` first";

/// The leaves of the items of a list that Python holds one by one.
type Leaves = Vec<Vec<Py<PyAny>>>;

/// `a == b` as containers ask it, for two objects at hand.
pub fn same_or_equal<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if a.is(b) {
        return Ok(true.into_pyobject(py)?.to_owned().into_any());
    }
    let equal = a.rich_compare(b, pyo3::basic::CompareOp::Eq)?;
    if let (Some(a), Some(b), true) =
        (operands::plain_operand(a)?, operands::plain_operand(b)?, session::is_tracing())
        && a.lengths().is_empty()
        && b.lengths().is_empty()
    {
        tell_apart(py, &a, &b, None)?;
    }
    Ok(equal)
}

/// Which elements of a list equal a value; nothing where none can.
pub fn found(of: &Bound<'_, PyList>, value: &Bound<'_, PyAny>) -> PyResult<Option<(Elements, Operand)>> {
    let py = of.py();
    let items = leaves_of(of)?;
    // To look for a value is no change: the list stays as it is.
    let Some(held) = (if has_rows(of) { settled(of)? } else { elements(of)? }) else { return Ok(None) };
    let mut leaves = Vec::new();
    if !held.element.same(&Skeleton::of(value, &mut leaves)?, py) {
        return Ok(None);
    }
    let mut all: Option<Operand> = None;
    for (at, (&rows, leaf)) in held.leaves.iter().zip(leaves).enumerate() {
        if held.tracing.trace.ty(rows.value).rank() > 1 {
            return Err(refused(py, "an array is looked for in a list in the graph"));
        }
        let one = items.as_ref().map(|items| items.iter().map(|item| item[at].is(&leaf)).collect());
        let Some(leaf) = operands::plain_operand(leaf.bind(py))? else { return Ok(None) };
        let equal = equal_rows(py, &held.rows(rows), &leaf, one)?;
        all = Some(both(py, all, equal)?);
    }
    Ok(all.map(|all| (held, all)))
}

/// `xs == ys`
pub fn equal<'py>(a: &Bound<'py, PyList>, b: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let items = leaves_of(a)?.zip(leaves_of(b)?).filter(|(a, b)| a.len() == b.len());
    let (held, others) = (elements(a)?, elements(b)?);
    let answer = |held: &Elements, value| operands::tensor(py, held.rows(Staged::strong(value)));
    match (held, others) {
        (None, None) => Ok(true.into_pyobject(py)?.to_owned().into_any()),
        (Some(held), None) | (None, Some(held)) => {
            answer(&held, held.arithmetic(Op::Compare(CompareOp::Eq), held.length(), held.number(0)))
        }
        (Some(held), Some(others)) if held.element.same(&others.element, py) => {
            let as_long = held.arithmetic(Op::Compare(CompareOp::Eq), held.length(), others.length());
            let least = Some(held.arithmetic(Op::Binary(BinaryOp::Min), held.length(), others.length()));
            let (held, others) = (held.cut(py, None, least)?, others.cut(py, None, least)?);
            let mut equal = held.rows(Staged::strong(as_long));
            for (at, (&x, &y)) in held.leaves.iter().zip(&others.leaves).enumerate() {
                if held.tracing.trace.ty(x.value).rank() > 1 {
                    return Err(refused(py, "lists of arrays are compared in the graph"));
                }
                let one =
                    items.as_ref().map(|(a, b)| a.iter().zip(b).map(|(a, b)| a[at].is(&b[at])).collect());
                let same = equal_rows(py, &held.rows(x), &held.rows(y), one)?;
                let all = Call::Reduce { op: ReduceOp::All, axes: None, keep: false };
                equal = both(py, Some(equal), operands::apply(py, &all, vec![same])?)?;
            }
            operands::tensor(py, equal)
        }
        (Some(held), Some(_)) => {
            let none = held.arithmetic(Op::Compare(CompareOp::Lt), held.number(0), held.number(0));
            answer(&held, none)
        }
    }
}

impl Elements {
    /// A value of the graph that they belong to.
    fn rows(&self, value: Staged) -> Operand {
        Operand::Staged(self.tracing.clone(), value)
    }
}

fn both(py: Python<'_>, all: Option<Operand>, more: Operand) -> PyResult<Operand> {
    match all {
        None => Ok(more),
        Some(all) => operands::apply(py, &Call::binary(BinaryOp::And), vec![all, more]),
    }
}

/// The leaves of each item, unless rows of the graph stand among them: those are nobody's objects.
fn leaves_of(list: &Bound<'_, PyList>) -> PyResult<Option<Leaves>> {
    if has_rows(list) {
        return Ok(None);
    }
    let leaves = |item: Bound<'_, PyAny>| {
        let mut leaves = Vec::new();
        Skeleton::of(&item, &mut leaves).map(|_| leaves)
    };
    list.iter().map(leaves).collect::<PyResult<_>>().map(Some)
}

/// Where rows equal a value, or rows beside them; `one` says which are one object.
fn equal_rows(py: Python<'_>, rows: &Operand, to: &Operand, one: Option<Vec<bool>>) -> PyResult<Operand> {
    let equal = operands::apply(py, &Call::binary(CompareOp::Eq), vec![rows.clone(), to.clone()])?;
    match tell_apart(py, rows, to, one)? {
        None => Ok(equal),
        Some(one) => operands::apply(py, &Call::binary(BinaryOp::Or), vec![equal, one]),
    }
}

/// Lets the run fail where both may be NaN and nobody knows whether they are one object; gives where they are.
fn tell_apart(py: Python<'_>, a: &Operand, b: &Operand, one: Option<Vec<bool>>) -> PyResult<Option<Operand>> {
    if !may_be_nan(a) || !may_be_nan(b) {
        return Ok(None);
    }
    let Some(tracing) = session::current() else { return Ok(None) };
    let is_nan = |x: &Operand| operands::apply(py, &Call::binary(CompareOp::Ne), vec![x.clone(), x.clone()]);
    let one = one.map(|one| {
        let bytes: Vec<u8> = one.iter().map(|&is| u8::from(is)).collect();
        Operand::Tensor(Buffer::from_bytes(DType::Bool, &[one.len()], &bytes))
    });
    let mut doubt = operands::apply(py, &Call::binary(BinaryOp::And), vec![is_nan(a)?, is_nan(b)?])?;
    if let Some(one) = &one {
        let other = operands::apply(py, &Call::unary(UnaryOp::Not), vec![one.clone()])?;
        doubt = operands::apply(py, &Call::binary(BinaryOp::And), vec![doubt, other])?;
    }
    if !doubt.lengths().is_empty() {
        let any = Call::Reduce { op: ReduceOp::Any, axes: None, keep: false };
        doubt = operands::apply(py, &any, vec![doubt])?;
    }
    let ok = operands::stage(&tracing, &operands::apply(py, &Call::unary(UnaryOp::Not), vec![doubt])?).value;
    checks::check_limit(py, &tracing, &[ok], CheckKind::Value, vec![Text::Text(DOUBT.to_owned())])?;
    Ok(one)
}

/// True unless it is known that no element is NaN.
fn may_be_nan(operand: &Operand) -> bool {
    operand.dtype().is_float()
        && match operand {
            Operand::Number(number) => number.to_f64().is_nan(),
            Operand::Tensor(buffer) => buffer.scalars().any(|number| number.to_f64().is_nan()),
            Operand::Staged(tracing, staged) => {
                tracing.trace.known(staged.value).is_none_or(|number| number.to_f64().is_nan())
            }
        }
}
