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

mod calls;
mod comparisons;
mod growth;
mod overwritten;

use gw_base::Id;
use gw_ir::{BinaryOp, Graph, Node, Op, ValueDef, ValueId};
use gw_types::DType;

pub(super) use calls::{checked_count, counts_calls};
pub(super) use comparisons::{all_of, compared, compared_not};
use comparisons::{integer, is_below, is_not, limit};
use growth::{DRIFT, FAR, SMALL, drifts, goes_one_way, small_step, stays_natural};
pub(super) use overwritten::is_overwritten;

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
            if self.b.ty(carry.init) == Ty::I64 {
                let near = self.goes_no_farther(node, of.at, first);
                [carry.param, carry.out].into_iter().for_each(|var| self.b.bound(var, near));
                inside = inside.and(near);
            }
            if first.most < all.most && counts_up(self.graph, node, of.at) {
                let so_far = Range { least: first.least, ..all };
                [carry.param, carry.out].into_iter().for_each(|var| self.b.bound(var, so_far));
                let limit = self.greatest_limit(node, of.at).unwrap_or(all.most);
                let most = limit.saturating_sub(1).clamp(first.most, all.most - 1);
                inside = inside.and(Range { most, ..so_far });
            }
            told.push(Told { carry, inside });
        }
        told
    }

    /// The greatest number that the limit of a counter may be, if that is known when the loop begins: `n`, in `i < n`.
    fn greatest_limit(&self, node: &Node, at: usize) -> Option<i64> {
        let [test, body] = [0, 1].map(|region| &self.graph.regions[node.regions[region]]);
        let (tested, counter) = match test.params.iter().position(|&param| param == test.results[0]) {
            Some(on) => (body.results[on], body.results[at]),
            None => (test.results[0], test.params[at]),
        };
        let limits = all_of(self.graph, tested).filter_map(|part| limit(self.graph, part, counter));
        let most = limits.filter_map(|limit| match self.held[limit.index()] {
            Some(Held::Scalar(limit)) => Some(self.b.range(limit).most),
            Some(Held::View(_) | Held::Delayed(_)) | None => None,
        });
        most.min()
    }

    /// Range of a 64-bit carry that begins with one of `first` and goes by small steps.
    fn goes_no_farther(&self, node: &Node, at: usize, first: Range) -> Range {
        let body = &self.graph.regions[node.regions[1]];
        let goes = |down| goes_one_way(self.graph, body.results[at], body.params[at], down, CHOICES);
        let begins = first.or(Range { least: -SMALL, most: SMALL });
        let drifts = drifts(self.graph, node, at);
        let mut near = Range::of(Ty::I64);
        // It comes round to neither end if it begins far from the other one.
        if first.most <= FAR {
            near.least = match (goes(false), drifts) {
                (true, _) => first.least,
                (false, true) => begins.least.saturating_sub(DRIFT),
                (false, false) => near.least,
            };
        }
        if first.least >= -FAR {
            near.most = match (goes(true), drifts) {
                (true, _) => first.most,
                (false, true) => begins.most.saturating_add(DRIFT),
                (false, false) => near.most,
            };
        }
        near
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

/// So many choices in each other are looked through.
const CHOICES: usize = 4;

/// True if a number is the counter or one more, whatever is chosen.
fn steps(graph: &Graph, counter: ValueId, next: ValueId, choices: usize) -> bool {
    let ValueDef::Result(id, at) = graph.values[next].def else { return next == counter };
    let node = &graph.nodes[id];
    let up_to_one = Range { least: 0, most: 1 };
    let is_one = |value| small_step(graph, value, CHOICES).is_some_and(|step| step.is_in(up_to_one));
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

#[cfg(test)]
mod tests;
