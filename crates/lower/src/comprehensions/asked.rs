//! `set(f(x) for x in xs)` ⇒ `set(gw__.made(xs, …, lambda items_: [(True, lambda: f(x)) for x in items_][0]))`: of a generator
//! that a call, a display, a comprehension or `in` takes the items of, the element of one item too, so that the graph may iterate `xs`.

use std::collections::HashSet;

use gw_syntax::{CmpOp, CompKind, Expr, ExprId, Fill, Template, Tree};

use super::{is_plain_generator, over_items, parts};
use crate::Lowering;
use crate::fresh::Names;
use crate::units::Reach;

static MADE: Template = Template::new(
    "$operators.made($iter, lambda $items: $make, lambda $items: [(True, lambda: $element) for $target in $items][0])",
);

/// Generators whose items are asked for where they stand, with one `for` and no test; of those inside the element of
/// another none, since that is written twice.
pub fn generators(lowering: &Lowering) -> Vec<ExprId> {
    let tree = &lowering.tree;
    let places = lowering.exprs(Reach::All);
    let mut found: Vec<_> = places.iter().flat_map(|&id| asked(tree, id)).collect();
    found.retain(|&id| is_plain_generator(tree, id) && is_simple(tree, id));
    let inner: HashSet<_> = found.iter().flat_map(|&id| written_twice(tree, id)).collect();
    found.retain(|id| !inner.contains(id));
    found
}

fn written_twice(tree: &Tree, id: ExprId) -> HashSet<ExprId> {
    let Expr::Comp { element, .. } = tree[id] else { return HashSet::new() };
    parts(tree, element).into_iter().chain([element]).collect()
}

/// The expressions whose items one takes.
fn asked(tree: &Tree, id: ExprId) -> Vec<ExprId> {
    if let Expr::Call { args, .. } = &tree[id] {
        return args.clone();
    }
    if let Expr::Starred(value) = tree[id] {
        return vec![value];
    }
    if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &tree[id] {
        return vec![clauses[0].iter];
    }
    let Expr::Compare { rest, .. } = &tree[id] else { return Vec::new() };
    let is_sought = |op: CmpOp| matches!(op, CmpOp::In | CmpOp::NotIn);
    rest.iter().filter(|(op, _)| is_sought(*op)).map(|&(_, right)| right).collect()
}

fn is_simple(tree: &Tree, id: ExprId) -> bool {
    let Expr::Comp { kind: CompKind::Generator, clauses, .. } = &tree[id] else { return false };
    matches!(&clauses[..], [clause] if clause.ifs.is_empty())
}

/// Lowers one of them.
pub fn lower(tree: &mut Tree, names: &Names, id: ExprId) {
    let Expr::Comp { element, clauses, .. } = tree[id].clone() else { return };
    let span = tree.expr_span(id);
    let another = tree.duplicate(element);
    let target = tree.duplicate(clauses[0].target);
    let (iter, make) = over_items(tree, names, id);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("items", Fill::Name(names.items.clone())),
        ("iter", Fill::Expr(iter)),
        ("make", Fill::Expr(make)),
        ("element", Fill::Expr(another)),
        ("target", Fill::Expr(target)),
    ];
    let lowered = MADE.fill_expr(tree, span, &holes);
    tree.set_expr(id, tree[lowered].clone());
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn generators_that_are_asked_where_they_stand() {
        check(
            "comprehensions",
            "def f(xs):\n    return set(g(x) for x in xs), [*(x for x in xs)], 1 in (x for x in xs), g(h(y for y in x) for x in xs)\n",
            expect![[r#"
                def f(xs):
                    return set(gw__.made(xs, lambda items_: (g(x) for x in items_), lambda items_: [(True, lambda: g(x)) for x in items_][0])), [*gw__.made(xs, lambda items_: (x for x in items_), lambda items_: [(True, lambda: x) for x in items_][0])], 1 in gw__.made(xs, lambda items_: (x for x in items_), lambda items_: [(True, lambda: x) for x in items_][0]), g(gw__.made(xs, lambda items_: (h(gw__.made(x, lambda items_: (y for y in items_))) for x in items_), lambda items_: [(True, lambda: h(gw__.made(x, lambda items_: (y for y in items_)))) for x in items_][0]))
            "#]],
        );
        check(
            "comprehensions",
            "def f(xs):\n    xs = (x for x in xs)\n    return g(y for x in xs for y in x)\n",
            expect![[r#"
                def f(xs):
                    xs = gw__.made(xs, lambda items_: (x for x in items_))
                    return g(gw__.made(xs, lambda items_: (y for x in items_ for y in x)))
            "#]],
        );
    }
}
