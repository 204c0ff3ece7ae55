//! Operators that converted code calls in place of Python's statements: each asks who decides what its subject means, the graph,
//! a backend, or else Python, and leaves it to them.

mod asserts;
pub mod backend;
pub mod builtin_table;
pub mod builtins;
pub mod compare;
mod comprehensions;
mod flags;
pub mod library_calls;
pub mod logic;
pub mod match_;
pub mod names;
pub mod object;
mod owner;
mod powers;
pub mod print;
pub mod python_print;
pub mod registry;
pub mod special_methods;
pub mod statements;
pub mod texts;
pub mod told;
mod tries;
mod unions;
mod withs;
mod yields;

use gw_base::Code;
use gw_ir::CheckKind;
use gw_trace::Staged;
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PySet, PyTuple};

use crate::containers::lists::{self, elements};
use crate::containers::tables::{self, loops};
use crate::effects::places::PyState;
use crate::effects::watch::guarded;
use crate::exceptions::errors;
use crate::host::checks::{check, check_limit, test_of};
use crate::host::operands;
use crate::iteration::comprehension::Comprehension;
use crate::iteration::generators::{self, Generator};
use crate::iteration::iterable::Iterable;
use crate::iteration::loop_rolling::Candidate;
use crate::iteration::python_for::python_for;
use crate::iteration::staged_for::staged_for;
use crate::iteration::{loop_settings, progress};
use crate::operators::builtin_table::rows;
use crate::operators::object::Operators;
use crate::operators::statements::{branch, graph_while};
use crate::optional;
use crate::session::conv::conv;
use crate::session::{self, loop_options, recursion_limit};
use crate::values::tensor::Tensor;

pub use names::read;
pub use registry::{Decides, decides, tested};
pub use tries::Handled;
pub use yields::OneByOne;

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
        let mut watch = loop_settings::Watch::begin();
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

    /// True if a test leaves a loop.
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
        let iterator = special_methods::iterator(iterable)?;
        let iterable = iterator.as_ref().unwrap_or(iterable);
        if let Some(list) = elements::staged(iterable) {
            return lists::each_element(&list, 0, extra_test, body, &state);
        }
        if let Some(found) = tables::iterated(iterable, true)? {
            return loops::each(&found, extra_test, body, &state);
        }
        if let Ok(generator) = iterable.cast::<Generator>()
            && generator.get().can_emit(generator, extra_test.is_some())?
        {
            return generators::each(generator, extra_test, body, &state);
        }
        if let Some((tracing, range)) = loop_settings::rolled(iterable)? {
            let range = Bound::new(body.py(), Tensor::staged(tracing, range))?;
            if let Some(rows) = rows(range.as_any())? {
                return staged_for(rows.cast()?, extra_test, body, &state);
            }
        }
        match decides(iterable)? {
            Decides::Python => match iterable.cast::<Iterable>() {
                Ok(iterable) => staged_for(iterable, extra_test, body, &state),
                Err(_) => match generator_of(iterable)? {
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
            Some(tracing) => crate::exceptions::tries::try_stmt(&tracing, [body, rest], kinds, always, state),
            None => recursion_limit::call(rest, (body,)).map(drop),
        }
    }

    /// The outcome that stands for the body in the rest of a `try`.
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

    /// Operand of a test: the value itself, but of a list, tuple, dict or set, of the graph too, whether it has elements.
    fn truth<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some((tracing, length)) = lists::length(value)? else {
            let is_container = value.is_exact_instance_of::<PyList>()
                || value.is_exact_instance_of::<PyTuple>()
                || value.is_exact_instance_of::<PyDict>()
                || value.is_exact_instance_of::<PySet>();
            let truth = is_container.then(|| value.is_truthy()).transpose()?;
            return Ok(truth.map_or_else(
                || value.clone(),
                |truth| PyBool::new(value.py(), truth).to_owned().into_any(),
            ));
        };
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
        compare::is(a, b)
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
                let shown = shown.iter().map(|operand| operands::stage(&tracing, operand).value);
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

/// The generator that a loop over an object runs, if it has one.
fn generator_of<'py>(iterable: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Generator>>> {
    match iterable.cast::<Comprehension>() {
        Ok(kept) if session::is_tracing() => {
            progress::advances(iterable)?;
            kept.get().rest(iterable.py())
        }
        Ok(_) | Err(_) => generators::made_anew(iterable),
    }
}
