//! The arguments of a call as a traced function sees them: tensors become parameters of the graph, the rest stays.

use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Graph, ValueDef, ValueId};
use gw_trace::Staged;
use gw_types::{DType, Number};
use pyo3::prelude::*;

use crate::exceptions::errors::{self, InternalError};
use crate::function::own_type::TraceType;
use crate::function::trace_type::Part;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host::structure::Kind;
use crate::session::Tracing;
use crate::values::array;
use crate::values::semantics::{Argument, ArrayFlags, Semantics};
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// Makes the parameters of a graph, in the order of its trace type.
pub struct Stage<'a> {
    tracing: &'a Arc<Tracing>,
    types: Box<dyn Iterator<Item = (DType, &'a [Option<usize>])> + 'a>,
    own: Box<dyn Iterator<Item = &'a TraceType> + 'a>,
    arrays: &'a ArrayFlags,
    /// Stand-in of each variable among the arguments.
    variables: Vec<(Arc<Cell>, Py<PyAny>)>,
    /// The parameters made so far.
    made: Vec<Parameter>,
}

/// A tensor among the arguments, as the traced function sees it.
struct Parameter {
    tensor: Py<Tensor>,
    value: ValueId,
    name: String,
}

/// A tensor among the arguments that the function stores into.
#[derive(Debug)]
pub struct Written {
    /// Index among the tensors of the arguments.
    pub at: usize,
    /// The parameter's name.
    pub name: String,
    /// The last store.
    pub place: Option<Loc>,
}

impl<'a> Stage<'a> {
    /// For arguments of this trace type.
    pub fn new(tracing: &'a Arc<Tracing>, parts: &'a [Part], arrays: &'a ArrayFlags) -> Self {
        let types = Box::new(parts.iter().filter_map(Part::as_tensor));
        let own = Box::new(parts.iter().filter_map(Part::as_own));
        Self { tracing, types, own, arrays, variables: Vec::new(), made: Vec::new() }
    }

    /// An argument with parameters in place of its tensors.
    pub fn argument(&mut self, object: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyAny>> {
        let py = object.py();
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(object, &mut leaves)?;
        let mut staged = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            staged.push(if let Ok(variable) = leaf.bind(py).cast::<Variable>() {
                self.variable(variable)?
            } else if is_tensor(leaf.bind(py))? {
                self.tensor(py, name)?
            } else if TraceType::of(leaf.bind(py))?.is_some() {
                self.placeholder(py)?
            } else {
                leaf
            });
        }
        Ok(skeleton.rebuild(py, &mut staged.into_iter())?.unbind())
    }

    /// Stand-in of a variable: the same object for the same variable.
    fn variable(&mut self, variable: &Bound<'_, Variable>) -> PyResult<Py<PyAny>> {
        let py = variable.py();
        let cell = &variable.get().cell;
        if let Some((_, known)) = self.variables.iter().find(|(known, _)| Arc::ptr_eq(known, cell)) {
            return Ok(known.clone_ref(py));
        }
        let stands_in = variable.get().standing_in();
        self.tracing.argument_variable(stands_in.cell.clone(), cell.clone());
        let stands_in = Py::new(py, stands_in)?.into_any();
        self.variables.push((cell.clone(), stands_in.clone_ref(py)));
        Ok(stands_in)
    }

    /// Stand-in of the next object that defines its own trace type.
    fn placeholder(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let next = self.own.next();
        let own = next.ok_or_else(|| InternalError::new_err("a trace type lacks an object"))?;
        Ok(own.placeholder(py)?.unbind())
    }

    /// The next parameter.
    pub fn tensor(&mut self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let next = self.types.next();
        let (dtype, lengths) = next.ok_or_else(|| InternalError::new_err("a trace type lacks a tensor"))?;
        let staged = self.tracing.trace.parameter(dtype, lengths, name);
        let tensor = Py::new(py, Tensor::staged(self.tracing.clone(), staged))?;
        let value = staged.value;
        let given = self.arrays.get(self.made.len());
        tensor.get().cell().hold();
        tensor.get().know(if given == Argument::Array { Semantics::Reference } else { Semantics::Value });
        match given {
            Argument::Number => self.tracing.trace.set_given(value),
            Argument::Tensor => self.tracing.trace.set_tensor(value),
            Argument::Array => {}
        }
        self.made.push(Parameter { tensor: tensor.clone_ref(py), value, name: name.to_owned() });
        Ok(tensor.into_any())
    }

    /// The next parameter, which stands for a number of Python's and stays one.
    pub fn number(&mut self, number: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyAny>> {
        let kind = array::number(number)?.and_then(Number::of);
        let kind = kind.ok_or_else(|| InternalError::new_err("a number is none"))?;
        let Staged { value, .. } = self.tracing.trace.parameter(kind.own_dtype(), &[], name);
        let staged = Staged { value, weak: Some(kind) };
        let tensor = Py::new(number.py(), Tensor::staged(self.tracing.clone(), staged))?;
        self.made.push(Parameter { tensor: tensor.clone_ref(number.py()), value, name: name.to_owned() });
        Ok(tensor.into_any())
    }

    /// The graph.
    pub fn tracing(&self) -> &'a Arc<Tracing> {
        self.tracing
    }

