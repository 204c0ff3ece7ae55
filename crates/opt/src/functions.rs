//! Functions that do the same are one: `f(x - 1) + f(x - 2)` traces `f` for each of its calls.
//!
//! Two functions that call themselves do the same if they do under the assumption that they do.

use rustc_hash::FxHashMap;

use gw_ir::{Attr, FunctionId, Graph, NodeId, RegionId, ValueId};
use gw_types::{Dim, DimVar};

pub(crate) fn run(graph: &mut Graph) {
    let called = graph.called();
    let mut instead: FxHashMap<FunctionId, FunctionId> = FxHashMap::default();
    for (at, &function) in called.iter().enumerate() {
        let first = called[..at]
            .iter()
            .find(|&&other| !instead.contains_key(&other) && Pair::new(graph).functions(other, function));
        instead.extend(first.map(|&first| (function, first)));
    }
    if instead.is_empty() {
        return;
    }
    for id in graph.nodes.ids() {
        if let Attr::Function(function) = &mut graph.nodes[id].attr
            && let Some(&first) = instead.get(function)
        {
            *function = first;
        }
    }
}

/// Values of two functions that are assumed to be the same.
struct Pair<'g> {
    graph: &'g Graph,
    functions: Vec<(FunctionId, FunctionId)>,
    values: FxHashMap<ValueId, ValueId>,
    lengths: FxHashMap<DimVar, DimVar>,
}

impl<'g> Pair<'g> {
    fn new(graph: &'g Graph) -> Self {
        Self { graph, functions: Vec::new(), values: FxHashMap::default(), lengths: FxHashMap::default() }
    }

    fn functions(&mut self, a: FunctionId, b: FunctionId) -> bool {
        if a == b || self.functions.contains(&(a, b)) {
            return true;
        }
        self.functions.push((a, b));
        let [own, other] = [a, b].map(|function| &self.graph.functions[function]);
        let backs = match (own.back, other.back) {
            (Some(own), Some(other)) => self.functions(own, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        backs && self.regions(own.body, other.body)
    }

    fn regions(&mut self, a: RegionId, b: RegionId) -> bool {
        let [a, b] = [a, b].map(|region| &self.graph.regions[region]);
        a.nodes.len() == b.nodes.len()
            && self.defined(&a.params, &b.params)
            && a.nodes.iter().zip(&b.nodes).all(|(&a, &b)| self.nodes(a, b))
            && self.used(&a.results, &b.results)
    }

    fn nodes(&mut self, a: NodeId, b: NodeId) -> bool {
        let [a, b] = [a, b].map(|node| &self.graph.nodes[node]);
        let attributes = match (&a.attr, &b.attr) {
            (Attr::Function(a), Attr::Function(b)) => self.functions(*a, *b),
            (a, b) => a == b,
        };
        attributes
            && a.op == b.op
            && self.used(&a.args, &b.args)
            && a.regions.len() == b.regions.len()
            && a.regions.iter().zip(&b.regions).all(|(&a, &b)| self.regions(a, b))
            && self.defined(&a.results, &b.results)
    }

    fn used(&self, a: &[ValueId], b: &[ValueId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.values.get(a) == Some(b))
    }

    fn defined(&mut self, a: &[ValueId], b: &[ValueId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.define(a, b))
    }

    fn define(&mut self, a: ValueId, b: ValueId) -> bool {
        self.values.insert(a, b);
        let [a, b] = [a, b].map(|value| self.graph.ty(value));
        let mut axes = a.shape.0.iter().zip(&b.shape.0);
        a.dtype == b.dtype
            && a.rank() == b.rank()
            && axes.all(|axes| match axes {
                (Dim::Fixed(m), Dim::Fixed(n)) => m == n,
                (Dim::Var(m), Dim::Var(n)) => self.lengths.entry(*m).or_insert(*n) == n,
                (Dim::Fixed(_), Dim::Var(_)) | (Dim::Var(_), Dim::Fixed(_)) => false,
            })
    }
}
