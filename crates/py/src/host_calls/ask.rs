//! A call of a function of the host's: in eager code just a call, in a graph that is being built an op.

use std::sync::Arc;

use gw_base::{Code, Loc};
use gw_ir::{HostCall, HostType, ValueId};
use gw_trace::Staged;
use gw_types::DType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::answer_types::Promises;
use super::cells::Cells;
use super::memory::{Memory, to_array};
use super::observed;
use super::serving::Met;
use super::shown::{Field, Shown};
use super::{Leaf, Seen, Served, Style};
use crate::effects::tracked::Capture;
use crate::exceptions::errors;
use crate::exceptions::tries::{Heard, raising};
use crate::host::messages::Message;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host::structure::Kind;
use crate::host_calls::host_value::HostValue;
use crate::optional::maybe::Maybe;
use crate::optional::{poison, undecided};
use crate::session::{self, Tracing, frames};
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;

/// The attribute of a function that says which class of exceptions it never raises.
const NEVER_RAISES: &str = "_never_raises";

/// Called function, and the types that it promises.
pub(super) struct Asked<'a, 'py> {
    pub name: &'a str,
    pub function: &'a Bound<'py, PyAny>,
    pub promises: &'a Arc<Promises>,
    pub memory: Memory,
    /// Location at which plain Python has observed its results.
    pub seen: Seen,
}

/// A list that host code looks at, and neither keeps nor changes.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub(super) struct Looked(pub Py<PyList>);

/// The arguments of a call, as the graph gives them.
#[derive(Default)]
struct Given {
    leaves: Vec<Leaf>,
    values: Vec<ValueId>,
}

/// Calls a function of Python's with tensors where the program comes to it.
///
/// Args:
///   func: function of tensors.
///   inp: list of tensors.
///   Tout: `gw.TensorSpec`, dtype, or a structure of them; `[]` or `None` for no result.
///   name: name in error messages.
///
/// Returns:
///   Structure of tensors.
///
/// Raises:
///   TypeError: the result breaks the promise of `Tout`.
///
/// Example:
///   >>> gw.py_function(lambda x: x + 1, [gw.constant(1)], gw.TensorSpec([], gw.int32))
///   <gw.Tensor: shape=(), dtype=int32, numpy=2>
#[pyfunction]
#[pyo3(signature = (func=None, inp=None, Tout=None, name=None))]
#[allow(non_snake_case, reason = "TensorFlow's name")]
fn py_function<'py>(
    py: Python<'py>,
    func: Option<&Bound<'py, PyAny>>,
    inp: Option<&Bound<'py, PyAny>>,
    Tout: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    called(py, Style::Tensors, [func, inp, Tout], name)
}

/// Calls a function of Python's with NumPy arrays where the program comes to it.
///
/// Args:
///   func: function of arrays.
///   inp: list of tensors.
///   Tout: `gw.TensorSpec`, dtype, or a structure of them; `[]` or `None` for no result.
///   stateful: accepted as in TensorFlow; has no effect.
///   name: name in error messages.
///
/// Returns:
///   Structure of tensors.
///
/// Raises:
///   TypeError: the result breaks the promise of `Tout`.
///
/// Example:
///   >>> gw.numpy_function(np.sqrt, [gw.constant(4.0)], gw.TensorSpec([], gw.float32))
///   <gw.Tensor: shape=(), dtype=float32, numpy=2.0>
#[pyfunction]
#[pyo3(signature = (func=None, inp=None, Tout=None, stateful=true, name=None))]
#[allow(non_snake_case, reason = "TensorFlow's name")]
fn numpy_function<'py>(
    py: Python<'py>,
    func: Option<&Bound<'py, PyAny>>,
    inp: Option<&Bound<'py, PyAny>>,
    Tout: Option<&Bound<'py, PyAny>>,
    stateful: bool,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = stateful;
    called(py, Style::Arrays, [func, inp, Tout], name)
}

/// Calls a function of ours that prints, when the graph runs.
pub fn printed<'py>(
    tracing: &Arc<Tracing>,
    function: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
    options: &Bound<'py, PyDict>,
) -> PyResult<()> {
    let py = function.py();
    let promises = Arc::new(Promises::of("print", py.None().bind(py))?);
    Asked { name: "print", function, promises: &promises, memory: Memory::Tensors, seen: Seen::Nowhere }
        .plainly(tracing, inputs, options)
        .map(drop)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(py_function, module)?)?;
    module.add_function(wrap_pyfunction!(numpy_function, module)?)
}

