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
mod captured;
mod comprehensions;
mod conditional;
mod continues;
mod declare;
mod displays;
mod finals;
mod for_;
mod fresh;
mod generators;
mod handlers;
mod if_;
mod jumps;
mod landings;
mod logic;
mod managers;
mod matches;
pub mod operators;
mod overrides;
mod pattern;
mod refusals;
mod returns;
mod skip;
mod state;
mod subscripts;
mod supers;
mod tries;
mod truths;
mod try_;
mod unbound;
mod units;
mod unreachable;
mod while_;
mod withs;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod pass_tests;

use std::collections::BTreeMap;

use gw_analysis::{Facts, NameSet, Scope};
use gw_base::Diagnosed;
use gw_syntax::{Expr, Name, Stmt, StmtId, Tree};

use crate::units::Reach;

pub use fresh::{Names, RETURNED};
pub use gw_analysis::{Chain, GLOBALS, IMPORTED, Parameter, Passed, Reads, Step, identifiers, reads};

/// One step of lowering.
pub struct Pass {
    /// As it is named in dumps and blamed in errors.
    pub name: &'static str,
    /// Whether it may find something to do; most trees lack what most passes look for.
    pub concerns: fn(&Tree) -> bool,
    /// What it does.
    pub run: fn(&mut Lowering),
}

macro_rules! passes {
    ($($file:ident ($($needed:tt)*),)*) => {
        /// Every pass, in the order in which they run, with the nodes without which it has nothing to do.
        ///
        /// Unreachable statements go first, then `match` and jumps: they make `if`s; a `with` is one of one manager by
        /// then, no `finally` that always jumps is left, and a jump leaves one at a time. Then reads of undefined names,
        /// because blocks hide where a name is undefined; then `except`s and blocks; expressions last, so that the tests of
        /// blocks are lowered too.
        pub const PASSES: &[Pass] = &[$(Pass {
            name: stringify!($file),
            concerns: passes!(@ $($needed)*),
            run: $file::run,
        }),*];
    };
    (@ any) => { |_| true };
    (@ if $concerns:path) => { $concerns };
    (@ stmts $($needed:tt)*) => { |tree| tree.stmts().any(|stmt| matches!(stmt, $($needed)*)) };
    (@ exprs $($needed:tt)*) => { |tree| tree.exprs().any(|expr| matches!(expr, $($needed)*)) };
}

passes![
    annotations(stmts Stmt::AnnAssign { .. } | Stmt::Global(_) | Stmt::Nonlocal(_)),
    unreachable(stmts Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break | Stmt::Continue),
    matches(stmts Stmt::Match { .. }),
    withs(stmts Stmt::With { .. }),
    overrides(stmts Stmt::Try { .. }),
    landings(stmts Stmt::With { .. } | Stmt::Try { .. }),
    returns(stmts Stmt::Return(_)),
    breaks(stmts Stmt::Break),
    continues(stmts Stmt::Continue),
    truths(exprs Expr::BoolOp { .. }),
    unbound(any),
    finals(stmts Stmt::Try { .. }),
    handlers(stmts Stmt::Try { .. }),
    blocks(stmts Stmt::If { .. } | Stmt::While { .. } | Stmt::For { .. } | Stmt::Try { .. } | Stmt::With { .. }),
    asserts(stmts Stmt::Assert { .. } | Stmt::Raise { exc: Some(_), .. }),
    tries(stmts Stmt::Try { .. }),
    refusals(stmts Stmt::Try { .. }),
    comprehensions(exprs Expr::Comp { .. } | Expr::DictComp { .. }),
    conditional(exprs Expr::IfExp { .. }),
    logic(exprs Expr::BoolOp { .. } | Expr::UnaryOp { .. } | Expr::Compare { .. }),
    subscripts(if subscripts::concerns),
    displays(exprs Expr::Set(_) | Expr::Dict(_) | Expr::Comp { .. }),
    calls(exprs Expr::Call { .. }),
    supers(exprs Expr::Name(name) if &**name == "super"),
    declare(any),
];

/// A tree on its way through the passes.
pub struct Lowering {
    /// The tree.
    pub tree: Tree,
    /// Names that the user does not use.
    pub names: Names,
    /// The functions of the user, as they were before any pass.
    pub(crate) units: BTreeMap<StmtId, Unit>,
    /// Facts that one pass found and that still hold for the next.
    pub(crate) known: BTreeMap<StmtId, Facts>,
}

/// A function of the user's before any pass.
pub(crate) struct Unit {
    pub(crate) scope: Scope,
    pub(crate) reach: Reach,
}

impl Lowering {
    /// A tree before the first pass.
    pub fn new(tree: Tree) -> Self {
        let used = tree.body.iter().flat_map(|&stmt| identifiers(&tree, stmt)).collect();
        Self::with(tree, Names::new(used))
    }

    fn with(tree: Tree, names: Names) -> Self {
        let units = units::functions(&tree).into_iter().map(|id| (id, Unit::new(&tree, id))).collect();
        Self { tree, names, units, known: BTreeMap::new() }
    }

    /// The facts about a function as it now is; names that only dropped statements bound are still its own.
    pub(crate) fn facts(&self, id: StmtId) -> Facts {
        let mut facts = gw_analysis::facts(&self.tree, units::function(&self.tree, id));
        if let Some(unit) = self.units.get(&id) {
            facts.scope.locals.extend(unit.scope.locals.iter().cloned());
        }
        facts
    }

    /// How far a function is lowered: passes neither add nor remove what decides that.
    pub(crate) fn reach(&self, id: StmtId) -> Reach {
        let known = self.units.get(&id).map(|unit| unit.reach);
        known.unwrap_or_else(|| units::reach(&self.tree, units::function(&self.tree, id)))
    }

    /// The functions of the user that reach at least `least`, outer ones first.
    pub(crate) fn functions(&self, least: Reach) -> Vec<StmtId> {
        let mut all = units::functions(&self.tree);
        all.retain(|&id| self.reach(id) >= least);
        all
    }
}

impl Unit {
    fn new(tree: &Tree, id: StmtId) -> Self {
        let function = units::function(tree, id);
        Self { scope: gw_analysis::scope(tree, function), reach: units::reach(tree, function) }
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
    pass_over(passes, Lowering::new(tree))
}

/// What else than itself a generator may become; each is another function of lowered code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// One that gives what it yields to the operator `emit`.
    Emitting,
    /// One that runs the body of a `with` by the operator `within`.
    Managing,
}

/// The same for a generator that is to be another function; none if it is not one that can.
pub fn run_pushed(passes: &[Pass], tree: Tree, pushed: Pushed) -> Option<Diagnosed<Lowered>> {
    let mut lowering = Lowering::new(tree);
    let can = match pushed {
        Pushed::Emitting => generators::push(&mut lowering),
        Pushed::Managing => managers::push(&mut lowering),
    };
    if !can {
        return None;
    }
    let Lowering { tree, names, .. } = lowering;
    Some(pass_over(passes, Lowering::with(tree, names)))
}

fn pass_over(passes: &[Pass], mut lowering: Lowering) -> Diagnosed<Lowered> {
    for pass in passes {
        if (pass.concerns)(&lowering.tree) {
            (pass.run)(&mut lowering);
        }
    }
    let Lowering { tree, names, .. } = lowering;
    Diagnosed::fine(Lowered { tree, operators: names.operators.clone(), blocks: names.blocks() })
}
