//! `[f(x) for x in xs if c]` ⇒ `gw__.kept_list(xs, lambda items_: [(c, lambda: f(x)) for x in items_][0], False)`: the test of one item,
//! and how its element is made, so that a tensor may decide which items are kept.
//!
//! The clauses behind the first are the elements of those before them, which are then put in a row: that is what the `True` at the end
//! says. An element that outlives its turn, a lambda or a generator that nobody folds, shares the variables of all turns: such a
//! comprehension stays as it is.

use gw_syntax::{Clause, CompKind, Constant, Expr, ExprId, Fill, Name, Template, Tree};

use super::FOLDS;
use super::sources::names_of;
use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::Reach;

static LIST: Template = Template::new("$operators.kept_list($iter, $parts, $flat)");
static SET: Template = Template::new("$operators.kept_set($iter, $parts, $flat)");
static DICT: Template = Template::new("$operators.kept_dict($iter, $parts, $flat)");
static GENERATOR: Template = Template::new("$operators.kept($iter, $parts, $flat)");
static FIRST: Template = Template::new("$operators.kept_first($iter, $parts, $flat)");
static PARTS: Template = Template::new("lambda $items: [($test, lambda: $element) for $target in $items][0]");

/// Functions that take all items of a generator at once, or the first one, besides [`FOLDS`].
const TAKES: &[&str] = &["list", "tuple", "sorted", "next"];

/// Lowers the comprehensions with tests of every function.
pub fn run(lowering: &mut Lowering) {
    let mut later = Vec::new();
    for id in lowering.exprs(Reach::All) {
        let Lowering { tree, names, .. } = lowering;
        if let Some(generator) = taken(tree, id) {
            lower(tree, names, generator, if is_next(tree, id) { &FIRST } else { &GENERATOR });
        }
        if let Expr::Comp { kind, .. } = tree[id] {
            match kind {
                CompKind::List => lower(tree, names, id, &LIST),
                CompKind::Set => lower(tree, names, id, &SET),
                CompKind::Generator => later.push(id),
            }
        } else if matches!(tree[id], Expr::DictComp { .. }) {
            lower(tree, names, id, &DICT);
        }
    }
    // Those that a call takes at once are calls by now.
    for id in later {
        let Lowering { tree, names, .. } = &mut *lowering;
        lower(tree, names, id, &GENERATOR);
    }
}

/// The generator expression that a call takes items of.
fn taken(tree: &Tree, id: ExprId) -> Option<ExprId> {
    let Expr::Call { func, args, .. } = &tree[id] else { return None };
    let &[generator, ..] = args.as_slice() else { return None };
    let takes = if let Expr::Name(name) = &tree[*func] {
        FOLDS.contains(&&**name) || TAKES.contains(&&**name)
    } else {
        matches!(&tree[*func], Expr::Attribute { value, attr, .. }
            if &**attr == "prod" && tree[*value] == Expr::Name("math".into()))
    };
    let is_generator = matches!(tree[generator], Expr::Comp { kind: CompKind::Generator, .. });
    (takes && is_generator).then_some(generator)
}

fn is_next(tree: &Tree, call: ExprId) -> bool {
    matches!(&tree[call], Expr::Call { func, .. } if tree[*func] == Expr::Name("next".into()))
}

fn lower(tree: &mut Tree, names: &Names, id: ExprId, template: &Template) {
    let (element, clauses) = if let Expr::DictComp { key, value, clauses } = tree[id].clone() {
        (tree.expr(tree.expr_span(key), Expr::Tuple(vec![key, value])), clauses)
    } else if let Expr::Comp { element, clauses, .. } = tree[id].clone() {
        (element, clauses)
    } else {
        return;
    };
    let has_tests = clauses.iter().any(|clause| !clause.ifs.is_empty());
    // Of sets and dicts the graph may also iterate what they run over; of lists and generators another pass knows that.
    let is_whole = std::ptr::eq(template, &SET) || std::ptr::eq(template, &DICT);
    if (has_tests || is_whole) && can_be_thunk(tree, id) && !outlives(tree, element, &clauses) {
        let lowered = kept(tree, names, template, element, &clauses);
        tree.set_expr(id, tree[lowered].clone());
    }
}

/// The call that keeps the items of the first clause, or those of the clauses behind it for each of these.
fn kept(tree: &mut Tree, names: &Names, template: &Template, element: ExprId, clauses: &[Clause]) -> ExprId {
    let [first, rest @ ..] = clauses else { return element };
    let element = if rest.is_empty() { element } else { kept(tree, names, &GENERATOR, element, rest) };
    let span = tree.expr_span(first.iter);
    let test = match first.ifs.as_slice() {
        [] => tree.expr(span, Expr::Constant(Constant::Bool(true))),
        &[test] => test,
        tests => tree.expr(span, Expr::BoolOp { op: gw_syntax::BoolOp::And, values: tests.to_vec() }),
    };
    let flat = tree.expr(span, Expr::Constant(Constant::Bool(!rest.is_empty())));
    let holes = [
        ("items", Fill::Name(names.items.clone())),
        ("test", Fill::Expr(test)),
        ("element", Fill::Expr(element)),
        ("target", Fill::Expr(first.target)),
    ];
    let parts = PARTS.fill_expr(tree, span, &holes);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("iter", Fill::Expr(first.iter)),
        ("parts", Fill::Expr(parts)),
        ("flat", Fill::Expr(flat)),
    ];
    template.fill_expr(tree, span, &holes)
}

