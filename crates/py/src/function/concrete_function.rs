//! `graphwright.ConcreteFunction`: one graph of a function, to call or to look at.

use std::sync::Arc;

use graphwright::function::explain::word;
use graphwright::function::trace_type;
use gw_base::Code;
use gw_ir::{Graph, ValueId};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::effects::tracked::Capture;
use crate::exceptions::errors;
use crate::function::any_rank::{self, AnyRank};
use crate::function::concrete::CompiledTrace;
use crate::function::fast_match::Positional;
use crate::function::parameters::{Call, Parameters};
use crate::function::trace_type::{Arguments, Part};
use crate::function::{Function, bind_parameters, structured};
use crate::host::lent;
use crate::host_calls;
use crate::host_calls::process_state::Elsewhere;
use crate::values::array;
use crate::values::graph_text::GraphText;
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::Tensor;
use crate::values::variable::Variable;

/// A graph of a function for arguments of one trace type.
///
/// Example:
///   >>> @gw.function
///   ... def double(x):
///   ...     return x * 2.0
///   >>> concrete = double.get_concrete_function(gw.TensorSpec([], gw.float32))
///   >>> float(concrete(gw.constant(3.0)))
///   6.0
#[pyclass(frozen, name = "ConcreteFunction", module = "graphwright")]
#[derive(Debug)]
pub struct ConcreteFunction {
    concrete: Arc<CompiledTrace>,
    parameters: Arc<Parameters>,
    /// If the arguments leave numbers of axes open, where the graphs for them are, and what each gives; the graph here
    /// is the one for the first number that the function takes.
    open: Option<(AnyRank, Vec<PyTensorSpec>)>,
}

impl ConcreteFunction {
    /// For a graph of a function with these parameters.
    pub fn new(concrete: Arc<CompiledTrace>, parameters: Arc<Parameters>) -> Self {
        Self { concrete, parameters, open: None }
    }

    /// For arguments that leave numbers of axes open. What is returned has a number of axes of its own where two graphs
    /// for different numbers say the same.
    pub fn of_any_rank(py: Python<'_>, open: AnyRank, parameters: Arc<Parameters>) -> PyResult<Self> {
        let function = open.function(py).get();
        let graph = |rank| function.concrete_function(py, &open.at(py, std::iter::repeat(rank))?);
        let is_refusal = |error: &PyErr| error.is_instance_of::<PyException>(py);
        let mut rank = any_rank::TRIED.start;
        let first = loop {
            match graph(rank) {
                Ok(found) => break found,
                Err(error) if is_refusal(&error) && any_rank::TRIED.contains(&(rank + 1)) => rank += 1,
                Err(error) => return Err(error),
            }
        };
        let outputs = match graph(rank + 1) {
            Ok(second) => first.outputs().into_iter().zip(second.outputs()).map(in_both).collect(),
            Err(error) if is_refusal(&error) => first.outputs(),
            Err(error) => return Err(error),
        };
        Ok(Self { concrete: first.concrete, parameters, open: Some((open, outputs)) })
    }

    /// The trace type as text, with that of the result and what was captured.
    pub fn signature(&self, py: Python<'_>) -> PyResult<String> {
        let inputs = structured::text(&self.structured_input_signature(py)?, &self.parameters)?;
        let returns = self.structured_outputs(py)?.repr()?;
        let captured = |capture: &Capture| match capture {
            Capture::Tensor(buffer) => Some(format!("  {}", PyTensorSpec::of_buffer(buffer).__repr__())),
            Capture::Variable(cell) => Some(format!("  {}", cell.text())),
            Capture::Argument(_) | Capture::Location(_) => None,
        };
        let captures: Vec<_> = self.concrete.captured.iter().filter_map(captured).collect();
        let captures = if captures.is_empty() { "  None".to_owned() } else { captures.join("\n") };
        Ok(format!("Input Parameters:\n{inputs}\nOutput Type:\n  {returns}\nCaptures:\n{captures}"))
    }

