//! Facts about the numbers that a loop carries: a counter is never less than it was first, and the flag that ends the
//! loop is false while its body runs.
//!
//! ```text
//! while (i = 0, stop = false, on = …) { yield on } do { …  j = add i, 1   …  yield j, s, and(not s, lt j, n) }
//! ```
//!
//! A 64-bit number to which a loop adds little at a time does not come to the ends of its type before years are over, so that
//! what counts iterations needs no check for overflow:
//!
//! ```text
//! while (n = 0, …) { … } do { …  m = add n, 1 checked   o = cond … { yield m } else { yield n }  … yield o, … }
//! ```
//!
//! Facts about a number are noted where its variable is made, in the function that is being built, and are
//! gone with it: another function counts its variables anew.

use gw_ir::{Attr, BinaryOp, CompareOp, Graph, Node, Op, UnaryOp, ValueDef, ValueId};
use gw_types::{DType, Scalar};

use super::context::Lower;
use super::place::Held;
use super::while_::Threaded;
use crate::loops::{Carry, Range, Ty};

/// An integer that a loop carries, of which it says something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    carry: Carry,
    /// Range while the body runs.
    inside: Range,
}

impl Lower<'_> {
    /// Notes of each counter of a loop that is begun what it may be in the test and afterwards; gives what integers may be in
    /// the body.
    ///
    /// Let a counter begin with one of `first`, and let the next value of each iteration be the same or one more.
    /// Then it is at least `first.least` as long as no addition wraps. None does: one more than `i` wraps if `i`
    /// is the greatest number, and the body does not run with that, because it runs after the test that `i` is
    /// less than something, but perhaps in the first iteration, where `i` is at most `first.most`, which is less
    /// than the greatest number.
    pub(super) fn told(&mut self, node: &Node, threaded: &[Threaded]) -> Vec<Told> {
        let mut told = Vec::new();
        for of in threaded {
            let (Held::Scalar(_), &[carry]) = (&of.during, &of.vars[..]) else { continue };
            let all = Range::of(self.b.ty(carry.init));
            let first = self.b.range(carry.init);
            let mut inside = tested(self.graph, node, of.at, first);
            if first.is_natural() && stays_natural(self.graph, node, of.at) {
                let natural = Range { least: 0, ..all };
                [carry.param, carry.out].into_iter().for_each(|var| self.b.bound(var, natural));
                inside = inside.and(natural);
            }
            if self.b.ty(carry.init) == Ty::I64 && drifts(self.graph, node, of.at) {
                let begins = first.or(Range { least: -SMALL, most: SMALL });
                let near = Range {
                    least: begins.least.saturating_sub(DRIFT),
                    most: begins.most.saturating_add(DRIFT),
                };
                [carry.param, carry.out].into_iter().for_each(|var| self.b.bound(var, near));
                inside = inside.and(near);
            }
            if first.most < all.most && counts_up(self.graph, node, of.at) {
                let so_far = Range { least: first.least, ..all };
                [carry.param, carry.out].into_iter().for_each(|var| self.b.bound(var, so_far));
                inside = inside.and(Range { most: all.most - 1, ..so_far });
            }
            told.push(Told { carry, inside });
        }
        told
    }

    /// Notes what holds in the body of a loop, which is open now, and not in its test: nothing else reads its carries.
    pub(super) fn learn(&mut self, node: &Node, told: &[Told]) {
        told.iter().for_each(|Told { carry, inside }| self.b.bound(carry.param, *inside));
        let body = &self.graph.regions[node.regions[1]];
        for at in 0..node.args.len() {
            if ends_the_loop(self.graph, node, at) {
                let no = self.b.int(Ty::Bool, 0);
                self.hold(body.params[at], Held::Scalar(no));
            }
        }
    }
}

/// True if a carry of a `while`, at this position, grows by one or not at all, and the loop goes on only if
/// it is less than something.
fn counts_up(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    steps(graph, body.params[at], body.results[at], CHOICES)
        && goes_on_if(graph, node, at, &|test, of| is_below(graph, test, of))
}

/// So many nodes are looked at to find that a number is natural.
const STEPS: usize = 64;

