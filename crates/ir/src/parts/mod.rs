//! Complex numbers as two real ones. Backends have no complex numbers: of each there are two values, its real and its imaginary
//! part, and what is left of complex types are the parameters of the graph, of which the parts are read, and complex numbers that
//! are put together for whoever is outside: the results, what is printed, and what the host is given.

mod arithmetic;
mod emit;
mod functions;

use rustc_hash::FxHashMap;
use std::borrow::Cow;

use gw_types::{DType, Scalar};

use crate::{Attr, BinaryOp, CompareOp, Literal, Node, Op, PartOp, TestOp, UnaryOp};
use crate::{Graph, NodeId, RegionId, Value, ValueDef, ValueId};

/// The real and the imaginary part of a number.
type Parts = [ValueId; 2];

impl Graph {
    /// The same graph with all complex arithmetic in parts. Nodes keep their numbers; others are added.
    pub fn in_parts(&self) -> Cow<'_, Graph> {
        if !self.values.iter().any(|(_, value)| value.ty.dtype.is_complex()) {
            return Cow::Borrowed(self);
        }
        let mut graph = self.clone();
        let roots = graph.roots();
        let mut split = Split {
            graph: &mut graph,
            nodes: Vec::new(),
            parts: FxHashMap::default(),
            instead: FxHashMap::default(),
            own: None,
            place: None,
        };
        roots.into_iter().for_each(|root| split.region(root));
        Cow::Owned(graph)
    }
}

/// A graph whose regions are listed anew, the outer ones first.
struct Split<'g> {
    graph: &'g mut Graph,
    nodes: Vec<NodeId>,
    parts: FxHashMap<ValueId, Parts>,
    /// Real values that stand for results of nodes that are no more.
    instead: FxHashMap<ValueId, ValueId>,
    /// The number of the node that is rewritten, until an added one has it.
    own: Option<NodeId>,
    /// The node that is rewritten, whose place the added ones have.
    place: Option<NodeId>,
}

