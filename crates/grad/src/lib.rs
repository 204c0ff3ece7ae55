//! Derivatives: adds to a graph what some of its values change by when others do. Reverse mode.
//!
//! The graph is its own record. What flows back is added behind it, in the region that is open: one rule per op, and for
//! each branch, loop and function of the graph another one that goes the other way. There, values of the way forth are
//! computed again, or, where that is dear and in loops, kept: a loop gets carries that collect them, row by row.
//!
//! Terms. *cotangent*: how much the target changes per change of a value; it has the value's type. *active*: what depends
//! on a source, so that a cotangent is worth computing.

mod activity;
mod again;
mod cond;
mod copy;
mod emit;
mod function;
mod keep;
mod later;
mod repeat;
mod reverse;
mod rules;
mod scope;

use gw_base::{Code, Loc};
use gw_ir::{Builder, NodeId, RegionId, Unfit, ValueId};

use activity::Activity;
use reverse::Reverse;

/// What a derivative is asked of.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// What changes, each with its cotangent, of the same type.
    pub targets: &'a [(ValueId, ValueId)],
    /// By what.
    pub sources: &'a [Source],
    /// Which nodes count; a result of any other does not change.
    pub recorded: &'a dyn Fn(NodeId) -> bool,
}

/// A value by which something is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Which.
    pub value: ValueId,
    /// What used it before this node does not count.
    pub since: NodeId,
}

/// Why there is no derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program is such that we have none.
    Refused(Refused),
    /// A rule of ours made what is not legal.
    Broken(Unfit),
}

/// Something in the program that no derivative goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which diagnostic says so.
    pub code: Code,
    /// What it is, in the user's words.
    pub what: &'static str,
    /// Where in the user's text.
    pub at: Option<Loc>,
}

impl From<Unfit> for Stop {
    fn from(unfit: Unfit) -> Self {
        Stop::Broken(unfit)
    }
}

pub(crate) type Made<T> = Result<T, Stop>;

/// Adds the cotangents of the sources to the region that is open; none for a source on which no target depends.
///
/// # Errors
/// Where a target depends on a source through something that has no derivative here.
pub fn gradient(b: &mut Builder, ask: &Ask<'_>) -> Result<Vec<Option<ValueId>>, Stop> {
    let (open, waiting) = (b.open_regions().to_vec(), b.waiting().len());
    let found = flows(b, ask, &open);
    if found.is_err() {
        b.go_back(open, waiting);
    }
    found
}

fn flows(b: &mut Builder, ask: &Ask<'_>, open: &[RegionId]) -> Made<Vec<Option<ValueId>>> {
    let listed = |&region| b.graph().regions[region].nodes.clone();
    let nodes: Vec<NodeId> = open.iter().flat_map(listed).collect();
    let mut activity = Activity::new(ask);
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
