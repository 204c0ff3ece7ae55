//! Loops that count their turns for a `RecursionError` ask the host whether to go on by the same count.
//!
//! ```text
//! while (…, n = 0, on = true) { yield on } do { … cond … { … check lt n, most  m = add n, 1  yield …, m, true } else { yield …, n, false } }
//! ```
//!
//! The host is asked whenever `n + 1` is a multiple of a power of two. One more than `most` is such a multiple, so that the check
//! needs to be made only there.

use gw_ir::{Attr, BinaryOp, CheckKind, CompareOp, Graph, Node, Op, RegionId, ValueDef, ValueId};

use super::integer;
use crate::lower::while_::POLL_EVERY;

/// The carry that counts the turns of a loop, if each turn but the last one checks it.
pub(in crate::lower) fn counts_calls(graph: &Graph, node: &Node) -> Option<usize> {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let ValueDef::Param(_, on) = graph.values[test.results[0]].def else { return None };
    let counts = |&at: &usize| {
        test.params.get(on) == Some(&test.results[0])
            && counts(graph, node.regions[1], body.params[at], [body.results[at], body.results[on]])
    };
    (0..body.params.len()).find(counts)
}

/// True if a region checks a count and gives one more, or ends the loop.
fn counts(graph: &Graph, region: RegionId, count: ValueId, [next, on]: [ValueId; 2]) -> bool {
    if integer(graph, on) == Some(0) {
        return true;
    }
    let nodes = &graph.regions[region].nodes;
    let ValueDef::Result(id, at) = graph.values[next].def else { return false };
    let node = &graph.nodes[id];
    if node.op == Op::Cond && nodes.contains(&id) {
        let on_in = |arm: RegionId| match graph.values[on].def {
            ValueDef::Result(of, at) if of == id => graph.regions[arm].results[at],
            ValueDef::Result(..) | ValueDef::Param(..) => on,
        };
        let mut arms = node.regions.iter();
        return arms.all(|&arm| counts(graph, arm, count, [graph.regions[arm].results[at], on_in(arm)]));
    }
    node.op == BinaryOp::Add.into()
        && node.args[0] == count
        && integer(graph, node.args[1]) == Some(1)
        && nodes.iter().any(|&id| checked_count(graph, &graph.nodes[id]) == Some(count))
}

/// The count of calls that a check holds to be small enough, if it can only fail where the host is asked.
pub(in crate::lower) fn checked_count(graph: &Graph, check: &Node) -> Option<ValueId> {
    let Attr::Check { kind: CheckKind::Recursion, .. } = check.attr else { return None };
    let test = &graph.nodes[graph.definer(check.args[0])?];
    let most = integer(graph, *test.args.get(1)?).filter(|_| test.op == Op::Compare(CompareOp::Lt))?;
    (most > 0 && (most + 1) % POLL_EVERY == 0).then_some(test.args[0])
}
