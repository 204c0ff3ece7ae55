//! `if c: x: int = 1` ⇒ `if c: x = 1`, because a block cannot annotate a name of the function around it.
//!
//! Annotations of local names are not evaluated by Python. `global` and `nonlocal` inside blocks move to the top, where
//! they mean the same.

use gw_syntax::{Body, Expr, Name, Stmt, Tree};

use crate::Lowering;
use crate::units::{Reach, after_docstring, function, set_body};

/// Makes the names of every function independent of where they are declared.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let tree = &mut lowering.tree;
        let mut found = Found::default();
        let mut body = function(tree, id).body.clone();
        for &id in &body {
            // Statements after an early `return` will stand in a block.
            if let Stmt::AnnAssign { .. } = tree[id]
                && let Some(replaced) = undeclared(tree, tree[id].clone(), &mut found)
            {
                tree.set_stmt(id, replaced);
            }
            inside(tree, id, &mut found);
        }
        let start = after_docstring(tree, &body);
        let declared = found.declare(tree, tree.stmt_span(id));
        body.splice(start..start, declared);
        set_body(tree, id, body);
    }
}

/// Declarations that left their place.
#[derive(Default)]
struct Found {
    globals: Vec<Name>,
    nonlocals: Vec<Name>,
    locals: Vec<Name>,
}

impl Found {
    fn declare(self, tree: &mut Tree, span: gw_base::Span) -> Body {
        let mut out = Body::new();
        if !self.globals.is_empty() {
            out.push(tree.stmt(span, Stmt::Global(self.globals)));
        }
        if !self.nonlocals.is_empty() {
            out.push(tree.stmt(span, Stmt::Nonlocal(self.nonlocals)));
        }
        out.extend(self.locals.iter().map(|name| crate::declare::local(tree, span, name)));
        out
    }
}

/// Looks into the bodies of a compound statement of the function.
fn inside(tree: &mut Tree, id: gw_syntax::StmtId, found: &mut Found) {
    let mut bodies = Vec::new();
    if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
        tree[id].each_body(&mut |body| bodies.extend(body.iter().copied()));
    }
    for id in bodies {
        match undeclared(tree, tree[id].clone(), found) {
            Some(replaced) => tree.set_stmt(id, replaced),
            None => inside(tree, id, found),
        }
    }
}

/// Statement that stays of a declaration; nothing for other statements.
fn undeclared(tree: &Tree, stmt: Stmt, found: &mut Found) -> Option<Stmt> {
    if let Stmt::Global(names) = stmt {
        found.globals.extend(names);
    } else if let Stmt::Nonlocal(names) = stmt {
        found.nonlocals.extend(names);
    } else if let Stmt::AnnAssign { target, value: Some(value), .. } = stmt {
        return Some(Stmt::Assign { targets: vec![target], value });
    } else if let Stmt::AnnAssign { target, value: None, .. } = stmt {
        if let Expr::Name(name) = &tree[target] {
            found.locals.push(name.clone());
        }
    } else {
        return None;
    }
    Some(Stmt::Pass)
}