/// The user's name for a function.
pub(super) fn name_of(function: &Bound<'_, PyAny>) -> String {
    let name = function.getattr("__name__").and_then(|name| name.extract());
    name.or_else(|_| function.get_type().name().map(|name| name.to_string()))
        .unwrap_or_else(|_| "function".to_owned())
}

fn called<'py>(
    py: Python<'py>,
    style: Style,
    [function, inputs, gives]: [Option<&Bound<'py, PyAny>>; 3],
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(function) = function.filter(|function| function.is_callable()) else {
        return Err(refused(
            py,
            "the first argument is the function that is called".to_owned(),
            "give a function",
        ));
    };
    let name = name.map_or_else(|| name_of(function), str::to_owned);
    let nothing = py.None().into_bound(py);
    let promises = Promises::of(&name, gives.unwrap_or(&nothing))?;
    let operands = operands(inputs)?;
    if let Some(tracing) = session::current() {
        let promises = Arc::new(ranked(py, &tracing, promises));
        let asked = Asked {
            name: &name,
            function,
            promises: &promises,
            memory: Memory::Tensors,
            seen: Seen::Nowhere,
        };
        let given = Given::of_operands(&tracing, &operands);
        return asked.stage(py, &tracing, style, given, None);
    }
    let mut args = Vec::with_capacity(operands.len());
    for (operand, given) in operands {
        args.push(match (style, operand) {
            (Style::Arrays, Operand::Tensor(buffer)) => to_array(py, &buffer)?,
            _ => given.unbind(),
        });
    }
    let args = PyTuple::new(py, args)?;
    let returned = observed::apart(|| function.call1(args))?;
    let results = promises.tensors(&returned)?;
    if promises.lacks_ranks()
        && let (Some(observed), Some(place)) = (observed::observer(), place_of(py))
    {
        let rank = |result: &Py<PyAny>| result.bind(py).getattr(intern!(py, "ndim"))?.extract();
        observed.note_ranks(place, results.iter().map(rank).collect::<PyResult<_>>()?);
    }
    promises.rebuild(py, results)
}

/// The place of a call, in whatever call of its function.
pub(super) fn place_of(py: Python<'_>) -> Option<Loc> {
    frames::place(py).map(|place| Loc { within: None, ..place })
}

/// The promises, with the numbers of axes that were observed where they are not said.
fn ranked(py: Python<'_>, tracing: &Tracing, promises: Promises) -> Promises {
    if !promises.lacks_ranks() {
        return promises;
    }
    let observed = tracing.host_side().of_ranks();
    match observed.zip(place_of(py)).and_then(|(observed, place)| observed.ranks(&place)) {
        Some(ranks) => promises.of_ranks(&ranks),
        None => {
            observed::lack_ranks();
            promises
        }
    }
}

/// The inputs as operands, and as tensors.
fn operands<'py>(inputs: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<(Operand, Bound<'py, PyAny>)>> {
    let Some(inputs) = inputs.filter(|inputs| !inputs.is_none()) else { return Ok(Vec::new()) };
    let py = inputs.py();
    let items: Vec<_> = if inputs.is_instance_of::<PyList>() || inputs.is_instance_of::<PyTuple>() {
        inputs.try_iter()?.collect::<PyResult<_>>()?
    } else {
        vec![inputs.clone()]
    };
    let one = |item: Bound<'py, PyAny>| {
        poison::refuse(&item)?;
        let operand = operands::operand(&item)?.strong();
        let tensor =
            if item.is_instance_of::<Tensor>() { item } else { operands::tensor(py, operand.clone())? };
        Ok((operand, tensor))
    };
    items.into_iter().map(one).collect()
}

pub(super) fn refused(py: Python<'_>, message: String, help: &str) -> PyErr {
    errors::here(py, Code::HostCallRefused, message, help)
}

