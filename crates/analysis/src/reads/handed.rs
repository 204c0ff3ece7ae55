//! Things that are read through what has no name: `[a, b][0].s` and `(a or b).s` read `a.s` and `b.s`, and so may `pick(a).s` and
//! `max([a, b], key=f).s`, since a call may give what it is given.

use std::collections::BTreeSet;

use gw_syntax::{Expr, ExprId, Name};

use super::names::{Named, Names};
use super::{Chain, Passed, Search, Step};

/// The beginning of the names that stand for expressions without one; no name of Python's begins so.
pub(super) const DISPLAY: &str = "<";

/// Functions of Python's that give an item of what they are given, or a container of such.
const GIVES_ITEMS: &[&str] =
    &["filter", "iter", "list", "max", "min", "next", "reversed", "set", "sorted", "tuple"];

/// So many calls that give what other calls give are followed.
const MOST_CALLS: usize = 3;

/// So many chains are found by what calls hand on: calls that are given results of one another have more and more.
const MOST_HANDED: usize = 128;

impl Search<'_> {
    /// The chain that ends here; one that begins with the expression itself if that is a container or choice that is written out.
    pub(super) fn base(&self, id: ExprId) -> Option<Chain> {
        self.chain(id).or_else(|| {
            self.is_display(id).then(|| {
                self.displays.borrow_mut().insert(id);
                Chain { root: name_of(id), steps: Vec::new() }
            })
        })
    }

    /// True for a container or choice that is written out.
    pub(super) fn is_display(&self, id: ExprId) -> bool {
        matches!(
            &self.tree[id],
            Expr::List(_)
                | Expr::Tuple(_)
                | Expr::Set(_)
                | Expr::Dict(_)
                | Expr::Comp { .. }
                | Expr::DictComp { .. }
                | Expr::IfExp { .. }
                | Expr::BoolOp { .. }
                | Expr::Named { .. }
        )
    }

    /// Says what the expressions without a name stand for of which something is read.
    pub(super) fn name_displays(&mut self) {
        let mut done = BTreeSet::new();
        loop {
            let next = self.displays.borrow().difference(&done).next().copied();
            let Some(id) = next else { return };
            done.insert(id);
            self.stands_for_parts(&name_of(id), id);
        }
    }

    /// A choice stands for each of what it chooses from, a container for what holds its items.
    fn stands_for_parts(&mut self, name: &Name, id: ExprId) {
        let chosen: Vec<ExprId> = if let Expr::IfExp { body, orelse, .. } = &self.tree[id] {
            vec![*body, *orelse]
        } else if let Expr::BoolOp { values, .. } = &self.tree[id] {
            values.clone()
        } else if let Expr::Named { value, .. } = &self.tree[id] {
            vec![*value]
        } else {
            return self.holds(name, id, 1);
        };
        for one in chosen {
            if let Some(chain) = self.base(one) {
                self.names.insert(Named { name: name.clone(), chain, inside: 0 });
            }
        }
    }
}

fn name_of(id: ExprId) -> Name {
    format!("{DISPLAY}{id:?}").as_str().into()
}

/// The chains, and those that they are if a call gives what it is given, or one of Python's own an item of that.
pub(super) fn with_what_calls_hand_on(
    mut chains: BTreeSet<Chain>,
    passed: &[Passed],
    names: &Names<'_>,
) -> BTreeSet<Chain> {
    let (mut seen, mut fresh) = (chains.clone(), Vec::from_iter(chains.iter().cloned()));
    let most = chains.len() + MOST_HANDED;
    for _ in 0..MOST_CALLS {
        let mut found = Vec::new();
        for handed in fresh.iter().flat_map(|chain| handed_on(chain, passed)) {
            for chain in names.spelled_out(&handed) {
                if seen.len() < most && seen.insert(chain.clone()) {
                    found.push(chain);
                }
            }
        }
        // Chains that begin with another of the calls are followed further, and of no use themselves: they
        // may be as long as calls nest.
        chains.extend(found.iter().filter(|chain| !begins_with_one(chain, passed)).cloned());
        fresh = found;
    }
    chains
}

/// True if a chain begins with one of the calls that are given something.
fn begins_with_one(chain: &Chain, passed: &[Passed]) -> bool {
    let first = chain.steps.iter().position(|step| *step == Step::Result);
    let is_callee =
        |callee: &Chain, at: usize| callee.root == chain.root && callee.steps == chain.steps[..at];
    first.is_some_and(|at| passed.iter().any(|passed| is_callee(&passed.callee, at)))
}

/// The chains that are read of the arguments of a chain's calls.
fn handed_on(chain: &Chain, passed: &[Passed]) -> Vec<Chain> {
    let mut found = Vec::new();
    for (at, _) in chain.steps.iter().enumerate().filter(|(_, step)| **step == Step::Result) {
        let (callee, rest) = (&chain.steps[..at], &chain.steps[at + 1..]);
        if matches!(rest, [] | [Step::Given | Step::Kept]) {
            continue;
        }
        let given =
            passed.iter().filter(|passed| passed.callee.root == chain.root && passed.callee.steps == callee);
        for Passed { given, .. } in given {
            let of = |between: &[Step]| Chain {
                root: given.root.clone(),
                steps: [&given.steps, between, rest].concat(),
            };
            found.push(of(&[]));
            let gives_items = callee.is_empty() && GIVES_ITEMS.contains(&&*chain.root);
            if gives_items && given.steps.last() != Some(&Step::Each) {
                found.push(of(&[Step::Each]));
            }
        }
    }
    found
}
