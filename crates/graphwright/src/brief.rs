//! Test for graphs that run so briefly that to let other threads of the host in meanwhile would take longer.

use gw_ir::{Class, Graph, Node};

/// Elements that are read, multiplied or made, at most; an element takes some nanoseconds.
const MOST: usize = 1 << 12;

/// True if a graph runs for some microseconds at most, for any contents of its arguments.
pub fn is_brief(graph: &Graph) -> bool {
    let nodes = graph.regions.iter().flat_map(|(_, region)| &region.nodes);
    let mut work = nodes.map(|&node| work(graph, &graph.nodes[node]));
    work.try_fold(0_usize, |sum, work| sum.checked_add(work?)).is_some_and(|work| work <= MOST)
}

/// About how many elements a node touches; `None` where that is not known or it waits for the host.
fn work(graph: &Graph, node: &Node) -> Option<usize> {
    if node.op.is_unbounded() || node.op.is_of_host() {
        return None;
    }
    let elements = |value| {
        let mut lengths = graph.ty(value).shape.0.iter().map(|dim| dim.fixed());
        lengths.try_fold(1_usize, |product, length| product.checked_mul(length?))
    };
    let mut values = node.args.iter().chain(&node.results).map(|&v| elements(v));
    let sum = values.try_fold(0_usize, |sum, n| sum.checked_add(n?))?;
    match node.op.class() {
        Class::Contract => elements(*node.args.first()?)?.checked_mul(elements(*node.args.get(1)?)?),
        // About as many steps as elements of a cube.
        Class::Matrices => sum.checked_pow(2),
        Class::Reduce | Class::Elementwise | Class::Move | Class::Source | Class::Control | Class::Effect => {
            Some(sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, brief: bool) {
        assert_eq!(is_brief(&gw_ir::text::parse(text).expect("a graph")), brief, "{text}");
    }

    #[test]
    fn small_graphs_of_known_size_are_brief() {
        check("func @f(%x: f32[8]) -> (f32[8]) {\n  %y = neg %x : f32[8]\n  return %y\n}\n", true);
        check("func @f(%x: f32[5000]) -> (f32[5000]) {\n  %y = neg %x : f32[5000]\n  return %y\n}\n", false);
        check("func @f(%x: f32[?0]) -> (f32[?0]) {\n  %y = neg %x : f32[?0]\n  return %y\n}\n", false);
        check(
            "func @f(%x: f32[90,90]) -> (f32[90,90]) {\n  %y = matmul %x, %x : f32[90,90]\n  return %y\n}\n",
            false,
        );
    }
}