/// True if a `while` carries natural numbers at this position if it begins with one: what is added and multiplied is checked.
fn stays_natural(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    let all = graph.ty(body.params[at]).dtype.is_int() && graph.ty(body.params[at]).is_scalar();
    all && is_natural(graph, body.results[at], &mut vec![body.params[at]], &mut { STEPS })
}

/// True if a number is not negative if some others are not.
fn is_natural(graph: &Graph, value: ValueId, of: &mut Vec<ValueId>, steps: &mut usize) -> bool {
    if of.contains(&value) {
        return true;
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return false };
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    let node = &graph.nodes[id];
    if node.op == Op::Const {
        return integer(graph, value).is_some_and(|number| number >= 0);
    }
    if node.op == Op::While {
        let body = &graph.regions[node.regions[1]];
        let begins = is_natural(graph, node.args[at], of, steps);
        of.push(body.params[at]);
        return begins && is_natural(graph, body.results[at], of, steps);
    }
    let parts = if node.op == Op::Cond {
        node.regions.iter().map(|&arm| graph.regions[arm].results[at]).collect()
    } else if node.op == Op::Select {
        node.args[1..].to_vec()
    } else if let Op::Binary(op) = node.op {
        let Some(parts) = naturals_of(op, node.attr == Attr::Checked) else { return false };
        node.args[parts].to_vec()
    } else {
        return node.op == Op::Dim;
    };
    parts.into_iter().all(|part| is_natural(graph, part, of, steps))
}

/// The operands of an op that give a number not below zero where they are none; an op that wraps may give any number.
fn naturals_of(op: BinaryOp, checked: bool) -> Option<std::ops::Range<usize>> {
    match op {
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::Pow | BinaryOp::Shl => checked.then_some(0..2),
        BinaryOp::FloorDiv | BinaryOp::Max | BinaryOp::Min => Some(0..2),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Some(0..2),
        BinaryOp::Mod => Some(1..2),
        BinaryOp::Shr => Some(0..1),
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Atan2 | BinaryOp::RandomBits => None,
    }
}

/// A step of a number that drifts adds at most so much.
const SMALL: i64 = 8;

/// Distance that a number covers by such steps: 2^55 of the largest take a machine months.
const DRIFT: i64 = 1 << 58;

/// True if a `while` only adds small numbers to what it carries at this position, however often, or begins anew with such.
fn drifts(graph: &Graph, node: &Node, at: usize) -> bool {
    let body = &graph.regions[node.regions[1]];
    is_near(graph, body.results[at], &[body.params[at]], CHOICES)
}

/// True if a number is one of some, or was made of one of them by small steps.
fn is_near(graph: &Graph, value: ValueId, of: &[ValueId], choices: usize) -> bool {
    let is_small =
        |value: ValueId| integer(graph, value).is_some_and(|step| step.unsigned_abs() <= SMALL as u64);
    if of.contains(&value) || is_small(value) {
        return true;
    }
    let ValueDef::Result(id, at) = graph.values[value].def else { return false };
    let node = &graph.nodes[id];
    let near = |value: ValueId| is_near(graph, value, of, choices);
    if let (Op::Binary(BinaryOp::Add | BinaryOp::Sub), &[x, y]) = (node.op, &node.args[..]) {
        return near(x) && is_small(y) || node.op == BinaryOp::Add.into() && is_small(x) && near(y);
    }
    let Some(choices) = choices.checked_sub(1) else { return false };
    let near = |value: ValueId| is_near(graph, value, of, choices);
    if node.op == Op::Select {
        node.args[1..].iter().all(|&value| near(value))
    } else if node.op == Op::Cond {
        node.regions.iter().all(|&arm| near(graph.regions[arm].results[at]))
    } else if node.op == Op::While {
        let body = &graph.regions[node.regions[1]];
        let inside = [of, &[body.params[at]]].concat();
        near(node.args[at]) && is_near(graph, body.results[at], &inside, choices)
    } else {
        false
    }
}

/// So many choices in each other are looked through.
const CHOICES: usize = 4;

