//! The door to the profiler, for `graphwright.profiler`.

use std::time::Duration;

use graphwright::profile::{self, Mark};
use gw_base::Id;
use pyo3::prelude::*;

use crate::values::graph_text::GraphText;

/// A node of a graph: the number of the graph, and its own.
type Node = Option<(u32, usize)>;

/// Switches the profiler on; false if it is on.
#[pyfunction]
fn start_profile(seconds: f64) -> bool {
    profile::start(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// `(seconds of each node, starts of stretches with their nodes, calls, seconds in all)`; none if it was not on.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "Python takes it apart at once")]
fn stop_profile(py: Python<'_>) -> Option<(Vec<(Node, f64)>, Vec<(f64, Node)>, Vec<(u32, f64, f64)>, f64)> {
    let found = py.detach(profile::stop)?;
    let node = |mark: Mark| mark.map(|(graph, node)| (graph, node.index()));
    let times = found.times.into_iter().map(|(mark, time)| (node(mark), time.as_secs_f64())).collect();
    let stretches = found.stretches.into_iter().map(|(at, mark)| (at.as_secs_f64(), node(mark))).collect();
    let calls = found.calls.into_iter().map(|c| (c.graph, c.begun.as_secs_f64(), c.ended.as_secs_f64()));
    Some((times, stretches, calls.collect(), found.whole.as_secs_f64()))
}

/// The graph that the profiler knows by a number.
#[pyfunction]
fn profiled_graph(number: u32) -> Option<GraphText> {
    profile::graph(number).map(|graph| GraphText::of(&graph))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(start_profile, module)?)?;
    module.add_function(wrap_pyfunction!(stop_profile, module)?)?;
    module.add_function(wrap_pyfunction!(profiled_graph, module)?)
}
