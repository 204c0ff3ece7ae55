//! Python with native control flow becomes Python that calls operators; one file per construct.
//!
//! A pass keeps the meaning for Python values exactly: what it cannot keep, it leaves native. *Lowered* means that a
//! statement became blocks (nested functions) given to an operator; *native* means left as it was written. No pass calls
//! another; their order is written in [`PASSES`] alone.

mod annotations;
mod asserts;
mod attributes;
mod binaries;
mod blocks;
mod breaks;
mod calls;
mod captured;
mod comprehensions;
mod conditional;
mod continues;
mod declare;
mod displays;
mod finallies;
mod finals;
mod for_;
mod fresh;
mod generators;
mod handlers;
mod if_;
mod jumps;
mod landings;
mod logic;
mod lowering;
mod managers;
mod matches;
pub mod operators;
mod overrides;
mod pattern;
mod refusals;
mod returns;
mod skip;
mod state;
mod stores;
mod subscripts;
mod supers;
mod targets;
mod texts;
mod told;
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

use gw_analysis::NameSet;
use gw_base::Diagnosed;
use gw_syntax::{Expr, Name, Stmt, Tree};

use binaries::{powers, unions};
use comprehensions::{filters, sources};
pub use fresh::{Names, RETURNED, RETURNED_BEFORE};
pub use gw_analysis::{Chain, GLOBALS, IMPORTED, Parameter, Passed, Reads, Step, identifiers, reads};
pub use lowering::Lowering;
use stores::{filled, stored};

/// One step of lowering.
pub struct Pass {
    /// As it is named in dumps and blamed in errors.
    pub name: &'static str,
    /// True if it may find something to do; most trees lack what most passes look for.
    pub concerns: fn(&Tree) -> bool,
    /// Function that executes the pass.
    pub run: fn(&mut Lowering),
}

macro_rules! passes {
    ($($file:ident ($($needed:tt)*),)*) => {
        /// Every pass, in the order in which they run, with the nodes without which it has nothing to do.
        ///
        /// Generators that loops run over become parts of them; unreachable statements go, then `match` and jumps: they make `if`s; a `with` is one of one manager by
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
    sources(exprs Expr::Comp { kind: gw_syntax::CompKind::Generator, .. }),
    unreachable(stmts Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break | Stmt::Continue),
    matches(stmts Stmt::Match { .. }),
    withs(stmts Stmt::With { .. }),
    overrides(stmts Stmt::Try { .. }),
    landings(stmts Stmt::With { .. } | Stmt::Try { .. }),
    returns(stmts Stmt::Return(_)),
    breaks(stmts Stmt::Break),
    continues(stmts Stmt::Continue),
    truths(exprs Expr::BoolOp { .. }),
    unions(if unions::concerns),
    stored(if stored::concerns),
    filled(if filled::concerns),
    unbound(any),
    finals(stmts Stmt::Try { .. }),
    handlers(stmts Stmt::Try { .. }),
    blocks(stmts Stmt::If { .. } | Stmt::While { .. } | Stmt::For { .. } | Stmt::Try { .. } | Stmt::With { .. }),
    asserts(stmts Stmt::Assert { .. } | Stmt::Raise { exc: Some(_), .. }),
    tries(stmts Stmt::Try { .. }),
    refusals(stmts Stmt::Try { .. }),
    filters(exprs Expr::Comp { .. } | Expr::DictComp { .. }),
    comprehensions(exprs Expr::Comp { .. } | Expr::DictComp { .. }),
    conditional(exprs Expr::IfExp { .. }),
    logic(exprs Expr::BoolOp { .. } | Expr::UnaryOp { .. } | Expr::Compare { .. }),
    attributes(if attributes::concerns),
    powers(exprs Expr::BinOp { op: gw_syntax::Operator::Pow, .. }),
    targets(if targets::concerns),
    subscripts(if subscripts::concerns),
    displays(exprs Expr::Set(_) | Expr::Dict(_) | Expr::Comp { .. }),
    calls(exprs Expr::Call { .. }),
    texts(exprs Expr::FString(_)),
    supers(exprs Expr::Name(name) if &**name == "super"),
    declare(any),
];

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

/// Other functions of lowered code that a generator may become.
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
