//! Loops that count their turns for a `RecursionError` ask the host whether to go on by the same count.
//!
//! ```text
//! while (…, n = 0, on = true) { yield on } do { … on = cond … { … check lt n, most  yield true } else { yield false }  m = add n, 1  yield …, m, on }
//! ```
//!
//! The host is asked whenever `n + 1` is a multiple of a power of two. One more than `most` is such a multiple, so that the check
//! needs to be made only there.

use gw_ir::{Attr, BinaryOp, CheckKind, CompareOp, Graph, Node, NodeId, Op, RegionId, ValueDef, ValueId};

use super::integer;
use crate::lower::while_::POLL_EVERY;

/// The carry that counts the turns of a loop, if each turn but the last one checks it.
pub(in crate::lower) fn counts_calls(graph: &Graph, node: &Node) -> Option<usize> {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let ValueDef::Param(of, on) = graph.values[test.results[0]].def else { return None };
    let counts = |&at: &usize| {
        let next = graph.definer(body.results[at]).map(|id| &graph.nodes[id]);
        next.is_some_and(|next| {
            next.op == BinaryOp::Add.into()
                && next.args[0] == body.params[at]
                && integer(graph, next.args[1]) == Some(1)
        }) && checks(graph, node.regions[1], body.params[at], body.results[on])
    };
    (0..body.params.len()).filter(|_| of == node.regions[0]).find(counts)
}

/// True if a region checks a count, or ends the loop.
fn checks(graph: &Graph, region: RegionId, count: ValueId, on: ValueId) -> bool {
    let nodes = &graph.regions[region].nodes;
    let is_check = |&&id: &&NodeId| checked_count(graph, &graph.nodes[id]) == Some(count);
    let checks_in_arms = |&&id: &&NodeId| {
        let node = &graph.nodes[id];
        let on_in = |arm: RegionId| match graph.values[on].def {
            ValueDef::Result(of, at) if of == id => graph.regions[arm].results[at],
            ValueDef::Result(..) | ValueDef::Param(..) => on,
        };
        node.op == Op::Cond && node.regions.iter().all(|&arm| checks(graph, arm, count, on_in(arm)))
    };
    integer(graph, on) == Some(0) || nodes.iter().any(|id| is_check(&id) || checks_in_arms(&id))
}

/// The count of calls that a check holds to be small enough, if it can only fail where the host is asked.
pub(in crate::lower) fn checked_count(graph: &Graph, check: &Node) -> Option<ValueId> {
    let Attr::Check { kind: CheckKind::Recursion, .. } = check.attr else { return None };
    let test = &graph.nodes[graph.definer(check.args[0])?];
    let most = integer(graph, *test.args.get(1)?).filter(|_| test.op == Op::Compare(CompareOp::Lt))?;
    (most > 0 && (most + 1) % POLL_EVERY == 0).then_some(test.args[0])
}
