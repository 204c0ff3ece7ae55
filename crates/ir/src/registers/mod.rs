//! Arithmetic in the types of registers. Backends compute with `i32`, `i64`, `f32` and `f64`; the elements of other
//! number types they move, choose and convert alone. Integers wrap, so that the lowest bits of a wide result are those
//! of the narrow one; a result in single precision rounds to the nearest number of half precision.

mod unsigned;

use rustc_hash::FxHashMap;
use std::borrow::Cow;

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
        (Op::Matmul | Op::Conv2d | Op::Range | Op::Sort, _) => Computes::All,
        (Op::Matrix(MatrixOp::Cholesky | MatrixOp::TriangularSolve | MatrixOp::Solve), _) => Computes::All,
        (Op::Matrix(MatrixOp::Fft), _) => Computes::All,
        (Op::Matrix(MatrixOp::Det | MatrixOp::Eigh | MatrixOp::Qr | MatrixOp::Svd), _) => Computes::All,
        (Op::Reduce(_) | Op::Arg(ArgOp::Max | ArgOp::Min | ArgOp::Sort | ArgOp::Top), _) => Computes::First,
        (Op::Slice | Op::Index | Op::Gather | Op::Reshape | Op::Broadcast, _) => Computes::From(1),
        (Op::Part(_) | Op::Complex, _) => Computes::None,
        (Op::Cast | Op::Select | Op::Transpose | Op::Concat | Op::Const | Op::Dim, _) => Computes::None,
        (Op::String(_) | Op::Foreign | Op::Print | Op::Host | Op::Check, _) => Computes::None,
        (Op::Cond | Op::While | Op::Call | Op::Try | Op::Leave, _) => Computes::None,
    }
}

impl Graph {
    /// The same graph with all arithmetic in the types of registers. Nodes keep their numbers; casts are added.
    /// Arithmetic of narrow integers that fails where a result leaves its type stays as it is.
    pub fn in_registers(&self) -> Cow<'_, Graph> {
        let has_none = |(_, value): (ValueId, &Value)| value.ty.dtype.register() != value.ty.dtype;
        if !self.values.iter().any(has_none) {
            return Cow::Borrowed(self);
        }
        let mut graph = self.clone();
        for region in self.regions.ids() {
            Rewrite { graph: &mut graph, region, nodes: Vec::new(), wide: FxHashMap::default(), node: None }
                .run();
        }
        Cow::Owned(graph)
    }
}

/// A region whose nodes are listed anew.
struct Rewrite<'g> {
    graph: &'g mut Graph,
    region: RegionId,
    nodes: Vec<NodeId>,
    /// Values in the type of their register.
    wide: FxHashMap<ValueId, ValueId>,
    /// The node that is rewritten, whose place the added ones have.
    node: Option<NodeId>,
}

