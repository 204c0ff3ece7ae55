//! The arguments that a graph was made for, as Python objects with specs in place of tensors.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::function::bind_parameters;
use crate::function::held::Held;
use crate::function::parameters::{Call, Parameters};
use crate::host::skeleton::Skeleton;
use crate::values::array;
use crate::values::spec::PyTensorSpec;

/// One argument.
#[derive(Debug)]
struct Argument {
    skeleton: Skeleton,
    leaves: Vec<Held>,
}

/// All arguments; objects that count by identity are held weakly, and are `None` when they are gone.
#[derive(Debug)]
pub struct Structured {
    positional: Vec<Argument>,
    keyword: Option<Argument>,
}

impl Structured {
    /// Of a call's arguments, as they are staged: `specs` are those of its tensors, in order.
    pub fn of(call: &Call<'_>, specs: &mut dyn Iterator<Item = PyTensorSpec>) -> PyResult<Self> {
        let positional = call.positional.iter().map(|a| Argument::of(a, specs)).collect::<PyResult<_>>()?;
        let keyword = call.keyword.as_ref().map(|k| Argument::of(k, specs)).transpose()?;
        Ok(Self { positional, keyword })
    }

    /// Visits the objects that they keep alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut leaves = self.positional.iter().chain(&self.keyword).flat_map(|a| &a.leaves);
        leaves.try_for_each(|leaf| leaf.visit(visit))
    }

    /// `((arguments by position), {arguments by name})`
    pub fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let positional = self.positional.iter().map(|a| a.object(py)).collect::<PyResult<Vec<_>>>()?;
        let keyword = match &self.keyword {
            Some(keyword) => keyword.object(py)?,
            None => PyDict::new(py).into_any(),
        };
        PyTuple::new(py, [PyTuple::new(py, positional)?.into_any(), keyword])
    }

    /// The arguments by position, where a call that leaves some out stands for these very values.
    pub fn positional<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.positional.iter().map(|a| a.object(py)).collect()
    }
}

/// The arguments of [`Structured::objects`], a line for each, as TensorFlow writes them:
/// `x (POSITIONAL_OR_KEYWORD): TensorSpec(…)`
pub fn text(objects: &Bound<'_, PyTuple>, parameters: &Parameters) -> PyResult<String> {
    let py = objects.py();
    let mut lines = Vec::new();
    let mut line = |name: &str, by_position: bool, value: &Bound<'_, PyAny>| {
        let known = value.is_none() || value.is_instance_of::<PyString>() || array::number(value)?.is_some();
        let value = value.repr()?;
        let value = if known { format!("Literal[{value}]") } else { value.to_string() };
        lines.push(format!("  {name} ({}): {value}", parameters.kind(py, name, by_position)));
        Ok::<_, PyErr>(())
    };
    for (at, value) in objects.get_item(0)?.cast::<PyTuple>()?.iter().enumerate() {
        line(&parameters.name(at), true, &value)?;
    }
    for (name, value) in objects.get_item(1)?.cast::<PyDict>()? {
        line(&name.to_string(), false, &value)?;
    }
    Ok(if lines.is_empty() { "  None".to_owned() } else { lines.join("\n") })
}

impl Argument {
    fn of(object: &Bound<'_, PyAny>, specs: &mut dyn Iterator<Item = PyTensorSpec>) -> PyResult<Self> {
        let py = object.py();
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(object, &mut leaves)?;
        let mut held = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let leaf = leaf.bind(py);
            let is_tensor = bind_parameters::is_tensor(leaf).unwrap_or(false);
            held.push(match is_tensor.then(|| specs.next()).flatten() {
                Some(spec) => Held::Strong(Py::new(py, spec)?.into_any()),
                None => Held::of(leaf),
            });
        }
        Ok(Self { skeleton, leaves: held })
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let leaf = |held: &Held| held.get(py).map_or_else(|| py.None(), Bound::unbind);
        self.skeleton.rebuild(py, &mut self.leaves.iter().map(leaf))
    }
}
