//! `graphwright.custom_gradient`: a function that says itself what flows back to its arguments.
//!
//! It is called as it is; what it gives changes with its arguments as its second result says, and with nothing else. In a
//! graph that is called at once, as a function of the graph, see `Trace::with_own_way`; outside the tapes keep it until
//! they are asked.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::ValueId;
use gw_runtime::Buffer;
use gw_trace::Flows;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::effects::tracked::Tracked;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::session::conv::conv;
use crate::session::{self, Tracing, frames};
use crate::tape;
use crate::tape::recording::{self, Read};
use crate::values::tensor::Tensor;
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// Custom gradient of a function.
#[derive(Debug)]
pub struct OwnWay {
    /// The function's name.
    name: String,
    /// From cotangents of the results to those of the arguments.
    grad: Py<PyAny>,
    /// The number of leaves of the arguments.
    count: usize,
    /// The variables that were read, besides the arguments.
    variables: Vec<Py<PyAny>>,
    /// The leaves of the results that have no cotangents: zeros are given for them, or `None` for strings.
    whole: Vec<Option<Py<PyAny>>>,
}

/// Calls a function that gives a result and the function that is its way back; gives the result.
#[pyfunction]
#[pyo3(signature = (function, args, kwargs))]
pub fn own_way<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let tracing = session::current();
    if tracing.is_none() && !recording::is_recording() {
        return Ok(parts(function, &function.call(args, Some(kwargs))?)?.0);
    }
    let mut leaves = Vec::new();
    Skeleton::of(args.as_any(), &mut leaves)?;
    let mut sources = leaves.iter().map(|leaf| source(leaf.bind(py))).collect::<PyResult<Vec<_>>>()?;
    let called = if tracing.is_some() { conv(function)? } else { function.clone() };
    let held = tracing.as_ref().map(|tracing| tracing.tracked()).unwrap_or_default();
    let (returned, read) = recording::reading(|| called.call(args, Some(kwargs)));
    let (result, grad) = parts(function, &returned?)?;
    let read: Vec<Read> = read.into_iter().filter(|read| !is_among(py, &read.cell, &leaves)).collect();
    let mut given = Vec::new();
    let skeleton = Skeleton::of(&result, &mut given)?;
    let results = given.iter().map(|leaf| operands::operand(leaf.bind(py))).collect::<PyResult<Vec<_>>>()?;
    let results: Vec<Operand> = results.into_iter().map(Operand::strong).collect();
    let own = Arc::new(OwnWay::new(function, grad, leaves.len(), &read, &results)?);
    let handed = match &tracing {
        Some(tracing) => {
            own.judge_assigned(py, tracing, &held, &read)?;
            let value = |read: &Read| Operand::Staged(tracing.clone(), tracing.variable(&read.cell));
            sources.extend(read.iter().map(|read| Some(value(read))));
            own.in_graph(py, tracing, &sources, &results)?
        }
        None => {
            sources.extend(read.into_iter().map(|read| read.value.map(Operand::Tensor)));
            own.now(&sources, &results)
        }
    };
    let handed = handed.into_iter().map(|operand| Ok(operands::tensor(py, operand)?.unbind()));
    skeleton.rebuild(py, &mut handed.collect::<PyResult<Vec<_>>>()?.into_iter())
}

/// A leaf of the arguments as it is before the call, if something can flow back to it.
fn source(leaf: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    let is_one = leaf.is_instance_of::<Tensor>() || leaf.is_instance_of::<Variable>();
    let found = if is_one { operands::plain_operand(leaf)? } else { None };
    Ok(found.filter(|operand| operand.dtype().is_fractional()))
}

fn is_among(py: Python<'_>, cell: &Arc<Cell>, leaves: &[Py<PyAny>]) -> bool {
    let is = |leaf: &Py<PyAny>| {
        leaf.bind(py).cast::<Variable>().is_ok_and(|variable| Arc::ptr_eq(&variable.get().cell, cell))
    };
    leaves.iter().any(is)
}

