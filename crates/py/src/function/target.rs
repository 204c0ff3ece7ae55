//! Other targets: the graph of a concrete function as a module, and its call where something else runs the graph.

use gw_base::{Code, Diagnostic, Loc};
use gw_runtime::Buffer;
use gw_stablehlo::{Refused, Site};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::exceptions::errors;
use crate::function::concrete_function::ConcreteFunction;
use crate::values::array;
use crate::values::tensor::Tensor;

/// The graph as StableHLO for inputs of these lengths, and what may fail in it: each op with its file and line. Without
/// lengths only what no lengths make expressible is refused.
#[pyfunction]
#[pyo3(signature = (function, lengths=None))]
pub fn stablehlo_module(
    function: &ConcreteFunction,
    lengths: Option<Vec<Vec<usize>>>,
) -> PyResult<(String, Vec<String>)> {
    if function.is_open() {
        return Err(PyTypeError::new_err(
            "a target takes functions of tensors whose number of axes is known",
        ));
    }
    let graph = function.graph_ref();
    let refused = |refused| errors::raise(&described(&graph.name, refused));
    let Some(lengths) = lengths else {
        gw_stablehlo::judge(graph).map_err(refused)?;
        return Ok((String::new(), Vec::new()));
    };
    let module = gw_stablehlo::lower(graph, &lengths).map_err(refused)?;
    Ok((module.text, module.sites.iter().map(site).collect()))
}

fn described(name: &str, refused: Refused) -> Diagnostic {
    let message = match refused.op {
        Some(op) => {
            format!("`{name}` has an operation `{op}`, which StableHLO cannot be given: {}", refused.reason)
        }
        None => format!("`{name}` cannot be given to StableHLO: {}", refused.reason),
    };
    let help = "run the function itself, or leave this part of it to Python";
    let found = Diagnostic::new(Code::TargetRefuses, message).help(help);
    refused.place.into_iter().fold(found, |found, place| found.at(place, ""))
}

fn site(site: &Site) -> String {
    let place = |place: &Loc| format!("`{}` at {}:{}", site.op, place.file, place.line);
    site.place.as_ref().map_or_else(|| format!("`{}`", site.op), place)
}

/// Calls a concrete function whose graph `runner` runs: it takes the list of the graph's inputs, as tensors, and gives the
/// list of its results, as arrays.
#[pyfunction]
#[pyo3(signature = (function, runner, *args, **kwargs))]
pub fn run_by<'py>(
    function: &ConcreteFunction,
    runner: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = runner.py();
    let elsewhere = |inputs: &[Buffer]| {
        let inputs = inputs.iter().map(|buffer| Py::new(py, Tensor::eager(buffer.clone())));
        let inputs = PyList::new(py, inputs.collect::<PyResult<Vec<_>>>()?)?;
        runner.call1((inputs,))?.try_iter()?.map(|result| elements(&result?)).collect()
    };
    function.run_by(py, args, kwargs, Some(&elsewhere))
}

fn elements(result: &Bound<'_, PyAny>) -> PyResult<Buffer> {
    array::from_numpy(result)?.ok_or_else(|| PyTypeError::new_err("a target gives NumPy arrays"))
}
