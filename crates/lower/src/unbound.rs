//! `if c: x = 1; y = x` ⇒ `…; y = gw__.ld(lambda: x, 'x')`: reads of names that may have no value.
//!
//! The operator raises `UnboundLocalError`, as Python does in the function itself; in a block Python would say
//! `NameError`. Names surely assigned are read as they are. What nested functions, comprehensions and classes read of the
//! functions around them, and what a function reads of globals that it assigns, is asked of `gw__.outer`.

use std::collections::BTreeMap;

use gw_analysis::{Facts, NameSet, lambda_inspects_frame};
use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::captured::{Captured, Home, bound_by, functions_in, uncertain};
use crate::units::{Reach, function, set_body};

static LD: Template = Template::new("$operators.ld(lambda: $name, $text)");
static OUTER: Template = Template::new("$operators.outer(lambda: $name, $text, $is_global)");
static RELOAD: Template = Template::new("$name = $value");

/// Marks the uncertain reads of every function.
pub fn run(lowering: &mut Lowering) {
    let mut marked = false;
    let mut around: BTreeMap<StmtId, Captured> = BTreeMap::new();
    for id in lowering.functions(Reach::Suspends) {
        let facts = lowering.facts(id);
        let body = function(&lowering.tree, id).body.clone();
        let operators = lowering.names.operators.clone();
        let own = uncertain(&lowering.tree, &facts, &body);
        let mut outer = around.remove(&id).unwrap_or_default();
        let is_outer =
            |name: &Name| !facts.scope.locals.contains(name) && !facts.scope.globals.contains(name);
        outer.retain(|name, _| is_outer(name));
        outer.extend(
            own.iter().filter(|(_, home)| **home == Home::Module).map(|(name, home)| (name.clone(), *home)),
        );
        let mut inner = outer.clone();
        inner.extend(own);
        let mut nested = Vec::new();
        functions_in(&lowering.tree, &body, &mut nested);
        around.extend(nested.into_iter().map(|nested| (nested, inner.clone())));
        let tree = &mut lowering.tree;
        let (midway, marked_here) = (NameSet::new(), false);
        let mut mark =
            Mark { tree, operators, facts: &facts, at: id, midway, marked: marked_here, outer, inner };
        let body = mark.body(body);
        marked |= mark.marked;
        set_body(&mut lowering.tree, id, body);
        lowering.known.insert(id, facts);
    }
    if marked {
        lowering.known.clear();
    }
}

struct Mark<'a> {
    tree: &'a mut Tree,
    operators: Name,
    facts: &'a Facts,
    /// The statement at hand.
    at: StmtId,
    /// Names that it binds itself while it is evaluated: those are left to Python.
    midway: NameSet,
    /// True if any read was marked: otherwise the tree is as it was.
    marked: bool,
    /// Names of others that the function reads and that may have no value.
    outer: Captured,
    /// The same of what is nested in it.
    inner: Captured,
}

