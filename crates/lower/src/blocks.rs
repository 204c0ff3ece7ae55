//! `if`, `while`, `for`, `try` and `with` become blocks given to an operator, where their bodies can be moved; see `if_`,
//! `while_`, `for_`, `try_`, `withs`. A statement that a jump leaves, or that suspends a generator or coroutine, stays native, with lowered
//! statements inside.

use std::collections::{BTreeMap, BTreeSet};

use gw_analysis::{Anew, Facts, assigned};
use gw_syntax::{Body, Expr, Name, Stmt, StmtId, Tree, UnaryOp};

use crate::fresh::Names;
use crate::jumps::escapes;
use crate::state::state;
use crate::units::{Reach, expr_suspends, function, set_body, suspended};
use crate::{Lowering, for_, if_, try_, while_, withs};

/// Turns statements of every function into blocks.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let mut facts = lowering.known.remove(&id).unwrap_or_else(|| lowering.facts(id));
        let body = &function(&lowering.tree, id).body;
        let mut suspends = BTreeSet::new();
        if lowering.reach(id) == Reach::Suspends {
            suspended(&lowering.tree, body, &mut suspends);
        }
        let mut anew = Anew::new();
        inner_names(&lowering.tree, &facts, &suspends, body, &mut anew);
        if anew.values().any(|names| !names.is_empty()) {
            facts.assigned = assigned(&lowering.tree, function(&lowering.tree, id), &facts.activities, &anew);
        }
        let Lowering { tree, names, .. } = lowering;
        let body = function(tree, id).body.clone();
        let mut managers = BTreeMap::new();
        withs::name_managers(tree, names, &body, &mut managers);
        let body = Blocks { tree, names, facts: &facts, suspends: &suspends, managers: &managers }.body(body);
        set_body(tree, id, body);
    }
}

/// The names that each statement keeps inside its blocks: there they are other variables than outside.
fn inner_names(tree: &Tree, facts: &Facts, suspends: &BTreeSet<StmtId>, body: &Body, found: &mut Anew) {
    for &id in body {
        let stmt = &tree[id];
        if matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            continue;
        }
        let mut inside = Body::new();
        stmt.each_body(&mut |body| inside.extend(body));
        inner_names(tree, facts, suspends, &inside, found);
        if is_statement_with_blocks(stmt) && is_movable(tree, facts, suspends, id) {
            let mut activity = facts.activities.body(tree, &inside);
            activity.binds.extend(facts.activities.header(id).binds.iter().cloned());
            found.insert(id, state(facts, id, &activity).inner);
        }
    }
}

fn is_statement_with_blocks(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::If { .. } | Stmt::While { .. } | Stmt::For { .. } | Stmt::Try { .. } | Stmt::With { .. }
    )
}

/// True if the bodies of a statement, and the test of a loop, can become functions.
pub fn is_movable(tree: &Tree, facts: &Facts, suspends: &BTreeSet<StmtId>, id: StmtId) -> bool {
    let alone =
        matches!(tree[id], Stmt::While { test, .. } if !suspends.is_empty() && expr_suspends(tree, test));
    let alone = alone || matches!(tree[id], Stmt::For { is_async: true, .. });
    let alone =
        alone || matches!(&tree[id], Stmt::With { is_async, items, .. } if *is_async || items.len() > 1);
    let alone =
        alone || (matches!(tree[id], Stmt::Try { .. }) && !try_::has_thunks(tree, facts, suspends, id));
    let mut movable = facts.liveness.knows(id) && !alone;
    tree[id].each_body(&mut |body| {
        movable = movable && !escapes(tree, body) && !body.iter().any(|inner| suspends.contains(inner));
    });
    movable
}

/// Context in which the blocks of one function are made.
pub struct Blocks<'a> {
    /// The tree.
    pub tree: &'a mut Tree,
    /// The generated names.
    pub names: &'a Names,
    /// Facts about the function before any block was made.
    pub facts: &'a Facts,
    /// The statements that suspend a generator or coroutine: no other function can run them.
    pub suspends: &'a BTreeSet<StmtId>,
    /// The variable for the manager of each `with`.
    pub managers: &'a BTreeMap<StmtId, Name>,
}

impl Blocks<'_> {
    /// The statements with blocks made of them.
    pub fn body(&mut self, body: Body) -> Body {
        body.into_iter().flat_map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, id: StmtId) -> Body {
        let stmt = self.tree[id].clone();
        let movable = is_movable(self.tree, self.facts, self.suspends, id);
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
        } else if let Stmt::Try { .. } = stmt {
            try_::lower(self, id, stmt)
        } else if let Stmt::With { items, body, .. } = stmt {
            withs::lower(self, id, &items[0], body)
        } else {
            self.native(id, stmt)
        }
    }

    fn native(&mut self, id: StmtId, mut stmt: Stmt) -> Body {
        stmt.each_body_mut(&mut |body| *body = self.body(std::mem::take(body)));
        if let Stmt::With { is_async: false, items, .. } = &mut stmt {
            items.iter_mut().for_each(|item| item.context = withs::managed(self, item.context));
        }
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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn what_suspends_stays() {
        check(
            "blocks",
            "def f(a, b):\n    while a:\n        if b: x = 1\n        else: x = 2\n        yield x\n        a -= 1\n",
            expect![[r#"
                def f(a, b):
                    while a:
                        def if_body():
                            nonlocal x
                            x = 1
                        def if_orelse():
                            nonlocal x
                            x = 2
                        gw__.if_stmt(b, if_body, if_orelse, ('x',))
                        yield x
                        a -= 1
            "#]],
        );
        check(
            "blocks",
            "async def f(xs):\n    async for x in xs:\n        y = x\n    while await g(): y = 1\n    for x in y: x()\n",
            expect![[r#"
                async def f(xs):
                    async for x in xs:
                        y = x
                    while await g():
                        y = 1
                    def loop_body(item_):
                        x = item_
                        x()
                    gw__.for_stmt(y, None, loop_body, ())
            "#]],
        );
    }
}
