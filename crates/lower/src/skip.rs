//! Jumps to the end of a body become nesting: `if a: JUMP; b` ⇒ `if a: pass else: b`.
//!
//! If one side of an `if` always jumps, the statements after it move to the other side and no flag is needed.
//! Elsewhere a flag says that the jump was taken: `if a: if b: flag = True …; if not flag: rest`.

use std::collections::BTreeSet;

use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, Fill, Stmt, StmtId, Template, Tree};

use crate::jumps::never_ends;
use crate::units::head_span;
use gw_syntax::Name;

static SET: Template = Template::new("$name = $value");
static GUARD: Template = Template::new("if not $flag:\n    $rest");
static LEAVE_LOOP: Template = Template::new("$flag = True\nbreak");
static LEAVE_OUTER: Template = Template::new("if $flag:\n    break");

/// `name = value`.
pub fn set(tree: &mut Tree, span: Span, name: &Name, value: Expr) -> StmtId {
    let value = tree.expr(span, value);
    SET.fill(tree, span, &[("name", Fill::Name(name.clone())), ("value", Fill::Expr(value))])[0]
}

/// `name = True` or `name = False`.
pub fn set_flag(tree: &mut Tree, span: Span, name: &Name, value: bool) -> StmtId {
    set(tree, span, name, Expr::Constant(Constant::Bool(value)))
}

/// `if not flag: rest`.
pub fn guard(tree: &mut Tree, flag: &Name, rest: Body) -> StmtId {
    let span = head_span(tree, rest[0]);
    GUARD.fill(tree, span, &[("flag", Fill::Name(flag.clone())), ("rest", Fill::Body(rest))])[0]
}

/// Takes jumps of one kind out of a body.
pub struct Skip<'t> {
    /// The tree.
    pub tree: &'t mut Tree,
    /// The jumps to take out.
    pub jumps: BTreeSet<StmtId>,
    /// Name that takes the value of a `return`; none for `continue`.
    pub retval: Option<Name>,
    /// The flag that says that the jump was taken.
    pub flag: Name,
    /// True if the flag is read anywhere.
    pub flag_used: bool,
    /// True if the end may be reached without a jump.
    pub falls_through: bool,
}

