//! Facts about nodes: dead results, exact results, cost.

use gw_ir::{Cost, Exact, Graph, Needs, Node, NodeId, can_fail, every};
use gw_types::{Dim, Kind, Scalar, Shape};

use crate::finite::ends;

/// True if nobody would miss the node if its results are not used: no effects, no failures, no loops that may never end.
pub fn is_removable(graph: &Graph, id: NodeId) -> bool {
    !can_fail(graph, id) && ends(graph, id)
}

/// True if a value that is known to be the same as another can stand where that one stands: each length is the same, or
/// has another variable. A known length does not stand for a variable: what then does not fit would have to be told
/// now, and not when, and only if, the graph gets there.
pub(crate) fn stands_for(given: &Shape, wanted: &Shape) -> bool {
    let axis = |(given, wanted): (&Dim, &Dim)| given.fixed() == wanted.fixed();
    given.rank() == wanted.rank() && given.0.iter().zip(&wanted.0).all(axis)
}

/// True if the op's result is the same on every machine to the last bit, so that it can be computed now. The others are
/// approximate, or add in an order of the backend's.
pub(crate) fn is_exact(graph: &Graph, node: &Node) -> bool {
    match node.op.exact() {
        Exact::Always => true,
        Exact::OfIntegers => node.args.first().is_none_or(|&x| graph.ty(x).dtype.kind() < Kind::Float),
        Exact::Never => false,
    }
}

/// True if the op on scalars takes about a cycle, so that running it for nothing is cheaper than a branch.
pub(crate) fn is_cheap(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let scalar = node.results.iter().chain(&node.args).all(|&v| graph.ty(v).is_scalar());
    scalar && !can_fail(graph, id) && (node.op.cost() == Cost::Cheap || is_cheap_division(graph, node))
}

/// True for a division of integers by a power of two, which is a shift.
fn is_cheap_division(graph: &Graph, node: &Node) -> bool {
    let of_integers = || graph.ty(node.args[0]).dtype.is_int();
    node.op.needs() == Needs::NotZero && of_integers() && every(graph, node.args[1], is_power_of_two)
}

fn is_power_of_two(x: Scalar) -> bool {
    x.to_i64() > 0 && x.to_i64().count_ones() == 1
}
