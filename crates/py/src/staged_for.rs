//! `for` over values of the graph: one loop in the graph, whose items are fetched as Python would fetch them.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{Attr, Op, ValueId};
use gw_trace::calls::Item;
use gw_trace::{Host, Items, Slot, Staged, State, Trace, for_, if_, items_of};
use gw_types::Scalar;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cell::Origin;
use crate::checks::staged_test;
use crate::conv::conv;
use crate::errors::Failed;
use crate::fixpoint::{self, Held};
use crate::host::PyHost;
use crate::iterable::{Iterable, Position, Progress, Source};
use crate::maybe::{Maybe, Unbound};
use crate::operand::Operand;
use crate::operators::logic::choose;
use crate::operators::statements::answer;
use crate::places::PyState;
use crate::semantics::Semantics;
use crate::session::{self, Tracing};
use crate::skeleton::Skeleton;
use crate::tensor::Tensor;
use crate::watch::{Watch, guarded};
use crate::{pack, view};

/// What to do with an item.
pub type Then<'a, 'py> = &'a dyn Fn(Bound<'py, PyAny>) -> Result<(), Failed>;

/// Runs a step where a bool of the graph is true.
pub type Guard<'a> = &'a dyn Fn(ValueId, &dyn Fn() -> Result<(), Failed>) -> Result<(), Failed>;

/// Fetches items of a source.
pub struct Each<'a, 'py> {
    /// Python.
    pub py: Python<'py>,
    /// The graph.
    pub tracing: &'a Arc<Tracing>,
    /// What is done with an item whose test the graph decides.
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
            Source::Counted(start, inner) => {
                let number = start.bind(py).add(k.object(py, self.tracing)?)?;
                Ok(PyTuple::new(py, [number, self.item(inner, k)?])?.into_any())
            }
            Source::Zipped(inner) => self.tuple(inner, k).map(Bound::into_any),
            Source::Backwards(length, inner) => self.item(inner, self.mirrored(*length, inner, k)),
            Source::Mapped(function, inner) => conv(function.bind(py))?.call1(self.tuple(inner, k)?),
            Source::Filtered(..) | Source::Generated(..) => {
                Err(crate::errors::InternalError::new_err("an item that may not pass is fetched"))
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
        let now = pack::stage(self.tracing, &pack::operand(array.as_any())?);
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
        let last = arithmetic(trace, Op::Sub, count, one);
        Position::Staged(arithmetic(trace, Op::Sub, last, k))
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

/// Stages `for item in iterable: body(item)`, while `extra_test()`.
pub fn staged_for<'py>(
    iterable: &Bound<'py, Iterable>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let slots = state.slots()?;
    let py = body.py();
    let functions = iterable.get().functions(py);
    let blocks: Vec<_> = [Some(body), extra_test].into_iter().flatten().chain(&functions).collect();
    let host = PyHost::new(py, iterable.get().tracing().clone()).with_blocks(&[body]);
    let test = extra_test.map(|test| {
        let host = &host;
        move || answer(host, test)
    });
    let test = test.as_ref().map(|t| t as &dyn Fn() -> Result<ValueId, Failed>);
    guarded(py, Code::LoopChangesObject, Some((state, &slots)), &blocks, |watch| {
        each_item(&host, watch, iterable, test, &Flow { state, slots: &slots }, &|item| {
            body.call1((item,))?;
            Ok(())
        })
    })?;
    iterable.get().check_unchanged(py)
}

/// The variables of a loop.
struct Flow<'a, 'py> {
    state: &'a dyn State<PyHost<'py>>,
    slots: &'a [Slot],
}

fn each_item<'py>(
    host: &PyHost<'py>,
    watch: &Watch<'py>,
    iterable: &Bound<'py, Iterable>,
    extra_test: Option<&dyn Fn() -> Result<ValueId, Failed>>,
    flow: &Flow<'_, 'py>,
    then: Then<'_, 'py>,
) -> Result<(), Failed> {
    let (py, this) = (iterable.py(), iterable.get());
    let Progress::At(given) = this.progress(py)? else { return Ok(()) };
    this.set(if extra_test.is_none() { Progress::Ended } else { Progress::Unknown });
    let trace = host.trace();
    let guard = |test, step: &dyn Fn() -> Result<(), Failed>| {
        fixpoint::staged(host, watch, flow.state, flow.slots, &|state, slots| {
            if_(host, test, slots, state, [step, &|| Ok(())])
        })
    };
    let each = Each { py, tracing: this.tracing(), guard: &guard };
    fixpoint::staged(host, watch, flow.state, flow.slots, &|state, slots| {
        let source = this.open(py)?;
        let mut count = source.count(this.tracing());
        let given = (given > 0).then(|| trace.number(Scalar::Int(given as i64)).value);
        if let Some(given) = given {
            count = arithmetic(trace, Op::Sub, count, given);
        }
        for_(host, count, slots, state, extra_test, &|k| {
            let k = given.map_or(k, |given| arithmetic(trace, Op::Add, k, given));
            each.run(&source, Position::Staged(k), then)
        })
    })
}

