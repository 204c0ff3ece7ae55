//! Indices, slices and values as Python's lists take them, for elements in the graph: checked when the graph runs, with
//! Python's messages.

use gw_base::Code;
use gw_ir::{ArgOp, Attr, BinaryOp, CheckKind, CompareOp, Op, Piece as Text, ReduceOp, ValueId};
use gw_trace::calls::{Call, End, Item};
use gw_trace::{Piece, Staged};
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use super::elements::{Elements, differ, elements, list, parts, put, refused};
use super::items::found;
use super::{nested, settled};
use crate::convert::written::{self, Asked};
use crate::exceptions::errors;
use crate::host::checks::{self, is_staged_index};
use crate::host::operand::Operand;
use crate::host::{messages, operands};
use crate::session;
use crate::values::tensor::Tensor;

/// `xs[key]`
pub fn get<'py>(of: &Bound<'py, PyList>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    if let (Some(lists), false) = (nested::lists_in(of), key.is_instance_of::<PySlice>()) {
        return nested::chosen(&lists, &Index::of(key)?);
    }
    let held = if super::has_rows(of) {
        settled(of)?
    } else {
        elements(of).map_err(|e| unfit(of.as_any(), of, e))?
    };
    if let Ok(slice) = key.cast::<PySlice>() {
        let Some(held) = held else { return Ok(PyList::empty(py).into_any()) };
        return Ok(list(py, &held.sliced(py, slice)?)?.into_any());
    }
    let index = Index::of(key)?;
    let held = some(of, held, "list index out of range")?;
    held.judge(py, &index, "list index out of range")?;
    held.at(py, &index)
}

/// The diagnostic where a tensor chooses among `items`, those of a list or dict that is `held`: the first that a graph cannot
/// choose is named, if that is why it failed.
pub fn unfit<'py>(held: &Bound<'py, PyAny>, items: &Bound<'py, PyList>, error: PyErr) -> PyErr {
    let py = held.py();
    let first = items.iter().find(|item| !super::elements::is_element(item).unwrap_or(true));
    let Some(kind) = first.and_then(|item| item.get_type().name().ok()) else { return error };
    written::refusal(py, Asked::Item(held, &kind.to_string_lossy())).unwrap_or(error)
}

/// `xs[key] = value`
pub fn set(of: &Bound<'_, PyList>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    if let Ok(slice) = key.cast::<PySlice>() {
        return set_slice(of, slice, value);
    }
    let index = Index::of(key)?;
    let held = some(of, settled(of)?, "list assignment index out of range")?;
    held.judge(py, &index, "list assignment index out of range")?;
    let (held, value) = held.with(py, value)?;
    let index = index.operand(&held)?;
    let store = |rows: Operand, value: Operand| {
        operands::apply(py, &Call::Store(vec![Item::Given]), vec![rows, value, index.clone()])
    };
    put(of, &held.zip(value, store)?)
}

fn set_slice(of: &Bound<'_, PyList>, slice: &Bound<'_, PySlice>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    let part = |name| slice.getattr(name);
    if !part("step")?.is_none() || !part("start")?.is_none() && !part("stop")?.is_none() {
        return Err(refused(py, "a part in the middle of a list in the graph is assigned"));
    }
    let Ok(value) = value.cast::<PyList>() else {
        return Err(refused(py, "a part of a list in the graph is assigned what is no list"));
    };
    let (start, stop) = (part("start")?, part("stop")?);
    let rest = |start: Bound<'_, PyAny>, stop: Bound<'_, PyAny>| -> PyResult<Vec<Py<PyAny>>> {
        let slice = py.get_type::<PySlice>().call1((start, stop))?;
        let rest = get(of, &slice)?;
        Ok(rest.cast::<PyList>()?.iter().map(Bound::unbind).collect())
    };
    let none = py.None().into_bound(py);
    let value: Vec<Py<PyAny>> = value.iter().map(Bound::unbind).collect();
    let all = match (start.is_none(), stop.is_none()) {
        (true, true) => value,
        (true, false) => [value, rest(stop, none)?].concat_refs(py),
        (false, _) => [rest(none, start)?, value].concat_refs(py),
    };
    of.set_slice(0, of.len(), PyList::new(py, all)?.as_any())
}

