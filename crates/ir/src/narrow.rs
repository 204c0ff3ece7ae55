//! Arithmetic of narrow integers in the types of registers. Backends have arithmetic of `i32` and `i64`; of the other integer types they
//! move, choose and convert elements alone. Since integers wrap, the lowest bits of a wide result are the narrow one.

use std::borrow::Cow;
use std::collections::HashMap;

use gw_types::{DType, Scalar, TensorType};

use crate::{ArgOp, Attr, BinaryOp, Keep, Literal, MatrixOp, Node, Op, ReduceOp};
use crate::{Graph, NodeId, RegionId, Value, ValueDef, ValueId};

/// Operands of an op whose elements it computes with.
enum Computes {
    /// None: it moves elements, or leaves them to its regions or the host.
    None,
    /// All.
    All,
    /// The first one.
    First,
    /// Those from this position on: they are lengths, or positions along axes.
    From(usize),
}

fn computes(node: &Node) -> Computes {
    match (node.op, &node.attr) {
        (Op::Put, Attr::Places { keep: Keep::Last, .. }) => Computes::From(2),
        (Op::Put, _) => Computes::All,
        (Op::Unary(_) | Op::Test(_) | Op::Binary(_) | Op::Compare(_), _) => Computes::All,
        (Op::Matmul | Op::Conv2d | Op::Range, _) => Computes::All,
        (Op::Matrix(MatrixOp::Cholesky | MatrixOp::TriangularSolve | MatrixOp::Solve), _) => Computes::All,
        (Op::Matrix(MatrixOp::Det | MatrixOp::Eigh | MatrixOp::Qr | MatrixOp::Svd), _) => Computes::All,
        (Op::Reduce(_) | Op::Arg(ArgOp::Max | ArgOp::Min | ArgOp::Sort | ArgOp::Top), _) => Computes::First,
        (Op::Slice | Op::Index | Op::Gather | Op::Reshape | Op::Broadcast, _) => Computes::From(1),
        (Op::Cast | Op::Select | Op::Transpose | Op::Concat | Op::Const | Op::Dim, _) => Computes::None,
        (Op::String(_) | Op::Foreign | Op::Print | Op::Host | Op::Check, _) => Computes::None,
        (Op::Cond | Op::While | Op::Call | Op::Try | Op::Leave, _) => Computes::None,
    }
}

impl Graph {
    /// The same graph with its narrow integers computed in the types of registers. Nodes keep their numbers; casts are added. Arithmetic
    /// that fails where a result leaves its type stays as it is.
    pub fn in_registers(&self) -> Cow<'_, Graph> {
        let narrow = |(_, value): (ValueId, &Value)| value.ty.dtype.register() != value.ty.dtype;
        if !self.values.iter().any(narrow) {
            return Cow::Borrowed(self);
        }
        let mut graph = self.clone();
        for region in self.regions.ids() {
            Widening { graph: &mut graph, region, nodes: Vec::new(), wide: HashMap::new(), node: None }.run();
        }
        Cow::Owned(graph)
    }
}

/// A region whose nodes are listed anew.
struct Widening<'g> {
    graph: &'g mut Graph,
    region: RegionId,
    nodes: Vec<NodeId>,
    /// Values in the type of their register.
    wide: HashMap<ValueId, ValueId>,
    /// The node that is dealt with, whose place the added ones have.
    node: Option<NodeId>,
}

