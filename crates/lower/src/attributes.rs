//! `del a.x` ⇒ `del gw__.owner(a, 'x').x`, `a.__dict__` ⇒ `gw__.owner(a, '__dict__').__dict__` and `K.x = y` ⇒
//! `gw__.stores(K, 'x').x = y`: a branch or loop of the graph may have given an object an attribute on some paths only, and its class
//! another one.
//!
//! `x.shape` ⇒ `gw__.shaped(x).shape`: lengths that only the run of a graph knows are values of it.
//!
//! Stores of a method into `self` are left out: they change no class.

use std::collections::HashSet;

use gw_syntax::{Constant, Expr, ExprId, Fill, Stmt, Template, Tree};

use crate::Lowering;
use crate::units::Reach;

static OWNER: Template = Template::new("$operators.owner($value, $name)");
static STORES: Template = Template::new("$operators.stores($value, $name)");
static SHAPED: Template = Template::new("$operators.shaped($value)");

/// All that an object holds itself.
const ALL: &str = "__dict__";

/// The lengths of a tensor.
const SHAPE: &str = "shape";

/// True if an attribute is stored, deleted or read.
pub fn concerns(tree: &Tree) -> bool {
    tree.exprs().any(|expr| matches!(expr, Expr::Attribute { .. }))
}

/// Lowers the attributes of every function that what an object holds itself decides about.
pub fn run(lowering: &mut Lowering) {
    let (stored, deleted) = changed(&lowering.tree);
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        let Expr::Attribute { value, attr } = tree[id].clone() else { continue };
        let is_stored = stored.contains(&id);
        let asked = if is_stored {
            &STORES
        } else if &*attr == ALL || deleted.contains(&id) {
            &OWNER
        } else if &*attr == SHAPE {
            &SHAPED
        } else {
            continue;
        };
        let span = tree.expr_span(value);
        let name = tree.expr(span, Expr::Constant(Constant::Str(attr.to_string())));
        let holes = [
            ("operators", Fill::Name(names.operators.clone())),
            ("value", Fill::Expr(value)),
            ("name", Fill::Expr(name)),
        ];
        let value = asked.fill_expr(tree, span, &holes);
        tree.set_expr(id, Expr::Attribute { value, attr });
    }
}

/// The attributes that statements store and take away, but for those of `self`.
fn changed(tree: &Tree) -> (HashSet<ExprId>, HashSet<ExprId>) {
    let (mut stored, mut deleted) = (HashSet::new(), HashSet::new());
    for stmt in tree.stmts() {
        if let Stmt::Delete(targets) = stmt {
            targets.iter().for_each(|&target| add(tree, target, &mut deleted));
        } else if let Stmt::Assign { targets, .. } = stmt {
            targets.iter().for_each(|&target| add(tree, target, &mut stored));
        } else if let Stmt::AugAssign { target, .. }
        | Stmt::AnnAssign { target, .. }
        | Stmt::For { target, .. } = stmt
        {
            add(tree, *target, &mut stored);
        }
    }
    (stored, deleted)
}

fn add(tree: &Tree, target: ExprId, found: &mut HashSet<ExprId>) {
    if let Expr::List(items) | Expr::Tuple(items) = &tree[target] {
        items.iter().for_each(|&item| add(tree, item, found));
    } else if let Expr::Attribute { value, .. } = tree[target]
        && !matches!(&tree[value], Expr::Name(name) if &**name == "self")
    {
        found.insert(target);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn what_an_object_holds_itself() {
        check(
            "attributes",
            "def f(self, a, b):\n    del a.x, b\n    a.y, b = a.x, a.z\n    a.x += 1\n    self.x = 1\n    return a.__dict__, a.b.__dict__['x'], a.b.shape[0]\n",
            expect![[r#"
                def f(self, a, b):
                    del gw__.owner(a, 'x').x, b
                    gw__.stores(a, 'y').y, b = a.x, a.z
                    gw__.stores(a, 'x').x += 1
                    self.x = 1
                    return gw__.owner(a, '__dict__').__dict__, gw__.owner(a.b, '__dict__').__dict__['x'], gw__.shaped(a.b).shape[0]
            "#]],
        );
    }
}
