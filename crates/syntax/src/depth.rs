//! The depth of a tree: what walks it calls itself as often.

use crate::{Expr, ExprId, Stmt, StmtId, Tree};

/// A node that is still to be looked into.
enum Node {
    Stmt(StmtId),
    Expr(ExprId),
}

/// The longest way from a statement of the tree to a node inside it. Nothing here calls itself.
pub fn depth(tree: &Tree) -> usize {
    let mut most = 0;
    let mut waiting: Vec<(Node, usize)> = tree.body.iter().map(|&id| (Node::Stmt(id), 1)).collect();
    while let Some((node, depth)) = waiting.pop() {
        most = most.max(depth);
        let mut exprs = |id: &ExprId| waiting.push((Node::Expr(*id), depth + 1));
        match node {
            Node::Expr(id) => {
                if let Expr::Lambda { params, body, .. } = &tree[id] {
                    params.each_expr(&mut exprs);
                    exprs(body);
                } else {
                    tree[id].each_expr(&mut exprs);
                }
            }
            Node::Stmt(id) => {
                let stmt: &Stmt = &tree[id];
                stmt.each_expr(&mut exprs);
                stmt.each_body(&mut |body| {
                    waiting.extend(body.iter().map(|&id| (Node::Stmt(id), depth + 1)))
                });
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use gw_base::Source;

    use super::*;

    #[test]
    fn each_level_counts() {
        let of = |text: &str| depth(&crate::parse(&Source::new("f.py", text)).value);
        assert_eq!(of("pass"), 1);
        assert_eq!(of("x = a + b + c"), 4);
        assert_eq!(of("if a: pass\nelif b: pass\nelse: pass"), 3);
    }
}
