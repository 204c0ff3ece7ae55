//! Regions that may fail or be left: they thread the status, and the values of a `leave`.

use gw_ir::{ArgOp, Attr, BinaryOp, FunctionId, Graph, Node, Op, Place, RegionId, ValueId};

/// True if something in a region, or in what it calls, may fail.
pub(crate) fn fails(graph: &Graph, id: RegionId) -> bool {
    in_region(graph, id, &mut Vec::new())
}

/// True if a region may be left by a `leave`.
pub(crate) fn leaves(graph: &Graph, id: RegionId) -> bool {
    let is_left = |node: &Node| {
        let inside = || node.regions.iter().any(|&inner| leaves(graph, inner));
        node.op == Op::Leave || node.op != Op::Try && inside()
    };
    graph.regions[id].nodes.iter().any(|&node| is_left(&graph.nodes[node]))
}

fn in_region(graph: &Graph, id: RegionId, met: &mut Vec<FunctionId>) -> bool {
    graph.regions[id].nodes.iter().any(|&node| in_node(graph, &graph.nodes[node], met))
}

fn in_node(graph: &Graph, node: &Node, met: &mut Vec<FunctionId>) -> bool {
    let mut called = false;
    if let Attr::Function(function) = node.attr
        && !met.contains(&function)
    {
        met.push(function);
        called = in_region(graph, graph.functions[function].body, met);
    }
    called || by_itself(graph, node) || node.regions.iter().any(|&inner| in_region(graph, inner, met))
}

fn by_itself(graph: &Graph, node: &Node) -> bool {
    let is_int = || node.args.first().is_some_and(|&x| graph.ty(x).dtype.is_int());
    let second = node.args.get(1).and_then(|&y| literal(graph, y));
    if let Attr::Places { places, .. } = &node.attr {
        return places.iter().any(|place| matches!(place, Place::At(_)));
    }
    if node.op == Op::Binary(BinaryOp::FloorDiv) || node.op == Op::Binary(BinaryOp::Mod) {
        let least = node.checked().is_some() && second == Some(-1);
        return is_int() && (least || second.is_none_or(|y| y == 0));
    }
    if node.checked().is_some() {
        return true;
    }
    if [Op::Binary(BinaryOp::Pow), Op::Binary(BinaryOp::Shl), Op::Binary(BinaryOp::Shr)].contains(&node.op) {
        return is_int() && second.is_none_or(|y| y < 0);
    }
    [Op::Check, Op::Index, Op::Gather, Op::Arg(ArgOp::Max), Op::Arg(ArgOp::Min)].contains(&node.op)
}

/// The integer that a value is written as.
fn literal(graph: &Graph, value: ValueId) -> Option<i64> {
    let Attr::Literal(literal) = &graph.nodes[graph.definer(value)?].attr else { return None };
    literal.as_scalar().filter(|_| literal.dtype().is_int()).map(|value| value.to_i64())
}