impl Mark<'_> {
    fn body(&mut self, body: Body) -> Body {
        body.into_iter().flat_map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, id: StmtId) -> Body {
        let mut out = Body::new();
        self.at = id;
        self.midway = self.midway_in(id);
        self.header(id, &mut out);
        if !matches!(self.tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            let mut stmt = self.tree[id].clone();
            stmt.each_body_mut(&mut |body| *body = self.body(std::mem::take(body)));
            self.tree.set_stmt(id, stmt);
        }
        out.push(id);
        out
    }

    fn midway_in(&self, id: StmtId) -> NameSet {
        let header = self.facts.activities.header(id);
        let binds_midway = matches!(self.tree[id], Stmt::With { .. } | Stmt::Match { .. });
        if binds_midway { header.binds.clone() } else { header.walrus.clone() }
    }

    /// True if a name of the function's own may have no value in the statement at hand.
    fn is_unsure(&self, name: &Name) -> bool {
        self.facts.scope.locals.contains(name)
            && !self.facts.assigned.surely(self.at, name)
            && !self.midway.contains(name)
    }

    fn header(&mut self, id: StmtId, out: &mut Body) {
        match self.tree[id].clone() {
            Stmt::Assign { targets, value } => {
                self.read(value);
                targets.into_iter().for_each(|target| self.target(target));
            }
            Stmt::AnnAssign { target, value, .. } => {
                value.into_iter().for_each(|value| self.read(value));
                self.target(target);
            }
            Stmt::AugAssign { target, value, .. } => {
                self.reload(target, out);
                self.target(target);
                self.read(value);
            }
            Stmt::Delete(targets) => targets.into_iter().for_each(|target| {
                self.reload(target, out);
                self.target(target);
            }),
            Stmt::For { target, iter, .. } => {
                self.read(iter);
                self.target(target);
            }
            Stmt::With { items, .. } => items.into_iter().for_each(|item| {
                self.read(item.context);
                item.target.into_iter().for_each(|target| self.target(target));
            }),
            Stmt::FunctionDef(f) => {
                let defaults: Vec<ExprId> = f.params.all().filter_map(|param| param.default).collect();
                f.decorators.into_iter().chain(defaults).for_each(|expr| self.read(expr));
            }
            Stmt::TypeAlias { .. } => {}
            Stmt::ClassDef(class) => {
                self.read_all(id);
                let activity = self.facts.activities.body(self.tree, &class.body);
                let names = without(&self.inner, &activity.binds);
                self.class_body(&class.body, &names);
            }
            Stmt::Return(_)
            | Stmt::While { .. }
            | Stmt::If { .. }
            | Stmt::Match { .. }
            | Stmt::Raise { .. }
            | Stmt::Try { .. }
            | Stmt::Assert { .. }
            | Stmt::Import(_)
            | Stmt::ImportFrom { .. }
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Expr(_)
            | Stmt::Pass
            | Stmt::Break
            | Stmt::Continue => self.read_all(id),
        }
    }

    fn read_all(&mut self, id: StmtId) {
        let mut exprs = Vec::new();
        self.tree[id].each_expr(&mut |&expr| exprs.push(expr));
        exprs.into_iter().for_each(|expr| self.read(expr));
    }

    /// `x += 1` and `del x` read `x` first: `x = gw__.ld(lambda: x, 'x')` comes before them.
    fn reload(&mut self, target: ExprId, out: &mut Body) {
        let Expr::Name(name) = &self.tree[target] else { return };
        let (name, span) = (name.clone(), self.tree.expr_span(target));
        let value = match self.home_of_outer(&name) {
            Some(home) => self.load_outer(&name, home, span),
            None if self.is_unsure(&name) => self.load(&name, span),
            None => return,
        };
        let place = self.tree.name(span, &name);
        out.extend(RELOAD.fill(
            self.tree,
            span,
            &[("name", Fill::Expr(place)), ("value", Fill::Expr(value))],
        ));
    }

    fn load(&mut self, name: &Name, span: Span) -> ExprId {
        self.marked = true;
        let read = self.tree.name(span, name);
        let text = self.tree.expr(span, Expr::Constant(Constant::Str(name.to_string())));
        let holes = [
            ("operators", Fill::Name(self.operators.clone())),
            ("name", Fill::Expr(read)),
            ("text", Fill::Expr(text)),
        ];
        LD.fill_expr(self.tree, span, &holes)
    }

    /// Scope of an uncertain name that is not the function's own.
    fn home_of_outer(&self, name: &Name) -> Option<Home> {
        let is_sure = self.facts.assigned.surely(self.at, name) || self.midway.contains(name);
        self.outer.get(name).copied().filter(|_| !is_sure)
    }

    fn load_outer(&mut self, name: &Name, home: Home, span: Span) -> ExprId {
        self.marked = true;
        let read = self.tree.name(span, name);
        let text = self.tree.expr(span, Expr::Constant(Constant::Str(name.to_string())));
        let is_global = self.tree.expr(span, Expr::Constant(Constant::Bool(home == Home::Module)));
        let holes = [
            ("operators", Fill::Name(self.operators.clone())),
            ("name", Fill::Expr(read)),
            ("text", Fill::Expr(text)),
            ("is_global", Fill::Expr(is_global)),
        ];
        OUTER.fill_expr(self.tree, span, &holes)
    }

    /// The expressions that a class evaluates itself, in which `names` are uncertain.
    fn class_body(&mut self, body: &Body, names: &Captured) {
        for &id in body {
            let mut exprs = Vec::new();
            let stmt = &self.tree[id];
            if let Stmt::FunctionDef(f) = stmt {
                exprs.extend(f.decorators.iter().copied());
                exprs.extend(f.params.all().filter_map(|param| param.default));
            } else if !matches!(stmt, Stmt::ClassDef(_) | Stmt::TypeAlias { .. } | Stmt::AnnAssign { .. }) {
                stmt.each_expr(&mut |&expr| exprs.push(expr));
                let mut inside = Body::new();
                stmt.each_body(&mut |body| inside.extend(body));
                self.class_body(&inside, names);
            }
            exprs.into_iter().for_each(|expr| self.read_inside(expr, names));
        }
    }

    /// Reads of a lambda, a comprehension or a class, in which `names` are uncertain.
    fn read_inside(&mut self, id: ExprId, names: &Captured) {
        if names.is_empty() {
            return;
        }
        let mut children = Vec::new();
        if let Expr::Name(name) = &self.tree[id] {
            if let Some(&home) = names.get(name) {
                let (name, span) = (name.clone(), self.tree.expr_span(id));
                let made = self.load_outer(&name, home, span);
                self.tree.set_expr(id, self.tree[made].clone());
            }
            return;
        } else if let Expr::Lambda { params, body, generated: false } = &self.tree[id] {
            children.extend(params.all().filter_map(|param| param.default));
            let (bound, body) = (params.all().map(|param| param.name.clone()).collect(), *body);
            self.lambda(body, &without(names, &bound));
        } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            children.push(clauses[0].iter);
            self.comprehension(id, names);
        } else if let Expr::Named { value, .. } = self.tree[id] {
            children.push(value);
        } else {
            self.tree[id].each_expr(&mut |&child| children.push(child));
        }
        children.into_iter().for_each(|child| self.read_inside(child, names));
    }

    fn lambda(&mut self, body: ExprId, names: &Captured) {
        if !lambda_inspects_frame(self.tree, body) {
            self.read_inside(body, names);
        }
    }

    /// All of a comprehension but what its first clause runs over.
    fn comprehension(&mut self, id: ExprId, names: &Captured) {
        let (Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. }) = &self.tree[id] else { return };
        let (mut bound, first) = (Vec::new(), clauses[0].iter);
        clauses.iter().for_each(|clause| bound_by(self.tree, clause.target, &mut bound));
        let mut children = Vec::new();
        self.tree[id].each_expr(&mut |&child| children.push(child));
        let names = without(names, &bound.into_iter().collect());
        children
            .into_iter()
            .filter(|child| *child != first)
            .for_each(|child| self.read_inside(child, &names));
    }

    /// A place that is given a value: only what it is an attribute or item of is read.
    fn target(&mut self, id: ExprId) {
        if let Expr::List(items) | Expr::Tuple(items) = self.tree[id].clone() {
            items.into_iter().for_each(|item| self.target(item));
        } else if let Expr::Starred(value) = self.tree[id] {
            self.target(value);
        } else if let Expr::Attribute { .. } | Expr::Subscript { .. } = self.tree[id] {
            self.read(id);
        }
    }

    fn read(&mut self, id: ExprId) {
        let mut children = Vec::new();
        if let Expr::Name(name) = &self.tree[id] {
            let (name, span) = (name.clone(), self.tree.expr_span(id));
            let made = match self.home_of_outer(&name) {
                Some(home) => self.load_outer(&name, home, span),
                None if self.is_unsure(&name) => self.load(&name, span),
                None => return,
            };
            self.tree.set_expr(id, self.tree[made].clone());
            return;
        } else if let Expr::Named { value, .. } = self.tree[id] {
            children.push(value);
        } else if let Expr::Lambda { params, body, generated: false } = &self.tree[id] {
            children.extend(params.all().filter_map(|param| param.default));
            let (bound, body) = (params.all().map(|param| param.name.clone()).collect(), *body);
            self.lambda(body, &without(&self.inner, &bound));
        } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            children.push(clauses[0].iter);
            let names = self.inner.clone();
            self.comprehension(id, &names);
        } else {
            self.tree[id].each_expr(&mut |&child| children.push(child));
        }
        children.into_iter().for_each(|child| self.read(child));
    }
}

/// The names but those that something binds itself.
fn without(names: &Captured, bound: &NameSet) -> Captured {
    names
        .iter()
        .filter(|(name, _)| !bound.contains(*name))
        .map(|(name, home)| (name.clone(), *home))
        .collect()
}
