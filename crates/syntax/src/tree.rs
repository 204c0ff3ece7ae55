//! The tree itself: two tables of nodes, their spans, and the statements at the top.

use std::ops::Index;
use std::sync::Arc;

use gw_base::{Span, Table};

use crate::node::{Expr, Stmt};

gw_base::ids! {
    /// A statement of one tree.
    StmtId;
    /// An expression, or a target, of one tree.
    ExprId;
}

/// An identifier, normalised as Python does.
pub type Name = Arc<str>;

/// Statements one after the other.
pub type Body = Vec<StmtId>;

/// A Python text as a value. Every node has the span it came from; a generated one has its origin's.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    stmts: Table<StmtId, (Stmt, Span)>,
    exprs: Table<ExprId, (Expr, Span)>,
    /// The statements at the top.
    pub body: Body,
}

impl Tree {
    /// Adds a statement that comes from `span`.
    pub fn stmt(&mut self, span: Span, stmt: Stmt) -> StmtId {
        self.stmts.push((stmt, span))
    }

    /// Adds an expression that comes from `span`.
    pub fn expr(&mut self, span: Span, expr: Expr) -> ExprId {
        self.exprs.push((expr, span))
    }

    /// Adds a name that comes from `span`.
    pub fn name(&mut self, span: Span, name: &Name) -> ExprId {
        self.expr(span, Expr::Name(name.clone()))
    }

    /// Span of a statement in its source.
    pub fn stmt_span(&self, id: StmtId) -> Span {
        self.stmts[id].1
    }

    /// Span of an expression in its source.
    pub fn expr_span(&self, id: ExprId) -> Span {
        self.exprs[id].1
    }

    /// Puts another statement in the place of this one; it keeps the span.
    pub fn set_stmt(&mut self, id: StmtId, stmt: Stmt) {
        self.stmts[id].0 = stmt;
    }

    /// Puts another expression in the place of this one; it keeps the span.
    pub fn set_expr(&mut self, id: ExprId, expr: Expr) {
        self.exprs[id].0 = expr;
    }

    /// Says that an expression comes from somewhere else.
    pub fn set_expr_span(&mut self, id: ExprId, span: Span) {
        self.exprs[id].1 = span;
    }

    /// The statement, to change its children.
    pub fn stmt_mut(&mut self, id: StmtId) -> &mut Stmt {
        &mut self.stmts[id].0
    }

    /// The expression, to change its children.
    pub fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.exprs[id].0
    }

    /// Moves an expression to a new id, so that its old id can hold what wraps it.
    pub fn move_expr(&mut self, id: ExprId) -> ExprId {
        let span = self.exprs[id].1;
        let expr = std::mem::replace(&mut self.exprs[id].0, Expr::Constant(crate::Constant::None));
        self.expr(span, expr)
    }

    /// Every statement anywhere in the tables, those among them that no longer belong to the tree.
    pub fn stmts(&self) -> impl Iterator<Item = &Stmt> {
        self.stmts.iter().map(|(_, (stmt, _))| stmt)
    }

    /// Every expression anywhere in the tables, those among them that no longer belong to the tree.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.exprs.iter().map(|(_, (expr, _))| expr)
    }

    /// Every name that stands as an expression anywhere in the tables.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.exprs().filter_map(|expr| if let Expr::Name(name) = expr { Some(name) } else { None })
    }

    /// True if an f-string stands anywhere in the tables.
    pub fn has_fstrings(&self) -> bool {
        self.exprs().any(|expr| matches!(expr, Expr::FString(_)))
    }

    /// Number of nodes: an upper bound on the depth of a tree.
    pub fn node_count(&self) -> usize {
        self.stmts.len() + self.exprs.len()
    }

    /// Number of statements ever added: the size of a table beside the tree.
    pub fn stmt_count(&self) -> usize {
        self.stmts.len()
    }
}

impl Index<StmtId> for Tree {
    type Output = Stmt;
    fn index(&self, id: StmtId) -> &Stmt {
        &self.stmts[id].0
    }
}

impl Index<ExprId> for Tree {
    type Output = Expr;
    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id].0
    }
}
