//! Activity: the names that a statement or expression reads, binds, deletes, stores into and captures.
//!
//! `x.y = f(z)` ⇒ reads `f`, `x`, `z`; stores into `x.y`.

use std::collections::BTreeMap;

use gw_syntax::{
    Body, Class, CompKind, Constant, Expr, ExprId, Function, Name, Params, Stmt, StmtId, Tree, expr_to_source,
};

use crate::NameSet;

/// An attribute or item with a fixed path from a name: `self.x`, `d['k']`, `a[0].b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    /// The name it starts from.
    pub root: Name,
    /// One place where it is written.
    pub at: ExprId,
}

/// Reads, bindings and deletions of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// Read at once.
    pub reads: NameSet,
    /// Given a value, or taken away.
    pub binds: NameSet,
    /// Taken away: by `del`, or at the end of `except … as`.
    pub deletes: NameSet,
    /// Bound by `:=`, among `binds` too.
    pub walrus: NameSet,
    /// Used by nested functions, classes and generators.
    pub captured: NameSet,
    /// Declared `global`.
    pub globals: NameSet,
    /// Declared `nonlocal`.
    pub nonlocals: NameSet,
    /// Attributes and items stored into, by their text.
    pub stores: BTreeMap<String, Composite>,
}

impl Activity {
    /// Adds what comes after.
    pub(crate) fn join(&mut self, after: &Activity) {
        let Activity { reads, binds, deletes, walrus, captured, globals, nonlocals, stores } = after;
        self.reads.extend(reads.iter().cloned());
        self.binds.extend(binds.iter().cloned());
        self.deletes.extend(deletes.iter().cloned());
        self.walrus.extend(walrus.iter().cloned());
        self.captured.extend(captured.iter().cloned());
        self.globals.extend(globals.iter().cloned());
        self.nonlocals.extend(nonlocals.iter().cloned());
        for (text, store) in stores {
            self.stores.entry(text.clone()).or_insert_with(|| store.clone());
        }
    }
}

/// Activity of a statement, the statements inside it included.
pub fn of_stmt(tree: &Tree, stmt: StmtId) -> Activity {
    let mut collect = Collect { tree, activity: Activity::default() };
    collect.stmt(stmt);
    collect.activity
}

/// Activity of statements in sequence.
pub fn of_body(tree: &Tree, body: &Body) -> Activity {
    let mut collect = Collect { tree, activity: Activity::default() };
    collect.body(body);
    collect.activity
}

/// Activity of a statement by itself: without the bodies of compound statements, but with nested `def` and
/// `class`.
pub fn of_header(tree: &Tree, stmt: StmtId) -> Activity {
    let mut collect = Collect { tree, activity: Activity::default() };
    collect.header(stmt);
    collect.activity
}

/// Activity of an expression.
pub fn of_expr(tree: &Tree, expr: ExprId) -> Activity {
    let mut collect = Collect { tree, activity: Activity::default() };
    collect.expr(expr);
    collect.activity
}

/// True if an expression binds a name outside itself by `:=`.
pub fn binds(tree: &Tree, expr: ExprId) -> bool {
    let mut found = matches!(tree[expr], Expr::Named { .. });
    if let Expr::Lambda { params, .. } = &tree[expr] {
        params.each_expr(&mut |&child| found = found || binds(tree, child));
    } else {
        tree[expr].each_expr(&mut |&child| found = found || binds(tree, child));
    }
    found
}

/// The names a nested function takes from around it.
fn free_names(params: &Params, inner: Activity) -> NameSet {
    let mut own: NameSet = params.all().map(|param| param.name.clone()).collect();
    own.extend(inner.binds.iter().filter(|name| !inner.nonlocals.contains(*name)).cloned());
    own.extend(inner.globals);
    inner
        .reads
        .into_iter()
        .chain(inner.captured)
        .chain(inner.nonlocals)
        .filter(|name| !own.contains(name))
        .collect()
}

struct Collect<'t> {
    tree: &'t Tree,
    activity: Activity,
}

