//! Sums, products, quotients, powers.

use gw_eval::Array;
use gw_ir::{Attr, BinaryOp, Graph, KnownPower, Literal, Node, Op, UnaryOp, ValueId, every, literal};
use gw_types::{DType, Scalar};

use super::rule::{Rule, args, args_of, comparison};
use crate::patch::{Arg, Patch};

const X: &str = "%x: i32[3]";
const F: &str = "%x: f32[3]";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "check-that-holds",
        sample: ("%x: i32[]", "%c = const 7 : i32[] %r = floor_div %x, %c checked : i32[]"),
        run: check_that_holds,
    },
    Rule {
        name: "constant-right",
        sample: (X, "%c = const 2 : i32[] %r = add %c, %x : i32[3]"),
        run: constant_right,
    },
    Rule {
        name: "constant-flips",
        sample: (F, "%c = const 2.0 : f32[] %r = lt %c, %x : bool[3]"),
        run: constant_flips,
    },
    Rule { name: "add-zero", sample: (X, "%c = const 0 : i32[] %r = add %x, %c : i32[3]"), run: add_zero },
    Rule {
        name: "add-minus-zero",
        sample: (F, "%c = const -0.0 : f32[] %r = add %x, %c : f32[3]"),
        run: add_zero,
    },
    Rule { name: "sub-zero", sample: (F, "%c = const 0.0 : f32[] %r = sub %x, %c : f32[3]"), run: sub_zero },
    Rule { name: "mul-one", sample: (F, "%c = const 1.0 : f32[] %r = mul %x, %c : f32[3]"), run: mul_one },
    Rule { name: "div-one", sample: (F, "%c = const 1.0 : f32[] %r = div %x, %c : f32[3]"), run: div_one },
    Rule {
        name: "floor-div-one",
        sample: (X, "%c = const 1 : i32[] %r = floor_div %x, %c : i32[3]"),
        run: floor_div_one,
    },
    Rule { name: "pow-one", sample: (F, "%c = const 1.0 : f32[] %r = pow %x, %c : f32[3]"), run: pow_one },
    Rule { name: "mul-zero", sample: (X, "%c = const 0 : i32[] %r = mul %x, %c : i32[3]"), run: mul_zero },
    Rule { name: "sub-self", sample: (X, "%r = sub %x, %x : i32[3]"), run: sub_self },
    Rule { name: "max-self", sample: (F, "%r = max %x, %x : f32[3]"), run: extreme_of_self },
    Rule { name: "neg-neg", sample: (F, "%y = neg %x : f32[3] %r = neg %y : f32[3]"), run: neg_neg },
    Rule { name: "abs-neg", sample: (F, "%y = neg %x : f32[3] %r = abs %y : f32[3]"), run: abs_neg },
    Rule {
        name: "add-neg",
        sample: ("%x: f32[3], %y: f32[3]", "%z = neg %y : f32[3] %r = add %x, %z : f32[3]"),
        run: add_neg,
    },
    Rule {
        name: "sub-neg",
        sample: ("%x: f32[3], %y: f32[3]", "%z = neg %y : f32[3] %r = sub %x, %z : f32[3]"),
        run: sub_neg,
    },
    Rule {
        name: "sub-constant",
        sample: (X, "%c = const 2 : i32[] %r = sub %x, %c : i32[3]"),
        run: sub_constant,
    },
    Rule {
        name: "mul-minus-one",
        sample: (F, "%c = const -1.0 : f32[] %r = mul %x, %c : f32[3]"),
        run: mul_minus_one,
    },
    Rule { name: "pow-two", sample: (F, "%c = const 2.0 : f32[] %r = pow %x, %c : f32[3]"), run: pow_two },
    Rule {
        name: "pow-two-double",
        sample: ("%x: f64[3]", "%c = const 2.0 : f64[] %r = pow %x, %c : f64[3]"),
        run: pow_two,
    },
    Rule {
        name: "div-power-of-two",
        sample: (F, "%c = const 4.0 : f32[] %r = div %x, %c : f32[3]"),
        run: div_power_of_two,
    },
    Rule {
        name: "add-constants",
        sample: (
            X,
            "%c = const 7 : i32[] %d = const 2147483647 : i32[] %y = add %x, %c : i32[3] %r = add %y, %d : i32[3]",
        ),
        run: join_constants,
    },
    Rule {
        name: "mul-constants",
        sample: (
            X,
            "%c = const 7 : i32[] %d = const -3 : i32[] %y = mul %x, %c : i32[3] %r = mul %y, %d : i32[3]",
        ),
        run: join_constants,
    },
];

