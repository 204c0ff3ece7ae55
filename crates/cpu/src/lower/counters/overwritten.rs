//! Arrays of which a loop writes each element: of their first values nothing is left behind it.
//!
//! ```text
//! while (i = 0, x = …, on = true) { yield on } do { …  y = put x, … at=[i]   j = add i, 1   …  yield j, y, lt j, 1000 }
//! ```

use gw_ir::{Attr, BinaryOp, Graph, Keep, Node, Op, Place, ValueId};
use gw_types::{DType, Dim};

use super::comparisons::{defined_by, integer, limit};

/// True if a `while` reads no element of a carry, at this position, and stores into each of them.
pub(in crate::lower) fn is_overwritten(graph: &Graph, node: &Node, at: usize) -> bool {
    stored(graph, node, at).is_some_and(|values| values.iter().all(|&value| is_used_once(graph, value)))
}

/// The carry and the array that a store makes of it, if the turns of the loop store into one element after the other, into all of them.
fn stored(graph: &Graph, node: &Node, at: usize) -> Option<[ValueId; 2]> {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let &[Dim::Fixed(length)] = &graph.ty(node.args[at]).shape.0[..] else { return None };
    let (param, next) = (body.params[at], body.results[at]);
    let store = defined_by(graph, next, Op::Put).filter(|store| store.args[0] == param)?;
    let Attr::Places { places, keep: Keep::Last } = &store.attr else { return None };
    let &[Place::At(place)] = &places[..] else { return None };
    let index = counted(graph, store.args[place], length);
    let counter = body.params.iter().position(|&param| param == index)?;
    let counts_up = integer(graph, node.args[counter]) == Some(0)
        && defined_by(graph, body.results[counter], BinaryOp::Add)
            .is_some_and(|sum| sum.args[0] == index && integer(graph, sum.args[1]) == Some(1));
    let on = test.params.iter().position(|&param| param == test.results[0])?;
    let end = integer(graph, limit(graph, body.results[on], body.results[counter])?)?;
    let all = integer(graph, node.args[on]) == Some(1) && usize::try_from(end) == Ok(length);
    let is_element = graph.ty(store.args[1]).is_scalar();
    (counts_up && all && is_element && test.nodes.is_empty()).then_some([param, next])
}

/// The number that an index is, where it is cast to a type that has all positions of an axis.
fn counted(graph: &Graph, mut index: ValueId, length: usize) -> ValueId {
    while i32::try_from(length).is_ok()
        && let Some(cast) = defined_by(graph, index, Op::Cast)
        && [index, cast.args[0]].iter().all(|&value| matches!(graph.ty(value).dtype, DType::I32 | DType::I64))
    {
        index = cast.args[0];
    }
    index
}

/// True if one node reads a value, or one region yields it.
fn is_used_once(graph: &Graph, value: ValueId) -> bool {
    let read = graph.nodes.iter().flat_map(|(_, node)| &node.args);
    let yielded = graph.regions.iter().flat_map(|(_, region)| &region.results);
    read.chain(yielded).filter(|&&used| used == value).count() == 1
}