/// Lists of objects, joined.
trait ConcatRefs {
    fn concat_refs(self, py: Python<'_>) -> Vec<Py<PyAny>>;
}

impl ConcatRefs for [Vec<Py<PyAny>>; 2] {
    fn concat_refs(self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.iter().flatten().map(|item| item.clone_ref(py)).collect()
    }
}

/// `del xs[key]`
pub fn delete(of: &Bound<'_, PyList>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    if let Ok(slice) = key.cast::<PySlice>() {
        return set_slice(of, slice, PyList::empty(py).as_any());
    }
    remove_at(of, &Index::of(key)?, "list assignment index out of range").map(drop)
}

/// Takes the element at an index out of a list, and gives it.
pub fn remove_at<'py>(of: &Bound<'py, PyList>, index: &Index, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    let held = some(of, settled(of)?, text)?;
    held.judge(py, index, text)?;
    let taken = held.at(py, index)?;
    let last = Item::Slice(End::Open, End::At(-1), 1);
    let rest = match index {
        Index::Known(-1) => held.map(py, &Call::Subscript(vec![last]), &[])?,
        Index::Known(0) => {
            held.map(py, &Call::Subscript(vec![Item::Slice(End::At(1), End::Open, 1)]), &[])?
        }
        Index::Known(_) | Index::Given(_) => {
            let at = held.counted_up(index);
            let next = held.arithmetic(Op::Binary(BinaryOp::Add), at, held.number(1));
            held.cut(py, None, Some(at))?.joined(py, &held.cut(py, Some(next), None)?)?
        }
    };
    put(of, &rest)?;
    Ok(taken)
}

/// `xs.insert(index, value)`
pub fn insert(of: &Bound<'_, PyList>, index: &Index, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = of.py();
    let Some(held) = settled(of)? else { return of.append(value) };
    let at = index.value(&held);
    let front = list(py, &held.cut(py, None, Some(at))?)?;
    front.append(value)?;
    front.append(list(py, &held.cut(py, Some(at), None)?)?.get_item(0)?)?;
    of.set_slice(0, of.len(), front.as_any())?;
    settled(of).map(drop)
}

/// Where a value is first; the run fails with `text` if it is nowhere.
pub fn find<'py>(
    of: &Bound<'py, PyList>,
    value: &Bound<'py, PyAny>,
    text: &Bound<'py, PyAny>,
) -> PyResult<Index> {
    let py = of.py();
    let Some((held, equal)) = found(of, value)? else {
        return Err(PyValueError::new_err((text.clone().unbind(),)));
    };
    let any = operands::apply(py, &any(), vec![equal.clone()])?;
    let tracing = &held.tracing;
    let ok = operands::stage(tracing, &any).value;
    let (pieces, shown) = messages::message(text, 1)?;
    let shown = shown.iter().map(|operand| operands::stage(tracing, operand).value);
    let values: Vec<_> = std::iter::once(ok).chain(shown).collect();
    checks::check(py, tracing, &values, CheckKind::Value, pieces)?;
    let first = operands::apply(py, &Call::Cast(DType::I32), vec![equal])?;
    let first = operands::apply(py, &Call::Arg { op: ArgOp::Max, axis: 0 }, vec![first])?;
    let first = operands::apply(py, &Call::Cast(DType::I64), vec![first])?;
    Ok(Index::Given(operands::stage(tracing, &first)))
}

/// `xs.count(value)`
pub fn count<'py>(of: &Bound<'py, PyList>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    let Some((held, equal)) = found(of, value)? else { return Ok(0i64.into_pyobject(py)?.into_any()) };
    let ones = operands::apply(py, &Call::Cast(DType::I64), vec![equal])?;
    let sum = Call::Reduce { op: ReduceOp::Sum, axes: None, keep: false };
    let sum = operands::stage(&held.tracing, &operands::apply(py, &sum, vec![ones])?);
    let sum = Staged { value: sum.value, weak: Some(gw_types::Number::Int) };
    Ok(Bound::new(py, Tensor::staged(held.tracing.clone(), sum))?.into_any())
}

/// `value in xs`
pub fn contains<'py>(of: &Bound<'py, PyList>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = of.py();
    match found(of, value)? {
        None => Ok(false.into_pyobject(py)?.to_owned().into_any()),
        Some((_, equal)) => operands::tensor(py, operands::apply(py, &any(), vec![equal])?),
    }
}

