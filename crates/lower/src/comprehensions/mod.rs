//! `sum(f(x) for x in xs if c)` ⇒ a generator that can be a loop: `sum(gw__.generator(xs, …))`; `[x for x in xs if c]` ⇒
//! `[x for x in xs if gw__.keeps(c)]`.
//!
//! `[f(i) for i in range(n)]` ⇒ `gw__.listed(range(n), …)`, so that a list comprehension over a range or a name can be a loop
//! too.
//!
//! Generators that are folded at once can be loops: what `sum`, `any`, `all`, `min` and `max` are called with. Of others it is noted where
//! they are made, `g = (f(x) for x in xs)` ⇒ `g = gw__.made(xs, …, lambda items_: [(True, lambda: f(x)) for x in items_][0])`, with the element
//! of one item, so that the graph may iterate `xs`.

pub mod filters;
pub mod sources;

use std::collections::HashSet;

use gw_syntax::{BoolOp, CompKind, Constant, Expr, ExprId, Fill, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::Reach;

static LISTED: Template = Template::new(
    "$operators.listed($iter, lambda $items: $make, lambda $items: [($test, lambda: $element) for $target in $items][0])",
);
static GENERATOR: Template = Template::new(
    "$operators.generator($iter, lambda $items: $make, lambda $items: [($test, lambda: $element) for $target in $items][0])",
);
static MADE: Template = Template::new("$operators.made($iter, lambda $items: $make)");
static MADE_OF_ITEMS: Template = Template::new(
    "$operators.made($iter, lambda $items: $make, lambda $items: [($test, lambda: $element) for $target in $items][0])",
);
static KEEPS: Template = Template::new("$operators.keeps($test)");
static ITEMS: Template = Template::new("$items");

/// Functions that fold a generator.
pub const FOLDS: &[&str] = &["sum", "any", "all", "min", "max"];

/// Lowers the comprehensions of every function.
pub fn run(lowering: &mut Lowering) {
    let mut made = HashSet::new();
    for id in lowering.exprs(Reach::All) {
        let Lowering { tree, names, .. } = lowering;
        if let Some(generator) = folded(tree, id) {
            made.insert(lower(tree, names, generator, &GENERATOR));
        }
    }
    for id in lists_that_loop(lowering) {
        lower(&mut lowering.tree, &lowering.names, id, &LISTED);
    }
    mark_tests(lowering);
    note_others(lowering, &made);
}

/// Marks the tests of comprehensions that Python runs.
fn mark_tests(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::All) {
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

/// Notes the generators that no call folds.
fn note_others(lowering: &mut Lowering, folded: &HashSet<ExprId>) {
    let all = lowering.exprs(Reach::All);
    let Lowering { tree, names, .. } = lowering;
    let plain: Vec<_> =
        all.into_iter().filter(|&id| !folded.contains(&id) && is_plain_generator(tree, id)).collect();
    let twice: HashSet<_> = plain.iter().flat_map(|&id| written_twice(tree, id)).collect();
    let (outer, inner): (Vec<_>, Vec<_>) =
        plain.into_iter().partition(|id| is_simple(tree, *id) && !twice.contains(id));
    inner.into_iter().for_each(|id| note(tree, names, id));
    for id in outer {
        lower(tree, names, id, &MADE_OF_ITEMS);
    }
}

/// True of a generator with one `for` and no test.
fn is_simple(tree: &Tree, id: ExprId) -> bool {
    let Expr::Comp { clauses, .. } = &tree[id] else { return false };
    matches!(&clauses[..], [clause] if clause.ifs.is_empty())
}

/// The expressions in the element of a generator, which is written twice if the graph may iterate it.
fn written_twice(tree: &Tree, id: ExprId) -> HashSet<ExprId> {
    let Expr::Comp { element, .. } = tree[id] else { return HashSet::new() };
    parts(tree, element).into_iter().chain([element]).collect()
}

/// True if it is a generator expression that may be moved into a thunk.
fn is_plain_generator(tree: &Tree, id: ExprId) -> bool {
    let Expr::Comp { kind: CompKind::Generator, clauses, .. } = &tree[id] else { return false };
    !clauses.iter().any(|clause| clause.is_async) && can_be_thunk(tree, id)
}

/// Notes where a generator is made, and of what.
fn note(tree: &mut Tree, names: &Names, id: ExprId) {
    let span = tree.expr_span(id);
    let (iter, make) = over_items(tree, names, id);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("items", Fill::Name(names.items.clone())),
        ("iter", Fill::Expr(iter)),
        ("make", Fill::Expr(make)),
    ];
    let noted = MADE.fill_expr(tree, span, &holes);
    tree.set_expr(id, tree[noted].clone());
}

/// First iterable of a generator, and the generator over the value that a thunk gets for it.
fn over_items(tree: &mut Tree, names: &Names, id: ExprId) -> (ExprId, ExprId) {
    let mut generator = tree[id].clone();
    let Expr::Comp { clauses, .. } = &mut generator else { return (id, id) };
    let iter = clauses[0].iter;
    let items = [("items", Fill::Name(names.items.clone()))];
    clauses[0].iter = ITEMS.fill_expr(tree, tree.expr_span(iter), &items);
    (iter, tree.expr(tree.expr_span(id), generator))
}

/// The generator expression that a call folds, if it has one `for` and may be moved into thunks.
fn folded(tree: &Tree, id: ExprId) -> Option<ExprId> {
    let Expr::Call { func, args, .. } = &tree[id] else { return None };
    let (Expr::Name(name), &[generator, ..]) = (&tree[*func], args.as_slice()) else { return None };
    let Expr::Comp { kind: CompKind::Generator, clauses, .. } = &tree[generator] else { return None };
    let fits = FOLDS.contains(&&**name) && clauses.len() == 1 && !clauses[0].is_async;
    (fits && can_be_thunk(tree, generator)).then_some(generator)
}

/// Functions and methods whose results a list comprehension may run over as a loop.
const GIVES_ITEMS: &[&str] = &["range", "enumerate", "filter", "kept_list", "items", "keys", "values"];

/// List comprehensions over one iterable that may be moved into thunks; of those inside each other the outermost, since its parts are
/// written twice.
fn lists_that_loop(lowering: &Lowering) -> Vec<ExprId> {
    let tree = &lowering.tree;
    let all = lowering.exprs(Reach::All);
    let loops = |is_known: fn(&Tree, &Names, ExprId) -> bool| {
        all.iter().copied().filter(move |&id| can_loop(tree, &lowering.names, id, is_known))
    };
    let mut found: Vec<_> = loops(is_iterated).collect();
    let others =
        loops(may_be_iterated).filter(|&id| !parts(tree, id).iter().any(|part| found.contains(part)));
    let others: Vec<_> = others.collect();
    found.extend(others);
    let inner: HashSet<_> = found.iter().flat_map(|&id| parts(tree, id)).collect();
    found.retain(|id| !inner.contains(id));
    found
}

fn can_loop(tree: &Tree, names: &Names, id: ExprId, is_known: fn(&Tree, &Names, ExprId) -> bool) -> bool {
    let Expr::Comp { kind: CompKind::List, clauses, .. } = &tree[id] else { return false };
    let [clause] = &clauses[..] else { return false };
    is_known(tree, names, clause.iter) && !clause.is_async && can_be_thunk(tree, id)
}

/// True of a range, a name and the like.
fn is_iterated(tree: &Tree, names: &Names, iter: ExprId) -> bool {
    matches!(&tree[iter], Expr::Name(name) if *name != names.items)
        || matches!(&tree[iter], Expr::Attribute { .. })
        || calls(tree, iter, GIVES_ITEMS)
}

/// True of `sorted(xs)`, `items(n)` of a generator of the user's, a generator expression, `xs[1:]` and the like, unless a comprehension
/// inside is a loop.
fn may_be_iterated(tree: &Tree, _: &Names, iter: ExprId) -> bool {
    let is_generator = matches!(&tree[iter], Expr::Comp { kind: CompKind::Generator, .. });
    is_generator || matches!(&tree[iter], Expr::Subscript { .. } | Expr::Call { .. })
}

/// True of a call of a function or method with one of these names.
fn calls(tree: &Tree, id: ExprId, names: &[&str]) -> bool {
    let Expr::Call { func, .. } = &tree[id] else { return false };
    matches!(&tree[*func], Expr::Name(name) | Expr::Attribute { attr: name, .. } if names.contains(&&**name))
}

/// The expressions inside one.
fn parts(tree: &Tree, id: ExprId) -> HashSet<ExprId> {
    let mut found = HashSet::new();
    inside(tree, id, &mut found);
    found
}

fn inside(tree: &Tree, id: ExprId, found: &mut HashSet<ExprId>) {
    tree[id].each_expr(&mut |&inner| {
        if found.insert(inner) {
            inside(tree, inner, found);
        }
    });
}

/// Lowers a generator that is folded, or a list that is made at once; gives the expression that makes it.
fn lower(tree: &mut Tree, names: &Names, id: ExprId, template: &Template) -> ExprId {
    let Expr::Comp { element, clauses, .. } = tree[id].clone() else { return id };
    let span = tree.expr_span(id);
    let another = tree.duplicate(element);
    let target = tree.duplicate(clauses[0].target);
    let tests: Vec<_> = clauses[0].ifs.iter().map(|&test| tree.duplicate(test)).collect();
    let test = match tests.as_slice() {
        [] => tree.expr(span, Expr::Constant(Constant::Bool(true))),
        &[test] => test,
        _ => tree.expr(span, Expr::BoolOp { op: BoolOp::And, values: tests }),
    };
    let (iter, make) = over_items(tree, names, id);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("items", Fill::Name(names.items.clone())),
        ("iter", Fill::Expr(iter)),
        ("make", Fill::Expr(make)),
        ("test", Fill::Expr(test)),
        ("element", Fill::Expr(another)),
        ("target", Fill::Expr(target)),
    ];
    let lowered = template.fill_expr(tree, span, &holes);
    tree.set_expr(id, tree[lowered].clone());
    make
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn generators_that_are_kept_or_asked() {
        check(
            "comprehensions",
            "def f(xs):\n    ys = (x for x in xs)\n    return set(g(x) for x in xs), g(h(y for y in x) for x in (x for x in xs)), g(y for x in xs for y in x)\n",
            expect![[r#"
                def f(xs):
                    ys = gw__.made(xs, lambda items_: (x for x in items_), lambda items_: [(True, lambda: x) for x in items_][0])
                    return set(gw__.made(xs, lambda items_: (g(x) for x in items_), lambda items_: [(True, lambda: g(x)) for x in items_][0])), g(gw__.made(gw__.made(xs, lambda items_: (x for x in items_), lambda items_: [(True, lambda: x) for x in items_][0]), lambda items_: (h(gw__.made(x, lambda items_: (y for y in items_))) for x in items_), lambda items_: [(True, lambda: h(gw__.made(x, lambda items_: (y for y in items_)))) for x in items_][0])), g(gw__.made(xs, lambda items_: (y for x in items_ for y in x)))
            "#]],
        );
    }

    #[test]
    fn folded_generators_and_tests() {
        check(
            "comprehensions",
            "def f(xs):\n    return sum(x * a for x in xs if x if a), [x for x in xs if x]\n",
            expect![[r#"
                def f(xs):
                    return sum(gw__.generator(xs, lambda items_: (x * a for x in items_ if gw__.keeps(x) if gw__.keeps(a)), lambda items_: [(x and a, lambda: x * a) for x in items_][0])), gw__.listed(xs, lambda items_: [x for x in items_ if gw__.keeps(x)], lambda items_: [(x, lambda: x) for x in items_][0])
            "#]],
        );
        check(
            "comprehensions",
            "def f(xs):\n    return sum(y for x in xs for y in x), total(x for x in xs), sum([x for x in xs])\n",
            expect![[r#"
                def f(xs):
                    return sum(gw__.made(xs, lambda items_: (y for x in items_ for y in x))), total(gw__.made(xs, lambda items_: (x for x in items_), lambda items_: [(True, lambda: x) for x in items_][0])), sum(gw__.listed(xs, lambda items_: [x for x in items_], lambda items_: [(True, lambda: x) for x in items_][0]))
            "#]],
        );
        check(
            "comprehensions",
            "def f(n):\n    return [[i + j for j in range(i)] for i in range(n) if i], [x for x in gw.range(n)]\n",
            expect![[r#"
                def f(n):
                    return gw__.listed(range(n), lambda items_: [[i + j for j in range(i)] for i in items_ if gw__.keeps(i)], lambda items_: [(i, lambda: [i + j for j in range(i)]) for i in items_][0]), gw__.listed(gw.range(n), lambda items_: [x for x in items_], lambda items_: [(True, lambda: x) for x in items_][0])
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
