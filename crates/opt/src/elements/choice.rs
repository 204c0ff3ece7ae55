//! Arrays of a loop that may become their elements: the most of which none needs one that stays.

use rustc_hash::{FxHashMap, FxHashSet};

use gw_ir::{Class, Exact, Graph, Node, NodeId, Op, Region, RegionId, ValueId, can_fail, literal};
use gw_types::Kind;

use super::sources::{self, LARGEST, size};
use crate::walk::Walk;

/// So many operations on single elements at most take the place of those on arrays.
const MOST: usize = 2048;

/// Without an element that is read or joined alone, arrays of more elements stay: a loop in lanes does as well.
const FEW: usize = 4;

/// The arrays that are left, while those that cannot become elements go.
pub(super) struct Choice {
    /// Arrays that become their elements.
    pub(super) values: FxHashSet<ValueId>,
    /// Positions of the carries among them.
    pub(super) carries: Vec<usize>,
    facts: Facts,
}

/// A loop as it is before anything changes.
struct Facts {
    node: Node,
    test: (RegionId, Region),
    body: (RegionId, Region),
    nodes: Vec<(NodeId, Node)>,
    inside: FxHashSet<ValueId>,
    uses: FxHashMap<ValueId, Vec<Use>>,
    /// Arrays of few elements, and their definitions.
    candidates: FxHashMap<ValueId, Definition>,
    sizes: FxHashMap<ValueId, usize>,
    /// Values of the loop whose elements are at hand without it: numbers, and rows of other arrays.
    openable: FxHashSet<ValueId>,
    /// Positions of the nodes that read one known element.
    single: FxHashSet<usize>,
}

#[derive(Clone, Copy)]
enum Use {
    /// An operand of a node, at a position.
    Node(usize, usize),
    /// The next value of a carry.
    Next(usize),
    /// In a region of a node of the loop, or the loop's test.
    Other,
}

impl Choice {
    /// All arrays of a loop that have few elements.
    pub(super) fn new(walk: &Walk, id: NodeId) -> Self {
        let facts = Facts::new(walk, id);
        Self { values: facts.candidates.keys().copied().collect(), carries: Vec::new(), facts }
    }

    /// The choice without what has to stay; `None` if nothing is gained.
    pub(super) fn made(mut self) -> Option<Self> {
        loop {
            let left: FxHashSet<ValueId> =
                self.values.iter().copied().filter(|&value| self.goes(value)).collect();
            if left.len() == self.values.len() {
                break;
            }
            self.values = left;
        }
        let params = &self.facts.body.1.params;
        self.carries = (0..params.len()).filter(|&at| self.values.contains(&params[at])).collect();
        self.gains().then_some(self)
    }

    /// True if a value can become its elements as far as the values are concerned that it is made of and that are made of it.
    fn goes(&self, value: ValueId) -> bool {
        let facts = &self.facts;
        let made = match facts.candidates[&value] {
            Definition::Carry(at) => {
                let next = facts.body.1.results[at];
                let params = [facts.test.1.params[at], facts.body.1.params[at]];
                params.iter().all(|param| self.values.contains(param)) && self.opens(next)
            }
            Definition::Node(at) => facts.nodes[at].1.args.iter().all(|&arg| self.opens(arg)),
        };
        let used = |used: &Use| match *used {
            Use::Node(at, operand) => {
                let node = &facts.nodes[at].1;
                node.results.iter().any(|result| self.values.contains(result)) || facts.takes(at, operand)
            }
            Use::Next(at) => self.values.contains(&facts.body.1.params[at]),
            Use::Other => false,
        };
        made && facts.uses.get(&value).is_none_or(|uses| uses.iter().all(used))
    }

    /// True if the elements of an operand are at hand, or can be read where they are.
    fn opens(&self, value: ValueId) -> bool {
        self.values.contains(&value)
            || !self.facts.inside.contains(&value)
            || self.facts.openable.contains(&value)
    }

    fn gains(&self) -> bool {
        let facts = &self.facts;
        let mut operations = 0;
        let (mut single, mut few) = (false, !self.carries.is_empty());
        for (at, (_, node)) in facts.nodes.iter().enumerate() {
            let &[result] = &node.results[..] else { continue };
            single |= facts.single.contains(&at) && self.values.contains(&node.args[0]);
            if self.values.contains(&result) {
                few &= facts.sizes[&result] <= FEW;
                single |= node.op == Op::Concat && node.args.len() > 1;
                operations += facts.sizes[&result];
            }
        }
        few &= self.carries.iter().all(|&at| facts.sizes[&facts.body.1.params[at]] <= FEW);
        (single || few) && operations <= MOST
    }
}

/// Definition of a candidate: a carry at a position, or a node of the loop.
#[derive(Clone, Copy)]
enum Definition {
    Carry(usize),
    Node(usize),
}

