//! `def f(): if c: x = 1` ⇒ `def f(): x: None …`: a name that only blocks bind is still the function's own.
//!
//! A bare annotation makes a name local and compiles to nothing. Names bound only by statements that are never reached
//! are declared too, so that reading them raises as in Python.

use std::collections::BTreeSet;

use gw_analysis::{NameSet, of_body};
use gw_base::Span;
use gw_syntax::{Body, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, after_docstring, function, set_body};

static DECLARE: Template = Template::new("$name: None");

/// Declares the names of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let Some(unit) = lowering.units.get(&id) else { continue };
        let scope = &unit.scope;
        let mut own: NameSet = scope.locals.difference(&scope.params).cloned().collect();
        let tree = &mut lowering.tree;
        let returned = [&lowering.names.retval, &lowering.names.retval_before];
        own.extend(returned.into_iter().filter(|&retval| tree.names().any(|name| name == retval)).cloned());
        let mut body = function(tree, id).body.clone();
        let start = after_docstring(tree, &body);
        let missing = missing(tree, &body, &own, tree.stmt_span(id));
        body.splice(start..start, missing);
        set_body(tree, id, body);
    }
}

/// Declarations of those names that these statements mention and do not bind themselves.
pub fn missing(tree: &mut Tree, body: &Body, own: &NameSet, span: Span) -> Body {
    let assigned = assigned(tree, body);
    if own.iter().all(|name| assigned.contains(name)) {
        return Body::new();
    }
    let activity = of_body(tree, body);
    let mentioned = |name: &&Name| activity.reads.contains(*name) || activity.captured.contains(*name);
    own.difference(&activity.binds).filter(mentioned).map(|name| local(tree, span, name)).collect()
}

/// The names that `name = …` binds, which is seen without looking into expressions.
fn assigned<'t>(tree: &'t Tree, body: &Body) -> BTreeSet<&'t Name> {
    let mut found = BTreeSet::new();
    for &id in body {
        let Stmt::Assign { targets, .. } = &tree[id] else { continue };
        found.extend(targets.iter().filter_map(|&target| name_of(tree, target)));
    }
    found
}

fn name_of(tree: &Tree, id: ExprId) -> Option<&Name> {
    if let Expr::Name(name) = &tree[id] { Some(name) } else { None }
}

/// `name: None`.
pub fn local(tree: &mut Tree, span: Span, name: &Name) -> StmtId {
    let hole = tree.expr(span, Expr::Name(name.clone()));
    DECLARE.fill(tree, span, &[("name", Fill::Expr(hole))])[0]
}
