//! `yield x` ⇒ `gw__.within(x)`: the generator of a context manager as a function that runs the body of the `with` where
//! it yields. So the `try` statements around its `yield` are around that body, in the graph too.
//!
//! Runs instead of leaving a generator as it is, before every other pass. Only where each `yield` is a statement, or what
//! one assigns. The function returns whether it has yielded, and raises what `contextlib` would where it yields again.

use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::fresh::Names;
use crate::skip::set_flag;
use crate::units::{after_docstring, expr_suspends, function, rewrite_bodies, set_body};

static WITHIN: Template = Template::new("$operators.within($value)");
static AGAIN: Template = Template::new(
    "if $yielded:
    raise RuntimeError(\"generator didn't stop\" if $ended else \"generator didn't stop after throw()\")",
);
static RETURN: Template = Template::new("return $yielded");

/// Turns the generator that the tree is into a function that runs a body; `false` if it is not one that can.
pub fn push(lowering: &mut Lowering) -> bool {
    let Lowering { tree, names, .. } = lowering;
    let &[id] = tree.body.as_slice() else { return false };
    let Stmt::FunctionDef(own) = &tree[id] else { return false };
    if own.is_async || !can_run(tree, &own.body) {
        return false;
    }
    let again = yields(tree, &own.body, false) > 1;
    let flags = Flags { yielded: names.fresh("yielded"), ended: names.fresh("ended"), again };
    let body = own.body.clone();
    let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
        let Lowering { tree, names, .. } = lowering;
        body.into_iter().flat_map(|stmt| flags.rewritten(tree, names, stmt)).collect()
    });
    let tree = &mut lowering.tree;
    set_body(tree, id, body);
    let mut body = function(tree, id).body.clone();
    let at = after_docstring(tree, &body);
    let span = tree.stmt_span(id);
    let begun = flags.all().into_iter().map(|flag| set_flag(tree, span, flag, false));
    body.splice(at..at, begun.collect::<Body>());
    body.extend(RETURN.fill(tree, span, &[("yielded", Fill::Name(flags.yielded.clone()))]));
    set_body(tree, id, body);
    true
}

/// True if each suspension of the function is a statement that yields, or that assigns the value it is sent.
fn can_run(tree: &Tree, body: &Body) -> bool {
    body.iter().all(|&id| {
        let stmt = &tree[id];
        if matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            return true;
        }
        let given = yielded(tree, stmt);
        let mut fits = true;
        stmt.each_expr(&mut |&expr| {
            let own = given.is_some_and(|(at, _)| at == expr);
            fits = fits && (own || !expr_suspends(tree, expr));
        });
        let value = given.and_then(|(_, value)| value);
        stmt.each_body(&mut |body| fits = fits && can_run(tree, body));
        fits && value.is_none_or(|value| !expr_suspends(tree, value))
    })
}

/// The expression of a statement that is a `yield`, and what that yields.
fn yielded(tree: &Tree, stmt: &Stmt) -> Option<(ExprId, Option<ExprId>)> {
    let (Stmt::Expr(value) | Stmt::Assign { value, .. }) = stmt else { return None };
    if let Expr::Yield(given) = tree[*value] { Some((*value, given)) } else { None }
}

/// Number of times these statements may yield: one in a loop may yield again.
fn yields(tree: &Tree, body: &Body, repeats: bool) -> usize {
    let mut count = 0;
    for &id in body {
        let stmt = &tree[id];
        if yielded(tree, stmt).is_some() {
            count += if repeats { 2 } else { 1 };
        }
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            let repeats = repeats || matches!(stmt, Stmt::For { .. } | Stmt::While { .. });
            stmt.each_body(&mut |body| count += yields(tree, body, repeats));
        }
    }
    count
}

/// The names that say how far the generator is.
struct Flags {
    yielded: Name,
    ended: Name,
    /// True if it may yield again.
    again: bool,
}

impl Flags {
    fn all(&self) -> Vec<&Name> {
        if self.again { vec![&self.yielded, &self.ended] } else { vec![&self.yielded] }
    }

    fn rewritten(&self, tree: &mut Tree, names: &Names, id: StmtId) -> Body {
        let span = tree.stmt_span(id);
        let mut stmt = tree[id].clone();
        if let Stmt::Return(value) = stmt {
            let mut out: Body = value.map(|value| tree.stmt(span, Stmt::Expr(value))).into_iter().collect();
            out.extend(RETURN.fill(tree, span, &[("yielded", Fill::Name(self.yielded.clone()))]));
            return out;
        }
        let Some((_, given)) = yielded(tree, &stmt) else { return vec![id] };
        let value = given.unwrap_or_else(|| tree.expr(span, Expr::Constant(Constant::None)));
        let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
        let within = WITHIN.fill_expr(tree, span, &holes);
        if let Stmt::Expr(value) | Stmt::Assign { value, .. } = &mut stmt {
            *value = within;
        }
        tree.set_stmt(id, stmt);
        let mut out = Body::new();
        if self.again {
            let holes =
                [("yielded", Fill::Name(self.yielded.clone())), ("ended", Fill::Name(self.ended.clone()))];
            out.extend(AGAIN.fill(tree, span, &holes));
        }
        out.push(set_flag(tree, span, &self.yielded, true));
        out.push(id);
        if self.again {
            out.push(set_flag(tree, span, &self.ended, true));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::push;
    use crate::Lowering;

    fn check(text: &str, expected: Expect) {
        let mut lowering = Lowering::new(gw_syntax::parse(&Source::new("<test>", text)).value);
        let pushed = push(&mut lowering).then(|| gw_syntax::to_source(&lowering.tree));
        expected.assert_eq(&pushed.unwrap_or_default());
    }

    #[test]
    fn the_body_runs_where_it_yields() {
        check(
            "def f(x):\n    try: got = yield x\n    except E: return g()\n    finally: h()\n",
            expect![[r#"
                def f(x):
                    yielded = False
                    try:
                        yielded = True
                        got = gw__.within(x)
                    except E:
                        g()
                        return yielded
                    finally:
                        h()
                    return yielded
            "#]],
        );
        check(
            "def f(x):\n    if x: yield 1\n    else: yield\n",
            expect![[r#"
            def f(x):
                yielded = False
                ended = False
                if x:
                    if yielded:
                        raise RuntimeError("generator didn't stop" if ended else "generator didn't stop after throw()")
                    yielded = True
                    gw__.within(1)
                    ended = True
                else:
                    if yielded:
                        raise RuntimeError("generator didn't stop" if ended else "generator didn't stop after throw()")
                    yielded = True
                    gw__.within(None)
                    ended = True
                return yielded
        "#]],
        );
    }

    #[test]
    fn what_yields_in_an_expression_stays() {
        check("def f(x):\n    g((yield x))\n", expect![""]);
        check("def f(x):\n    yield from x\n", expect![""]);
        check("async def f(x):\n    yield x\n", expect![""]);
    }
}