/// Parts of the function's return value: a result, and its backward pass.
fn parts<'py>(
    function: &Bound<'py, PyAny>,
    returned: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    if let Ok(pair) = returned.cast::<PyTuple>()
        && pair.len() == 2
        && pair.get_item(1)?.is_callable()
    {
        return Ok((pair.get_item(0)?, pair.get_item(1)?));
    }
    let name = name_of(function);
    let message = format!("`{name}` has a custom gradient and does not return a result and a function");
    Err(bad(
        function.py(),
        message,
        "return `result, grad`, where `grad` takes what flows back to the result",
    ))
}

fn name_of(function: &Bound<'_, PyAny>) -> String {
    let name = function.getattr("__name__").and_then(|name| name.extract());
    name.unwrap_or_else(|_| "function".to_owned())
}

fn bad(py: Python<'_>, message: String, help: &str) -> PyErr {
    errors::here(py, Code::BadArgument, message, help)
}

/// True if a function takes an argument of this name.
fn takes(function: &Bound<'_, PyAny>, name: &str) -> bool {
    let found = || -> PyResult<bool> {
        let signature = function.py().import("inspect")?.call_method1("signature", (function,))?;
        let parameters = signature.getattr("parameters")?;
        for one in parameters.call_method0("values")?.try_iter()? {
            if one?.getattr("kind")?.getattr("name")?.extract::<String>()? == "VAR_KEYWORD" {
                return Ok(true);
            }
        }
        parameters.contains(name)
    };
    found().unwrap_or(false)
}

impl OwnWay {
    fn new(
        function: &Bound<'_, PyAny>,
        grad: Bound<'_, PyAny>,
        count: usize,
        read: &[Read],
        results: &[Operand],
    ) -> PyResult<Self> {
        let (py, name) = (function.py(), name_of(function));
        if !read.is_empty() && !takes(&grad, "variables") {
            let names: Vec<String> = read.iter().map(|read| format!("`{}`", read.cell.name)).collect();
            return Err(PyTypeError::new_err(format!(
                "`{name}` has a custom gradient and reads {}: its gradient function must take `variables=`, and \
                 return a pair: the gradients of the arguments, and those of the variables",
                names.join(", ")
            )));
        }
        let variable = |read: &Read| Ok(Variable::of_cell(py, &read.cell)?.unbind());
        let variables = read.iter().map(variable).collect::<PyResult<_>>()?;
        let whole = |result: &Operand| {
            let is_whole = !result.dtype().is_fractional();
            is_whole.then(|| Ok(operands::tensor(py, result.clone())?.unbind())).transpose()
        };
        let whole = results.iter().map(whole).collect::<PyResult<_>>()?;
        Ok(Self { name, grad: grad.unbind(), count, variables, whole })
    }

