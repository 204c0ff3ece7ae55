//! What converted code calls in place of Python's statements: each asks who decides what its subject means, the graph,
//! a backend, or else Python, and leaves it to them.

mod asserts;
pub mod backend;
mod comprehensions;
mod flags;
pub mod logic;
pub mod match_;
pub mod names;
mod owner;
mod powers;
pub mod registry;
pub mod texts;
pub mod told;
mod tries;
mod withs;
mod yields;

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{Attr, CheckKind, Literal, Op, Piece, PrintFormat, Stream, ValueId};
use gw_trace::{Host, Seen, Staged, go_on, if_, while_};
use gw_types::{DType, Scalar, TensorType};
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::conv::conv;
use crate::errors::{self, Failed};
use crate::generators::{self, Generator};
use crate::host::PyHost;
use crate::iterable::Iterable;
use crate::maybe::Maybe;
use crate::meanings::rows;
use crate::places::PyState;
use crate::python_for::python_for;
use crate::rolling::Candidate;
use crate::session::{self, Tracing};
use crate::staged_for::staged_for;
use crate::tensor::Tensor;
use crate::watch::guarded;
use crate::{
    compare, fixpoint, frames, lists, loop_options, number_types, optional, pack, recursion_limit, roll,
    tables,
};

pub use names::{given, read};
pub use registry::{Decides, decides, tested};
pub use tries::{Handled, class_of, failures_by, failures_of, first_failure, not_caught};
pub use yields::OneByOne;

/// The operators, as converted code sees them: one object with a method each.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Operators {
    /// Whether what is called is converted too.
    recursive: bool,
}

