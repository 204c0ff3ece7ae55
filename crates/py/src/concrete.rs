//! One graph of a function with its native code, and how results go back to Python.

use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Graph, ValueId};
use gw_runtime::{Buffer, Executable};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::current::{self, Tracing};
use crate::host::{Maybe, Skeleton};
use crate::key::{self, Arguments, Part};
use crate::stage::{self, Written};
use crate::tensor::{Payload, Tensor};
use crate::world::PythonHost;
use crate::{errors, operators, pack, write_back};

/// A graph of a function for arguments of one trace type.
#[derive(Debug)]
pub struct Concrete {
    /// The trace type.
    pub parts: Vec<Part>,
    /// Objects that count by identity stay alive, so that their addresses stay theirs.
    pub _objects: Vec<Py<PyAny>>,
    /// The graph after `opt`.
    pub graph: Graph,
    /// Its native code.
    pub executable: Executable,
    /// Tensors that the function captured; they follow the arguments.
    pub captured: Vec<Buffer>,
    /// Arguments that it stores into; what they hold afterwards follows the results.
    pub written: Vec<Written>,
    /// Tensors from outside that the function read, with what they held: the graph is good as long as they do.
    pub outside: Vec<(Py<Tensor>, Buffer)>,
    /// What it returns.
    pub output: Output,
}

/// The structure of what a function returns.
#[derive(Debug)]
pub struct Output {
    skeleton: Skeleton,
    /// For each leaf, whether it is a tensor (the next result) or `None`.
    tensors: Vec<bool>,
}

impl Output {
    /// Takes what a traced function returned apart; gives the graph's results too. `returns` finds the `return`s.
    pub fn of(
        py: Python<'_>,
        tracing: &Tracing,
        returned: &Bound<'_, PyAny>,
        returns: &dyn Fn() -> Vec<Loc>,
    ) -> PyResult<(Self, Vec<ValueId>)> {
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(returned, &mut leaves)?;
        let mut tensors = Vec::with_capacity(leaves.len());
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in &leaves {
            let leaf = leaf.bind(py);
            tensors.push(!leaf.is_none());
            if !leaf.is_none() {
                values.push(result(tracing, leaf, returns)?);
            }
        }
        Ok((Self { skeleton, tensors }, values))
    }

    fn rebuild<'py>(&self, py: Python<'py>, results: Vec<Buffer>) -> PyResult<Bound<'py, PyAny>> {
        let mut results = results.into_iter();
        let mut tensor = || {
            let buffer = results.next().expect("one result per tensor");
            Ok::<_, PyErr>(Py::new(py, Tensor::eager(buffer))?.into_any())
        };
        if let (Skeleton::Leaf, [true]) = (&self.skeleton, self.tensors.as_slice()) {
            return Ok(tensor()?.into_bound(py));
        }
        let leaf = |is_tensor: &bool| if *is_tensor { tensor() } else { Ok(py.None()) };
        let leaves = self.tensors.iter().map(leaf).collect::<PyResult<Vec<_>>>()?;
        self.skeleton.rebuild(py, &mut leaves.into_iter())
    }
}

/// A returned leaf as a result of the graph.
fn result(tracing: &Tracing, leaf: &Bound<'_, PyAny>, returns: &dyn Fn() -> Vec<Loc>) -> PyResult<ValueId> {
    let py = leaf.py();
    if let Ok(maybe) = leaf.cast::<Maybe>() {
        return result(tracing, &operators::read(py, maybe)?, returns);
    }
    match pack::plain_operand(leaf)? {
        Some(operand) => Ok(pack::stage(tracing, &operand).value),
        None => {
            let kind = leaf.get_type().name()?.to_string();
            let message =
                format!("the function returns a value of type `{kind}`, which a graph cannot return");
            let help = "return tensors, numbers, `None`, or tuples, lists and dicts of them";
            let found = Diagnostic::new(Code::ResultNotTensor, message).help(help);
            let places = returns();
            if places.is_empty() {
                return Err(errors::at_call(py, found));
            }
            let text = if places.len() == 1 { "" } else { "one of these" };
            Err(errors::raise(&places.into_iter().fold(found, |found, place| found.at(place, text))))
        }
    }
}

impl Concrete {
    /// Runs the graph on the elements of a call's tensors; `tensors` gives the objects, if it stores into some.
    pub fn run<'py>(
        &self,
        py: Python<'py>,
        buffers: &[Buffer],
        tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let targets = match self.written[..] {
            [] => Vec::new(),
            [..] => write_back::targets(py, &self.written, &tensors()?, &self.outside)?,
        };
        let inputs: Vec<&Buffer> = buffers.iter().chain(&self.captured).collect();
        let mut host = PythonHost::default();
        let results = py.detach(|| self.executable.run(&inputs, &mut host));
        let mut results = results.map_err(|e| errors::run_failed(py, e, host))?;
        let elements = results.split_off(results.len() - targets.len());
        write_back::write(py, &targets, elements)?;
        self.output.rebuild(py, results)
    }

    /// Whether the tensors from outside hold what they held when the function was traced.
    pub fn is_fresh(&self) -> bool {
        let same = |(tensor, buffer): &(Py<Tensor>, Buffer)| match tensor.get().content() {
            Payload::Eager(now) => now.as_ptr() == buffer.as_ptr(),
            Payload::Staged(..) => false,
        };
        self.outside.iter().all(same)
    }
}

/// A graph of a function for arguments of one trace type, to call or to look at.
#[pyclass(frozen, name = "ConcreteFunction", module = "graphwright")]
#[derive(Debug)]
pub struct ConcreteFunction(pub Arc<Concrete>);

#[pymethods]
impl ConcreteFunction {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let mut arguments = Arguments::default();
        args.iter().try_for_each(|a| arguments.take(&a))?;
        if !key::fits(&self.0.parts, &arguments.parts) {
            let name = &self.0.graph.name;
            let message = format!("these arguments do not fit this graph of `{name}`");
            let help = if current::is_tracing() {
                "call the `gw.function` itself: a graph cannot be called while another one is built"
            } else {
                "call it with tensors of the dtypes and shapes that it was made for"
            };
            return Err(errors::here(py, Code::SignatureMismatch, message, help));
        }
        if !self.0.is_fresh() {
            let name = &self.0.graph.name;
            let message =
                format!("GW123: a tensor that the graph of `{name}` took from outside was stored into since");
            return Err(pyo3::exceptions::PyValueError::new_err(message));
        }
        self.0.run(py, &arguments.buffers, &|| stage::tensors(args.iter()))
    }

    /// The graph.
    #[getter]
    fn graph(&self) -> GraphText {
        GraphText { text: gw_ir::text::print(&self.0.graph), name: self.0.graph.name.clone() }
    }

    /// The user's name for the function.
    #[getter]
    fn name(&self) -> &str {
        &self.0.graph.name
    }

    fn __repr__(&self) -> String {
        format!("<ConcreteFunction {}>", self.0.graph.name)
    }
}

/// A graph to look at.
#[pyclass(frozen, name = "Graph", module = "graphwright")]
#[derive(Debug)]
pub struct GraphText {
    text: String,
    name: String,
}

#[pymethods]
impl GraphText {
    /// Reads a graph's text form and prints it again; `ValueError` with the line if it cannot be read.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        let graph = gw_ir::text::parse(text).map_err(|e| {
            pyo3::exceptions::PyValueError::new_err(format!("line {}: {}", e.line, e.message))
        })?;
        Ok(Self { text: gw_ir::text::print(&graph), name: graph.name })
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
