//! `if c: x = 1; y = x` ⇒ `…; y = gw__.ld(lambda: x, 'x')`: reads of names that may have no value.
//!
//! The operator raises `UnboundLocalError`, as Python does in the function itself; in a block Python would say
//! `NameError`. Names surely assigned are read as they are.

use gw_analysis::{Facts, NameSet};
use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::units::{Reach, function, set_body};

static LD: Template = Template::new("$operators.ld(lambda: $name, $text)");
static RELOAD: Template = Template::new("$name = $value");

/// Marks the uncertain reads of every function.
pub fn run(lowering: &mut Lowering) {
    let mut marked = false;
    for id in lowering.functions(Reach::Suspends) {
        let facts = lowering.facts(id);
        let body = function(&lowering.tree, id).body.clone();
        let operators = lowering.names.operators.clone();
        let tree = &mut lowering.tree;
        let mut mark = Mark { tree, operators, facts: &facts, at: id, midway: NameSet::new(), marked: false };
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
    /// What it binds itself while it is evaluated: that is left to Python.
    midway: NameSet,
    /// Whether any read was marked: otherwise the tree is as it was.
    marked: bool,
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

    /// Whether a name of the function's own may have no value in the statement at hand.
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
            Stmt::ClassDef(_)
            | Stmt::Return(_)
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
            | Stmt::Continue => {
                let mut exprs = Vec::new();
                self.tree[id].each_expr(&mut |&expr| exprs.push(expr));
                exprs.into_iter().for_each(|expr| self.read(expr));
            }
        }
    }

    /// `x += 1` and `del x` read `x` first: `x = gw__.ld(lambda: x, 'x')` comes before them.
    fn reload(&mut self, target: ExprId, out: &mut Body) {
        let Expr::Name(name) = &self.tree[target] else { return };
        if !self.is_unsure(name) {
            return;
        }
        let (name, span) = (name.clone(), self.tree.expr_span(target));
        let value = self.load(&name, span);
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
            if self.is_unsure(name) {
                let (name, span) = (name.clone(), self.tree.expr_span(id));
                let made = self.load(&name, span);
                self.tree.set_expr(id, self.tree[made].clone());
            }
            return;
        } else if let Expr::Named { value, .. } = self.tree[id] {
            children.push(value);
        } else if let Expr::Lambda { params, generated: false, .. } = &self.tree[id] {
            children.extend(params.all().filter_map(|param| param.default));
        } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            children.push(clauses[0].iter);
        } else {
            self.tree[id].each_expr(&mut |&child| children.push(child));
        }
        children.into_iter().for_each(|child| self.read(child));
    }
}