/// True if a number is the counter or one more, whatever is chosen.
fn steps(graph: &Graph, counter: ValueId, next: ValueId, choices: usize) -> bool {
    let ValueDef::Result(id, at) = graph.values[next].def else { return next == counter };
    let node = &graph.nodes[id];
    let is_one = |value: ValueId| integer(graph, value) == Some(1);
    if let (Op::Binary(BinaryOp::Add), &[x, y]) = (node.op, &node.args[..]) {
        return x == counter && is_one(y) || y == counter && is_one(x);
    }
    let given: Vec<ValueId> = if node.op == Op::Select {
        node.args[1..].to_vec()
    } else if node.op == Op::Cond {
        node.regions.iter().map(|&arm| graph.regions[arm].results[at]).collect()
    } else {
        return false;
    };
    choices > 0 && given.into_iter().all(|value| steps(graph, counter, value, choices - 1))
}

/// True if a carry of a `while`, at this position, is a flag that is false whenever the body runs: it is so
/// at first, and the loop goes on only if it is.
fn ends_the_loop(graph: &Graph, node: &Node, at: usize) -> bool {
    integer(graph, node.args[at]) == Some(0)
        && graph.ty(node.args[at]).dtype == DType::Bool
        && goes_on_if(graph, node, at, &|test, of| is_not(graph, test, of))
}

/// True if the body runs only if something holds of the carry at a position, or for the first time.
fn goes_on_if(graph: &Graph, node: &Node, at: usize, holds: &dyn Fn(ValueId, ValueId) -> bool) -> bool {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let carried = test.params.iter().position(|&param| param == test.results[0]);
    match carried {
        // The first value of the carry that is the test says nothing.
        Some(on) => all_of(graph, body.results[on]).any(|part| holds(part, body.results[at])),
        None => all_of(graph, test.results[0]).any(|part| holds(part, test.params[at])),
    }
}

/// Range in the body of an integer carry, first one of `first`, by the numbers that the loop's test compares
/// it with.
fn tested(graph: &Graph, node: &Node, at: usize, first: Range) -> Range {
    let [test, body] = [0, 1].map(|region| &graph.regions[node.regions[region]]);
    let said = |test: ValueId, of: ValueId| {
        all_of(graph, test).map(|part| compared(graph, part, of)).fold(Range::of(Ty::I64), Range::and)
    };
    match test.params.iter().position(|&param| param == test.results[0]) {
        Some(on) => {
            let begun = said(node.args[on], node.args[at]);
            first.and(begun).or(said(body.results[on], body.results[at]))
        }
        None => said(test.results[0], test.params[at]),
    }
}

/// Range of a number if it compares so with a number that is known.
fn compared(graph: &Graph, test: ValueId, of: ValueId) -> Range {
    let all = Range::of(Ty::I64);
    let comparisons = [
        (CompareOp::Lt, -1, true),
        (CompareOp::Le, 0, true),
        (CompareOp::Gt, 1, false),
        (CompareOp::Ge, 0, false),
    ];
    for (op, and, is_most) in comparisons {
        let known = [(op, 0, 1), (op.turned(), 1, 0)].into_iter().find_map(|(op, this, that)| {
            let node = defined_by(graph, test, op).filter(|node| node.args[this] == of)?;
            integer(graph, node.args[that])
        });
        if let Some(known) = known {
            let end = known.saturating_add(and);
            return if is_most { Range { most: end, ..all } } else { Range { least: end, ..all } };
        }
    }
    all
}

/// Tests of more parts are not looked through: what was put together again and again has more than there is time for.
const PARTS: usize = 64;

/// Parts of a bool that hold if it does.
fn all_of(graph: &Graph, test: ValueId) -> impl Iterator<Item = ValueId> {
    let mut left = vec![test];
    std::iter::from_fn(move || {
        let part = left.pop()?;
        if let Some(both) = defined_by(graph, part, BinaryOp::And) {
            left.extend(both.args.iter().copied());
        }
        Some(part)
    })
    .take(PARTS)
}

fn is_below(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    defined_by(graph, test, CompareOp::Lt).is_some_and(|node| node.args[0] == value)
        || defined_by(graph, test, CompareOp::Gt).is_some_and(|node| node.args[1] == value)
}

fn is_not(graph: &Graph, test: ValueId, value: ValueId) -> bool {
    defined_by(graph, test, UnaryOp::Not).is_some_and(|node| node.args[0] == value)
}

fn defined_by(graph: &Graph, value: ValueId, op: impl Into<Op>) -> Option<&Node> {
    let op = op.into();
    graph.definer(value).map(|id| &graph.nodes[id]).filter(|node| node.op == op)
}