/// The one object.
pub fn the(py: Python<'_>) -> PyResult<Bound<'_, Operators>> {
    static THE: PyOnceLock<Py<Operators>> = PyOnceLock::new();
    Ok(THE.get_or_try_init(py, || Py::new(py, Operators { recursive: true }))?.bind(py).clone())
}

/// The operators of a function whose callees stay as they are.
pub fn shallow(py: Python<'_>) -> PyResult<Bound<'_, Operators>> {
    static THE: PyOnceLock<Py<Operators>> = PyOnceLock::new();
    Ok(THE.get_or_try_init(py, || Py::new(py, Operators { recursive: false }))?.bind(py).clone())
}

#[pymethods]
impl Operators {
    /// The `else` of an `if` without one.
    fn nothing(&self) {}

    /// `if test: body() else: orelse()`
    fn if_stmt(
        &self,
        test: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        orelse: &Bound<'_, PyAny>,
        state: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let blocks = [body, orelse];
        branch(test, blocks, &PyState::new(state, &blocks), &blocks)
    }

    /// `while test(): body()`, until the variable named `flag` is true.
    #[pyo3(signature = (test, body, state, flag=None))]
    fn while_stmt(
        &self,
        test: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        state: &Bound<'_, PyTuple>,
        flag: Option<&str>,
    ) -> PyResult<()> {
        let blocks = [test, body];
        let state = PyState::new(state, &blocks);
        let test = &flag.map_or(Ok(test.clone()), |flag| flags::unless(flag, body, Some(test)))?;
        let mut watch = roll::Watch::begin();
        let _options = loop_options::in_loop();
        loop {
            let go = tested(&recursion_limit::call(test, ())?)?;
            match decides(&go)? {
                Decides::Python if go.is_truthy()? => {
                    if let Some(rest) = Candidate::of_while(body, &state)?
                        && rest.rest_of_while(&watch, test)?
                    {
                        return Ok(());
                    }
                    recursion_limit::call(body, ())?;
                    watch.goes_on(test.py())?;
                }
                Decides::Python => return Ok(()),
                Decides::Graph(tracing, staged) => {
                    let go = test_of(test.py(), &tracing, staged)?;
                    return graph_while(tracing, go, [test, body], &state, &blocks, false);
                }
                Decides::Backend(backend) => {
                    let parts = [&go, test, body];
                    return backend.statement("while_stmt", Code::LoopChangesObject, &parts, &state, &blocks);
                }
            }
        }
    }

    /// Whether a test leaves a loop.
    fn leaves<'py>(&self, test: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        flags::leaves(test)
    }

    /// `for item in iterable: body(item)`, until the variable named `flag` is true.
    #[pyo3(signature = (iterable, flag, body, state))]
    fn for_stmt(
        &self,
        iterable: &Bound<'_, PyAny>,
        flag: Option<&str>,
        body: &Bound<'_, PyAny>,
        state: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let blocks = [body];
        let state = PyState::new(state, &blocks);
        let extra_test = flag.map(|flag| flags::unless(flag, body, None)).transpose()?;
        let extra_test = extra_test.as_ref();
        let _options = loop_options::in_loop();
        if let Some(list) = lists::staged(iterable) {
            return lists::each_element(&list, 0, extra_test, body, &state);
        }
        if let Some(found) = tables::iterated(iterable, true)? {
            return tables::each(&found, extra_test, body, &state);
        }
        if let Ok(generator) = iterable.cast::<Generator>()
            && generator.get().can_emit(generator, extra_test.is_some())?
        {
            return generators::each(generator, extra_test, body, &state);
        }
        if let Some((tracing, range)) = roll::rolled(iterable)? {
            let range = Bound::new(body.py(), Tensor::staged(tracing, range))?;
            if let Some(rows) = rows(range.as_any())? {
                return staged_for(rows.cast()?, extra_test, body, &state);
            }
        }
        match decides(iterable)? {
            Decides::Python => match iterable.cast::<Iterable>() {
                Ok(iterable) => staged_for(iterable, extra_test, body, &state),
                Err(_) => match generators::made_anew(iterable)? {
                    Some(generator) => generators::each(&generator, extra_test, body, &state),
                    None => python_for(iterable, extra_test, body, &state),
                },
            },
            Decides::Graph(..) => match rows(iterable)? {
                Some(rows) => staged_for(rows.cast()?, extra_test, body, &state),
                None => {
                    let message = "a tensor without axes cannot be iterated";
                    let help = "use `range`, or `gw.range`";
                    Err(errors::here(body.py(), Code::TensorIterated, message, help))
                }
            },
            Decides::Backend(backend) => {
                let none = body.py().None().into_bound(body.py());
                let parts = [iterable, extra_test.unwrap_or(&none), body];
                backend.statement("for_stmt", Code::LoopChangesObject, &parts, &state, &blocks)
            }
        }
    }

    /// `try: body()`, of which `rest(outcome)` is all else.
    fn try_stmt(
        &self,
        body: &Bound<'_, PyAny>,
        rest: &Bound<'_, PyAny>,
        kinds: Py<PyAny>,
        always: bool,
        state: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        match session::current() {
            Some(tracing) => crate::tries::try_stmt(&tracing, [body, rest], kinds, always, state),
            None => recursion_limit::call(rest, (body,)).map(drop),
        }
    }

    /// What stands for the body in the rest of a `try`.
    fn run(&self, outcome: &Bound<'_, PyAny>) -> PyResult<()> {
        recursion_limit::call(outcome, ()).map(drop)
    }

    /// `body() if test else orelse()`
    fn if_exp<'py>(
        &self,
        test: &Bound<'py, PyAny>,
        body: &Bound<'py, PyAny>,
        orelse: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        logic::conditional(test, body, orelse)
    }

    /// `left and right()`
    fn and_<'py>(&self, left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        logic::and(left, right)
    }

    /// `left or right()`
    fn or_<'py>(&self, left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        logic::or(left, right)
    }

    /// `not operand`
    fn not_<'py>(&self, operand: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        logic::not(operand)
    }

    /// What a test asks of a value: itself, but of a list, dict or set of the graph whether it has elements.
    fn truth<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some((tracing, length)) = lists::length(value)? else { return Ok(value.clone()) };
        let test = test_of(value.py(), &tracing, length)?;
        Ok(Bound::new(value.py(), Tensor::staged(tracing, Staged::strong(test)))?.into_any())
    }

    /// `left < a() < b()` and the like; each link is an operator's text and a thunk.
    #[pyo3(signature = (left, *links))]
    fn compare<'py>(
        &self,
        left: Bound<'py, PyAny>,
        links: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let links =
            links.iter().map(|l| l.extract()).collect::<PyResult<Vec<(String, Bound<'py, PyAny>)>>>()?;
        compare::chain(left, &links)
    }

    /// `value is None`
    fn is_none<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        optional::is_none(value)
    }

    /// `a is b`
    fn is_<'py>(&self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        number_types::is(a, b)
    }

    /// `item in container`
    fn contains<'py>(
        &self,
        item: &Bound<'py, PyAny>,
        container: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        compare::contains(item, container)
    }

    /// The callable to call in place of `function`: converted, if it has source of its own.
    fn conv<'py>(&self, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.recursive { conv(function) } else { Ok(function.clone()) }
    }

    /// `assert test, message()`
    #[pyo3(signature = (test, message=None))]
    fn assert_<'py>(&self, test: &Bound<'py, PyAny>, message: Option<&Bound<'py, PyAny>>) -> PyResult<bool> {
        let (py, test) = (test.py(), &tested(test)?);
        let text = || message.map(|m| m.call0()).transpose();
        match decides(test)? {
            Decides::Python if test.is_truthy()? => Ok(true),
            Decides::Python => Err(match text()? {
                None => PyAssertionError::new_err(()),
                Some(text) => PyAssertionError::new_err((text.unbind(),)),
            }),
            Decides::Graph(tracing, staged) => {
                let ok = test_of(py, &tracing, staged)?;
                let blocks: Vec<_> = message.into_iter().collect();
                let made = || asserts::said(text()?);
                // A message that changes Python's objects is refused: making it here would change them where the assertion holds.
                let fails = || guarded(py, Code::BranchesDisagree, None, &blocks, |_| Ok(made().is_err()));
                if let Some(message) = message
                    && asserts::acts(&tracing, fails)?
                {
                    return asserts::in_branch(test, message).map(|()| true);
                }
                let (pieces, shown) = guarded(py, Code::BranchesDisagree, None, &blocks, |_| Ok(made()?))?;
                let shown = shown.iter().map(|operand| pack::stage(&tracing, operand).value);
                let values: Vec<_> = std::iter::once(ok).chain(shown).collect();
                check(py, &tracing, &values, CheckKind::Assertion, pieces)?;
                Ok(true)
            }
            Decides::Backend(backend) => {
                let none = py.None().into_bound(py);
                let blocks: Vec<_> = message.into_iter().collect();
                backend.expression("assert_", &[test, message.unwrap_or(&none)], &blocks)?;
                Ok(true)
            }
        }
    }
}

