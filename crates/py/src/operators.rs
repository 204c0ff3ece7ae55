//! What converted code calls in place of Python's statements: each asks whether its subject is a value of the graph.
//! If it is, the statement is staged; if not, it runs as Python runs it.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{Attr, CheckKind, Literal, Op, Piece, PrintFormat, Stream, ValueId};
use gw_trace::calls::Call;
use gw_trace::{Host, Seen, Staged, for_, go_on, if_, if_exp, items_of, while_};
use gw_types::{DType, Scalar, TensorType};
use pyo3::exceptions::{
    PyAssertionError, PyAttributeError, PyLookupError, PyNameError, PyTypeError, PyUnboundLocalError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::current::{self, Tracing};
use crate::errors::{self, Failed};
use crate::host::{Maybe, PyHost, PyState, Unbound, unbound};
use crate::pack::{self, Operand};
use crate::python_for::python_for;
use crate::tensor::Tensor;
use crate::watch::guarded;
use crate::{builtins, compare, traceback};

/// The operators, as converted code sees them: one object with a method each.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Operators;

/// The one object.
pub fn the(py: Python<'_>) -> PyResult<Bound<'_, Operators>> {
    static THE: PyOnceLock<Py<Operators>> = PyOnceLock::new();
    Ok(THE.get_or_try_init(py, || Py::new(py, Operators))?.bind(py).clone())
}

#[pymethods]
impl Operators {
    /// `if test: body() else: orelse()`
    #[allow(clippy::too_many_arguments, reason = "the contract with converted code")]
    fn if_stmt(
        &self,
        test: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        orelse: &Bound<'_, PyAny>,
        get_state: &Bound<'_, PyAny>,
        set_state: &Bound<'_, PyAny>,
        names: Vec<String>,
    ) -> PyResult<()> {
        let Some((tracing, test)) = staged_test(test)? else {
            return (if test.is_truthy()? { body } else { orelse }).call0().map(drop);
        };
        let host = PyHost::new(body.py(), tracing);
        let state = PyState { get: get_state, set: set_state };
        let names = spoken(names);
        let blocks = [body, orelse];
        guarded(body.py(), Code::BranchesDisagree, Some((&state, &names)), &blocks, || {
            if_(&host, test, &names, &state, [&|| run(body), &|| run(orelse)])
        })
    }

    /// `while test(): body()`
    fn while_stmt(
        &self,
        test: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        get_state: &Bound<'_, PyAny>,
        set_state: &Bound<'_, PyAny>,
        names: Vec<String>,
    ) -> PyResult<()> {
        loop {
            let go = test.call0()?;
            if let Some((tracing, go)) = staged_test(&go)? {
                let host = PyHost::new(test.py(), tracing);
                let state = PyState { get: get_state, set: set_state };
                let names = spoken(names);
                let again = || answer(&host, test);
                return guarded(
                    body.py(),
                    Code::LoopChangesObject,
                    Some((&state, &names)),
                    &[test, body],
                    || while_(&host, go, &names, &state, &again, &|| run(body)),
                );
            }
            if !go.is_truthy()? {
                return Ok(());
            }
            body.call0()?;
        }
    }

    /// `for item in iterable: body(item)`, while `extra_test()`
    #[allow(clippy::too_many_arguments, reason = "the contract with converted code")]
    fn for_stmt(
        &self,
        iterable: &Bound<'_, PyAny>,
        extra_test: Option<&Bound<'_, PyAny>>,
        body: &Bound<'_, PyAny>,
        get_state: &Bound<'_, PyAny>,
        set_state: &Bound<'_, PyAny>,
        names: Vec<String>,
    ) -> PyResult<()> {
        let py = body.py();
        let Some((tracing, staged)) = staged_value(iterable)? else {
            let state = PyState { get: get_state, set: set_state };
            return python_for(iterable, extra_test, body, &state, &spoken(names));
        };
        let Some(items) = items_of(&tracing.trace, staged) else {
            return Err(PyTypeError::new_err(
                "GW202: a tensor without axes cannot be iterated; use `gw.range`",
            ));
        };
        let host = PyHost::new(py, tracing);
        let state = PyState { get: get_state, set: set_state };
        let names = spoken(names);
        let extra = extra_test.map(|test| {
            let host = &host;
            move || answer(host, test)
        });
        let extra = extra.as_ref().map(|e| e as &dyn Fn() -> Result<ValueId, Failed>);
        let each = |item: Arc<Py<PyAny>>| -> Result<(), Failed> {
            body.call1((item.bind(py),))?;
            Ok(())
        };
        let blocks: Vec<_> = [Some(body), extra_test].into_iter().flatten().collect();
        guarded(py, Code::LoopChangesObject, Some((&state, &names)), &blocks, || {
            for_(&host, items, &names, &state, extra, &each)
        })
    }

    /// `body() if test else orelse()`
    fn if_exp<'py>(
        &self,
        test: &Bound<'py, PyAny>,
        body: &Bound<'py, PyAny>,
        orelse: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match staged_test(test)? {
            None => (if test.is_truthy()? { body } else { orelse }).call0(),
            Some((tracing, test)) => {
                let thunks: [Thunk<'_, 'py>; 2] = [&|| body.call0(), &|| orelse.call0()];
                choose(body.py(), tracing, test, thunks, &[body, orelse])
            }
        }
    }

    /// `left and right()`
    fn and_<'py>(&self, left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        and(left, &|| right.call0(), &[right])
    }

    /// `left or right()`
    fn or_<'py>(&self, left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        or(left, &|| right.call0(), &[right])
    }

    /// `not operand`
    fn not_<'py>(&self, operand: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        not(operand)
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
        builtins::conv(function)
    }

    /// `assert test, message()`
    #[pyo3(signature = (test, message=None))]
    fn assert_(&self, test: &Bound<'_, PyAny>, message: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let py = test.py();
        let text = || message.map(|m| m.call0()).transpose();
        let Some((tracing, ok)) = staged_test(test)? else {
            if test.is_truthy()? {
                return Ok(());
            }
            return Err(match text()? {
                None => PyAssertionError::new_err(()),
                Some(text) => PyAssertionError::new_err(text.unbind()),
            });
        };
        let text = text()?.map_or_else(|| Ok("assertion failed".to_owned()), |t| t.str()?.extract())?;
        check(py, &tracing, ok, CheckKind::Assertion, text)
    }

    /// The value of a name that may have none; `thunk` reads it.
    fn ld<'py>(&self, thunk: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = thunk.py();
        let value = match thunk.call0() {
            Err(error) if error.is_instance_of::<PyNameError>(py) => return Err(unbound_name(py, name)),
            other => other?,
        };
        if value.is_instance_of::<Unbound>() {
            return Err(unbound_name(py, name));
        }
        match value.cast::<Maybe>() {
            Ok(maybe) => read_named(py, maybe, name),
            Err(_) => Ok(value),
        }
    }

    /// The value that `thunk` reads, or the mark of a name without one.
    fn peek<'py>(&self, thunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = thunk.py();
        thunk.call0().or_else(|error| {
            let lacks = error.is_instance_of::<PyNameError>(py)
                || error.is_instance_of::<PyAttributeError>(py)
                || error.is_instance_of::<PyLookupError>(py);
            if lacks { unbound(py) } else { Err(error) }
        })
    }

    /// Begins an `except`.
    fn caught(&self, py: Python<'_>) -> PyResult<()> {
        traceback::trim_caught(py)
    }

    /// Whether a value of `get_state` is one, rather than the mark of a name without one.
    fn bound(&self, value: &Bound<'_, PyAny>) -> bool {
        !value.is_instance_of::<Unbound>()
    }

    /// What a function returns, some of whose paths reach its end.
    fn retval<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        if value.is_instance_of::<Unbound>() {
            return Ok(py.None().into_bound(py));
        }
        if value.is_instance_of::<Maybe>() {
            let message = "a value is returned on some paths, and nothing on the others";
            let help = "which path is taken is known only when the graph runs: return a value at the end too";
            return Err(errors::here(py, Code::MissingReturn, message, help));
        }
        Ok(value.clone())
    }

    /// What a function returns, all of whose paths return: a value that may be missing is there.
    fn returned<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(maybe) = value.cast::<Maybe>() else { return Ok(value.clone()) };
        let maybe = maybe.get();
        Ok(Bound::new(value.py(), Tensor::staged(maybe.tracing.clone(), maybe.staged))?.into_any())
    }

    /// The mark of a function that has not returned yet.
    #[getter]
    fn no_return<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        unbound(py)
    }
}