/// True if what a turn makes may hold its variables beyond it, or if a clause runs asynchronously.
fn outlives(tree: &Tree, element: ExprId, clauses: &[Clause]) -> bool {
    let mut bound = Vec::new();
    let are_names =
        clauses.iter().all(|clause| names_of(tree, clause.target, &mut bound) && !clause.is_async);
    let inner = clauses.iter().skip(1).map(|clause| clause.iter);
    let tests = clauses.iter().flat_map(|clause| clause.ifs.iter().copied());
    !are_names || [element].into_iter().chain(inner).chain(tests).any(|part| holds_one(tree, part, &bound))
}

/// True if an expression makes a function or generator that asks for one of these names when it is called.
fn holds_one(tree: &Tree, id: ExprId, bound: &[Name]) -> bool {
    let mut inner = Vec::new();
    match taken(tree, id) {
        Some(generator) => {
            tree[id].each_expr(&mut |&expr| inner.push(expr));
            inner.retain(|&expr| expr != generator);
            tree[generator].each_expr(&mut |&expr| inner.push(expr));
        }
        None if is_later(&tree[id]) => return names_one(tree, id, bound),
        None => tree[id].each_expr(&mut |&expr| inner.push(expr)),
    }
    inner.into_iter().any(|expr| holds_one(tree, expr, bound))
}

fn is_later(expr: &Expr) -> bool {
    matches!(expr, Expr::Lambda { generated: false, .. } | Expr::Comp { kind: CompKind::Generator, .. })
}

fn names_one(tree: &Tree, id: ExprId, bound: &[Name]) -> bool {
    let mut found = matches!(&tree[id], Expr::Name(name) if bound.contains(name));
    tree[id].each_expr(&mut |&inner| found = found || names_one(tree, inner, bound));
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn lists_sets_and_dicts_with_tests() {
        check(
            "filters",
            "def f(xs, d):\n    return [x for x in xs if x if x > 1], {x for x in xs if x}, {k: v for k, v in d() if v}, [x for x in xs]\n",
            expect![[r#"
                def f(xs, d):
                    return gw__.kept_list(xs, lambda items_: [(x and x > 1, lambda: x) for x in items_][0], False), gw__.kept_set(xs, lambda items_: [(x, lambda: x) for x in items_][0], False), gw__.kept_dict(d(), lambda items_: [(v, lambda: (k, v)) for k, v in items_][0], False), [x for x in xs]
            "#]],
        );
    }

    #[test]
    fn clauses_are_put_in_a_row() {
        check(
            "filters",
            "def f(xs):\n    return [y for x in xs if x for y in x if y]\n",
            expect![[r#"
                def f(xs):
                    return gw__.kept_list(xs, lambda items_: [(x, lambda: gw__.kept(x, lambda items_: [(y, lambda: y) for y in items_][0], False)) for x in items_][0], True)
            "#]],
        );
    }

    #[test]
    fn generators_that_are_taken_at_once() {
        check(
            "filters",
            "def f(xs):\n    return sum(x for x in xs if x), next((x for x in xs if x), None), math.prod(x for x in xs if x), g(x for x in xs if x)\n",
            expect![[r#"
                def f(xs):
                    return sum(gw__.kept(xs, lambda items_: [(x, lambda: x) for x in items_][0], False)), next(gw__.kept_first(xs, lambda items_: [(x, lambda: x) for x in items_][0], False), None), math.prod(gw__.kept(xs, lambda items_: [(x, lambda: x) for x in items_][0], False)), g(gw__.kept(xs, lambda items_: [(x, lambda: x) for x in items_][0], False))
            "#]],
        );
    }

    #[test]
    fn what_outlives_a_turn_stays() {
        check(
            "filters",
            "def f(xs):\n    return [lambda: x for x in xs if x], [sum(y for y in x) for x in xs if x], [(y for y in x) for x in xs if x], [g(lambda y: y) for x in xs if x]\n",
            expect![[r#"
                def f(xs):
                    return [lambda: x for x in xs if x], gw__.kept_list(xs, lambda items_: [(x, lambda: sum(y for y in x)) for x in items_][0], False), [(y for y in x) for x in xs if x], gw__.kept_list(xs, lambda items_: [(x, lambda: g(lambda y: y)) for x in items_][0], False)
            "#]],
        );
    }
}
