//! A function that is called in one place stands there: `y = f(x)` ⇒ what `f` does, if nothing else calls `f`.
//!
//! Not one that has a way back of its own, nor is one, nor where lengths meet that have to be compared when it is called.

use rustc_hash::FxHashMap;

use gw_ir::{Attr, FunctionId, Graph, NodeId, RegionId, ValueId};

use crate::facts::stands_for;
use crate::walk::{Visit, Walk};

pub(crate) fn run(graph: &mut Graph) {
    let mut inlined = Inline::default();
    let (calls, mut homes) = calls(graph);
    for function in graph.called() {
        let Some(&[call]) = calls.get(&function).map(Vec::as_slice) else { continue };
        if is_plain(graph, function) && fits(graph, function, call) {
            let (body, region) = (graph.functions[function].body, homes[&call]);
            let nodes = std::mem::take(&mut graph.regions[body].nodes);
            let at = graph.regions[region].nodes.iter().position(|&id| id == call).map_or(0, |at| at + 1);
            // Calls of the function stand where it stands by now.
            for id in &nodes {
                homes.entry(*id).and_modify(|home| *home = region);
            }
            graph.regions[region].nodes.splice(at..at, nodes);
            inlined.bodies.insert(call, body);
        }
    }
    if !inlined.bodies.is_empty() {
        Walk::run(graph, &mut inlined);
    }
}

/// The calls of each function, and the region in which each call is.
fn calls(graph: &Graph) -> (FxHashMap<FunctionId, Vec<NodeId>>, FxHashMap<NodeId, RegionId>) {
    let (mut calls, mut homes): (FxHashMap<FunctionId, Vec<NodeId>>, FxHashMap<_, _>) = Default::default();
    let mut todo = graph.roots();
    while let Some(region) = todo.pop() {
        for &id in &graph.regions[region].nodes {
            let node = &graph.nodes[id];
            if let Attr::Function(function) = node.attr {
                calls.entry(function).or_default().push(id);
                homes.insert(id, region);
            }
            todo.extend(&node.regions);
        }
    }
    (calls, homes)
}

/// True of a function whose derivative is that of what it does, and that is not the derivative of another one.
fn is_plain(graph: &Graph, function: FunctionId) -> bool {
    let is_back = |(_, other): (FunctionId, &gw_ir::Function)| other.back == Some(function);
    graph.functions[function].back.is_none() && !graph.functions.iter().any(is_back)
}

/// True if arguments can stand for parameters, and what the function returns for the results of the call.
fn fits(graph: &Graph, function: FunctionId, call: NodeId) -> bool {
    let (node, body) = (&graph.nodes[call], &graph.regions[graph.functions[function].body]);
    let stand = |given: &[ValueId], wanted: &[ValueId]| {
        let shape = |&value: &ValueId| &graph.ty(value).shape;
        given.iter().zip(wanted).all(|(given, wanted)| stands_for(shape(given), shape(wanted)))
    };
    stand(&node.args, &body.params) && stand(&body.results, &node.results)
}

/// Calls behind which the bodies of their functions stand.
#[derive(Default)]
struct Inline {
    bodies: FxHashMap<NodeId, RegionId>,
}

impl Visit for Inline {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        let Some(&body) = self.bodies.get(&id) else { return out.push(id) };
        let (node, body) = (walk.graph.nodes[id].clone(), walk.graph.regions[body].clone());
        body.params.iter().zip(&node.args).for_each(|(&param, &arg)| walk.replace(param, arg));
        node.results.iter().zip(&body.results).for_each(|(&result, &given)| walk.replace(result, given));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_ir::text::{parse, print};
    use gw_ir::verify;

    #[track_caller]
    fn check(before: &str, after: Expect) {
        let mut graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
        super::run(&mut graph);
        verify(&graph, "inline").expect("legal");
        after.assert_eq(&print(&graph.compact()));
    }

    #[test]
    fn a_function_that_is_called_once_stands_there() {
        check(
            "func @main(%x: f32[?0], %t: bool[]) -> (f32[?1]) {
              %r = cond %t : (f32[?1]) {
                %a, %b = call @f %x, %t : f32[?2], bool[]
                yield %a
              } else {
                yield %x
              }
              return %r
            }
            func @f(%x: f32[?3], %t: bool[]) -> (f32[?4], bool[]) {
              %y = call @g %x, %x : f32[?4]
              %z = exp %y : f32[?4]
              return %z, %t
            }
            func @g(%x: f32[?5], %y: f32[?6]) -> (f32[?7]) {
              %z = add %x, %y : f32[?7]
              return %z
            }",
            expect![[r#"
                func @main(%x: f32[?0], %t: bool[]) -> (f32[?1]) {
                  %r = cond %t : (f32[?1]) {
                    %z = add %x, %x : f32[?2]
                    %z.2 = exp %z : f32[?2]
                    yield %z.2
                  } else {
                    yield %x
                  }
                  return %r
                }
            "#]],
        );
    }

    #[test]
    fn what_is_called_twice_or_has_a_way_back_or_lengths_to_compare_is_called() {
        let before = "func @main(%x: f32[?0], %y: f32[3]) -> (f32[?1], f32[3], f32[?2], f32[?0]) {
              %a = call @twice %x : f32[?1]
              %b = call @known %x : f32[3]
              %c = call @open %y : f32[?2]
              %d = call @own %x, %x : f32[?0]
              return %a, %b, %c, %d
            }
            func @twice(%x: f32[?4]) -> (f32[?5]) {
              %y = call @twice %x : f32[?5]
              return %y
            }
            func @known(%x: f32[3]) -> (f32[3]) { %y = exp %x : f32[3] return %y }
            func @open(%x: f32[?6]) -> (f32[?6]) { %y = exp %x : f32[?6] return %y }
            func @own(%x: f32[?7], %y: f32[?7]) -> (f32[?7]) back @back { return %y }
            func @back(%x: f32[?8]) -> (f32[?8]) { return %x }";
        let mut graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
        let text = print(&graph);
        super::run(&mut graph);
        assert_eq!(print(&graph), text);
    }

    #[test]
    fn functions_that_call_each_other_become_one() {
        check(
            "func @main(%n: i64[]) -> (i64[]) {
              %r = call @up %n : i64[]
              return %r
            }
            func @up(%n: i64[]) -> (i64[]) {
              %m = abs %n : i64[]
              %r = call @down %m : i64[]
              return %r
            }
            func @down(%n: i64[]) -> (i64[]) {
              %m = neg %n : i64[]
              %r = call @up %m : i64[]
              return %r
            }",
            expect![[r#"
                func @main(%n: i64[]) -> (i64[]) {
                  %r = call @up %n : i64[]
                  return %r
                }
                func @up(%n: i64[]) -> (i64[]) {
                  %m = abs %n : i64[]
                  %m.2 = neg %m : i64[]
                  %r = call @up %m.2 : i64[]
                  return %r
                }
            "#]],
        );
    }
}