fn any() -> Call {
    Call::Reduce { op: ReduceOp::Any, axes: None, keep: false }
}

/// The elements, which a list that is empty while tracing has not.
pub fn some(of: &Bound<'_, PyList>, held: Option<Elements>, text: &str) -> PyResult<Elements> {
    if let Some(held) = held {
        return Ok(held);
    }
    super::missed(of);
    Err(pyo3::exceptions::PyIndexError::new_err(text.to_owned()))
}

/// An index.
#[derive(Debug, Clone, Copy)]
pub enum Index {
    /// A number of Python's.
    Known(i64),
    /// A value of the graph.
    Given(Staged),
}

impl Index {
    /// Reads the entries between the brackets.
    pub fn of(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = key.py();
        if is_staged_index(key) {
            let operand = operands::operand(key)?;
            let tracing = session::current().expect("a value of the graph has one");
            if !operand.dtype().is_int() || !operand.lengths().is_empty() {
                let message = "the index of a list must be one integer";
                return Err(errors::here(
                    py,
                    Code::BadArgument,
                    message,
                    "give an integer tensor without axes",
                ));
            }
            let wide = operands::apply(py, &Call::Cast(DType::I64), vec![operand])?;
            return Ok(Index::Given(operands::stage(&tracing, &wide)));
        }
        match key.call_method0("__index__") {
            Ok(index) => Ok(Index::Known(index.extract()?)),
            Err(_) => {
                let kind = key.get_type().name()?;
                Err(PyTypeError::new_err(format!("list indices must be integers or slices, not {kind}")))
            }
        }
    }

    /// As Python sees it.
    pub fn shown(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Index::Known(i) => Ok(i.into_pyobject(py)?.into_any()),
            Index::Given(staged) => {
                let tracing =
                    session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
                let weak = Staged { value: staged.value, weak: Some(gw_types::Number::Int) };
                Ok(Bound::new(py, Tensor::staged(tracing, weak))?.into_any())
            }
        }
    }

    /// As a value of the graph.
    pub fn value(&self, held: &Elements) -> ValueId {
        match *self {
            Index::Known(i) => held.number(i),
            Index::Given(staged) => staged.value,
        }
    }

    fn operand(&self, held: &Elements) -> PyResult<Operand> {
        Ok(Operand::Staged(held.tracing.clone(), Staged::strong(self.value(held))))
    }
}

impl Elements {
    /// A number of Python's.
    pub fn number(&self, i: i64) -> ValueId {
        self.tracing.trace.number(Scalar::Int(i)).value
    }

    /// What an operation gives for positions and lengths.
    pub fn arithmetic(&self, op: Op, x: ValueId, y: ValueId) -> ValueId {
        let made = self.tracing.trace.build(|b| b.op(op, Attr::None, &[x, y]));
        made.expect("positions are integers")
    }

    fn compare(&self, op: Op, x: ValueId, y: ValueId) -> ValueId {
        self.arithmetic(op, x, y)
    }

    /// Fails with an `IndexError` when the graph runs, unless there is an element at the index.
    pub fn judge(&self, py: Python<'_>, index: &Index, text: &str) -> PyResult<()> {
        if let (Index::Known(i), Some(n)) = (*index, self.count())
            && (-(n as i64)..n as i64).contains(&i)
        {
            return Ok(());
        }
        let n = self.length();
        let ok = match *index {
            Index::Known(i) if i >= 0 => self.compare(Op::Compare(CompareOp::Lt), self.number(i), n),
            Index::Known(i) => self.compare(Op::Compare(CompareOp::Ge), n, self.number(i.saturating_neg())),
            Index::Given(staged) => {
                let below = self.compare(Op::Compare(CompareOp::Lt), staged.value, n);
                let first = self.arithmetic(Op::Binary(BinaryOp::Sub), self.number(0), n);
                let above = self.compare(Op::Compare(CompareOp::Ge), staged.value, first);
                self.arithmetic(Op::Binary(BinaryOp::And), below, above)
            }
        };
        checks::check(py, &self.tracing, &[ok], CheckKind::Index, vec![Text::Text(text.to_owned())])
    }

