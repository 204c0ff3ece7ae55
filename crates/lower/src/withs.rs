//! `with a as t: b()` ⇒ two blocks, the body and what leaves the manager, and `gw__.with_stmt(manager_, with_body, with_rest, …)`.
//!
//! The second is a `try` of Python's as in [`crate::try_`], so what the graph may raise in the body is thrown into it, and
//! the manager is left once for each way out of the body. Where the body cannot be moved the statement stays, and its
//! manager is told of: `with gw__.managed(a) as t: b()`. As a pass: `with a, b: c()` ⇒ `with a: with b: c()`.

use std::collections::BTreeMap;

use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree, WithItem};

use crate::Lowering;
use crate::blocks::Blocks;
use crate::fresh::Names;
use crate::state::{Block, state};
use crate::units::{Reach, function, rewrite_bodies, set_body};

static WITH: Template = Template::new(
    "$manager = $operators.manager($context)
def $with_body():
    $body
def $with_rest($outcome):
    try:
        $operators.run($outcome)
    except:
        def $if_body():
            raise
        $operators.if_stmt($operators.leave($manager, True), $if_body, $operators.nothing, ())
    else:
        $operators.leave($manager, False)
$accessors
$operators.with_stmt($manager, $with_body, $with_rest, $name, $state)",
);
static TARGET: Template = Template::new("$target = $operators.entered($manager)");
static MANAGED: Template = Template::new("$operators.managed($context)");

/// Gives every manager a statement of its own.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
            body.iter().for_each(|&id| split(lowering, id));
            body
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn split(lowering: &mut Lowering, id: StmtId) {
    let tree = &mut lowering.tree;
    let Stmt::With { is_async: false, mut items, body } = tree[id].clone() else { return };
    if items.len() < 2 {
        return;
    }
    let rest = items.split_off(1);
    let inner = tree.stmt(tree.stmt_span(id), Stmt::With { is_async: false, items: rest, body });
    split(lowering, inner);
    lowering.tree.set_stmt(id, Stmt::With { is_async: false, items, body: vec![inner] });
}

/// Chooses a variable for the manager of each `with`: one that stands in another is in the other's block.
pub fn name_managers(tree: &Tree, names: &mut Names, body: &Body, found: &mut BTreeMap<StmtId, Name>) {
    for &id in body {
        let stmt = &tree[id];
        if matches!(stmt, Stmt::With { .. }) {
            found.insert(id, names.fresh("manager_"));
        }
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body(&mut |body| name_managers(tree, names, body, found));
        }
    }
}

/// Lowers a `with` of one manager whose body can be moved.
pub fn lower(blocks: &mut Blocks, id: StmtId, item: &WithItem, body: Body) -> Body {
    let span = blocks.tree.expr_span(item.context);
    let mut activity = blocks.facts.activities.body(blocks.tree, &body);
    let header = blocks.facts.activities.header(id);
    activity.binds.extend(header.binds.difference(&header.walrus).cloned());
    activity.stores.extend(header.stores.clone());
    let state = state(blocks.facts, id, &activity);
    let names = blocks.names;
    let operators = || ("operators", Fill::Name(names.operators.clone()));
    let named = blocks.managers.get(&id).cloned();
    let named = named.unwrap_or_else(|| names.operators.clone());
    let manager = || ("manager", Fill::Name(named.clone()));
    let (mut entered, mut name) = (Body::new(), Constant::None);
    if let Some(target) = item.target {
        if let Expr::Name(own) = &blocks.tree[target] {
            name = Constant::Str(own.to_string());
        }
        let holes = [("target", Fill::Expr(target)), operators(), manager()];
        entered = TARGET.fill(blocks.tree, blocks.tree.expr_span(target), &holes);
    }
    entered.extend(blocks.body(body));
    let block = Block { activity: &activity, state: &state, facts: blocks.facts };
    let body = block.body(blocks.tree, entered, span);
    let accessors = state.accessors(blocks.tree, names, blocks.facts, span);
    let flowing = state.argument(blocks.tree, names, blocks.facts, span);
    let name = blocks.tree.expr(span, Expr::Constant(name));
    let holes = [
        operators(),
        manager(),
        ("name", Fill::Expr(name)),
        ("context", Fill::Expr(item.context)),
        ("with_body", Fill::Name(names.with_body.clone())),
        ("body", Fill::Body(body)),
        ("with_rest", Fill::Name(names.with_rest.clone())),
        ("outcome", Fill::Name(names.outcome.clone())),
        ("if_body", Fill::Name(names.if_body.clone())),
        ("accessors", Fill::Body(accessors)),
        ("state", Fill::Expr(flowing)),
    ];
    blocks.tree.set_stmt(id, Stmt::Pass);
    WITH.fill(blocks.tree, span, &holes)
}

/// Operators that enter and leave the manager of a `with` that stays.
pub fn managed(blocks: &mut Blocks, context: ExprId) -> ExprId {
    let span = blocks.tree.expr_span(context);
    let holes = [("operators", Fill::Name(blocks.names.operators.clone())), ("context", Fill::Expr(context))];
    MANAGED.fill_expr(blocks.tree, span, &holes)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn each_manager_has_its_statement() {
        check(
            "withs",
            "def f():\n    with a as x, b, c as y:\n        d()\n    async def g():\n        async with a, b: pass\n",
            expect![[r#"
                def f():
                    with a as x:
                        with b:
                            with c as y:
                                d()
                    async def g():
                        async with a, b:
                            pass
            "#]],
        );
    }

    #[test]
    fn the_body_is_a_block_and_leaving_is_a_try() {
        check(
            "blocks",
            "def f(m):\n    with m as t:\n        x = t\n    return x\n",
            expect![[r#"
                def f(m):
                    manager_ = gw__.manager(m)
                    def with_body():
                        nonlocal t, x
                        t = gw__.entered(manager_)
                        x = t
                    def with_rest(outcome_):
                        try:
                            gw__.run(outcome_)
                        except:
                            def if_body():
                                raise
                            gw__.if_stmt(gw__.leave(manager_, True), if_body, gw__.nothing, ())
                        else:
                            gw__.leave(manager_, False)
                    gw__.with_stmt(manager_, with_body, with_rest, 't', ('t', 'x'))
                    return x
            "#]],
        );
    }

    #[test]
    fn what_a_jump_leaves_stays() {
        check(
            "blocks",
            "def f(m):\n    for x in m:\n        with m: break\n    with m: yield 1\n",
            expect![[r#"
                def f(m):
                    for x in m:
                        with gw__.managed(m):
                            break
                    with gw__.managed(m):
                        yield 1
            "#]],
        );
    }
}
