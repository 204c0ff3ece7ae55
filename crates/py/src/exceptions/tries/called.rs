//! A function of the graph that is called in a `try`: it is the body of a `try` itself, for what those around its call
//! meet. It gives the number of what it raises, and what that shows, beside what it returns; where it is called, that is
//! raised.

use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Loc;
use gw_ir::{Attr, CheckKind, CompareOp, Literal, Op, PrintFormat, Stream, UnaryOp, ValueId};
use gw_trace::{Host, if_exp};
use gw_types::{DType, Scalar};
use pyo3::prelude::*;

use super::Value;
use super::catcher::{Catcher, Scope};
use super::function_scope::{Changes, Outcome, Whole};
use super::handled_types::Heard;
use super::handlers::{Thrown, alike, copied, parts_of, show, waits};
use super::raises::LONGEST_CHAIN;
use crate::effects::places::Places;
use crate::exceptions::errors;
use crate::host::failures::not_caught;
use crate::host::skeleton::Skeleton;
use crate::host::{PyHost, operands};
use crate::optional::maybe::unbound;
use crate::values::tensor::{Payload, Tensor};

/// The exceptions that a function of the graph tells of, in the order of their numbers, which begin with 1: what is
/// found in a later round of making it comes behind what is known.
#[derive(Debug, Default)]
pub struct Forms(Mutex<Vec<Form>>);

/// One exception, as it was while tracing.
#[derive(Debug)]
struct Form {
    error: Py<PyAny>,
    place: Option<Loc>,
    /// Values that it showed.
    shown: Py<PyAny>,
}

/// A function of the graph, where it is made or called.
pub struct Calling<'a, 'py> {
    /// The tracing.
    pub host: &'a PyHost<'py>,
    /// Exceptions that the `try` statements around handle.
    pub heard: &'a Arc<Heard>,
    /// Exceptions among those that the function raises.
    pub forms: &'a Forms,
}

impl Forms {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Form>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an exception that shows this.
    fn number(
        &self,
        host: &PyHost<'_>,
        (error, place): &Thrown,
        shown: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let (py, mut all) = (host.py(), self.lock());
        for (at, known) in all.iter().enumerate() {
            if known.place == *place
                && alike(known.error.bind(py), error.bind(py))?
                && shows_alike(host, known.shown.bind(py), shown)?
            {
                return Ok(at + 1);
            }
        }
        // Without the frames of the tracing: they hold what the program held, such as lists that would have another name.
        let error = copied(error.bind(py), LONGEST_CHAIN)?.unbind();
        let shown = shown.clone().unbind();
        all.push(Form { error, place: place.clone(), shown });
        Ok(all.len())
    }
}

/// True if two exceptions show the same but for values of the graph.
fn shows_alike(host: &PyHost<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    let parts = |shown: &Bound<'_, PyAny>| {
        let mut leaves = Vec::new();
        Ok::<_, PyErr>((Skeleton::of(shown, &mut leaves)?, leaves))
    };
    let ((a, xs), (b, ys)) = (parts(a)?, parts(b)?);
    let is_staged =
        |leaf: &Py<PyAny>| leaf.bind(host.py()).cast::<Tensor>().is_ok_and(|tensor| tensor.get().is_staged());
    let alike = |(x, y): (Py<PyAny>, Py<PyAny>)| match (is_staged(&x), is_staged(&y)) {
        (true, true) => true,
        (false, false) => host.same(&Arc::new(x), &Arc::new(y)),
        (true, false) | (false, true) => false,
    };
    Ok(a.same(&b, host.py()) && xs.into_iter().zip(ys).all(alike))
}

