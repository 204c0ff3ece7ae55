//! A concrete function for tensors of any number of axes: a graph per number, made when a call first has it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::function::Function;
use crate::function::parameters::{Call, Parameters};
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::values::spec::PyTensorSpec;

/// Arguments among which are specs of any number of axes, and the function that they are given to.
#[derive(Debug)]
pub struct AnyRank {
    function: Py<Function>,
    positional: Vec<Py<PyAny>>,
    keyword: Option<Py<PyDict>>,
}

/// Numbers of axes that are tried for the graph that stands for all of them when it is looked at.
pub const TRIED: std::ops::Range<usize> = 0..5;

impl AnyRank {
    /// For a call whose arguments leave a number of axes open; `None` if it leaves none.
    pub fn of(
        function: &Bound<'_, Function>,
        call: &Call<'_>,
        parameters: &Parameters,
    ) -> PyResult<Option<Self>> {
        let py = function.py();
        let mut open = false;
        let mut named = |object: &Bound<'_, PyAny>, name: &str| {
            let wanted = |spec: &PyTensorSpec| {
                open = true;
                PyTensorSpec { label: spec.label.clone().or_else(|| Some(name.to_owned())), ..spec.clone() }
            };
            replace(object, wanted)
        };
        let positional = call.positional.iter().enumerate();
        let positional =
            positional.map(|(at, object)| named(object, &parameters.name(at))).collect::<PyResult<_>>()?;
        let keyword = call.keyword.as_ref().map(|k| named(k.as_any(), "keyword")).transpose()?;
        let keyword =
            keyword.map(|k| Ok::<_, PyErr>(k.bind(py).cast::<PyDict>()?.clone().unbind())).transpose()?;
        Ok(open.then(|| Self { function: function.clone().unbind(), positional, keyword }))
    }

    /// The function.
    pub fn function<'py>(&self, py: Python<'py>) -> &Bound<'py, Function> {
        self.function.bind(py)
    }

    /// The arguments, with these numbers of axes in the order of the open specs.
    pub fn at<'py>(&self, py: Python<'py>, mut ranks: impl Iterator<Item = usize>) -> PyResult<Call<'py>> {
        let mut ranked = |object: &Bound<'py, PyAny>| {
            let of_rank =
                |spec: &PyTensorSpec| ranks.next().map_or_else(|| spec.clone(), |n| spec.of_rank(n));
            Ok::<_, PyErr>(replace(object, of_rank)?.into_bound(py))
        };
        let positional =
            self.positional.iter().map(|object| ranked(object.bind(py))).collect::<PyResult<_>>()?;
        let keyword = self.keyword.as_ref().map(|k| ranked(k.bind(py).as_any())).transpose()?;
        let keyword = keyword.map(|k| Ok::<_, PyErr>(k.cast_into::<PyDict>()?)).transpose()?;
        Ok(Call { positional, keyword })
    }

    /// The numbers of axes that a call's arguments have where these leave them open: structured as these are, or the
    /// tensors alone.
    pub fn ranks(&self, given: &[Bound<'_, PyAny>], py: Python<'_>) -> PyResult<Vec<usize>> {
        let mut own = Vec::new();
        self.all(py).iter().try_for_each(|object| Skeleton::of(object, &mut own).map(drop))?;
        let mut leaves = Vec::new();
        given.iter().try_for_each(|object| Skeleton::of(object, &mut leaves).map(drop))?;
        if own.len() != leaves.len() {
            own.retain(|leaf| leaf.bind(py).is_instance_of::<PyTensorSpec>());
        }
        let open = own.iter().zip(&leaves).filter(|(own, _)| is_open(own.bind(py)));
        open.map(|(_, leaf)| Ok(operands::operand(leaf.bind(py))?.lengths().len())).collect()
    }

    /// `((arguments by position), {arguments by name})`, with the open specs.
    pub fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let keyword = match &self.keyword {
            Some(keyword) => keyword.bind(py).clone(),
            None => PyDict::new(py),
        };
        PyTuple::new(py, [PyTuple::new(py, &self.positional)?.into_any(), keyword.into_any()])
    }

    fn all<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let positional = self.positional.iter().map(|object| object.bind(py).clone());
        positional.chain(self.keyword.iter().map(|k| k.bind(py).as_any().clone())).collect()
    }
}

fn is_open(leaf: &Bound<'_, PyAny>) -> bool {
    leaf.cast::<PyTensorSpec>().is_ok_and(|spec| spec.get().unranked)
}

/// An object with other specs in place of those that leave the number of axes open.
fn replace(
    object: &Bound<'_, PyAny>,
    mut with: impl FnMut(&PyTensorSpec) -> PyTensorSpec,
) -> PyResult<Py<PyAny>> {
    let py = object.py();
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(object, &mut leaves)?;
    for leaf in &mut leaves {
        let spec = leaf.bind(py).cast::<PyTensorSpec>().ok().filter(|spec| spec.get().unranked).cloned();
        if let Some(spec) = spec {
            *leaf = Py::new(py, with(spec.get()))?.into_any();
        }
    }
    Ok(skeleton.rebuild(py, &mut leaves.into_iter())?.unbind())
}