fn run(block: &Bound<'_, PyAny>) -> Result<(), Failed> {
    block.call0()?;
    Ok(())
}

fn answer(host: &PyHost<'_>, test: &Bound<'_, PyAny>) -> Result<ValueId, Failed> {
    let value = test.call0()?;
    if let Some((_, go)) = staged_test(&value)? {
        return Ok(go);
    }
    let go = Seen::Number(Scalar::Bool(value.is_truthy()?));
    Ok(go_on(host.trace(), go).expect("a bool answers"))
}

/// The names as the user knows them: what conversion calls the returned value has no name of the user's.
fn spoken(names: Vec<String>) -> Vec<String> {
    let speak =
        |name: String| if name.starts_with("retval_") { "the returned value".to_owned() } else { name };
    names.into_iter().map(speak).collect()
}

/// The object as a value of the innermost graph, if it is a tensor and there is one.
pub fn staged_value(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    if let Ok(maybe) = object.cast::<Maybe>() {
        return staged_value(&read(object.py(), maybe)?);
    }
    let Ok(tensor) = object.cast::<Tensor>() else { return Ok(None) };
    let operand = pack::operand(tensor.as_any())?;
    let Some(tracing) = current::current() else { return Ok(None) };
    tracing.trace.set_place(current::place(object.py()));
    let staged = pack::stage(&tracing, &operand);
    Ok(Some((tracing, staged)))
}