impl Collect<'_> {
    fn body(&mut self, body: &Body) {
        body.iter().for_each(|&stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, id: StmtId) {
        self.header(id);
        let stmt = &self.tree[id];
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body(&mut |body| self.body(body));
        }
    }

    fn header(&mut self, id: StmtId) {
        match &self.tree[id] {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Delete(targets) => targets.iter().for_each(|&target| self.delete(target)),
            Stmt::Assign { targets, value } => {
                self.expr(*value);
                targets.iter().for_each(|&target| self.target(target));
            }
            Stmt::AugAssign { target, value, .. } => {
                self.expr(*target);
                self.expr(*value);
                self.target(*target);
            }
            Stmt::AnnAssign { target, value, .. } => {
                value.iter().for_each(|&value| self.expr(value));
                self.target(*target);
            }
            Stmt::TypeAlias { name, value, .. } => {
                self.activity.captured.extend(of_expr(self.tree, *value).reads);
                self.target(*name);
            }
            Stmt::For { target, iter, guard, .. } => {
                self.expr(*iter);
                guard.iter().for_each(|&guard| self.expr(guard));
                self.target(*target);
            }
            Stmt::With { items, .. } => {
                for item in items {
                    self.expr(item.context);
                    item.target.iter().for_each(|&target| self.target(target));
                }
            }
            Stmt::Match { cases, .. } => {
                self.tree[id].each_expr(&mut |&expr| self.expr(expr));
                cases.iter().for_each(|case| case.pattern.each_capture(&mut |name| self.bind(name)));
            }
            Stmt::Try { handlers, .. } => {
                self.tree[id].each_expr(&mut |&expr| self.expr(expr));
                for name in handlers.iter().filter_map(|handler| handler.name.as_ref()) {
                    self.bind(name);
                    self.activity.deletes.insert(name.clone());
                }
            }
            Stmt::Import(names) | Stmt::ImportFrom { names, .. } => {
                names.iter().filter_map(|alias| alias.binds()).for_each(|name| self.bind(&name));
            }
            Stmt::Global(names) => self.activity.globals.extend(names.iter().cloned()),
            Stmt::Nonlocal(names) => self.activity.nonlocals.extend(names.iter().cloned()),
            Stmt::Return(_)
            | Stmt::While { .. }
            | Stmt::If { .. }
            | Stmt::Raise { .. }
            | Stmt::Assert { .. }
            | Stmt::Expr(_)
            | Stmt::Pass
            | Stmt::Break
            | Stmt::Continue => self.tree[id].each_expr(&mut |&expr| self.expr(expr)),
        }
    }

    /// A class body runs at once, but what is defined in it runs later, so all that it uses counts as captured.
    fn class(&mut self, class: &Class) {
        class.each_expr(&mut |&expr| self.expr(expr));
        let inner = of_body(self.tree, &class.body);
        self.activity.binds.extend(inner.binds.intersection(&inner.nonlocals).cloned());
        self.activity.captured.extend(inner.reads.into_iter().chain(inner.captured));
        self.bind(&class.name);
    }

    fn function(&mut self, function: &Function) {
        function.each_expr(&mut |&expr| self.expr(expr));
        let inner = of_body(self.tree, &function.body);
        self.activity.captured.extend(free_names(&function.params, inner));
        self.bind(&function.name);
    }

    fn bind(&mut self, name: &Name) {
        self.activity.binds.insert(name.clone());
    }

    /// A place that is given a value.
    fn target(&mut self, id: ExprId) {
        if let Expr::Name(name) = &self.tree[id] {
            self.bind(name);
        } else if let Expr::List(items) | Expr::Tuple(items) = &self.tree[id] {
            items.iter().for_each(|&item| self.target(item));
        } else if let Expr::Starred(value) = self.tree[id] {
            self.target(value);
        } else {
            self.expr(id);
            if let Some(root) = root_of_composite(self.tree, id) {
                let composite = Composite { root, at: id };
                self.activity.stores.entry(expr_to_source(self.tree, id)).or_insert(composite);
            }
        }
    }

    fn delete(&mut self, id: ExprId) {
        if let Expr::Name(name) = &self.tree[id] {
            self.activity.reads.insert(name.clone());
            self.activity.deletes.insert(name.clone());
        } else if let Expr::List(items) | Expr::Tuple(items) = &self.tree[id] {
            return items.iter().for_each(|&item| self.delete(item));
        }
        self.target(id);
    }

    fn expr(&mut self, id: ExprId) {
        match &self.tree[id] {
            Expr::Name(name) => {
                self.activity.reads.insert(name.clone());
            }
            Expr::Named { target, value } => {
                self.expr(*value);
                self.target(*target);
                if let Expr::Name(name) = &self.tree[*target] {
                    self.activity.walrus.insert(name.clone());
                }
            }
            Expr::Lambda { params, body, generated } => {
                params.each_expr(&mut |&expr| self.expr(expr));
                let inner = of_expr(self.tree, *body);
                let captured = inner.captured.clone();
                let free = free_names(params, inner);
                if *generated {
                    self.activity.captured.extend(free.intersection(&captured).cloned());
                    self.activity.reads.extend(free);
                } else {
                    self.activity.captured.extend(free);
                }
            }
            Expr::Comp { kind, clauses, .. } => {
                self.comprehension(id, clauses[0].iter, *kind == CompKind::Generator)
            }
            Expr::DictComp { clauses, .. } => self.comprehension(id, clauses[0].iter, false),
            Expr::BoolOp { .. }
            | Expr::BinOp { .. }
            | Expr::UnaryOp { .. }
            | Expr::IfExp { .. }
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::Await(_)
            | Expr::Yield(_)
            | Expr::YieldFrom(_)
            | Expr::Compare { .. }
            | Expr::Call { .. }
            | Expr::FString(_)
            | Expr::Constant(_)
            | Expr::Attribute { .. }
            | Expr::Subscript { .. }
            | Expr::Starred(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Slice { .. } => self.tree[id].each_expr(&mut |&expr| self.expr(expr)),
        }
    }

    /// The first iterable is evaluated outside; the targets are the comprehension's own; `:=` binds outside.
    fn comprehension(&mut self, id: ExprId, first: ExprId, later: bool) {
        self.expr(first);
        let mut inner = Collect { tree: self.tree, activity: Activity::default() };
        let mut own = Collect { tree: self.tree, activity: Activity::default() };
        if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            clauses.iter().for_each(|clause| own.target(clause.target));
        }
        self.tree[id].each_expr(&mut |&expr| {
            if expr != first {
                inner.expr(expr);
            }
        });
        let own = own.activity.binds;
        let reads = inner.activity.reads.into_iter().filter(|name| !own.contains(name));
        if later {
            self.activity.captured.extend(reads)
        } else {
            self.activity.reads.extend(reads)
        }
        self.activity.captured.extend(inner.activity.captured.into_iter().filter(|name| !own.contains(name)));
        self.activity.binds.extend(inner.activity.walrus.iter().cloned());
        self.activity.walrus.extend(inner.activity.walrus);
    }
}