    /// The tensors among the arguments, and the parameters that they are.
    pub fn tensors(&self, py: Python<'_>) -> Vec<(Py<Tensor>, ValueId)> {
        self.made.iter().map(|parameter| (parameter.tensor.clone_ref(py), parameter.value)).collect()
    }

    /// The parameters that the function stored into, and what they hold at its end.
    pub fn written(&self, py: Python<'_>) -> PyResult<(Vec<Written>, Vec<ValueId>)> {
        let (mut written, mut values) = (Vec::new(), Vec::new());
        for (at, parameter) in self.made.iter().enumerate() {
            let now = operands::operand(parameter.tensor.bind(py).as_any())?;
            let value = operands::stage(self.tracing, &now).value;
            if value != parameter.value {
                let place = self.tracing.trace.build(|b| stored_at(b.graph(), value));
                written.push(Written { at, name: parameter.name.clone(), place });
                values.push(value);
            }
        }
        Ok((written, values))
    }
}

/// The place of the store that made the elements of an array: of what a branch or loop gives, the one in it.
fn stored_at(graph: &Graph, mut value: ValueId) -> Option<Loc> {
    loop {
        let ValueDef::Result(made, at) = graph.values[value].def else { return None };
        let node = &graph.nodes[made];
        let inner = node.regions.iter().map(|&region| &graph.regions[region]).find_map(|region| {
            let result = *region.results.get(at).filter(|_| region.results.len() == node.results.len())?;
            graph.definer(result).filter(|inner| region.nodes.contains(inner)).map(|_| result)
        });
        match inner {
            Some(inner) => value = inner,
            None => return graph.places[made].clone(),
        }
    }
}

/// An argument as the traced function was given it.
pub struct Given<'py> {
    object: Bound<'py, PyAny>,
    skeleton: Skeleton,
    leaves: Vec<Py<PyAny>>,
}

impl<'py> Given<'py> {
    /// Before the function runs.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(object, &mut leaves)?;
        Ok(Self { object: object.clone(), skeleton, leaves })
    }

    /// The argument.
    pub fn object(&self) -> Bound<'py, PyAny> {
        self.object.clone()
    }

    /// After it ran: what it did to a list or dict, the caller would not see (GW113).
    pub fn check(&self, tracing: &Tracing, name: &str) -> PyResult<()> {
        let py = self.object.py();
        let now = Self::of(&self.object)?;
        let same = self.leaves.iter().zip(&now.leaves).all(|(a, b)| is_still(a.bind(py), b.bind(py)));
        if same && self.skeleton.same(&now.skeleton, py) {
            return Ok(());
        }
        let message = format!("`{name}` is changed in place by the function, which its caller would not see");
        let copy = match &self.skeleton {
            Skeleton::Node(Kind::Fields(..), _) => format!("copy.copy({name})"),
            Skeleton::Node(..) | Skeleton::Leaf | Skeleton::Rows(_) => format!("{name}.copy()"),
        };
        let help = format!("change a copy and return it: `{name} = {copy}` before the change");
        let found = Diagnostic::new(Code::ArgumentChanged, message).help(help);
        Err(match tracing.arguments().changed(&self.object) {
            Some(place) => errors::raise(&found.at(place, "changed here")),
            None => errors::at_call(py, found),
        })
    }
}

/// True if a leaf is what it was: the same object, or one that holds the same value of the graph, as rows of a list do.
fn is_still(before: &Bound<'_, PyAny>, now: &Bound<'_, PyAny>) -> bool {
    let value = |leaf: &Bound<'_, PyAny>| match leaf.cast::<Tensor>().ok()?.get().content() {
        Payload::Staged(_, staged) => Some(staged.value),
        Payload::Eager(_) => None,
    };
    before.is(now) || value(before).is_some_and(|before| value(now) == Some(before))
}

/// The tensors among the arguments of a call, in the order of their parameters.
pub fn tensors<'py>(arguments: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut found = Vec::new();
    for argument in arguments {
        let mut leaves = Vec::new();
        Skeleton::of(&argument, &mut leaves)?;
        for leaf in leaves {
            let leaf = leaf.into_bound(argument.py());
            if is_tensor(&leaf)? {
                found.push(leaf);
            }
        }
    }
    Ok(found)
}

/// True if a leaf becomes a parameter: tensors, NumPy arrays, and specs that stand for them.
pub fn is_tensor(leaf: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(tensor) = leaf.cast::<Tensor>() {
        return Ok(matches!(tensor.get().content(), Payload::Eager(_)));
    }
    // An array is not copied to see that it is one.
    if leaf.is_instance_of::<PyTensorSpec>() || array::is_array(leaf) {
        return Ok(true);
    }
    Ok(array::number(leaf)?.is_none() && array::from_numpy(leaf)?.is_some())
}