/// The object as a bool of the innermost graph, if it is a tensor and there is one; numbers are compared with zero.
pub fn staged_test(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, ValueId)>> {
    let Some((tracing, staged)) = staged_value(object)? else { return Ok(None) };
    let ty = tracing.trace.ty(staged.value);
    if ty == TensorType::scalar(DType::Bool) {
        return Ok(Some((tracing, staged.value)));
    }
    if !ty.is_scalar() {
        let message =
            format!("a condition must be one element, but this is {}", gw_trace::describe(&ty, None));
        let help = "say what is meant with `gw.reduce_any` or `gw.reduce_all`";
        return Err(errors::here(object.py(), Code::WrongShape, message, help));
    }
    let test = tracing.trace.build(|b| {
        let zero = b.constant(Literal::scalar(ty.dtype, Scalar::Int(0)));
        b.op(Op::Ne, Attr::None, &[staged.value, zero])
    });
    let test = test.map_err(|u| errors::unfit(object.py(), u))?;
    Ok(Some((tracing, test)))
}

/// What gives a value when it is called.
pub type Thunk<'a, 'py> = &'a dyn Fn() -> PyResult<Bound<'py, PyAny>>;

/// The value of the first thunk if `test`, otherwise of the second.
pub fn choose<'py>(
    py: Python<'py>,
    tracing: Arc<Tracing>,
    test: ValueId,
    branches: [Thunk<'_, 'py>; 2],
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let value = |thunk: Thunk<'_, 'py>| -> Result<Arc<Py<PyAny>>, Failed> { Ok(Arc::new(thunk()?.unbind())) };
    let host = PyHost::new(py, tracing);
    let chosen = guarded(py, Code::BranchesDisagree, None, blocks, || {
        if_exp(&host, test, [&|| value(branches[0]), &|| value(branches[1])])
    })?;
    Ok(chosen.bind(py).clone())
}

/// `left and right()`: `left` itself if it is false, as in Python.
pub fn and<'py>(
    left: &Bound<'py, PyAny>,
    right: Thunk<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    match staged_test(left)? {
        None => {
            if left.is_truthy()? {
                right()
            } else {
                Ok(left.clone())
            }
        }
        Some((tracing, test)) => choose(left.py(), tracing, test, [right, &|| Ok(left.clone())], blocks),
    }
}

/// `left or right()`: `left` itself if it is true, as in Python.
pub fn or<'py>(
    left: &Bound<'py, PyAny>,
    right: Thunk<'_, 'py>,
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    match staged_test(left)? {
        None => {
            if left.is_truthy()? {
                Ok(left.clone())
            } else {
                right()
            }
        }
        Some((tracing, test)) => choose(left.py(), tracing, test, [&|| Ok(left.clone()), right], blocks),
    }
}

/// `not operand`
pub fn not<'py>(operand: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = operand.py();
    match staged_test(operand)? {
        None => Ok((!operand.is_truthy()?).into_pyobject(py)?.to_owned().into_any()),
        Some((tracing, test)) => {
            let test = Operand::Staged(tracing, Staged::strong(test));
            pack::tensor(py, pack::apply(py, &Call::Unary(Op::Not), vec![test])?)
        }
    }
}

/// The value of a name that has one only if a bool of the graph is true: it is checked when the graph runs.
pub fn read<'py>(py: Python<'py>, maybe: &Bound<'py, Maybe>) -> PyResult<Bound<'py, PyAny>> {
    read_named(py, maybe, "")
}

fn read_named<'py>(py: Python<'py>, maybe: &Bound<'py, Maybe>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let maybe = maybe.get();
    let message = format!("{}: {}", Code::UnboundName, unbound_text(name));
    check(py, &maybe.tracing, maybe.bound, CheckKind::UnboundLocal, message)?;
    Ok(Bound::new(py, Tensor::staged(maybe.tracing.clone(), maybe.staged))?.into_any())
}

fn unbound_text(name: &str) -> String {
    match name {
        "" => "a local variable is read where it is not associated with a value".to_owned(),
        name => format!("cannot access local variable '{name}' where it is not associated with a value"),
    }
}

fn unbound_name(_py: Python<'_>, name: &str) -> PyErr {
    PyUnboundLocalError::new_err(unbound_text(name))
}

/// Fails with `text` when the graph runs, unless `ok`.
fn check(py: Python<'_>, tracing: &Tracing, ok: ValueId, kind: CheckKind, text: String) -> PyResult<()> {
    let message = PrintFormat { pieces: vec![Piece::Text(text)], stream: Stream::Stderr, summarize: None };
    tracing.trace.set_place(current::place(py));
    let made = tracing.trace.build(|b| b.effect(Op::Check, Attr::Check { kind, message }, &[ok]));
    made.map_err(|u| errors::unfit(py, u))
}
