//! Origins of single numbers: elements of arrays, which are NumPy's and follow IEEE 754, or Python, whose numbers fail.

use gw_ir::{Builder, Graph, Op, ValueDef, ValueId};

use crate::Staged;

/// Keeps that a result is Python's though it is computed of an element of an array, which `int` or `float` made Python's.
pub(super) fn note(b: &mut Builder, args: &[Staged], made: Staged) {
    if made.weak.is_some() || !b.ty(made.value).is_scalar() || args.iter().all(|arg| arg.weak.is_none()) {
        return;
    }
    let (weak, strong): (Vec<_>, Vec<_>) = args.iter().partition(|arg| arg.weak.is_some());
    let of_array = |args: &[&Staged]| args.iter().any(|arg| is_of_array(b, arg.value));
    if of_array(&weak) && !of_array(&strong) {
        b.set_pythons(made.value);
    }
}

/// So many steps are followed to find out where a number comes from.
const STEPS: usize = 64;

/// A value on the way from a number to where it comes from.
enum Origin {
    Number(ValueId),
    /// Rows that stand for a list of Python's.
    List(ValueId),
}

/// The origin of rows.
enum Parts {
    /// Other rows; none where a loop or branch gives them.
    Rows(Vec<ValueId>),
    /// One element.
    One(ValueId),
    /// They are an argument of the graph.
    Argument,
}

/// The values of which the rows that stand for a list are made.
fn parts(graph: &Graph, rows: ValueId) -> Parts {
    match graph.values[rows].def {
        ValueDef::Param(region, _) if region == graph.body => Parts::Argument,
        ValueDef::Param(..) => Parts::Rows(Vec::new()),
        ValueDef::Result(node, _) => {
            let node = &graph.nodes[node];
            let has_axes = |value: &ValueId| !graph.values[*value].ty.is_scalar();
            match (node.op, &node.args[..]) {
                (Op::Reshape, &[only]) if !has_axes(&only) => Parts::One(only),
                (_, _) => Parts::Rows(node.args.iter().copied().filter(has_axes).collect()),
            }
        }
    }
}

/// True if a number is computed of elements of an array, which are NumPy's and not Python's.
pub(super) fn is_of_array(b: &Builder, value: ValueId) -> bool {
    let graph = b.graph();
    let mut next = vec![Origin::Number(value)];
    for _ in 0..STEPS {
        match next.pop() {
            None => return false,
            Some(Origin::Number(value)) => {
                if let Some(rows) = b.rows_of_item(value) {
                    next.push(Origin::List(rows));
                    continue;
                }
                if !b.ty(value).is_scalar() {
                    return true;
                }
                if b.is_pythons(value) {
                    continue;
                }
                let node = graph.definer(value).map(|node| &graph.nodes[node]);
                let args =
                    node.filter(|node| node.regions.is_empty()).into_iter().flat_map(|node| &node.args);
                next.extend(args.map(|&arg| Origin::Number(arg)));
            }
            Some(Origin::List(rows)) => match parts(graph, rows) {
                Parts::Rows(rows) => next.extend(rows.into_iter().map(Origin::List)),
                Parts::One(number) => next.push(Origin::Number(number)),
                Parts::Argument => return true,
            },
        }
    }
    false
}
