//! The carries of a loop that are the results of its function when it ends: behind the last turn nobody wants the arguments.

use gw_ir::{Graph, ValueId};

/// The carry that each result is when the loop ends: an argument, or one of those behind the arguments.
pub(super) fn kept(
    graph: &Graph,
    params: &[ValueId],
    results: usize,
    [calls, returns]: [&[&[ValueId]]; 2],
) -> Vec<usize> {
    let mut kept: Vec<Option<usize>> = vec![None; results];
    // An argument that is returned as it is stays where it is, so these choose first.
    for least in [1, 0] {
        for result in 0..results {
            let is_free = |&at: &usize| kept[result].is_none() && !kept.contains(&Some(at));
            let each = (0..params.len()).filter(is_free).filter_map(|at| {
                let count = returned_as(graph, params[at], returns.iter().map(|returned| returned[result]))?;
                let stays = calls.iter().all(|args| args[at] == params[at]);
                (count >= least && !returns.is_empty() && (!stays || count == returns.len()))
                    .then_some((count, at))
            });
            let best = each.max_by_key(|&(count, at)| (count, std::cmp::Reverse(at)));
            kept[result] = kept[result].or(best.map(|(_, at)| at));
        }
    }
    let mut others = params.len()..;
    kept.into_iter().map(|at| at.or_else(|| others.next()).unwrap_or_default()).collect()
}

/// Number of times that a result is the argument itself; nothing if it has another type somewhere.
fn returned_as(graph: &Graph, param: ValueId, returned: impl Iterator<Item = ValueId>) -> Option<usize> {
    let mut count = 0;
    for value in returned {
        count += usize::from(value == param);
        (graph.ty(value) == graph.ty(param)).then_some(())?;
    }
    Some(count)
}
