//! The tests with which a function begins, if it returns where one of them holds and calls itself where none does: these say before
//! each turn of the loop whether there is one, as the test of a `while` does.

use rustc_hash::FxHashSet;

use gw_ir::{Graph, NodeId, Op, RegionId, ValueId};
use gw_types::{DType, TensorType};

use super::ends::Ends;
use crate::facts::{is_cheap, is_removable};

/// One test, and what is done where it ends the function.
pub(super) struct Test {
    /// Nodes that are computed before it, behind the test before this one.
    pub(super) nodes: Vec<NodeId>,
    pub(super) branch: NodeId,
    pub(super) test: ValueId,
    /// True if the function returns where the test holds.
    pub(super) returns_if: bool,
    /// The region that returns, with what it returns.
    pub(super) end: RegionId,
    pub(super) returned: Vec<ValueId>,
    /// The other one.
    pub(super) goes_on: RegionId,
}

/// The tests of a function with these ends, with the ends behind them; nothing if it may return elsewhere, or if the tests would have
/// to be made twice in each turn.
pub(super) fn tests<'a>(graph: &Graph, body: RegionId, ends: &'a Ends) -> Option<(Vec<Test>, &'a Ends)> {
    let (mut region, mut ends, mut found) = (body, ends, Vec::new());
    while ends.returns() {
        let Ends::Branch(branch, arms) = ends else { return None };
        let (nodes, node) = (&graph.regions[region].nodes, &graph.nodes[*branch]);
        let returns = [0, 1].map(|arm| matches!(arms[arm], Ends::Return(_)));
        let arm = usize::from(!returns[0]);
        let (Ends::Return(returned), true) = (&arms[arm], returns[0] != returns[1]) else { return None };
        let test = Test {
            nodes: nodes[..nodes.len() - 1].to_vec(),
            branch: *branch,
            test: node.args[0],
            returns_if: arm == 0,
            end: node.regions[arm],
            returned: returned.clone(),
            goes_on: node.regions[1 - arm],
        };
        test.nodes.iter().all(|&id| is_plain(graph, id)).then_some(())?;
        (region, ends) = (test.goes_on, &arms[1 - arm]);
        found.push(test);
    }
    let is_sound = !found.is_empty() && are_cheap(graph, &found, region);
    (is_sound && is_worth(graph, body, &found)).then_some((found, ends))
}

/// True if the turns of the loop might be countable, or arrays would be chosen at its end. Otherwise branches by several tests, one
/// after the other, take less time than all tests together.
fn is_worth(graph: &Graph, body: RegionId, tests: &[Test]) -> bool {
    let is_count = |&value: &ValueId| *graph.ty(value) == TensorType::scalar(DType::I64);
    let counts = |test: &Test| {
        let node = graph.definer(test.test).map(|id| &graph.nodes[id]);
        node.is_some_and(|node| matches!(node.op, Op::Compare(_)) && node.args.iter().any(is_count))
    };
    let body = &graph.regions[body];
    let mut values = body.params.iter().chain(&body.results);
    tests.len() == 1 || values.any(|&value| !graph.ty(value).is_scalar()) || tests.iter().any(counts)
}

/// True if nobody notices how often a node runs.
fn is_plain(graph: &Graph, id: NodeId) -> bool {
    graph.nodes[id].regions.is_empty() && is_removable(graph, id)
}

/// True if all that the tests compute for a turn, or for what is returned, is cheap: it is computed for the tests once more.
fn are_cheap(graph: &Graph, tests: &[Test], rest: RegionId) -> bool {
    let mut used = FxHashSet::default();
    uses(graph, rest, &mut used);
    for test in tests {
        uses(graph, test.end, &mut used);
        used.extend(&test.returned);
    }
    tests.iter().flat_map(|test| &test.nodes).rev().all(|&id| {
        let node = &graph.nodes[id];
        let is_used = node.results.iter().any(|result| used.contains(result));
        if is_used {
            used.extend(&node.args);
        }
        !is_used || node.op == Op::Const || is_cheap(graph, id)
    })
}

/// The values that a region uses.
fn uses(graph: &Graph, region: RegionId, used: &mut FxHashSet<ValueId>) {
    let region = &graph.regions[region];
    used.extend(&region.results);
    for node in region.nodes.iter().map(|&id| &graph.nodes[id]) {
        used.extend(&node.args);
        node.regions.iter().for_each(|&inner| uses(graph, inner, used));
    }
}
