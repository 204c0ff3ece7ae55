//! The element of an operand that each element of a result is, found by moving numbered elements.

use gw_eval::Array;
use gw_ir::{Attr, Class, DimArg, Graph, Node, Op, ValueId, literal};
use gw_types::{DType, Scalar};

/// Arrays of more elements stay.
pub(super) const LARGEST: usize = 16;

/// The number of a value's elements.
pub(super) fn size(graph: &Graph, value: ValueId) -> usize {
    graph.ty(value).shape.size().unwrap_or_default()
}

/// The number of a node's operands whose elements the result has; the others say where they go.
pub(super) fn count(node: &Node) -> usize {
    if node.op == Op::Concat { node.args.len() } else { 1 + usize::from(node.op == Op::Put) }
}

/// For each element of what a move gives its operand, and the element's number there; `None` where they are known only when it runs.
pub(super) fn moved(graph: &Graph, node: &Node) -> Option<Vec<(usize, usize)>> {
    if node.op.class() != Class::Move || node.op == Op::Sort || !keeps_the_last(node) {
        return None;
    }
    let mut numbers = Vec::new();
    let mut operands = Vec::new();
    for (operand, &arg) in node.args.iter().enumerate() {
        if operand >= count(node) {
            operands.push(Array::from(literal(graph, arg)?));
            continue;
        }
        let lengths = graph.ty(arg).shape.lengths()?;
        let size = gw_types::count(&lengths);
        if size > LARGEST {
            return None;
        }
        let first = numbers.len();
        numbers.extend((0..size).map(|element| (operand, element)));
        operands.push(numbered(lengths, first));
    }
    let moved = gw_eval::apply(node.op, &node.attr, &operands.iter().collect::<Vec<_>>()).ok()?;
    Some(moved.elements.iter().map(|number| numbers[number.to_i64() as usize]).collect())
}

/// For each element of a result the number of the element that an operand has there, which is stretched to the result's lengths.
pub(super) fn stretched(operand: &[usize], result: &[usize]) -> Vec<usize> {
    let dims = Attr::Dims(result.iter().map(|&length| DimArg::Fixed(length)).collect());
    let numbers = gw_eval::apply(Op::Broadcast, &dims, &[&numbered(operand.to_vec(), 0)]);
    numbers
        .map_or_else(|_| Vec::new(), |moved| moved.elements.iter().map(|at| at.to_i64() as usize).collect())
}

/// True unless a store combines elements.
fn keeps_the_last(node: &Node) -> bool {
    let Attr::Places { keep, .. } = &node.attr else { return true };
    *keep == gw_ir::Keep::Last
}

fn numbered(lengths: Vec<usize>, first: usize) -> Array {
    let size = gw_types::count(&lengths);
    Array::new(DType::I64, lengths, (first..first + size).map(|number| Scalar::Int(number as i64)))
}
