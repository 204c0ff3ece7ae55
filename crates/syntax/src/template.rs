//! Python with holes: lowered code is written as Python.
//!
//! `$name` is a hole. What fills it decides its kind: a name, an expression, or statements (the hole is then a line of
//! its own). Every node made by filling has the span given to `fill`; `def` and `lambda` of the template are generated.

use std::sync::OnceLock;

use gw_base::{Source, Span};

use crate::node::{Expr, Stmt};
use crate::tree::{Body, ExprId, Name, Tree};

const HOLE: &str = "hole__";

/// A piece of Python with holes, read when it is first filled.
pub struct Template {
    text: &'static str,
    tree: OnceLock<Tree>,
}

/// Filling of a hole.
#[derive(Debug, Clone)]
pub enum Fill {
    /// An identifier, wherever the hole stands.
    Name(Name),
    /// An expression of the tree that is filled into; it can fill one hole only.
    Expr(ExprId),
    /// Statements.
    Body(Body),
    /// Identifiers: for a hole alone in `nonlocal $names` or `global $names`.
    Names(Vec<Name>),
}

impl Template {
    /// A template of this text.
    pub const fn new(text: &'static str) -> Self {
        Self { text, tree: OnceLock::new() }
    }

    /// The template as a tree whose holes are names.
    ///
    /// # Panics
    /// If the text is not Python; a test fills every template, so none does at the user's.
    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let parsed = crate::parse(&Source::new("<template>", self.text.replace('$', HOLE)));
            assert!(parsed.diagnostics.is_empty(), "template is not Python: {}", self.text);
            parsed.value
        })
    }

    /// Statements made of this template.
    pub fn fill(&self, tree: &mut Tree, span: Span, holes: &[(&str, Fill)]) -> Body {
        let from = self.tree();
        Filling { from, to: tree, span, holes }.body(&from.body)
    }

    /// The expression of a template that is one expression.
    pub fn fill_expr(&self, tree: &mut Tree, span: Span, holes: &[(&str, Fill)]) -> ExprId {
        let from = self.tree();
        let Stmt::Expr(value) = from[from.body[0]] else {
            panic!("template is not an expression: {}", self.text)
        };
        Filling { from, to: tree, span, holes }.expr(value)
    }
}

struct Filling<'a> {
    from: &'a Tree,
    to: &'a mut Tree,
    span: Span,
    holes: &'a [(&'a str, Fill)],
}

impl Filling<'_> {
    fn fill_of(&self, name: &str) -> Option<&Fill> {
        let hole = name.strip_prefix(HOLE)?;
        let found = self.holes.iter().find(|(name, _)| *name == hole);
        Some(&found.unwrap_or_else(|| panic!("nothing fills ${hole}")).1)
    }

    fn rename(&self, name: &mut Name) {
        if let Some(Fill::Name(new)) = self.fill_of(name) {
            *name = new.clone();
        }
    }

    fn body(&mut self, body: &Body) -> Body {
        let mut out = Body::new();
        for &id in body {
            match self.hole_of_statement(id) {
                Some(stmts) => out.extend(stmts),
                None => out.push(self.stmt(id)),
            }
        }
        out
    }

    fn hole_of_statement(&self, id: crate::StmtId) -> Option<Body> {
        let Stmt::Expr(value) = self.from[id] else { return None };
        let Expr::Name(name) = &self.from[value] else { return None };
        match self.fill_of(name)? {
            Fill::Body(body) => Some(body.clone()),
            Fill::Name(_) | Fill::Expr(_) | Fill::Names(_) => None,
        }
    }

    fn stmt(&mut self, id: crate::StmtId) -> crate::StmtId {
        let mut stmt = self.from[id].clone();
        if let Stmt::FunctionDef(function) = &mut stmt {
            function.generated = true;
            self.rename(&mut function.name);
            function.params.args.iter_mut().for_each(|param| {
                self.rename(&mut param.name);
                param.span = self.span;
            });
        }
        if let Stmt::Nonlocal(names) | Stmt::Global(names) = &mut stmt
            && let Some(Fill::Names(given)) = self.fill_of(&names[0])
        {
            *names = given.clone();
        }
        stmt.each_expr_mut(&mut |expr| *expr = self.expr(*expr));
        stmt.each_body_mut(&mut |body| *body = self.body(body));
        self.to.stmt(self.span, stmt)
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let mut expr = self.from[id].clone();
        if let Expr::Name(name) = &mut expr {
            if let Some(Fill::Expr(given)) = self.fill_of(name) {
                return *given;
            }
            self.rename(name);
        }
        if let Expr::Lambda { generated, params, .. } = &mut expr {
            *generated = true;
            for param in &mut params.args {
                self.rename(&mut param.name);
                param.span = self.span;
            }
        }
        expr.each_expr_mut(&mut |child| *child = self.expr(*child));
        self.to.expr(self.span, expr)
    }
}