impl Given {
    fn of_operands(tracing: &Tracing, operands: &[(Operand, Bound<'_, PyAny>)]) -> Self {
        let values = operands.iter().map(|(operand, _)| operands::stage(tracing, operand).value).collect();
        Self { leaves: operands.iter().map(|_| Leaf::Tensor).collect(), values }
    }

    /// A leaf of what plain Python is called with.
    fn add(
        &mut self,
        asked: &Asked<'_, '_>,
        tracing: &Arc<Tracing>,
        leaf: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = leaf.py();
        poison::refuse(leaf)?;
        if Maybe::optional(leaf).is_some() {
            let message = format!("`{}` is given a value that may be `None`", asked.name);
            let help = "call it under `if … is not None:`, where it has a value";
            return Err(refused(py, message, help));
        }
        if let Ok(maybe) = leaf.cast::<Maybe>() {
            return self.add(asked, tracing, &operands::value_of(maybe.as_any())?);
        }
        if let Ok(value) = leaf.cast::<HostValue>() {
            self.add(asked, tracing, value.get().number.bind(py))?;
            self.leaves.pop();
            self.leaves.push(Leaf::OfHost);
            return Ok(());
        }
        if let Ok(text) = leaf.cast::<Message>() {
            return self.add_text(asked, tracing, &text.get().parts(py));
        }
        if let Ok(variable) = leaf.cast::<Variable>() {
            self.leaves.push(Leaf::Variable(tracing.home(&variable.get().cell)));
            return Ok(());
        }
        if let Ok(tensor) = leaf.cast::<Tensor>()
            && let Payload::Staged(of, staged) = tensor.get().content()
        {
            undecided::check_shown(leaf, asked.name)?;
            let staged = operands::visible(py, &of, staged)?;
            let is_number = staged.weak.is_some() && tracing.trace.ty(staged.value).is_scalar();
            self.leaves.push(if is_number { Leaf::Number } else { Leaf::Tensor });
            self.values.push(staged.value);
            return Ok(());
        }
        let object = match leaf.cast::<Looked>() {
            Ok(looked) => looked.get().0.clone_ref(py).into_any(),
            Err(_) => leaf.clone().unbind(),
        };
        self.leaves.push(Leaf::Object(object));
        Ok(())
    }
}

impl Given {
    /// A text that is made when the graph calls the function.
    fn add_text(
        &mut self,
        asked: &Asked<'_, '_>,
        tracing: &Arc<Tracing>,
        parts: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let py = parts.py();
        let mut shown = Vec::with_capacity(parts.len());
        for part in parts.iter() {
            let Ok(field) = part.cast::<Field>() else {
                shown.push((Leaf::Object(part.unbind()), Shown::default()));
                continue;
            };
            self.add(asked, tracing, field.get().value.bind(py))?;
            shown.extend(self.leaves.pop().map(|leaf| (leaf, field.get().shown.clone())));
        }
        self.leaves.push(Leaf::Text(shown));
        Ok(())
    }
}

impl<'py> Asked<'_, 'py> {
    /// A call as plain Python makes it, in a graph.
    pub fn plainly(
        &self,
        tracing: &Arc<Tracing>,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let mut objects = Vec::new();
        let both = PyTuple::new(py, [args.as_any(), kwargs.as_any()])?;
        let skeleton = Skeleton::of(both.as_any(), &mut objects)?;
        if holds_of_graph(&skeleton) {
            let message = format!("`{}` is given a list, dict or set of the graph", self.name);
            return Err(refused(py, message, "give it tensors: `gw.stack(items)` makes one of a list"));
        }
        let mut given = Given::default();
        objects.iter().try_for_each(|object| given.add(self, tracing, object.bind(py)))?;
        let skeleton = Some(skeleton).filter(|skeleton| !is_flat(skeleton));
        self.stage(py, tracing, Style::Plain, given, skeleton)
    }

    /// True if no handler around can meet what the function raises: there is none, or each is for what it never raises.
    fn passes_by(&self, heard: &Heard) -> PyResult<bool> {
        let never = self.function.getattr_opt(intern!(self.function.py(), NEVER_RAISES))?;
        Ok(heard.is_empty() || never.is_some_and(|never| heard.are_all(&never.unbind())))
    }

    /// The exceptions of the function that handlers around meet; none if they meet none.
    ///
    /// # Errors
    /// GW115 if it is not observed what the function raises.
    fn met(&self, py: Python<'py>, tracing: &Arc<Tracing>) -> PyResult<Option<Met>> {
        let heard = tracing.tries().heard_by_bodies(py)?;
        if self.passes_by(&heard)? {
            return Ok(None);
        }
        if let (Seen::At(place), Some(observed), false) =
            (&self.seen, tracing.host_side().observed(), self.promises.has_texts())
        {
            return Met::new(py, self.name, observed.raised_at(py, place), heard).map(Some);
        }
        let what = format!(
            "`{}` is called in a `try`, and what it raises when the graph runs no handler sees",
            self.name
        );
        let help =
            "put the `try` into the function that is called, or leave it to the caller of the graph function";
        let found = gw_base::Diagnostic::new(Code::NotCaught, what).help(help);
        let found = match frames::place(py) {
            Some(place) => found.at(place, ""),
            None => found,
        };
        tracing.stop(found.clone());
        Err(errors::raise(&found))
    }

    fn stage(
        &self,
        py: Python<'py>,
        tracing: &Arc<Tracing>,
        style: Style,
        given: Given,
        skeleton: Option<Skeleton>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if tracing.host_side().is_closed() {
            let message = format!("`{}` is called by a function that may not call the host", self.name);
            let help = "compute it with operations of the graph, or leave out `host_code=\"refuse\"`";
            return Err(errors::here(py, Code::HostCallForbidden, message, help));
        }
        let met = self.met(py, tracing)?;
        let (mut values, mut assigned) = (given.values, Vec::new());
        for (home, value) in tracing.changed_variables() {
            values.push(value);
            assigned.push(home);
        }
        let exits: Vec<_> =
            met.iter().flat_map(|met| met.exits.iter().map(|exit| exit.clone_ref(py))).collect();
        let mut gives = self.promises.types(py)?;
        if met.is_some() {
            // Number of the exception that it raises.
            gives.insert(0, HostType { dtype: DType::I64, lengths: Vec::new() });
        }
        for exit in &exits {
            gives.extend(exit.args.types(py)?);
        }
        let is_met = met.is_some();
        let served = Served {
            name: self.name.to_owned(),
            function: self.function.clone().unbind(),
            cells: Cells::of(self.function)?,
            style,
            skeleton,
            leaves: given.leaves,
            assigned,
            promises: self.promises.clone(),
            met,
            seen: self.seen.clone(),
        };
        let call = HostCall { number: tracing.serve(served), name: self.name.to_owned(), gives };
        tracing.trace.set_place(frames::place(py));
        let made = tracing.trace.build(|b| b.host_call(call, &values));
        let mut made = made.map_err(|unfit| errors::unfit(py, unfit))?.into_iter();
        let number = if is_met { made.next() } else { None };
        let returned = held(py, tracing, self.promises, self.memory, &mut made)?;
        for (at, exit) in exits.iter().enumerate() {
            let args = held(py, tracing, &exit.args, Memory::Tensors, &mut made)?;
            let error = exit.error(py, &args)?;
            if let Some(number) = number {
                raising::raise_if(tracing, number, at + 1, error)?;
            }
        }
        Ok(returned)
    }
}

/// The next results of a call as what was promised.
fn held<'py>(
    py: Python<'py>,
    tracing: &Arc<Tracing>,
    promises: &Promises,
    memory: Memory,
    results: &mut impl Iterator<Item = ValueId>,
) -> PyResult<Bound<'py, PyAny>> {
    let staged = promises.numbers().zip(results).map(|(weak, value)| Staged { value, weak });
    let held = staged.map(|staged| memory.hold(py, Operand::Staged(tracing.clone(), staged)));
    promises.rebuild(py, held.collect::<PyResult<_>>()?)
}

