//! `p.x = y` ⇒ `p.x = y; gw__.stored()`: an object may stand for an element of a list in the graph, which is changed then.
//!
//! Stores of `__init__` into `self` are left out: a new object stands for nothing yet.

use gw_syntax::{Body, Expr, ExprId, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, function, rewrite_bodies, set_body};

static STORED: Template = Template::new("$operators.stored()");

/// True if an attribute is stored.
pub fn concerns(tree: &Tree) -> bool {
    tree.stmts().any(|stmt| targets(stmt).iter().any(|&target| stores(tree, target, "")))
}

/// Lowers the stores of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let made = function(&lowering.tree, id);
        let new = if &*made.name == "__init__" { "self" } else { "" };
        let body = made.body.clone();
        let body = rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
            body.into_iter().flat_map(|stmt| told(lowering, stmt, new)).collect()
        });
        set_body(&mut lowering.tree, id, body);
    }
}

/// A statement, and behind it the call if it stores an attribute of another object than the `new` one.
fn told(lowering: &mut Lowering, id: StmtId, new: &str) -> Body {
    let Lowering { tree, names, .. } = lowering;
    if !targets(&tree[id]).iter().any(|&target| stores(tree, target, new)) {
        return vec![id];
    }
    let span = tree.stmt_span(id);
    let told = STORED.fill(tree, span, &[("operators", Fill::Name(names.operators.clone()))]);
    [vec![id], told].concat()
}

fn targets(stmt: &Stmt) -> Vec<ExprId> {
    if let Stmt::Assign { targets, .. } = stmt {
        targets.clone()
    } else if let Stmt::AugAssign { target, .. } | Stmt::AnnAssign { target, .. } = stmt {
        vec![*target]
    } else {
        Vec::new()
    }
}

fn stores(tree: &Tree, target: ExprId, new: &str) -> bool {
    if let Expr::List(items) | Expr::Tuple(items) = &tree[target] {
        return items.iter().any(|&item| stores(tree, item, new));
    }
    let Expr::Attribute { value, .. } = tree[target] else { return false };
    !matches!(&tree[value], Expr::Name(name) if &**name == new)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn stores_into_objects() {
        check(
            "stored",
            "def __init__(self, a):\n    self.x = 1\n    a.x, b = 1, 2\n    if b:\n        a.b.y += self.x\n",
            expect![[r#"
                def __init__(self, a):
                    self.x = 1
                    a.x, b = 1, 2
                    gw__.stored()
                    if b:
                        a.b.y += self.x
                        gw__.stored()
            "#]],
        );
    }
}
