//! Derivatives: adds to a graph what some of its values change by when others do. Reverse mode.
//!
//! The graph is its own record. What flows back is added behind it, in the region that is open: one rule per op, and for
//! each branch, loop and function of the graph another one that goes the other way. There, values of the forward
//! pass are computed again, or, where that is dear and in loops, kept: a loop gets carries that collect them, row
//! by row.
//!
//! Terms. *cotangent*: how much the target changes per change of a value; it has the value's type. *active*: what depends
//! on a source, so that a cotangent is worth computing.

mod activity;
mod adjoint;
mod ask;
mod cond;
mod copy;
mod deferred_products;
mod emit;
mod function;
mod invariants;
mod product_blocks;
mod rematerialize;
mod repeat;
mod residuals;
mod reverse;
mod rules;
mod scope;
mod stop;

use gw_ir::{Builder, NodeId, RegionId, ValueId};

use activity::Activity;
use reverse::Reverse;
use stop::Made;

pub use ask::{Ask, Source};
pub use stop::{Refused, Stop};

/// Adds the cotangents of the sources to the region that is open; none for a source on which no target depends.
///
/// # Errors
/// Fails if a target depends on a source through something that has no derivative here.
pub fn gradient(b: &mut Builder, ask: &Ask<'_>) -> Result<Vec<Option<ValueId>>, Stop> {
    let (open, waiting) = (b.open_regions().to_vec(), b.waiting().len());
    let found = flows(b, ask, &open);
    if found.is_err() {
        b.go_back(open, waiting);
    }
    found
}

fn flows(b: &mut Builder, ask: &Ask<'_>, open: &[RegionId]) -> Made<Vec<Option<ValueId>>> {
    // The host knows in which region each value was made, where a branch or loop is open.
    if let [region] = open {
        invariants::leave_loops(b, *region);
    }
    let listed = |&region| b.graph().regions[region].nodes.clone();
    let nodes: Vec<NodeId> = open.iter().flat_map(listed).collect();
    let mut activity = Activity::new(ask, rules::passes);
    activity.mark(b.graph(), &nodes);
    let mut reverse = Reverse::new(b, activity);
    for &(target, cotangent) in ask.targets {
        reverse.add(target, cotangent)?;
    }
    reverse.nodes(&nodes)?;
    Ok(ask.sources.iter().map(|source| reverse.cotangent(source.value)).collect())
}

#[cfg(test)]
mod tests;