fn arithmetic(trace: &Trace, op: Op, x: ValueId, y: ValueId) -> ValueId {
    trace.build(|b| b.op(op, Attr::None, &[x, y])).expect("positions are integers")
}

/// `step(… step(step(first, second), third) …)`; whether there was a first item, and the result if there was.
#[pyfunction]
pub fn fold<'py>(
    iterable: &Bound<'py, Iterable>,
    step: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = iterable.py();
    let tracing = iterable.get().tracing().clone();
    let host = PyHost::new(py, tracing.clone());
    let held = Held::new(py)?;
    let slots = [Slot::Result];
    let then = |item| {
        let (bound, so_far) = parted(held.take().bind(py))?;
        let next = match bound {
            Bit::Never => item,
            Bit::Always => step.call1((so_far, item))?,
            Bit::At(bit) => {
                let more = || step.call1((&so_far, &item));
                choose(py, tracing.clone(), bit, [&more, &|| Ok(item.clone())], &[step])?
            }
        };
        held.put(next);
        Ok(())
    };
    let functions = iterable.get().functions(py);
    let blocks: Vec<_> = std::iter::once(step).chain(&functions).collect();
    guarded(py, Code::LoopChangesObject, None, &blocks, |watch| {
        each_item(&host, watch, iterable, None, &Flow { state: &held, slots: &slots }, &then)
    })?;
    let (bound, value) = parted(held.take().bind(py))?;
    let known = |bound: bool| bound.into_pyobject(py).map(|b| b.to_owned().into_any());
    let bound = match bound {
        Bit::Never => known(false)?,
        Bit::Always => known(true)?,
        Bit::At(bit) => Bound::new(py, Tensor::staged(tracing, Staged::strong(bit)))?.into_any(),
    };
    Ok((bound, value))
}

/// Whether a variable has a value.
enum Bit {
    Never,
    Always,
    At(ValueId),
}

/// A value taken apart: whether there is one, and what it is then.
fn parted<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Bit, Bound<'py, PyAny>)> {
    let py = object.py();
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(object, &mut leaves)?;
    let mut bit = Bit::Always;
    for leaf in &mut leaves {
        let bound = leaf.bind(py).clone();
        if bound.is_instance_of::<Unbound>() {
            bit = Bit::Never;
        } else if let Some(maybe) = Maybe::unbound(&bound) {
            let maybe = maybe.get();
            bit = Bit::At(maybe.bound);
            *leaf = Py::new(py, Tensor::staged(maybe.tracing.clone(), maybe.staged))?.into_any();
        }
    }
    Ok((bit, skeleton.rebuild(py, &mut leaves.into_iter())?))
}