/// True for arguments by position that are leaves each, and none by name.
fn is_flat(both: &Skeleton) -> bool {
    let Skeleton::Node(_, both) = both else { return false };
    let [Skeleton::Node(_, args), Skeleton::Node(_, kwargs)] = &both[..] else { return false };
    kwargs.is_empty() && args.iter().all(|arg| matches!(arg, Skeleton::Leaf))
}

/// True if elements stand in a structure that only the graph knows.
fn holds_of_graph(skeleton: &Skeleton) -> bool {
    match skeleton {
        Skeleton::Leaf => false,
        Skeleton::Rows(_) | Skeleton::Node(Kind::Table(_) | Kind::Optional, _) => true,
        Skeleton::Node(_, parts) => parts.iter().any(holds_of_graph),
    }
}

impl Tracing {
    /// Keeps a function that the graph calls; gives its number.
    fn serve(&self, served: Served) -> usize {
        let mut all = self.host_side().functions();
        all.push(served);
        all.len() - 1
    }

    /// The functions that the graph calls, as they stay.
    pub fn take_served(&self, py: Python<'_>) -> PyResult<Vec<Served>> {
        let mut all = std::mem::take(&mut *self.host_side().functions());
        all.iter_mut().try_for_each(|served| served.freeze(py))?;
        Ok(all)
    }

    /// The variables that have been assigned to, with their values here.
    fn changed_variables(&self) -> Vec<(Capture, ValueId)> {
        let changed = |known: crate::effects::tracked::Tracked| {
            let now = self.trace.lift(known.value.value)?;
            (Some(now) != self.trace.lift(known.first.value)).then_some((known.home, now))
        };
        self.tracked().into_iter().filter_map(changed).collect()
    }
}