/// `if test: body() else: orelse()`, which run the user's functions `blocks`.
pub fn branch<'py>(
    test: &Bound<'py, PyAny>,
    [body, orelse]: [&Bound<'py, PyAny>; 2],
    state: &PyState<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<()> {
    let (py, test) = (test.py(), &tested(test)?);
    match decides(test)? {
        Decides::Python => recursion_limit::call(if test.is_truthy()? { body } else { orelse }, ()).map(drop),
        Decides::Graph(tracing, staged) => {
            let test = test_of(py, &tracing, staged)?;
            let host = PyHost::new(py, tracing).with_blocks(&[body, orelse]);
            let slots = state.slots()?;
            guarded(py, Code::BranchesDisagree, Some((state, &slots)), blocks, |watch| {
                fixpoint::staged(&host, watch, state, &slots, &|state, slots| {
                    if_(&host, test, slots, state, [&|| run(body), &|| run(orelse)])
                })
            })
        }
        Decides::Backend(backend) => {
            backend.statement("if_stmt", Code::BranchesDisagree, &[test, body, orelse], state, blocks)
        }
    }
}

/// `while test(): body()` in the graph, whose first test gave `go`. A loop that is `rolled` ends when the graph says so: a
/// test that Python answers would hold for ever.
pub fn graph_while<'py>(
    tracing: Arc<Tracing>,
    go: ValueId,
    [test, body]: [&Bound<'py, PyAny>; 2],
    state: &PyState<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
    rolled: bool,
) -> PyResult<()> {
    let host = PyHost::new(test.py(), tracing).with_blocks(&[body]);
    let slots = state.slots()?;
    let again = || if rolled { staged_answer(test) } else { answer(&host, test) };
    guarded(test.py(), Code::LoopChangesObject, Some((state, &slots)), blocks, |watch| {
        fixpoint::staged(&host, watch, state, &slots, &|state, slots| {
            while_(&host, go, slots, state, &again, &|| run(body))
        })
    })
}

fn run(block: &Bound<'_, PyAny>) -> Result<(), Failed> {
    recursion_limit::call(block, ())?;
    Ok(())
}

/// What a test says to "go on?".
pub fn answer(host: &PyHost<'_>, test: &Bound<'_, PyAny>) -> Result<ValueId, Failed> {
    let value = test.call0()?;
    if let Some((_, go)) = staged_test(&value)? {
        return Ok(go);
    }
    let go = Seen::Number(Scalar::Bool(value.is_truthy()?));
    Ok(go_on(host.trace(), go).expect("a bool answers"))
}

/// The same, of a test that only the graph may answer.
fn staged_answer(test: &Bound<'_, PyAny>) -> Result<ValueId, Failed> {
    let value = test.call0()?;
    let refused = || errors::here(test.py(), Code::EndlessLoop, "Python answers the test of this loop", "");
    Ok(staged_test(&value)?.map(|(_, go)| go).ok_or_else(refused)?)
}

/// The object as a value of the innermost graph, if it is a tensor and there is one.
pub fn staged_value(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    if let Some(maybe) = Maybe::optional(object) {
        return optional::as_test(maybe).map(Some);
    }
    if let Ok(maybe) = object.cast::<Maybe>() {
        return staged_value(&read(object.py(), maybe)?);
    }
    let Ok(tensor) = object.cast::<Tensor>() else { return Ok(None) };
    let operand = pack::operand(tensor.as_any())?;
    let Some(tracing) = session::current() else { return Ok(None) };
    tracing.trace.set_place(frames::place(object.py()));
    let staged = pack::stage(&tracing, &operand);
    Ok(Some((tracing, staged)))
}

/// The object as a bool of the innermost graph, if it is a tensor and there is one.
pub fn staged_test(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, ValueId)>> {
    let staged = match lists::length(object)? {
        Some(length) => Some(length),
        None => staged_value(object)?,
    };
    let Some((tracing, staged)) = staged else { return Ok(None) };
    let test = test_of(object.py(), &tracing, staged)?;
    Ok(Some((tracing, test)))
}

/// A value of the graph as a bool of it; numbers are compared with zero.
pub fn test_of(py: Python<'_>, tracing: &Tracing, staged: Staged) -> PyResult<ValueId> {
    let ty = tracing.trace.ty(staged.value);
    if ty == TensorType::scalar(DType::Bool) {
        return Ok(staged.value);
    }
    if !ty.is_scalar() {
        let message =
            format!("a condition must be one element, but this is {}", gw_trace::describe(&ty, None));
        let help = "say what is meant with `gw.reduce_any` or `gw.reduce_all`";
        return Err(errors::here(py, Code::WrongShape, message, help));
    }
    let test = tracing.trace.build(|b| {
        let zero = b.constant(Literal::scalar(ty.dtype, Scalar::Int(0)));
        b.op(Op::Ne, Attr::None, &[staged.value, zero])
    });
    test.map_err(|u| errors::unfit(py, u))
}

/// Fails with a text when the graph runs, unless the first of `values` holds; the others stand in the text.
pub fn check(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    pieces: Vec<Piece>,
) -> PyResult<()> {
    check_shown(py, tracing, values, kind, (pieces, None))
}

/// The same for a limit of the graph, where Python raises nothing: no handler of the program catches it.
pub fn check_limit(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    pieces: Vec<Piece>,
) -> PyResult<()> {
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    put_check(py, tracing, values, Attr::Check { kind, message, limit: true })
}

/// The same with so many elements of each axis in the text.
pub fn check_shown(
    py: Python<'_>,
    tracing: &Tracing,
    values: &[ValueId],
    kind: CheckKind,
    (pieces, summarize): (Vec<Piece>, Option<usize>),
) -> PyResult<()> {
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize };
    put_check(py, tracing, values, Attr::Check { kind, message, limit: false })
}

fn put_check(py: Python<'_>, tracing: &Tracing, values: &[ValueId], check: Attr) -> PyResult<()> {
    tracing.trace.set_place(frames::place(py));
    let made = tracing.trace.build(|b| b.effect(Op::Check, check, values));
    made.map_err(|u| errors::unfit(py, u))
}
