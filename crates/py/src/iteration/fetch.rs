//! Items of what a loop of the graph iterates.

use crate::containers::lists;
use crate::exceptions::errors::Failed;
use crate::host::checks::staged_test;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::iteration::iterable::{Position, Source};
use crate::session::conv::conv;
use crate::session::{self, Tracing};
use crate::values::cell::Origin;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;
use crate::values::view;
use gw_ir::{Attr, BinaryOp, Op, ValueId};
use gw_trace::calls::Item;
use gw_trace::{Items, Staged, Trace, items_of};
use gw_types::Scalar;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// Continuation for an item.
pub type Then<'a, 'py> = &'a dyn Fn(Bound<'py, PyAny>) -> Result<(), Failed>;

/// Runs a step where a bool of the graph is true.
pub type Guard<'a> = &'a dyn Fn(ValueId, &dyn Fn() -> Result<(), Failed>) -> Result<(), Failed>;

/// Fetches items of a source.
pub struct Each<'a, 'py> {
    /// Python.
    pub py: Python<'py>,
    /// The graph.
    pub tracing: &'a Arc<Tracing>,
    /// Guard of an item whose test the graph decides.
    pub guard: Guard<'a>,
}

impl<'py> Each<'_, 'py> {
    /// Does `then` with the item number `k`, if it passes the tests on its way.
    pub fn run(&self, source: &Source<'_>, k: Position, then: Then<'_, 'py>) -> Result<(), Failed> {
        match source {
            Source::Filtered(test, inner) => self.run(inner, k, &|item| {
                let test = test.bind(self.py);
                let passes = if test.is_none() { item.clone() } else { conv(test)?.call1((&item,))? };
                self.where_(&passes, &|| then(item.clone()))
            }),
            Source::Generated(parts, inner) => self.run(inner, k, &|item| {
                let parts = parts.bind(self.py).call1((PyTuple::new(self.py, [item])?,))?;
                let (passes, element): (Bound<'py, PyAny>, Bound<'py, PyAny>) = parts.extract()?;
                self.where_(&passes, &|| then(element.call0()?))
            }),
            Source::Mapped(function, inner) if inner.len() == 1 => {
                self.run(&inner[0], k, &|item| then(conv(function.bind(self.py))?.call1((item,))?))
            }
            Source::Items(_)
            | Source::Rows(..)
            | Source::Elements(..)
            | Source::Counted(..)
            | Source::Zipped(_)
            | Source::Backwards(..)
            | Source::Mapped(..) => then(self.item(source, k)?),
        }
    }

    fn where_(&self, test: &Bound<'py, PyAny>, then: &dyn Fn() -> Result<(), Failed>) -> Result<(), Failed> {
        match staged_test(test)? {
            Some((_, test)) => (self.guard)(test, then),
            None if test.is_truthy()? => then(),
            None => Ok(()),
        }
    }

    /// The item number `k` of a source all of whose items pass.
    fn item(&self, source: &Source<'_>, k: Position) -> PyResult<Bound<'py, PyAny>> {
        let (py, trace) = (self.py, &self.tracing.trace);
        match source {
            Source::Items(items) => {
                if let (Some((start, step)), Position::Known(k)) = (items.integers(trace), k) {
                    return Ok((start + k * step).into_pyobject(py)?.into_any());
                }
                self.tensor(items.at(trace, k.value(trace)))
            }
            Source::Rows(items, of, held) => self.row(*items, of.bind(py), *held, k),
            Source::Elements(_, list) => lists::element(list.bind(py), k.value(trace)),
            Source::Counted(start, inner) => {
                let number = start.bind(py).add(k.object(py, self.tracing)?)?;
                Ok(PyTuple::new(py, [number, self.item(inner, k)?])?.into_any())
            }
            Source::Zipped(inner) => self.tuple(inner, k).map(Bound::into_any),
            Source::Backwards(length, inner) => self.item(inner, self.mirrored(*length, inner, k)),
            Source::Mapped(function, inner) => conv(function.bind(py))?.call1(self.tuple(inner, k)?),
            Source::Filtered(..) | Source::Generated(..) => {
                Err(crate::exceptions::errors::InternalError::new_err("an item that may not pass is fetched"))
            }
        }
    }

    fn tuple(&self, sources: &[Source<'_>], k: Position) -> PyResult<Bound<'py, PyTuple>> {
        let items = sources.iter().map(|s| self.item(s, k)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(self.py, items)
    }

    fn tensor(&self, staged: Staged) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(self.py, Tensor::staged(self.tracing.clone(), staged))?.into_any())
    }

    /// The row number `k` of a tensor, which held something when its rows were counted, as it is now.
    fn row(
        &self,
        items: Items,
        of: &Bound<'py, PyAny>,
        held: ValueId,
        k: Position,
    ) -> PyResult<Bound<'py, PyAny>> {
        let trace = &self.tracing.trace;
        let Ok(array) = of.cast::<Tensor>() else {
            let row = Tensor::staged(self.tracing.clone(), items.at(trace, k.value(trace)));
            return Ok(Bound::new(self.py, copied_row(row))?.into_any());
        };
        let now = operands::stage(self.tracing, &operands::operand(array.as_any())?);
        let items = if now.value == held { items } else { items_of(trace, now).unwrap_or(items) };
        let k = k.value(trace);
        let row = Tensor::staged(self.tracing.clone(), items.at(trace, k));
        let at = Operand::Staged(self.tracing.clone(), Staged::strong(k));
        Ok(Bound::new(self.py, view::part(array, row, vec![Item::Given], vec![at]))?.into_any())
    }

    /// The position as counted from the end.
    fn mirrored(&self, length: Option<i64>, source: &Source<'_>, k: Position) -> Position {
        let trace = &self.tracing.trace;
        if let (Some(length), Position::Known(k)) = (length, k) {
            return Position::Known(length - 1 - k);
        }
        let count = source.count(self.tracing);
        let k = k.value(trace);
        let one = trace.number(Scalar::Int(1)).value;
        let last = arithmetic(trace, Op::Binary(BinaryOp::Sub), count, one);
        Position::Staged(arithmetic(trace, Op::Binary(BinaryOp::Sub), last, k))
    }
}

/// A row that does not change with the tensor it is one of.
fn copied_row(row: Tensor) -> Tensor {
    if row.is_number() {
        return row;
    }
    if let Some(tracing) = session::current() {
        tracing.arrays().part_read();
    }
    row.know(Semantics::Reference);
    row.with(Origin::Part)
}

/// Arithmetic on numbers of the graph that always fits.
pub fn arithmetic(trace: &Trace, op: Op, x: ValueId, y: ValueId) -> ValueId {
    trace.build(|b| b.op(op, Attr::None, &[x, y])).expect("positions are integers")
}
