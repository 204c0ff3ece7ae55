//! The names that nested functions read and that may have no value there: when such a function runs is not known, so a
//! name counts as uncertain if any branch, loop or handler of its own function gives it its value or takes it away.

use std::collections::BTreeMap;

use gw_analysis::Facts;
use gw_syntax::{Body, Expr, ExprId, Name, Stmt, StmtId, Tree};

/// Scope of a name that a function reads and that is not its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In a function around it.
    Function,
    /// In the module.
    Module,
}

/// Uncertain names that are not a function's own.
pub type Captured = BTreeMap<Name, Home>;

/// The names that a function gives a value in some branch, loop or handler, or takes away there, and that may have none
/// before.
pub fn uncertain(tree: &Tree, facts: &Facts, body: &Body) -> Captured {
    let mut found = Captured::new();
    inside(tree, facts, body, &mut found);
    found
}

fn inside(tree: &Tree, facts: &Facts, body: &Body, found: &mut Captured) {
    for &id in body {
        let stmt = &tree[id];
        if !stmt.is_compound() || matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            continue;
        }
        let mut parts = Body::new();
        stmt.each_body(&mut |body| parts.extend(body));
        let activity = facts.activities.body(tree, &parts);
        let bound = activity.binds.iter().chain(&facts.activities.header(id).binds);
        for name in bound.filter(|name| activity.deletes.contains(*name) || !facts.assigned.surely(id, name))
        {
            if facts.scope.locals.contains(name) {
                found.insert(name.clone(), Home::Function);
            } else if facts.scope.globals.contains(name) {
                found.insert(name.clone(), Home::Module);
            }
        }
        inside(tree, facts, &parts, found);
    }
}

/// The functions that stand in a body, also in classes, but not in other functions.
pub fn functions_in(tree: &Tree, body: &Body, found: &mut Vec<StmtId>) {
    for &id in body {
        if let Stmt::FunctionDef(_) = &tree[id] {
            found.push(id);
        } else {
            tree[id].each_body(&mut |body| functions_in(tree, body, found));
        }
    }
}

/// The names that a target binds.
pub fn bound_by(tree: &Tree, target: ExprId, names: &mut Vec<Name>) {
    if let Expr::Name(name) = &tree[target] {
        names.push(name.clone());
    } else if !matches!(tree[target], Expr::Attribute { .. } | Expr::Subscript { .. }) {
        tree[target].each_expr(&mut |&part| bound_by(tree, part, names));
    }
}