/// The name that a composite starts from; none if the path is not fixed.
fn root_of_composite(tree: &Tree, id: ExprId) -> Option<Name> {
    if let Expr::Attribute { value, .. } = &tree[id] {
        return root_or_name(tree, *value);
    }
    let Expr::Subscript { value, index } = &tree[id] else { return None };
    let fixed = matches!(&tree[*index], Expr::Constant(Constant::Str(_) | Constant::Int(_)));
    if fixed { root_or_name(tree, *value) } else { None }
}

fn root_or_name(tree: &Tree, id: ExprId) -> Option<Name> {
    if let Expr::Name(name) = &tree[id] { Some(name.clone()) } else { root_of_composite(tree, id) }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let found = of_body(&tree, &tree.body);
        let show = |names: NameSet| names.into_iter().collect::<Vec<_>>().join(" ");
        let stores = found.stores.into_keys().collect::<Vec<_>>().join(" ");
        let (reads, binds, captured) = (show(found.reads), show(found.binds), show(found.captured));
        expected.assert_eq(&format!("reads {reads}; binds {binds}; captures {captured}; stores {stores}"));
    }

    #[test]
    fn the_example() {
        check("x.y = f(z)", expect!["reads f x z; binds ; captures ; stores x.y"]);
    }

    #[test]
    fn places() {
        check(
            "(a, *b), d['k'], o.x.y[0], d[i] = v",
            expect!["reads d i o v; binds a b; captures ; stores d['k'] o.x.y[0]"],
        );
        check("n += m\ndel p, q.r", expect!["reads m n p q; binds n p; captures ; stores q.r"]);
        check(
            "import a.b, c as d\nfrom e import f\nwith g as h: pass",
            expect!["reads g; binds a d f h; captures ; stores "],
        );
        check(
            "match v:\n case [p, *q] | {'k': r, **s}: pass",
            expect!["reads v; binds p q r s; captures ; stores "],
        );
    }

    #[test]
    fn nested_scopes() {
        check("def f(a, b=c):\n d = a + e\n return d", expect!["reads c; binds f; captures e; stores "]);
        check("g = lambda x: x + y", expect!["reads ; binds g; captures y; stores "]);
        check("[x + (w := y) for x in xs]", expect!["reads xs y; binds w; captures ; stores "]);
        check("(x + y for x in xs)", expect!["reads xs; binds ; captures y; stores "]);
    }
}
