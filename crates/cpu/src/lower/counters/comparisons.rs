//! Tests taken apart: what holds if a bool does, and the range that a comparison leaves a number.

use gw_ir::{Attr, BinaryOp, CompareOp, Graph, Node, Op, UnaryOp, ValueDef, ValueId};
use gw_types::Scalar;

use crate::loops::{Range, Ty};

/// Range of a number if it does not compare so with a number that is known.
pub(in crate::lower) fn compared_not(graph: &Graph, test: ValueId, of: ValueId) -> Range {
    let all = Range::of(Ty::I64);
    let is = compared(graph, test, of);
    if is.most < all.most {
        Range { least: is.most + 1, ..all }
    } else if is.least > all.least {
        Range { most: is.least - 1, ..all }
    } else {
        all
    }
}

/// Range of a number if it compares so with a number that is known.
pub(in crate::lower) fn compared(graph: &Graph, test: ValueId, of: ValueId) -> Range {
    let all = Range::of(Ty::I64);
    let comparisons = [
        (CompareOp::Lt, -1, true),
        (CompareOp::Le, 0, true),
        (CompareOp::Gt, 1, false),
        (CompareOp::Ge, 0, false),
    ];
    for (op, and, is_most) in comparisons {
        let known = [(op, 0, 1), (op.turned(), 1, 0)].into_iter().find_map(|(op, this, that)| {
            let node = defined_by(graph, test, op).filter(|node| node.args[this] == of)?;
            integer(graph, node.args[that])
        });
        if let Some(known) = known {
            let end = known.saturating_add(and);
            return if is_most { Range { most: end, ..all } } else { Range { least: end, ..all } };
        }
    }
    all
}

/// Tests of more parts are not looked through: what was put together again and again has more than there is time for.
pub(super) const PARTS: usize = 64;

/// Parts of a bool that hold if it does.
pub(in crate::lower) fn all_of(graph: &Graph, test: ValueId) -> impl Iterator<Item = ValueId> {
    let mut left = vec![test];
    std::iter::from_fn(move || {
        let part = left.pop()?;
        left.extend(halves(graph, part).into_iter().flatten());
        Some(part)
    })
    .take(PARTS)
}

/// Both sides of Python's `and`: the second one is computed only where the first holds.
pub(super) fn halves(graph: &Graph, part: ValueId) -> Option<[ValueId; 2]> {
    if let Some(both) = defined_by(graph, part, BinaryOp::And) {
        return Some([both.args[0], both.args[1]]);
    }
    if let Some(choice) = defined_by(graph, part, Op::Select) {
        return (integer(graph, choice.args[2]) == Some(0)).then_some([choice.args[0], choice.args[1]]);
    }
    let ValueDef::Result(id, at) = graph.values[part].def else { return None };
    let node = &graph.nodes[id];
    let &[then, otherwise] = &node.regions[..] else { return None };
    let [given, other] = [then, otherwise].map(|arm| graph.regions[arm].results.get(at).copied());
    let is_and = node.op == Op::Cond && integer(graph, other?) == Some(0);
    is_and.then_some([node.args[0], given?])
}

pub(super) fn is_below(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    limit(graph, test, value).is_some()
}

/// Number that a test asks whether a value is less than.
pub(super) fn limit(graph: &Graph, test: ValueId, value: ValueId) -> Option<ValueId> {
    let (below, above) = (defined_by(graph, test, CompareOp::Lt), defined_by(graph, test, CompareOp::Gt));
    let below = below.filter(|node| node.args[0] == value).map(|node| node.args[1]);
    below.or_else(|| above.filter(|node| node.args[1] == value).map(|node| node.args[0]))
}

pub(super) fn is_not(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    defined_by(graph, test, UnaryOp::Not).is_some_and(|node| node.args[0] == value)
}

pub(super) fn defined_by(graph: &Graph, value: ValueId, op: impl Into<Op>) -> Option<&Node> {
    let op = op.into();
    graph.definer(value).map(|id| &graph.nodes[id]).filter(|node| node.op == op)
}

/// The integer or bool that a value is known to be.
pub(super) fn integer(graph: &Graph, value: ValueId) -> Option<i64> {
    let node = defined_by(graph, value, Op::Const)?;
    let Attr::Literal(literal) = &node.attr else { return None };
    match literal.as_scalar()? {
        scalar @ (Scalar::Int(_) | Scalar::Bool(_)) => Some(scalar.to_i64()),
        Scalar::Nat(_) | Scalar::Float(_) | Scalar::Complex(..) | Scalar::Text(_) => None,
    }
}
