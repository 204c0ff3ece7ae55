//! Truth, comparisons, choice.

use gw_ir::{BinaryOp, CompareOp, Graph, Node, Op, UnaryOp, ValueId, every};
use gw_types::{DType, Scalar};

use super::arithmetic::filled;
use super::rule::{Rule, args, args_of, comparison};
use crate::patch::Patch;

const B: &str = "%x: bool[3]";
const XY: &str = "%x: i32[3], %y: i32[3]";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "and-true",
        sample: (B, "%c = const true : bool[] %r = and %x, %c : bool[3]"),
        run: logic_neutral,
    },
    Rule {
        name: "or-false",
        sample: (B, "%c = const false : bool[] %r = or %x, %c : bool[3]"),
        run: logic_neutral,
    },
    Rule {
        name: "xor-zero",
        sample: ("%x: i32[3]", "%c = const 0 : i32[] %r = xor %x, %c : i32[3]"),
        run: logic_neutral,
    },
    Rule {
        name: "and-false",
        sample: (B, "%c = const false : bool[] %r = and %x, %c : bool[3]"),
        run: logic_settled,
    },
    Rule {
        name: "or-true",
        sample: (B, "%c = const true : bool[] %r = or %x, %c : bool[3]"),
        run: logic_settled,
    },
    Rule { name: "and-self", sample: ("%x: i32[3]", "%r = and %x, %x : i32[3]"), run: logic_of_self },
    Rule { name: "not-not", sample: (B, "%y = not %x : bool[3] %r = not %y : bool[3]"), run: not_not },
    Rule {
        name: "not-equal",
        sample: ("%x: f32[3], %y: f32[3]", "%z = eq %x, %y : bool[3] %r = not %z : bool[3]"),
        run: not_comparison,
    },
    Rule {
        name: "not-less",
        sample: (XY, "%z = lt %x, %y : bool[3] %r = not %z : bool[3]"),
        run: not_comparison,
    },
    Rule { name: "compare-self", sample: ("%x: i32[3]", "%r = le %x, %x : bool[3]"), run: compare_self },
    Rule {
        name: "equal-true",
        sample: (B, "%c = const true : bool[] %r = eq %x, %c : bool[3]"),
        run: compare_truth,
    },
    Rule {
        name: "equal-false",
        sample: (B, "%c = const false : bool[] %r = eq %x, %c : bool[3]"),
        run: compare_truth,
    },
    Rule {
        name: "select-known",
        sample: (XY, "%c = const true : bool[] %r = select %c, %x, %y : i32[3]"),
        run: select_known,
    },
    Rule {
        name: "select-same",
        sample: ("%c: bool[], %x: i32[3]", "%r = select %c, %x, %x : i32[3]"),
        run: select_same,
    },
    Rule {
        name: "select-truth",
        sample: (B, "%t = const true : bool[] %f = const false : bool[] %r = select %x, %t, %f : bool[3]"),
        run: select_truth,
    },
    Rule {
        name: "select-and",
        sample: ("%x: bool[3], %y: bool[3]", "%f = const false : bool[] %r = select %x, %y, %f : bool[3]"),
        run: select_logic,
    },
    Rule {
        name: "select-or",
        sample: ("%x: bool[3], %y: bool[3]", "%t = const true : bool[] %r = select %x, %t, %y : bool[3]"),
        run: select_logic,
    },
    Rule {
        name: "select-and-itself",
        sample: ("%x: bool[3], %y: bool[]", "%r = select %x, %y, %x : bool[3]"),
        run: select_logic,
    },
    Rule {
        name: "select-or-itself",
        sample: ("%x: bool[], %y: bool[3]", "%r = select %x, %x, %y : bool[3]"),
        run: select_logic,
    },
    Rule {
        name: "select-not",
        sample: (
            "%c: bool[3], %x: i32[3], %y: i32[]",
            "%n = not %c : bool[3] %r = select %n, %x, %y : i32[3]",
        ),
        run: select_not,
    },
];

/// `x and True ⇒ x`, and so for `or`, `xor` and bits
fn logic_neutral(graph: &Graph, node: &Node) -> Option<Patch> {
    let all = [(BinaryOp::And, true), (BinaryOp::Or, false), (BinaryOp::Xor, false)];
    let (ones, [x, c]) = all.into_iter().find_map(|(op, ones)| Some((ones, args(node, op)?)))?;
    every(graph, c, |c| is_bits(c, ones)).then_some(Patch::Value(x))
}

