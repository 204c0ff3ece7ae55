//! `graphwright.ConcreteFunction`: one graph of a function, to call or to look at.

use std::sync::Arc;

use gw_base::Id;
use gw_ir::{Graph, ValueDef, ValueId};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::concrete::Concrete;
use crate::key::{self, Arguments, Part};
use crate::parameters::Parameters;
use crate::retrace::word;
use crate::spec::PyTensorSpec;
use crate::stage;
use crate::tensor::Tensor;
use crate::tracked::Capture;

/// A graph of a function for arguments of one trace type.
#[pyclass(frozen, name = "ConcreteFunction", module = "graphwright")]
#[derive(Debug)]
pub struct ConcreteFunction {
    concrete: Arc<Concrete>,
    parameters: Arc<Parameters>,
}

impl ConcreteFunction {
    /// For a graph of a function with these parameters.
    pub fn new(concrete: Arc<Concrete>, parameters: Arc<Parameters>) -> Self {
        Self { concrete, parameters }
    }

    /// The trace type as text, with that of the result.
    pub fn signature(&self, py: Python<'_>) -> PyResult<String> {
        let call = self.concrete.arguments.text(py, &self.concrete.graph.name, &self.parameters)?;
        let returns = self.structured_outputs(py)?.repr()?;
        Ok(format!("{call}\n  Returns: {returns}"))
    }