    /// The element at an index, which there is.
    pub fn at<'py>(&self, py: Python<'py>, index: &Index) -> PyResult<Bound<'py, PyAny>> {
        let leaves = self.map(py, &Call::Subscript(vec![Item::Given]), &[index.operand(self)?])?.leaves;
        for (rows, item) in self.leaves.iter().zip(&leaves) {
            gw_trace::taken(&self.tracing.trace, rows.value, item.value);
        }
        self.one(py, leaves)
    }

    /// An index as counted from the start.
    fn counted_up(&self, index: &Index) -> ValueId {
        match *index {
            Index::Known(i) if i >= 0 => self.number(i),
            Index::Known(i) => self.arithmetic(Op::Binary(BinaryOp::Add), self.length(), self.number(i)),
            Index::Given(staged) => {
                let zero = self.number(0);
                let negative = self.compare(Op::Compare(CompareOp::Lt), staged.value, zero);
                let turned = self.arithmetic(Op::Binary(BinaryOp::Add), staged.value, self.length());
                let made = self
                    .tracing
                    .trace
                    .build(|b| b.op(Op::Select, Attr::None, &[negative, turned, staged.value]));
                made.expect("positions are integers")
            }
        }
    }

    /// The same call on the rows of every leaf.
    pub fn map(&self, py: Python<'_>, call: &Call, others: &[Operand]) -> PyResult<Elements> {
        let leaf = |&leaf: &Staged| {
            let rows = Operand::Staged(self.tracing.clone(), leaf);
            let operands = std::iter::once(rows).chain(others.iter().cloned()).collect();
            let made = operands::stage(&self.tracing, &operands::apply(py, call, operands)?);
            Ok(Staged { value: made.value, weak: leaf.weak })
        };
        Ok(Elements { leaves: self.leaves.iter().map(leaf).collect::<PyResult<_>>()?, ..self.clone() })
    }

    fn zip(
        &self,
        values: Vec<Staged>,
        step: impl Fn(Operand, Operand) -> PyResult<Operand>,
    ) -> PyResult<Elements> {
        let operand = |staged| Operand::Staged(self.tracing.clone(), staged);
        let leaf = |(&rows, value): (&Staged, Staged)| {
            let made = step(operand(rows), operand(Staged::strong(value.value)))?;
            Ok(Staged { value: operands::stage(&self.tracing, &made).value, weak: rows.weak })
        };
        let leaves = self.leaves.iter().zip(values).map(leaf).collect::<PyResult<_>>()?;
        Ok(Elements { leaves, ..self.clone() })
    }

    /// The elements from one position to another.
    pub fn cut(&self, py: Python<'_>, start: Option<ValueId>, stop: Option<ValueId>) -> PyResult<Elements> {
        let end = |end: Option<ValueId>| if end.is_some() { End::Given } else { End::Open };
        let operand = |value| Operand::Staged(self.tracing.clone(), Staged::strong(value));
        let given: Vec<_> = start.into_iter().chain(stop).map(operand).collect();
        self.map(py, &Call::Subscript(vec![Item::Slice(end(start), end(stop), 1)]), &given)
    }

    fn joined(&self, py: Python<'_>, other: &Elements) -> PyResult<Elements> {
        let join = |x, y| operands::apply(py, &Call::Concat { axis: 0 }, vec![x, y]);
        self.zip(other.leaves.clone(), join)
    }

    fn sliced(&self, py: Python<'_>, slice: &Bound<'_, PySlice>) -> PyResult<Elements> {
        let (mut items, mut others) = (Vec::new(), Vec::new());
        crate::values::subscripts::entries(slice.as_any(), &mut items, &mut others)?;
        self.map(py, &Call::Subscript(items), &others)
    }

    /// These elements and the leaves of one more value, in the types in which they meet.
    fn with(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<(Elements, Vec<Staged>)> {
        let (skeleton, pieces) = parts(&self.tracing, value)?;
        if !self.element.same(&skeleton, py) {
            return Err(refused(py, "the elements of a list in the graph differ in their structure"));
        }
        let (mut leaves, mut values) = (Vec::new(), Vec::new());
        for (&rows, piece) in self.leaves.iter().zip(pieces) {
            let met = gw_trace::meet(&self.tracing.trace, &[Piece::Rows(rows), piece]);
            let met = met.map_err(|misfit| differ(py, &misfit))?;
            leaves.push(met[0]);
            values.push(met[1]);
        }
        Ok((Elements { leaves, ..self.clone() }, values))
    }
}
