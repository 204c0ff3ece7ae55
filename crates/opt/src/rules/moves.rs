//! Moves and casts that lead nowhere.

use gw_ir::{Attr, AxisSlice, Class, DimArg, Graph, Node, Op, ValueId};
use gw_types::{DType, Kind};

use super::rule::{Rule, args, args_of};
use crate::patch::{Arg, Patch};

const M: &str = "%x: f32[2,3]";

pub(super) const RULES: &[Rule] = &[
    Rule { name: "cast-same", sample: (M, "%r = cast %x to=f32 : f32[2,3]"), run: cast_same },
    Rule {
        name: "cast-there-and-back",
        sample: ("%x: i32[3]", "%y = cast %x to=f64 : f64[3] %r = cast %y to=i32 : i32[3]"),
        run: cast_back,
    },
    Rule { name: "reshape-same", sample: (M, "%r = reshape %x dims=[2,-1] : f32[2,3]"), run: move_nowhere },
    Rule {
        name: "broadcast-same",
        sample: (M, "%r = broadcast %x dims=[2,3] : f32[2,3]"),
        run: move_nowhere,
    },
    Rule {
        name: "reshape-reshape",
        sample: (M, "%y = reshape %x dims=[6] : f32[6] %r = reshape %y dims=[3,2] : f32[3,2]"),
        run: reshape_reshape,
    },
    Rule {
        name: "stretched-operand",
        sample: (
            "%x: f32[2,3], %s: f32[3]",
            "%b = broadcast %s dims=[2,3] : f32[2,3] %r = add %x, %b : f32[2,3]",
        ),
        run: stretched_operand,
    },
    Rule {
        name: "transpose-identity",
        sample: (M, "%r = transpose %x perm=[0,1] : f32[2,3]"),
        run: transpose_identity,
    },
    Rule {
        name: "transpose-transpose",
        sample: (
            "%x: f32[2,3,1]",
            "%y = transpose %x perm=[1,2,0] : f32[3,1,2] %r = transpose %y perm=[1,0,2] : f32[1,3,2]",
        ),
        run: transpose_transpose,
    },
    Rule { name: "slice-all", sample: (M, "%r = slice %x at=[:,:] : f32[2,3]"), run: slice_all },
    Rule { name: "concat-one", sample: (M, "%r = concat %x axis=0 : f32[2,3]"), run: concat_one },
    Rule {
        name: "matmul-transpose-left",
        sample: (M, "%y = transpose %x perm=[1,0] : f32[3,2] %r = matmul %y, %x : f32[3,3]"),
        run: matmul_transpose,
    },
    Rule {
        name: "matmul-transpose-right",
        sample: (M, "%y = transpose %x perm=[1,0] : f32[3,2] %r = matmul %x, %y : f32[2,2]"),
        run: matmul_transpose,
    },
];

/// `cast x to its own dtype ⇒ x`
fn cast_same(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x] = args(node, Op::Cast)?;
    (node.attr == Attr::To(graph.ty(x).dtype)).then_some(Patch::Value(x))
}

/// `int32(float64(x)) ⇒ x`: the dtype between holds all of x's values
fn cast_back(graph: &Graph, node: &Node) -> Option<Patch> {
    let [y] = args(node, Op::Cast)?;
    let [x] = args_of(graph, y, Op::Cast)?;
    let [dtype, between] = [x, y].map(|value| graph.ty(value).dtype);
    (node.attr == Attr::To(dtype) && holds_all(between, dtype)).then_some(Patch::Value(x))
}

fn holds_all(wide: DType, narrow: DType) -> bool {
    match (narrow.kind(), wide.kind()) {
        (Kind::Bool, _) => true,
        (Kind::Text, _) => false,
        (Kind::Int, Kind::Int) => narrow.join(wide) == Some(wide),
        (Kind::Int, Kind::Float) => narrow.bits() < if wide == DType::F64 { 53 } else { 24 },
        (Kind::Float, Kind::Float) => wide == DType::F64,
        (Kind::Complex, Kind::Complex) => wide == DType::C128,
        (Kind::Complex, _) | (_, Kind::Complex) => false,
        (Kind::Int | Kind::Float, Kind::Bool | Kind::Int | Kind::Text) => false,
    }
}

/// `x.reshape(x.shape) ⇒ x`; the types are the same, variables too
fn move_nowhere(graph: &Graph, node: &Node) -> Option<Patch> {
    let moves = node.op == Op::Reshape || node.op == Op::Broadcast;
    let same = moves && graph.ty(node.args[0]) == graph.ty(node.results[0]);
    same.then_some(Patch::Value(node.args[0]))
}