    /// The arguments as the function takes them; those that are no tensors may be left out.
    fn structured<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Arguments, Vec<Bound<'py, PyAny>>)> {
        let known = PyDict::new(py);
        for (at, value) in self.concrete.arguments.positional(py)?.iter().enumerate().skip(args.len()) {
            if !value.is_instance_of::<PyTensorSpec>() {
                known.set_item(self.parameters.name(at), value)?;
            }
        }
        if let Some(kwargs) = kwargs {
            known.update(kwargs.as_mapping())?;
        }
        let call = self.parameters.bind(args, Some(&known))?;
        let mut arguments = Arguments::default();
        call.positional.iter().try_for_each(|a| arguments.take(a))?;
        call.keyword.iter().try_for_each(|k| arguments.take(k))?;
        let keyword = call.keyword.iter().map(|k| k.as_any().clone());
        let tensors = stage::tensors(call.positional.iter().cloned().chain(keyword))?;
        Ok((self.fitting(&self.concrete.parts, arguments)?, tensors))
    }

    /// The tensors alone, in order.
    fn flat<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Arguments, Vec<Bound<'py, PyAny>>)> {
        let mut given: Vec<_> = args.iter().collect();
        given.extend(kwargs.into_iter().flat_map(|kwargs| kwargs.values().iter().collect::<Vec<_>>()));
        let mut arguments = Arguments::default();
        given.iter().try_for_each(|a| arguments.take_as_tensor(a))?;
        let tensors: Vec<Part> =
            self.concrete.parts.iter().filter(|p| p.as_tensor().is_some()).cloned().collect();
        Ok((self.fitting(&tensors, arguments)?, given))
    }

    fn fitting(&self, wanted: &[Part], found: Arguments) -> PyResult<Arguments> {
        if key::fits(wanted, &found.parts) {
            return Ok(found);
        }
        let words = |parts: &[Part]| parts.iter().map(word).collect::<Vec<_>>().join(", ");
        Err(PyTypeError::new_err(format!("takes {}, but was given {}", words(wanted), words(&found.parts))))
    }

    fn graph_ref(&self) -> &Graph {
        &self.concrete.graph
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
        let (arguments, tensors) = match self.structured(py, args, kwargs) {
            Ok(found) => found,
            Err(structured) => self.flat(args, kwargs).map_err(|flat| {
                PyTypeError::new_err(format!(
                    "GW302: these arguments do not fit this graph of `{}`.\nAs the function's arguments: {}\n\
                     As its tensors alone: {}",
                    self.name(),
                    structured.value(py),
                    flat.value(py)
                ))
            })?,
        };
        if !self.concrete.is_fresh() {
            return Err(PyValueError::new_err(format!(
                "GW123: a tensor that the graph of `{}` took from outside was stored into since",
                self.name()
            )));
        }
        self.concrete.run(py, &arguments, &|| Ok(tensors.clone()))
    }

    /// `((arguments by position), {arguments by name})`, with a `TensorSpec` in place of each tensor.
    #[getter]
    fn structured_input_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.concrete.arguments.objects(py)
    }

    /// What is returned, with a `TensorSpec` in place of each tensor.
    #[getter]
    fn structured_outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.concrete.output.specs(py, self.graph_ref())
    }

    /// The graph's parameters, those for captured tensors last.
    #[getter]
    fn inputs(&self) -> Vec<PyTensorSpec> {
        let graph = self.graph_ref();
        let spec = |v: &ValueId| PyTensorSpec::of_type(graph.ty(*v), graph.values[*v].name.clone());
        graph.params().iter().map(spec).collect()
    }

    /// The graph's results.
    #[getter]
    fn outputs(&self) -> Vec<PyTensorSpec> {
        let graph = self.graph_ref();
        graph.results().iter().map(|&v| PyTensorSpec::of_type(graph.ty(v), None)).collect()
    }

    /// The tensors that the function took from around it, which follow the arguments.
    #[getter]
    fn captured_inputs(&self) -> Vec<Tensor> {
        let tensor = |capture: &Capture| match capture {
            Capture::Tensor(buffer) => Some(Tensor::eager(buffer.clone())),
            Capture::Variable(_) | Capture::Argument(_) => None,
        };
        self.concrete.captured.iter().filter_map(tensor).collect()
    }

    /// The trace type as text, with that of the result.
    fn pretty_printed_signature(&self, py: Python<'_>) -> PyResult<String> {
        self.signature(py)
    }

    /// The graph.
    #[getter]
    fn graph(&self) -> GraphText {
        GraphText::of(self.graph_ref())
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

/// A graph to look at.
#[pyclass(frozen, name = "Graph", module = "graphwright")]
#[derive(Debug)]
pub struct GraphText {
    text: String,
    name: String,
    nodes: Vec<NodeDef>,
}

impl GraphText {
    fn of(graph: &Graph) -> Self {
        let name = |v: &ValueId| value_name(graph, *v);
        let node = |id: gw_ir::NodeId| {
            let node = &graph.nodes[id];
            NodeDef {
                name: node.results.first().map_or_else(|| node.op.text().to_owned(), &name),
                op: node.op.text().to_owned(),
                input: node.args.iter().map(&name).collect(),
            }
        };
        let listed = graph.regions.iter().flat_map(|(_, region)| region.nodes.clone());
        Self { text: gw_ir::text::print(graph), name: graph.name.clone(), nodes: listed.map(node).collect() }
    }
}

/// The user's name for a value, or one made of what defines it.
fn value_name(graph: &Graph, value: ValueId) -> String {
    let made = || match graph.values[value].def {
        ValueDef::Result(node, _) => format!("{}_{}", graph.nodes[node].op.text(), node.index()),
        ValueDef::Param(region, at) => format!("param_{}_{at}", region.index()),
    };
    graph.values[value].name.clone().unwrap_or_else(made)
}

#[pymethods]
impl GraphText {
    /// Reads a graph's text form and prints it again; `ValueError` with the line if it cannot be read.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        let graph = gw_ir::text::parse(text).map_err(|e| {
            pyo3::exceptions::PyValueError::new_err(format!("line {}: {}", e.line, e.message))
        })?;
        Ok(Self::of(&graph))
    }

    /// The graph's nodes as data, TensorFlow's `GraphDef`: its `node` lists them, those of inner regions too.
    fn as_graph_def(&self) -> GraphDef {
        GraphDef { node: self.nodes.clone() }
    }

    /// The function's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Graph {}>", self.name)
    }
}

/// The nodes of a graph.
#[pyclass(frozen, get_all, module = "graphwright")]
#[derive(Debug)]
pub struct GraphDef {
    /// In the order in which they run, region by region.
    node: Vec<NodeDef>,
}

/// One node of a graph.
#[pyclass(frozen, get_all, module = "graphwright")]
#[derive(Debug, Clone)]
pub struct NodeDef {
    /// That of its first result.
    name: String,
    /// The op.
    op: String,
    /// The names of the values it takes.
    input: Vec<String>,
}

#[pymethods]
impl NodeDef {
    fn __repr__(&self) -> String {
        format!("{} = {}({})", self.name, self.op, self.input.join(", "))
    }
}