impl Split<'_> {
    fn region(&mut self, region: RegionId) {
        let outside = std::mem::take(&mut self.nodes);
        self.params(region);
        for id in std::mem::take(&mut self.graph.regions[region].nodes) {
            (self.own, self.place) = (Some(id), Some(id));
            self.node(id);
        }
        self.own = None;
        let results = std::mem::take(&mut self.graph.regions[region].results);
        let results =
            if region == self.graph.body { self.whole_all(&results) } else { self.split_all(&results) };
        self.graph.regions[region].results = results;
        self.graph.regions[region].nodes = std::mem::replace(&mut self.nodes, outside);
    }

    /// The graph's own parameters stay whole; those of other regions become two.
    fn params(&mut self, region: RegionId) {
        let params = self.graph.regions[region].params.clone();
        if region == self.graph.body {
            return params.into_iter().for_each(|param| self.take_apart(param));
        }
        let mut split = Vec::with_capacity(params.len());
        for param in params {
            match self.is_complex(param) {
                false => split.push(param),
                true => split.extend(self.parts_of(param, |_| ValueDef::Param(region, 0))),
            }
        }
        for (at, &param) in split.iter().enumerate() {
            self.graph.values[param].def = ValueDef::Param(region, at);
        }
        self.graph.regions[region].params = split;
    }

    /// Defines the parts of a value that is whole.
    fn take_apart(&mut self, value: ValueId) {
        if self.is_complex(value) {
            let ty = self.real_type(value);
            let parts = [PartOp::Real, PartOp::Imag]
                .map(|part| self.added(part.into(), Attr::None, vec![value], ty.clone()));
            self.parts.insert(value, parts);
        }
    }

    /// Two values that are the parts of one from now on.
    fn parts_of(&mut self, value: ValueId, def: impl Fn(usize) -> ValueDef) -> Parts {
        let ty = self.real_type(value);
        let name = self.graph.values[value].name.clone();
        let parts = [0, 1]
            .map(|at| self.graph.values.push(Value { ty: ty.clone(), def: def(at), name: name.clone() }));
        self.parts.insert(value, parts);
        parts
    }

    fn is_complex(&self, value: ValueId) -> bool {
        self.graph.ty(value).dtype.is_complex()
    }

    /// The real value that stands for one.
    fn real(&self, value: ValueId) -> ValueId {
        self.instead.get(&value).copied().unwrap_or(value)
    }

    /// The parts of a complex value.
    fn split(&self, value: ValueId) -> Parts {
        self.parts.get(&value).copied().unwrap_or([value; 2])
    }

    /// Values, the complex ones in parts.
    fn split_all(&self, values: &[ValueId]) -> Vec<ValueId> {
        let split = |&value: &ValueId| match self.is_complex(value) {
            true => self.split(value).to_vec(),
            false => vec![self.real(value)],
        };
        values.iter().flat_map(split).collect()
    }

    /// Values, the complex ones put together.
    fn whole_all(&mut self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|&value| self.whole(value)).collect()
    }

    fn whole(&mut self, value: ValueId) -> ValueId {
        let is_param =
            matches!(self.graph.values[value].def, ValueDef::Param(region, _) if region == self.graph.body);
        match self.is_complex(value) {
            false => self.real(value),
            true if is_param => value,
            true => {
                let ty = self.graph.ty(value).clone();
                let parts = self.split(value).to_vec();
                self.added(Op::Complex, Attr::None, parts, ty)
            }
        }
    }

    fn node(&mut self, id: NodeId) {
        let node = self.graph.nodes[id].clone();
        let complex = node.args.iter().chain(&node.results).any(|&value| self.is_complex(value));
        match node.op {
            Op::Cond | Op::While | Op::Call | Op::Try | Op::Leave => self.control(id, &node),
            Op::Print | Op::Host | Op::Check | Op::Foreign => self.outside(id, &node),
            _ if !complex => self.kept(id, &node),
            Op::Part(PartOp::Real) => self.stands(&node, self.split(node.args[0])[0]),
            Op::Part(PartOp::Imag) => self.stands(&node, self.split(node.args[0])[1]),
            Op::Complex => self.put_together(&node),
            Op::Const => self.constant(&node),
            Op::Cast => self.cast(&node),
            Op::Dim => {
                self.graph.nodes[id].args[0] = self.split(node.args[0])[0];
                self.nodes.push(id);
            }
            Op::Unary(op) => self.unary(op, &node),
            Op::Binary(op) => self.binary_op(op, &node),
            Op::Compare(op) => self.compare(op, &node),
            Op::Test(op) => self.test(op, &node),
            Op::Matmul => self.matmul(&node),
            Op::Select | Op::Reduce(_) | Op::Reshape | Op::Broadcast | Op::Transpose => self.twice(&node),
            Op::Slice | Op::Index | Op::Gather | Op::Concat | Op::Put => self.twice(&node),
            // They take no complex numbers.
            Op::String(_) | Op::Sort | Op::Arg(_) | Op::Matrix(_) | Op::Conv2d | Op::Range => {
                self.kept(id, &node)
            }
        }
    }

    /// A node without complex numbers.
    fn kept(&mut self, id: NodeId, node: &Node) {
        self.graph.nodes[id].args = node.args.iter().map(|&arg| self.real(arg)).collect();
        self.nodes.push(id);
        node.regions.iter().for_each(|&inner| self.region(inner));
    }

    /// Regions that hand parts on.
    fn control(&mut self, id: NodeId, node: &Node) {
        let args = self.split_all(&node.args);
        let mut results = Vec::with_capacity(node.results.len());
        for &result in &node.results {
            match self.is_complex(result) {
                false => results.push(result),
                true => results.extend(self.parts_of(result, |_| ValueDef::Result(id, 0))),
            }
        }
        for (at, &result) in results.iter().enumerate() {
            self.graph.values[result].def = ValueDef::Result(id, at);
        }
        (self.graph.nodes[id].args, self.graph.nodes[id].results) = (args, results);
        self.nodes.push(id);
        node.regions.iter().for_each(|&inner| self.region(inner));
    }

    /// Nodes of the host and of the world take and give whole numbers.
    fn outside(&mut self, id: NodeId, node: &Node) {
        self.own = None;
        let args = self.whole_all(&node.args);
        self.graph.nodes[id].args = args;
        self.nodes.push(id);
        node.results.iter().for_each(|&result| self.take_apart(result));
    }

    /// The node's result is a value that is there.
    fn stands(&mut self, node: &Node, value: ValueId) {
        self.instead.insert(node.results[0], value);
    }

    /// The node's result has these parts.
    fn gives(&mut self, node: &Node, parts: Parts) {
        self.parts.insert(node.results[0], parts);
    }

    fn put_together(&mut self, node: &Node) {
        let ty = self.real_type(node.results[0]);
        let yes = self.truth(true);
        let [re, im] = [node.args[0], node.args[1]].map(|part| self.real(part));
        let stretched = |split: &mut Self, part: ValueId, other: ValueId| {
            let same = split.graph.ty(part).shape == ty.shape;
            if same { part } else { split.added(Op::Select, Attr::None, vec![yes, part, other], ty.clone()) }
        };
        let parts = [stretched(self, re, im), stretched(self, im, re)];
        self.gives(node, parts);
    }

    fn constant(&mut self, node: &Node) {
        let Attr::Literal(literal) = &node.attr else { return };
        let (dtype, lengths) = (literal.dtype().part(), literal.lengths());
        let parts = [0, 1].map(|at| {
            let elements: Vec<Scalar> = literal.scalars().map(|z| Scalar::Float(z.parts()[at])).collect();
            let literal = Literal::from_scalars(dtype, lengths.to_vec(), &elements);
            let ty = literal.tensor_type();
            self.added(Op::Const, Attr::Literal(literal), Vec::new(), ty)
        });
        self.gives(node, parts);
    }

    fn cast(&mut self, node: &Node) {
        let (x, to) = (node.args[0], self.graph.ty(node.results[0]).dtype);
        if to == DType::Bool {
            return self.compared(node, CompareOp::Ne, None);
        }
        if self.is_complex(x) {
            let parts = self.split(x).map(|part| self.converted(part, to.part()));
            return self.gives(node, parts);
        }
        let re = self.real(x);
        let re = self.converted(re, to.part());
        let im = self.zero_like(re);
        self.gives(node, [re, im]);
    }

    fn compare(&mut self, op: CompareOp, node: &Node) {
        self.compared(node, op, Some(node.args[1]));
    }

    /// A comparison of both parts, with zero if there is no other number.
    fn compared(&mut self, node: &Node, op: CompareOp, other: Option<ValueId>) {
        let x = self.split(node.args[0]);
        let y = match other {
            Some(y) => self.split(y),
            None => [self.number(self.dtype(x[0]), 0.0); 2],
        };
        let ty = self.graph.ty(node.results[0]).clone();
        let each = [0, 1].map(|at| self.added(op.into(), Attr::None, vec![x[at], y[at]], ty.clone()));
        let joins = if op == CompareOp::Eq { BinaryOp::And } else { BinaryOp::Or };
        let found = self.added(joins.into(), Attr::None, each.to_vec(), ty);
        self.stands(node, found);
    }

    fn test(&mut self, op: TestOp, node: &Node) {
        let ty = self.graph.ty(node.results[0]).clone();
        let parts = self.split(node.args[0]);
        let each = parts.map(|part| self.added(op.into(), Attr::None, vec![part], ty.clone()));
        let joins = if op == TestOp::IsFinite { BinaryOp::And } else { BinaryOp::Or };
        let found = self.added(joins.into(), Attr::None, each.to_vec(), ty);
        self.stands(node, found);
    }

    /// The op of each part for itself.
    fn twice(&mut self, node: &Node) {
        let ty = self.real_type(node.results[0]);
        let parts = [0, 1].map(|at| {
            let pick =
                |&arg: &ValueId| if self.is_complex(arg) { self.split(arg)[at] } else { self.real(arg) };
            let args = node.args.iter().map(pick).collect();
            self.added(node.op, node.attr.clone(), args, ty.clone())
        });
        self.gives(node, parts);
    }

    fn unary(&mut self, op: UnaryOp, node: &Node) {
        match op {
            UnaryOp::Neg | UnaryOp::Stop | UnaryOp::Round => self.twice(node),
            UnaryOp::Abs => {
                let found = self.size(self.split(node.args[0]));
                self.stands(node, found);
            }
            UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log2 | UnaryOp::Log1p | UnaryOp::Sqrt => {
                self.function(op, node);
            }
            UnaryOp::Rsqrt | UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan | UnaryOp::Atan => {
                self.function(op, node);
            }
            UnaryOp::Asinh | UnaryOp::Tanh => self.function(op, node),
            // They take no complex numbers.
            UnaryOp::Sign | UnaryOp::Erf | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Not => {}
            UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Sinh => {}
        }
    }

    fn binary_op(&mut self, op: BinaryOp, node: &Node) {
        let (x, y) = (self.split(node.args[0]), self.split(node.args[1]));
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.twice(node),
            BinaryOp::Mul => {
                let parts = self.product(x, y);
                self.gives(node, parts);
            }
            BinaryOp::Div => {
                let parts = self.quotient(x, y);
                self.gives(node, parts);
            }
            BinaryOp::Pow => {
                let parts = self.power(x, y);
                self.gives(node, parts);
            }
            // They take no complex numbers.
            BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => {}
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {}
            BinaryOp::RandomBits => {}
        }
    }

    fn matmul(&mut self, node: &Node) {
        let ty = self.real_type(node.results[0]);
        let (x, y) = (self.split(node.args[0]), self.split(node.args[1]));
        let mut product =
            |a: usize, b: usize| self.added(Op::Matmul, node.attr.clone(), vec![x[a], y[b]], ty.clone());
        let [aa, bb, ab, ba] = [product(0, 0), product(1, 1), product(0, 1), product(1, 0)];
        let parts = [self.minus(aa, bb), self.plus(ab, ba)];
        self.gives(node, parts);
    }
}