impl Skip<'_> {
    fn jumps_in(&self, body: &Body) -> bool {
        body.iter().any(|&id| self.jumps_inside(id))
    }

    fn jumps_inside(&self, id: StmtId) -> bool {
        let mut found = self.jumps.contains(&id);
        if !matches!(self.tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            self.tree[id].each_body(&mut |body| found = found || self.jumps_in(body));
        }
        found
    }

    /// The body with its jumps taken out. `flagged`: something after it asks whether a jump was taken.
    pub fn body(&mut self, body: Body, flagged: bool) -> Body {
        let Some(at) = body.iter().position(|&id| self.jumps_inside(id)) else {
            self.falls_through |= !never_ends(self.tree, &body);
            return body;
        };
        let mut out = body[..at].to_vec();
        let rest = body[at + 1..].to_vec();
        self.stmt(body[at], rest, flagged, &mut out);
        out
    }

    /// Takes the jumps out of a compound statement, behind which the flag is read.
    pub fn inside(&mut self, id: StmtId) {
        let stmt = self.tree[id].clone();
        self.compound(id, stmt, &Body::new(), true);
    }

    fn stmt(&mut self, id: StmtId, rest: Body, flagged: bool, out: &mut Body) {
        let stmt = self.tree[id].clone();
        if self.jumps.contains(&id) {
            self.jump(id, &stmt, flagged, out);
        } else if let Stmt::If { test, body, orelse } = stmt {
            let (body, orelse, after) = self.sides(body, orelse, rest);
            let flagged = flagged || !after.is_empty();
            let (body, orelse) = (self.body(body, flagged), self.body(orelse, flagged));
            self.tree.set_stmt(id, Stmt::If { test, body, orelse });
            out.push(id);
            self.rest(after, flagged, out);
        } else {
            self.compound(id, stmt, &rest, flagged);
            out.push(id);
            self.rest(rest, flagged, out);
        }
    }

    /// Moves what follows an `if` into the side that goes on, if only one does.
    fn sides(&self, mut body: Body, mut orelse: Body, rest: Body) -> (Body, Body, Body) {
        if never_ends(self.tree, &body) {
            if !never_ends(self.tree, &orelse) {
                orelse.extend(rest);
            }
            return (body, orelse, Body::new());
        }
        if never_ends(self.tree, &orelse) {
            body.extend(rest);
            return (body, orelse, Body::new());
        }
        (body, orelse, rest)
    }

    /// Statements after one that may have jumped.
    fn rest(&mut self, rest: Body, flagged: bool, out: &mut Body) {
        if rest.is_empty() {
            return;
        }
        let rest = self.body(rest, flagged);
        if !rest.is_empty() {
            self.flag_used = true;
            out.push(guard(self.tree, &self.flag, rest));
        }
    }

    fn jump(&mut self, id: StmtId, stmt: &Stmt, flagged: bool, out: &mut Body) {
        self.keep_value(id, stmt, out);
        if flagged {
            out.push(set_flag(self.tree, self.tree.stmt_span(id), &self.flag.clone(), true));
        }
    }

    /// `return value` ⇒ `retval_ = value`, before any flag is set.
    fn keep_value(&mut self, id: StmtId, stmt: &Stmt, out: &mut Body) {
        let (Some(retval), Stmt::Return(value)) = (self.retval.clone(), stmt) else { return };
        let span = self.tree.stmt_span(id);
        let value = value.unwrap_or_else(|| self.tree.expr(span, Expr::Constant(Constant::None)));
        out.extend(SET.fill(self.tree, span, &[("name", Fill::Name(retval)), ("value", Fill::Expr(value))]));
    }

    /// A loop, `with`, `try` or `match` with jumps inside; after it the end may be reached without a jump.
    fn compound(&mut self, id: StmtId, mut stmt: Stmt, rest: &Body, flagged: bool) {
        self.falls_through = true;
        let mut flagged = flagged || !rest.is_empty();
        if let Stmt::For { body, orelse, .. } | Stmt::While { body, orelse, .. } = &mut stmt {
            if self.jumps_in(body) {
                self.flag_used = true;
                *body = self.inside_loop(std::mem::take(body));
            }
            *orelse = self.body(std::mem::take(orelse), true);
            return self.tree.set_stmt(id, stmt);
        }
        if let Stmt::Try { body, orelse, .. } = &mut stmt
            && !orelse.is_empty()
            && self.jumps_in(body)
        {
            flagged = true;
            self.flag_used = true;
            let guarded = self.body(std::mem::take(orelse), true);
            if !guarded.is_empty() {
                *orelse = vec![guard(self.tree, &self.flag, guarded)];
            }
        }
        stmt.each_body_mut(&mut |body| *body = self.body(std::mem::take(body), flagged));
        self.tree.set_stmt(id, stmt);
    }

    /// `return` inside a loop leaves the loop by `break`, and the loops around it after that.
    fn inside_loop(&mut self, body: Body) -> Body {
        let mut out = Body::new();
        for id in body {
            let mut stmt = self.tree[id].clone();
            let span = self.tree.stmt_span(id);
            let flag = [("flag", Fill::Name(self.flag.clone()))];
            if self.jumps.contains(&id) {
                self.keep_value(id, &stmt, &mut out);
                out.extend(LEAVE_LOOP.fill(self.tree, span, &flag));
                return out;
            }
            out.push(id);
            if !self.jumps_inside(id) {
                continue;
            }
            stmt.each_body_mut(&mut |body| *body = self.inside_loop(std::mem::take(body)));
            let is_loop = matches!(stmt, Stmt::For { .. } | Stmt::While { .. });
            self.tree.set_stmt(id, stmt);
            if is_loop {
                let span = head_span(self.tree, id);
                out.extend(LEAVE_OUTER.fill(self.tree, span, &flag));
            }
        }
        out
    }
}