/// `x and False ⇒ False`
fn logic_settled(graph: &Graph, node: &Node) -> Option<Patch> {
    let all = [(BinaryOp::And, false), (BinaryOp::Or, true)];
    let (ones, [_, c]) = all.into_iter().find_map(|(op, ones)| Some((ones, args(node, op)?)))?;
    every(graph, c, |c| is_bits(c, ones)).then_some(())?;
    filled(
        graph,
        node,
        if ones && is_bool(graph, c) { Scalar::Bool(true) } else { Scalar::Int(-i64::from(ones)) },
    )
}

/// True if elements of the type may be NaN, which is not equal to itself.
fn has_nan(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype.is_fractional()
}

/// All bits set, or none.
fn is_bits(c: Scalar, ones: bool) -> bool {
    match c {
        Scalar::Bool(c) => c == ones,
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Float(_) => c.to_i64() == -i64::from(ones),
        Scalar::Complex(..) | Scalar::Text(_) => false,
    }
}

/// `x and x ⇒ x`
fn logic_of_self(_graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, y] = args(node, BinaryOp::And).or(args(node, BinaryOp::Or))?;
    (x == y).then_some(Patch::Value(x))
}

/// `not not x ⇒ x`
fn not_not(graph: &Graph, node: &Node) -> Option<Patch> {
    let [y] = args(node, UnaryOp::Not)?;
    let [x] = args_of(graph, y, UnaryOp::Not)?;
    Some(Patch::Value(x))
}

/// `not x == y ⇒ x != y`; and `not x < y ⇒ x >= y` where there is no NaN
fn not_comparison(graph: &Graph, node: &Node) -> Option<Patch> {
    let [z] = args(node, UnaryOp::Not)?;
    let (op, [x, y]) = comparison(&graph.nodes[graph.definer(z)?])?;
    (op.is_equality() || !has_nan(graph, x)).then(|| Patch::op(op.negated(), [x.into(), y.into()]))
}

/// `x <= x ⇒ True`, but for floats
fn compare_self(graph: &Graph, node: &Node) -> Option<Patch> {
    let (op, [x, y]) = comparison(node)?;
    (x == y && !has_nan(graph, x)).then_some(())?;
    filled(graph, node, Scalar::Bool(op.holds_of_equals()))
}

/// `x == True ⇒ x`, `x == False ⇒ not x`, of bools
fn compare_truth(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, c] = args(node, CompareOp::Eq).or(args(node, CompareOp::Ne))?;
    is_bool(graph, x).then_some(())?;
    let keeps = node.op == CompareOp::Eq.into();
    if every(graph, c, |c| c.to_bool() == keeps) {
        return Some(Patch::Value(x));
    }
    every(graph, c, |c| c.to_bool() != keeps).then(|| Patch::op(UnaryOp::Not, [x.into()]))
}

/// `x if True else y ⇒ x`
fn select_known(graph: &Graph, node: &Node) -> Option<Patch> {
    let [test, x, y] = args(node, Op::Select)?;
    if every(graph, test, |c| c.to_bool()) {
        return Some(Patch::Value(x));
    }
    every(graph, test, |c| !c.to_bool()).then_some(Patch::Value(y))
}

/// `x if c else x ⇒ x`
fn select_same(_graph: &Graph, node: &Node) -> Option<Patch> {
    let [_, x, y] = args(node, Op::Select)?;
    (x == y).then_some(Patch::Value(x))
}

/// `True if c else False ⇒ c`, and the other way round
fn select_truth(graph: &Graph, node: &Node) -> Option<Patch> {
    let [test, x, y] = args(node, Op::Select)?;
    is_bool(graph, x).then_some(())?;
    if every(graph, x, |x| x.to_bool()) && every(graph, y, |y| !y.to_bool()) {
        return Some(Patch::Value(test));
    }
    let turned = every(graph, x, |x| !x.to_bool()) && every(graph, y, |y| y.to_bool());
    turned.then(|| Patch::op(UnaryOp::Not, [test.into()]))
}

/// `y if c else False ⇒ c and y`, `True if c else y ⇒ c or y`; `c` itself is as good as what it is there
fn select_logic(graph: &Graph, node: &Node) -> Option<Patch> {
    let [test, x, y] = args(node, Op::Select)?;
    is_bool(graph, x).then_some(())?;
    if y == test || every(graph, y, |y| !y.to_bool()) {
        return Some(Patch::op(BinaryOp::And, [test.into(), x.into()]));
    }
    (x == test || every(graph, x, |x| x.to_bool())).then(|| Patch::op(BinaryOp::Or, [test.into(), y.into()]))
}

/// `x if not c else y ⇒ y if c else x`
fn select_not(graph: &Graph, node: &Node) -> Option<Patch> {
    let [test, x, y] = args(node, Op::Select)?;
    let [c] = args_of(graph, test, UnaryOp::Not)?;
    Some(Patch::op(Op::Select, [c.into(), y.into(), x.into()]))
}

fn is_bool(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype == DType::Bool
}
