//! `for` over values of the graph: one loop in the graph, whose items are fetched as Python would fetch them.

use gw_base::Code;
use gw_ir::{BinaryOp, Op, ValueId};
use gw_trace::{Host, Slot, Staged, State, for_, if_};
use gw_types::Scalar;
use pyo3::prelude::*;

use crate::containers::lists::placed;
use crate::effects::alias;
use crate::effects::fixpoint::{self, Held};
use crate::effects::places::PyState;
use crate::effects::watch::{Watch, guarded};
use crate::exceptions::errors::Failed;
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::iteration::fetch::{Each, Then, arithmetic};
use crate::iteration::iterable::{Iterable, Position, Progress};
use crate::operators::logic::choose;
use crate::operators::statements::answer;
use crate::optional::maybe::{Maybe, Unbound};
use crate::values::tensor::Tensor;

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
            count = arithmetic(trace, Op::Binary(BinaryOp::Sub), count, given);
        }
        for_(host, count, slots, state, extra_test, &|k| {
            let k = given.map_or(k, |given| arithmetic(trace, Op::Binary(BinaryOp::Add), k, given));
            each.run(&source, Position::Staged(k), then)
        })
    })
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
    // An object among the results may be one of the items.
    alias::listed(&value)?;
    placed::is_copied(&value)?;
    let known = |bound: bool| bound.into_pyobject(py).map(|b| b.to_owned().into_any());
    let bound = match bound {
        Bit::Never => known(false)?,
        Bit::Always => known(true)?,
        Bit::At(bit) => Bound::new(py, Tensor::staged(tracing, Staged::strong(bit)))?.into_any(),
    };
    Ok((bound, value))
}

/// True if a variable has a value.
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
