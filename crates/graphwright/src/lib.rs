//! The lobby: the only place where the order of the journey is written.
//!
//! A function goes source → `syntax` → `lower` to code that the host runs, which makes a graph; the graph goes `opt` →
//! `cpu` to an executable. Eager code goes the second way, one call at a time, through a cache of graphs.

mod brief;
pub mod config;
mod derivative;
pub mod disk;
mod eager;
pub mod function;
mod optimized;
pub mod overflow;
pub mod profile;
pub mod promotion;
pub mod threads;
pub mod tiers;
mod tuning;

use std::borrow::Cow;
use std::sync::Arc;

use gw_base::{Broken, Diagnosed, Source};
use gw_cpu::{Native, Sharing};
use gw_ir::Graph;
use gw_lower::{Lowered, Pushed};
use gw_runtime::Executable;
use gw_syntax::Tree;

pub use derivative::{Back, NoDerivative, Way};
pub use eager::{Eager, EagerArg, EagerError};
pub use optimized::Optimized;

/// A graph and the native code that it became.
#[derive(Debug)]
pub struct Compiled {
    /// The graph after `opt`, of which derivatives may be asked.
    pub graph: Optimized,
    /// Executable that runs it.
    pub executable: Executable,
    /// True if it runs for some microseconds at most.
    pub is_brief: bool,
    /// Origin of the code.
    pub origin: Origin,
}

/// Origin of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was generated.
    Made,
    /// It was generated, and is on the disk now.
    Kept,
    /// It was on the disk.
    Disk,
}

/// Bytes of stack for what walks trees. A walk calls itself as often as the tree is deep, and a chain of a thousand
/// `elif`s is a thousand deep; pages that no walk touches cost nothing.
const ROOM: usize = 1 << 28;

/// Depth up to which work runs on the present stack: to allocate another takes as long as to convert a line.
const SHALLOW: usize = 2048;

/// Runs a step that walks a tree which is at most so deep.
pub fn with_room<T>(deepest: usize, step: impl FnOnce() -> T) -> T {
    if deepest <= SHALLOW { step() } else { stacker::grow(ROOM, step) }
}

/// Reads a file of the host's.
pub fn parse(source: &Source) -> Diagnosed<Tree> {
    with_room(source.text.len() / 2, || gw_syntax::parse(source))
}

/// Lowers the tree of one function to code that calls operators.
pub fn lower(tree: Tree) -> Diagnosed<Lowered> {
    with_room(tree.node_count(), || gw_lower::run(gw_lower::PASSES, tree))
}

/// The same for a generator that is to be another function; none if it is not one that can.
pub fn lower_pushed(tree: Tree, pushed: Pushed) -> Option<Diagnosed<Lowered>> {
    with_room(tree.node_count(), || gw_lower::run_pushed(gw_lower::PASSES, tree, pushed))
}

/// Makes native code of a graph.
///
/// # Errors
/// Only if one of our own passes is broken.
pub fn compile(graph: Graph) -> Result<Compiled, Broken> {
    if tiers::is_second() {
        return compile_at_once(graph);
    }
    let shelf = disk::Shelf::of(&graph);
    if let Some((native, is_brief)) = shelf.as_ref().and_then(disk::Shelf::take) {
        let traced = Arc::new(graph);
        let again = traced.clone();
        let again = move || Ok(running(&optimize(Graph::clone(&again))?)?.0.into_owned());
        let executable = tiers::load(native, again)?;
        return Ok(Compiled { graph: Optimized::later(traced), executable, is_brief, origin: Origin::Disk });
    }
    let (graph, overlapped, native, is_brief) = generate(graph)?;
    let is_kept = overlapped.is_empty() && shelf.is_some_and(|shelf| shelf.put(&native, is_brief));
    let origin = if is_kept { Origin::Kept } else { Origin::Made };
    let graph = Optimized::of(graph);
    let again = graph.clone();
    let executable = tiers::load(native, move || Ok(running(again.graph())?.0.into_owned()))?;
    let executable = executable.with_overlapped(compile_all(overlapped)?);
    Ok(Compiled { graph, executable, is_brief, origin })
}

/// Compiles, without code for the disk, work that other threads do while the host is called, each a graph of
/// its own.
fn compile_all(overlapped: Vec<Graph>) -> Result<Vec<Executable>, Broken> {
    overlapped.into_iter().map(|graph| Ok(compile(graph)?.executable)).collect()
}

/// The same in the second tier.
fn compile_at_once(graph: Graph) -> Result<Compiled, Broken> {
    let graph = optimize(graph)?;
    let (runs, overlapped) = running(&graph)?;
    let (executable, is_brief) = (tiers::compile_at_once(&runs)?, brief::is_brief(&runs));
    let executable = executable.with_overlapped(compile_all(overlapped)?);
    drop(runs);
    Ok(Compiled { graph: Optimized::of(graph), executable, is_brief, origin: Origin::Made })
}

fn optimize(graph: Graph) -> Result<Graph, Broken> {
    gw_opt::optimize(graph).map_err(|(_, broken)| broken)
}

/// The graph that code is made of, and those of what can be done beside its calls of the host; derivatives are asked of the
/// one before.
fn running(graph: &Graph) -> Result<(Cow<'_, Graph>, Vec<Graph>), Broken> {
    let graph = match gw_opt::handed_on(graph) {
        Some(other) => Cow::Owned(optimize(other)?),
        None => Cow::Borrowed(graph),
    };
    Ok(match gw_opt::overlap(&graph) {
        Some((rest, overlapped)) => (Cow::Owned(rest), overlapped),
        None => (graph, Vec::new()),
    })
}

/// The graph that code is made of, with all that could be done beside its calls of the host in its place.
fn alone(graph: &Graph) -> Result<Graph, Broken> {
    match gw_opt::handed_on(graph) {
        Some(other) => optimize(other),
        None => Ok(graph.clone()),
    }
}

/// The optimized graph, what is done beside its calls of the host, its code, and whether that runs for some microseconds at
/// most.
fn generate(graph: Graph) -> Result<(Graph, Vec<Graph>, Native, bool), Broken> {
    let graph = optimize(graph)?;
    let (runs, overlapped) = running(&graph)?;
    let native = Native::of(&runs, config::config().lanes, Sharing::WorthIt)?;
    let is_brief = brief::is_brief(&runs);
    drop(runs);
    Ok((graph, overlapped, native, is_brief))
}
