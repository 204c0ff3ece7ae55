//! `and`, `or`, `not` and conditional expressions, which give one of their operands and leave the other alone.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::{UnaryOp, ValueId};
use gw_trace::calls::Call;
use gw_trace::{Slot, Staged, if_};
use gw_types::Number;
use pyo3::prelude::*;

use crate::effects::fixpoint::{self, Held};
use crate::effects::watch::guarded;
use crate::exceptions::errors::Failed;
use crate::host::checks::test_of;
use crate::host::operand::Operand;
use crate::host::{PyHost, operands};
use crate::operators::{Decides, decides, tested};
use crate::optional;
use crate::session::{Tracing, recursion_limit};

/// `body() if test else orelse()`
pub fn conditional<'py>(
    test: &Bound<'py, PyAny>,
    body: &Bound<'py, PyAny>,
    orelse: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let test = &tested(test)?;
    match decides(test)? {
        Decides::Python => recursion_limit::call(if test.is_truthy()? { body } else { orelse }, ()),
        Decides::Graph(tracing, staged) => {
            let test = test_of(test.py(), &tracing, staged)?;
            let thunks: [Thunk<'_, 'py>; 2] =
                [&|| recursion_limit::call(body, ()), &|| recursion_limit::call(orelse, ())];
            choose(body.py(), tracing, test, thunks, &[body, orelse])
        }
        Decides::Backend(backend) => backend.expression("if_exp", &[test, body, orelse], &[body, orelse]),
    }
}

/// Function without arguments that gives a value.
pub type Thunk<'a, 'py> = &'a dyn Fn() -> PyResult<Bound<'py, PyAny>>;

/// The value of the first thunk if `test`, otherwise of the second.
pub fn choose<'py>(
    py: Python<'py>,
    tracing: Arc<Tracing>,
    test: ValueId,
    branches: [Thunk<'_, 'py>; 2],
    blocks: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let host = PyHost::new(py, tracing);
    let held = Held::new(py)?;
    let slots = [Slot::Result];
    let run = |thunk: Thunk<'_, 'py>| -> Result<(), Failed> {
        held.put(thunk()?);
        Ok(())
    };
    guarded(py, Code::BranchesDisagree, None, blocks, |watch| {
        fixpoint::staged(&host, watch, &held, &slots, &|state, slots| {
            if_(&host, test, slots, state, [&|| run(branches[0]), &|| run(branches[1])])
        })
    })?;
    Ok(held.take().bind(py).clone())
}

/// An operand that is evaluated only if it is needed.
pub trait Later<'py> {
    /// Evaluates it.
    fn now(&self) -> PyResult<Bound<'py, PyAny>>;
    /// The same, for Python to call.
    fn thunk(&self) -> PyResult<Bound<'py, PyAny>>;
    /// The functions of the user's that it runs.
    fn blocks(&self) -> Vec<&Bound<'py, PyAny>>;
}

impl<'py> Later<'py> for Bound<'py, PyAny> {
    fn now(&self) -> PyResult<Bound<'py, PyAny>> {
        recursion_limit::call(self, ())
    }

    fn thunk(&self) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.clone())
    }

    fn blocks(&self) -> Vec<&Bound<'py, PyAny>> {
        vec![self]
    }
}

/// `left and right()`: `left` itself if it is false, as in Python.
pub fn and<'py>(left: &Bound<'py, PyAny>, right: &dyn Later<'py>) -> PyResult<Bound<'py, PyAny>> {
    let truth = tested(left)?;
    match decides(&truth)? {
        Decides::Python if truth.is_truthy()? => right.now(),
        Decides::Python => Ok(left.clone()),
        Decides::Graph(tracing, staged) => {
            let test = test_of(left.py(), &tracing, staged)?;
            choose(left.py(), tracing, test, [&|| right.now(), &|| Ok(left.clone())], &right.blocks())
        }
        Decides::Backend(backend) => backend.expression("and_", &[left, &right.thunk()?], &right.blocks()),
    }
}

/// `left or right()`: `left` itself if it is true, as in Python.
pub fn or<'py>(left: &Bound<'py, PyAny>, right: &dyn Later<'py>) -> PyResult<Bound<'py, PyAny>> {
    let truth = tested(left)?;
    match decides(&truth)? {
        Decides::Python if truth.is_truthy()? => Ok(left.clone()),
        Decides::Python => right.now(),
        Decides::Graph(tracing, staged) => {
            let test = test_of(left.py(), &tracing, staged)?;
            choose(left.py(), tracing, test, [&|| optional::narrowed(left), &|| right.now()], &right.blocks())
        }
        Decides::Backend(backend) => backend.expression("or_", &[left, &right.thunk()?], &right.blocks()),
    }
}

/// `not operand`
pub fn not<'py>(operand: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, operand) = (operand.py(), &tested(operand)?);
    match decides(operand)? {
        Decides::Python => Ok((!operand.is_truthy()?).into_pyobject(py)?.to_owned().into_any()),
        Decides::Graph(tracing, staged) => {
            let test = test_of(py, &tracing, staged)?;
            let test = Operand::Staged(tracing, Staged { value: test, weak: Some(Number::Bool) });
            operands::tensor(py, operands::apply(py, &Call::unary(UnaryOp::Not), vec![test])?)
        }
        Decides::Backend(backend) => backend.expression("not_", &[operand], &[]),
    }
}
