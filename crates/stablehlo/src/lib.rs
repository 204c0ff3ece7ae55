//! Graph to StableHLO: the text of a module whose `@main` is the graph, for arguments of known lengths.
//!
//! Data's way: graph → `rows` (is each op listed?) → `lowering` (region by region, op by op) → text. Lengths that the graph
//! leaves open are those of the arguments, and what follows from them is computed here.
//!
//! Terms. *site*: an op that may fail. *status*: the number of the site that failed first, 0 while none has; it is threaded
//! through regions as any other value, and is the last result of `@main`. *item*: a value of the text. *known*: an integer
//! that follows from the lengths alone.

mod arithmetic;
mod calls;
mod casts;
mod checked;
mod constant;
mod contract;
mod control;
mod division;
mod elementwise;
mod exits;
mod functions;
mod items;
mod known;
mod lowering;
mod may_fail;
mod module;
mod moves;
mod node;
mod positions;
mod power;
mod put;
mod random;
mod reduce;
mod refused;
mod repeat;
mod rows;
mod slices;
mod sort;
mod threads;
mod unrolled;
mod writer;

use gw_ir::Graph;

use lowering::Lowering;
pub use module::{Module, Site};
pub use refused::Refused;

/// The module of a legal graph for arguments of these lengths, one row per parameter.
///
/// # Errors
/// The first op that StableHLO, or this lowering, has no words for; or lengths that do not fit.
pub fn lower(graph: &Graph, lengths: &[Vec<usize>]) -> Result<Module, Refused> {
    judge(graph)?;
    Lowering::new(&graph.in_registers(), node::write).module(lengths)
}

/// An error if the graph has an op that no lengths make expressible.
///
/// # Errors
/// The first such op.
pub fn judge(graph: &Graph) -> Result<(), Refused> {
    if graph.values.iter().any(|(_, value)| value.ty.dtype.is_complex()) {
        return Err(Refused::new(rows::COMPLEX));
    }
    judge_checks(graph)?;
    rows::judge(graph)
}

#[cfg(test)]
mod tests;

/// An error if narrow integers are checked for overflow: the text has no check of their ends.
fn judge_checks(graph: &Graph) -> Result<(), Refused> {
    let is_narrow = |&value: &gw_ir::ValueId| {
        let dtype = graph.ty(value).dtype;
        dtype.is_int() && dtype.register() != dtype
    };
    let narrow = graph.nodes.iter().filter(|(_, node)| node.checked().is_some());
    let narrow =
        narrow.flat_map(|(_, node)| node.args.iter().chain(&node.results)).find(|&value| is_narrow(value));
    narrow.map_or(Ok(()), |&value| {
        let dtype = graph.ty(value).dtype.python_name();
        Err(Refused::new(format!(
            "arithmetic of `{dtype}` that is checked for overflow has no form in StableHLO"
        )))
    })
}
