//! Scopes: the names that are a function's own, and the kind of the function.

use gw_syntax::{Alias, Body, Expr, ExprId, Function, Name, Stmt, StmtId, Tree};

use crate::{Activity, NameSet, of_body};

/// Scope of each name of one function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Parameters.
    pub params: NameSet,
    /// Its own names, the parameters included.
    pub locals: NameSet,
    /// Declared `global` here.
    pub globals: NameSet,
    /// Declared `nonlocal` here.
    pub nonlocals: NameSet,
}

/// The scope of a function.
pub fn scope(tree: &Tree, function: &Function) -> Scope {
    scope_of(function, &of_body(tree, &function.body))
}

/// The scope of a function whose statements do this.
pub(crate) fn scope_of(function: &Function, activity: &Activity) -> Scope {
    let params: NameSet = function.params.all().map(|param| param.name.clone()).collect();
    let foreign = |name: &Name| activity.globals.contains(name) || activity.nonlocals.contains(name);
    let locals = params.iter().chain(&activity.binds).filter(|name| !foreign(name)).cloned().collect();
    Scope { params, locals, globals: activity.globals.clone(), nonlocals: activity.nonlocals.clone() }
}

/// True if calling the function makes a generator, a coroutine or both.
pub fn is_generator(tree: &Tree, function: &Function) -> bool {
    function.is_async
        || any_expr(tree, &function.body, &mut |expr| {
            matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_))
        })
}

/// True if the function looks at its own frame, so that its names must stay exactly where they are.
pub fn inspects_frame(tree: &Tree, function: &Function) -> bool {
    any_expr(tree, &function.body, &mut is_frame_name)
}

/// True if a lambda with this body looks at its own frame.
pub fn lambda_inspects_frame(tree: &Tree, body: ExprId) -> bool {
    any_below(tree, body, &mut is_frame_name)
}

fn is_frame_name(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(name) if matches!(&**name, "locals" | "vars" | "dir" | "eval" | "exec"))
}

/// True if a test holds for an expression of the function itself, not of functions and classes nested in it.
fn any_expr(tree: &Tree, body: &Body, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    for &stmt in body {
        tree[stmt].each_expr(&mut |&expr| found = found || any_below(tree, expr, test));
        if !matches!(tree[stmt], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[stmt].each_body(&mut |body| found = found || any_expr(tree, body, test));
        }
    }
    found
}

fn any_below(tree: &Tree, id: ExprId, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if test(&tree[id]) {
        return true;
    }
    let mut found = false;
    if let Expr::Lambda { params, generated: false, .. } = &tree[id] {
        params.each_expr(&mut |&child| found = found || any_below(tree, child, test));
    } else {
        tree[id].each_expr(&mut |&child| found = found || any_below(tree, child, test));
    }
    found
}

/// Every identifier written in a statement, whatever it means: what a fresh name must differ from.
pub fn identifiers(tree: &Tree, stmt: StmtId) -> NameSet {
    let mut names = NameSet::new();
    of_statement(tree, stmt, &mut names);
    names
}

fn of_statement(tree: &Tree, id: StmtId, names: &mut NameSet) {
    let stmt = &tree[id];
    stmt.each_expr(&mut |&expr| of_expression(tree, expr, names));
    stmt.each_body(&mut |body| body.iter().for_each(|&stmt| of_statement(tree, stmt, names)));
    if let Stmt::FunctionDef(function) = stmt {
        names.insert(function.name.clone());
        names.extend(function.type_params.iter().map(|param| param.name.clone()));
        names.extend(function.params.all().map(|param| param.name.clone()));
    } else if let Stmt::ClassDef(class) = stmt {
        names.insert(class.name.clone());
        names.extend(class.type_params.iter().map(|param| param.name.clone()));
    } else if let Stmt::Global(all) | Stmt::Nonlocal(all) = stmt {
        names.extend(all.iter().cloned());
    } else if let Stmt::Import(all) | Stmt::ImportFrom { names: all, .. } = stmt {
        names.extend(all.iter().filter_map(Alias::binds));
    } else if let Stmt::Try { handlers, .. } = stmt {
        names.extend(handlers.iter().filter_map(|handler| handler.name.clone()));
    } else if let Stmt::Match { cases, .. } = stmt {
        cases.iter().for_each(|case| {
            case.pattern.each_capture(&mut |name| {
                names.insert(name.clone());
            });
        });
    }
}

fn of_expression(tree: &Tree, id: ExprId, names: &mut NameSet) {
    if let Expr::Name(name) = &tree[id] {
        names.insert(name.clone());
    } else if let Expr::Lambda { params, .. } = &tree[id] {
        names.extend(params.all().map(|param| param.name.clone()));
    }
    tree[id].each_expr(&mut |&child| of_expression(tree, child, names));
}
