//! Origins of values: arrays, of whose elements a single number may be computed, and numbers that the host's library of arrays gave.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use gw_ir::{Builder, Graph, Node, ValueDef, ValueId};

use crate::Trace;

/// Gives the values of which a result of a node with blocks is computed.
type Through<'a> = &'a dyn Fn(&Graph, &Node, usize) -> Vec<ValueId>;

/// The most operations that are looked at where each branch asks.
const MOST_STEPS: usize = 64;

fn through_blocks(graph: &Graph, node: &Node, at: usize) -> Vec<ValueId> {
    // Results of a branch on a bool may be this bool, which is known there.
    let given = node.args.get(at).or(node.args.first());
    // The test of a loop gives one value, which is none of the loop's.
    let blocks = node.regions.iter().map(|&region| &graph.regions[region].results);
    let blocks = blocks.filter(|results| results.len() == node.results.len());
    given.into_iter().chain(blocks.filter_map(|results| results.get(at))).copied().collect()
}

impl Trace {
    /// True if a value is computed of elements of arrays, by operations without blocks.
    pub fn is_of_arrays(&self, value: ValueId) -> bool {
        self.reaches_array(value, &|_, _, _| Vec::new(), usize::MAX)
    }

    /// True if a value may be computed of elements of arrays: as [`Trace::is_of_arrays`], through blocks too.
    pub fn may_be_of_arrays(&self, value: ValueId) -> bool {
        self.reaches_array(value, &through_blocks, usize::MAX)
    }

    /// The same for as many steps as each branch may take: true if it is not known then.
    pub(crate) fn seems_of_arrays(&self, value: ValueId) -> bool {
        self.reaches_array(value, &through_blocks, MOST_STEPS)
    }

    /// Says that a parameter is a single number of the host's library of arrays.
    pub fn set_given(&self, value: ValueId) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(value);
    }

    /// True if a value may be computed of such a number.
    pub fn may_be_of_given(&self, value: ValueId) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        self.reaches(value, &through_blocks, usize::MAX, &|_, value| given.contains(&value))
    }

    /// True if a value with axes is among those that a value is computed of, or if there are more of them than `most`; `through`
    /// gives those of a result of a node with blocks.
    fn reaches_array(&self, value: ValueId, through: Through<'_>, most: usize) -> bool {
        self.reaches(value, through, most, &|b, value| !b.ty(value).is_scalar())
    }

    fn reaches(
        &self,
        value: ValueId,
        through: Through<'_>,
        most: usize,
        is_one: &dyn Fn(&Builder, ValueId) -> bool,
    ) -> bool {
        let found = |b: &Builder| {
            let graph = b.graph();
            let (mut waiting, mut seen) = (vec![value], BTreeSet::new());
            while let Some(value) = waiting.pop() {
                if is_one(b, value) || seen.len() > most {
                    return true;
                }
                if let ValueDef::Result(node, at) = graph.values[value].def
                    && !b.is_pythons(value)
                    && seen.insert((node, at))
                {
                    let node = &graph.nodes[node];
                    match node.regions.is_empty() {
                        true => waiting.extend(&node.args),
                        false => waiting.extend(through(graph, node, at)),
                    }
                }
            }
            false
        };
        self.build(|b| found(b))
    }
}
