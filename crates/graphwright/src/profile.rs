//! The profiler: samples of the node that machine code works off, and the calls of graphs.
//!
//! While it is on, graphs run code that notes the node that it works off (`gw_runtime::marks`), which no cache keeps. A
//! thread reads that note in short intervals; the time of a node is its share of these samples. Calls are timed exactly.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gw_base::{Broken, Id};
use gw_ir::{Graph, NodeId};
use gw_runtime::{Executable, marks};

use crate::config::config;

/// The time of a node, by the number of its graph; none outside of graphs that are profiled.
pub type Mark = Option<(u32, NodeId)>;

/// One call of a graph: its number, and when it began and ended since the profiler was switched on.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The number of the graph.
    pub graph: u32,
    /// Time at which it began.
    pub begun: Duration,
    /// Time at which it ended.
    pub ended: Duration,
}

/// Findings between `start` and `stop`.
#[derive(Debug, Default)]
pub struct Found {
    /// The time of each node, and that outside of graphs.
    pub times: Vec<(Mark, Duration)>,
    /// A stretch of time for each change of the node, in order.
    pub stretches: Vec<(Duration, Mark)>,
    /// The calls of graphs, in the order in which they ended.
    pub calls: Vec<Call>,
    /// From `start` to `stop`.
    pub whole: Duration,
}

/// Calls that are kept.
const MOST_KEPT: usize = 100_000;

static IS_ON: AtomicBool = AtomicBool::new(false);
static GRAPHS: Mutex<Vec<Arc<Graph>>> = Mutex::new(Vec::new());
static CALLS: Mutex<Vec<(u32, Instant, Instant)>> = Mutex::new(Vec::new());

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True between `start` and `stop`.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Code of an optimized graph that notes its nodes, and the number by which the profiler knows the graph.
///
/// # Errors
/// Only if one of our own passes is broken.
pub fn compile(graph: &Graph) -> Result<(u32, Executable), Broken> {
    let runs = Arc::new(crate::alone(graph)?);
    let number = {
        let mut graphs = locked(&GRAPHS);
        graphs.push(runs.clone());
        (graphs.len() - 1) as u32
    };
    Ok((number, gw_cpu::compile_marked(&runs, config().lanes, number)?))
}

/// The graph of a number.
pub fn graph(number: u32) -> Option<Arc<Graph>> {
    locked(&GRAPHS).get(number as usize).cloned()
}

/// The lines of the loops of an optimized graph, each with its node.
///
/// # Errors
/// Only if one of our own passes is broken.
pub fn loops(graph: &Graph) -> Result<Vec<(Option<NodeId>, String)>, Broken> {
    gw_cpu::loops_of_nodes(graph)
}

/// Runs a graph that is profiled, and notes when.
pub fn call<T>(number: u32, run: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = marks::keeping(run);
    let mut calls = locked(&CALLS);
    if calls.len() < MOST_KEPT {
        calls.push((number, begun, Instant::now()));
    }
    result
}

/// Switches the profiler on, which looks so often from now on; false if it is on.
pub fn start(every: Duration) -> bool {
    let mut calls = locked(&CALLS);
    let is_new = marks::start(every);
    if is_new {
        calls.clear();
        IS_ON.store(true, Ordering::Relaxed);
    }
    is_new
}

/// Switches it off; none if it was not on.
pub fn stop() -> Option<Found> {
    let samples = marks::stop()?;
    IS_ON.store(false, Ordering::Relaxed);
    let since = |at: Instant| at.saturating_duration_since(samples.begun);
    let call = |(graph, from, to)| Call { graph, begun: since(from), ended: since(to) };
    let mut times: Vec<_> = samples.times.into_iter().map(|(mark, time)| (read(mark), time)).collect();
    times.sort_unstable();
    Some(Found {
        times,
        stretches: samples.stretches.into_iter().map(|(at, mark)| (at, read(mark))).collect(),
        calls: std::mem::take(&mut *locked(&CALLS)).into_iter().map(call).collect(),
        whole: samples.whole,
    })
}

fn read(mark: i64) -> Mark {
    (mark != marks::IDLE).then(|| ((mark >> 32) as u32, NodeId::new((mark & 0xffff_ffff) as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back() {
        assert_eq!(read(marks::IDLE), None);
        assert_eq!(read(3 << 32 | 7), Some((3, NodeId::new(7))));
    }
}
