//! `if`, `while` and `for` become blocks given to an operator, where their bodies can be moved; see `if_`, `while_`,
//! `for_`. A statement that a jump leaves stays native, with lowered statements inside.

use gw_analysis::{Anew, Facts, assigned};
use gw_syntax::{Body, Expr, Stmt, StmtId, Tree, UnaryOp};

use crate::fresh::Names;
use crate::jumps::escapes;
use crate::state::state;
use crate::units::{function, lowered_functions, set_body};
use crate::{Lowering, for_, if_, while_};

/// Turns statements of every function into blocks.
pub fn run(lowering: &mut Lowering) {
    for id in lowered_functions(&lowering.tree) {
        let mut facts = lowering.facts(id);
        let body = &function(&lowering.tree, id).body;
        let mut anew = Anew::new();
        inner_names(&lowering.tree, &facts, body, &mut anew);
        facts.assigned = assigned(&lowering.tree, function(&lowering.tree, id), &facts.activities, &anew);
        let Lowering { tree, names, .. } = lowering;
        let body = function(tree, id).body.clone();
        let body = Blocks { tree, names, facts: &facts }.body(body);
        set_body(tree, id, body);
    }
}

/// The names that each statement keeps inside its blocks: there they are other variables than outside.
fn inner_names(tree: &Tree, facts: &Facts, body: &Body, found: &mut Anew) {
    for &id in body {
        let stmt = &tree[id];
        if matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            continue;
        }
        let mut inside = Body::new();
        stmt.each_body(&mut |body| inside.extend(body));
        inner_names(tree, facts, &inside, found);
        if matches!(stmt, Stmt::If { .. } | Stmt::While { .. } | Stmt::For { .. })
            && is_movable(tree, facts, id)
        {
            let mut activity = facts.activities.body(tree, &inside);
            activity.binds.extend(facts.activities.header(id).binds.iter().cloned());
            found.insert(id, state(facts, id, &activity).inner);
        }
    }
}

/// Whether the bodies of a statement can become functions.
fn is_movable(tree: &Tree, facts: &Facts, id: StmtId) -> bool {
    let mut movable = facts.liveness.knows(id);
    tree[id].each_body(&mut |body| movable = movable && !escapes(tree, body));
    movable
}

/// What is needed to make blocks in one function.
pub struct Blocks<'a> {
    /// The tree.
    pub tree: &'a mut Tree,
    /// The generated names.
    pub names: &'a Names,
    /// What was true of the function before any block was made.
    pub facts: &'a Facts,
}

impl Blocks<'_> {
    /// The statements with blocks made of them.
    pub fn body(&mut self, body: Body) -> Body {
        body.into_iter().flat_map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, id: StmtId) -> Body {
        let stmt = self.tree[id].clone();
        let movable = is_movable(self.tree, self.facts, id);
        if matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            vec![id]
        } else if !movable {
            self.native(id, stmt)
        } else if let Stmt::If { test, body, orelse } = stmt {
            if_::lower(self, id, test, [body, orelse])
        } else if let Stmt::While { test, body, orelse } = stmt {
            let mut out = while_::lower(self, id, test, body);
            out.extend(self.body(orelse));
            out
        } else if let Stmt::For { is_async: false, target, iter, guard, body, orelse } = stmt {
            let mut out = for_::lower(self, id, for_::For { target, iter, guard, body });
            out.extend(self.body(orelse));
            out
        } else {
            self.native(id, stmt)
        }
    }

    fn native(&mut self, id: StmtId, mut stmt: Stmt) -> Body {
        stmt.each_body_mut(&mut |body| *body = self.body(std::mem::take(body)));
        if let Stmt::For { guard, body, .. } = &mut stmt
            && let Some(guard) = guard.take()
        {
            body.push(self.leave_unless(id, guard));
        }
        self.tree.set_stmt(id, stmt);
        vec![id]
    }

    /// `if flag: break` at the end of a native loop, for a guard `not flag`.
    fn leave_unless(&mut self, id: StmtId, guard: gw_syntax::ExprId) -> StmtId {
        let span = self.tree.expr_span(guard);
        let test = if let Expr::UnaryOp { op: UnaryOp::Not, operand } = self.tree[guard] {
            operand
        } else {
            self.tree.expr(span, Expr::UnaryOp { op: UnaryOp::Not, operand: guard })
        };
        let leave = self.tree.stmt(self.tree.stmt_span(id), Stmt::Break);
        self.tree.stmt(span, Stmt::If { test, body: vec![leave], orelse: Body::new() })
    }
}
