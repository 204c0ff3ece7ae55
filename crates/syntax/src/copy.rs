//! Copies of parts of a tree, into the same or another tree.

use crate::node::Stmt;
use crate::tree::{Body, ExprId, StmtId, Tree};

impl Tree {
    /// A tree that holds a copy of one statement of this one, and nothing else.
    pub fn extract(&self, stmt: StmtId) -> Tree {
        let mut tree = Tree::default();
        let copy = tree.copy_stmt(self, stmt);
        tree.body.push(copy);
        tree
    }

    /// A tree whose only statement holds a copy of one expression of this one.
    pub fn extract_expr(&self, expr: ExprId) -> Tree {
        let mut tree = Tree::default();
        let value = tree.copy_expr(self, expr);
        let stmt = tree.stmt(self.expr_span(expr), Stmt::Expr(value));
        tree.body.push(stmt);
        tree
    }

    /// Copies a statement of another tree into this one.
    pub fn copy_stmt(&mut self, from: &Tree, id: StmtId) -> StmtId {
        let mut stmt = from[id].clone();
        stmt.each_expr_mut(&mut |expr| *expr = self.copy_expr(from, *expr));
        stmt.each_body_mut(&mut |body| *body = self.copy_body(from, body));
        self.stmt(from.stmt_span(id), stmt)
    }

    /// Copies statements of another tree into this one.
    pub fn copy_body(&mut self, from: &Tree, body: &Body) -> Body {
        body.iter().map(|&stmt| self.copy_stmt(from, stmt)).collect()
    }

    /// Copies an expression of another tree into this one.
    pub fn copy_expr(&mut self, from: &Tree, id: ExprId) -> ExprId {
        let mut expr = from[id].clone();
        expr.each_expr_mut(&mut |child| *child = self.copy_expr(from, *child));
        self.expr(from.expr_span(id), expr)
    }

    /// Another expression that says the same.
    pub fn duplicate(&mut self, id: ExprId) -> ExprId {
        let mut expr = self[id].clone();
        let span = self.expr_span(id);
        expr.each_expr_mut(&mut |child| *child = self.duplicate(*child));
        self.expr(span, expr)
    }

    /// Other statements that do the same.
    pub fn duplicate_body(&mut self, body: &Body) -> Body {
        let mut copies = Body::new();
        for &id in body {
            let (mut stmt, span) = (self[id].clone(), self.stmt_span(id));
            stmt.each_expr_mut(&mut |expr| *expr = self.duplicate(*expr));
            stmt.each_body_mut(&mut |body| *body = self.duplicate_body(body));
            copies.push(self.stmt(span, stmt));
        }
        copies
    }
}
