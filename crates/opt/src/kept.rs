//! An array that a loop carries, and that one branch keeps and another replaces, is stored into as a whole: `while t: x = y if c else x` ⇒
//! `while t: x = put x, y at=[:] if c else x`. Then the carry has one place for all iterations, and what keeps it costs nothing.

use gw_ir::{Attr, AxisSlice, Graph, Keep, Node, NodeId, Op, Place, RegionId, Value, ValueDef, ValueId};

pub(crate) fn run(graph: &mut Graph) {
    let loops: Vec<NodeId> = graph.nodes.ids().filter(|&id| graph.nodes[id].op == Op::While).collect();
    for id in loops {
        let body = graph.nodes[id].regions[1];
        for at in 0..graph.regions[body].params.len() {
            let param = graph.regions[body].params[at];
            if graph.ty(param).is_scalar() || !graph.ty(param).dtype.is_number() {
                continue;
            }
            let ends = ends(graph, (body, at));
            let (kept, replaced): (Vec<End>, Vec<End>) =
                ends.into_iter().partition(|&end| is_made_of(graph, value_of(graph, end), param));
            if !kept.is_empty() {
                replaced.into_iter().for_each(|end| store(graph, end, param));
            }
        }
    }
}

/// A result of a region, by its position.
type End = (RegionId, usize);

fn value_of(graph: &Graph, (region, at): End) -> ValueId {
    graph.regions[region].results[at]
}

/// The node that gives a value, and where the value stands among its results: passes take results out, and values keep their numbers.
fn definition(graph: &Graph, value: ValueId) -> Option<(NodeId, usize)> {
    let id = graph.definer(value)?;
    Some((id, graph.nodes[id].results.iter().position(|&result| result == value)?))
}

/// The ends of branches that give what an end gives: itself, if no branch does.
fn ends(graph: &Graph, end: End) -> Vec<End> {
    let Some((id, at)) = definition(graph, value_of(graph, end)) else { return vec![end] };
    let node = &graph.nodes[id];
    if node.op != Op::Cond || !graph.regions[end.0].nodes.contains(&id) {
        return vec![end];
    }
    node.regions.iter().flat_map(|&region| ends(graph, (region, at))).collect()
}

/// True if a value is the array itself, or made of it by stores alone, in branches and loops too.
fn is_made_of(graph: &Graph, value: ValueId, array: ValueId) -> bool {
    let Some((id, at)) = definition(graph, value) else { return value == array };
    let node = &graph.nodes[id];
    if node.op == Op::Put {
        return is_made_of(graph, node.args[0], array);
    }
    if node.op == Op::While {
        return is_made_of(graph, node.args[at], array);
    }
    let of_region = |&region: &RegionId| {
        graph.regions[region].results.get(at).is_some_and(|&given| is_made_of(graph, given, array))
    };
    (node.op == Op::Cond || node.op == Op::Try) && node.regions.iter().any(of_region)
}

/// Stores what an end gives into an array of the same type, and gives that.
fn store(graph: &mut Graph, (region, at): End, array: ValueId) {
    let value = graph.regions[region].results[at];
    let ty = graph.ty(array).clone();
    if *graph.ty(value) != ty {
        return;
    }
    let places = vec![Place::Slice(AxisSlice::ALL); ty.rank()];
    let id = graph.nodes.next_id();
    let result = graph.values.push(Value { ty, def: ValueDef::Result(id, 0), name: None });
    let attr = Attr::Places { places, keep: Keep::Last };
    graph.nodes.push(Node {
        op: Op::Put,
        attr,
        args: vec![array, value],
        regions: Vec::new(),
        results: vec![result],
    });
    graph.places.push(None);
    graph.regions[region].nodes.push(id);
    graph.regions[region].results[at] = result;
}

#[cfg(test)]
mod tests {
    use gw_ir::text::{parse, print};
    use gw_ir::verify;

    /// The stores of whole arrays in a loop with two of them, whose next values the body leaves in `%u` and `%v`.
    #[track_caller]
    fn stores(body: &str) -> Vec<String> {
        let text = format!(
            "func @f(%a: f64[3], %b: f64[3], %c: bool[]) -> (f64[3], f64[3]) {{
              %p, %q, %go = while (%x = %a, %y = %b, %d = %c) : (f64[3], f64[3], bool[]) {{
                yield %d
              }} do {{
                {body}
                yield %u, %v, %d
              }}
              return %p, %q
            }}"
        );
        let mut graph = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        super::run(&mut graph);
        verify(&graph, "kept").expect("legal");
        let text = print(&graph);
        text.lines().filter(|line| line.contains("at=[:]")).map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn what_a_branch_replaces_is_stored() {
        let found = stores(
            "%u, %v = cond %d : (f64[3], f64[3]) {
              yield %x, %x
            } else {
              %i = const 1 : i64[]
              %e = index %x, %i axis=0 : f64[]
              %w = put %x, %e, %i at=[@2] : f64[3]
              yield %w, %y
            }",
        );
        assert_eq!(found, ["%1 = put %y, %x at=[:] : f64[3]"]);
    }

    #[test]
    fn what_each_branch_replaces_or_keeps_stays() {
        let found = stores(
            "%u, %v = cond %d : (f64[3], f64[3]) {
              %s = exp %x : f64[3]
              yield %s, %y
            } else {
              yield %y, %y
            }",
        );
        assert!(found.is_empty(), "{found:?}");
    }
}