/// `x // 7` that fails where its result leaves its type ⇒ `x // 7` that does not: patches are for what cannot fail
fn check_that_holds(_graph: &Graph, node: &Node) -> Option<Patch> {
    (node.attr == Attr::Checked)
        .then(|| Patch::Node(node.op, Attr::None, node.args.iter().map(|&arg| arg.into()).collect()))
}

/// `c + x ⇒ x + c`
fn constant_right(graph: &Graph, node: &Node) -> Option<Patch> {
    let commutes = if let Op::Binary(op) = node.op {
        op.commutes()
    } else {
        comparison(node).is_some_and(|(op, _)| op.is_equality())
    };
    let [c, x] = commutes.then(|| args(node, node.op))??;
    turned(graph, c, x).then(|| Patch::op(node.op, [x.into(), c.into()]))
}

/// `c < x ⇒ x > c`
fn constant_flips(graph: &Graph, node: &Node) -> Option<Patch> {
    let (op, [c, x]) = comparison(node)?;
    (!op.is_equality() && turned(graph, c, x)).then(|| Patch::op(op.turned(), [x.into(), c.into()]))
}

fn turned(graph: &Graph, c: ValueId, x: ValueId) -> bool {
    literal(graph, c).is_some() && literal(graph, x).is_none()
}

/// `x + 0 ⇒ x`, of floats `x + -0.0`: `-0.0 + 0.0` is `0.0`
fn add_zero(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, zero] = args(node, BinaryOp::Add)?;
    every(graph, zero, |c| is(c, -0.0)).then_some(Patch::Value(x))
}

/// `x - 0 ⇒ x`
fn sub_zero(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, zero] = args(node, BinaryOp::Sub)?;
    every(graph, zero, |c| is(c, 0.0)).then_some(Patch::Value(x))
}

/// `x * 1 ⇒ x`
fn mul_one(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, one] = args(node, BinaryOp::Mul)?;
    every(graph, one, |c| is(c, 1.0)).then_some(Patch::Value(x))
}

/// `x / 1 ⇒ x`
fn div_one(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, one] = args(node, BinaryOp::Div)?;
    every(graph, one, |c| is(c, 1.0)).then_some(Patch::Value(x))
}

/// `x // 1 ⇒ x`, integers only
fn floor_div_one(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, one] = args(node, BinaryOp::FloorDiv)?;
    (is_int(graph, x) && every(graph, one, |c| is(c, 1.0))).then_some(Patch::Value(x))
}

/// `x ** 1 ⇒ x`
fn pow_one(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, one] = args(node, BinaryOp::Pow)?;
    every(graph, one, |c| is_power(c, KnownPower::Itself)).then_some(Patch::Value(x))
}

/// `x * 0 ⇒ 0`, integers only
fn mul_zero(graph: &Graph, node: &Node) -> Option<Patch> {
    let [_, zero] = args(node, BinaryOp::Mul)?;
    (is_int(graph, zero) && every(graph, zero, |c| is(c, 0.0))).then_some(())?;
    filled(graph, node, Scalar::Int(0))
}

/// `x - x ⇒ 0`, integers only
fn sub_self(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, y] = args(node, BinaryOp::Sub)?;
    (x == y && is_int(graph, x)).then_some(())?;
    filled(graph, node, Scalar::Int(0))
}

/// `max(x, x) ⇒ x`
fn extreme_of_self(_graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, y] = args(node, BinaryOp::Max).or(args(node, BinaryOp::Min))?;
    (x == y).then_some(Patch::Value(x))
}

/// `-(-x) ⇒ x`
fn neg_neg(graph: &Graph, node: &Node) -> Option<Patch> {
    let [y] = args(node, UnaryOp::Neg)?;
    let [x] = args_of(graph, y, UnaryOp::Neg)?;
    Some(Patch::Value(x))
}

/// `|-x| ⇒ |x|`
fn abs_neg(graph: &Graph, node: &Node) -> Option<Patch> {
    let [y] = args(node, UnaryOp::Abs)?;
    let [x] = args_of(graph, y, UnaryOp::Neg)?;
    // Without a sign `-x` is what `x` lacks of a power of two, and no less than zero.
    (!graph.ty(x).dtype.is_unsigned()).then(|| Patch::op(UnaryOp::Abs, [x.into()]))
}

/// `x + -y ⇒ x - y`
fn add_neg(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, z] = args(node, BinaryOp::Add)?;
    let [y] = args_of(graph, z, UnaryOp::Neg)?;
    Some(Patch::op(BinaryOp::Sub, [x.into(), y.into()]))
}

