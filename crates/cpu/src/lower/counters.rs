//! What a loop says about the numbers that it carries: a counter is never negative, and the flag that ends the loop is
//! false while it goes on.
//!
//! ```text
//! while (i = 0, stop = false, on = …) { yield on } do { …  j = add i, 1   …  yield j, s, and(not s, lt j, n) }
//! ```
//!
//! A counter begins at a known number and grows by one, unless it is not less than something: it stays below the greatest
//! number, and does not wrap.

use gw_ir::{Attr, Graph, Node, Op, ValueId};
use gw_types::{DType, Scalar};

/// Whether a carry of a `while`, at this position, is a counter: neither it nor its next value is ever negative.
pub(super) fn counts_up(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    let (param, next) = (body.params[at], body.results[at]);
    let Some(step) = defined_by(graph, next, Op::Add) else { return false };
    let by_one = matches!(step.args[..], [x, y] if x == param && integer(graph, y) == Some(1)
        || y == param && integer(graph, x) == Some(1));
    let begins = integer(graph, node.args[at]).is_some_and(|first| (0..i64::from(i32::MAX)).contains(&first));
    by_one && begins && goes_on_if(graph, node, at, &|test, of| is_below(graph, test, of))
}

/// Whether a carry of a `while`, at this position, is a flag that is false whenever the body runs.
pub(super) fn ends_the_loop(graph: &Graph, node: &Node, at: usize) -> bool {
    integer(graph, node.args[at]) == Some(0)
        && graph.ty(node.args[at]).dtype == DType::Bool
        && goes_on_if(graph, node, at, &|test, of| is_not(graph, test, of))
}

/// Whether the loop goes on only if something holds of what it carries at a position.
fn goes_on_if(graph: &Graph, node: &Node, at: usize, holds: &dyn Fn(ValueId, ValueId) -> bool) -> bool {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let carried = test.params.iter().position(|&param| param == test.results[0]);
    match carried {
        // The first test is the first value of another carry, which says nothing: a first value is known.
        Some(on) => all_of(graph, body.results[on]).any(|part| holds(part, body.results[at])),
        None => all_of(graph, test.results[0]).any(|part| holds(part, test.params[at])),
    }
}

/// Tests of more parts are not looked through: what was put together again and again has more than there is time for.
const PARTS: usize = 64;

/// Parts of a bool that hold if it does.
fn all_of(graph: &Graph, test: ValueId) -> impl Iterator<Item = ValueId> {
    let mut left = vec![test];
    std::iter::from_fn(move || {
        let part = left.pop()?;
        if let Some(both) = defined_by(graph, part, Op::And) {
            left.extend(both.args.iter().copied());
        }
        Some(part)
    })
    .take(PARTS)
}

fn is_below(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    defined_by(graph, test, Op::Lt).is_some_and(|node| node.args[0] == value)
        || defined_by(graph, test, Op::Gt).is_some_and(|node| node.args[1] == value)
}

fn is_not(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    defined_by(graph, test, Op::Not).is_some_and(|node| node.args[0] == value)
}

fn defined_by(graph: &Graph, value: ValueId, op: Op) -> Option<&Node> {
    graph.definer(value).map(|id| &graph.nodes[id]).filter(|node| node.op == op)
}

/// The integer or bool that a value is known to be.
fn integer(graph: &Graph, value: ValueId) -> Option<i64> {
    let node = defined_by(graph, value, Op::Const)?;
    let Attr::Literal(literal) = &node.attr else { return None };
    match literal.as_scalar()? {
        scalar @ (Scalar::Int(_) | Scalar::Bool(_)) => Some(scalar.to_i64()),
        Scalar::Float(_) | Scalar::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is said of each carry of the only loop: `c` for a counter, `f` for a flag, `-` for nothing.
    #[track_caller]
    fn check(carries: &str, test: &str, body: &str, expected: &str) {
        let text = format!(
            "func @f(%n: i64[]) -> (i64[]) {{
  %no = const false : bool[]
  %yes = const true : bool[]
  %minus = const -1 : i64[]
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %two = const 2 : i64[]
  %r, %s, %t = while ({carries}) : (i64[], bool[], bool[]) {{
    {test}
  }} do {{
    {body}
  }}
  return %r
}}"
        );
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
        let said = (0..3).map(|at| match (counts_up(&graph, node, at), ends_the_loop(&graph, node, at)) {
            (true, _) => 'c',
            (false, true) => 'f',
            (false, false) => '-',
        });
        assert_eq!(said.collect::<String>(), expected, "{text}");
    }

    const BODY: &str = "%j = add %i, %one : i64[]
    %b = eq %j, %two : bool[]
    %a = lt %j, %n : bool[]
    %c = not %b : bool[]
    %d = and %c, %a : bool[]
    yield %j, %b, %d";

    #[test]
    fn a_test_that_is_carried_bounds_counters_and_ends_flags() {
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", BODY, "cf-");
    }

    #[test]
    fn a_test_at_the_head_does_so_too() {
        let test = "%1 = gt %n, %i : bool[]\n    yield %1";
        check("%i = %one, %stop = %no, %on = %yes", test, BODY, "c--");
        let test = "%1 = not %stop : bool[]\n    yield %1";
        check("%i = %zero, %stop = %no, %on = %yes", test, BODY, "-f-");
    }

    #[test]
    fn what_may_wrap_or_begins_otherwise_is_neither() {
        check("%i = %minus, %stop = %yes, %on = %yes", "yield %on", BODY, "---");
        check("%i = %n, %stop = %no, %on = %yes", "yield %on", BODY, "-f-");
        let by_two = BODY.replace("add %i, %one", "add %i, %two");
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &by_two, "-f-");
        let up_to_most = BODY.replace("lt %j, %n", "le %j, %n");
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &up_to_most, "-f-");
        let either = BODY.replace("and %c, %a", "or %c, %a");
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &either, "---");
    }
}