    /// The concrete function for the numbers of axes that the arguments of a call have.
    fn of_call(
        &self,
        py: Python<'_>,
        open: &AnyRank,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let given = match self.bind(py, args, kwargs) {
            Ok(call) => all(&call),
            Err(_) => one_by_one(args, kwargs),
        };
        let ranks = open.ranks(&given, py).unwrap_or_default();
        let missing = std::iter::repeat(any_rank::TRIED.start);
        open.function(py).get().concrete_function(py, &open.at(py, ranks.into_iter().chain(missing))?)
    }

    /// The arguments as the function takes them; those that are no tensors may be left out.
    fn bind<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call<'py>> {
        let known = PyDict::new(py);
        for (at, value) in self.concrete.arguments.positional(py)?.iter().enumerate().skip(args.len()) {
            if !value.is_instance_of::<PyTensorSpec>() {
                known.set_item(self.parameters.name(at), value)?;
            }
        }
        if let Some(kwargs) = kwargs {
            known.update(kwargs.as_mapping())?;
        }
        self.parameters.bind(args, Some(&known))
    }

    /// The arguments as the function takes them, with the tensors among them.
    fn structured<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Arguments, Vec<Bound<'py, PyAny>>)> {
        let call = self.bind(py, args, kwargs)?;
        let mut arguments = Arguments::default();
        call.positional.iter().try_for_each(|a| arguments.take(a))?;
        call.keyword.iter().try_for_each(|k| arguments.take(k))?;
        let tensors = bind_parameters::tensors(all(&call).into_iter())?;
        Ok((self.fitting(&self.concrete.parts, arguments)?, tensors))
    }

    /// The tensors alone, in order.
    fn flat<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Arguments, Vec<Bound<'py, PyAny>>)> {
        let given = one_by_one(args, kwargs);
        let mut arguments = Arguments::default();
        given.iter().try_for_each(|a| arguments.take_as_tensor(a))?;
        let tensors: Vec<Part> =
            self.concrete.parts.iter().filter(|p| p.as_tensor().is_some()).cloned().collect();
        Ok((self.fitting(&tensors, arguments)?, given))
    }

    fn fitting(&self, wanted: &[Part], found: Arguments) -> PyResult<Arguments> {
        if trace_type::fits(wanted, &found.parts) {
            return Ok(found);
        }
        let words = |parts: &[Part]| parts.iter().map(word).collect::<Vec<_>>().join(", ");
        Err(PyTypeError::new_err(format!(
            "it takes {}, but was given {}",
            words(wanted),
            words(&found.parts)
        )))
    }

    /// Why the arguments of a call fit neither as the function's nor as its tensors alone.
    fn misfit(&self, py: Python<'_>, structured: &PyErr, flat: &PyErr) -> PyErr {
        let [structured, flat] = [structured, flat].map(|error| error.value(py).to_string());
        let mut message = format!("these arguments do not fit this graph of `{}`: ", self.name());
        if structured == flat {
            message.push_str(&flat);
        } else {
            message.push_str(&format!("as the function's, {structured}; as its tensors alone, {flat}"));
        }
        let help = "print the concrete function to see what it takes, or call the function itself";
        errors::here(py, Code::SignatureMismatch, message, help)
    }

    /// Runs the graph on the function's arguments, or on its tensors alone; by something else than its native code if there is
    /// such a thing.
    pub fn run_by<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        elsewhere: Option<Elsewhere<'_>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some((open, _)) = &self.open {
            return self.of_call(py, open, args, kwargs)?.run_by(py, args, kwargs, elsewhere);
        }
        let (arguments, tensors) = match self.structured(py, args, kwargs) {
            Ok(found) => found,
            Err(structured) => self.flat(args, kwargs).map_err(|flat| self.misfit(py, &structured, &flat))?,
        };
        if !self.concrete.is_fresh() {
            let message = format!(
                "a tensor that the graph of `{}` took from outside was stored into since",
                self.name()
            );
            let help = "call the function itself, or ask it for another concrete function";
            return Err(errors::here(py, Code::OutsideStored, message, help));
        }
        self.concrete.run_by(py, arguments.inputs, &|| Ok(tensors.clone()), elsewhere)
    }

    /// True if the arguments leave numbers of axes open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Its graph, after the passes.
    pub fn graph_ref(&self) -> &Graph {
        self.concrete.graph.graph()
    }
}