/// `x.reshape(a).reshape(b) ⇒ x.reshape(b)`
fn reshape_reshape(graph: &Graph, node: &Node) -> Option<Patch> {
    let Attr::Dims(dims) = &node.attr else { return None };
    let ([y], true) = (args(node, Op::Reshape)?, is_plain(dims)) else { return None };
    let inner = &graph.nodes[graph.definer(y)?];
    let fixed = graph.ty(*inner.args.first()?).shape.lengths().is_some();
    let plain = inner.op == Op::Reshape && fixed;
    plain.then(|| Patch::Node(Op::Reshape, node.attr.clone(), vec![inner.args[0].into()]))
}

fn is_plain(dims: &[DimArg]) -> bool {
    !dims.iter().any(|dim| matches!(dim, DimArg::Arg(_)))
}

/// `x + broadcast(s, x.shape) ⇒ x + s`: elementwise ops stretch by themselves
fn stretched_operand(graph: &Graph, node: &Node) -> Option<Patch> {
    if node.op.class() != Class::Elementwise || node.args.len() < 2 {
        return None;
    }
    let source = |value: ValueId| -> Option<ValueId> {
        let inner = &graph.nodes[graph.definer(value)?];
        let known = graph.ty(*inner.args.first()?).shape.lengths().is_some();
        (inner.op == Op::Broadcast && known).then_some(inner.args[0])
    };
    let at = node.args.iter().position(|&arg| source(arg).is_some())?;
    let mut operands: Vec<ValueId> = node.args.clone();
    operands[at] = source(node.args[at])?;
    Some(Patch::Node(node.op, node.attr.clone(), operands.into_iter().map(Arg::from).collect()))
}

/// `x.transpose(0, 1) ⇒ x`
fn transpose_identity(_graph: &Graph, node: &Node) -> Option<Patch> {
    let Attr::Perm(perm) = &node.attr else { return None };
    perm.iter().copied().eq(0..perm.len()).then_some(Patch::Value(node.args[0]))
}

/// `x.transpose(p).transpose(q) ⇒ x.transpose(p of q)`
fn transpose_transpose(graph: &Graph, node: &Node) -> Option<Patch> {
    let Attr::Perm(outer) = &node.attr else { return None };
    let Node { attr: Attr::Perm(inner), args, .. } = &graph.nodes[graph.definer(node.args[0])?] else {
        return None;
    };
    let both = outer.iter().map(|&axis| inner[axis]).collect();
    Some(Patch::Node(Op::Transpose, Attr::Perm(both), vec![args[0].into()]))
}

/// `x[:, :] ⇒ x`
fn slice_all(_graph: &Graph, node: &Node) -> Option<Patch> {
    let Attr::Slices(slices) = &node.attr else { return None };
    slices.iter().all(|slice| *slice == AxisSlice::ALL).then_some(Patch::Value(node.args[0]))
}

/// `concat([x]) ⇒ x`
fn concat_one(_graph: &Graph, node: &Node) -> Option<Patch> {
    let [x] = args(node, Op::Concat)?;
    Some(Patch::Value(x))
}

/// `matmul(x.T, y) ⇒ matmul(x, y, transpose_a=True)`, and so on the right
fn matmul_transpose(graph: &Graph, node: &Node) -> Option<Patch> {
    let Attr::Matmul { transpose_x, transpose_y } = node.attr else { return None };
    let [x, y] = args(node, Op::Matmul)?;
    if let Some(x) = turned(graph, x) {
        let attr = Attr::Matmul { transpose_x: !transpose_x, transpose_y };
        return Some(Patch::Node(Op::Matmul, attr, vec![x.into(), y.into()]));
    }
    let attr = Attr::Matmul { transpose_x, transpose_y: !transpose_y };
    Some(Patch::Node(Op::Matmul, attr, vec![x.into(), turned(graph, y)?.into()]))
}

/// Value whose transpose, in the last two axes, this value is.
fn turned(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let Node { attr: Attr::Perm(perm), args, .. } = &graph.nodes[graph.definer(value)?] else { return None };
    let (front, &[rows, columns]) = perm.split_last_chunk::<2>()?;
    let last = front.iter().copied().eq(0..front.len()) && rows == columns + 1;
    last.then_some(args[0])
}