/// The integer or bool that a value is known to be.
fn integer(graph: &Graph, value: ValueId) -> Option<i64> {
    let node = defined_by(graph, value, Op::Const)?;
    let Attr::Literal(literal) = &node.attr else { return None };
    match literal.as_scalar()? {
        scalar @ (Scalar::Int(_) | Scalar::Bool(_)) => Some(scalar.to_i64()),
        Scalar::Nat(_) | Scalar::Float(_) | Scalar::Complex(..) | Scalar::Text(_) => None,
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
    fn what_may_wrap_or_become_less_is_no_counter() {
        check("%i = %minus, %stop = %yes, %on = %yes", "yield %on", BODY, "c--");
        for (what, instead) in [("add %i, %one", "add %i, %two"), ("add %i, %one", "sub %i, %one")] {
            let body = BODY.replace(what, instead);
            check("%i = %n, %stop = %no, %on = %yes", "yield %on", &body, "-f-");
        }
        let up_to_most = BODY.replace("lt %j, %n", "le %j, %n");
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &up_to_most, "-f-");
        let either = BODY.replace("and %c, %a", "or %c, %a");
        check("%i = %zero, %stop = %no, %on = %yes", "yield %on", &either, "---");
    }

    #[test]
    fn checked_sums_and_products_of_natural_numbers_are_natural() {
        let said = |next: &str| {
            let text = format!(
                "func @f(%n: i64[], %t: bool[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %two = const 2 : i64[]
  %r, %s = while (%i = %zero, %on = %t) : (i64[], bool[]) {{
    yield %on
  }} do {{
    %h = floor_div %i, %two : i64[]
    %k = mul %i, %i checked : i64[]
    %l = add %k, %h checked : i64[]
    %j = {next} : i64[]
    yield %j, %t
  }}
  return %r
}}"
            );
            let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
            stays_natural(&graph, node, 0)
        };
        for natural in ["select %t, %l, %h", "mod %n, %two", "mul %l, %l checked", "shr %l, %n"] {
            assert!(said(natural), "{natural}");
        }
        for other in ["mul %i, %i", "sub %l, %two checked", "add %i, %n checked", "floor_div %l, %n"] {
            assert!(!said(other), "{other}");
        }
    }

    #[test]
    fn what_grows_by_little_drifts() {
        let said = |body: &str| {
            let text = format!(
                "func @f(%n: i64[], %t: bool[]) -> (i64[]) {{
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %many = const 9 : i64[]
  %r, %s = while (%i = %zero, %on = %t) : (i64[], bool[]) {{
    yield %on
  }} do {{
    {body}
    yield %j, %t
  }}
  return %r
}}"
            );
            let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let (_, node) = graph.nodes.iter().find(|(_, node)| node.op == Op::While).expect("a loop");
            drifts(&graph, node, 0)
        };
        let inner = "%j, %o = while (%k = %i, %p = %t) : (i64[], bool[]) {
      yield %p
    } do {
      %m = sub %k, %one checked : i64[]
      %q = select %t, %m, %zero : i64[]
      yield %q, %t
    }";
        for drifting in ["%j = add %one, %i checked : i64[]", inner] {
            assert!(said(drifting), "{drifting}");
        }
        let sum = inner.replace("%m = sub %k, %one", "%m = add %k, %k");
        for other in
            ["%j = add %i, %many : i64[]", "%j = sub %one, %i : i64[]", "%j = add %i, %n : i64[]", &sum]
        {
            assert!(!said(other), "{other}");
        }
    }

    #[test]
    fn a_counter_may_stay() {
        let body = |next: &str| {
            BODY.replace("%a = lt %j", &format!("{next}\n    %a = lt %k")).replace("yield %j,", "yield %k,")
        };
        let carries = "%i = %zero, %stop = %no, %on = %yes";
        check(carries, "yield %on", &body("%k = select %b, %i, %j : i64[]"), "cf-");
        check(carries, "yield %on", &body("%k = select %b, %n, %j : i64[]"), "-f-");
        let arms = |other: &str| {
            format!("%k = cond %b : (i64[]) {{\n      yield {other}\n    }} else {{\n      yield %j\n    }}")
        };
        check(carries, "yield %on", &body(&arms("%i")), "cf-");
        check(carries, "yield %on", &body(&arms("%two")), "-f-");
    }
}