impl Widening<'_> {
    fn run(mut self) {
        for id in std::mem::take(&mut self.graph.regions[self.region].nodes) {
            self.node = Some(id);
            self.node(id);
        }
        self.graph.regions[self.region].nodes = self.nodes;
    }

    fn node(&mut self, id: NodeId) {
        let node = self.graph.nodes[id].clone();
        match (&node.attr, node.op) {
            (Attr::Checked | Attr::ToChecked(_), _) => self.nodes.push(id),
            (Attr::To(to), Op::Cast) => self.cast(id, &node, *to),
            _ => self.computed(id, &node),
        }
    }

    /// A node whose operands, and result, are widened where it computes with them.
    fn computed(&mut self, id: NodeId, node: &Node) {
        let wide = |at: usize| match computes(node) {
            Computes::None => false,
            Computes::All => true,
            Computes::First => at == 0,
            Computes::From(first) => at >= first,
        };
        for (at, &arg) in node.args.iter().enumerate().filter(|(at, _)| wide(*at)) {
            self.graph.nodes[id].args[at] = self.widened(arg);
        }
        self.nodes.push(id);
        if wide(0) {
            node.results.iter().enumerate().for_each(|(at, &result)| self.narrowed(id, node.op, at, result));
        }
    }

    /// A cast goes through the types of both registers.
    fn cast(&mut self, id: NodeId, node: &Node, to: DType) {
        let x = node.args[0];
        let (wide, from_float) = (self.widened(x), self.dtype(x).is_float());
        if to.register() == to {
            self.graph.nodes[id].args[0] = wide;
            return self.nodes.push(id);
        }
        let mut found = self.converted(wide, to.register());
        if let (true, Some((least, most))) = (from_float, to.ends()) {
            found = self.bounded(BinaryOp::Max, found, least);
            found = self.bounded(BinaryOp::Min, found, most);
        }
        self.graph.nodes[id].args[0] = found;
        self.nodes.push(id);
    }

    fn dtype(&self, value: ValueId) -> DType {
        self.graph.ty(value).dtype
    }

    /// A value in the type of its register.
    fn widened(&mut self, value: ValueId) -> ValueId {
        if let Some(&wide) = self.wide.get(&value) {
            return wide;
        }
        let wide = self.converted(value, self.dtype(value).register());
        self.wide.insert(value, wide);
        wide
    }

    fn converted(&mut self, value: ValueId, dtype: DType) -> ValueId {
        if self.dtype(value) == dtype {
            return value;
        }
        let ty = TensorType { dtype, ..self.graph.ty(value).clone() };
        self.added(Op::Cast, Attr::To(dtype), vec![value], ty)
    }

    /// Gives a node a wide result in place of a narrow one, which is a cast of that.
    fn narrowed(&mut self, id: NodeId, op: Op, at: usize, result: ValueId) {
        let narrow = self.dtype(result);
        if narrow.register() == narrow {
            return;
        }
        let ty = TensorType { dtype: narrow.register(), ..self.graph.ty(result).clone() };
        let mut wide = self.graph.values.push(Value { ty, def: ValueDef::Result(id, at), name: None });
        self.graph.nodes[id].results[at] = wide;
        // The greatest of no elements is the least number of the type that the user knows.
        match (op, narrow.ends()) {
            (Op::Reduce(ReduceOp::Max), Some((least, _))) => wide = self.bounded(BinaryOp::Max, wide, least),
            (Op::Reduce(ReduceOp::Min), Some((_, most))) => wide = self.bounded(BinaryOp::Min, wide, most),
            _ => {}
        }
        let cast = Node {
            op: Op::Cast,
            attr: Attr::To(narrow),
            args: vec![wide],
            regions: Vec::new(),
            results: vec![result],
        };
        let cast = self.pushed(cast);
        self.graph.values[result].def = ValueDef::Result(cast, 0);
    }

    /// The greater or the lesser of a value and a number.
    fn bounded(&mut self, op: BinaryOp, value: ValueId, bound: i64) -> ValueId {
        let ty = self.graph.ty(value).clone();
        let literal = Attr::Literal(Literal::scalar(ty.dtype, Scalar::Int(bound)));
        let bound = self.added(Op::Const, literal, Vec::new(), TensorType::scalar(ty.dtype));
        self.added(op.into(), Attr::None, vec![value, bound], ty)
    }

    fn added(&mut self, op: Op, attr: Attr, args: Vec<ValueId>, ty: TensorType) -> ValueId {
        let def = ValueDef::Result(self.graph.nodes.next_id(), 0);
        let value = self.graph.values.push(Value { ty, def, name: None });
        self.pushed(Node { op, attr, args, regions: Vec::new(), results: vec![value] });
        value
    }

    fn pushed(&mut self, node: Node) -> NodeId {
        let place = self.node.and_then(|node| self.graph.places[node].clone());
        self.graph.places.push(place);
        let id = self.graph.nodes.push(node);
        self.nodes.push(id);
        id
    }
}
