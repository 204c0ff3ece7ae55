//! `sum(f(x) for x in xs if c)` ⇒ a generator that can be a loop: `sum(gw__.generator(xs, …))`; `[x for x in xs if c]` ⇒
//! `[x for x in xs if gw__.keeps(c)]`.
//!
//! Only the generators that are folded at once can be loops: what `sum`, `any`, `all`, `min` and `max` are called with.

use gw_syntax::{BoolOp, CompKind, Constant, Expr, ExprId, Fill, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::{Reach, exprs};

static GENERATOR: Template = Template::new(
    "$operators.generator($iter, lambda $items: $make, lambda $items: [($test, lambda: $element) for $target in $items][0])",
);
static KEEPS: Template = Template::new("$operators.keeps($test)");
static ITEMS: Template = Template::new("$items");

/// What folds a generator.
const FOLDS: &[&str] = &["sum", "any", "all", "min", "max"];

/// Lowers the comprehensions of every function.
pub fn run(lowering: &mut Lowering) {
    for id in exprs(lowering, Reach::All) {
        let Lowering { tree, names, .. } = lowering;
        if let Some(generator) = folded(tree, id) {
            lower(tree, names, generator);
        }
    }
    for id in exprs(lowering, Reach::All) {
        let Lowering { tree, names, .. } = lowering;
        let mut expr = tree[id].clone();
        if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &mut expr {
            for test in clauses.iter_mut().flat_map(|clause| &mut clause.ifs) {
                let holes = [("operators", Fill::Name(names.operators.clone())), ("test", Fill::Expr(*test))];
                *test = KEEPS.fill_expr(tree, tree.expr_span(*test), &holes);
            }
            tree.set_expr(id, expr);
        }
    }
}

/// The generator expression that a call folds, if it has one `for` and may be moved into thunks.
fn folded(tree: &Tree, id: ExprId) -> Option<ExprId> {
    let Expr::Call { func, args, .. } = &tree[id] else { return None };
    let (Expr::Name(name), &[generator, ..]) = (&tree[*func], args.as_slice()) else { return None };
    let Expr::Comp { kind: CompKind::Generator, clauses, .. } = &tree[generator] else { return None };
    let fits = FOLDS.contains(&&**name) && clauses.len() == 1 && !clauses[0].is_async;
    (fits && can_be_thunk(tree, generator)).then_some(generator)
}

fn lower(tree: &mut Tree, names: &Names, id: ExprId) {
    let Expr::Comp { kind, element, mut clauses } = tree[id].clone() else { return };
    let span = tree.expr_span(id);
    let items = || Fill::Name(names.items.clone());
    let (one, another) = (element, tree.duplicate(element));
    let target = tree.duplicate(clauses[0].target);
    let tests: Vec<_> = clauses[0].ifs.iter().map(|&test| tree.duplicate(test)).collect();
    let test = match tests.as_slice() {
        [] => tree.expr(span, Expr::Constant(Constant::Bool(true))),
        &[test] => test,
        _ => tree.expr(span, Expr::BoolOp { op: BoolOp::And, values: tests }),
    };
    let iter = clauses[0].iter;
    clauses[0].iter = ITEMS.fill_expr(tree, tree.expr_span(iter), &[("items", items())]);
    let make = tree.expr(span, Expr::Comp { kind, element: one, clauses });
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("items", items()),
        ("iter", Fill::Expr(iter)),
        ("make", Fill::Expr(make)),
        ("test", Fill::Expr(test)),
        ("element", Fill::Expr(another)),
        ("target", Fill::Expr(target)),
    ];
    let made = GENERATOR.fill_expr(tree, span, &holes);
    tree.set_expr(id, tree[made].clone());
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn folded_generators_and_tests() {
        check(
            "comprehensions",
            "def f(xs):\n    return sum(x * a for x in xs if x if a), [x for x in xs if x]\n",
            expect![[r#"
                def f(xs):
                    return sum(gw__.generator(xs, lambda items_: (x * a for x in items_ if gw__.keeps(x) if gw__.keeps(a)), lambda items_: [(x and a, lambda: x * a) for x in items_][0])), [x for x in xs if gw__.keeps(x)]
            "#]],
        );
        check(
            "comprehensions",
            "def f(xs):\n    return sum(y for x in xs for y in x), total(x for x in xs), sum([x for x in xs])\n",
            expect![[r#"
                def f(xs):
                    return sum(y for x in xs for y in x), total(x for x in xs), sum([x for x in xs])
            "#]],
        );
        check(
            "comprehensions",
            "def f(xs):\n    return any((y := x) for x in xs)\n",
            expect![[r#"
            def f(xs):
                return any((y := x) for x in xs)
        "#]],
        );
    }
}
