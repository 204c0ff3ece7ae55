//! Failures of a graph: the operations that may fail when it runs, and the kind of exception that each raises then. Limits of the
//! graph, where the host's own values have none, are no failures: no handler of the program sees them.

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{
    Attr, BinaryOp, CheckKind, FunctionId, Graph, Needs, Node, NodeId, Op, can_fail, lengths_may_misfit,
    values_may_fail,
};

use crate::Fails;

/// The operations made since there were `before` nodes that may fail, with what is raised then, and those of the functions
/// that these call.
pub fn suspects(graph: &Graph, before: usize) -> Vec<(CheckKind, Option<Loc>)> {
    let made: Vec<_> = graph.nodes.ids().skip(before).collect();
    let called = made.iter().filter_map(|&id| function_of(graph, id)).flat_map(|f| failures_of(graph, f));
    let all = made.iter().copied().chain(called);
    all.flat_map(|id| failures_by(graph, id).into_iter().map(move |(kind, _)| (kind, id)))
        .map(|(kind, id)| (kind, graph.places[id].clone()))
        .collect()
}

/// Location of a call to the host among the nodes after the first `before`, if there is one.
pub fn host_call(graph: &Graph, before: usize) -> Option<Option<Loc>> {
    let found = graph.nodes.ids().skip(before).find(|&id| graph.nodes[id].op == Op::Host)?;
    Some(graph.places[found].clone())
}

/// The first of these places at which something may fail when the graph runs, or the host is called, which may raise anything.
pub fn first_failure(graph: &Graph, is_of: &dyn Fn(&Loc) -> bool) -> Option<Loc> {
    let place_of = |id: NodeId| graph.places[id].clone().filter(is_of);
    let fails = |id: NodeId| {
        let called = function_of(graph, id).is_some_and(|function| !failures_of(graph, function).is_empty());
        called || graph.nodes[id].op == Op::Host || !failures_by(graph, id).is_empty()
    };
    graph.nodes.ids().find_map(|id| place_of(id).filter(|_| fails(id)))
}

/// The operations of a function, and of those that it calls, that may fail by themselves.
pub fn failures_of(graph: &Graph, function: FunctionId) -> Vec<NodeId> {
    let (mut functions, mut failures) = (vec![function], Vec::new());
    for at in 0.. {
        let Some(&function) = functions.get(at) else { break };
        let mut regions = vec![graph.functions[function].body];
        while let Some(region) = regions.pop() {
            for &id in &graph.regions[region].nodes {
                regions.extend(&graph.nodes[id].regions);
                match function_of(graph, id) {
                    Some(called) if functions.contains(&called) => {}
                    Some(called) => functions.push(called),
                    None => failures.extend(failures_by(graph, id).first().map(|_| id)),
                }
            }
        }
    }
    failures
}

/// The function that a node calls.
fn function_of(graph: &Graph, id: NodeId) -> Option<FunctionId> {
    if let Attr::Function(function) = graph.nodes[id].attr { Some(function) } else { None }
}

/// Exceptions that a node raises in each way in which it may fail by itself, and not by a node inside it. Limits of the graph, where Python raises
/// nothing, are none of these: no handler of the program sees them.
pub fn failures_by(graph: &Graph, id: NodeId) -> Vec<(CheckKind, Fails)> {
    let node = &graph.nodes[id];
    let mut failures = Vec::new();
    if lengths_may_misfit(graph, id) {
        failures.push((CheckKind::Value, Fails::Lengths));
    }
    let is_of_parts = node.op.branches() || node.op == Op::Try || node.op == Op::Leave;
    let by_itself = !is_of_parts && !node.op.is_of_host();
    if by_itself && !is_limit(graph, node) && values_may_fail(graph, id) {
        failures.push((kind_of(node), Fails::Value));
    }
    failures
}

/// True if a node fails by a value where Python raises nothing: its integers have no end, `2 ** -1` is a float, and arrays of NumPy
/// divided by zero are zeros.
fn is_limit(graph: &Graph, node: &Node) -> bool {
    if let Attr::Check { limit, .. } = node.attr {
        return limit;
    }
    let is_scalar = || graph.ty(node.results[0]).is_scalar();
    match node.op == BinaryOp::Pow.into() {
        true => is_scalar(),
        false => node.op.needs() == Needs::NotZero && !is_scalar(),
    }
}

/// The exception of a node that fails by a value.
fn kind_of(node: &Node) -> CheckKind {
    if let Attr::Check { kind, .. } = node.attr {
        return kind;
    }
    if node.op.needs() == Needs::NotZero {
        CheckKind::ZeroDivision
    } else if node.op == Op::Call {
        CheckKind::Recursion
    } else if node.op.is_indexed() {
        CheckKind::Index
    } else {
        CheckKind::Value
    }
}

/// True if a node may fail by itself or in a function that it calls, and not by a node inside it.
pub fn fails_by_itself(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    if let Attr::Function(function) = node.attr {
        return !failures_of(graph, function).is_empty();
    }
    !node.op.branches() && node.op != Op::Print && can_fail(graph, id)
}

/// The diagnostic of an operation that may raise an exception of a class of this name, which a `try` around it catches.
pub fn not_caught(class: &str, place: Option<Loc>) -> Diagnostic {
    let message = format!("this may raise `{class}` when the graph runs, where no `except` can catch it");
    let help = "test for it with `if` instead, or leave it to the caller of the graph function";
    let found = Diagnostic::new(Code::NotCaught, message).help(help);
    match place {
        Some(place) => found.at(place, ""),
        None => found,
    }
}
