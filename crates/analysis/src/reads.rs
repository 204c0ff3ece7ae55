//! `f(self.rate * self.model.w)` ⇒ `self.rate`, `self.model.w`: the attributes that a function reads of names.

use std::collections::{BTreeSet, HashSet};

use gw_syntax::{Body, Expr, ExprId, Name, Stmt, Tree};

/// A name, and the attributes read of it one after the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chain {
    /// The name.
    pub root: Name,
    /// `self.model.w` reads `model`, then `w`.
    pub attributes: Vec<Name>,
}

/// The chains that the statements of a tree read, in nested functions too, each once; `x.a` is not listed where `x.a.b` is.
/// An augmented assignment reads its target.
pub fn chains(tree: &Tree) -> Vec<Chain> {
    let mut search = Search { tree, stored: HashSet::new(), found: BTreeSet::new() };
    search.body(&tree.body);
    let all: Vec<Chain> = search.found.into_iter().collect();
    let is_longer = |chain: &Chain, next: Option<&Chain>| {
        next.is_some_and(|n| n.root == chain.root && n.attributes.starts_with(&chain.attributes))
    };
    let kept = all.iter().enumerate().filter(|(at, chain)| !is_longer(chain, all.get(at + 1)));
    kept.map(|(_, chain)| chain.clone()).collect()
}

struct Search<'t> {
    tree: &'t Tree,
    /// Attributes that are only stored into or deleted.
    stored: HashSet<ExprId>,
    found: BTreeSet<Chain>,
}

impl Search<'_> {
    fn body(&mut self, body: &Body) {
        for &id in body {
            let stmt = &self.tree[id];
            self.targets(stmt);
            stmt.each_expr(&mut |&expr| self.expr(expr));
            stmt.each_body(&mut |body| self.body(body));
        }
    }

    fn targets(&mut self, stmt: &Stmt) {
        if let Stmt::Assign { targets, .. } | Stmt::Delete(targets) = stmt {
            targets.iter().for_each(|&target| self.target(target));
        } else if let Stmt::AnnAssign { target, .. } | Stmt::For { target, .. } = stmt {
            self.target(*target);
        } else if let Stmt::With { items, .. } = stmt {
            items.iter().filter_map(|item| item.target).for_each(|target| self.target(target));
        }
    }

    fn target(&mut self, id: ExprId) {
        if let Expr::Attribute { .. } = &self.tree[id] {
            self.stored.insert(id);
        } else if let Expr::Tuple(items) | Expr::List(items) = &self.tree[id] {
            items.iter().for_each(|&item| self.target(item));
        } else if let Expr::Starred(inner) = &self.tree[id] {
            self.target(*inner);
        }
    }

    fn expr(&mut self, id: ExprId) {
        if matches!(self.tree[id], Expr::Attribute { .. })
            && !self.stored.contains(&id)
            && let Some(chain) = self.chain(id)
        {
            self.found.insert(chain);
            return;
        }
        self.tree[id].each_expr(&mut |&child| self.expr(child));
    }

    /// The chain that ends here, if it begins with a name.
    fn chain(&self, id: ExprId) -> Option<Chain> {
        if let Expr::Attribute { value, attr } = &self.tree[id] {
            let mut chain = self.chain(*value)?;
            chain.attributes.push(attr.clone());
            return Some(chain);
        }
        let Expr::Name(root) = &self.tree[id] else { return None };
        Some(Chain { root: root.clone(), attributes: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::*;

    fn check(text: &str, expected: Expect) {
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let show = |chain: Chain| format!("{}.{}", chain.root, chain.attributes.join("."));
        expected.assert_eq(&chains(&tree).into_iter().map(show).collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn the_example() {
        check("f(self.rate * self.model.w)", expect!["self.model.w self.rate"]);
    }

    #[test]
    fn what_is_only_stored_is_not_read() {
        check("a.x = b.y; a.z += 1; a.p.q = 1", expect!["a.p a.z b.y"]);
        check("for a.i in b.c:\n    del a.d\nwith e.f as a.g: pass", expect!["b.c e.f"]);
    }

    #[test]
    fn chains_begin_with_a_name() {
        check("f(x).y.z; (a.b)[c.d].e; lambda: g.h", expect!["a.b c.d g.h"]);
    }
}
