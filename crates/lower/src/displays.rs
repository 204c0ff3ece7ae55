//! `{a, b}` ⇒ `gw__.set_of((a, b))`, and `{key: value}` ⇒ `gw__.dict_of(((key, value),))`: whether a key is a value of the
//! graph is known when it runs.
//!
//! `{**d, key: value}` ⇒ `gw__.dict_of({**d, key: value})`: Python takes a dict of the graph apart there, which is refused.
//!
//! A set may get a value of the graph later, so every set is made by an operator, but for those of texts alone.

use gw_syntax::{CompKind, Constant, Expr, ExprId, Fill, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::units::Reach;

static SET: Template = Template::new("$operators.set_of($items)");
static DICT: Template = Template::new("$operators.dict_of($items)");

/// Lowers the displays of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        if let Some(made) = lower(tree, names, id) {
            tree.set_expr(id, tree[made].clone());
        }
    }
}

fn lower(tree: &mut Tree, names: &Names, id: ExprId) -> Option<ExprId> {
    let (display, span) = (tree[id].clone(), tree.expr_span(id));
    if let Expr::Dict(items) = &display {
        let is_spread = items.iter().any(|(key, _)| key.is_none());
        let pairs = if is_spread { tree.expr(span, display) } else { pairs(tree, items)? };
        return Some(call(tree, names, &DICT, pairs));
    }
    let items = if let Expr::Set(items) = display {
        if items.iter().all(|&item| is_text(tree, item)) {
            return None;
        }
        tree.expr(span, Expr::Tuple(items))
    } else if matches!(display, Expr::Comp { kind: CompKind::Set, .. }) {
        tree.expr(span, display)
    } else {
        return None;
    };
    Some(call(tree, names, &SET, items))
}

fn call(tree: &mut Tree, names: &Names, template: &Template, items: ExprId) -> ExprId {
    let holes = [("operators", Fill::Name(names.operators.clone())), ("items", Fill::Expr(items))];
    template.fill_expr(tree, tree.expr_span(items), &holes)
}

fn is_text(tree: &Tree, id: ExprId) -> bool {
    matches!(tree[id], Expr::Constant(Constant::Str(_)))
}

/// The pairs of a dict as a tuple, if a key of it may be a value of the graph.
fn pairs(tree: &mut Tree, items: &[(Option<ExprId>, ExprId)]) -> Option<ExprId> {
    let mut pairs = Vec::with_capacity(items.len());
    for &(key, value) in items {
        pairs.push((key?, value));
    }
    if pairs.iter().all(|&(key, _)| matches!(tree[key], Expr::Constant(_))) {
        return None;
    }
    let pair = |(key, value): (ExprId, ExprId)| {
        let span = tree.expr_span(key);
        tree.expr(span, Expr::Tuple(vec![key, value]))
    };
    let pairs: Vec<_> = pairs.into_iter().map(pair).collect();
    let span = tree.expr_span(*pairs.first()?);
    Some(tree.expr(span, Expr::Tuple(pairs)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn displays_of_sets_and_of_dicts_with_computed_keys() {
        check(
            "displays",
            "def f(k, v, d):\n    return {k, 1}, {'a'}, {x for x in v}, {k: v, 1: 2}, {1: k}, {**d, k: 1}\n",
            expect![[r#"
                def f(k, v, d):
                    return gw__.set_of((k, 1)), {'a'}, gw__.set_of({x for x in v}), gw__.dict_of(((k, v), (1, 2))), {1: k}, gw__.dict_of({**d, k: 1})
            "#]],
        );
    }
}
