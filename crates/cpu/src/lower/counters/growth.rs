//! Growth of a number that a loop carries: from natural numbers to natural ones, by small steps, in one direction.

use gw_ir::{Attr, BinaryOp, Graph, Node, Op, ValueDef, ValueId};

use gw_types::DType;

use super::CHOICES;
use super::comparisons::integer;
use crate::loops::Range;

/// So many nodes are looked at to find that a number is natural.
pub(super) const STEPS: usize = 64;

/// True if a `while` carries natural numbers at this position if it begins with one: what is added and multiplied is checked.
pub(super) fn stays_natural(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    let all = graph.ty(body.params[at]).dtype.is_int() && graph.ty(body.params[at]).is_scalar();
    all && is_natural(graph, body.results[at], &mut vec![body.params[at]], &mut { STEPS })
}

/// True if a number is not negative if some others are not.
pub(super) fn is_natural(graph: &Graph, value: ValueId, of: &mut Vec<ValueId>, steps: &mut usize) -> bool {
    if of.contains(&value) {
        return true;
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return false };
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    let node = &graph.nodes[id];
    if node.op == Op::Const {
        return integer(graph, value).is_some_and(|number| number >= 0);
    }
    if node.op == Op::While {
        let body = &graph.regions[node.regions[1]];
        let begins = is_natural(graph, node.args[at], of, steps);
        of.push(body.params[at]);
        return begins && is_natural(graph, body.results[at], of, steps);
    }
    let parts = if node.op == Op::Cond {
        node.regions.iter().map(|&arm| graph.regions[arm].results[at]).collect()
    } else if node.op == Op::Select {
        node.args[1..].to_vec()
    } else if let Op::Binary(op) = node.op {
        let Some(parts) = naturals_of(op, node.attr == Attr::Checked) else { return false };
        node.args[parts].to_vec()
    } else {
        return node.op == Op::Dim;
    };
    parts.into_iter().all(|part| is_natural(graph, part, of, steps))
}

/// The operands of an op that give a number not below zero where they are none; an op that wraps may give any number.
pub(super) fn naturals_of(op: BinaryOp, checked: bool) -> Option<std::ops::Range<usize>> {
    match op {
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::Pow | BinaryOp::Shl => checked.then_some(0..2),
        BinaryOp::FloorDiv | BinaryOp::Max | BinaryOp::Min => Some(0..2),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Some(0..2),
        BinaryOp::Mod => Some(1..2),
        BinaryOp::Shr => Some(0..1),
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Atan2 | BinaryOp::RandomBits => None,
    }
}

/// A step of a number that drifts adds at most so much.
pub(super) const SMALL: i64 = 8;

/// Range of a step, if it is small: a number that is known, a bool as one, or a choice of such.
pub(super) fn small_step(graph: &Graph, value: ValueId, choices: usize) -> Option<Range> {
    if let Some(step) = integer(graph, value) {
        return (step.unsigned_abs() <= SMALL as u64).then_some(Range::one(step));
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return None };
    let node = &graph.nodes[id];
    if node.op == Op::Cast && graph.ty(node.args[0]).dtype == DType::Bool {
        return Some(Range { least: 0, most: 1 });
    }
    let fewer = choices.checked_sub(1)?;
    let given = if node.op == Op::Select {
        [node.args[1], node.args[2]]
    } else if node.op == Op::Cond {
        [0, 1].map(|arm| graph.regions[node.regions[arm]].results[at])
    } else {
        return None;
    };
    let [one, other] = given.map(|value| small_step(graph, value, fewer));
    Some(one?.or(other?))
}

/// Distance that a number covers by such steps: 2^55 of the largest take a machine months.
pub(super) const DRIFT: i64 = 1 << 58;

/// A number of at most this size is farther than that from the ends of its type.
pub(super) const FAR: i64 = 1 << 62;

/// True if a `while` only adds small numbers to what it carries at this position, however often, or begins anew with such.
pub(super) fn drifts(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    is_near(graph, body.results[at], &[body.params[at]], CHOICES)
}

/// True if a number is one of some, or was made of one of them by small steps.
pub(super) fn is_near(graph: &Graph, value: ValueId, of: &[ValueId], choices: usize) -> bool {
    let is_small = |value: ValueId| small_step(graph, value, CHOICES).is_some();
    if of.contains(&value) || is_small(value) {
        return true;
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return false };
    let node = &graph.nodes[id];
    let near = |value: ValueId| is_near(graph, value, of, choices);
    if let (Op::Binary(BinaryOp::Add | BinaryOp::Sub), &[x, y]) = (node.op, &node.args[..]) {
        return near(x) && is_small(y) || node.op == BinaryOp::Add.into() && is_small(x) && near(y);
    }
    let Some(choices) = choices.checked_sub(1) else { return false };
    let near = |value: ValueId| is_near(graph, value, of, choices);
    if node.op == Op::Select {
        node.args[1..].iter().all(|&value| near(value))
    } else if node.op == Op::Cond {
        node.regions.iter().all(|&arm| near(graph.regions[arm].results[at]))
    } else if node.op == Op::While {
        let body = &graph.regions[node.regions[1]];
        let inside = [of, &[body.params[at]]].concat();
        near(node.args[at]) && is_near(graph, body.results[at], &inside, choices)
    } else {
        false
    }
}

/// True if a 64-bit number is the one that is carried or was made of it by small steps in one direction, `down` or up: so it is never on
/// the other side of the first one.
pub(super) fn goes_one_way(
    graph: &Graph,
    value: ValueId,
    carried: ValueId,
    down: bool,
    choices: usize,
) -> bool {
    if value == carried {
        return true;
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return false };
    let node = &graph.nodes[id];
    let step = |value: ValueId, sign: i64| {
        let step = small_step(graph, value, CHOICES);
        step.is_some_and(|Range { least, most }| if down == (sign > 0) { most <= 0 } else { least >= 0 })
    };
    let Some(fewer) = choices.checked_sub(1) else { return false };
    let goes = |value: ValueId| goes_one_way(graph, value, carried, down, fewer);
    if let (Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub)), &[x, y]) = (node.op, &node.args[..]) {
        let sign = if op == BinaryOp::Add { 1 } else { -1 };
        return step(y, sign) && goes(x) || op == BinaryOp::Add && step(x, 1) && goes(y);
    }
    if node.op == Op::Select {
        node.args[1..].iter().all(|&value| goes(value))
    } else if node.op == Op::Cond {
        node.regions.iter().all(|&arm| goes(graph.regions[arm].results[at]))
    } else {
        false
    }
}