impl<'py> Calling<'_, 'py> {
    /// Traces the function, which is given these values; gives what it returns, and what it tells.
    pub fn traced(
        &self,
        given: &[Value],
        call: &dyn Fn() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<Value>)> {
        if self.heard.is_empty() {
            return Ok((call()?, Vec::new()));
        }
        let (py, tracing) = (self.host.py(), self.host.tracing());
        let tensors: Vec<_> = given.iter().filter_map(|value| parameter(value.bind(py))).collect();
        let make = |records| {
            let own = tensors.iter().map(|(tensor, _)| tensor.clone_ref(py)).collect();
            let scope = Scope::Call(self.heard.clone(), own);
            Catcher::new(tracing, scope, records, Arc::new(Places::Cells(Vec::new())))
        };
        let whole = Whole::new(py, tracing, &tensors, Changes::none(), call, &make)?;
        let Outcome { number, raised, places: _, returned } = whole.traced(py)?;
        let returned = returned.map_or_else(|| unbound(py), Ok)?;
        if raised.is_empty() {
            return Ok((returned, Vec::new()));
        }
        let mut ways = Vec::new();
        for (at, (thrown, _)) in raised.iter().enumerate() {
            let shown = parts_of(thrown.0.bind(py), LONGEST_CHAIN)?;
            let form = self.forms.number(self.host, thrown, &shown)?;
            ways.push(Way { is_it: self.is(number, at + 1)?, form, shown: Arc::new(shown.unbind()) });
        }
        let mut form: Value = Arc::new(0i64.into_pyobject(py)?.into_any().unbind());
        for way in ways.iter().rev() {
            let own: Value = Arc::new(way.form.into_pyobject(py)?.into_any().unbind());
            form = if_exp(self.host, way.is_it, [&|| Ok(own.clone()), &|| Ok(form.clone())])?;
        }
        let mut told = vec![form];
        for (at, form) in self.forms.lock().iter().enumerate() {
            let mut ways = ways.iter().filter(|way| way.form == at + 1);
            let Some(first) = ways.next() else {
                return Err(errors::raise(&not_caught(&form.error.bind(py).get_type(), form.place.clone())?));
            };
            let mut shown = first.shown.clone();
            for way in ways {
                shown = if_exp(self.host, way.is_it, [&|| Ok(way.shown.clone()), &|| Ok(shown.clone())])?;
            }
            told.push(shown);
        }
        Ok((returned, told))
    }

    /// True if a number of the graph is this one.
    fn is(&self, number: ValueId, this: usize) -> PyResult<ValueId> {
        let equal = self.host.trace().build(|b| {
            let this = b.constant(Literal::scalar(DType::I64, Scalar::Int(this as i64)));
            b.op(CompareOp::Eq, Attr::None, &[number, this])
        });
        equal.map_err(|unfit| errors::unfit(self.host.py(), unfit))
    }

    /// Raises, where the function was called, what it tells; one that never returns does so whatever the graph does.
    pub fn raise(&self, told: &[Value], returns: bool) -> PyResult<()> {
        let Some((number, shown)) = told.split_first() else { return Ok(()) };
        let (py, tracing) = (self.host.py(), self.host.tracing());
        let number = operands::stage(tracing, &operands::operand(number.bind(py))?).value;
        for (at, shown) in shown.iter().enumerate() {
            let (error, place) = {
                let all = self.forms.lock();
                (copied(all[at].error.bind(py), LONGEST_CHAIN)?, all[at].place.clone())
            };
            show(&error, shown.bind(py), &waits)?;
            tracing.tries().thrown(error.clone().unbind(), place.clone());
            if !returns && at + 2 == told.len() {
                return Err(PyErr::from_value(error));
            }
            tracing.tries().set_raising(Some(error.unbind()));
            tracing.trace.set_place(place);
            let is_it = self.is(number, at + 1)?;
            let made = tracing.trace.build(|b| {
                let ok = b.op(UnaryOp::Not, Attr::None, &[is_it])?;
                let message = PrintFormat { pieces: Vec::new(), stream: Stream::Stderr, summarize: None };
                b.effect(Op::Check, Attr::Check { kind: CheckKind::Assertion, message, limit: false }, &[ok])
            });
            tracing.tries().set_raising(None);
            made.map_err(|unfit| errors::unfit(py, unfit))?;
        }
        Ok(())
    }
}

/// One way out of a function.
struct Way {
    /// True if it is the one that is taken.
    is_it: ValueId,
    /// The number of what is raised there.
    form: usize,
    /// Values that it shows.
    shown: Value,
}

/// A tensor that is given to the function, and the value that it is.
fn parameter(given: &Bound<'_, PyAny>) -> Option<(Py<Tensor>, ValueId)> {
    let tensor = given.cast::<Tensor>().ok()?;
    match tensor.get().content() {
        Payload::Staged(_, staged) => Some((tensor.clone().unbind(), staged.value)),
        Payload::Eager(_) => None,
    }
}