#[pymethods]
impl ConcreteFunction {
    /// Runs the graph: on the function's arguments, or on its tensors alone.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.run_by(py, args, kwargs, None)
    }

    /// True if its results depend on nothing but its arguments: no tensors or variables from around the function.
    #[getter]
    fn is_closed(&self) -> bool {
        self.concrete.captured.is_empty() && self.concrete.outside.is_empty()
    }

    /// `((arguments by position), {arguments by name})`, with a `TensorSpec` in place of each tensor.
    #[getter]
    fn structured_input_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.open {
            Some((open, _)) => open.objects(py),
            None => self.concrete.arguments.objects(py),
        }
    }

    /// The returned structure, with a `TensorSpec` in place of each tensor.
    #[getter]
    fn structured_outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.concrete.output.specs(py, self.outputs())
    }

    /// The graph's parameters, those for captured tensors last.
    #[getter]
    fn inputs(&self) -> Vec<PyTensorSpec> {
        let graph = self.graph_ref();
        let spec = |v: &ValueId| PyTensorSpec::of_type(graph.ty(*v), graph.values[*v].name.clone());
        graph.params().iter().map(spec).collect()
    }

    /// The results that are returned.
    #[getter]
    fn outputs(&self) -> Vec<PyTensorSpec> {
        if let Some((_, outputs)) = &self.open {
            return outputs.clone();
        }
        let graph = self.graph_ref();
        let returned = self.concrete.output.results();
        graph.results()[..returned].iter().map(|&v| PyTensorSpec::of_type(graph.ty(v), None)).collect()
    }

    /// The variables that the function reads or assigns to, besides those among its arguments.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let variable = |capture: &Capture| match capture {
            Capture::Variable(cell) => Some(Variable::of_cell(py, cell)),
            Capture::Tensor(_) | Capture::Argument(_) | Capture::Location(_) => None,
        };
        let found = self.concrete.captured.iter().filter_map(variable).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, found)
    }

    /// Those of them that a `GradientTape` watches.
    #[getter]
    fn trainable_variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let all = self.variables(py)?;
        let watched = |v: &Bound<'_, PyAny>| v.cast::<Variable>().is_ok_and(|v| v.get().cell.trainable);
        PyTuple::new(py, all.iter().filter(watched).collect::<Vec<_>>())
    }

    /// The tensors that the function took from around it, which follow the arguments.
    #[getter]
    fn captured_inputs(&self) -> Vec<Tensor> {
        let tensor = |capture: &Capture| match capture {
            Capture::Tensor(buffer) => Some(Tensor::eager(buffer.clone())),
            Capture::Variable(_) | Capture::Argument(_) | Capture::Location(_) => None,
        };
        self.concrete.captured.iter().filter_map(tensor).collect()
    }

    /// The trace type as text, with that of the result.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> concrete = double.get_concrete_function(gw.TensorSpec([], gw.float32))
    ///   >>> print(concrete.pretty_printed_signature())
    ///   Input Parameters:
    ///     x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=float32, name='x')
    ///   Output Type:
    ///     TensorSpec(shape=(), dtype=float32, name=None)
    ///   Captures:
    ///     None
    fn pretty_printed_signature(&self, py: Python<'_>) -> PyResult<String> {
        self.signature(py)
    }

    /// The graph.
    #[getter]
    fn graph(&self) -> GraphText {
        GraphText::of(self.graph_ref())
    }

    /// The lines of the loops that its code is made of, each with the number of its node, for `graphwright._report`.
    fn _loops(&self) -> PyResult<Vec<(Option<usize>, String)>> {
        let lines =
            graphwright::profile::loops(self.graph_ref()).map_err(|broken| errors::broken(&broken))?;
        Ok(lines.into_iter().map(|(node, line)| (node.map(gw_base::Id::index), line)).collect())
    }

    /// True if a call assigns to variables or changes objects around the function, for `graphwright._report`.
    #[getter]
    fn _has_effects(&self) -> bool {
        !self.concrete.assigned.is_empty() || !self.concrete.effects.is_empty()
    }

    /// The memory that a call of its function works in, for `graphwright._report`.
    fn _memory<'py>(
        &self,
        function: &Bound<'py, Function>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Place<'py>>> {
        let (py, function, trace) = (function.py(), function.get(), &self.concrete);
        let call = function.parameters(py)?.bind(args, kwargs)?;
        let given = Positional { owner: None, arguments: &call.positional };
        let is_found =
            call.keyword.is_none() && function.traces.with_alike(|c| c.take(py, given), |_, _| ()).is_some();
        let for_all = match () {
            () if !trace.served.is_empty() => Some("the graph calls the host"),
            () if trace.is_done_again => Some("plain Python may do the call again"),
            () if !is_found => Some("the call finds its graph by types"),
            () => None,
        };
        let one = |(at, object): (usize, Bound<'py, PyAny>)| {
            let stored = trace.written.iter().any(|written| written.at == at);
            let is_array = array::is_array(&object);
            let own = || lent::reason_to_copy(&object).or(for_all);
            let copied = is_array.then(own).flatten();
            (is_array || stored).then_some((at, object, stored, copied))
        };
        Ok(function.tensors(&call)?.into_iter().enumerate().filter_map(one).collect())
    }

    /// The transfers between the graph and the host, for `graphwright._partition`.
    fn _crossings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        host_calls::described(py, &self.concrete.crossings, &self.concrete.served)
    }

    /// `TypeError` or `ValueError` if this is no answer of a function of the host's that the graph calls.
    fn _check_answer(&self, number: usize, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        self.concrete.served.get(number).map_or(Ok(()), |served| served.check_answer(answer))
    }

    /// The user's name for the function.
    #[getter]
    fn name(&self) -> &str {
        &self.graph_ref().name
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("ConcreteFunction {}", self.signature(py)?))
    }

    fn __repr__(&self) -> String {
        format!("<ConcreteFunction {}>", self.name())
    }
}

/// An argument that is an array or is stored into: its number among the graph's parameters, the object, true if it is stored
/// into, and the reason for which each call copies it, if it does.
type Place<'py> = (usize, Bound<'py, PyAny>, bool, Option<&'static str>);

/// The arguments of a call; those by name are one.
fn all<'py>(call: &Call<'py>) -> Vec<Bound<'py, PyAny>> {
    let keyword = call.keyword.iter().map(|keyword| keyword.as_any().clone());
    call.positional.iter().cloned().chain(keyword).collect()
}

/// Arguments as they are given, each for itself.
fn one_by_one<'py>(
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> Vec<Bound<'py, PyAny>> {
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values().iter().collect::<Vec<_>>());
    args.iter().chain(named).collect()
}

/// Specification of a result that holds for two graphs, for different numbers of axes.
fn in_both((one, other): (PyTensorSpec, PyTensorSpec)) -> PyTensorSpec {
    if one.lengths.len() != other.lengths.len() {
        return one.of_any_rank();
    }
    let lengths =
        one.lengths.iter().zip(&other.lengths).map(|(m, n)| if m == n { *m } else { None }).collect();
    PyTensorSpec { lengths, ..one }
}