/// `x - -y ⇒ x + y`
fn sub_neg(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, z] = args(node, BinaryOp::Sub)?;
    let [y] = args_of(graph, z, UnaryOp::Neg)?;
    Some(Patch::op(BinaryOp::Add, [x.into(), y.into()]))
}

/// `x - 2 ⇒ x + -2`, integers only: sums of constants meet
fn sub_constant(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, c] = args(node, BinaryOp::Sub)?;
    (is_int(graph, x) && literal(graph, x).is_none()).then_some(())?;
    let negative =
        gw_eval::apply(UnaryOp::Neg.into(), &Attr::None, &[&Array::from(literal(graph, c)?)]).ok()?;
    Some(Patch::op(BinaryOp::Add, [x.into(), Arg::Literal(negative.to_literal())]))
}

/// `x * -1 ⇒ -x`
fn mul_minus_one(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, c] = args(node, BinaryOp::Mul)?;
    every(graph, c, |c| is(c, -1.0)).then(|| Patch::op(UnaryOp::Neg, [x.into()]))
}

/// `x ** 2 ⇒ x * x`
fn pow_two(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, two] = args(node, BinaryOp::Pow)?;
    every(graph, two, |c| is_power(c, KnownPower::Square))
        .then(|| Patch::op(BinaryOp::Mul, [x.into(), x.into()]))
}

/// True of an exponent by which a power has this way.
fn is_power(exponent: Scalar, way: KnownPower) -> bool {
    KnownPower::of(exponent.to_f64()) == Some(way)
}

/// `x / 4 ⇒ x * 0.25`: both are exact
fn div_power_of_two(graph: &Graph, node: &Node) -> Option<Patch> {
    let [x, c] = args(node, BinaryOp::Div)?;
    let dtype = graph.ty(c).dtype;
    let c = literal(graph, c)?;
    if dtype.is_complex() || !c.scalars().all(|c| has_exact_reciprocal(dtype, c.to_f64())) {
        return None;
    }
    let scalars: Vec<_> = c.scalars().map(|c| Scalar::Float(1.0 / c.to_f64())).collect();
    let reciprocal = Literal::from_scalars(dtype, c.lengths().to_vec(), &scalars);
    Some(Patch::op(BinaryOp::Mul, [x.into(), Arg::Literal(reciprocal)]))
}

/// A power of two, of which the reciprocal is no subnormal number either.
fn has_exact_reciprocal(dtype: DType, c: f64) -> bool {
    let bits = c.to_bits();
    let range = match (dtype, dtype.size()) {
        (DType::F16, _) => 14,
        (_, 8) => 1022,
        (_, _) => 126,
    };
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1023;
    bits << 12 == 0 && (-range..=range).contains(&exponent)
}

/// `(x + 1) + 2 ⇒ x + 3`, integers only; and so for products
fn join_constants(graph: &Graph, node: &Node) -> Option<Patch> {
    let [y, d] = args(node, BinaryOp::Add).or(args(node, BinaryOp::Mul))?;
    let [x, c] = args_of(graph, y, node.op)?;
    let operands = [literal(graph, c)?, literal(graph, d)?].map(Array::from);
    if !is_int(graph, x) || !operands.iter().all(|operand| operand.lengths.is_empty()) {
        return None;
    }
    let joined = gw_eval::apply(node.op, &Attr::None, &operands.each_ref()).ok()?;
    Some(Patch::op(node.op, [x.into(), Arg::Literal(joined.to_literal())]))
}

/// True if an element is this number; of floats the sign of zero matters.
fn is(c: Scalar, number: f64) -> bool {
    match c {
        Scalar::Float(c) => c.to_bits() == number.to_bits(),
        Scalar::Int(_) | Scalar::Nat(_) | Scalar::Bool(_) => c.to_f64() == number,
        // A part that is zero counts where the other is infinite.
        Scalar::Complex(..) | Scalar::Text(_) => false,
    }
}

fn is_int(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype.is_int()
}

/// A constant of the node's type, if it is small.
pub(super) fn filled(graph: &Graph, node: &Node, element: Scalar) -> Option<Patch> {
    let ty = graph.ty(node.results[0]);
    let lengths = ty.shape.lengths()?;
    let size = ty.shape.size().filter(|&size| size <= 16)?;
    Some(Patch::Literal(Literal::from_scalars(ty.dtype, lengths, &vec![element; size])))
}
