//! Functions that `graphwright.nn` and `graphwright.math` are written with: those of neural networks.

use gw_trace::calls::{Call, Network};
use pyo3::prelude::*;

use super::arguments::axes;
use crate::host::operands;

fn network<'py>(network: Network, args: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    operands::call(args[0].py(), &Call::composed(network), args)
}

/// `log(1 + exp(x))`
#[pyfunction]
fn softplus<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    network(Network::Softplus, &[x])
}

/// `x` times the normal distribution's probability of less than `x`, or its approximation by `tanh`.
#[pyfunction]
fn gelu<'py>(x: &Bound<'py, PyAny>, approximate: bool) -> PyResult<Bound<'py, PyAny>> {
    network(Network::Gelu { approximate }, &[x])
}

/// The logarithm of the softmax along an axis.
#[pyfunction]
fn log_softmax<'py>(logits: &Bound<'py, PyAny>, axis: i64) -> PyResult<Bound<'py, PyAny>> {
    network(Network::LogSoftmax { axis }, &[logits])
}

/// `-sum(labels * log(softmax(logits)))` along an axis.
#[pyfunction]
fn cross_entropy<'py>(
    labels: &Bound<'py, PyAny>,
    logits: &Bound<'py, PyAny>,
    axis: i64,
) -> PyResult<Bound<'py, PyAny>> {
    network(Network::CrossEntropy { axis }, &[labels, logits])
}

/// Rows of a table by their numbers; longer ones than `max_norm` are scaled down.
#[pyfunction]
fn embedding<'py>(
    params: &Bound<'py, PyAny>,
    ids: &Bound<'py, PyAny>,
    max_norm: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let args: Vec<_> = [params, ids].into_iter().chain(max_norm).collect();
    network(Network::Embedding, &args)
}

/// `log(sum(exp(x)))` over axes.
#[pyfunction]
fn log_sum_exp<'py>(
    x: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    network(Network::LogSumExp { axes: axes(axis)?, keep: keepdims }, &[x])
}

/// `x` divided by its Euclidean norm over axes, whose square is at least `least`.
#[pyfunction]
fn l2_normalize<'py>(
    x: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    least: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    network(Network::L2Normalize { axes: axes(axis)? }, &[x, least])
}

/// `(x - y)²`
#[pyfunction]
fn squared_difference<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    network(Network::SquaredDifference, &[x, y])
}

/// `1 / x`
#[pyfunction]
fn reciprocal<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    network(Network::Reciprocal, &[x])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(softplus, module)?)?;
    module.add_function(wrap_pyfunction!(gelu, module)?)?;
    module.add_function(wrap_pyfunction!(log_softmax, module)?)?;
    module.add_function(wrap_pyfunction!(cross_entropy, module)?)?;
    module.add_function(wrap_pyfunction!(embedding, module)?)?;
    module.add_function(wrap_pyfunction!(log_sum_exp, module)?)?;
    module.add_function(wrap_pyfunction!(l2_normalize, module)?)?;
    module.add_function(wrap_pyfunction!(squared_difference, module)?)?;
    module.add_function(wrap_pyfunction!(reciprocal, module)?)
}
