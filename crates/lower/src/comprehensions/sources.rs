//! `for x in (f(k) for k in ks if c): body` ⇒ `for k_ in ks: if gw__.yielded(c): x = gw__.yielded(lambda: f(k_)); body`.
//!
//! A generator expression that a loop runs over is part of the loop, which may then be one of the graph. Its variables get names
//! of their own. What holds them beyond one turn, a lambda or another generator, stays in a generator. What reads a
//! name of the function that may have no value stays there too: a generator raises `NameError`, a function `UnboundLocalError`.

use gw_analysis::Facts;
use gw_syntax::{CompKind, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::{Reach, function, rewrite_bodies, set_body};

static YIELDED: Template = Template::new("$operators.yielded(lambda: $value)");
static TURN: Template = Template::new("$target = $value");
static KEPT: Template = Template::new("if $test:\n    $turn");

/// Takes such generators apart in every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::All) {
        let facts = lowering.facts(id);
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
            body.iter().for_each(|&id| in_stmt(lowering, &facts, id));
            body
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn in_stmt(lowering: &mut Lowering, facts: &Facts, id: StmtId) {
    let Lowering { tree, names, .. } = lowering;
    let Stmt::For { is_async: false, target, iter, guard, body, orelse } = tree[id].clone() else { return };
    let Expr::Comp { kind: CompKind::Generator, element, clauses } = tree[iter].clone() else { return };
    let [clause] = &clauses[..] else { return };
    let mut bound = Vec::new();
    let parts: Vec<ExprId> = [element].into_iter().chain(clause.ifs.iter().copied()).collect();
    let fits = names_of(tree, clause.target, &mut bound) && !clause.is_async;
    let may_raise = |expr: &Expr| matches!(expr, Expr::Name(name) if !bound.contains(name) && may_be_unbound(facts, id, name));
    if !fits || !parts.iter().all(|&part| can_move(tree, part, &bound) && !holds(tree, part, &may_raise)) {
        return;
    }
    for name in &bound {
        let own = names.fresh(&format!("{name}_"));
        for &part in parts.iter().chain([&clause.target]) {
            rename(tree, part, name, &own);
        }
    }
    let value = yielded(tree, names, element);
    let holes = [("target", Fill::Expr(target)), ("value", Fill::Expr(value))];
    let mut turn = [TURN.fill(tree, tree.expr_span(target), &holes), body].concat();
    for &test in clause.ifs.iter().rev() {
        let asked = yielded(tree, names, test);
        let holes = [("test", Fill::Expr(asked)), ("turn", Fill::Body(turn))];
        turn = KEPT.fill(tree, tree.expr_span(test), &holes);
    }
    let (target, iter) = (clause.target, clause.iter);
    tree.set_stmt(id, Stmt::For { is_async: false, target, iter, guard, body: turn, orelse });
}

/// True if a name of the function may have no value in a turn of a loop.
fn may_be_unbound(facts: &Facts, turn: StmtId, name: &Name) -> bool {
    let is_deleted = || facts.activities.all.deletes.contains(name);
    facts.scope.locals.contains(name) && (!facts.assigned.surely(turn, name) || is_deleted())
}

/// A part of a generator as it is evaluated in one: what it calls may raise `StopIteration`, which ends no loop.
fn yielded(tree: &mut Tree, names: &Names, value: ExprId) -> ExprId {
    if !holds(tree, value, &|expr| matches!(expr, Expr::Call { .. })) {
        return value;
    }
    let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
    YIELDED.fill_expr(tree, tree.expr_span(value), &holes)
}

/// The names in a target; `false` if there is anything else.
pub fn names_of(tree: &Tree, target: ExprId, found: &mut Vec<Name>) -> bool {
    if let Expr::Name(name) = &tree[target] {
        found.push(name.clone());
        return true;
    }
    if let Expr::Starred(item) = tree[target] {
        return names_of(tree, item, found);
    }
    let (Expr::Tuple(items) | Expr::List(items)) = &tree[target] else { return false };
    items.iter().all(|&item| names_of(tree, item, found))
}

/// True if a part of a generator says the same outside of it, under other names.
fn can_move(tree: &Tree, part: ExprId, bound: &[Name]) -> bool {
    let binds_one = |target: ExprId| {
        let mut own = Vec::new();
        !names_of(tree, target, &mut own) || own.iter().any(|name| bound.contains(name))
    };
    let stays = |expr: &Expr| {
        if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = expr {
            return matches!(expr, Expr::Comp { kind: CompKind::Generator, .. })
                || clauses.iter().any(|clause| binds_one(clause.target));
        }
        matches!(expr, Expr::Lambda { .. }) || matches!(expr, Expr::Call { func, .. } if is_next(tree, *func))
    };
    can_be_thunk(tree, part) && !holds(tree, part, &stays)
}

/// True of what asks an iterator: where that ends a graph's iterator, a generator raises `RuntimeError`.
fn is_next(tree: &Tree, callee: ExprId) -> bool {
    matches!(&tree[callee], Expr::Name(name) | Expr::Attribute { attr: name, .. }
        if matches!(&**name, "next" | "__next__" | "get_next"))
}

/// True if an expression is, or holds, one of a kind.
fn holds(tree: &Tree, id: ExprId, kind: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = kind(&tree[id]);
    tree[id].each_expr(&mut |&inner| found = found || holds(tree, inner, kind));
    found
}

/// Gives a name another one wherever an expression has it.
fn rename(tree: &mut Tree, id: ExprId, name: &Name, own: &Name) {
    if tree[id] == Expr::Name(name.clone()) {
        return tree.set_expr(id, Expr::Name(own.clone()));
    }
    let mut inner = Vec::new();
    tree[id].each_expr(&mut |&expr| inner.push(expr));
    inner.into_iter().for_each(|expr| rename(tree, expr, name, own));
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn a_generator_is_part_of_the_loop_over_it() {
        check(
            "sources",
            "def f(xs):\n    for x in (k * k for k in xs): x()\n    for a, b in ((i, g(v)) for i, v in h(xs) if i if g(i)):\n        if a: break\n    else: b()\n",
            expect![[r#"
                def f(xs):
                    for k_ in xs:
                        x = k_ * k_
                        x()
                    for i_, v_ in h(xs):
                        if i_:
                            if gw__.yielded(lambda: g(i_)):
                                a, b = gw__.yielded(lambda: (i_, g(v_)))
                                if a:
                                    break
                    else:
                        b()
            "#]],
        );
    }

    #[test]
    fn names_that_may_have_no_value_are_read_in_a_generator() {
        check(
            "sources",
            "def f(xs, p):\n    if p: a = p\n    b = p\n    for x in (a for k in xs if b if a): x()\n    for x in (p + G for k in xs):\n        del p\n",
            expect![[r#"
                def f(xs, p):
                    if p:
                        a = p
                    b = p
                    for x in (a for k in xs if b if a):
                        x()
                    for x in (p + G for k in xs):
                        del p
            "#]],
        );
    }

    #[test]
    fn what_outlives_a_turn_stays() {
        check(
            "sources",
            "def f(xs):\n    for x in ((lambda: k) for k in xs): x()\n    for x in ([k for k in b] for k in xs): x()\n    for x in (b for a in xs for b in a): x()\n    for x in (next(k) for k in xs): x()\n",
            expect![[r#"
                def f(xs):
                    for x in (lambda: k for k in xs):
                        x()
                    for x in ([k for k in b] for k in xs):
                        x()
                    for x in (b for a in xs for b in a):
                        x()
                    for x in (next(k) for k in xs):
                        x()
            "#]],
        );
    }
}