impl Facts {
    fn new(walk: &Walk, id: NodeId) -> Self {
        let graph = &*walk.graph;
        let node = graph.nodes[id].clone();
        let region = |which: usize| {
            let mut region = graph.regions[node.regions[which]].clone();
            region.results = walk.resolved(&region.results);
            (node.regions[which], region)
        };
        let (test, body) = (region(0), region(1));
        let resolved = |&id: &NodeId| {
            let node = &graph.nodes[id];
            (id, Node { args: walk.resolved(&node.args), ..node.clone() })
        };
        let nodes: Vec<(NodeId, Node)> = test.1.nodes.iter().chain(&body.1.nodes).map(resolved).collect();
        let params = test.1.params.iter().chain(&body.1.params).copied();
        let results = nodes.iter().flat_map(|(_, node)| node.results.clone());
        let inside = params.chain(results).collect();
        let mut facts = Self {
            node,
            test,
            body,
            nodes,
            inside,
            uses: FxHashMap::default(),
            candidates: FxHashMap::default(),
            sizes: FxHashMap::default(),
            openable: FxHashSet::default(),
            single: FxHashSet::default(),
        };
        facts.find_uses(walk);
        facts.find_candidates(graph);
        facts
    }

    fn find_uses(&mut self, walk: &Walk) {
        for (at, (_, node)) in self.nodes.iter().enumerate() {
            for (operand, &arg) in node.args.iter().enumerate() {
                self.uses.entry(arg).or_default().push(Use::Node(at, operand));
            }
            for &region in &node.regions {
                inner(walk, region, &mut |value| self.uses.entry(value).or_default().push(Use::Other));
            }
        }
        for (at, &next) in self.body.1.results.iter().enumerate() {
            self.uses.entry(next).or_default().push(Use::Next(at));
        }
        for &result in &self.test.1.results {
            self.uses.entry(result).or_default().push(Use::Other);
        }
    }

    fn find_candidates(&mut self, graph: &Graph) {
        for at in 0..self.node.args.len() {
            let all = [
                self.node.args[at],
                self.node.results[at],
                self.test.1.params[at],
                self.body.1.params[at],
                self.body.1.results[at],
            ];
            let one = &graph.ty(all[0]).shape;
            if all.iter().all(|&value| is_small(graph, value) && graph.ty(value).shape == *one) {
                all[2..4].iter().for_each(|&param| self.add(graph, param, Definition::Carry(at)));
            }
        }
        self.openable.extend(self.inside.iter().filter(|&&value| graph.ty(value).is_scalar()));
        for at in 0..self.nodes.len() {
            let (id, node) = &self.nodes[at];
            let &[result] = &node.results[..] else { continue };
            let known = node.op == Op::Index && literal(graph, node.args[1]).is_some();
            if known && graph.ty(result).is_scalar() && !can_fail(graph, *id) {
                self.single.insert(at);
            } else if is_small(graph, result) && comes_apart(graph, *id, node) {
                self.add(graph, result, Definition::Node(at));
            } else if is_small(graph, result) && node.op == Op::Index {
                self.openable.insert(result);
            }
        }
    }

    fn add(&mut self, graph: &Graph, value: ValueId, definition: Definition) {
        self.candidates.insert(value, definition);
        self.sizes.insert(value, size(graph, value));
    }

    /// True if a node that stays takes an operand whose elements are at hand: one of them, or the array, which it stores.
    fn takes(&self, at: usize, operand: usize) -> bool {
        self.single.contains(&at) || (self.nodes[at].1.op == Op::Put && operand == 1)
    }
}

/// Values that a region of a node uses.
fn inner(walk: &Walk, region: RegionId, used: &mut impl FnMut(ValueId)) {
    let region = &walk.graph.regions[region];
    for &id in &region.nodes {
        let node = &walk.graph.nodes[id];
        node.args.iter().for_each(|&arg| used(walk.resolve(arg)));
        node.regions.iter().for_each(|&region| inner(walk, region, used));
    }
    region.results.iter().for_each(|&result| used(walk.resolve(result)));
}

/// True of an array of real numbers or bools with few elements.
fn is_small(graph: &Graph, value: ValueId) -> bool {
    let ty = graph.ty(value);
    let kinds = match ty.dtype.kind() {
        Kind::Bool | Kind::Int | Kind::Float => true,
        Kind::Complex | Kind::Text => false,
    };
    kinds && ty.rank() > 0 && ty.shape.size().is_some_and(|size| (1..=LARGEST).contains(&size))
}

/// True if a node can give the elements of its result one by one, the same as it gives them together: single numbers and arrays
/// have steps of their own for what is approximate.
fn comes_apart(graph: &Graph, id: NodeId, node: &Node) -> bool {
    match node.op.class() {
        Class::Elementwise => node.op.exact() == Exact::Always && !can_fail(graph, id),
        Class::Move => sources::moved(graph, node).is_some(),
        Class::Source => node.op == Op::Const,
        Class::Reduce | Class::Matrices | Class::Contract | Class::Control | Class::Effect => false,
    }
}
