//! Custom gradients vanish from graphs that run: a function that only attaches a backward pass is replaced by its operands.
//! Derivatives are made of the graph before.

use rustc_hash::FxHashMap;

use gw_ir::{Attr, FunctionId, Graph, NodeId, ValueId};

/// The graph without calls of functions that only hand on what they are given; none if it has no such calls.
pub fn handed_on(graph: &Graph) -> Option<Graph> {
    let functions: Vec<FunctionId> = graph.called().into_iter().filter(|&f| hands_on(graph, f)).collect();
    if functions.is_empty() {
        return None;
    }
    let mut graph = graph.clone();
    let is_call = |graph: &Graph, id: NodeId| matches!(graph.nodes[id].attr, Attr::Function(function) if functions.contains(&function));
    let mut instead: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for node in graph.nodes.ids().filter(|&id| is_call(&graph, id)).map(|id| &graph.nodes[id]) {
        let handed = &node.args[node.args.len() - node.results.len()..];
        instead.extend(node.results.iter().copied().zip(handed.iter().copied()));
    }
    for region in graph.regions.ids() {
        let mut nodes = std::mem::take(&mut graph.regions[region].nodes);
        nodes.retain(|&id| !is_call(&graph, id));
        graph.regions[region].nodes = nodes;
        replace(&mut graph.regions[region].results, &instead);
    }
    for node in graph.nodes.ids() {
        replace(&mut graph.nodes[node].args, &instead);
    }
    Some(graph)
}

/// True if a function has a backward pass of its own, and gives its last parameters.
fn hands_on(graph: &Graph, function: FunctionId) -> bool {
    let function = &graph.functions[function];
    let body = &graph.regions[function.body];
    function.back.is_some() && body.params.ends_with(&body.results)
}

fn replace(values: &mut [ValueId], instead: &FxHashMap<ValueId, ValueId>) {
    for value in values {
        while let Some(&other) = instead.get(value) {
            *value = other;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use gw_ir::text::{parse, print};

    #[test]
    fn what_is_handed_on_is_used_as_it_is() {
        let before = "
            func @f(%x: f32[], %y: f32[]) -> (f32[]) {
              %a, %b = call @own %x, %y, %x : f32[], f32[]
              %c, %d = call @own %y, %a, %b : f32[], f32[]
              %e = add %c, %d : f32[]
              return %e
            }
            func @own(%x: f32[], %y: f32[], %z: f32[]) -> (f32[], f32[]) back @back {
              return %y, %z
            }
            func @back(%g: f32[], %h: f32[]) -> (f32[]) {
              return %h
            }";
        let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
        let after = super::handed_on(&graph).expect("calls");
        expect![[r#"
            func @f(%x: f32[], %y: f32[]) -> (f32[]) {
              %e = add %y, %x : f32[]
              return %e
            }
        "#]]
        .assert_eq(&print(&after.compact()));
        assert!(super::handed_on(&after.compact()).is_none());
    }
}
