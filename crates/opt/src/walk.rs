//! Walks a graph in the order in which it runs, while values are replaced by others.

use rustc_hash::FxHashMap;

use gw_base::Id;
use gw_ir::{Attr, Graph, Literal, Node, NodeId, Op, RegionId, Value, ValueDef, ValueId};
use gw_types::{Dim, DimVar, TensorType};

/// A graph that is being changed, and which values stand for others now.
pub(crate) struct Walk<'a> {
    pub(crate) graph: &'a mut Graph,
    forward: Vec<Option<ValueId>>,
    /// Variables of replaced values, and the variables that stand for them now.
    renamed: Vec<(DimVar, DimVar)>,
}

/// Callbacks of a pass on its walk.
pub(crate) trait Visit {
    /// Before the node's regions are walked; its operands are those that stand now.
    fn before(&mut self, _walk: &mut Walk, _node: NodeId) {}

    /// After the node's regions are walked. Puts into `out` what runs in the node's place.
    fn node(&mut self, walk: &mut Walk, node: NodeId, out: &mut Vec<NodeId>);

    /// A region begins.
    fn enter(&mut self) {}

    /// A region ends.
    fn leave(&mut self) {}
}

impl<'a> Walk<'a> {
    /// Walks the whole graph.
    pub(crate) fn run(graph: &'a mut Graph, visit: &mut impl Visit) {
        let forward = vec![None; graph.values.len()];
        let roots = graph.roots();
        let mut walk = Walk { graph, forward, renamed: Vec::new() };
        roots.into_iter().for_each(|root| walk.region(root, visit));
        walk.rename();
    }

    fn region(&mut self, id: RegionId, visit: &mut impl Visit) {
        visit.enter();
        let nodes = std::mem::take(&mut self.graph.regions[id].nodes);
        let mut out = Vec::with_capacity(nodes.len());
        for node in nodes {
            let args = self.resolved(&self.graph.nodes[node].args);
            self.graph.nodes[node].args = args;
            visit.before(self, node);
            for region in self.graph.nodes[node].regions.clone() {
                self.region(region, visit);
            }
            visit.node(self, node, &mut out);
        }
        self.graph.regions[id].nodes = out;
        self.graph.regions[id].results = self.resolved(&self.graph.regions[id].results);
        visit.leave();
    }

    /// From here on `with` stands where `value` stood, of which it is known to be the same; it takes the user's name if
    /// it has none of its own.
    pub(crate) fn replace(&mut self, value: ValueId, with: ValueId) {
        let with = self.resolve(with);
        if value == with {
            return;
        }
        self.forward.resize(self.graph.values.len().max(self.forward.len()), None);
        self.forward[value.index()] = Some(with);
        let axes = self.graph.ty(value).shape.0.iter().zip(&self.graph.ty(with).shape.0);
        self.renamed.extend(axes.filter_map(|dims| match dims {
            (Dim::Var(old), Dim::Var(new)) => (old != new).then_some((*old, *new)),
            (Dim::Fixed(_), _) | (_, Dim::Fixed(_)) => None,
        }));
        let name = self.graph.values[value].name.clone();
        let plain = self.graph.definer(with).is_some_and(|node| self.graph.nodes[node].op != Op::Const);
        if plain && self.graph.values[with].name.is_none() {
            self.graph.values[with].name = name;
        }
    }

    /// A variable of a value that is gone is one that is still there. Those of the functions' parameters always are.
    fn rename(&mut self) {
        if self.renamed.is_empty() {
            return;
        }
        let mut names: FxHashMap<DimVar, DimVar> = self.renamed.drain(..).collect();
        let roots = self.graph.roots();
        let params = roots.iter().flat_map(|&root| &self.graph.regions[root].params);
        for &param in params {
            self.graph.ty(param).shape.0.iter().for_each(|dim| {
                if let Dim::Var(var) = dim {
                    names.remove(var);
                }
            });
        }
        let bound = names.len();
        for value in self.graph.values.ids() {
            for dim in &mut self.graph.values[value].ty.shape.0 {
                let Dim::Var(var) = dim else { continue };
                for _ in 0..=bound {
                    let Some(&new) = names.get(var) else { break };
                    *var = new;
                }
            }
        }
    }

    /// Present replacement of a value.
    pub(crate) fn resolve(&self, mut value: ValueId) -> ValueId {
        while let Some(&Some(with)) = self.forward.get(value.index()) {
            value = with;
        }
        value
    }

    pub(crate) fn resolved(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|&v| self.resolve(v)).collect()
    }

    /// Makes a constant that runs where `out` ends now; `like` is the node that it is made for.
    pub(crate) fn constant(&mut self, literal: Literal, like: NodeId, out: &mut Vec<NodeId>) -> ValueId {
        let ty = literal.tensor_type();
        self.make(Op::Const, Attr::Literal(literal), Vec::new(), ty, like, out)
    }

    /// `args[1]` where `args[0]` holds, else `args[2]`.
    pub(crate) fn select(&mut self, args: [ValueId; 3], like: NodeId, out: &mut Vec<NodeId>) -> ValueId {
        let ty = self.graph.ty(args[1]).clone();
        self.make(Op::Select, Attr::None, args.to_vec(), ty, like, out)
    }

    /// Makes a node of one result that runs where `out` ends now; `like` is the node that it is made for.
    pub(crate) fn make(
        &mut self,
        op: Op,
        attr: Attr,
        args: Vec<ValueId>,
        ty: TensorType,
        like: NodeId,
        out: &mut Vec<NodeId>,
    ) -> ValueId {
        let node = self.graph.nodes.next_id();
        let result = self.graph.values.push(Value { ty, def: ValueDef::Result(node, 0), name: None });
        self.graph.nodes.push(Node { op, attr, args, regions: Vec::new(), results: vec![result] });
        let place = self.graph.places[like].clone();
        self.graph.places.push(place);
        out.push(node);
        result
    }
}
