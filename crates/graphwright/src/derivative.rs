//! The backward pass through a graph that has run: a graph of its own, compiled when it is first asked for, whose
//! derivative can be asked for in turn.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use gw_base::{Broken, Id};
use gw_grad::{Ask, Refused, Source, Stop, gradient};
use gw_ir::{Attr, Builder, Graph, NodeId, Op, RegionId, ValueId};
use gw_runtime::Executable;

use crate::{Optimized, compile};

/// A graph of which a derivative may be asked.
#[derive(Debug)]
pub struct Way {
    graph: Optimized,
    /// The result that is 0 in the runs that it is for, if it is for some only: the number of what the function raised.
    number: Option<usize>,
    back: OnceLock<Result<Arc<Back>, NoDerivative>>,
}

/// Backward pass of a graph. It takes the graph's arguments, and a cotangent for each of the graph's results
/// that is a float.
#[derive(Debug)]
pub struct Back {
    /// Its graph.
    pub way: Arc<Way>,
    /// Executable of the backward pass.
    pub executable: Executable,
    /// For each parameter of the graph which of the results here flows back to it.
    pub to: Vec<Option<usize>>,
    /// Indices of the graph's results that are floats.
    pub from: Vec<usize>,
}

/// Reason for which there is no derivative.
#[derive(Debug, Clone)]
pub enum NoDerivative {
    /// The graph is such.
    Refused(Refused),
    /// A bug of ours.
    Broken(Broken),
}

impl Way {
    /// For a legal graph.
    pub fn of(graph: Optimized) -> Self {
        Self { graph, number: None, back: OnceLock::new() }
    }

    /// For a legal graph that is the body of a `try`, and its runs in which nothing left that: the result at `number` was 0.
    pub fn of_ended_runs(graph: Optimized, number: usize) -> Self {
        Self { graph, number: Some(number), back: OnceLock::new() }
    }

    /// Backward pass of the graph.
    ///
    /// # Errors
    /// If there is something in it that no derivative goes through.
    pub fn back(&self) -> Result<Arc<Back>, NoDerivative> {
        let graph = self.graph.graph();
        let graph = || match self.number {
            Some(number) => ended(silent(graph), number),
            None => silent(graph),
        };
        self.back.get_or_init(|| back_of(graph()).map(Arc::new)).clone()
    }
}

fn back_of(graph: Graph) -> Result<Back, NoDerivative> {
    let (graph, to, from) = reversed(graph)?;
    let compiled = compile(graph).map_err(NoDerivative::Broken)?;
    let way = Arc::new(Way::of(compiled.graph));
    Ok(Back { way, executable: compiled.executable, to, from })
}

type Reversed = (Graph, Vec<Option<usize>>, Vec<usize>);

fn reversed(graph: Graph) -> Result<Reversed, NoDerivative> {
    let is_float = |&value: &ValueId| graph.ty(value).dtype.is_fractional();
    let (params, results) = (graph.params().to_vec(), graph.results().to_vec());
    let from: Vec<usize> = (0..results.len()).filter(|&at| is_float(&results[at])).collect();
    let floats = params.iter().copied().filter(is_float);
    let sources: Vec<_> = floats.map(|value| Source { value, since: Id::new(0) }).collect();
    let types: Vec<_> = from.iter().map(|&at| graph.ty(results[at]).clone()).collect();
    let mut b = Builder::resume(graph);
    let cotangents = from.iter().zip(types).map(|(&at, ty)| (results[at], b.input(ty)));
    let targets: Vec<_> = cotangents.collect();
    let ask = Ask { targets: &targets, sources: &sources, recorded: &|_| true };
    let flows = gradient(&mut b, &ask).map_err(NoDerivative::from)?;
    let mut given = Vec::new();
    let mut to = vec![None; params.len()];
    for (source, flow) in sources.iter().zip(flows) {
        let at = params.iter().position(|&param| param == source.value);
        if let (Some(at), Some(flow)) = (at, flow) {
            to[at] = Some(given.len());
            given.push(flow);
        }
    }
    Ok((b.finish(given), to, from))
}

/// A graph that writes nothing: what it wrote when it ran it does not write again. Ways back have not run yet.
fn silent(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    let mut back = HashSet::new();
    let own = graph.called().into_iter().filter_map(|function| graph.functions[function].back);
    own.for_each(|own| reached(&graph, graph.functions[own].body, &mut back));
    for region in graph.regions.ids().filter(|region| !back.contains(region)) {
        let mut nodes = std::mem::take(&mut graph.regions[region].nodes);
        nodes.retain(|&node| graph.nodes[node].op != Op::Print);
        graph.regions[region].nodes = nodes;
    }
    graph
}

/// A graph whose body is a `try`, as it runs where nothing leaves that: what is raised in branches and loops inside is
/// looked for no more. If another `try` might be meant it stays as it is.
fn ended(graph: Graph, number: usize) -> Graph {
    let tries = |&&id: &&NodeId| graph.nodes[id].op == Op::Try;
    let outer: Vec<NodeId> = graph.regions[graph.body].nodes.iter().filter(tries).copied().collect();
    let told = graph.definer(graph.results()[number]).is_some_and(|node| graph.nodes[node].op != Op::Const);
    let [outer] = outer[..] else { return graph };
    if !told {
        return graph;
    }
    let mut never_left = graph.clone();
    stay(&mut never_left, graph.nodes[outer].regions[0]);
    // A graph that cannot be optimized is told of when its derivative is compiled.
    gw_opt::optimize(never_left).unwrap_or(graph)
}

/// Takes out of a region what ends the `try` that it belongs to.
fn stay(graph: &mut Graph, region: RegionId) {
    let mut nodes = std::mem::take(&mut graph.regions[region].nodes);
    nodes.retain(|&node| graph.nodes[node].op != Op::Leave);
    for &node in &nodes {
        let inner =
            if graph.nodes[node].op == Op::Try { Vec::new() } else { graph.nodes[node].regions.clone() };
        inner.into_iter().for_each(|region| stay(graph, region));
    }
    graph.regions[region].nodes = nodes;
}

/// A region with those inside it, and those of the functions that it calls.
fn reached(graph: &Graph, region: RegionId, met: &mut HashSet<RegionId>) {
    if !met.insert(region) {
        return;
    }
    for node in graph.regions[region].nodes.iter().map(|&id| &graph.nodes[id]) {
        if let Attr::Function(function) = node.attr {
            reached(graph, graph.functions[function].body, met);
        }
        node.regions.iter().for_each(|&inner| reached(graph, inner, met));
    }
}

impl From<Stop> for NoDerivative {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(refused) => NoDerivative::Refused(refused),
            Stop::Broken(unfit) => {
                let rule = format!("{}: {}", unfit.clause, unfit.message);
                NoDerivative::Broken(Broken::new("gradient", rule))
            }
        }
    }
}