impl Rewrite<'_> {
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
            (Attr::Checked | Attr::ToChecked(_), _) => self.checked(id, &node),
            (Attr::To(to), Op::Cast) => self.cast(id, &node, *to),
            _ if self.is_unsigned(&node) && self.unsigned(id, &node) => {}
            _ => self.computed(id, &node),
        }
    }

    /// Arithmetic that is checked where it is lowered; of floats in the type of their register.
    fn checked(&mut self, id: NodeId, node: &Node) {
        if self.dtype(node.args[0]).is_float() {
            self.graph.nodes[id].args[0] = self.widened(node.args[0]);
        }
        self.nodes.push(id);
    }

    /// A node whose operands, and result, are widened where it computes with them.
    fn computed(&mut self, id: NodeId, node: &Node) {
        for (at, &arg) in node.args.iter().enumerate() {
            self.graph.nodes[id].args[at] = match computes(node) {
                Computes::None => arg,
                Computes::First if at > 0 => arg,
                Computes::From(first) if at < first => arg,
                Computes::From(_) => self.position(arg),
                Computes::All | Computes::First => self.widened(arg),
            };
        }
        self.nodes.push(id);
        if matches!(computes(node), Computes::All | Computes::First) {
            node.results.iter().enumerate().for_each(|(at, &result)| self.narrowed(id, node.op, at, result));
        }
    }

    /// A cast goes through the types of both registers; one to half precision starts from the number itself.
    fn cast(&mut self, id: NodeId, node: &Node, to: DType) {
        let x = node.args[0];
        let from = self.dtype(x);
        let found = match (to.register(), from) {
            (_, DType::U64) if to.is_float() => self.float_of_word(x, to),
            (DType::F32, _) if to != DType::F32 && !from.is_float() => self.converted(x, DType::F64),
            (register, _) if register == to || to.is_float() => self.widened(x),
            (_, _) if to == DType::U64 && from.is_float() => self.word_of_float(x),
            (register, _) => {
                let wide = self.widened(x);
                let wide = self.converted(wide, register);
                if from.is_float() { self.saturated(wide, to) } else { wide }
            }
        };
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
        let from = self.dtype(value);
        if from == dtype {
            return value;
        }
        let value = if dtype == from.register() { value } else { self.widened(value) };
        let ty = self.like(value, dtype);
        self.added(Op::Cast, Attr::To(dtype), vec![value], ty)
    }

    /// A type of the same shape.
    fn like(&self, value: ValueId, dtype: DType) -> TensorType {
        TensorType { dtype, ..self.graph.ty(value).clone() }
    }

    /// Gives a node a wide result in place of a narrow one, which is a cast of that.
    fn narrowed(&mut self, id: NodeId, op: Op, at: usize, result: ValueId) {
        let narrow = self.dtype(result);
        if narrow.register() == narrow {
            return;
        }
        let mut wide = self.widened_result(id, at, result);
        // The greatest of no elements is the least number of the type that the user knows.
        if op == ReduceOp::Max.into() || op == ReduceOp::Min.into() {
            wide = self.saturated(wide, narrow);
        }
        self.given(result, wide);
    }

    /// The result of a node in the type of its register; the narrow one has no definition then.
    fn widened_result(&mut self, id: NodeId, at: usize, result: ValueId) -> ValueId {
        let ty = self.like(result, self.dtype(result).register());
        let wide = self.graph.values.push(Value { ty, def: ValueDef::Result(id, at), name: None });
        self.graph.nodes[id].results[at] = wide;
        wide
    }

    /// Defines a result as a cast of a wide one.
    fn given(&mut self, result: ValueId, wide: ValueId) {
        let (op, attr) = (Op::Cast, Attr::To(self.dtype(result)));
        let cast =
            self.pushed(Node { op, attr, args: vec![wide], regions: Vec::new(), results: vec![result] });
        self.graph.values[result].def = ValueDef::Result(cast, 0);
    }

    /// An integer between the ends of a type; a float as it is.
    fn saturated(&mut self, wide: ValueId, narrow: DType) -> ValueId {
        let Some((least, most)) = narrow.ends() else { return wide };
        let above = self.with_number(BinaryOp::Max, wide, least);
        self.with_number(BinaryOp::Min, above, most)
    }

    /// An op of a value and a number.
    fn with_number(&mut self, op: BinaryOp, value: ValueId, number: i128) -> ValueId {
        let number = self.number(self.dtype(value), number);
        self.binary(op, value, number)
    }

    /// An op of two values, of which the first has the shape of the result.
    fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.graph.ty(x).clone();
        self.added(op.into(), Attr::None, vec![x, y], ty)
    }

    fn number(&mut self, dtype: DType, number: i128) -> ValueId {
        let literal = Literal::scalar(dtype, Scalar::wrapped(DType::I64, number));
        self.added(Op::Const, Attr::Literal(literal), Vec::new(), TensorType::scalar(dtype))
    }

    fn float(&mut self, number: f64) -> ValueId {
        let literal = Literal::scalar(DType::F64, Scalar::Float(number));
        self.added(Op::Const, Attr::Literal(literal), Vec::new(), TensorType::scalar(DType::F64))
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
