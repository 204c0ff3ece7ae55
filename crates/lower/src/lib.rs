//! Python with native control flow becomes Python that calls operators; one file per construct.
//!
//! A pass keeps the meaning for Python values exactly: what it cannot keep, it leaves native. *Lowered* means that a
//! statement became blocks (nested functions) given to an operator; *native* means left as it was written. No pass calls
//! another; their order is written in [`PASSES`] alone.

mod annotations;
mod asserts;
mod blocks;
mod breaks;
mod calls;
mod comprehensions;
mod conditional;
mod continues;
mod declare;
mod for_;
mod fresh;
mod handlers;
mod if_;
mod jumps;
mod logic;
mod matches;
pub mod operators;
mod pattern;
mod returns;
mod skip;
mod state;
mod supers;
mod tries;
mod unbound;
mod units;
mod while_;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod pass_tests;

use std::collections::BTreeMap;

use gw_analysis::{Facts, NameSet, Scope, identifiers};
use gw_base::Diagnosed;
use gw_syntax::{Name, StmtId, Tree};

pub use fresh::Names;
pub use gw_analysis::{Chain, chains};

/// One step of lowering.
pub struct Pass {
    /// As it is named in dumps and blamed in errors.
    pub name: &'static str,
    /// What it does.
    pub run: fn(&mut Lowering),
}

macro_rules! passes {
    ($($file:ident),* $(,)?) => {
        /// Every pass, in the order in which they run.
        ///
        /// `match` and jumps go first: they make `if`s. Then reads of undefined names, because blocks hide where a name
        /// is undefined; then `except`s and blocks; expressions last, so that the tests of blocks are lowered too.
        pub const PASSES: &[Pass] = &[$(Pass { name: stringify!($file), run: $file::run }),*];
    };
}

passes![
    annotations,
    matches,
    returns,
    breaks,
    continues,
    unbound,
    handlers,
    blocks,
    asserts,
    tries,
    comprehensions,
    conditional,
    logic,
    calls,
    supers,
    declare,
];

/// A tree on its way through the passes.
pub struct Lowering {
    /// The tree.
    pub tree: Tree,
    /// Names that the user does not use.
    pub names: Names,
    /// The scope that each function of the user had before any pass.
    pub(crate) scopes: BTreeMap<StmtId, Scope>,
}

impl Lowering {
    /// A tree before the first pass.
    pub fn new(tree: Tree) -> Self {
        let used = tree.body.iter().flat_map(|&stmt| identifiers(&tree, stmt)).collect();
        let scopes = units::scopes(&tree);
        Self { tree, names: Names::new(used), scopes }
    }

    /// The facts about a function as it now is; names that only dropped statements bound are still its own.
    pub(crate) fn facts(&self, id: StmtId) -> Facts {
        let mut facts = gw_analysis::facts(&self.tree, units::function(&self.tree, id));
        if let Some(scope) = self.scopes.get(&id) {
            facts.scope.locals.extend(scope.locals.iter().cloned());
        }
        facts
    }
}

/// A lowered tree, and what was named in it.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The tree. Blocks are the functions and lambdas marked `generated`.
    pub tree: Tree,
    /// The variable that holds the operators.
    pub operators: Name,
    /// The names of the generated functions.
    pub blocks: NameSet,
}

/// Runs passes over a tree whose only statement is a function, or a lambda as an expression.
pub fn run(passes: &[Pass], tree: Tree) -> Diagnosed<Lowered> {
    let mut lowering = Lowering::new(tree);
    passes.iter().for_each(|pass| (pass.run)(&mut lowering));
    let Lowering { tree, names, .. } = lowering;
    Diagnosed::fine(Lowered { tree, operators: names.operators.clone(), blocks: names.blocks() })
}