    /// Gradients that flow back to each leaf of the arguments and then to each variable, given the cotangents of
    /// the results that have any.
    fn flows<'py>(
        &self,
        py: Python<'py>,
        cotangents: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut cotangents = cotangents.into_iter();
        let mut given = Vec::with_capacity(self.whole.len());
        for whole in &self.whole {
            given.push(match whole {
                None => cotangents.next().expect("one for each result that has one"),
                Some(text) if !operands::operand(text.bind(py))?.dtype().is_number() => {
                    py.None().into_bound(py)
                }
                Some(whole) => py.import("graphwright")?.call_method1("zeros_like", (whole,))?,
            });
        }
        let own = self.grad.bind(py);
        let grad = if session::is_tracing() { conv(own)? } else { own.clone() };
        let given = PyTuple::new(py, given)?;
        if self.variables.is_empty() {
            return self.leaves(&grad.call1(given)?, self.count, "argument");
        }
        let named = PyDict::new(py);
        named.set_item("variables", self.variables.iter().map(|one| one.bind(py)).collect::<Vec<_>>())?;
        let both = grad.call(given, Some(&named))?;
        let Ok((arguments, variables)) = both.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>() else {
            let message = format!("the gradient function of `{}` does not return a pair", self.name);
            let help = "with variables, return the gradients of the arguments, and those of the variables";
            return Err(bad(py, message, help));
        };
        let mut all = self.leaves(&arguments, self.count, "argument")?;
        all.extend(self.leaves(&variables, self.variables.len(), "variable")?);
        Ok(all)
    }

    fn leaves<'py>(
        &self,
        flows: &Bound<'py, PyAny>,
        wanted: usize,
        what: &str,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = flows.py();
        let mut leaves = Vec::new();
        Skeleton::of(flows, &mut leaves)?;
        if leaves.len() == wanted {
            return Ok(leaves.into_iter().map(|leaf| leaf.into_bound(py)).collect());
        }
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let message = format!(
            "the gradient function of `{}` returns {} gradient{} for {wanted} {what}{}",
            self.name,
            leaves.len(),
            s(leaves.len()),
            s(wanted)
        );
        Err(bad(py, message, &format!("return one gradient for each {what}, `None` where there is none")))
    }

    /// The diagnostic of a gradient that is of another type than what it is one of.
    fn misfit(&self, py: Python<'_>, flow: &Operand, source: &Operand) -> PyErr {
        let [flow, source] = [flow, source].map(operands::describe_type);
        let message = format!("the gradient function of `{}` returns {flow} for {source}", self.name);
        bad(py, message, "a gradient has the dtype and the shape of what it is the gradient of")
    }

    /// Outside of graphs: the results as tensors that nothing else is, which the tapes know.
    fn now(self: Arc<Self>, sources: &[Option<Operand>], results: &[Operand]) -> Vec<Operand> {
        let buffer = |operand: &Operand| match operand {
            Operand::Tensor(buffer) => Some(buffer.clone()),
            Operand::Staged(..) | Operand::Number(_) => None,
        };
        let sources = sources.iter().map(|source| source.as_ref().and_then(buffer)).collect();
        let alone = |result: &Operand| match result {
            Operand::Tensor(buffer) if buffer.dtype().is_fractional() => {
                Operand::Tensor(Buffer::from_bytes(buffer.dtype(), buffer.lengths(), buffer.bytes()))
            }
            Operand::Tensor(_) | Operand::Staged(..) | Operand::Number(_) => result.clone(),
        };
        let results: Vec<Operand> = results.iter().map(alone).collect();
        let floats =
            results.iter().filter_map(buffer).filter(|buffer| buffer.dtype().is_fractional()).collect();
        tape::took_own(&self, sources, floats);
        results
    }

    /// Gradients that flow back to each source outside of graphs.
    pub fn flows_now(
        &self,
        py: Python<'_>,
        sources: &[Option<Buffer>],
        cotangents: Vec<Buffer>,
    ) -> PyResult<Vec<Option<Buffer>>> {
        let cotangents = cotangents.into_iter().map(|one| operands::tensor(py, Operand::Tensor(one)));
        let flows = self.flows(py, cotangents.collect::<PyResult<_>>()?)?;
        let mut found = Vec::with_capacity(flows.len());
        for (flow, source) in flows.into_iter().zip(sources) {
            let Some(source) = source.as_ref().filter(|_| !flow.is_none()) else {
                found.push(None);
                continue;
            };
            let flow = match operands::operand(&flow)? {
                Operand::Number(number) => Operand::Tensor(Buffer::scalar(source.dtype(), number)),
                other @ (Operand::Staged(..) | Operand::Tensor(_)) => other,
            };
            match &flow {
                Operand::Tensor(flow)
                    if flow.dtype() == source.dtype() && flow.lengths() == source.lengths() =>
                {
                    found.push(Some(flow.clone()));
                }
                Operand::Tensor(_) | Operand::Staged(..) | Operand::Number(_) => {
                    return Err(self.misfit(py, &flow, &Operand::Tensor(source.clone())));
                }
            }
        }
        Ok(found)
    }

    /// In a graph: the results as values that change as the way back says.
    fn in_graph(
        &self,
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        sources: &[Option<Operand>],
        results: &[Operand],
    ) -> PyResult<Vec<Operand>> {
        tracing.trace.set_place(frames::place(py));
        let here = |operand: &Operand| {
            let value = operands::stage(tracing, operand).value;
            tracing.trace.lift(value).unwrap_or(value)
        };
        let floats = results.iter().filter(|result| result.dtype().is_fractional());
        let given: Vec<ValueId> = floats.map(here).collect();
        let values: Vec<Option<ValueId>> = sources.iter().map(|source| source.as_ref().map(here)).collect();
        let known: Vec<ValueId> = values.iter().flatten().copied().collect();
        let held = tracing.tracked();
        tracing.regions().enter_call(tracing, true);
        let handed = tracing.trace.with_own_way(&self.name, [&known, &given], |cotangents| {
            let shown = |staged| operands::tensor(py, Operand::Staged(tracing.clone(), staged));
            let cotangents = cotangents.into_iter().map(shown).collect::<PyResult<_>>()?;
            let flows = self.flows(py, cotangents)?;
            self.judge_assigns(py, tracing, &held)?;
            self.fitted(py, tracing, flows, &values)
        });
        tracing.regions().leave_call(true);
        tracing.restore(&held.iter().map(|one| one.value).collect::<Vec<_>>());
        let mut handed = handed?.into_iter();
        let mut all = Vec::with_capacity(results.len());
        for result in results {
            let own = if result.dtype().is_fractional() { handed.next() } else { None };
            all.push(own.map_or_else(|| result.clone(), |own| Operand::Staged(tracing.clone(), own)));
        }
        Ok(all)
    }

    /// Gradients that flow back to the sources, each as a value of the type of its source.
    fn fitted(
        &self,
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        flows: Vec<Bound<'_, PyAny>>,
        sources: &[Option<ValueId>],
    ) -> PyResult<Flows> {
        let mut found = Vec::new();
        for (flow, source) in flows.iter().zip(sources) {
            let Some(source) = *source else { continue };
            if flow.is_none() {
                found.push(None);
                continue;
            }
            let flow = operands::operand(flow)?;
            let wanted = tracing.trace.ty(source).dtype;
            let staged = match &flow {
                Operand::Number(number) => {
                    operands::stage(tracing, &operands::constant(Buffer::scalar(wanted, *number)))
                }
                other @ (Operand::Staged(..) | Operand::Tensor(_)) => operands::stage(tracing, other),
            };
            let fits =
                tracing.trace.as_long_as(staged.value, source).map_err(|unfit| errors::unfit(py, unfit))?;
            let source = Operand::Staged(tracing.clone(), gw_trace::Staged::strong(source));
            found.push(Some(fits.ok_or_else(|| self.misfit(py, &flow, &source))?));
        }
        Ok(found)
    }

    /// The function does not assign to a variable that it reads: it would not be clear to which value something flows back.
    fn judge_assigned(
        &self,
        py: Python<'_>,
        tracing: &Tracing,
        held: &[Tracked],
        read: &[Read],
    ) -> PyResult<()> {
        let read_one = |known: &&Tracked| read.iter().any(|read| Arc::ptr_eq(&read.cell, &known.cell));
        self.judge_changes(py, tracing, held, &|known| read_one(&known))
    }

    /// Nor does its way back assign to any.
    fn judge_assigns(&self, py: Python<'_>, tracing: &Tracing, held: &[Tracked]) -> PyResult<()> {
        self.judge_changes(py, tracing, held, &|_| true)
    }

    fn judge_changes(
        &self,
        py: Python<'_>,
        tracing: &Tracing,
        held: &[Tracked],
        counts: &dyn Fn(&Tracked) -> bool,
    ) -> PyResult<()> {
        let now = tracing.tracked();
        let changed = now.iter().enumerate().filter(|(_, known)| counts(known)).find(|(at, known)| {
            let was = held.get(*at).map_or(known.first, |held| held.value);
            known.value != was && tape::settled(tracing, known.value) != tracing.trace.lift(was.value)
        });
        let Some((_, known)) = changed else { return Ok(()) };
        let message = format!(
            "`{}` has a custom gradient and assigns to the variable `{}`",
            self.name, known.cell.name
        );
        Err(bad(py, message, "return what is new, and assign it where the function is called"))
    }
}
